"""A store that keeps chain keys as the caller's list has them.

What is kept of a message may differ from what the caller sends from the next
call on (a reminder that lived on it, a secret that was redacted), and the
session must be found all the same. So the keys of a list go with its messages.

The sessions behind a client whose callers keep none.

A list is laid on every session it may belong to, found by the chain of its
canonical keys, by its newest messages, or in the store; the best alignment wins.
A past that is told otherwise is a fork; a list with nothing in common begins a
session. What is held in memory is bounded: with a store everything is found
again, without one the oldest sessions are let go.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import Any
from uuid import uuid4

from steno.adapters.events import EventRecorder
from steno.adapters.resent.align import Alignment
from steno.adapters.resent.incoming import IncomingMessage, IncomingReader, chain_keys
from steno.adapters.resent.request import ConversationRequest
from steno.adapters.resent.thread import ResentThread
from steno.core import message_key
from steno.core.errors import NotHere
from steno.core.events import OnEvent, ignore_event
from steno.core.message import Message
from steno.session.session import Session
from steno.store.memory import MemoryStore
from steno.store.sqlite import SQLiteStore
from steno.wires import get_wire


class KeyedStore(SQLiteStore):
    _expected: tuple[str, Sequence[bytes]] = ("", ())

    def expect_keys(self, name: str, keys: Sequence[bytes]) -> None:
        """The chain keys of what is appended next to a session."""
        self._expected = (name, keys)

    def append(self, name: str, messages: Sequence[Message], keys: Sequence[bytes] = ()) -> int:
        expected, told = self._expected
        if expected == name and len(told) == len(messages):
            keys, self._expected = told, ("", ())
        return super().append(name, messages, keys)

    def has(self, name: str) -> bool:
        try:
            self.session_info(name)
        except NotHere:
            return False
        return True


THREADS_MOST = 256
MESSAGES_MOST = 200_000
"""Known by key, of all sessions together."""
TRIED_MOST = 8
"""Sessions that one list is laid on, of each way to find one."""
_FORK_SUFFIX = re.compile(r"@\d+-[0-9a-f]{6}$")


class _ThreadBusy(Exception):
    """Another call is at work in the session that a list belongs to."""

    def __init__(self, thread: ResentThread) -> None:
        self.thread = thread


class ClientSessions:
    """`steno.sessions(client)`: what happened, and each session by its name."""

    def __init__(
        self, store: KeyedStore | None, on_event: OnEvent = ignore_event, **options: Any
    ) -> None:
        self.say = EventRecorder(on_event)
        self.events = self.say.events
        self._store, self._options = store, options
        self._threads: dict[str, ResentThread] = {}
        self._chains: dict[bytes, ResentThread] = {}
        self._keys: dict[bytes, ResentThread] = {}
        self._tips: dict[bytes, dict[str, ResentThread]] = {}
        self._messages = 0
        self._ears: dict[str, IncomingReader] = {}
        self._lock = threading.RLock()

    def __getitem__(self, name: str) -> Session:
        """The session of this name, or the newest that was forked from it."""
        thread = self._threads.get(name) or next(iter(self._forks_of(name)), None)
        if thread is None:
            raise NotHere(
                f"no session is named {name!r} here; there are: {', '.join(self.names) or 'none'}"
            )
        return thread.session

    @property
    def names(self) -> list[str]:
        """Those in memory, the one used last at the end."""
        return list(self._threads)

    @property
    def newest(self) -> Session:
        if not self._threads:
            raise NotHere("no request with a conversation was made yet")
        return next(reversed(self._threads.values())).session

    def close(self) -> None:
        with self._lock:
            for thread in self._threads.values():
                thread.session.close()
            if self._store is not None:
                self._store.close()

    @contextmanager
    def checkout(
        self, asked: ConversationRequest, name: str | None
    ) -> Iterator[tuple[ResentThread, list[IncomingMessage]]]:
        """The session of a request, with what is new in it added; nobody else's until the end of this."""
        with ExitStack() as held:
            while True:
                try:
                    with self._lock:
                        taken = self._checkout(asked, name, held)
                    break
                except (
                    _ThreadBusy
                ) as busy:  # waited for out here, where the others can go on, and one at a time
                    held.close()
                    held.enter_context(busy.thread.lock)
            yield taken

    def _checkout(
        self, asked: ConversationRequest, name: str | None, held: ExitStack
    ) -> tuple[ResentThread, list[IncomingMessage]]:
        ear = self._ears.setdefault(asked.wire, IncomingReader(get_wire(asked.wire)))
        said = ear.read(asked.said)
        told = chain_keys(said)
        thread, how = self._find_thread(asked, said, told, name, held)
        if self._store is not None:
            self._store.expect_keys(thread.session.name, told[how.old :])
        thread.take_in(said, how)
        self._index(thread, told, said, how.old - how.replaced)
        return thread, said

    def _find_thread(
        self,
        asked: ConversationRequest,
        said: Sequence[IncomingMessage],
        told: Sequence[bytes],
        name: str | None,
        held: ExitStack,
    ) -> tuple[ResentThread, Alignment]:
        best = max(
            self._candidates(asked, said, told, name), key=lambda each: each[1].rank, default=None
        )
        if best is None or (best[1].forks and best[1].kept == 0):
            thread = self._begin(asked, name if best is None else self._unused_name(name))
            held.enter_context(thread.lock)
            return thread, thread.align(said)
        _lock_thread(best[0], held)
        if not best[1].forks:
            return self._switch_model(best[0], asked), best[1]
        thread = self._fork(*best, name)
        held.close()
        held.enter_context(thread.lock)
        return thread, thread.align(said)

    def _candidates(
        self,
        asked: ConversationRequest,
        said: Sequence[IncomingMessage],
        told: Sequence[bytes],
        name: str | None,
    ) -> Iterator[tuple[ResentThread, Alignment]]:
        """Each session once that the list may belong to; those in the store where memory has none that fits."""
        seen: set[str] = set()
        fits = False
        for thread in self._in_memory(said, told) if name is None else self._by_name(asked, name):
            if thread.session.name not in seen and thread.session.setup.wire.name == asked.wire:
                seen.add(thread.session.name)
                self._refresh(thread)
                how = thread.align(said)
                yield thread, how
                if how.extends:
                    return
                fits = fits or not how.forks
        if self._store is not None and not fits:
            for thread in self._in_store(self._store, asked, said, told, name):
                yield thread, thread.align(said)

    def _in_store(
        self,
        store: KeyedStore,
        asked: ConversationRequest,
        said: Sequence[IncomingMessage],
        told: Sequence[bytes],
        name: str | None,
    ) -> Iterator[ResentThread]:
        for found, at in store.holding(told, TRIED_MOST):
            if (
                found not in self._threads
                and name in (None, found, _root_name(found))
                and store.session_info(found).wire == asked.wire
            ):
                thread = self._open(asked, found, [each.key for each in said[: at + 1]])
                if thread.live[: at + 1] == [*range(at + 1)]:  # no stretch of it is gone
                    yield thread

    def _in_memory(
        self, said: Sequence[IncomingMessage], told: Sequence[bytes]
    ) -> Iterator[ResentThread]:
        at = next((at for at in range(len(told) - 1, -1, -1) if told[at] in self._chains), -1)
        if at >= 0:
            yield self._chains[told[at]]
        # Snapshots: what is opened or forked meanwhile is marked in these.
        tips = self._tips.get(told[at] if at >= 0 else message_key.EMPTY_CHAIN, {})
        yield from list(islice(reversed(tips.values()), TRIED_MOST))
        near = (self._keys[each.key] for each in reversed(said) if each.key in self._keys)
        yield from list(islice(near, TRIED_MOST))

    def _by_name(self, asked: ConversationRequest, name: str) -> Iterable[ResentThread]:
        known = self._forks_of(name)
        if known or self._store is None or not self._store.has(name):
            return known
        return (self._open(asked, name),)

    def _forks_of(self, name: str) -> list[ResentThread]:
        """The sessions that began under a name, the one used last first."""
        return [
            thread
            for called, thread in reversed(self._threads.items())
            if name in (called, _root_name(called))
        ][:TRIED_MOST]

    def _refresh(self, thread: ResentThread) -> None:
        """Another process may have served this caller meanwhile."""
        if self._store is None or not thread.lock.acquire(blocking=False):
            return  # who is at work in it has just looked
        try:
            card, log = self._store.session_info(thread.session.name), thread.session.log
            if (card.messages, card.commits) != (len(log.messages), len(log.commits)):
                thread.session.refresh()
                thread.catch_up()
        finally:
            thread.lock.release()

    def _session(self, asked: ConversationRequest, name: str, **where: Any) -> Session:
        return Session(
            name=name, model=asked.model or None, on_event=self.say, **where, **self._options
        )

    def _begin(self, asked: ConversationRequest, name: str | None) -> ResentThread:
        called = name or f"{asked.wire}-{uuid4().hex[:12]}"
        store = self._store or MemoryStore()
        return self._remember(
            ResentThread(self._session(asked, called, store=store, wire=asked.wire))
        )

    def _unused_name(self, name: str | None) -> str | None:
        if name is None:
            return None
        return f"{name}@0-{uuid4().hex[:6]}"

    def _open(
        self, asked: ConversationRequest, name: str, keys: Sequence[bytes] = ()
    ) -> ResentThread:
        return self._remember(ResentThread(self._session(asked, name, store=self._store), keys))

    def _fork(self, thread: ResentThread, how: Alignment, name: str | None) -> ResentThread:
        at = thread.live[how.kept - 1] + 1
        called = f"{name or _root_name(thread.session.name)}@{at}-{uuid4().hex[:6]}"
        return self._remember(
            ResentThread(thread.session.fork(at, name=called), thread.keys[: how.kept])
        )

    def _switch_model(self, thread: ResentThread, asked: ConversationRequest) -> ResentThread:
        """The thread for the model that is asked now: its window and its rules may be others."""
        if not asked.model or thread.model == asked.model:
            return thread
        store = thread.session.store
        session = self._session(asked, thread.session.name, store=store)
        thread.session, thread.model = session, asked.model
        return thread

    def _remember(self, thread: ResentThread) -> ResentThread:
        self._threads[thread.session.name] = thread
        return thread

    def _index(
        self,
        thread: ResentThread,
        told: Sequence[bytes],
        said: Sequence[IncomingMessage],
        start: int,
    ) -> None:
        """Let it be found by what is new in it, and let go of the oldest where there are too many."""
        name = thread.session.name
        self._threads[name] = self._threads.pop(name)
        for key, each in zip(told[start:], said[start:], strict=True):
            self._chains[key] = self._keys[each.key] = thread
            thread.marks.append((key, each.key))
            self._messages += 1
        self._tips.get(thread.tip, {}).pop(name, None)
        thread.tip = told[-2] if len(told) > 1 else message_key.EMPTY_CHAIN
        self._tips.setdefault(thread.tip, {})[name] = thread
        while len(self._threads) > THREADS_MOST or (
            self._messages > MESSAGES_MOST and len(self._threads) > 1
        ):
            self._evict(next(iter(self._threads)))

    def _evict(self, name: str) -> None:
        thread = self._threads.pop(name)
        for key, message in thread.marks:
            for index, mark in ((self._chains, key), (self._keys, message)):
                if index.get(mark) is thread:
                    del index[mark]
        self._messages -= len(thread.marks)
        self._tips.get(thread.tip, {}).pop(name, None)
        if not self._tips.get(thread.tip, {1: 1}):
            del self._tips[thread.tip]


def _lock_thread(thread: ResentThread, held: ExitStack) -> None:
    """Be the one at work in it; raises where another is."""
    if not thread.lock.acquire(blocking=False):
        raise _ThreadBusy(thread)
    held.callback(thread.lock.release)


def _root_name(name: str) -> str:
    """The name that a session began under, before its callers changed their past."""
    return _FORK_SUFFIX.sub("", name)
