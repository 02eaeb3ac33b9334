"""Offload: a large block is shown as its head, its tail, its size and its place.

Results, media, and the arguments of old calls. The structure stays: a call is
still a call and its result still answers it. Block by block, so that eight
results of one message do not store seven siblings each.

Micro: old results shrink as they age, after every round, pressure or not.

It is offload chosen by age instead of size. The structure stays and so does the
original size; the newest messages are left alone. Each round looks only at what
has just become old, so its cost does not grow with the session; what it costs in
cache is another matter, which is why it is not in the default policy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

import msgspec

from steno.core.budget import Pressure
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.excerpt import excerpt
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.message import Block, Call, Media, Message, Result, Role, Span, Text
from steno.core.repair import describe_part, encodable_text
from steno.core.rung import Rung

_COUNT = re.compile(r"[0-9]{1,12}")


class Offload(Rung, frozen=True, tag="offload"):
    """Under pressure: the oldest large blocks first, until the draft fits; under hard pressure smaller ones too."""

    over: int = 1_000
    """Tokens above which a block is large."""
    keep: int = 900
    """Characters of it that stay."""
    over_hard: int = 200
    keep_hard: int = 300

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        hard = draft.pressure is Pressure.HARD
        old = [item for item in draft.view.items if draft.may_cover(item)]
        proposals, saved = self._offload_until(
            draft, in_short(draft, old, self.over), self.keep, draft.excess
        )
        if saved < draft.excess and hard:
            proposals += self._offload_tail(draft)
        return tuple(proposals)

    def _offload_tail(self, draft: Draft) -> list[Proposal]:
        """The largest results of the newest turns, until those keep to their share of the goal."""
        items = [item for item in draft.view.items if item.span.start >= draft.tail]
        free = [item for item in items if item.span.start not in draft.pins]
        over = draft.over_share(sum(item.tokens for item in items))
        large = [
            each
            for each in in_short(draft, free, self.over_hard)
            if not isinstance(each.block, Call)
        ]
        big = sorted((each for each in large if each.tokens > self.over), key=_heaviest_first)
        small = sorted((each for each in large if each.tokens <= self.over), key=_oldest_first)
        proposals, saved = self._offload_until(draft, iter(big), self.keep, over)
        return proposals + self._offload_until(draft, iter(small), self.keep_hard, over - saved)[0]

    def _offload_until(
        self, draft: Draft, blocks: Iterable[_LargeBlock], keep: int, excess: int
    ) -> tuple[list[Proposal], int]:
        proposals: list[Proposal] = []
        saved = 0
        for large in blocks:
            if saved >= excess:
                break
            edit = shrink_block(large, keep, self.label)
            gain = large.tokens - draft.view.weigh_edit(edit)
            if gain > 0:
                saved += gain
                proposals.append(Proposal((edit,), self.label))
        return proposals, saved


class Intake(Rung, frozen=True, tag="intake"):
    """Every round: whatever arrived too large is offloaded before it is ever shown."""

    over: int = 20_000
    keep: int = 4_000

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        new = [
            item for item in draft.view.arrivals[draft.new :] if item.span.start not in draft.pins
        ]
        large = (
            each for each in in_short(draft, new, self.over) if not isinstance(each.block, Call)
        )
        return tuple(
            Proposal((shrink_block(each, self.keep, self.label),), self.label) for each in large
        )


@dataclass(frozen=True, slots=True)
class _LargeBlock:
    """A block worth offloading, and where it stands."""

    position: int
    at: int
    role: Role
    block: Call | Result | Media
    said: int
    """Tokens of it as it was said."""
    tokens: int
    """Tokens of it as it is shown."""


def _heaviest_first(large: _LargeBlock) -> int:
    return -large.tokens


def _oldest_first(large: _LargeBlock) -> tuple[int, int]:
    return large.position, large.at


def in_short(draft: Draft, items: Iterable[Item], over: int) -> Iterator[_LargeBlock]:
    """Blocks that weigh more than `over` as they are shown, and could be shown in short."""
    for item in items:
        if item.main is None or max(draft.view.weights[item.span.start], default=0) <= over:
            continue
        role = item.shows[item.main].role
        for at, said, shown in draft.view.blocks(item):
            if said <= over or len(shown) != 1 or not isinstance(shown[0], Call | Result | Media):
                continue
            tokens = draft.view.meter.block(shown[0]) if item.is_edited else said
            if tokens > over:
                block = _original_block(shown[0], draft.view.messages[item.span.start].blocks[at])
                yield _LargeBlock(item.span.start, at, role, block, said, tokens)


def _original_block(shown: Call | Result | Media, said: Block) -> Call | Result | Media:
    """The block with all its words, under the id it is shown with."""
    match shown, said:
        case Call(id), Call(_, name, arguments):
            return Call(id, name, arguments)
        case Result(call), Result(_, content, error):
            return Result(call, content, error)
    return shown


def shrink_block(large: _LargeBlock, keep: int, by: str) -> Edit:
    """The edit that shows a large block in short."""
    place = f"{large.position}.{large.at}"
    block: Block
    match large.block:
        case Result(call, content, error):
            body = encodable_text("\n".join(map(describe_part, content)))
            block = Result(
                call, (Text(_short_fence("result", place, large.said, body, keep)),), error
            )
        case Media():
            block = Text(
                _short_fence("media", place, large.said, describe_media(large.block), keep)
            )
        case Call(id, name, arguments):
            block = Call(id, name, _short_arguments(arguments, place, large.said, keep))
    span = Span(large.position, large.position + 1)
    return Edit(span, (Message(large.role, (block,), by="steno"),), by, block=large.at)


def _short_fence(kind: str, place: str, tokens: int, body: str, keep: int) -> str:
    """The fence for a body in short; a body that is such a fence already (a list that came back) is updated."""
    label = {"kind": kind, "at": place, "tokens": str(tokens), "characters": str(len(body))}
    earlier = Fence.parse(body)
    if earlier is not None and _is_note(earlier, label):
        label, body = earlier.label, earlier.body
    more = f"[… {int(label['characters']):,} characters in all; open {label['at']} …]"
    return str(Fence(label, excerpt(body, keep, more)))


def _is_note(fence: Fence, label: dict[str, str]) -> bool:
    """A note of ours on this very block; a tool may write anything that looks like one of another."""
    same = (
        fence.label.keys() == label.keys()
        and fence.label["kind"] == label["kind"]
        and fence.label["at"] == label["at"]
    )
    return same and all(_COUNT.fullmatch(fence.label[key]) for key in ("tokens", "characters"))


def describe_media(media: Media) -> str:
    """What a media block was, in words."""
    size = f" {media.width}×{media.height}" if media.width and media.height else ""
    pages = f", {media.pages} pages" if media.pages else ""
    return f"[{media.kind}{size}{pages}, not shown]"


def _short_arguments(arguments: str, place: str, tokens: int, keep: int) -> str:
    """The arguments with their long strings in short; names, numbers and paths stay."""
    try:
        read = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        # What a model wrote may be cut off or nested beyond reading: it is shown as the text it is.
        read = arguments
    if isinstance(read, str) and read != arguments:  # free text, as custom tools take it
        return json.dumps(_short_value(read, place, tokens, keep), ensure_ascii=False)
    if not isinstance(read, dict):
        read = {"arguments": arguments}
    short = {key: _short_value(value, place, tokens, keep) for key, value in read.items()}
    return json.dumps(short, ensure_ascii=False, separators=(",", ":"))


def _short_value(value: object, place: str, tokens: int, keep: int) -> object:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= keep or Fence.parse(text):
        return value
    return _short_fence("argument", place, tokens, encodable_text(text), keep)


Count = Annotated[int, msgspec.Meta(ge=0)]


class Micro(Rung, frozen=True, tag="micro"):
    """Every round: results behind the newest messages are shown in short."""

    recent: Count = 10
    """Messages that are left alone."""
    over: Count = 200
    """Tokens above which a result shrinks."""
    keep: Count = 500
    """Characters of it that stay."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        stop = len(draft.view.messages) - self.recent
        start = max(0, draft.new - self.recent)
        aged = [
            draft.view.at(position) for position in range(start, stop) if position not in draft.pins
        ]
        shown = [item for item in aged if item.main is not None]
        old = (each for each in in_short(draft, shown, self.over) if isinstance(each.block, Result))
        edits = ((each, shrink_block(each, self.keep, self.label)) for each in old)
        return tuple(
            Proposal((edit,), self.label)
            for each, edit in edits
            if draft.view.weigh_edit(edit) < each.tokens
        )
