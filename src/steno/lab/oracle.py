"""A policy that knows the rest of the session: what choosing whole messages well could keep.

It shrinks as the others do, from 85 % to 60 %, but keeps the messages that serve the most
distant uses for their size, chosen greedily. It is no strict bound: a policy that keeps
parts of messages can do better.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from steno.core.message import Message
from steno.lab.baselines import GOAL, SOFT, KeepEverything
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPart
from steno.lab.text import CHARACTERS_PER_TOKEN


class Oracle(KeepEverything):
    """Keeps what the rest of the session will use most, by its size."""

    def __init__(self, window: int, recorded: RecordedSession) -> None:
        super().__init__(window)
        self.ahead = [
            use for uses in recorded.uses.values() for use in uses if use.is_distant(window)
        ]
        self.positions: list[int] = []
        self.said = 0

    def add(self, message: Message) -> None:
        super().add(message)
        self.positions.append(self.said)
        self.said += 1

    def fit(self) -> None:
        if not self.is_over(SOFT):
            return
        self.ahead = [use for use in self.ahead if use.at >= self.said]
        kept = self._choose(int(GOAL * self.window) * CHARACTERS_PER_TOKEN)
        positions: list[int] = []
        parts: list[ReplayPart] = []
        for at, part in zip(self.positions, self.parts, strict=True):
            if at in kept:
                positions.append(at)
                parts.append(part)
        self.positions = positions
        self.replace_parts(parts)

    def _choose(self, room: int) -> set[int]:
        """Choose greedily by uses a character; the newest get the room that is left."""
        parts = dict(zip(self.positions, self.parts, strict=True))
        wanted = self._uses_by_message(parts.keys())
        kept: set[int] = set()
        served: set[int] = set()
        # A heap by negative worth, the newest first among equals. Choices only lower the
        # worth of other messages, so a worth is computed anew when its message comes up.
        heap = [(-len(uses) / _weight(parts[at]), -at) for at, uses in wanted.items()]
        heapq.heapify(heap)
        while heap:
            worth, negative_at = heapq.heappop(heap)
            at = -negative_at
            fresh = -len(wanted[at] - served) / _weight(parts[at])
            if fresh > worth:
                if fresh < 0:
                    heapq.heappush(heap, (fresh, -at))
                continue
            if len(parts[at].text) <= room:
                kept.add(at)
                served |= wanted[at]
                room -= len(parts[at].text)
        return kept | set(_newest_that_fit(parts, kept, room))

    def _uses_by_message(self, shown: Iterable[int]) -> dict[int, set[int]]:
        """Return the later uses that each shown message would serve."""
        wanted: dict[int, set[int]] = {}
        here = set(shown)
        for number, use in enumerate(self.ahead):
            # It will be said again before it is used: nothing need be kept for it.
            if use.holders[-1] >= self.said:
                continue
            for holder in here.intersection(use.holders):
                wanted.setdefault(holder, set()).add(number)
        return wanted


def _weight(part: ReplayPart) -> int:
    return max(1, len(part.text))


def _newest_that_fit(parts: dict[int, ReplayPart], kept: set[int], room: int) -> Iterable[int]:
    for at in sorted(parts.keys() - kept, reverse=True):
        room -= len(parts[at].text)
        if room < 0:
            return
        yield at
