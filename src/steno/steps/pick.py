"""Which lines are worth their tokens: chosen one by one, the most for the least first.

A line is worth what it may be quoted for, and what the names in it may be
needed for that nothing chosen before it names. Owns the choosing alone: what
may be chosen from, and what becomes of it, is a rung's business.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from steno.ledger.atom import atoms
from steno.ledger.worth import Place, Scorer

LINE_MOST = 400
"""Characters of a line; what is longer is data."""
ROUNDS = 4
"""Choices made anew without the parts that were not worth their entry."""
GAP = 3
"""Characters that a line costs besides its own: its end, and its share of the gaps."""


@dataclass(frozen=True)
class Page:
    """A text whose lines may be chosen from."""

    place: Place
    lines: Sequence[tuple[int, str]]
    """Each with its number."""
    rate: float
    """Tokens a character."""
    part: int
    """Which part of the view it belongs to."""
    entry: int
    """Tokens that showing anything of that part costs."""
    fence: int
    """Tokens around the lines of this text."""


@dataclass(frozen=True, slots=True)
class _Line:
    page: int
    number: int
    text: str
    cost: float
    quoted: float
    names: tuple[str, ...]


Chosen = dict[Place, list[tuple[int, str]]]


class Picker:
    """Lines to choose from; read once, however often it is chosen."""

    def __init__(self, pages: Sequence[Page], scorer: Scorer, known: set[str]) -> None:
        """`known` are names that are shown elsewhere."""
        self.pages = pages
        self.lines = list(_lines(pages, scorer, known))
        self.worth = {name: scorer.name(name) for line in self.lines for name in line.names}
        self.entries = {page.part: page.entry for page in pages}

    def within(self, room: float) -> Chosen:
        """The lines to show of each page, within `room` tokens."""
        lines = self.lines
        for _ in range(ROUNDS):
            found, rate = _greedy(lines, self.worth, self.pages, self.entries, room)
            # A part must be worth its entry too, at the rate that the last line chosen had.
            totals = _totals(found, self.pages)
            paid = {part: value / (cost + self.entries[part] or 1) for part, (value, cost) in totals.items()}
            poor = sorted((part for part in paid if paid[part] < rate), key=paid.__getitem__)
            if not poor:
                break
            # Never all at once: where all are worth the same, none is worth its entry at the rate of a bare line.
            gone = set(poor[: max(1, len(totals) // 2)])
            lines = [line for line in lines if self.pages[line.page].part not in gone]
        chosen: dict[Place, list[tuple[int, str]]] = {}
        for line, _ in found:
            chosen.setdefault(self.pages[line.page].place, []).append((line.number, line.text))
        return {place: sorted(each) for place, each in chosen.items()}


Valued = tuple[_Line, float]


def _greedy(
    lines: Sequence[_Line], worth: dict[str, float], pages: Sequence[Page], entries: dict[int, int], room: float
) -> tuple[list[Valued], float]:
    """Line by line, the most worth for its tokens first; and the rate of the last that was taken."""
    heap = [(-_value(line, worth, ()) / line.cost, at) for at, line in enumerate(lines)]
    heapq.heapify(heap)
    named: set[str] = set()
    paid: set[tuple[str, int]] = set()
    taken: list[Valued] = []
    rate = 0.0
    while heap and room > 0:
        stale, at = heapq.heappop(heap)
        line = lines[at]
        value = _value(line, worth, named)
        if -value / line.cost > stale:
            # Others' choices only lower a line's worth, so it is looked at again when it comes up.
            if value > 0:
                heapq.heappush(heap, (-value / line.cost, at))
            continue
        part = pages[line.page].part
        due = {("page", line.page): pages[line.page].fence, ("part", part): entries[part]}
        cost = line.cost + sum(price for what, price in due.items() if what not in paid)
        if cost <= room:
            room -= cost
            paid.update(due)
            named.update(line.names)
            taken.append((line, value))
            rate = value / line.cost
    return taken, rate


def _totals(taken: Sequence[Valued], pages: Sequence[Page]) -> dict[int, tuple[float, float]]:
    """What the lines taken of each part are worth, and cost."""
    totals: dict[int, tuple[float, float]] = {}
    for line, value in taken:
        part = pages[line.page].part
        before = totals.get(part, (0.0, 0.0))
        totals[part] = (before[0] + value, before[1] + line.cost)
    return totals


def _value(line: _Line, worth: dict[str, float], named: Collection[str]) -> float:
    return line.quoted + sum(worth[name] for name in line.names if name not in named)


def _lines(pages: Sequence[Page], scorer: Scorer, known: set[str]) -> Iterable[_Line]:
    seen: set[str] = set()
    for at, page in enumerate(pages):
        for number, whole in page.lines:
            text = whole[:LINE_MOST]
            bare = text.strip()
            if not bare or bare in seen:
                continue
            seen.add(bare)
            names = tuple(name for name in atoms(text) if name not in known)
            quoted = scorer.line(page.place, text)
            if quoted or names:
                yield _Line(at, number, text, (len(text) + GAP) * page.rate, quoted, names)
