"""Errors: the lines in which results say that something failed.

A result has failed if it is flagged, if it states an exit code other than zero, or if it
is nothing but an error. Other results are searched only for lines that programs write
when they fail; the note of these facts is `MENTIONED`, because the result may show a
file. `failures` decides which errors still stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import msgspec

from steno.core.decoders import json_decoder
from steno.core.message import Message, Result
from steno.core.word_tables import word_tuple
from steno.facts.fact import Fact
from steno.facts.runs import LABEL, run_outcome, summary_line
from steno.facts.sentences import lines_with
from steno.facts.text import without_codes

ERRORS_MOST = 16
TEXTS_KEPT = 16
"""Results whose envelope is kept: several readers open the same one."""
LINE_MOST = 300
LINES_MOST = 3
ENVELOPE = 300
HEADER_MOST = 8_000
"""Characters in which the header of a result stands: it may repeat the command."""
ALONE = 5
"""A result of at most so many lines that begins with an error is one."""

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
    r"|\[Operation Cancelled\]|Sibling tool call errored|Tool (?:use|execution) (?:was )?(?:aborted"
    r"|cancell?ed)|(?:The )?[Uu]ser (?:has |chose to )?(?:doesn't want|does not want|rejected"
    r"|denied|declined|cancell?ed|refused|skip|aborted|specified a rule)\b"
    r"|[^\n]{0,60}\b(?:rejected|cancell?ed|aborted|denied) by (?:the )?user\b)"
)
"""A call that was not made, so it has not failed either."""
_LINE = re.compile(
    rf"{LABEL}(?:(?P<reason>"
    # Programs, compilers and package managers.
    r"(?i:error|fatal)(?:\[\w{1,12}\]| error)?: (?!script |recipe |could not compile|aborting )\S"
    r"|[^\s:]{1,200}:\d+(?::\d+)?:?(?: -)? (?:fatal )?error\b|[^\s(]{1,200}\(\d+,\d+\): error \w+: "
    r"|npm (?:ERR!|error) \S|ERROR in \S|curl: \(\d+\) |make(?:\[\d+\])?: \*\*\* |CONFLICT \("
    r"|panic: \S|thread '[^']{0,80}' panicked at|Request failed with status"
    r"|E(?:NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|ADDRINUSE|CONN[A-Z]+): \S"
    r"|(?:[\w./-]{0,40}/)?(?:ba|z|da|k)?sh:.{0,200}(?:not found|syntax error|unexpected|no matches)"
    r"|[\w./+-]{1,60}: .{0,200}?(?:No such file or directory|Permission denied|command not found"
    r"|Operation not permitted|Not a directory|Is a directory|File exists|HTTP [45][0-9]{2}"
    r"|cannot (?:access|open|stat|remove|create|find|move|copy|overwrite))"
    # Exceptions.
    r"|(?:Uncaught |Unhandled |E {2,}|Caused by: )?(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception)"
    r"(?: \[\w+\])?: \S"
    r")|(?P<test>\s*--- FAIL: \S|FAILED \S+::|FAIL[:\s]\s*\S|ERROR \S+\.py\b|not ok \d"
    r"|\s*[✗✕✘×] \S|\(fail\) \S"
    # How programs end that said the reason before.
    r")|(?P<ended>ERROR task failed|.{0,80}\bCommand failed|BUILD FAILED|FAILURE: |Killed$|Aborted"
    r"|(?:Error: )?(?:Command|Request|Operation|Process|Test)\b.{0,80}\btimed out|exit status [1-9]"
    r"|(?i:error): (?:script|recipe|could not compile|aborting) |Segmentation fault"
    r"|Found [1-9]\d* errors?\b|✖ [1-9]\d* problems?))"
)
PLACED = re.compile(rf"^{LABEL}[^\s:]{{1,200}}:\d+:\d+: \S.*", re.M)
"""A line that says where in a file something is wrong."""
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
    r"(?:e(?:xited with (?:exit )?|xit(?:ed)? )(?:code|status)|r(?:eturn code|eturncode))"
    r"\s*[:=]?\s*(-?\d+)\s*[.\])>]*\s*\Z"
)
"""In small letters; with one letter first, which is found fast."""
_HEADER = re.compile(
    r"\s*+(?:(?:Script \w+|Chunk ID|Wall time|Process exited|Process running|Exit code"
    r"|Original token count|Total output lines|Directory)\b[^\n]{0,120}\n|Command: .*?\n(?=Dir))"
    r"{0,8}+\s*+(?:Output|Stdout):[ \t]*(?:\n|(?=\S)|\Z)",
    re.S,
)
"""What runners put before the output, a `Key: value` a line."""
_FOOTER = re.compile(
    r"(?:(?:^|\n)(?:(?:Error|Stderr): \((?:none|empty)\)|Exit Code: ?(?:\(none\)|(?P<exit>-?\d+))"
    r"|Signal: ?(?:\(none\)|(?P<signal>\w+))|Background PIDs: ?[^\n]*"
    r"|Process Group PGID: ?[^\n]*))+\s*\Z"
)
"""What they put after it."""
_COMPLETED = re.compile(r"\s*Script completed\b")
_GOES_ON = re.compile(r"(?m)^(?:Process|Script) running with (?:session|cell) ID (\w{1,40})$")
_NOT = (
    r"(?<![\w/.-])(?:no|not|never|nothing|none|0|cannot|failed|unable|denied|rejected|un\w+ed"
    r"|\w+n't)(?![\w/.-])"
)
_NEGATED = re.compile(rf"(?i){_NOT}")
_STATES_CHANGE = re.compile(
    rf"(?i)(?:(?!{_NOT}|\b(?:since|because|before|unless|if|must|should)\b).){{0,{LINE_MOST}}}?"
    r"(?<![\w/.-])(?:success\w*|ok|done|made|(?:over)?wr(?:ote|itten)|(?:edit|updat|replac|patch"
    r"|modifi|insert|append|chang|appli|sav|stor|creat|add|delet|remov|mov|renam|copi|complet"
    r"|record|mark)ed)\b(?![/.]\w| (?:since|by|0|no)\b)"
)
"""A line that says in the past tense that something was done, and does not negate it."""
_SENTENCE = re.compile(r"\s*[\"'*]?[a-zA-Z][\w'-]*\W+\w[\w'-]*\W+[a-zA-Z]")


def read_errors(message: Message) -> Iterator[Fact]:
    """Return the errors that the results of a message state."""
    return islice(_error_facts(message), ERRORS_MOST)


def _error_facts(message: Message) -> Iterator[Fact]:
    for at, result in enumerate(message.blocks):
        if not isinstance(result, Result):
            continue
        note, lines = read_failure(result)
        for line in lines:
            words = line.strip()[:LINE_MOST].rstrip()
            yield Fact("error", words, "tool", at, result.call or "", note)


def read_failure(result: Result) -> tuple[str, list[str]]:
    """Return how a result says that its call failed, and the lines that say why."""
    envelope = open_envelope(result.text)
    text, note = envelope.text, _note_of(result)
    failed = note not in (MENTIONED, DECLINED)
    lines: list[str] = []
    if note != DECLINED:
        lines = _error_lines(text, failed=failed)
    if not lines and note != MENTIONED:
        lines = [_likeliest_line(text, ran=envelope.exit is not None)]
    return note, lines


def has_failed(result: Result) -> bool:
    """Tell whether a result says that its call failed or was not made, flagged or in words."""
    return _note_of(result) != MENTIONED


def is_declined(result: Result) -> bool:
    """Tell whether a result says that a person did not let its call be made."""
    return _note_of(result) == DECLINED


def changed_nothing(result: Result) -> bool:
    """Tell whether a result does not show that its call changed something.

    A sentence must say that it did: refusals come in too many words to know them all.
    """
    envelope = open_envelope(result.text)
    if has_failed(result) or envelope.exit == 0 or _COMPLETED.match(result.text):
        return has_failed(result)
    first = envelope.text.strip().partition("\n")[0][:LINE_MOST]
    if _STATES_CHANGE.match(first):
        return False
    return bool(_SENTENCE.match(first) or _NEGATED.search(first))


def showed_nothing(result: Result) -> bool:
    """Tell whether the result of a read is a tool's sentence on the file, and no line of it."""
    text = result.text.strip()
    said = "\n" not in text and len(text) <= LINE_MOST and not text[:1].isdecimal()
    on_file = " file " in f" {text.lower()}" and text.endswith((".", ">"))
    return has_failed(result) or (said and (on_file or _NEGATED.search(text) is not None))


class ResultEnvelope(NamedTuple):
    """What a program put out, and what a runner said of it."""

    text: str
    exit: int | None
    tagged: bool = False
    run: str = ""
    """The number by which later calls ask for it; empty if it has ended."""


@lru_cache(maxsize=TEXTS_KEPT)
def open_envelope(text: str) -> ResultEnvelope:
    """Return a result without the words that a runner puts around it, and what these say."""
    text = without_codes(text)
    run = "".join(_GOES_ON.findall(text[:ENVELOPE])[:1])
    header = _HEADER.match(text, 0, HEADER_MOST)
    body = text
    if header:
        body = text[header.end() :]
    if (boxed := _decode_boxes(body.lstrip())) is not None:
        return boxed._replace(run=run or boxed.run)
    footer = None
    if header:
        footer = _FOOTER.search(body, max(0, len(body) - ENVELOPE))
    found = _EXIT_FIRST.match(text[:ENVELOPE])
    # Few results end with a number, and the search for words before it is slow.
    if found is None and text[-ENVELOPE:].rstrip().rstrip(".])>").rstrip()[-1:].isdecimal():
        found = _EXIT_LAST.search(text[-ENVELOPE:].lower())
    code: int | None = None
    if footer:
        # Such a runner leaves out a code of zero, and the code of what a signal ended.
        code = int(footer["exit"] or (128 if footer["signal"] else 0))
        body = body[: footer.start()].removesuffix("(empty)")
    elif found:
        code = int(next(filter(None, found.groups())))
    tagged = _TAGGED.match(text)
    if tagged:
        return ResultEnvelope(tagged[2].strip(), code, tagged=True)
    return ResultEnvelope(body, code, text.startswith("Script failed"), run)


class _Boxed(msgspec.Struct):
    output: str
    exit_code: int | None = None
    session_id: int | str | None = None
    metadata: dict[str, float] = {}


_BOXED = json_decoder(_Boxed)


def _decode_boxes(body: str) -> ResultEnvelope | None:
    """Return the output of commands that Codex wraps in JSON, a line each, with the exit code."""
    is_boxed = body.startswith('{"output":') and '"exit_code"' in body
    if not is_boxed and not body.startswith('{"chunk_id":'):
        return None
    try:
        boxes = [_BOXED.decode(line) for line in body.split("\n") if line]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    output = "\n".join(box.output for box in boxes)
    codes = [box.metadata.get("exit_code", box.exit_code) for box in boxes]
    # What is still running has no exit code.
    for code in filter(None, codes):
        return ResultEnvelope(output, int(code))
    ended = zip(boxes, codes, strict=True)
    runs = [str(box.session_id) for box, code in ended if box.session_id and code is None]
    return ResultEnvelope(output, None if None in codes else 0, run="".join(runs[:1]))


@lru_cache(maxsize=TEXTS_KEPT)
def _note_of(result: Result) -> str:
    """Return how a result says that it failed; if it does not, it may only mention errors."""
    envelope = open_envelope(result.text)
    # What a program put out before it ended says nothing of its call.
    if envelope.exit is None and _DECLINED.match(envelope.text):
        return DECLINED
    if envelope.exit:
        return f"exit {envelope.exit}"
    if result.error or envelope.tagged:
        return FLAGGED
    # An exit code of zero is believed, whatever the command printed.
    if envelope.exit is None and _is_only_error(envelope.text):
        return REPORTED
    return MENTIONED


def _is_only_error(text: str) -> bool:
    """Tell whether a result is an error from its first line on, and short, or says so itself."""
    if _REFUSED.match(text[:ENVELOPE]):
        return True
    found = _LINE.match(text[: LINE_MOST * ALONE * 2].strip())
    if found is None or found.lastgroup != "reason":
        return False
    return text.strip().count("\n") < ALONE and run_outcome(text) != "passed"


def _candidate_lines(text: str) -> list[str]:
    """Return the lines that may be about an error, in order."""
    return [text[start:stop] for start, stop in lines_with(text, _CUES)]


def _error_lines(text: str, *, failed: bool) -> list[str]:
    """Return the lines that say why something failed and which tests did, else how it ended."""
    outcome = run_outcome(text)
    if outcome == "passed" and not failed:
        return []  # tests that passed log the errors they provoke
    found: dict[str, list[str]] = {"reason": [], "test": [], "ended": []}
    for line in _candidate_lines(text):
        match = _LINE.match(line)
        if match:
            found[match.lastgroup or "reason"].append(line)
    reasons, tests, ended = found["reason"], found["test"], found["ended"]
    if outcome == "failed" and (summary := summary_line(text)):
        ended.append(summary)
    if "Traceback (most recent" in text:
        reasons.reverse()  # the last exception of a chain is the one that reached the surface
    if not reasons and (failed or tests or ended):
        reasons = [place[0] for place in islice(PLACED.finditer(text), LINES_MOST)]
    lines = list(dict.fromkeys([*reasons, *tests])) or ended[:1]
    return lines[:LINES_MOST]


def _likeliest_line(text: str, *, ran: bool) -> str:
    """Return the likeliest line of a failed result in which no known line was found."""
    lines = [
        line for line in text.split("\n") if line.strip() and not _EXIT_LAST.search(line.lower())
    ]
    # A command ends with what went wrong; a tool begins with it.
    likely = lines[:1]
    if ran:
        likely = _candidate_lines(text)[:1] or lines[-1:]
    return "".join(likely) or text.strip().partition("\n")[0]
