"""A store that keeps chain keys as the caller's list has them.

What is kept of a message may differ from what the caller sends from the next
call on (a reminder that lived on it, a secret that was redacted), and the
session must be found all the same. So the keys of a list go with its messages.
"""

from __future__ import annotations

from collections.abc import Sequence

from steno.core.error import NotHere
from steno.core.message import Message
from steno.store.sqlite import SQLiteStore


class KeyedStore(SQLiteStore):
    _expected: tuple[str, Sequence[bytes]] = ("", ())

    def expect(self, name: str, keys: Sequence[bytes]) -> None:
        """The chain keys of what is appended next to a session."""
        self._expected = (name, keys)

    def append(self, name: str, messages: Sequence[Message], keys: Sequence[bytes] = ()) -> int:
        expected, told = self._expected
        if expected == name and len(told) == len(messages):
            keys, self._expected = told, ("", ())
        return super().append(name, messages, keys)

    def has(self, name: str) -> bool:
        try:
            self.card(name)
        except NotHere:
            return False
        return True
