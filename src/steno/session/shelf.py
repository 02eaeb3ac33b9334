"""A session's place in a store: found by name, made when it is new."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from steno.core.error import AlreadyThere, BadInput, NotHere
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.store import Card, Read, Store
from steno.session.setup import Told
from steno.store.memory import MemoryStore
from steno.store.sqlite import SQLiteStore

UNNAMED = "session"


@dataclass(frozen=True)
class Shelf:
    store: Store
    name: str
    card: Card | None
    """What was kept under the name; None for a new one."""
    owned: bool
    """The store was opened for this session alone."""

    @classmethod
    def of(cls, path: str | os.PathLike[str] | None, name: str | None, store: Store | None, durable: bool) -> Shelf:
        """The shelf in a given store, in the file at `path`, or in memory."""
        if path is not None and store is not None:
            raise BadInput("say a path or store=, not both")
        opened: Store = store or (MemoryStore() if path is None else SQLiteStore(path, durable=durable))
        try:
            called = name or _only(opened)
            return cls(opened, called, _card(opened, called), owned=store is None)
        except BaseException:
            if store is None:
                opened.close()
            raise

    @property
    def told(self) -> Told:
        return Told() if self.card is None else Told.read(self.card.setup)

    def begin(self, wire: str, told: Told, log: Log | None) -> None:
        """Make a new session, with what it begins with; or note what is said anew of an old one."""
        if self.card is None:
            self._create(wire, told, log)
        elif told != self.told:
            self.store.note(self.name, str(told))
        if log is not None:
            self.store.append(self.name, log.messages)
            for commit in log.commits:
                self.store.commit(self.name, commit)

    def _create(self, wire: str, told: Told, log: Log | None) -> None:
        try:
            self.store.create(self.name, wire, str(told))
        except AlreadyThere:
            if log is not None:
                raise
            # Another process began it at the same moment: it is ours as much as theirs.

    def append(self, messages: Sequence[Message]) -> int:
        return self.store.append(self.name, messages)

    def commit(self, commit: Commit) -> Commit:
        return self.store.commit(self.name, commit)

    def more(self, log: Log, read: Read) -> tuple[list[Message], list[Commit]]:
        """What is kept beyond what `log` holds."""
        kept = self.store.load(self.name, read, messages=len(log.messages), commits=len(log.commits))
        return kept.messages, kept.commits

    def close(self) -> None:
        if self.owned:
            self.store.close()


def _only(store: Store) -> str:
    """The one session of a store; a name has to be said where there are more."""
    names = store.names()
    if len(names) > 1:
        listed = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        raise BadInput(f"there are {len(names)} sessions, say name=: {listed}")
    return names[0] if names else UNNAMED


def _card(store: Store, name: str) -> Card | None:
    try:
        return store.card(name)
    except NotHere:
        return None
