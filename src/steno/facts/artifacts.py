"""What was touched: files, commands, addresses and searches, computed from calls.

A call is read with a vocabulary of tools and taken at its word, even if it failed later.
Keys tell things apart: a file by its canonical path, a command as `$ make test`, a search
as `? words in src`, a delegated task as `@ words`. Results are not read here.
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
from steno.facts.fact import Fact
from steno.facts.paths import canonical_path, is_place, is_web
from steno.facts.shell import command_touches
from steno.facts.shell_words import inner_command
from steno.facts.vocabulary import (
    BASES,
    CHANGES,
    COMMANDS,
    EDITOR,
    KNOWN_TOOLS,
    PATHS,
    QUERIES,
    SOURCES,
    TARGETS,
    TASKS,
    WEB,
    Action,
    KnownTool,
    Touch,
    Vocabulary,
    decode_arguments,
    fold_name,
    string_arguments,
)

ARTIFACTS_MOST = 64
WORDS_MOST = 300
ADDRESS_MOST = 2_000
SALVAGED = 4_000
NESTED_MOST = 32
LOOKS_MOST = 64
"""Places that are remembered of each action on one thing that changes nothing."""
CALLS_MOST = 16_384
"""Held ready: several ask what a call touches."""
PATCH = "*** Begin Patch"
_HUNK = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$(?:\n\*\*\* Move to: (.+)$)?", re.M)
_HUNKS: dict[str, Action] = {"Add": "created", "Update": "edited", "Delete": "deleted"}
# Possessive: a string that was never closed costs no backtracking.
_SAID = re.compile(r'"(\w{2,24})"\s*:\s*("(?:[^"\\]|\\.)*+")')
_GONE = ("deleted", "moved")

Arguments = dict[str, object]


def read_artifacts(message: Message, vocabulary: Vocabulary = KNOWN_TOOLS) -> Iterator[Fact]:
    """Return what a message's calls touch."""
    return islice(_artifact_facts(message, vocabulary), ARTIFACTS_MOST)


def _artifact_facts(message: Message, vocabulary: Vocabulary) -> Iterator[Fact]:
    for at, block in enumerate(message.blocks):
        if isinstance(block, Call):
            for touch in call_touches(block, vocabulary):
                note: str = touch.action
                if touch.to:
                    note = f"moved to {touch.to}"
                yield Fact("artifact", touch.words, "assistant", at, touch.key, note)


def call_touches(call: Call, vocabulary: Vocabulary = KNOWN_TOOLS) -> tuple[Touch, ...]:
    """Return what one call touches, each thing once for each thing done to it."""
    if vocabulary is KNOWN_TOOLS:
        return _cached_touches(call)
    return _find_touches(call, vocabulary)


@lru_cache(maxsize=CALLS_MOST)
def _cached_touches(call: Call) -> tuple[Touch, ...]:
    return _find_touches(call, KNOWN_TOOLS)


def _find_touches(call: Call, vocabulary: Vocabulary) -> tuple[Touch, ...]:
    tool = vocabulary.tool(call.name)
    arguments = _parse_arguments(call, tool)
    found = dict.fromkeys(_tool_touches(tool, arguments, vocabulary))
    if PATCH in call.arguments:
        found |= dict.fromkeys(_patch_touches(call, arguments))
    return tuple(found)


def command_of_call(call: Call, vocabulary: Vocabulary = KNOWN_TOOLS) -> str:
    """Return the command that a call runs, whole; empty if it runs none."""
    tool = vocabulary.tool(call.name)
    if tool.action not in ("ran", "used"):
        return ""
    arguments = _parse_arguments(call, tool)
    commands = string_arguments(arguments, COMMANDS)
    if commands and not _editor_action(commands, arguments):
        return _command_line(commands)
    return ""


def base_of_call(call: Call, vocabulary: Vocabulary = KNOWN_TOOLS) -> str:
    """Return the folder that a call says it works in; empty if it says none."""
    arguments = _parse_arguments(call, vocabulary.tool(call.name))
    return next(iter(string_arguments(arguments, BASES)), "")


def _parse_arguments(call: Call, tool: KnownTool) -> Arguments:
    """Return the arguments by folded name; of broken JSON, the pairs that can still be read."""
    read = decode_arguments(call.arguments)
    if isinstance(read, dict):
        return _fold_names(read)
    if isinstance(read, str) and not read.lstrip().startswith(("{", "[")):
        if tool.action == "ran":
            return {"command": read}
        return {}
    # Of a call that was cut off, the first arguments can still be read.
    pairs = _SAID.findall(call.arguments[:SALVAGED])
    return _fold_names({name: _unescape(said) for name, said in pairs})


def _fold_names(arguments: dict[str, object]) -> Arguments:
    return {fold_name(name): value for name, value in arguments.items()}


def _unescape(quoted: str) -> str:
    try:
        return msgspec.json.decode(quoted, type=str)
    except (msgspec.DecodeError, UnicodeError):
        return quoted[1:-1]


def _patch_touches(call: Call, arguments: Arguments) -> Iterator[Touch]:
    """Yield the files of a patch, whichever tool or command carries it."""
    base = next(iter(string_arguments(arguments, BASES)), "")
    carried = [
        said for name in arguments for said in string_arguments(arguments, (name,)) if PATCH in said
    ]
    for kind, path, target in _HUNK.findall("\n".join(carried) or call.arguments):
        said, to = path.strip(), target.strip()
        if not is_place(said):
            continue
        key = canonical_path(said, base)
        if is_place(to):
            yield Touch("moved", said, key, canonical_path(to, base))
            yield Touch("created", to, canonical_path(to, base))
        else:
            yield Touch(_HUNKS[kind], said, key)


def _tool_touches(tool: KnownTool, arguments: Arguments, vocabulary: Vocabulary) -> Iterator[Touch]:
    # OpenAI's `multi_tool_use.parallel`: several calls travel as one.
    if isinstance(arguments.get("tooluses"), list):
        yield from _batch_touches(arguments["tooluses"], vocabulary)
        return
    base = next(iter(string_arguments(arguments, BASES)), "")
    commands = string_arguments(arguments, COMMANDS)
    if asked := _editor_action(commands, arguments):
        yield from _argument_touches(KnownTool(tool.name, asked, tool.says), arguments, base)
    elif commands and tool.action in ("ran", "used"):
        yield from _run_touches(_command_line(commands), base)
    elif tool.action == "delegated":
        for said in string_arguments(arguments, _argument_names(tool) or TASKS)[:1]:
            yield Touch("delegated", said[:WORDS_MOST], f"@ {_shorten(said)}")
    else:
        yield from _argument_touches(tool, arguments, base)


def _editor_action(commands: list[str], arguments: Arguments) -> Action | None:
    """Return what an editor is asked to do, where that is what `command` says."""
    # An editor's `command` is a verb with a path beside it, a shell's is a whole command.
    if commands and string_arguments(arguments, (*PATHS, *SOURCES)):
        return EDITOR.get(commands[0])
    return None


def _batch_touches(uses: object, vocabulary: Vocabulary) -> Iterator[Touch]:
    """Yield what the calls touch that travel in one."""
    for use in (uses if isinstance(uses, list) else [])[:NESTED_MOST]:
        if not isinstance(use, dict):
            continue
        name, given = use.get("recipient_name"), use.get("parameters")
        # A batch within a batch is left out: it could nest without end.
        if isinstance(name, str) and isinstance(given, dict) and "tool_uses" not in given:
            yield from _tool_touches(
                vocabulary.tool(name.rpartition(".")[2]), _fold_names(given), vocabulary
            )


def _command_line(words: list[str]) -> str:
    """Return a command as one text, also where it came as a list of words."""
    if len(words) == 1:
        return words[0]
    return inner_command(words) or shlex.join(words)


def _run_touches(command: str, base: str) -> Iterator[Touch]:
    yield Touch("ran", command[:WORDS_MOST], f"$ {_shorten(command)}")
    yield from command_touches(command, base)


def _shorten(said: str) -> str:
    # Cut before it is split: a command may carry a whole file.
    return " ".join(said[: WORDS_MOST * 2].split())[:WORDS_MOST]


def _argument_touches(tool: KnownTool, arguments: Arguments, base: str) -> Iterator[Touch]:
    """Yield what a tool with plain arguments does: to addresses, to places, by a search."""
    moves, searches = tool.action in ("moved", "copied"), tool.action == "searched"
    usual = (*SOURCES, *PATHS) if moves else PATHS
    places = string_arguments(arguments, usual if searches else _argument_names(tool) or usual)
    if searches:
        where = f" in {canonical_path(places[0], base)}" if places else ""
        for said in string_arguments(arguments, _argument_names(tool) or QUERIES):
            yield Touch("searched", said[:WORDS_MOST], f"? {_shorten(said)}{where}")
    for said in string_arguments(arguments, WEB):
        if len(said) <= ADDRESS_MOST:
            yield Touch(
                "written" if tool.action in ("written", "created") else "fetched",
                said,
                canonical_path(said),
            )
    for said in places:
        yield from _place_touches(
            tool.action, said, string_arguments(arguments, TARGETS) if moves else [], base
        )
    for inside in _nested_arguments(arguments):
        yield from (
            touch
            for said in string_arguments(inside, PATHS)
            for touch in _place_touches(tool.action, said, [], base)
        )


def _argument_names(tool: KnownTool) -> tuple[str, ...]:
    return tuple(map(fold_name, tool.says))


def _nested_arguments(arguments: Arguments) -> Iterator[Arguments]:
    for value in arguments.values():
        if isinstance(value, list):
            yield from (_fold_names(each) for each in value[:NESTED_MOST] if isinstance(each, dict))


def _place_touches(action: Action, said: str, targets: list[str], base: str) -> Iterator[Touch]:
    # A search of the whole project is about no place in it.
    if not is_place(said) or (action == "searched" and said in (".", "./")):
        return
    key = canonical_path(said, base)
    if is_web(said):
        yield Touch("fetched" if action in ("read", "used") else action, said, key)
    elif targets and is_place(targets[0]):
        to = canonical_path(targets[0], base)
        yield Touch("moved", said, key, to) if action == "moved" else Touch("read", said, key)
        yield Touch("created", targets[0], to)
    else:
        yield Touch("used" if action == "ran" else action, said, key)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A thing and what was done to it, oldest first."""

    key: str
    words: str
    actions: tuple[tuple[str, int], ...]
    """What was done, and the position of the message that did it; of each action that changes
    nothing, the newest places."""
    to: str = ""
    """Where it moved to, if that was the last of it."""
    first: int = 0
    """Where it was first touched."""
    touches: int = 1
    """How often it was touched."""

    @property
    def newest(self) -> tuple[str, int]:
        return self.actions[-1]

    @property
    def is_gone(self) -> bool:
        return self.actions[-1][0] in _GONE

    def after(self, action: str, position: int, words: str, to: str) -> Artifact:
        """Return the thing after one more touch."""
        actions = self.actions
        touch = (action, position)
        if action in CHANGES:
            actions = (*actions, touch)
        # Calls of one message often look at the same thing.
        elif actions[-1] != touch:
            looks = [old for old in actions if old[0] == action]
            if len(looks) >= LOOKS_MOST:
                oldest = actions.index(looks[0])
                actions = (*actions[:oldest], *actions[oldest + 1 :])
            actions = (*actions, touch)
        return Artifact(self.key, words, actions, to, self.first, self.touches + 1)


@dataclass(frozen=True, slots=True)
class Artifacts:
    """What a log has touched so far: a left fold, so that reading on costs what is new."""

    things: Mapping[str, Artifact] = field(default_factory=dict)

    def plus(self, stated: Iterable[tuple[int, Fact]]) -> Artifacts:
        """Return it with what later messages state, in order; other kinds are passed over."""
        things = dict(self.things)
        for position, fact in stated:
            if fact.kind == "artifact":
                action, _, to = fact.note.partition(" to ")
                # Taken out and put back, so that the order is that of the newest touch.
                before = things.pop(fact.key, None)
                if before is None:
                    touch = (action, position)
                    things[fact.key] = Artifact(fact.key, fact.words, (touch,), to, position)
                else:
                    things[fact.key] = before.after(action, position, fact.words, to)
        return Artifacts(things)
