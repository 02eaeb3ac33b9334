"""How much of the newest is left alone, as a value.

Each kind of tail says at which item it begins: by turns, messages, entries or
tokens, by a share of something, or by whichever of two is larger. It begins at
a seam and holds one turn at the least. When it gives way is the engine's
business.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steno.core.error import BadInput
from steno.core.message import Message, Value
from steno.core.meter import Meter
from steno.core.view import Item
from steno.core.wire import Seams

SLACK = 1e-9
"""Keeps 10 × (1 − 0.8) = 1.9999999999999996 from being rounded down to 1."""


@dataclass(frozen=True)
class Ground:
    """What a tail is measured on."""

    items: Sequence[Item]
    seams: Seams
    meter: Meter
    goal: int
    room: int
    """The load that the goal leaves beside what may not be covered, and a trace."""
    usable: int

    def within(self, load: int) -> int:
        """Where the newest turns within a load begin: one turn at the least."""
        most = int(load / self.meter.ratio + 1e-6)
        weight, start = 0, len(self.items)
        for at in range(len(self.items) - 1, -1, -1):
            weight += self.items[at].tokens
            if weight > most and start < len(self.items):
                break
            if at in self.seams:
                start = at
        return start

    def counted(self, n: int, units: Callable[[Item], int]) -> int:
        """Where the newest `n` units begin, widened to a seam."""
        at = len(self.items)
        while at and n > 0:
            at -= 1
            n -= units(self.items[at])
        return max((seam for seam in self.seams if seam <= at), default=0)

    def nearest(self, at: int) -> int:
        """The seam nearest to a cut, the older of two as near; something stays after it."""
        inside = self.seams - {len(self.items)} or self.seams
        return min(inside, key=lambda seam: (abs(seam - at), seam))


class Tail(Value, frozen=True, forbid_unknown_fields=True):
    """What every tail can say; alone it is the newest turn."""

    def start(self, ground: Ground) -> int:
        """The index of the item it begins at."""
        return ground.within(0)

    def load(self, ground: Ground) -> int:
        """What it should keep to: under hard pressure its results shrink to that, and then it gives way."""
        return max(0, ground.room)

    def less(self) -> Tail:
        """With one turn less, where it is counted in turns; never under one."""
        return self


class _Weighed(Tail, frozen=True):
    """A tail that is the newest turns within a load."""

    def start(self, ground: Ground) -> int:
        return ground.within(self.load(ground))


class Share(_Weighed, frozen=True, tag="share"):
    """The newest turns within a share of the goal."""

    of_goal: float = 0.5

    def __post_init__(self) -> None:
        _is_share(self.of_goal)

    def load(self, ground: Ground) -> int:
        return max(0, min(int(ground.goal * self.of_goal), ground.room))


class Tokens(_Weighed, frozen=True, tag="tokens"):
    """The newest turns within so many tokens."""

    n: int

    def __post_init__(self) -> None:
        _counts(self.n)

    def start(self, ground: Ground) -> int:
        return ground.within(self.n)

    def load(self, ground: Ground) -> int:
        return max(0, min(self.n, ground.room))


class OfWindow(_Weighed, frozen=True, tag="of_window"):
    """The newest turns within a share of the usable window."""

    share: float

    def __post_init__(self) -> None:
        _is_share(self.share)

    def start(self, ground: Ground) -> int:
        return ground.within(int(ground.usable * self.share + SLACK))

    def load(self, ground: Ground) -> int:
        return max(0, min(int(ground.usable * self.share + SLACK), ground.room))


class Turns(Tail, frozen=True, tag="turns"):
    """The newest so many turns: one message of a user or the assistant each, with the results that answer it."""

    n: int

    def __post_init__(self) -> None:
        _counts(self.n)

    def start(self, ground: Ground) -> int:
        return ground.counted(self.n, _turns)

    def less(self) -> Tail:
        return Turns(max(1, self.n - 1))


class Messages(Tail, frozen=True, tag="messages"):
    """The newest so many messages, whatever they are."""

    n: int

    def __post_init__(self) -> None:
        _counts(self.n)

    def start(self, ground: Ground) -> int:
        return ground.counted(self.n, _messages)

    def less(self) -> Tail:
        """Who counts messages counts turns in pairs."""
        return Messages(max(min(self.n, 2), self.n - 2))


class Entries(Tail, frozen=True, tag="entries"):
    """The newest so many entries: a call with its results, or a message that calls nothing."""

    n: int

    def __post_init__(self) -> None:
        _counts(self.n)

    def start(self, ground: Ground) -> int:
        return ground.counted(self.n, _entries)

    def less(self) -> Tail:
        return Entries(max(1, self.n - 1))


class OfMessages(Tail, frozen=True, tag="of_messages"):
    """The newest share of the messages, leading system messages not counted; cut at the nearest seam."""

    keep: float = 0.5

    def __post_init__(self) -> None:
        _is_share(self.keep)

    def start(self, ground: Ground) -> int:
        head = next((at for at, item in enumerate(ground.items) if not _is_system(item)), len(ground.items))
        said = [at for at in range(head, len(ground.items)) if _messages(ground.items[at])]
        gone = math.floor(len(said) * (1 - self.keep) + SLACK)
        return ground.nearest(said[gone] if gone < len(said) else len(ground.items))


class Larger(Tail, frozen=True, tag="larger"):
    """Whichever of two tails begins earlier."""

    a: AnyTail
    b: AnyTail

    def start(self, ground: Ground) -> int:
        return min(self.a.start(ground), self.b.start(ground))

    def load(self, ground: Ground) -> int:
        return max(self.a.load(ground), self.b.load(ground))

    def less(self) -> Tail:
        return Larger(self.a.less(), self.b.less())  # type: ignore[arg-type]


AnyTail = Share | Turns | Messages | Entries | Tokens | OfWindow | OfMessages | Larger
"""Those that a policy file can name."""


def _messages(item: Item) -> int:
    return 1 if item.shows else 0


def _turns(item: Item) -> int:
    return 0 if _answers(item) else _messages(item)


def _entries(item: Item) -> int:
    return _turns(item) and max(1, sum(1 for _ in item.calls))


def _answers(item: Item) -> bool:
    """It holds nothing but results of calls made before it."""
    return bool(item.shows) and all(_is_answer(message) for message in item.shows)


def _is_answer(message: Message) -> bool:
    return message.role == "tool" or message.only_results


def _is_system(item: Item) -> bool:
    return bool(item.shows) and all(message.role == "system" for message in item.shows)


def _counts(n: int) -> None:
    if n < 1:
        raise BadInput(f"a tail is counted from 1 on, got {n}")


def _is_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise BadInput(f"a tail's share is from 0 to 1, got {share}")
