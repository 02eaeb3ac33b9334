"""What a path holds: a store, an archive or a transcript, told by its content.

Reading commands hold one conversation as a value and change nothing: a store is
not made, not written and not put under other limits by looking at it. How each
kind of file is read is its own module's business.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from steno.core.budget import Budget
from steno.core.error import BadInput, StoreFailed, UnknownModel
from steno.core.log import Log
from steno.core.message import Message
from steno.core.store import Card
from steno.core.view import View
from steno.core.wire import Wire
from steno.engine.policy import DEFAULT, Policy
from steno.meters import known, meter_for
from steno.session.setup import Told
from steno.store.schema import APPLICATION
from steno.store.sqlite import SQLiteStore
from steno.wire import chosen, value_of

SQLITE = b"SQLite format 3\0"
STDIN = "-"
KEPT = ("store", "archive")
"""Kinds that hold commits."""
NAMES_MOST = 10


@dataclass(frozen=True)
class Held:
    """One conversation, in one hand for reading."""

    name: str
    kind: str
    """What it was read from: store, archive, or the name of a transcript's format."""
    wire: Wire
    log: Log
    view: View
    told: Told
    budget: Budget | None
    """None where nobody said a window and the file names no known model."""
    texts: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """The very lines of each message, where a transcript has them."""
    warnings: tuple[str, ...] = ()
    policy: Policy = DEFAULT

    @property
    def origin(self) -> str:
        """Whose file it is, or whose messages, for people."""
        return self.wire.name if self.kind in KEPT else self.kind

    @property
    def load(self) -> int:
        """Tokens of the view; system prompt and tools are not kept in a file, and not counted."""
        return self.view.meter.load(self.view.meter.overheads.request + self.view.raw)

    @property
    def said(self) -> int:
        """Tokens of everything, were it all shown."""
        return sum(item.tokens for item in self.view.arrivals)

    def within(self, told: Told) -> Held:
        """The same under other limits."""
        over = self.told.over(window=told.window, model=told.model, reserve=told.reserve)
        return replace(self, told=over, budget=budget_of(over))

    def under(self, policy: Policy) -> Held:
        """The same under another policy."""
        return replace(self, policy=policy, budget=budget_of(self.told, policy))


def held(name: str, kind: str, wire: Wire, log: Log, told: Told, **more: Any) -> Held:
    wire = wire.for_model(told.model or "")
    view = View.of(log, wire.terms, meter_for(told.model, wire.name))
    return Held(name, kind, wire, log, view, told, budget_of(told), **more)


def budget_of(told: Told, policy: Policy = DEFAULT) -> Budget | None:
    window = told.window
    if window is None:
        window = policy.window if told.model is None else window_of(told.model)
    return None if window is None else policy.budget(window, told.reserve)


def limits(told: Told) -> dict[str, Any]:
    """What a session is told, in its own words."""
    return {"window": told.window, "model": told.model, "reserve": told.reserve, "pins": told.pins}


def window_of(model: str) -> int:
    try:
        return known(model).window
    except UnknownModel as unknown:
        near = f"; near names: {', '.join(unknown.close)}" if unknown.close else ""
        raise BadInput(
            f"no window is known for model {model!r}: say --window with its size in tokens{near}"
        ) from None


@contextmanager
def given(path: str) -> Iterator[Path]:
    """The file that is meant; stdin is kept aside, because a transcript is read more than once."""
    if path != STDIN and not Path(path).is_fifo():
        yield Path(path)
        return
    if path == STDIN and (sys.stdin is None or sys.stdin.isatty()):
        raise BadInput("nothing is piped into stdin: name a file instead of -")
    with TemporaryDirectory(prefix="steno-") as folder:
        spooled = Path(folder) / "stdin"
        spooled.write_bytes(sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes())
        if is_store(spooled):
            raise BadInput("a store cannot be read from stdin: name its file")
        yield spooled


def is_store(path: Path) -> bool:
    """The file is SQLite's, whatever it is called."""
    head = _head(path)
    if not head.startswith(SQLITE):
        return False
    ours = int.from_bytes(head[68:72], "big") == APPLICATION
    # Of a store that was never closed, everything may still be in the side file.
    if not ours and not path.with_name(path.name + "-wal").exists():
        raise StoreFailed(f"{path} is a SQLite file, but not one of Steno's")
    return True


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(100)
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise BadInput(f"{path} is a directory; name a file in it") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None


@contextmanager
def store_at(path: str | Path) -> Iterator[SQLiteStore]:
    """A store that is there; it is never made by looking for it."""
    if not is_store(Path(path)):
        raise BadInput(f"{path} is not a store of Steno's; steno import makes one of a transcript")
    store = SQLiteStore(path)
    try:
        yield store
    finally:
        store.close()


def card_in(store: SQLiteStore, name: str | None) -> Card:
    """The session that is meant: the one named, or the only one."""
    if name is not None:
        return store.card(name)
    names = store.names()
    if not names:
        raise BadInput(f"{store.path} holds no session yet")
    if len(names) > 1:
        raise BadInput(f"{store.path} holds {len(names)} sessions, say --session: {listed(names)}")
    return store.card(names[0])


def listed(names: list[str]) -> str:
    return ", ".join(names[:NAMES_MOST]) + (", …" if len(names) > NAMES_MOST else "")


def kept(store: SQLiteStore, name: str | None) -> Held:
    """A session of a store, read and not opened: nothing is written."""
    card = card_in(store, name)
    told = Told.read(card.setup)
    wire = chosen(card.wire)

    def read(raw: str) -> Message:
        return wire.decode(value_of(raw), raw, "a kept message")

    found = store.load(card.name, read)
    log = Log().said(found.messages)
    for commit in found.commits:
        log = log.committed(commit)
    return held(card.name, "store", wire, log, told)


def source(path: Path, session: str | None, told: Told, wire: str | None = None) -> Held:
    """The one conversation that is meant, whatever kind of file it is in."""
    from steno.service.commands.archive import archived, is_archive
    from steno.service.commands.file import filed

    if is_store(path):
        with store_at(path) as store:
            return kept(store, session).within(told)
    if is_archive(path):
        return archived(path).within(told)
    return filed(path, session, told, wire)
