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
from steno.ledger.atom import Runs
from steno.ledger.outlook import Outlook
from steno.ledger.said import names_in
from steno.ledger.sections import HEARSAY, MOST, NOTE, ORDER, PINNED, REMEMBERED, Line, Sections, computed, spelt
from steno.ledger.words import Words, untouched
from steno.steps.earlier import WRITTEN_MOST
from steno.steps.excerpts import Part

NAMES_A_LINE = 8
CANDIDATES_MOST = 4_000
SAMPLE = 400
"""Names by which it is told how many characters a token has."""
SHORTEST = 12
"""Characters that are too few for another name."""
NAMED = 4
"""Characters of a name's comma, and of its share of the citation."""
HEAD, HEADING = 60, 3
"""Tokens before the sections, and of a section's name."""
KNOWN = 0.25
"""Of the room, for what was told of earlier sessions."""
WRITTEN = 0.67
"""Of what rules and open loops leave, for a writer's lines."""


@dataclass(frozen=True)
class Digest:
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
        outlook: Outlook,
        parts: Sequence[Part],
        islands: dict[int, tuple[Edit, ...]],
        room: int,
        carried: Sections,
        written: Sections,
        prose: int,
    ) -> Digest:
        hidden = {
            at for n, part in enumerate(parts) if n not in islands for at in range(part.span.start, part.span.stop)
        }
        shown = list(_shown(draft, parts, islands))
        words = "\n".join(map(_words, shown))
        plain = Words(untouched(shown))
        made = computed(outlook.ledger, hidden, plain, carried)
        return cls(made, _names(outlook, shown), room, words, written, prose)

    def within(self, draft: Draft, limit: int) -> str:
        """The text, as much of it as there is room for."""
        count = draft.view.meter.count
        said = count(HEARSAY) if any(line.hearsay for line in chain(*self.sections.values())) else 0
        known, left = self._known(limit - HEAD - said, count)
        made: Sections = {}
        told: Sections = {}
        for name in ORDER[:-1]:
            if name == ORDER[len(PINNED)]:
                told, left = self._told(left, count)
            taken: list[Line] = []
            lines = self.sections[name]
            # Of open loops beyond the cap the newest are told, of everything else the first.
            first = lines[-MOST[name] :] if name == "OPEN" else lines[: MOST.get(name)]
            for line in first:
                cost = count(str(line)) + 1 + (0 if taken else HEADING)
                if name not in PINNED and left < cost:
                    break
                taken.append(line)
                left -= cost
            more = [at for line in lines[: len(lines) - len(taken)] for at in line.cites] if name == "OPEN" else []
            if more:
                taken.append(Line(f"{len(lines) - len(taken)} more", tuple(range(min(more), max(more) + 1))))
            made[name] = taken
        carried = [line for line in self.sections.get("FACTS", []) if not line.text.startswith(REMEMBERED)]
        left -= sum(count(str(line)) + 1 for line in carried)
        made |= {"FACTS": [*carried, *known, *self._listed(min(left, self.room), count)]}
        return spelt({name: [*told.get(name, []), *made.get(name, [])] for name in (*ORDER, *told)})

    def _known(self, left: int, count: Callable[[str], int]) -> tuple[list[Line], int]:
        """What was told of earlier sessions, within its share, and what room is left: nobody says it again here."""
        room = int(left * KNOWN)
        taken: list[Line] = []
        for line in self.sections.get("FACTS", []):
            cost = count(str(line)) + 1
            if line.text.startswith(REMEMBERED) and cost <= room:
                taken.append(line)
                room, left = room - cost, left - cost
        return taken, left

    def _told(self, left: int, count: Callable[[str], int]) -> tuple[Sections, int]:
        """A writer's lines in turn from each section, within their share, and what room is left."""
        room = int(min(self.prose, left * WRITTEN)) - count(NOTE)
        taken: Sections = {}
        for row in range(max(map(len, self.written.values()), default=0)):
            for name in WRITTEN_MOST:
                lines = self.written.get(name, [])
                cost = (
                    count(str(lines[row])) + 1 + (0 if name in taken else HEADING) if row < len(lines) else room + 1
                )
                if cost <= room:
                    taken.setdefault(name, []).append(lines[row])
                    room, left = room - cost, left - cost
        return taken, left - count(NOTE) if taken else left

    def _listed(self, room: int, count: Callable[[str], int]) -> list[Line]:
        sample = ", ".join(name for name, _ in self.names[:SAMPLE])
        characters = room * len(sample) / max(1, count(sample))
        seen = Runs(self.words)
        chosen: list[tuple[str, int]] = []
        for name, at in self.names:
            if characters < SHORTEST:
                break
            # Part of a longer name, or in other quotes: it is seen all the same.
            if characters >= len(name) + NAMED and not seen.hold(name):
                characters -= len(name) + NAMED
                chosen.append((name, at))
        chosen.sort(key=_position)  # neighbours stand together, so that a line cites few
        rows = (chosen[start : start + NAMES_A_LINE] for start in range(0, len(chosen), NAMES_A_LINE))
        return [Line(", ".join(name for name, _ in row), tuple(range(row[0][1], row[-1][1] + 1))) for row in rows]


def _position(named: tuple[str, int]) -> int:
    return named[1]


def _shown(draft: Draft, parts: Sequence[Part], islands: dict[int, tuple[Edit, ...]]) -> Iterator[Message]:
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


def _names(outlook: Outlook, shown: Sequence[Message]) -> tuple[tuple[str, int], ...]:
    """Names that no message shown holds, the likeliest for their length first."""
    seen = {name for message in shown for name, _ in names_in(message)}
    mentions = outlook.mentions
    return tuple((name, mentions[name].last) for name in outlook.ranked.first(CANDIDATES_MOST, seen))


def _words(message: Message) -> str:
    return "\n".join(getattr(block, "text", "") or getattr(block, "arguments", "") for block in message.blocks)
