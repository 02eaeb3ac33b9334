"""Which pieces of files and results are shown again: the likeliest, until the room is used."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise

from msgspec.structs import replace as altered

from steno.core.lines import one_line
from steno.facts.changes import text_changes
from steno.facts.paths import is_plan, is_prose
from steno.facts.vocabulary import CHANGES
from steno.secrets import mask_secrets
from steno.summary.candidates import CUT_LEAST, Piece, PieceCandidates, names_used_in
from steno.summary.code_notes import code_notes, definitions_in
from steno.summary.conclusions import conclude, telling_texts
from steno.summary.files import joined_spellings, outline_lines
from steno.summary.render import quote_rows
from steno.summary.touched import main_root

RESULT_SHARE = 0.07
"""Share of the room for one result."""
LEAST_ROOM = 48
"""Tokens below which there is no room for anything."""
HEAD_RESERVE, HEAD_BRIEF = 24, 16
"""Tokens to set aside for the line above the pieces of one file, whose path may be long, and
where the folder of most files is said once."""
SAME_SHARE = 0.7
"""Share of a piece's lines that another piece shows from which on it is left out."""
COPY_SHARE = 0.8
"""The same of pieces of other files and results."""
DOCUMENT_SHARE = 0.35
"""Share of the room for plans that the agent wrote and files that people named."""
SENTENCES_ROOM = 1_500
"""Tokens of room below which only sentences of documents and what the agent made are shown."""
NOTED_SHARE = 0.60
"""Share of such a room for what the agent noted in its code."""
SPOKEN_SHARE = 0.60
"""Share of such a room for definitions of what people and the agent spoke of."""
CONCLUDED_SHARE = 0.60
"""Share of such a room for what documents conclude."""
LEFT_OUT = "⋮"
"""Stands where lines of a file are left out."""
NOTES_GAP = f"\n{LEFT_OUT}\n"
"""Stands between two notes."""
NOTES_ORDER, SPOKEN_ORDER = -4, -2
"""The places of notes and definitions among the pieces of their file: before all, and next to
none."""
DOCUMENT_LEAST = 140
"""Tokens of what a document concludes, at least."""
SMALL_OUTLINES = 150
"""Tokens of room for outlines below which only those of the agent's own work are told."""
NAMES_UNIT = 10
"""Names that double what a piece is worth, if nothing shows them yet; a name counts once for each
piece that has it."""
CERTAIN = 0.999
"""Worth from which on more makes no difference."""
_TEST = re.compile(r"(?:^|[/_.-])(?:tests?|specs?)(?:[/_.-]|$)", re.I)
"""A path of tests."""


@dataclass(frozen=True)
class PieceChooser:
    """Chooses among the candidates."""

    candidates: PieceCandidates

    def choose(self, room: float) -> list[Piece]:
        """Return the pieces worth most, within a room of so many tokens."""
        if room < LEAST_ROOM:
            return []
        candidates = [*self.candidates.files, *self.candidates.results(int(room * RESULT_SHARE))]
        candidates.sort(key=lambda piece: (-piece.worth, -piece.position))
        # Plans and files that people speak of come first, within their share.
        documents = [piece for piece in candidates if piece.is_document]
        first: list[Piece] = []
        if room < SENTENCES_ROOM:
            # So little room holds no section whole; what a plan concludes is told by sentences.
            prose = [piece for piece in documents if is_plan(piece.name)]
            first = list(self._concluded(prose, room * CONCLUDED_SHARE))
            first += self._noted(room * NOTED_SHARE)
            first += self._spoken_definitions(room * SPOKEN_SHARE)
            documents = [piece for piece in documents if piece not in prose]
            rest = [piece for piece in candidates if piece not in prose]
            candidates = sorted(rest, key=lambda piece: not _is_made(piece))
        first += _fitting(documents, room * DOCUMENT_SHARE)
        taken = {(piece.name, piece.order) for piece in first}
        rest = [piece for piece in candidates if (piece.name, piece.order) not in taken]
        if room >= SENTENCES_ROOM and self.candidates.scoring == "likely":
            return _take_new_names(first, rest, room)
        chosen = self._choose_from([*first, *rest], room)
        # What the code shows with its notes need not be noted again; others get that room.
        once = list(self._without_shown_notes(chosen))
        if once == chosen:
            return chosen
        told = {(piece.name, piece.order) for piece in once}
        rest = [piece for piece in rest if (piece.name, piece.order) not in told]
        return list(self._without_shown_notes(self._choose_from([*once, *rest], room)))

    @property
    def has_plans(self) -> bool:
        """Whether there are plans or notes that the agent wrote or people named."""
        return any(piece.is_document and is_plan(piece.name) for piece in self.candidates.files)

    def _concluded(self, documents: Sequence[Piece], room: float) -> Iterator[Piece]:
        """Yield for the newest documents what they conclude, each as one piece."""
        by_name: dict[str, list[Piece]] = {}
        made = [piece for piece in documents if _is_made(piece)]
        for piece in made or documents:
            by_name.setdefault(piece.name, []).append(piece)
        newest = sorted(by_name.values(), key=_newest_of, reverse=True)
        newest = newest[: max(1, int(room / DOCUMENT_LEAST))]
        if room < CUT_LEAST * 2:
            return
        for pieces in newest:
            ordered = sorted(pieces, key=_order)
            whole = "\n\n".join(piece.text for piece in ordered)
            text = conclude(whole, int(room / len(newest)), self.candidates.count)
            edited = tuple(sorted({at for piece in pieces for at in piece.edited}))
            told = altered(max(pieces, key=_position), text=text, edited=edited, order=0)
            if text:
                yield altered(told, tokens=self.candidates.count(text) + 1)

    def _noted(self, room: float) -> Iterator[Piece]:
        """Yield for each file what the agent noted in the code that it wrote, as one piece."""
        notes = self._notes
        texts = [note.text for note in notes]
        sizes = [note.tokens for note in notes]
        by_name: dict[str, list[int]] = {}
        for number in sorted(telling_texts(texts, sizes, room)):
            by_name.setdefault(notes[number].name, []).append(number)
        for numbers in by_name.values():
            text = NOTES_GAP.join(texts[number] for number in numbers)
            tokens = sum(sizes[number] for number in numbers)
            yield altered(notes[numbers[0]], text=text, tokens=tokens)

    def _spoken_definitions(self, room: float) -> Iterator[Piece]:
        """Yield definitions whose names were spoken of, the most often named first."""
        spoken = self.candidates.spoken_names
        found: dict[tuple[str, str], Piece] = {}
        for piece in self.candidates.files:
            if _TEST.search(piece.name) or is_prose(piece.name):
                continue
            for name, text in definitions_in(piece.text):
                if name in spoken:
                    found[piece.name, name] = altered(piece, text=text, order=SPOKEN_ORDER)
        ranked = sorted(found, key=lambda place: -spoken[place[1]])
        by_name: dict[str, list[Piece]] = {}
        for place in ranked:
            piece = altered(found[place], tokens=self.candidates.count(found[place].text) + 2)
            cost = piece.tokens + (0 if piece.name in by_name else HEAD_BRIEF)
            if cost <= room:
                by_name.setdefault(piece.name, []).append(piece)
                room -= cost
        for pieces in by_name.values():
            text = NOTES_GAP.join(piece.text for piece in pieces)
            tokens = sum(piece.tokens for piece in pieces)
            yield altered(pieces[0], text=text, tokens=tokens)

    def _without_shown_notes(self, pieces: Sequence[Piece]) -> Iterator[Piece]:
        """Yield pieces, and of notes those that no piece of their file shows."""
        shown: dict[str, set[str]] = {}
        for piece in pieces:
            if piece.order >= 0:
                shown.setdefault(piece.name, set()).update(_telling_lines(piece.text))
        for piece in pieces:
            if piece.order >= 0:
                yield piece
                continue
            notes = [
                note
                for note in piece.text.split(NOTES_GAP)
                if not _telling_lines(note) <= shown.get(piece.name, set())
            ]
            text = NOTES_GAP.join(notes)
            if text == piece.text:
                yield piece
            elif notes:
                yield altered(piece, text=text, tokens=self.candidates.count(text) + 2)

    @cached_property
    def _notes(self) -> list[Piece]:
        """What the agent noted in the code that it wrote, the newest files first."""
        files: dict[str, list[Piece]] = {}
        for piece in self.candidates.files:
            if _is_made(piece) and not is_prose(piece.name):
                files.setdefault(piece.name, []).append(piece)
        own = self._own_lines(files)
        notes: list[Piece] = []
        for name, pieces in sorted(files.items(), key=_newest, reverse=True):
            edited = tuple(sorted({at for piece in pieces for at in piece.edited}))
            newest = altered(max(pieces, key=_position), edited=edited, order=NOTES_ORDER)
            for text in _joined_texts(sorted(pieces, key=_order)):
                for note in code_notes(text, own[name]):
                    notes.append(altered(newest, text=note, tokens=self.candidates.count(note) + 2))
        return notes

    def _own_lines(self, names: Container[str]) -> dict[str, set[str]]:
        """Return the lines that the agent put into files of these names."""
        own: dict[str, set[str]] = {}
        for artifact in joined_spellings(self.candidates.ledger.artifacts):
            if artifact.words not in names:
                continue
            lines = own.setdefault(artifact.words, set())
            changed = dict.fromkeys(at for action, at in artifact.actions if action in CHANGES)
            for call in (call for at in changed for call in self.candidates.messages[at].calls):
                for change in text_changes(call):
                    old = (change.old or "").split("\n")
                    lines |= set(change.new.split("\n")).difference(old)
        return own

    def _choose_from(self, candidates: Sequence[Piece], room: float) -> list[Piece]:
        taken = _TakenPieces(room)
        for piece in candidates:
            taken.take(piece)
        return taken.pieces

    def outlines(self, shown: Sequence[Piece], room: float) -> list[Piece]:
        """Return the definitions in pieces of files that are not shown, file by file."""
        seen = {(piece.name, piece.order) for piece in shown}
        rest: dict[str, list[Piece]] = {}
        for piece in self.candidates.files:
            if (piece.name, piece.order) not in seen:
                rest.setdefault(piece.name, []).append(piece)
        found: list[Piece] = []
        # What the agent made first, and tests last.
        ordered = sorted(rest.items(), key=lambda named: not any(map(_is_made, named[1])))
        for name, pieces in ordered:
            if room < SMALL_OUTLINES and not any(map(_is_made, pieces)):
                break
            lines = [line for piece in pieces for line in outline_lines(piece.text)]
            if not lines:
                continue
            text = "\n".join(dict.fromkeys(lines))
            tokens = self.candidates.count(text) + HEAD_RESERVE
            newest = max(pieces, key=_position)
            if tokens <= room:
                found.append(Piece(name, text, tokens, 0.0, newest.position, newest.edited, 0))
                room -= tokens
        return found


@dataclass
class _TakenPieces:
    """Pieces that are shown, each only once."""

    room: float
    pieces: list[Piece] = field(default_factory=list)
    _lines: dict[str, set[str]] = field(default_factory=dict)
    """Lines that are shown of each file or result."""
    _all_lines: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._head = HEAD_BRIEF if self.room < SENTENCES_ROOM else HEAD_RESERVE

    def take(self, piece: Piece) -> bool:
        """Take a piece if there is room for it and its lines are not shown yet."""
        before = self._lines.get(piece.name, set())
        cost = piece.tokens + (2 if before else self._head)
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


def _take_new_names(first: Sequence[Piece], rest: Sequence[Piece], room: float) -> list[Piece]:
    """Return the first pieces and, of the rest, those worth most that name something new."""
    taken = _TakenPieces(room)
    names: set[str] = set()
    for piece in first:
        if taken.take(piece):
            names |= names_used_in(piece.text)
    for piece in _most_new_names(rest, names):
        if taken.take(piece):
            names |= names_used_in(piece.text)
    return taken.pieces


def _most_new_names(pieces: Sequence[Piece], shown: Set[str]) -> Iterator[Piece]:
    """Yield pieces by the odds that they are wanted, more for names that are not `shown`.

    Who takes a piece adds its names to those shown before asking for the next.
    """
    # What many pieces name is named again most often.
    held = Counter(chain(*(names_used_in(piece.text) for piece in pieces)))

    def rate(piece: Piece) -> float:
        new = sum(held[name] for name in names_used_in(piece.text) - shown)
        worth = min(piece.worth, CERTAIN)
        return worth / (1 - worth) * (1 + new / NAMES_UNIT)

    heap = [(-rate(piece), number) for number, piece in enumerate(pieces)]
    heapify(heap)
    while heap:
        _, number = heappop(heap)
        rated = -rate(pieces[number])
        # The pieces taken since then may name the same things; it is never worth more.
        if heap and rated > heap[0][0]:
            heappush(heap, (rated, number))
        else:
            yield pieces[number]


def _fitting(pieces: Sequence[Piece], room: float) -> list[Piece]:
    """Return the first pieces that fit a room."""
    taken: list[Piece] = []
    for piece in pieces:
        if piece.tokens <= room:
            taken.append(piece)
            room -= piece.tokens
    return taken


def _telling_lines(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n") if len(line.strip()) > 3}


def _joined_texts(pieces: Sequence[Piece]) -> Iterator[str]:
    """Yield the text of pieces, those together that follow each other in their file."""
    text = pieces[0].text
    for before, piece in pairwise(pieces):
        if piece.order == before.order + 1:
            text += "\n" + piece.text
        else:
            yield text
            text = piece.text
    yield text


def _newest_of(pieces: Sequence[Piece]) -> int:
    return max(max((piece.position, *piece.edited)) for piece in pieces)


def _is_made(piece: Piece) -> bool:
    """Tell whether a piece shows the agent's own work, and not how it is tested."""
    return bool(piece.edited or piece.is_written) and not _TEST.search(piece.name)


def piece_lines(pieces: Iterable[Piece], *, brief: bool = False) -> Iterator[str]:
    """Yield pieces as lines, the file or call before its pieces, the last touched last.

    If `brief`, the folder that most files lie under is said once.
    """
    by_name: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_name.setdefault(piece.name, []).append(piece)
    root = ""
    if brief:
        root = main_root(name for name in by_name if name.startswith("/"))
    if root:
        yield f"(most under {root})"
    for name, group in sorted(by_name.items(), key=_newest):
        ordered = sorted(group, key=_order)
        yield f"--- {one_line(name.removeprefix(root))} ({_last_places(group)})"
        for number, piece in enumerate(ordered):
            if number and piece.order != ordered[number - 1].order + 1:
                yield LEFT_OUT
            yield quote_rows(mask_secrets(piece.text))


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
    return _newest_of(group[1])


def _position(piece: Piece) -> int:
    return piece.position


def _order(piece: Piece) -> int:
    return piece.order
