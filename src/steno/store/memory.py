"""Logs kept in this process: the simplest store, and the oracle for the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from steno.core.error import AlreadyThere, NotHere
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.store import Card, Jot, Kept, Read, refuse_facts_of_nothing


@dataclass(frozen=True)
class _Shelf:
    card: Card
    log: Log
    jots: tuple[Jot, ...] = ()
    facts: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """By position, under the vocabulary that read them."""


class MemoryStore:
    def __init__(self) -> None:
        self._shelves: dict[str, _Shelf] = {}

    def create(self, name: str, wire: str, setup: str = "{}", *, parent: str | None = None, fork: int = 0) -> None:
        if name in self._shelves:
            raise AlreadyThere(name)
        log = Log() if parent is None else self._shelf(parent).log.forked(fork)
        jots = () if parent is None else tuple(jot for jot in self._shelf(parent).jots if jot.at <= fork)
        card = Card(name, wire, 0, 0, parent, None if parent is None else fork, setup)
        self._shelves[name] = _Shelf(card, log, jots)

    def append(self, name: str, messages: Sequence[Message]) -> int:
        shelf = self._shelf(name)
        self._shelves[name] = replace(shelf, log=shelf.log.said(messages))
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
        return replace(shelf.card, messages=len(shelf.log.messages), commits=len(shelf.log.commits))

    def names(self) -> list[str]:
        return list(self._shelves)

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

    def close(self) -> None:
        """Nothing to let go of."""

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
