"""Policies to compare Steno with: none, common ones, those of written designs, an oracle.

Each takes messages as they arrive and shows what its rule says, legal or not; the replay
measures what that loses and costs. All count four characters to a token, as the metric does.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from steno.core.message import Block, Message, Result, Text, user_message
from steno.lab.judge import part_shows
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPart, ReplayRequest
from steno.lab.text import CHARACTERS_PER_TOKEN, spoken_text
from steno.lab.uses import RecordedUse

SOFT, GOAL = 0.85, 0.60
CLEARED = "[cleared]"
REGION_LINES = 40
"""Lines of a result that `Oracle` takes or leaves together."""


class KeepEverything:
    """Shows everything; the base of the others."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.parts: list[ReplayPart] = []
        self.characters = 0
        self.commits = 0

    def add(self, message: Message) -> None:
        part = ReplayPart.of(message)
        self.parts.append(part)
        self.characters += len(part.text)

    def request(self) -> ReplayRequest:
        before = self.parts
        self.fit()
        if self.parts is not before:
            # New parts may say the same words, and then a prompt cache holds: no commit.
            self.commits += [part.text for part in before] != [part.text for part in self.parts]
        return ReplayRequest(tuple(self.parts))

    def fit(self) -> None:
        """Replace the parts if they are too many; `KeepEverything` never does."""

    @property
    def size(self) -> int:
        return self.characters // CHARACTERS_PER_TOKEN

    def is_over(self, share: float) -> bool:
        return self.size > share * self.window

    def replace_parts(self, parts: list[ReplayPart]) -> None:
        self.parts = parts
        self.characters = sum(len(part.text) for part in parts)


class SlidingWindow(KeepEverything):
    """Over a share of the window, 85 %: drop the oldest messages down to 60 %."""

    def __init__(self, window: int, soft: float = SOFT) -> None:
        super().__init__(window)
        self.soft = soft

    def fit(self) -> None:
        if not self.is_over(self.soft):
            return
        gone = 0
        # The newest message stays, however large: a request without one is none.
        while gone < len(self.parts) - 1 and self.is_over(GOAL):
            self.characters -= len(self.parts[gone].text)
            gone += 1
        self.parts = self.parts[gone:]


class ResultMasking(SlidingWindow):
    """Over 85 %: clear all tool results but the last ones; then slide, unless told otherwise."""

    def __init__(self, window: int, kept: int = 10, *, slides: bool = True) -> None:
        super().__init__(window)
        self.kept, self.slides = kept, slides

    def fit(self) -> None:
        if not self.is_over(SOFT):
            return
        left = self.kept
        shown = []
        for part in reversed(self.parts):
            results = len(list(part.message.results))
            if results > left:
                part = _clear_results(part, results - left)
            shown.append(part)
            left = max(0, left - results)
        self.replace_parts(shown[::-1])
        if self.slides:
            super().fit()


class DropOldestHalf(KeepEverything):
    """Over 85 %: drop the oldest half of the messages, again until that is enough."""

    def fit(self) -> None:
        while self.is_over(SOFT) and len(self.parts) > 1:
            head = [part for part in self.parts[:1] if part.kind == "prompt"]
            rest = self.parts[len(head) :]
            # At least one, or the loop would not end.
            dropped = max(1, len(rest) // 2)
            self.replace_parts([*head, *rest[dropped:]])


class ReplySnippets(KeepEverything):
    """At 80 %: keep the last six messages, and of older replies 100 characters, 500 in all."""

    fill = 0.80
    recent = 6
    each = 100
    most = 500

    def fit(self) -> None:
        if self.size < self.fill * self.window or len(self.parts) < self.recent + 2:
            return
        head = [part for part in self.parts if part.kind == "prompt"]
        rest = [part for part in self.parts if part.kind != "prompt"]
        old, recent = rest[: -self.recent], rest[-self.recent :]
        replies = [" ".join(part.text.split()) for part in old if part.kind == "assistant"]
        snippets = "; ".join(reply[: self.each] for reply in replies)
        if len(snippets) > self.most:
            snippets = snippets[: self.most] + "..."
        summary = _summary_part(f"{len(old)} messages archived. {snippets}")
        self.replace_parts([*head, summary, *recent])


class ClippedEntries(KeepEverything):
    """Over 60 %: keep the last three entries, and of older ones the first 200 characters."""

    fill = 0.60
    recent = 3
    each = 200

    def fit(self) -> None:
        if not self.is_over(self.fill):
            return
        head = [part for part in self.parts if part.kind == "prompt"]
        entries = list(_group_entries(part for part in self.parts if part.kind != "prompt"))
        if len(entries) <= self.recent:
            return
        older = ["\n".join(part.text for part in entry) for entry in entries[: -self.recent]]
        clips = "\n".join(text[: self.each] for text in older)
        kept = [part for entry in entries[-self.recent :] for part in entry]
        self.replace_parts([*head, _summary_part(clips), *kept])


def _clear_results(part: ReplayPart, old: int) -> ReplayPart:
    """Return the part with its `old` oldest results cleared."""
    blocks: list[Block] = []
    for block in part.message.blocks:
        if isinstance(block, Result) and old > 0:
            block = msgspec.structs.replace(block, content=(Text(CLEARED),))
            old -= 1
        blocks.append(block)
    message = msgspec.structs.replace(part.message, blocks=tuple(blocks))
    # Return the same object if nothing changed: the bill compares parts by identity.
    if message == part.message:
        return part
    return ReplayPart(message, spoken_text(message), part.kind)


def _summary_part(text: str) -> ReplayPart:
    return ReplayPart.of(user_message(text, by="steno"), summary=True)


def _group_entries(parts: Iterable[ReplayPart]) -> Iterable[list[ReplayPart]]:
    """Yield entries: a call with its results, or one message."""
    held: list[ReplayPart] = []
    for part in parts:
        if held and part.kind != "results":
            yield held
            held = []
        held.append(part)
    if held:
        yield held


@dataclass(frozen=True)
class Region:
    """A message, or some lines of a result."""

    part: ReplayPart
    serves: set[int] = field(default_factory=set)
    """Numbers of the uses it would serve."""

    @property
    def size(self) -> int:
        return max(1, len(self.part.text))


class Oracle(KeepEverything):
    """Knows the rest of the session: what choosing whole pieces well could keep.

    It shrinks as the others do, but keeps the messages, and of long results the regions, that
    serve the most later uses for their size, chosen greedily. The five measures weigh the same,
    however many uses each of them has. It is no strict bound.
    """

    def __init__(self, window: int, recorded: RecordedSession) -> None:
        super().__init__(window)
        self.uses = [
            use for uses in recorded.uses.values() for use in uses if use.counts_in(window)
        ]
        totals = Counter(use.measure for use in self.uses)
        self.weights = [1 / totals[use.measure] for use in self.uses]
        self.regions = [_regions(message) for message in recorded.messages]
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
        self.shown.append(self.regions[self.said])
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


def _regions(message: Message) -> list[Region]:
    part = ReplayPart.of(message)
    if part.kind != "results":
        return [Region(part)]
    lines = part.text.splitlines(keepends=True)
    found = []
    for start in range(0, len(lines), REGION_LINES):
        text = "".join(lines[start : start + REGION_LINES])
        found.append(Region(ReplayPart(message, text, part.kind)))
    return found or [Region(part)]


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
