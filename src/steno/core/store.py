"""What every store can do, whatever it is made of.

A store keeps messages and commits in the order they came. It decides nothing:
it refuses a commit that is stale, and says in one sentence why it cannot write.
What was read from a message may be kept beside it; that can be read again, so it
is never an error when it is gone. What it says is the ledger's to know.
The provider's JSON is the store's to keep and a wire's to read, so who loads a
session says how.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from steno.core.errors import NotHere
from steno.core.log import Commit
from steno.core.message import Message

MessageReader = Callable[[str], Message]


@dataclass(frozen=True)
class SessionInfo:
    """What a store knows of a session without opening it."""

    name: str
    wire: str
    messages: int
    commits: int
    parent: str | None = None
    fork: int | None = None
    setup: str = "{}"
    """What the session was told, as JSON text: window, reserve, model, pins."""
    user: str = ""
    """Whose it is; a search over all of a user's sessions stays within them."""
    chain: bytes = field(default=b"", compare=False)
    """Stands for everything its own messages say; empty where it has none of its own."""


@dataclass(frozen=True)
class LoadedLog:
    """Messages and commits of a session from some point on."""

    messages: list[Message]
    commits: list[Commit]
    setup: str = "{}"


@dataclass(frozen=True)
class Record:
    """A line kept beside the log: a note of the agent's, a mark of a run, a wish."""

    number: int
    kind: str
    text: str
    at: int
    """How many messages there were when it was jotted down; a fork inherits what came before it."""


GONE_MEMORY = "gone"
"""The kind of a memory that says nothing any more, and may only say that others are gone."""


@dataclass(frozen=True)
class Memory:
    """What is kept of a user for later sessions, or the word that something no longer is."""

    id: int
    """Counts from 1 on for each user, and is never given twice."""
    kind: str
    """rule, preference, fact, decision, note; `GONE` for the word that others are."""
    text: str
    trust: str
    """Who wrote the words: person or assistant; never a tool."""
    source: str = ""
    """The session that says it; empty for what was typed as a memory."""
    position: int | None = None
    when: float = 0.0
    """Seconds since 1970."""
    over: tuple[int, ...] = ()
    """The memories whose place it takes."""


MemoryUpdate = Callable[[Sequence[Memory]], Sequence[Memory]]


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One message with where it stands and when it was kept."""

    position: int
    message: Message
    when: float | None = None
    """Seconds since 1970; None where that was not kept yet."""


@dataclass(frozen=True)
class Deletion:
    """What is still known of a session that was removed: nothing of what it held."""

    name: str
    """A hash of what it was called."""
    at: str
    messages: int
    commits: int
    bytes: int
    done: bool
    """False where it was cut off: forget it again, and the rest goes too."""


class Store(Protocol):
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
        """A new session, empty or beginning as another's log up to a position; a fork is its parent's user's."""
        ...

    def append(self, name: str, messages: Sequence[Message]) -> int:
        """Keep more messages for good; the position of the first."""
        ...

    def commit(self, name: str, commit: Commit) -> Commit:
        """Keep a commit for good, and say when it landed; raises Stale where it was drafted on others."""
        ...

    def load(
        self, name: str, read: MessageReader, *, messages: int = 0, commits: int = 0
    ) -> LoadedLog:
        """What is kept from that many messages and commits on."""
        ...

    def session_info(self, name: str) -> SessionInfo:
        """What is known of a session; raises NotHere where there is none."""
        ...

    def names(self, user: str | None = None) -> list[str]:
        """The sessions, or those of one user, oldest first."""
        ...

    def session_infos(self, user: str) -> list[SessionInfo]:
        """What is known of a user's sessions, oldest first."""
        ...

    def messages_from(
        self, name: str, read: MessageReader, start: int, most: int
    ) -> list[StoredMessage]:
        """A session's own messages (those after its fork) from a position on."""
        ...

    def chain_key(self, name: str, position: int) -> bytes:
        """A key that stands for the first messages of a session, that many; raises NotHere beyond its end."""
        ...

    def delete(self, name: str) -> Deletion:
        """Remove a session for good: the one way out. Raises where forks begin with its words."""
        ...

    def deletions(self) -> list[Deletion]:
        """Which sessions were removed, oldest first."""
        ...

    def change_settings(self, name: str, change: Callable[[str], str]) -> str:
        """Change what the session is told, at once for all who hold it; what is kept from now on."""
        ...

    def record(self, name: str, kind: str, text: str) -> Record:
        """Keep a line beside the log for good."""
        ...

    def records(self, name: str, after: int = 0) -> list[Record]:
        """The lines kept beside the log, oldest first, from that number on."""
        ...

    def memories(self, user: str) -> list[Memory]:
        """All that was ever kept of a user, in the order it came, also what others took the place of."""
        ...

    def update_memories(self, user: str, learn: MemoryUpdate) -> list[Memory]:
        """Keep what `learn` makes of all that is kept, numbered on from there; at once for all who do so."""
        ...

    def keep_facts(self, name: str, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        """Keep what a vocabulary read from the messages at these positions, in the place of what was kept of them."""
        ...

    def facts(self, name: str, vocabulary: int) -> dict[int, bytes]:
        """What that very vocabulary read, by position; without what is damaged, since it can be read again."""
        ...

    def close(self) -> None: ...


def blank_memory(memory: Memory) -> Memory:
    """What stays of a memory whose session is forgotten: its number, and what it said is gone."""
    over = memory.over if memory.kind == GONE_MEMORY else ()
    return Memory(memory.id, GONE_MEMORY, "", "", over=over)


def number_memories(memories: Sequence[Memory], kept: int) -> list[Memory]:
    return [replace(memory, id=number) for number, memory in enumerate(memories, start=kept + 1)]


def require_messages_for_facts(facts: Mapping[int, bytes], messages: int) -> None:
    """Facts are of messages that are there."""
    for position in facts:
        if not 0 <= position < messages:
            raise NotHere(
                f"there are no facts of {position}: the log holds {messages} messages from 0 on"
            )
