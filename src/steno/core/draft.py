"""A commit in the making: the view as it would be, and what may still be touched.

A draft is what a rung looks at. It knows the goal, the seams, the tail and the
pins, and gives back a new draft for each proposal accepted. Which proposals to
make is a rung's business, whether to accept them the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec

from steno.core.budget import Budget, Pressure
from steno.core.effects import DEFAULT_LIMITS, Limits, Replies
from steno.core.item import Item
from steno.core.log import Commit, Edit, Finding, Log, Proposal, Why
from steno.core.message import Message, Span
from steno.core.model import Complexity, ModelCall
from steno.core.seam import find_seams
from steno.core.tail import Share, Tail, TailContext
from steno.core.view import View, without_tokens
from steno.core.wire import Seams

FINDINGS_MOST = 64
ASKED_MOST = 256
COVER_TEXT_TOKENS = 200
"""Tokens to spare for what stands for the covered part."""
DEFAULT_TAIL = Share()


@dataclass(frozen=True)
class Draft:
    view: View
    budget: Budget
    fixed: int
    """Raw tokens of system prompt and tools."""
    why: Why
    goal: int
    """The load to come down to."""
    base: int
    before: int
    tail: int
    """The position from which on messages are never covered."""
    share: int
    """The load the tail should keep to."""
    pins: frozenset[int]
    new: int = 0
    """The position from which on nothing was seen by the rungs that run every round."""
    grown: bool = False
    """System prompt, tools or window are not those of the newest commit."""
    focus: str = ""
    """What whoever asked wants kept above all."""
    doubts: int = 3
    """Kinds of doubt from which on words count as marked, where a rung does not say."""
    complexity: Complexity = "medium"
    """How hard the task is, where a rung does not say."""
    firm: int = 0
    """The position from which on the tail keeps to its share, or is one turn: it gives way so far and no farther."""
    writer: int | None = None
    """The window of the model that may be asked, in tokens; None where nobody may be."""
    limits: Limits = DEFAULT_LIMITS
    """What asking may cost."""
    request: Callable[[], str] | None = None
    """JSON of the request that the agent would send now, for a writer that shares its prefix."""
    edits: tuple[Edit, ...] = ()
    findings: tuple[Finding, ...] = field(default=())
    asked: tuple[ModelCall, ...] = ()
    """Every call of a writer made so far."""
    memo: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What a rung worked out of this very draft to ask by, so that its edit need not work it out again."""

    @classmethod
    def of(
        cls,
        log: Log,
        view: View,
        budget: Budget,
        *,
        why: Why,
        fixed: int = 0,
        pins: frozenset[int] = frozenset(),
        tail: Tail = DEFAULT_TAIL,
        new: int = 0,
        grown: bool = False,
        focus: str = "",
        writer: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
        request: Callable[[], str] | None = None,
        doubts: int = 3,
        complexity: Complexity = "medium",
    ) -> Draft:
        load = view.meter.load(fixed + view.raw)
        goal = budget.goal_load
        if why == "asked" and not budget.down_to_tail:
            # Who asks wants something done at any fill: down to half of what there is.
            goal = min(goal, load // 2)
        apart = why in ("arrival", "hide")
        goal = budget.usable if apart else goal
        head = frozenset(_head_positions(view))
        bare = cls(
            view,
            budget,
            fixed,
            why,
            goal,
            len(log.commits),
            load,
            0,
            0,
            pins | head,
            new,
            grown,
            focus,
        )
        bare = replace(
            bare,
            doubts=doubts,
            complexity=complexity,
            writer=writer,
            limits=limits,
            request=request,
        )
        if apart:  # runs at every turn, covers nothing, and must cost only what is new
            return bare
        ground = bare._tail_context()
        bare = replace(bare, share=tail.load(ground), tail=bare._tail_start(tail, ground))
        return replace(bare, firm=max(bare.tail, bare._position(ground.start_within(bare.share))))

    def _tail_context(self) -> TailContext:
        pinned = sum(
            self.view.at(position).tokens
            for position in self.pins
            if position < len(self.view.messages)
        )
        room = (
            self.goal
            - self.view.meter.load(self.fixed + pinned)
            - min(COVER_TEXT_TOKENS, self.goal // 4)
        )
        return TailContext(
            self.view.items, self.seams, self.view.meter, self.goal, room, self.budget.usable
        )

    def _tail_start(self, tail: Tail, ground: TailContext) -> int:
        """The position at which the tail begins."""
        return self._position(tail.start(ground))

    def _position(self, at: int) -> int:
        if at < len(self.view.items):
            return self.view.items[at].span.start
        return len(self.view.messages)

    @property
    def load(self) -> int:
        return self.view.meter.load(self.fixed + self.view.raw)

    @property
    def fits(self) -> bool:
        return self.load <= self.goal

    @property
    def done(self) -> bool:
        """No rung has to go on: the draft fits, or all that may be covered is, where that is the goal."""
        if not self.budget.down_to_tail:
            return self.fits
        return self.load <= self.budget.usable and not any(self.stretches())

    @property
    def tail_must_yield(self) -> bool:
        """Under hard pressure the tail has to give way, and can."""
        most = self.budget.usable if self.budget.down_to_tail else self.goal
        return self.pressure is Pressure.HARD and self.load > most and self.firm > self.tail

    def with_shorter_tail(self) -> Draft:
        """The draft with a tail that gave way."""
        return replace(self, tail=self.firm)

    @property
    def excess(self) -> int:
        """Raw tokens that must go before the draft is done; 0 or less when it is."""
        if self.budget.down_to_tail:
            return sum(item.tokens for item in self.view.items if self.may_cover(item))
        return self.fixed + self.view.raw - int(self.goal / self.view.meter.ratio + 1e-6)

    def over_share(self, raw: int) -> int:
        """Raw tokens by which a tail of this weight is over its share."""
        return raw - int(self.share / self.view.meter.ratio + 1e-6)

    @property
    def pressure(self) -> Pressure:
        """The pressure there was when the draft was begun."""
        return self.budget.pressure(self.before)

    @property
    def message_count(self) -> int:
        """How many messages are shown, leading system messages not counted."""
        head = sum(1 for _ in _head_positions(self.view))
        return sum(1 for item in self.view.items if item.shows) - head

    @property
    def untouchable_load(self) -> int:
        """The load of what may not be covered: fixed part, pins and tail."""
        kept = (item.tokens for item in self.view.items if not self.may_cover(item))
        return self.view.meter.load(self.fixed + sum(kept))

    @cached_property
    def seams(self) -> Seams:
        return find_seams(self.view.items, self.view.terms)

    def may_cover(self, item: Item) -> bool:
        if item.span.start >= self.tail or (
            self.budget.down_to_tail and item.span.start in self._cover_starts
        ):
            return False
        if len(item.span) < len(self.pins):
            return self.pins.isdisjoint(range(item.span.start, item.span.stop))
        return not any(position in item.span for position in self.pins)

    @cached_property
    def _cover_starts(self) -> frozenset[int]:
        """Where the covers of this very draft begin."""
        return frozenset(edit.span.start for edit in self.edits if edit.block is None)

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Runs of items, oldest first, that may be covered whole: from a seam to a seam."""
        start: int | None = None
        for at in range(len(self.view.items) + 1):
            if at < len(self.view.items) and self.may_cover(self.view.items[at]):
                start = at if start is None else start
                continue
            if start is not None:
                inside = [seam for seam in range(start, at + 1) if seam in self.seams]
                if len(inside) > 1:
                    yield inside[0], inside[-1]
            start = None

    def weigh(self, messages: tuple[Message, ...]) -> int:
        """Raw tokens of messages that are not in the view."""
        return sum(self.view.meter.message(message) for message in messages)

    def accept(self, proposal: Proposal) -> Draft:
        """The draft with a proposal in it, each of its edits weighed for good."""
        edits = tuple(self._weigh_edit(edit) for edit in proposal.edits)
        return replace(
            self, view=self.view.with_edits(edits), edits=_merge_edits(self.edits, edits)
        )

    def _weigh_edit(self, edit: Edit) -> Edit:
        # Whatever a rung says of its own weight: the numbers of a commit are ours.
        return msgspec.structs.replace(edit, tokens=self.view.weigh_edit(without_tokens(edit)))

    def with_findings(self, findings: tuple[Finding, ...]) -> Draft:
        return replace(self, findings=(self.findings + findings)[:FINDINGS_MOST])

    def with_replies(self, replies: Replies) -> Draft:
        """The draft that knows whom it asked, and what that cost."""
        calls = tuple(call for reply in replies for call in reply.calls)
        return replace(self, asked=(self.asked + calls)[:ASKED_MOST])

    def commit(self) -> Commit:
        return Commit(
            base=self.base,
            at=len(self.view.messages),
            why=self.why,
            edits=self.edits,
            before=self.before,
            after=self.load,
            goal=self.goal,
            usable=self.budget.usable,
            fits=self.fits,
            findings=self.findings,
            meter=self.view.meter.name,
            asked=self.asked,
        )


def _head_positions(view: View) -> Iterator[int]:
    """The system messages a list begins with."""
    for position, message in enumerate(view.messages):
        if message.role != "system":
            return
        yield position


def _merge_edits(old: tuple[Edit, ...], new: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """All edits of one commit: a later one takes the place of those it covers."""
    gone = {(edit.span.start, edit.block) for edit in new}
    spans = [edit.span for edit in new if edit.block is None]
    kept = [
        edit
        for edit in old
        if (edit.span.start, edit.block) not in gone
        and not any(_is_within(edit.span, span) for span in spans)
    ]
    return (*kept, *new)


def _is_within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.stop <= outer.stop
