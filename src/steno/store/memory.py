"""Logs kept in this process: the simplest store, and the oracle for the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from uuid import uuid4

from steno.core.errors import AlreadyThere, BadInput, NotHere
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.store import (
    Deletion,
    LoadedLog,
    Memory,
    MemoryUpdate,
    MessageReader,
    Record,
    SessionInfo,
    StoredMessage,
    blank_memory,
    number_memories,
    require_messages_for_facts,
)
from steno.core.tape import Tape
from steno.store.index import Index


@dataclass(frozen=True)
class _MemorySession:
    card: SessionInfo
    log: Log
    jots: tuple[Record, ...] = ()
    facts: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """By position, under the vocabulary that read them."""
    times: Tape[float] = field(default_factory=Tape)
    """When its own messages were kept."""
    born: bytes = field(default_factory=lambda: uuid4().bytes)


class MemoryStore:
    def __init__(self, *, dated: bool = True) -> None:
        """`dated` False for what was said at times that nobody knows."""
        self._dated = dated
        self._shelves: dict[str, _MemorySession] = {}
        self._forgotten: list[Deletion] = []
        self._memories: dict[str, list[Memory]] = {}
        self._learning = threading.Lock()

    @cached_property
    def index(self) -> Index:
        """What recall searches; made when it is first wanted."""
        return Index()

    def create(
        self,
        name: str,
        wire: str,
        setup: str = "{}",
        *,
        parent: str | None = None,
        fork: int = 0,
        user: str = "",
    ) -> None:
        if name in self._shelves:
            raise AlreadyThere(name)
        log = Log() if parent is None else self._session(parent).log.fork(fork)
        jots = (
            ()
            if parent is None
            else tuple(jot for jot in self._session(parent).jots if jot.at <= fork)
        )
        whose = user if parent is None else self._session(parent).card.user
        card = SessionInfo(name, wire, 0, 0, parent, None if parent is None else fork, setup, whose)
        self._shelves[name] = _MemorySession(card, log, jots)

    def append(self, name: str, messages: Sequence[Message]) -> int:
        shelf = self._session(name)
        times = shelf.times.plus([time.time()] * len(messages))
        self._shelves[name] = replace(shelf, log=shelf.log.with_messages(messages), times=times)
        return len(shelf.log.messages)

    def commit(self, name: str, commit: Commit) -> Commit:
        shelf = self._session(name)
        log = shelf.log.with_commit(commit)
        self._shelves[name] = replace(shelf, log=log)
        return log.commits[-1]

    def load(
        self, name: str, read: MessageReader, *, messages: int = 0, commits: int = 0
    ) -> LoadedLog:
        shelf = self._session(name)
        return LoadedLog(
            shelf.log.messages[messages:], shelf.log.commits[commits:], shelf.card.setup
        )

    def session_info(self, name: str) -> SessionInfo:
        shelf = self._session(name)
        count = len(shelf.log.messages)
        chain = self.chain_key(name, count) if count > (shelf.card.fork or 0) else b""
        return replace(shelf.card, messages=count, commits=len(shelf.log.commits), chain=chain)

    def session_infos(self, user: str) -> list[SessionInfo]:
        return [self.session_info(name) for name in self.names(user)]

    def names(self, user: str | None = None) -> list[str]:
        return [name for name, shelf in self._shelves.items() if user in (None, shelf.card.user)]

    def messages_from(
        self, name: str, read: MessageReader, start: int, most: int
    ) -> list[StoredMessage]:
        shelf = self._session(name)
        fork = shelf.card.fork or 0
        start = max(start, fork)
        said = shelf.log.messages[start : start + most]
        times = [
            shelf.times[at - fork] if self._dated else None
            for at in range(start, start + len(said))
        ]
        return [
            StoredMessage(at, message, when)
            for at, (message, when) in enumerate(zip(said, times, strict=True), start)
        ]

    def chain_key(self, name: str, position: int) -> bytes:
        """Which session it is says enough: what was said before a position does not change."""
        shelf = self._session(name)
        if position > len(shelf.log.messages):
            raise NotHere(f"{name!r} holds {len(shelf.log.messages)} messages, not {position}")
        return shelf.born + position.to_bytes(8)

    def delete(self, name: str) -> Deletion:
        if name not in self._shelves and self._blank_memories(
            name
        ):  # of a file that is no session here
            self._forgotten.append(_removal_note(name, 0, 0, 0))
            return self._forgotten[-1]
        shelf = self._session(name)
        forks = [each.card.name for each in self._shelves.values() if each.card.parent == name]
        if forks:
            listed = ", ".join(forks)
            raise BadInput(
                f"{name!r} cannot be forgotten: forks begin with its words; forget them first: {listed}"
            )
        own = shelf.log.messages[shelf.card.fork or 0 :]
        size = sum(len((message.raw or "").encode("utf-8", "surrogatepass")) for message in own)
        del self._shelves[name]
        self._blank_memories(name)
        if "index" in self.__dict__:
            self.index.forget(name)
        self._forgotten.append(_removal_note(name, len(own), len(shelf.log.commits), size))
        return self._forgotten[-1]

    def deletions(self) -> list[Deletion]:
        return list(self._forgotten)

    def change_settings(self, name: str, change: Callable[[str], str]) -> str:
        shelf = self._session(name)
        setup = change(shelf.card.setup)
        self._shelves[name] = replace(shelf, card=replace(shelf.card, setup=setup))
        return setup

    def record(self, name: str, kind: str, text: str) -> Record:
        shelf = self._session(name)
        jot = Record(len(shelf.jots), kind, text, len(shelf.log.messages))
        self._shelves[name] = replace(shelf, jots=(*shelf.jots, jot))
        return jot

    def records(self, name: str, after: int = 0) -> list[Record]:
        return list(self._session(name).jots[after:])

    def keep_facts(self, name: str, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        require_messages_for_facts(facts, len(self._session(name).log.messages))
        for position, read in facts.items():
            self._holder(name, position).facts[position] = (vocabulary, read)

    def facts(self, name: str, vocabulary: int) -> dict[int, bytes]:
        held = {
            at: self._holder(name, at).facts.get(at)
            for at in range(len(self._session(name).log.messages))
        }
        return {
            at: kept[1] for at, kept in held.items() if kept is not None and kept[0] == vocabulary
        }

    def memories(self, user: str) -> list[Memory]:
        return list(self._memories.get(user, ()))

    def update_memories(self, user: str, learn: MemoryUpdate) -> list[Memory]:
        with self._learning:
            kept = self.memories(user)
            new = number_memories(learn(kept), len(kept))
            self._memories[user] = kept + new
            return new

    def close(self) -> None:
        if "index" in self.__dict__:
            self.index.close()

    def _blank_memories(self, source: str) -> bool:
        found = False
        for user, kept in self._memories.items():
            found = found or any(each.source == source for each in kept)
            self._memories[user] = [
                blank_memory(each) if each.source == source else each for each in kept
            ]
        return found

    def _holder(self, name: str, position: int) -> _MemorySession:
        """The shelf on which the message at a position was said: a fork's, or one that it began as."""
        shelf = self._session(name)
        inherited = shelf.card.parent is not None and position < (shelf.card.fork or 0)
        if inherited:
            return self._holder(shelf.card.parent or "", position)
        return shelf

    def _session(self, name: str) -> _MemorySession:
        if name not in self._shelves:
            known = ", ".join(self._shelves) or "none"
            raise NotHere(f"no session is named {name!r}; there are: {known}")
        return self._shelves[name]


def _removal_note(name: str, messages: int, commits: int, size: int) -> Deletion:
    hashed = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return Deletion(hashed, at, messages, commits, size, done=True)
