"""Originals as an answer shows them: each with its place and who spoke, as many as fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from steno.core.escape import indented
from steno.core.message import Call, Message, Opaque, Result, Text, Thinking
from steno.recall.chunks import searchable_text
from steno.summary.words import first_words, level_of

PART_LEAST, LINE_ROOM = 150, 30
"""Tokens of a message for which it is begun, and of a line that says how to read on."""
BEGUN_MOST, BEGUN_LENGTH = 8, 60
"""Messages without room of which the first words are shown, and characters of those."""


@dataclass(frozen=True)
class PagePart:
    """A message or block: its place, who spoke, and its words from `start` on."""

    place: str
    role: str
    words: str
    start: int = 0

    def upto(self, stop: int) -> str:
        """Return the words up to a character, with place and role."""
        # Indented, so that quoted text cannot pass for another message.
        before = "[…] " if self.start else ""
        return f"[{self.place}] {self.role}: {before}{indented(self.words[self.start : stop])}"


def fits_whole(parts: Sequence[PagePart], room: int, count: Callable[[str], int]) -> bool:
    """Tell whether parts fit together; counts no more of them than it takes."""
    costs = (count(part.upto(len(part.words))) + 2 for part in parts)
    return all(total <= room - LINE_ROOM for total in accumulate(costs))


def fit_parts(parts: Sequence[PagePart], room: int, count: Callable[[str], int], most: int) -> str:
    """Return as many parts as fit: short ones whole, of long ones equal beginnings up to `most`."""
    costs: list[int] = []
    left = room - LINE_ROOM
    for part in parts:
        cost = count(part.upto(len(part.words))) + 2
        # A long message must not take the room of those behind it.
        left -= min(cost, PART_LEAST)
        if left < 0 and costs:
            break
        costs.append(cost)
    shown = parts[: len(costs)]
    level = int(min(most, level_of([min(cost, most) for cost in costs], room - LINE_ROOM)))
    lines: list[str] = []
    for part, cost in zip(shown, costs, strict=True):
        if cost > level:
            lines.append(_start_of_part(part, level, count))
        else:
            lines.append(part.upto(len(part.words)))
    rest = parts[len(shown) :]
    if rest:
        lines.append(f"[{rest[0].place}–{rest[-1].place}] did not fit: recall them by position")
    # How the next ones begin says which of them to open.
    for part in rest[:BEGUN_MOST]:
        lines.append(f"[{part.place}] {part.role}: {first_words(part.words, BEGUN_LENGTH)}")
    return "\n".join(lines)


def _start_of_part(part: PagePart, level: int, count: Callable[[str], int]) -> str:
    """Return as much of a part as fits, and how to read the rest."""
    left = level - LINE_ROOM
    many = min(len(part.words) - part.start, max(1, left) * 4)
    # Four characters are about a token, but some characters are several tokens.
    while many > 1:
        cost = count(part.upto(part.start + many))
        if cost <= left:
            break
        many = max(1, min(many - 1, many * max(0, left) // cost))
    stop = part.start + many
    shown = f"[{part.place}] is shown to {stop} of {len(part.words)} characters"
    return f"{part.upto(stop)} […]\n{shown}: go on with start {stop}"


def words_of(message: Message) -> str:
    """Return the text of a message; thinking is left out."""
    return "\n".join(filter(None, map(block_words, message.blocks)))


def block_words(block: object) -> str:
    """Return the text of one block."""
    match block:
        case Text(text):
            return text
        case Call():
            # As lines, as a search shows it: JSON hides texts behind escapes.
            return f"calls {searchable_text(block)}"
        case Result():
            return f"result: {block.text}"
        case Opaque(kind, text):
            return text or f"[{kind}]"
        case Thinking():
            return ""
    return f"[{getattr(block, 'kind', 'media')}]"
