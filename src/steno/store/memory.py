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

from steno.core.error import AlreadyThere, BadInput, NotHere
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.store import (
    Card,
    Forgotten,
    Jot,
    Kept,
    Learn,
    Memory,
    Read,
    Said,
    blank,
    numbered,
    refuse_facts_of_nothing,
)
from steno.core.tape import Tape
from steno.store.index import Index


@dataclass(frozen=True)
class _Shelf:
    card: Card
    log: Log
    jots: tuple[Jot, ...] = ()
    facts: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """By position, under the vocabulary that read them."""
    times: Tape[float] = field(default_factory=Tape)
    """When its own messages were kept."""
    born: bytes = field(default_factory=lambda: uuid4().bytes)


class MemoryStore:
    def __init__(self, *, dated: bool = True) -> None:
        """`dated` False for what was said at times that nobody knows."""
        self._dated = dated
        self._shelves: dict[str, _Shelf] = {}
        self._forgotten: list[Forgotten] = []
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
        log = Log() if parent is None else self._shelf(parent).log.forked(fork)
        jots = () if parent is None else tuple(jot for jot in self._shelf(parent).jots if jot.at <= fork)
        whose = user if parent is None else self._shelf(parent).card.user
        card = Card(name, wire, 0, 0, parent, None if parent is None else fork, setup, whose)
        self._shelves[name] = _Shelf(card, log, jots)

    def append(self, name: str, messages: Sequence[Message]) -> int:
        shelf = self._shelf(name)
        times = shelf.times.plus([time.time()] * len(messages))
        self._shelves[name] = replace(shelf, log=shelf.log.said(messages), times=times)
        return len(shelf.log.messages)

    def commit(self, name: str, commit: Commit) -> Commit:
        shelf = self._shelf(name)
        log = shelf.log.committed(commit)
        self._shelves[name] = replace(shelf, log=log)
        return log.commits[-1]

    def load(self, name: str, read: Read, *, messages: int = 0, commits: int = 0) -> Kept:
        shelf = self._shelf(name)
        return Kept(shelf.log.messages[messages:], shelf.log.commits[commits:], shelf.card.setup)

    def card(self, name: str) -> Card:
        shelf = self._shelf(name)
        count = len(shelf.log.messages)
        chain = self.chain(name, count) if count > (shelf.card.fork or 0) else b""
        return replace(shelf.card, messages=count, commits=len(shelf.log.commits), chain=chain)

    def cards(self, user: str) -> list[Card]:
        return [self.card(name) for name in self.names(user)]

    def names(self, user: str | None = None) -> list[str]:
        return [name for name, shelf in self._shelves.items() if user in (None, shelf.card.user)]

    def said(self, name: str, read: Read, start: int, most: int) -> list[Said]:
        shelf = self._shelf(name)
        fork = shelf.card.fork or 0
        start = max(start, fork)
        said = shelf.log.messages[start : start + most]
        times = [shelf.times[at - fork] if self._dated else None for at in range(start, start + len(said))]
        return [Said(at, message, when) for at, (message, when) in enumerate(zip(said, times, strict=True), start)]

    def chain(self, name: str, position: int) -> bytes:
        """Which session it is says enough: what was said before a position does not change."""
        shelf = self._shelf(name)
        if position > len(shelf.log.messages):
            raise NotHere(f"{name!r} holds {len(shelf.log.messages)} messages, not {position}")
        return shelf.born + position.to_bytes(8)

    def forget(self, name: str) -> Forgotten:
        if name not in self._shelves and self._blanked(name):  # of a file that is no session here
            self._forgotten.append(_noted(name, 0, 0, 0))
            return self._forgotten[-1]
        shelf = self._shelf(name)
        forks = [each.card.name for each in self._shelves.values() if each.card.parent == name]
        if forks:
            listed = ", ".join(forks)
            raise BadInput(f"{name!r} cannot be forgotten: forks begin with its words; forget them first: {listed}")
        own = shelf.log.messages[shelf.card.fork or 0 :]
        size = sum(len((message.raw or "").encode("utf-8", "surrogatepass")) for message in own)
        del self._shelves[name]
        self._blanked(name)
        if "index" in self.__dict__:
            self.index.forget(name)
        self._forgotten.append(_noted(name, len(own), len(shelf.log.commits), size))
        return self._forgotten[-1]

    def forgotten(self) -> list[Forgotten]:
        return list(self._forgotten)

    def note(self, name: str, change: Callable[[str], str]) -> str:
        shelf = self._shelf(name)
        setup = change(shelf.card.setup)
        self._shelves[name] = replace(shelf, card=replace(shelf.card, setup=setup))
        return setup

    def jot(self, name: str, kind: str, text: str) -> Jot:
        shelf = self._shelf(name)
        jot = Jot(len(shelf.jots), kind, text, len(shelf.log.messages))
        self._shelves[name] = replace(shelf, jots=(*shelf.jots, jot))
        return jot

    def jots(self, name: str, after: int = 0) -> list[Jot]:
        return list(self._shelf(name).jots[after:])

    def keep_facts(self, name: str, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        refuse_facts_of_nothing(facts, len(self._shelf(name).log.messages))
        for position, read in facts.items():
            self._holder(name, position).facts[position] = (vocabulary, read)

    def facts(self, name: str, vocabulary: int) -> dict[int, bytes]:
        held = {at: self._holder(name, at).facts.get(at) for at in range(len(self._shelf(name).log.messages))}
        return {at: kept[1] for at, kept in held.items() if kept is not None and kept[0] == vocabulary}

    def memories(self, user: str) -> list[Memory]:
        return list(self._memories.get(user, ()))

    def memorize(self, user: str, learn: Learn) -> list[Memory]:
        with self._learning:
            kept = self.memories(user)
            new = numbered(learn(kept), len(kept))
            self._memories[user] = kept + new
            return new

    def close(self) -> None:
        if "index" in self.__dict__:
            self.index.close()

    def _blanked(self, source: str) -> bool:
        found = False
        for user, kept in self._memories.items():
            found = found or any(each.source == source for each in kept)
            self._memories[user] = [blank(each) if each.source == source else each for each in kept]
        return found

    def _holder(self, name: str, position: int) -> _Shelf:
        """The shelf on which the message at a position was said: a fork's, or one that it began as."""
        shelf = self._shelf(name)
        inherited = shelf.card.parent is not None and position < (shelf.card.fork or 0)
        return self._holder(shelf.card.parent or "", position) if inherited else shelf

    def _shelf(self, name: str) -> _Shelf:
        if name not in self._shelves:
            known = ", ".join(self._shelves) or "none"
            raise NotHere(f"no session is named {name!r}; there are: {known}")
        return self._shelves[name]


def _noted(name: str, messages: int, commits: int, size: int) -> Forgotten:
    hashed = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return Forgotten(hashed, at, messages, commits, size, done=True)
