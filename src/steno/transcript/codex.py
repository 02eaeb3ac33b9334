"""Codex's rollout files: response items in an envelope, among events.

`response_item` rows are what the model sees; session and turn rows, events and
ghost snapshots are asides. Where Codex has compacted, the newest `compacted` row
says what the model sees instead of all before it: its replacement history, item
by item, or else its message. That row stays, whatever is shown for what it
says, because it is what keeps the rows before it out of sight. Turns that were
rolled back are not told apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from steno.core.error import BadTranscript
from steno.transcript.array import Listing, array_in
from steno.transcript.lines import Line, Row, ending, joined, rows, value_in
from steno.transcript.piece import Aside, Change, Entry, Json, Piece, Read
from steno.transcript.recognise import values
from steno.wire.plain import text_of

ROWS = ("session_meta", "response_item", "compacted", "turn_context", "event_msg")
UNSEEN = ("ghost_snapshot", "compaction_trigger", "other")
HISTORY = ("payload", "replacement_history")


class Codex:
    name = "codex"
    wire = "openai-responses"
    many = False
    looks_for = "rows with timestamp, type and payload"

    def recognises(self, head: Sequence[str]) -> str | None:
        for number, value in values(head):
            if value.get("type") in ROWS and isinstance(value.get("payload"), dict):
                return f"line {number} is a row of type {value['type']!r} with a payload"
        return None

    def covered(self, lines: Iterable[str]) -> int:
        newest = 0
        for number, text in enumerate(lines, start=1):
            if '"compacted"' in text and any(_kind(row.value) == "compacted" for row in rows([text], "", False)):
                newest = number
        return newest

    def read(
        self, lines: Iterable[str], *, name: str = "transcript", strict: bool = False, covered: int = 0
    ) -> Iterator[Read]:
        seen = covered == 0
        for row in rows(lines, name, strict):
            if not seen and row.number == covered and _kind(row.value) == "compacted":
                seen = True
                yield from _compacted(row, f"{name}:{row.number}")
            elif seen and _kind(row.value) == "response_item" and _seen(row.value["payload"]):
                yield Entry(row.value["payload"], (row.text,))
            else:
                yield row.aside

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        writing = _Writing()
        return joined(line for piece in pieces for line in writing.lines(piece))


def _kind(value: Any) -> str | None:
    return value.get("type") if isinstance(value, dict) and isinstance(value.get("payload"), dict) else None


def _seen(payload: Json) -> bool:
    return isinstance(payload.get("type"), str) and payload["type"] not in UNSEEN


def _compacted(row: Row, where: str) -> Iterator[Read]:
    """What the model sees of everything up to here."""
    history = array_in(row.text, *HISTORY)
    if history is None:
        said = {"type": "input_text", "text": str(row.value["payload"].get("message") or "")}
        yield Entry({"type": "message", "role": "user", "content": [said]}, (row.text,))
        return
    yield Aside((history.head,), part="head")
    for text, value in history.items:
        if not isinstance(value, dict):
            raise BadTranscript(where, f"an item of the replacement history is a {type(value).__name__}")
        yield Entry(value, (text,), part="item") if _seen(value) else Aside((text,), part="item")
    yield Aside((history.tail,), part="tail")


class _Writing:
    def __init__(self) -> None:
        self._listing: Listing | None = None
        self._newest = ""

    def lines(self, piece: Piece) -> Iterator[Line]:
        match piece:
            case Entry(_, (text,), "item") | Aside((text,), "item") if self._listing:
                yield Line(self._listing.kept(text))
            case Change(messages, instead):
                yield from self._changed(messages, instead)
            case Entry(_, lines) | Aside(lines):
                self._listing = Listing() if piece.part == "head" else None
                self._newest = lines[-1] if piece.part == "row" else self._newest
                yield from map(Line, lines)

    def _changed(self, messages: tuple[Json, ...], instead: tuple[Entry, ...]) -> Iterator[Line]:
        if self._listing is not None:
            for message in messages:
                yield Line(self._listing.made(text_of(message)))
            return
        like = instead[-1].lines[0] if instead else self._newest
        first: Json = value_in(instead[0].lines[0]) if instead else {}
        if _kind(first) == "compacted":
            shown = first["payload"] | {"replacement_history": list(messages)}
            yield Line(text_of(first | {"payload": shown}) + ending(like), made=True)
            return
        envelope = value_in(like)
        time = {"timestamp": envelope["timestamp"]} if isinstance(envelope, dict) and "timestamp" in envelope else {}
        for message in messages:
            row = {"type": "response_item", "payload": message}
            shown = first | row if len(instead) == len(messages) == 1 else time | row
            yield Line(text_of(shown) + ending(like), made=True)
