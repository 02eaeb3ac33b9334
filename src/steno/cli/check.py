"""`steno check`: what must not be forgotten, and whether the model still sees it."""

from __future__ import annotations

from typing import Any

from steno.cli.describe import plural
from steno.cli.options import DONE, FAILED
from steno.cli.output import QUIET, TerminalPage, print_json, print_note
from steno.cli.show import preview_compaction
from steno.cli.source import LoadedConversation, input_file, load_conversation
from steno.engine.designs import resolve_policy
from steno.facts.fact import FactAt
from steno.facts.ledger import Ledger
from steno.facts.text import SearchableText
from steno.session.settings import StoredSettings

SEEN_MARK, GONE_MARK = "✓", "✗"
MARKS_LEGEND = f"{SEEN_MARK} the model sees it word for word, {GONE_MARK} it can only be opened."


def check(
    path: str, session: str | None, told: StoredSettings, policy: str, *, as_json: bool = False
) -> int:
    """Say what must be seen; the exit code says whether every rule is."""
    held = _load(path, session, told, policy)
    ledger, words = Ledger.of(held.log.messages), SearchableText(held.view.visible_messages)
    made = _as_json(held, ledger, words) | {"counts": _fact_counts(ledger)}
    if as_json:
        print_json(made)
    else:
        _print_check(held, made)
    if all(row["said"] for row in made["rules"]):
        return DONE
    return FAILED


def show_facts(
    path: str, session: str | None, told: StoredSettings, policy: str, *, as_json: bool = False
) -> int:
    """Every fact that is known, kind by kind, with its place and whether it is seen."""
    held = _load(path, session, told, policy)
    ledger, words = Ledger.of(held.log.messages), SearchableText(held.view.visible_messages)
    made = _as_json(held, ledger, words)
    made["decisions"] = [_fact_json(each, words) for each in ledger.decisions]
    made["errors"] = [_fact_json((failed.position, failed.fact), words) for failed in ledger.errors]
    made["doubts"] = [_fact_json(each, words) for each in ledger.doubts]
    made["artifacts"] = [
        {
            "at": thing.newest[1],
            "words": thing.words,
            "kind": thing.newest[0],
            "said": words.contains(thing.words),
        }
        for thing in ledger.artifacts
    ]
    if as_json:
        print_json(made)
        return DONE
    page = TerminalPage()
    page.line((held.name, "bold"), f" · {held.origin} · {plural(made['messages'], 'message')}")
    for title in ("rules", "open", "decisions", "errors", "doubts", "artifacts"):
        _print_rows(page, title, made[title])
    page.line()
    page.line((MARKS_LEGEND, QUIET))
    return DONE


def _load(path: str, session: str | None, told: StoredSettings, policy: str) -> LoadedConversation:
    with input_file(path) as file:
        now = load_conversation(file, session, told).with_policy(resolve_policy(policy))
    for warning in now.warnings:
        print_note(warning)
    if told.window or told.model:
        return preview_compaction(now)
    return now


def _as_json(held: LoadedConversation, ledger: Ledger, words: SearchableText) -> dict[str, Any]:
    return {
        "name": held.name,
        "messages": len(held.log.messages),
        "rules": [_fact_json(each, words) for each in ledger.rules],
        "open": [
            _fact_json(each, words)
            for each in ledger.open_loops
            if not each[1].note.startswith("call")
        ],
        "reports": [_commit_json(commit) for commit in held.log.live if commit.report],
    }


def _fact_json(stated: FactAt, words: SearchableText) -> dict[str, Any]:
    at, fact = stated
    return {
        "at": at,
        "words": fact.words,
        "kind": fact.note or fact.kind,
        "said": words.contains(fact.words),
    }


def _fact_counts(ledger: Ledger) -> dict[str, int]:
    open_errors = sum(failed.overcome is None for failed in ledger.errors)
    return {
        "decisions": len(ledger.decisions),
        "errors": len(ledger.errors),
        "errors not overcome": open_errors,
        "artifacts": len(ledger.artifacts),
        "doubts": len(ledger.doubts),
    }


def _commit_json(commit: Any) -> dict[str, Any]:
    report = commit.report
    kinds = {
        kept.kind: {"retained": kept.retained, "recallable": kept.recallable, "lost": kept.lost}
        for kept in report.kinds
    }
    return {"commit": commit.number, "lost": report.lost, "kinds": kinds}


def _print_check(held: LoadedConversation, made: dict[str, Any]) -> None:
    page = TerminalPage()
    page.line((held.name, "bold"), f" · {held.origin} · {plural(made['messages'], 'message')}")
    _print_rows(page, "Rules in force", made["rules"])
    _print_rows(page, "Open loops", made["open"])
    page.heading("Also known")
    page.line(", ".join(f"{count:,} {name}" for name, count in made["counts"].items()), indent=2)
    for report in made["reports"]:
        told = ", ".join(
            f"{kind} {kept['retained']} said, {kept['recallable']} to be opened"
            for kind, kept in report["kinds"].items()
        )
        page.line((f"commit {report['commit']}: {told}; {report['lost']} lost", QUIET), indent=2)
    page.line()
    page.line((MARKS_LEGEND, QUIET))


def _print_rows(page: TerminalPage, title: str, rows: list[dict[str, Any]]) -> None:
    page.heading(f"{title.capitalize()}: {len(rows)}")
    for row in rows:
        mark, words = SEEN_MARK if row["said"] else GONE_MARK, " ".join(row["words"].split())
        page.line(f"{mark} ", (f"[{row['at']}] ", QUIET), words, indent=2)
