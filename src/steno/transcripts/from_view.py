"""From a view back to a transcript: what the model sees, in the words of the file.

Owns which entries an item of the view stands for. An entry whose message is
shown as it was said comes back as that very entry; asides keep their places,
and those among covered entries follow what stands for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from steno.core.item import Item
from steno.core.log import Log
from steno.core.message import Message
from steno.core.view import View
from steno.core.wire import Wire
from steno.transcripts.format import Aside, Change, Entry, Json, Piece, ReadPiece
from steno.wires.plain_json import parse_json


def pieces_from_view(
    pieces: Iterable[ReadPiece], log: Log, view: View, wire: Wire
) -> Iterator[Piece]:
    """The pieces of one conversation as its session shows it."""
    rest = iter(pieces)
    starts = _entry_positions(log)
    held = _PendingThinking()
    for item in view.items:
        wanted = sum(1 for position in range(item.span.start, item.span.stop) if position in starts)
        entries: list[Entry] = []
        among: list[Aside] = []
        while len(entries) < wanted:
            piece = next(rest)
            if isinstance(piece, Entry):
                entries.append(piece)
            elif entries:
                among.append(piece)
            elif held.pieces:
                held.pieces.append(piece)
            else:
                yield piece
        if not item.shows and len(item.span) == 1:
            held.thoughts.append(view.messages[item.span.start].raw)
            held.pieces += [*entries, *among]
            continue
        yield from held.release(item.shows[: item.main] if item.main is not None else ())
        yield from _item_pieces(item, tuple(entries), view, wire, held)
        yield from among
        held = _PendingThinking()
    yield from held.release(view.mending.thoughts)
    yield from rest


class _PendingThinking:
    """Entries that show nothing by themselves: thinking is shown with what it leads to, written where it stood."""

    def __init__(self) -> None:
        self.pieces: list[ReadPiece] = []
        self.thoughts: list[str | None] = []

    def release(self, leading: Iterable[Message]) -> Iterator[Piece]:
        """What was held, now that it is known which of it leads to something."""
        told_later = {message.raw for message in leading}
        thoughts = iter(self.thoughts)
        for piece in self.pieces:
            told = isinstance(piece, Aside) or next(thoughts) in told_later
            yield piece if told else Change((), (cast(Entry, piece),))

    def has(self, message: Message) -> bool:
        return message.raw is not None and message.raw in self.thoughts


def _entry_positions(log: Log) -> set[int]:
    """The positions that have an entry: all but those whose words a trace of ours stood for in the file."""
    starts = set(range(len(log.messages)))
    for commit in log.commits:
        for edit in commit.edits if commit.why == "resent" else ():
            starts -= set(range(edit.span.start + 1, edit.span.stop))
    return starts


def _item_pieces(
    item: Item, entries: tuple[Entry, ...], view: View, wire: Wire, held: _PendingThinking
) -> Iterator[Piece]:
    if item.main is None:
        messages = tuple(each for message in item.shows for each in _to_json(message, wire))
        if len(entries) == 1 and messages == (entries[0].message,):
            yield entries[0]
        elif messages or entries:
            yield Change(messages, entries)
        return
    for at, message in enumerate(item.shows):
        if at != item.main:
            yield from () if held.has(message) else (Change(_to_json(message, wire)),)
        elif not message.patches and message.raw == view.messages[item.span.start].raw:
            yield entries[0]
        else:
            yield Change(_to_json(message, wire), entries)


def _to_json(message: Message, wire: Wire) -> tuple[Json, ...]:
    if message.blocks:
        return tuple(parse_json(text) for text in wire.encode(message))
    return ()
