"""Whether a view still says what it must, checked on the words that will be sent.

Pinned words and open loops stay word for word, pinned words within their share of the window. A
name that the newest turns mention and that the covered part states stays visible, also where a
result of the tail is shown in short. Whatever is hidden is named by something that is shown.

What fails is put back into the newest summary. The commit reports how many facts are retained,
recallable, hidden or lost, how many constraints and open loops both views show; what found no room,
or is shown no longer, is a finding. Facts are recallable only if the model has a tool to read
originals (`Draft.recall_tool`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from steno.core.draft import Draft
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Edit, FactCounts, FactReport, Finding, Proposal, Survival
from steno.core.message import Message, Span, Text
from steno.core.summary import Sections, SummaryLine
from steno.core.view import View
from steno.facts.fact import FactAt
from steno.facts.ledger import TALLIED, Ledger
from steno.facts.standing import FACTS_MOST, UNREAD
from steno.facts.text import SearchableText, in_own_words
from steno.summary.constraints_block import pinned
from steno.summary.plan import cover_of
from steno.summary.read_back import lines_of_list, stated_lines, within_share
from steno.summary.render import summary_edit
from steno.summary.sections import (
    LINES_MOST,
    PINNED_SECTIONS,
    fact_line,
    loops_to_report,
    make_sections,
)
from steno.summary.shorten import FENCE_TOKENS, MIN_RESULT_TOKENS, large_results
from steno.summary.wording import ENGLISH
from steno.summary.worth import focus_words, words_unsaid

CONSTRAINTS_READ = "constraints_are_read"
"""Check of the finding that a message says more than is read for constraints."""
PINNED_FIT = "pinned_words_have_room"
"""Check of the finding that some pinned words do not fit their share of the window."""
LIST_CONSTRAINTS_TOLD = "constraints_of_list_are_told"
"""Check of the finding that constraints of a compacted list left the view."""
CONSTRAINTS_SURVIVE, LOOPS_SURVIVE = "constraints_survive", "open_loops_survive"
"""Checks of the findings that a view shows less than before."""
FOCUS_KEPT = "focus_is_kept"
"""Check of the finding that the view does not say what a caller asked to keep."""
SPREAD_MOST = 1_000_000
"""Positions between the first and the last that a line names together."""
PLACES_MOST = 8
"""Positions that such a finding names."""
COUNTED_KINDS = ("constraint", "open", *TALLIED)


def restore_constraints_and_loops(
    before: Draft, draft: Draft, ledger: Ledger, most: int | None = None
) -> Proposal | None:
    """Return the edit that puts back missing constraints and open loops; None if none is missing.

    `most` is how many lines have room; the most binding are put back, and the others counted.
    """
    place = newest_cover(draft.view) or _cover_of_others(draft.view)
    missing = _missing_sections(before, draft, ledger)
    if not any(missing.values()):
        return None
    if place is None or place.summary is None:
        return _restore_in_messages(draft, [*missing["CONSTRAINTS"], *missing["OPEN"]])
    sections = stated_lines(draft.view, place)
    old = {name: sections.get(name, []) for name in PINNED_SECTIONS}
    new: Sections = {}
    more: dict[str, SummaryLine] = {}
    for name in PINNED_SECTIONS:
        lines = missing[name]
        if most is not None:
            lines = lines[len(lines) - min(most, len(lines)) :]
            most -= len(lines)
        left_out = [line for line in missing[name] if line not in lines]
        new[name], omitted = _cap_lines(name, old[name], lines, left_out)
        if omitted is not None:
            more[name] = omitted
    if new == old and not more:
        return None
    by = _author_of(draft, place, "pinned")
    summary = msgspec.structs.replace(
        place.summary, span=place.span, sections=make_sections(sections | new, more)
    )
    return Proposal((summary_edit(summary, by, place.level),), by)


def _restore_in_messages(draft: Draft, missing: list[SummaryLine]) -> Proposal | None:
    """Return the edits that say constraints and loops behind what is left of their messages.

    The oldest are left out if the window cannot hold all of them beside results in short.
    """
    free = [item for item in draft.view.items if item.span.start not in draft.pins]
    results = large_results(draft, free, MIN_RESULT_TOKENS)
    room = sum(large.tokens - MIN_RESULT_TOKENS for large in results) - draft.over_window
    edits = []
    cited = {line.cites[0] for line in missing if line.cites}
    for position in sorted(cited, reverse=True):
        item = draft.view.at(position)
        said = draft.view.messages[position]
        hidden = item.summary is None and item.main is None and len(item.span) == 1
        if hidden and not (said.calls or said.results):
            # A rung of the caller's own replaced the message: it is shown again.
            edits.append(Edit(item.span, (said,), _author_of(draft, item, "pinned")))
        for at, fence in _cut_texts(draft.view, item):
            here = [line.text for line in missing if position in line.cites[:1]]
            told = [words for words in here if words not in fence.body]
            weights = [draft.view.meter.count(words) + 1 for words in told]
            room -= FENCE_TOKENS
            while told and sum(weights) > room:
                del told[0], weights[0]
            room -= sum(weights)
            if told:
                shown = Text(str(Fence(fence.label, "\n".join((fence.body, *told)))))
                message = Message(said.role, (shown,), by="steno")
                by = _author_of(draft, item, "pinned")
                edits.append(Edit(item.span, (message,), by, block=at))
    if not edits:
        return None
    return Proposal(tuple(edits), "pinned")


def _cut_texts(view: View, item: Item) -> Iterator[tuple[int, Fence]]:
    """Yield the texts of a message that Steno shows in short, by the number of their block."""
    if item.main is None:
        return
    # A person can paste what looks like a fence of ours, so only our own patches are read.
    for at, blocks in item.shows[item.main].patches:
        said = view.messages[item.span.start].blocks[at]
        for block in blocks:
            fence = isinstance(block, Text) and Fence.parse(block.text)
            if fence and isinstance(said, Text):
                yield at, fence


def _missing_sections(before: Draft, draft: Draft, ledger: Ledger) -> Sections:
    """Return the pinned words and open loops that a view no longer says."""
    after = draft.view
    own_words = SearchableText(in_own_words(after.visible_messages))
    # A task list or a request that a summary tells keeps its loop open; only constraints must stand
    # in their author's own words or in their section.
    visible = SearchableText(after.visible_messages)
    told = [line for lines in _pinned_lines(after).values() for line in lines]
    known = {line.text for line in told}
    # What a list says in the same words is not the word of who gave a constraint here.
    vouched = {line.text for line in told if not line.hearsay}
    # Nothing in the log supports what is hearsay: of all other lines the facts decide.
    hearsay = {
        name: [line for line in lines if line.hearsay]
        for name, lines in _pinned_lines(before.view).items()
    }
    imported = {
        name: [line for line in lines if line.text not in known]
        for name, lines in within_share(hearsay, before).items()
    }
    told_apart = [
        (fact.words, line) for (_, fact), line in pinned(ledger, draft) if line.text not in vouched
    ]
    said = own_words.said_among({words for words, _ in told_apart})
    constraints = dict.fromkeys(line for words, line in told_apart if words not in said)
    loops = [
        fact_line(stated)
        for stated in loops_to_report(ledger)
        if not visible.contains(stated[1].words)
    ]
    return {
        "CONSTRAINTS": [*constraints, *imported["CONSTRAINTS"]],
        "OPEN": [*(line for line in loops if line.text not in known), *imported["OPEN"]],
    }


def newest_cover(view: View) -> Item | None:
    """Return the newest item that shows a summary of ours."""
    covers = (item for item in reversed(view.items) if item.summary is not None and item.level)
    return next(covers, None)


def _cover_of_others(view: View) -> Item | None:
    """Return the newest cover that a rung of the caller's own made, as a summary with its text."""
    for item in reversed(view.items):
        if item.main is not None or len(item.span) < 2:
            continue
        text = _whole_text(item)
        if text is None:
            continue
        summary = cover_of(view, [item])
        summary = msgspec.structs.replace(summary, story=text)
        return msgspec.structs.replace(item, summary=summary, level=1)
    return None


def _whole_text(item: Item) -> str | None:
    """Return what an item shows as one text; None if it shows anything else, such as a picture."""
    texts: list[str] = []
    for message in item.shows:
        for block in message.blocks:
            if not isinstance(block, Text):
                return None
            texts.append(block.text)
    return "\n".join(texts)


def _author_of(draft: Draft, place: Item, default: str) -> str:
    """Return the rung whose edit stands there in this draft."""
    return next((edit.by for edit in draft.edits if edit.span == place.span), default)


def _pinned_lines(view: View) -> Sections:
    """Return the constraints and loops that summaries state."""
    found: Sections = {name: [] for name in PINNED_SECTIONS}
    for item in view.items:
        if item.summary is None or not item.level:
            continue
        sections = stated_lines(view, item)
        for name in PINNED_SECTIONS:
            found[name] += sections.get(name, [])
    return found


def _cap_lines(
    name: str,
    old: list[SummaryLine],
    missing: list[SummaryLine],
    left_out: list[SummaryLine],
) -> tuple[list[SummaryLine], SummaryLine | None]:
    """Return both together, the newest within the cap, and a line that counts the others."""
    lines = sorted((*old, *missing), key=newest_cite)
    most = LINES_MOST.get(name, len(lines))
    if len(lines) > most and missing:
        left_out = [*left_out, *lines[:-most]]
        lines = lines[-most:]
    omitted = [at for line in left_out for at in line.cites]
    if not omitted:
        return lines, None
    first = min(omitted)
    # Anyone can forge a summary that cites a place far beyond the log.
    last = min(max(omitted), first + SPREAD_MOST)
    span = tuple(range(first, last + 1))
    return lines, SummaryLine(ENGLISH["more"].format(count=len(omitted)), span)


def newest_cite(line: SummaryLine) -> int:
    return max(line.cites, default=-1)


def report_facts(before: View, after: View, ledger: Ledger, recall: str = "") -> FactReport | None:
    """Count what became of the facts of every message that is shown differently than before.

    `recall` is the name of the tool by which the model can read originals, if it has one.
    """
    was = {item.span.start: item for item in before.items}
    changed = [item for item in after.items if was.get(item.span.start) is not item]
    if not changed:
        return None
    shown = SearchableText(after.visible_messages)
    findable = findable_positions(after)
    inside = {at for item in changed for at in range(item.span.start, item.span.stop)}
    retained, recallable, lost, hidden = range(4)
    found = recallable if recall else hidden
    counts: dict[str, list[int]] = {}
    left, gone = (_facts_at(at, ledger) for at in (inside & findable, inside - findable))
    still_said = shown.contained({words for _, words in (*left, *gone)})
    for facts, state in ((left, found), (gone, lost)):
        for (kind, words), times in facts.items():
            became = retained if words in still_said else state
            counts.setdefault(kind, [0, 0, 0, 0])[became] += times
    kinds = [kind for kind in COUNTED_KINDS if kind in counts]
    return FactReport(tuple(FactCounts(kind, *counts[kind]) for kind in kinds))


def _facts_at(positions: set[int], ledger: Ledger) -> Counter[tuple[str, str]]:
    """Count kinds and words that are stated there; of constraints and loops those that stand."""
    stands = (*ledger.constraints, *loops_to_report(ledger))
    found = Counter((fact.kind, fact.words) for at, fact in stands if at in positions)
    # One count is added to the other: of these kinds nothing stands.
    found.update(ledger.tally(positions))
    return +found


def excess_open_loops(ledger: Ledger) -> tuple[Finding, ...]:
    """Return a finding if there are more open loops than a summary names."""
    count = len(loops_to_report(ledger))
    most = LINES_MOST["OPEN"]
    if count <= most:
        return ()
    what = f"of {count} open loops {count - most} are only named by their positions"
    return (Finding("open_loops_are_told", what, "pinned"),)


def unread_constraints(ledger: Ledger, since: int) -> tuple[Finding, ...]:
    """Return a finding for each message from a position on that says more than is read of it."""
    what = f"says more than is read for constraints: {FACTS_MOST} statements of a message"
    newest = range(since, len(ledger.messages))
    positions = [at for at in newest if any(fact.kind == UNREAD for fact in ledger.at(at))]
    return tuple(Finding(CONSTRAINTS_READ, what, "pinned", str(at)) for at in positions)


def unpinned_words(draft: Draft, ledger: Ledger) -> tuple[Finding, ...]:
    """Return a finding that counts the pinned words which have no room and are not shown."""
    told = {fact.words for (_, fact), _ in pinned(ledger, draft)}
    left_out = {fact.words for _, fact in ledger.constraints} - told
    if not left_out:
        return ()
    hidden = len(left_out - SearchableText(draft.view.visible_messages).said_among(left_out))
    if not hidden:
        return ()
    known = len(ledger.constraints)
    what = f"of {known} sentences to pin the oldest {hidden} have no room and are hidden"
    return (Finding(PINNED_FIT, what, "pinned"),)


def dropped_constraints_of_list(before: Draft) -> tuple[Finding, ...]:
    """Return a finding if constraints of a compacted list alone have no room in its share."""
    told = lines_of_list(before.view, "CONSTRAINTS")
    fitting = within_share({"CONSTRAINTS": told}, before)
    dropped = len(told) - len(fitting["CONSTRAINTS"])
    if not dropped:
        return ()
    what = f"of {len(told)} constraints that only a compacted list tells, {dropped} have no room"
    return (Finding(LIST_CONSTRAINTS_TOLD, what, "pinned"),)


def unshown_focus(before: View, draft: Draft) -> tuple[Finding, ...]:
    """Return a finding if words of the focus left the view, or none of them was ever there."""
    wanted = focus_words(draft.focus)
    was, now = (SearchableText(view.visible_messages).text for view in (before, draft.view))
    never, unsaid = words_unsaid(wanted, was), words_unsaid(wanted, now)
    if never != wanted:
        unsaid = [word for word in unsaid if word not in never]
    if not unsaid:
        return ()
    what = f"nothing that is shown names these words of the focus: {', '.join(unsaid)}"
    return (Finding(FOCUS_KEPT, what, "focus"),)


def findable_positions(view: View) -> set[int]:
    """Return the positions that something shown says how to open."""
    found: set[int] = set()
    for item in view.items:
        if item.main is not None:
            found.add(item.span.start)  # it is there, whole or with a note of its own
        elif item.summary is not None:
            for span in (item.span, *item.summary.hides):
                found.update(range(span.start, span.stop))
    return found


def point_to_hidden(draft: Draft) -> Draft:
    """Return the draft in which something shown names every hidden span; else with a finding."""
    place = newest_cover(draft.view)
    spans = unreachable_spans(draft.view)
    if spans and place is not None and place.summary is not None:
        by = _author_of(draft, place, "repairs")
        hides = (*place.summary.hides, *spans)
        pointing = msgspec.structs.replace(place.summary, span=place.span, hides=hides)
        draft = draft.accept(Proposal((summary_edit(pointing, by, place.level),), by))
        spans = unreachable_spans(draft.view)
    if not spans:
        return draft
    what = f"nothing shown says how to open {spans[0]} and {len(spans) - 1} more spans"
    return draft.with_findings((Finding("what_is_hidden_is_pointed_to", what, "repairs"),))


def unreachable_spans(view: View) -> list[Span]:
    """Return the spans that are hidden and that nothing shown says how to open."""
    findable = findable_positions(view)
    hidden = [item.span for item in view.items if item.main is None and item.level]
    return [span for span in hidden if not findable.issuperset(range(span.start, span.stop))]


def count_survival(
    before: View, after: View, ledger: Ledger, given: int
) -> tuple[Survival, tuple[Finding, ...]]:
    """Return the counts, and a finding for each kind that is shown less than before.

    `given` is how many constraints the block of constraints shows: they are in every view.
    """
    found: list[Finding] = []
    counts: list[int] = []
    texts = [(view, SearchableText(view.visible_messages)) for view in (before, after)]
    for check, what, stated, beside in (
        (CONSTRAINTS_SURVIVE, "constraints in force", ledger.constraints, given),
        (LOOPS_SURVIVE, "open loops", loops_to_report(ledger), 0),
    ):
        was, now = (_shown_among(stated, view, text) for view, text in texts)
        counts += (beside + len(was), beside + len(now))
        if len(now) < len(was):
            gone = [stated[number][0] for number in sorted(was - now)]
            places = ", ".join(map(str, gone[:PLACES_MOST]))
            if len(gone) > PLACES_MOST:
                places += ", …"
            lost = f"{len(gone)} {what} are no longer shown: said at {places}"
            found.append(Finding(check, lost, "pinned"))
    return Survival(*counts), tuple(found)


def _shown_among(stated: Sequence[FactAt], view: View, text: SearchableText) -> set[int]:
    """Return the indices of what a view, with this text, shows of these."""
    # Most messages are shown as they came.
    edited = (item.span for item in view.items if item.is_edited)
    covered = {at for span in edited for at in range(span.start, span.stop)}
    said = text.said_among({fact.words for at, fact in stated if at in covered})
    return {
        number
        for number, (at, fact) in enumerate(stated)
        if at not in covered or fact.words in said
    }
