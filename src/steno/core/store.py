"""The protocol of a store, and the values it gives back.

A store keeps messages and commits in the order they came. The provider's JSON is the store's to
keep and a wire's to read, so the caller of `load` passes the reader.

An open session keeps its `SessionKey`: if the session is deleted and another begun under its
name, the old one can neither read nor write there.

`Store` is all that a session needs. Two protocols are optional: `Records` keeps rows of other
kinds beside the log, `Shared` is for several processes or hosts.
`steno.testing.StoreContract` checks a store against `Store` and `Records`.

What is derived from a store and kept elsewhere, such as recall's index, observes stores
(`observe_stores`): a store announces a deletion and its closing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Protocol, runtime_checkable

from steno.core.errors import BadInput, NotHere, SessionGone
from steno.core.log import Commit
from steno.core.message import Message, Value

NAMES_LISTED = 10
"""Names that an error lists."""

MessageReader = Callable[[str], Message]
"""Reads a message from the provider's JSON text."""


class StoredName(str):
    """A session's name as a store has it; any other string is a name that a caller gave."""


class SessionKey(StoredName):
    """A stored name, bound to a session's id: a store raises `SessionGone` for any other one."""

    id: str

    def __new__(cls, name: str, id: str) -> SessionKey:
        # The text itself: `str` of a member of an enumeration is another.
        key = super().__new__(cls, str.__str__(name))
        key.id = id
        return key


def require_same_session(name: str, id: str) -> None:
    """Raise `SessionGone` if a name is bound to another session than the one of this id."""
    if isinstance(name, SessionKey) and name.id != id:
        raise SessionGone(name)


@dataclass(frozen=True)
class SessionInfo:
    """What a store knows of a session without loading it."""

    name: str
    wire: str
    messages: int
    commits: int
    parent: str | None = None
    fork: int | None = None
    """How many messages of its parent it begins with."""
    setup: str = "{}"
    """The session's settings as JSON text: window, reserve, model, pins."""
    user: str = ""
    """The user it belongs to; a search over a user's sessions stays within them."""
    chain: bytes = field(default=b"", compare=False)
    """Key of its whole history; empty if it has no messages of its own."""
    id: str = field(default="", compare=False)
    """Tells it from every other session that the store ever held; empty if the store cannot."""
    inherits: int = 0
    """How many of its commits are its parent's."""

    @property
    def key(self) -> StoredName:
        """Its name, bound to this very session if the store tells sessions apart."""
        if self.id:
            return SessionKey(self.name, self.id)
        return StoredName(self.name)


@dataclass(frozen=True)
class LoadedLog:
    """Messages and commits of a session from some point on, and its settings."""

    messages: list[Message]
    commits: list[Commit]
    setup: str = "{}"


class Record(Value):
    """A line kept beside the log: a note of the agent, a mark of a run, a deferred compaction."""

    number: int
    kind: str
    text: str
    at: int
    """How many messages there were when it was written; a fork inherits the records before it."""


GONE_MEMORY = "gone"
"""Kind of a memory that only says which other memories are gone."""


@dataclass(frozen=True)
class Memory:
    """A fact kept of a user for later sessions, or a note that other memories are gone."""

    id: int
    """Counts from 1 for each user; a number is never used twice."""
    kind: str
    """constraint, preference, fact, decision or note; `GONE_MEMORY` for a removal."""
    text: str
    trust: str
    """Who wrote the words: person or assistant; never a tool."""
    source: str = ""
    """The session it comes from; empty if it was typed as a memory."""
    position: int | None = None
    when: float = 0.0
    """Seconds since 1970."""
    over: tuple[int, ...] = ()
    """Ids of the memories that it replaces."""


MemoryUpdate = Callable[[Sequence[Memory]], Sequence[Memory]]
"""Takes every memory kept so far and returns those to add; their ids are ignored."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message with its position and the time it was kept."""

    position: int
    message: Message
    when: float | None = None
    """Seconds since 1970; None if the time was not kept."""
    chain: bytes = b""
    """Key of the history up to and including this message."""


@dataclass(frozen=True)
class Deletion:
    """What a store still knows of a deleted session: when, how much, and a hash of its name."""

    name: str
    """Hash of the session's name, see `hash_name`."""
    at: str
    messages: int
    commits: int
    bytes: int
    done: bool
    """False if the deletion was interrupted; delete the session again to finish it."""


class Store(Protocol):
    """What a session needs from a store. Every write is kept for good when the call returns."""

    @property
    def path(self) -> Path | None:
        """The file it keeps everything in, if there is one; an index is put beside it."""

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
        """Create an empty session, or a fork that begins as the first messages of its parent.

        A fork belongs to its parent's user. Raise `AlreadyThere` if the name is taken, and
        `NotHere` if the parent holds fewer messages than `fork`.
        """

    def append(self, name: str, messages: Sequence[Message]) -> int:
        """Keep more messages and return the position of the first.

        Keep `raw` to the letter, and texts with lone surrogates, which UTF-8 cannot encode.
        """

    def commit(self, name: str, commit: Commit) -> Commit:
        """Keep a commit and return it as landed; raise `Stale` if its base is not the newest.

        Refuse a commit that saw more messages than the log holds (its `at` is beyond the log).
        """

    def load(
        self, name: str, read: MessageReader, *, messages: int = 0, commits: int = 0
    ) -> LoadedLog:
        """Return the log after the first `messages` messages and `commits` commits."""

    def messages_from(
        self, name: str, read: MessageReader, start: int, most: int
    ) -> list[StoredMessage]:
        """Return up to `most` of the session's own messages (after its fork) from `start` on."""

    def session_info(self, name: str) -> SessionInfo:
        """Return what is known of a session; raise `NotHere` if there is none of that name."""

    def sessions(self, user: str | None = None) -> list[SessionInfo]:
        """Return what is known of every session, or of one user's, oldest first."""

    def change_settings(self, name: str, change: Callable[[str], str]) -> str:
        """Replace the settings by what `change` makes of them, in one transaction."""

    def record(self, name: str, kind: str, text: str) -> Record:
        """Keep a line beside the log."""

    def records(self, name: str, after: int = 0) -> list[Record]:
        """Return the lines beside the log from number `after` on, oldest first."""

    def delete(self, name: str) -> Deletion:
        """Delete a session for good, and announce it with `announce_deleted`.

        Raise `BadInput` if other sessions were forked from it. If an observer raises, the same
        call can be repeated; once one is done, another raises `NotHere`.
        """

    def close(self) -> None:
        """Close the store, and announce it with `announce_closed`."""


@runtime_checkable
class Records(Protocol):
    """A store that also keeps rows beside the log: facts by position, and memories of users.

    Without them, facts are read from the messages again, and a session remembers no user.
    """

    def keep_facts(self, name: str, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        """Keep what a version of the readers found at these positions, replacing what was kept."""

    def facts(self, name: str, vocabulary: int, start: int = 0) -> dict[int, bytes]:
        """Return what this version found from a position on; leave out what is damaged."""

    def memories(self, user: str) -> list[Memory]:
        """Return every memory ever kept of a user in order, replaced ones included."""

    def update_memories(self, user: str, learn: MemoryUpdate) -> list[Memory]:
        """Add what `learn` makes of the memories, numbered on, in one transaction."""


@runtime_checkable
class Shared(Protocol):
    """A store for several processes, at once or one after the other, on one host or on several."""

    def transaction(self, work: Callable[[], None]) -> None:
        """Do some work; keep everything that it writes, or nothing."""

    def keep_snapshot(self, name: str, upto: int, body: bytes) -> None:
        """Keep what the first `upto` messages of a session add up to, instead of before."""

    def snapshot(self, name: str) -> tuple[int, bytes] | None:
        """Return what was kept last, and of how many messages; None if it does not hold."""


class StoreObserver(Protocol):
    """Keeps something derived from stores, and must drop it with its source."""

    def session_deleted(self, store: Store, name: str) -> None: ...

    def store_closed(self, store: Store) -> None: ...


_observers: list[StoreObserver] = []
OBSERVING_MODULES = ("steno.recall.index",)
"""Modules of ours that observe stores once they are imported."""


def observe_stores(observer: StoreObserver) -> None:
    """Tell this observer of every deletion and every closing of a store in this process."""
    _observers.append(observer)


def stop_observing(observer: StoreObserver) -> None:
    """Tell this observer no more."""
    _observers.remove(observer)


def announce_deleted(store: Store, name: str) -> None:
    """Tell every observer that a session's messages are gone from the store.

    A store calls this after it removed the messages and before it reports the deletion as
    done, so that a deletion that failed half way is repeated whole.
    """
    # A process that never searched has not imported the index, whose file may hold the words.
    for module in OBSERVING_MODULES:
        import_module(module)
    for observer in _observers:
        observer.session_deleted(store, name)


def announce_closed(store: Store) -> None:
    """Tell every observer that the store is closed."""
    for observer in _observers:
        observer.store_closed(store)


def session_names(store: Store, user: str | None = None) -> list[str]:
    """Return the names of every session, or of one user's, oldest first."""
    return [info.name for info in store.sessions(user)]


def user_names(store: Store) -> list[str]:
    """Return the users that have sessions, in order of the alphabet."""
    return sorted({info.user for info in store.sessions()})


def store_of_memories(store: Store) -> Records:
    """Return the store as one that keeps memories, or raise `BadInput`."""
    if isinstance(store, Records):
        return store
    raise BadInput(
        f"{type(store).__name__} keeps no memories: "
        "use a store with `memories` and `update_memories`, for instance SQLiteStore"
    )


def join_names(names: Sequence[str]) -> str:
    """Return names for an error, not too many."""
    listed = ", ".join(names[:NAMES_LISTED])
    if len(names) > NAMES_LISTED:
        listed += ", …"
    return listed


def no_session(name: str, known: Sequence[str]) -> NotHere:
    """Return the error for a name that is not in a store."""
    if isinstance(name, SessionKey):
        return SessionGone(name)
    listed = join_names(known) or "none"
    return NotHere(f"no session is named {name!r}; there are: {listed}")


def hash_name(name: str) -> bytes:
    """Return the hash that stands for a deleted session's name."""
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
