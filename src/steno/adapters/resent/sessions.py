"""Which session is this list of? The one answer for every adapter.

Identity is given, never guessed; `docs/wrap.md` says how a session is found. Sessions of
other users are never looked at.

With neither a name nor a user it is unknown whose list it is. Such a list joins a session only if
it begins with every message of it, word for word, and nothing else is in it: no note, no other
constraints or redaction than this door's. What goes out is made of the list's own messages alone:
`ResentThread.require_own` refuses anything else, whatever came before.

What is held in memory is bounded: with a store a session is found again there, by
its name or by the chain of its messages' keys; without one the oldest are let go.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from itertools import chain
from typing import Any
from uuid import uuid4

from steno.adapters.events import EventRecorder
from steno.adapters.resent.align import Alignment
from steno.adapters.resent.incoming import IncomingList, IncomingReader, ListFormat, chain_keys
from steno.adapters.resent.thread import ResentThread
from steno.adapters.resent.thread_table import TRIED_MOST, ArrivedList, ThreadTable
from steno.core.constraint import as_constraints
from steno.core.errors import NotHere, SessionGone
from steno.core.log import Log
from steno.core.message import Message
from steno.core.store import SessionInfo, Store, StoredName
from steno.engine.designs import resolve_policy, stored_policy, without_shared_prefix
from steno.providers import json_text
from steno.redact import redactor_of
from steno.session.options import SessionOptions, complete_options, with_changes
from steno.session.session import Session
from steno.session.writer import Writer
from steno.store.in_process import MemoryStore
from steno.store.keyed import KeyedStore
from steno.store.names import is_unnamed, name_digest, names_in_store, unnamed_name
from steno.summary.read_back import SPAN_MOST
from steno.summary.reimport import positions_for, reimport_messages

ANY_WINDOW = 100_000
"""Window to check the options with, as long as no call has said its model."""
_FENCE_OPENING = b"<steno-"
"""How text of ours begins."""
_FORK_SUFFIX = re.compile(r"@\d+-[0-9a-f]{6}$")


class _ThreadBusy(Exception):
    """Another call is at work in the session that a list belongs to."""

    def __init__(self, thread: ResentThread) -> None:
        self.thread = thread


class ListSessions:
    """The sessions behind lists that are sent again, and the events that happened in them."""

    def __init__(
        self,
        store: str | os.PathLike[str] | None,
        options: SessionOptions,
        *,
        user: str | None = None,
        durable: bool = True,
        views_come_back: bool = False,
        calls_name_model: bool = True,
    ) -> None:
        """Keep the sessions of `user` in a file, or in memory; raise what is wrong with options.

        views_come_back: for callers whose list may hold a view: it was written back, or compacted
            by an earlier process.
        calls_name_model: whether the model, and with it the window, may come with each list.
        """
        checked = with_changes(options, user=user)
        if calls_name_model and options.get("window") is None and options.get("model") is None:
            checked["window"] = ANY_WINDOW
        Session(**checked).close()
        self._store: KeyedStore | None = None
        if store is not None:
            self._store = KeyedStore(store, durable=durable, user=user)
        options = complete_options(**options)
        self.redactor = redactor_of(options["redact"])
        self.say = EventRecorder(options["on_event"], self.redactor)
        self.events = self.say.events
        self._options = with_changes(options, on_event=self.say, redact=self.redactor)
        self._user = user or ""
        """Whose lists these are; empty if that is not known."""
        self._door = uuid4().hex
        """Stands for a writer that is an object."""
        self._views_come_back = views_come_back
        self._table = ThreadTable()
        self._readers: dict[str, IncomingReader] = {}
        # Guards these tables and the search in them; what is in a session has its thread's lock.
        self._lock = threading.RLock()

    def __getitem__(self, name: str) -> Session:
        """Return the session of this name, or the newest that was forked from it."""
        own = self.stored_name(name)
        held = self._table
        exact = map(held.by_name.get, names_in_store(self._user, name))
        thread = next(chain(filter(None, exact), held.forks_of(own)), None)
        if thread is None:
            known = ", ".join(self.names) or "none"
            raise NotHere(f"no session is named {name!r} here; there are: {known}")
        return thread.session

    @property
    def names(self) -> list[str]:
        """The sessions in memory, the one used last at the end."""
        return list(self._table.by_name)

    def stores(self) -> list[Store]:
        """Return the stores of the sessions in memory."""
        with self._lock:
            stores = [thread.session.host.store for thread in self._table.by_name.values()]
        return list({id(store): store for store in stores}.values())

    @property
    def newest(self) -> Session:
        """The session used last."""
        if not self._table.by_name:
            raise NotHere("no request with a conversation was made yet")
        return next(reversed(self._table.by_name.values())).session

    def newest_of(self, name: str | None, form: ListFormat) -> Session:
        """Return the session used last under a name, in memory or in the store."""
        # Whose the newest session without a name is, nobody knows.
        if not name:
            raise NotHere("a list without a name is found by its content alone: fit it again")
        with self._lock:
            arrival = ArrivedList(self._reader(form), self._user, self.stored_name(name))
            thread = next(chain(self._in_memory(arrival), self._in_store(arrival)), None)
        if thread is None:
            raise NotHere(f"nothing is kept of a thread {name!r}")
        return thread.session

    def newest_thread(self, name: str) -> ResentThread | None:
        """Return the session in memory that was used last under a name."""
        with self._lock:
            return next(iter(self._table.forks_of(self.stored_name(name))), None)

    def record(self, name: str, kind: str, value: object) -> bool:
        """Add a line to the stored session of a name; return False if there is none."""
        with self._lock:
            info = self._stored_info(self.stored_name(name))
            if info is None or info.user != self._user or self._store is None:
                return False
            self._store.record(info.key, kind, json_text(value))
            return True

    def past_of(
        self,
        session: str,
        form: ListFormat,
        spans_of: Callable[[Session], Sequence[tuple[int, int]] | None],
    ) -> list[tuple[bytes, bytes]]:
        """Return messages of a caller's list as it once was, from its session: text and key.

        session: the digest of the session's stored name; earlier versions gave its id.
        spans_of: returns `spans` of the thread of then; None if the session knows nothing of them.
        """
        with self._lock:
            thread = self._thread_of(session, self._reader(form))
            if thread is not None and (spans := spans_of(thread.session)) is not None:
                return thread.texts_at(spans)
        raise NotHere("no session with these messages is kept here")

    def _thread_of(self, session: str, reader: IncomingReader) -> ResentThread | None:
        """Return the session of an id or digest, from memory or from the store."""
        for thread in list(self._table.by_name.values()):
            host = thread.session.host
            if session in (host.id, name_digest(host.key)) and self._refresh(thread):
                return thread
        if self._store is None:
            return None
        for info in self._store.sessions(self._user):
            arrival = ArrivedList(reader, self._user, info.name)
            named = session in (info.id, name_digest(info.key))
            if named and self._may_open(info, arrival):
                opened = self._session(arrival, info.key, self._store)
                return ResentThread(opened, reader, info.name)
        return None

    def close(self) -> None:
        """Close the sessions and the store's file; everything is kept already."""
        with self._lock:
            for thread in self._table.by_name.values():
                thread.session.close()
            if self._store is not None:
                self._store.close()

    @contextmanager
    def checkout(
        self,
        messages: Sequence[Any],
        form: ListFormat,
        *,
        name: object,
        model: str = "",
        sizes: SessionOptions | None = None,
        ready: Callable[[Session], object] | None = None,
    ) -> Iterator[tuple[ResentThread, IncomingList]]:
        """Hold the session of a list, with what is new in the list added to it.

        `name` may be an id of any type; without one the list is found by its content.
        `sizes` has options for this list, such as `limit`, that are not those of all lists.
        `ready` is called with the session before that.
        """
        reader = self._reader(form)
        # Without the lock, as adding it: a large list takes seconds to read.
        incoming = reader.read(messages)
        root, setup = None, ""
        if name in (None, ""):
            setup = self._setup(sizes or {})
        else:
            root = self.stored_name(name if isinstance(name, str) else str(name))
        arrival = ArrivedList(
            reader, self._user, root, model, sizes or {}, setup, incoming, chain_keys(incoming)
        )
        with ExitStack() as held:
            while True:
                try:
                    with self._lock:
                        thread, how = self._find_thread(arrival, held)
                        thread.arriving = arrival.keys
                    break
                except _ThreadBusy as busy:
                    # Waited for outside the lock, so that other lists can go on meanwhile, and
                    # with nothing else held, so that two calls never wait for each other.
                    held.close()
                    held.enter_context(busy.thread.lock)
            # Not under that lock: a large list of one caller must not keep all others waiting.
            if self._store is not None:
                new = arrival.chain[how.old :]
                held.enter_context(self._store.expecting_keys(thread.session.name, new))
            try:
                if ready is not None:
                    ready(thread.session)
                thread.apply(incoming, how, own=not arrival.knows_caller)
            finally:
                thread.arriving = []
            with self._lock:
                self._table.use(thread)
            yield thread, incoming

    def _reader(self, form: ListFormat) -> IncomingReader:
        return self._readers.setdefault(form.wire.name, IncomingReader(form))

    def _find_thread(self, arrival: ArrivedList, held: ExitStack) -> tuple[ResentThread, Alignment]:
        if arrival.name is None:
            # Sent again before it is added: it belongs there, and not to a session of its own.
            for thread in self._table.arriving(arrival):
                if not thread.lock.acquire(blocking=False):
                    raise _ThreadBusy(thread)
                thread.lock.release()
        found = self._candidates(arrival)
        best = max(found, key=lambda candidate: candidate[1].rank, default=None)
        # A session of this name without a message begins with this list.
        is_empty = best is not None and arrival.name and not best[0].session.log.messages
        if best is None or is_empty or arrival.is_strange(best[1]):
            thread = self._begin(arrival, taken=best is not None and not is_empty)
            held.enter_context(thread.lock)
            return thread, arrival.align(thread)
        thread, how = best
        if not thread.lock.acquire(blocking=False):
            raise _ThreadBusy(thread)
        held.callback(thread.lock.release)
        thread.is_apart = not arrival.knows_caller and thread.session.host.holds_more()
        # Now that it is ours; until then another call may have gone on with it.
        if thread.is_apart or arrival.align(thread) != how:
            held.close()
            return self._find_thread(arrival, held)
        if not how.forks:
            # For the model that is asked now: its window and rules may differ.
            if arrival.model and thread.model != arrival.model:
                host = thread.session.host
                thread.session = self._session(arrival, host.key, host.store)
                thread.model = arrival.model
            return thread, how
        # The fork has a lock of its own, and its parent's is free for other calls again.
        thread = self._fork(thread, how, arrival)
        held.close()
        held.enter_context(thread.lock)
        return thread, arrival.align(thread)

    def session_of_list(self, thread: ResentThread, own: int | None) -> Session:
        """Return the session that answers the caller of a list.

        own: `own_messages` of the thread when the list came. Another caller may have sent the same
        list and added to the session meanwhile, so the answer comes from these messages alone.
        """
        if own is None:
            return thread.session
        log = Log().with_messages(thread.session.log.messages[:own])
        host = thread.session.host
        options = with_changes(
            self._options, wire=host.wire.name, model=thread.model, store=None, log=log
        )
        return Session(**options)

    def _candidates(self, arrival: ArrivedList) -> Iterator[tuple[ResentThread, Alignment]]:
        """Yield each session that the list may be of; the store's if none in memory fits."""
        # A list that extends a session cannot fit another better, and the store costs a read.
        for found in (self._in_memory(arrival), self._in_store(arrival)):
            fits = False
            for thread in found:
                is_apart = thread.is_apart or thread.too_short_for in arrival.chain[-1:]
                if is_apart or thread.session.host.wire.name != arrival.wire:
                    continue
                how = arrival.align(thread)
                yield thread, how
                if how.extends:
                    return
                fits = fits or not how.forks
            if fits:
                return

    def _in_memory(self, arrival: ArrivedList) -> Iterator[ResentThread]:
        """Yield the sessions in memory that the list may be of."""
        if arrival.name is not None:
            found = self._table.forks_of(arrival.name)
        else:
            found = self._table.similar(arrival)
        return filter(self._refresh, found)

    def _in_store(self, arrival: ArrivedList) -> Iterator[ResentThread]:
        """Yield the sessions in the store, and not in memory, that the list may be of."""
        store = self._store
        if store is None:
            return
        holding = dict(store.sessions_with_chain(arrival.chain, TRIED_MOST))
        if arrival.name is None:
            infos = [store.session_info(name) for name in holding]
            infos = [info for info in infos if arrival.may_join(_root_of(info))]
        else:
            own = reversed(store.sessions(self._user))
            held = self._table.by_name
            named = [info for info in own if _root_of(info) == arrival.name]
            infos = [info for info in named if info.name not in held]
            # The newest, and the first one.
            infos = infos[: TRIED_MOST - 1] + infos[TRIED_MOST - 1 :][-1:]
            # Those that hold the list's own beginning first: each one opened is read whole.
            infos.sort(key=lambda info: info.name not in holding)
        for info in infos:
            if info.name in self._table.by_name or not self._may_open(info, arrival):
                continue
            known = holding.get(info.name, -1) + 1
            keys = [message.key for message in arrival.messages[:known]]
            try:
                session = self._session(arrival, info.key, store)
                thread = ResentThread(session, arrival.reader, _root_of(info), keys)
                if self._views_come_back:
                    thread.assume_written()
            except SessionGone:
                continue
            self._table.use(thread)
            starts = [message.start for message in thread.known[:known]]
            if arrival.name is not None or starts == list(range(known)):
                yield thread  # by content only if no stretch of it is gone

    def _may_open(self, stored: SessionInfo, arrival: ArrivedList) -> bool:
        return stored.wire == arrival.wire and stored.user == self._user

    def _refresh(self, thread: ResentThread) -> bool:
        """Take in what another process, which serves the same caller, has added meanwhile.

        Return False, and let the thread go, if its session was deleted.
        """
        if self._store is None or not thread.lock.acquire(blocking=False):
            return True  # the call that is at work in it has just looked
        try:
            info = self._store.session_info(thread.session.host.key)
            log = thread.session.log
            if (info.messages, info.commits) != (len(log.messages), len(log.commits)):
                thread.session.host.refresh()
                thread.catch_up()
                if self._views_come_back:
                    thread.assume_written()
            return True
        except SessionGone:
            # Its caller sends the list again, which begins another session.
            self._table.drop(thread)
            return False
        finally:
            thread.lock.release()

    def _session(
        self, arrival: ArrivedList, name: str, store: Store, log: Log | None = None
    ) -> Session:
        options = with_changes(
            with_changes(self._options, **arrival.sizes),
            wire=arrival.wire,
            model=arrival.model or self._options["model"],
            name=name,
            store=store,
            user=self._user,
            log=log,
        )
        if not arrival.knows_caller:
            # A writer that reads the whole request may quote its system prompt to another caller.
            options["policy"] = without_shared_prefix(resolve_policy(options["policy"]))
        return Session(**options)

    def stored_name(self, name: str) -> StoredName:
        """Return the name under which the session began that a caller names."""
        names = names_in_store(self._user, name)
        with self._lock:
            for known in names:
                if is_unnamed(known) and not self._user:
                    continue  # No name says whose it is.
                if known in self._table.by_name:
                    return StoredName(self._table.by_name[known].root)
                if self._table.forks_of(known):
                    return known
                info = self._stored_info(known)
                if info is not None and info.user == self._user:
                    return _root_of(info)
        return names[0]

    def _stored_info(self, name: str) -> SessionInfo | None:
        """Return what the store knows of a session; None if there is none of this name."""
        if self._store is None:
            return None
        try:
            return self._store.session_info(name)
        except NotHere:
            return None

    def _begin(self, arrival: ArrivedList, *, taken: bool) -> ResentThread:
        """Begin a session; `taken` says that the name is another conversation's."""
        store = self._store or MemoryStore()
        root = arrival.name or unnamed_name(self._user, arrival.wire, arrival.setup)
        name = root
        # A fork, or a session of another wire, has its name too and was no candidate.
        info = self._stored_info(root)
        if info is not None:
            taken = taken or info.wire != arrival.wire or _root_of(info) != root
        if taken and arrival.name is not None:
            name = _fork_name(root, 0)
            if self._store is not None:
                # A fork of nothing: that says under which name it was begun.
                store.create(name, arrival.wire, parent=root, fork=0)
        messages, log = self._written_log(arrival)
        session = self._session(arrival, name, store, log)
        thread = ResentThread(session, arrival.reader, root)
        if log is not None:
            thread.begin_with(arrival.messages, messages, log, written=self._views_come_back)
        return self._table.use(thread)

    def _setup(self, sizes: SessionOptions) -> str:
        """Return hex digits for what this door asks for, adds to a list, takes out or has written.

        Where nobody says whose list it is, another door may be another person's.
        """
        if self._user:
            return ""
        options = with_changes(self._options, **sizes)
        policy = resolve_policy(options["policy"])
        given = as_constraints((*policy.constraints, *options["constraints"]))
        writer = Writer.of(options["writer"]).model
        # Names say what they would write; what an object would is not known.
        stated = isinstance(writer, str | None)
        if isinstance(writer, list | tuple):
            stated = all(isinstance(name, str) for name in writer)
        setup: dict[str, object] = {
            "constraints": [(each.text, each.id) for each in given],
            "redact": self.redactor and self.redactor.setup,
            "writer": writer if stated else self._door,
            "limit": options["limit"],
            "policy": stored_policy(policy) if "policy" in sizes else None,
        }
        setup = {name: value for name, value in setup.items() if value}
        if not setup:
            return ""
        return blake2b(repr(setup).encode(), digest_size=6).hexdigest()

    def _written_log(self, arrival: ArrivedList) -> tuple[list[Message], Log | None]:
        """Return the messages of a list and, if it holds summaries of ours, what they stand for."""
        holds_summary = any(_FENCE_OPENING in message.text for message in arrival.messages)
        # Most lists hold no summary of ours, and are decoded once.
        if not self._views_come_back and not holds_summary:
            return [], None
        messages = []
        wire = arrival.reader.form.wire
        for at, message in enumerate(arrival.messages):
            plain = message.plain
            if self.redactor is not None:
                plain = self.redactor.plain(plain)
            messages.append(wire.decode(plain, json_text(plain), f"messages[{at}]"))
        most = SPAN_MOST
        if not self._views_come_back:
            most = positions_for(messages)
        policy = resolve_policy(self._options["policy"])
        replaced = bool(policy.constraints or self._options["constraints"])
        log = reimport_messages(messages, most=most, replaced=replaced)
        if log.commits or len(log.messages) != len(messages):
            return messages, log
        return messages, None

    def _fork(self, thread: ResentThread, how: Alignment, arrival: ArrivedList) -> ResentThread:
        at = thread.known[how.kept - 1].stop
        known = thread.known[: how.kept]
        written = thread.written
        if how.written and written is not None:
            at = written[how.kept].start
            known = [message for message in thread.known if message.stop <= at]
        session = thread.session.fork(at, name=_fork_name(thread.root, at))
        # With their positions: what hides a lost stretch may be newer than where the fork begins.
        fork = ResentThread(session, arrival.reader, thread.root, known=known)
        if how.written and written is not None:
            fork.begin_in(thread, written[: how.kept])
        return self._table.use(fork)


def _fork_name(root: str, at: int) -> StoredName:
    """Return a new name for a fork; `_root_of` takes its end off again."""
    return StoredName(f"{root}@{at}-{uuid4().hex[:6]}")


def _root_of(stored: SessionInfo) -> StoredName:
    """Return the name under which a stored session was begun: a fork's is its ancestor's."""
    if stored.parent is None:
        return StoredName(stored.name)  # also for a name that looks like a fork's
    return StoredName(_FORK_SUFFIX.sub("", stored.name))
