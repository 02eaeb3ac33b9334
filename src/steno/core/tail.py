"""The tail: the newest items, which compaction leaves alone.

Each kind of tail begins at a seam and holds at least one turn. The engine decides when it gives
way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from steno.core.errors import BadInput
from steno.core.item import Item
from steno.core.message import Value
from steno.core.meter import Meter
from steno.core.wire import Seams

SLACK = 1e-9
"""Keeps 10 × (1 − 0.8) = 1.9999999999999996 from being rounded down to 1."""


class TailContext(Value):
    """What a tail is measured on."""

    items: Sequence[Item]
    seams: Seams
    meter: Meter
    goal: int
    room: int
    """The load that the goal leaves beside pins, the fixed part and a summary."""
    usable: int

    def start_within(self, load: int) -> int:
        """Return where the newest turns within a load begin; at least one turn."""
        most = int(load / self.meter.ratio + 1e-6)
        weight, start = 0, len(self.items)
        for at in range(len(self.items) - 1, -1, -1):
            weight += self.items[at].tokens
            # The newest turn is in the tail even if it alone is over.
            if weight > most and start < len(self.items):
                break
            if at in self.seams:
                start = at
        return start

    def start_of_newest(self, n: int, units: Callable[[Item], int]) -> int:
        """Return where the newest `n` units begin, widened to a seam."""
        at = len(self.items)
        while at and n > 0:
            at -= 1
            n -= units(self.items[at])
        return max((seam for seam in self.seams if seam <= at), default=0)

    def nearest_seam(self, at: int) -> int:
        """Return the seam nearest to a cut, the older of two; something stays after it."""
        inside = self.seams - {len(self.items)} or self.seams
        return min(inside, key=lambda seam: (abs(seam - at), seam))


class Tail(Value, forbid_unknown_fields=True):
    """What every tail can do; by itself it is the newest turn."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if name == "n" and value < 1:
                raise BadInput(f"a tail is counted from 1 on, got {value}")
            if name in ("of_goal", "share", "keep") and not 0 <= value <= 1:
                raise BadInput(f"a tail's share is from 0 to 1, got {value}")

    def start(self, ground: TailContext) -> int:
        """Return the index of the item at which it begins."""
        return ground.start_within(0)

    def load(self, ground: TailContext) -> int:
        """Return the load it should keep to: under hard pressure it shrinks to that."""
        return max(0, ground.room)

    def shorter(self) -> Tail:
        """Return a tail with one turn less, if it is counted in turns; never under one."""
        return self


class _TokenTail(Tail):
    """A tail that is the newest turns within so many tokens."""

    def tokens(self, ground: TailContext) -> int:
        """Return what was asked for; only hard pressure cuts it to the room there is."""
        return 0

    def start(self, ground: TailContext) -> int:
        return ground.start_within(self.tokens(ground))

    def load(self, ground: TailContext) -> int:
        return max(0, min(self.tokens(ground), ground.room))


class Share(_TokenTail, tag="share"):
    """The newest turns within a share of the goal."""

    of_goal: float = 0.5

    def tokens(self, ground: TailContext) -> int:
        return int(ground.goal * self.of_goal)

    def start(self, ground: TailContext) -> int:
        return ground.start_within(self.load(ground))

    def load(self, ground: TailContext) -> int:
        # Beside a prompt that fills most of the goal, the past keeps its part of what is left.
        most = (1 + self.of_goal) / 2
        beside = max(0, int(ground.room * most))
        return min(super().load(ground), beside)


class Tokens(_TokenTail, tag="tokens"):
    """The newest turns within `n` tokens."""

    n: int

    def tokens(self, ground: TailContext) -> int:
        return self.n


class OfWindow(_TokenTail, tag="of_window"):
    """The newest turns within a share of the usable window."""

    share: float

    def tokens(self, ground: TailContext) -> int:
        return int(ground.usable * self.share + SLACK)


class Turns(Tail, tag="turns"):
    """The newest `n` turns: a message of a user or the assistant, with its results."""

    n: int

    def start(self, ground: TailContext) -> int:
        return ground.start_of_newest(self.n, _count_turns)

    def shorter(self) -> Tail:
        return Turns(max(1, self.n - 1))


class Messages(Tail, tag="messages"):
    """The newest `n` messages of any role."""

    n: int

    def start(self, ground: TailContext) -> int:
        return ground.start_of_newest(self.n, lambda item: bool(item.shows))

    def shorter(self) -> Tail:
        """Return a tail with two messages less: a turn is a pair here."""
        return Messages(max(min(self.n, 2), self.n - 2))


class Entries(Tail, tag="entries"):
    """The newest `n` entries: a call with its results, or a message without calls."""

    n: int

    def start(self, ground: TailContext) -> int:
        return ground.start_of_newest(
            self.n, lambda item: _count_turns(item) and max(1, len(item.calls))
        )

    def shorter(self) -> Tail:
        return Entries(max(1, self.n - 1))


class OfMessages(Tail, tag="of_messages"):
    """The newest share of the messages, without leading system messages."""

    keep: float = 0.5

    def start(self, ground: TailContext) -> int:
        head = 0
        while head < len(ground.items) and _is_system(ground.items[head]):
            head += 1
        shown = [at for at in range(head, len(ground.items)) if ground.items[at].shows]
        gone = math.floor(len(shown) * (1 - self.keep) + SLACK)
        if gone < len(shown):
            return ground.nearest_seam(shown[gone])
        return ground.nearest_seam(len(ground.items))


class Larger(Tail, tag="larger"):
    """The one of two tails that begins earlier."""

    a: AnyTail
    b: AnyTail

    def start(self, ground: TailContext) -> int:
        return min(self.a.start(ground), self.b.start(ground))

    def load(self, ground: TailContext) -> int:
        return max(self.a.load(ground), self.b.load(ground))

    def shorter(self) -> Tail:
        return Larger(self.a.shorter(), self.b.shorter())  # type: ignore[arg-type]


AnyTail = Share | Turns | Messages | Entries | Tokens | OfWindow | OfMessages | Larger
"""The tails that a policy file can name."""


def _count_turns(item: Item) -> int:
    # What shows nothing but results of earlier calls goes on with their turn.
    return int(any(each.role != "tool" and not each.only_results for each in item.shows))


def _is_system(item: Item) -> bool:
    return bool(item.shows) and all(message.role == "system" for message in item.shows)
