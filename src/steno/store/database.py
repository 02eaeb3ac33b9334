"""What the SQL store needs from a database, and what SQLite and PostgreSQL do differently.

Each has its own transactions, errors, and way to keep the text of a message; a session's rows are
named in the same way in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from steno.core.message import Value

T = TypeVar("T")

SHIFT = 32
"""Bits of a row id that are the position: four billion messages to a session."""
POSITION_MASK = (1 << SHIFT) - 1

Access = Literal["read", "write"]


def row_span(session: int) -> tuple[int, int]:
    """Return the first and the last row id that a session can have."""
    return session << SHIFT, session << SHIFT | POSITION_MASK


class MessageRow(Value):
    """A message on its way into a database."""

    id: int
    form: str
    by: str
    text: str
    chain: bytes
    said: float


class Rows(Protocol):
    """What a statement found."""

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Database(Protocol):
    """Runs statements in transactions."""

    messages: str
    """Selects messages: seal, id, body, form, by, text, hash, chain, said."""

    size: str
    """Selects the bytes that everything takes."""

    new_id: str
    """Gives the id of a new session, which no session ever had."""

    place: str
    """Where it is, for a person to read."""

    @property
    def path(self) -> Path | None: ...

    def missing(self) -> str:
        """Return what it lacks and what that costs, in one sentence; empty if nothing."""
        ...

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Rows:
        """Run a statement within the transaction that is open."""
        ...

    def run(self, access: Access, work: Callable[[], T], lock: str = "") -> T:
        """Do some work in a transaction, or in the one that is open.

        Another writer with the same `lock` waits until it is over.
        """
        ...

    def errors(self) -> AbstractContextManager[None]:
        """Turn a failure of the database into `StoreFailed`."""
        ...

    def find_session(self, query: str, name: str) -> Any:
        """Return the row of the session of this name; None if there is none.

        The query ends with the column that holds the name.
        """
        ...

    def add_messages(self, rows: Sequence[MessageRow]) -> None: ...

    def remove_session(self, work: Callable[[], None], name: str) -> None:
        """Do the work of `deletion` in a transaction that leaves no words behind."""
        ...

    def remove_messages(self, session: int) -> tuple[int, int]:
        """Remove a session's messages; return how many, and the bytes of text that only it had."""
        ...

    def erase(self, finish: Callable[[], T]) -> T:
        """Overwrite removed rows, as far as this database can, then finish."""
        ...

    def secret(self) -> bytes:
        """Return the random key that seals what must not be tested by guessing."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class SharedDatabase(Database, Protocol):
    """A database on a server, which also keeps the index of recall."""

    def execute_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each row of values."""
        ...

    def transaction(self, access: Access) -> AbstractContextManager[None]:
        """Open a transaction for a block, or join the one that is open."""
        ...

    def lock(self, key: str) -> None:
        """Make other writers with this key wait until the transaction is over."""
        ...

    def drop_index(self, session: int) -> None:
        """Remove what recall's index holds of a session."""
        ...
