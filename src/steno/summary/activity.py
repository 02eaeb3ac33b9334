"""What the agent did, in one line a stretch.

Reads calls by what they do (`facts.artifacts`), whatever their tools are called,
and says it the way a colleague would: files by name, commands with their outcome,
the same thing once with a count. What the agent said is not told here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from steno.core.message import Call, Result, Value
from steno.core.word_tables import word_tuple
from steno.facts.artifacts import PATCH, base_of_call, call_touches, command_of_call
from steno.facts.changes import decode_arguments
from steno.facts.errors import (
    PLACED,
    changed_nothing,
    has_failed,
    is_declined,
    open_envelope,
    read_failure,
    showed_nothing,
)
from steno.facts.people import media_in
from steno.facts.runs import LABEL, read_test_run, run_outcome, summary_line
from steno.facts.shell import main_programs, only_looks
from steno.facts.shell_changes import reverted_places
from steno.facts.tasks import keeps_tasks
from steno.facts.text import flatten
from steno.facts.vocabulary import CHANGES, KNOWN_TOOLS, Action, Touch
from steno.secrets import mask_secrets
from steno.summary.words import clip

COMMAND_MOST = 160
"""Characters of a command."""
OUTCOME_MOST = 140
"""Characters of what a command ended with."""
NAMES_MOST = 12
"""Things of one kind that one line names."""
FAILED = " (failed: "
"""Stands behind the name of something that was tried in vain."""
REJECTED = "says it was rejected"
FAILED_MOST = 3
"""Things that failed and are named beside those."""
REASON_MOST = 80
"""Characters of why a look or an edit failed."""
ARGUMENT_MOST = 80
"""Characters of what an unknown tool was called with."""

LOOK_LINES = 2
"""Lines of a look up to which the last one is told."""

_BAD = re.compile(
    r"(?<!\b0 )(?<!\bno )\b(?:errors?|failed|failures?|fatal|panic|undefined|not found|denied"
    r"|cannot|exit code [1-9])\b|\bFAIL\b|[a-z](?:Error|Exception)\b",
    re.I,
)
_BAD_CUES = word_tuple(
    "error|fail|fatal|panic|undefined|not found|denied|cannot|exit code|exception", "|"
)
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")
"""How a whole path begins, on Windows too."""
_ECHO = re.compile(rf"{LABEL}(?:[$>] \S|\[?Finished in )")
"""A line in which a runner repeats what it runs."""
_BARE = re.compile(
    r"\W*+(?:\w++\W++)?(?:error|failed)?\W*+(?:task|command|process|recipe|exit)\b.{0,24}"
    r"(?:failed|code|status)\W*+\d*+\W*+",
    re.I,
)
"""A line that says that something failed, and not what."""
COMMITTED_LINE = re.compile(r"^\[[^\]\n]{1,200} [0-9a-f]{6,40}\] .*$", re.M)
"""The line with which git says what it committed."""
LOGGED_COMMIT = re.compile(r"^[0-9a-f]{7,40} \S.*$", re.M)
"""A line of `git log --oneline`: a subject may speak of failures."""
_VERBS: dict[Action, str] = {"written": "wrote", "created": "wrote"}
"""How a line says some actions; the others by their name."""
CHANGING_VERBS = frozenset(_VERBS.get(action, action) for action in CHANGES)
_SHELL_CHANGES = CHANGES - {"created"}
"""What commands do to files; `created` are also folders and copies."""
CHANGED = CHANGES | {"copied"}
_SCRATCH = word_tuple("/tmp/ /var/tmp/ /private/tmp/ /dev/")
MANY_LINES = re.compile(r"… \(\d+ lines\)$")
"""How the outcome of a look at something long ends: no line of it is one."""
BRIEF = 5
"""Names of one kind from which down a line of deeds is brief."""
_ORDER = word_tuple("read searched fetched edited wrote deleted moved copied")


class Deed(Value):
    """One thing that a call did."""

    position: int
    verb: str
    what: str
    outcome: str = ""


def call_deeds(position: int, call: Call, result: Result | None) -> list[Deed]:
    """Return what a call did, with its outcome where it ran a command."""
    command = command_of_call(call)
    if command:
        outcome = "no result yet"
        if result is not None:
            outcome = _command_outcome(command, result)
        ran = Deed(position, "ran", clip(flatten(mask_secrets(command)), COMMAND_MOST), outcome)
        return [ran, *_changes_by_command(position, call, result)]
    touches = call_touches(call)
    queries = [touch for touch in touches if touch.key.startswith("? ")]
    if queries:
        # Where a search looked says little beside what it looked for.
        touches = tuple(queries)
    if result is not None and is_test_result(call, result):
        # Also of a tool that is named after tasks: it may wait for one that runs tests.
        return [Deed(position, "ran", _call_name(call), outcome_of(result))]
    if not touches and keeps_tasks(call):
        return []  # where the tasks stand is told with the state
    outcome = ""
    if result is not None:
        outcome = _outcome_note(call, result)
    if not touches:
        return [Deed(position, "called", _call_name(call) + outcome)]
    deeds: list[Deed] = []
    for touch in touches:
        what = clip(flatten(mask_secrets(touch.words)), COMMAND_MOST) + outcome
        deeds.append(Deed(position, _VERBS.get(touch.action, touch.action), what))
    return deeds


def _command_outcome(command: str, result: Result) -> str:
    """Return how a command ended; how a long look begins, as the last of many lines is any line."""
    if is_declined(result):
        return REJECTED
    if only_looks(command) and not has_failed(result):
        lines = [line for line in open_envelope(result.text).text.split("\n") if line.strip()]
        if len(lines) > LOOK_LINES:
            first = clip(mask_secrets(lines[0].strip()), OUTCOME_MOST // 2)
            return f"{first} … ({len(lines)} lines)"
    return outcome_of(result)


def is_test_result(call: Call, result: Result) -> bool:
    """Tell whether a result is what a test runner printed, whatever its tool is called."""
    if KNOWN_TOOLS.tool(call.name).action not in ("ran", "used"):
        return False
    command = command_of_call(call)
    # A log or a report of an earlier run is no run.
    if command and only_looks(command):
        return False
    return bool(summary_line(open_envelope(result.text).text)) or read_test_run(command) is not None


def _changes_by_command(position: int, call: Call, result: Result | None) -> Iterator[Deed]:
    """Yield the files that a command changes; none if it failed: how far it got is unknown."""
    if result is None or has_failed(result) or touched_in_vain(call, result):
        return
    told: set[str] = set()
    reverted = list(reverted_places(command_of_call(call), base_of_call(call)))
    for touch in call_touches(call):
        if touch.action not in _SHELL_CHANGES or touch.key in told or is_scratch(touch.key):
            continue
        if any(place.concerns(touch.key) for place in reverted):
            continue
        told.add(touch.key)
        verb = _VERBS.get(touch.action, touch.action)
        yield Deed(position, verb, clip(flatten(touch.words), COMMAND_MOST))


def is_scratch(key: str) -> bool:
    """Tell whether a path is for passing things: logs and scripts of a moment."""
    return key.startswith(_SCRATCH)


def _outcome_note(call: Call, result: Result) -> str:
    """Return what stands behind a name: that the call failed and why, or what it showed."""
    if is_declined(result):
        return f" ({REJECTED})"
    if has_failed(result) or touched_in_vain(call, result):
        return f"{FAILED}{clip(outcome_of(result), REASON_MOST)})"
    media = media_in(result.content)
    return media and f" ({media})"


def touched_in_vain(call: Call, result: Result) -> Sequence[Touch]:
    """Return what a call touched in vain: all, if its result does not show that it was done.

    A command that failed may have got far: in vain is what its result names, and of changes only
    if it ran one program.
    """
    touches, command = call_touches(call), command_of_call(call)
    if not command or is_declined(result) or PATCH in call.arguments:
        failed = has_failed(result)
        if any(touch.action in CHANGES for touch in touches):
            failed = changed_nothing(result)
        elif touches and touches[0].action == "read":
            failed = showed_nothing(result)
        return [touch for touch in touches if failed]
    if not has_failed(result):
        return ()
    said = "\n".join(read_failure(result)[1])
    alone = len(main_programs(command)) < 2
    told = [touch for touch in touches if touch.words in said]
    return [touch for touch in told if alone or touch.action not in CHANGED]


def _call_name(call: Call) -> str:
    """Return a tool's name with the first short thing it was called with."""
    for value in decode_arguments(call).values():
        if isinstance(value, str) and 0 < len(value) <= ARGUMENT_MOST and "\n" not in value:
            return f"{call.name} ({mask_secrets(value)})"
    return call.name


def outcome_of(result: Result) -> str:
    """Return the line that says how a command ended."""
    text = open_envelope(result.text).text
    said = map(str.strip, mask_secrets(text[-4_000:]).split("\n"))
    lines = [line for line in said if line and not _ECHO.match(line)]
    if not lines and result.error:
        return "error"
    if not lines:
        return "no output"
    ended = run_outcome(text)
    summary = summary_line(text)
    if summary:
        line = clip(summary, OUTCOME_MOST)
        if ended not in line.lower():
            line = f"{ended}: {line}"
        return line
    committed = [line for line in lines if COMMITTED_LINE.match(line)]
    if committed:
        pushed = [line for line in lines if " -> " in line][-1:]
        return clip("; ".join((committed[-1], *pushed)), OUTCOME_MOST)
    line = lines[-1]
    if ended != "passed":
        line = _last_bad_line(lines) or line
    return clip(line, OUTCOME_MOST)


def _last_bad_line(lines: Sequence[str]) -> str:
    """Return the last line that tells of an error; one that says what is wrong, if there is one."""
    bare = ""
    for line in reversed(lines):
        if not is_bad_line(line):
            continue
        if not _BARE.fullmatch(line):
            return line
        bare = bare or line
    return bare


def is_bad_line(line: str) -> bool:
    """Tell whether a line tells of an error, in words or by a place in a file."""
    if LOGGED_COMMIT.match(line):
        return False
    low = line.lower()
    # To look for a few letters is quicker than to search the pattern.
    if any(cue in low for cue in _BAD_CUES) and _BAD.search(line):
        return True
    return PLACED.match(line) is not None


def error_lines(text: str, most: int) -> list[str]:
    """Return the lines of an output that tell of an error, the first ones, each once."""
    lines = (line.strip() for line in text.split("\n"))
    found: dict[str, None] = {}
    for line in filter(is_bad_line, lines):
        found[clip(mask_secrets(line), OUTCOME_MOST)] = None
        if len(found) == most:
            break
    return list(found)


Total = tuple[int, str, str]
"""How often something was done, and how it ended the first and the last time."""


class DeedTotals(Value):
    """Deeds added up: each thing once, in the order in which they were first done."""

    things: Mapping[str, Mapping[str, Total]] = msgspec.field(default_factory=dict)
    """By verb and name."""
    first: int = -1
    """Position of the first deed; -1 if there is none."""

    @classmethod
    def of(cls, deeds: Iterable[Deed]) -> DeedTotals:
        things: dict[str, dict[str, Total]] = {}
        first = -1
        for deed in deeds:
            if first < 0:
                first = deed.position
            done = things.setdefault(deed.verb, {})
            count, began, _ = done.get(deed.what, (0, deed.outcome, ""))
            done[deed.what] = (count + 1, began, deed.outcome)
        return cls(things, first)


def tell_deeds(totals: DeedTotals, most: int = NAMES_MOST) -> str:
    """Return one line for what was done: files by name, then commands with their outcome."""
    things = totals.things
    parts = [f"{verb} {_count_names(things[verb], most)}" for verb in _ORDER if verb in things]
    # Commands after files: their outcome is what the next step starts from.
    parts += _told_runs(things.get("ran", {}), most)
    others = [verb for verb in things if verb not in _ORDER and verb != "ran"]
    parts += [f"{verb} {_count_names(things[verb], most)}" for verb in others]
    return "; ".join(parts)


def _count_names(done: Mapping[str, Total], most: int) -> str:
    """Return names in order, each once, with how often; the last ones where there are many."""
    counts: dict[str, int] = {}
    for name, (count, _, _) in done.items():
        # Nothing else tells where a relative path leads; the list of files has the others whole.
        if most <= BRIEF or _ABSOLUTE.match(name):
            name = short_name(name)
        counts[name] = counts.get(name, 0) + count
    named = [f"{name} ×{count}" if count > 1 else name for name, count in counts.items()]
    # What failed before the last ones too: nothing else says that it was tried.
    failed = [name for name in named[:-most] if FAILED in name]
    shown = [*failed[-FAILED_MOST:], *named[-most:]]
    if len(named) > len(shown):
        shown.append(f"and {len(named) - len(shown)} more")
    return ", ".join(shown)


def _told_runs(runs: Mapping[str, Total], most: int) -> list[str]:
    """Return each command once, with how it ended and how it ended later."""
    told: list[str] = []
    # Fewer names also means shorter ones: both follow from how much room there is.
    length = min(COMMAND_MOST, 40 + most * 10)
    for whole, (count, first, last) in list(runs.items())[-most:]:
        command = clip(whole, length)
        began, ended = clip(first, length), clip(last, length)
        times = f" ×{count}" if count > 1 else ""
        if began != ended:
            ended = f"{began}, later {ended}"
        told.append(f"ran `{command}`{times}: {ended}")
    return told


def short_name(path: str) -> str:
    """Return the last two parts of a path: enough to know it by, beside the list of files."""
    path, mark, note = path.partition(" (")
    if _ABSOLUTE.match(path):
        path = path.replace("\\", "/")
    if "/" in path and " " not in path:
        path = "/".join(path.rstrip("/").split("/")[-2:])
    return f"{path}{mark}{note}"
