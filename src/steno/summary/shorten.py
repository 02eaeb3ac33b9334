"""Old parts of a view in excerpts: the lines that will be wanted, in their place.

A part lies between two seams: a message, or a call with its results. Owns splitting a stretch
into parts, reading what could be shown of each, and the edits that show it. Which lines are
worth their tokens is decided by `choose`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from steno.core.draft import Draft
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Edit
from steno.core.message import Block, Message, Result, Span, Text
from steno.core.repair import encodable_text
from steno.facts.memory_offer import is_offer
from steno.summary.choose import CandidateText, ChosenLines, LineChooser
from steno.summary.worth import LogWorth, Place, names_in

OMITTED = "⋮"
"""Stands for lines that are left out."""
WHOLE_SHARE = 0.85
"""Share of a text from which it stays as it is."""
FENCE_TOKENS = 40
"""Tokens around an excerpt."""
MIN_PART_TOKENS = 40
"""Tokens of excerpts for which a part is worth keeping."""
NUMBERED_SHARE = 0.5
"""Share of lines that begin with a number from which the numbers are a tool's."""
OPENING_SHARE = 0.125
"""Share of the room up to which a user's first message stays as it is."""
BRIDGE_CHARACTERS = 4
"""Characters of a single line between two shown ones up to which it is shown too."""
_LINE_NUMBER = re.compile(r"^\s*\d+(?:→|\t)")
_COUNT = re.compile(r"[0-9]{1,12}")


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
        """Tell whether it offers memories of earlier sessions: those never stay in excerpts."""
        return any(item.main is not None and is_offer(item.shows[item.main]) for item in self.items)


@dataclass(frozen=True)
class ReadableBlock:
    """A block that lines may be chosen from."""

    item: Item
    at: int
    block: Block
    """As it is shown."""
    text: str
    """Its text as it was said."""
    said_tokens: int
    shown_tokens: int

    @property
    def place(self) -> Place:
        return self.item.span.start, self.at

    @property
    def shown_text(self) -> str:
        return _readable_text(self.block)

    @property
    def rate(self) -> float:
        """Return tokens a character."""
        return self.said_tokens / max(1, len(self.text))


def split_parts(draft: Draft, first: int, last: int) -> Iterator[ViewPart]:
    """Yield the parts of a stretch of items, from seam to seam."""
    seams = [at for at in range(first, last + 1) if at in draft.seams]
    for start, stop in pairwise(seams):
        yield ViewPart(start, stop, tuple(draft.view.items[start:stop]))


class ExcerptChoice:
    """What could be shown of some parts; read once, however often a choice is made."""

    def __init__(
        self,
        draft: Draft,
        parts: Sequence[ViewPart],
        worth: LogWorth,
        marked: Sequence[int],
        most: float,
    ) -> None:
        """Read the parts; those `marked` stay whatever they are worth, within `most` tokens."""
        self.draft = draft
        self.parts = parts
        self.blocks = {at: list(_readable_blocks(draft, part)) for at, part in enumerate(parts)}
        self.marked: dict[int, int] = {}
        for at in marked:
            rest = self._unreadable_tokens(at)
            if sum(self.marked.values()) + rest <= most:
                self.marked[at] = rest
        texts: list[CandidateText] = []
        for at, blocks in self.blocks.items():
            entry = 0 if at in self.marked else self._unreadable_tokens(at)
            texts += [_candidate_text(block, at, entry) for block in blocks]
        self.chooser = LineChooser(texts, worth.scorer, _names_that_stay(draft))

    def _unreadable_tokens(self, at: int) -> int:
        """Return what a part costs besides the blocks that lines are chosen from."""
        return self.parts[at].tokens - sum(block.shown_tokens for block in self.blocks[at])

    def choose(self, room: float) -> dict[int, tuple[Edit, ...]]:
        """Return the parts that stay, by index, each with the edits that show its excerpts."""
        chosen = self.chooser.choose(max(0.0, room - sum(self.marked.values())))
        sizes = {at: _chosen_tokens(blocks, chosen) for at, blocks in self.blocks.items()}
        first = next((at for at, part in enumerate(self.parts) if not part.is_offer), 0)
        whole: set[int] = set()
        if len(self.parts) > 1 and _is_short_opening(self.parts[first], room):
            whole.add(first)
        stay = [
            at
            for at in self.blocks
            if (sizes[at] >= MIN_PART_TOKENS or at in self.marked) and at not in whole
        ]
        if len(stay) + len(whole) == len(self.parts):
            # The summary needs a place: the part with least to show makes room for it.
            stay.remove(min(stay, key=sizes.__getitem__))
        return dict.fromkeys(whole, ()) | {
            at: _excerpt_edits(self.draft, self.blocks[at], chosen) for at in stay
        }


def _is_short_opening(part: ViewPart, room: float) -> bool:
    """Tell whether a part is a user's first message, and short: it says what all is about."""
    first = part.items[0]
    if part.is_offer or first.main is None:
        return False
    return first.shows[first.main].role == "user" and part.tokens <= room * OPENING_SHARE


def _chosen_tokens(blocks: Sequence[ReadableBlock], chosen: ChosenLines) -> float:
    """Return the tokens of the chosen lines."""
    return sum(
        (len(text) + 1) * block.said_tokens / max(1, len(block.text))
        for block in blocks
        for _, text in chosen.get(block.place, [])
    )


def shorten_results(
    draft: Draft, items: Sequence[Item], worth: LogWorth, over: float
) -> tuple[Edit, ...]:
    """Return edits that show the results of these items in excerpts, `over` tokens lighter."""
    part = ViewPart(0, len(items), tuple(items))
    blocks = [
        block
        for block in _readable_blocks(draft, part)
        if isinstance(block.block, Result) and block.shown_tokens > MIN_PART_TOKENS * 4
    ]
    room = sum(block.shown_tokens for block in blocks) - over
    texts = [_candidate_text(block, at, 0) for at, block in enumerate(blocks)]
    chosen = LineChooser(texts, worth.scorer, set()).choose(max(0.0, room))
    return _excerpt_edits(draft, blocks, chosen)


def _names_that_stay(draft: Draft) -> set[str]:
    """Return the names in what may not be covered."""
    names: set[str] = set()
    for item in draft.view.items:
        if not draft.may_cover(item):
            names.update(name for message in item.shows for name, _ in names_in(message))
    return names


def _readable_blocks(draft: Draft, part: ViewPart) -> Iterator[ReadableBlock]:
    if part.is_offer:
        return
    for item in part.items:
        if item.main is None:
            continue
        role = item.shows[item.main].role
        for at, tokens, shown in draft.view.blocks(item):
            if len(shown) != 1 or not _is_readable(shown[0], role):
                continue
            text = _readable_text(draft.view.messages[item.span.start].blocks[at])
            shown_tokens = tokens
            if item.is_edited:
                shown_tokens = draft.view.meter.block(shown[0])
            yield ReadableBlock(item, at, shown[0], text, tokens, shown_tokens)


def _is_readable(block: Block, role: str) -> bool:
    return isinstance(block, Result) or (isinstance(block, Text) and role == "user")


def _readable_text(block: Block) -> str:
    if isinstance(block, Result | Text):
        return block.text
    return ""


def _candidate_text(block: ReadableBlock, part: int, entry: int) -> CandidateText:
    lines = list(enumerate(_readable_lines(block)))
    return CandidateText(block.place, lines, block.rate, part, entry, FENCE_TOKENS)


def _readable_lines(block: ReadableBlock) -> list[str]:
    """Return the lines of a block, or of its excerpt, without the numbers a tool put there."""
    fence = Fence.parse(block.shown_text)
    text = block.text if fence is None else fence.body
    lines = text.split("\n")
    numbered = sum(_LINE_NUMBER.match(line) is not None for line in lines)
    if numbered > len(lines) * NUMBERED_SHARE:
        lines = [_LINE_NUMBER.sub("", line) for line in lines]
    return [line for line in lines if line != OMITTED and not line.startswith("[… ")]


def _excerpt_edits(
    draft: Draft, blocks: Sequence[ReadableBlock], chosen: ChosenLines
) -> tuple[Edit, ...]:
    edits = (_excerpt_edit(draft, block, chosen.get(block.place, [])) for block in blocks)
    return tuple(edit for edit in edits if edit is not None)


def _excerpt_edit(draft: Draft, block: ReadableBlock, lines: list[tuple[int, str]]) -> Edit | None:
    """Return the edit that shows these lines of a block, or None if it would save nothing."""
    if sum(len(text) + 1 for _, text in lines) >= WHOLE_SHARE * len(block.text):
        return None
    text = _excerpt_text(block, _join_lines(_readable_lines(block), lines))
    if block.shown_text == text:
        return None
    short: Block = Text(text)
    if isinstance(block.block, Result):
        short = msgspec.structs.replace(block.block, content=(Text(text),))
    position = block.item.span.start
    role = block.item.shows[block.item.main or 0].role
    message = Message(role, (short,), by="steno")
    edit = Edit(Span(position, position + 1), (message,), "summarize", block=block.at)
    if draft.view.weigh_edit(edit) < block.shown_tokens:
        return edit
    return None


def _join_lines(all_lines: Sequence[str], chosen: list[tuple[int, str]]) -> list[str]:
    """Return the chosen lines, with a mark where something is left out between them."""
    shown: list[str] = []
    before = -1
    for number, text in chosen:
        if number == before + 2 and len(all_lines[before + 1].strip()) <= BRIDGE_CHARACTERS:
            shown.append(all_lines[before + 1])
        elif number > before + 1:
            shown.append(OMITTED)
        shown.append(text)
        before = number
    if before < len(all_lines) - 1:
        shown.append(OMITTED)
    return shown


def _excerpt_text(block: ReadableBlock, lines: list[str]) -> str:
    kind = "result" if isinstance(block.block, Result) else "text"
    place = "{}.{}".format(*block.place)
    label, _ = block_label(kind, place, block.said_tokens, block.text)
    return str(Fence(label, encodable_text("\n".join(lines))))


def block_label(kind: str, place: str, tokens: int, text: str) -> tuple[dict[str, str], str]:
    """Return the label of a block shown in short, and the text to shorten.

    In a list that came back a block may be in short already: then both are those of its fence,
    so that the sizes stay those of what was said.
    """
    label = {"kind": kind, "at": place, "tokens": str(tokens), "characters": str(len(text))}
    fence = Fence.parse(text)
    if fence is None or fence.label.keys() != label.keys() or fence.label["at"] != place:
        # A tool may write anything that looks like a fence of another block.
        return label, text
    if not all(_COUNT.fullmatch(fence.label[key]) for key in ("tokens", "characters")):
        return label, text
    return fence.label, fence.body
