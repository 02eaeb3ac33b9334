"""Open a store where it is: a file, or the address of a PostgreSQL database.

Every part of Steno that takes the path of a store opens it here, so that an address can stand
wherever a path can. The driver of PostgreSQL is imported only for an address.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from steno.core.errors import needs_extra
from steno.store.database import Database
from steno.store.file import ADDRESS, refuse_address
from steno.store.sql import SQLStore
from steno.store.sqlite import SQLiteFile, SQLiteStore

SCHEMES = ("postgresql://", "postgres://")

_PathOfThisSystem: Any = type(Path())


class StoreAddress(_PathOfThisSystem):  # type: ignore[misc]
    """The address of a database, for code that takes a path: it is told as it was given.

    A plain `Path` would make one slash of two.
    """

    _address = ""

    def __new__(cls, address: str) -> StoreAddress:
        made = super().__new__(cls, address)
        made._address = address
        return made  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return self._address

    def __fspath__(self) -> str:
        return self._address

    def exists(self, **options: bool) -> bool:
        """Return True: a database makes its tables when it is first opened."""
        return True


def is_address(place: str | os.PathLike[str]) -> bool:
    """Tell whether a store is in a database rather than in a file; refuse any other address."""
    if os.fspath(place).startswith(SCHEMES):
        return True
    refuse_address(place)
    return False


def without_password(place: str | os.PathLike[str]) -> str:
    """Return where a store is, to be shown: of its login and options the tenant and user alone."""
    address = os.fspath(place)
    if not address.startswith(SCHEMES):
        found = ADDRESS.match(address)
        return address if found is None else f"{found[0]}…"
    # A password may hold any mark, so all up to the last `@` is hidden.
    bare, _, options = re.sub(r"//.*@", "//", address).partition("?")
    bare = bare.partition("#")[0]
    whose = re.findall(r"(?:^|&)(steno_(?:tenant|user)=[^&]*)", options)
    return "?".join(filter(None, (bare, "&".join(whose))))


def store_path(place: str | os.PathLike[str]) -> Path:
    """Return the path of a store, or its address as one."""
    if is_address(place):
        return StoreAddress(os.fspath(place))
    return Path(place)


def absolute_place(place: str | os.PathLike[str]) -> str:
    """Return the address of a database as it is, or the path of a file from the root."""
    if is_address(place):
        return os.fspath(place)
    return os.path.abspath(place)


def open_database(
    place: str | os.PathLike[str], *, durable: bool = True, user: str = ""
) -> Database:
    """Open a file or a database; bind a database to this user, if one is given."""
    if not is_address(place):
        return SQLiteFile(place, durable=durable)
    try:
        from steno.store.postgres import PostgresDatabase
    except ImportError as error:
        raise needs_extra("a store in PostgreSQL needs its driver", "postgres") from error
    return PostgresDatabase(os.fspath(place), user=user)


def open_store_at(
    place: str | os.PathLike[str], *, durable: bool = True, user: str = ""
) -> SQLStore:
    """Open the store in a file or in a database."""
    if not is_address(place):
        return SQLiteStore(place, durable=durable)
    return SQLStore(open_database(place, durable=durable, user=user))
