"""A rung: one technique of compaction, with a place on the ladder.

A rung is a frozen value that is its own configuration. It performs nothing itself: the engine
yields its asks, round after round, and checks its proposals.
"""

from __future__ import annotations

from steno.core.budget import Budget
from steno.core.draft import Draft
from steno.core.effects import Asks, Rounds
from steno.core.log import Proposal
from steno.core.message import Value
from steno.core.view import View


class Rung(Value, forbid_unknown_fields=True):
    """What every rung can do; by itself it does nothing."""

    def ask(self, draft: Draft, rounds: Rounds) -> Asks:
        """Return what to ask next, given the replies so far; an empty tuple ends the asking."""
        return ()

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        """Return the edits to propose, given all replies."""
        return ()

    def has_work(self, view: View, new: int, budget: Budget) -> bool:
        """Return whether to run in a round that begins at position `new`; a cheap look."""
        return True

    @property
    def label(self) -> str:
        return str(self.__struct_config__.tag or type(self).__name__.lower())
