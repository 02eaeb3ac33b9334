"""Constraints that people said in a conversation, as constraints with an id."""

from __future__ import annotations

from steno.core.constraint import Constraint, ConstraintChange
from steno.facts.ledger import Ledger


def found_constraints(ledger: Ledger) -> list[Constraint]:
    """Return what people said that is pinned, oldest first."""
    found = []
    for at, fact in ledger.constraints:
        # Named by position, which is the same whatever is said elsewhere. Several statements may
        # stand in one message; their order there never changes.
        id = f"m{at}"
        stated = [each.words for each in ledger.at(at) if each.kind == "constraint"]
        number = 1 + stated.index(fact.words)
        if number > 1:
            id = f"m{at}.{number}"
        said = ConstraintChange(fact.words, at, "said")
        found.append(Constraint(fact.words, id, "found", at, history=(said,)))
    return found
