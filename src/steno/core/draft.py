"""A commit in the making: the view as it would be, and what may still be edited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec

from steno.core.budget import Budget, Pressure
from steno.core.constraint import Constraint
from steno.core.effects import DEFAULT_LIMITS, Limits, Replies
from steno.core.item import Item
from steno.core.log import COVERS_NOTHING, Commit, Edit, Finding, Proposal, Why
from steno.core.message import Message
from steno.core.model import Complexity, ModelCall
from steno.core.seam import find_seams, last_seam
from steno.core.tail import Share, Tail, TailContext
from steno.core.view import View
from steno.core.wire import Seams

# Both are stored with the commit, so they are bounded.
FINDINGS_MOST = 64
ASKED_MOST = 256
COVER_TEXT_TOKENS = 200
"""Tokens to leave for a summary of the covered part."""
REWRITTEN_SHARE = 0.9
"""Share of a view that stays when it is written again for a focus."""
DEFAULT_TAIL = Share()


@dataclass(frozen=True)
class Draft:
    view: View
    budget: Budget
    why: Why
    base: int
    """How many commits there were when it was begun."""
    fixed: int = 0
    """Raw tokens of system prompt and tools."""
    goal: int = 0
    """The load to come down to."""
    before: int = 0
    tail_start: int = 0
    """The first position of the tail; messages from there on are never covered."""
    tail_load: int = 0
    """The load the tail should keep to."""
    pins: frozenset[int] = frozenset()
    policy_pins: frozenset[int] = frozenset()
    """Pins that only the policy has set: shortened where the window cannot hold them."""
    new: int = 0
    """The first position that the rungs of every round have not seen."""
    grown: bool = False
    """Whether system prompt, tools, window or focus have changed since the newest commit, or the
    newest commit is an undo."""
    focus: str = ""
    """What the caller wants kept above all."""
    doubts: int = 3
    """Kinds of doubt that mark a message, unless a rung says otherwise."""
    complexity: Complexity = "medium"
    """How hard the task is, unless a rung says otherwise."""
    summary_tokens: int | None = None
    """Tokens of a summary at most, if the policy gives a number."""
    firm: int = 0
    """The first position of the tail after it has given way: within its share, or one turn."""
    writer_window: int | None = None
    """Window of the writer, in tokens; None if no model may be asked."""
    limits: Limits = DEFAULT_LIMITS
    """What asks may cost."""
    request: Callable[[], str] | None = None
    """Returns JSON of the agent's next request, for a writer that shares its prefix."""
    given: tuple[Constraint, ...] = ()
    """Constraints from outside the conversation, which the block of constraints shows."""
    recall_tool: str = ""
    """Name of the tool by which the model can read originals; empty where it has none."""
    edits: tuple[Edit, ...] = ()
    findings: tuple[Finding, ...] = ()
    asked: tuple[ModelCall, ...] = ()
    """Every call of a writer made so far."""
    kept: frozenset[int] = frozenset()
    """Where items begin that a rung left on purpose: with the tail as goal they count as done."""
    memo: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What a rung computed from this draft for its asks, kept for its edits."""

    def begun(self, tail: Tail = DEFAULT_TAIL) -> Draft:
        """Return the draft with its goal, its pins and its tail, which the view decides."""
        view, why = self.view, self.why
        load = view.meter.load(self.fixed + view.raw)
        head = frozenset(_head_positions(view))
        # A system prompt may also be the first message of the list.
        prompt = self.fixed + sum(view.at(position).tokens for position in head)
        # The newest request stays whole, whatever was pasted into it.
        newest = view.messages[len(view.messages) - 1 :]
        if any(message.role == "user" and not message.results for message in newest):
            prompt += view.items[-1].tokens
        goal = self.budget.goal_beside(view.meter.load(prompt))
        if why == "asked" and not self.budget.down_to_tail:
            # Half of what there is, or of what is new since the last compaction: asking again
            # and again must not shrink a view further each time.
            wanted = load // 2
            if self.focus and self.grown and view.seen:
                wanted = int(load * REWRITTEN_SHARE)
            elif view.seen:
                wanted = load - view.meter.load(view.fresh_tokens) // 2
            goal = min(goal, wanted)
        if why in COVERS_NOTHING:
            goal = self.budget.usable
        fast = head | view.carried.positions
        # In two steps: the tail is measured on the seams and pins of the draft itself.
        bare = replace(
            self,
            goal=goal,
            before=load,
            pins=self.pins | self.policy_pins | fast,
            policy_pins=self.policy_pins - self.pins - fast,
        )
        if why in COVERS_NOTHING:
            # This runs at every turn and must cost only what is new: finding the tail reads all.
            return bare
        ground = bare._tail_context()
        start, load = bare._position(tail.start(ground)), tail.load(ground)
        firm = max(start, bare._position(ground.start_within(load)))
        return replace(bare, tail_load=load, tail_start=start, firm=firm)

    def _tail_context(self) -> TailContext:
        pinned = sum(
            self.view.at(position).tokens
            for position in self.pins
            if position < len(self.view.messages)
        )
        room = self.goal - self.view.meter.load(self.fixed + pinned) - self.cover_room
        return TailContext(
            self.view.items, self.seams, self.view.meter, self.goal, room, self.budget.usable
        )

    def _position(self, at: int) -> int:
        if at < len(self.view.items):
            return self.view.items[at].span.start
        return len(self.view.messages)

    @property
    def end(self) -> int:
        """The first position that may not be covered even if nothing else helps: an open call."""
        return self._position(last_seam(self.view.items, self.view.terms))

    @property
    def load(self) -> int:
        return self.view.meter.load(self.fixed + self.view.raw)

    @property
    def fits(self) -> bool:
        return self.load <= self.goal

    @property
    def done(self) -> bool:
        """Whether no rung has to go on: it fits, or all outside the tail is covered, as asked."""
        if not self.budget.down_to_tail:
            return self.fits
        return self.load <= self.budget.usable and not any(self.stretches())

    @property
    def tail_must_yield(self) -> bool:
        """Whether the tail has to give way under hard pressure, and can."""
        return (
            self.pressure is Pressure.HARD and self.load > self.most and self.firm > self.tail_start
        )

    @property
    def most(self) -> int:
        """The load above which even the tail has to give way."""
        # With the tail as goal, only the window itself forces the tail to give way.
        if self.budget.down_to_tail:
            return self.budget.usable
        return self.goal

    @property
    def cover_room(self) -> int:
        """Tokens to leave for a summary: in a tiny window it must not take the whole goal."""
        return min(COVER_TEXT_TOKENS, self.goal // 4)

    @property
    def excess(self) -> int:
        """Raw tokens that must go before the draft is done; 0 or less if it is."""
        if self.budget.down_to_tail and not self.kept:
            return sum(item.tokens for item in self.view.items if self.may_cover(item))
        # The inverse of `Meter.load`; a float just under a whole number must not lose a token.
        return self.fixed + self.view.raw - int(self.most / self.view.meter.ratio + 1e-6)

    @property
    def over_window(self) -> int:
        """Raw tokens by which the draft is over the window; 0 or less if it fits."""
        return self.fixed + self.view.raw - int(self.budget.usable / self.view.meter.ratio + 1e-6)

    def over_tail_load(self, raw: int) -> int:
        """Return the raw tokens by which a tail of this weight is over its load."""
        return raw - int(self.tail_load / self.view.meter.ratio + 1e-6)

    @property
    def pressure(self) -> Pressure:
        """The pressure when the draft was begun."""
        return self.budget.pressure(self.before)

    @property
    def message_count(self) -> int:
        """How many messages are shown, without leading system messages."""
        head = sum(1 for _ in _head_positions(self.view))
        return sum(1 for item in self.view.items if item.shows) - head

    @property
    def untouchable(self) -> int:
        """Raw tokens of the part that may not be covered: fixed part, pins and tail."""
        return self.fixed + sum(each.tokens for each in self.view.items if not self.may_cover(each))

    @cached_property
    def seams(self) -> Seams:
        return find_seams(self.view.items, self.view.terms)

    def may_cover(self, item: Item) -> bool:
        start = item.span.start
        if start >= self.tail_start:
            return False
        # With the tail as goal, everything outside it is covered once: covers stay as they are,
        # and so does what a rung left beside them while the window holds it.
        if self.budget.down_to_tail and (
            start in self._cover_starts or (start in self.kept and self.load <= self.budget.usable)
        ):
            return False
        pins, stop = self.pins, item.span.stop
        # Walk the shorter of the two: every item is tested, and a cover may span thousands.
        if stop - start < len(pins):
            return pins.isdisjoint(range(start, stop))
        return not any(start <= position < stop for position in pins)

    @cached_property
    def _cover_starts(self) -> frozenset[int]:
        """Where the covers of this draft begin."""
        return frozenset(edit.span.start for edit in self.edits if edit.block is None)

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Yield runs of items, oldest first, that may be covered: from a seam to a seam."""
        start: int | None = None
        for at in range(len(self.view.items) + 1):
            if at < len(self.view.items) and self.may_cover(self.view.items[at]):
                if start is None:
                    start = at
                continue
            if start is not None:
                inside = [seam for seam in range(start, at + 1) if seam in self.seams]
                # Between two pins there may be no two seams; then nothing there can be covered.
                if len(inside) > 1:
                    yield inside[0], inside[-1]
            start = None

    def weigh(self, messages: tuple[Message, ...]) -> int:
        """Return the raw tokens of messages that are not in the view."""
        return sum(self.view.meter.message(message) for message in messages)

    def accept(self, proposal: Proposal) -> Draft:
        """Return the draft with a proposal accepted and its edits counted."""
        # A rung's own count is not trusted: the numbers of a commit are ours.
        edits = tuple(
            msgspec.structs.replace(edit, tokens=self.view.weigh_edit(edit.without_tokens))
            for edit in proposal.edits
        )
        # A later edit replaces those it covers.
        gone = {(edit.span.start, edit.block) for edit in edits}
        spans = [edit.span for edit in edits if edit.block is None]
        others = [
            edit
            for edit in self.edits
            if (edit.span.start, edit.block) not in gone
            and not any(edit.span.is_within(span) for span in spans)
        ]
        return replace(
            self,
            view=self.view.with_edits(edits),
            edits=(*others, *edits),
            kept=self.kept.union(span.start for span in proposal.keeps),
        )

    def with_head(self, head: Message | None) -> Draft:
        """Return the draft with another block of constraints, which counts as a fixed part."""
        old, new = (tuple(filter(None, (each,))) for each in (self.view.head, head))
        fixed = self.fixed - self.weigh(old) + self.weigh(new)
        view = self.view.with_head(head, len(self.view.messages))
        return replace(self, view=view, fixed=fixed)

    def with_findings(self, findings: tuple[Finding, ...]) -> Draft:
        # Mostly there are none, and this runs for every message that is added.
        if not findings:
            return self
        return replace(self, findings=(self.findings + findings)[:FINDINGS_MOST])

    def with_replies(self, replies: Replies) -> Draft:
        """Return the draft with the calls behind these replies added."""
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
            focus=self.focus,
        )


def _head_positions(view: View) -> Iterator[int]:
    """Yield the positions of the leading system messages."""
    for position, message in enumerate(view.messages):
        if message.role != "system":
            return
        yield position
