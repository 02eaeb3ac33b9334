"""Pinned words: which of them have room, and the block of constraints at the head of a view.

What people said that is pinned (`facts.standing`) stands in the summary that covers it, in the
order in which it was said. Within a share of the window: beyond it the newest stay, people's
before those of system messages.

The block stands before the conversation, after leading system messages, from the first request on.
It stands for no position, so no edit can cover it. Its text changes only if a constraint is
given, edited or retired, or if a compaction finds other constraints: everything after it keeps its
text, but a provider's cache begins anew then.

Constraints that were found, and open loops that no message shows, stand in the newest summary if
it is at the top of the view and no constraints were given. Else `gather_constraints` takes them
from its text, and they stand here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import chain

import msgspec

from steno.core.constraint import Constraint
from steno.core.draft import Draft
from steno.core.escape import one_line, quoted
from steno.core.fence import Fence
from steno.core.log import Commit, Edit, Proposal
from steno.core.message import Message, user_message
from steno.core.repair import encodable_text
from steno.core.summary import Section, Sections, Summary, SummaryLine
from steno.core.view import View
from steno.facts.fact import Fact, FactAt
from steno.facts.ledger import Ledger, facts_of
from steno.facts.text import SearchableText
from steno.summary.read_back import may_be_ours, parse_body, stated_lines
from steno.summary.render import HEAD_SECTIONS, is_small, render_sections, summary_edit
from steno.summary.sections import LINE_TOKENS, SYSTEM_PREFIX
from steno.summary.wording import ENGLISH, WORDINGS, in_every_wording, original_line, translate_line

PINNED_SHARE, PINNED_LEAST = 0.05, 160
"""Share of the window for pinned words, and the tokens that even a small window has for them."""
PINNED_OF_SUMMARY = 0.5
"""Share of a summary for them, if the policy limits it."""
SYSTEM_SHARE = 0.25
"""Share of the room beside the fixed part and the tail for those of system messages, at most."""
BLOCK_KIND = "rules"
"""Label of the block's fence."""
CONSTRAINTS_SECTION = "CONSTRAINTS"
_GIVEN_ROW = re.compile(r"- (.+) \(\S+\)")
"""A line of a given constraint: its text and its id."""


def constraint_lines(ledger: Ledger, carried: Sections, draft: Draft) -> list[SummaryLine]:
    """Return the pinned words and those of a list, in the order in which they were said."""
    pinned = pinned_lines(ledger, draft)
    known = {line.text for line in pinned}
    earlier = dict.fromkeys(carried.get("CONSTRAINTS", []))
    new = [line for line in earlier if line.text not in known]
    lines = [*new, *pinned]
    return sorted(lines, key=lambda line: line.cites[:1])


def pinned_lines(ledger: Ledger, draft: Draft) -> list[SummaryLine]:
    """Return the lines of all pinned words that have room, each once, oldest first."""
    return list(dict.fromkeys(line for _, line in pinned(ledger, draft)))


def pinned(ledger: Ledger, draft: Draft) -> list[tuple[FactAt, SummaryLine]]:
    """Return the pinned words that have room, each with the line that tells it; the newest stay.

    A line is the whole paragraph. In a small window, or where not all fit, it is the sentence.
    What a system message says that stays in view need not be said again.
    """
    fitting, all_fit = _fitting(ledger, _paragraph_line, draft)
    if is_small(draft) or not all_fit:
        fitting, _ = _fitting(ledger, _sentence_line, draft)
    return [(ledger.constraints[number], line) for number, line in sorted(fitting.items())]


def _paragraph_line(stated: FactAt) -> SummaryLine:
    at, fact = stated
    return SummaryLine(one_line(by_system(fact) + fact.note), (at,))


def _sentence_line(stated: FactAt) -> SummaryLine:
    at, fact = stated
    return SummaryLine(by_system(fact) + one_line(fact.words), (at,))


def unshown_constraints(
    ledger: Ledger, draft: Draft, hidden: Collection[int], visible: str
) -> dict[str, SummaryLine]:
    """Return the line that counts the pinned words which nothing shows, and says where they are."""
    told = {fact.words for (_, fact), _ in pinned(ledger, draft)}
    shown = SearchableText((user_message(visible),))
    left_out = {
        fact.words: at for at, fact in ledger.constraints if at in hidden and fact.words not in told
    }
    cites = [left_out[words] for words in left_out.keys() - shown.said_among(left_out)]
    if not cites:
        return {}
    count = ENGLISH["more"].format(count=len(cites))
    return {CONSTRAINTS_SECTION: SummaryLine(count, tuple(range(min(cites), max(cites) + 1)))}


def _stays_in_view(stated: FactAt, draft: Draft) -> bool:
    at, fact = stated
    return fact.trust == "system" and (at in draft.pins or at >= draft.tail_start)


def by_system(fact: Fact) -> str:
    """Return what stands before words that are not the user's: a program sent them meanwhile."""
    if fact.trust == "system":
        return SYSTEM_PREFIX
    return ""


def _fitting(
    ledger: Ledger, line_of: Callable[[FactAt], SummaryLine], draft: Draft
) -> tuple[dict[int, SummaryLine], bool]:
    """Return the lines that fit the room for pinned words, by number, and whether all do.

    People's come first, of each the newest.
    """
    room = max(draft.budget.usable * PINNED_SHARE, PINNED_LEAST)
    if draft.summary_tokens is not None:
        room = min(room, draft.summary_tokens * PINNED_OF_SUMMARY)
    # A program's rules may fill a small window: the request is left no words then.
    beside = draft.goal / draft.view.meter.ratio - draft.untouchable
    spared = room - min(room, max(beside * SYSTEM_SHARE, PINNED_LEAST))
    found = ledger.constraints
    newest = range(len(found) - 1, -1, -1)
    people = (number for number in newest if found[number][1].trust == "person")
    others = (number for number in newest if found[number][1].trust != "person")
    seen: set[SummaryLine] = set()
    fitting: dict[int, SummaryLine] = {}
    # No line is made of what has no room: a long session may have thousands of them.
    for number in chain(people, others):
        if _stays_in_view(found[number], draft):
            continue
        line = line_of(found[number])
        if found[number][1].trust == "system":
            room, spared = room - spared, 0
        if line not in seen:
            seen.add(line)
            room -= draft.view.meter.count(line.text) + LINE_TOKENS
            if room < 0:
                return fitting, False
        fitting[number] = line
    return fitting, True


def constraints_message(given: Sequence[Constraint], view: View) -> Message | None:
    """Return the block of constraints of a view, or None if there is nothing to say."""
    parts: list[str] = []
    # That of the summaries, so that only a compaction changes the block.
    language = max((item.summary.language for item in view.items if item.summary), default="")
    if given:
        lines = [f"- {translate_line(each.text, language)} ({each.id})" for each in given]
        parts.append("\n".join((WORDINGS[language]["given"], *lines)))
    said = {constraint.text for constraint in given}
    # What was decided from outside about words of a message is told in their place.
    overruled = {each.history[0].text for each in given if each.source == "found"}
    found: list[Section] = []
    # Beside constraints that were given here, those of a list must not pass for one of them.
    for section in gathered_sections(view, marked=bool(given)):
        if section.name == CONSTRAINTS_SECTION:
            told = (_without(line, overruled, view) for line in section.lines)
            new = (line for line in told if line.text not in said)
            kept = tuple(line for line in new if line.text)
            section = msgspec.structs.replace(section, lines=kept)
        if section.lines or section.more:
            found.append(section)
    if found:
        parts.append(render_sections(found, language=language))
    if not parts:
        return None
    text = quoted("\n\n".join(parts))
    fence = Fence({"kind": BLOCK_KIND}, encodable_text(text))
    return user_message(str(fence), by="steno")


def _without(line: SummaryLine, overruled: Collection[str], view: View) -> SummaryLine:
    """Return a line without the sentences of its message that were retired or reworded."""
    at = line.cites[0]
    if line.hearsay or not overruled or at >= len(view.messages):
        return line
    said = [fact.words for fact in facts_of(view.messages[at]) if fact.kind == "constraint"]
    quoted = [words for words in said if one_line(words) in line.text]
    kept = [one_line(words) for words in quoted if words not in overruled]
    if len(kept) == len(quoted):
        return line
    return msgspec.structs.replace(line, text=" ".join(kept))


def gathered_sections(view: View, *, marked: bool) -> list[Section]:
    """Return what summaries left to the block, each once; `marked` if only a list says it."""
    found: dict[str, dict[str, SummaryLine]] = {name: {} for name in HEAD_SECTIONS}
    more: dict[str, SummaryLine] = {}
    for item in view.items:
        if item.summary is None or not item.summary.constraints_apart:
            continue
        # As a caller's list says them: another mark would change the head of the request.
        lines = item.summary.lines()
        if marked:
            lines = stated_lines(view, item)
        for name in HEAD_SECTIONS:
            for line in lines.get(name, []):
                found[name].setdefault(line.text, line)
        more |= {each.name: each.more for each in item.summary.sections if each.more is not None}
    return [Section(name, tuple(lines.values()), more.get(name)) for name, lines in found.items()]


def gather_constraints(draft: Draft) -> Draft:
    """Return the draft with the constraints and open loops of its summaries at the top of the view.

    A summary that stands there itself, or behind pins alone, tells them, unless constraints were
    given; so does every summary behind a provider's own, before which nothing may stand.
    """
    view = draft.view
    top = next((item for item in view.items if view.takes_head_before(item)), None)
    if not draft.given and top is not None:
        blocks = (block for message in top.shows for block in message.blocks)
        if any(view.terms.state(block) is not None for block in blocks):
            return with_block(draft)
    shown = (item.span for item in view.items if any(message.blocks for message in item.shows))
    first = next((span for span in shown if span.start not in draft.pins), None)
    edits: list[Edit] = []
    for edit in draft.edits:
        if edit.summary and tells_constraints(edit) and (draft.given or edit.span != first):
            apart = msgspec.structs.replace(edit.summary, constraints_apart=True)
            edits.append(summary_edit(apart, edit.by, edit.level, edit.span))
    if edits:
        moved = with_block(draft.accept(Proposal(tuple(edits), "constraints")))
        # The block takes some room of its own: if there is none, summaries tell their own.
        if draft.given or moved.load <= moved.budget.usable:
            return moved
    return with_block(draft)


def tells_constraints_apart(commit: Commit) -> bool:
    """Tell whether a summary of a commit left its constraints to the block."""
    return any(edit.summary is not None and edit.summary.constraints_apart for edit in commit.edits)


def tells_head(summary: Summary | None) -> bool:
    """Tell whether a summary holds constraints or loops: a newer one says which stand now."""
    return summary is not None and not summary.lines().keys().isdisjoint(HEAD_SECTIONS)


def tells_constraints(edit: Edit) -> bool:
    """Tell whether a summary tells its constraints and loops itself."""
    summary = edit.summary
    return summary is not None and not summary.constraints_apart and tells_head(summary)


def with_block(draft: Draft) -> Draft:
    """Return the draft with the block as it will be once this commit has landed."""
    head = constraints_message(draft.given, draft.view)
    if head == draft.view.head:
        return draft
    return draft.with_head(head)


def without_block(view: View) -> View:
    """Return the view with found constraints in its summaries again: a file has no such block."""
    edits = []
    for item in view.items:
        if item.summary is not None and item.summary.constraints_apart:
            summary = msgspec.structs.replace(item.summary, constraints_apart=False)
            edits.append(summary_edit(summary, "constraints", item.level, item.span))
    return view.with_head(None, 0).with_edits(edits)


def constraints_block_at(messages: Sequence[Message]) -> int | None:
    """Return the index of the block of constraints in a list: the first message after system ones.

    Anyone can write a message that looks like it, so nothing in it counts as given.
    """
    at = next((at for at, message in enumerate(messages) if message.role != "system"), None)
    if at is None or _constraints_fence(messages[at]) is None:
        return None
    return at


def _constraints_fence(message: Message) -> Fence | None:
    if not may_be_ours(message):
        return None
    fence = Fence.parse(message.text)
    if fence is None or fence.label.get("kind") != BLOCK_KIND:
        return None
    return fence


def constraints_in(message: Message, *, replaced: bool = False) -> tuple[Section, ...]:
    """Return what a block says; what was given there is an earlier part's word.

    Nothing proves who gave it, so it is no constraint of the session that reads it. It is left out
    if it is `replaced`: a caller who gives constraints says which hold.
    """
    fence = _constraints_fence(message)
    if fence is None:
        return ()
    sections, _ = parse_body(fence.body)
    found = {section.name: section for section in sections if section.name in HEAD_SECTIONS}
    heading, *rows = fence.body.partition("\n\n")[0].split("\n")
    if heading in in_every_wording("given") and not replaced:
        told = found.pop(CONSTRAINTS_SECTION, Section(CONSTRAINTS_SECTION))
        texts = [original_line(row[1]) for row in map(_GIVEN_ROW.fullmatch, rows) if row]
        given = (SummaryLine(text, (0,), hearsay=True) for text in texts)
        told = msgspec.structs.replace(told, lines=(*told.lines, *given))
        found = {CONSTRAINTS_SECTION: told} | found
    return tuple(found.values())
