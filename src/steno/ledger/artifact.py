"""What was touched: files, commands, addresses and searches, computed from calls.

A call is read with a vocabulary; what it says is taken at its word, also where it
failed later. Keys tell the things apart: a file by its canonical path, a command
as `$ make test`, a search as `? words in src`, a task given away as `@ words`.
What the results say is no business of this module.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

import msgspec

from steno.core.message import Call, Message
from steno.ledger.command import touches
from steno.ledger.fact import Fact
from steno.ledger.path import canonical, is_place, is_web
from steno.ledger.shell import inner
from steno.ledger.vocabulary import (
    BASES,
    COMMANDS,
    EDITOR,
    KNOWN,
    PATHS,
    QUERIES,
    SOURCES,
    TARGETS,
    TASKS,
    WEB,
    Action,
    Tool,
    Touch,
    Vocabulary,
    folded,
    named,
)

ARTIFACTS_MOST = 64
WORDS_MOST = 300
ADDRESS_MOST = 2_000
SALVAGED = 4_000
NESTED_MOST = 32
CALLS_MOST = 16_384
"""Held ready: several ask what a call touches."""
PATCH = "*** Begin Patch"
_HUNK = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$(?:\n\*\*\* Move to: (.+)$)?", re.M)
_HUNKS: dict[str, Action] = {"Add": "created", "Update": "edited", "Delete": "deleted"}
_SAID = re.compile(r'"(\w{2,24})"\s*:\s*("(?:[^"\\]|\\.)*+")')
_GONE = ("deleted", "moved")

Arguments = dict[str, object]


def read(message: Message, vocabulary: Vocabulary = KNOWN) -> Iterator[Fact]:
    """What a message's calls touch."""
    return islice(_facts(message, vocabulary), ARTIFACTS_MOST)


def _facts(message: Message, vocabulary: Vocabulary) -> Iterator[Fact]:
    for at, block in enumerate(message.blocks):
        if isinstance(block, Call):
            for touch in touched(block, vocabulary):
                note = f"moved to {touch.to}" if touch.to else touch.action
                yield Fact("artifact", touch.words, "assistant", at, touch.key, note)


def touched(call: Call, vocabulary: Vocabulary = KNOWN) -> tuple[Touch, ...]:
    """What one call touches, each thing once for each thing done to it."""
    return _by_known(call) if vocabulary is KNOWN else _touched(call, vocabulary)


@lru_cache(maxsize=CALLS_MOST)
def _by_known(call: Call) -> tuple[Touch, ...]:
    return _touched(call, KNOWN)


def _touched(call: Call, vocabulary: Vocabulary) -> tuple[Touch, ...]:
    tool = vocabulary.tool(call.name)
    arguments = _arguments(call, tool)
    found = dict.fromkeys(_read(tool, arguments, vocabulary))
    if PATCH in call.arguments:
        found |= dict.fromkeys(_patched(call, arguments))
    return tuple(found)


def command_of(call: Call, vocabulary: Vocabulary = KNOWN) -> str:
    """The command that a call runs, whole; empty if it runs none."""
    tool = vocabulary.tool(call.name)
    arguments = _arguments(call, tool)
    commands = named(arguments, COMMANDS) if tool.action in ("ran", "used") else []
    return _line(commands) if commands and not _asked(commands, arguments) else ""


def _arguments(call: Call, tool: Tool) -> Arguments:
    """The arguments as an object with folded names; of a text that is none, whatever pairs it still shows."""
    try:
        read = msgspec.json.decode(call.arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        read = call.arguments
    if isinstance(read, dict):
        return _folded(read)
    if isinstance(read, str) and not read.lstrip().startswith(("{", "[")):
        return {"command": read} if tool.action == "ran" else {}
    pairs = _SAID.findall(call.arguments[:SALVAGED])
    return _folded({name: _unescaped(said) for name, said in pairs})


def _folded(arguments: dict[str, object]) -> Arguments:
    return {folded(name): value for name, value in arguments.items()}


def _unescaped(quoted: str) -> str:
    try:
        return msgspec.json.decode(quoted, type=str)
    except (msgspec.DecodeError, UnicodeError):
        return quoted[1:-1]


def _patched(call: Call, arguments: Arguments) -> Iterator[Touch]:
    """The files of a patch, whichever tool or command carries it."""
    base = next(iter(named(arguments, BASES)), "")
    carried = [said for name in arguments for said in named(arguments, (name,)) if PATCH in said]
    for kind, path, target in _HUNK.findall("\n".join(carried) or call.arguments):
        said, to = path.strip(), target.strip()
        if not is_place(said):
            continue
        key = canonical(said, base)
        if is_place(to):
            yield Touch("moved", said, key, canonical(to, base))
            yield Touch("created", to, canonical(to, base))
        else:
            yield Touch(_HUNKS[kind], said, key)


def _read(tool: Tool, arguments: Arguments, vocabulary: Vocabulary) -> Iterator[Touch]:
    if isinstance(arguments.get("tooluses"), list):
        yield from _together(arguments["tooluses"], vocabulary)
        return
    base = next(iter(named(arguments, BASES)), "")
    commands = named(arguments, COMMANDS)
    if asked := _asked(commands, arguments):
        yield from _placed(Tool(tool.name, asked, tool.says), arguments, base)
    elif commands and tool.action in ("ran", "used"):
        yield from _commanded(_line(commands), base)
    elif tool.action == "delegated":
        for said in named(arguments, _says(tool) or TASKS)[:1]:
            yield Touch("delegated", said[:WORDS_MOST], f"@ {_short(said)}")
    else:
        yield from _placed(tool, arguments, base)


def _asked(commands: list[str], arguments: Arguments) -> Action | None:
    """What an editor is asked to do, where that is what `command` says."""
    return EDITOR.get(commands[0]) if commands and named(arguments, (*PATHS, *SOURCES)) else None


def _together(uses: object, vocabulary: Vocabulary) -> Iterator[Touch]:
    """Calls that travel in one."""
    for use in (uses if isinstance(uses, list) else [])[:NESTED_MOST]:
        name, given = (use.get("recipient_name"), use.get("parameters")) if isinstance(use, dict) else (None, None)
        if isinstance(name, str) and isinstance(given, dict) and "tool_uses" not in given:
            yield from _read(vocabulary.tool(name.rpartition(".")[2]), _folded(given), vocabulary)


def _line(words: list[str]) -> str:
    """A command as one text, also where it came as a list of words."""
    return words[0] if len(words) == 1 else inner(words) or shlex.join(words)


def _commanded(command: str, base: str) -> Iterator[Touch]:
    yield Touch("ran", command[:WORDS_MOST], f"$ {_short(command)}")
    yield from touches(command, base)


def _short(said: str) -> str:
    return " ".join(said[: WORDS_MOST * 2].split())[:WORDS_MOST]


def _placed(tool: Tool, arguments: Arguments, base: str) -> Iterator[Touch]:
    """What a tool with plain arguments does: to addresses, to places, by a search."""
    moves, searches = tool.action in ("moved", "copied"), tool.action == "searched"
    usual = (*SOURCES, *PATHS) if moves else PATHS
    places = named(arguments, usual if searches else _says(tool) or usual)
    if searches:
        where = f" in {canonical(places[0], base)}" if places else ""
        for said in named(arguments, _says(tool) or QUERIES):
            yield Touch("searched", said[:WORDS_MOST], f"? {_short(said)}{where}")
    for said in named(arguments, WEB):
        if len(said) <= ADDRESS_MOST:
            yield Touch("written" if tool.action in ("written", "created") else "fetched", said, canonical(said))
    for said in places:
        yield from _acted(tool.action, said, named(arguments, TARGETS) if moves else [], base)
    for inside in _nested(arguments):
        yield from (touch for said in named(inside, PATHS) for touch in _acted(tool.action, said, [], base))


def _says(tool: Tool) -> tuple[str, ...]:
    return tuple(map(folded, tool.says))


def _nested(arguments: Arguments) -> Iterator[Arguments]:
    for value in arguments.values():
        if isinstance(value, list):
            yield from (_folded(each) for each in value[:NESTED_MOST] if isinstance(each, dict))


def _acted(action: Action, said: str, targets: list[str], base: str) -> Iterator[Touch]:
    if not is_place(said) or (action == "searched" and said in (".", "./")):
        return
    key = canonical(said, base)
    if is_web(said):
        yield Touch("fetched" if action in ("read", "used") else action, said, key)
    elif targets and is_place(targets[0]):
        to = canonical(targets[0], base)
        yield Touch("moved", said, key, to) if action == "moved" else Touch("read", said, key)
        yield Touch("created", targets[0], to)
    else:
        yield Touch("used" if action == "ran" else action, said, key)


@dataclass(frozen=True, slots=True)
class Touched:
    """A thing and all that was done to it, oldest first."""

    key: str
    words: str
    actions: tuple[tuple[str, int], ...]
    """What was done, and the position of the message that did it."""
    to: str = ""
    """Where it moved to, if that was the last of it."""

    @property
    def newest(self) -> tuple[str, int]:
        return self.actions[-1]

    @property
    def gone(self) -> bool:
        return self.actions[-1][0] in _GONE


@dataclass(frozen=True, slots=True)
class Touches:
    """What a log has touched so far: a left fold, so that reading on costs what is new."""

    things: Mapping[str, Touched] = field(default_factory=dict)

    def plus(self, stated: Iterable[tuple[int, Fact]]) -> Touches:
        """With what later messages state, in order; other kinds of facts are passed over."""
        things = dict(self.things)
        for position, fact in stated:
            if fact.kind == "artifact":
                action, _, to = fact.note.partition(" to ")
                # Taken out and put back, so that the order is that of the newest touch.
                before = things.pop(fact.key, None)
                actions = (*before.actions, (action, position)) if before else ((action, position),)
                things[fact.key] = Touched(fact.key, fact.words, actions, to)
        return Touches(things)


def standing(stated: Iterable[tuple[int, Fact]]) -> list[Touched]:
    """Each thing touched, by its newest touch."""
    return list(Touches().plus(stated).things.values())
