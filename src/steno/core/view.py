"""What the model sees: a partition of the positions.

A view is a value: a new message costs only itself, a commit one merge pass over the items. Each
message is counted once, when it arrives. An edit must only fit the view here; the engine decides
whether it is a good one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter

import msgspec

from steno.core.errors import BadEdit
from steno.core.item import Item
from steno.core.log import WITHOUT_PRESSURE, Commit, Edit, Log
from steno.core.message import Block, Message, Result, Span, Thinking
from steno.core.meter import Meter
from steno.core.repair import (
    RepairState,
    encodable_message,
    is_late_result,
    is_only_thinking,
    repair_message,
)
from steno.core.reported_media import billed_media, billed_weights, items_with_weights
from steno.core.state import CarriedState
from steno.core.tape import Tape
from steno.core.wire import ProviderRules


@dataclass(frozen=True)
class View:
    terms: ProviderRules
    meter: Meter
    messages: Tape[Message] = field(default_factory=Tape)
    """The original messages; the log's own tape."""
    arrivals: Tape[Item] = field(default_factory=Tape)
    """What each position shows without edits."""
    weights: Tape[tuple[int, ...]] = field(default_factory=Tape)
    """Tokens of each original block."""
    items: Tape[Item] = field(default_factory=Tape)
    raw: int = 0
    """Tokens of all items, as counted; `meter.load` corrects them."""
    mending: RepairState = field(default_factory=RepairState)
    carried: CarriedState = field(default_factory=CarriedState)
    """What the messages have set for those after them."""
    turn: int = 0
    """Position of the user's newest words; what is billed for one turn alone lapses before it."""
    unbilled: tuple[int, ...] = ()
    """Positions of media whose tokens are assumed, until a bill tells them."""
    heavier: Mapping[int, float] = field(default_factory=dict)
    """By position: how many times the assumed tokens of its media a bill told, if more than 1."""
    seen: int = 0
    """How many messages there were at the newest commit under pressure."""
    head: Message | None = None
    """The constraints block: shown before everything but leading system messages. It stands for no
    position and is not in `raw`; the session counts it like its system prompt."""
    head_since: int = 0
    """How many messages there were when the block of constraints last changed."""

    @classmethod
    def of(cls, log: Log, terms: ProviderRules, meter: Meter) -> View:
        return cls(terms, meter).with_messages(log.messages).fold(log)

    def with_messages(self, messages: Iterable[Message]) -> View:
        """Return the view with more messages; the cost is that of the new ones."""
        mending, position, carried = self.mending, len(self.messages), self.carried
        new: list[Message] = []
        items: list[Item] = []
        weights: list[tuple[int, ...]] = []
        turn, unbilled = self.turn, list(self.unbilled)
        for at, message in enumerate(messages, start=position):
            arrival, mending = repair_message(message, at, mending, self.terms)
            carried = carried.after(message, at, self.terms.state)
            weight = self.meter.blocks(message)
            if at in self.heavier:
                weight = billed_weights(self.meter, message, weight, self.heavier[at])
            elif any(map(self.meter.assumed_tokens, message.blocks)):
                unbilled.append(at)
            new.append(message)
            weights.append(weight)
            if _opens_turn(message):
                turn = at
            items.append(self._arrival_item(message, at, arrival.shows, arrival.main, weight))
        longer = replace(
            self,
            messages=self.messages.plus(new),
            arrivals=self.arrivals.plus(items),
            weights=self.weights.plus(weights),
            items=self.items.plus(items),
            raw=self.raw + sum(item.tokens for item in items),
            mending=mending,
            carried=carried,
            turn=turn,
            unbilled=tuple(unbilled),
        )
        if self.meter.lapses is not None:
            longer = longer._with_weights(dict(longer._lapsed_weights(self.turn)))
        if carried.restart == self.carried.restart:
            return longer
        # A provider's own compaction arrived: what stands before it weighs nothing from here on.
        return replace(longer, arrivals=Tape(longer._restarted(longer.arrivals)))._with_items(
            longer.items
        )

    def _with_weights(self, weights: dict[int, tuple[int, ...]]) -> View:
        """Return the view in which the blocks of these positions have other tokens."""
        if not weights:
            return self
        arrivals = items_with_weights(self.arrivals, self.weights, weights)
        items = items_with_weights(self.items, self.weights, weights)
        for index in items:
            start = self.items[index].span.start
            # The very same item, as before: so `boundary` knows what no edit has touched.
            if self.is_arrival(self.items[index]):
                items[index] = arrivals[start]
        return replace(
            self,
            weights=self.weights.with_cells(weights),
            arrivals=self.arrivals.with_cells(arrivals),
        )._with_items(self.items.with_cells(items))

    def with_reported_usage(self, counted: int, reported: int, sent: int) -> View:
        """Return the view corrected by what the provider reported for a request of it.

        Media of unknown size take what is left after the words, the ratio takes the rest.

        counted: raw tokens of that request, as they were counted.
        sent: how many messages there were in it; 0 if another view than this one was sent.
        """
        shown = [at for at in self.unbilled if at < sent and self._shows_as_it_came(at)]
        assumed = sum(
            self.meter.assumed_tokens(block) for at in shown for block in self.messages[at].blocks
        )
        if not assumed:
            return replace(self, meter=self.meter.with_reported_usage(counted, reported))
        words = counted - assumed
        billed = billed_media(words, assumed, reported / self.meter.ratio)
        share = billed / assumed
        corrected = self._with_weights(
            {
                at: billed_weights(self.meter, self.messages[at], self.weights[at], share)
                for at in shown
            }
        )
        if share > 1:
            corrected = replace(corrected, heavier={**self.heavier, **dict.fromkeys(shown, share)})
        learned = set(shown)
        return replace(
            corrected,
            meter=self.meter.with_reported_usage(words + billed, reported),
            unbilled=tuple(at for at in self.unbilled if at not in learned),
        )

    def _shows_as_it_came(self, position: int) -> bool:
        """Tell whether a message goes out whole, so that the provider bills all of it."""
        item = self.at(position)
        if item.main is None or item.tokens == 0:
            return False
        return _is_same(item.shows[item.main], self.messages[position])

    def _lapsed_weights(self, since: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the positions of the turns from one on that are over, with new tokens."""
        assert self.meter.lapses is not None
        for at in range(max(since, self.carried.restart or 0), self.turn):
            arrival, message = self.arrivals[at], self.messages[at]
            # A message that had to be repaired was counted as it is shown.
            if arrival.main is not None and not _is_same(arrival.shows[arrival.main], message):
                continue
            tokens = self.meter.lapses(message, self.weights[at])
            if tokens != self.weights[at]:
                yield at, tokens

    def _with_items(self, items: Iterable[Item]) -> View:
        """Return the view with these items; those before a restart weigh nothing."""
        shown = self._restarted(items)
        return replace(self, items=Tape(shown), raw=sum(item.tokens for item in shown))

    def _restarted(self, items: Iterable[Item]) -> list[Item]:
        restart = self.carried.restart
        if restart is None:
            return list(items)
        return [self._before_restart(item) if item.span.stop <= restart else item for item in items]

    def _before_restart(self, item: Item) -> Item:
        """Return an item that the provider no longer reads."""
        if self.carried.hides_before:
            return Item(item.span, (), 0, None, item.level)
        return msgspec.structs.replace(item, tokens=0)

    def _arrival_item(
        self,
        message: Message,
        at: int,
        shows: tuple[Message, ...],
        main: int | None,
        weight: tuple[int, ...],
    ) -> Item:
        tokens = sum(
            self.meter.overheads.message + sum(weight)
            # Shown as it came: its blocks are counted already.
            if shown is message
            else self.meter.message(shown)
            for shown in shows
        )
        return Item(Span(at, at + 1), shows, tokens, main)

    def with_commit(self, commit: Commit) -> View:
        """Return the view with one more commit."""
        edits: Sequence[Edit] = commit.edits
        # The tokens stored with an edit are right only for the meter that counted them.
        if commit.meter != self.meter.name:
            edits = [edit.without_tokens for edit in edits]
        items = self.merge_edits(edits, commit.landed)
        seen = self.seen
        if commit.why not in WITHOUT_PRESSURE:
            seen = commit.at
        return replace(self, seen=seen)._with_items(items)

    def fold(self, log: Log) -> View:
        """Return the view under exactly the commits that stand in `log`."""
        bare = replace(
            self, items=self.arrivals, raw=sum(item.tokens for item in self.arrivals), seen=0
        )
        for commit in log.live:
            bare = bare.with_commit(commit)
        if self.terms.binds_thinking:
            bare = bare._drop_unbound_thinking(log)
        return replace(bare, seen=_seen_count(log))._drop_thinking_before_head()

    def is_absent(self, position: int) -> bool:
        """Tell whether a position stands for words that are not in the log."""
        return position < len(self.messages) and self.messages[position].role == "absent"

    def with_head(self, head: Message | None, since: int) -> View:
        """Return the view with this constraints block, there since so many messages."""
        if head == self.head and since == self.head_since:
            return self
        return replace(self, head=head, head_since=since)._drop_thinking_before_head()

    def _drop_thinking_before_head(self) -> View:
        """Drop thinking that is bound to another block of constraints than stands there now."""
        if not self.terms.binds_thinking or not self.head_since:
            return self
        items = [
            self._without_thinking(item) if item.span.start < self.head_since else item
            for item in self.items
        ]
        return self._with_items(items)

    def _drop_unbound_thinking(self, log: Log) -> View:
        """Drop thinking between a commit and its undo: it is bound to a view that is gone."""
        gone = [
            range(log.commits[undo.reverts].landed, undo.landed)
            for undo in log.commits
            if undo.reverts is not None
        ]
        items = [
            self._without_thinking(item) if any(item.span.start in span for span in gone) else item
            for item in self.items
        ]
        return self._with_items(items)

    def with_edits(self, edits: Sequence[Edit]) -> View:
        """Return the view as it would be under these edits."""
        return self._with_items(self.merge_edits(edits))

    def merge_edits(self, edits: Sequence[Edit], landed: int | None = None) -> list[Item]:
        """Return the items under these edits, in one pass over both in order.

        `landed` is the number of messages when the commit landed; thinking after it is valid.
        """
        items = list(self.items)
        index = {item.span.start: at for at, item in enumerate(items)}
        index[len(self.messages)] = len(items)
        merged: list[Item] = []
        done = 0
        for span, group in groupby(sorted(edits, key=_edit_order), attrgetter("span")):
            first, after = index.get(span.start, -1), index.get(span.stop, -1)
            # Also -1: no item begins there.
            if first < done:
                raise BadEdit(f"an edit of {span} does not begin where an item of the view does")
            if after <= first:
                raise BadEdit(f"an edit of {span} does not end where an item of the view does")
            if done < first:
                merged += items[done:first]
            merged.append(self._cover_item(span, list(group), items[first]))
            done = after
        merged += items[done:]
        if not self.terms.binds_thinking or not edits:
            return merged
        # Thinking after an edit is bound to words that are no longer there, so it must go.
        if landed is None:
            landed = len(self.messages)
        stale = range(min(edit.span.start for edit in edits) + 1, landed)
        return [
            self._without_thinking(item) if item.span.start in stale else item for item in merged
        ]

    def _without_thinking(self, item: Item) -> Item:
        thoughts = [
            at
            for at, _, shown in self.blocks(item)
            if any(isinstance(block, Thinking) for block in shown)
        ]
        if thoughts:
            item = self._replace_blocks(item, dict.fromkeys(thoughts, ((), 0)))
        bare = [
            message
            for at, message in enumerate(item.shows)
            if at != item.main and is_only_thinking(message)
        ]
        if not bare:
            return item
        shows = tuple(message for message in item.shows if message not in bare)
        main = None
        if item.main is not None:
            main = shows.index(item.shows[item.main])
        tokens = item.tokens - sum(map(self.meter.message, bare))
        return Item(item.span, shows, tokens, main, item.level, item.summary)

    def weigh_edit(self, edit: Edit) -> int:
        """Return the tokens of what an edit shows; count them only if they are unknown."""
        if edit.tokens is not None:
            return edit.tokens
        if edit.block is not None:
            return sum(map(self.meter.block, edit.blocks))
        return sum(map(self.meter.message, edit.shows))

    def _cover_item(self, span: Span, edits: list[Edit], first: Item) -> Item:
        edit = edits[0]
        if edit.block is not None:
            return self._patch_item(first, edits)
        if len(edits) > 1:
            raise BadEdit(f"{span} is edited twice")
        return Item(span, edit.shows, self.weigh_edit(edit), None, edit.level, edit.summary)

    def _patch_item(self, item: Item, edits: list[Edit]) -> Item:
        """Return the item with some blocks of its message replaced by edits."""
        late: dict[int, int] = {}
        # Most items show their message alone, and a commit may patch thousands of them.
        if item.main is None or len(item.shows) > 1:
            late = dict(self.late_results(item))
        if (item.main is None and not late) or item.span != edits[0].span:
            raise BadEdit(
                f"{edits[0].place} is not shown as a message, so none of its blocks can be edited"
            )
        blocks = 0
        if item.main is not None:
            blocks = len(self.messages[item.span.start].blocks)
        changes: dict[int, tuple[tuple[Block, ...], int]] = {}
        for edit in edits:
            at = edit.block
            if at is None or at in changes or not (0 <= at < blocks or at in late):
                raise BadEdit(f"{edit.place} is no block, or is edited twice")
            changes[at] = (edit.blocks, self.weigh_edit(edit))
        for at, index in late.items():
            if at in changes:
                item = self._replace_late(item, index, *changes.pop(at))
        if not changes:
            return item
        return self._replace_blocks(item, changes)

    def late_results(self, item: Item) -> Iterator[tuple[int, int]]:
        """Yield the results that came too late and are shown here as texts of their own.

        Each with the number by which an edit names it, after the blocks of the message, and its
        index among what the item shows.
        """
        number = len(self.messages[item.span.start].blocks)
        for index, message in enumerate(item.shows):
            if item.level == 0 and index != item.main and is_late_result(message):
                yield number, index
                number += 1

    def _replace_late(self, item: Item, index: int, blocks: tuple[Block, ...], tokens: int) -> Item:
        """Return the item with a late result replaced by blocks of so many tokens."""
        old = item.shows[index]
        delta = tokens - sum(map(self.meter.block, old.blocks))
        shown = msgspec.structs.replace(old, blocks=blocks)
        shows = (*item.shows[:index], shown, *item.shows[index + 1 :])
        return msgspec.structs.replace(item, shows=shows, tokens=item.tokens + delta)

    def _replace_blocks(
        self, item: Item, changes: dict[int, tuple[tuple[Block, ...], int]]
    ) -> Item:
        """Return the item with blocks of its message replaced; each comes with its tokens."""
        assert item.main is not None
        position, main = item.span.start, item.shows[item.main]
        patched = main.with_patches(
            self._source(item), {at: blocks for at, (blocks, _) in changes.items()}
        )
        delta = 0
        if main.blocks and not patched.blocks:
            # A message without blocks is not sent, so it has no overhead.
            delta = -self.meter.overheads.message
        for at, (_, tokens) in changes.items():
            delta += tokens - self._tokens_before(main, position, at)
        shows = (*item.shows[: item.main], patched, *item.shows[item.main + 1 :])
        return Item(item.span, shows, item.tokens + delta, item.main, item.level, item.summary)

    def _source(self, item: Item) -> Message:
        """Return the original message in the encodable form that the item was made from."""
        said = self.messages[item.span.start]
        main = item.shows[item.main or 0]
        # The very same text: nothing had to be replaced, so it need not be cleaned again.
        if said.raw is not None and main.raw is said.raw:
            return said
        return encodable_message(said)

    def _tokens_before(self, main: Message, position: int, at: int) -> int:
        """Return the tokens of what a block shows; they are known unless it was patched."""
        for index, blocks in main.patches:
            if index == at:
                return sum(map(self.meter.block, blocks))
        return self.weights[position][at]

    def blocks(self, item: Item) -> Iterator[tuple[int, int, tuple[Block, ...]]]:
        """Yield for each original block its index, its tokens, and what is shown for it."""
        if item.main is None:
            return
        position, patches = item.span.start, dict(item.shows[item.main].patches)
        source = self._source(item)
        for at, (block, tokens) in enumerate(
            zip(source.blocks, self.weights[position], strict=True)
        ):
            yield at, tokens, patches.get(at, (block,))

    @property
    def fresh_tokens(self) -> int:
        """Tokens that arrived since the newest commit under pressure."""
        return sum(item.tokens for item in self.arrivals[self.seen :])

    @property
    def visible_messages(self) -> Iterator[Message]:
        """Everything the model sees, in order."""
        if self.head is None:
            return self.item_messages
        return self._messages_around(self.head)

    def _messages_around(self, head: Message) -> Iterator[Message]:
        """Yield what the items show, with the block of constraints in its place."""
        placed = False
        for item in self.items:
            if not placed and self.takes_head_before(item):
                yield head
                placed = True
            yield from (message for message in item.shows if message.blocks)
        if not placed:
            yield head

    @property
    def item_messages(self) -> Iterator[Message]:
        """What the items show: everything but the block of constraints."""
        return (message for item in self.items for message in item.shows if message.blocks)

    def takes_head_before(self, item: Item) -> bool:
        """Tell whether the constraints block may stand before an item, if it stands before none."""
        restart = self.carried.restart
        # Before a restart the provider would not read it, or would refuse the restart; right
        # after it, results of its calls come first.
        if restart is not None and (item.span.start <= restart or any(item.results)):
            return False
        # Where a system message belongs to the reply after it, nothing may part the two.
        if self.terms.user_begins or self.terms.system_before_reply:
            return any(message.blocks for message in item.shows)
        return any(message.role != "system" for message in item.shows if message.blocks)

    @property
    def boundary(self) -> int:
        """The first position from which everything is shown as it arrived."""
        for item in reversed(self.items):
            if not self.is_arrival(item):
                return item.span.stop
        return 0

    def is_arrival(self, item: Item) -> bool:
        """Tell whether an item shows its message as it arrived, touched by no edit."""
        return _is_same(item, self.arrivals[item.span.start])

    def at(self, position: int) -> Item:
        """Return the one item that `position` belongs to."""
        return self.items[bisect_right(self.items, position, key=_item_start) - 1]


def _is_same(one: object, other: object) -> bool:
    """Tell whether two values are equal; mostly they are the very same."""
    return one is other or one == other


def _opens_turn(message: Message) -> bool:
    """Tell whether the user speaks: results alone go on with the turn."""
    return message.role == "user" and any(type(block) is not Result for block in message.blocks)


def _seen_count(log: Log) -> int:
    """Return the messages seen by the newest commit under pressure.

    An undo counts too: a user who reverts a commit does not want it back at once.
    """
    return max(
        (commit.at for commit in log.commits if commit.why not in WITHOUT_PRESSURE), default=0
    )


def _item_start(item: Item) -> int:
    return item.span.start


def _edit_order(edit: Edit) -> tuple[int, int]:
    # A cover sorts before edits of blocks in its span, so that `_cover_item` refuses the two.
    return edit.span.start, -1 if edit.block is None else edit.block
