"""Which lines are worth their tokens: chosen one by one, the most for the least first.

A line is worth what it may be quoted for, and what the names in it may be
needed for that nothing chosen before it names. Owns the choosing alone: what
may be chosen from, and what becomes of it, is a rung's business.

Excerpts: of an old part of the view, the lines that will be wanted, in their place.

A part lies between two seams: a message, or a call with its results. Owns
taking a stretch apart, reading what could be shown of each part, and the edits
that show it. Which lines are worth it is `pick`'s business.

What a summary stands for: the parts of a draft that are hidden, in runs, and what must stand beside it.

Owns telling what stays from what goes once that is chosen, and the edits that
hide; what the summary says is not known here.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import msgspec

from steno.core.cover_text import CoverText
from steno.core.draft import Draft
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Edit
from steno.core.message import Block, Message, Result, Span, Text, user_message
from steno.core.repair import encodable_text
from steno.facts.identifiers import find_identifiers
from steno.facts.memory_offer import is_offer
from steno.summary.previous import PreviousSummaries
from steno.summary.worth import LogWorth, Place, Scorer, names_in

LINE_MOST = 400
"""Characters of a line; what is longer is data."""
MAX_ROUNDS = 4
"""Choices made anew without the parts that were not worth their entry."""
LINE_OVERHEAD = 3
"""Characters that a line costs besides its own: its end, and its share of the gaps."""


@dataclass(frozen=True)
class CandidateText:
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
class _CandidateLine:
    page: int
    number: int
    text: str
    cost: float
    quoted: float
    names: tuple[str, ...]


ChosenLines = dict[Place, list[tuple[int, str]]]


class LineChooser:
    """Lines to choose from; read once, however often it is chosen."""

    def __init__(self, pages: Sequence[CandidateText], scorer: Scorer, known: set[str]) -> None:
        """`known` are names that are shown elsewhere."""
        self.pages = pages
        self.lines = list(_candidate_lines(pages, scorer, known))
        self.worth = {name: scorer.name(name) for line in self.lines for name in line.names}
        self.entries = {page.part: page.entry for page in pages}

    def choose(self, room: float) -> ChosenLines:
        """The lines to show of each page, within `room` tokens."""
        lines = self.lines
        for _ in range(MAX_ROUNDS):
            found, rate = _choose_greedily(lines, self.worth, self.pages, self.entries, room)
            # A part must be worth its entry too, at the rate that the last line chosen had.
            totals = _totals_by_part(found, self.pages)
            paid = {
                part: value / (cost + self.entries[part] or 1)
                for part, (value, cost) in totals.items()
            }
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


ValuedLine = tuple[_CandidateLine, float]


def _choose_greedily(
    lines: Sequence[_CandidateLine],
    worth: dict[str, float],
    pages: Sequence[CandidateText],
    entries: dict[int, int],
    room: float,
) -> tuple[list[ValuedLine], float]:
    """Line by line, the most worth for its tokens first; and the rate of the last that was taken."""
    heap = [(-_line_value(line, worth, ()) / line.cost, at) for at, line in enumerate(lines)]
    heapq.heapify(heap)
    named: set[str] = set()
    paid: set[tuple[str, int]] = set()
    taken: list[ValuedLine] = []
    rate = 0.0
    while heap and room > 0:
        stale, at = heapq.heappop(heap)
        line = lines[at]
        value = _line_value(line, worth, named)
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


def _totals_by_part(
    taken: Sequence[ValuedLine], pages: Sequence[CandidateText]
) -> dict[int, tuple[float, float]]:
    """What the lines taken of each part are worth, and cost."""
    totals: dict[int, tuple[float, float]] = {}
    for line, value in taken:
        part = pages[line.page].part
        before = totals.get(part, (0.0, 0.0))
        totals[part] = (before[0] + value, before[1] + line.cost)
    return totals


def _line_value(line: _CandidateLine, worth: dict[str, float], named: Collection[str]) -> float:
    return line.quoted + sum(worth[name] for name in line.names if name not in named)


def _candidate_lines(
    pages: Sequence[CandidateText], scorer: Scorer, known: set[str]
) -> Iterable[_CandidateLine]:
    seen: set[str] = set()
    for at, page in enumerate(pages):
        for number, whole in page.lines:
            text = whole[:LINE_MOST]
            bare = text.strip()
            if not bare or bare in seen:
                continue
            seen.add(bare)
            names = tuple(name for name in find_identifiers(text) if name not in known)
            quoted = scorer.line(page.place, text)
            if quoted or names:
                yield _CandidateLine(
                    at, number, text, (len(text) + LINE_OVERHEAD) * page.rate, quoted, names
                )


OMITTED = "⋮"
"""Stands for lines that are left out."""
WHOLE = 0.85
"""Of a text, from which on it is left as it is."""
FENCE_TOKENS = 40
"""Tokens around an excerpt."""
MIN_PART_TOKENS = 40
"""Tokens of excerpts for which a part is worth keeping."""
NUMBERED_SHARE = 0.5
"""Of the lines, from which on their numbers are a tool's."""
_LINE_NUMBER = re.compile(r"^\s*\d+(?:→|\t)")
OPENING_SHARE = 0.125
"""Of the room, up to which the first words of a user stay as they are."""
BRIDGE_CHARACTERS = 4
"""Characters of a single line between two that are shown, up to which it is shown too."""


@dataclass(frozen=True)
class ViewPart:
    """Items between two seams, by their indices in the view."""

    first: int
    last: int
    items: tuple[Item, ...]

    @property
    def span(self) -> Span:
        return Span(self.items[0].span.start, self.items[-1].span.stop)

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items)

    @property
    def is_offer(self) -> bool:
        """What was told of earlier sessions: it goes first, and never stays in excerpts."""
        return any(item.main is not None and is_offer(item.shows[item.main]) for item in self.items)


@dataclass(frozen=True)
class ReadableBlock:
    """A block that lines may be chosen from."""

    item: Item
    at: int
    block: Block
    text: str
    said: int
    """Tokens of it, as it was said."""
    shown: int
    """Tokens of it, as it is shown."""

    @property
    def place(self) -> Place:
        return self.item.span.start, self.at


def split_parts(draft: Draft, first: int, last: int) -> Iterator[ViewPart]:
    seams = [at for at in range(first, last + 1) if at in draft.seams]
    for start, stop in pairwise(seams):
        yield ViewPart(start, stop, tuple(draft.view.items[start:stop]))


class ExcerptChoice:
    """What of some parts could be shown; read once, however often it is chosen."""

    def __init__(
        self,
        draft: Draft,
        parts: Sequence[ViewPart],
        outlook: LogWorth,
        marked: Sequence[int],
        most: float,
    ) -> None:
        """Words of `marked` parts stay whatever they are worth, the first ones first, within `most` tokens."""
        self.draft, self.parts = draft, parts
        self.bodies = {at: list(_readable_blocks(draft, part)) for at, part in enumerate(parts)}
        rests = {
            at: parts[at].tokens - sum(body.shown for body in found)
            for at, found in self.bodies.items()
        }
        self.marked: dict[int, int] = {}
        for at in marked:
            if sum(self.marked.values()) + rests[at] <= most:
                self.marked[at] = rests[at]
        pages = [
            _candidate_text(body, at, 0 if at in self.marked else rests[at])
            for at, found in self.bodies.items()
            for body in found
        ]
        self.picker = LineChooser(pages, outlook.scorer, _names_in_view(draft))

    def choose(self, room: float) -> dict[int, tuple[Edit, ...]]:
        """The parts that stay, by their index, each with the edits that show it in excerpts."""
        chosen = self.picker.choose(max(0.0, room - sum(self.marked.values())))
        sizes = {at: _chosen_tokens(found, chosen) for at, found in self.bodies.items()}
        first = next((at for at, part in enumerate(self.parts) if not part.is_offer), 0)
        whole = (
            {first} if _is_short_opening(self.parts[first], room) and len(self.parts) > 1 else set()
        )
        stay = [
            at
            for at in self.bodies
            if (sizes[at] >= MIN_PART_TOKENS or at in self.marked) and at not in whole
        ]
        if len(stay) + len(whole) == len(self.parts):
            # The summary needs a place: the part with least to show makes room for it.
            stay.remove(min(stay, key=sizes.__getitem__))
        return dict.fromkeys(whole, ()) | {at: self._excerpt_edits(at, chosen) for at in stay}

    def _excerpt_edits(self, at: int, chosen: ChosenLines) -> tuple[Edit, ...]:
        edits = (
            _excerpt_edit(self.draft, body, chosen.get(body.place, [])) for body in self.bodies[at]
        )
        return tuple(edit for edit in edits if edit is not None)


def _is_short_opening(part: ViewPart, room: float) -> bool:
    """A user's first words, where they are short: what it is all about."""
    first = part.items[0]
    if part.is_offer or first.main is None:
        return False
    return first.shows[first.main].role == "user" and part.tokens <= room * OPENING_SHARE


def _chosen_tokens(bodies: Sequence[ReadableBlock], chosen: ChosenLines) -> float:
    """Tokens of the lines that were chosen."""
    return sum(
        (len(text) + 1) * body.said / max(1, len(body.text))
        for body in bodies
        for _, text in chosen.get(body.place, [])
    )


def shorten_results(
    draft: Draft, items: Sequence[Item], outlook: LogWorth, over: float
) -> tuple[Edit, ...]:
    """The results of these items in excerpts, `over` tokens lighter if that can be had."""
    part = ViewPart(0, len(items), tuple(items))
    bodies = [
        body
        for body in _readable_blocks(draft, part)
        if isinstance(body.block, Result) and body.shown > MIN_PART_TOKENS * 4
    ]
    room = sum(body.shown for body in bodies) - over
    pages = [_candidate_text(body, at, 0) for at, body in enumerate(bodies)]
    chosen = LineChooser(pages, outlook.scorer, set()).choose(max(0.0, room))
    edits = (_excerpt_edit(draft, body, chosen.get(body.place, [])) for body in bodies)
    return tuple(edit for edit in edits if edit is not None)


def _names_in_view(draft: Draft) -> set[str]:
    """Names that what stays untouched shows anyway."""
    stays = (item for item in draft.view.items if not draft.may_cover(item))
    return {name for item in stays for message in item.shows for name, _ in names_in(message)}


def _readable_blocks(draft: Draft, part: ViewPart) -> Iterator[ReadableBlock]:
    if part.is_offer:
        return
    for item in part.items:
        if item.main is None:
            continue
        role = item.shows[item.main].role
        for at, said, shown in draft.view.blocks(item):
            if len(shown) != 1 or not _is_readable(shown[0], role):
                continue
            block = draft.view.messages[item.span.start].blocks[at]
            tokens = draft.view.meter.block(shown[0]) if item.is_edited else said
            yield ReadableBlock(item, at, shown[0], _block_text(block), said, tokens)


def _is_readable(block: Block, role: str) -> bool:
    return isinstance(block, Result) or (isinstance(block, Text) and role == "user")


def _block_text(block: Block) -> str:
    if isinstance(block, Result | Text):
        return block.text
    return ""


def _candidate_text(body: ReadableBlock, part: int, rest: int) -> CandidateText:
    rate = body.said / max(1, len(body.text))
    return CandidateText(
        body.place, list(enumerate(_readable_lines(body))), rate, part, rest, FENCE_TOKENS
    )


def _readable_lines(body: ReadableBlock) -> list[str]:
    """The lines of a block, without the numbers a tool put before them; of one in excerpts already, those."""
    fence = Fence.parse(_block_text(body.block))
    lines = (body.text if fence is None else fence.body).split("\n")
    if sum(_LINE_NUMBER.match(line) is not None for line in lines) > len(lines) * NUMBERED_SHARE:
        lines = [_LINE_NUMBER.sub("", line) for line in lines]
    return [line for line in lines if line != OMITTED and not line.startswith("[… ")]


def _excerpt_edit(draft: Draft, body: ReadableBlock, lines: list[tuple[int, str]]) -> Edit | None:
    """The edit that shows these lines of a block; none where it shows them already."""
    if sum(len(text) + 1 for _, text in lines) >= WHOLE * len(body.text):
        return None
    text = _fence_text(body, _bridged(_readable_lines(body), lines))
    if _block_text(body.block) == text:
        return None
    block: Block = Text(text)
    if isinstance(body.block, Result):
        block = msgspec.structs.replace(body.block, content=(Text(text),))
    position = body.item.span.start
    role = body.item.shows[body.item.main or 0].role
    edit = Edit(
        Span(position, position + 1),
        (Message(role, (block,), by="steno"),),
        "summarize",
        block=body.at,
    )
    if draft.view.weigh_edit(edit) < body.shown:
        return edit
    return None


def _bridged(all_lines: Sequence[str], chosen: list[tuple[int, str]]) -> list[str]:
    """The chosen lines, with a mark where something is left out between them."""
    shown: list[str] = []
    before = -1
    for number, text in chosen:
        if number == before + 2 and len(all_lines[before + 1].strip()) <= BRIDGE_CHARACTERS:
            shown.append(all_lines[before + 1])
        elif number > before + 1:
            shown.append(OMITTED)
        shown.append(text)
        before = number
    if before == len(all_lines) - 1:
        return shown
    return [*shown, OMITTED]


def _fence_text(body: ReadableBlock, lines: list[str]) -> str:
    position, at = body.place
    kind = "result" if isinstance(body.block, Result) else "text"
    label = {
        "kind": kind,
        "at": f"{position}.{at}",
        "tokens": str(body.said),
        "characters": str(len(body.text)),
    }
    earlier = Fence.parse(body.text)
    if (
        earlier is not None
        and earlier.label.keys() == label.keys()
        and earlier.label["at"] == label["at"]
    ):
        label = earlier.label  # a list that came back: the size is that of what was said
    return str(Fence(label, encodable_text("\n".join(lines))))


@dataclass(frozen=True)
class SummaryPlan:
    """What is covered, and what of it stays."""

    draft: Draft
    """As it is once `active` is applied."""
    parts: Sequence[ViewPart]
    outlook: LogWorth
    limit: int
    """Tokens of the summary."""
    active: tuple[Edit, ...] = ()
    """What shows results of the active sub-task in short."""
    stays: dict[int, tuple[Edit, ...]] = field(default_factory=dict)
    """The parts that are shown, by their index, each with the edits that show it in excerpts."""

    @cached_property
    def hidden_positions(self) -> list[int]:
        """The positions of which nothing is shown."""
        return [at for part in self.hidden_parts for at in range(part.span.start, part.span.stop)]

    @property
    def hidden_parts(self) -> list[ViewPart]:
        return [part for n, part in enumerate(self.parts) if n not in self.stays]

    @cached_property
    def previous(self) -> PreviousSummaries:
        return PreviousSummaries.of(
            self.draft, (item for part in self.hidden_parts for item in part.items)
        )


def hidden_runs(
    draft: Draft, parts: Sequence[ViewPart], islands: dict[int, tuple[Edit, ...]]
) -> list[list[Item]]:
    """Neighbouring parts of which nothing is shown."""
    runs: list[list[Item]] = []
    end = -1
    for at, part in enumerate(parts):
        if at in islands:
            continue
        if runs and part.first == end:
            runs[-1] += part.items
        else:
            runs.append(list(part.items))
        end = part.last
    return runs


def run_span(run: Sequence[Item]) -> Span:
    return Span(run[0].span.start, run[-1].span.stop)


def run_level(run: Sequence[Item]) -> int:
    return 1 + max(item.level for item in run)


def hide_run(run: Sequence[Item]) -> Edit:
    return Edit(run_span(run), (), "summarize", level=run_level(run))


def opening_trace(draft: Draft, runs: Sequence[Sequence[Item]]) -> Edit | None:
    """Where a user must begin and the first words would be the assistant's, a trace stands before them."""
    first = runs[0]
    spoken = [item for item in draft.view.items if not _is_system(item)]
    if len(runs) < 2 or not spoken or spoken[0].span.start != first[0].span.start:
        return None
    after = next(
        (item for item in spoken if item.span.start >= first[-1].span.stop and item.shows), None
    )
    if after is None or after.shows[0].role == "user":
        return None
    return Edit(run_span(first), _trace_messages(draft, first), "summarize", level=run_level(first))


def _trace_messages(draft: Draft, run: Sequence[Item]) -> tuple[Message, ...]:
    # A trace that stands there already is left as it is: the cache holds it.
    if len(run) == 1 and run[0].main is None and run[0].shows:
        return run[0].shows
    return (user_message(encodable_text(str(CoverText.of(draft.view, run))), by="steno"),)


def _is_system(item: Item) -> bool:
    return all(message.role == "system" for message in item.shows) and bool(item.shows)
