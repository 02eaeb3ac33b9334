"""Calls that an agent makes from a script: `await tools.exec_command({cmd: "make"})`.

Some agents (Codex's code mode) send one call whose text is JavaScript, and that script calls the
tools. The script is read for those calls, so that everything else sees commands, files and plans as
if they had been called directly. It is not run: an argument that the script computes is null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import msgspec

from steno.core.message import Call
from steno.facts.vocabulary import decode_arguments

CALLS_MOST = 1_024
"""Calls whose scripts are kept: several readers ask for the same one."""
INNER_MOST = 32
SCRIPT_MOST = 200_000

_CALLED = re.compile(r"\btools\.(\w{1,80})\s*\(")
_CONSTANT = re.compile(r"\b(?:const|let|var)\s+(\w{1,80})\s*=\s*(?=[\"'`]|String\.raw`)")
# Possessive: a string that was never closed costs no backtracking.
_TOKEN = re.compile(
    r"(?P<skip>\s+|//[^\n]*|/\*.*?\*/)|(?:String\.raw`(?P<raw>[^`]*+)`)"
    r"|\"(?P<double>(?:[^\"\\]|\\.)*+)\"|'(?P<single>(?:[^'\\]|\\.)*+)'"
    r"|`(?P<template>(?:[^`\\]|\\.)*+)`"
    r"|(?P<field>[A-Za-z_$][\w$]*)(?=\s*:)|(?P<name>[A-Za-z_$][\w$.]*)"
    r"|(?P<number>-?\d+(?:\.\d+)?\b)|(?P<mark>.)",
    re.S,
)
_OPENS = frozenset("([{")
_CLOSES = frozenset(")]}")
_ENDS = _CLOSES | frozenset(",;")
_JOINS = "\0"
"""Stands for a plus: no text in JSON holds it."""
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


@lru_cache(maxsize=CALLS_MOST)
def scripted_calls(call: Call) -> tuple[Call, ...]:
    """Return the calls that a call's script makes, in order; none if it is no script."""
    if "tools." not in call.arguments or len(call.arguments) > SCRIPT_MOST:
        return ()
    script = decode_arguments(call.arguments)
    if not isinstance(script, str) or "await" not in script or script.lstrip()[:1] in "{[":
        return ()
    constants = dict(_values(_CONSTANT, script, {}))
    calls: list[Call] = []
    for name, arguments in islice(_values(_CALLED, script, constants), INNER_MOST):
        read = decode_arguments(arguments)
        # Text alone goes out as it is, as a patch does that is sent without a script.
        if isinstance(read, str):
            arguments = read
        calls.append(Call(call.id, name, arguments))
    return tuple(calls)


def _values(
    begins: re.Pattern[str], script: str, constants: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the name that each match holds, and the value behind it."""
    at = 0
    while (found := begins.search(script, at)) is not None:
        value, at = _read_value(script, found.end(), constants)
        yield found[1], value


def _read_value(script: str, start: int, constants: dict[str, str]) -> tuple[str, int]:
    """Return the JavaScript value that begins here as JSON, and its end; `{}` if it is computed."""
    written: list[str] = []
    depth = size = 0
    at = start
    # A constant may be long, and named often.
    while size <= SCRIPT_MOST and (token := _TOKEN.match(script, at)) is not None:
        at = token.end()
        if token["skip"]:
            continue
        said = token["mark"] or _as_json(token, constants)
        size += len(said)
        if depth == 0 and said in _ENDS:
            break
        if said in _OPENS:
            depth += 1
        if said in _CLOSES:
            depth -= 1
            # JSON has no comma behind the last of a list.
            if written[-1] == ",":
                written.pop()
        if said == "+":
            said = _JOINS
        written.append(said)
    # "a" + "b" is one text.
    value = "".join(written).replace(f'"{_JOINS}"', "")
    if decode_arguments(value) == value:
        return "{}", at
    return value, at


def _as_json(token: re.Match[str], constants: dict[str, str]) -> str:
    """Return a string, a number, the name of a field or a constant as JSON."""
    if token["number"]:
        return token["number"]
    if token["field"]:
        return _json_string(token["field"])
    if token["name"] in ("true", "false"):
        return token["name"]
    if token["name"]:
        return constants.get(token["name"], "null")
    if token["raw"] is not None:
        return _json_string(token["raw"])
    quoted = token["double"] or token["single"] or token["template"] or ""
    return _json_string(_ESCAPE.sub(_unescape, quoted))


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code:
        return chr(min(int(code, 16), 0x10FFFF))
    return _ESCAPED.get(escape[4], escape[4])


def _json_string(text: str) -> str:
    # Two halves of a character, each escaped, become one.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return msgspec.json.encode(whole).decode()
