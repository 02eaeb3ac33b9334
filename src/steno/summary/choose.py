"""Which lines of some texts are worth their tokens.

Lines are chosen one by one, the most worth for the fewest tokens first. A line is worth what it
may be quoted for, plus what its names may be needed for if no line chosen before has them. Owns
the choice alone: which texts are offered and how the lines are shown is decided by `shorten`.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from steno.facts.identifiers import find_identifiers
from steno.summary.worth import Place, Scorer

LINE_MOST = 400
"""Characters of a line; longer ones are data."""
MAX_ROUNDS = 4
"""Choices made again without the parts that were not worth their entry."""
LINE_OVERHEAD = 3
"""Characters that a line costs besides its own: its end, and its share of the gaps."""


@dataclass(frozen=True)
class CandidateText:
    """A text whose lines may be chosen."""

    place: Place
    lines: Sequence[tuple[int, str]]
    """Each with its number."""
    rate: float
    """Tokens a character."""
    part: int
    """Index of the part of the view it belongs to."""
    entry: int
    """Tokens that showing anything of that part costs."""
    fence: int
    """Tokens around the lines of this text."""


@dataclass(frozen=True, slots=True)
class _CandidateLine:
    text_index: int
    number: int
    text: str
    cost: float
    quoted: float
    """Worth of the line itself, without its names."""
    names: tuple[str, ...]


ChosenLines = dict[Place, list[tuple[int, str]]]
ValuedLine = tuple[_CandidateLine, float]
"""A line that was taken, and what it was worth then."""


class LineChooser:
    """Lines to choose from; read once, however often a choice is made."""

    def __init__(self, texts: Sequence[CandidateText], scorer: Scorer, known: set[str]) -> None:
        """Read the lines; `known` are names that are shown elsewhere."""
        self.texts = texts
        self.lines = list(_candidate_lines(texts, scorer, known))
        self.worth = {name: scorer.name(name) for line in self.lines for name in line.names}
        self.entries = {text.part: text.entry for text in texts}

    def choose(self, room: float) -> ChosenLines:
        """Return the lines to show of each text, within `room` tokens."""
        lines = self.lines
        taken: list[ValuedLine] = []
        for _ in range(MAX_ROUNDS):
            taken, rate = self._choose_greedily(lines, room)
            poor = self._parts_below(rate, taken)
            if not poor:
                break
            lines = [line for line in lines if self.texts[line.text_index].part not in poor]
        chosen: ChosenLines = {}
        for line, _ in taken:
            place = self.texts[line.text_index].place
            chosen.setdefault(place, []).append((line.number, line.text))
        return {place: sorted(numbered) for place, numbered in chosen.items()}

    def _choose_greedily(
        self, lines: Sequence[_CandidateLine], room: float
    ) -> tuple[list[ValuedLine], float]:
        """Return the lines with most worth for their tokens, and the rate of the last one."""
        heap = [(-self._value(line, ()) / line.cost, at) for at, line in enumerate(lines)]
        heapq.heapify(heap)
        named: set[str] = set()
        paid: set[tuple[str, int]] = set()
        taken: list[ValuedLine] = []
        rate = 0.0
        while heap and room > 0:
            stale, at = heapq.heappop(heap)
            line = lines[at]
            value = self._value(line, named)
            if -value / line.cost > stale:
                # Other choices only lower a line's worth, so look at it again when it comes up.
                if value > 0:
                    heapq.heappush(heap, (-value / line.cost, at))
                continue
            text = self.texts[line.text_index]
            dues = {("text", line.text_index): text.fence, ("part", text.part): text.entry}
            cost = line.cost + sum(price for what, price in dues.items() if what not in paid)
            if cost <= room:
                room -= cost
                paid.update(dues)
                named.update(line.names)
                taken.append((line, value))
                rate = value / line.cost
        return taken, rate

    def _parts_below(self, rate: float, taken: Sequence[ValuedLine]) -> set[int]:
        """Return parts that are not worth their entry at the rate of the last line chosen."""
        values: dict[int, float] = {}
        costs: dict[int, float] = {}
        for line, value in taken:
            part = self.texts[line.text_index].part
            values[part] = values.get(part, 0.0) + value
            costs[part] = costs.get(part, 0.0) + line.cost
        rates = {part: values[part] / (costs[part] + self.entries[part] or 1) for part in values}
        poor = sorted((part for part in rates if rates[part] < rate), key=rates.__getitem__)
        # Never all at once: if all are worth the same, none is worth its entry at the rate of
        # a bare line.
        return set(poor[: max(1, len(rates) // 2)])

    def _value(self, line: _CandidateLine, named: Collection[str]) -> float:
        return line.quoted + sum(self.worth[name] for name in line.names if name not in named)


def _candidate_lines(
    texts: Sequence[CandidateText], scorer: Scorer, known: set[str]
) -> Iterable[_CandidateLine]:
    """Yield the lines that are worth something, each wording once."""
    seen: set[str] = set()
    for index, text in enumerate(texts):
        for number, whole in text.lines:
            line = whole[:LINE_MOST]
            bare = line.strip()
            if not bare or bare in seen:
                continue
            seen.add(bare)
            names = tuple(name for name in find_identifiers(line) if name not in known)
            quoted = scorer.line(text.place, line)
            if quoted or names:
                cost = (len(line) + LINE_OVERHEAD) * text.rate
                yield _CandidateLine(index, number, line, cost, quoted, names)
