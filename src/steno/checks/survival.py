"""How many rules and open loops a model can read before a compaction, and after it.

The other checks put back what is missing; this one counts what came of it, on the words of both
views. Rules and open loops are read from the original messages, so both counts are of the same
ones: fewer afterwards is a loss, and a finding says which positions it concerns.
"""

from __future__ import annotations

from collections.abc import Sequence

from steno.core.log import Finding, Survival
from steno.core.view import View
from steno.facts.fact import FactAt
from steno.facts.ledger import Ledger
from steno.facts.text import SearchableText
from steno.summary.sections import loops_to_report

RULES_SURVIVE, LOOPS_SURVIVE = "rules_survive", "open_loops_survive"
PLACES_MOST = 8
"""Positions that a finding names."""


def count_survival(
    before: View, after: View, ledger: Ledger, given: int
) -> tuple[Survival, tuple[Finding, ...]]:
    """Return the counts, and a finding for each kind that is shown less than before.

    `given` is how many constraints the block of rules shows: they are in every view.
    """
    was, now = _ShownWords(before), _ShownWords(after)
    rules, loops = ledger.rules, loops_to_report(ledger)
    survival = Survival(
        rules_before=given + was.count(rules),
        rules_after=given + now.count(rules),
        loops_before=was.count(loops),
        loops_after=now.count(loops),
    )
    found: list[Finding] = []
    if survival.rules_after < survival.rules_before:
        found.append(_loss(RULES_SURVIVE, "rules in force", rules, was, now))
    if survival.loops_after < survival.loops_before:
        found.append(_loss(LOOPS_SURVIVE, "open loops", loops, was, now))
    return survival, tuple(found)


class _ShownWords:
    """What a view shows, searched only as far as needed: most messages are shown as they came."""

    def __init__(self, view: View) -> None:
        self._view = view
        changed = (m for m in view.visible_messages if m.by == "steno" or m.patches)
        self._changed = SearchableText(changed)
        self._all = SearchableText(view.visible_messages)

    def has(self, stated: FactAt) -> bool:
        at, fact = stated
        if not self._view.at(at).is_edited:
            return True
        return self._changed.says(fact.words) or self._all.says(fact.words)

    def count(self, stated: Sequence[FactAt]) -> int:
        return sum(map(self.has, stated))


def _loss(
    check: str, what: str, stated: Sequence[FactAt], was: _ShownWords, now: _ShownWords
) -> Finding:
    gone = [each for each in stated if was.has(each) and not now.has(each)]
    places = ", ".join(str(at) for at, _ in gone[:PLACES_MOST])
    if len(gone) > PLACES_MOST:
        places += ", …"
    return Finding(check, f"{len(gone)} {what} are no longer shown: said at {places}", "pinned")
