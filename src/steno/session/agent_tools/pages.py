"""Pages: originals that are shown once more, for some turns.

A page is a message of Steno's own at the end of the log, no larger than the room
there is. It is hidden again after its turns. What a page shows has no more trust than
before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steno.core.errors import BadInput
from steno.core.escape import indented
from steno.core.message import Call, Message, Opaque, Result, Span, Text, Thinking
from steno.session.journal import Journal
from steno.session.place import parse_place

PAGE_KIND = "page"
TURNS = 5
"""Turns that a page stays for by default."""
ROOM = 0.5
"""Share of the room below soft pressure that one page may take."""
LEAST = 200
"""Tokens below which a page is not worth showing."""
PART_LEAST, LINE_ROOM = 150, 30
"""Tokens of a message for which it is begun, and of a line that says how to read on."""


def render_page(
    messages: Sequence[Message], start: int, room: int, count: Callable[[str], int]
) -> tuple[str, int]:
    """Return as many messages as fit, each with its position; and where the page ends."""
    parts = [
        PagePart(str(at), message.role, words_of(message))
        for at, message in enumerate(messages, start)
    ]
    text, shown = fit_parts(parts, room, count)
    return text, start + shown


@dataclass(frozen=True)
class PagePart:
    """A message or block on a page: its place, who spoke, and its words from `start` on."""

    place: str
    role: str
    words: str
    start: int = 0

    def upto(self, stop: int) -> str:
        """Return the words up to a character, with place and role."""
        # Indented, so that quoted text cannot pass for another message.
        return f"[{self.place}] {self.role}: {indented(self.words[self.start : stop])}"


def fit_parts(parts: Sequence[PagePart], room: int, count: Callable[[str], int]) -> tuple[str, int]:
    """Return as many parts as fit, and how many: short ones whole, of long ones equal beginnings.

    A long message must not take the room of those behind it.
    """
    costs: list[int] = []
    left = room - LINE_ROOM
    for part in parts:
        cost = count(part.upto(len(part.words))) + 2
        left -= min(cost, PART_LEAST)
        if left < 0 and costs:
            break
        costs.append(cost)
    shown = parts[: len(costs)]
    level = fair_level(costs, room - LINE_ROOM)
    lines: list[str] = []
    for part, cost in zip(shown, costs, strict=True):
        if cost > level:
            lines.append(_start_of_part(part, level, count))
        else:
            lines.append(part.upto(len(part.words)))
    if len(shown) < len(parts):
        left_out = f"{parts[len(shown)].place}–{parts[-1].place}"
        lines.append(f"[{left_out}] did not fit: recall them by position")
    return "\n".join(lines), len(shown)


def fair_level(costs: Sequence[int], room: int) -> int:
    """Return the most that one of several may take so that all together fit."""
    waiting = len(costs)
    for cost in sorted(costs):
        if cost * waiting > room:
            return room // waiting
        room -= cost
        waiting -= 1
    return max(costs, default=0)


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
        case Call(_, name, arguments):
            return f"calls {name} {arguments}"
        case Result():
            return f"result: {block.text}"
        case Opaque(kind, text):
            return text or f"[{kind}]"
        case Thinking():
            return ""
    return f"[{getattr(block, 'kind', 'media')}]"


class Pages:
    """The pages of one session: brought in and overdue."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def page_in(self, where: int | str | Span, turns: int = TURNS) -> int:
        """Show originals once more, at the end, as far as they fit; return the page's position."""
        journal = self._journal
        span = parse_place(where).span
        messages = journal.log.open(span)
        room = int((journal.budget.soft_load - journal.load) * ROOM)
        if room < LEAST:
            raise BadInput(
                f"there is no room for a page: {journal.load:,} tokens of "
                f"{journal.budget.usable:,} are used"
            )
        body, stop = render_page(messages, span.start, room, journal.view.meter.count)
        position = journal.say(PAGE_KIND, body)
        journal.records.add(
            PAGE_KIND, {"at": position, "shows": [span.start, stop], "turns": turns}
        )
        return position

    def hide_overdue(self) -> None:
        """Hide the pages whose turns are over."""
        overdue = [
            position
            for position, turns in self._shown().items()
            if self._turns_since(position) >= turns
        ]
        if overdue:
            self._journal.hide(*overdue)

    def _shown(self) -> dict[int, int]:
        """Return the pages that are shown now, by position, each with its turns."""
        pages = {
            page["at"]: page["turns"] or TURNS for _, page in self._journal.records.of(PAGE_KIND)
        }
        return {at: turns for at, turns in pages.items() if self._is_shown(at)}

    def _is_shown(self, position: int) -> bool:
        if position >= len(self._journal.log.messages):
            return False
        return self._journal.view.at(position).main is not None

    def _turns_since(self, position: int) -> int:
        later = self._journal.log.messages[position:]
        return sum(message.role == "assistant" for message in later)
