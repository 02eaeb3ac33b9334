"""Calls that wait for their results, answered at the cost of what is new.

A value like `GrowingSet`: those of one history share what they know, and one that was left
behind by a newer copies it when it goes on. Which call a result answers is found by its id, so a
batch of thousands of calls may be answered in any order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from threading import Lock

from steno.core.message import Value

_CHANGING = Lock()
"""Two values of one history must not both change what they share."""
_NEVER = 2**62


class PendingCall(Value):
    """A call that has no result yet."""

    said: str | None
    shown: str
    name: str


class _History:
    """All calls of a batch, each with the version that opened it and the one that answered it."""

    def __init__(self) -> None:
        self.calls: list[PendingCall] = []
        self.opened: list[int] = []
        self.answered: list[int] = []
        self.by_said: dict[str | None, deque[int]] = {}
        self.by_shown: dict[str, int] = {}
        """The newest call that is shown under an id."""
        self.newest: dict[str | None, int] = {}
        """The newest call that was said with an id."""
        self.oldest = 0
        """No call before this one is open."""
        self.version = 0

    def open(self, calls: Iterable[PendingCall]) -> None:
        self.version += 1
        for call in calls:
            at = len(self.calls)
            self.opened.append(self.version)
            self.answered.append(_NEVER)
            # Before the ways to find it: another thread may be reading an older value.
            self.calls.append(call)
            self.by_said.setdefault(call.said, deque()).append(at)
            self.by_shown[call.shown] = self.newest[call.said] = at

    def find(self, said: str | None) -> int | None:
        """Return the oldest open call of an id; of a result without one, the oldest of all."""
        waiting = self.by_said.get(said, deque())
        while waiting and self.answered[waiting[0]] != _NEVER:
            waiting.popleft()
        if waiting:
            return waiting[0]
        if said:
            return None
        while self.oldest < len(self.calls) and self.answered[self.oldest] != _NEVER:
            self.oldest += 1
        return self.oldest if self.oldest < len(self.calls) else None

    def answer(self, at: int) -> None:
        self.version += 1
        self.answered[at] = self.version


class OpenCalls:
    """The calls that are open at one place of a conversation, oldest first."""

    __slots__ = ("_count", "_history", "_version")

    def __init__(self, calls: Iterable[PendingCall] = ()) -> None:
        self._history = _History()
        self._history.open(calls)
        self._version = self._history.version
        self._count = len(self._history.calls)

    def plus(self, calls: Iterable[PendingCall]) -> OpenCalls:
        """Return these and more."""
        new = list(calls)
        if not new:
            return self
        if not self:
            return OpenCalls(new)
        with _CHANGING:
            history = self._own_history()
            history.open(new)
            return self._next(history, len(new))

    def answer(self, said: str | None) -> tuple[PendingCall | None, OpenCalls]:
        """Return the call that a result with this id is for, and those that stay open."""
        if not self:
            return None, self
        with _CHANGING:
            history = self._own_history()
            at = history.find(said)
            if at is None:
                return None, self
            history.answer(at)
            return history.calls[at], self._next(history, -1)

    def shows(self, id: str) -> bool:
        """Tell whether an open call is shown under this id."""
        at = self._history.by_shown.get(id)
        return at is not None and self._is_open(at)

    def waits_for(self, said: str | None) -> bool:
        """Tell whether the newest call with this id is open."""
        at = self._history.newest.get(said)
        return at is not None and self._is_open(at)

    def __iter__(self) -> Iterator[PendingCall]:
        calls = self._history.calls
        return (calls[at] for at in range(len(calls)) if self._is_open(at))

    def __len__(self) -> int:
        return self._count

    def _is_open(self, at: int) -> bool:
        history = self._history
        return history.opened[at] <= self._version < history.answered[at]

    def _own_history(self) -> _History:
        """Return a history that ends here: a newer value may have gone on with this one."""
        if self._history.version == self._version:
            return self._history
        own = _History()
        own.open(list(self))
        return own

    def _next(self, history: _History, more: int) -> OpenCalls:
        made = OpenCalls.__new__(OpenCalls)
        made._history, made._version = history, history.version
        made._count = self._count + more
        return made
