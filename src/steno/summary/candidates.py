"""The pieces of files and results that may be shown again, each with its worth.

Candidates are pieces of the newest state of recently touched files, and recent results of
searches and commands. `worth` says how likely each is wanted; `pieces` chooses among them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import chain
from math import fsum

import msgspec

from steno.core.message import Call, Message, Result, Value
from steno.core.tape import Tape
from steno.facts.artifacts import Artifact, base_of_call, call_touches, command_of_call
from steno.facts.changes import argument_texts
from steno.facts.errors import open_envelope
from steno.facts.ledger import Ledger
from steno.facts.people import person_words
from steno.facts.runs import TestRun, read_test_run
from steno.facts.shell import question_of, work_folder
from steno.facts.shell_changes import shows_tree
from steno.facts.tasks import keeps_tasks
from steno.facts.vocabulary import CHANGES, is_web, may_be_one_folder
from steno.summary.files import FilePiece, joined_spellings, known_pieces
from steno.summary.state import NO_FILE
from steno.summary.story import Story
from steno.summary.words import cut_words
from steno.summary.worth import (
    PieceFeatures,
    Scoring,
    TextScorer,
    focus_share,
    scorer_for,
    telling_words,
    worth_of,
)

RESULTS_WITHIN = 4_000
"""Messages in which results are looked for, the newest."""
FILES_MOST = 40
"""Files that are looked at, the last touched; all of them for a caller who asks for something."""
RESULTS_MOST = 60
"""Results that are looked at, the newest; all of them for a caller who asks for something."""
RESULT_CHARACTERS = 2_000
"""Characters of a result that is cut, about: longer ones cost no more."""
CUT_LEAST = 32
"""Tokens of a piece below which cutting it leaves nothing to read."""
REQUESTS_READ = 12
"""People's messages, the first and the newest, whose words say what the work is about."""
MEANING = 8
"""Characters from which on a line of a file may mean something."""
MEANING_LINES = 3
"""Such lines that a piece must have, unless it is all there is of its file."""
SAYS_LEAST = 24
"""Characters of a result from which on it says something."""
PIECES_KEPT = 1_024
"""Pieces whose content is remembered."""
RUNS_MOST = 64
"""Test runs that older ones are compared with."""
BEFORE_CHANGES = ", before files were changed again"
"""Stands behind the name of a result that shows how the tree stood."""
FOCUS_WORTH = 2.0
"""Added to the worth of what the caller asked to keep."""
CALLS_READ, CALLS_KEPT = 60, 256
"""Messages before the newest turns in whose calls names of code are looked for, and calls whose
names are remembered."""
_NAME = re.compile(r"\b[A-Za-z_]\w*+(?:\.\w++)++|\b[A-Za-z]+(?:_[a-zA-Z]\w*|[a-z][A-Z]\w*)")
"""A name as code uses it: of several words, or with what it belongs to (`json.dumps`)."""
_HIT = re.compile(r"([^\s:/.]*+[/.][^\s:]*)[:-]\d+[:-]")
"""A line as `grep -n` writes it, and its path."""
_LOOKS = ("read", "searched")


class Piece(Value, gc=False):
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


class PieceCandidates(Value, dict=True):
    """Finds and rates the pieces of a log before a position."""

    ledger: Ledger
    story: Story
    messages: Tape[Message]
    stop: int
    count: Callable[[str], int]
    focus: str = ""
    scoring: Scoring = "likely"

    @cached_property
    def files(self) -> list[Piece]:
        """Pieces of recently touched files."""
        return list(self._rated_files())

    def _rated_files(self) -> Iterator[Piece]:
        """Yield the pieces of recently touched files, each with its worth."""
        files = [
            artifact
            for artifact in reversed(joined_spellings(self.ledger.artifacts))
            if not artifact.key.startswith(NO_FILE)
            and not is_web(artifact.key)
            and not artifact.is_gone
        ]
        end = len(self.messages)
        upsets = self.story.upsets
        if not self.focus:
            files = files[:FILES_MOST]
        found: list[tuple[Artifact, FilePiece]] = []
        for artifact, pieces in known_pieces(self.messages, files, upsets):
            for piece in pieces:
                # A lone edit of a file that was never read says little about it.
                is_all = len(pieces) == 1 and piece.kind != "edited"
                if not is_all and not _means_something(piece.text):
                    continue
                if piece.since >= self.stop and not piece.edited:
                    continue  # the newest turns show it as it is
                found.append((artifact, piece))
        held = Counter(chain(*(names_used_in(piece.text) for _, piece in found)))
        for artifact, piece in found:
            in_hand = names_used_in(piece.text) & self._names_in_hand
            features = PieceFeatures(
                age=end - piece.file_touched,
                changed_file=any(action in CHANGES for action, _ in artifact.actions),
                changed=bool(piece.edited) or piece.kind == "written",
                touches=artifact.touches,
                shared=len(telling_words(piece.text) & self._task_words),
                size=len(piece.text),
                # Exact: the order of a set's strings changes from process to process.
                in_hand=fsum(1 / held[name] for name in in_hand),
            )
            yield Piece(
                piece.words,
                piece.text,
                self.count(piece.text) + 1,
                self._worth(features, piece.text, piece.words),
                piece.position,
                piece.edited,
                piece.order,
                piece.before,
            )

    def results(self, most: int) -> Iterator[Piece]:
        """Yield recent results, each cut to so many tokens."""
        for position, call, text, name, features in self.rated_results():
            text = self._without_changed(call, text, position)
            if len(text.strip()) < MEANING:
                continue
            if most < CUT_LEAST * 2 and self.count(text) > most:
                continue  # a few words of an output say nothing
            text = cut_words(text, most, self.count)
            worth = self._worth(features, text, name)
            yield Piece(name, text, self.count(text) + 1, worth, position, (), 0)

    def rated_results(self) -> Iterator[tuple[int, Call, str, str, PieceFeatures]]:
        """Yield recent results that show no file and stand: place, call, text, name, features."""
        looked = 0
        later = LaterResults()
        relayed = {at for at, _ in self.story.relayed}
        end = len(self.messages)
        for position in range(end - 1, max(end - RESULTS_WITHIN, 0) - 1, -1):
            for answer in reversed(self.story.answers[position]):
                call = answer.find(self.messages)
                deed = self.story.deed_of(position, answer, call)
                if deed.verb in ("read", "edited", "wrote") or keeps_tasks(call):
                    continue
                block = self.messages[position].blocks[answer.block]
                assert isinstance(block, Result)
                text = open_envelope(block.text).text
                if not later.add_unless_replaced(call) or position >= self.stop:
                    continue
                if len(text.strip()) < SAYS_LEAST or position in relayed:
                    continue  # what a person said there is told as such
                if deed.verb == "ran" and "\n" not in text.strip():
                    continue  # the one line of a command's result is told with the command
                looked += 1
                if looked > RESULTS_MOST and not self.focus:
                    return
                features = PieceFeatures(
                    age=end - position,
                    result=True,
                    shared=len(telling_words(text[:8_000]) & self._task_words),
                    size=min(len(text), RESULT_CHARACTERS),
                )
                name = f"result of {call.name}: {deed.what[:80]}"
                if deed.what.startswith(call.name):
                    name = f"result of {deed.what[:80]}"
                newest = max(self._changed_at.values(), default=-1)
                if newest > position and shows_tree(command_of_call(call)):
                    name += BEFORE_CHANGES
                yield position, call, text, name, features

    def _without_changed(self, call: Call, text: str, position: int) -> str:
        """Return a result without what was changed since: lines of files, a whole difference."""
        looked_at = [touch.key for touch in call_touches(call) if touch.action in _LOOKS]
        if len(looked_at) == 1 and self._is_changed(looked_at[0], position):
            return ""
        lines: list[str] = []
        for line in text.split("\n"):
            hit = _HIT.match(line)
            if hit is None or not self._is_changed(hit[1], position):
                lines.append(line)
        return "\n".join(lines)

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
            found[name] = max((found.get(name, -1), *changes))
        return found

    @cached_property
    def _names_in_hand(self) -> frozenset[str]:
        """Names of code in the newest calls: what they speak of is being worked on."""
        newest = self.messages[max(0, self.stop - CALLS_READ) :]
        calls = [call for message in newest for call in message.calls]
        return frozenset(chain(*map(_call_names, calls)))

    @cached_property
    def _task_words(self) -> frozenset[str]:
        """The words of the first and the newest requests."""
        typed = self.story.typed
        requests = sorted({*typed[:1], *typed[-REQUESTS_READ:]})
        read = (person_words(self.messages[at])[:8_000] for at in requests)
        return telling_words("\n".join(read))

    @cached_property
    def _scorer(self) -> TextScorer | None:
        return scorer_for(self.scoring, self.messages)

    def _worth(self, features: PieceFeatures, text: str, name: str) -> float:
        asked = focus_share(self.focus, f"{name}\n{text}")
        if asked:
            return FOCUS_WORTH * (1 + asked) + worth_of(features)
        if self._scorer is not None:
            return self._scorer(text)
        return worth_of(features)


class LaterResults(msgspec.Struct):
    """What later results answer, read from the newest to the oldest."""

    questions: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Each with the folders in which it was asked."""
    runs: list[tuple[TestRun, str]] = msgspec.field(default_factory=list)
    """Test runs, each with its folder."""

    def add_unless_replaced(self, call: Call) -> bool:
        """Add a call; return False if a later result takes the place of its result."""
        command = command_of_call(call)
        question = f"{call.name} {call.arguments}"
        if command:
            question = question_of(command)
        folder = work_folder(command, base_of_call(call))
        run = read_test_run(command)
        asked = self.questions.setdefault(question, [])
        places = [place for newer, place in self.runs if run and newer.covers(run)]
        if any(may_be_one_folder(folder, place) for place in (*asked, *places)):
            return False
        asked.append(folder)
        if run and len(self.runs) < RUNS_MOST:
            self.runs.append((run, folder))
        return True


# Most of the newest calls were made before the last commit.
@lru_cache(maxsize=CALLS_KEPT)
def _call_names(call: Call) -> frozenset[str]:
    return frozenset(chain(*map(_NAME.findall, argument_texts(call))))


# The pieces of a file are the same in most commits.
@lru_cache(maxsize=PIECES_KEPT)
def names_used_in(text: str) -> frozenset[str]:
    """Return the names in a text, each as code uses it."""
    return frozenset(_NAME.findall(text))


@lru_cache(maxsize=PIECES_KEPT)
def _means_something(text: str) -> bool:
    lines = text.split("\n")
    return sum(len(line.strip()) >= MEANING for line in lines) >= MEANING_LINES
