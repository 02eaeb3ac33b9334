"""The sessions that are held in memory, and the ways to find one among them.

Owns the tables: by name in the order of use, by the chain of a list's keys, by each
message's own key, and by what stands before the newest message. They are bounded: the
session that was used longest ago is let go first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from steno.adapters.resent.incoming import IncomingMessage
from steno.adapters.resent.thread import ResentThread
from steno.core import message_key

THREADS_MOST = 256
MESSAGES_MOST = 200_000
"""Messages known by key, of all sessions together."""
TRIED_MOST = 8
"""Sessions that one list is compared with, for each way to find them."""


class ThreadTable:
    """Sessions in memory; not safe for threads, as its owner has a lock for all of it."""

    def __init__(self) -> None:
        # In the order of use: the first one is the first to be let go.
        self.by_name: dict[str, ResentThread] = {}
        self._chains: dict[bytes, ResentThread] = {}
        self._keys: dict[bytes, ResentThread] = {}
        self._tips: dict[bytes, dict[str, ResentThread]] = {}
        self._messages = 0

    def add(self, thread: ResentThread) -> ResentThread:
        """Hold a session, and return it; by its content it is found once it is indexed."""
        earlier = self.by_name.get(thread.session.name)
        if earlier is not None:
            self.drop(earlier)
        self.by_name[thread.session.name] = thread
        self._let_go()
        return thread

    def forks_of(self, name: str) -> list[ResentThread]:
        """Return the sessions that began under a name, the one used last first."""
        threads = (thread for thread in reversed(self.by_name.values()) if thread.root == name)
        return list(islice(threads, TRIED_MOST))

    def with_chain(self, chain: Sequence[bytes]) -> Iterator[ResentThread]:
        """Yield the session that shares most of a list, and those with another newest message."""
        before = message_key.EMPTY_CHAIN
        for key in reversed(chain):
            if key in self._chains:
                before = key
                yield self._chains[key]
                break
        # A copy: sessions that are opened or forked meanwhile change the original.
        # In these a reminder may be gone from the newest message.
        tips = self._tips.get(before, {})
        yield from list(islice(reversed(tips.values()), TRIED_MOST))

    def with_any(self, keys: Iterable[bytes]) -> list[ResentThread]:
        """Return sessions that hold a message with one of these keys."""
        near = (self._keys[key] for key in keys if key in self._keys)
        return list(islice(near, TRIED_MOST))

    def index(
        self,
        thread: ResentThread,
        chain: Sequence[bytes],
        messages: Sequence[IncomingMessage],
        start: int,
    ) -> None:
        """Make a session known by what is new in it; it is the one that was used last."""
        name = thread.session.name
        self.by_name[name] = self.by_name.pop(name)
        for key, message in zip(chain[start:], messages[start:], strict=True):
            self._chains[key] = thread
            self._keys[message.key] = thread
            thread.marks.append((key, message.key))
            self._messages += 1
        self._forget_tip(thread)
        thread.tip = message_key.EMPTY_CHAIN
        if len(chain) > 1:
            thread.tip = chain[-2]
        self._tips.setdefault(thread.tip, {})[name] = thread
        self._let_go()

    def _let_go(self) -> None:
        """Drop the sessions that were used longest ago, if there are too many."""
        while len(self.by_name) > THREADS_MOST or (
            self._messages > MESSAGES_MOST and len(self.by_name) > 1
        ):
            self.drop(next(iter(self.by_name.values())))

    def drop(self, thread: ResentThread) -> None:
        """Let a session go, and no other of its name."""
        if self.by_name.get(thread.session.name) is thread:
            del self.by_name[thread.session.name]
        for chain, key in thread.marks:
            # A session used later may have taken the key over.
            if self._chains.get(chain) is thread:
                del self._chains[chain]
            if self._keys.get(key) is thread:
                del self._keys[key]
        self._messages -= len(thread.marks)
        thread.marks = []
        self._forget_tip(thread)

    def _forget_tip(self, thread: ResentThread) -> None:
        there = self._tips.get(thread.tip, {})
        if there.get(thread.session.name) is thread:
            del there[thread.session.name]
        if not there:
            self._tips.pop(thread.tip, None)
