"""Claude's memory tool (`memory_20250818`), served from a session's store.

The model keeps notes in files under `/memories` and calls `view`, `create`, `str_replace`,
`insert`, `delete` and `rename`. Rules and wording are those of the provider's own local
tool. Every change is one record beside the session's log: nothing is overwritten, secrets
are taken out as everywhere, and each process that opens the session sees the same files.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from steno.core.errors import StenoError
from steno.providers.shared.model import import_sdk
from steno.session.session import Session

ROOT = "/memories"
KIND = "memory_file"
"""Kind of the records."""
DEFINITION = {"type": "memory_20250818", "name": "memory"}
NO_TEXTS = {"insert_line": int, "view_range": list}
"""Types of the arguments that are no text."""
FILES_MOST = 1_000
SIZE_MOST = 1_000_000
"""Characters of a file."""
DEPTH_SHOWN = 2
NUMBER_WIDTH = 6
SIZE_UNITS = ("B", "K", "M", "G")


class MemoryToolError(StenoError):
    """A command that cannot be done; the model reads why."""


class MemoryFiles:
    """Files of one agent or user, kept beside the log of a session.

    Give them a session of their own in the agent's store, for instance
    `Session("agent.db", name="memories")`.
    """

    definition: Mapping[str, str] = DEFINITION
    """What to offer the model among its tools."""

    def __init__(self, session: Session) -> None:
        self._host = session.host
        self._commands: dict[str, Callable[..., str]] = {
            "view": self._view,
            "create": self._create,
            "str_replace": self._replace,
            "insert": self._insert,
            "delete": self._delete,
            "rename": self._rename,
        }

    def call(self, command: Mapping[str, Any]) -> str:
        """Do what a call of the tool asks for; raise MemoryToolError with words for the model."""
        given = {key: value for key, value in command.items() if value is not None}
        name = str(given.pop("command", ""))
        if name not in self._commands:
            raise MemoryToolError(f"Unknown command: {name}")
        try:
            if all(isinstance(value, NO_TEXTS.get(key, str)) for key, value in given.items()):
                return self._commands[name](**given)
        except TypeError:
            pass
        raise MemoryToolError(f"The arguments do not fit the command {name}")

    def result(self, command: Mapping[str, Any], call_id: str) -> dict[str, Any]:
        """Return the block of a result to send back, also where the command failed."""
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id}
        try:
            return block | {"content": self.call(command)}
        except MemoryToolError as error:
            return block | {"content": str(error), "is_error": True}

    def paths(self) -> dict[str, str | None]:
        """Return the text of each file by its path; of a directory, None."""
        found: dict[str, str | None] = {ROOT: None}
        for _, change in self._host.records.of(KIND):
            for path in change.get("gone", ()):
                found.pop(path, None)
            found.update(change["now"])
        return found

    def _write(self, now: Mapping[str, str | None], gone: tuple[str, ...] = ()) -> None:
        for text in now.values():
            if text is not None and len(text) > SIZE_MOST:
                raise MemoryToolError(f"A file may have {SIZE_MOST:,} characters at most.")
        self._host.records.add(KIND, {"now": dict(now), "gone": list(gone)})

    def _view(self, path: str, view_range: list[int] | None = None) -> str:
        paths, place = self.paths(), _place(path)
        if place not in paths:
            raise MemoryToolError(f"The path {path} does not exist. Please provide a valid path.")
        text = paths[place]
        if text is None:
            return _listing(paths, place, path)
        lines, first = text.split("\n"), 0
        if view_range and len(view_range) == 2:
            first, last = max(1, view_range[0]) - 1, view_range[1]
            if last == -1:
                last = len(lines)
            lines = lines[first:last]
        return f"Here's the content of {path} with line numbers:\n" + _numbered(lines, first + 1)

    def _create(self, path: str, file_text: str) -> str:
        paths, place = self.paths(), _place(path)
        if place in paths:
            raise MemoryToolError(f"File {path} already exists")
        if len(paths) > FILES_MOST:
            raise MemoryToolError(f"There may be {FILES_MOST:,} files and directories at most.")
        self._write({**_parents(paths, place), place: file_text})
        return f"File created successfully at: {path}"

    def _replace(self, path: str, old_str: str, new_str: str = "") -> str:
        place, text = self._file(path)
        if not old_str or old_str not in text:
            raise MemoryToolError(
                f"No replacement was performed, old_str `{old_str}` did not appear verbatim "
                f"in {path}."
            )
        found = list(_lines_with(text, old_str))
        if text.count(old_str) > 1:
            raise MemoryToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in "
                f"lines: {', '.join(map(str, found))}. Please ensure it is unique"
            )
        changed = text.replace(old_str, new_str)
        self._write({place: changed})
        # As it is stored: what was taken out of it is not said either.
        _, changed = self._file(path)
        first = max(0, found[0] - 3)
        snippet = _numbered(changed.split("\n")[first : found[0] + 2], first + 1)
        return (
            "The memory file has been edited. Here is the snippet showing the change "
            f"(with line numbers):\n{snippet}"
        )

    def _insert(self, path: str, insert_line: int, insert_text: str) -> str:
        place, text = self._file(path)
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= insert_line <= len(lines):
            raise MemoryToolError(
                f"Invalid `insert_line` parameter: {insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        changed = "\n".join(lines)
        if not changed.endswith("\n"):
            changed += "\n"
        self._write({place: changed})
        return f"The file {path} has been edited."

    def _delete(self, path: str) -> str:
        paths, place = self.paths(), _place(path)
        if place == ROOT:
            raise MemoryToolError("Cannot delete the /memories directory itself")
        if place not in paths:
            raise MemoryToolError(f"The path {path} does not exist")
        self._write({}, tuple(_under(paths, place)))
        return f"Successfully deleted {path}"

    def _rename(self, old_path: str, new_path: str) -> str:
        paths, old, new = self.paths(), _place(old_path), _place(new_path)
        if old == ROOT:
            raise MemoryToolError("Cannot rename the /memories directory itself")
        if new in paths:
            raise MemoryToolError(f"The destination {new_path} already exists")
        if old not in paths:
            raise MemoryToolError(f"The path {old_path} does not exist")
        if new.startswith(f"{old}/"):
            raise MemoryToolError(f"The path {old_path} cannot be moved into itself")
        moved = tuple(_under(paths, old))
        there = {new + path.removeprefix(old): paths[path] for path in moved}
        self._write({**_parents(paths, new), **there}, moved)
        return f"Successfully renamed {old_path} to {new_path}"

    def _file(self, path: str) -> tuple[str, str]:
        paths, place = self.paths(), _place(path)
        if place not in paths:
            raise MemoryToolError(f"The path {path} does not exist. Please provide a valid path.")
        text = paths[place]
        if text is None:
            raise MemoryToolError(f"The path {path} is not a file.")
        return place, text


def sdk_memory_tool(files: MemoryFiles) -> Any:
    """Return the files as a tool of Anthropic's SDK, for its `tool_runner`."""
    import_sdk("anthropic")
    from anthropic import tools

    class StenoMemoryTool(tools.BetaAbstractMemoryTool):
        def execute(self, command: Any) -> str:
            try:
                return files.call(command.to_dict())
            except MemoryToolError as error:
                raise tools.ToolError(str(error)) from None

        view = create = str_replace = insert = delete = rename = execute

    return StenoMemoryTool()


def _place(path: str) -> str:
    """Return a path without dots and doubled slashes; refuse one outside of /memories."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise MemoryToolError(f"Path must start with /memories, got: {path}")
    place = posixpath.normpath(path)
    if place != ROOT and not place.startswith(f"{ROOT}/"):
        raise MemoryToolError(f"Path {path} would escape /memories directory")
    return place


def _parents(paths: Mapping[str, str | None], place: str) -> dict[str, None]:
    """Return the directories above a path; refuse one that is a file."""
    above: dict[str, None] = {}
    while (place := posixpath.dirname(place)) != ROOT:
        if paths.get(place) is not None:
            raise MemoryToolError(f"The path {place} is not a directory.")
        above[place] = None
    return above


def _under(paths: Mapping[str, str | None], place: str) -> Iterator[str]:
    return (path for path in paths if path == place or path.startswith(f"{place}/"))


def _listing(paths: Mapping[str, str | None], place: str, path: str) -> str:
    """Return a directory with what is in it, two levels deep."""
    rows = [f"{_size(paths, place)}\t{path}"]
    for inner in sorted(_under(paths, place), key=lambda inner: inner.split("/")):
        names = inner.removeprefix(place).split("/")[1:]
        hidden = any(name.startswith(".") for name in names)
        if names and not hidden and len(names) <= DEPTH_SHOWN:
            slash = "/" if paths[inner] is None else ""
            rows.append(f"{_size(paths, inner)}\t{path}/{'/'.join(names)}{slash}")
    head = (
        f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    )
    return "\n".join([head, *rows])


def _size(paths: Mapping[str, str | None], place: str) -> str:
    size = sum(len((paths[path] or "").encode("utf-8", "replace")) for path in _under(paths, place))
    at = min(max(0, size.bit_length() - 1) // 10, len(SIZE_UNITS) - 1)
    if size % 1024**at == 0:
        return f"{size // 1024**at}{SIZE_UNITS[at]}"
    return f"{size / 1024**at:.1f}{SIZE_UNITS[at]}"


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{at:>{NUMBER_WIDTH}}\t{line}" for at, line in enumerate(lines, first))


def _lines_with(text: str, words: str) -> Iterator[int]:
    """Yield the line of each occurrence, overlapping ones too."""
    at = text.find(words)
    while at >= 0:
        yield text.count("\n", 0, at) + 1
        at = text.find(words, at + 1)
