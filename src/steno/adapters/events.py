"""Where an adapter's events go: its own record, a listener, and the log for failures."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from steno.core.effects import FATAL_ERRORS
from steno.core.errors import DoesNotFit
from steno.core.events import Event, Failed, OnEvent
from steno.redact import Redactor
from steno.session.event_log import reason_of

EVENTS_MOST = 1_000

_LOG = logging.getLogger("steno")


class EventRecorder:
    """Keeps the newest events, and hands each to a listener."""

    def __init__(self, listener: OnEvent, redactor: Redactor | None = None) -> None:
        self.events: deque[Event] = deque(maxlen=EVENTS_MOST)
        self.listener = listener
        self._redactor = redactor

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Failed) and not event.session:
            _LOG.warning("a compaction failed, and the agent goes on: %s", event.reason)
        try:
            self.listener(event)
        except Exception as failure:  # noqa: BLE001 — a listener must not stop what it listens to
            # Only kept: to report it would call the listener again.
            self.events.append(Failed(f"on_event raised {type(failure).__name__}"))

    @contextmanager
    def report_failures(
        self, reason: str = "", *, unless: tuple[type[Exception], ...] = ()
    ) -> Iterator[None]:
        """Report an error of this block as an event and go on; `unless` names what is raised."""
        try:
            yield
        except (*FATAL_ERRORS, DoesNotFit):
            raise
        except Exception as failure:
            # The edge to the agent, which must go on.
            if isinstance(failure, unless):
                raise
            words = reason_of(failure)
            if self._redactor is not None:
                words = self._redactor.text(words)
            self(Failed(reason + words))
