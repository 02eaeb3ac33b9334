"""Tools for files under a root: read, write, edit, list, search.

Every answer is bounded, and says what it leaves out.
"""

from __future__ import annotations

import fnmatch
import threading
from collections.abc import Iterator
from pathlib import Path

from steno.agent.root import BINARY_PROBE, RootFolder, decode_text, os_errors_as_bad_input
from steno.agent.tools import Tool, is_abandoned, tool_of
from steno.core.errors import BadInput

READ_MOST = 4_000_000
"""Bytes that are read of one file."""
SEARCH_FILE_MOST = 1_000_000
LINES_MOST = 2_000
LINE_MOST = 2_000
ENTRIES_MOST = 1_000
FILES_MOST = 20_000
BYTES_MOST = 200_000_000
"""Bytes that one search reads."""
HITS_MOST = 200
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})
"""Folders that are listed but not searched."""


class FileTools:
    """The tools, as methods; their docstrings are what a model reads."""

    def __init__(self, root: RootFolder) -> None:
        self.root = root
        # Calls of a batch run at once: two edits of one file must not undo each other.
        self._lock = threading.Lock()

    def read_file(
        self,
        path: str,
        start: int = 1,
        lines: int = LINES_MOST,
    ) -> str:
        """Read a text file, with line numbers; `start` is the first line wanted, from 1 on."""
        if start < 1 or lines < 1:
            raise BadInput("start and lines are whole numbers from 1 on")
        data = self.root.read(path, READ_MOST)
        text_lines = decode_text(data[:READ_MOST], path).splitlines()
        shown = _with_line_numbers(text_lines, start, min(lines, LINES_MOST), path)
        if len(data) <= READ_MOST:
            return shown
        return f"{shown}\n[only the first {READ_MOST:,} bytes can be read]"

    def write_file(self, path: str, text: str) -> str:
        """Write a text file, whole: it is made or replaced."""
        data = text.encode("utf-8", "replace")
        with self._lock:
            self.root.write(path, data)
        return f"wrote {len(data):,} bytes to {path}"

    def edit_file(
        self,
        path: str,
        old: str,
        new: str,
        every: bool = False,
    ) -> str:
        """Replace an exact text in a file; it has to stand there once, unless `every` is true."""
        with self._lock:
            found = self._replace_text(path, old, new, every)
        return f"replaced {found} in {path}"

    def _replace_text(
        self,
        path: str,
        old: str,
        new: str,
        every: bool,
    ) -> int:
        data = self.root.read(path, READ_MOST)
        if len(data) > READ_MOST:
            raise BadInput(f"{path!r} is over {READ_MOST:,} bytes: too large to edit this way")
        decode_text(data, path)  # raises if it is no text
        # Encoding it gives the same bytes back.
        text = data.decode("utf-8", "surrogateescape")
        found = 0
        if old:
            found = text.count(old)
        if found == 0:
            raise BadInput(
                f"the old text does not stand in {path!r}: read it and repeat its very words"
            )
        if found > 1 and not every:
            raise BadInput(
                f"the old text stands {found} times in {path!r}: say more of it, or every=true"
            )
        self.root.write(path, text.replace(old, new).encode("utf-8", "surrogateescape"))
        return found

    def list_files(self, path: str = ".", depth: int = 2) -> str:
        """List files and folders, some levels deep."""
        place = self.root.resolve(path)
        if not place.is_dir():
            raise BadInput(f"{path!r} is no folder")
        with os_errors_as_bad_input(path):  # it may have gone meanwhile
            return _listing(self.root, place, max(1, min(depth, 10)))

    def search_files(
        self,
        text: str,
        path: str = ".",
        files: str = "*",
    ) -> str:
        """Find lines that hold a text, in all files under a path whose names match a pattern \
such as *.py."""
        if not text:
            raise BadInput("say what to look for: text is empty")
        if not self.root.resolve(path).exists():
            raise BadInput(f"{path!r} is not there")
        hits: list[str] = []
        left = BYTES_MOST
        with os_errors_as_bad_input(path):
            for name, data in _text_files(self.root, self.root.resolve(path), files):
                hits += _matching_lines(name, data, text, HITS_MOST + 1 - len(hits))
                left -= len(data)
                if len(hits) > HITS_MOST:
                    hits[HITS_MOST:] = [f"[more than {HITS_MOST} lines: narrow it down]"]
                    break
                if left < 0 or is_abandoned():
                    hits.append(
                        "[there was too much to look through: name a folder below, or files]"
                    )
                    break
        return "\n".join(hits) or f"no line holds {text!r}"


def file_tools(root: RootFolder) -> list[Tool]:
    """Return the tools for files under a root; those that only read are safe."""
    files = FileTools(root)
    return [
        tool_of(files.read_file, safe=True),
        tool_of(files.list_files, safe=True),
        tool_of(files.search_files, safe=True),
        tool_of(files.write_file),
        tool_of(files.edit_file),
    ]


def _with_line_numbers(
    lines: list[str],
    start: int,
    most: int,
    path: str,
) -> str:
    if start > max(1, len(lines)):
        raise BadInput(f"{path!r} has {len(lines)} lines; start is {start}")
    shown = lines[start - 1 : start - 1 + most]
    numbered = [
        f"{number:>6}\t{_clip_line(line)}" for number, line in enumerate(shown, start=start)
    ]
    left = len(lines) - (start - 1 + len(shown))
    if left > 0:
        numbered.append(f"[{left:,} more lines: read on from line {start + len(shown)}]")
    return "\n".join(numbered) or "[the file is empty]"


def _clip_line(line: str) -> str:
    if len(line) <= LINE_MOST:
        return line
    return f"{line[:LINE_MOST]} [{len(line) - LINE_MOST:,} more characters]"


def _listing(root: RootFolder, place: Path, depth: int) -> str:
    entries: list[str] = []
    for folder, folders, files in root.walk(place):
        level = len(folder.relative_to(place).parts)
        entries += [f"{root.relative_name(folder / name)}/" for name in folders]
        entries += [root.relative_name(folder / name) for name in files]
        # What is left in `folders` is walked next.
        if level < depth - 1:
            folders[:] = _searched_folders(folders)
        else:
            folders.clear()
        if len(entries) > ENTRIES_MOST:
            shown = sorted(entries)[:ENTRIES_MOST]
            return "\n".join([*shown, "[more entries: list a folder below]"])
    return "\n".join(sorted(entries)) or "[the folder is empty]"


def _searched_folders(folders: list[str]) -> list[str]:
    return sorted(name for name in folders if name not in SKIPPED_FOLDERS)


def _text_files(
    root: RootFolder,
    place: Path,
    files: str,
) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of the text files under a place that can be read."""
    for seen, file in enumerate(walk_files(root, place, files)):
        if seen >= FILES_MOST:
            return
        name = root.relative_name(file)
        try:
            data = root.read(name, SEARCH_FILE_MOST)[:SEARCH_FILE_MOST]
        except BadInput:
            continue  # gone meanwhile, not readable, or no file
        if b"\0" not in data[:BINARY_PROBE]:
            yield name, data


def walk_files(root: RootFolder, place: Path, files: str = "*") -> Iterator[Path]:
    """Yield the files under a place whose names match a pattern; skip links."""
    if not place.is_dir():
        yield place
        return
    for folder, folders, names in root.walk(place):
        folders[:] = _searched_folders(folders)
        for name in sorted(fnmatch.filter(names, files)):
            if not (folder / name).is_symlink():
                yield folder / name


def _matching_lines(
    name: str,
    data: bytes,
    text: str,
    most: int,
) -> list[str]:
    found: list[str] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if len(found) == most:
            break
        if text in line:
            found.append(f"{name}:{number}: {_clip_line(line)}")
    return found
