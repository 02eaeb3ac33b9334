"""Summaries as text: what a model reads where messages are no longer shown.

Owns the form alone. What a summary says is decided before (`cover`, `sections`, `fit`);
reading such a text back from a caller's list is the business of `parse`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from steno.core.draft import Draft
from steno.core.escape import quoted
from steno.core.fence import Fence
from steno.core.log import Edit
from steno.core.message import Span, user_message
from steno.core.repair import encodable_text
from steno.core.summary import UNNAMED, QuotedRequest, Section, Summary, SummaryLine
from steno.summary.sections import SECTIONS
from steno.summary.story import fold_story
from steno.summary.wording import (
    ENGLISH,
    HEADING_KEYS,
    WORDINGS,
    in_every_wording,
    translate_headings,
    translate_line,
    translate_note,
)

WRITTEN_MARK, HEARSAY_MARK, COMPUTED_MARK = "*", "~", "-"

HEAD_SECTIONS = ("CONSTRAINTS", "OPEN")
"""Sections that stand at the top of a view: in its first summary, or in the constraints block."""
FRONT_SECTIONS = (*HEAD_SECTIONS, "DECISIONS")
"""Sections that stand before the story: what was decided says more than what was touched."""
GIVEN_HEADING = ENGLISH["given"]
STATE_HEADING = ENGLISH["state"]
FILE_LIST_HEADING = ENGLISH["file_list"]
PIECES_HEADING = ENGLISH["pieces"]
EQUIPMENT_HEADING = ENGLISH["equipment"]
NOTE_OPENING = ENGLISH["note"]
STATE_HEADINGS = frozenset(words for key in HEADING_KEYS for words in in_every_wording(key))
NOTE_OPENINGS = tuple(
    words for key in ("note", "written", "unverified") for words in in_every_wording(key)
)
SECTION_OF_HEADING = {
    **{words: name for name in SECTIONS if name in ENGLISH for words in in_every_wording(name)},
    **dict.fromkeys(in_every_wording("earlier_constraints"), "CONSTRAINTS"),
    **{name: name for name in SECTIONS},
}
"""The section under each heading, in every language."""
_ALL_HEADINGS = frozenset((*STATE_HEADINGS, *SECTION_OF_HEADING, *in_every_wording("given")))
QUOTE = "> "
"""Stands before a row of quoted words that looks like one of ours."""

SMALL_WINDOW = 2_000
"""Usable tokens below which the note is short, and where the work stands has no fence of its
own."""
TOOL_NOTE = ENGLISH["data"]
"""Stands once for all outcomes that stories and states quote."""


def summary_edit(summary: Summary, by: str, level: int, span: Span | None = None) -> Edit:
    """Return the edit that shows a summary in the place of what it covers, or of `span`."""
    # The value too, so that it says what a list says that comes back.
    summary = _presentable(summary)
    summary = msgspec.structs.replace(summary, story=quote_headings(summary.story))
    shows = (user_message(render_summary(summary), by="steno"),)
    return Edit(span or summary.span, shows, by, level=level, summary=summary)


def render_summary(summary: Summary) -> str:
    """Return the fenced text of a summary: constraints first, then the story, then the state."""
    label = {"kind": "trace", "covers": str(summary.span), "tokens": str(summary.tokens)}
    if summary.sections or summary.story or summary.state:
        label["kind"] = "summary"
    label["roles"] = ", ".join(f"{count} {role}" for role, count in summary.roles)
    if summary.hides:
        label["hides"] = " ".join(map(str, summary.hides))
    if summary.untold:
        label["untold"] = " ".join(map(str, summary.untold))
    first: list[Section] = []
    rest: list[Section] = []
    for section in summary.sections:
        if section.name not in FRONT_SECTIONS:
            rest.append(section)
        # Constraints that stand at the head of the view are not told twice.
        elif not (summary.constraints_apart and section.name in HEAD_SECTIONS):
            first.append(section)
    story = summary.story
    # A bare trace says at least what was asked first and last.
    if not story and not any(section.name == UNNAMED for section in summary.sections):
        story = "\n".join(quoted_requests(summary))
    language = summary.language
    if language:
        label["language"] = language
    parts = [
        translate_note(summary.note, language),
        render_sections(first, language=language),
        story,
        render_sections(rest, noted=first, language=language),
        translate_headings(summary.state, language),
    ]
    lines = [line for section in summary.sections for line in section.lines]
    # Sections explain the mark themselves; a story alone would leave it unexplained.
    if f"\n{story}".find(f"\n{HEARSAY_MARK} ") >= 0 and not any(line.hearsay for line in lines):
        parts.insert(2, WORDINGS[language]["unverified"])
    # Also where all that it tells stands at the head of the view.
    if label["kind"] == "trace" or not any(parts):
        parts.insert(0, count_line(summary))
    return str(Fence(label, "\n\n".join(part for part in parts if part)))


def is_small(draft: Draft) -> bool:
    """Tell whether a window is so small that every word around what is told counts."""
    return draft.budget.share_base < SMALL_WINDOW


def reader_note(draft: Draft, *, short: bool = False) -> str:
    """Return what tells a model that it reads a shortened history, and how to get more."""
    if short or is_small(draft):
        return _short_note(draft)
    more = ENGLISH["no_tool"]
    if draft.recall_tool:
        example = f'{draft.recall_tool}(positions="24-61")'
        more = ENGLISH["tool"].format(name=draft.recall_tool, call=example)
    return f"{NOTE_OPENING}{ENGLISH['note_positions']} {TOOL_NOTE} {more}"


def _short_note(draft: Draft) -> str:
    """Return the note for little room: no more than the model needs to read on."""
    note = NOTE_OPENING + ENGLISH["note_at"]
    if draft.recall_tool:
        call = f'{draft.recall_tool}(positions="3-9")'
        note = NOTE_OPENING + ENGLISH["note_shows"].format(call=call)
    if draft.view.messages.fold(fold_story).done:
        note += f" {TOOL_NOTE}"
    return note


def quoted_requests(summary: Summary) -> list[str]:
    """Return how the first and the last request begin that a summary stands for."""
    requests = dict.fromkeys((summary.first, summary.last))
    return [f"[{request[0]}] USER: {request[1]}" for request in requests if request is not None]


def count_line(summary: Summary) -> str:
    """Return the line that stands where nothing is told."""
    roles = ", ".join(f"{count} {role}" for role, count in summary.roles)
    words = WORDINGS[summary.language]["count"]
    return words.format(roles=roles, tokens=f"{summary.tokens:,}")


def quote_headings(story: str) -> str:
    """Return a story in which no row of quoted words passes for a heading or a note of ours.

    When a list comes back, constraints are read from under their heading: what an agent quoted from
    a tool must not become one.
    """
    rows = story.split("\n")
    return "\n".join(QUOTE + row if _is_heading(row) else row for row in rows)


def _is_heading(row: str) -> bool:
    return row in _ALL_HEADINGS or row.startswith(NOTE_OPENINGS)


def mark_story(story: str) -> str:
    """Return a story of an earlier summary, each row marked as the word of that summary."""
    marked = f"{HEARSAY_MARK} "
    return "\n".join(marked + row.removeprefix(marked) for row in story.split("\n") if row)


def render_sections(
    sections: Sequence[Section], noted: Sequence[Section] = (), language: str = ""
) -> str:
    """Return sections as text, with a note on the marks of their lines that `noted` has not."""
    wording = WORDINGS[language]
    known = set(_mark_notes(noted))
    parts = [wording[note] for note in _mark_notes(sections) if note not in known]
    for section in sections:
        lines = section.lines
        if section.name == "CONSTRAINTS":
            # Who gave these is not known, so they do not stand among the user's.
            earlier = [line for line in lines if line.hearsay]
            if earlier:
                parts.append(wording["earlier_constraints"])
                parts += (render_line(line, language) for line in earlier)
            lines = tuple(line for line in lines if not line.hearsay)
        if section.name != UNNAMED and (lines or section.more):
            # Kinds of facts that others add have their own name for a heading.
            parts.append(wording.get(section.name, section.name))
        parts += (render_line(line, language) for line in lines)
        if section.more is not None:
            parts.append(render_line(section.more))
    return "\n".join(parts)


def _mark_notes(sections: Sequence[Section]) -> Iterator[str]:
    """Yield the keys of the notes that the marks of lines need."""
    lines = [line for section in sections for line in section.lines]
    if any(line.written for line in lines):
        yield "written"
    if any(line.hearsay for line in lines):
        yield "unverified"


def render_line(line: SummaryLine, language: str = "") -> str:
    """Return a line with its mark and its citation: `- text [3, 7–9]`."""
    mark = COMPUTED_MARK
    if line.written:
        mark = WRITTEN_MARK
    elif line.hearsay:
        mark = HEARSAY_MARK
    text = translate_line(line.text, language)
    return f"{mark} {text} [{format_positions(line.cites)}]"


def format_positions(positions: Iterable[int]) -> str:
    """Return positions as a citation names them, neighbours joined: `3, 7–9`."""
    runs: list[list[int]] = []
    for position in sorted(set(positions)):
        if runs and position == runs[-1][-1] + 1:
            runs[-1][1:] = [position]
        else:
            runs.append([position])
    return ", ".join("–".join(map(str, run)) for run in runs)


def _presentable(summary: Summary) -> Summary:
    """Return the summary with every text as it can be stored, and shown between lines of ours."""
    sections = tuple(
        Section(section.name, tuple(map(_presentable_line, section.lines)), section.more)
        for section in summary.sections
    )
    return msgspec.structs.replace(
        summary,
        first=_presentable_request(summary.first),
        last=_presentable_request(summary.last),
        sections=sections,
        note=_presentable_text(summary.note),
        story=_presentable_text(summary.story),
        state=_presentable_text(summary.state),
    )


def _presentable_text(text: str) -> str:
    return quoted(encodable_text(text))


def _presentable_line(line: SummaryLine) -> SummaryLine:
    return msgspec.structs.replace(line, text=_presentable_text(line.text))


def _presentable_request(request: QuotedRequest | None) -> QuotedRequest | None:
    if request is None:
        return None
    return request[0], _presentable_text(request[1])
