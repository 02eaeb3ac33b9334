"""Errors: the lines in which results say that something failed.

A result has failed if it is flagged, if it states an exit code other than zero, or if it
is nothing but an error. Other results are searched only for lines that programs write
when they fail; the note of these facts is `MENTIONED`, because the result may show a
file. Whether an error was overcome is the business of `failures`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import msgspec

from steno.core.message import Message, Result, Text
from steno.core.words import word_tuple
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact

ERRORS_MOST = 16
TEXTS_KEPT = 16
"""Results whose envelope is remembered."""
LINE_MOST = 300
BEST_MOST = 2
TESTS_MOST = 3
LINES_READ = 4_000
ENVELOPE = 300
ALONE = 5
"""A result of no more lines than these that begins with an error is one."""

# Notes of stored facts: another word needs a new FACTS_VERSION.
FLAGGED, REPORTED, MENTIONED, DECLINED = "flagged", "told", "said", "declined"

# Without first letters, so that one search finds `Error` and `error`.
_CUES = word_tuple(
    "rror|ERR|ail|FAIL|atal|FATAL|panic|xception|annot|enied|ermitted|not found|No such|Is a dir"
    "|Not a dir|exists|timed out|not ok|(HTTP |EACCES|CONFLICT|Killed|Aborted|Segmentation"
    "|exit status|*** |problem|curl: (|no matches|syntax|EADDR|ECONN|✗|✕|✘|×",
    "|",
)
"""A line without any of these is no error line."""
_DECLINED = re.compile(
    # Possessive, so that a long run of blanks is not tried again from each of them.
    r"\s*+(?:<[a-z_]{1,20}>\s*+)?(?:Error: )?(?:\[Request interrupted|\(No answer provided\)"
    r"|Sibling tool call errored|Tool use was cancell?ed|(?:The )?[Uu]ser (?:has "
    r"|chose to )?(?:doesn't want|does not want|rejected|denied|declined|cancell?ed|refused|skip"
    r"|aborted)\b|[^\n]{0,60}\b(?:rejected|cancell?ed|aborted|denied) by (?:the )?user\b)"
)
"""Not done, but not failed either."""

_WENT_WRONG = (
    "No such file or directory|Permission denied|command not found|Operation not permitted"
    "|Not a directory|Is a directory|File exists|cannot (?:access|open|stat|remove|create|find"
    "|move|copy|overwrite)|HTTP [45][0-9]{2}"
)
_STATED = "|".join(
    (
        # Programs, compilers and package managers; the reason before the consequence.
        r"(?i:error)(?:\[\w{1,12}\])?: (?!script |recipe |could not compile|aborting )\S",
        r"(?i:fatal)(?: error)?: \S",
        r"[^\s:]{1,200}:\d+(?::\d+)?:?(?: -)? (?:fatal )?error\b",
        r"[^\s(]{1,200}\(\d+,\d+\): error \w+: ",
        r"thread '[^']{0,80}' panicked at",
        r"panic: \S",
        r"npm (?:ERR!|error) \S",
        r"ERROR in \S",
        r"curl: \(\d+\) ",
        r"make(?:\[\d+\])?: \*\*\* ",
        r"(?:[\w./-]{0,40}/)?(?:ba|z|da|k)?sh:.{0,200}(?:not found|syntax error|unexpected"
        r"|no matches)",
        rf"[\w./+-]{{1,60}}: .{{0,200}}?(?:{_WENT_WRONG})",
        r"E(?:NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|ADDRINUSE|CONN[A-Z]+): \S",
        r"Request failed with status",
        r"CONFLICT \(",
    )
)
_RAISED = (
    r"(?:Uncaught |Unhandled |E {2,}|Caused by: )?(?:[\w$]+\.)*[A-Z]\w*(?:Error"
    r"|Exception)(?: \[\w+\])?: \S"
)
_FAILED_TEST = (
    r"\s*--- FAIL: \S|FAILED \S+::|FAIL[:\s]\s*\S|ERROR \S+\.py\b|not ok \d"
    r"|\s*[✗✕✘×] \S|\(fail\) \S"
)
_ENDED = (
    r"ERROR task failed|.{0,80}\bCommand failed|BUILD FAILED|FAILURE: |Segmentation fault|Killed$"
    r"|Aborted|(?:Error: )?(?:Command|Request|Operation|Process|Test)\b.{0,80}\btimed out"
    r"|(?i:error): (?:script|recipe|could not compile|aborting) |exit status [1-9]"
)
_COUNTED = (
    r"=+ .{0,80}\b[1-9]\d* (?:failed|errors?)\b|test result: FAILED"
    r"|Tests:.{0,40}\b[1-9]\d* failed|FAILED \("
    r"|\s*[1-9]\d* (?:failed|failing|fail|failures?)$|Found [1-9]\d* errors?\b|✖ [1-9]\d* problems?"
)
_LINE = re.compile(
    # Colours, and the names that runners put before what their tasks say.
    r"(?:\x1b\[[0-9;]*m|\[[\w:./-]{1,40}\] |#\d+ [\d.]+ )*+"
    rf"(?:(?P<stated>{_STATED})|(?P<raised>{_RAISED})|(?P<test>{_FAILED_TEST})"
    rf"|(?P<ended>{_ENDED})|(?P<counted>{_COUNTED}))"
)
PLACED = re.compile(r"^(?:\[[\w:./-]{1,40}\] )?[^\s:]{1,200}:\d+:\d+: \S.*", re.M)
"""A line that says where in a file something is wrong."""
_PASSED = re.compile(
    r"^[ \t]*(?:0 fail(?:ed|ures)?\b|test result: ok|=+ [^\n]{0,60}\bpassed\b"
    r"|Tests:\s+\d+ passed|ok  \t|PASS$|OK(?: \(|$))",
    re.M,
)
_STACK = ("Traceback (most recent", "\n    at ", "\n\tat ", "\nE   ", '\n  File "')
_LOOSE = re.compile(
    r"(?i)\b(?:error|fail|cannot|can't|could not|unable|denied|invalid|not found|no such"
    r"|does not exist|refused)"
)
_TAGGED = re.compile(r"\s*<(tool_use_error|error|stderr)>(.*?)(?:</\1>|\Z)", re.S)
_REFUSED = re.compile(
    r'\s*\{\s*"(?:error|err|errors)"\s*:\s*(?!null|false|""|\[\s*\]|\{\s*\}|0\b)\S'
    r'|\s*\{[^{}]{0,200}"(?:isError|is_error)"\s*:\s*true|\s*\{[^{}]{0,200}"(?:success|ok)"\s*:\s*false'
)
_EXIT_FIRST = re.compile(
    r"\s*(?:Error: )?Exit code:?\s*(-?\d+)\b|(?:.{0,120}\n){0,6}?(?:Process exited with code"
    r"|Exit code:) (-?\d+)\b|\s*<returncode>(-?\d+)<"
)
_EXIT_LAST = re.compile(
    r"(?:exited with (?:exit )?(?:code|status)|exit(?:ed)? (?:code|status)|return code|returncode)"
    r"\s*[:=]?\s*(-?\d+)\s*[.\])>]*\s*\Z",
    re.I,
)
_EXIT_LINE = re.compile(r"\s*(?:Error: )?Exit code:?\s*-?\d+\s*")
_HEADER = re.compile(
    r"\s*(?:(?:Chunk ID|Wall time|Process exited|Process running|Exit code|Original token count"
    r"|Total output lines)\b[^\n]{0,120}\n){1,8}+\s*Output:[ \t]*(?:\n|\Z)"
)
_ECHO = re.compile(
    r"\s*(?:[$>] |Wall time|Chunk ID|Output:|Original token count|\[[\w:./-]{1,40}\] \$ )"
)
_UNCHANGED = re.compile(
    r"(?i)\bno (?:changes?|edits?|replacements?|match(?:es)?|occurrences?|such)\b|\b(?:not"
    r"|never) (?:been |yet )*(?:found|applied|changed|edited|modified|updated|written|made|saved"
    r"|read|unique|exist)\b|\b(?:did|does|do) not (?:appear|match|exist|contain|occur)"
    r"|\b(?:failed|unable) to\b|\b(?:could not|couldn't|cannot|can't)\b|\bunchanged\b"
    r"|\brejected\b|\bdenied\b|\bmultiple (?:matches|occurrences)\b|\bidentical\b"
)
"""How an editor says that it left a file as it was."""
_CAUSE = re.compile(r"(?:Caused by|\[cause\]|Root cause|Reason)\s*:\s*(?:\d+: )?(\S[^\n]{0,200})")


@dataclass(frozen=True, slots=True)
class ResultEnvelope:
    """A result without the words a runner puts around it, and what these say."""

    text: str
    exit: int | None = None
    tagged: bool = False


def read_errors(message: Message) -> Iterator[Fact]:
    """Yield the errors that results state, and those that a person pasted."""
    return islice(_error_facts(message), ERRORS_MOST)


def _error_facts(message: Message) -> Iterator[Fact]:
    for at, block in enumerate(message.blocks):
        if isinstance(block, Result):
            yield from _result_errors(block, at)
    if message.role == "user" and message.by != "steno":
        # Once for the message: people's text comes in many pieces.
        if not any(map(message.text.__contains__, _CUES)):
            return
        for piece in split_by_author(message):
            if isinstance(message.blocks[piece.block], Text) and not piece.text.startswith(
                "<steno-"
            ):
                for line in _error_lines(piece.text):
                    yield Fact("error", line, piece.trust, piece.block, note=MENTIONED)


def _result_errors(result: Result, at: int) -> Iterator[Fact]:
    outcome = _open_envelope(result.text)
    text = outcome.text
    note = _note_of(result, outcome)
    if note == DECLINED:
        words = text.strip().partition("\n")[0][:LINE_MOST]
        yield Fact("error", words, "tool", at, result.call or "", DECLINED)
        return
    lines = _error_lines(text, told=note != MENTIONED)
    if note != MENTIONED:
        # A command ends with what went wrong; a tool begins with it.
        lines = lines or [_likeliest_line(text, last=outcome.exit is not None)]
        cause = _CAUSE.search(text)
        note += f"; cause: {cause[1].strip()}" if cause else ""
    for line in lines:
        yield Fact("error", line, "tool", at, result.call or "", note)


def _note_of(result: Result, outcome: ResultEnvelope) -> str:
    """Return how a result says that it failed; if it does not, it may only mention errors."""
    if _DECLINED.match(outcome.text):
        return DECLINED
    if outcome.exit:
        return f"exit {outcome.exit}"
    if result.error or outcome.tagged:
        return FLAGGED
    # An exit code of zero is believed, whatever the command printed.
    if outcome.exit is None and _is_only_error(outcome.text):
        return REPORTED
    return MENTIONED


def is_error_result(result: Result) -> bool:
    """Tell whether a result says of itself that it is an error."""
    return _note_of(result, _open_envelope(result.text)) != MENTIONED


def result_body(text: str) -> str:
    """Return what a program put out, without the lines that a runner puts before it."""
    if text.startswith('{"output":') and '"exit_code"' in text:
        inside = _decode_envelope(text)
        if inside is not None:
            return inside.text
    header = _HEADER.match(text, 0, ENVELOPE * 2)
    if header is not None:
        return text[header.end() :]
    return text


# Several readers and the story open the same result, one after the other.
@lru_cache(maxsize=TEXTS_KEPT)
def _open_envelope(text: str) -> ResultEnvelope:
    """Return what is inside the words that a runner puts around a result."""
    # Codex wraps a command's output in JSON, with the exit code beside it.
    if text.startswith('{"output":') and '"exit_code"' in text:
        inside = _decode_envelope(text)
        if inside is not None:
            return inside
    found = _EXIT_FIRST.match(text[:ENVELOPE])
    # Few results end with a number, and the search for words before it is slow.
    if found is None and text[-ENVELOPE:].rstrip().rstrip(".])>").rstrip()[-1:].isdecimal():
        found = _EXIT_LAST.search(text[-ENVELOPE:])
    code = int(next(group for group in found.groups() if group)) if found else None
    tagged = _TAGGED.match(text)
    return ResultEnvelope(tagged[2].strip() if tagged else text, code, tagged=tagged is not None)


class _ExitMetadata(msgspec.Struct):
    exit_code: int = 0


class _EnvelopeJson(msgspec.Struct):
    output: str
    metadata: _ExitMetadata = msgspec.field(default_factory=_ExitMetadata)


def _decode_envelope(text: str) -> ResultEnvelope | None:
    try:
        boxed = msgspec.json.decode(text, type=_EnvelopeJson)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return ResultEnvelope(boxed.output, boxed.metadata.exit_code)


def _is_only_error(text: str) -> bool:
    """Tell whether a result is an error from its first line on, and short, or says so itself."""
    if _REFUSED.match(text[:ENVELOPE]):
        return True
    head = text[: LINE_MOST * ALONE * 2].strip()
    found = _LINE.match(head)
    if found is None or found.lastgroup not in ("stated", "raised"):
        return False
    return text.strip().count("\n") < ALONE and _PASSED.search(text) is None


def has_failed(result: Result) -> bool:
    """Tell whether a result says that its call failed or was not made, flagged or in words."""
    outcome = _open_envelope(result.text)
    if result.error or outcome.exit or outcome.tagged:
        return True
    if _DECLINED.match(outcome.text):
        return True
    return outcome.exit is None and _is_only_error(outcome.text)


def is_declined(result: Result) -> bool:
    """Tell whether a result says that a person did not let its call be made."""
    return _DECLINED.match(_open_envelope(result.text).text) is not None


def changed_nothing(result: Result) -> bool:
    """Tell whether the result of an edit says that it was not made."""
    first = result.text.strip().partition("\n")[0][:LINE_MOST]
    return has_failed(result) or _UNCHANGED.search(first) is not None


def _candidate_lines(text: str) -> list[str]:
    """Return the lines that may be about an error, in order."""
    found: dict[int, str] = {}
    # Plain searches first: the large pattern on every line of a long log would be slow.
    for cue in _CUES:
        at = text.find(cue)
        while at >= 0 and len(found) < LINES_READ:
            start = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            found[start] = text[start:end]
            at = text.find(cue, end)
    return [found[start] for start in sorted(found)]


def _error_lines(text: str, *, told: bool = False) -> list[str]:
    """Return the lines of a failure: reasons and failed tests, else how it ended."""
    found: dict[str, dict[str, None]] = {
        "raised": {},
        "stated": {},
        "test": {},
        "ended": {},
        "counted": {},
    }
    for line in _candidate_lines(text):
        match = _LINE.match(line)
        if match:
            found[match.lastgroup or "stated"][_clip_line(line)] = None
    tests, ends = list(found["test"])[:TESTS_MOST], [*found["ended"], *found["counted"]]
    traced = told or any(mark in text for mark in _STACK)
    # The last exception of a chain is the one that reached the surface.
    best = [*(list(found["raised"])[-1:] if traced else ()), *found["stated"]][:BEST_MOST]
    if best and not (told or tests or ends) and _PASSED.search(text):
        return []  # tests that passed log the errors they provoke
    if (told or tests or ends) and not best:
        best = [
            _clip_line(line)
            for line in islice((place[0] for place in PLACED.finditer(text)), BEST_MOST)
        ]
    return best + tests or ends[:1]


def _likeliest_line(text: str, *, last: bool) -> str:
    """Return the likeliest line of a failed result in which no known line was found."""
    said = [
        line
        for line in text[: LINE_MOST * 10].split("\n") + text[-LINE_MOST * 40 :].split("\n")
        if line.strip()
    ]
    lines = [
        line
        for line in said
        if not (_ECHO.match(line) or _EXIT_LINE.fullmatch(line) or _EXIT_LAST.search(line))
    ]
    lines = lines or said or [""]
    loud = next((line for line in lines if _LOOSE.search(line)), lines[-1])
    return _clip_line(loud if last else lines[0])


def _clip_line(line: str) -> str:
    return line.strip()[:LINE_MOST].rstrip()
