"""What tools do: names of tools and of their arguments, as tables.

A tool in the table does what its row says; for any other tool the words of its name tell
(`file_read`, `deleteFile`, `mcp__disk__move_file`). Callers with tools of their own add
rows: `KNOWN_TOOLS.plus(KnownTool("stash", "written", ("target",)))`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from posixpath import normpath
from typing import Literal

import msgspec

from steno.core.message import Value
from steno.core.word_tables import word_tuple

_Look = Literal["read", "searched", "fetched"]
_Change = Literal["edited", "written", "created", "deleted", "moved", "copied"]
Action = Literal[_Look, _Change, "ran", "delegated", "used"]
WRITES = frozenset[Action](("edited", "written", "created"))
"""Actions that put text into a file."""
CHANGES = WRITES | frozenset[Action](("deleted", "moved"))
"""Actions that change a file's text, or where it is."""

PATHS = word_tuple(
    "filepath path file filename notebookpath targetfile absolutepath relativepath "
    "relativeworkspacepath targetpath directory dirpath directorypath dir folder fileid paths "
    "files filepaths imagepath uri"
)
"""Arguments that name what is acted on, the surest first, spelt as `fold_name` does."""
SOURCES = word_tuple("oldpath sourcepath source src from oldname")
TARGETS = word_tuple("newpath destination destinationpath dest dst to target newname")
"""Arguments of what moves or copies: from where, to where."""
WEB = word_tuple("url urls link href starturl")
COMMANDS = word_tuple("command cmd commands commandline cmdline script")
QUERIES = word_tuple("pattern query queries q regex searchquery searchterm search globpattern")
BASES = word_tuple("workdir cwd workingdirectory workingdir")
TASKS = word_tuple("description task prompt instruction message")

VERBS: dict[Action, str] = {
    "read": "read view open cat get load show display inspect head tail retrieve describe",
    "searched": "search find grep glob list ls tree lookup query rg locate",
    "edited": "edit update replace patch modify insert append change apply format undo multiedit "
    "refactor",
    "written": "write save put store upload overwrite post dump export",
    "created": "create add make new touch mkdir generate init",
    "deleted": "delete remove rm unlink erase trash",
    "moved": "move rename mv",
    "copied": "copy cp duplicate",
    "fetched": "fetch browse browser navigate visit goto scrape crawl download http request web "
    "webpage",
    "ran": "run exec execute bash shell terminal command cmd powershell",
}
EDITOR: dict[str, Action] = {
    "view": "read",
    "create": "created",
    "str_replace": "edited",
    "insert": "edited",
    "undo_edit": "edited",
    "delete": "deleted",
    "rename": "moved",
}
"""What an editing tool is asked to do in its `command`."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_BY_WORD: dict[str, Action] = {
    word: action for action, words in VERBS.items() for word in words.split()
}


class Touch(Value, gc=False):
    """Something done to a thing."""

    action: Action
    words: str
    key: str
    to: str = ""
    """Where it moved to."""


class KnownTool(Value):
    """What one tool does, and which of its arguments name the thing it does it to."""

    name: str
    action: Action
    says: tuple[str, ...] = ()
    """None: the arguments that most tools use. Of a tool that searches, what it is asked for."""


class Vocabulary(Value, dict=True):
    """Tools that are known by name; a later row of the same name wins."""

    tools: tuple[KnownTool, ...] = ()

    def __hash__(self) -> int:
        # Caches ask for it at every call: to hash a hundred rows would cost more than they save.
        return len(self.tools)

    def plus(self, *tools: KnownTool) -> Vocabulary:
        return Vocabulary((*self.tools, *tools))

    def tool(self, name: str) -> KnownTool:
        """Return the row of a tool, or what its name lets expect."""
        return self._rows.get(name.lower()) or KnownTool(name, _guess_action(name))

    @cached_property
    def _rows(self) -> dict[str, KnownTool]:
        return {tool.name.lower(): tool for tool in self.tools}


def _guess_action(name: str) -> Action:
    # A server's name says nothing about what its tool does.
    words = [word.lower() for word in _WORD.findall(name.rpartition("__")[2])]
    return next((_BY_WORD[word] for word in words if word in _BY_WORD), "used")


def fold_name(name: str) -> str:
    """Return an argument's name, however its words are joined."""
    return name.replace("_", "").replace("-", "").lower()


def fold_names(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return arguments by their folded names."""
    return {fold_name(name): value for name, value in arguments.items()}


def decode_arguments(text: str) -> object:
    """Return the JSON value of a call's arguments; the text itself if it is no JSON."""
    try:
        return msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


def string_arguments(arguments: Mapping[str, object], names: Sequence[str]) -> list[str]:
    """Return the strings of the first argument that has one of these names."""
    for name in names:
        value = arguments.get(name)
        if value is None:
            continue
        if not isinstance(value, list):
            value = [value]
        if found := [each for each in value if isinstance(each, str) and each.strip()]:
            return found
    return []


KNOWN_TOOLS = Vocabulary(
    (
        # Tools whose first verb would mislead, or that have none.
        KnownTool("WebSearch", "searched"),
        KnownTool("web_search", "searched"),
        KnownTool("google_web_search", "searched"),
        KnownTool("search_replace", "edited"),
        KnownTool("find_and_replace", "edited"),
        KnownTool("Task", "delegated"),
        KnownTool("Agent", "delegated"),
        KnownTool("spawn_agent", "delegated"),
    )
)


PATH_MOST = 512
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_WEB = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)


def is_web(said: str) -> bool:
    """Tell whether this is an address rather than a place on disk."""
    return _WEB.match(said) is not None and not said.startswith("file://")


def is_place(said: str) -> bool:
    """Tell whether this can be kept as a path: short, and one line."""
    return bool(said.strip()) and len(said) <= PATH_MOST and "\n" not in said and "\x00" not in said


def canonical_path(said: str, base: str = "") -> str:
    """Return a path as all mentions of it are compared; an address without its fragment."""
    if is_web(said):
        return said.partition("#")[0]
    path = said.strip().removeprefix("file://")
    # A backslash is a legal character of a POSIX name: beside slashes it stays.
    if _DRIVE.match(path) or ("\\" in path and "/" not in path):
        path = path.replace("\\", "/")
    if base and not path.startswith(("/", "~")) and not _DRIVE.match(path):
        path = f"{base}/{path}"
    path = normpath(path)
    # POSIX gives two leading slashes a meaning of their own, so `normpath` keeps them.
    if path.startswith("//"):
        return path[1:]
    return path


def may_be_one_folder(one: str, other: str) -> bool:
    """Tell whether two commands may work in one folder: not if both say where, and differ."""
    if not one or not other or one == other:
        return True
    return f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")
