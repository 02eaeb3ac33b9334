"""Our own text read back into the summary it renders.

Only two callers need this: `reimport`, for a list that a caller sends back, and a store, for
commits that were written before an edit carried its summary. Everything else takes the value
from the edit. A text proves nothing about its author, so counts and sizes are bounded here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from steno.core.fence import Fence
from steno.core.log import Commit, Edit
from steno.core.message import Message, Span, Text
from steno.core.summary import UNNAMED, Section, Sections, Summary, SummaryLine
from steno.summary.render import (
    HEARSAY_MARK,
    NOTE_OPENINGS,
    SECTION_OF_HEADING,
    STATE_HEADINGS,
    WRITTEN_MARK,
    count_line,
)
from steno.summary.sections import PINNED_SECTIONS, make_sections
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
    """Return the sections that a text of ours renders, and the rest of it without its state.

    Where the work stood, and what files held, is out of date when a list comes back.
    """
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
            # Rules and open loops never pass through a model, whatever a text says.
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


def summary_in(message: Message) -> Summary | None:
    """Return the summary that a message consists of, or None."""
    if message.role != "user" or len(message.blocks) != 1:
        return None
    block = message.blocks[0]
    if not isinstance(block, Text):
        return None
    return parse_summary(block.text)


def with_summaries(commit: Commit) -> Commit:
    """Return a commit of an older file with the summaries that its edits show as values."""
    edits = tuple(map(_with_summary, commit.edits))
    if edits == commit.edits:
        return commit
    return msgspec.structs.replace(commit, edits=edits)


def _with_summary(edit: Edit) -> Edit:
    if edit.summary is not None or edit.block is not None or len(edit.shows) != 1:
        return edit
    summary = summary_in(edit.shows[0])
    if summary is None:
        return edit
    return msgspec.structs.replace(edit, summary=summary)
