"""Excerpts: of an old part of the view, the lines that will be wanted, in their place.

A part lies between two seams: a message, or a call with its results. Owns
taking a stretch apart, reading what could be shown of each part, and the edits
that show it. Which lines are worth it is `pick`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from steno.core.draft import Draft
from steno.core.fence import Fence
from steno.core.log import Edit
from steno.core.mend import clean
from steno.core.message import Block, Message, Result, Text
from steno.core.span import Span
from steno.core.view import Item
from steno.ledger.offer import is_offer
from steno.ledger.outlook import Outlook
from steno.ledger.said import names_in
from steno.ledger.worth import Place
from steno.steps.pick import Chosen, Page, Picker

OMITTED = "⋮"
"""Stands for lines that are left out."""
WHOLE = 0.85
"""Of a text, from which on it is left as it is."""
FENCE = 40
"""Tokens around an excerpt."""
LEAST = 40
"""Tokens of excerpts for which a part is worth keeping."""
NUMBERED = 0.5
"""Of the lines, from which on their numbers are a tool's."""
_NUMBERED = re.compile(r"^\s*\d+(?:→|\t)")
FIRST = 0.125
"""Of the room, up to which the first words of a user stay as they are."""
BRIDGED = 4
"""Characters of a single line between two that are shown, up to which it is shown too."""


@dataclass(frozen=True)
class Part:
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
class Body:
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


def parts_of(draft: Draft, first: int, last: int) -> Iterator[Part]:
    seams = [at for at in range(first, last + 1) if at in draft.seams]
    for start, stop in pairwise(seams):
        yield Part(start, stop, tuple(draft.view.items[start:stop]))


class Choice:
    """What of some parts could be shown; read once, however often it is chosen."""

    def __init__(
        self, draft: Draft, parts: Sequence[Part], outlook: Outlook, marked: Sequence[int], most: float
    ) -> None:
        """Words of `marked` parts stay whatever they are worth, the first ones first, within `most` tokens."""
        self.draft, self.parts = draft, parts
        self.bodies = {at: list(_bodies(draft, part)) for at, part in enumerate(parts)}
        rests = {at: parts[at].tokens - sum(body.shown for body in found) for at, found in self.bodies.items()}
        self.marked: dict[int, int] = {}
        for at in marked:
            if sum(self.marked.values()) + rests[at] <= most:
                self.marked[at] = rests[at]
        pages = [
            _page(body, at, 0 if at in self.marked else rests[at])
            for at, found in self.bodies.items()
            for body in found
        ]
        self.picker = Picker(pages, outlook.likely, _known(draft))

    def within(self, room: float) -> dict[int, tuple[Edit, ...]]:
        """The parts that stay, by their index, each with the edits that show it in excerpts."""
        chosen = self.picker.within(max(0.0, room - sum(self.marked.values())))
        sizes = {at: _size(found, chosen) for at, found in self.bodies.items()}
        first = next((at for at, part in enumerate(self.parts) if not part.is_offer), 0)
        whole = {first} if _begins(self.parts[first], room) and len(self.parts) > 1 else set()
        stay = [at for at in self.bodies if (sizes[at] >= LEAST or at in self.marked) and at not in whole]
        if len(stay) + len(whole) == len(self.parts):
            # The summary needs a place: the part with least to show makes room for it.
            stay.remove(min(stay, key=sizes.__getitem__))
        return dict.fromkeys(whole, ()) | {at: self._shown(at, chosen) for at in stay}

    def _shown(self, at: int, chosen: Chosen) -> tuple[Edit, ...]:
        edits = (_excerpt(self.draft, body, chosen.get(body.place, [])) for body in self.bodies[at])
        return tuple(edit for edit in edits if edit is not None)


def _begins(part: Part, room: float) -> bool:
    """A user's first words, where they are short: what it is all about."""
    first = part.items[0]
    if part.is_offer or first.main is None:
        return False
    return first.shows[first.main].role == "user" and part.tokens <= room * FIRST


def _size(bodies: Sequence[Body], chosen: Chosen) -> float:
    """Tokens of the lines that were chosen."""
    return sum(
        (len(text) + 1) * body.said / max(1, len(body.text))
        for body in bodies
        for _, text in chosen.get(body.place, [])
    )


def shortened(draft: Draft, items: Sequence[Item], outlook: Outlook, over: float) -> tuple[Edit, ...]:
    """The results of these items in excerpts, `over` tokens lighter if that can be had."""
    part = Part(0, len(items), tuple(items))
    bodies = [body for body in _bodies(draft, part) if isinstance(body.block, Result) and body.shown > LEAST * 4]
    room = sum(body.shown for body in bodies) - over
    pages = [_page(body, at, 0) for at, body in enumerate(bodies)]
    chosen = Picker(pages, outlook.likely, set()).within(max(0.0, room))
    edits = (_excerpt(draft, body, chosen.get(body.place, [])) for body in bodies)
    return tuple(edit for edit in edits if edit is not None)


def _known(draft: Draft) -> set[str]:
    """Names that what stays untouched shows anyway."""
    stays = (item for item in draft.view.items if not draft.may_cover(item))
    return {name for item in stays for message in item.shows for name, _ in names_in(message)}


def _bodies(draft: Draft, part: Part) -> Iterator[Body]:
    if part.is_offer:
        return
    for item in part.items:
        if item.main is None:
            continue
        role = item.shows[item.main].role
        for at, said, shown in draft.view.blocks(item):
            if len(shown) != 1 or not _readable(shown[0], role):
                continue
            block = draft.view.messages[item.span.start].blocks[at]
            tokens = draft.view.meter.block(shown[0]) if item.edited else said
            yield Body(item, at, shown[0], _text(block), said, tokens)


def _readable(block: Block, role: str) -> bool:
    return isinstance(block, Result) or (isinstance(block, Text) and role == "user")


def _text(block: Block) -> str:
    return block.text if isinstance(block, Result | Text) else ""


def _page(body: Body, part: int, rest: int) -> Page:
    rate = body.said / max(1, len(body.text))
    return Page(body.place, list(enumerate(_lines(body))), rate, part, rest, FENCE)


def _lines(body: Body) -> list[str]:
    """The lines of a block, without the numbers a tool put before them; of one in excerpts already, those."""
    fence = Fence.read(_text(body.block))
    lines = (body.text if fence is None else fence.body).split("\n")
    if sum(_NUMBERED.match(line) is not None for line in lines) > len(lines) * NUMBERED:
        lines = [_NUMBERED.sub("", line) for line in lines]
    return [line for line in lines if line != OMITTED and not line.startswith("[… ")]


def _excerpt(draft: Draft, body: Body, lines: list[tuple[int, str]]) -> Edit | None:
    """The edit that shows these lines of a block; none where it shows them already."""
    if sum(len(text) + 1 for _, text in lines) >= WHOLE * len(body.text):
        return None
    text = _note(body, _bridged(_lines(body), lines))
    if _text(body.block) == text:
        return None
    block: Block = Text(text)
    if isinstance(body.block, Result):
        block = msgspec.structs.replace(body.block, content=(Text(text),))
    position = body.item.span.start
    role = body.item.shows[body.item.main or 0].role
    edit = Edit(Span(position, position + 1), (Message(role, (block,), by="steno"),), "summarize", block=body.at)
    return edit if draft.view.weighed(edit) < body.shown else None


def _bridged(all_lines: Sequence[str], chosen: list[tuple[int, str]]) -> list[str]:
    """The chosen lines, with a mark where something is left out between them."""
    shown: list[str] = []
    before = -1
    for number, text in chosen:
        if number == before + 2 and len(all_lines[before + 1].strip()) <= BRIDGED:
            shown.append(all_lines[before + 1])
        elif number > before + 1:
            shown.append(OMITTED)
        shown.append(text)
        before = number
    return shown if before == len(all_lines) - 1 else [*shown, OMITTED]


def _note(body: Body, lines: list[str]) -> str:
    position, at = body.place
    kind = "result" if isinstance(body.block, Result) else "text"
    label = {"kind": kind, "at": f"{position}.{at}", "tokens": str(body.said), "characters": str(len(body.text))}
    earlier = Fence.read(body.text)
    if earlier is not None and earlier.label.keys() == label.keys() and earlier.label["at"] == label["at"]:
        label = earlier.label  # a list that came back: the size is that of what was said
    return str(Fence(label, clean("\n".join(lines))))
