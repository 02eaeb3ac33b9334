"""From a view back to a transcript: the pieces of the file as the model sees them.

Owns the question which entries an item of the view covers. An entry whose message
is shown unchanged comes back as that same entry. Asides keep their places; those
among covered entries follow what replaces them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from steno.core.item import Item
from steno.core.log import Log
from steno.core.message import Message
from steno.core.view import View
from steno.core.wire import Wire
from steno.providers.shared.plain_json import parse_json
from steno.transcripts.format import Aside, Change, Entry, Json, Piece, ReadPiece


def pieces_from_view(
    pieces: Sequence[ReadPiece], log: Log, view: View, wire: Wire
) -> Iterator[Piece]:
    """Yield the pieces of one conversation as its session shows it."""
    rest = iter(pieces)
    # What the agent's own compaction hid stays in the file as it is, whatever covers it.
    hidden = sum(isinstance(piece, Entry) and piece.hidden for piece in pieces)
    starts = set(entry_positions(log)[hidden:])
    held = _PendingThinking()
    for item in view.items:
        wanted = sum(1 for position in range(item.span.start, item.span.stop) if position in starts)
        entries: list[Entry] = []
        among: list[ReadPiece] = []
        while len(entries) < wanted:
            piece = next(rest)
            if isinstance(piece, Entry) and not piece.hidden:
                entries.append(piece)
            elif entries:
                among.append(piece)
            elif held.pieces:
                held.pieces.append(piece)
            else:
                yield piece
        if not item.shows and len(item.span) == 1:
            # Held thinking, or a message that an edit hid: what the next item shows first tells.
            held.thoughts.append(view.messages[item.span.start].raw)
            held.pieces += [*entries, *among]
            continue
        leading: tuple[Message, ...] = ()
        if item.main is not None:
            leading = item.shows[: item.main]
        yield from held.release(leading)
        yield from _item_pieces(item, tuple(entries), view, wire, held)
        yield from among
        held = _PendingThinking()
    # Thinking at the very end still waits for its reply, so it stays in the file.
    yield from held.release(view.mending.thoughts)
    yield from rest


class _PendingThinking:
    """Entries that show nothing by themselves.

    A view shows thinking with the reply it leads to; a file has it where it was written.
    """

    def __init__(self) -> None:
        self.pieces: list[ReadPiece] = []
        self.thoughts: list[str | None] = []

    def release(self, leading: Iterable[Message]) -> Iterator[Piece]:
        """Yield what was held; thinking that leads to nothing is taken out of the file."""
        shown = {message.raw for message in leading}
        thoughts = iter(self.thoughts)
        for piece in self.pieces:
            if isinstance(piece, Aside) or next(thoughts) in shown:
                yield piece
            else:
                yield Change((), (piece,))

    def has(self, message: Message) -> bool:
        return message.raw is not None and message.raw in self.thoughts


def entry_positions(log: Log) -> list[int]:
    """Return the position of each entry in the file.

    A summary of ours that came back in a file is one entry for all positions it covers, or none.
    """
    absent = {at for at, message in enumerate(log.messages) if message.role == "absent"}
    for commit in log.commits:
        for edit in commit.edits:
            covered = absent.intersection(range(edit.span.start, edit.span.stop))
            if commit.why == "resent" and edit.shows and covered:
                absent.remove(min(covered))
    return [at for at in range(len(log.messages)) if at not in absent]


def _item_pieces(
    item: Item, entries: tuple[Entry, ...], view: View, wire: Wire, held: _PendingThinking
) -> Iterator[Piece]:
    if item.main is None:
        messages: tuple[Json, ...] = ()
        for message in item.shows:
            messages += _to_json(message, wire)
        # A summary of ours that the file already holds keeps its own lines.
        if len(entries) == 1 and messages == (entries[0].message,):
            yield entries[0]
        elif messages or entries:
            yield Change(messages, entries)
        return
    for at, message in enumerate(item.shows):
        if at != item.main:
            if not held.has(message):
                yield Change(_to_json(message, wire))
        # `raw` too: replacing half a surrogate pair changes it without a patch.
        elif not message.patches and message.raw == view.messages[item.span.start].raw:
            yield entries[0]
        else:
            yield Change(_to_json(message, wire), entries)


def _to_json(message: Message, wire: Wire) -> tuple[Json, ...]:
    if message.blocks:
        return tuple(parse_json(text) for text in wire.encode(message))
    return ()
