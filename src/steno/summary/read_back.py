"""Our own text read back into the summary it renders, and how far its lines are believed.

A list that a caller sends back (`reimport`) and commits of old files hold the text alone;
everything else takes the value from the edit. Anyone who can write a whole message can write one
that looks like ours, so counts and sizes are bounded here. Lines on messages that are not in the
log are carried on word for word but marked, unless the messages they cite are here and say so in
other than a tool's words. `PreviousSummaries` is what earlier summaries say that the log cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from steno.core.draft import Draft
from steno.core.escape import one_line
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Commit
from steno.core.message import Message, Span, Value
from steno.core.summary import UNNAMED, Section, Sections, Summary, SummaryLine
from steno.core.view import View
from steno.facts.authorship import split_by_author
from steno.summary.render import (
    HEARSAY_MARK,
    NOTE_OPENINGS,
    SECTION_OF_HEADING,
    STATE_HEADINGS,
    WRITTEN_MARK,
    count_line,
    mark_story,
    render_sections,
)
from steno.summary.sections import LINE_TOKENS, PINNED_SECTIONS, SYSTEM_PREFIX, make_sections
from steno.summary.wording import WORDINGS, original_line

SPAN_MOST = 30_000
"""Positions that one list may cover: a forged summary makes us count no more."""
HIDDEN_MOST = 1_000
"""Spans that one label may list."""
WEIGHTLESS_MOST = 100
"""Messages that a summary may cover whatever tokens it states."""
CITES_MOST = 1_000
"""Positions of one run in a citation, after its first."""
_COVERS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_TOKENS = re.compile(r"[0-9]{1,12}")
_ROLES = re.compile(r"([0-9]{1,9}) (user|assistant|tool|system|absent)")
_LINE = re.compile(r"(?P<mark>[-*~]) (?P<text>.*) \[(?P<cites>[0-9, –-]+)\]")
_MORE = re.compile(r"[0-9]+ more")
UNVERIFIED_SHARE = 0.2
"""Share of the usable window for what a list tells of messages that are not in the log."""
_CITED_ROW = re.compile(rf"{HEARSAY_MARK} \[([0-9]{{1,9}})")
"""A row of an earlier story that begins with a position; rows without one go on with it."""


def parse_summary(text: str) -> Summary | None:
    """Return the summary that a text of ours renders, or None for any other text."""
    fence = Fence.parse(text)
    if fence is None:
        return None
    covers = _COVERS.fullmatch(fence.label.get("covers", ""))
    if covers is None or not _TOKENS.fullmatch(fence.label.get("tokens", "")):
        return None
    span = _span(covers)
    tokens = int(fence.label["tokens"])
    # Every message weighs something, so a span cannot hold more messages than tokens.
    if not 0 < span.stop - span.start <= min(SPAN_MOST, max(WEIGHTLESS_MOST, tokens)):
        return None
    stated = fence.label.get("roles", fence.body.partition("\n")[0])
    roles = tuple((role, int(count)) for count, role in _ROLES.findall(stated))
    if sum(count for _, count in roles) != len(span):
        return None
    sections, story = parse_body(fence.body)
    language = fence.label.get("language", "")
    if language not in WORDINGS:
        language = ""
    summary = Summary(
        span,
        tokens,
        roles,
        hides=_parse_spans(fence.label.get("hides", "")),
        untold=_parse_spans(fence.label.get("untold", "")),
        sections=sections,
        story=story,
        language=language,
    )
    # A trace counts before it quotes.
    return msgspec.structs.replace(summary, story=story.removeprefix(count_line(summary)).strip())


def _span(covers: re.Match[str]) -> Span:
    return Span(int(covers[1]), int(covers[2] or covers[1]) + 1)


def _parse_spans(label: str) -> tuple[Span, ...]:
    """Return the spans that a label lists: `0-11 14-20`."""
    found: list[Span] = []
    left = SPAN_MOST
    for part in label.split(" ")[:HIDDEN_MOST]:
        place = _COVERS.fullmatch(part)
        if place is None:
            continue
        span = _span(place)
        if 0 < span.stop - span.start <= left:
            found.append(span)
            left -= len(span)
    return tuple(found)


def parse_body(text: str) -> tuple[tuple[Section, ...], str]:
    """Return the sections that a text of ours renders, and its rest without its state."""
    lines: Sections = {}
    more: dict[str, SummaryLine] = {}
    story: list[str] = []
    name = UNNAMED
    for row in text.split("\n"):
        if row in STATE_HEADINGS:
            break
        if row in SECTION_OF_HEADING:
            name = SECTION_OF_HEADING[row]
            continue
        if not row:
            name = UNNAMED
        line = _parse_line(row) if name != UNNAMED else None
        if line is None:
            story.append(row)
        elif _MORE.fullmatch(line.text):
            more[name] = line
        elif not (line.written and name in PINNED_SECTIONS):
            # Constraints and open loops never pass through a model, whatever a text says.
            lines.setdefault(name, []).append(line)
    told = "\n".join(row for row in story if not row.startswith(NOTE_OPENINGS))
    return make_sections(lines, more), told.strip()


def _parse_line(row: str) -> SummaryLine | None:
    found = _LINE.fullmatch(row)
    if found is None:
        return None
    mark = found["mark"]
    cites = tuple(parse_positions(found["cites"]))
    if not cites:
        return None
    text = original_line(found["text"])
    return SummaryLine(text, cites, mark == WRITTEN_MARK, mark == HEARSAY_MARK)


def parse_positions(text: str) -> Iterator[int]:
    """Yield the positions that a citation names: `3, 7–9`."""
    for part in text.split(","):
        first, _, last = part.strip().replace("-", "–").partition("–")
        if not _is_position(first):
            continue
        start = int(first)
        stop = int(last) if _is_position(last) else start
        yield from range(start, min(stop, start + CITES_MOST) + 1)


def _is_position(digits: str) -> bool:
    return digits.isdecimal() and len(digits) < 10


def may_be_ours(message: Message) -> bool:
    """Tell whether a message may be one that Steno wrote and a caller sent back."""
    # One under a name has the user's role too, and is a program's.
    return message.role == "user" and message.by != "program" and len(message.blocks) == 1


def summary_in(message: Message) -> Summary | None:
    """Return the summary that a message consists of, or None."""
    if not may_be_ours(message):
        return None
    return parse_summary(message.text)


def with_summaries(commit: Commit) -> Commit:
    """Return a commit of an older file with the summaries that its edits show as values."""
    edits = []
    for edit in commit.edits:
        if edit.summary is None and edit.block is None and len(edit.shows) == 1:
            edit = msgspec.structs.replace(edit, summary=summary_in(edit.shows[0]))
        edits.append(edit)
    return msgspec.structs.replace(commit, edits=tuple(edits))


def stated_lines(view: View, item: Item) -> Sections:
    """Return the lines of an item's summary, marked if what it stands for is not in the log."""
    if item.summary is None:
        return {}
    stated = item.summary.lines()
    if not view.is_absent(item.span.start):
        return stated
    return {
        name: [_mark_line(name, line, view.messages) for line in lines]
        for name, lines in stated.items()
    }


def earlier_story(summary: Summary, is_absent: Callable[[int], bool], span: Span) -> str:
    """Return what a summary of a span tells of messages that are not in the log, marked."""
    story = summary.story
    if is_absent(span.start):
        story = mark_story(story)
        if all(map(is_absent, range(span.start, span.stop))):
            return story
    # It was made here, over logged messages too: the log tells those, and what looks like a row
    # of an earlier summary may be a quotation.
    rows: list[str] = []
    is_carried = False
    for row in story.split("\n"):
        cited = _CITED_ROW.match(row)
        if not row.startswith(f"{HEARSAY_MARK} "):
            is_carried = False
        elif cited is not None:
            is_carried = is_absent(int(cited[1]))
        if is_carried:
            rows.append(row)
    return "\n".join(rows)


def lines_of_list(view: View, section: str) -> list[SummaryLine]:
    """Return what summaries tell in a section of messages which are not in the log, each once."""
    found: dict[str, SummaryLine] = {}
    for item in view.items:
        for line in stated_lines(view, item).get(section, []):
            if line.hearsay:
                found.setdefault(line.text, line)
    return list(found.values())


def within_share(sections: Sections, draft: Draft) -> Sections:
    """Return the unverified lines that a view has room for, constraints and open loops first.

    The newest lines of each section are kept: a forged summary must not fill the view.
    """
    room = draft.budget.usable * UNVERIFIED_SHARE
    kept: Sections = {}
    for name in sorted(sections, key=lambda name: name not in PINNED_SECTIONS):
        chosen = set()
        for line in sorted(sections[name], key=lambda line: max(line.cites, default=-1))[::-1]:
            cost = draft.view.meter.count(line.text) + LINE_TOKENS
            if cost <= room:
                room -= cost
                chosen.add(line)
        kept[name] = [line for line in sections[name] if line in chosen]
    return kept


def _mark_line(name: str, line: SummaryLine, messages: Sequence[Message]) -> SummaryLine:
    """Return a line of a section, marked if no message of the log supports it."""
    if line.written or (name in PINNED_SECTIONS and _is_supported_by_log(line, messages)):
        return line
    return msgspec.structs.replace(line, hearsay=True)


def _is_supported_by_log(line: SummaryLine, messages: Sequence[Message]) -> bool:
    if not all(at < len(messages) and messages[at].role != "absent" for at in line.cites):
        return False
    found = (
        piece.text
        for at in line.cites
        for piece in split_by_author(messages[at])
        if piece.trust != "tool"
    )
    return line.text.removeprefix(SYSTEM_PREFIX) in one_line(" ".join(found))


class PreviousSummaries(Value):
    """What the summaries among some items say."""

    carried: Sections = msgspec.field(default_factory=dict)
    """Computed lines about messages that are not in the log."""
    written: Sections = msgspec.field(default_factory=dict)
    """A writer's lines."""
    read: frozenset[int] = frozenset()
    """Positions that a writer has read."""
    unlogged_text: str = ""
    """Everything they say about messages that are not in the log."""

    @classmethod
    def of(
        cls, view: View, items: Iterable[Item], beside: Collection[int] = ()
    ) -> PreviousSummaries:
        """Return what the summaries among items that are hidden say.

        Positions `beside` them stay hidden by covers of earlier commits: a line may rest on those.
        """
        carried: Sections = {}
        written: Sections = {}
        covered: set[int] = set(beside)
        unread: set[int] = set()
        texts: list[str] = []
        hidden: set[int] = set(beside)
        for item in items:
            positions = range(item.span.start, item.span.stop)
            hidden.update(positions)
            if item.main is None and item.level > 0:
                covered.update(positions)
            summary = item.summary
            if summary is None or not summary.sections:
                continue
            for span in summary.untold:
                unread.update(range(span.start, span.stop))
            # A caller's list came back with our summary in it; there is nothing else to read.
            if view.is_absent(item.span.start):
                texts.append(render_sections(summary.sections))
            for name, lines in stated_lines(view, item).items():
                # Everything else can be read from the log again.
                carried.setdefault(name, []).extend(line for line in lines if line.hearsay)
                written.setdefault(name, []).extend(line for line in lines if line.written)
        held = _lines_about(written, hidden)
        read = frozenset(covered - unread) if held else frozenset()
        return cls(carried, held, read, "\n".join(texts))


def _lines_about(sections: Sections, hidden: Collection[int]) -> Sections:
    """Return the lines that rest on hidden positions, without their other citations."""
    kept: Sections = {}
    for name, lines in sections.items():
        for line in lines:
            # Of a message that is shown again, the message itself speaks.
            cites = tuple(at for at in line.cites if at in hidden)
            if cites:
                kept.setdefault(name, []).append(SummaryLine(line.text, cites, written=True))
    return kept


def unread_spans(hidden: Collection[int], read: Collection[int]) -> tuple[Span, ...]:
    """Return the hidden positions that no writer has read, as spans with no read one inside."""
    runs = [list(run) for is_read, run in groupby(sorted(hidden), read.__contains__) if not is_read]
    return tuple(Span(run[0], run[-1] + 1) for run in runs)
