"""What a writer answered: read into lines, and held to its sources.

A reply is JSON as the prompt asks for, possibly in a code fence or after a preamble; or headings
and bullets with citations, from models that do not keep to a form. Owns reading a reply, saying
why it counts as no answer, and what a commit reports of it. Whether a line is true is decided by
`verify`; what is asked next by `ask`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from steno.core.effects import NoAnswer, Reply
from steno.core.log import Finding
from steno.core.message import Value
from steno.core.repair import encodable_text
from steno.core.summary import Sections, SummaryLine
from steno.facts.languages.detect import Language, detect_language
from steno.facts.text import flatten
from steno.summary.read_back import parse_positions
from steno.writer.prompt import GONE, REPLACED_SECTIONS, REPLY_SECTIONS
from steno.writer.session_words import CITATION
from steno.writer.verify import CHECKS, Sources, verify_lines

LINES_MOST = 60
"""Lines of one section that are looked at."""
TEXT_MOST = 2_000
HEADING_MOST = 60
REPLY_MOST = 200_000
POSITION_MOST = 10**9
REASON_MOST = 160
ANSWERS_CHECK = "the_writer_answers"

EMPTY = "it was empty"
CUT_OFF = "it was cut off"
TOO_LONG = "it was longer than what it replaces"
OTHER_LANGUAGE = "it was in another language"
UNREADABLE = "it was not in the form that was asked for"
NOTHING_VALID = "nothing in it held"

IsShort = Callable[[str], bool]
"""Tells whether a text is shorter than what it replaces."""
_SECTION_OF_KEY = {key: section for key, section, _ in REPLY_SECTIONS} | {
    section.lower(): section for _, section, _ in REPLY_SECTIONS
}
SECTION_ORDER = tuple(section for _, section, _ in REPLY_SECTIONS)
_TRAILING = re.compile(r",(\s*[}\]])")
_HEADING = re.compile(r"[#*_\s]*(?P<name>[A-Za-z]+)[*_\s]*:?[*_\s]*(?:\((?:none|empty)\))?")
_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s+(?P<text>.+)")
_SPACED_STOP = re.compile(r" \.(?=\s|$)")


class ParsedReply(Value):
    """The lines of a reply, by the section of a summary they go to."""

    sections: Sections
    gone: frozenset[int] = msgspec.field(default_factory=frozenset)
    """Numbers of earlier notes that no longer hold."""

    @property
    def text(self) -> str:
        return "\n".join(line.text for lines in self.sections.values() for line in lines)


def parse_reply(text: object) -> ParsedReply | str:
    """Return the lines of a reply, or why it counts as no answer."""
    if not isinstance(text, str):  # a custom model may return anything
        return UNREADABLE
    said = encodable_text(text).strip()
    if not said:
        return EMPTY
    if len(said) > REPLY_MOST:
        return TOO_LONG
    start = said.find("{")
    if start >= 0 and any(f'"{key}"' in said.lower() for key in _SECTION_OF_KEY):
        return _from_json(said[start:])
    found = _from_text(said)
    return found if found.sections else UNREADABLE


def _from_json(said: str) -> ParsedReply | str:
    body = said[: said.rfind("}") + 1]
    whole = decode_object(body) or decode_object(_TRAILING.sub(r"\1", body))
    if whole is None:
        # More brackets were opened than closed.
        if said.count("{") > said.count("}") or said.count("[") > said.count("]"):
            return CUT_OFF
        return UNREADABLE
    sections: Sections = {}
    for key, value in whole.items():
        section = _SECTION_OF_KEY.get(str(key).lower())
        if section and (lines := list(_lines_from(value))):
            sections.setdefault(section, []).extend(lines)
    listed = whole.get(GONE)
    gone: frozenset[int] = frozenset()
    if isinstance(listed, list):
        gone = frozenset(filter(_is_position, listed))
    if not sections and not gone:
        return EMPTY
    return ParsedReply(sections, gone)


def decode_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text of JSON is; None if it is none."""
    try:
        whole = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return whole if isinstance(whole, dict) else None


def _lines_from(value: Any) -> Iterator[SummaryLine]:
    if not isinstance(value, list):
        value = [value]
    for row in value[:LINES_MOST]:
        if isinstance(row, str):
            yield from _lines_from_text(row)
        elif isinstance(row, dict) and isinstance(row.get("text"), str):
            yield from _lines_from_text(row["text"], tuple(cited_positions(row.get("cites"))))


def _lines_from_text(text: str, cites: tuple[int, ...] = ()) -> Iterator[SummaryLine]:
    """Yield a line, if it has words; citations among the words are taken out of them."""
    text = text[:TEXT_MOST]
    places = list(cites)
    for found in CITATION.finditer(text):
        places += _positions_in(found["cites"])
    words = _SPACED_STOP.sub(".", flatten(CITATION.sub(" ", text)))
    if words:
        yield SummaryLine(words, tuple(dict.fromkeys(places)), written=True)


def _positions_in(cites: str) -> Iterator[int]:
    return parse_positions(re.sub(r"\s*([-–])\s*", r"\1", cites.replace(";", ",")))


def cited_positions(value: Any) -> Iterator[int]:
    """Yield the positions that a reply cites, as numbers or as text."""
    if not isinstance(value, list):
        value = [value]
    for cite in value:
        if _is_position(cite):
            yield cite
        elif isinstance(cite, str):
            yield from _positions_in(cite.strip().strip("[]"))


def _is_position(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < POSITION_MOST


def _from_text(said: str) -> ParsedReply:
    sections: Sections = {}
    section = ""
    for row in said.split("\n"):
        heading = None
        if len(row) <= HEADING_MOST:
            heading = _HEADING.fullmatch(row)
        if heading and heading["name"].lower() in _SECTION_OF_KEY:
            section = _SECTION_OF_KEY[heading["name"].lower()]
        elif section and row.strip() and len(sections.get(section, ())) < LINES_MOST:
            bullet = _BULLET.fullmatch(row)
            text = bullet["text"] if bullet else row
            sections.setdefault(section, []).extend(_lines_from_text(text))
    return ParsedReply({name: lines for name, lines in sections.items() if lines})


def named_lines(sections: Sections) -> list[tuple[str, SummaryLine]]:
    """Return lines with the names of their sections, in the order of a reply."""
    return [(name, line) for name in SECTION_ORDER for line in sections.get(name, [])]


class WriterNotes(Value):
    """What came of the rounds of asks so far."""

    parts: tuple[Sections, ...] = ()
    """Lines about each chunk of messages."""
    read: frozenset[int] = frozenset()
    """Positions that a writer has read and answered about."""
    gone: frozenset[SummaryLine] = frozenset()
    trouble: Counter[str] = msgspec.field(default_factory=Counter)
    """Why there was no answer, each with how often."""
    removed: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def sections(self) -> Sections:
        """Return all lines, those of the newest part first."""
        joined: Sections = {}
        for part in reversed(self.parts):
            for name, lines in part.items():
                joined.setdefault(name, []).extend(lines)
        return joined

    def merged_with(self, old: Sections) -> Sections:
        """Return the lines by section: the new ones, then the old ones that still hold."""
        merged: Sections = {}
        new = self.sections
        for name in SECTION_ORDER:
            lines = new.get(name, [])
            # Where the work stands is what the newest says; older lines would contradict it.
            if not lines or name not in REPLACED_SECTIONS:
                lines = [*lines, *old.get(name, [])]
            holding = {line.text: line for line in lines if line not in self.gone}
            if holding:
                merged[name] = list(holding.values())
        return merged

    def findings(self, by: str) -> Iterator[Finding]:
        """Yield what a commit reports of the answers; nothing is quoted."""
        for why, times in self.trouble.items():
            yield Finding(ANSWERS_CHECK, f"no answer, {times} times: {why}", by)
        for check, lines in self.removed.items():
            yield Finding(check, f"{lines} of the writer's lines {CHECKS[check]}", by)


def check_reply(
    reply: Reply, sources: Sources, speech: Language, is_short: IsShort, removed: Counter[str]
) -> ParsedReply | str:
    """Return what holds of a reply, or why it is no answer; count what was removed."""
    if isinstance(reply, NoAnswer):
        return reply.reason[:REASON_MOST]
    found = parse_reply(reply.text)
    if isinstance(found, str):
        return found
    if not is_short(found.text):
        return TOO_LONG
    if speech.differs(detect_language(found.text)):
        return OTHER_LANGUAGE
    sections, met = verify_lines(found.sections, sources, speech)
    removed.update(met)
    if sections or found.gone:
        return ParsedReply(sections, found.gone)
    return NOTHING_VALID
