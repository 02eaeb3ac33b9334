"""A session's place in a store: found by name, made when it is new."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from steno.core.error import AlreadyThere, BadInput, NotHere
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.store import Card, Kept, Read, Store
from steno.core.wire import Wire
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
    def of(
        cls,
        path: str | os.PathLike[str] | None,
        name: str | None,
        store: Store | str | os.PathLike[str] | None,
        durable: bool,
    ) -> Shelf:
        """The shelf in a given store, in the file at `path`, or in memory."""
        if path is not None and store is not None:
            raise BadInput("say a path or store=, not both")
        if isinstance(store, str | os.PathLike):
            path, store = store, None
        elif store is not None and not hasattr(store, "names"):
            raise BadInput(f"store= is a path or a store, got {type(store).__name__}")
        opened: Store = store or (MemoryStore() if path is None else SQLiteStore(path, durable=durable))
        try:
            called = _only(opened) if name is None else _said(name)
            return cls(opened, called, _card(opened, called), owned=store is None)
        except BaseException:
            if store is None:
                opened.close()
            raise

    def wire_or(self, wire: str | Wire | None) -> str | Wire | None:
        """The wire that was said, if it is the one the session is kept in; else the kept one."""
        if self.card is None:
            return wire
        name = wire if wire is None or isinstance(wire, str) else wire.name
        if name is not None and name != self.card.wire:
            raise BadInput(f"the session {self.name!r} is kept in the words of {self.card.wire!r}, not of {name!r}")
        return wire or self.card.wire

    def refuse_others(self, user: str | None) -> None:
        """A session that is there already belongs to who began it."""
        if user is not None and self.card is not None and user != self.card.user:
            raise BadInput(f"the session {self.name!r} belongs to another user than {user!r}")

    def refuse_nobody(self, user: str | None, memory: object) -> None:
        """Memories are somebody's: those of nobody would be everybody's."""
        if memory and not (user or (self.card is not None and self.card.user)):
            raise BadInput("memory=True needs user=: whose memories these are")

    def refuse_unredacted(self, redact: object) -> None:
        """What was begun without secrets gets none because somebody did not think of it."""
        if redact is None and self.told.redacted:
            raise BadInput(
                f"secrets are taken out of what is added to {self.name!r}: open it with redact= as before, "
                "or with redact=False to keep what is added now as it is"
            )

    @property
    def told(self) -> Told:
        return Told() if self.card is None else Told.read(self.card.setup)

    def begin(self, wire: str, told: Told, log: Log | None, user: str | None = None) -> None:
        """Make a new session, with what it begins with; or note what is said anew of an old one."""
        if self.card is None:
            self._create(wire, told, log, _whose(user or ""))
        elif told != self.told:
            self.note(
                lambda kept: kept.anew(
                    window=told.window,
                    model=told.model,
                    reserve=told.reserve,
                    pins=told.pins,
                    redacted=told.redacted or None,
                )
            )
        if log is not None:
            self.store.append(self.name, log.messages)
            for commit in log.commits:
                self.store.commit(self.name, commit)

    def _create(self, wire: str, told: Told, log: Log | None, user: str) -> None:
        try:
            self.store.create(self.name, wire, str(told), user=user)
        except AlreadyThere:
            if log is not None:
                raise
            # Another process began it at the same moment: it is ours as much as theirs.

    def note(self, change: Callable[[Told], Told]) -> Told:
        """Change what is kept of what was told, on what others have told meanwhile."""
        return Told.read(self.store.note(self.name, lambda text: str(change(Told.read(text)))))

    def append(self, messages: Sequence[Message]) -> int:
        return self.store.append(self.name, messages)

    def commit(self, commit: Commit) -> Commit:
        return self.store.commit(self.name, commit)

    def more(self, log: Log, read: Read) -> Kept:
        """What is kept beyond what `log` holds."""
        return self.store.load(self.name, read, messages=len(log.messages), commits=len(log.commits))

    def keep_facts(self, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        self.store.keep_facts(self.name, vocabulary, facts)

    def facts(self, vocabulary: int) -> dict[int, bytes]:
        return self.store.facts(self.name, vocabulary)

    def close(self) -> None:
        if self.owned:
            self.store.close()


def _whose(user: str) -> str:
    if not isinstance(user, str) or not user.isprintable():
        raise BadInput(f"user= is one line of text, got {user!r}")
    return user


def _said(name: str) -> str:
    if not name or not name.isprintable():
        raise BadInput(f"a session's name is one line of text, got {name!r}")
    return name


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
