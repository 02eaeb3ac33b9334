"""Summarize: what is old leaves the view; what of it will be wanted stays, line by line, in its place.

The stretch outside tail and pins is taken apart at its seams. A part whose
results or words hold lines worth their tokens stays where it is, in excerpts;
every other part shows nothing. In the newest of those stands the summary: what
the ledger knows, each line with its source, and where everything can be opened.
The excerpts of an earlier commit stay as they are while they are worth it, so
that what comes before the newest change stays in the provider's cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec

from steno.core.ask import Rounds
from steno.core.budget import Pressure
from steno.core.draft import Draft
from steno.core.log import Edit, Proposal
from steno.core.mend import clean
from steno.core.message import Message, user
from steno.core.rung import Rung
from steno.core.span import Span
from steno.core.trace import Trace
from steno.core.view import Item
from steno.ledger.outlook import Outlook, Scoring
from steno.ledger.worth import WINDOWS_FAR
from steno.steps.active import kept_whole
from steno.steps.digest import Digest
from steno.steps.excerpts import Choice, Part, parts_of, shortened

Share01 = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A share of something."""
TRIES = 3
"""Choices made anew where the chosen lines weighed more than was thought."""
SLACK = 0.97


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
        outlook = Outlook(draft.view.messages, _recent(draft), draft.focus, self.scorer)
        return tuple(Proposal((edit,), self.label) for edit in shortened(draft, free, outlook, over))


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

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        parts = [part for first, last in draft.stretches() for part in parts_of(draft, first, last)]
        most = draft.budget.usable if draft.budget.once else draft.goal
        room = most / draft.view.meter.ratio - draft.fixed - _untouchable(draft)
        if not parts or room <= 0:
            return ()
        outlook = Outlook(draft.view.messages, _recent(draft), draft.focus, self.scorer)
        kept = kept_whole(draft, parts, outlook.ledger, room, self.label) if self.active else None
        if kept is None:
            edits = self._summarized(draft, parts, outlook, room)
        else:
            edits = kept.edits + self._summarized(kept.draft, kept.older, outlook, kept.room)
        return (Proposal(edits, self.label),) if edits else ()

    def _summarized(self, draft: Draft, parts: Sequence[Part], outlook: Outlook, room: float) -> tuple[Edit, ...]:
        if not parts:
            return ()
        limit = int(min(self.share * draft.budget.window, room * 0.5))
        limit = limit if self.max_tokens is None else min(limit, self.max_tokens)
        best: Tried = (math.inf, {})
        left = (room - limit) * self.excerpts
        doubts = draft.doubts if self.doubts is None else self.doubts
        marked = _marked(parts, outlook, doubts) if doubts else ()
        choice = Choice(draft, parts, outlook, marked, self.doubt_share * draft.goal if self.excerpts else 0)
        for _ in range(TRIES):
            islands = choice.within(max(0.0, left))
            weight = self._weight(draft, parts, self._edits(draft, parts, islands, outlook, limit))
            best = max(best, (weight, islands), key=_heaviest_within(room))
            if left <= 0 or room * SLACK <= weight <= room or self.excerpts < 1:
                break
            left += (room * (1 + SLACK) / 2 - weight) * 0.95
        stays = _filled(parts, best[1], room - best[0]) if self.excerpts else best[1]
        return self._edits(draft, parts, stays, outlook, limit)

    def _edits(
        self, draft: Draft, parts: Sequence[Part], islands: dict[int, tuple[Edit, ...]], outlook: Outlook, limit: int
    ) -> tuple[Edit, ...]:
        runs = _runs(draft, parts, islands)
        if not runs:
            return ()
        shown = [edit for edits in islands.values() for edit in edits]
        digest = Digest.of(draft, outlook, parts, islands, int(self.names * draft.budget.window))
        covers = [_hiding(run) for run in runs[:-1] if any(item.shows for item in run)]
        begin = _beginning(draft, runs)
        if begin is not None:
            covers = [begin, *(edit for edit in covers if edit.span != begin.span)]
        hidden = tuple(_span(run) for run in runs[:-1] if begin is None or _span(run) != begin.span)
        trace = Trace.of(draft.view, runs[-1])
        told = Trace(
            trace.span,
            trace.tokens,
            trace.roles,
            trace.calls,
            trace.first,
            trace.last,
            hidden,
            digest.within(draft, limit),
        )
        summary = Edit(told.span, (user(clean(str(told)), by="steno"),), self.label, level=_level(runs[-1]))
        return (*shown, *covers, summary)

    def _weight(self, draft: Draft, parts: Sequence[Part], edits: tuple[Edit, ...]) -> float:
        """Raw tokens of the parts as the edits leave them."""
        after = draft.view.edited(edits)
        inside = {(part.span.start, part.span.stop) for part in parts}
        first, last = min(start for start, _ in inside), max(stop for _, stop in inside)
        return sum(item.tokens for item in after.items if first <= item.span.start < last and draft.may_cover(item))


def _marked(parts: Sequence[Part], outlook: Outlook, least: int) -> list[int]:
    """The parts in which the assistant doubted in so many ways, those with most ways first."""
    kinds: dict[int, set[str]] = {}
    for position, fact in outlook.ledger.markers:
        kinds.setdefault(position, set()).add(fact.note)
    ways = [max((len(kinds.get(item.span.start, ())) for item in part.items), default=0) for part in parts]
    return sorted((at for at, many in enumerate(ways) if many >= least), key=lambda at: (-ways[at], -at))


def _filled(parts: Sequence[Part], islands: dict[int, tuple[Edit, ...]], room: float) -> dict[int, tuple[Edit, ...]]:
    """The islands, and before the tail as many whole parts as there is room for: nothing is hidden without need."""
    fuller = dict(islands)
    for at in range(len(parts) - 1, 0, -1):
        if at in fuller:
            continue
        room -= parts[at].tokens
        if room < 0 or len(fuller) + 1 == len(parts):
            break
        fuller[at] = ()
    return fuller


Tried = tuple[float, dict[int, tuple[Edit, ...]]]
"""What a choice weighs, and the parts it keeps."""


def _heaviest_within(room: float) -> Callable[[Tried], float]:
    """Of what fits, what uses most of the room; of what does not, what is nearest."""
    return lambda tried: tried[0] if tried[0] <= room else room - tried[0]


def _untouchable(draft: Draft) -> int:
    return sum(item.tokens for item in draft.view.items if not draft.may_cover(item))


def _recent(draft: Draft) -> int:
    """The position from which on nothing is far: a window and a quarter back."""
    left = WINDOWS_FAR * draft.budget.window
    for item in reversed(draft.view.arrivals):
        left -= item.tokens
        if left < 0:
            return item.span.start
    return 0


def _runs(draft: Draft, parts: Sequence[Part], islands: dict[int, tuple[Edit, ...]]) -> list[list[Item]]:
    """Neighbouring parts of which nothing is shown."""
    runs: list[list[Item]] = []
    end = -1
    for at, part in enumerate(parts):
        if at in islands:
            continue
        if runs and part.first == end:
            runs[-1] += part.items
        else:
            runs.append(list(part.items))
        end = part.last
    return runs


def _span(run: Sequence[Item]) -> Span:
    return Span(run[0].span.start, run[-1].span.stop)


def _level(run: Sequence[Item]) -> int:
    return 1 + max(item.level for item in run)


def _hiding(run: Sequence[Item]) -> Edit:
    return Edit(_span(run), (), "summarize", level=_level(run))


def _beginning(draft: Draft, runs: Sequence[Sequence[Item]]) -> Edit | None:
    """Where a user must begin and the first words would be the assistant's, a trace stands before them."""
    first = runs[0]
    spoken = [item for item in draft.view.items if not _system(item)]
    if len(runs) < 2 or not spoken or spoken[0].span.start != first[0].span.start:
        return None
    after = next((item for item in spoken if item.span.start >= first[-1].span.stop and item.shows), None)
    if after is None or after.shows[0].role == "user":
        return None
    return Edit(_span(first), _traced(draft, first), "summarize", level=_level(first))


def _traced(draft: Draft, run: Sequence[Item]) -> tuple[Message, ...]:
    # A trace that stands there already is left as it is: the cache holds it.
    if len(run) == 1 and run[0].main is None and run[0].shows:
        return run[0].shows
    return (user(clean(str(Trace.of(draft.view, run))), by="steno"),)


def _system(item: Item) -> bool:
    return all(message.role == "system" for message in item.shows) and bool(item.shows)
