"""The events of one session: kept, logged, passed to `on_event`; and work that may fail.

A reader or a writer that raises must not end the agent's run: `guard` does such work, and an
event says what failed and where.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections import deque
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import msgspec

from steno.core.effects import FATAL_ERRORS
from steno.core.errors import DoesNotFit, SessionGone, StenoError
from steno.core.events import Event, Failed, OnEvent

EVENTS_MOST = 1_000

LOGGER = logging.getLogger("steno")
"""Every event of a session; quiet unless the program asks for it."""
LOGGER.addHandler(logging.NullHandler())
LOG_LEVELS = logging.getLevelNamesMapping()


class EventLog:
    """The newest events of a session."""

    def __init__(
        self, session: str, agent: str, on_event: OnEvent, user: Callable[[], str]
    ) -> None:
        self._session, self._agent, self._on_event = session, agent, on_event
        self._read_user = user
        self.newest: deque[Event] = deque(maxlen=EVENTS_MOST)
        self.iteration = 0
        """Turn of the run that uses this session; 0 if none does."""

    @cached_property
    def _user(self) -> str:
        # When there is something to say: most sessions are opened without an event.
        try:
            return self._read_user()
        except SessionGone:
            return ""  # deleted meanwhile, which the event itself reports

    def emit(self, event: Event) -> None:
        """Keep an event, log it, and pass it to `on_event`."""
        event = msgspec.structs.replace(
            event,
            session=self._session,
            user=self._user,
            agent=self._agent,
            iteration=self.iteration,
        )
        self.newest.append(event)
        level = LOG_LEVELS[event.level]
        if LOGGER.isEnabledFor(level):
            figures = event.figures()
            if event.iteration:
                figures += f" (agent {event.agent or '?'}, iteration {event.iteration})"
            LOGGER.log(level, "%s: %s %s", self._session, event.name, figures)
        try:
            self._on_event(event)
        except Exception as failure:  # noqa: BLE001 — a listener must not stop the session
            self.newest.append(Failed(f"on_event raised {type(failure).__name__}"))

    def guard(self, work: Callable[[], object]) -> bool:
        """Do some work; if it fails, emit `Failed` and return False."""
        return self.failure_of(work) is None

    def failure_of(self, work: Callable[[], object]) -> Failed | None:
        """Do some work; if it fails, emit `Failed` and return the event."""
        try:
            work()
        except Exception as failure:  # noqa: BLE001 — the agent must go on; the event says why
            return self.note_failure(failure)
        return None

    def note_failure(self, failure: Exception) -> Failed:
        """Emit `Failed` and return the event; raise an error that the caller must see."""
        if isinstance(failure, (*FATAL_ERRORS, DoesNotFit, SessionGone)):
            raise failure
        failed = Failed(reason_of(failure), place_of(failure))
        self.emit(failed)
        return failed


def reason_of(failure: Exception) -> str:
    """Return kind and message of our errors; only the kind of others, which may quote the user."""
    if isinstance(failure, StenoError):
        return f"{type(failure).__name__}: {failure}"
    return type(failure).__name__


def place_of(failure: BaseException) -> str:
    """Return module and line that raised, e.g. `steno.facts.errors:88`; outside Steno the file."""
    for frame, line in reversed(list(traceback.walk_tb(failure.__traceback__))):
        module = str(frame.f_globals.get("__name__"))
        package = module.partition(".")[0]
        if package == "steno":
            return f"{module}:{line}"
        # The standard library raises where it was called wrongly: the caller is what one looks for.
        if package not in sys.stdlib_module_names:
            return f"{Path(frame.f_code.co_filename).name}:{line}"
    return ""
