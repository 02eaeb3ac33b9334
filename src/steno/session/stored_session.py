"""A session's place in a store: found by name, made when it is new.

Facts between the ledger and the store: handed in before they are needed, handed out when they were read.

Neither knows the other. What the store lacks, what another vocabulary read and
what is damaged is read from the messages again, so that the ledger is the same
whatever was kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from steno.core.errors import AlreadyThere, BadInput, NotHere
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.store import KeepsFacts, LoadedLog, MessageReader, SessionInfo, Store, session_names
from steno.core.tape import Tape
from steno.core.wire import Wire
from steno.facts.fact import FACTS_VERSION, decode_facts, encode_facts
from steno.facts.ledger import adopt_facts, entries_so_far
from steno.session.settings import StoredSettings
from steno.store.memory import MemoryStore
from steno.store.sqlite import SQLiteStore
from steno.summary.parse import with_summaries

UNNAMED = "session"


@dataclass(frozen=True)
class StoredSession:
    store: Store
    name: str
    card: SessionInfo | None
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
    ) -> StoredSession:
        """The shelf in a given store, in the file at `path`, or in memory."""
        if path is not None and store is not None:
            raise BadInput("say a path or store=, not both")
        if isinstance(store, str | os.PathLike):
            path, store = store, None
        elif store is not None and not hasattr(store, "session_info"):
            raise BadInput(f"store= is a path or a store, got {type(store).__name__}")
        opened: Store = store or (
            MemoryStore() if path is None else SQLiteStore(path, durable=durable)
        )
        try:
            called = _only_session(opened) if name is None else _check_name(name)
            return cls(opened, called, _find_card(opened, called), owned=store is None)
        except BaseException:
            if store is None:
                opened.close()
            raise

    def choose_wire(self, wire: str | Wire | None) -> str | Wire | None:
        """The wire that was said, if it is the one the session is kept in; else the kept one."""
        if self.card is None:
            return wire
        name = wire if wire is None or isinstance(wire, str) else wire.name
        if name is not None and name != self.card.wire:
            raise BadInput(
                f"the session {self.name!r} is kept in the words of {self.card.wire!r}, not of {name!r}"
            )
        return wire or self.card.wire

    def refuse_other_user(self, user: str | None) -> None:
        """A session that is there already belongs to who began it."""
        if user is not None and self.card is not None and user != self.card.user:
            raise BadInput(f"the session {self.name!r} belongs to another user than {user!r}")

    def require_user_for_memory(self, user: str | None, memory: object) -> None:
        """Memories are somebody's: those of nobody would be everybody's."""
        if memory and not (user or (self.card is not None and self.card.user)):
            raise BadInput("memory=True needs user=: whose memories these are")

    def require_redaction(self, redact: object) -> None:
        """What was begun without secrets gets none because somebody did not think of it."""
        if redact is None and self.settings.redacted:
            raise BadInput(
                f"secrets are taken out of what is added to {self.name!r}: open it with redact= as before, "
                "or with redact=False to keep what is added now as it is"
            )

    @property
    def settings(self) -> StoredSettings:
        if self.card is None:
            return StoredSettings()
        return StoredSettings.parse(self.card.setup)

    def begin(
        self, wire: str, told: StoredSettings, log: Log | None, user: str | None = None
    ) -> None:
        """Make a new session, with what it begins with; or note what is said anew of an old one."""
        if self.card is None:
            self._create(wire, told, log, _check_user(user or ""))
        elif told != self.settings:
            self.update_settings(
                lambda kept: kept.for_reopening(
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

    def _create(self, wire: str, told: StoredSettings, log: Log | None, user: str) -> None:
        try:
            self.store.create(self.name, wire, str(told), user=user)
        except AlreadyThere:
            if log is not None:
                raise
            # Another process began it at the same moment: it is ours as much as theirs.

    def update_settings(self, change: Callable[[StoredSettings], StoredSettings]) -> StoredSettings:
        """Change what is kept of what was told, on what others have told meanwhile."""
        return StoredSettings.parse(
            self.store.change_settings(
                self.name, lambda text: str(change(StoredSettings.parse(text)))
            )
        )

    def append(self, messages: Sequence[Message]) -> int:
        return self.store.append(self.name, messages)

    def commit(self, commit: Commit) -> Commit:
        return self.store.commit(self.name, commit)

    def load_new(self, log: Log, read: MessageReader) -> LoadedLog:
        """What is kept beyond what `log` holds."""
        loaded = self.store.load(
            self.name, read, messages=len(log.messages), commits=len(log.commits)
        )
        return replace(loaded, commits=list(map(with_summaries, loaded.commits)))

    def keep_facts(self, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        if isinstance(self.store, KeepsFacts):
            self.store.keep_facts(self.name, vocabulary, facts)

    def facts(self, vocabulary: int) -> dict[int, bytes]:
        if isinstance(self.store, KeepsFacts):
            return self.store.facts(self.name, vocabulary)
        return {}

    def close(self) -> None:
        if self.owned:
            self.store.close()


def _check_user(user: str) -> str:
    if not isinstance(user, str) or not user.isprintable():
        raise BadInput(f"user= is one line of text, got {user!r}")
    return user


def _check_name(name: str) -> str:
    if not name or not name.isprintable():
        raise BadInput(f"a session's name is one line of text, got {name!r}")
    return name


def _only_session(store: Store) -> str:
    """The one session of a store; a name has to be said where there are more."""
    names = session_names(store)
    if len(names) > 1:
        listed = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        raise BadInput(f"there are {len(names)} sessions, say name=: {listed}")
    if names:
        return names[0]
    return UNNAMED


def _find_card(store: Store, name: str) -> SessionInfo | None:
    try:
        return store.session_info(name)
    except NotHere:
        return None


class StoredFacts:
    def __init__(self, shelf: StoredSession) -> None:
        self._shelf = shelf
        self._held: frozenset[int] | None = None
        """The positions whose facts were in the store when it was asked, once."""
        self._seen = 0
        """The position up to which all that can be kept is."""

    def load(self, messages: Tape[Message]) -> None:
        """Let the ledger have what was kept."""
        if self._held is not None:
            return
        self._held = frozenset()  # whatever comes of it, it is asked once
        kept = ((at, decode_facts(body)) for at, body in self._shelf.facts(FACTS_VERSION).items())
        facts = {at: read for at, read in kept if read is not None}
        adopt_facts(messages, facts)
        self._held = frozenset(facts)

    def save(self, messages: Tape[Message]) -> None:
        """Keep what was read since."""
        held = self._held or frozenset()
        entries = entries_so_far(messages)
        fresh = {
            at: encode_facts(entries[at][1])
            for at in range(self._seen, len(entries))
            if at not in held
        }
        kept = {at: body for at, body in fresh.items() if body is not None}
        if kept:
            self._shelf.keep_facts(FACTS_VERSION, kept)
        self._seen = max(self._seen, len(entries))
