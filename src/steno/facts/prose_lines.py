"""Which lines of a text are prose, and which are code, quotes, tables or logs.

Told by their shape alone; what the words mean is left to the readers of facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from steno.core.escape import NEVER_SEEN

TOKEN_MOST = 24
"""Characters of a line without a blank, beyond which it is a path or a hash."""
LOG_LEAST = 6
"""Lines of a log from which on those between its first and its last belong to it."""
LOOKED = 400
"""Characters of a line that are looked at: it may be a whole minified file."""
_PADDED = ("        ", "        \n")
"""A line that ends in so many blanks was copied from a screen."""
ITEM = re.compile(r"[ \t]*(?:[-*+•–·◦‣]|\(?\d{1,3}[.)、]|\(?[a-zA-Z][.)])[ \t]*")
"""What an item of a list begins with."""
_QUOTED = re.compile(r"\n[^\S\n]*+[>|▎▏▌›»│┃]")
_OTHER_BREAK = re.compile("[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(f"[{NEVER_SEEN}\xa0\u1680\u2000-\u200d\u202f\u205f\u2800\u3000\ufe00-\ufe0f]")
_LOGGED = re.compile(
    r"\s{0,2}+(?:\+(?:\S|\s{2})|-(?:[^\s\d>-]|\s{4}|\t))"
    r"|\s*+(?:\[[\w@./ :-]{3,40}\]|\(\w+:\d+\)) ?\S"
    r"|\s*+(?:E\s{2,}+)?+(?:"
    r"\d+(?:\t|→|,\")|[├└┌╭╰┆║═─━]|⏺|⎿|❯|\$ |%\s|PS [A-Z]:|>>> "
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|PANIC|FAIL|PASS)\b[\]:\s]|ok\s{2,}\S"
    r"|(?:[A-Za-z_.]*(?:Error|Exception|Warning)|error|warning|fatal|panic|hint|remote|npm ERR!|E)"
    r"(?:\[\w+\])?: "
    r"|(?:npm|pnpm|yarn) (?:WARN|warn|warning|ERR!?|error|notice|http|info|verb|sill)\b"
    r"|Traceback \(|File \"|at [\w.$<>]+ ?\(.*:\d"
    r"|---|\+\+\+|===|@@ |diff --git |index [0-9a-f]{7}|commit [0-9a-f]{7,}"
    r"|import [\w.{*\"']+(?:;|$| as \w+$|.* from [\"'])|from [\w.]+ import "
    r"|def \w+\(|class \w+[(:{]|func[ (]|function \w*\(.*\{|#include|#!/|package \w+;?$"
    r"|(?:const|let|var) \w+ ?[=:]|(?:public|private|protected|static|export|async) \w+ .*[;{(=]"
    r"|return\b.*;|(?:if|for|while|switch) ?\(.*\{|//|/\*|\*/|<[/!?]?[a-zA-Z][\w-]*[ >/]"
    r"|[\w./\\-]*\.\w+:\d+(?::\d+)?[:\s]|[\w-]+/[\w./-]+\s*\|\s*\d+|[✓✗✔✖×●○] |\x1b\[)"
)
_COMMAND = re.compile(
    r"\s*+(?:sudo|git|npm|npx|pip|cargo|docker|kubectl|curl|cd|ls|cat|grep|python3?|node|make|go)"
    r" [-\w./]+(?: -|$)"
)
_LABELLED = re.compile(
    r"\b(?:error|warning)(?: [A-Z]+\d+)?: |\b(?:failed|unable|cannot) to [^.:]{1,80}: "
    r"|^\s*[\w@/.-]+:[\w.-]+: "
)
_PLACED = re.compile(r"\.(?<=\w.)(?:[jt]sx?|py|go|rs|java|rb|cc?|cpp|h|cs|php|kt)[(:]\d+")
_PAIRS = re.compile(r"\b[a-z_]+=\S+ [a-z_]+=")
_CODE_END = re.compile(r"(?:[)\"'=\w]\);|[\"'];|[{}]|\)\s*\{|=>|\\|[\]}];?,?)$")
_CODE_ENDS = tuple(";{}>\\],")
_SYMBOLS = re.compile(r"[{}()\[\]<>=;:|\\/_$#@%^&*+~`\"\x1b]")
_SYMBOLS_SHARE = 4
"""A line whose every fourth character is a symbol is not a sentence."""


def outline(text: str) -> str:
    """Return a text of the same length: each break a line feed, and a blank for what is unseen."""
    return _UNSEEN.sub(" ", _OTHER_BREAK.sub("\n", text))


def quoted_lines(text: str, shape: str) -> Iterator[tuple[int, int]]:
    """Yield where lines marked as quotations, or rows of a table, begin and end.

    Any break may begin one; only a line feed ends it: who marks each line may not know the others.
    """
    stop = 0
    for start in map(re.Match.start, _QUOTED.finditer("\n" + shape)):
        if start >= stop:
            stop = text.find("\n", start) + 1 or len(text)
            yield start, stop


def prose_runs(text: str) -> Iterator[tuple[str, bool]]:
    """Yield a text in runs of lines, each with whether it is prose; joined they are the text."""
    lines = text.splitlines(keepends=True)
    logged: list[bool] = []
    for is_blank, run in groupby(lines, key=str.isspace):
        paragraph = list(run)
        logged += [False] * len(paragraph) if is_blank else _judge_paragraph(paragraph)
    logs = [at for at, log in enumerate(logged) if log]
    # A stack trace has lines like sentences; between the first and the last line of a long log
    # stands the rest of the log.
    if len(logs) >= LOG_LEAST and len(logs) * 2 > len(lines):
        logged[logs[0] : logs[-1]] = [True] * (logs[-1] - logs[0])
    at = 0
    for log, same in groupby(logged):
        count = len(list(same))
        yield "".join(lines[at : at + count]), not log
        at += count


def _judge_paragraph(lines: list[str]) -> list[bool]:
    """Tell for each line if it is code or log; an indented line follows the last."""
    judged: list[bool] = []
    logged = False
    for line in lines:
        # A wrapped line of a log is set in, and may hold nothing but words.
        logged = (logged and line[0] in " \t") or is_no_sentence(line)
        judged.append(logged)
    # Among lines of code or log the few that look like sentences belong to them.
    if sum(judged) * 2 > len(lines):
        return [True] * len(lines)
    return judged


def is_no_sentence(line: str) -> bool:
    """Tell whether a line is code, table or log, whatever stands beside it."""
    if line.endswith(_PADDED) or _LOGGED.match(line):
        return True
    # People begin sentences about a command with it, and end them as sentences.
    if _COMMAND.match(line) and not line.rstrip().endswith((".", "!", "?")):
        return True
    shown = line[:LOOKED]
    # To look for a character is quicker than to search a pattern, and most lines lack them.
    if ": " in shown and _LABELLED.search(shown):
        return True
    if shown.count("=") > 1 and _PAIRS.search(shown):
        return True
    if (":" in line or "=" in line or "[" in line) and _PLACED.search(shown):
        return True
    # People do not type so many characters without a space: a key, a hash or encoded bytes.
    if len(line) > TOKEN_MOST and line.isascii() and len(line.split(None, 1)) == 1:
        return True
    ending = line[-16:].rstrip()
    if ending.endswith(_CODE_ENDS) and _CODE_END.search(ending):
        return True
    return len(line) > 12 and len(_SYMBOLS.findall(shown)) * _SYMBOLS_SHARE >= len(shown)
