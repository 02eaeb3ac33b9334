"""Facts between the ledger and the store: handed in before they are needed, handed out when they were read.

Neither knows the other. What the store lacks, what another vocabulary read and
what is damaged is read from the messages again, so that the ledger is the same
whatever was kept.
"""

from __future__ import annotations

from steno.core.message import Message
from steno.core.tape import Tape
from steno.ledger.fact import VERSION, packed, unpacked
from steno.ledger.ledger import known, read_so_far
from steno.session.shelf import Shelf


class KeptFacts:
    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._held: frozenset[int] | None = None
        """The positions whose facts were in the store when it was asked, once."""
        self._seen = 0
        """The position up to which all that can be kept is."""

    def hand_in(self, messages: Tape[Message]) -> None:
        """Let the ledger have what was kept."""
        if self._held is not None:
            return
        self._held = frozenset()  # whatever comes of it, it is asked once
        kept = ((at, unpacked(body)) for at, body in self._shelf.facts(VERSION).items())
        facts = {at: read for at, read in kept if read is not None}
        known(messages, facts)
        self._held = frozenset(facts)

    def hand_out(self, messages: Tape[Message]) -> None:
        """Keep what was read since."""
        held = self._held or frozenset()
        entries = read_so_far(messages)
        fresh = {at: packed(entries[at][1]) for at in range(self._seen, len(entries)) if at not in held}
        kept = {at: body for at, body in fresh.items() if body is not None}
        if kept:
            self._shelf.keep_facts(VERSION, kept)
        self._seen = max(self._seen, len(entries))
