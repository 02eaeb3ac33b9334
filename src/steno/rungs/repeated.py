"""Which results a later one stands for, and which lines the later one lacks.

A subject says what the result of a call is about: files, a question, a plan. Two
results about one subject can be compared. They are read from the newest back to the
oldest, so that a chain of copies points to its newest link. Lines are compared without
the numbers that a tool put before the lines of a file. The cost is linear in the text:
each line is looked up among the newest passages that hold it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import msgspec

from steno.core.message import Call, Result, Text, Value
from steno.facts.artifacts import call_touches, command_of_call
from steno.facts.changes import WHOLE_NAMES, decode_arguments
from steno.facts.errors import has_failed
from steno.facts.shell import only_looks
from steno.facts.tasks import read_task_call
from steno.facts.vocabulary import COMMANDS, KNOWN_TOOLS, PATHS, Vocabulary, string_arguments
from steno.summary.files import without_numbers

CONTENTS = (*WHOLE_NAMES, "code")
"""Arguments that hold what a file will hold."""
ASIDE = (*PATHS, *COMMANDS, "encoding", "description", "explanation", "reason", "timeout")
"""Arguments that leave a read whole."""
FOLDERS = ("workdir", "cwd", "workingdirectory", "workingdir")
_LOOKS = ("read", "searched", "fetched")
_SHOWS_WHOLE = re.compile(r"\s*(?:cat|bat|nl)(?:\s+-\w+)*\s+[^\s|;&<>*?$`]+\s*")
_PLANS = re.compile(r"todo|plan|task", re.I)


class Subject(Value, gc=False):
    """What a call, and so its result, is about."""

    tool: str
    files: frozenset[str] = frozenset()
    """Those it shows lines of."""
    whole: str = ""
    """The one file that it shows from beginning to end, or that its call writes so."""
    writes: str = ""
    """What the call writes there, or its plan as a text."""
    question: str = ""
    """Who asks this again gets the newer answer."""
    plan: bool = False
    """The call states a whole list of things to do, or a plan as its only text."""

    @property
    def of_result(self) -> Subject:
        """What the result is about: of a call that writes, not what was written."""
        if self.writes:
            return Subject(self.tool)
        return self


def subject_of_call(call: Call, vocabulary: Vocabulary = KNOWN_TOOLS) -> Subject:
    """Return what the result of a call will be about."""
    touches = call_touches(call, vocabulary)
    files = frozenset(touch.key for touch in touches if touch.action == "read")
    command = command_of_call(call, vocabulary)
    arguments = decode_arguments(call)
    if command:
        whole = len(files) == 1 and _SHOWS_WHOLE.fullmatch(command) is not None
        question = ""
        # A command that changes nothing, and where it runs.
        if only_looks(command):
            question = f"$ {' '.join(string_arguments(arguments, FOLDERS)[:1])} {command}"
        return Subject(call.name, files, min(files) if whole else "", question=question)
    written = [touch.key for touch in touches if touch.action in ("written", "created")]
    content = string_arguments(arguments, CONTENTS)
    if len(touches) == len(written) == len(content) == 1:
        return Subject(call.name, whole=written[0], writes=content[0])
    given = {name for name, value in arguments.items() if value is not None}
    # An offset or a limit among the arguments shows only a part.
    whole = len(files) == len(touches) == 1 and given <= set(ASIDE)
    asks = any(touch.action in _LOOKS for touch in touches)
    question = f"{call.name} {call.arguments}" if asks else ""
    tasks = read_task_call(call)
    texts = [name for name, value in arguments.items() if isinstance(value, str)]
    draft = str(arguments["plan"]) if texts == ["plan"] else ""
    if _PLANS.search(call.name) and (draft or (tasks and tasks.items is not None)):
        return Subject(call.name, writes=draft, plan=True)
    return Subject(call.name, files, min(files) if whole else "", question=question)


Place = tuple[int, int]
"""A position, and a block of the message there."""
RepeatKind = Literal["same", "like", "newer"]
"""The same words; all lines but a few; a later answer to the same question."""

LINE_LEAST = 24
"""Characters from which on a line tells where it is from."""
# Passages noted for a line: one that stands in every result must not cost ever more.
HOLDERS_MOST = 8
CLOSEST = 3
NEWER = 0.5
"""Part of its lines that a later answer to the same question, or a later plan, must share."""


class Passage(Value, dict=True):
    """A text as it is shown: of a result, or what a call writes or plans."""

    place: Place
    text: str
    subject: Subject
    is_call: bool = False
    flagged: bool = False
    """It failed, or its call did."""
    free: bool = True
    """It may be hidden."""

    @cached_property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """Each line that is not blank, as it is compared and as it is shown."""
        shown = self.text.split("\n")
        bare = shown
        if self.subject.files:
            bare = [line for _, line in without_numbers(shown)]
        both = ((one.strip(), other) for one, other in zip(bare, shown, strict=True))
        return tuple((line, as_shown) for line, as_shown in both if line)

    @cached_property
    def words(self) -> dict[str, None]:
        """Its lines as they are compared, each once, in order."""
        return dict.fromkeys(line for line, _ in self.lines)

    @cached_property
    def is_failure(self) -> bool:
        """Flagged, or in words that only a failure has."""
        return self.flagged or (not self.is_call and has_failed(Result(None, (Text(self.text),))))

    @property
    def files(self) -> frozenset[str]:
        return self.subject.files or frozenset((self.subject.whole,)) - {""}

    def holds_half_of(self, earlier: Passage) -> bool:
        held = sum(line in self.words for line, _ in earlier.lines)
        return held >= NEWER * len(earlier.lines)


@dataclass(frozen=True, slots=True)
class Repeat:
    """A passage, the later one that stands for it, and its lines that the later one lacks."""

    passage: Passage
    by: Passage
    how: RepeatKind
    lacks: tuple[str, ...] = ()


def find_repeats(passages: Sequence[Passage], share: float, keep: int) -> list[Repeat]:
    """Find passages that a later one stands for; `share` and `keep` bound what a copy may lack."""
    later = LaterPassages(share, keep)
    found = [each for passage in reversed(passages) for each in later.add(passage)]
    return found[::-1]


class LaterPassages(msgspec.Struct):
    """The passages met so far that nothing later stands for."""

    share: float
    keep: int
    texts: dict[tuple[str, bool], Passage] = msgspec.field(default_factory=dict)
    plans: dict[str, Passage] = msgspec.field(default_factory=dict)
    wholes: dict[str, Passage] = msgspec.field(default_factory=dict)
    answers: dict[str, Passage] = msgspec.field(default_factory=dict)
    holders: dict[str, list[Passage]] = msgspec.field(default_factory=dict)

    def add(self, passage: Passage) -> Iterator[Repeat]:
        found = self._stands_for(passage) if passage.free else None
        if found is not None:
            yield found
        else:
            self._index(passage)

    def _stands_for(self, passage: Passage) -> Repeat | None:
        about = passage.subject
        if about.plan:
            plan = self.plans.get(about.tool)
            # A plan as a text may be of other work.
            if plan and (not about.writes or plan.holds_half_of(passage)):
                return Repeat(passage, plan, "newer")
            return None
        if passage.is_call:
            return None
        same = self.texts.get((passage.text, passage.flagged))
        if same is not None:
            return Repeat(passage, same, "same")
        closest = self._closest_passages(passage)
        newer = [self.wholes.get(about.whole), self.answers.get(about.question)]
        # `is_failure` comes last, because it reads the whole text.
        if not (closest or any(newer)) or passage.is_failure:
            return None
        return self.near_copy(passage, closest) or self._newer_version(passage, newer)

    def _closest_passages(self, passage: Passage) -> list[Passage]:
        """Return those about the same that hold the most of its telling lines."""
        held: Counter[Place] = Counter()
        found: dict[Place, Passage] = {}
        for line in passage.words:
            for holder in self.holders.get(line, ()):
                found[holder.place] = holder
                held[holder.place] += 1
        # About the same file, or from the same tool.
        about_it = [
            place
            for place, holder in found.items()
            if (passage.subject.tool == holder.subject.tool and not holder.is_call)
            or not passage.files.isdisjoint(holder.files)
        ]
        nearest = sorted(about_it, key=lambda place: (held[place], place), reverse=True)
        return [found[place] for place in nearest[:CLOSEST]]

    def near_copy(self, passage: Passage, closest: Sequence[Passage]) -> Repeat | None:
        for later in closest:
            lacks = [shown for line, shown in passage.lines if line not in later.words]
            # A little more than the share: 1 - 0.9 is not quite 0.1.
            few = len(lacks) <= (1 - self.share) * len(passage.lines) + 1e-9
            if few and sum(map(len, lacks)) + len(lacks) <= self.keep:
                return Repeat(passage, later, "like", tuple(lacks))
        return None

    def _newer_version(self, passage: Passage, newer: Sequence[Passage | None]) -> Repeat | None:
        for later in newer:
            if later is None:
                continue
            # A call that writes the whole file leaves nothing of what was shown before.
            if later.is_call or later.holds_half_of(passage):
                return Repeat(passage, later, "newer")
        return None

    def _index(self, passage: Passage) -> None:
        about = passage.subject
        if not passage.is_call:
            self.texts.setdefault((passage.text, passage.flagged), passage)
        # A failure may stand for the same failure, and for nothing else.
        if passage.flagged:
            return
        if about.plan:
            if passage.is_call:
                self.plans.setdefault(about.tool, passage)
            return
        if about.whole and about.whole not in self.wholes and not passage.is_failure:
            self.wholes[about.whole] = passage
        if about.question and about.question not in self.answers and not passage.is_failure:
            self.answers[about.question] = passage
        for line in passage.words:
            if len(line) >= LINE_LEAST:
                holders = self.holders.setdefault(line, [])
                if len(holders) < HOLDERS_MOST:
                    holders.append(passage)
