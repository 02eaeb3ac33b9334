"""`steno check`: list rules and open loops, and whether the model still sees them."""

from __future__ import annotations

from typing import Any

from steno.cli.conversation import LoadedConversation
from steno.cli.describe import plural
from steno.cli.facts import EARLIER_LOOPS, EARLIER_RULES, FactTable, print_facts, print_legend
from steno.cli.options import (
    DONE,
    FAILED,
    JsonOption,
    ModelOption,
    PolicyOption,
    ReserveOption,
    SessionOption,
    SourceArgument,
    StrictOption,
    WindowOption,
)
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.source import input_file, load_conversation
from steno.core.log import Log
from steno.session.settings import StoredSettings

KIND_WORDS = {
    "constraint": "rules",
    "open": "open loops",
    "decision": "decisions",
    "error": "errors",
    "marker": "doubts",
    "artifact": "artifacts",
}
"""Kinds of facts as people read them."""


def check(
    path: SourceArgument,
    session: SessionOption = None,
    window: WindowOption = None,
    model: ModelOption = None,
    reserve: ReserveOption = None,
    policy: PolicyOption = None,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> int:
    """List the rules a person gave and the loops still open, and whether the model sees each.

    Rules and loops are read from the messages, without a model; text from a tool never counts.
    With --window, the list is of what a compaction would leave. For each commit it says what
    became of the facts it covers. Rules and loops that only a summary in the file tells are
    listed apart: nothing proves whose they are. Exit code 1 if a rule is not visible word for word.

    Examples

      steno check agent.db                     as it is now
      steno check session.jsonl --window 32k   after a compaction to 32,000 tokens
    """
    limits = StoredSettings(window=window, model=model, reserve=reserve)
    loaded = load_for_facts(path, session, limits, policy, strict=strict)
    facts = FactTable(loaded.log, loaded.view, loaded.given)
    report = {
        "name": loaded.name,
        "messages": len(loaded.log.messages),
        "rules": facts.rules,
        "earlier rules": facts.earlier_rules,
        "open": facts.open_loops,
        "earlier open": facts.earlier_loops,
        "reports": commit_reports(loaded.log),
        "counts": {
            "decisions": len(facts.decisions),
            "errors": len(facts.errors),
            "errors not overcome": len(facts.unresolved_errors),
            "artifacts": len(facts.artifacts),
            "doubts": len(facts.doubts),
        },
    }
    if as_json:
        print_json(report)
    else:
        _print_check(loaded, report)
    if all(row["said"] for row in facts.rules):
        return DONE
    return FAILED


def load_for_facts(
    path: str, session: str | None, limits: StoredSettings, policy: str | None, *, strict: bool
) -> LoadedConversation:
    """Read a conversation; under a given window, as a compaction would leave it."""
    with input_file(path, strict=strict) as file:
        loaded = load_conversation(file, session, limits).with_policy(policy)
    for warning in loaded.warnings:
        print_note(warning)
    if limits.window or limits.model:
        return loaded.compacted()
    return loaded


def commit_reports(log: Log) -> list[dict[str, Any]]:
    """Return what became of the facts that each commit covers."""
    rows = []
    for commit in log.live:
        if commit.report is None:
            continue
        kinds = {
            kept.kind: {
                "retained": kept.retained,
                "recallable": kept.recallable,
                "not shown": kept.hidden,
                "lost": kept.lost,
            }
            for kept in commit.report.kinds
        }
        rows.append({"commit": commit.number, "lost": commit.report.lost, "kinds": kinds})
    return rows


def _states(kept: dict[str, int]) -> str:
    """Return where the facts of one kind ended up; recallable only if there was a tool for it."""
    words = [f"{kept['retained']} visible"]
    for state in ("recallable", "not shown"):
        if kept[state]:
            words.append(f"{kept[state]} {state}")
    return ", ".join(words)


def _print_check(loaded: LoadedConversation, report: dict[str, Any]) -> None:
    page = TerminalPage()
    count = plural(report["messages"], "message")
    page.line((loaded.name, "bold"), f" · {loaded.origin} · {count}")
    print_facts(page, "Rules in force", report["rules"])
    if report["earlier rules"]:
        print_facts(page, EARLIER_RULES, report["earlier rules"])
    print_facts(page, "Open loops", report["open"])
    if report["earlier open"]:
        print_facts(page, EARLIER_LOOPS, report["earlier open"])
    page.heading("Other facts")
    counts = dict(report["counts"])
    unresolved = counts.pop("errors not overcome")
    words = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    if unresolved:
        words += f"; {unresolved:,} of the errors not overcome"
    page.line(words, indent=2)
    covering = [row for row in report["reports"] if row["kinds"]]
    if covering:
        page.line(("What commits cover, each mention counted:", QUIET), indent=2)
    for row in covering:
        kinds = [
            f"{KIND_WORDS.get(kind, kind)} {_states(kept)}" for kind, kept in row["kinds"].items()
        ]
        words = f"commit {row['commit']}: {'; '.join(kinds)}; {row['lost']} lost"
        page.sentence(words, QUIET, indent=4)
    lists = ("rules", "earlier rules", "open", "earlier open")
    print_legend(page, *(report[name] for name in lists))
