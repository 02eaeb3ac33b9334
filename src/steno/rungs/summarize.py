"""Summarize: what is old leaves the view; what will be wanted of it stays, in its place.

The stretch outside tail and pins is split at its seams. A part that holds lines worth their
tokens stays where it is, in excerpts; every other part shows nothing. In the newest hidden run
stands the summary: what the facts give, each line with its source, and where everything can be
opened. Excerpts of an earlier commit stay as they are while they are worth it, so that the
provider's cache of everything before the newest change stays valid. A writer, if there is one,
is asked for what patterns cannot see (`ask_writer`); without an answer the summary is computed.

The active sub-task is what was said since the newest open loop. With `active=True` it is not
summarized while it fits beside the tail and what must be said of everything older. If it does
not fit, its oldest results are shortened; if that is not enough, it is covered like the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec

from steno.core.draft import COVER_TEXT_TOKENS, Draft
from steno.core.effects import Asks, Rounds
from steno.core.log import Edit, Finding, Proposal
from steno.core.message import Call
from steno.core.model import Complexity
from steno.core.rung import Rung
from steno.facts.ledger import Ledger
from steno.rungs.offload import large_blocks, shrink_block
from steno.summary.ask_writer import AskOptions, SummaryAsks
from steno.summary.cover import cover_of
from steno.summary.fit import SummaryContents
from steno.summary.plan import SummaryPlan, hide_run, opening_trace, run_level, run_span
from steno.summary.previous import merge_written, unread_spans
from steno.summary.render import render_line, summary_edit
from steno.summary.replies import WriterNotes
from steno.summary.sections import LINES_MOST, fact_line, loops_to_report, newest_loop
from steno.summary.shorten import ExcerptChoice, ViewPart, split_parts
from steno.summary.worth import LogWorth, Scoring

ACTIVE_OVER = 100
"""Tokens above which a result of the active sub-task is shortened if it must be."""
ACTIVE_KEEP = 200
"""Characters of such a result that stay."""
TRIES = 3
"""Choices made again if the chosen lines weighed more than was estimated."""
SLACK = 0.97
"""Share of the room from which it counts as used."""
PROSE_SHARE = 0.25
"""Share of the room for a writer's lines, at most."""

Share01 = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A share of something."""
Stays = dict[int, tuple[Edit, ...]]
"""Parts that stay, by their index, each with the edits that show it in excerpts."""


class Summarize(Rung, frozen=True, tag="summarize"):
    """Cover all that may be covered: a summary, and excerpts of what will be wanted again."""

    share: Share01 = 0.10
    """Share of the window for the summary, at most."""
    max_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Tokens of the summary at most, if a policy gives a number."""
    names: Share01 = 0.04
    """Share of the window for lists of names."""
    excerpts: Share01 = 1.0
    """Share of the room that is left for excerpts."""
    doubts: Annotated[int, msgspec.Meta(ge=0, le=5)] | None = None
    """Kinds of doubt from which the assistant's words stay as they are.

    0 for never; None to let the policy's task decide.
    """
    doubt_share: Share01 = 0.25
    """Share of the goal for those words."""
    scorer: Scoring = "likely"
    """What lines and names are worth: measured rates, or rarity (TF-IDF)."""
    active: bool = False
    """Whether the active sub-task stays as it is while it fits the goal."""

    prose: Annotated[int, msgspec.Meta(ge=0)] = 600
    """Tokens of a writer's answer, and of its lines in the summary; 0 to ask no writer."""
    complexity: Complexity | None = None
    """How hard the task is called when a writer is chosen; None for what the policy says."""
    thinking: bool = False
    """Whether a writer gets to read what the assistant thought."""
    share_prefix: bool = False
    """Whether the writer is the agent's own model.

    Then an ask continues the agent's request, whose prefix the provider has cached.
    """

    def ask(self, draft: Draft, rounds: Rounds) -> Asks:
        asks = self._asks_for(draft)
        if asks is None:
            return ()
        return asks.next_asks(rounds)

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        asks = None
        if rounds or self in draft.memo:
            asks = self._asks_for(draft)
        findings: tuple[Finding, ...] = ()
        if asks is not None:
            notes = asks.read_rounds(rounds)
            findings = asks.findings(notes, self.label)
            edits = self._written_edits(draft, notes)
            if edits:
                return (Proposal(edits, self.label, findings),)
        plan = self._plan(draft, 0)
        edits = ()
        if plan is not None:
            edits = self._edits(plan, WriterNotes())
        if edits or findings:
            return (Proposal(edits, self.label, findings),)
        return ()

    def _written_edits(self, draft: Draft, notes: WriterNotes) -> tuple[Edit, ...]:
        """Return the edits with a writer's lines, or none if those save nothing."""
        if not notes.read:
            return ()
        edits = self._edits(draft.memo[self].plan, notes)
        if edits and draft.view.with_edits(edits).raw < draft.view.raw:
            return edits
        return ()

    def _asks_for(self, draft: Draft) -> SummaryAsks | None:
        """Return the asks about what this draft will cover, or None if there is nothing to ask."""
        if draft.writer is None or not self.prose:
            return None
        if self not in draft.memo:
            draft.memo[self] = self._start_asking(draft)
        begun: _PlanWithAsks | None = draft.memo[self]
        if begun is None:
            return None
        return begun.asks

    def _start_asking(self, draft: Draft) -> _PlanWithAsks | None:
        plan = self._plan(draft, self.prose)
        if plan is None:
            return None
        previous = plan.previous
        messages = draft.view.messages
        new = {
            at: messages[at]
            for at in plan.hidden_positions
            if at not in previous.read and messages[at].role != "absent"
        }
        if not new:
            return None
        least = self._edits(plan, WriterNotes())
        if draft.view.with_edits(least).raw >= draft.view.raw:
            # The least that must be said outweighs what it would cover.
            return None
        complexity = self.complexity or draft.complexity
        options = AskOptions(self.prose, self.thinking, complexity, self.share_prefix)
        return _PlanWithAsks(plan, SummaryAsks(draft, new, previous, options))

    def _plan(self, draft: Draft, prose: int) -> SummaryPlan | None:
        """Return what is covered and what stays, or None if nothing can be covered.

        `prose` is the number of tokens to leave for a writer's lines.
        """
        parts = [
            part for first, last in draft.stretches() for part in split_parts(draft, first, last)
        ]
        most = draft.budget.usable if draft.budget.down_to_tail else draft.goal
        room = most / draft.view.meter.ratio - draft.fixed - _fixed_tokens(draft)
        if not parts or room <= 0:
            return None
        worth = LogWorth.of(draft, self.scorer)
        if self.active:
            task = keep_active_task(draft, parts, worth.ledger, room, self.label)
            if task is not None:
                plan = self._choose_parts(task.draft, task.older, worth, task.room, prose)
                return replace(plan, active=task.edits)
        return self._choose_parts(draft, parts, worth, room, prose)

    def _choose_parts(
        self, draft: Draft, parts: Sequence[ViewPart], worth: LogWorth, room: float, prose: int
    ) -> SummaryPlan:
        """Return the plan with the parts that stay within so much room."""
        if not parts:
            return SummaryPlan(draft, parts, worth, 0)
        limit = int(min(self.share * draft.budget.window, room * 0.5))
        if self.max_tokens is not None:
            limit = min(limit, self.max_tokens)
        room -= min(prose, limit, room * PROSE_SHARE)
        plan = SummaryPlan(draft, parts, worth, limit)
        best: ChoiceAttempt = (math.inf, {})
        left = (room - limit) * self.excerpts
        choice = self._excerpt_choice(draft, parts, worth)
        for _ in range(TRIES):
            stays = choice.choose(max(0.0, left))
            edits = self._edits(replace(plan, stays=stays), WriterNotes())
            weight = _weight_of_parts(draft, parts, edits)
            best = max(best, (weight, stays), key=_heaviest_within(room))
            if left <= 0 or room * SLACK <= weight <= room or self.excerpts < 1:
                break
            left += (room * (1 + SLACK) / 2 - weight) * 0.95
        weight, stays = best
        if self.excerpts:
            stays = _fill_room(parts, stays, room - weight)
        return replace(plan, stays=stays)

    def _excerpt_choice(
        self, draft: Draft, parts: Sequence[ViewPart], worth: LogWorth
    ) -> ExcerptChoice:
        least = draft.doubts if self.doubts is None else self.doubts
        doubted: list[int] = []
        if least:
            doubted = _doubted_parts(parts, worth, least)
        most = self.doubt_share * draft.goal if self.excerpts else 0
        return ExcerptChoice(draft, parts, worth, doubted, most)

    def _edits(self, plan: SummaryPlan, notes: WriterNotes) -> tuple[Edit, ...]:
        """Return the edits of a plan: excerpts, hidden runs, and the summary in the newest."""
        draft = plan.draft
        runs = plan.hidden_runs()
        if not runs:
            return plan.active
        previous = plan.previous
        written = merge_written(previous.written, notes.sections, notes.gone)
        names_room = int(self.names * draft.budget.window)
        contents = SummaryContents.of(plan, written, names_room, self.prose)
        begin = opening_trace(draft, runs)
        apart = [run for run in runs[:-1] if begin is None or run_span(run) != begin.span]
        untold = unread_spans(plan.hidden_positions, previous.read | notes.read) if written else ()
        summary = msgspec.structs.replace(
            cover_of(draft.view, runs[-1]),
            hides=tuple(map(run_span, apart)),
            sections=contents.fit(plan.limit),
            untold=untold,
        )
        edits = list(plan.active)
        for excerpts in plan.stays.values():
            edits += excerpts
        if begin is not None:
            edits.append(begin)
        edits += [hide_run(run) for run in apart if any(item.shows for item in run)]
        edits.append(summary_edit(summary, self.label, run_level(runs[-1])))
        return tuple(edits)


@dataclass(frozen=True)
class _PlanWithAsks:
    """A plan, and the asks about it."""

    plan: SummaryPlan
    asks: SummaryAsks


@dataclass(frozen=True)
class ActiveTask:
    """The active sub-task as it stays, and what is left for what is older."""

    draft: Draft
    """The draft with its results shortened, if that was needed."""
    older: tuple[ViewPart, ...]
    edits: tuple[Edit, ...]
    room: float


def keep_active_task(
    draft: Draft, parts: Sequence[ViewPart], ledger: Ledger, room: float, by: str
) -> ActiveTask | None:
    """Return the parts since the newest open loop left as they are, or None if they do not fit."""
    since = newest_loop(ledger)
    if since is None:
        return None
    active = [part for part in parts if part.span.stop > since]
    if not active:
        return None
    older = tuple(part for part in parts if part.span.stop <= since)
    left = room
    if older:
        left -= required_tokens(draft, ledger, since)
    edits, weight = _shorten_oldest(draft, active, left, by)
    if weight > left:
        return None
    after = draft.accept(Proposal(edits, by)) if edits else draft
    return ActiveTask(after, older, edits, room - weight)


def required_tokens(draft: Draft, ledger: Ledger, since: int) -> int:
    """Return the tokens of what must be said of everything older: trace, rules and open loops."""
    loops = loops_to_report(ledger)[-LINES_MOST["OPEN"] :]
    tokens = min(COVER_TEXT_TOKENS, draft.goal // 4)
    for stated in (*ledger.rules, *loops):
        if stated[0] < since:
            tokens += draft.view.meter.count(render_line(fact_line(stated))) + 1
    return tokens


def _shorten_oldest(
    draft: Draft, active: Sequence[ViewPart], room: float, by: str
) -> tuple[tuple[Edit, ...], int]:
    """Return edits that shorten the oldest results, as few as it takes; and the weight then."""
    weight = sum(part.tokens for part in active)
    if weight <= room:
        return (), weight
    edits: list[Edit] = []
    items = [item for part in active for item in part.items]
    for large in large_blocks(draft, items, ACTIVE_OVER):
        if weight <= room:
            break
        if isinstance(large.block, Call):
            continue
        edit = shrink_block(large, ACTIVE_KEEP, by)
        gain = large.tokens - draft.view.weigh_edit(edit)
        if gain > 0:
            weight -= gain
            edits.append(edit)
    return tuple(edits), weight


def _weight_of_parts(draft: Draft, parts: Sequence[ViewPart], edits: tuple[Edit, ...]) -> float:
    """Return the raw tokens of the parts as the edits leave them."""
    after = draft.view.with_edits(edits)
    first = min(part.span.start for part in parts)
    last = max(part.span.stop for part in parts)
    return sum(
        item.tokens
        for item in after.items
        if first <= item.span.start < last and draft.may_cover(item)
    )


def _doubted_parts(parts: Sequence[ViewPart], worth: LogWorth, least: int) -> list[int]:
    """Return the parts in which the assistant doubted in `least` ways, most doubted first."""
    kinds: dict[int, set[str]] = {}
    for position, fact in worth.ledger.doubts:
        kinds.setdefault(position, set()).add(fact.note)
    counts: dict[int, int] = {}
    for at, part in enumerate(parts):
        counts[at] = max(len(kinds.get(item.span.start, ())) for item in part.items)
    doubted = [at for at in counts if counts[at] >= least]
    return sorted(doubted, key=lambda at: (-counts[at], -at))


def _fill_room(parts: Sequence[ViewPart], stays: Stays, room: float) -> Stays:
    """Return the parts that stay, and as many whole parts before the tail as there is room for."""
    fuller = dict(stays)
    for at in range(len(parts) - 1, 0, -1):
        if at in fuller or parts[at].is_offer:
            continue
        room -= parts[at].tokens
        if room < 0 or len(fuller) + 1 == len(parts):
            break
        fuller[at] = ()
    return fuller


ChoiceAttempt = tuple[float, Stays]
"""What a choice weighs, and the parts it keeps."""


def _heaviest_within(room: float) -> Callable[[ChoiceAttempt], float]:
    """Prefer what uses most of the room; of what does not fit, what comes nearest."""

    def preference(attempt: ChoiceAttempt) -> float:
        weight, _ = attempt
        if weight <= room:
            return weight
        return room - weight

    return preference


def _fixed_tokens(draft: Draft) -> int:
    return sum(item.tokens for item in draft.view.items if not draft.may_cover(item))
