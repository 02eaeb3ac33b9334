"""What the agent noted in the code that it wrote: comments with the line that they stand at.

Why something is done the way it is done mostly stands there, in few words. Owns where such notes
begin and end; which of them are told is decided by `pieces`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from textwrap import dedent

NOTE_LEAST = 25
"""Characters of a comment from which on it says more than a heading."""
NOTE_LINES = 8
"""Lines of a comment that are told, the first."""
SIGNATURE_LINES = 10
"""Lines within which the parameters of a definition must end for it to be told."""
_COMMENT = re.compile(r"(?<!\s)\s*+(?://+|#(?=[\s!]|$)|--(?=\s)|/?(?<!\*)\*++/?(?=\s|$)|<!--)\s?")
_DEFINES = re.compile(
    r"\s*+(?:(?:export|default|public|private|protected|static|async|abstract|pub(?:\([a-z]+\))?)"
    r" )*+(?:def|class|func|fn|function|type|interface|struct|enum|trait)\b *+(?:\([^)]{0,80}\) *)?"
    r"([A-Za-z_]\w*+)"
)
"""A line that defines a function or a type, and its name."""
_DOCSTRING = re.compile(r"\s*[rbuRBU]?(\"\"\"|''')")


def code_notes(text: str, own: Container[str]) -> Iterator[str]:
    """Yield the comments of a piece of code that have one of the agent's `own` lines.

    Each with the line that it stands at: the next one, or for a docstring the one before.
    """
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        first, after = at, _comment_end(lines, at)
        at = max(after, at + 1)
        if after == first or not any(line in own for line in lines[first:after]):
            continue
        if sum(len(_COMMENT.sub("", line).strip()) for line in lines[first:after]) < NOTE_LEAST:
            continue
        told = lines[first : min(after, first + NOTE_LINES)]
        if _DOCSTRING.match(lines[first]):
            told = [lines[first - 1], *told]
        elif after < len(lines) and lines[after].strip():
            told.append(lines[after])
            at = after + 1
        yield dedent("\n".join(told))


def definitions_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a piece of code defines: a name, and its definition below its comment."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        found = _DEFINES.match(line)
        if found is None:
            continue
        first = at
        while first and at - first < NOTE_LINES and _COMMENT.match(lines[first - 1]):
            first -= 1
        after = _signature_end(lines, at)
        if after is not None:
            yield found[1], dedent("\n".join(lines[first:after]))


def _signature_end(lines: list[str], at: int) -> int | None:
    """Return the line after a definition's parameters; None if they do not end soon.

    The beginning of a list of parameters says no more than the name does.
    """
    depth = 0
    for after in range(at, min(at + SIGNATURE_LINES, len(lines))):
        depth += lines[after].count("(") - lines[after].count(")")
        if depth <= 0:
            return after + 1
    return None


def _comment_end(lines: list[str], at: int) -> int:
    """Return where the comment that begins at a line ends; the line itself if there is none."""
    opening = _DOCSTRING.match(lines[at])
    # Elsewhere the same marks begin and end other texts.
    if opening is None or at == 0 or not lines[at - 1].rstrip().endswith(":"):
        while at < len(lines) and _COMMENT.match(lines[at]):
            at += 1
        return at
    if opening[1] in lines[at][opening.end() :]:
        return at + 1
    for after in range(at + 1, len(lines)):
        if opening[1] in lines[after]:
            return after + 1
    return len(lines)
