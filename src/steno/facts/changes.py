"""The text that a call puts into files: edits, whole files, patches.

Reads the arguments of any tool by what they hold: a pair of old and new text, a
whole content, a list of such pairs, a patch as text. `artifacts` says which files a
call touches without saying their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice

from steno.core.message import Call, Value
from steno.core.word_tables import word_tuple
from steno.facts.artifacts import PATCH, base_of_call, call_touches, command_of_call
from steno.facts.scripted import scripted_calls
from steno.facts.shell_changes import written_texts
from steno.facts.vocabulary import WRITES, fold_names
from steno.facts.vocabulary import decode_arguments as decode_json

OLD_NAMES = word_tuple("oldstring oldstr oldtext oldcode search find original")
NEW_NAMES = word_tuple("newstring newstr newtext newcode replace replacement newsource")
WHOLE_NAMES = word_tuple("content contents filetext filecontent text body newcontent")
CHANGES_MOST = 64
CALLS_MOST = 4_096
"""Calls whose changes are kept: several readers ask for the same one."""

_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.M)
_HUNK_MARK = re.compile(r"^@@.*$", re.M)


class TextChange(Value):
    """One text that a call puts into a file."""

    path: str
    """The file's canonical path, as `artifacts` knows it."""
    old: str | None
    """The text it replaces; None where `new` is the whole file."""
    new: str
    everywhere: bool = False
    """Whether it replaces the old text wherever it stands."""
    unplaced: bool = False
    """Whether it replaces a text that the call does not show, such as a cell."""


@lru_cache(maxsize=CALLS_MOST)
def text_changes(call: Call) -> tuple[TextChange, ...]:
    """Return the texts that a call puts into files, in order."""
    if inner := scripted_calls(call):
        return tuple(islice(chain.from_iterable(map(text_changes, inner)), CHANGES_MOST))
    if PATCH in call.arguments:
        return tuple(_patch_changes(call))[:CHANGES_MOST]
    command = command_of_call(call)
    if command:
        written = islice(written_texts(command, base_of_call(call)), CHANGES_MOST)
        return tuple(TextChange(path, "" if adds else None, text) for path, text, adds in written)
    paths = [touch.key for touch in call_touches(call) if touch.action in WRITES]
    if not paths:
        return ()
    return tuple(_argument_changes(paths[0], decode_arguments(call)))[:CHANGES_MOST]


def decode_arguments(call: Call) -> Mapping[str, object]:
    """Return a call's arguments by folded name; nothing where they are no object."""
    decoded = decode_json(call.arguments)
    return fold_names(decoded) if isinstance(decoded, dict) else {}


def argument_texts(call: Call) -> Iterator[str]:
    """Yield the texts in a call's arguments, decoded; the arguments themselves if no JSON."""
    return strings_in(decode_json(call.arguments))


def _argument_changes(path: str, arguments: Mapping[str, object]) -> Iterator[TextChange]:
    old, new = _first_text(arguments, OLD_NAMES), _first_text(arguments, NEW_NAMES)
    if new is not None:
        pairs = arguments.items()
        inserts = any("insert" in name or value in ("insert", "append") for name, value in pairs)
        unplaced = old is None and not inserts
        yield TextChange(path, old or "", new, arguments.get("replaceall") is True, unplaced)
        return
    lists = [value for value in arguments.values() if isinstance(value, list)]
    edits = [fold_names(edit) for value in lists for edit in value if isinstance(edit, dict)]
    edits = [edit for edit in edits if _first_text(edit, NEW_NAMES) is not None]
    for edit in edits:
        old, new = _first_text(edit, OLD_NAMES), _first_text(edit, NEW_NAMES)
        yield TextChange(path, old or "", new or "", edit.get("replaceall") is True)
    whole = _first_text(arguments, WHOLE_NAMES)
    if whole is not None and not edits:
        yield TextChange(path, None, whole)


def _first_text(arguments: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            return value
    return None


def _patch_changes(call: Call) -> Iterator[TextChange]:
    """Yield the changes of a patch, whichever tool or command carries it."""
    texts = strings_in(decode_arguments(call))
    text = next((text for text in texts if PATCH in text), call.arguments)
    keys = {touch.words: touch.key for touch in call_touches(call)}
    _, *parts = _FILE.split(text)
    for kind, said, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        path = keys.get(said.strip(), said.strip())
        if kind == "Add":
            yield TextChange(path, None, _side(body, "+"))
        elif kind == "Update":
            for hunk in _HUNK_MARK.split(body):
                old, new = _side(hunk, "-", " "), _side(hunk, "+", " ")
                if old != new:
                    yield TextChange(path, old, new)


def strings_in(value: object) -> Iterator[str]:
    """Yield the strings that a JSON value holds."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)


def _side(hunk: str, *marks: str) -> str:
    """Return the lines of a hunk that begin with one of the marks, without it."""
    lines = [line for line in hunk.split("\n") if line[:1] in marks and line]
    return "\n".join(line[1:] for line in lines)
