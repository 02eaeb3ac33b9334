"""Conversations in files that agents really write, read and written again.

    transcript = opened("session.jsonl")
    messages = [piece.message for piece in transcript if isinstance(piece, Entry)]
    text = "".join(transcript.format.write(transcript))     # the file, to the byte

One module a format, all behind `Format`. Reading streams: one line at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from steno.core.errors import BadTranscript
from steno.transcripts.claude_code import ClaudeCodeFormat
from steno.transcripts.codex import CodexFormat
from steno.transcripts.format import Aside, Change, Entry, Format, Piece, ReadPiece, conversations
from steno.transcripts.from_view import pieces_from_view
from steno.transcripts.lines import open_lines
from steno.transcripts.lists import MessageListFormat, detect_list
from steno.transcripts.plain import PlainFormat

__all__ = [
    "FORMATS",
    "Aside",
    "BadTranscript",
    "Change",
    "Entry",
    "Format",
    "MessageListFormat",
    "Piece",
    "ReadPiece",
    "Transcript",
    "conversations",
    "detect_format",
    "open_lines",
    "open_transcript",
    "pieces_from_view",
]

FORMATS: tuple[Format, ...] = (ClaudeCodeFormat(), CodexFormat(), PlainFormat())
"""Those that a few lines tell; lists are what is left."""
HEAD_LINES = 100
HEAD_SIZE = 4_000_000


@dataclass(frozen=True)
class Transcript:
    """A file and its format; each walk over it reads the file anew."""

    path: Path
    format: Format
    whole: bool = False
    """Read also what the agent's own compaction took out of the model's sight."""
    strict: bool = False
    """A last line that is cut off is an error, not an aside."""

    def __iter__(self) -> Iterator[ReadPiece]:
        covered = 0 if self.whole else self.format.covered_lines(open_lines(self.path))
        lines = open_lines(self.path)
        return self.format.read(lines, name=self.path.name, strict=self.strict, covered=covered)


def open_transcript(path: str | Path, *, whole: bool = False, strict: bool = False) -> Transcript:
    """The transcript in a file, whoever wrote it."""
    return Transcript(Path(path), detect_format(path), whole, strict)


def detect_format(source: str | Path | Sequence[str]) -> Format:
    """The format of a file, or of its first lines, by what is in it; else an error that lists what was tried."""
    if isinstance(source, str | Path):
        head, lines, name = _head(source), open_lines(source), Path(source).name
    else:
        head, lines, name = list(source), iter(source), "transcript"
    for format in FORMATS:
        if format.recognises(head):
            return format
    found = detect_list(lines, head)
    if found is None:
        tried = "; ".join(f"{format.name}: {format.looks_for}" for format in FORMATS)
        raise BadTranscript(
            name, f"of no known format. Looked for {tried}; lists: {MessageListFormat.looks_for}"
        )
    return found


def _head(path: str | Path) -> list[str]:
    """The first lines, as many as tell a format and no more than fit."""
    head: list[str] = []
    size = 0
    for line in open_lines(path):
        head.append(line)
        size += len(line)
        if len(head) >= HEAD_LINES or size >= HEAD_SIZE:
            break
    return head
