"""Which pieces of files and results are shown again.

Candidates are pieces of the newest state of recently touched files, and recent results of
searches and commands. `worth` says how likely each is wanted; the likeliest are chosen
until the room is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import groupby, pairwise

from msgspec.structs import replace as altered

from steno.core.lines import one_line
from steno.core.message import Call, Message, Result, Value
from steno.core.tape import Tape
from steno.facts.artifacts import base_of_call, call_touches, command_of_call
from steno.facts.changes import text_changes
from steno.facts.errors import result_body
from steno.facts.ledger import Ledger
from steno.facts.paths import is_web, may_be_one_folder
from steno.facts.people import person_words
from steno.facts.secrets import mask_secrets
from steno.facts.shell import question_of, work_folder
from steno.facts.shell_changes import shows_tree
from steno.facts.tasks import keeps_tasks
from steno.facts.testruns import TestRun, read_test_run
from steno.facts.vocabulary import CHANGES
from steno.summary.code_notes import code_notes
from steno.summary.conclusions import conclude, telling_texts
from steno.summary.files import (
    FilePiece,
    fold_upsets,
    joined_spellings,
    known_pieces,
    outline_lines,
)
from steno.summary.render import quote_rows
from steno.summary.scorers import Scoring, TextScorer, scorer_for
from steno.summary.story import AnsweredCall, Story
from steno.summary.touched import NO_FILE
from steno.summary.words import cut_words
from steno.summary.worth import PieceFeatures, telling_words, worth_of

RESULTS_WITHIN = 4_000
"""Messages in which results are looked for, the newest."""
FILES_MOST = 40
"""Files that are looked at, the last touched; all of them for a caller who asks for something."""
RESULTS_MOST = 60
"""Results that are looked at, the newest; all of them for a caller who asks for something."""
RESULT_SHARE = 0.07
"""Share of the room for one result."""
RESULT_CHARACTERS = 2_000
"""Characters of a result that is cut, about: longer ones cost no more."""
CUT_LEAST = 32
"""Tokens of a piece below which cutting it leaves nothing to read."""
LEAST_ROOM = 48
"""Tokens below which there is no room for anything."""
NAME_TOKENS = 24
"""Tokens of the line above the pieces of one file."""
SAME_SHARE = 0.7
"""Share of a piece's lines that another piece shows from which on it is left out."""
REQUESTS_READ = 12
"""People's messages, the first and the newest, whose words say what the work is about."""
DOCUMENT_SHARE = 0.25
"""Share of the room for plans that the agent wrote and files that people named."""
SMALL_ROOM = 1_500
"""Tokens of room below which only sentences of documents and what the agent made are shown."""
NOTED_SHARE = 0.60
"""Share of such a room for what the agent noted in its code."""
CONCLUDED_SHARE = 0.60
"""Share of such a room for what documents conclude."""
LEFT_OUT = "⋮"
"""Stands where lines of a file are left out."""
NOTES_ORDER = -2
"""The place of notes among the pieces of their file: before all, and next to none."""
DOCUMENT_LEAST = 140
"""Tokens of what a document concludes, at least."""
NAMED_LEAST = 6
"""Characters of a file's name from which on it is told apart from a word."""
MEANING = 8
"""Characters from which on a line of a file may mean something."""
MEANING_LINES = 3
"""Such lines that a piece must have, unless it is all there is of its file."""
SMALL_OUTLINES = 150
"""Tokens of room for outlines below which only those of the agent's own work are told."""
SAYS_LEAST = 24
"""Characters of a result from which on it says something."""
HITS_LEAST = 3
"""Lines of a search's result under one path from which on the path is said once."""
PROSE_ENDINGS = (".md", ".markdown", ".txt", ".rst", ".adoc")
PIECES_KEPT = 1_024
RUNS_MOST = 64
"""Test runs that older ones are compared with."""
BEFORE_CHANGES = ", before files were changed again"
"""Stands behind the name of a result that shows how the tree stood."""
FOCUS_WORTH = 2.0
"""Added to the worth of what the caller asked to keep."""
_HIT = re.compile(r"([^\s:]*[/.][^\s:]*)[:-]\d+[:-]")
"""A line as `grep -n` writes it, and its path."""
_LOOKS = ("read", "searched")
_PLAN = re.compile(r"plan|note|design|spec|decision|proposal|rfc|adr|todo|handover|roadmap", re.I)
"""A path of a text that says what is to be done, and why."""
_TEST = re.compile(r"(?:^|[/_.-])(?:tests?|specs?)(?:[/_.-]|$)", re.I)
"""A path of tests."""
_IMPORT = re.compile(
    r"(?:import|from|package|use|using|#include|require|export \{)\b|#include"
    r"|\s+(?:[\w.]+ )?\"[\w./@-]+\"$"
)
"""How a line begins that brings names in."""


class Piece(Value, frozen=True, gc=False):
    """A text that may be shown again."""

    name: str
    """The file, or the call whose result it is."""
    text: str
    tokens: int
    worth: float
    position: int
    edited: tuple[int, ...]
    order: int
    """Its place among the pieces of the same name."""
    before: int = -1
    """Where version control may have changed the file since; -1 if nowhere."""
    is_document: bool = False
    """Whether it is of a plan that the agent wrote, or of a file that a person named."""
    is_written: bool = False
    """Whether the agent wrote it whole, or changed the document that it is of."""


@dataclass(frozen=True)
class PieceChooser:
    """Finds and rates the pieces of a log before a position."""

    ledger: Ledger
    story: Story
    messages: Tape[Message]
    stop: int
    count: Callable[[str], int]
    focus: str = ""
    scoring: Scoring = "likely"
    attached: frozenset[str] = frozenset()
    """Files that are shown elsewhere, as equipment."""

    def choose(self, room: float) -> list[Piece]:
        """Return the pieces worth most, within a room of so many tokens."""
        if room < LEAST_ROOM:
            return []
        candidates = [*self._file_pieces, *self._result_pieces(int(room * RESULT_SHARE))]
        candidates.sort(key=_by_worth)
        # Plans and files that people speak of come first, within their share.
        documents = [piece for piece in candidates if piece.is_document]
        first: list[Piece] = []
        if room < SMALL_ROOM:
            # So little room holds no section whole; what a plan concludes is told by sentences.
            prose = [piece for piece in documents if _is_plan(piece)]
            first = list(self._concluded(prose, room * CONCLUDED_SHARE))
            first += self._noted(room * NOTED_SHARE)
            documents = [piece for piece in documents if piece not in prose]
            rest = [piece for piece in candidates if piece not in prose]
            candidates = sorted(rest, key=lambda piece: not _is_made(piece))
        first += _fitting(documents, room * DOCUMENT_SHARE)
        taken = {(piece.name, piece.order) for piece in first}
        rest = [piece for piece in candidates if (piece.name, piece.order) not in taken]
        return self._choose_from([*first, *rest], room)

    @property
    def has_plans(self) -> bool:
        """Whether there are plans or notes that the agent wrote or people named."""
        return any(piece.is_document and _is_plan(piece) for piece in self._file_pieces)

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
            text = conclude(whole, int(room / len(newest)), self.count)
            edited = tuple(sorted({at for piece in pieces for at in piece.edited}))
            told = altered(max(pieces, key=_position), text=text, edited=edited, order=0)
            if text:
                yield altered(told, tokens=self.count(text) + 1)

    def _noted(self, room: float) -> Iterator[Piece]:
        """Yield for each file what the agent noted in the code that it wrote, as one piece."""
        notes = self._notes
        texts = [note.text for note in notes]
        sizes = [note.tokens for note in notes]
        by_name: dict[str, list[int]] = {}
        for number in sorted(telling_texts(texts, sizes, room)):
            by_name.setdefault(notes[number].name, []).append(number)
        for numbers in by_name.values():
            text = f"\n{LEFT_OUT}\n".join(texts[number] for number in numbers)
            tokens = sum(sizes[number] for number in numbers)
            yield altered(notes[numbers[0]], text=text, tokens=tokens)

    @cached_property
    def _notes(self) -> list[Piece]:
        """What the agent noted in the code that it wrote, the newest files first."""
        files: dict[str, list[Piece]] = {}
        for piece in self._file_pieces:
            if _is_made(piece) and not _is_prose(piece.name):
                files.setdefault(piece.name, []).append(piece)
        own = self._own_lines(files)
        notes: list[Piece] = []
        for name, pieces in sorted(files.items(), key=_newest, reverse=True):
            edited = tuple(sorted({at for piece in pieces for at in piece.edited}))
            newest = altered(max(pieces, key=_position), edited=edited, order=NOTES_ORDER)
            for text in _joined_texts(sorted(pieces, key=_order)):
                for note in code_notes(text, own[name]):
                    notes.append(altered(newest, text=note, tokens=self.count(note) + 2))
        return notes

    def _own_lines(self, names: Container[str]) -> dict[str, set[str]]:
        """Return the lines that the agent put into files of these names."""
        own: dict[str, set[str]] = {}
        for artifact in joined_spellings(self.ledger.artifacts):
            if artifact.words not in names:
                continue
            lines = own.setdefault(artifact.words, set())
            changed = dict.fromkeys(at for action, at in artifact.actions if action in CHANGES)
            for call in (call for at in changed for call in self.messages[at].calls):
                for change in text_changes(call):
                    old = (change.old or "").split("\n")
                    lines |= set(change.new.split("\n")).difference(old)
        return own

    def _choose_from(self, candidates: Sequence[Piece], room: float) -> list[Piece]:
        chosen: list[Piece] = []
        shown: dict[str, set[str]] = {}
        for piece in candidates:
            before = shown.get(piece.name, set())
            cost = piece.tokens + (2 if before else NAME_TOKENS)
            if cost > room:
                continue
            lines = {line.strip() for line in piece.text.split("\n") if len(line.strip()) > 3}
            if lines and len(lines & before) >= SAME_SHARE * len(lines):
                continue
            chosen.append(piece)
            shown[piece.name] = before | lines
            room -= cost
        return chosen

    def outlines(self, shown: Sequence[Piece], room: float) -> list[Piece]:
        """Return the definitions in pieces of files that are not shown, file by file."""
        seen = {(piece.name, piece.order) for piece in shown}
        rest: dict[str, list[Piece]] = {}
        for piece in self._file_pieces:
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
            tokens = self.count(text) + NAME_TOKENS
            newest = max(pieces, key=_position)
            if tokens <= room:
                found.append(Piece(name, text, tokens, 0.0, newest.position, newest.edited, 0))
                room -= tokens
        return found

    @cached_property
    def _file_pieces(self) -> list[Piece]:
        return [
            Piece(
                piece.words,
                piece.text,
                self.count(piece.text) + 1,
                self._worth(features, piece.text),
                piece.position,
                piece.edited,
                piece.order,
                piece.before,
                self._is_document(piece, features.changed_file),
                piece.kind == "written" or (features.changed_file and _is_prose(piece.words)),
            )
            for piece, features in self.rated_files()
        ]

    def rated_files(self) -> Iterator[tuple[FilePiece, PieceFeatures]]:
        """Yield the pieces of recently touched files, each with its features."""
        files = [
            artifact
            for artifact in reversed(joined_spellings(self.ledger.artifacts))
            if not artifact.key.startswith(NO_FILE)
            and not is_web(artifact.key)
            and not artifact.is_gone
            and artifact.key not in self.attached
        ]
        end = len(self.messages)
        upsets = self.messages.fold(fold_upsets)
        if not self.focus:
            files = files[:FILES_MOST]
        for artifact, pieces in known_pieces(self.messages, files, upsets):
            changed = any(action in CHANGES for action, _ in artifact.actions)
            for piece in pieces:
                # A lone edit of a file that was never read says little about it.
                is_all = len(pieces) == 1 and piece.kind != "edited"
                if not is_all and not _means_something(piece.text):
                    continue
                if piece.since >= self.stop and not piece.edited:
                    continue  # the newest turns show it as it is
                features = PieceFeatures(
                    age=end - piece.touched,
                    file_age=end - piece.file_touched,
                    changed_file=changed,
                    changed=bool(piece.edited) or piece.kind == "written",
                    searched=False,
                    ran=False,
                    touches=len(artifact.actions),
                    shared=len(telling_words(piece.text) & self._task_words),
                    size=len(piece.text),
                )
                yield piece, features

    def _is_document(self, piece: FilePiece, changed: bool) -> bool:
        name = piece.words.rpartition("/")[2]
        if len(name) >= NAMED_LEAST and name in self._task_text:
            return True
        return changed and _is_prose(name)

    def _result_pieces(self, most: int) -> Iterator[Piece]:
        for position, answer, name, features in self.rated_results():
            text = self._current_text(position, answer)
            if not text.strip():
                continue
            text = group_hits(text)
            if most < CUT_LEAST * 2 and self.count(text) > most:
                continue  # a few words of an output say nothing
            text = cut_words(text, most, self.count)
            worth = self._worth(features, text)
            yield Piece(name, text, self.count(text) + 1, worth, position, (), 0)

    def rated_results(self) -> Iterator[tuple[int, AnsweredCall, str, PieceFeatures]]:
        """Yield recent results that show no file, each with its name and features.

        Left out is what a later result takes the place of, also one among the newest turns.
        """
        looked = 0
        later = LaterResults()
        relayed = {at for at, _ in self.story.relayed}
        end = len(self.messages)
        for position in range(end - 1, max(end - RESULTS_WITHIN, 0) - 1, -1):
            for answer in reversed(self.story.answers[position]):
                deed = self.story.deed_of(position, answer)
                if deed.verb in ("read", "edited", "wrote") or keeps_tasks(answer.call):
                    continue
                text = self._result_text(position, answer)
                if later.replaces(answer.call) or position >= self.stop:
                    continue
                if len(text.strip()) < SAYS_LEAST or position in relayed:
                    continue  # what a person said there is told as such
                if not text.strip() or (deed.verb == "ran" and "\n" not in text.strip()):
                    continue  # the one line of a command's result is told with the command
                looked += 1
                if looked > RESULTS_MOST and not self.focus:
                    return
                age = len(self.messages) - position
                features = PieceFeatures(
                    age=age,
                    file_age=age,
                    changed_file=False,
                    changed=False,
                    searched=deed.verb == "searched",
                    ran=deed.verb != "searched",
                    touches=1,
                    shared=len(telling_words(text[:8_000]) & self._task_words),
                    size=min(len(text), RESULT_CHARACTERS),
                )
                name = f"result of {answer.call.name}: {deed.what[:80]}"
                if self._is_old_tree(answer, position):
                    name += BEFORE_CHANGES
                yield position, answer, name, features

    def _current_text(self, position: int, answer: AnsweredCall) -> str:
        """Return a result without what was changed since: lines of files, a whole difference."""
        text = self._result_text(position, answer)
        touches = call_touches(answer.call)
        looked_at = [touch.key for touch in touches if touch.action in _LOOKS]
        if len(looked_at) == 1 and self._is_changed(looked_at[0], position):
            return ""
        lines = text.split("\n")
        return "\n".join(line for line in lines if not self._is_old_hit(line, position))

    def _is_old_tree(self, answer: AnsweredCall, position: int) -> bool:
        """Tell whether a result shows the state of the tree before later changes."""
        newest = max(self._changed_at.values(), default=-1)
        return newest > position and shows_tree(command_of_call(answer.call))

    def _is_old_hit(self, line: str, position: int) -> bool:
        path = _path_of_hit(line)
        return bool(path) and self._is_changed(path, position)

    def _is_changed(self, path: str, position: int) -> bool:
        """Tell whether a file was changed after a position, however it is spelt."""
        return self._changed_at.get(path.rpartition("/")[2], -1) > position

    @cached_property
    def _changed_at(self) -> dict[str, int]:
        """Where files were changed last, by their names without folders."""
        found: dict[str, int] = {}
        for artifact in self.ledger.artifacts:
            changes = [at for action, at in artifact.actions if action in CHANGES]
            name = artifact.key.rpartition("/")[2]
            if changes and changes[-1] > found.get(name, -1):
                found[name] = changes[-1]
        return found

    def _result_text(self, position: int, answer: AnsweredCall) -> str:
        block = self.messages[position].blocks[answer.block]
        if isinstance(block, Result):
            return result_body(block.text)
        return ""

    @cached_property
    def _task_text(self) -> str:
        """The words of the first and the newest requests."""
        typed = self.story.typed
        read = sorted({*typed[:1], *typed[-REQUESTS_READ:]})
        return "\n".join(person_words(self.messages[at])[:8_000] for at in read)

    @cached_property
    def _task_words(self) -> frozenset[str]:
        return telling_words(self._task_text)

    @cached_property
    def _focus_words(self) -> frozenset[str]:
        return telling_words(self.focus)

    @cached_property
    def _scorer(self) -> TextScorer | None:
        return scorer_for(self.scoring, self.messages)

    def _worth(self, features: PieceFeatures, text: str) -> float:
        if self._focus_words and self._focus_words & telling_words(text):
            return FOCUS_WORTH + worth_of(features)
        if self._scorer is not None:
            return self._scorer(text)
        return worth_of(features)


@dataclass
class LaterResults:
    """What later results answer, read from the newest to the oldest."""

    questions: dict[str, list[str]] = field(default_factory=dict)
    """Each with the folders in which it was asked."""
    runs: list[tuple[TestRun, str]] = field(default_factory=list)
    """Test runs, each with its folder."""

    def replaces(self, call: Call) -> bool:
        """Tell whether a later result takes the place of a call's; take it in if none does."""
        command = command_of_call(call)
        question = f"{call.name} {call.arguments}"
        if command:
            question = question_of(command)
        folder = work_folder(command, base_of_call(call))
        run = read_test_run(command)
        asked = self.questions.setdefault(question, [])
        places = [place for newer, place in self.runs if run and newer.covers(run)]
        if any(may_be_one_folder(folder, place) for place in (*asked, *places)):
            return True
        asked.append(folder)
        if run and len(self.runs) < RUNS_MOST:
            self.runs.append((run, folder))
        return False


# The pieces of a file are the same in most commits.
@lru_cache(maxsize=PIECES_KEPT)
def _means_something(text: str) -> bool:
    lines = without_imports(text)
    return sum(len(line.strip()) >= MEANING for line in lines) >= MEANING_LINES


def without_imports(text: str) -> list[str]:
    """Return the lines of a piece of code that do more than bring names in."""
    told: list[str] = []
    within = False
    for line in text.split("\n"):
        if within or _IMPORT.match(line):
            within = (within or line.rstrip().endswith(("(", "{"))) and line[:1] not in ")}"
        else:
            told.append(line)
    return told


def group_hits(text: str) -> str:
    """Return the result of a search with each path once above its lines."""
    grouped: list[str] = []
    for path, hits in groupby(text.split("\n"), _path_of_hit):
        lines = list(hits)
        if path and len(lines) >= HITS_LEAST:
            grouped.append(path)
            grouped += [line[len(path) :] for line in lines]
        else:
            grouped += lines
    return "\n".join(grouped)


def _path_of_hit(line: str) -> str:
    """Return the path before a line's number; nothing where there is none."""
    found = _HIT.match(line)
    if found is None:
        return ""
    return found[1]


def _fitting(pieces: Sequence[Piece], room: float) -> list[Piece]:
    """Return the first pieces that fit a room."""
    taken: list[Piece] = []
    for piece in pieces:
        if piece.tokens <= room:
            taken.append(piece)
            room -= piece.tokens
    return taken


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


def _is_prose(name: str) -> bool:
    return name.endswith(PROSE_ENDINGS)


def _is_plan(piece: Piece) -> bool:
    return _is_prose(piece.name) and _PLAN.search(piece.name) is not None


def _is_made(piece: Piece) -> bool:
    """Tell whether a piece shows the agent's own work, and not how it is tested."""
    return bool(piece.edited or piece.is_written) and not _TEST.search(piece.name)


def _by_worth(piece: Piece) -> tuple[float, int]:
    return -piece.worth, -piece.position


def piece_lines(pieces: Iterable[Piece]) -> Iterator[str]:
    """Yield pieces as lines, the file or call before its pieces, the last touched last."""
    by_name: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_name.setdefault(piece.name, []).append(piece)
    for name, group in sorted(by_name.items(), key=_newest):
        ordered = sorted(group, key=_order)
        yield f"--- {one_line(name)} ({_last_places(group)})"
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
