"""What a summary stands for: the parts of a draft that it hides, and those that stay beside it.

Owns the plan, the edits that hide, and the head of a summary: how many messages it covers, of
which kinds, and where to open them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from steno.core.draft import Draft
from steno.core.item import Item
from steno.core.log import Edit
from steno.core.message import Message, Span, Value, user_message
from steno.core.summary import QuotedRequest, Sections, Summary
from steno.core.view import View
from steno.facts.authorship import typed_text
from steno.facts.text import SearchableText
from steno.summary.compose import Composer
from steno.summary.constraints_block import constraint_lines
from steno.summary.read_back import PreviousSummaries, within_share
from steno.summary.render import GIVEN_HEADING, render_sections
from steno.summary.sections import (
    ADDED_SECTIONS,
    LINES_MOST,
    decision_lines,
    lines_in_turn,
    make_sections,
    unseen_sections,
)
from steno.summary.shorten import ViewPart
from steno.summary.wording import fold_languages, wording_of
from steno.summary.words import LEFT_OUT, clip

LABEL = "summarize"
KEPT, KEPT_IN_PART = "kept", "kept in part"
QUOTED, QUOTED_IN_PART = "quoted", "quoted in part"
DECISIONS_SHARE = 0.15
"""Share of a summary that tells all for the sentences in which something was decided."""
WRITTEN_LINE_TOKENS = 2
"""Tokens of a writer's line besides its text and its citations."""
OVERSHOOT = 1.25
"""Times their room that a writer's lines may take: a writer counts words badly."""


@dataclass(frozen=True)
class SummaryPlan:
    """What is covered, and what of it stays."""

    draft: Draft
    """The draft with the edits of `active` applied."""
    parts: Sequence[ViewPart]
    composer: Composer | None
    """Who shared the room out; None where there is nothing to cover."""
    room: float
    """Tokens for all that stands for the parts."""
    prose: int = 0
    """Tokens of it for a writer's lines."""
    active: tuple[Edit, ...] = ()
    """Edits that shorten results of the active sub-task."""
    stays: dict[int, tuple[Edit, ...]] = field(default_factory=dict)
    """Parts that stay, by their index, each with the edits that show it in excerpts."""
    bare: tuple[Edit, ...] = ()
    """The edits without files and a writer's lines, if they are known."""

    @cached_property
    def hidden_positions(self) -> list[int]:
        """Return the positions that show nothing."""
        return [at for part in self.hidden_parts for at in range(part.span.start, part.span.stop)]

    @property
    def hidden_parts(self) -> list[ViewPart]:
        return [part for n, part in enumerate(self.parts) if n not in self.stays]

    @cached_property
    def previous(self) -> PreviousSummaries:
        """Return what the summaries among the hidden parts say."""
        items = [item for part in self.hidden_parts for item in part.items]
        return PreviousSummaries.of(self.draft.view, items, self.kept_covers)

    @cached_property
    def kept_covers(self) -> list[int]:
        """Return the positions that covers of earlier commits hide, where those covers stay."""
        return [
            at
            for number in self.stays
            for item in self.parts[number].items
            if item.main is None and item.level > 0
            for at in range(item.span.start, item.span.stop)
        ]

    def hidden_runs(self) -> list[list[Item]]:
        """Return the items of hidden parts, neighbours together; the newest may stand apart."""
        runs: list[list[Item]] = []
        end = -1
        hidden = self.hidden_parts
        tells_apart = self.composer is not None and self.composer.tells_state_apart
        for part in hidden:
            # The state changes with every commit; apart, it leaves what stands before it cached.
            apart = part is hidden[-1] and tells_apart
            if runs and part.first == end and not apart:
                runs[-1] += part.items
            else:
                runs.append(list(part.items))
            end = part.last
        return runs


def run_span(run: Sequence[Item]) -> Span:
    """Return the positions of neighbouring items."""
    return Span(run[0].span.start, run[-1].span.stop)


def run_level(run: Sequence[Item]) -> int:
    """Return the level of what stands for these items: one above the highest of them."""
    return 1 + max(item.level for item in run)


class KeptWords(Value):
    """What stays in the view whatever a writer says."""

    messages: Mapping[int, str]
    """How messages stay, by position: `kept` in their place, or `quoted`, whole or in part."""
    lines: str
    """The lines that are computed, the constraints in force first, then open loops and state."""


def kept_words(plan: SummaryPlan) -> KeptWords:
    """Return what the plan keeps whatever a writer says, for the writer to know."""
    composer = plan.composer
    assert composer is not None
    messages = plan.draft.view.messages
    told: dict[int, str] = {}
    for number, edits in plan.stays.items():
        for item in plan.parts[number].items:
            if item.main is not None:
                told[item.span.start] = KEPT_IN_PART if edits else KEPT
    for at, text in composer.past.choice.told.items():
        words = messages[at].text.strip()
        # Of a message with calls only its words are quoted, so the writer must tell the rest.
        whole = words and words in text and not any(messages[at].calls)
        told[at] = QUOTED if whole else QUOTED_IN_PART
    for item in plan.draft.view.items:
        if item.main is not None and not plan.draft.may_cover(item):
            told[item.span.start] = KEPT
    state = composer.state_text()
    visible = "\n".join((state, *composer.visible_words()))
    sections = make_sections(summary_sections(plan, {}, visible, 0))
    lines = "\n\n".join(part for part in (render_sections(sections), state) if part)
    given = plan.draft.given
    if given:
        # The writer must know them as the reader does.
        listed = "\n".join(f"- {constraint.text}" for constraint in given)
        lines = f"{GIVEN_HEADING}\n{listed}\n\n{lines}"
    return KeptWords(told, lines)


def summary_sections(plan: SummaryPlan, written: Sections, visible: str, prose: int) -> Sections:
    """Return the lines beside the story: constraints, loops, memories, added kinds, a writer's."""
    composer = plan.composer
    assert composer is not None
    hidden = set(plan.hidden_positions)
    carried = within_share(plan.previous.carried, plan.draft)
    # Pinned words are always told, together; what else is visible need not be told again.
    always = constraint_lines(composer.past.ledger, carried, plan.draft)
    seen = SearchableText((user_message(visible),))
    covered = hidden | composer.past.choice.cut.keys()
    unseen = unseen_sections(composer.past.ledger, covered, seen, carried)
    made: Sections = {
        "CONSTRAINTS": always,
        "OPEN": unseen["OPEN"][-LINES_MOST["OPEN"] :],
        "FACTS": unseen["FACTS"],
    }
    if not composer.past.in_place:
        room = plan.room * DECISIONS_SHARE
        decided = decision_lines(composer.past.ledger, hidden, room, composer.past.count)
        made["DECISIONS"] = [line for line in decided if not seen.contains(line.text)]
    for name in ADDED_SECTIONS:
        lines = [line for line in unseen[name] if not seen.contains(line.text)]
        made[name] = lines[: LINES_MOST.get(name)]
    # Only what the newest turns say: what a story quotes may be gone from the next one.
    shown = SearchableText(composer.past.messages[composer.past.stop :])
    new = {
        name: [line for line in lines if not shown.contains(line.text)]
        for name, lines in written.items()
    }
    for name, lines in fit_written(new, prose, composer.past.count).items():
        made[name] = [*lines, *made.get(name, [])]
    for name, lines in carried.items():
        kept = made.setdefault(name, [])
        kept += [line for line in lines if line not in kept]
    return {name: lines for name, lines in made.items() if lines}


def fit_written(written: Sections, room: float, count: Callable[[str], int]) -> Sections:
    """Return a writer's lines that fit their room, in turn from each section."""
    taken: Sections = {}
    left = room * OVERSHOOT
    for name, line in lines_in_turn(written):
        cost = count(line.text) + WRITTEN_LINE_TOKENS
        if cost <= left:
            taken.setdefault(name, []).append(line)
            left -= cost
    return taken


CALLS_MOST = 8
"""Tools that a summary counts calls of, the most called."""
REQUEST_MOST = 400
"""Characters of a request that a summary quotes."""
_NOT_A_NAME = re.compile(r"[^\w.:/-]+")


def cover_of(view: View, items: Sequence[Item], *, quotes: bool = True) -> Summary:
    """Return the summary of these items; without `quotes` no reader of facts is needed."""
    span = run_span(items)
    tokens = 0
    roles: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    hidden: set[Span] = set()
    language = ""
    for item in items:
        # What a summary counted need not be counted again: a commit costs what is newly covered.
        if summary := _standing_summary(item):
            tokens += summary.tokens
            roles.update(dict(summary.roles))
            calls.update(dict(summary.calls))
            hidden.update(summary.hides)
            language = language or summary.language
            continue
        for position in range(item.span.start, item.span.stop):
            message = view.messages[position]
            tokens += view.meter.overheads.message + sum(view.weights[position])
            roles["tool" if message.only_results else message.role] += 1
            calls.update(_NOT_A_NAME.sub("_", call.name)[:64] or "_" for call in message.calls)
    # By all messages, not only these: one summary in another language would read oddly.
    if quotes:
        language = wording_of(view.messages.fold(fold_languages))
    return Summary(
        span,
        tokens,
        tuple(roles.items()),
        tuple(calls.most_common(CALLS_MOST)),
        next(_requests(view, items, quotes), None),
        next(_requests(view, items, quotes, newest_first=True), None),
        tuple(sorted(other for other in hidden if not other.is_within(span))),
        language=language,
    )


def _standing_summary(item: Item) -> Summary | None:
    """Return the summary that stands for all messages of an item."""
    # A summary that came back in a list may also stand for messages that are not in this log.
    if item.summary is not None and len(item.summary.span) == len(item.span):
        return item.summary
    return None


def _requests(
    view: View, items: Sequence[Item], quotes: bool, *, newest_first: bool = False
) -> Iterator[QuotedRequest]:
    """Yield what people asked for; only the first and the last are told, so few are read."""
    step = 1
    if newest_first:
        step = -1
    for item in items[::step]:
        quoted: Iterable[QuotedRequest | None] = ()
        if summary := _standing_summary(item):
            quoted = (summary.first, summary.last)[::step]
        elif quotes:
            positions = range(item.span.start, item.span.stop)[::step]
            quoted = (_quote_request(view.messages[at], at) for at in positions)
        yield from filter(None, quoted)


def _quote_request(message: Message, position: int) -> QuotedRequest | None:
    # Only what a person wrote: under a name of theirs, a pasted page would speak for them.
    words = " ".join(typed_text(message, LEFT_OUT)[: REQUEST_MOST * 4].split())
    if not words:
        return None
    return position, clip(words, REQUEST_MOST)
