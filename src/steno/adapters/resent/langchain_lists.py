"""The sessions behind an adapter: one for each list of messages that grows.

A framework hands over a whole list each time. The session whose list it
continues is found by the words themselves, in this process or in the store, and
told what is new; a list whose past was changed begins another session, as a
fork where that is possible. Nothing here knows of a graph or an agent.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from steno.adapters.events import failure_event
from steno.adapters.langchain_messages import Originals, same_words, to_json_texts, to_objects
from steno.core.effects import FATAL_ERRORS
from steno.core.errors import DoesNotFit, NotHere
from steno.core.events import Event
from steno.core.reimport import reimport_messages
from steno.core.store import Store
from steno.core.wire import Wire
from steno.session.session import Session
from steno.store.sqlite import SQLiteStore
from steno.wires import decode_messages, parse_json

HELD_MOST = 256
"""Sessions kept at hand; those in a store are found there again."""

NAME_MOST = 200
"""Characters of a thread's id that is a session's name as it is; a longer one is hashed."""


@dataclass
class TrackedList:
    """A session, and the list it was last seen as."""

    session: Session
    texts: list[str]
    told: int
    """Commits that whoever keeps the list knows of."""
    originals: Originals = field(default_factory=dict)
    sent: bool = False

    def known_prefix(self, texts: Sequence[str]) -> list[str]:
        """What it knows of these texts, as it was first told, if they go on from it; else nothing."""
        for known in (self.texts, _caller_texts(self.session)):
            if len(known) <= len(texts) and _common_length(known, texts) == len(known):
                return known
        return []

    def take_in(self, messages: Sequence[BaseMessage], told: list[str], first: list[str]) -> None:
        """Say what is new after what was told first; usage counts where the reply answers a view that was sent."""
        known = len(first)
        texts = [*first, *told[known:]]  # under the ids that the session has them by
        new = [parse_json(text) for text in texts[known:]]
        if new:
            self.session.add(*new, usage=_prompt_tokens(messages[known]) if self.sent else None)
            self.sent = False
        self.texts = texts
        self.originals = dict(zip(texts, messages, strict=True))

    @property
    def view(self) -> list[BaseMessage]:
        return to_objects(
            self.session.setup.wire, self.session.view.visible_messages, self.originals
        )

    @property
    def has_new_commits(self) -> bool:
        """Commits have landed that the list does not show yet."""
        return len(self.session.log.commits) > self.told

    def mark_written(self, messages: Sequence[BaseMessage]) -> None:
        """The list is now what the view shows."""
        self.texts, self.told = to_json_texts(messages), len(self.session.log.commits)


class ListTracker:
    """Finds the session of a list; `options` are those of a `Session`."""

    def __init__(
        self, wire: Wire, store: str | os.PathLike[str] | None = None, **options: Any
    ) -> None:
        self._wire, self._options = wire, options
        self._path = store
        self._opened: Store | None = None
        self._held: dict[str, list[TrackedList]] = {}
        self._lock = threading.RLock()
        Session(wire=wire, **options).close()  # what is wrong with the options is said at once,
        _ = self._store  # and what is wrong with the file

    def track(self, thread: str, messages: Sequence[BaseMessage]) -> TrackedList:
        """The session that this list is of, with everything said that the list says."""
        texts = to_json_texts(messages)
        with self._lock:
            held, known = self._find(thread, texts)
            held.take_in(messages, texts, known)
            self._remember(thread, held)
            return held

    def close(self) -> None:
        """Let go of the file; everything is kept already."""
        with self._lock:
            for held in (each for several in self._held.values() for each in several):
                held.session.close()
            if self._opened is not None:
                self._opened.close()
            self._opened = None
            self._held.clear()

    def newest(self, thread: str) -> TrackedList:
        """The session that a thread was last found in."""
        with self._lock:
            found = self._held.get(thread) or list(self._in_store(thread))[:1]
            if not found:
                raise NotHere(f"nothing is kept of a thread {thread!r}")
            return found[-1]

    @property
    def _store(self) -> Store | None:
        if self._opened is None and self._path is not None:
            self._opened = SQLiteStore(self._path)
        return self._opened

    def _find(self, thread: str, texts: list[str]) -> tuple[TrackedList, list[str]]:
        at_hand = self._held.get(thread, [])
        known, best = _longest_match(at_hand, texts)
        if best is None:
            stored = list(self._in_store(thread))
            known, best = _longest_match(stored, texts)
            at_hand = at_hand + stored
        if best is not None:
            return best, known
        return self._fork(thread, at_hand, texts) or self._begin(thread, texts)

    def _in_store(self, thread: str) -> Iterator[TrackedList]:
        """Sessions of this thread that are in the store and not at hand, newest first."""
        if self._store is None:
            return
        at_hand = {held.session.name for held in self._held.get(thread, ())}
        for name in reversed(self._store.names()):
            if name not in at_hand and re.fullmatch(
                rf"{re.escape(_session_name(thread))}(~\d+)?", name
            ):
                session = Session(name=name, store=self._store, wire=self._wire, **self._options)
                shown = [
                    text
                    for message in session.view.visible_messages
                    for text in self._wire.encode(message)
                ]
                yield TrackedList(session, shown, len(session.log.commits))

    def _fork(
        self, thread: str, candidates: Sequence[TrackedList], texts: list[str]
    ) -> tuple[TrackedList, list[str]] | None:
        """A fork of the session whose beginning the list shares, if any."""
        shared = [(_common_length(_caller_texts(held.session), texts), held) for held in candidates]
        known, best = max(shared, key=lambda each: each[0], default=(0, None))
        if best is None or not known:
            return None
        session = best.session.fork(
            _position_after(best.session, known), name=self._free_name(thread)
        )
        first = _caller_texts(best.session)[:known]
        return TrackedList(session, first, 0), first

    def _begin(self, thread: str, texts: list[str]) -> tuple[TrackedList, list[str]]:
        log = reimport_messages(decode_messages(self._wire, map(parse_json, texts)))
        session = Session(
            name=self._free_name(thread),
            store=self._store,
            wire=self._wire,
            log=log,
            **self._options,
        )
        return TrackedList(
            session, texts, sum(commit.why == "resent" for commit in session.log.commits)
        ), texts

    def _free_name(self, thread: str) -> str:
        taken = {held.session.name for held in self._held.get(thread, ())}
        taken |= set(self._store.names()) if self._store is not None else set()
        name, n = _session_name(thread), 1
        while name in taken:
            n += 1
            name = f"{_session_name(thread)}~{n}"
        return name

    def _remember(self, thread: str, held: TrackedList) -> None:
        """The newest last, and not too many."""
        others = [each for each in self._held.pop(thread, ()) if each is not held]
        self._held[thread] = [*others, held]
        while sum(map(len, self._held.values())) > HELD_MOST:
            oldest = next(iter(self._held))
            self._held[oldest].pop(0)
            if not self._held[oldest]:
                del self._held[oldest]


def run_safely(work: Callable[[], object], say: Callable[[Event], None]) -> bool:
    """Do it, or say in an event that it failed: the agent goes on; what must not be swallowed is raised."""
    try:
        work()
    except (*FATAL_ERRORS, DoesNotFit):
        raise
    except Exception as failure:  # noqa: BLE001 — the edge to the agent, which must go on; said in an event
        say(failure_event(failure))
        return False
    return True


def _longest_match(
    candidates: Sequence[TrackedList], texts: list[str]
) -> tuple[list[str], TrackedList | None]:
    """Whoever knows most of the list that goes on from it, and what that is."""
    fits = [(held.known_prefix(texts), held) for held in candidates]
    known, best = max(fits, key=lambda fit: len(fit[0]), default=([], None))
    if known:
        return (known, best)
    return ([], None)


def _prompt_tokens(message: BaseMessage) -> int | None:
    """Prompt tokens that the provider counted for the request which this message answers."""
    usage = message.usage_metadata if isinstance(message, AIMessage) else None
    if usage is None:
        return None
    return usage["input_tokens"]


def _caller_texts(session: Session) -> list[str]:
    """The list as it would be if nothing had been compacted; empty where part of it is elsewhere."""
    said = [message.raw for message in session.log.messages if message.by == "caller"]
    if None in said:
        return []
    return [text for text in said if text is not None]


def _position_after(session: Session, known: int) -> int:
    """Where a log stands after so many messages of its caller's: Steno may have spoken in between."""
    told = [
        at for at, message in enumerate(session.log.messages, start=1) if message.by == "caller"
    ]
    return told[known - 1]


def _common_length(some: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for one, two in zip(some, other, strict=False):
        if not same_words(one, two):
            break
        count += 1
    return count


def _session_name(thread: str) -> str:
    """A session's name is one line of text; a single ~ in it is a fork's."""
    if thread and thread.isprintable() and len(thread) <= NAME_MOST:
        return thread.replace("~", "~~")
    return f"thread-{blake2b(thread.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"
