"""What a log tells, message by message: who spoke, what the calls did, where the work stands.

Folded from the messages, so a longer log costs what is new. A deed is told where its
result came in, with the position of its call. Which of it is shown is decided by `compose`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from steno.core.message import Call, Message, Result, Span, Text, Value
from steno.core.meter import probe_counts
from steno.core.tape import Tape, stored_as
from steno.facts.artifacts import base_of_call, call_touches, command_of_call, run_asked_for
from steno.facts.equipment import SkillTexts
from steno.facts.errors import changed_nothing, has_failed, open_envelope
from steno.facts.people import agent_words, person_words, relayed_words
from steno.facts.runs import ends_with_test, run_outcome
from steno.facts.shell import only_looks
from steno.facts.shell_changes import (
    PICKS,
    branch_switch,
    commit_words,
    left_tree,
    rebuilds_commits,
    reverted_places,
    touched_after_commit,
    undoes_commits,
)
from steno.facts.standing import Statement, stated_in
from steno.facts.tasks import plan_in
from steno.secrets import mask_secrets
from steno.summary.activity import (
    CHANGING_VERBS,
    COMMAND_MOST,
    COMMITTED_LINE,
    LOGGED_COMMIT,
    MANY_LINES,
    OUTCOME_MOST,
    Deed,
    DeedTotals,
    call_deeds,
    error_lines,
    is_test_result,
    touched_in_vain,
)
from steno.summary.files import Upset, upsets_of

PENDING_MOST = 256
"""Calls without a result that are remembered."""
ERRORS_MOST = 6
"""Lines of a failing command's output that are remembered."""
DELETED = " (deleted)"
"""Stands behind the path of a changed file that is gone."""
LINES_MOST = 2_048
"""Lines of deeds that are remembered."""
COMMITS_MOST = 9
"""Commits that are remembered."""
QUIET = "said nothing"
"""Outcome of a commit of which git wrote no line."""
_ON_BRANCH = re.compile(
    r"(?m)^(?:(?:Switched to (?:a new )?branch|Already on) '([^'\s]{1,200})'$"
    r"|On branch (\S{1,200})$|\[(\S{1,200}) (?:\(root-commit\) )?[0-9a-f]{6,40}\] )"
)
_CLOSES = re.compile(r"\b(?:gh pr|glab mr) close\b")
_NAMED = (
    ("branch", re.compile(r"\bgit (?:-\S+ )*(?:switch|checkout|status|commit)\b"), _ON_BRANCH),
    (
        "pull request",
        re.compile(r"\b(?:gh pr|glab mr) (?:create|new)\b"),
        re.compile(r"(?m)^https?://\S{1,200}/(?:pull|merge_requests)/\d+$"),
    ),
)
"""What commands name, by which programs, and how."""
_STATUS = re.compile(r"\bgit (?:-\S+ )*status\b")
_FROM_INDEX = "from the index"
"""What git says of files that it put back, as `git checkout` does with the name of a file."""
CLEAN = "nothing to commit, working tree clean"
_NOT_COMMITTED = re.compile(
    r"nothing (?:added )?to commit|no changes added to commit|nothing changed|[Aa]borting commit"
    r"|hook (?:exited|failed|declined)"
)
STILL_RUNNING = "still running"


class AnsweredCall(NamedTuple):
    """A result that came in, and where the call is that it answers."""

    called: int
    """Position of the call."""
    number: int
    """Which block of its message the call is."""
    block: int
    """Which block of its message the result is."""

    def find(self, messages: Sequence[Message]) -> Call:
        call = messages[self.called].blocks[self.number]
        assert isinstance(call, Call)
        return call


class Story(Value):
    """What was said and done so far."""

    typed: Tape[int] = msgspec.field(default_factory=Tape)
    """Where people spoke."""
    said: Tape[int] = msgspec.field(default_factory=Tape)
    """Where the assistant spoke."""
    relayed: Tape[tuple[int, str]] = msgspec.field(default_factory=Tape)
    """What people said within results, each with its position."""
    deeds: Tape[tuple[Deed, ...]] = msgspec.field(default_factory=Tape)
    """By position: what the calls did whose results came in there."""
    done: Tape[int] = msgspec.field(default_factory=Tape)
    """Positions where results of deeds came in."""
    answers: Tape[tuple[AnsweredCall, ...]] = msgspec.field(default_factory=Tape)
    """By position: the results that came in there."""
    pending: Mapping[str | None, tuple[int, int, Call]] = msgspec.field(default_factory=dict)
    """Calls whose results have not come in, each with its position and block."""
    changed: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Files changed since tests last passed, each with where it was changed last."""
    last_pass: int = -1
    """Where tests last passed; -1 if never."""
    last_test: Deed | None = None
    last_run: Deed | None = None
    commits: tuple[Deed, ...] = ()
    """The newest commits, oldest first; the outcome is empty where git put others in its place."""
    last_errors: tuple[str, ...] = ()
    """What the last command said of errors, if it failed."""
    uncommitted: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Files changed since the last commit, each with where it was changed last."""
    named: Mapping[str, tuple[int, str]] = msgspec.field(default_factory=dict)
    """The branch and the pull request that were named last, each with where."""
    skills: SkillTexts = SkillTexts()
    running: Mapping[str, tuple[int, int, Call]] = msgspec.field(default_factory=dict)
    """Calls that go on in the background, by the number that their result gave them."""

    plan: tuple[int, int] | None = None
    """Position and block of the call that handed a plan to a person last."""

    vain: Tape[tuple[int, str]] = msgspec.field(default_factory=Tape)
    """What calls touched in vain, each with the position of the call."""
    upsets: Tape[Upset] = msgspec.field(default_factory=Tape)
    """The calls that may have changed files unseen, by where their results came in."""

    @property
    def last_commit(self) -> Deed | None:
        """The commit that was made last; None if another may stand in its place."""
        return next((each for each in self.commits[-1:] if each.outcome), None)

    def deeds_in(self, start: int, stop: int) -> list[Deed]:
        """Return what was done between two positions, in order."""
        # Most messages of a talk did nothing.
        places = self.done[bisect_left(self.done, start) : bisect_left(self.done, stop)]
        return [deed for at in places for deed in self.deeds[at]]

    def totals(self, start: int, stop: int, told: tuple[Span, ...]) -> DeedTotals:
        """Return what was done between two positions and not within `told`, added up."""
        return DeedTotals.of(self._deeds_outside(told, start, stop))

    def _deeds_outside(self, told: tuple[Span, ...], start: int, stop: int) -> Iterator[Deed]:
        """Yield what was done between two positions, outside these spans and by calls outside."""
        within = [span for span in told if start < span.stop and span.start < stop]
        for span in (*within, Span(stop, stop)):
            for deed in self.deeds_in(start, span.start):
                # The result of an earlier call may have come late.
                if deed.position >= start or not any(deed.position in each for each in told):
                    yield deed
            start = span.stop

    def deed_of(self, position: int, answer: AnsweredCall, call: Call) -> Deed:
        """Return the first thing that a call did, which was answered at this position."""
        for deed in self.deeds[position]:
            if deed.position == answer.called:
                return deed
        return Deed(answer.called, "called", call.name)


DeedLines = dict[tuple[int, int, int, tuple[Span, ...]], str]
"""By where deeds begin and end, how many names are told and what is left out: the line."""


@stored_as("deed lines", 6)
def fold_deed_lines(
    before: DeedLines | None, deeds: Sequence[tuple[Deed, ...]], at: int
) -> DeedLines:
    """Keep lines of deeds between commits, the newest of them; a fold for `Tape.fold`."""
    return dict(list((before or {}).items())[-LINES_MOST:])


def spoken_words(message: Message) -> str:
    """Return what a person or the assistant says in a message; empty for anybody else."""
    if message.role == "assistant":
        return agent_words(message)
    return person_words(message)


class WordTokens(Value):
    """Counts the words of each message once; a fold for `Tape.fold`, one for each meter.

    A number below 0 stands for words that are all of a block, -1 for the first: the view has
    counted those already.
    """

    count: Callable[[str], int]
    meter: str

    @property
    def stored_as(self) -> str:
        return f"word tokens {self.meter} {probe_counts(self.count)} 3"

    def __call__(self, before: Tape[int] | None, messages: Sequence[Message], at: int) -> Tape[int]:
        return (before or Tape()).plus(map(self._tokens, messages))

    def _tokens(self, message: Message) -> int:
        words = spoken_words(message)
        for number, block in enumerate(message.blocks):
            if isinstance(block, Text) and block.text.strip() == words:
                return -1 - number
        return self.count(words)


@stored_as("statements", 2)
def fold_statements(
    before: Tape[Statement | None] | None, messages: Sequence[Message], at: int
) -> Tape[Statement | None]:
    """Keep what people stated, message by message; a fold for `Tape.fold`."""
    return (before or Tape()).plus(map(stated_in, messages))


@stored_as("story", 15)
def fold_story(before: Story | None, messages: Sequence[Message], at: int) -> Story:
    """Go on telling with more messages; a fold for `Tape.fold`."""
    teller = _Teller(before or Story())
    for position, message in enumerate(messages, start=at):
        teller.hear(position, message)
    return teller.story()


def is_search_result(messages: Tape[Message], position: int, block: int) -> bool:
    """Tell whether a block of a message is what a search found."""
    for answer in messages.fold(fold_story).answers[position]:
        if answer.block == block:
            return any(touch.action == "searched" for touch in call_touches(answer.find(messages)))
    return False


class _Teller:
    """Adds messages to a story; the story itself is a value that others may hold."""

    def __init__(self, before: Story) -> None:
        self._before = before
        self._pending = dict(before.pending)
        self._running = dict(before.running)
        self._changed = dict(before.changed)
        self._uncommitted = dict(before.uncommitted)
        self._last_pass = before.last_pass
        self._last_test = before.last_test
        self._last_run = before.last_run
        self._commits = before.commits
        self._named = dict(before.named)
        self._skills = before.skills
        self._last_errors = before.last_errors
        self._plan = before.plan
        self._typed: list[int] = []
        self._said: list[int] = []
        self._relayed: list[tuple[int, str]] = []
        self._deeds: list[tuple[Deed, ...]] = []
        self._done: list[int] = []
        self._answers: list[tuple[AnsweredCall, ...]] = []
        self._vain: list[tuple[int, str]] = []
        self._upsets: list[Upset] = []

    def hear(self, position: int, message: Message) -> None:
        """Take in one more message."""
        deeds: list[Deed] = []
        answers: list[AnsweredCall] = []
        for block, result in enumerate(message.blocks):
            if not isinstance(result, Result) or result.call not in self._pending:
                continue
            called, number, call = self._pending.pop(result.call)
            answers.append(AnsweredCall(called, number, block))
            self._upsets += upsets_of(called, call, result)
            self._vain += [(called, touch.key) for touch in touched_in_vain(call, result)]
            # A look at what went on in the background tells how that ended.
            called, number, call = self._running.pop(run_asked_for(call), (called, number, call))
            if goes_on := open_envelope(result.text).run:
                self._running[goes_on] = (called, number, call)
                going = [deed for deed in call_deeds(called, call, result) if deed.verb == "ran"]
                deeds += [msgspec.structs.replace(deed, outcome=STILL_RUNNING) for deed in going]
                continue
            if words := relayed_words(call, result):
                self._relayed.append((position, words))
            done = call_deeds(called, call, result)
            deeds += done
            self._note(done, call, result)
        if deeds:
            self._done.append(position)
        self._deeds.append(tuple(deeds))
        self._answers.append(tuple(answers))
        for number, made in enumerate(message.blocks):
            if isinstance(made, Call):
                self._pending[made.id] = (position, number, made)
                if plan_in(made):
                    self._plan = (position, number)
        self._skills = self._skills.after(message)
        words = spoken_words(message)
        if words and message.role == "user":
            # A skill's text is nobody's words.
            if not self._skills.here:
                self._typed.append(position)
        elif words:
            self._said.append(position)

    def _note(self, deeds: Sequence[Deed], call: Call, result: Result) -> None:
        """Remember what a call says about where the work stands."""
        command = command_of_call(call)
        tested = is_test_result(call, result)
        changes = [deed for deed in deeds if deed.verb in CHANGING_VERBS]
        if not command and not tested:
            if not changed_nothing(result):
                self._note_changes(changes, self._changed, self._uncommitted)
            return
        self._note_reverts(call, command, result)
        # A command that changes files and then tests or commits them has done so with its changes.
        self._note_changes(changes, self._changed, self._uncommitted)
        self._note_run(deeds[0], command, result, tested)
        if not (tested and ends_with_test(command)):
            self._note_changes(changes, self._changed)
        late = touched_after_commit(command)
        self._note_changes([deed for deed in changes if deed.what in late], self._uncommitted)

    def _note_reverts(self, call: Call, command: str, result: Result) -> None:
        if has_failed(result):
            return
        if undoes_commits(command):
            self._commits = ()
        for place in reverted_places(command, base_of_call(call)):
            if place.is_tree:
                # What passed or failed before was another tree.
                self._last_test, self._last_pass = None, -1
            for changed in (self._changed, self._uncommitted):
                for path in [path for path in changed if place.concerns(path)]:
                    del changed[path]

    def _note_changes(self, changes: Sequence[Deed], *noted: dict[str, int]) -> None:
        for deed in changes:
            what = deed.what
            if deed.verb == "deleted":
                what += DELETED
            for changed in noted:
                # Taken out and put back, so that the order is that of the newest change.
                for path in [path for path in changed if _is_one_file(path, deed.what)]:
                    del changed[path]
                changed[what] = deed.position

    def _note_run(self, deed: Deed, command: str, result: Result, tested: bool) -> None:
        # Of a look at many lines no line is an outcome.
        if not MANY_LINES.search(deed.outcome):
            self._note_outcome(deed, command, result, tested)
        said = open_envelope(result.text).text
        self._note_commit(deed, command, said, has_failed(result))
        self._note_names(deed, command, said, has_failed(result))

    def _note_outcome(self, deed: Deed, command: str, result: Result, tested: bool) -> None:
        self._last_run = deed
        self._last_errors = ()
        body = open_envelope(result.text).text
        ended = run_outcome(body)
        unclear = not ended and open_envelope(result.text).exit != 0
        failed = ended == "failed" or (unclear and bool(error_lines(deed.outcome, 1)))
        # What a look shows may speak of errors of others.
        if result.error or (failed and not only_looks(command)):
            self._last_errors = tuple(error_lines(body, ERRORS_MOST))
        if tested:
            self._last_test = deed
            if ended == "passed" and not has_failed(result):
                self._changed = {}
                self._last_pass = deed.position

    def _note_commit(self, deed: Deed, command: str, said: str, failed: bool) -> None:
        committed = commit_words(command)
        if committed:
            outcome = _commit_outcome(said, failed)
            # What goes on after a conflict may be refused in many words.
            if outcome == QUIET and "--continue" in committed and "Success" not in said:
                outcome = ""
            if outcome:
                masked = mask_secrets(committed)
                if PICKS.isdisjoint(committed.split()):
                    self._uncommitted = {}
                commit = Deed(deed.position, "ran", masked[:COMMAND_MOST], outcome)
                earlier = self._commits
                if "--amend" in committed:
                    earlier = earlier[:-1]
                self._commits = (*earlier, commit)[-COMMITS_MOST:]
        refused = failed and left_tree(command, said, failed)
        if self._commits and rebuilds_commits(command, said) and not refused:
            # Which commit is the last is unknown now; what was committed until then stays so.
            unknown = msgspec.structs.replace(self._commits[-1], what="", outcome="")
            self._commits = (*self._commits, unknown)[-COMMITS_MOST:]
        if _STATUS.search(command) and CLEAN in said and not failed:
            # Whoever committed it, or put it back.
            self._uncommitted = {}
            if not self._commits:
                self._changed = {}

    def _note_names(self, deed: Deed, command: str, said: str, failed: bool) -> None:
        """Remember the branch and the pull request; no branch after an unknown switch."""
        branch = branch_switch(command)
        if branch is not None and _FROM_INDEX not in said and not failed:
            self._named.pop("branch", None)
            if branch:
                self._named["branch"] = (deed.position, mask_secrets(branch))
        for name, program, words in _NAMED:
            if program.search(command):
                for found in words.finditer(said):
                    named = mask_secrets(found[found.lastindex or 0])
                    self._named[name] = (deed.position, named)
        if _CLOSES.search(command) and not failed:
            self._named.pop("pull request", None)

    def story(self) -> Story:
        """Return the story so far."""
        both: tuple[dict[Any, Any], ...] = (self._pending, self._running)
        for waiting in both:
            while len(waiting) > PENDING_MOST:
                del waiting[next(iter(waiting))]
        before = self._before
        return Story(
            before.typed.plus(self._typed),
            before.said.plus(self._said),
            before.relayed.plus(self._relayed),
            before.deeds.plus(self._deeds),
            before.done.plus(self._done),
            before.answers.plus(self._answers),
            self._pending,
            self._changed,
            self._last_pass,
            self._last_test,
            self._last_run,
            self._commits,
            self._last_errors,
            self._uncommitted,
            self._named,
            self._skills,
            self._running,
            self._plan,
            before.vain.plus(self._vain),
            before.upsets.plus(self._upsets),
        )


def _is_one_file(path: str, other: str) -> bool:
    """Tell whether two paths are spellings of one file, if one is relative to a folder."""
    path, other = path.removesuffix(DELETED), other.removesuffix(DELETED)
    short, long = sorted((path, other), key=len)
    return path == other or ("/" in short and long.startswith("/") and long.endswith(f"/{short}"))


def _commit_outcome(said: str, failed: bool) -> str:
    """Return what a commit said; empty if there was none."""
    committed = COMMITTED_LINE.findall(said)
    if committed:
        return str(committed[-1][:OUTCOME_MOST])
    if failed or _NOT_COMMITTED.search(said):
        return ""
    # A quiet commit, after which the log was asked for, the newest first.
    logged = LOGGED_COMMIT.search(said)
    if logged is not None:
        return logged[0][:OUTCOME_MOST]
    # Said in a word by neither: whatever sounds like an error is believed. The rest of the output
    # is that of other commands.
    if error_lines(said, 1):
        return ""
    return QUIET
