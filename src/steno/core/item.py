"""One part of a view: which positions it covers and which messages it shows."""

from __future__ import annotations

from steno.core.message import Message, Span, Value
from steno.core.summary import Summary


class Item(Value, gc=False):
    """Show these messages for these positions."""

    span: Span
    shows: tuple[Message, ...]
    tokens: int
    main: int | None = None
    """Index in `shows` of the original message, shown as it is or patched."""
    level: int = 0
    """0 for an original message, n + 1 for an edit that covers items of level n."""
    summary: Summary | None = None
    """The summary that `shows` renders, if an edit put one here."""

    @property
    def is_edited(self) -> bool:
        return self.main is None or self.shows[self.main].patches != ()

    @property
    def calls(self) -> list[str | None]:
        return [call.id for message in self.shows for call in message.calls]

    @property
    def results(self) -> list[str | None]:
        return [result.call for message in self.shows for result in message.results]
