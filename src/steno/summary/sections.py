"""Sections of a summary that are computed from facts, line by line, each with its source.

Constraints and open loops come first and word for word; then memories of earlier sessions and facts
of added kinds. No line here passes through a model, so nothing wears off however often a session
is compacted. How many lines fit is the business of `plan`, how they look that of `render`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import zip_longest

import msgspec

from steno.core.escape import one_line
from steno.core.summary import UNNAMED, Section, Sections, SummaryLine
from steno.core.tape import Tape, stored_as
from steno.core.word_tables import word_tuple
from steno.facts.authorship import typed_text
from steno.facts.decisions import CAUSE
from steno.facts.fact import FactAt
from steno.facts.kinds import KINDS
from steno.facts.ledger import Entry, Ledger
from steno.facts.memory_offer import offer_lines
from steno.facts.people import agent_words
from steno.facts.text import SearchableText
from steno.summary.words import clip, first_sentences

_BY_SECTION = {kind.section: kind for kind in KINDS}
_ORDER = word_tuple(
    "CONSTRAINTS OPEN GOAL PROGRESS DECISIONS TREE FACTS ERRORS DEFECTS UNDONE DOUBTS "
    "ARTIFACTS NEXT"
)
SECTIONS = tuple(dict.fromkeys((*_ORDER, *_BY_SECTION)))
"""Names of the sections in the order a summary shows them; new kinds of facts come last."""
ADDED_SECTIONS = tuple(name for name in _BY_SECTION if name not in _ORDER)
"""Sections of kinds of facts that are not Steno's own."""
PINNED_SECTIONS = tuple(name for name, kind in _BY_SECTION.items() if kind.stands)
"""Sections kept word for word, and never left out for lack of room."""
LINES_MOST = {
    name: kind.lines_most for name, kind in _BY_SECTION.items() if kind.lines_most is not None
}
"""Computed lines of a section, at most."""
WORDS_MOST = 300
"""Characters of a line that is not kept word for word."""
LINE_TOKENS = 6
"""Tokens of a line's mark and citation."""
LOOPS_MOST = 200
"""Open loops to look at, the newest; a session with more has no use for its oldest."""
COMMENT_MOST, COMMENT_WITHIN = 160, 8
"""Characters of what an agent said of a failing test, and messages in which that is looked for."""
REMEMBERED_PREFIX = "from memory: "
"""Stands before a memory of earlier sessions."""
REMEMBERED_MOST = 12
"""Memories of earlier sessions, at most."""
CAUSES_MOST = 3
"""Causes among the lines about decisions, at most."""
SYSTEM_PREFIX = "a system message: "
"""Stands before pinned words that are not the user's."""
OPTION_PREFIX = "the option: "
"""Stands before what a person chose by its number."""


def make_sections(
    lines: Sections, more: Mapping[str, SummaryLine] | None = None
) -> tuple[Section, ...]:
    """Return sections in their order, without the empty ones; `more` counts what was left out."""
    counts = more or {}
    made: list[Section] = []
    for name in (UNNAMED, *SECTIONS):
        if lines.get(name) or name in counts:
            # A writer cites in any order, and the same place twice; a line must not depend on that.
            cited = ((line, tuple(sorted(set(line.cites)))) for line in lines.get(name, ()))
            told = (msgspec.structs.replace(line, cites=cites) for line, cites in cited)
            made.append(Section(name, tuple(told), counts.get(name)))
    return tuple(made)


def unseen_sections(
    ledger: Ledger, covered: Collection[int], shown: SearchableText, carried: Sections
) -> Sections:
    """Return what the facts give beside constraints: loops, memories, added kinds."""
    loops = [
        fact_line(loop) for loop in loops_to_report(ledger) if not shown.contains(loop[1].words)
    ]
    memories = [line for line in ledger.fold(_fold_memories) if line.cites[0] in covered]
    made = {"OPEN": loops, "FACTS": memories[:REMEMBERED_MOST]}
    for name in ADDED_SECTIONS:
        made[name] = _fact_lines(ledger.stated(_BY_SECTION[name].name), covered)
    return {name: _merge_lines(carried.get(name, []), lines) for name, lines in made.items()}


def decision_lines(
    ledger: Ledger, covered: Collection[int], room: float, count: Callable[[str], int]
) -> list[SummaryLine]:
    """Return the decisions that covered messages state, newest first, as many as fit the room."""
    taken: list[SummaryLine] = []
    for line in _decided_lines(ledger, covered)[: LINES_MOST["DECISIONS"]]:
        room -= count(line.text) + LINE_TOKENS
        if room < 0:
            break
        taken.append(line)
    return taken


def _decided_lines(ledger: Ledger, covered: Collection[int]) -> list[SummaryLine]:
    """Return a line for each decision, newest first; one by number says which option it means."""
    causes = [at for at, fact in ledger.decisions if fact.key == CAUSE]
    # Causes are found all the time; old ones must not take the room of what was decided.
    since = min(causes[-CAUSES_MOST:], default=0)
    decided = [(at, fact) for at, fact in ledger.decisions if fact.key != CAUSE or at >= since]
    lines = _fact_lines(decided, covered)
    known = {line.cites[0] for line in lines}
    for at in ledger.chosen:
        if at in covered and at not in known:
            # "2" alone decides nothing that a reader of facts could see.
            lines.append(SummaryLine(_shorten(typed_text(ledger.messages[at])), (at,)))
    told: list[SummaryLine] = []
    for line in sorted(lines, key=lambda line: line.cites, reverse=True):
        option = ledger.chosen.get(line.cites[0])
        if option is not None:
            line = SummaryLine(f"{line.text} ({OPTION_PREFIX}{_shorten(option)})", line.cites)
        told.append(line)
    return told


def _merge_lines(old: list[SummaryLine], new: list[SummaryLine]) -> list[SummaryLine]:
    """Return each line once, the new ones first."""
    return list({line.text: line for line in reversed((*new, *old))}.values())[::-1]


def _shorten(words: str) -> str:
    return clip(one_line(words), WORDS_MOST)


def fact_line(stated: FactAt) -> SummaryLine:
    """Return pinned words or an open loop as a line, word for word."""
    at, fact = stated
    words = one_line(fact.words)
    # Pinned words and a request are told word for word; other loops name their kind.
    if fact.kind != "constraint" and fact.note != "ask":
        words = f"{fact.note}: {words}"
    return SummaryLine(words, (at,))


def loops_to_report(ledger: Ledger) -> list[FactAt]:
    """Return the open loops that a summary may have to name: all but unanswered calls."""
    newest = ledger.open_loops[-LOOPS_MOST:]
    return [_with_comment(ledger, loop) for loop in newest if not loop[1].note.startswith("call")]


def _with_comment(ledger: Ledger, loop: FactAt) -> FactAt:
    """Return a failing test with what the agent said next, which may know why it fails."""
    at, fact = loop
    if fact.note != "failing":
        return loop
    for message in ledger.messages[at + 1 : at + 1 + COMMENT_WITHIN]:
        said = agent_words(message) if message.role == "assistant" else ""
        if said:
            comment = one_line(first_sentences(said, COMMENT_MOST))
            return at, msgspec.structs.replace(fact, note=f'failing, then the agent: "{comment}"')
    return loop


def newest_loop(ledger: Ledger) -> int | None:
    """Return the position of the newest open loop: the active sub-task begins there."""
    loops = loops_to_report(ledger)
    # What is left for later is not what the agent works on now.
    return max((at for at, fact in loops if fact.note != "later"), default=None)


@stored_as("memories", 1)
def _fold_memories(
    lines: Tape[SummaryLine] | None, entries: Sequence[Entry], at: int
) -> Tape[SummaryLine]:
    """Fold the memories of earlier sessions that Steno offered in this one."""
    new: list[SummaryLine] = []
    for n, (message, _) in enumerate(entries, start=at):
        for line in offer_lines(message):
            new.append(SummaryLine(REMEMBERED_PREFIX + _shorten(line), (n,)))
    return (lines or Tape()).plus(new)


def _fact_lines(stated: Sequence[FactAt], covered: Collection[int]) -> list[SummaryLine]:
    """Return a line for each fact that a covered message states, newest first."""
    return [
        SummaryLine(_shorten(fact.words), (position,))
        for position, fact in reversed(stated)
        if position in covered
    ]


def lines_in_turn(sections: Sections) -> Iterator[tuple[str, SummaryLine]]:
    """Yield the first line of every section, then the second of every section, and so on."""
    for row in zip_longest(*sections.values()):
        for name, line in zip(sections, row, strict=True):
            if line is not None:
                yield name, line
