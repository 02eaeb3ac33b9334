"""Constraints that people said in a conversation, as constraints with an id."""

from __future__ import annotations

from steno.core.constraint import Constraint, ConstraintChange
from steno.facts.fact import FactAt
from steno.facts.ledger import Ledger


def found_constraints(ledger: Ledger) -> list[Constraint]:
    """Return what people said that is pinned, oldest first."""
    return [_found_constraint(stated, ledger) for stated in ledger.constraints]


def _found_constraint(stated: FactAt, ledger: Ledger) -> Constraint:
    at, fact = stated
    said = ConstraintChange(fact.words, at, "said")
    return Constraint(fact.words, _found_id(stated, ledger), "found", at, history=(said,))


def _found_id(stated: FactAt, ledger: Ledger) -> str:
    """Return a name by position, which is the same whatever is said elsewhere."""
    at, fact = stated
    # Several statements may stand in one message; their order there never changes.
    said = [each.words for each in ledger.at(at) if each.kind == "constraint"]
    number = 1 + said.index(fact.words)
    if number == 1:
        return f"m{at}"
    return f"m{at}.{number}"
