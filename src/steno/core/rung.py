"""A technique in its place on the ladder.

A rung is a frozen value that is its own configuration. It may ask, round after
round, until it has nothing more to ask; then it proposes edits. It performs
nothing: the engine yields its asks and checks its proposals.
"""

from __future__ import annotations

from steno.core.draft import Draft
from steno.core.effects import Asks, Rounds
from steno.core.log import Proposal
from steno.core.message import Value


class Rung(Value, frozen=True, forbid_unknown_fields=True):
    """What every technique can do; alone it does nothing."""

    def ask(self, draft: Draft, rounds: Rounds) -> Asks:
        """What to ask next, given the replies so far; nothing ends the asking."""
        return ()

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        """What to show instead, given all replies."""
        return ()

    @property
    def label(self) -> str:
        return str(self.__struct_config__.tag or type(self).__name__.lower())
