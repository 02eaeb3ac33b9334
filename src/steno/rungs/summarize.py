"""The active sub-task: what was said since the newest open loop was opened.

It is not summarized while it fits the goal beside the tail and what must be said
of everything older. Where it does not, its oldest results are shown in short until
it does; where that is not enough, it is covered like anything else, and the loop's
statement is said again with the other open loops. Owns that choice alone; what becomes of what is older is
`summarize`'s business.

Summarize: what is old leaves the view; what of it will be wanted stays, line by line, in its place.

The stretch outside tail and pins is taken apart at its seams. A part whose
results or words hold lines worth their tokens stays where it is, in excerpts;
every other part shows nothing. In the newest of those stands the summary: what
the ledger knows, each line with its source, and where everything can be opened.
The excerpts of an earlier commit stay as they are while they are worth it, so
that what comes before the newest change stays in the provider's cache. Where
there is a writer it is asked for what patterns cannot see (`asking`); where it
does not answer the summary is what it is without one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec

from steno.core.budget import Pressure
from steno.core.cover_text import CoverText
from steno.core.draft import COVER_TEXT_TOKENS, Draft
from steno.core.effects import Asks, Rounds
from steno.core.log import Edit, Proposal
from steno.core.message import Call, user_message
from steno.core.model import Complexity
from steno.core.repair import encodable_text
from steno.core.rung import Rung
from steno.facts.ledger import Ledger
from steno.rungs.offload import in_short, shrink_block
from steno.summary.ask_writer import AskOptions, SummaryAsks
from steno.summary.choose import (
    ExcerptChoice,
    SummaryPlan,
    ViewPart,
    hidden_runs,
    hide_run,
    opening_trace,
    run_level,
    run_span,
    shorten_results,
    split_parts,
)
from steno.summary.previous import merge_written, unread_spans
from steno.summary.render import SummaryContents
from steno.summary.replies import WriterNotes
from steno.summary.sections import LINES_MOST, fact_line, loops_to_report, newest_loop
from steno.summary.worth import WINDOWS_FAR, LogWorth, Scoring

OVER, KEEP = 100, 200
"""Tokens above which a result of it shrinks where it must, and the characters of it that stay."""


@dataclass(frozen=True)
class ActiveTask:
    """The active sub-task as it stays, and what is left for what is older."""

    draft: Draft
    """With its results in short, where that was needed."""
    older: tuple[ViewPart, ...]
    edits: tuple[Edit, ...]
    room: float


def kept_whole(
    draft: Draft, parts: Sequence[ViewPart], ledger: Ledger, room: float, by: str
) -> ActiveTask | None:
    """The parts since the newest open loop left as they are, if that can be had within `room`."""
    since = newest_loop(ledger)
    active = [part for part in parts if since is not None and part.span.stop > since]
    if since is None or not active:
        return None
    older = tuple(part for part in parts if part.span.stop <= since)
    left = room - (required_tokens(draft, ledger, since) if older else 0)
    edits, weight = _shorten_oldest(draft, active, left, by)
    if weight > left:
        return None
    after = draft.accept(Proposal(edits, by)) if edits else draft
    return ActiveTask(after, older, edits, room - weight)


def required_tokens(draft: Draft, ledger: Ledger, since: int) -> int:
    """Tokens of what must be said of everything older: a trace, its rules and its open loops."""
    loops = loops_to_report(ledger)[-LINES_MOST["OPEN"] :]
    lines = (str(fact_line(each)) for each in (*ledger.rules, *loops) if each[0] < since)
    return min(COVER_TEXT_TOKENS, draft.goal // 4) + sum(
        draft.view.meter.count(line) + 1 for line in lines
    )


def _shorten_oldest(
    draft: Draft, active: Sequence[ViewPart], room: float, by: str
) -> tuple[tuple[Edit, ...], int]:
    """The oldest results in short, as few as it takes; and what all of it weighs then."""
    weight = sum(part.tokens for part in active)
    edits: list[Edit] = []
    items = [item for part in active for item in part.items]
    for large in in_short(draft, items, OVER) if weight > room else ():
        if weight <= room:
            break
        if isinstance(large.block, Call):
            continue
        edit = shrink_block(large, KEEP, by)
        gain = large.tokens - draft.view.weigh_edit(edit)
        if gain > 0:
            weight -= gain
            edits.append(edit)
    return tuple(edits), weight


Share01 = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A share of something."""
TRIES = 3
"""Choices made anew where the chosen lines weighed more than was thought."""
SLACK = 0.97
PROSE_SHARE = 0.25
"""Of the room, for a writer's lines at most."""


class OffloadTail(Rung, frozen=True, tag="offload-tail"):
    """Under hard pressure: newest turns that are heavier than their share keep the lines worth most, and no more."""

    scorer: Scoring = "likely"
    """By what lines are worth keeping."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        items = [item for item in draft.view.items if item.span.start >= draft.tail]
        over = draft.over_share(sum(item.tokens for item in items))
        if over <= 0 or draft.pressure is not Pressure.HARD:
            return ()
        free = [item for item in items if item.span.start not in draft.pins]
        outlook = LogWorth(draft.view.messages, _recent_start(draft), draft.focus, self.scorer)
        return tuple(
            Proposal((edit,), self.label) for edit in shorten_results(draft, free, outlook, over)
        )


class Summarize(Rung, frozen=True, tag="summarize"):
    """Cover all that may be covered: a summary, and excerpts of what will be wanted again."""

    share: Share01 = 0.10
    """Of the window, for the summary at most."""
    max_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Of the summary, where a policy says so outright."""
    names: Share01 = 0.04
    """Of the window, for lists of names."""
    excerpts: Share01 = 1.0
    """Of the room that is left, for excerpts."""
    doubts: Annotated[int, msgspec.Meta(ge=0, le=5)] | None = None
    """Kinds of doubt from which on what the assistant said stays word for word; 0 for none, else as the task is."""
    doubt_share: Share01 = 0.25
    """Of the goal, for that."""
    scorer: Scoring = "likely"
    """By what lines and names are worth keeping: measured rates, or rarity (TF-IDF)."""
    active: bool = False
    """Whether the active sub-task stays as it is while it fits the goal, its oldest results shortened if need be."""

    prose: Annotated[int, msgspec.Meta(ge=0)] = 600
    """Tokens of a writer's answer, and of its lines in the summary; 0 asks nobody."""
    complexity: Complexity | None = None
    """How hard a task a writer is told this is, if not as hard as the policy says."""
    thinking: bool = False
    """Whether a writer gets to read what the assistant thought."""
    share_prefix: bool = False
    """Whether the writer is the agent's own model: an ask goes on from the agent's request, which is cached."""

    def ask(self, draft: Draft, rounds: Rounds) -> Asks:
        asking = self._asks_for(draft)
        if asking is not None:
            return asking.next_asks(rounds)
        return ()

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        asking = self._asks_for(draft) if rounds or self in draft.memo else None
        heard = asking.read_rounds(rounds) if asking is not None else WriterNotes()
        findings = asking.findings(heard, self.label) if asking is not None else ()
        if asking is not None and heard.told:
            edits = self._edits(draft.memo[self].plan, heard)
            if edits and draft.view.with_edits(edits).raw < draft.view.raw:
                return (Proposal(edits, self.label, findings),)
        plan = self._plan(draft, 0)
        edits = self._edits(plan) if plan is not None else ()
        if edits or findings:
            return (Proposal(edits, self.label, findings),)
        return ()

    def _asks_for(self, draft: Draft) -> SummaryAsks | None:
        """The asks about what this draft will cover; None where nobody is to be asked, or nothing is new."""
        if draft.writer is None or not self.prose:
            return None
        if self not in draft.memo:
            draft.memo[self] = self._start_asking(draft)
        begun: _PlanWithAsks | None = draft.memo[self]
        if begun is not None:
            return begun.asking
        return None

    def _start_asking(self, draft: Draft) -> _PlanWithAsks | None:
        plan = self._plan(draft, self.prose)
        if plan is None:
            return None
        earlier = plan.previous
        said = draft.view.messages
        new = {
            at: said[at]
            for at in plan.hidden_positions
            if at not in earlier.told and said[at].role != "absent"
        }
        if not new or draft.view.with_edits(self._edits(plan)).raw >= draft.view.raw:
            return (
                None  # the least that must be said outweighs what it would cover: nobody is asked
            )
        manner = AskOptions(
            self.prose, self.thinking, self.complexity or draft.complexity, self.share_prefix
        )
        return _PlanWithAsks(plan, SummaryAsks(draft, new, earlier, manner))

    def _plan(self, draft: Draft, prose: int) -> SummaryPlan | None:
        """What is covered and what stays, with room for so much prose; None where nothing can be."""
        parts = [
            part for first, last in draft.stretches() for part in split_parts(draft, first, last)
        ]
        most = draft.budget.usable if draft.budget.down_to_tail else draft.goal
        room = most / draft.view.meter.ratio - draft.fixed - _fixed_tokens(draft)
        if not parts or room <= 0:
            return None
        outlook = LogWorth(draft.view.messages, _recent_start(draft), draft.focus, self.scorer)
        kept = kept_whole(draft, parts, outlook.ledger, room, self.label) if self.active else None
        if kept is None:
            return self._choose_parts(draft, parts, outlook, room, prose)
        return replace(
            self._choose_parts(kept.draft, kept.older, outlook, kept.room, prose), active=kept.edits
        )

    def _choose_parts(
        self, draft: Draft, parts: Sequence[ViewPart], outlook: LogWorth, room: float, prose: int
    ) -> SummaryPlan:
        """Which of the parts stay, and how, within so much room."""
        if not parts:
            return SummaryPlan(draft, parts, outlook, 0)
        limit = int(min(self.share * draft.budget.window, room * 0.5))
        limit = limit if self.max_tokens is None else min(limit, self.max_tokens)
        room -= min(prose, limit, room * PROSE_SHARE)
        plan = SummaryPlan(draft, parts, outlook, limit)
        best: ChoiceAttempt = (math.inf, {})
        left = (room - limit) * self.excerpts
        doubts = draft.doubts if self.doubts is None else self.doubts
        marked = _marked(parts, outlook, doubts) if doubts else ()
        choice = ExcerptChoice(
            draft, parts, outlook, marked, self.doubt_share * draft.goal if self.excerpts else 0
        )
        for _ in range(TRIES):
            islands = choice.choose(max(0.0, left))
            weight = self._weight(draft, parts, self._edits(replace(plan, stays=islands)))
            best = max(best, (weight, islands), key=_heaviest_within(room))
            if left <= 0 or room * SLACK <= weight <= room or self.excerpts < 1:
                break
            left += (room * (1 + SLACK) / 2 - weight) * 0.95
        return replace(
            plan, stays=_fill_room(parts, best[1], room - best[0]) if self.excerpts else best[1]
        )

    def _edits(self, plan: SummaryPlan, heard: WriterNotes | None = None) -> tuple[Edit, ...]:
        draft, parts, islands = plan.draft, plan.parts, plan.stays
        runs = hidden_runs(draft, parts, islands)
        if not runs:
            return plan.active
        shown = [edit for edits in islands.values() for edit in edits]
        heard = heard or WriterNotes()
        earlier = plan.previous
        written = merge_written(earlier.written, heard.sections, heard.gone)
        names = int(self.names * draft.budget.window)
        digest = SummaryContents.of(
            draft, plan.outlook, parts, islands, names, earlier.carried, written, self.prose
        )
        covers = [hide_run(run) for run in runs[:-1] if any(item.shows for item in run)]
        begin = opening_trace(draft, runs)
        if begin is not None:
            covers = [begin, *(edit for edit in covers if edit.span != begin.span)]
        told = replace(
            CoverText.of(draft.view, runs[-1]),
            hides=tuple(
                run_span(run) for run in runs[:-1] if begin is None or run_span(run) != begin.span
            ),
            more=digest.render(draft, plan.limit),
            untold=unread_spans(plan.hidden_positions, earlier.told | heard.told)
            if written
            else (),
        )
        summary = Edit(
            told.span,
            (user_message(encodable_text(str(told)), by="steno"),),
            self.label,
            level=run_level(runs[-1]),
        )
        return (*plan.active, *shown, *covers, summary)

    def _weight(self, draft: Draft, parts: Sequence[ViewPart], edits: tuple[Edit, ...]) -> float:
        """Raw tokens of the parts as the edits leave them."""
        after = draft.view.with_edits(edits)
        inside = {(part.span.start, part.span.stop) for part in parts}
        first, last = min(start for start, _ in inside), max(stop for _, stop in inside)
        return sum(
            item.tokens
            for item in after.items
            if first <= item.span.start < last and draft.may_cover(item)
        )


@dataclass(frozen=True)
class _PlanWithAsks:
    """A plan, and the asks about it."""

    plan: SummaryPlan
    asking: SummaryAsks


def _marked(parts: Sequence[ViewPart], outlook: LogWorth, least: int) -> list[int]:
    """The parts in which the assistant doubted in so many ways, those with most ways first."""
    kinds: dict[int, set[str]] = {}
    for position, fact in outlook.ledger.doubts:
        kinds.setdefault(position, set()).add(fact.note)
    ways = [
        max((len(kinds.get(item.span.start, ())) for item in part.items), default=0)
        for part in parts
    ]
    return sorted(
        (at for at, many in enumerate(ways) if many >= least), key=lambda at: (-ways[at], -at)
    )


def _fill_room(
    parts: Sequence[ViewPart], islands: dict[int, tuple[Edit, ...]], room: float
) -> dict[int, tuple[Edit, ...]]:
    """The islands, and before the tail as many whole parts as there is room for: nothing is hidden without need."""
    fuller = dict(islands)
    for at in range(len(parts) - 1, 0, -1):
        if at in fuller or parts[at].is_offer:
            continue
        room -= parts[at].tokens
        if room < 0 or len(fuller) + 1 == len(parts):
            break
        fuller[at] = ()
    return fuller


ChoiceAttempt = tuple[float, dict[int, tuple[Edit, ...]]]
"""What a choice weighs, and the parts it keeps."""


def _heaviest_within(room: float) -> Callable[[ChoiceAttempt], float]:
    """Of what fits, what uses most of the room; of what does not, what is nearest."""
    return lambda tried: tried[0] if tried[0] <= room else room - tried[0]


def _fixed_tokens(draft: Draft) -> int:
    return sum(item.tokens for item in draft.view.items if not draft.may_cover(item))


def _recent_start(draft: Draft) -> int:
    """The position from which on nothing is far: a window and a quarter back."""
    left = WINDOWS_FAR * draft.budget.window
    for item in reversed(draft.view.arrivals):
        left -= item.tokens
        if left < 0:
            return item.span.start
    return 0
