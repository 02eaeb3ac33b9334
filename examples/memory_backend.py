"""Hand what leaves the view to a memory of the caller's own: Mem0, or any with `add` and `search`.

Steno's store stays the place where everything is kept; a backend gets copies, so that other
agents and programs find them, and the agent's `recall` finds what it has of the user's other
sessions. Messages are handed over in a thread of their own: `add` may take its time or fail, and
the session goes on. How to write a backend is in `docs/memory.md`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from steno import AsyncSession, Commit, Message, Session

LINE_MOST = 300
"""Characters of a message of the backend that the agent's `recall` shows."""
LOGGER = logging.getLogger("steno")


@dataclass(frozen=True)
class LeftMessage:
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
        self._session = session
        self._backend, self._tool_results = backend, tool_results
        self._handed: set[int] = set()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="steno-backend")
        self._last: Future[None] | None = None
        session.host.on_landing(self._after_landing)
        session.host.tools.search_outside = self._lines_for_agent

    def search(self, query: str, limit: int = 5) -> list[LeftMessage]:
        """Return what the backend finds for this session's user, the best first."""
        self.flush()
        user = self._session.host.user
        # A backend may serve many users, and a careless one finds what is another's.
        return [found for found in self._backend.search(query, limit) if found.user == user]

    def _lines_for_agent(self, query: str, limit: int) -> list[str]:
        """Return what the backend has of other sessions, for the agent's `recall`."""
        user, name = self._session.host.user, self._session.name
        lines = []
        try:
            for found in self._backend.search(query, limit):
                if found.user == user and found.session != name:
                    place = f"{found.position} of session {found.session}, outside memory"
                    lines.append(f"[{place}] {found.role}: {found.text[:LINE_MOST]}")
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
                message = self._session.log.messages[position]
                text = self._text_of(message)
                if position in self._handed or message.by != "caller" or not text:
                    continue
                self._handed.add(position)
                user, name = self._session.host.user, self._session.name
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


class WordMemory:
    """A memory for this demonstration: finds messages by the words they share with a query."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, int], LeftMessage] = {}

    def add(self, message: LeftMessage) -> None:
        self.held[message.session, message.position] = message

    def search(self, query: str, limit: int) -> list[LeftMessage]:
        words = set(query.lower().split())

        def shared(message: LeftMessage) -> int:
            return len(words & set(message.text.lower().split()))

        return sorted(self.held.values(), key=shared, reverse=True)[:limit]


def main() -> None:
    """Fill a small window, and find in the memory what left it."""
    session = Session(window=4_000, user="ann")
    with feed_backend(session, WordMemory()) as feed:
        for number in range(60):
            booked = f"Invoice {number}: " + "it was booked. " * 20
            session.add({"role": "user", "content": booked})
            session.add({"role": "assistant", "content": f"Checked {number}. " * 20})
            session.messages()
        found = feed.search("invoice 3: booked")[0]
    print(f"position {found.position} has left the view: {found.text[:40]}…")


if __name__ == "__main__":
    main()
