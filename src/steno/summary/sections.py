"""Sections of a summary that are computed from facts, line by line, each with its source.

Rules and open loops come first and word for word; then what the session is about, what was done,
decided, doubted, what failed and what was touched. No line here passes through a model, so
nothing wears off however often a session is compacted. A line in a tool's words says so. How
many lines fit is the business of `fit`, how they look that of `render`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from steno.core.message import Message, Text, user_message
from steno.core.summary import UNNAMED, Section, Sections, SummaryLine
from steno.core.tape import Tape
from steno.facts.artifacts import Artifact
from steno.facts.errors import Failure
from steno.facts.fact import FactAt, position_of
from steno.facts.kinds import KINDS
from steno.facts.ledger import Entry, Ledger
from steno.facts.memory_offer import offer_lines
from steno.facts.rules import Rules, read_rules
from steno.facts.text import SearchableText, flatten

_BY_SECTION = {kind.section: kind for kind in KINDS}
_ORDER = (
    "CONSTRAINTS",
    "OPEN",
    "NARRATIVE",
    "GOAL",
    "PROGRESS",
    "DECISIONS",
    "FACTS",
    "DOUBTS",
    "ERRORS",
    "ARTIFACTS",
    "NEXT",
)
SECTIONS = tuple(dict.fromkeys((*_ORDER, *_BY_SECTION)))
"""Names of the sections in the order a summary shows them; new kinds of facts come last."""
ADDED_SECTIONS = tuple(name for name in _BY_SECTION if name not in _ORDER)
"""Sections of kinds of facts that are not Steno's own."""
PINNED_SECTIONS = tuple(name for name, kind in _BY_SECTION.items() if kind.stands)
"""Sections kept word for word, and never left out for lack of room."""
LINES_MOST = {"GOAL": 2, "PROGRESS": 8, "NEXT": 4} | {
    name: kind.lines_most for name, kind in _BY_SECTION.items() if kind.lines_most is not None
}
"""Computed lines of a section, at most."""
WORDS_MOST = 300
"""Characters of a line that is not kept word for word."""
LOOPS_MOST = 200
"""Open loops to look at, the newest; a session with more has no use for its oldest."""
TOOL_PREFIX = "tool text: "
"""Stands before the words of a tool, which are data and no instruction."""
REMEMBERED_PREFIX = "from memory: "
"""Stands before a memory of earlier sessions."""
REMEMBERED_MOST = 12
"""Memories of earlier sessions, at most."""
LIFTED_PREFIX = "lifted: "
"""Stands before words that lift a rule which is still visible."""
ENDED_PREFIX = "no longer: "
"""Stands before a rule that ended itself, shown because it replaced one that is still visible."""
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s")
_CODE = ("$ ", "? ", "@ ")


def make_sections(
    lines: Sections, more: Mapping[str, SummaryLine] | None = None
) -> tuple[Section, ...]:
    """Return sections in their order, without the empty ones; `more` counts what was left out."""
    counts = more or {}
    made: list[Section] = []
    for name in (UNNAMED, *SECTIONS):
        if lines.get(name) or name in counts:
            made.append(Section(name, _with_sorted_cites(lines.get(name, ())), counts.get(name)))
    return tuple(made)


def _with_sorted_cites(lines: Iterable[SummaryLine]) -> tuple[SummaryLine, ...]:
    # A writer cites in any order, and the same place twice; its lines must not depend on that.
    made: list[SummaryLine] = []
    for line in lines:
        if len(line.cites) > 1:
            line = msgspec.structs.replace(line, cites=tuple(sorted(set(line.cites))))
        made.append(line)
    return tuple(made)


def compute_sections(
    ledger: Ledger, covered: Collection[int], shown: SearchableText, carried: Sections
) -> Sections:
    """Return every line that the facts give for what is covered, before any is left out."""
    loops = loops_to_report(ledger)
    memories = _newest_first(ledger.entries.fold(_fold_memories), covered)
    made = {
        "CONSTRAINTS": [fact_line(rule) for rule in ledger.rules if not _is_in(rule, shown)],
        "OPEN": [fact_line(loop) for loop in loops if not _is_in(loop, shown)],
        "GOAL": list(_goal_lines(ledger, covered)),
        "PROGRESS": _newest_first(ledger.entries.fold(_fold_reports), covered),
        "FACTS": memories[::-1][:REMEMBERED_MOST],
        "ERRORS": list(_error_lines(ledger, covered)),
        "ARTIFACTS": list(_artifact_lines(ledger.artifacts, covered)),
        "NEXT": list(_next_lines(ledger, covered)),
    }
    for name, kind in _BY_SECTION.items():
        if name not in made:
            made[name] = _fact_lines(ledger.stated(kind.name), covered)
    kept = carried | {"CONSTRAINTS": rules_in_force(carried.get("CONSTRAINTS", []), ledger)}
    return {name: _merge_lines(kept.get(name, []), made.get(name, [])) for name in SECTIONS}


def _is_in(stated: FactAt, shown: SearchableText) -> bool:
    return shown.contains(stated[1].words)


def rules_in_force(lines: list[SummaryLine], ledger: Ledger) -> list[SummaryLine]:
    """Return the rules of an earlier summary that nothing has changed or lifted since."""
    old: dict[SummaryLine, FactAt] = {}
    for line in lines:
        rule = next(read_rules(user_message(line.text)), None)
        if rule is not None and rule.kind == "constraint":
            old[line] = (line.cites[0], rule)
    if not old:
        return lines
    live = Rules().plus(sorted([*old.values(), *ledger.rulings], key=position_of)).live
    return [line for line in dict.fromkeys(lines) if line not in old or old[line] in live]


def change_line(by: FactAt) -> SummaryLine:
    """Return the line for what lifted or replaced a rule and is not in force itself."""
    at, fact = by
    prefix = LIFTED_PREFIX if fact.kind == "release" else ENDED_PREFIX
    return SummaryLine(prefix + flatten(fact.words), (at,))


def _merge_lines(old: list[SummaryLine], new: list[SummaryLine]) -> list[SummaryLine]:
    """Return each line once, the new ones first."""
    return list({line.text: line for line in reversed((*new, *old))}.values())[::-1]


def _shorten(words: str, most: int = WORDS_MOST) -> str:
    flat = flatten(words)
    if len(flat) <= most:
        return flat
    return flat[: most - 1] + "…"


def fact_line(stated: FactAt) -> SummaryLine:
    """Return a rule or an open loop as a line, word for word."""
    at, fact = stated
    words = flatten(fact.words)
    if fact.kind != "constraint" and fact.note != "ask":
        words = f"{fact.note}: {words}"
    return SummaryLine(words, (at,))


def loops_to_report(ledger: Ledger) -> list[FactAt]:
    """Return the open loops that a summary may have to name: no plans, no unanswered calls."""
    newest = ledger.open_loops[-LOOPS_MOST:]
    return [loop for loop in newest if not loop[1].note.startswith(("next", "call"))]


def newest_loop(ledger: Ledger) -> int | None:
    """Return the position of the newest open loop: the active sub-task begins there."""
    return max((at for at, _ in loops_to_report(ledger)), default=None)


def _next_lines(ledger: Ledger, covered: Collection[int]) -> Iterator[SummaryLine]:
    for at, fact in ledger.open_loops:
        if at in covered and fact.note == "next":
            yield SummaryLine(_shorten(fact.words), (at,))


def _fold_requests(requests: Tape[int] | None, entries: Sequence[Entry], at: int) -> Tape[int]:
    """Fold the positions at which a user asked for something."""
    return (requests or Tape()).plus(
        n for n, (message, _) in enumerate(entries, start=at) if _is_request(message)
    )


def _is_request(message: Message) -> bool:
    typed = message.role == "user" and message.by == "caller" and not message.only_results
    return typed and bool(message.text.strip())


def _goal_lines(ledger: Ledger, covered: Collection[int]) -> Iterator[SummaryLine]:
    """Yield the first and the newest request of the session, if they are covered."""
    requests = ledger.entries.fold(_fold_requests)
    for at in requests[:1] + requests[1:][-1:]:
        if at in covered:
            yield SummaryLine(_first_sentence(ledger.entries[at][0].text), (at,))


def _fold_reports(
    reports: Tape[SummaryLine] | None, entries: Sequence[Entry], at: int
) -> Tape[SummaryLine]:
    """Fold what the assistant said when it stopped calling tools."""
    new: list[SummaryLine] = []
    for n, (message, _) in enumerate(entries, start=at):
        report = _report(message)
        if report is not None:
            new.append(SummaryLine(report, (n,)))
    return (reports or Tape()).plus(new)


def _report(message: Message) -> str | None:
    if message.role != "assistant" or any(True for _ in message.calls):
        return None
    for block in reversed(message.blocks):
        if isinstance(block, Text) and block.text.strip():
            return _first_sentence(block.text)
    return None


def _first_sentence(text: str) -> str:
    return _shorten(_SENTENCE.split(flatten(text[: WORDS_MOST * 4]), maxsplit=1)[0])


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


def _newest_first(lines: Tape[SummaryLine], covered: Collection[int]) -> list[SummaryLine]:
    """Return the lines about a covered position, newest first."""
    return [line for line in reversed(lines) if line.cites[0] in covered]


def _error_lines(ledger: Ledger, covered: Collection[int]) -> Iterator[SummaryLine]:
    """Yield the errors that still stand, then those overcome, each newest first."""
    met = [failure for failure in ledger.errors if failure.position in covered]
    return map(_error_line, sorted(met, key=_standing_then_newest))


def _standing_then_newest(failure: Failure) -> tuple[bool, int]:
    return failure.overcome is not None, -failure.position


def _error_line(failure: Failure) -> SummaryLine:
    text = TOOL_PREFIX + _shorten(failure.fact.words, 160)
    if failure.call and failure.call.words:
        text = f"{_shorten(failure.call.words, 80)}: {text}"
    if failure.overcome is not None:
        text += " (overcome)"
    return SummaryLine(text, (failure.position,))


def _artifact_lines(touched: Iterable[Artifact], covered: Collection[int]) -> Iterator[SummaryLine]:
    for thing in sorted(touched, key=_last_touch, reverse=True):
        line = _artifact_line(thing, covered)
        if line is not None:
            yield line


def _artifact_line(thing: Artifact, covered: Collection[int]) -> SummaryLine | None:
    """Return the line for a file or an address by its newest covered touch, or None."""
    places = [at for _, at in thing.actions if at in covered]
    # A command is nothing to come back to.
    if not places or thing.key.startswith(_CODE):
        return None
    actions = ", ".join(dict.fromkeys(action for action, _ in reversed(thing.actions)))
    return SummaryLine(f"{actions} {flatten(thing.words)}", (places[-1],))


def _last_touch(thing: Artifact) -> int:
    return thing.actions[-1][1]


def lines_in_turn(sections: Sections, order: Collection[str]) -> Iterator[tuple[str, SummaryLine]]:
    """Yield the first line of every section, then the second of every section, and so on."""
    longest = max(map(len, sections.values()), default=0)
    for row in range(longest):
        for name in order:
            lines = sections.get(name, [])
            if row < len(lines):
                yield name, lines[row]
