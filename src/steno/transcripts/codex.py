"""Codex's rollout files: response items in an envelope, among events.

The model sees the `response_item` rows; session and turn rows, events and ghost
snapshots are asides. After a compaction by Codex, the newest `compacted` row holds
what the model sees instead of all rows before it: its replacement history, item by
item, or else its message. That row is always kept, because Codex hides the rows
before it only while it is there. An event says that the newest turns were rolled back:
their rows are asides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from steno.core.errors import BadTranscript
from steno.core.message import Speaker
from steno.providers.shared.plain_json import json_text
from steno.transcripts.format import (
    AS_USUAL,
    Aside,
    Change,
    Entry,
    Json,
    Piece,
    ReadOptions,
    ReadPiece,
    Survey,
)
from steno.transcripts.lines import (
    ArrayWriter,
    JsonRow,
    OutputLine,
    find_array,
    head_objects,
    join_lines,
    line_ending,
    line_value,
    rows,
)

ROW_TYPES = ("session_meta", "response_item", "compacted", "turn_context", "event_msg")
HIDDEN_ITEMS = ("ghost_snapshot", "compaction_trigger", "other")
"""Types of response items that the model does not see."""
SURVEY_MARKS = ('"compacted"', '"user_message"', '"thread_rolled_back"')
HISTORY = ("payload", "replacement_history")


class CodexFormat:
    name = "codex"
    wire = "openai-responses"
    many = False

    def recognises(self, head: Sequence[str]) -> bool:
        return any(_kind(value) in ROW_TYPES for _, value in head_objects(head))

    def survey(self, lines: Iterable[str]) -> Survey:
        newest = 0
        left: set[int] = set()
        turns: list[int] = []
        for number, text in enumerate(lines, start=1):
            # The cheap test first: this reads the whole file.
            if not any(mark in text for mark in SURVEY_MARKS):
                continue
            for row in rows([text], "", False):
                if _kind(row.value) == "compacted":
                    newest = number
                elif _begins_turn(row.value):
                    turns.append(number)
                elif count := _rolled_back(row.value):
                    # Without turns of their own to go back to, the rows before stay.
                    gone, turns = turns[-count:], turns[:-count]
                    left.update(range(gone[0], number) if gone else ())
        return Survey(newest, frozenset(left))

    def read(self, lines: Iterable[str], how: ReadOptions = AS_USUAL) -> Iterator[ReadPiece]:
        covered = how.survey.covered
        seen = covered == 0
        # What people typed before the compaction; a history that it made may say anything.
        typed: set[str] = set()
        for row in rows(lines, how.name, how.strict):
            if not seen and row.number == covered and _kind(row.value) == "compacted":
                seen = True
                yield from _read_compaction(row, f"{how.name}:{row.number}", typed)
                continue
            if not seen and _kind(row.value) == "response_item":
                typed.add(json_text(row.value["payload"].get("content")))
            if (seen or how.mark) and row.number not in how.survey.left and _is_item(row.value):
                where = f"{how.name}:{row.number}: payload"
                yield Entry(row.value["payload"], (row.text,), hidden=not seen, where=where)
            else:
                yield row.aside

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        writing = _RolloutWriter()
        return join_lines(line for piece in pieces for line in writing.lines(piece))


def _kind(value: Any) -> str | None:
    if isinstance(value, dict) and isinstance(value.get("payload"), dict):
        return value.get("type")
    return None


def _begins_turn(value: Any) -> bool:
    """Return whether a row is a person's words, with which a turn begins."""
    return _kind(value) == "event_msg" and value["payload"].get("type") == "user_message"


def _rolled_back(value: Any) -> int:
    """Return how many turns an event says were rolled back."""
    if _kind(value) == "event_msg" and value["payload"].get("type") == "thread_rolled_back":
        count = value["payload"].get("num_turns")
        if isinstance(count, int) and count > 0:
            return count
    return 0


def _is_item(value: Any) -> bool:
    """Return whether a row is an item that the model sees."""
    return _kind(value) == "response_item" and _is_visible(value["payload"])


def _is_visible(payload: Json) -> bool:
    return isinstance(payload.get("type"), str) and payload["type"] not in HIDDEN_ITEMS


def _item_speaker(value: Json, typed: set[str]) -> Speaker:
    """Return who wrote an item of a history: a person only what a row of the file shows typed."""
    if value.get("role") == "user" and json_text(value.get("content")) not in typed:
        return "program"
    return "caller"


def _read_compaction(row: JsonRow, where: str, typed: set[str]) -> Iterator[ReadPiece]:
    """Yield what the model sees of all rows up to a compaction."""
    history = find_array(row.text, *HISTORY)
    if history is None:
        part = {"type": "input_text", "text": str(row.value["payload"].get("message") or "")}
        message = {"type": "message", "role": "user", "content": [part]}
        yield Entry(message, (row.text,), by="program")
        return
    yield Aside((history.head,), part="head")
    for text, value in history.items:
        if not isinstance(value, dict):
            raise BadTranscript(
                where, f"an item of the replacement history is a {type(value).__name__}"
            )
        if _is_visible(value):
            yield Entry(value, (text,), "item", _item_speaker(value, typed), where=where)
        else:
            yield Aside((text,), part="item")
    yield Aside((history.tail,), part="tail")


class _RolloutWriter:
    """Write rows; inside a replacement history, items of its list."""

    def __init__(self) -> None:
        self._array: ArrayWriter | None = None
        self._newest = ""

    def lines(self, piece: Piece) -> Iterator[OutputLine]:
        """Yield the lines of one piece."""
        match piece:
            case Entry(_, (text,), "item") | Aside((text,), "item") if self._array:
                yield OutputLine(self._array.keep(text))
            case Change(messages, instead):
                yield from self._change(messages, instead)
            case Entry(_, lines) | Aside(lines):
                self._array = None
                if piece.part == "head":
                    self._array = ArrayWriter()
                elif piece.part == "row":
                    self._newest = lines[-1]
                yield from map(OutputLine, lines)

    def _change(
        self, messages: tuple[Json, ...], instead: tuple[Entry, ...]
    ) -> Iterator[OutputLine]:
        if self._array is not None:
            for message in messages:
                yield OutputLine(self._array.add(json_text(message)))
            return
        like = self._newest
        first: Json = {}
        if instead:
            like = instead[-1].lines[0]
            first = line_value(instead[0].lines[0])
        # The row itself must stay, or Codex would show the rows before it again.
        if _kind(first) == "compacted":
            payload = first["payload"] | {"replacement_history": list(messages)}
            yield _made_line(first | {"payload": payload}, like)
            return
        envelope: Json = {}
        if len(instead) == len(messages) == 1:
            envelope = first
        # No clock is read: a new row has the time of a row beside it.
        elif isinstance(before := line_value(like), dict) and "timestamp" in before:
            envelope = {"timestamp": before["timestamp"]}
        for message in messages:
            yield _made_line(envelope | {"type": "response_item", "payload": message}, like)


def _made_line(row: Json, like: str) -> OutputLine:
    return OutputLine(json_text(row) + line_ending(like), made=True)
