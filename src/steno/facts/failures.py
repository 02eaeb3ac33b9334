"""Which errors stand: each with the call that met it, until something overcomes it.

An error is joined with its call by id, or by order if there is no id. It is overcome when
the same thing works later, however it is spelt; when a check of the same kind passes that
covers a file which the error names and which was changed since; and a conflict, when a commit
is made there. In doubt it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from steno.core.message import Call, Message, Result
from steno.facts.artifacts import base_of_call, call_touches, command_of_call
from steno.facts.changes import decode_arguments
from steno.facts.check_runs import CheckKind, CheckRun, read_check_runs
from steno.facts.errors import DECLINED, MENTIONED, PLACED, REPORTED
from steno.facts.fact import Fact
from steno.facts.paths import canonical_path, may_be_one_folder
from steno.facts.shell import main_programs, may_find_nothing, only_looks, work_folder
from steno.facts.shell_changes import commit_words
from steno.facts.testruns import RUNNERS, TestRun, read_test_run, run_outcome
from steno.facts.vocabulary import CHANGES, KNOWN_TOOLS, WRITES, Touch, Vocabulary

PENDING_MOST = 256
WORDS_MOST = 300
NAMES_MOST = 8
"""Files that an error names and that are remembered."""
NAME_CHARACTERS = 120
"""Characters of an argument that names a thing, at most."""
_LOOKS = ("read", "searched", "fetched", "delegated")

_FILE = re.compile(r"[\w@+./\\-]{0,200}[\w-]\.[A-Za-z]\w{0,7}\b")
"""A file in the words of an error."""
_CONFLICT = "CONFLICT"
_TEST_FAILED = re.compile(r"\s*(?:FAILED |--- FAIL|FAIL\b|not ok )")
_NONE_RAN = re.compile(
    r"\bno tests? |\b\d+ (?:skipped|ignored|pending)\b|\b0 (?:tests|passed)", re.I
)
_ASIDE = re.compile(r"(?:\.\./)+[^.]")
_UPWARDS = re.compile(r"(?:\.\./)+")
_TOLERATES = re.compile(r"\|\|\s*(?:true|:|echo)(?!\w)")

MessageFacts = tuple[int, Message, Sequence[Fact]]
"""A position, the message that stands there, and its facts."""


@dataclass(frozen=True, slots=True)
class AttemptedCall:
    """A call, as far as an error needs it."""

    id: str | None
    tool: str
    words: str
    """Its command, or what it touched."""
    about: frozenset[str]
    """Two calls about the same are two tries at one thing."""
    looks: bool
    """Whether it shows what others wrote, so that an error in it need not be one of its own."""
    may_find_nothing: bool = False
    last: frozenset[str] = frozenset()
    """What the last command of a chain `a && b` is about; nothing for any other call."""
    run: TestRun | None = None
    checks: tuple[CheckRun, ...] = ()
    folder: str = ""
    """Where it works, if it says so."""
    commits: bool = False
    tolerates: bool = False
    """Whether it goes on if something fails."""
    changes: frozenset[str] = frozenset()
    """Files that it changes."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error, where it stands, the call that met it, and the position that overcame it."""

    position: int
    fact: Fact
    call: AttemptedCall | None = None
    overcome: int | None = None
    named: frozenset[str] = frozenset()
    """Files that it names."""
    changed: frozenset[str] = frozenset()
    """Those of them that were changed since."""

    @property
    def exit(self) -> int | None:
        word, _, code = self.fact.note.partition(";")[0].partition(" ")
        if word == "exit":
            return int(code)
        return None

    @property
    def cause(self) -> str:
        return self.fact.note.partition("; cause: ")[2]


@dataclass(frozen=True, slots=True)
class Failures:
    """What has failed so far, oldest first; reading on costs what is new."""

    failed: tuple[Failure, ...] = ()
    pending: tuple[AttemptedCall, ...] = ()

    def plus(self, said: Iterable[MessageFacts], vocabulary: Vocabulary = KNOWN_TOOLS) -> Failures:
        """Return it with later messages, in order."""
        failed, pending = list(self.failed), list(self.pending)
        standing = [at for at, failure in enumerate(failed) if failure.overcome is None]
        for position, message, facts in said:
            errors = [fact for fact in facts if fact.kind == "error"]
            for at, block in enumerate(message.blocks):
                met = [fact for fact in errors if fact.block == at]
                call = None
                if isinstance(block, Call):
                    pending.append(_attempt_from(block, vocabulary))
                    # Calls that are never answered would pile up.
                    del pending[:-PENDING_MOST]
                elif isinstance(block, Result):
                    answered = _index_of_call(pending, block.call)
                    call = None if answered is None else pending.pop(answered)
                    own = [fact for fact in met if _is_own_failure(fact, call)]
                    if call and call.checks and not met:
                        own = _complaints(block, at)
                    if call and not own and not any(fact.note == DECLINED for fact in met):
                        standing = _settle(failed, standing, call, block, position)
                    met = own
                standing += range(len(failed), len(failed) + len(met))
                failed += [Failure(position, fact, call, None, _named_in(fact)) for fact in met]
        return Failures(tuple(failed), tuple(pending))


def _complaints(result: Result, at: int) -> list[Fact]:
    """Return the first place that a check complains of, where nothing else says that it failed."""
    if run_outcome(result.text) == "passed":
        return []
    found = islice(PLACED.finditer(result.text), 1)
    return [Fact("error", each[0][:WORDS_MOST], "tool", at, result.call or "") for each in found]


def _named_in(fact: Fact) -> frozenset[str]:
    found = islice(_FILE.finditer(fact.words), NAMES_MOST)
    return frozenset(each[0] for each in found)


def _attempt_from(call: Call, vocabulary: Vocabulary) -> AttemptedCall:
    command = command_of_call(call, vocabulary)
    things = call_touches(call, vocabulary)
    changes = frozenset(touch.key for touch in things if touch.action in CHANGES)
    if command:
        looks = only_looks(command)
        return AttemptedCall(
            call.id,
            call.name,
            command[:WORDS_MOST],
            main_programs(command),
            looks,
            may_find_nothing(command),
            _last_of_chain(command),
            read_test_run(command),
            read_check_runs(command),
            work_folder(command, base_of_call(call, vocabulary)),
            bool(commit_words(command)),
            _TOLERATES.search(command) is not None,
            changes,
        )
    looks = vocabulary.tool(call.name).action in _LOOKS
    about = frozenset(_touch_key(touch) for touch in things) or _named_things(call)
    words = things[0].words if things else ""
    return AttemptedCall(call.id, call.name, words, about, looks, changes=changes)


def _named_things(call: Call) -> frozenset[str]:
    """Return what the arguments of an unknown tool name: it may work for one thing and not another.

    Long texts and numbers are left out, because another try changes them.
    """
    named = [
        f"{call.name} {name} {value}"
        for name, value in decode_arguments(call).items()
        if isinstance(value, str) and len(value) <= NAME_CHARACTERS and "\n" not in value
    ]
    return frozenset(named or (call.name,))


def _may_be_one_file(named: str, path: str) -> bool:
    """Tell whether an error may mean a file, wherever the program that said it ran."""
    return may_be_one_folder(_UPWARDS.sub("", canonical_path(named), count=1), path)


def _last_of_chain(command: str) -> frozenset[str]:
    _, chained, last = command.rpartition("&&")
    if not chained:
        return frozenset()
    return main_programs(last)


def _touch_key(touch: Touch) -> str:
    return f"{'changed' if touch.action in WRITES else touch.action} {touch.key}"


def _index_of_call(pending: Sequence[AttemptedCall], id: str | None) -> int | None:
    """Return which of the pending calls a result answers."""
    # Without ids, results come in the order of their calls.
    return next((at for at, call in enumerate(pending) if id is None or call.id == id), None)


def _is_own_failure(fact: Fact, call: AttemptedCall | None) -> bool:
    """Tell whether the call failed, rather than showed a text about failing or found nothing."""
    if call is None or fact.note == DECLINED:
        return fact.note != DECLINED
    if fact.note == MENTIONED and call.looks:
        return False
    # A command with `|| true` is expected to fail at times.
    if call.tolerates and fact.note in (MENTIONED, REPORTED):
        return False
    bare = not fact.words or fact.words.lower().startswith(
        ("exit code", "command exited", "process exited")
    )
    # `grep` that finds nothing ends with 1 and says no word.
    return not (bare and call.may_find_nothing and fact.note == "exit 1")


def _settle(
    failed: list[Failure], standing: list[int], call: AttemptedCall, result: Result, position: int
) -> list[int]:
    """Note what a call that succeeded changed and overcame; return which errors still stand."""
    passed = not call.checks or _has_passed(call, result)
    left: list[int] = []
    for at in standing:
        failure = failed[at]
        changed = {
            name
            for name in failure.named
            if any(_may_be_one_file(name, path) for path in call.changes)
        }
        if not changed <= failure.changed:
            failure = replace(failure, changed=failure.changed | changed)
        if passed and _is_overcome(failure, call):
            failure = replace(failure, overcome=position)
        else:
            left.append(at)
        failed[at] = failure
    return left


def _has_passed(call: AttemptedCall, result: Result) -> bool:
    """Tell whether a check that is no error of its own found nothing."""
    ended = run_outcome(result.text)
    # Tests that were skipped, only listed or not found have not passed.
    counts = call.run is not None and call.run.runner in RUNNERS
    if ended or counts or _NONE_RAN.search(result.text):
        return ended == "passed"
    return PLACED.search(result.text) is None


def _is_overcome(failure: Failure, call: AttemptedCall) -> bool:
    met = failure.call
    here = met is None or _is_in_folder(met.folder, call.folder)
    above = met is not None and met.folder.startswith(f"{call.folder}/")
    if not here and not above:
        return False
    # After a commit no conflict is left: git refuses a commit with one.
    if here and call.commits and failure.fact.words.startswith(_CONFLICT):
        return True
    if any(_is_proved_over(failure, check) for check in call.checks):
        return True
    return here and met is not None and _is_settled_by(met, call)


def _is_proved_over(failure: Failure, check: CheckRun) -> bool:
    """Tell whether a check that passed looked at what failed, for the same kind of fault."""
    if not _reaches(check, failure):
        return False
    kinds = _kinds_that_prove(failure)
    if any(check.proves(kinds, name) for name in failure.changed):
        return True
    # What compiles now has no error of a compiler left, whatever was changed for it.
    broken = failure.named if kinds == {"types"} else frozenset()
    return bool(broken) and all(check.proves(kinds, name) for name in broken)


def _is_in_folder(failed: str, folder: str) -> bool:
    """Tell whether a call may work where another one failed."""
    # `../other` is elsewhere, though it is unknown where the failed one was.
    aside = not failed and _ASIDE.match(folder) is not None
    return not aside and may_be_one_folder(failed, folder)


def _kinds_that_prove(failure: Failure) -> frozenset[CheckKind]:
    """Return the kinds of check that prove an error to be over."""
    checks = failure.call.checks if failure.call else ()
    # What no check met is proved by tests alone: they run the code.
    if not checks or _TEST_FAILED.match(failure.fact.words):
        return frozenset(("tests",))
    return frozenset(kind for check in checks for kind in check.kinds)


def _reaches(check: CheckRun, failure: Failure) -> bool:
    """Tell whether a check that leaves something out still looks at what failed."""
    words = failure.fact.words
    return all(limit in words and not limit.startswith("-") for limit in check.limits)


def _is_settled_by(failed: AttemptedCall, call: AttemptedCall) -> bool:
    # All that the failed call was about: a later one about half of it proves nothing. But the
    # end of a chain is reached only if what stood before it went well, or no longer matters.
    if failed.about <= call.about:
        return True
    whole = not any(check.limits for check in call.checks)
    if whole and failed.run and call.run and call.run.covers(failed.run):
        return True
    return bool(failed.last) and failed.last <= call.about
