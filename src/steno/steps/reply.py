"""What a writer answered, read into lines.

JSON as it was asked for, in a code fence or after a preamble too; or headings
and bullets with citations, from those that cannot be held to a form. Owns
reading, and saying why a reply cannot be read; whether its lines are true is
`ledger/prose`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from steno.core.mend import clean
from steno.ledger.sections import Line, Sections, positions
from steno.ledger.words import flat
from steno.steps.prompt import ASKED, GONE

LINES_MOST = 40
"""Of one section that are looked at."""
TEXT_MOST = 2_000
HEADING_MOST = 60
REPLY_MOST = 200_000
POSITION_MOST = 10**9

EMPTY = "it was empty"
CUT_OFF = "it was cut off"
LONG = "it was longer than what it replaces"
OTHER = "it was in another language"
UNREADABLE = "it was not in the form that was asked for"
BARE = "nothing in it held"

_PLACES = {key: section for key, section, _ in ASKED} | {section.lower(): section for _, section, _ in ASKED}
_TRAILING = re.compile(r",(\s*[}\]])")
_HEADING = re.compile(r"[#*_\s]*(?P<name>[A-Za-z]+)[*_\s]*:?[*_\s]*(?:\((?:none|empty)\))?")
_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s+(?P<text>.+)")
_CITED = re.compile(r"\[\s*(?P<cites>\d{1,9}(?:\s*[-–,;]\s*\d{1,9})*)\s*\]")


@dataclass(frozen=True)
class Read:
    """The lines of a reply, by the section of a summary they are for."""

    sections: Sections
    gone: frozenset[int] = field(default_factory=frozenset)
    """Numbers of earlier notes that no longer hold."""

    @property
    def text(self) -> str:
        return "\n".join(line.text for lines in self.sections.values() for line in lines)


def read(text: object) -> Read | str:
    """The reply's lines, or why it is no answer."""
    if not isinstance(text, str):  # somebody else's model, which promised one
        return UNREADABLE
    said = clean(text).strip()
    if not said:
        return EMPTY
    if len(said) > REPLY_MOST:
        return LONG
    start = said.find("{")
    if start >= 0 and any(f'"{key}"' in said.lower() for key in _PLACES):
        return _from_json(said[start:])
    found = _from_text(said)
    return found if found.sections else UNREADABLE


def _from_json(said: str) -> Read | str:
    body = said[: said.rfind("}") + 1]
    whole = _decoded(body)
    if whole is None:
        whole = _decoded(_TRAILING.sub(r"\1", body))
    if whole is None:
        return CUT_OFF if _unfinished(said) else UNREADABLE
    sections: Sections = {}
    for key, value in whole.items():
        section = _PLACES.get(str(key).lower())
        lines = list(_lines(value)) if section else []
        if section and lines:
            sections.setdefault(section, []).extend(lines)
    numbers = whole.get(GONE)
    gone = frozenset(n for n in numbers if _position(n)) if isinstance(numbers, list) else frozenset()
    return Read(sections, gone) if sections or gone else EMPTY


def _decoded(text: str) -> dict[str, Any] | None:
    try:
        whole = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return whole if isinstance(whole, dict) else None


def _unfinished(said: str) -> bool:
    """More was opened than was closed."""
    return said.count("{") > said.count("}") or said.count("[") > said.count("]")


def _lines(value: Any) -> Iterator[Line]:
    rows = value if isinstance(value, list) else [value]
    for row in rows[:LINES_MOST]:
        if isinstance(row, str):
            yield from _cited(row)
        elif isinstance(row, dict) and isinstance(row.get("text"), str):
            told = row["text"][:TEXT_MOST]
            cites = tuple(dict.fromkeys(_cites(row.get("cites"))))
            yield from _cited(told, cites)


def _cited(text: str, cites: tuple[int, ...] = ()) -> Iterator[Line]:
    """A line; the citations that stand in its words are taken out of them."""
    inside = [at for found in _CITED.finditer(text[:TEXT_MOST]) for at in _places(found["cites"])]
    words = flat(_CITED.sub(" ", text[:TEXT_MOST])).replace(" .", ".")
    if words:
        yield Line(words, tuple(dict.fromkeys((*cites, *inside))), written=True)


def _places(cites: str) -> Iterator[int]:
    return positions(re.sub(r"\s*([-–])\s*", r"\1", cites.replace(";", ",")))


def _cites(value: Any) -> Iterator[int]:
    for cite in value if isinstance(value, list) else [value]:
        if _position(cite):
            yield cite
        elif isinstance(cite, str):
            yield from _places(cite.strip().strip("[]"))


def _position(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < POSITION_MOST


def _from_text(said: str) -> Read:
    sections: Sections = {}
    section = ""
    for row in said.split("\n"):
        heading = _HEADING.fullmatch(row) if len(row) <= HEADING_MOST else None
        if heading and heading["name"].lower() in _PLACES:
            section = _PLACES[heading["name"].lower()]
        elif section and row.strip() and len(sections.get(section, ())) < LINES_MOST:
            bullet = _BULLET.fullmatch(row)
            sections.setdefault(section, []).extend(_cited(bullet["text"] if bullet else row))
    return Read({name: lines for name, lines in sections.items() if lines})
