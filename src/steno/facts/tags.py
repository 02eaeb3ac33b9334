"""The tags that programs put around text in a user's message, however they are written.

A page, a reminder or a result comes as `<document url="…">…</document>`. Attributes may be
long, hold line ends or `>`, or lack a quotation mark; the end may be missing, or be spelled
otherwise. None of that makes the text inside a person's. Only tags around people's own
words (`<instructions>`), and a `<placeholder>` within a line, are left to the person.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from steno.core.message import Value

TAGS_MOST = 2_000
"""Tags that are read in one text; what stands behind more of them is a program's."""

_TAG = re.compile(r"<(?P<end>/?)[ \t]*+(?P<name>[^\W\d_][\w.:-]{0,60})(?=[\s/>])")
_REST = re.compile(r"(?:[^\"'<>]|\"[^\"]*+\"|'[^']*+')*+>")
"""Attributes in good order, up to the end of the tag."""
_ATTRIBUTE = re.compile(r"\s++[\w:.-]++\s*+=")
_ATTRIBUTES_MOST = 4_000

OPENING_TAG = re.compile(r"<([A-Za-z][\w-]{0,60})(?:\s[^<>]*+)?>")
_LINE_END = re.compile(r"[^\S\n]*+(?:\n|\Z)")
_CLOSING = re.compile(r"</([A-Za-z][\w-]{0,60})>")

_SPOKEN = re.compile(
    r"command-args|user[_-](?:query|request|message|prompt)|query|request|question|prompt|task"
    r"|goal|instructions?|rules?"
    r"|constraints?|requirements|guidelines|preferences|important|(?:output_)?format|style|tone",
    re.I,
)
"""Tags that people, or their editor, put around their own words."""
_SWALLOWS = re.compile(
    r"system[_-]reminder|(?:local-command|bash)-std(?:out|err)|task-notification"
    r"|(?:(?:web|tool|function|search|retrieved|file|page|user|external|mcp)[_-]?)?"
    r"(?:documents?|pages?|webpages?|results?|outputs?|responses?|observations?|contents?|context"
    r"|articles?|snippets?|passages?|excerpts?|chunks?|e?mails?|transcripts?)",
    re.I,
)
"""Tags of programs that hold all that follows, if their end is missing."""


def is_spoken(name: str) -> bool:
    """Tell whether people, or their editor, put a tag of this name around their own words."""
    return _SPOKEN.fullmatch(name) is not None


def tag_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a program's stretches begin and end; of people's own tags, only the tag."""
    ends = _last_ends(text)
    at = 0
    for _ in range(TAGS_MOST):
        found = _TAG.search(text, at)
        if found is None:
            return
        at = found.end()
        name = found["name"].lower()
        stop = _tag_stop(text, found.end())
        if stop is None:
            continue
        at = stop
        if is_spoken(name):
            yield found.start(), stop
        elif found["end"]:
            # The end of what began before the text, or with a tag that is no tag.
            if _has_its_line(text, found.start(), stop):
                yield 0, stop
        elif (end := ends.get(name, 0)) > stop:
            at = end
            yield found.start(), end
        # Any other tag without an end may be a person's `<placeholder>`.
        elif _SWALLOWS.fullmatch(name) or _stands_apart(text, found.start(), stop):
            yield found.start(), len(text)
            return
    # More tags than a person types: the rest is a program's.
    yield at, len(text)


class ClosedTag(Value):
    """Where a tag and its end stand in a text, and what is between them."""

    start: int
    stop: int
    inner: str


def closed_tags(text: str, names: re.Pattern[str]) -> Iterator[ClosedTag]:
    """Yield the tags of these names that have an end, each up to its first; none within another.

    A pattern for both at once would look through the rest of the text for each tag without one.
    """
    ends: dict[str, list[re.Match[str]]] = {}
    for found in _CLOSING.finditer(text):
        ends.setdefault(found[1].lower(), []).append(found)
    at = 0
    for found in OPENING_TAG.finditer(text):
        name = found[1].lower()
        if found.start() < at or not names.fullmatch(name):
            continue
        later = ends.get(name, [])
        first = bisect_left(later, found.end(), key=re.Match.start)
        if first < len(later):
            at = later[first].end()
            yield ClosedTag(found.start(), at, text[found.end() : later[first].start()])


def without_tags(text: str, names: re.Pattern[str]) -> str:
    """Return a text without these tags and what they hold."""
    parts: list[str] = []
    at = 0
    for tag in closed_tags(text, names):
        parts.append(text[at : tag.start])
        at = tag.stop
    return "".join((*parts, text[at:]))


def _last_ends(text: str) -> dict[str, int]:
    """Return where the last end of each tag stops: an earlier one may be quoted in the text."""
    ends: dict[str, int] = {}
    for found in _TAG.finditer(text):
        if found["end"]:
            stop = text.find(">", found.end(), found.end() + _ATTRIBUTES_MOST)
            ends[found["name"].lower()] = found.end() if stop < 0 else stop + 1
    return ends


def _tag_stop(text: str, at: int) -> int | None:
    """Return where a tag with this end of its name stops; None if it is no tag."""
    rest = _REST.match(text, at, at + _ATTRIBUTES_MOST)
    if rest is not None:
        return rest.end()
    # A quotation mark is missing, or the attributes are very long: a tag all the same.
    if _ATTRIBUTE.match(text, at, at + _ATTRIBUTES_MOST):
        return at
    return None


def _stands_apart(text: str, start: int, stop: int) -> bool:
    """Return whether a tag has attributes or a line of its own, as no placeholder has."""
    if "=" in text[start:stop]:
        return True
    return _has_its_line(text, start, stop) and bool(text[stop:].strip())


def _has_its_line(text: str, start: int, stop: int) -> bool:
    # What follows comes first: only one tag of a line, which may be long, ends it.
    if _LINE_END.match(text, stop) is None:
        return False
    return not text[text.rfind("\n", 0, start) + 1 : start].strip()
