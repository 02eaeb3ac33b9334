"""Which results show a file, and what was done to the file since.

Left folds over the entries of a ledger: a longer log costs what is new in it.
What a result is worth for that is `worth`'s business.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from steno.core.message import Call, Message, Result
from steno.ledger.artifact import touched
from steno.ledger.ledger import Entry, Ledger
from steno.ledger.worth import Place, Shown

CHANGES = ("edited", "written", "created")
BUSY_FROM = 2
_IN_PART = re.compile(r'"(?:offset|limit|start_line|end_line|view_range|line_start|lines)"')


@dataclass(frozen=True)
class Read:
    """A result that shows a file."""

    path: str
    in_part: bool


@dataclass(frozen=True)
class Reads:
    """The results so far that show a file."""

    calls: Mapping[str | None, Call] = field(default_factory=dict)
    """Every call, by its id, so that a result finds its own."""
    places: Mapping[Place, Read] = field(default_factory=dict)
    whole: Mapping[str, int] = field(default_factory=dict)
    """Where each file was last read from beginning to end."""
    positions: frozenset[int] = frozenset()


def reads(old: Reads, entries: Sequence[Entry], at: int) -> Reads:
    """The results so far, and those of later entries."""
    calls = dict(old.calls)
    new = {
        place: read
        for position, (message, _) in enumerate(entries, start=at)
        for place, read in _read(message, position, calls)
    }
    whole = {read.path: position for (position, _), read in new.items() if not read.in_part}
    return Reads(
        calls,
        {**old.places, **new},
        {**old.whole, **whole},
        old.positions.union(position for position, _ in new),
    )


def _read(message: Message, position: int, calls: dict[str | None, Call]) -> Iterator[tuple[Place, Read]]:
    """What a message shows of files; its own calls are waiting from now on."""
    for block, result in enumerate(message.blocks):
        call = calls.get(result.call) if isinstance(result, Result) else None
        done = touched(call) if call else ()
        paths = [touch.key for touch in done if touch.action == "read"]
        if call and len(paths) == 1 and all(touch.action == "read" for touch in done):
            yield (position, block), Read(paths[0], _IN_PART.search(call.arguments) is not None)
    calls.update((call.id, call) for call in message.calls)


@dataclass(frozen=True)
class Typed:
    """What users said, results apart."""

    positions: frozenset[int] = frozenset()
    texts: tuple[str, ...] = ()


def typed(before: Typed | None, entries: Sequence[Entry], at: int) -> Typed:
    """The fold of what was typed."""
    old = before or Typed()
    new = {
        position: message.text
        for position, (message, _) in enumerate(entries, start=at)
        if message.role == "user" and not message.only_results
    }
    return Typed(old.positions.union(new), (*old.texts, *new.values()))


def busy(before: Counter[str] | None, entries: Sequence[Entry], at: int) -> Counter[str]:
    """The fold of how often something in a folder was changed."""
    changed = (
        posixpath.dirname(fact.key)
        for _, facts in entries
        for fact in facts
        if fact.kind == "artifact" and fact.note in CHANGES
    )
    return Counter(before or ()) + Counter(changed)


class Files:
    """What became of each file that a result shows, told when it is asked for."""

    def __init__(self, ledger: Ledger, shown: Reads) -> None:
        self._things = ledger.things
        self._reads = shown
        self._folders = ledger.entries.folded(busy)
        self._words = "\n".join(ledger.entries.folded(typed).texts)
        self._shown: dict[Place, Shown] = {}
        self._named: dict[str, bool] = {}

    def get(self, place: Place) -> Shown | None:
        read = self._reads.places.get(place)
        if read is None:
            return None
        if place not in self._shown:
            self._shown[place] = self._told(place[0], read)
        return self._shown[place]

    def _told(self, position: int, read: Read) -> Shown:
        thing = self._things.get(read.path)
        return Shown(
            edits=sum(action in CHANGES and when > position for action, when in thing.actions) if thing else 0,
            read_again=self._reads.whole.get(read.path, -1) > position,
            in_part=read.in_part,
            named=self._is_named(posixpath.basename(read.path)),
            busy=self._folders[posixpath.dirname(read.path)] >= BUSY_FROM,
        )

    def _is_named(self, name: str) -> bool:
        if name not in self._named:
            self._named[name] = name in self._words
        return self._named[name]
