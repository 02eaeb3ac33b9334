"""What was touched: files, commands, addresses and searches, computed from calls.

A call is read with a vocabulary of tools and believed, even if it failed later; results are
not read here. Keys tell things apart: a file by its canonical path, a command as
`$ make test`, a search as `? words in src`, a delegated task as `@ words`. At the end stand
the identifiers of any text: paths, names, hashes, long numbers and addresses.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice

import msgspec

from steno.core.message import Call, Message, Value
from steno.facts import vocabulary as names
from steno.facts.fact import Fact
from steno.facts.scripted import scripted_calls
from steno.facts.shell import command_touches, inner_command, move_touches
from steno.facts.vocabulary import (
    KNOWN_TOOLS,
    Action,
    KnownTool,
    Touch,
    Vocabulary,
    canonical_path,
    is_place,
    is_web,
)

ARTIFACTS_MOST = 64
WORDS_MOST = 300
ADDRESS_MOST = 2_000
NESTED_MOST = 32
LOOKS_MOST = 64
"""Places that are remembered of each action on one thing that changes nothing."""
CALLS_MOST = 16_384
"""Calls whose touches are kept: several readers ask for the same one."""
PATCH = "*** Begin Patch"
_HUNK = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$(?:\n\*\*\* Move to: (.+)$)?", re.M)
_HUNKS: dict[str, Action] = {"Add": "created", "Update": "edited", "Delete": "deleted"}

Arguments = dict[str, object]


def read_artifacts(message: Message) -> Iterator[Fact]:
    """Yield what a message's calls touch."""
    calls = ((at, block) for at, block in enumerate(message.blocks) if isinstance(block, Call))
    touches = ((at, touch) for at, call in calls for touch in call_touches(call))
    for at, touch in islice(touches, ARTIFACTS_MOST):
        note = f"moved to {touch.to}" if touch.to else touch.action
        yield Fact("artifact", touch.words, "assistant", at, touch.key, note)


@lru_cache(maxsize=CALLS_MOST)
def call_touches(call: Call, vocabulary: Vocabulary = KNOWN_TOOLS) -> tuple[Touch, ...]:
    """Return what one call touches, each thing once for each thing done to it."""
    if inner := scripted_calls(call):
        each = (call_touches(one, vocabulary) for one in inner)
        return tuple(dict.fromkeys(chain.from_iterable(each)))
    tool = vocabulary.tool(call.name)
    arguments = _parse_arguments(call, tool)
    found = dict.fromkeys(_tool_touches(tool, arguments))
    if PATCH in call.arguments:
        found |= dict.fromkeys(_patch_touches(call, arguments))
    return tuple(found)


@lru_cache(maxsize=CALLS_MOST)
def command_of_call(call: Call, vocabulary: Vocabulary = KNOWN_TOOLS) -> str:
    """Return the command that a call runs, whole; empty if it runs none."""
    if inner := scripted_calls(call):
        return "; ".join(filter(None, (command_of_call(one, vocabulary) for one in inner)))
    tool = vocabulary.tool(call.name)
    if tool.action not in ("ran", "used"):
        return ""
    arguments = _parse_arguments(call, tool)
    if _editor_action(arguments):
        return ""
    return _command_line(arguments)


def base_of_call(call: Call) -> str:
    """Return the folder that a call says it works in; empty if it says none."""
    return _base_of(_first_arguments(call))


def run_asked_for(call: Call) -> str:
    """Return the number of the run that a call waits for or types into; empty if of none."""
    arguments = _first_arguments(call)
    return str(arguments.get("sessionid") or arguments.get("cellid") or "")


def _first_arguments(call: Call) -> Arguments:
    """Return the arguments of a call, or of the first call that its script makes."""
    first = next(iter(scripted_calls(call)), call)
    return _parse_arguments(first, KNOWN_TOOLS.tool(first.name))


def _base_of(arguments: Arguments) -> str:
    return next(iter(names.string_arguments(arguments, names.BASES)), "")


def _parse_arguments(call: Call, tool: KnownTool) -> Arguments:
    """Return the arguments by folded name; none if they are broken JSON."""
    read = names.decode_arguments(call.arguments)
    if isinstance(read, dict):
        return names.fold_names(read)
    is_text = isinstance(read, str) and not read.lstrip().startswith(("{", "["))
    return {"command": read} if is_text and tool.action == "ran" else {}


def _patch_touches(call: Call, arguments: Arguments) -> Iterator[Touch]:
    """Yield the files of a patch, whichever tool or command carries it."""
    base = _base_of(arguments)
    texts = [said for name in arguments for said in names.string_arguments(arguments, (name,))]
    carried = "\n".join(said for said in texts if PATCH in said)
    for kind, path, target in _HUNK.findall(carried or call.arguments):
        said, to = path.strip(), target.strip()
        if is_place(said) and is_place(to):
            yield from move_touches("moved", said, to, to, base)
        elif is_place(said):
            yield Touch(_HUNKS[kind], said, canonical_path(said, base))


def _tool_touches(tool: KnownTool, arguments: Arguments) -> Iterator[Touch]:
    base = _base_of(arguments)
    command = _command_line(arguments)
    if asked := _editor_action(arguments):
        yield from _argument_touches(KnownTool(tool.name, asked, tool.says), arguments, base)
    elif command and tool.action in ("ran", "used"):
        yield Touch("ran", command[:WORDS_MOST], f"$ {_shorten(command)}")
        yield from command_touches(command, base)
    elif tool.action == "delegated":
        for said in names.string_arguments(arguments, _argument_names(tool) or names.TASKS)[:1]:
            yield Touch("delegated", said[:WORDS_MOST], f"@ {_shorten(said)}")
    else:
        yield from _argument_touches(tool, arguments, base)


def _editor_action(arguments: Arguments) -> Action | None:
    """Return what an editor is asked to do, where that is what `command` says."""
    # An editor's `command` is a verb with a path beside it, a shell's is a whole command.
    if names.string_arguments(arguments, (*names.PATHS, *names.SOURCES)):
        return names.EDITOR.get(_command_line(arguments))
    return None


def _command_line(arguments: Arguments) -> str:
    """Return a command as one text, also where it came as a list of words."""
    said = names.string_arguments(arguments, names.COMMANDS)
    if len(said) > 1:
        return inner_command(said) or shlex.join(said)
    return "".join(said)


def _shorten(said: str) -> str:
    # Cut before it is split: a command may carry a whole file.
    return " ".join(said[: WORDS_MOST * 2].split())[:WORDS_MOST]


def _argument_touches(tool: KnownTool, arguments: Arguments, base: str) -> Iterator[Touch]:
    """Yield what a tool with plain arguments does: to addresses, to places, by a search."""
    searches = tool.action == "searched"
    own_names = _argument_names(tool)
    place_names = names.PATHS
    targets: list[str] = []
    if tool.action in ("moved", "copied"):
        place_names = (*names.SOURCES, *names.PATHS)
        targets = names.string_arguments(arguments, names.TARGETS)
    if own_names and not searches:
        place_names = own_names
    places = names.string_arguments(arguments, place_names)
    if searches:
        where = ""
        if places:
            where = f" in {canonical_path(places[0], base)}"
        for said in names.string_arguments(arguments, own_names or names.QUERIES):
            yield Touch("searched", said[:WORDS_MOST], f"? {_shorten(said)}{where}")
    for said in names.string_arguments(arguments, names.WEB):
        if len(said) <= ADDRESS_MOST:
            puts = tool.action in ("written", "created")
            yield Touch("written" if puts else "fetched", said, canonical_path(said))
    if targets and is_place(targets[0]):
        for said in filter(is_place, places):
            yield from move_touches(tool.action, said, targets[0], targets[0], base)
        return
    lists = [value for value in arguments.values() if isinstance(value, list)]
    nested = [names.fold_names(each) for value in lists for each in value if isinstance(each, dict)]
    for inside in nested[:NESTED_MOST]:
        places += names.string_arguments(inside, names.PATHS)
    for said in filter(is_place, places):
        # A search of the whole project is about no place in it.
        if not (searches and said in (".", "./")):
            yield Touch(_action_on(tool.action, said), said, canonical_path(said, base))


def _action_on(action: Action, said: str) -> Action:
    on_web = is_web(said)
    if on_web and action in ("read", "used"):
        return "fetched"
    if action == "ran" and not on_web:
        return "used"
    return action


def _argument_names(tool: KnownTool) -> tuple[str, ...]:
    return tuple(map(names.fold_name, tool.says))


class Artifact(Value):
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
        return self.actions[-1][0] in ("deleted", "moved")

    def after(self, action: str, position: int, words: str, to: str) -> Artifact:
        """Return the thing after one more touch."""
        actions = self.actions
        # Calls of one message often look at the same thing.
        if action in names.CHANGES or actions[-1] != (action, position):
            actions = (*actions, (action, position))
        looks = [at for at, touch in enumerate(actions) if touch[0] == action]
        if action not in names.CHANGES and len(looks) > LOOKS_MOST:
            actions = (*actions[: looks[0]], *actions[looks[0] + 1 :])
        return Artifact(self.key, words, actions, to, self.first, self.touches + 1)


class Artifacts(Value):
    """What a log has touched so far: a left fold, so that reading on costs only what is new."""

    things: Mapping[str, Artifact] = msgspec.field(default_factory=dict)

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


LEAST = 6
"""Characters of an identifier, without the marks at its ends."""
LONGEST = 512
"""What runs on for longer is a blob, not a name."""
EDGES = ".:-"
_RUN = re.compile(r"[A-Za-z0-9_./:\-]{6,}")
# An address may stand inside of another, or begin where a name already ran into it.
_ADDRESS = re.compile(r"(?=(https?://[^\s\"'<>)\]}]{1,1024}))")
_IN_A_RUN = re.compile(
    r"[A-Za-z0-9_.\-]*+(?:/[A-Za-z0-9_.\-]+)+|[A-Za-z_][A-Za-z0-9_]*(?:[._\-:][A-Za-z0-9_]+)+"
    r"|[A-Za-z]+[A-Z][A-Za-z0-9]+|[A-Za-z]*\d[A-Za-z0-9]{5,}|\b\d{4,}\b"
)
_QUOTED = re.compile(
    r"`([^`\n]{2,60})`|\"([^\"\n]{2,60})\"|“([^”\n]{2,60})”|„([^“\n]{2,60})“|«\s?([^»\n]{2,60})»"
    r"|「([^」\n]{2,60})」"
)


def find_identifiers(text: str) -> list[str]:
    """Return the names in a text, each once, as they first stand there, addresses last."""
    found: dict[str, None] = {}
    # An identifier lies inside one run of its characters, and most runs come back many times.
    for run in dict.fromkeys(_RUN.findall(text)):
        # A plain word, as most runs are: the cheap test comes before the pattern.
        if run.isalpha() and run[1:].islower():
            continue
        # Read below: an address may hold characters at which a run ends.
        if run.startswith(("https://", "http://")):
            continue
        # A run that is too long for a name may be a search path.
        for part in (run,) if len(run) <= LONGEST else run.split(":"):
            if len(part) <= LONGEST:
                found |= dict.fromkeys(atom.strip(EDGES) for atom in _IN_A_RUN.findall(part))
    if "://" in text:
        found |= dict.fromkeys(each.strip(EDGES) for each in _ADDRESS.findall(text))
    return [name for name in found if len(name) >= LEAST]


def quoted_names(prose: str) -> list[str]:
    """Return the names that stand in quotes."""
    names = ("".join(found).strip() for found in _QUOTED.findall(prose))
    return [name for name in dict.fromkeys(names) if any(map(str.isalpha, name))]
