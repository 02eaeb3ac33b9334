"""List the facts of a conversation and whether the model still sees them.

Shared by `steno check`, `steno show --facts` and `/facts` of the chat. Facts are
read from the messages by `steno.facts`, without a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steno.cli.output import QUIET, TerminalPage
from steno.core.constraint import Constraint
from steno.core.log import Log
from steno.core.view import View
from steno.facts.fact import FactAt
from steno.facts.ledger import Ledger
from steno.facts.text import SearchableText
from steno.summary.read_back import lines_of_list
from steno.summary.render import format_positions

SEEN_MARK, GONE_MARK = "✓", "✗"
MARK_WORDS = {
    True: f"{SEEN_MARK} the model sees it word for word",
    False: f"{GONE_MARK} it must be opened",
}

EARLIER_RULES = "Rules of an earlier part, as a summary in the list says"
EARLIER_LOOPS = "Open loops of an earlier part, as a summary in the list says"

FactRow = dict[str, Any]
"""A fact as `--json` prints it: at, words, kind, and `said`, which is whether it is visible."""


class FactTable:
    """The facts of a log, each with its position and whether a view shows it."""

    def __init__(self, log: Log, view: View, given: Sequence[Constraint] = ()) -> None:
        self.ledger = Ledger.of(log.messages)
        self.visible = SearchableText(view.visible_messages)
        self.given = given
        self._view = view

    @property
    def rules(self) -> list[FactRow]:
        """Rules in force: those that were given from outside by their ids, then those found."""
        rows: list[FactRow] = []
        for rule in self.given:
            visible = self.visible.contains(rule.text)
            rows.append({"at": rule.id, "words": rule.text, "kind": "given", "said": visible})
        return rows + [self._row(fact) for fact in self.ledger.rules]

    @property
    def earlier_rules(self) -> list[FactRow]:
        """Rules that a summary in the list tells of messages which are not there."""
        return self._unverified("CONSTRAINTS")

    @property
    def earlier_loops(self) -> list[FactRow]:
        """Open loops that a summary in the list tells of messages which are not there."""
        return self._unverified("OPEN")

    @property
    def open_loops(self) -> list[FactRow]:
        """Loops that the user cares about; calls without a result are left out."""
        loops = self.ledger.open_loops
        return [self._row(loop) for loop in loops if not loop[1].note.startswith("call")]

    @property
    def decisions(self) -> list[FactRow]:
        return [self._row(fact) for fact in self.ledger.decisions]

    @property
    def doubts(self) -> list[FactRow]:
        return [self._row(fact) for fact in self.ledger.doubts]

    @property
    def errors(self) -> list[FactRow]:
        return [self._row((error.position, error.fact)) for error in self.ledger.errors]

    @property
    def unresolved_errors(self) -> list[FactRow]:
        errors = [error for error in self.ledger.errors if error.overcome is None]
        return [self._row((error.position, error.fact)) for error in errors]

    @property
    def artifacts(self) -> list[FactRow]:
        rows = []
        for artifact in self.ledger.artifacts:
            kind, at = artifact.newest
            visible = self.visible.contains(artifact.words)
            rows.append({"at": at, "words": artifact.words, "kind": kind, "said": visible})
        return rows

    def _unverified(self, section: str) -> list[FactRow]:
        rows: list[FactRow] = []
        for line in lines_of_list(self._view, section):
            visible = self.visible.contains(line.text)
            at = format_positions(line.cites)
            rows.append({"at": at, "words": line.text, "kind": "unverified", "said": visible})
        return rows

    def _row(self, stated: FactAt) -> FactRow:
        at, fact = stated
        visible = self.visible.says(fact.words)
        kind = fact.kind if fact.kind == "constraint" else fact.note or fact.kind
        return {"at": at, "words": fact.words, "kind": kind, "said": visible}


def print_facts(
    page: TerminalPage, title: str, rows: list[FactRow], most: int | None = None
) -> None:
    """Print a heading with the number of facts, then the newest of them."""
    page.heading(f"{title}: {len(rows)}")
    if most is not None:
        rows = rows[-most:]
    for row in rows:
        mark = GONE_MARK
        if row["said"]:
            mark = SEEN_MARK
        words = " ".join(row["words"].split())
        page.line(f"{mark} ", (f"[{row['at']}] ", QUIET), words, indent=2)


def print_legend(page: TerminalPage, *lists: list[FactRow]) -> None:
    """Say what the marks of these facts mean."""
    marks = {row["said"] for rows in lists for row in rows}
    words = [words for seen, words in MARK_WORDS.items() if seen in marks]
    if words:
        page.line()
        page.line((", ".join(words) + ".", QUIET))
