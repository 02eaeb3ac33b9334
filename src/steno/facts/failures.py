"""Which errors stand: each with the call that met it, until the same thing works.

A result is joined with its call by id, or by order if there is no id. An error stands until
a later call that does the same succeeds, however it is spelt; an error of a test run until a
run that covers it passes; a conflict until something is committed; an error of a call that names
neither a command nor a file until its tool works again, and of a call that was written wrongly
until anything works: the log can show no more of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from steno.core.message import Call, Message, Result, Value
from steno.core.word_tables import word_tuple
from steno.facts.artifacts import base_of_call, call_touches, command_of_call, run_asked_for
from steno.facts.errors import DECLINED, MENTIONED, PLACED, open_envelope
from steno.facts.fact import Fact, FactAt
from steno.facts.runs import (
    TestRun,
    ends_with_test,
    may_be_silent,
    read_test_run,
    run_outcome,
    summary_line,
)
from steno.facts.shell import last_programs, main_programs, only_looks, shows_outcome, work_folder
from steno.facts.shell_changes import CONFLICT, git_runs
from steno.facts.vocabulary import KNOWN_TOOLS, WRITES, may_be_one_folder

PENDING_MOST = 256
WORDS_MOST = 300
_LOOKS = word_tuple("read searched fetched delegated")
_ENDS_CONFLICTS = word_tuple(
    "git: commit|git: merge|git: rebase|git: pull|git: cherry-pick|git: revert|git: am", "|"
)
"""What git refuses to do while a conflict stands, and how it goes on or gives up."""
_TOLERATES = re.compile(r"\|\|\s*(?:true|:|echo)(?!\w)")
_NO_WORDS = re.compile(r"(?:\(no output\)|(?:exit code|command exited|process exited)\b.*)?", re.I)
"""An error that says nothing: `grep` ends with 1 if it finds nothing."""
_TOOK = re.compile(r"\bin \d+(?:\.\d+)? ?m?s\b")
"""How long a check took: it says so when it has ended."""
_TOOL_NAME = re.compile(r"[\w.:/-]+")


class AttemptedCall(Value):
    """A call, as far as an error needs it."""

    position: int
    id: str | None
    tool: str
    words: str
    """Its command, or what it touched."""
    about: frozenset[str]
    """Two calls about the same are two tries at one thing."""
    looks: bool
    """Whether errors in its result need not be its own: it shows texts, or goes on (`|| true`)."""
    needs: frozenset[str]
    """What a later call must be about, or do, to overcome its error."""
    run: TestRun | None = None
    """The test run that it ends with."""
    folder: str = ""
    """Where it works, if it says so."""
    shown: bool = True
    """Whether its result shows how all that it ran ended."""
    does: tuple[str, ...] = ()
    """What its command does to files, and what it asks git to do."""
    asks_for: str = ""
    """The number of the run that it waits for."""


class Failure(Value):
    """An error, its position, the call that met it, and the position that overcame it."""

    position: int
    fact: Fact
    call: AttemptedCall | None = None
    overcome: int | None = None


class Failures(Value):
    """What has failed so far, oldest first; reading on costs only what is new."""

    failed: tuple[Failure, ...] = ()
    pending: tuple[AttemptedCall, ...] = ()
    running: Mapping[str, AttemptedCall] = msgspec.field(default_factory=dict)
    """Calls that go on in the background, by the number of their run."""

    def plus(self, said: Iterable[tuple[int, Message, Sequence[Fact]]]) -> Failures:
        """Return it with later messages, in order, each with its position and its facts."""
        failed, pending, running = list(self.failed), list(self.pending), dict(self.running)
        for position, message, facts in said:
            for at, block in enumerate(message.blocks):
                if isinstance(block, Call):
                    # Calls that are never answered would pile up.
                    pending = [*pending[-PENDING_MOST:], _attempt_from(position, block)]
                elif isinstance(block, Result):
                    call = _take_call(pending, block.call)
                    if call and call.asks_for in running:
                        call = running.pop(call.asks_for)
                    if (goes_on := open_envelope(block.text).run) and call:
                        running[goes_on] = call
                    errors = [fact for fact in facts if fact.kind == "error" and fact.block == at]
                    # A command that ended well has dealt with the errors it printed.
                    if call and not goes_on and (not errors or _ended_well(call, block)):
                        errors = []
                        _overcome(failed, call, block, position)
                    own = [fact for fact in errors if _is_own_failure(fact, call)]
                    failed += [Failure(position, fact, call) for fact in own]
        newest = dict(list(running.items())[-PENDING_MOST:])
        return Failures(tuple(failed), tuple(pending), newest)

    @property
    def failing_runs(self) -> list[FactAt]:
        """The test runs that failed and that no later run ran again, as open loops."""
        found: list[tuple[TestRun, FactAt]] = []
        for failure in self.failed:
            call = failure.call
            if failure.overcome is None and call is not None and (run := call.run):
                found = [other for other in found if not run.covers(other[0])]
                fact = Fact("open", call.words, "assistant", note="failing")
                found.append((run, (call.position, fact)))
        return [loop for _, loop in found]


def _attempt_from(position: int, call: Call) -> AttemptedCall:
    command, touches = command_of_call(call), call_touches(call)
    done = [("changed" if touch.action in WRITES else touch.action, touch.key) for touch in touches]
    does = tuple(map(" ".join, done))
    if command:
        return AttemptedCall(
            position,
            call.id,
            call.name,
            command[:WORDS_MOST],
            main_programs(command),
            only_looks(command) or _TOLERATES.search(command) is not None,
            last_programs(command),
            read_test_run(command) if ends_with_test(command) else None,
            work_folder(command, base_of_call(call)),
            shows_outcome(command),
            (*does, *(f"git: {run[0]}" for run in git_runs(command))),
        )
    about = frozenset(does)
    words = next((touch.words for touch in touches), "")
    looks = KNOWN_TOOLS.tool(call.name).action in _LOOKS
    if looks and not about:
        about = frozenset((f"{call.name} {call.arguments[:WORDS_MOST]}",))
    elif not about and _TOOL_NAME.fullmatch(call.name):
        about = frozenset((call.name,))
    asked = run_asked_for(call)
    return AttemptedCall(position, call.id, call.name, words, about, looks, about, asks_for=asked)


def _take_call(pending: list[AttemptedCall], id: str | None) -> AttemptedCall | None:
    """Remove and return the pending call that a result answers."""
    for at, call in enumerate(pending):
        # Without ids, results come in the order of their calls.
        if id is None or call.id == id:
            return pending.pop(at)
    return None


def _is_own_failure(fact: Fact, call: AttemptedCall | None) -> bool:
    """Tell whether the call failed, rather than showed a text about failing."""
    if fact.note == DECLINED or _NO_WORDS.fullmatch(fact.words):
        return False
    return fact.note != MENTIONED or not (call and call.looks)


def _overcome(failed: list[Failure], call: AttemptedCall, result: Result, position: int) -> None:
    """Mark what a call overcame whose result states no error."""
    tries = [at for at, failure in enumerate(failed) if is_tried_again(failure, call)]
    if tries and _has_passed(call, result):
        for at in tries:
            failed[at] = replace(failed[at], overcome=position)


def _ended_well(call: AttemptedCall, result: Result) -> bool:
    """Tell whether a command ended with an exit code of zero and no test runner objects."""
    if not call.shown or open_envelope(result.text).exit != 0:
        return False
    output = open_envelope(result.text).text
    return run_outcome(output) == "passed" or not summary_line(output)


def _has_passed(call: AttemptedCall, result: Result) -> bool:
    if _ended_well(call, result):
        return True
    output = open_envelope(result.text).text
    outcome = run_outcome(output)
    if call.run is not None and (outcome or not _is_quiet(call, result)):
        return outcome == "passed"
    # A check may complain of places in files without a word about an error.
    return PLACED.search(output) is None


def _is_quiet(call: AttemptedCall, result: Result) -> bool:
    """Tell whether a check that may say nothing said nothing, or at last how long it took."""
    said = [line for line in result.text.split("\n") if line and not line.startswith((">", "$"))]
    ended = not said or _TOOK.search(said[-1]) is not None
    return ended and call.shown and may_be_silent(call.words)


def is_tried_again(failure: Failure, call: AttemptedCall) -> bool:
    """Tell whether a call does what another one failed to do."""
    failed = failure.call
    if failure.overcome is not None or failed is None:
        return False
    if not may_be_one_folder(failed.folder, call.folder):
        return False
    if CONFLICT.match(failure.fact.words):
        return not set(_ENDS_CONFLICTS).isdisjoint(call.does)
    if failed.run is not None:
        return call.run is not None and call.run.covers(failed.run)
    return failed.needs.issubset((*call.about, *call.does))
