"""Hand what leaves the view to a memory of the caller's own: Mem0, or any with `add` and `search`.

Steno's store stays the place where everything is kept; a backend gets copies, so that other
agents and programs find them, and the agent's `recall` finds what it has of the user's other
sessions. Messages are handed over in a thread of their own: `add` may take its time or fail, and
the session goes on. How to write a backend is in `docs/backends.md`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from steno.core.escape import one_line
from steno.core.log import Commit
from steno.core.message import Message, Value
from steno.session.async_session import AsyncSession
from steno.session.session import Session

LINE_MOST = 300
"""Characters of a message of the backend that the agent's `recall` shows."""
LOGGER = logging.getLogger("steno")


class LeftMessage(Value, frozen=True):
    """A message that no longer stands in the view as it was said."""

    user: str
    """Whose session it is; empty if no user was named."""
    session: str
    position: int
    """With the session its key: the same place never holds other words."""
    role: str
    text: str


class MemoryBackend(Protocol):
    """A memory outside of Steno."""

    def add(self, message: LeftMessage) -> object:
        """Keep a message; one with the same session and position is the same message."""
        ...

    def search(self, query: str, limit: int) -> Iterable[LeftMessage]:
        """Return what fits a query best, the best first."""
        ...


class BackendFeed:
    """Feeds a backend with what leaves the view of a session.

    Made by `feed_backend`. Use it as a context, or call `close` before the program ends.
    """

    failed: int = 0
    """Messages that the backend refused; the session has them all the same."""

    def __init__(
        self, session: Session | AsyncSession, backend: MemoryBackend, tool_results: bool
    ) -> None:
        self._journal = session.parts.journal
        self._backend, self._tool_results = backend, tool_results
        self._handed: set[int] = set()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="steno-backend")
        self._last: Future[None] | None = None
        self._journal.on_landing(self._after_landing)
        session.parts.tools.search_outside = self._lines_for_agent

    def search(self, query: str, limit: int = 5) -> list[LeftMessage]:
        """Return what the backend finds for this session's user, the best first."""
        self.flush()
        user = self._journal.user or ""
        # A backend may serve many users, and a careless one finds what is another's.
        return [found for found in self._backend.search(query, limit) if found.user == user]

    def _lines_for_agent(self, query: str, limit: int) -> list[str]:
        """Return what the backend has of other sessions, for the agent's `recall`."""
        user, name = self._journal.user or "", self._journal.name
        lines = []
        try:
            for found in self._backend.search(query, limit):
                if found.user == user and found.session != name:
                    place = f"{found.position} of session {found.session}, outside memory"
                    lines.append(one_line(f"[{place}] {found.role}: {found.text[:LINE_MOST]}"))
        except Exception as failure:  # noqa: BLE001 — a backend may raise anything
            LOGGER.warning("a memory backend could not be searched: %s", type(failure).__name__)
            return ["(the outside memory did not answer)"]
        return lines[:limit]

    def flush(self) -> None:
        """Wait until the backend has all that has left the view."""
        if self._last is not None:
            self._last.result()

    def close(self) -> None:
        """Hand over what is waiting, and end the thread."""
        self._worker.shutdown(wait=True)

    def __enter__(self) -> BackendFeed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _after_landing(self, commit: Commit) -> None:
        """Queue the messages that a commit covers for the first time; the lock is held."""
        left = []
        for edit in commit.edits:
            if edit.block is not None:
                continue
            for position in range(edit.span.start, edit.span.stop):
                message = self._journal.log.messages[position]
                text = self._text_of(message)
                if position in self._handed or message.by != "caller" or not text:
                    continue
                self._handed.add(position)
                user, name = self._journal.user or "", self._journal.name
                left.append(LeftMessage(user, name, position, message.role, text))
        if left:
            self._last = self._worker.submit(self._hand_over, left)

    def _text_of(self, message: Message) -> str:
        texts = [message.text]
        # What a tool said may be anyone's words: a memory must ask for it.
        if self._tool_results:
            texts += [result.text for result in message.results]
        return "\n".join(filter(str.strip, texts))

    def _hand_over(self, left: list[LeftMessage]) -> None:
        for message in left:
            try:
                self._backend.add(message)
            except Exception as failure:  # noqa: BLE001 — a backend may raise anything
                self.failed += 1
                LOGGER.warning("a memory backend refused a message: %s", type(failure).__name__)


def feed_backend(
    session: Session | AsyncSession, backend: MemoryBackend, *, tool_results: bool = False
) -> BackendFeed:
    """Hand every message that leaves the view of a session to a backend, from now on.

    tool_results: hand over what tools said too. It is untrusted text: a memory that feeds
        instructions to an agent should not get it.
    """
    return BackendFeed(session, backend, tool_results)
