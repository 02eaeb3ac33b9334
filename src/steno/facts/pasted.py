"""How text that was copied into a message looks, in any language.

A mail, a chat, subtitles, a list of search results or a file of data in a user's message was not
written by the person, and most of it says so by shape and not by words: a block of short
headers with an address or a date, a time at the beginning of each line, the same speakers in
turn, rows with the same separators, keys with values or lists, brackets around named values,
comments beside code, the headings of a document.

`pasted_start` tells where a text begins whose end cannot be told: a mail has no mark behind it,
so all that follows is its. `data_lines` tells which lines are rows of data or of a chat, and
`json_span` where JSON stands; around these, plain sentences are the person's. Words that announce
a text (`Search results:`) are in `labels`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from steno.facts.languages import in_every_language

LINE_MOST = 200
"""Characters of a line that are looked at."""
HEAD_MOST = 80
"""Characters of a line that can be the head of a chat message, or a title."""
VALUE_MOST = 100
"""Characters of a value in the head of a mail."""
HEADERS_LEAST = 3
ROWS_LEAST = 2

_TIME = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
_DATE = (
    r"(?:\d{4}|\d{1,2})(?:[./-]\d{1,2}[./-]\d{1,4}"
    r"|\s?[年년]\s?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일](?:\s?\(\w\))?)"
)
_MINUTES = re.compile(r":\d\d")
"""Every time holds this, and few lines do."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}:\d\d(?!\d)")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.\w")

_HEAD_MARKS = re.compile(r"[\d:：@·•›★☆]")
_HEAD_WORDS = ("ago", "begin", "BEGIN", "WEBVTT")
_HEAD_BEGINS = ("=", "[", ".")
"""Every line that can be a head holds a mark or one of the words, or begins so."""
_FIRST = re.compile(
    r"[ \t]*+(?:(?:\d{1,2}:)?\d{1,2}:\d\d[.,]\d{1,3} {0,3}--> ?\d|WEBVTT\b|Dialogue: \d,\d"
    r"|HTTP/\d(?:\.\d)? \d{3}\b|[A-Z]{3,7} \S{1,200} HTTP/\d|MIME-Version: \d"
    r"|[Cc]ontent-[Tt]ype: ?\w+/|From [\w.+-]{1,64}@[\w.-]{1,64} "
    r"|(?:[#@%!]?\+?|\\)(?:BEGIN|begin)[_{: ](?:[A-Z]{3,}\b|quot|verb)|\[!\[|={1,6} \S"
    r"|#\+(?:TITLE|AUTHOR|DATE|title|author|date):|\.(?:TH|SH) \S|§{1,2} ?\d"
    r"|!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}\.svg\))"
)
"""First lines of subtitles, of a message over HTTP, of a mailbox, of a marked quotation, of a
text with badges, of a page in the markup of a wiki or a manual, of a law."""
_PUBLISHED = re.compile(
    r"(?:(?:re)?viewed|posted|published|(?:last )?(?:updated|modified|edited)|asked|answered"
    r"|written)\b.{0,60}(?:\bago|\b(?:19|20)\d\d)[.:]?\s*$"
    r"|(?:about )?\d{1,3} (?:second|minute|hour|day|week|month|year)s? ago\s*$"
    r"|(?:vor|il y a|hace|há) \d{1,3} \w{2,10}\s*$"
    r"|\d{1,3} ?(?:分钟|小时|天|个月|年|時間|日|か月)前\s*$"
    r"|v?\d{1,3}\.\d{1,3}(?:\.\d{1,3})?\S{0,12} [-–—(]{1,2} ?(?:19|20)\d\d-\d\d-\d\d\)?\s*$",
    re.I,
)
"""When a page, a comment or a version came out, alone on a line."""
_TITLE_HEAD = re.compile(
    r"(?:title|author|by|published|tags?|categor(?:y|ies)|abstract|keywords|source|license)"
    r"[ \t]?:[ \t]*+\S",
    re.I,
)
"""A line of the head of an article: two of these make one."""
_LINK_LINE = re.compile(
    r"[ \t]*+(?:[-*] |\d{1,3}[.)] )?\[[^\]\n]{1,160}\]\(https?://[^)\s]++\)\s*$"
)
_URL_LINE = re.compile(r"[ \t]*+(?:[-*>] )?<?https?://[^\s>]++>?\s*$")
_TITLED = re.compile(r"\S.{0,100}? [-–—|·] \S")
_COMMENTED = re.compile(
    r"@?[\w-]{1,40}+ (?:commented|replied|reviewed|opened|left a comment|wrote)\b.{0,60}"
    r"(?:\bago|\b(?:19|20)\d\d|\b[A-Z][a-z]{2} \d{1,2})[.:]?\s*$"
)
_SHOWN = re.compile(r".{0,70}(?: [·•›] |[★☆]{3})")
"""Marks between the parts of a head on a page: no keyboard has them."""
_ENDS_SENTENCE = (".", "!", "?", "。", "！", "？", "…", "؟", "।")

_STAMPED = re.compile(
    rf"[\s*_>]{{0,4}}(?:[\[(]{_TIME}[\])]|[\[(]?{_DATE},?[\sT]{{1,2}}\w{{0,6}}\s?{_TIME}\b"
    rf"|[^\d:\n]{{0,30}}[\[(]{_TIME}[\])]\s?:|[^:\n]{{0,24}}?\b\d\d:\d\d:\d\d\b)"
)
"""A time in brackets, one with seconds, or a date with a time, before the words of a line."""
_SPEAKER = re.compile(r"[\s:\])-]{0,5}(?:<[^<>\n]{1,30}>|[^\W\d][\w .'’-]{0,30}[:：])")
_TIMED = re.compile(rf"[\s*_-]{{0,4}}{_TIME}(?:\s|<|$)")
"""A bare time before the words of a line: two of these make a chat."""
_SENT_AT = re.compile(
    rf"(?P<who>[^\s:：][^:：\n]{{0,39}}?)(?:\s{{2,}}|\t|\s?[—–·|•,\[(-]\s?\[?)"
    rf"(?:(?:\S+\s){{0,3}}{_TIME}[\])]?|(?:\S+\s){{0,2}}(?:19|20)\d\d)\s*$"
)
"""A name and a time or a day alone on a line, over what was said."""

_HEADING = re.compile(r"#{1,6} (?P<title>\S.*)")
_VERBS = in_every_language(lambda cues: cues.requests.verbs)
_NAMES = (
    "address|build|bump|change|check|commit|compare|debug|deploy|do|document|draft|find|give|go"
    "|install|keep|list|look|merge|migrate|move|now|open|port|print|push|put|read|report|restart"
    "|review|run|search|send|set|show|split|start|switch|tell|test|try|upgrade|use|verify"
)
"""Verbs that are names too, or that manuals begin their sentences with."""
_DOCUMENTS = (
    r"guide|read ?me|change ?log|contributing|install(?:ation|ing)|usage|license|faq"
    r"|documentation|docs|manual|handbook|policy|overview|introduction|getting started"
    r"|quick ?start|tutorial|wiki|api|reference|release|runbook|playbook|terms|to reproduce"
    r"|describe the|code of conduct|(?:expected|actual) behaviou?r"
    r"|anleitung|handbuch|leitfaden|manuel|guía|manual de"
)
_FORBIDS = (
    r"\W*(?:never|always|only|must|no[- ]gos?|hands off|off[- ]limits|what not to|things not to)\b"
    r"|.{0,60}\b(?:don['’]?ts|(?:do|must|may|should) not|forbidden|prohibited|off[- ]limits"
    r"|not to (?:do|touch|change|use|break)|niemals|nicht|verbote\w*|tabus?|interdit\w*"
    r"|interdictions?|ne pas|jamais|nunca|prohibid\w+|prohibiciones)\b|.{0,20}(?:禁止|不要|不得|勿)"
    rf"|\W*(?:{in_every_language(lambda cues: cues.rules.forbids)})"
)
_ORDER = re.compile(
    rf"(?!\W*(?:{_NAMES})(?:\W*$|\W+(?:{_DOCUMENTS})\b))\W*(?:{_VERBS})\b|{_FORBIDS}", re.I
)
"""A heading that orders or forbids: `Add a guide`, but not `Deploy guide`."""
_WORK = re.compile(rf"\W*(?!(?:{_NAMES})\b)(?:{_VERBS})\b|{_FORBIDS}", re.I)
"""The same without verbs that the headings of a manual begin with."""
_ASKED = re.compile(
    r"(?:^[ \t]*+(?:[-*•+] |\d{1,2}[.)] )?|[.!:] )(?:please |bitte |por favor,? )?"
    rf"(?!(?:{_NAMES})\b)(?:{_VERBS})\b",
    re.I | re.M,
)
"""A sentence under a heading that asks for work."""
_TASK = re.compile(
    r"\W*(?:bug|feature|error|crash|regression|fehler|bogue|erreur|fallo)"
    r"(?:\s?[:#]| (?:in|with|when|on|at|im|beim?|dans|de|du|en)\b)|.{0,12}(?:错误|缺陷|バグ)$",
    re.I,
)
"""A title that names what is to be mended or made."""
_ASKED_HEADING = re.compile(
    r"\W*(?:(?:[\w'’&/-]{1,20}[ \t]){0,4}(?:tasks?|goals?|objectives?|aims?|context|background"
    r"|problem|issue|rules?|constraints?|requirements?|instructions?|guidelines?|conventions?"
    r"|preferences?|notes?|important|scope|non-goals?|steps?|plan|todo|output|format|style|tone|tests?"
    r"|testing|criteria|deliverables?|questions?|request|role|input|data|examples?|priorit(?:y|ies)"
    r"|limits?|want|need|aufgaben?|ziele?|regeln?|vorgaben?|anforderungen|hinweise?|wichtig|kontext|tâches?"
    r"|objectifs?|règles?|contraintes?|consignes?|exigences?|contexte|tareas?|objetivos?|reglas?"
    r"|restricciones|requisitos|instrucciones|contexto|notas?)\b(?:[ \t][\w'’-]{1,20}){0,3}"
    r"|.{0,12}(?:任务|目标|规则|约束|要求|说明|注意|背景|タスク|ルール|要件|目的).{0,8})\W*$",
    re.I,
)
"""Headings that people put over the parts of what they ask for."""
_DOCUMENT_HEADING = re.compile(
    rf"\b(?:{_DOCUMENTS})\b|^\W*(?:version )?v?\d{{1,4}}\.\d|\b(?:19|20)\d\d\b|指南|手册|文档|教程",
    re.I,
)
_MARKED_UP = re.compile(
    r"\]\((?:https?://|\.{0,2}/|#|[\w-]+/|[\w.-]+\.\w+\))|^<!--|^\|.*\|\s*$"
    r"|\b[Tt]his (?:document|guide|page|manual|readme|policy) \w",
    re.M,
)
"""Links, comments, tables and words about itself, as documents have them."""

_LABELLED = re.compile(
    r"[> \t*_]{0,6}(?:[-•] )?(?P<label>[^\W\d_](?:[\w'’.()-]|[ \t](?=\w)){0,31})[*_]{0,2}"
    r"[ \t]?[:：][*_]{0,2}(?P<value>[ \t].*|[^/\s].*|)$",
    re.S,
)
_LEAD = r"[ \t>*_#-]{0,6}"
_QUESTION = re.compile(
    rf"{_LEAD}(?:[QFPDВ问問]|(?P<word>Question|Frage|Pregunta|Pergunta|Domanda|Vraag"
    r"|Pytanie|Soru|Вопрос|问题|問題|質問|질문|سؤال))[ \t]?\d{0,3}[*_]{0,2}[.:：]"
)
_ANSWER = re.compile(
    rf"{_LEAD}(?:[ARО答]|Answer|Antwort|Réponse|Respuesta|Resposta|Risposta|Antwoord|Odpowiedź|Cevap"
    r"|Ответ|回答|答案|답변|جواب|الجواب)[ \t]?\d{0,3}[*_]{0,2}[.:：]"
)
_KEY = re.compile(
    r"(?P<indent>[ \t]*)(?P<item>- )?[\"']?(?P<key>[A-Za-z_][\w.-]{0,60})[\"']?:(?=\s|$)"
)
_SCALAR = re.compile(
    r":\s+(?:-?\d[\d.,:_eE+-]*|true|false|null|yes|no|~|\"[^\"\n]*\"|'[^'\n]*'|\[.*\]|\{.*\}"
    r"|\S+@\S+|https?://\S+|[0-9a-f-]{8,})\s*$"
)
_BLOCK = re.compile(r":\s+[|>][+-]?\d?\s*$")
_LIST_KEY = re.compile(r"[ \t]*+(?:- )?[a-z][\w.-]{0,60}:\s*$")
_OWN_KEY = re.compile(
    rf"(?:my[_-])?(?:{in_every_language(lambda cues: cues.rules.headings)})", re.I
)
_WORDS_JOINED = re.compile(r"[a-z0-9][_.-][a-z0-9]")
_ITEM = re.compile(r"(?P<indent>[ \t]*+)- (?P<quoted>[\"'])?")
_SET_IN = re.compile(r"(?: {4}|\t)[ \t]*+(?![-*•+] |\d+[.)] )\S")
"""Set in as a program or a page does it; people set in the items of a list."""
_SECTION = re.compile(r"[ \t]*\[\[?[\w .:\"'/-]{1,60}\]\]?\s*$")
_PAIR = re.compile(
    r"[ \t]*(?:(?:export |set )?[\w.-]{1,60}[ \t]?=(?!=)[ \t]?\S|[a-z][\w-]{1,30} \".*\"\s*$"
    r"|[A-Z][A-Z-]{3,30}(?:;[^:\n]{0,60})?:\S)"
)
"""A setting, a phrase of a translation, a line of a calendar."""
_ASSIGNED = re.compile(
    r"[ \t]*(?:export |set )?"
    r"(?:[A-Z][A-Z0-9_]{2,60}=\S|[a-z][\w-]{0,30}(?:\.[\w-]{1,30}){1,6}[ \t]?=\S)"
)
_COMMENT = re.compile(r"[ \t]*+(?:(?:#{1,3}|;{1,4}|%{1,3}|//) ?+[^\s#;%]|(?:--|'|REM) \S)")
_STATEMENT = re.compile(
    r"[ \t]*+(?:(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|GRANT|WITH|FROM|RUN|COPY"
    r"|CMD|ENTRYPOINT|ENV|WORKDIR)\s\S"
    r"|(?:local|let|const|var|int|dim|Dim|def|fn|func) "
    r"(?:[\w$]{1,60}[ \t]?(?:[:;(<\[]|$|[Aa]s )|[^.!?\n]{1,80}=)"
    r"|echo (?:[\"'$-]|\S{1,60}\s*$)"
    r"|[\w.$]{1,60}(?:\[[^\]\n]{0,40}\])?[ \t]?(?:[-+*:|]?=|<-)(?!=)[ \t]?\S|\([\w!?*-]{1,30}[ )]"
    r"|\\[a-z]{2,20}[{\[]|[\w.]{1,60}\([^()\n]{0,80}\)[;:{ ]{0,3}\s*$|\[[\w.\"-]{1,40}\]\s*$)"
)
"""How lines of programs, queries and settings begin; asked only beside comments."""
_REMARK = re.compile(
    r"; {0,8}(?:--|//|#|/\*) |^[ \t]*+(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\s.* -- "
)
"""A comment behind a statement."""
_OPENERS, _CLOSERS = ("(", "{", "["), (")", "}", "]")
_DELIMITERS = (",", ";", "\t", "|")
_BARRED = re.compile(r"[^|\n]{1,80}[ \t]\|(?:\s|$)")
_NAMED_BAR = re.compile(r"[ \t]*+[\w./:@-]{1,60}[ \t]+\|\s")
"""A program's name before each line that it prints: one such line is enough."""
_CELL_MOST = 40
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_JSON_OPENS = re.compile(
    r"^[ \t]*+(?:[-*] |data: ?)?(?=(?:\{\s{0,200}[\"'][^\"'\n]{0,80}[\"']\s{0,8}:"
    r"|\[\s{0,200}(?:\{\s{0,200})?[\"']))",
    re.M,
)


def pasted_start(text: str) -> int:
    """Return where copied text begins that no mark ends; the length of the text if nowhere."""
    lines = text.splitlines(keepends=True)
    starts = [len(text)]
    at = 0
    has_words = any(word in text for word in _HEAD_WORDS)
    for number, line in enumerate(lines):
        may_be = has_words or _HEAD_MARKS.search(line) or line.lstrip().startswith(_HEAD_BEGINS)
        if may_be and _is_head(lines, number):
            starts.append(at)
            break
        at += len(line)
    for find in (_find_speakers, _find_questions, _find_titles, _find_headings):
        starts.append(_first_of(lines, find(lines)))
    return min(starts)


def data_lines(lines: Sequence[str]) -> list[bool]:
    """Tell for each line of a text whether it is a row of data, or of a chat with times."""
    marked = [False] * len(lines)
    for first, stop in _blocks(lines):
        marked[first:stop] = [True] * (stop - first)
    for number in _remarks(lines):
        marked[number] = True
    return marked


def json_span(text: str) -> range:
    """Return the range from the first JSON of a text to the last bracket that can close it.

    A value may hold brackets and line ends of its own, so no text between two pieces of JSON is
    surely the person's. JSON that is not closed holds the rest.
    """
    if '"' not in text and "'" not in text:
        return range(0)
    found = _JSON_OPENS.search(text)
    if found is None:
        return range(0)
    last = max(text.rfind("}"), text.rfind("]"))
    if last < found.end():
        return range(found.start(), len(text))
    return range(found.start(), last + 1)


def _is_head(lines: Sequence[str], number: int) -> bool:
    """Tell whether a line is the first of a mail, a page, subtitles or a chat."""
    line = lines[number][:LINE_MOST]
    follows = number + 1 < len(lines)
    if _FIRST.match(line) or _COMMENTED.match(line):
        return True
    # In small letters a sentence goes on that was broken by hand.
    if follows and _PUBLISHED.match(line) and not lines[number + 1][:1].islower():
        return True
    if follows and len(line) <= HEAD_MOST and not _is_sentence(line) and _stands_over(line):
        return True
    if "://" in line and follows:
        if _LINK_LINE.match(line):
            return True
        titled = _TITLED.match(lines[number + 1][:HEAD_MOST])
        if titled and _URL_LINE.match(line) and not _is_sentence(lines[number + 1]):
            return True
    if ":" not in line and "：" not in line:
        return False
    if follows and line.rstrip().endswith((":", "：")) and _is_dated(line):
        return True
    if follows and _TITLE_HEAD.match(line) and _TITLE_HEAD.match(lines[number + 1][:LINE_MOST]):
        return True
    return _is_mail_head(lines, number)


def _stands_over(line: str) -> bool:
    """Tell whether a short line says who wrote the text below it, and when, as pages do."""
    if not line.isascii() and _SHOWN.match(line):
        return True
    last = line.rstrip().rstrip("])")[-1:]
    # A time ends so, and most lines do not.
    if not last.isdecimal() and last not in "mM.":
        return False
    return not _STAMPED.match(line) and _SENT_AT.match(line) is not None


def _is_dated(line: str) -> bool:
    """Tell whether a line has an address, or a day and an hour, as a reply quotes them."""
    if "@" in line and _ADDRESS.search(line):
        return True
    return _YEAR.search(line) is not None and _CLOCK.search(line) is not None


def _is_mail_head(lines: Sequence[str], number: int) -> bool:
    """Tell whether three lines or more are short headers, one of them with an address or a day."""
    headers = 0
    dated = False
    for line in lines[number : number + 12]:
        found = _LABELLED.match(line[:LINE_MOST])
        if found is None or len(line) > VALUE_MOST or not found["value"].strip():
            break
        if _is_sentence(line) and not _YEAR.search(line):
            break
        headers += 1
        value = found["value"]
        dated = dated or _YEAR.search(value) is not None or _ADDRESS.search(value) is not None
    return dated and headers >= HEADERS_LEAST


def _is_sentence(line: str) -> bool:
    return line.rstrip().endswith(_ENDS_SENTENCE)


def _first_of(lines: Sequence[str], number: int) -> int:
    return sum(map(len, lines[:number]))


def _find_speakers(lines: Sequence[str]) -> int:
    """Return the line where speakers begin who take turns: two labels, one of them twice."""
    first: dict[str, int] = {}
    last = ""
    for number, line in enumerate(lines):
        if ":" not in line and "：" not in line:
            continue
        found = _LABELLED.match(line[:LINE_MOST])
        # Two lines of one label are a list; data has its own rule.
        if found is None or line[0].isspace() or found["label"] == last:
            continue
        label = last = found["label"]
        if label in first:
            return first[label]
        first[label] = number
    return len(lines)


def _find_questions(lines: Sequence[str]) -> int:
    """Return the line where questions with answers begin, each under its label."""
    first = None
    asked = False
    for number, line in enumerate(lines):
        head = line[:LINE_MOST]
        if found := _QUESTION.match(head):
            if first is None:
                first = number
            asked = asked or found["word"] is not None
        elif first is not None and asked and _ANSWER.match(head):
            return first
        # A letter may label anything; a question shows what it is for.
        asked = asked or (first is not None and ("?" in line or "？" in line))
    return len(lines)


def _find_headings(lines: Sequence[str]) -> int:
    """Return the line where a document with a title begins; a request may have headings too."""
    titles = []
    for number, line in enumerate(lines):
        found = line[0] == "#" and _HEADING.match(line[:LINE_MOST])
        if found and not _is_sentence(line):
            titles.append((number, found["title"]))
    if not titles:
        return len(lines)
    first, title = titles[0]
    others = [other for _, other in titles[1:]]
    if _ORDER.match(title):
        return len(lines)
    if _DOCUMENT_HEADING.search(title) and not _TASK.match(title):
        return first
    sections = [other for other in others if not _WORK.match(other)]
    has_chapters = any(map(_DOCUMENT_HEADING.search, sections))
    if _ASKED_HEADING.match(title) or (
        others and not has_chapters and all(map(_ASKED_HEADING.match, others))
    ):
        return len(lines)
    before, behind = "".join(lines[:first]).strip(), "".join(lines[first:])
    if has_chapters or _MARKED_UP.search(behind):
        return first
    is_asked = len(sections) < len(others) or _TASK.match(title) or _ASKED.search(behind)
    # Whoever asks about a text shows it; whoever asks for work writes what it is.
    if is_asked and not before.endswith(("?", "？", "؟")):
        return len(lines)
    if others or before:
        return first
    return len(lines)


def _find_titles(lines: Sequence[str]) -> int:
    """Return the line where titles with addresses begin, as in a list of search results."""
    titles: list[int] = []
    for number in range(1, len(lines)):
        if "://" not in lines[number] or not _URL_LINE.match(lines[number][:LINE_MOST]):
            continue
        above = lines[number - 1]
        if above.isspace() or "://" in above or _is_sentence(above):
            continue
        titles.append(number - 1)
        if len(titles) > 1:
            return titles[0]
    return len(lines)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield first and last line (not included) of each block of rows."""
    yield from _stamped_blocks(lines)
    yield from _bracketed_blocks(lines)
    at = labels_stop = 0
    while at < len(lines):
        if lines[at].isspace():
            at += 1
            continue
        stop = max(_set_in_stop(lines, at), _pairs_stop(lines, at), _cells_stop(lines, at))
        stop = max(stop, _barred_stop(lines, at))
        # A run of labels that is no data is looked through once, or the cost would be its square.
        if at >= labels_stop:
            labels_stop, is_data = _keys_stop(lines, at)
            if is_data:
                stop = max(stop, labels_stop)
        if stop > at:
            yield at, stop
        at = max(stop, at + 1)


def _stamped_blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the lines of logs and chats with times, each with the rest of its paragraph.

    What stands between two lines of a chat is a speaker's; between logs people say what they see.
    """
    stamped = []
    timed = []
    said = []
    for number, line in enumerate(lines):
        if ":" not in line or not _MINUTES.search(line):
            continue
        if found := _STAMPED.match(line[:LINE_MOST]):
            stamped.append(number)
            if _SPEAKER.match(line, found.end()):
                said.append(number)
        elif _TIMED.match(line[:LINE_MOST]):
            timed.append(number)
    if len(timed) >= ROWS_LEAST:
        said += timed
    stop = 0
    for number in sorted({*stamped, *said}):
        if number >= stop:
            stop = _paragraph_stop(lines, number)
            yield number, stop
    if said:
        yield min(said), max(said)


def _paragraph_stop(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].isspace():
        at += 1
    return at


def _bracketed_blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield from each line that ends in an open bracket to the line that begins by closing it."""
    closing = [number for number, line in enumerate(lines) if line.lstrip()[:1] in _CLOSERS]
    stop = 0
    for number, line in enumerate(lines):
        if number < stop or not line.rstrip().endswith(_OPENERS):
            continue
        later = bisect_right(closing, number)
        if later < len(closing):
            stop = closing[later] + 1
        else:
            stop = _paragraph_stop(lines, number)
        yield number, stop


def _remarks(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines that are comments of a program: beside its code, or behind a statement."""
    if not any(";" in line or _COMMENT.match(line) for line in lines):
        return
    held: list[int] = []
    below_code = False
    at = 0
    while at < len(lines):
        if lines[at].isspace():
            at += 1
            continue
        paragraph = range(at, _paragraph_stop(lines, at))
        at = paragraph.stop
        comments = [number for number in paragraph if _COMMENT.match(lines[number])]
        code = [number for number in paragraph if _is_code(lines[number])]
        yield from (number for number in code if _REMARK.search(lines[number][:LINE_MOST]))
        # Comments between two blank lines belong to the code before or behind them.
        if len(comments) == len(paragraph) and not below_code:
            held += comments
            continue
        below_code = bool(code) or (below_code and len(comments) == len(paragraph))
        if below_code:
            yield from (*held, *comments)
        held = []


def _is_code(line: str) -> bool:
    """Tell whether a line that stands beside comments can be a line of a program."""
    if _STATEMENT.match(line) or line.rstrip().endswith(";"):
        return True
    return ";" in line and _REMARK.search(line[:LINE_MOST]) is not None


def _keys_stop(lines: Sequence[str], at: int) -> tuple[int, bool]:
    """Return where labels with values that begin at a line end, and whether they are data."""
    keys = 0
    typed = nested = listing = joined = own = False
    stop = at
    while stop < len(lines):
        line = lines[stop][:LINE_MOST]
        found = _KEY.match(line) if ":" in line else None
        deeper = stop > at and line[:1] in " \t" and not line.isspace()
        item = _ITEM.match(line) if listing else None
        if found is None and not deeper and item is None:
            break
        if found is not None:
            # People begin a label of their own with a capital letter, a program its keys rarely.
            keys += found["key"][0].islower()
            typed = typed or _SCALAR.search(line) is not None
            nested = nested or deeper or found["item"] is not None
            if _BLOCK.search(line):
                keys, nested, stop = ROWS_LEAST, True, _indented_stop(lines, stop + 1) - 1
            listing = _LIST_KEY.match(line) is not None
            joined = _WORDS_JOINED.search(found["key"]) is not None
            # Before all else it heads what a person asks for; behind words it is shown.
            own = stop == 0 and _OWN_KEY.fullmatch(found["key"]) is not None
        # One key is enough over a list as programs write it: set in, in quotation marks, or
        # under words that are joined.
        if item is not None and not own and (item["indent"] or item["quoted"] or joined):
            keys, nested = ROWS_LEAST, True
        stop += 1
    return stop, keys >= ROWS_LEAST and (typed or nested)


def _indented_stop(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and (lines[at][:1] in " \t\n\r"):
        at += 1
    return at


def _set_in_stop(lines: Sequence[str], at: int) -> int:
    """Return where lines that are set in under nothing, or under a heading in capitals, end."""
    above = "".join(lines[at - 1 : at]).strip()
    stop = at
    if not above or above.isupper():
        while stop < len(lines) and _SET_IN.match(lines[stop]):
            stop += 1
    return stop


def _pairs_stop(lines: Sequence[str], at: int) -> int:
    """Return where settings (`name = value`, with a section or without) that begin here end."""
    section = _SECTION.match(lines[at][:LINE_MOST]) is not None
    stop = at + section
    while stop < len(lines) and _PAIR.match(lines[stop][:LINE_MOST]):
        stop += 1
    if stop - at >= ROWS_LEAST or (stop > at and _ASSIGNED.match(lines[at][:LINE_MOST])):
        return stop
    return at


def _barred_stop(lines: Sequence[str], at: int) -> int:
    """Return where lines with a bar between words, as tables and joined logs have it, end."""
    stop = at
    while stop < len(lines) and "|" in lines[stop] and _BARRED.match(lines[stop][:LINE_MOST]):
        stop += 1
    if stop - at >= ROWS_LEAST or (stop > at and _NAMED_BAR.match(lines[at][:LINE_MOST])):
        return stop
    return at


def _cells_stop(lines: Sequence[str], at: int) -> int:
    """Return where rows of cells that begin at a line end; the same line if none do."""
    head = lines[at].strip()
    if len(head) > LINE_MOST or _is_sentence(head):
        return at
    for delimiter in _DELIMITERS:
        cells = head.split(delimiter)
        if len(cells) < ROWS_LEAST or any(_is_no_cell(cell) for cell in cells):
            continue
        stop = at + 1
        while stop < len(lines) and _is_row(lines[stop], delimiter):
            stop = _quoted_stop(lines, stop)
        least = ROWS_LEAST
        if _UNSPACED.search(head):
            # Without spaces between words, two clauses look like two cells.
            least += 1
        if stop - at >= least:
            return stop
    return at


def _is_no_cell(cell: str) -> bool:
    return not cell or cell[0] == " " or len(cell) > _CELL_MOST


def _is_row(line: str, delimiter: str) -> bool:
    if line.startswith('"'):
        return f'"{delimiter}' in line
    before, found, behind = line.partition(delimiter)
    return bool(found) and len(before) <= _CELL_MOST and behind[:1] not in (" ", "\n", "")


def _quoted_stop(lines: Sequence[str], at: int) -> int:
    """Return the line behind a row; a cell in quotation marks may hold line ends."""
    marks = lines[at].count('"')
    stop = at + 1
    if marks % 2 and '"' in "".join(lines[stop : stop + 40]):
        while stop < len(lines) and marks % 2:
            marks += lines[stop].count('"')
            stop += 1
    return stop
