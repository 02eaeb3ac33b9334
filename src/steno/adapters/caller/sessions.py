"""The sessions behind a client whose callers keep none.

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

from steno.adapters.caller.aligned import Aligned
from steno.adapters.caller.asked import Asked
from steno.adapters.caller.heard import Ear, Said, chains
from steno.adapters.caller.keyed import KeyedStore
from steno.adapters.caller.thread import Thread
from steno.adapters.telling import Telling
from steno.core import chain
from steno.core.error import NotHere
from steno.core.event import OnEvent, nobody
from steno.session.session import Session
from steno.store.memory import MemoryStore
from steno.wire import chosen

THREADS_MOST = 256
MESSAGES_MOST = 200_000
"""Known by key, of all sessions together."""
TRIED_MOST = 8
"""Sessions that one list is laid on, of each way to find one."""
_FORKED = re.compile(r"@\d+-[0-9a-f]{6}$")


class _Busy(Exception):
    """Another call is at work in the session that a list belongs to."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread


class Sessions:
    """`steno.sessions(client)`: what happened, and each session by its name."""

    def __init__(self, store: KeyedStore | None, on_event: OnEvent = nobody, **options: Any) -> None:
        self.say = Telling(on_event)
        self.events = self.say.events
        self._store, self._options = store, options
        self._threads: dict[str, Thread] = {}
        self._chains: dict[bytes, Thread] = {}
        self._keys: dict[bytes, Thread] = {}
        self._tips: dict[bytes, dict[str, Thread]] = {}
        self._messages = 0
        self._ears: dict[str, Ear] = {}
        self._lock = threading.RLock()

    def __getitem__(self, name: str) -> Session:
        """The session of this name, or the newest that was forked from it."""
        thread = self._threads.get(name) or next(iter(self._of_root(name)), None)
        if thread is None:
            raise NotHere(f"no session is named {name!r} here; there are: {', '.join(self.names) or 'none'}")
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
    def taken(self, asked: Asked, name: str | None) -> Iterator[tuple[Thread, list[Said]]]:
        """The session of a request, with what is new in it added; nobody else's until the end of this."""
        with ExitStack() as held:
            while True:
                try:
                    with self._lock:
                        taken = self._taken(asked, name, held)
                    break
                except _Busy as busy:  # waited for out here, where the others can go on, and one at a time
                    held.close()
                    held.enter_context(busy.thread.lock)
            yield taken

    def _taken(self, asked: Asked, name: str | None, held: ExitStack) -> tuple[Thread, list[Said]]:
        ear = self._ears.setdefault(asked.wire, Ear(chosen(asked.wire)))
        said = ear.heard(asked.said)
        told = chains(said)
        thread, how = self._found(asked, said, told, name, held)
        if self._store is not None:
            self._store.expect(thread.session.name, told[how.old :])
        thread.take(said, how)
        self._mark(thread, told, said, how.old - how.replaced)
        return thread, said

    def _found(
        self, asked: Asked, said: Sequence[Said], told: Sequence[bytes], name: str | None, held: ExitStack
    ) -> tuple[Thread, Aligned]:
        best = max(self._tried(asked, said, told, name), key=lambda each: each[1].rank, default=None)
        if best is None or (best[1].forks and best[1].kept == 0):
            thread = self._begun(asked, name if best is None else self._unused(name))
            held.enter_context(thread.lock)
            return thread, thread.laid(said)
        _enter(best[0], held)
        if not best[1].forks:
            return self._fit(best[0], asked), best[1]
        thread = self._forked(*best, name)
        held.close()
        held.enter_context(thread.lock)
        return thread, thread.laid(said)

    def _tried(
        self, asked: Asked, said: Sequence[Said], told: Sequence[bytes], name: str | None
    ) -> Iterator[tuple[Thread, Aligned]]:
        """Each session once that the list may belong to; those in the store where memory has none that fits."""
        seen: set[str] = set()
        fits = False
        for thread in self._in_memory(said, told) if name is None else self._by_name(asked, name):
            if thread.session.name not in seen and thread.session.setup.wire.name == asked.wire:
                seen.add(thread.session.name)
                self._refreshed(thread)
                how = thread.laid(said)
                yield thread, how
                if how.extends:
                    return
                fits = fits or not how.forks
        if self._store is not None and not fits:
            for thread in self._in_store(self._store, asked, said, told, name):
                yield thread, thread.laid(said)

    def _in_store(
        self, store: KeyedStore, asked: Asked, said: Sequence[Said], told: Sequence[bytes], name: str | None
    ) -> Iterator[Thread]:
        for found, at in store.holding(told, TRIED_MOST):
            if (
                found not in self._threads
                and name in (None, found, _root(found))
                and store.card(found).wire == asked.wire
            ):
                thread = self._opened(asked, found, [each.key for each in said[: at + 1]])
                if thread.live[: at + 1] == [*range(at + 1)]:  # no stretch of it is gone
                    yield thread

    def _in_memory(self, said: Sequence[Said], told: Sequence[bytes]) -> Iterator[Thread]:
        at = next((at for at in range(len(told) - 1, -1, -1) if told[at] in self._chains), -1)
        if at >= 0:
            yield self._chains[told[at]]
        # Snapshots: what is opened or forked meanwhile is marked in these.
        tips = self._tips.get(told[at] if at >= 0 else chain.START, {})
        yield from list(islice(reversed(tips.values()), TRIED_MOST))
        near = (self._keys[each.key] for each in reversed(said) if each.key in self._keys)
        yield from list(islice(near, TRIED_MOST))

    def _by_name(self, asked: Asked, name: str) -> Iterable[Thread]:
        known = self._of_root(name)
        if known or self._store is None or not self._store.has(name):
            return known
        return (self._opened(asked, name),)

    def _of_root(self, name: str) -> list[Thread]:
        """The sessions that began under a name, the one used last first."""
        return [thread for called, thread in reversed(self._threads.items()) if name in (called, _root(called))][
            :TRIED_MOST
        ]

    def _refreshed(self, thread: Thread) -> None:
        """Another process may have served this caller meanwhile."""
        if self._store is None or not thread.lock.acquire(blocking=False):
            return  # who is at work in it has just looked
        try:
            card, log = self._store.card(thread.session.name), thread.session.log
            if (card.messages, card.commits) != (len(log.messages), len(log.commits)):
                thread.session.refresh()
                thread.catch_up()
        finally:
            thread.lock.release()

    def _session(self, asked: Asked, name: str, **where: Any) -> Session:
        return Session(name=name, model=asked.model or None, on_event=self.say, **where, **self._options)

    def _begun(self, asked: Asked, name: str | None) -> Thread:
        called = name or f"{asked.wire}-{uuid4().hex[:12]}"
        store = self._store or MemoryStore()
        return self._held(Thread(self._session(asked, called, store=store, wire=asked.wire)))

    def _unused(self, name: str | None) -> str | None:
        return None if name is None else f"{name}@0-{uuid4().hex[:6]}"

    def _opened(self, asked: Asked, name: str, keys: Sequence[bytes] = ()) -> Thread:
        return self._held(Thread(self._session(asked, name, store=self._store), keys))

    def _forked(self, thread: Thread, how: Aligned, name: str | None) -> Thread:
        at = thread.live[how.kept - 1] + 1
        called = f"{name or _root(thread.session.name)}@{at}-{uuid4().hex[:6]}"
        return self._held(Thread(thread.session.fork(at, name=called), thread.keys[: how.kept]))

    def _fit(self, thread: Thread, asked: Asked) -> Thread:
        """The thread for the model that is asked now: its window and its rules may be others."""
        if not asked.model or thread.model == asked.model:
            return thread
        store = thread.session.store
        session = self._session(asked, thread.session.name, store=store)
        thread.session, thread.model = session, asked.model
        return thread

    def _held(self, thread: Thread) -> Thread:
        self._threads[thread.session.name] = thread
        return thread

    def _mark(self, thread: Thread, told: Sequence[bytes], said: Sequence[Said], start: int) -> None:
        """Let it be found by what is new in it, and let go of the oldest where there are too many."""
        name = thread.session.name
        self._threads[name] = self._threads.pop(name)
        for key, each in zip(told[start:], said[start:], strict=True):
            self._chains[key] = self._keys[each.key] = thread
            thread.marks.append((key, each.key))
            self._messages += 1
        self._tips.get(thread.tip, {}).pop(name, None)
        thread.tip = told[-2] if len(told) > 1 else chain.START
        self._tips.setdefault(thread.tip, {})[name] = thread
        while len(self._threads) > THREADS_MOST or (self._messages > MESSAGES_MOST and len(self._threads) > 1):
            self._let_go(next(iter(self._threads)))

    def _let_go(self, name: str) -> None:
        thread = self._threads.pop(name)
        for key, message in thread.marks:
            for index, mark in ((self._chains, key), (self._keys, message)):
                if index.get(mark) is thread:
                    del index[mark]
        self._messages -= len(thread.marks)
        self._tips.get(thread.tip, {}).pop(name, None)
        if not self._tips.get(thread.tip, {1: 1}):
            del self._tips[thread.tip]


def _enter(thread: Thread, held: ExitStack) -> None:
    """Be the one at work in it; raises where another is."""
    if not thread.lock.acquire(blocking=False):
        raise _Busy(thread)
    held.callback(thread.lock.release)


def _root(name: str) -> str:
    """The name that a session began under, before its callers changed their past."""
    return _FORKED.sub("", name)
