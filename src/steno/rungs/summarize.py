"""Summarize: what is old leaves the view; what will be wanted of it stays, in its place.

The stretch outside tail and pins is split at its seams. A part that holds lines worth their
tokens stays where it is, in excerpts; every other part shows nothing. In the newest hidden run
stands the summary: what the facts give, each line with its source, and where everything can be
opened. Excerpts of an earlier commit stay as they are while they are worth it, so that the
provider's cache of everything before the newest change stays valid. A writer, if there is one,
is asked for what patterns cannot see (`steno.writer`); without an answer the summary is computed.
With `active=True` the active sub-task stays as it is while it fits (`active_task`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import msgspec

from steno.core.draft import Draft
from steno.core.effects import Asks, Rounds
from steno.core.log import Edit, Finding, Proposal
from steno.core.message import Span
from steno.core.model import Complexity
from steno.core.rung import Rung
from steno.core.summary import SummaryLine
from steno.facts.ledger import Ledger
from steno.facts.text import flatten
from steno.rungs.active_task import keep_active_task, line_tokens
from steno.summary.agent_words import DOUBT_LINES_SHARE
from steno.summary.compose import Composer
from steno.summary.constraints_block import pinned_lines, unshown_constraints
from steno.summary.past import Past
from steno.summary.plan import (
    DECISIONS_SHARE,
    OVERSHOOT,
    SummaryPlan,
    cover_of,
    kept_words,
    run_level,
    run_span,
    summary_sections,
)
from steno.summary.read_back import unread_spans
from steno.summary.render import reader_note, summary_edit
from steno.summary.sections import (
    LINES_MOST,
    decision_lines,
    fact_line,
    loops_to_report,
    make_sections,
)
from steno.summary.shorten import ViewPart, split_parts
from steno.summary.worth import Scoring, require_scorer
from steno.writer.replies import WriterNotes

if TYPE_CHECKING:
    from steno.writer.ask import SummaryAsks

DOUBT_HEAD = 6
"""Tokens before a message that is told whole: its position and who spoke."""
TRIES = 6
"""Choices made again if the chosen lines weighed more than was estimated."""
OVER_TIMES, OVER_MARGIN = 1.3, 10
"""What such a choice takes off: so many times what it was over, and these tokens."""
AGAIN_LEAST = 0.5
"""Share of its room that such a choice has at least."""
SPARE_LEAST = 16
"""Tokens of room from which on more is told."""
NOTE_FENCE_TOKENS = 30
"""Tokens around what tells the model that it reads a shortened history."""
PROSE_SHARE, PROSE_MOST = 0.25, 4_000
"""Share of the goal for a writer's lines, and tokens of them, at most."""
PROSE_LEAST, PROSE_LEAST_SHARE = 1_500, 0.40
"""Tokens of such lines that a small goal has room for, as far as this share of it reaches."""
PROSE_ROOM = 0.5
"""Share of the room for a writer's lines, at most."""
TAIL_ROOM = 0.5
"""Share of the room beside the tail for all that stands for the past, with the tail as goal."""
SUMMARY_ROOM = 0.75
"""Share of the room for a summary that tells all, at most, with the tail as goal."""
SHORT_NOTE_BELOW = 1_000
"""Tokens of a summary below which the note on how to read it is short."""
NO_NOTES = WriterNotes()
CITED = 1.15
"""Tokens of a line with its citations for each token of it without."""

Share01 = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A share of something."""


class Summarize(Rung, tag="summarize"):
    """Cover all that may be covered: a summary, and excerpts of what will be wanted again."""

    share: Share01 = 0.10
    """Share of the window for the summary, at most, where everything is told in one."""
    max_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Tokens of the summary at most, if a policy gives a number; then it quotes no files."""
    in_place: bool = True
    """Whether people's words and replies stay in their place; else one summary tells all."""
    doubts: Annotated[int, msgspec.Meta(ge=0, le=5)] | None = None
    """Kinds of doubt from which the assistant's words stay as they are.

    0 for never; None to let the policy's task decide.
    """
    doubt_share: Share01 = 0.25
    """Share of the goal for those words."""
    scorer: Scoring = "likely"
    """What replies and pieces are worth: by their use, or by their words (`summary/worth.py`)."""
    active: bool = False
    """Whether the active sub-task stays as it is while it fits the goal."""

    prose: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Tokens of a writer's lines in the summary, citations not counted; 0 to ask no writer.

    None for a quarter of the goal, more where the goal is small, 4,000 at most.
    """
    complexity: Complexity | None = None
    """How hard the task is called when a writer is chosen; None for what the policy says."""
    thinking: bool = False
    """Whether a writer gets to read what the assistant thought."""
    share_prefix: bool = False
    """Whether the writer is the agent's own model.

    Then an ask continues the agent's request, whose prefix the provider has cached.
    """

    def __post_init__(self) -> None:
        require_scorer(self.scorer)

    def ask(self, draft: Draft, rounds: Rounds) -> Asks:
        asks = self.asks_for(draft)
        if asks is None:
            return ()
        return asks.next_asks(rounds)

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        asks = None
        # Without asks there is no memo: reading it would plan twice for nothing.
        if rounds or self in draft.memo:
            asks = self.asks_for(draft)
        findings: tuple[Finding, ...] = ()
        if asks is not None:
            notes = asks.read_rounds(rounds)
            findings = asks.findings(notes, self.label)
            edits = self._written_edits(draft, notes)
            if edits:
                return (self._proposal(draft, edits, findings),)
        # Planned anew: no room is kept for lines that no writer wrote.
        plan = self._plan(draft, writes=False)
        edits = ()
        if plan is not None:
            edits = self._edits(plan, NO_NOTES)
        if edits or findings:
            return (self._proposal(draft, edits, findings),)
        return ()

    def _proposal(
        self, draft: Draft, edits: tuple[Edit, ...], findings: tuple[Finding, ...]
    ) -> Proposal:
        """Return the proposal of these edits; what they leave uncovered stays on purpose."""
        covers = [edit.span for edit in edits if edit.block is None]
        covered = {at for span in covers for at in range(span.start, span.stop)}
        stays = [item.span for item in draft.view.items if item.span.start not in covered]
        return Proposal(edits, self.label, findings, tuple(stays))

    def _written_edits(self, draft: Draft, notes: WriterNotes) -> tuple[Edit, ...]:
        """Return the edits with a writer's lines, or none if those save nothing."""
        if not notes.read:
            return ()
        plan, _ = draft.memo[self]
        if self.max_tokens is not None:
            # Composed anew around the writer's lines, which leave more room or less than expected.
            plan = self._plan(draft, writes=False, notes=notes) or plan
        edits = self._edits(plan, notes)
        if edits and draft.view.with_edits(edits).raw < draft.view.raw:
            return edits
        return ()

    def asks_for(self, draft: Draft) -> SummaryAsks | None:
        """Return the asks about what this draft will cover, or None if there is nothing to ask."""
        if draft.writer_window is None or self.prose == 0:
            return None
        if self not in draft.memo:
            draft.memo[self] = self._start_asking(draft)
        begun: tuple[SummaryPlan, SummaryAsks] | None = draft.memo[self]
        if begun is None:
            return None
        return begun[1]

    def _start_asking(self, draft: Draft) -> tuple[SummaryPlan, SummaryAsks] | None:
        plan = self._plan(draft, writes=True)
        if plan is None:
            return None
        previous = plan.previous
        messages = draft.view.messages
        new = {
            at: messages[at]
            for at in plan.hidden_positions
            # A writer reads each message once; its lines on others are in the previous summary.
            if at not in previous.read and messages[at].role != "absent"
        }
        if not new:
            return None
        least = self._edits(plan, NO_NOTES)
        if draft.view.with_edits(least).raw >= draft.view.raw:
            # The least that must be said outweighs what it would cover.
            return None
        # Most sessions have no writer, and need not load what asks one.
        from steno.writer.ask import SummaryAsks

        asks = SummaryAsks(
            draft,
            new,
            previous,
            kept_words(plan),
            lines_most=plan.prose,
            thinking=self.thinking,
            complexity=self.complexity or draft.complexity,
            share_prefix=self.share_prefix,
        )
        return plan, asks

    def _plan(
        self, draft: Draft, *, writes: bool, notes: WriterNotes = NO_NOTES
    ) -> SummaryPlan | None:
        """Return what is covered and what stays, or None if nothing can be covered.

        If a writer `writes`, room is left for its lines; `notes` are lines that are there.
        """
        parts = [
            part for first, last in draft.stretches() for part in split_parts(draft, first, last)
        ]
        most = draft.goal
        if draft.budget.down_to_tail:
            most = draft.budget.usable
        room = most / draft.view.meter.ratio - draft.untouchable
        if not parts or room <= 0:
            return None
        if draft.budget.down_to_tail and not self.in_place:
            # Asked for at a low fill, a summary may not take what its messages do not take now.
            room = min(room, weight_of_parts(draft, parts, ()))
        if self.active:
            task = keep_active_task(draft, parts, Ledger.of(draft.view.messages), room, self.label)
            if task is not None:
                plan = self._choose_parts(task.draft, task.older, task.room, writes, notes)
                return replace(plan, active=task.edits, bare=(*task.edits, *plan.bare))
        return self._choose_parts(draft, parts, room, writes, notes)

    def _choose_parts(
        self, draft: Draft, parts: Sequence[ViewPart], room: float, writes: bool, notes: WriterNotes
    ) -> SummaryPlan:
        """Return the plan with the parts that stay within so much room."""
        if not self.in_place and not draft.budget.down_to_tail:
            parts = self.parts_to_cover(draft, parts, room)
        if not parts:
            return SummaryPlan(draft, parts, None, 0)
        ledger = Ledger.of(draft.view.messages)
        doubted = self.doubted_at(draft, ledger)
        room, beside = self._divide_room(draft, room, doubted)
        prose = self._prose_for(draft, room)
        left = room
        if writes:
            left -= min(prose * CITED, room * PROSE_ROOM)
        written = written_lines(draft, parts, notes)
        share = left - beside - min(line_tokens(draft, written), room * PROSE_ROOM)
        # A line on more than a message and its result is about where they led.
        told = frozenset(at for line in written if len(line.cites) <= 2 for at in line.cites)
        past = Past(
            draft,
            parts,
            share,
            in_place=self.in_place,
            scoring=self.scorer,
            beside=room - left,
            told_by_writer=told,
        )
        first = Composer(past, pieces=self.max_tokens is None)
        reserved = self._reserved_tokens(draft, parts, ledger, room, first.state_rows) - beside
        doubt_room = min(beside or draft.goal, self.doubt_share * draft.goal)

        def planned(share: float) -> tuple[SummaryPlan, float]:
            """Return the plan with this share of the room, and by how much it is too large."""
            composer = first.with_room(share)
            composer.compose(reserved, doubted, doubt_room)
            plan = SummaryPlan(draft, parts, composer, room, prose, stays=composer.stays())
            computed = self._bare_edits(plan, notes)
            plan = replace(plan, bare=computed)
            if writes and self.max_tokens is not None:
                # A writer's earlier lines have room of their own.
                computed = self._bare_edits(replace(plan, prose=0), NO_NOTES)
            return plan, weight_of_parts(draft, parts, computed) - left

        for number in range(1, TRIES + 1):
            plan, over = planned(share)
            if over <= 0:
                break
            # What did not yield to one step does not yield to small ones: each costs a choice.
            share = max(share - over * OVER_TIMES * number - OVER_MARGIN, share * AGAIN_LEAST)
        if self.in_place:
            return plan
        return _grown(plan, over, share, planned)

    def _divide_room(
        self, draft: Draft, room: float, doubted: Mapping[int, Sequence[str]]
    ) -> tuple[float, float]:
        """Return the room of the whole summary, and what of it is kept for doubts."""
        if not self.in_place:
            limit = self.summary_room(draft, room)
            if self.max_tokens is not None:
                return limit, 0.0
            # What was doubted stays beside the summary, and not at its cost.
            weight = sum(draft.view.at(at).tokens + DOUBT_HEAD for at in doubted)
            doubts = weight / (1 - DOUBT_LINES_SHARE)
            beside = min(self.doubt_share * draft.goal, doubts)
            if beside < doubts:
                # Of the others the doubts themselves.
                told = [SummaryLine(" ".join(said), (at,)) for at, said in doubted.items()]
                rest = 1 - beside / doubts
                beside += line_tokens(draft, told) * rest
            beside = min(beside, room - limit)
            return limit + beside, beside
        if self.max_tokens is not None:
            return min(room, self.max_tokens), 0.0
        if draft.budget.down_to_tail:
            # There is no goal to come down to, and a view that fills the window says no more soon.
            return room * TAIL_ROOM, 0.0
        return room, 0.0

    def _reserved_tokens(
        self, draft: Draft, parts: Sequence[ViewPart], ledger: Ledger, room: float, state: str
    ) -> float:
        """Return what note, sections and decisions take before anything else than the state."""
        note = draft.view.meter.count(self._note(draft))
        reserved = note + NOTE_FENCE_TOKENS + section_tokens(draft, ledger, state)
        if self.in_place:
            return reserved
        covered = range(parts[0].span.start, parts[-1].span.stop)
        decided = decision_lines(ledger, covered, room * DECISIONS_SHARE, draft.view.meter.count)
        return reserved + line_tokens(draft, decided)

    def summary_room(self, draft: Draft, room: float) -> float:
        """Return the tokens of a summary that tells all, at most."""
        if draft.budget.down_to_tail:
            room *= SUMMARY_ROOM
        limit = min(self.share * draft.budget.window, room)
        if self.max_tokens is not None:
            limit = min(limit, self.max_tokens)
        return limit

    def parts_to_cover(
        self, draft: Draft, parts: Sequence[ViewPart], room: float
    ) -> Sequence[ViewPart]:
        """Return the oldest parts, as few as must go for the rest to fit beside a summary."""
        left = room - self.summary_room(draft, room)
        stop = len(parts)
        while stop > 1 and parts[stop - 1].tokens <= left:
            stop -= 1
            left -= parts[stop].tokens
        return parts[:stop]

    def _note(self, draft: Draft) -> str:
        short = self.max_tokens is not None and self.max_tokens < SHORT_NOTE_BELOW
        return reader_note(draft, short=short)

    def _prose_for(self, draft: Draft, room: float) -> int:
        """Return the tokens of a writer's lines: more of a small goal, which prose serves best."""
        if self.prose is not None:
            return self.prose
        least = min(PROSE_LEAST, room * PROSE_LEAST_SHARE)
        tokens = min(PROSE_MOST, max(draft.goal * PROSE_SHARE, least), room * PROSE_ROOM)
        return int(tokens)

    def doubted_at(self, draft: Draft, ledger: Ledger) -> dict[int, list[str]]:
        """Return the sentences in which the assistant doubted in enough ways, most doubted first.

        Only of what may be covered: the newest turns stay as they are.
        """
        least = draft.doubts if self.doubts is None else self.doubts
        if not least:
            return {}
        kinds: dict[int, set[str]] = {}
        sentences: dict[int, dict[str, None]] = {}
        for position, fact in ledger.doubts:
            if position >= draft.tail_start:
                continue
            kinds.setdefault(position, set()).add(fact.note)
            sentences.setdefault(position, {})[fact.words] = None
        doubted = [at for at, ways in kinds.items() if len(ways) >= least]
        doubted.sort(key=lambda at: (-len(kinds[at]), -at))
        return {at: list(sentences[at]) for at in doubted}

    def _edits(self, plan: SummaryPlan, notes: WriterNotes) -> tuple[Edit, ...]:
        """Return the edits of a plan, with as many pieces of files as there is room for."""
        if plan.composer is None:
            return plan.active
        bare = plan.bare
        if not plan.hidden_runs():
            # Everything stays, some of it in short: a summary would have nothing to stand for.
            return bare
        if notes != NO_NOTES or not bare:
            bare = self._bare_edits(plan, notes)
        left = plan.room - weight_of_parts(plan.draft, plan.parts, bare)
        if self.max_tokens is not None:
            bare, left = self.fit_room(plan, notes, bare, left)
        # Where all must be covered the summary may pass the goal; pieces are not worth that.
        after = plan.draft.view.with_edits(bare)
        to_goal = plan.draft.goal / after.meter.ratio - plan.draft.fixed - after.raw
        room = min(left, to_goal)
        # What was asked for is worth it where there is no goal but the tail.
        focused = bool(plan.draft.focus) and plan.draft.budget.down_to_tail and to_goal < left
        if focused:
            room = left
        for _ in range(TRIES):
            files = plan.composer.files_text(room, focused=focused)
            if not files:
                break
            # Files stand after where the work stands, in the newest hidden run.
            last, summary = bare[-1], bare[-1].summary
            assert summary is not None
            state = "\n\n".join(part for part in (summary.state, files) if part)
            summary = msgspec.structs.replace(summary, state=state)
            edits = (*bare[:-1], weighed(plan.draft, summary_edit(summary, last.by, last.level)))
            over = weight_of_parts(plan.draft, plan.parts, edits) - plan.room
            if over <= 0:
                return edits
            room -= over + 10
        return bare

    def fit_room(
        self, plan: SummaryPlan, notes: WriterNotes, bare: tuple[Edit, ...], left: float
    ) -> tuple[tuple[Edit, ...], float]:
        """Return edits with as many of a writer's lines as the room holds, and the room left."""
        for _ in range(TRIES):
            if left >= 0 or not plan.prose:
                break
            # By a fifth as well: lines go whole, and a few tokens less may change nothing.
            plan = replace(plan, prose=max(0, int(plan.prose * 0.8 + left / OVERSHOOT)))
            bare = self._bare_edits(plan, notes)
            left = plan.room - weight_of_parts(plan.draft, plan.parts, bare)
        return bare, left

    def _bare_edits(self, plan: SummaryPlan, notes: WriterNotes) -> tuple[Edit, ...]:
        """Return the edits of a plan without files, the newest hidden run last, all weighed."""
        composer = plan.composer
        assert composer is not None
        view = plan.draft.view
        previous = plan.previous
        written = notes.merged_with(previous.written)
        untold: tuple[Span, ...] = ()
        hidden = {*plan.hidden_positions, *plan.kept_covers}
        if written:
            # What no writer has read stays known as such while its cover stays as it is.
            untold = unread_spans(hidden, previous.read | notes.read)
        state = composer.state_text()
        visible = "\n".join((state, *composer.visible_words()))
        sections = summary_sections(plan, written, visible, plan.prose)
        more = unshown_constraints(composer.past.ledger, plan.draft, hidden, visible)
        edits = list(plan.active)
        for shortened in plan.stays.values():
            edits += shortened
        noted = composer.has_note(plan.stays)
        runs = plan.hidden_runs()
        for number, run in enumerate(runs):
            span = run_span(run)
            first, last = number == 0 and not noted, number == len(runs) - 1
            summary = msgspec.structs.replace(
                cover_of(view, run),
                sections=make_sections(sections, more) if last else (),
                untold=untold if last else (),
                note=self._note(plan.draft) if first else "",
                story=composer.run_text(span.start, span.stop),
                state=state if last else "",
            )
            if not (first or last) and not summary.story and not any(item.shows for item in run):
                continue
            edits.append(summary_edit(summary, self.label, run_level(run)))
        return tuple(weighed(plan.draft, edit) for edit in edits)


def summary_limit(ladder: Sequence[Rung]) -> int | None:
    """Return the tokens of a summary at most, if a rung gives a number."""
    limits = (rung.max_tokens for rung in ladder if isinstance(rung, Summarize))
    return min((most for most in limits if most is not None), default=None)


def _grown(
    plan: SummaryPlan,
    over: float,
    share: float,
    planned: Callable[[float], tuple[SummaryPlan, float]],
) -> SummaryPlan:
    """Return the plan with more told, as long as there is room that nothing else would fill."""
    for _ in range(TRIES):
        assert plan.composer is not None
        if -over < SPARE_LEAST or plan.composer.files_text(-over):
            break
        share -= over
        larger, over = planned(share)
        if over > 0:
            break
        plan = larger
    return plan


def section_tokens(draft: Draft, ledger: Ledger, state: str) -> int:
    """Return the tokens of the constraints and open loops that must be told beside the state."""
    # A loop in a message that stays is not told again.
    loops = [
        (at, fact)
        for at, fact in loops_to_report(ledger)
        if draft.may_cover(draft.view.at(at)) and flatten(fact.words) not in state
    ]
    told = [fact_line(stated) for stated in loops[-LINES_MOST["OPEN"] :]]
    return line_tokens(draft, [*pinned_lines(ledger, draft), *told])


def written_lines(draft: Draft, parts: Sequence[ViewPart], notes: WriterNotes) -> list[SummaryLine]:
    """Return a writer's lines, new ones and those of earlier summaries among the parts."""
    if not notes.read:
        return []
    old = SummaryPlan(draft, parts, None, 0).previous.written
    merged = notes.merged_with(old)
    return [line for lines in merged.values() for line in lines]


def weighed(draft: Draft, edit: Edit) -> Edit:
    """Return the edit with its tokens, so that trying it again costs nothing."""
    return msgspec.structs.replace(edit, tokens=draft.view.weigh_edit(edit))


def weight_of_parts(draft: Draft, parts: Sequence[ViewPart], edits: tuple[Edit, ...]) -> float:
    """Return the raw tokens of the parts as the edits leave them."""
    after = draft.view.with_edits(edits)
    first, last = parts[0].span.start, parts[-1].span.stop
    return sum(
        item.tokens
        for item in after.items
        if first <= item.span.start < last and draft.may_cover(item)
    )
