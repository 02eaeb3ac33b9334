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

from steno.core.error import BadTranscript
from steno.transcript.claude_code import ClaudeCode
from steno.transcript.codex import Codex
from steno.transcript.lines import open_lines
from steno.transcript.lists import MessageList, list_of
from steno.transcript.piece import Aside, Change, Entry, Format, Piece, Read, conversations
from steno.transcript.plain import Plain
from steno.transcript.shown import shown

__all__ = [
    "FORMATS",
    "Aside",
    "BadTranscript",
    "Change",
    "Entry",
    "Format",
    "MessageList",
    "Piece",
    "Read",
    "Transcript",
    "conversations",
    "open_lines",
    "opened",
    "recognised",
    "shown",
]

FORMATS: tuple[Format, ...] = (ClaudeCode(), Codex(), Plain())
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

    def __iter__(self) -> Iterator[Read]:
        covered = 0 if self.whole else self.format.covered(open_lines(self.path))
        lines = open_lines(self.path)
        return self.format.read(lines, name=self.path.name, strict=self.strict, covered=covered)


def opened(path: str | Path, *, whole: bool = False, strict: bool = False) -> Transcript:
    """The transcript in a file, whoever wrote it."""
    return Transcript(Path(path), recognised(path), whole, strict)


def recognised(source: str | Path | Sequence[str]) -> Format:
    """The format of a file, or of its first lines, by what is in it; else an error that lists what was tried."""
    if isinstance(source, str | Path):
        head, lines, name = _head(source), open_lines(source), Path(source).name
    else:
        head, lines, name = list(source), iter(source), "transcript"
    for format in FORMATS:
        if format.recognises(head):
            return format
    found = list_of(lines, head)
    if found is None:
        tried = "; ".join(f"{format.name}: {format.looks_for}" for format in FORMATS)
        raise BadTranscript(name, f"of no known format. Looked for {tried}; lists: {MessageList.looks_for}")
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
