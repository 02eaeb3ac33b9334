"""One session in its store: found by name, or created.

Owns what may be reopened how (wire, user, redaction), the stored settings, and the facts that are
kept beside the messages. Facts that the store lacks, that an older version read or that are damaged
are read from the messages again, so the ledger is the same whatever was kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from steno.core.errors import AlreadyThere, BadInput, Stale, StoreFailed
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.snapshot import adopt_states, decode_snapshot, encode_snapshot, fold_names
from steno.core.store import (
    LoadedLog,
    MessageReader,
    Records,
    SessionInfo,
    Shared,
    Store,
    StoredName,
    join_names,
    session_names,
    store_of_memories,
)
from steno.core.tape import Tape
from steno.core.wire import Wire
from steno.core.word_tables import word_tuple
from steno.facts.fact import FACTS_VERSION, decode_facts, encode_facts
from steno.facts.ledger import adopt_facts, facts_so_far
from steno.session.settings import StoredSettings
from steno.store.in_process import MemoryStore
from steno.store.names import find_session
from steno.store.open import open_store_at
from steno.summary.read_back import with_summaries

UNNAMED = "session"
GIVEN = word_tuple("window model reserve pins redacted policy system tools")
"""Settings that the options of a caller change."""
KEPT_LEAST = 1_024
"""Messages of a session from which on it pays, and new ones when it is closed."""
GROWN_BY = 8
"""It is kept again when the log has grown by this part of it."""
KEPT_AT_WORK_MOST = 2**15
"""Messages of a session beyond which it is kept only when the session is closed."""
BYTES_MOST = 2**28


@dataclass(frozen=True)
class StoredSession:
    """A session's name in a store."""

    store: Store
    name: StoredName
    info: SessionInfo | None
    """What the store held under the name when it was opened; None before it has begun."""
    is_new: bool
    owned: bool
    """Whether the store was opened for this session alone, and is closed with it."""

    @property
    def key(self) -> str:
        """Its name in the store, bound to this very session once it has begun."""
        if self.info is None:
            return self.name
        return self.info.key

    @property
    def id(self) -> str:
        """What tells it from other sessions of its name; empty if the store cannot."""
        if self.info is None:
            return ""
        return self.info.id

    def require_session(self) -> None:
        """Raise `SessionGone` if the session was deleted since it was opened."""
        # A store that is closed or fails cannot tell, and what is held in memory stays readable.
        with suppress(StoreFailed):
            self.store.session_info(self.key)

    @classmethod
    def of(
        cls,
        path: str | os.PathLike[str] | None,
        name: str | None,
        store: Store | str | os.PathLike[str] | None,
        durable: bool,
        user: str | None = None,
    ) -> StoredSession:
        """Find the session in a given store, in the file at `path`, or in memory."""
        if path is not None and store is not None:
            raise BadInput("say a path or store=, not both")
        if isinstance(store, str | os.PathLike):
            path, store = store, None
        elif store is not None and not hasattr(store, "session_info"):
            raise BadInput(f"store= is a path or a store, got {type(store).__name__}")
        if not (user or "").isprintable():
            raise BadInput(f"user= is one line of text, got {user!r}")
        # A store that was given is the caller's to close.
        owned = store is None
        if store is None:
            store = MemoryStore()
            if path is not None:
                store = open_store_at(path, durable=durable, user=user or "")
        try:
            if name is None:
                name = _only_session(store, user)
            if not name or not (name.isprintable() or isinstance(name, StoredName)):
                raise BadInput(f"a session's name is one line of text, got {name!r}")
            found, info = find_session(store, user or "", name)
            return cls(store, found, info, info is None, owned)
        except BaseException:
            if owned:
                store.close()
            raise

    def choose_wire(self, wire: str | Wire | None) -> str | Wire | None:
        """Return the given wire, or the one that the session is kept in; refuse another."""
        if self.info is None:
            return wire
        if wire is None:
            return self.info.wire
        name = wire
        if not isinstance(name, str):
            name = name.name
        if name != self.info.wire:
            raise BadInput(
                f"the session {self.name!r} is kept in the words of {self.info.wire!r}, "
                f"not of {name!r}: name a model of that provider, or begin another session"
            )
        return wire

    def refuse_other_user(self, user: str | None, name: str | None) -> None:
        """Refuse to open a session that another user began."""
        # Earlier versions stored a user's session under its name alone.
        if user is None and ":" in str(name) and not isinstance(name, StoredName):
            user = ""
        if user is not None and self.info is not None and user != self.info.user:
            raise self._belongs_to_another(user)

    def _belongs_to_another(self, user: str) -> BadInput:
        return BadInput(f"the session {self.name!r} belongs to another user than {user!r}")

    def require_memories(self, user: str | None, memory: object) -> None:
        """Refuse memory without a user, whose it would be, or in a store that keeps none."""
        if not memory:
            return
        if not (user or (self.info is not None and self.info.user)):
            raise BadInput("memory=True needs user=: whose memories these are")
        store_of_memories(self.store)

    def require_redaction(self, redact: object) -> None:
        """Refuse to add secrets by mistake to a session that was begun without them."""
        if redact is None and self.settings.redacted:
            raise BadInput(
                f"secrets are taken out of what is added to {self.name!r}: "
                "open it with redact= as before, or with redact=False to keep what is added now "
                "as it is"
            )

    @property
    def settings(self) -> StoredSettings:
        if self.info is None:
            return StoredSettings()
        return StoredSettings.parse(self.info.setup)

    def begin(
        self, wire: str, settings: StoredSettings, log: Log | None, user: str | None = None
    ) -> StoredSession:
        """Create the session, or store changed settings of an old one; return it as it is then."""
        begun = self
        if self.info is None:
            begun = self._create(wire, settings, log, user or "")
        elif settings != self.settings:
            given = {name: getattr(settings, name) for name in GIVEN}
            self.update_settings(lambda kept: kept.for_reopening(**given))
        if log is not None:
            begun.append_with_commits(log.messages, log.commits)
        return begun

    def _create(
        self, wire: str, settings: StoredSettings, log: Log | None, user: str
    ) -> StoredSession:
        try:
            self.store.create(self.name, wire, str(settings), user=user)
        except AlreadyThere:
            if log is not None:
                raise
            # Another process created it at the same moment; both may use it, for one user.
        _, info = find_session(self.store, user, self.name)
        # A store that is bound to a user does not show the sessions of others.
        if info is None or info.user != user:
            raise self._belongs_to_another(user)
        return replace(self, info=info)

    def update_settings(self, change: Callable[[StoredSettings], StoredSettings]) -> StoredSettings:
        """Change the stored settings, on top of what other processes changed."""
        return StoredSettings.parse(
            self.store.change_settings(
                self.key, lambda text: str(change(StoredSettings.parse(text)))
            )
        )

    def append_with_commits(
        self, messages: Sequence[Message], commits: Sequence[Commit], start: int | None = None
    ) -> None:
        """Store messages, from `start` on, and their commits: all or nothing, if the store can."""

        def write() -> None:
            at = self.store.append(self.key, messages)
            if start is not None and at != start:
                raise Stale(start, at)
            for commit in commits:
                self.store.commit(self.key, commit)

        if isinstance(self.store, Shared):
            self.store.transaction(write)
        else:
            write()

    def load(self, read: MessageReader, messages: int, commits: int) -> LoadedLog:
        """Return what is stored after so many messages and commits."""
        loaded = self.store.load(self.key, read, messages=messages, commits=commits)
        return replace(loaded, commits=list(map(with_summaries, loaded.commits)))

    def close(self) -> None:
        if self.owned:
            self.store.close()


def _only_session(store: Store, user: str | None) -> str:
    """Return the name of the only session of a user, or of nobody; refuse if there are several."""
    names = session_names(store, user or "")
    if len(names) > 1:
        raise BadInput(f"there are {len(names)} sessions, say name=: {join_names(names)}")
    if names:
        return StoredName(names[0])
    if not user and session_names(store):
        raise BadInput("its sessions belong to users: say user=, or name= to begin one of nobody's")
    return UNNAMED


class StoredFacts:
    """Passes facts between the ledger and the store; neither knows the other."""

    def __init__(self, stored: StoredSession, setup: str = "") -> None:
        self._stored = stored
        self._version = FACTS_VERSION
        if setup:
            # Of no use to a redactor are facts of messages from which it took nothing; so this is
            # a number that no version of the readers has.
            self._version += int(setup[:8], 16) << 16
        self._held: frozenset[int] | None = None
        """Positions whose facts were in the store when it was asked, once."""
        self._seen = 0
        """Position up to which everything is stored that can be."""

    def load(self, messages: Tape[Message]) -> None:
        """Hand the stored facts to the ledger, which may know those of the first messages."""
        store = self._stored.store
        if self._held is not None or not isinstance(store, Records):
            return
        # Ask once, also if it fails.
        self._held = frozenset()
        self._seen = len(facts_so_far(messages))
        stored = store.facts(self._stored.key, self._version, self._seen).items()
        kept = ((at, decode_facts(body)) for at, body in stored)
        facts = {at: read for at, read in kept if read is not None}
        adopt_facts(messages, facts)
        self._held = frozenset(facts)

    def save(self, messages: Tape[Message]) -> None:
        """Store what was read since."""
        held = self._held or frozenset()
        read = facts_so_far(messages)
        fresh = {
            at: encode_facts(read[at]) for at in range(self._seen, len(read)) if at not in held
        }
        kept = {at: body for at, body in fresh.items() if body is not None}
        store = self._stored.store
        if kept and isinstance(store, Records):
            store.keep_facts(self._stored.key, self._version, kept)
        self._seen = max(self._seen, len(read))


class Snapshots:
    """Passes what was folded of a long session to its store, and back: whole, so seldom."""

    def __init__(self, stored: StoredSession, setup: str = "") -> None:
        self._stored = stored
        self._mark = setup.encode()
        """How the bytes begin: those of another redactor are not read."""
        self._upto = 0
        """How many messages are added up in the store."""
        self._names: set[str] = set()
        """Names of the states that are there."""

    def load(self, messages: Tape[Message]) -> None:
        """Let the messages go on from what was folded of them before."""
        store = self._stored.store
        if len(messages) < KEPT_LEAST or not isinstance(store, Shared):
            return
        kept = store.snapshot(self._stored.key)
        if kept is not None:
            self._upto, body = kept
            if not body.startswith(self._mark):
                return
            states = decode_snapshot(body.removeprefix(self._mark))
            self._names = set(states)
            adopt_states(messages, states)

    def save(self, messages: Tape[Message], *, closing: bool = False) -> None:
        """Keep what was added up, if it has grown by enough or is in another format there."""
        store = self._stored.store
        grown = KEPT_LEAST
        if not closing:
            grown = max(grown, self._upto // GROWN_BY)
        if not isinstance(store, Shared) or len(messages) < KEPT_LEAST:
            return
        if len(messages) - self._upto < grown and fold_names(messages) <= self._names:
            return
        if len(messages) > KEPT_AT_WORK_MOST and not closing:
            # To write it all takes seconds then, and a compaction must not.
            return
        # Also if it cannot be kept: the next try is not sooner.
        self._upto = len(messages)
        self._names |= fold_names(messages)
        try:
            body = self._mark + encode_snapshot(messages)
        except ValueError:
            return
        if len(body) <= BYTES_MOST:
            store.keep_snapshot(self._stored.key, len(messages), body)
