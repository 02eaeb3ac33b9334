"""A policy that has read the end of the story: what could be kept by choosing whole messages well.

It comes down as the others do, from 85 % to 60 %, but keeps those of the
messages shown that will serve the most distant uses for their tokens, chosen
greedily. It bounds nobody strictly: who keeps parts of messages can do better.
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
    def __init__(self, window: int, tale: RecordedSession) -> None:
        super().__init__(window)
        self.ahead = [use for uses in tale.uses.values() for use in uses if use.is_distant(window)]
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
        shown = [
            (at, part) for at, part in zip(self.positions, self.parts, strict=True) if at in kept
        ]
        self.positions = [at for at, _ in shown]
        self.replace_parts([part for _, part in shown])

    def _choose(self, room: int) -> set[int]:
        """Greedily by uses served a character; what room is left goes to the newest."""
        parts = dict(zip(self.positions, self.parts, strict=True))
        wanted = self._uses_by_message(parts.keys())
        kept: set[int] = set()
        served: set[int] = set()
        # Others' choices only lower a message's worth, so a stale worth is looked at again when it comes up.
        heap = [(-len(uses) / _weight(parts[at]), -at) for at, uses in wanted.items()]
        heapq.heapify(heap)
        while heap:
            worth, minus = heapq.heappop(heap)
            fresh = -len(wanted[-minus] - served) / _weight(parts[-minus])
            if fresh > worth:
                if fresh < 0:
                    heapq.heappush(heap, (fresh, minus))
                continue
            if len(parts[-minus].text) <= room:
                kept.add(-minus)
                served |= wanted[-minus]
                room -= len(parts[-minus].text)
        return kept | set(_newest_that_fit(parts, kept, room))

    def _uses_by_message(self, shown: Iterable[int]) -> dict[int, set[int]]:
        """For each message shown, the uses ahead that it would serve."""
        wanted: dict[int, set[int]] = {}
        here = set(shown)
        for number, use in enumerate(self.ahead):
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
