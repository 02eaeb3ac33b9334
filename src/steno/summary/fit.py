"""Which lines of a summary fit its room.

Rules and open loops are never left out; then come a writer's lines within their share; then the
computed sections in `ROOM_ORDER` while there is room. A list of names costs little, tells little
and is often what is needed next: it has a room of its own. Owns the fitting alone: the lines
come from `sections`, `previous` and a writer, their form from `render`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from steno.core.message import Message
from steno.core.summary import Section, Sections, SummaryLine
from steno.facts.identifiers import NameRuns
from steno.facts.text import SearchableText, in_own_words, message_text
from steno.summary.plan import SummaryPlan
from steno.summary.previous import WRITTEN_MOST
from steno.summary.render import UNVERIFIED_NOTE, WRITTEN_NOTE, render_line
from steno.summary.sections import (
    LINES_MOST,
    PINNED_SECTIONS,
    REMEMBERED_PREFIX,
    ROOM_ORDER,
    compute_sections,
    lines_in_turn,
    make_sections,
)
from steno.summary.worth import LogWorth, names_in

NAMES_A_LINE = 8
CANDIDATES_MOST = 4_000
NAME_SAMPLE = 400
"""Names to estimate the characters of a token from."""
MIN_NAME_ROOM = 12
"""Characters that are too few for another name."""
NAME_OVERHEAD = 4
"""Characters of a name's comma, and of its share of the citation."""
HEAD_TOKENS = 60
"""Tokens before the sections."""
HEADING_TOKENS = 3
"""Tokens of a section's name."""
REMEMBERED_SHARE = 0.25
"""Share of the room for memories of earlier sessions."""
WRITTEN_SHARE = 0.67
"""Share for a writer's lines of what rules and open loops leave."""

CountTokens = Callable[[str], int]


@dataclass(frozen=True)
class SummaryContents:
    """Everything that a summary could say."""

    computed: Sections
    names: tuple[tuple[str, int], ...]
    """Names that nothing shows any more, the most useful first, each with its last position."""
    names_room: int
    """Tokens for the names."""
    visible_text: str
    """Everything that is still shown."""
    count: CountTokens
    written: Sections = field(default_factory=dict)
    """A writer's lines."""
    written_room: int = 0
    """Tokens for a writer's lines."""

    @classmethod
    def of(
        cls, plan: SummaryPlan, written: Sections, names_room: int, written_room: int
    ) -> SummaryContents:
        visible = list(_visible_messages(plan))
        shown = SearchableText(in_own_words(visible))
        computed = compute_sections(
            plan.worth.ledger, set(plan.hidden_positions), shown, plan.previous.carried
        )
        return cls(
            computed,
            _hidden_names(plan.worth, visible),
            names_room,
            "\n".join(map(message_text, visible)),
            plan.draft.view.meter.count,
            written,
            written_room,
        )

    def fit(self, limit: int) -> tuple[Section, ...]:
        """Return the sections with as many lines as `limit` tokens hold."""
        room = limit - HEAD_TOKENS
        if any(line.hearsay for lines in self.computed.values() for line in lines):
            room -= self.count(UNVERIFIED_NOTE)
        memories, room = self._fit_memories(room)
        pinned: Sections = {}
        for name in PINNED_SECTIONS:
            pinned[name], room = self._fit_section(name, room)
        written, room = self._fit_written(room)
        computed = dict(pinned)
        for name in ROOM_ORDER[len(PINNED_SECTIONS) :]:
            computed[name], room = self._fit_section(name, room)
        carried = [line for line in self.computed.get("FACTS", []) if not _is_memory(line)]
        room -= sum(map(self._cost, carried))
        names = self._name_lines(min(room, self.names_room))
        computed["FACTS"] = [*carried, *memories, *names]
        lines = {
            name: [*written.get(name, []), *computed.get(name, [])] for name in written | computed
        }
        return make_sections(lines, self._omitted_loops(len(pinned["OPEN"])))

    def _cost(self, line: SummaryLine) -> int:
        return self.count(render_line(line)) + 1

    def _fit_section(self, name: str, room: int) -> tuple[list[SummaryLine], int]:
        """Return the computed lines that fit, and the room that is left."""
        lines = self.computed[name]
        candidates = lines[: LINES_MOST.get(name)]
        if name == "OPEN":
            # Of too many open loops the newest are kept; every other section lists the best first.
            candidates = lines[-LINES_MOST[name] :]
        taken: list[SummaryLine] = []
        for line in candidates:
            cost = self._cost(line)
            if not taken:
                cost += HEADING_TOKENS
            if name not in PINNED_SECTIONS and room < cost:
                break
            taken.append(line)
            room -= cost
        return taken, room

    def _omitted_loops(self, taken: int) -> dict[str, SummaryLine]:
        """Return the line that counts the open loops beyond the limit, under its section."""
        loops = self.computed["OPEN"]
        omitted = loops[: len(loops) - taken]
        cites = [at for line in omitted for at in line.cites]
        if not cites:
            return {}
        span = tuple(range(min(cites), max(cites) + 1))
        return {"OPEN": SummaryLine(f"{len(omitted)} more", span)}

    def _fit_memories(self, left: int) -> tuple[list[SummaryLine], int]:
        """Return the memories of earlier sessions that fit their share, and the room left."""
        room = int(left * REMEMBERED_SHARE)
        taken: list[SummaryLine] = []
        for line in self.computed.get("FACTS", []):
            cost = self._cost(line)
            if _is_memory(line) and cost <= room:
                taken.append(line)
                room -= cost
                left -= cost
        return taken, left

    def _fit_written(self, left: int) -> tuple[Sections, int]:
        """Return a writer's lines that fit their share, in turn from each section; and the rest."""
        note = self.count(WRITTEN_NOTE)
        room = int(min(self.written_room, left * WRITTEN_SHARE)) - note
        taken: Sections = {}
        for name, line in lines_in_turn(self.written, WRITTEN_MOST):
            cost = self._cost(line)
            if name not in taken:
                cost += HEADING_TOKENS
            if cost <= room:
                taken.setdefault(name, []).append(line)
                room -= cost
                left -= cost
        if taken:
            left -= note
        return taken, left

    def _name_lines(self, room: int) -> list[SummaryLine]:
        sample = ", ".join(name for name, _ in self.names[:NAME_SAMPLE])
        characters = room * len(sample) / max(1, self.count(sample))
        seen = NameRuns(self.visible_text)
        chosen: list[tuple[str, int]] = []
        for name, at in self.names:
            if characters < MIN_NAME_ROOM:
                break
            # Part of a longer name, or in other quotes: it is seen all the same.
            if characters >= len(name) + NAME_OVERHEAD and not seen.contains(name):
                characters -= len(name) + NAME_OVERHEAD
                chosen.append((name, at))
        # Neighbours stand together, so that a line cites few places.
        chosen.sort(key=_position_of)
        lines: list[SummaryLine] = []
        for start in range(0, len(chosen), NAMES_A_LINE):
            row = chosen[start : start + NAMES_A_LINE]
            cites = tuple(range(row[0][1], row[-1][1] + 1))
            lines.append(SummaryLine(", ".join(name for name, _ in row), cites))
        return lines


def _is_memory(line: SummaryLine) -> bool:
    return line.text.startswith(REMEMBERED_PREFIX)


def _position_of(named: tuple[str, int]) -> int:
    return named[1]


def _visible_messages(plan: SummaryPlan) -> Iterator[Message]:
    """Yield every message that is still shown under the plan."""
    edited = {edit.span.start: edit for edits in plan.stays.values() for edit in edits}
    inside: set[int] = set()
    for n, part in enumerate(plan.parts):
        inside.update(item.span.start for item in part.items)
        if n not in plan.stays:
            continue
        for item in part.items:
            edit = edited.get(item.span.start)
            if edit is None:
                yield from item.shows
            else:
                yield from edit.shows
    for item in plan.draft.view.items:
        if item.span.start not in inside:
            yield from item.shows


def _hidden_names(worth: LogWorth, visible: Sequence[Message]) -> tuple[tuple[str, int], ...]:
    """Return names that no visible message holds, the most useful for their length first."""
    seen = {name for message in visible for name, _ in names_in(message)}
    found = worth.ranked_names.first(CANDIDATES_MOST, seen)
    return tuple((name, worth.mentions[name].last) for name in found)
