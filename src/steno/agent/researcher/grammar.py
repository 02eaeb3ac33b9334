"""How a model that speaks text alone calls tools and answers: a few lines, read strictly.

    any words, kept as notes
    CALL name {"argument": "value"}

    any words, kept as notes
    ANSWER: what was asked
    SOURCES: where it stands, one a line

Owns reading such a text, and saying in words what is wrong with it. What is asked
of a model that got it wrong is the talker's business; whether a source resolves
is the library's.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

CALLS_MOST = 4
SOURCES_MOST = 40
FORM = f"""\
Reply in one of two ways.
To use tools, one call a line, at most {CALLS_MOST}, the arguments as JSON:
CALL search {{"query": "telling words"}}
To end, when the task is answered or cannot be:
ANSWER: the answer, in a few sentences
SOURCES: where each statement stands, as the tools gave it, one a line
Words before that are kept as your notes."""

_MARK = re.compile(r"^[ \t>*-]*(?P<mark>CALL(?=[ \t])|ANSWER:|SOURCES:)(?:\*\*)?", re.M)
_CALL = re.compile(r"[ \t]+(?P<name>[A-Za-z_][\w.-]{0,63})[ \t]*")
_FENCES = re.compile(r"^[ \t]*```\w*[ \t]*$\n?", re.M)
_BULLET = re.compile(r"^\s*(?:[-*•]|\[?\d{1,2}[.)\]])\s+")
_APART = re.compile(r"\n|;\s|,\s+(?=[^\s,:]+:\d|https?://)")
_QUOTED = re.compile(r"(?P<source>(?!https?:)[^\s:][^\n:]*:\d{1,9}(?:[-–]\d{1,9})?)(?::\s.*)?")
"""A source as a search gives it, with the words that stand there."""


@dataclass(frozen=True)
class Said:
    """What a reply says."""

    notes: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Names, and arguments as JSON."""
    answer: str | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wrong:
    """What is wrong with a reply, in words its author can act on."""

    what: str


def read(text: str) -> Said | Wrong:
    """What a reply says, or what is wrong with it."""
    plain = _FENCES.sub("", text)
    first = _MARK.search(plain)
    if first is None:
        return Wrong("there is neither a CALL nor an ANSWER in it")
    notes = plain[: first.start()].strip()
    if first["mark"] == "SOURCES:":
        return Wrong("SOURCES stand after an ANSWER")
    if first["mark"] == "ANSWER:":
        return _answered(notes, plain[first.end() :])
    return _called(notes, plain, first.start())


def _answered(notes: str, rest: str) -> Said | Wrong:
    listed = next((mark for mark in _MARK.finditer(rest) if mark["mark"] == "SOURCES:"), None)
    answer = (rest if listed is None else rest[: listed.start()]).strip()
    if not answer:
        return Wrong("the ANSWER is empty")
    rows = "" if listed is None else rest[listed.end() :]
    found = (_source(row) for row in _APART.split(rows))
    return Said(notes, (), answer, tuple(dict.fromkeys(source for source in found if source))[:SOURCES_MOST])


def _source(row: str) -> str:
    bare = _BULLET.sub("", row).strip().strip("`<>").strip()
    quoted = _QUOTED.fullmatch(bare)
    return quoted["source"] if quoted else bare


def _called(notes: str, text: str, start: int) -> Said | Wrong:
    calls: list[tuple[str, str]] = []
    at: int | None = start
    while at is not None:
        mark = _MARK.search(text, at)
        if mark is None:
            break
        if mark["mark"] != "CALL":
            return Wrong("it calls tools and answers at once: wait for the results before you answer")
        named = _CALL.match(text, mark.end())
        if named is None:
            return Wrong("a CALL names its tool and gives the arguments as JSON")
        arguments, at = _arguments(text, named.end())
        if at is None:
            return Wrong(f"the arguments of CALL {named['name']} are no JSON object ({arguments})")
        calls.append((named["name"], arguments))
    if len(calls) > CALLS_MOST:
        return Wrong(f"it makes {len(calls)} calls; {CALLS_MOST} are the most")
    return Said(notes, tuple(calls))


def _arguments(text: str, at: int) -> tuple[str, int | None]:
    """JSON of a call's arguments and where it ends; or why it is none, and None."""
    line = text[at : text.find("\n", at) if "\n" in text[at:] else len(text)]
    if not line.strip():
        return "{}", at
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError) as wrong:
        return getattr(wrong, "msg", "too deep"), None
    if not isinstance(value, dict):
        return f"it is a {type(value).__name__}", None
    return json.dumps(value, ensure_ascii=False), end


def spelt(notes: str, calls: tuple[tuple[str, str], ...]) -> str:
    """Notes and calls in the very form that `read` reads."""
    return "\n".join([*([notes] if notes else []), *(f"CALL {name} {arguments}" for name, arguments in calls)])
