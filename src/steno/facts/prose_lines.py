"""Which lines of a text are prose, and which are code, quotes, tables or logs.

Told by their shape alone; what the words mean is left to the readers of facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from steno.facts.data_rows import data_lines
from steno.facts.labels import relays

Stretch = tuple[str, bool, bool]
"""The text, whether it is the author's own, whether it is prose."""
TOKEN_MOST = 24
"""Characters of a line without a blank, beyond which it is a path or a hash."""
LOG_LEAST = 6
_CODE_FENCE = re.compile(r"\s{0,8}(?:[-*] |\d+[.)] )?(```+|~~~+)")
_PADDED = ("        ", "        \n")
"""A line that ends in so many blanks was copied from a screen."""
_QUOTED = re.compile(
    r"\s{0,2}+(?:\+(?:\S|\s{2})|-(?:[^\s\d>-]|\s{4}|\t))"
    r"|\s{0,8}+(?:"
    r">|\d+(?:\t|→|,\")|\|.*\|\s*$|\|[ |]|[▎▏▌›»] "
    r"|\[\^\w{1,20}\]:|\[//\]:|!\["
    r"|[\w.-]{1,30} ?(?:->|→|=>) ?[\w.-]{1,30}:"
    r"|[│├└┌╭╰┃┆║═─━]|⏺|⎿|❯|\$ |%\s|PS [A-Z]:|>>> )"
)
_LOGGED = re.compile(
    r"\s*+(?:E\s{2,}+)?+(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|\[?\d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|PANIC|FAIL|PASS)\b[\]:\s]"
    r"|ok\s{2,}\S"
    r"|(?:[A-Za-z_.]*(?:Error|Exception|Warning)|error|warning|fatal|panic|hint|remote|npm ERR!|E)"
    r"(?:\[\w+\])?: "
    r"|(?:npm|pnpm|yarn) (?:WARN|warn|warning|ERR!?|error|notice|http|info|verb|sill)\b"
    r"|(?:[Ww]arning|[Ee]rror|info|debug|notice) \(\w+\) "
    r"|test\w* \([\w.]+\) "
    r"|Traceback \("
    r"|File \""
    r"|at [\w.$<>]+ ?\(.*:\d"
    r"|---|\+\+\+|===|@@ |diff --git |index [0-9a-f]{7}|commit [0-9a-f]{7,}"
    r"|import [\w.{*\"']+(?:;|$| as \w+$|.* from [\"'])"
    r"|from [\w.]+ import "
    r"|def \w+\(|class \w+[(:{]|func[ (]|function \w*\(.*\{"
    r"|#include|#!/|package \w+;?$"
    r"|(?:const|let|var) \w+ ?[=:]"
    r"|(?:public|private|protected|static|export|async) \w+ .*[;{(=]"
    r"|return\b.*;"
    r"|(?:if|for|while|switch) ?\(.*\{"
    r"|//|/\*|\*/"
    r"|<[/!?]?[a-zA-Z][\w-]*[ >/]"
    r"|[\w./\\-]*\.\w+:\d+(?::\d+)?[:\s]"
    r"|[\w-]+/[\w./-]+\s*\|\s*\d+"
    r"|[✓✗✔✖×●○] "
    r"|\x1b\[)"
)
_COMMAND = re.compile(
    r"\s*+"
    r"(?:sudo|git|npm|npx|pip|cargo|docker|kubectl|curl|cd|ls|cat|grep|python3?|node|make|go)"
    r" [-\w./]+(?: -|$)"
)
_LABELLED = re.compile(
    r"\b(?:error|warning)(?: [A-Z]+\d+)?: "
    r"|\b(?:failed|unable|cannot) to [^.:]{1,80}: "
    r"|^\s*[\w@/.-]+:[\w.-]+: "
)
_PLACED = re.compile(r"(?<=\w)\.(?:[jt]sx?|py|go|rs|java|rb|cc?|cpp|h|cs|php|kt)[(:]\d+")
_PAIRED = re.compile(r"\b[a-z_]+=\S+ [a-z_]+=")
_BRACKETED = re.compile(r"\s*+(?:\[[\w@./ :-]{3,40}\]|\(\w+:\d+\)) ?\S")
_CODE_END = re.compile(r"(?:[)\"'=\w]\);|[\"'];|[{}]|\)\s*\{|=>|\\|[\]}];?,?)\s*$")
_CODE_LAST = (";", "{", "}", ">", "\\", "]", ",")
"""What a match of that ends with."""
_SYMBOLS = re.compile(r"[{}()\[\]<>=;:|\\/_$#@%^&*+~`\"\x1b]")
_SYMBOLS_SHARE = 4
"""A line whose every fourth character is a symbol is not a sentence."""


def split_stretches(text: str, *, pasting: bool) -> Iterator[Stretch]:
    """Cut a text; with `pasting`, all but the author's prose was written by others."""
    lines = text.splitlines(keepends=True)
    logged = _judge_lines(lines, pasting=pasting)
    logs = [at for at, log in enumerate(logged) if log]
    # A stack trace has lines like sentences; read as a person's they could become rules.
    if len(logs) >= LOG_LEAST and len(logs) * 2 > len(lines):
        # Between the first and the last line of a long log stands the rest of the log.
        logged[logs[0] : logs[-1]] = [True] * (logs[-1] - logs[0])
    for log, run in groupby(zip(logged, lines, strict=True), key=itemgetter(0)):
        yield "".join(line for _, line in run), not (pasting and log), not log


def _judge_lines(lines: list[str], *, pasting: bool) -> list[bool]:
    """Tell for each line of a text whether it is not prose."""
    if not pasting:
        return _judge_paragraphs(lines)
    judged: list[bool] = []
    # Rows of data make no log of the lines beside them.
    for is_data, run in groupby(data_lines(lines)):
        start = len(judged)
        rows = list(run)
        judged += rows if is_data else _judge_paragraphs(lines[start : start + len(rows)])
    return judged


def _judge_paragraphs(lines: list[str]) -> list[bool]:
    """Tell the same by paragraphs and fenced blocks."""
    judged: list[bool] = []
    fence = ""
    for number, line in enumerate(lines):
        start = len(judged)
        mark = _CODE_FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            closed = mark is not None and mark[1][:3] == fence
        elif mark is not None:
            judged += _judge_paragraph(lines[start:number])
            start = number
            fence = mark[1][:3]
            closed = line.count(fence) > 1
        elif line.isspace():
            judged += _judge_paragraph(lines[start : number + 1])
            continue
        else:
            continue
        if closed:
            judged += [True] * (number + 1 - start)
            fence = ""
    rest = lines[len(judged) :]
    return judged + ([True] * len(rest) if fence else _judge_paragraph(rest))


def _judge_paragraph(lines: list[str]) -> list[bool]:
    """Tell for each line if it is code, quote, table or log; an indented line follows the last."""
    judged: list[bool] = []
    logs = 0
    logged = False
    for line in lines:
        # A wrapped line of a log is set in, and may hold nothing but words.
        logged = (logged and line[0] in " \t") or is_no_sentence(line)
        judged.append(logged)
        logs += logged
        # Among lines of code or log the few that look like sentences belong to them.
        if logs * 2 > len(lines):
            return [True] * len(lines)
    return judged


def is_no_sentence(line: str) -> bool:
    """Tell whether a line is code, quote, table or log, whatever stands beside it."""
    if line.isspace():
        return False
    if line.endswith(_PADDED) or _QUOTED.match(line) or _LOGGED.match(line) or relays(line):
        return True
    # People begin sentences about a command with it, and end them as sentences.
    if _COMMAND.match(line) and not line.rstrip().endswith((".", "!", "?")):
        return True
    # All searches below are bounded: a line may be a whole minified file.
    if ":" in line and _is_logged_in(line[:400]):
        return True
    # People do not type so many characters without a space: a key, a hash or encoded bytes.
    if len(line) > TOKEN_MOST and line.isascii() and len(line.split(None, 1)) == 1:
        return True
    if line.rstrip().endswith(_CODE_LAST) and _CODE_END.search(line[-16:]):
        return True
    return len(line) > 12 and len(_SYMBOLS.findall(line[:400])) * _SYMBOLS_SHARE >= len(line[:400])


def _is_logged_in(line: str) -> bool:
    """Tell whether a part of a line is as logs have it; each search is for what it needs."""
    return (
        (": " in line and _LABELLED.search(line) is not None)
        or ("." in line and _PLACED.search(line) is not None)
        or (line.count("=") > 1 and _PAIRED.search(line) is not None)
        or _BRACKETED.match(line) is not None
    )
