"""One answer to a client that is made of several replies of its provider.

The model calls a tool that the proxy answers itself, and goes on in a further reply. The
client must see one reply without that call. Text passes as it comes; from the first call
on, events wait until the reply ends, because a client may start on a call at once. What
needs no change keeps its bytes. How an API says places, calls and usage is in its surface.
"""

from __future__ import annotations

import re

import msgspec

from steno.providers.shared.surface import AnswerPlaces, Event, Surface
from steno.proxy.replies import events_in

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")


class StagedAnswer(AnswerPlaces):
    """The events of one answer, over all replies that it is made of."""

    def __init__(self, surface: Surface, own: str) -> None:
        super().__init__(own)
        self.surface = surface
        self._held: list[tuple[bytes, Event]] = []
        self._hides = False
        self._rest = b""

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes of a reply; return those that the client may have now."""
        whole, self._rest = _split_events(self._rest + chunk)
        out = []
        for raw in whole:
            event = next(events_in(raw), {})
            names = self.surface.call_names(event)
            self._hides = self._hides or self.own in names
            if self._held or names:
                self._held.append((raw, event))
            else:
                out.append(self._show(raw, event, changed=self.stage > 0))
        return b"".join(out)

    def go_on(self, spent: int) -> None:
        """Forget what waits: the answer goes on with another reply."""
        self._held.clear()
        self._hides = False
        self._rest = b""
        self.places.clear()
        self.ids.clear()
        self.spent += spent
        self.stage += 1

    def finish(self) -> bytes:
        """Return what waits, without the calls of our own."""
        changed = self._hides or self.stage > 0
        shown = [self._show(raw, event, changed) for raw, event in self._held]
        return b"".join(shown) + self._rest

    def _show(self, raw: bytes, event: Event, changed: bool) -> bytes:
        self.first = self.first or event
        shown = list(self.surface.visible_events(event, self))
        if not changed or not event:
            return raw
        return b"".join(_event_text(raw, one) for one in shown)


def _split_events(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole events of a stream with the blank line after each, and the rest."""
    whole = []
    start = 0
    for blank in _BLANK_LINE.finditer(data):
        whole.append(data[start : blank.end()])
        start = blank.end()
    return whole, data[start:]


def _event_text(raw: bytes, event: Event) -> bytes:
    """Return an event's text with other data."""
    text = b"data: " + msgspec.json.encode(event) + b"\n\n"
    for line in raw.splitlines():
        if line.startswith(b"event:"):
            return line + b"\n" + text
    return text
