"""Whom an adapter tells what happened: its own record, a listener, and the log where something failed."""

from __future__ import annotations

import logging
from collections import deque

from steno.core.errors import StenoError
from steno.core.events import Event, Failed, OnEvent

EVENTS_MOST = 1_000

_LOG = logging.getLogger("steno")


class EventRecorder:
    """Keeps the newest events, and hands each on."""

    def __init__(self, listener: OnEvent) -> None:
        self.events: deque[Event] = deque(maxlen=EVENTS_MOST)
        self._listener = listener

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Failed):
            _LOG.warning("a compaction failed, and the agent goes on: %s", event.reason)
        try:
            self._listener(event)
        except Exception as failure:  # noqa: BLE001 — the edge to a listener, who must not stop what he listens to
            self.events.append(Failed(f"on_event raised {type(failure).__name__}"))


def failure_event(failure: Exception) -> Failed:
    """Our own words, or else only the kind: somebody else's message may quote what was said."""
    own = isinstance(failure, StenoError)
    return Failed(f"{type(failure).__name__}: {failure}" if own else type(failure).__name__)
