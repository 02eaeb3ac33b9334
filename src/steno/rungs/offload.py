"""Offload: show a large block as its head, its tail, its size and its place.

Four rungs share this: `Offload` under pressure, `Intake` for what arrives too large, `Micro` for
results that have become old, `OffloadTail` for newest turns above their share. They work block
by block, on results, media and the arguments of old calls: a call is still a call and its result
still answers it, and eight results of one message do not store seven siblings each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec

from steno.core.budget import Budget, Pressure
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.message import Block, Call, Media, Message, Result, Role, Span, Text, Value
from steno.core.repair import describe_part, encodable_text
from steno.core.rung import Rung
from steno.core.view import View
from steno.facts.text import excerpt
from steno.summary.shorten import block_label, shorten_results
from steno.summary.story import is_search_result

Count = Annotated[int, msgspec.Meta(ge=0)]
ARGUMENTS_LEAST = 300
"""Tokens of a newest call's arguments that stay in any case."""
CHARACTERS_PER_TOKEN = 4


class Offload(Rung, tag="offload"):
    """Under pressure: shorten the oldest large blocks until the draft fits.

    Under hard pressure also the largest results of the tail, then smaller ones.
    """

    over: int = 1_000
    """Tokens above which a block is large."""
    keep: int = 900
    """Characters of it that stay."""
    over_hard: int = 200
    """Tokens above which a result of the tail is large, under hard pressure."""
    keep_hard: int = 300
    """Characters of it that stay."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        old = [item for item in draft.view.items if draft.may_cover(item)]
        large = searches_last(draft, large_blocks(draft, old, self.over))
        proposals, saved = self._shorten_until(draft, large, self.keep, draft.excess)
        # The newest results are what the agent works on: touched only if the request would not fit.
        if saved < draft.excess and draft.pressure is Pressure.HARD:
            proposals += self._shorten_tail(draft)
        return tuple(proposals)

    def _shorten_tail(self, draft: Draft) -> list[Proposal]:
        """Shorten the largest results of the newest turns until those keep to their share."""
        items = _tail_items(draft)
        over = draft.over_tail_load(sum(item.tokens for item in items))
        free = [item for item in items if item.span.start not in draft.pins]
        large = [
            block
            for block in large_blocks(draft, free, self.over_hard)
            if not isinstance(block.block, Call)
        ]
        # The heaviest first, so that few results change; then the small ones, oldest first.
        heavy = sorted(large, key=lambda block: -block.tokens)
        big = searches_last(draft, (block for block in heavy if block.tokens > self.over))
        small = searches_last(draft, (block for block in large if block.tokens <= self.over))
        proposals, saved = self._shorten_until(draft, big, self.keep, over)
        more, _ = self._shorten_until(draft, small, self.keep_hard, over - saved)
        return proposals + more

    def _shorten_until(
        self, draft: Draft, blocks: Iterable[LargeBlock], keep: int, excess: int
    ) -> tuple[list[Proposal], int]:
        proposals: list[Proposal] = []
        saved = 0
        for block in blocks:
            if saved >= excess:
                break
            edit = shrink_block(block, keep, self.label)
            gain = block.tokens - draft.view.weigh_edit(edit)
            if gain > 0:
                saved += gain
                proposals.append(Proposal((edit,), self.label))
        return proposals, saved


class Intake(Rung, tag="intake"):
    """Every round: shorten what arrived too large, before it is ever shown.

    The arguments of a call are shortened once they are old: the agent may still look at them.
    """

    over: int = 20_000
    """Tokens above which a block is too large."""
    keep: int = 4_000
    """Characters of it that stay."""
    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    """Share of the usable window above which a block is too large, if that is less."""
    old_after: Count = 10
    """Messages after which the arguments of a call are old."""

    def has_work(self, view: View, new: int, budget: Budget) -> bool:
        over = self._most_tokens(budget)
        # What has just become old is looked at too, for its calls.
        weights = view.weights[max(0, new - self.old_after) :]
        return any(tokens > over for weight in weights for tokens in weight)

    def _most_tokens(self, budget: Budget) -> int:
        # In a small window one result may not take all the room of a turn.
        return min(self.over, int(budget.usable * self.share))

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        # As they are shown: a rung before this one may have shortened them.
        new = [
            draft.view.at(position)
            for position in range(draft.new, len(draft.view.messages))
            if position not in draft.pins
        ]
        over = self._most_tokens(draft.budget)
        keep = min(self.keep, over)
        blocks = [
            block
            for block in large_blocks(draft, new, over)
            if not isinstance(block.block, Call) and not _weight_is_assumed(block.block)
        ]
        blocks += [
            block
            for block in large_blocks(draft, _aged_items(draft, self.old_after), over)
            if isinstance(block.block, Call)
        ]
        edits = [shrink_block(block, keep, self.label) for block in blocks]
        return tuple(Proposal((edit,), self.label) for edit in edits)


def _weight_is_assumed(block: Call | Result | Media) -> bool:
    """Return whether a block holds media that was never seen here, so that its size is a guess."""
    if isinstance(block, Media):
        return block.size is None and block.pages is None and block.width is None
    # A PDF by its address may have one page: to hide it unread would cost the agent its answer.
    return isinstance(block, Result) and any(
        _weight_is_assumed(part) for part in block.content if isinstance(part, Media)
    )


class Micro(Rung, tag="micro"):
    """Every round: shorten results behind the newest messages, pressure or not.

    Each round looks only at what has just become old, so its cost does not grow with the
    session. It changes the prefix that a provider has cached, so no default policy has it.
    """

    recent: Count = 10
    """Messages that are left alone."""
    over: Count = 200
    """Tokens above which a result shrinks."""
    keep: Count = 500
    """Characters of it that stay."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        proposals: list[Proposal] = []
        for block in large_blocks(draft, _aged_items(draft, self.recent), self.over):
            if not isinstance(block.block, Result):
                continue
            edit = shrink_block(block, self.keep, self.label)
            if draft.view.weigh_edit(edit) < block.tokens:
                proposals.append(Proposal((edit,), self.label))
        return tuple(proposals)


class OffloadTail(Rung, tag="offload-tail"):
    """Under hard pressure: cut the largest results of newest turns that are above their share.

    Where that is not enough, also arguments of calls that take half of the share alone.
    """

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        items = _tail_items(draft)
        over = draft.over_tail_load(sum(item.tokens for item in items))
        if over <= 0 or draft.pressure is not Pressure.HARD:
            return ()
        free = [item for item in items if item.span.start not in draft.pins]
        shortened, saved = shorten_results(draft, free, over)
        edits = tuple(msgspec.structs.replace(edit, by=self.label) for edit in shortened)
        if saved < over:
            most = max(ARGUMENTS_LEAST, draft.tail_load // 2)
            edits += tuple(
                shrink_block(block, most * CHARACTERS_PER_TOKEN, self.label)
                for block in large_blocks(draft, free, most)
                if isinstance(block.block, Call)
            )
        return tuple(Proposal((edit,), self.label) for edit in edits)


def _aged_items(draft: Draft, recent: int) -> list[Item]:
    """Return what has just become older than the newest messages."""
    start = max(0, draft.new - recent)
    stop = len(draft.view.messages) - recent
    return [draft.view.at(at) for at in range(start, stop) if at not in draft.pins]


def _tail_items(draft: Draft) -> list[Item]:
    return [item for item in draft.view.items if item.span.start >= draft.tail_start]


class LargeBlock(Value):
    """A block worth shortening, and where it stands."""

    position: int
    at: int
    role: Role
    block: Call | Result | Media
    """With all its words, under the id it is shown with."""
    said_tokens: int
    """Tokens of it as it was said."""
    tokens: int
    """Tokens of it as it is shown."""
    recall: str = ""
    """Name of the tool that shows it whole, if the agent has one."""


def searches_last(draft: Draft, blocks: Iterable[LargeBlock]) -> list[LargeBlock]:
    """Return the blocks in order, but what searches found last: it is the agent's map."""
    messages = draft.view.messages
    return sorted(blocks, key=lambda each: is_search_result(messages, each.position, each.at))


def large_blocks(draft: Draft, items: Iterable[Item], over: int) -> Iterator[LargeBlock]:
    """Yield the blocks that weigh more than `over` as they are shown, and could be shortened."""
    for item in items:
        # The cheap test first: this looks at every item of the view.
        if item.main is None or max(draft.view.weights[item.span.start], default=0) <= over:
            continue
        role = item.shows[item.main].role
        for at, said_tokens, shown in draft.view.blocks(item):
            if said_tokens <= over or len(shown) != 1:
                continue
            block = shown[0]
            # Text is what people and the agent said; a summary decides about that, not a cut.
            if not isinstance(block, Call | Result | Media):
                continue
            # Weighed again only if something else stands there: counting tokens is what costs.
            tokens = said_tokens
            if item.is_edited:
                tokens = draft.view.meter.block(block)
            if tokens > over:
                # From the original, so that cutting twice does not show an excerpt of an excerpt.
                block = _original_block(block, draft.view.messages[item.span.start].blocks[at])
                yield LargeBlock(
                    item.span.start, at, role, block, said_tokens, tokens, draft.recall_tool
                )


def _original_block(shown: Call | Result | Media, said: Block) -> Call | Result | Media:
    """Return the block with all its words, under the id it is shown with."""
    match shown, said:
        case Call(id), Call(_, name, arguments):
            return Call(id, name, arguments)
        case Result(call), Result(_, content, error):
            return Result(call, content, error)
    return shown


def shrink_block(large: LargeBlock, keep: int, by: str) -> Edit:
    """Return the edit that shows a large block in short."""
    block: Block
    match large.block:
        case Result(call, content, error):
            body = encodable_text("\n".join(map(describe_part, content)))
            block = Result(call, (Text(_short_fence("result", large, body, keep)),), error)
        case Media():
            body = f"[{large.block.description}, not shown]"
            block = Text(_short_fence("media", large, body, keep))
        case Call(id, name, arguments):
            block = Call(id, name, _short_arguments(arguments, large, keep))
    span = Span(large.position, large.position + 1)
    return Edit(span, (Message(large.role, (block,), by="steno"),), by, block=large.at)


def _short_fence(kind: str, large: LargeBlock, body: str, keep: int) -> str:
    place = f"{large.position}.{large.at}"
    label, text = block_label(kind, place, large.said_tokens, body)
    more = f"{int(label['characters']):,} characters in all"
    if large.recall:
        more += f'; {large.recall}(positions="{large.position}") shows them'
    return str(Fence(label, excerpt(text, keep, f"[… {more} …]")))


def _short_arguments(arguments: str, large: LargeBlock, keep: int) -> str:
    """Return arguments with their long strings shortened; names, numbers and paths stay."""
    try:
        given = msgspec.json.decode(arguments)
        if isinstance(given, str):  # free text, as custom tools take it
            return json.dumps(_short_value(given, large, keep), ensure_ascii=False)
        if isinstance(given, dict):
            return _short_object(given, large, keep)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        # What a model wrote may be cut off, or nested too deeply to be read or written.
        pass
    return _short_object({"arguments": arguments}, large, keep)


def _short_object(given: dict[str, object], large: LargeBlock, keep: int) -> str:
    short = {key: _short_value(value, large, keep) for key, value in given.items()}
    return json.dumps(short, ensure_ascii=False, separators=(",", ":"))


def _short_value(value: object, large: LargeBlock, keep: int) -> object:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= keep or Fence.parse(text):
        return value
    return _short_fence("argument", large, encodable_text(text), keep)
