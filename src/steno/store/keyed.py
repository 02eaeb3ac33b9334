"""A store for lists that are sent again: sessions are found by the keys of their lists."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b

from steno.core.message import Message
from steno.core.message_key import KEY_SIZE
from steno.store.open import open_database
from steno.store.sql import SQLStore

SEALED_SIZE = KEY_SIZE + 4
"""Bytes of a sealed key; its length tells it from one that is not."""


class KeyedStore(SQLStore):
    """A store that keeps the chain keys of a list as its caller sends it.

    What is kept of a message may differ from what the caller sends from the next call
    on (a reminder that was on it, a secret that was taken out), and the session must
    be found all the same. So these keys tell of words that are not kept: they are sealed
    with a key that is not in the file, and who has only the file cannot test a guess.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, durable: bool = True, user: str | None = None
    ) -> None:
        super().__init__(open_database(path, durable=durable, user=user or ""))
        self._secret = self.secret()
        self._expected: dict[str, Sequence[bytes]] = {}

    @contextmanager
    def expecting_keys(self, name: str, keys: Sequence[bytes]) -> Iterator[None]:
        """Use these chain keys for what is appended to a session meanwhile."""
        self._expected[name] = keys
        try:
            yield
        finally:
            self._expected.pop(name, None)

    def append(
        self,
        name: str,
        messages: Sequence[Message],
        keys: Sequence[bytes] = (),
        times: Sequence[float] = (),
    ) -> int:
        chain = self._expected.get(name, ())
        if len(chain) == len(messages):
            keys = list(map(self._seal, self._expected.pop(name, ())))
        return super().append(name, messages, keys, times)

    def sessions_with_chain(self, keys: Sequence[bytes], most: int) -> list[tuple[str, int]]:
        found = super().sessions_with_chain(list(map(self._seal, keys)), most)
        # Sessions that no list was sent to are known by keys of what is kept of them.
        found += super().sessions_with_chain(keys, most)
        longest = max((at for _, at in found), default=0)
        return [(name, at) for name, at in found if at == longest]

    def _seal(self, chain: bytes) -> bytes:
        return blake2b(chain, digest_size=SEALED_SIZE, key=self._secret).digest()
