"""A policy that knows the rest of the session: what choosing whole pieces well could keep.

It shrinks as the others do, from 85 % to 60 %, but keeps the messages, and of long results
the regions, that serve the most later uses for their size, chosen greedily. The five measures
weigh the same, however many uses each of them has. It is no strict bound.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from steno.core.message import Message
from steno.lab.baselines import GOAL, SOFT, KeepEverything
from steno.lab.judge import part_shows
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPart
from steno.lab.text import CHARACTERS_PER_TOKEN
from steno.lab.uses import RecordedUse

REGION_LINES = 40


@dataclass(frozen=True)
class Region:
    """A message, or some lines of a result."""

    at: int
    part: ReplayPart
    serves: set[int] = field(default_factory=set)
    """Numbers of the uses it would serve."""

    @property
    def size(self) -> int:
        return max(1, len(self.part.text))


class Oracle(KeepEverything):
    """Keeps what the rest of the session will use most, by its size."""

    def __init__(self, window: int, recorded: RecordedSession) -> None:
        super().__init__(window)
        self.uses = [
            use for uses in recorded.uses.values() for use in uses if use.counts_in(window)
        ]
        totals = Counter(use.measure for use in self.uses)
        self.weights = [1 / totals[use.measure] for use in self.uses]
        self.regions = [_regions(at, message) for at, message in enumerate(recorded.messages)]
        for number, use in enumerate(self.uses):
            self._mark_regions(number, use)
        self.shown: list[list[Region]] = []
        self.said = 0

    def _mark_regions(self, number: int, use: RecordedUse) -> None:
        for holder in use.holders:
            for region in self.regions[holder]:
                if part_shows(region.part, use):
                    region.serves.add(number)

    def add(self, message: Message) -> None:
        super().add(message)
        # A message that was not recorded serves nothing.
        regions = _regions(self.said, message)
        if self.said < len(self.regions):
            regions = self.regions[self.said]
        self.shown.append(regions)
        self.said += 1

    def fit(self) -> None:
        if not self.is_over(SOFT):
            return
        kept = self._choose(int(GOAL * self.window) * CHARACTERS_PER_TOKEN)
        shown: list[list[Region]] = []
        parts: list[ReplayPart] = []
        for part, regions in zip(self.parts, self.shown, strict=True):
            left = [region for region in regions if id(region) in kept]
            if not left:
                continue
            shown.append(left)
            if len(left) < len(regions):
                text = "".join(region.part.text for region in left)
                part = ReplayPart(part.message, text, part.kind)
            parts.append(part)
        self.shown = shown
        self.replace_parts(parts)

    def _choose(self, room: int) -> set[int]:
        """Choose regions greedily by worth a character; the newest get the room that is left."""
        ahead = {number for number, use in enumerate(self.uses) if self._is_ahead(use)}
        regions = [region for shown in self.shown for region in shown]
        kept: set[int] = set()
        # A heap by negative worth, the newest first among equals. Choices only lower the
        # worth of other regions, so a worth is computed anew when its region comes up.
        heap = [(-self._worth(region, ahead), -at) for at, region in enumerate(regions)]
        heapq.heapify(heap)
        while heap:
            worth, negative_at = heapq.heappop(heap)
            region = regions[-negative_at]
            fresh = -self._worth(region, ahead)
            if fresh == 0:
                continue
            if fresh > worth:
                heapq.heappush(heap, (fresh, negative_at))
            elif region.size <= room:
                kept.add(id(region))
                ahead -= region.serves
                room -= region.size
        return kept | _newest_that_fit(self.shown, kept, room)

    def _is_ahead(self, use: RecordedUse) -> bool:
        # If it will be said again before it is used, nothing need be kept for it.
        return use.at >= self.said > use.holders[-1]

    def _worth(self, region: Region, ahead: set[int]) -> float:
        return sum(self.weights[number] for number in region.serves & ahead) / region.size


def _regions(at: int, message: Message) -> list[Region]:
    part = ReplayPart.of(message)
    if part.kind != "results":
        return [Region(at, part)]
    lines = part.text.splitlines(keepends=True)
    found = []
    for start in range(0, len(lines), REGION_LINES):
        text = "".join(lines[start : start + REGION_LINES])
        found.append(Region(at, ReplayPart(message, text, part.kind)))
    return found or [Region(at, part)]


def _newest_that_fit(shown: Sequence[Sequence[Region]], kept: set[int], room: int) -> set[int]:
    """Return the regions of the newest messages, as far as whole messages fit."""
    found: set[int] = set()
    for regions in reversed(shown):
        rest = [region for region in regions if id(region) not in kept]
        room -= sum(region.size for region in rest)
        if room < 0:
            break
        found.update(map(id, rest))
    return found
