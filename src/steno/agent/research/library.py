"""What a researcher searches: tools that search and read, and whether a source resolves.

`FileLibrary` is the texts under a folder, ranked by the words of a query. Any object with the
members of `Library` will do instead.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from steno.agent.files import walk_files
from steno.agent.root import RootFolder, decode_text
from steno.agent.tools import Tool, tool_of
from steno.core.errors import BadInput

FILES_MOST = 5_000
"""Files that one search reads."""
BYTES_MOST = 1_000_000
"""Bytes that are read of one file."""
HITS = 4
SNIPPET = 90
"""Characters of a line that a search shows."""
LINE_MOST = 400
"""Characters of a line that `read` shows."""
CHARACTERS = 700
"""Characters of one passage: in 4,096 tokens some nine turns pass before a compaction."""
LINE_CHARACTERS = 70
"""Characters of a passage for each of its lines."""
NEAR = 6
"""Lines within which a second hit in a file tells nothing new: a passage shows both."""
AROUND = 1
"""Lines on either side that count for a line's rank, at half their weight."""
SOURCE = re.compile(r"(?P<path>[^\s:][^\n:]*):(?P<first>\d{1,9})(?:[-–](?P<last>\d{1,9}))?")
ADDRESS = re.compile(r"https?://\S+")
_WORD = re.compile(r"[^\W_]+")
COMMON = frozenset(
    """a about an and are as at be been by can could did do does for from had happen happens
    has have how in into is it its many much not of on or should than that the their them then
    there this to was were what when where which who why will with would""".split()  # noqa: SIM905 — words, as people read them
)


class Library(Protocol):
    """Where a researcher looks."""

    def tools(self) -> list[Tool]:
        """Return the tools that search and read."""
        ...

    def resolves(self, source: str) -> bool:
        """Tell whether what a source names exists."""
        ...


def search_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without common ones."""
    return [word for word in _WORD.findall(text.lower()) if word not in COMMON]


@dataclass
class FileLibrary:
    """The texts under a folder."""

    root: RootFolder
    characters: int = CHARACTERS
    """Characters of one passage; more for a larger window."""

    @classmethod
    def under(cls, path: str | os.PathLike[str], *, characters: int = CHARACTERS) -> FileLibrary:
        """Return a library of the texts under a folder.

        characters: length of one passage; the default is for a window of 4,096 tokens.
        """
        return cls(RootFolder(path), characters)

    def tools(self) -> list[Tool]:
        return [tool_of(self.search, safe=True), tool_of(self.read, safe=True)]

    def search(self, query: str, most: int = HITS) -> str:
        """Find the lines that say most of these words, best first, as path:line and what \
stands there."""
        wanted = set(search_words(query))
        if not wanted:
            raise BadInput("say what to look for: the query has no telling word")
        missed = _SkippedFiles()
        hits = sorted(self._rank_lines(wanted, missed), key=lambda hit: (-hit[0], hit[1], hit[2]))
        lines = []
        for _, path, line, text in _spread_hits(hits, max(1, min(most, 20))):
            lines.append(f"{path}:{line}: {_snippet(text)}")
        if not lines:
            lines.append("no line says any of that")
        return "\n".join([*lines, *missed.as_lines()])

    def read(self, source: str) -> str:
        """Read a passage: path:line, path:first-last, or a path from its beginning."""
        path = source.strip()
        first, last = 1, None
        found = SOURCE.fullmatch(path)
        if found:
            path = found["path"]
            first = int(found["first"])
            if found["last"]:
                last = int(found["last"])
        lines = self._read_lines(path)
        most = max(1, self.characters // LINE_CHARACTERS)
        if first < 1 or first > max(1, len(lines)):
            raise BadInput(f"{path!r} has {len(lines)} lines; line {first} is not there")
        if found and last is None:
            # One line was named: show some before it as well.
            first = max(1, first - most // 3)
        stop = min(len(lines), first + most - 1)
        if last is not None:
            stop = min(stop, last)
        shown: list[str] = []
        room = self.characters
        for number in range(first, stop + 1):
            text = _clip_line(lines[number - 1])
            room -= len(text) + 6
            if room < 0 and shown:
                break
            shown.append(f"{number}\t{text}")
        end = first + len(shown) - 1
        if end < len(lines):
            shown.append(f"[{len(lines) - end} more lines: read {path}:{end + 1}]")
        return "\n".join([f"{path}:{first}-{max(first, end)}", *shown])

    def resolves(self, source: str) -> bool:
        found = SOURCE.fullmatch(source)
        if found is None:
            return False
        try:
            many = len(self._read_lines(found["path"]))
        except BadInput:
            return False
        first = int(found["first"])
        return 1 <= first <= int(found["last"] or first) <= many

    def _read_lines(self, path: str) -> list[str]:
        data = self.root.read(path, BYTES_MOST)
        return decode_text(data[:BYTES_MOST], path).splitlines()

    def _rank_lines(
        self, wanted: set[str], missed: _SkippedFiles
    ) -> Iterator[tuple[float, str, int, str]]:
        """Yield score, path, number and text of lines with these words; rare ones count more."""
        matches: dict[str, tuple[list[set[str]], list[str]]] = {}
        files = 0
        files_with: Counter[str] = Counter()
        for path, lines in self._text_files(missed):
            files += 1
            rows = [_words_in(line, wanted) for line in lines]
            if any(rows):
                matches[path] = rows, lines
                files_with.update(set().union(*rows))
        weight = {word: math.log(1 + files / count) for word, count in files_with.items()}
        for path, (rows, lines) in matches.items():
            for at, row in enumerate(rows):
                if not row:
                    continue
                near = set().union(*rows[max(0, at - AROUND) : at + AROUND + 1]) - row
                score = sum(weight[word] for word in row)
                score += 0.5 * sum(weight[word] for word in near)
                yield score, path, at + 1, lines[at]

    def _text_files(self, missed: _SkippedFiles) -> Iterator[tuple[str, list[str]]]:
        for seen, place in enumerate(walk_files(self.root, self.root.path)):
            if seen >= FILES_MOST:
                missed.files += 1
                continue
            path = self.root.relative_name(place)
            try:
                lines = self._read_lines(path)
            except BadInput:  # binary, or gone meanwhile
                missed.unread.append(path)
                continue
            if place.stat().st_size > BYTES_MOST:
                missed.long.append(path)
            yield path, lines


@dataclass
class _SkippedFiles:
    """Files that a search did not read, or not whole."""

    files: int = 0
    long: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def as_lines(self) -> list[str]:
        lines = []
        if self.files:
            lines.append(
                f"[{self.files} more files were not looked into: {FILES_MOST} are the most]"
            )
        if self.long:
            lines.append(
                f"[only the first {BYTES_MOST:,} bytes were looked into of {_first_few(self.long)}]"
            )
        if self.unread:
            lines.append(f"[no text in UTF-8, not looked into: {_first_few(self.unread)}]")
        return lines


def _first_few(paths: list[str]) -> str:
    shown = ", ".join(" ".join(path.split()) for path in paths[:3])
    if len(paths) > 3:
        return f"{shown} and {len(paths) - 3} more"
    return shown


def _words_in(line: str, wanted: set[str]) -> set[str]:
    """Return which of the words a line says."""
    # Most lines say none: a substring test is much cheaper than splitting them.
    low = line.lower()
    if any(word in low for word in wanted):
        return set(search_words(line)) & wanted
    return set()


def _spread_hits(
    hits: list[tuple[float, str, int, str]], most: int
) -> Iterator[tuple[float, str, int, str]]:
    """Yield the best hits that are not close to a better one."""
    taken: list[tuple[str, int]] = []
    for hit in hits:
        if len(taken) == most:
            return
        if all(path != hit[1] or abs(line - hit[2]) > NEAR for path, line in taken):
            taken.append((hit[1], hit[2]))
            yield hit


def _snippet(text: str) -> str:
    flat = " ".join(text.split())
    if len(flat) <= SNIPPET:
        return flat
    return f"{flat[:SNIPPET]} …"


def _clip_line(line: str) -> str:
    if len(line) <= LINE_MOST:
        return line
    return f"{line[:LINE_MOST]} …"
