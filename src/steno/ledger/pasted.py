"""What in somebody's text is not their own prose: code, quotes, tables, logs, documents.

`stretches` tells line by line, from the shape alone. A person who pastes
rarely says where the paste ends, so a document, once begun, runs to the end of
the text; logs and code end where lines look like sentences again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

Stretch = tuple[str, bool, bool]
"""The text, whether it is the author's own, whether it is prose."""

TOKEN_MOST = 24
"""Characters of a line without a blank, beyond which it is a path or a hash."""
LOG_LEAST = 6
DOCUMENT_LEAST = 600
"""Characters after a heading that make a document of it."""

_CODE_FENCE = re.compile(r"\s{0,8}(?:[-*] |\d+[.)] )?(```+|~~~+)")
_HEADING = re.compile(r"^#{1,6} \S.*$", re.M)
_TERMINAL = re.compile(r"^[ \t]*(?:⏺|⎿|❯ )", re.M)
"""How agents' own screens begin a line; nobody types these."""
_FRONT = re.compile(r"\s*(?:---\n[\w-]+: |(?:\$|➜|[\w.-]+@[\w.-]+[ :][^\n]*[%$#]) \S)")
"""How a file with a head, or a copied shell, begins."""
_PADDED = "        "
"""A line that ends in so many blanks was copied from a screen."""
_QUOTED = re.compile(
    r"\s{0,2}(?:\+(?:\S|\s{2})|-(?:[^\s\d>-]|\s{4}|\t))"
    r"|\s{0,8}(?:>|\|.*\|\s*$|[│├└┌╭╰┃┆║═─━]|⏺|⎿|❯|\$ |%\s|PS [A-Z]:|>>> )"
)
_LOGGED = re.compile(
    r"\s*(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|PANIC|FAIL|PASS)\b[\]:\s]|ok\s{2,}\S"
    r"|(?:[A-Za-z_.]*(?:Error|Exception|Warning)|error|warning|fatal|panic|npm ERR!|E)(?:\[\w+\])?: "
    r"|Traceback \(|File \"|at [\w.$<>]+ ?\(.*:\d|---|\+\+\+|===|@@ |diff --git "
    r"|index [0-9a-f]{7}|commit [0-9a-f]{7,}"
    r"|import [\w.{*\"']+(?:;|$| as \w+$|.* from [\"'])|from [\w.]+ import "
    r"|def \w+\(|class \w+[(:{]|func[ (]|function \w*\(.*\{|#include|#!/"
    r"|package \w+;?$"
    r"|(?:const|let|var) \w+ ?[=:]|(?:public|private|protected|static|export|async) \w+ .*[;{(=]|return\b.*;"
    r"|(?:if|for|while|switch) ?\(.*\{|//|/\*|\*/|<[/!?]?[a-zA-Z][\w-]*[ >/]"
    r"|(?:sudo|git|npm|npx|pip|cargo|docker|kubectl|curl|cd|ls|cat|grep|python3?|node|make|go) [-\w./]+(?: -|$)"
    r"|[\w./\\-]*\.\w+:\d+(?::\d+)?[:\s]|[\w-]+/[\w./-]+\s*\|\s*\d+|[✓✗✔✖×●○] |\x1b\["
    r")"
)
_LOGGED_IN = re.compile(
    r"\b(?:error|warning)(?: [A-Z]+\d+)?: |\b(?:failed|unable|cannot) to [^.:]{1,80}: |\w\.(?:[jt]sx?|py|go|rs"
    r"|java|rb|cc?|cpp|h|cs|php|kt)[(:]\d+"
    r"|\b[a-z_]+=\S+ [a-z_]+=|^\s*(?:\[[\w@./ :-]{3,40}\]|\(\w+:\d+\)) ?\S|^\s*[\w@/.-]+:[\w.-]+: "
)
_CODE_END = re.compile(r"(?:[)\"'=\w]\);|[{}]|\)\s*\{|=>|\\|[\]}];?,?)\s*$")
_SYMBOLS = re.compile(r"[{}()\[\]<>=;:|\\/_$#@%^&*+~`\"\x1b]")
_SYMBOLS_SHARE = 4
"""A line whose every fourth character is a symbol is not a sentence."""

_INTRODUCED = re.compile(
    r"(?:^|[\s(])(?:feedback|plan|output|logs?|errors?|stack ?trace|review|comments?|e-?mail|text|article|essay"
    r"|document|transcript|messages?|code|diff|story|draft|summary|paragraph|passage|abstract|letter|report"
    r"|issue|ticket"
    r"|spec(?:ification)?|readme|scenario|idea|response|answer|post|quote|excerpt|chapter|poem|lyrics|script"
    r"|resume|cv"
    r"|conversation|description|warning|content|snippet|function|query|schema|thoughts"
    r"|fehler(?:meldung)?|ausgabe|nachricht|dokument|artikel|rückmeldung|bericht|entwurf|zusammenfassung|mail"
    r"|erreur|sortie|texte|courriel|rapport|brouillon|résumé|retour|extrait"
    r"|salida|mensaje|texto|correo|documento|artículo|borrador|resumen|informe|comentarios?)"
    r"(?:\s+[\w'#/-]+){0,6}\s*:\s*$"
    r"|(?:文章|文本|邮件|日志|报错|错误|输出|代码|文档|反馈|评论|计划|内容|信息|段落|如下)[^。！？\n]{0,12}[:：]\s*$",
    re.I,
)
_LOG_LIKE = re.compile(
    r"code|log|error|output|diff|trace|snippet|function|query|schema|fehler|ausgabe|erreur|sortie|salida|日志|报错"
    r"|错误|输出|代码",
    re.I,
)


def stretches(text: str, *, pasting: bool) -> Iterator[Stretch]:
    """The text in order; `pasting` says that what is not the author's prose was written by others."""
    cut = [(line, log) for lines in _paragraphs(text) for line, log in lines]
    logs = [at for at, (_, log) in enumerate(cut) if log]
    # Between the first and the last line of a long log stands the rest of the log.
    drowned = range(logs[0], logs[-1]) if len(logs) >= LOG_LEAST and len(logs) * 2 > len(cut) else range(0)
    for at, (line, log) in enumerate(cut):
        log = log or at in drowned
        yield line, not (pasting and log), not log


def _paragraphs(text: str) -> Iterator[Iterable[tuple[str, bool]]]:
    """Lines up to a blank one, or a block of fenced code; each with whether it is something else than prose."""
    held: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _CODE_FENCE.match(line) if "```" in line or "~~~" in line else None
        if mark and not fence:
            yield _judged(held)
            held, fence = [line], mark[1][:3]
            closed = line.count(fence) > 1
        else:
            held.append(line)
            closed = bool(mark and mark[1][:3] == fence) if fence else False
        if fence and closed:
            yield [(code, True) for code in held]
            held, fence = [], ""
        elif not fence and line.isspace():
            yield _judged(held)
            held = []
    yield [(code, True) for code in held] if fence else _judged(held)


def _judged(lines: list[str]) -> Iterable[tuple[str, bool]]:
    logged = list(_not_sentences(lines))
    most = sum(logged) * 2 > len(lines)
    return zip(lines, (log or most for log in logged), strict=True)


def _not_sentences(lines: list[str]) -> Iterator[bool]:
    """Of each line, whether it is code, a quote, a table or a log; what is set under one belongs to it."""
    logged = False
    for line in lines:
        logged = _not_a_sentence(line) or (logged and line[:1] in " \t")
        yield logged


def _not_a_sentence(line: str) -> bool:
    if line.isspace():
        return False
    if line.rstrip("\n").endswith(_PADDED) or _QUOTED.match(line) or _LOGGED.match(line):
        return True
    if ":" in line and _LOGGED_IN.search(line[:400]):
        return True
    if len(line) > TOKEN_MOST and not any(map(str.isspace, line.strip())) and line.isascii():
        return True
    if _CODE_END.search(line[-16:]):
        return True
    return len(line) > 12 and len(_SYMBOLS.findall(line[:400])) * _SYMBOLS_SHARE >= len(line[:400])


def document_starts(text: str, following: int = 0) -> int:
    """Where a pasted document begins: a heading with much under it, or words that announce one."""
    starts = [len(text)]
    heading = _HEADING.search(text) if "# " in text else None
    if heading and len(text) + following - heading.start() >= DOCUMENT_LEAST:
        starts.append(heading.start())
    if screen := _TERMINAL.search(text):
        starts.append(screen.start())
    if _FRONT.match(text):
        starts.append(0)
    if ":" in text or "：" in text:
        starts.extend(_announced(text))
    return min(starts)


def _announced(text: str) -> Iterator[int]:
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        found = _INTRODUCED.search(line[-160:]) if line.rstrip().endswith((":", "：")) else None
        if found and at < len(text) and not _LOG_LIKE.search(found[0]):
            yield at
            return
