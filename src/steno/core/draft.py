"""A commit in the making: the view as it would be, and what may still be touched.

A draft is what a rung looks at. It knows the goal, the seams, the tail and the
pins, and gives back a new draft for each proposal accepted. Which proposals to
make is a rung's business, whether to accept them the engine's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import msgspec

from steno.core.budget import Budget, Pressure
from steno.core.log import Commit, Edit, Finding, Log, Proposal, Why
from steno.core.message import Message
from steno.core.seam import seams
from steno.core.span import Span
from steno.core.view import Item, View, unweighed
from steno.core.wire import Seams

FINDINGS_MOST = 64
TRACE = 200
"""Tokens to spare for what stands for the covered part."""


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
    """System prompt or tools are not those of the newest commit."""
    edits: tuple[Edit, ...] = ()
    findings: tuple[Finding, ...] = field(default=())

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
        tail_share: float = 0.5,
        new: int = 0,
        grown: bool = False,
    ) -> Draft:
        load = view.meter.load(fixed + view.raw)
        # Who asks wants something done at any fill: down to half of what there is.
        goal = min(budget.goal_load, load // 2) if why == "asked" else budget.goal_load
        goal = budget.usable if why == "arrival" else goal
        head = frozenset(_head(view))
        bare = cls(view, budget, fixed, why, goal, len(log.commits), load, 0, 0, pins | head, new, grown)
        if why == "arrival":  # runs at every turn, covers nothing, and must cost only what is new
            return bare
        bare = replace(bare, share=bare._share(tail_share))
        return replace(bare, tail=bare._tail_start())

    def _share(self, share: float) -> int:
        """Of the goal, unless what may not be covered leaves less beside a trace."""
        pinned = sum(self.view.at(position).tokens for position in self.pins if position < len(self.view.messages))
        left = self.goal - self.view.meter.load(self.fixed + pinned) - min(TRACE, self.goal // 4)
        return max(0, min(int(self.goal * share), left))

    def _tail_start(self) -> int:
        """Where the newest turns within their share begin: one turn at the least."""
        items, weight, start = self.view.items, 0, len(self.view.items)
        for at in range(len(items) - 1, -1, -1):
            weight += items[at].tokens
            if self.over_share(weight) > 0 and start < len(items):
                break
            if at in self.seams:
                start = at
        return items[start].span.start if start < len(items) else len(self.view.messages)

    @property
    def load(self) -> int:
        return self.view.meter.load(self.fixed + self.view.raw)

    @property
    def fits(self) -> bool:
        return self.load <= self.goal

    @property
    def excess(self) -> int:
        """Raw tokens that must go before the draft fits; 0 or less when it does."""
        return self.fixed + self.view.raw - int(self.goal / self.view.meter.ratio + 1e-6)

    def over_share(self, raw: int) -> int:
        """Raw tokens by which a tail of this weight is over its share."""
        return raw - int(self.share / self.view.meter.ratio + 1e-6)

    @property
    def pressure(self) -> Pressure:
        """The pressure there was when the draft was begun."""
        return self.budget.pressure(self.before)

    @property
    def untouchable(self) -> int:
        """The load of what may not be covered: fixed part, pins and tail."""
        kept = (item.tokens for item in self.view.items if not self.may_cover(item))
        return self.view.meter.load(self.fixed + sum(kept))

    @cached_property
    def seams(self) -> Seams:
        return seams(self.view.items, self.view.terms)

    def may_cover(self, item: Item) -> bool:
        if item.span.start >= self.tail:
            return False
        if len(item.span) < len(self.pins):
            return self.pins.isdisjoint(range(item.span.start, item.span.stop))
        return not any(position in item.span for position in self.pins)

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
        edits = tuple(self._weighed(edit) for edit in proposal.edits)
        return replace(self, view=self.view.edited(edits), edits=_over(self.edits, edits))

    def _weighed(self, edit: Edit) -> Edit:
        # Whatever a rung says of its own weight: the numbers of a commit are ours.
        return msgspec.structs.replace(edit, tokens=self.view.weighed(unweighed(edit)))

    def found(self, findings: tuple[Finding, ...]) -> Draft:
        return replace(self, findings=(self.findings + findings)[:FINDINGS_MOST])

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
        )


def _head(view: View) -> Iterator[int]:
    """The system messages a list begins with."""
    for position, message in enumerate(view.messages):
        if message.role != "system":
            return
        yield position


def _over(old: tuple[Edit, ...], new: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """All edits of one commit: a later one takes the place of those it covers."""
    gone = {(edit.span.start, edit.block) for edit in new}
    spans = [edit.span for edit in new if edit.block is None]
    kept = [
        edit
        for edit in old
        if (edit.span.start, edit.block) not in gone and not any(_within(edit.span, span) for span in spans)
    ]
    return (*kept, *new)


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.stop <= outer.stop
