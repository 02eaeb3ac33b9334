"""Conversations in the files that agents write: read them and write them again.

    transcript = open_transcript("session.jsonl")
    messages = [piece.message for piece in transcript if isinstance(piece, Entry)]
    text = "".join(transcript.format.write(transcript))     # the file, to the byte

One module for each format, all behind `Format`. Files are read line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from steno.core.errors import BadTranscript
from steno.transcripts.claude_code import ClaudeCodeFormat
from steno.transcripts.codex import CodexFormat
from steno.transcripts.format import (
    Aside,
    Change,
    Entry,
    Format,
    Past,
    Piece,
    ReadOptions,
    ReadPiece,
    Survey,
    conversations,
    decode_entries,
)
from steno.transcripts.from_view import entry_positions, pieces_from_view
from steno.transcripts.lines import (
    head_objects,
    line_value,
    open_lines,
    refuse_cut_line,
)
from steno.transcripts.lists import ROLES, MessageListFormat, detect_list

__all__ = [
    "FORMATS",
    "Aside",
    "BadTranscript",
    "Change",
    "Entry",
    "Format",
    "MessageListFormat",
    "Past",
    "Piece",
    "ReadPiece",
    "Transcript",
    "conversations",
    "decode_entries",
    "detect_format",
    "entry_positions",
    "open_lines",
    "open_transcript",
    "pieces_from_view",
]

FORMATS: tuple[Format, ...] = (ClaudeCodeFormat(), CodexFormat())
"""Formats that the first lines show; every other file is tried as a list of messages."""
KEYS_MOST = 5
KEYS_SIZE = 60
"""Keys of a line that an error names."""
HEAD_LINES = 100
"""Lines to look at to recognise a format."""
HEAD_SIZE = 4_000_000
"""Characters to look at, whatever the number of lines."""


@dataclass(frozen=True)
class Transcript:
    """A file and its format; each iteration reads the file again."""

    path: Path
    format: Format
    past: Past = "leave out"
    strict: bool = False
    """Raise an error for a damaged line, instead of keeping it as an aside with a warning."""

    @cached_property
    def survey(self) -> Survey:
        """What is known of the file only at its end; the file is read once for it."""
        return self.format.survey(open_lines(self.path))

    def __iter__(self) -> Iterator[ReadPiece]:
        survey = self.survey
        if self.past == "include":
            survey = replace(survey, covered=0)
        how = ReadOptions(self.path.name, self.strict, survey, mark=self.past == "mark")
        return self.format.read(open_lines(self.path), how)


def open_transcript(
    path: str | Path, *, past: Past = "leave out", strict: bool = False
) -> Transcript:
    """Return the transcript in a file; its format is found from its content."""
    return Transcript(Path(path), detect_format(path), past, strict)


def detect_format(source: str | Path | Sequence[str]) -> Format:
    """Return the format of a file, or of its first lines.

    Raise BadTranscript, with what was looked for, if no format matches.
    """
    if isinstance(source, str | Path):
        head, lines, name = _head(source), open_lines(source), Path(source).name
    else:
        head, lines, name = list(source), iter(source), "transcript"
    for format in FORMATS:
        if format.recognises(head):
            return format
    # With all lines: the message that shows the provider may come late.
    found = detect_list(lines, head)
    if found is None:
        refuse_cut_line(head, name)
        _refuse_role(head, name)
        known = ", ".join(format.name for format in FORMATS)
        raise BadTranscript(
            name,
            "give messages with a role, as a JSON list or one a line, or a transcript "
            f"({known}); it has no known format: {_first_line(head)}",
        )
    return found


def _refuse_role(head: Sequence[str], name: str) -> None:
    """Raise if a file begins with a message whose role no provider has."""
    for number, value in head_objects(head):
        if isinstance(value.get("role"), str):
            role = value["role"][:KEYS_SIZE]
            raise BadTranscript(
                f"{name}:{number}", f"unknown role {role!r}; there are {', '.join(ROLES)}"
            )
        return


def _first_line(head: Sequence[str]) -> str:
    """Say which line was looked at first, and what it holds."""
    for number, line in enumerate(head, start=1):
        if not line.strip():
            continue
        value = line_value(line)
        if isinstance(value, dict):
            keys = ", ".join(list(value)[:KEYS_MOST])
            return f"line {number} is an object with {keys[:KEYS_SIZE]}"
        if value is None and line.strip() != "null":
            return f"line {number} is not JSON"
        return f"line {number} is JSON, but no message"
    return "every line is empty"


def _head(path: str | Path) -> list[str]:
    """Return the first lines, within `HEAD_LINES` and `HEAD_SIZE`."""
    head: list[str] = []
    size = 0
    for line in open_lines(path):
        head.append(line)
        size += len(line)
        if len(head) >= HEAD_LINES or size >= HEAD_SIZE:
            break
    return head
