"""Constraints that people said in a conversation, as constraints with an id."""

from __future__ import annotations

from steno.core.constraint import Constraint, ConstraintChange
from steno.facts.fact import FactAt
from steno.facts.ledger import Ledger


def found_constraints(ledger: Ledger) -> list[Constraint]:
    """Return what people said that is pinned, oldest first."""
    found = []
    for at, fact in ledger.constraints:
        said = ConstraintChange(fact.words, at, "said")
        id = _found_id((at, fact), ledger)
        found.append(Constraint(fact.words, id, "found", at, history=(said,)))
    return found


def _found_id(stated: FactAt, ledger: Ledger) -> str:
    """Return a name by position, which is the same whatever is said elsewhere."""
    at, fact = stated
    # Several statements may stand in one message; their order there never changes.
    said = [each.words for each in ledger.at(at) if each.kind == "constraint"]
    number = 1 + said.index(fact.words)
    if number == 1:
        return f"m{at}"
    return f"m{at}.{number}"
