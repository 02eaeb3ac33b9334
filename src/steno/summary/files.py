"""The newest state of files, as far as the log shows it, in pieces that mean something.

A file's text is put together from what was read of it and from the edits since:
an edit is applied where its old text stands, a whole file that was written takes
the place of everything before. Pieces are contiguous and end where a definition,
a section or a paragraph does. Which pieces are worth showing is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from steno.core.message import Call, Message, Result
from steno.facts.artifacts import Artifact, call_touches
from steno.facts.changes import text_changes

TOUCHES_MOST = 60
"""Touches of one file that are looked at, the newest."""
LOOK_AHEAD = 64
"""Messages after a call in which its result is looked for."""
TEXT_MOST = 200_000
"""Characters of a result that are looked at."""
PIECE_LINES = 24
"""Lines of a piece, about."""
NUMBERED_SHARE = 0.5
"""Share of lines with a number before them from which on the numbers are a tool's."""
SAME_SHARE = 0.7
"""Share of a stretch's lines that a newer read must show to take its place."""
TELLING = 4
"""Characters from which on a line counts when texts are compared."""

OUTLINE_LINE = 160
"""Characters of a line of an outline."""
_DEFINITION = re.compile(
    r"\s*(?:export |default |public |private |protected |static |async |pub(?:\([a-z]+\))? )*"
    r"(?:def|class|func|fn|function|type|interface|struct|enum|impl|trait|module|namespace|const fn"
    r"|package)\b[ (]\S"
    r"|#{1,4} \S"
)
_NUMBERED = re.compile(r"^\s*(\d+)(?:→|\t)")
_TELLING_ACTIONS = ("read", "edited", "written", "created", "deleted", "moved")
"""Actions that show or change a file's text."""
SHOWN_LINES = 4
"""Numbered lines in the result of an edit from which on it shows the file."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of a file that stood together when they were last seen."""

    lines: tuple[str, ...]
    position: int
    """Where they were read or written."""
    kind: str
    """`read`, `written` or `edited`."""
    edited: tuple[int, ...] = ()
    """Where they were edited since."""
    partial: bool = False
    """Whether only a part of the file was asked for."""

    @property
    def touched(self) -> int:
        if self.edited:
            return self.edited[-1]
        return self.position


@dataclass(frozen=True, slots=True)
class FilePiece:
    """A contiguous piece of a file in its newest state."""

    path: str
    words: str
    """The path as the agent wrote it."""
    text: str
    position: int
    edited: tuple[int, ...]
    kind: str
    order: int
    """Its place among the pieces of its file."""
    touched: int
    """Where this piece was last seen or changed."""
    file_touched: int
    """Where its file was last touched."""


def file_pieces(messages: Sequence[Message], artifact: Artifact) -> list[FilePiece]:
    """Return the pieces of a file's newest state."""
    stretches: list[Stretch] = []
    touches = [touch for touch in artifact.actions if touch[0] in _TELLING_ACTIONS]
    for action, position in touches[-TOUCHES_MOST:]:
        stretches = _with_touch(stretches, messages, artifact.key, action, position)
    pieces: list[FilePiece] = []
    newest = artifact.newest[1]
    for stretch in stretches:
        for text in split_text(stretch.lines):
            piece = FilePiece(
                artifact.key,
                artifact.words,
                text,
                stretch.position,
                stretch.edited,
                stretch.kind,
                len(pieces),
                stretch.touched,
                newest,
            )
            pieces.append(piece)
    return pieces


def _with_touch(
    stretches: list[Stretch], messages: Sequence[Message], key: str, action: str, position: int
) -> list[Stretch]:
    message = messages[position]
    for call in message.calls:
        touches = [touch for touch in call_touches(call) if touch.key == key]
        if not any(touch.action == action for touch in touches):
            continue
        result = result_of(messages, position, call)
        if result is not None and result[1].error:
            continue  # nothing was read, and nothing changed
        for change in text_changes(call):
            if change.path == key:
                stretches = _with_change(stretches, change.old, change.new, position)
        if action in ("deleted", "moved"):
            stretches = []
        if result is None:
            continue
        if action == "read":
            stretches = _with_read(stretches, result[1].text, position)
        elif action == "edited":
            # Many editors show the lines around an edit; those are newer than anything read.
            shown = [line for line in result[1].text.split("\n") if _NUMBERED.match(line)]
            if len(shown) >= SHOWN_LINES:
                stretches = _with_read(stretches, "\n".join(shown), position)
    return stretches


def result_of(messages: Sequence[Message], position: int, call: Call) -> tuple[int, Result] | None:
    """Return the result of a call that was made at a position, and where it stands."""
    for at in range(position + 1, min(position + 1 + LOOK_AHEAD, len(messages))):
        for result in messages[at].results:
            if result.call == call.id:
                return at, result
    return None


def _with_read(stretches: list[Stretch], text: str, position: int) -> list[Stretch]:
    lines, partial = plain_lines(text[:TEXT_MOST])
    if sum(len(line.strip()) >= TELLING for line in lines) < 2:
        return stretches
    shown = {line.strip() for line in lines}
    kept = [stretch for stretch in stretches if not _is_shown(stretch, shown)]
    return [*kept, Stretch(tuple(lines), position, "read", partial=partial)]


def _is_shown(stretch: Stretch, shown: set[str]) -> bool:
    telling = [line.strip() for line in stretch.lines if len(line.strip()) >= TELLING]
    same = sum(line in shown for line in telling)
    return same >= SAME_SHARE * len(telling)


def _with_change(
    stretches: list[Stretch], old: str | None, new: str, position: int
) -> list[Stretch]:
    if old is None:
        return [Stretch(tuple(new.split("\n")), position, "written")]
    for number in range(len(stretches) - 1, -1, -1):
        stretch = stretches[number]
        text = "\n".join(stretch.lines)
        if old and old in text:
            lines = tuple(text.replace(old, new, 1).split("\n"))
            changed = replace(stretch, lines=lines, edited=(*stretch.edited, position))
            return [*stretches[:number], changed, *stretches[number + 1 :]]
    # The old text was never seen in one piece: what overlaps it is out of date.
    gone = {line.strip() for line in old.split("\n")}
    kept = [stretch for stretch in stretches if not _is_shown(stretch, gone)]
    if not new.strip():
        return kept
    return [*kept, Stretch(tuple(new.split("\n")), position, "edited", (position,))]


def plain_lines(text: str) -> tuple[list[str], bool]:
    """Return a result's lines without a tool's line numbers, and whether they begin after the
    first.
    """
    lines = text.split("\n")
    numbers = [_NUMBERED.match(line) for line in lines]
    numbered = [number for number in numbers if number is not None]
    if len(numbered) <= NUMBERED_SHARE * len(lines):
        return lines, False
    shown = [line[number.end() :] for line, number in zip(lines, numbers, strict=True) if number]
    return shown, int(numbered[0][1]) > 1


def split_text(lines: Sequence[str]) -> Iterator[str]:
    """Cut lines into pieces that end where a paragraph or a definition does."""
    piece: list[str] = []
    for line in lines:
        full = len(piece) >= PIECE_LINES * 0.7
        starts = bool(line.strip()) and line[:1] not in " \t})]"
        if (len(piece) >= PIECE_LINES // 2 and not line.strip()) or (full and starts):
            yield from _joined(piece)
            piece = []
        piece.append(line)
        if len(piece) >= PIECE_LINES * 2:
            yield from _joined(piece)
            piece = []
    yield from _joined(piece)


def outline_lines(text: str) -> list[str]:
    """Return the lines of a text that define something, without their bodies."""
    lines = (line.rstrip(" {:\n") for line in text.split("\n"))
    return [line for line in lines if _DEFINITION.match(line) and len(line) <= OUTLINE_LINE]


def _joined(lines: list[str]) -> Iterator[str]:
    text = "\n".join(lines).strip("\n")
    if text.strip():
        yield text
