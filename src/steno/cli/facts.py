"""List the facts of a conversation and whether the model still sees them.

Shared by `steno constraints` and `/facts` of the chat. Facts are read from the
messages by `steno.facts`, without a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from steno.cli.output import QUIET, TerminalPage, print_note
from steno.cli.source import input_file, load_conversation
from steno.core.constraint import Constraint
from steno.core.log import Log
from steno.core.view import View
from steno.facts.fact import FactAt
from steno.facts.ledger import Ledger
from steno.facts.text import SearchableText
from steno.inspector.conversation import LoadedConversation
from steno.session.settings import StoredSettings
from steno.summary.read_back import lines_of_list
from steno.summary.render import format_positions

SEEN_MARK, GONE_MARK = "✓", "✗"
MARK_WORDS = {
    True: f"{SEEN_MARK} the model sees it word for word",
    False: f"{GONE_MARK} it must be opened",
}
FACT_TITLES = {
    "constraints": "Constraints in force",
    "earlier_constraints": "Constraints of an earlier part, as a summary in the list says",
    "open": "Open loops",
    "earlier_open": "Open loops of an earlier part, as a summary in the list says",
    "decisions": "Decisions",
    "unresolved_errors": "Errors not overcome",
    "artifacts": "Artifacts",
}
"""Kinds of facts as people read them; an earlier part is listed only if there is one."""


class FactRow(msgspec.Struct, frozen=True):
    """A fact, where it was said, and whether a view shows it."""

    at: int | str
    """A position, the id of a constraint, or what a summary cites."""
    words: str
    kind: str
    said: bool
    """Whether the model sees it word for word."""


class FactLists(msgspec.Struct):
    """The facts of a log, as `--json` prints them."""

    constraints: list[FactRow]
    earlier_constraints: list[FactRow]
    open: list[FactRow]
    """Loops that the user cares about; calls without a result are left out."""
    earlier_open: list[FactRow]
    decisions: list[FactRow]
    errors: list[FactRow]
    unresolved_errors: list[FactRow]
    doubts: list[FactRow]
    artifacts: list[FactRow]


def fact_report(log: Log, view: View, standing: Iterable[Constraint]) -> FactLists:
    """Read the facts of a log; `standing` are the constraints in force."""
    ledger = Ledger.of(log.messages)
    visible = SearchableText(view.visible_messages)

    def row(stated: FactAt) -> FactRow:
        at, fact = stated
        return FactRow(at, fact.words, fact.note or fact.kind, visible.says(fact.words))

    def summary_lines(section: str) -> list[FactRow]:
        return [
            FactRow(
                format_positions(line.cites), line.text, "unverified", visible.contains(line.text)
            )
            for line in lines_of_list(view, section)
        ]

    errors = [(error.position, error.fact) for error in ledger.errors]
    unresolved = [(e.position, e.fact) for e in ledger.errors if e.overcome is None]
    loops = [loop for loop in ledger.open_loops if not loop[1].note.startswith("call")]
    return FactLists(
        constraints=[
            FactRow(each.id, each.text, each.source, visible.says(each.text)) for each in standing
        ],
        earlier_constraints=summary_lines("CONSTRAINTS"),
        open=list(map(row, loops)),
        earlier_open=summary_lines("OPEN"),
        decisions=list(map(row, ledger.decisions)),
        errors=list(map(row, errors)),
        unresolved_errors=list(map(row, unresolved)),
        doubts=list(map(row, ledger.doubts)),
        artifacts=[
            FactRow(each.newest[1], each.words, each.newest[0], visible.contains(each.words))
            for each in ledger.artifacts
        ],
    )


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


def commit_reports(log: Log) -> list[dict[str, object]]:
    """Return what became of the facts that each commit covers."""
    rows: list[dict[str, object]] = []
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


def print_facts(
    page: TerminalPage, report: FactLists, names: Sequence[str], most: int | None = None
) -> None:
    """Print facts of these names, the newest of each, and what their marks mean."""
    marks = set()
    for name in names:
        rows: list[FactRow] = getattr(report, name)
        if not rows and name.startswith("earlier"):
            continue
        page.heading(f"{FACT_TITLES[name]}: {len(rows)}")
        for row in rows[-(most or len(rows)) :]:
            mark = GONE_MARK
            if row.said:
                mark = SEEN_MARK
            marks.add(row.said)
            page.line(f"{mark} ", (f"[{row.at}] ", QUIET), " ".join(row.words.split()), indent=2)
    words = [words for seen, words in MARK_WORDS.items() if seen in marks]
    if words:
        page.line()
        page.line((", ".join(words) + ".", QUIET))
