"""What a summary says: the ledger's sections, a writer's lines and the names, within its room.

Rules and open loops are never left out; then what a writer wrote, within its
share; of everything else the most useful first. A list of names is cheap, tells
little and is often just what is needed: it has a room of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from steno.core.draft import Draft
from steno.core.log import Edit
from steno.core.message import Message
from steno.facts.identifiers import NameRuns
from steno.facts.text import SearchableText, in_own_words
from steno.summary.choose import ViewPart
from steno.summary.previous import WRITTEN_MOST
from steno.summary.sections import (
    LINES_MOST,
    PINNED_SECTIONS,
    REMEMBERED_PREFIX,
    ROOM_ORDER,
    UNVERIFIED_NOTE,
    WRITTEN_NOTE,
    Sections,
    SummaryLine,
    compute_sections,
    render_sections,
)
from steno.summary.worth import LogWorth, names_in

NAMES_A_LINE = 8
CANDIDATES_MOST = 4_000
NAME_SAMPLE = 400
"""Names by which it is told how many characters a token has."""
MIN_NAME_ROOM = 12
"""Characters that are too few for another name."""
NAME_OVERHEAD = 4
"""Characters of a name's comma, and of its share of the citation."""
HEAD, HEADING = 60, 3
"""Tokens before the sections, and of a section's name."""
REMEMBERED_SHARE = 0.25
"""Of the room, for what was told of earlier sessions."""
WRITTEN_SHARE = 0.67
"""Of what rules and open loops leave, for a writer's lines."""


@dataclass(frozen=True)
class SummaryContents:
    sections: Sections
    names: tuple[tuple[str, int], ...]
    """The names that nothing shows any more, the likeliest for their length first, each with its last position."""
    room: int
    """Tokens for them."""
    words: str = ""
    """All that is still seen."""
    written: Sections = field(default_factory=dict)
    """A writer's lines."""
    prose: int = 0
    """Tokens for those."""

    @classmethod
    def of(
        cls,
        draft: Draft,
        outlook: LogWorth,
        parts: Sequence[ViewPart],
        islands: dict[int, tuple[Edit, ...]],
        room: int,
        carried: Sections,
        written: Sections,
        prose: int,
    ) -> SummaryContents:
        hidden = {
            at
            for n, part in enumerate(parts)
            if n not in islands
            for at in range(part.span.start, part.span.stop)
        }
        shown = list(_visible_messages(draft, parts, islands))
        words = "\n".join(map(_message_text, shown))
        plain = SearchableText(in_own_words(shown))
        made = compute_sections(outlook.ledger, hidden, plain, carried)
        return cls(made, _hidden_names(outlook, shown), room, words, written, prose)

    def render(self, draft: Draft, limit: int) -> str:
        """The text, as much of it as there is room for."""
        count = draft.view.meter.count
        said = (
            count(UNVERIFIED_NOTE)
            if any(line.hearsay for line in chain(*self.sections.values()))
            else 0
        )
        known, left = self._remembered_lines(limit - HEAD - said, count)
        made: Sections = {}
        told: Sections = {}
        for name in ROOM_ORDER[:-1]:
            if name == ROOM_ORDER[len(PINNED_SECTIONS)]:
                told, left = self._written_lines(left, count)
            taken: list[SummaryLine] = []
            lines = self.sections[name]
            # Of open loops beyond the cap the newest are told, of everything else the first.
            first = lines[-LINES_MOST[name] :] if name == "OPEN" else lines[: LINES_MOST.get(name)]
            for line in first:
                cost = count(str(line)) + 1 + (0 if taken else HEADING)
                if name not in PINNED_SECTIONS and left < cost:
                    break
                taken.append(line)
                left -= cost
            more = (
                [at for line in lines[: len(lines) - len(taken)] for at in line.cites]
                if name == "OPEN"
                else []
            )
            if more:
                taken.append(
                    SummaryLine(
                        f"{len(lines) - len(taken)} more", tuple(range(min(more), max(more) + 1))
                    )
                )
            made[name] = taken
        carried = [
            line
            for line in self.sections.get("FACTS", [])
            if not line.text.startswith(REMEMBERED_PREFIX)
        ]
        left -= sum(count(str(line)) + 1 for line in carried)
        made |= {"FACTS": [*carried, *known, *self._name_lines(min(left, self.room), count)]}
        return render_sections(
            {name: [*told.get(name, []), *made.get(name, [])] for name in (*ROOM_ORDER, *told)}
        )

    def _remembered_lines(
        self, left: int, count: Callable[[str], int]
    ) -> tuple[list[SummaryLine], int]:
        """What was told of earlier sessions, within its share, and what room is left: nobody says it again here."""
        room = int(left * REMEMBERED_SHARE)
        taken: list[SummaryLine] = []
        for line in self.sections.get("FACTS", []):
            cost = count(str(line)) + 1
            if line.text.startswith(REMEMBERED_PREFIX) and cost <= room:
                taken.append(line)
                room, left = room - cost, left - cost
        return taken, left

    def _written_lines(self, left: int, count: Callable[[str], int]) -> tuple[Sections, int]:
        """A writer's lines in turn from each section, within their share, and what room is left."""
        room = int(min(self.prose, left * WRITTEN_SHARE)) - count(WRITTEN_NOTE)
        taken: Sections = {}
        for row in range(max(map(len, self.written.values()), default=0)):
            for name in WRITTEN_MOST:
                lines = self.written.get(name, [])
                cost = (
                    count(str(lines[row])) + 1 + (0 if name in taken else HEADING)
                    if row < len(lines)
                    else room + 1
                )
                if cost <= room:
                    taken.setdefault(name, []).append(lines[row])
                    room, left = room - cost, left - cost
        return taken, left - count(WRITTEN_NOTE) if taken else left

    def _name_lines(self, room: int, count: Callable[[str], int]) -> list[SummaryLine]:
        sample = ", ".join(name for name, _ in self.names[:NAME_SAMPLE])
        characters = room * len(sample) / max(1, count(sample))
        seen = NameRuns(self.words)
        chosen: list[tuple[str, int]] = []
        for name, at in self.names:
            if characters < MIN_NAME_ROOM:
                break
            # Part of a longer name, or in other quotes: it is seen all the same.
            if characters >= len(name) + NAME_OVERHEAD and not seen.contains(name):
                characters -= len(name) + NAME_OVERHEAD
                chosen.append((name, at))
        chosen.sort(key=_position_of)  # neighbours stand together, so that a line cites few
        rows = (
            chosen[start : start + NAMES_A_LINE] for start in range(0, len(chosen), NAMES_A_LINE)
        )
        return [
            SummaryLine(", ".join(name for name, _ in row), tuple(range(row[0][1], row[-1][1] + 1)))
            for row in rows
        ]


def _position_of(named: tuple[str, int]) -> int:
    return named[1]


def _visible_messages(
    draft: Draft, parts: Sequence[ViewPart], islands: dict[int, tuple[Edit, ...]]
) -> Iterator[Message]:
    """Every message that will still be seen."""
    edited = {edit.span.start: edit for edits in islands.values() for edit in edits}
    for n, part in enumerate(parts):
        for item in part.items if n in islands else ():
            edit = edited.get(item.span.start)
            yield from edit.shows if edit else item.shows
    inside: Collection[int] = {item.span.start for part in parts for item in part.items}
    for item in draft.view.items:
        if item.span.start not in inside:
            yield from item.shows


def _hidden_names(outlook: LogWorth, shown: Sequence[Message]) -> tuple[tuple[str, int], ...]:
    """Names that no message shown holds, the likeliest for their length first."""
    seen = {name for message in shown for name, _ in names_in(message)}
    mentions = outlook.mentions
    return tuple(
        (name, mentions[name].last) for name in outlook.ranked_names.first(CANDIDATES_MOST, seen)
    )


def _message_text(message: Message) -> str:
    return "\n".join(
        getattr(block, "text", "") or getattr(block, "arguments", "") for block in message.blocks
    )
