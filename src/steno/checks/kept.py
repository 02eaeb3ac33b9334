"""Whether what a view must still say is said, on the words that will be sent.

Rules in force and open loops are kept word for word: what no rung has kept is
put back, in the newest place that stands for what is covered. Where a rule that
was lifted or replaced is still seen, so is what changed it. Every other fact of
what is newly covered is retained, recallable or lost, and the commit says how
many. The facts of the view are looked for once, as text.

Whether what is covered is still named, and what is put back where it is not.

A name that the newest turns mention and that what is covered states is seen: the
tail is never covered, so it is seen there by definition, unless a result of the
tail is shown in short. Of what is covered, errors that were not overcome, decisions
and things touched are either seen in their own words or named by a line that cites
where they stand. And whatever is hidden is pointed to by something that is shown.

What fails is put back into the newest place that stands for what is covered: a
pointer always, the rest in that order while there is room under the goal and
within the policy's share. What can only be opened then is counted in the
commit's report; a pointer or a name that found no room is a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from steno.core.cover_text import CoverText
from steno.core.draft import Draft
from steno.core.item import Item
from steno.core.log import Edit, FactCounts, FactReport, Finding, Proposal
from steno.core.message import Span, user_message
from steno.core.repair import encodable_text
from steno.core.view import View
from steno.facts import rules as constraint
from steno.facts.fact import FactAt
from steno.facts.ledger import Ledger
from steno.facts.rules import Rules
from steno.facts.text import SearchableText, flatten, in_own_words
from steno.summary.sections import (
    ENDED_PREFIX,
    LIFTED_PREFIX,
    LINES_MOST,
    PINNED_SECTIONS,
    Sections,
    SummaryLine,
    change_line,
    fact_line,
    lines_due,
    loops_to_report,
    parse_sections,
    render_sections,
    rules_in_force,
)
from steno.summary.verify import sections_of_item
from steno.summary.worth import names_in

STANDING_KINDS = ("constraint", "open")
COUNTED_KINDS = ("constraint", "open", "decision", "error", "artifact", "marker")


def restore_rules_and_loops(before: Draft, draft: Draft, ledger: Ledger) -> Proposal | None:
    """What puts back the rules in force and the open loops that the view no longer says; None if it says them all."""
    place = newest_cover(draft.view)
    if place is None:
        return None
    words = SearchableText(in_own_words(draft.view.visible_messages))
    said, came = _stated_lines(draft.view), _stated_lines(before.view, absent=True)
    known = {line.text for lines in said.values() for line in lines}
    loops = loops_to_report(ledger)
    rules = Rules().plus(
        sorted({*_imported_rules(before.view), *ledger.rulings}, key=_stated_position)
    )
    live = [*rules.live, *ledger.rules]
    missing = {
        "CONSTRAINTS": _missing_lines(ledger.rules, words, known)
        + _unseen_lines(rules_in_force(_unverified_lines(came["CONSTRAINTS"]), ledger), known)
        + list(
            _rule_changes(
                rules.changed, live, SearchableText(draft.view.visible_messages), words, known
            )
        ),
        "OPEN": _missing_lines(loops, words, known)
        + _unseen_lines(_unverified_lines(came["OPEN"]), known),
    }
    if not any(missing.values()):
        return None
    trace = CoverText.parse(place.shows[0].text) or CoverText.of(draft.view, [place])
    sections = sections_of_item(draft.view, place, trace.more)
    added = {
        name: _cap_lines(name, sections.get(name, []), missing[name]) for name in PINNED_SECTIONS
    }
    if added == {name: sections.get(name, []) for name in PINNED_SECTIONS}:
        return None
    by = next((edit.by for edit in draft.edits if edit.span == place.span), "pinned")
    return Proposal((edit_with_sections(trace, place, sections | added, by),), by)


def newest_cover(view: View) -> Item | None:
    """The newest place that stands for what is covered, in our words."""
    return next((item for item in reversed(view.items) if _is_cover(item)), None)


def _stated_lines(view: View, *, absent: bool = False) -> Sections:
    """The rules and loops that our own words state; `absent` asks only for those whose source is not in the log."""
    found: Sections = {name: [] for name in PINNED_SECTIONS}
    for item in view.items:
        if not _is_cover(item) or (absent and view.messages[item.span.start].role != "absent"):
            continue
        trace = CoverText.parse(item.shows[0].text)
        sections = sections_of_item(view, item, trace.more) if trace else {}
        for name in PINNED_SECTIONS:
            found[name] += sections.get(name, [])
    return found


def _imported_rules(view: View) -> Iterator[FactAt]:
    """The rules that words of ours state of messages which are not in the log: they may be changed in it."""
    for item in view.items:
        if not _is_cover(item) or view.messages[item.span.start].role != "absent":
            continue
        trace = CoverText.parse(item.shows[0].text)
        sections = parse_sections(trace.more) if trace else {}
        told = [
            (line.cites[0], line.text)
            for name in ("CONSTRAINTS", "GOAL")
            for line in sections.get(name, [])
        ]
        told += [asked for asked in (trace.first, trace.last) if asked] if trace else []
        for at, text in told:
            if not text.startswith((LIFTED_PREFIX, ENDED_PREFIX)):
                yield from (
                    (at, fact)
                    for fact in constraint.read_rules(user_message(text))
                    if fact.kind == "constraint"
                )


def _rule_changes(
    changed: Iterable[tuple[FactAt, FactAt]],
    live: list[FactAt],
    seen: SearchableText,
    words: SearchableText,
    known: set[str],
) -> Iterator[SummaryLine]:
    """What changed each rule that is no longer in force and still seen, where nothing says so."""
    said: set[str] = set()
    for (_, rule), by in changed:
        if by in live or not (rule.words in said or seen.contains(rule.words)):
            continue
        line = change_line(by)
        if not (words.contains(by[1].words) or line.text in known or by[1].words in said):
            said.add(by[1].words)
            yield line


def _unverified_lines(lines: list[SummaryLine]) -> list[SummaryLine]:
    """Those that rest on nothing here: of all others the ledger knows what stands."""
    return [line for line in lines if line.hearsay]


def _unseen_lines(lines: list[SummaryLine], known: set[str]) -> list[SummaryLine]:
    return [line for line in lines if line.text not in known]


def _cap_lines(name: str, said: list[SummaryLine], missing: list[SummaryLine]) -> list[SummaryLine]:
    """Both together, the newest beyond a cap; the others are named by their positions alone."""
    most = LINES_MOST.get(name, len(said) + len(missing))
    lines = [*said, *missing]
    if len(lines) <= most or not missing:
        return lines
    lines.sort(key=_newest_cite)
    more = [at for line in lines[:-most] for at in line.cites]
    return [
        *lines[-most:],
        SummaryLine(f"{len(more)} more", tuple(range(min(more), max(more) + 1))),
    ]


def _stated_position(stated: FactAt) -> int:
    return stated[0]


def _newest_cite(line: SummaryLine) -> int:
    return max(line.cites, default=-1)


def _is_cover(item: Item) -> bool:
    """It stands for messages that are not shown, in our words."""
    return (
        item.main is None
        and item.level > 0
        and len(item.shows) == 1
        and CoverText.parse(item.shows[0].text) is not None
    )


def _missing_lines(
    stated: Iterable[FactAt], words: SearchableText, known: set[str]
) -> list[SummaryLine]:
    lines = (fact_line(each) for each in stated if not words.contains(each[1].words))
    return [line for line in lines if line.text not in known]


def edit_with_sections(trace: CoverText, place: Item, sections: Sections, by: str) -> Edit:
    """What stands for some messages, with other sections."""
    told = replace(trace, span=place.span, more=render_sections(sections))
    return Edit(
        place.span, (user_message(encodable_text(str(told)), by="steno"),), by, level=place.level
    )


def report_facts(before: View, after: View, ledger: Ledger) -> FactReport | None:
    """What became of the facts of every message that is shown otherwise than before."""
    was = {item.span.start: item for item in before.items}
    changed = [item for item in after.items if was.get(item.span.start) is not item]
    if not changed:
        return None
    words, pointed = SearchableText(after.visible_messages), findable_positions(after)
    counts: dict[str, list[int]] = {}
    for position, fact in _facts_of(changed, ledger):
        state = 0 if words.contains(fact.words) else 1 if position in pointed else 2
        counts.setdefault(fact.kind, [0, 0, 0])[state] += 1
    return FactReport(
        tuple(FactCounts(kind, *counts[kind]) for kind in COUNTED_KINDS if kind in counts)
    )


def _facts_of(items: Iterable[Item], ledger: Ledger) -> Iterator[FactAt]:
    """What these items state; of rules and loops those that stand."""
    standing = [*ledger.rules, *loops_to_report(ledger)]
    inside = {at for item in items for at in range(item.span.start, item.span.stop)}
    yield from (each for each in standing if each[0] in inside)
    for position in sorted(inside):
        for fact in ledger.at(position):
            if fact.kind in COUNTED_KINDS and fact.kind not in STANDING_KINDS and fact.words:
                yield position, fact


def excess_open_loops(ledger: Ledger) -> tuple[Finding, ...]:
    """Open loops that are too many to be told, if so."""
    open_loops = len(loops_to_report(ledger))
    if open_loops <= LINES_MOST["OPEN"]:
        return ()
    what = f"of {open_loops} open loops {open_loops - LINES_MOST['OPEN']} are only named by their positions"
    return (Finding("open_loops_are_told", what, "pinned"),)


def findable_positions(view: View) -> set[int]:
    """The positions that something shown says how to open."""
    found: set[int] = set()
    for item in view.items:
        if item.main is not None:
            found.add(item.span.start)  # it is there, whole or with a note of its own
            continue
        trace = CoverText.parse(item.shows[0].text) if item.shows else None
        if trace is not None:
            for span in (item.span, *trace.hides):
                found.update(range(span.start, span.stop))
    return found


NAMED_LINES_MOST = 200
HEADING_TOKENS = 3
"""Tokens of a section's name."""
NAMES_A_LINE = 8


def restore_names(before: Draft, draft: Draft, ledger: Ledger, most: int) -> Proposal | None:
    """What names again what nothing shown names, within `most` tokens and the goal; None if nothing is to do."""
    place = newest_cover(draft.view)
    if place is None:
        return None
    trace = CoverText.parse(place.shows[0].text) or CoverText.of(draft.view, [place])
    hides = (*trace.hides, *unreachable_spans(draft.view))
    sections = sections_of_item(draft.view, place, trace.more)
    added = _lines_that_fit(
        draft, _lines_to_add(draft, ledger), sections, min(most, _room_for_names(before, draft))
    )
    if len(hides) == len(trace.hides) and not added:
        return None
    whole = {name: [*sections.get(name, []), *added.get(name, [])] for name in (*sections, *added)}
    by = next((edit.by for edit in draft.edits if edit.span == place.span), "repairs")
    return Proposal((edit_with_sections(replace(trace, hides=hides), place, whole, by),), by)


def _room_for_names(before: Draft, draft: Draft) -> int:
    """Raw tokens that the goal leaves, at most half of what was saved."""
    left = int(draft.goal / draft.view.meter.ratio) - draft.fixed - draft.view.raw
    return min(left, (before.view.raw - draft.view.raw) // 2)


def _lines_that_fit(
    draft: Draft, lines: Iterator[tuple[str, SummaryLine]], said: Sections, room: int
) -> Sections:
    """As many of the lines, in their order, as there is room for."""
    added: Sections = {}
    if room <= 0:
        return added
    for taken, (name, line) in enumerate(lines):
        new = name not in said and name not in added
        room -= draft.view.meter.count(str(line)) + 1 + (HEADING_TOKENS if new else 0)
        if room < 0 or taken == NAMED_LINES_MOST:
            break
        added.setdefault(name, []).append(line)
    return added


def _lines_to_add(draft: Draft, ledger: Ledger) -> Iterator[tuple[str, SummaryLine]]:
    """The lines that would name what nothing shown names, the dearest first."""
    words = SearchableText(draft.view.visible_messages)
    cited = _cited_positions(draft.view)
    yield from (("FACTS", line) for line in _unseen_names(draft, words))
    for section, line, said in lines_due(ledger, _covered_positions(draft.view)):
        if not words.contains(said) and not cited.get(section, set()) & set(line.cites):
            yield section, line


def find_unseen_names(draft: Draft) -> tuple[Finding, ...]:
    """Names that the newest turns mention, what is covered states, and nothing shows, if any."""
    lines = list(_unseen_names(draft, SearchableText(draft.view.visible_messages)))
    if not lines:
        return ()
    at = sorted({position for line in lines for position in line.cites})
    what = f"names that the newest turns mention can only be opened: {at[0]} and {len(at) - 1} more places"
    return (Finding("names_in_use_are_seen", what, "repairs"),)


def find_unreachable(draft: Draft) -> tuple[Finding, ...]:
    """What is hidden and nothing shown points to, if anything."""
    spans = unreachable_spans(draft.view)
    if not spans:
        return ()
    what = f"nothing shown says how to open {spans[0]} and {len(spans) - 1} more spans"
    return (Finding("what_is_hidden_is_pointed_to", what, "repairs"),)


def _unseen_names(draft: Draft, words: SearchableText) -> Iterator[SummaryLine]:
    short = [item for item in draft.view.items if item.span.start >= draft.tail and item.is_edited]
    if not short:
        return
    covered = _covered_positions(draft.view)
    stated = {name for at in covered for name, _ in names_in(draft.view.messages[at])}
    for item in short:
        at = item.span.start
        names = [
            name
            for name, _ in names_in(draft.view.messages[at])
            if name in stated and not words.contains(name)
        ]
        stated.difference_update(names)
        for start in range(0, len(names), NAMES_A_LINE):
            yield SummaryLine(", ".join(map(flatten, names[start : start + NAMES_A_LINE])), (at,))


def _cited_positions(view: View) -> dict[str, set[int]]:
    """Which positions the lines of each section cite, in everything shown."""
    found: dict[str, set[int]] = {}
    for item in view.items:
        trace = (
            CoverText.parse(item.shows[0].text)
            if item.main is None and len(item.shows) == 1
            else None
        )
        for name, lines in (parse_sections(trace.more) if trace else {}).items():
            found.setdefault(name, set()).update(at for line in lines for at in line.cites)
    return found


def _covered_positions(view: View) -> set[int]:
    return {
        at
        for item in view.items
        if item.main is None and item.level
        for at in range(item.span.start, item.span.stop)
    }


def unreachable_spans(view: View) -> list[Span]:
    """What is hidden and nothing shown says how to open."""
    pointed = findable_positions(view)
    hidden = (item.span for item in view.items if item.main is None and item.level)
    return [span for span in hidden if not pointed.issuperset(range(span.start, span.stop))]
