"""Logs kept in this process: the simplest store, and the oracle for the others.

A store keeps messages and commits in the order they came, refuses a commit that
is stale, and gives a log back. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from steno.core.error import BadInput
from steno.core.log import Commit, Log
from steno.core.message import Message


class MemoryStore:
    def __init__(self) -> None:
        self._logs: dict[str, Log] = {}

    def create(self, name: str, log: Log | None = None) -> None:
        """A new session, empty or beginning as a fork's log."""
        if name in self._logs:
            raise BadInput(f"a session named {name!r} is there already")
        self._logs[name] = log or Log()

    def append(self, name: str, messages: Sequence[Message]) -> Log:
        self._logs[name] = self.load(name).said(messages)
        return self._logs[name]

    def commit(self, name: str, commit: Commit) -> Log:
        """Raises Stale where somebody committed since it was drafted."""
        self._logs[name] = self.load(name).committed(commit)
        return self._logs[name]

    def load(self, name: str) -> Log:
        if name not in self._logs:
            known = ", ".join(self._logs) or "none"
            raise BadInput(f"no session is named {name!r}; there are: {known}")
        return self._logs[name]

    def names(self) -> list[str]:
        return list(self._logs)
