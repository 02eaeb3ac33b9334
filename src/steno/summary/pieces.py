"""Which pieces of files and results are shown again: the likeliest, until the room is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain

import msgspec

from steno.core.escape import one_line, set_in
from steno.secrets import mask_secrets
from steno.summary.candidates import FOCUS_WORTH, Piece, PieceCandidates, names_used_in
from steno.summary.words import cut_words

RESULT_SHARE = 0.07
"""Share of the room for one result, or for a file of one line."""
LEAST_ROOM = 48
"""Tokens below which there is no room for anything."""
HEAD_RESERVE = 24
"""Tokens to set aside for the line above the pieces of one file, whose path may be long."""
SAME_SHARE = 0.7
"""Share of a piece's lines that another piece shows from which on it is left out."""
COPY_SHARE = 0.8
"""The same of pieces of other files and results."""
LEFT_OUT = "⋮"
"""Stands where lines of a file are left out."""
NAMES_UNIT = 10
"""Names that double what a piece is worth, if nothing shows them yet; a name counts once for each
piece that has it."""
CERTAIN = 0.999
"""Worth from which on more makes no difference."""


def choose_pieces(
    candidates: PieceCandidates, room: float, without: Container[str] = (), *, focused: bool = False
) -> list[Piece]:
    """Return the pieces worth most, within so many tokens, `without` files shown elsewhere.

    If `focused`, only those that a focus names.
    """
    if room < LEAST_ROOM:
        return []
    most = int(room * RESULT_SHARE)
    files = (_cut_line(piece, most, candidates.count) for piece in candidates.files)
    pieces = [*files, *candidates.results(most)]
    least = FOCUS_WORTH if focused else 0
    pieces = [each for each in pieces if each.name not in without and each.worth >= least]
    pieces.sort(key=lambda piece: (-piece.worth, -piece.position))
    taken = _TakenPieces(room)
    if candidates.scoring == "likely":
        _take_new_names(taken, pieces)
    else:
        for piece in pieces:
            taken.take(piece)
    return taken.pieces


def _cut_line(piece: Piece, most: int, count: Callable[[str], int]) -> Piece:
    """Return a piece that is one long line cut as a result is; lines stay whole."""
    if piece.tokens <= most or "\n" in piece.text:
        return piece
    text = cut_words(piece.text, most, count)
    return msgspec.structs.replace(piece, text=text, tokens=count(text) + 1)


class _TakenPieces(msgspec.Struct):
    """Pieces that are shown, each only once."""

    room: float
    pieces: list[Piece] = msgspec.field(default_factory=list)
    _lines: dict[str, set[str]] = msgspec.field(default_factory=dict)
    """Lines that are shown of each file or result."""
    _all_lines: set[str] = msgspec.field(default_factory=set)

    def take(self, piece: Piece) -> bool:
        """Take a piece if there is room for it and its lines are not shown yet."""
        before = self._lines.get(piece.name, set())
        cost = piece.tokens + (2 if before else HEAD_RESERVE)
        if cost > self.room:
            return False
        lines = _telling_lines(piece.text)
        if lines and len(lines & before) >= SAME_SHARE * len(lines):
            return False
        # A command may have put out the file, or another result the same lines.
        if lines and len(lines & self._all_lines) >= COPY_SHARE * len(lines):
            return False
        self.pieces.append(piece)
        self._lines[piece.name] = before | lines
        self._all_lines |= lines
        self.room -= cost
        return True


def _take_new_names(taken: _TakenPieces, pieces: Sequence[Piece]) -> None:
    """Take pieces by the odds that they are wanted, more for names that no taken piece shows."""
    # What many pieces name is named again most often.
    held = Counter(chain(*(names_used_in(piece.text) for piece in pieces)))
    shown: set[str] = set()

    def rate(piece: Piece) -> float:
        new = sum(held[name] for name in names_used_in(piece.text) - shown)
        worth = min(piece.worth, CERTAIN)
        return worth / (1 - worth) * (1 + new / NAMES_UNIT)

    heap = [(-rate(piece), number) for number, piece in enumerate(pieces)]
    heapify(heap)
    while heap:
        _, number = heappop(heap)
        piece = pieces[number]
        rated = -rate(piece)
        # The pieces taken since then may name the same things; it is never worth more.
        if heap and rated > heap[0][0]:
            heappush(heap, (rated, number))
        elif taken.take(piece):
            shown |= names_used_in(piece.text)


def _telling_lines(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n") if len(line.strip()) > 3}


def piece_lines(pieces: Iterable[Piece]) -> Iterator[str]:
    """Yield pieces as lines, the file or call before its pieces, the last touched last."""
    by_name: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_name.setdefault(piece.name, []).append(piece)
    for name, group in sorted(by_name.items(), key=_newest):
        ordered = sorted(group, key=lambda piece: piece.order)
        yield f"--- {one_line(name)} ({_last_places(group)})"
        read = max(piece.position for piece in group)
        for number, piece in enumerate(ordered):
            follows = not number or piece.order == ordered[number - 1].order + 1
            # A piece that was read before the others may not fit them any more.
            place = f"[{piece.position}]" if piece.position != read else ""
            if place or not follows:
                yield f"{'' if follows else LEFT_OUT} {place}".strip()
            read = piece.position
            yield set_in(mask_secrets(piece.text))


def _last_places(group: Sequence[Piece]) -> str:
    """Return where a file was last read and edited, or a result came in."""
    read = max(piece.position for piece in group)
    edits = [at for piece in group for at in piece.edited]
    switched = max(piece.before for piece in group)
    if edits:
        return f"seen [{read}], edited [{max(edits)}]"
    if switched >= 0:
        return f"[{read}], before the tree was changed [{switched}]"
    return f"[{read}]"


def _newest(group: tuple[str, list[Piece]]) -> int:
    return max(max((piece.position, *piece.edited)) for piece in group[1])
