"""Where text begins that was copied into a message, told by its shape in any language.

A mail, a chat, subtitles, a list of search results or a document in a user's message was not
written by the person, and most of it says so by shape and not by words: a block of short
headers with an address or a date, the same speakers in turn, titles over addresses, the headings
of a document. Such a text has no mark behind it, so all that follows its beginning is its.

Data between a person's own lines is told in `data_rows`; words that announce a text
(`Search results:`) are in `labels`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steno.facts.data_rows import LINE_MOST, STAMPED, TIME, is_sentence
from steno.facts.given_names import GIVEN_NAMES
from steno.facts.languages import in_every_language
from steno.facts.lazy_pattern import lazy_pattern

HEAD_MOST = 80
"""Characters of a line that can be the head of a chat message, or a title."""
VALUE_MOST = 100
"""Characters of a value in the head of a mail."""
HEADERS_LEAST = 3

_YEAR = lazy_pattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_CLOCK = lazy_pattern(r"(?<!\d)\d{1,2}:\d\d(?!\d)")
_ADDRESS = lazy_pattern(r"[\w.+-]{1,64}@[\w-]{1,64}\.\w")

_HEAD_MARKS = lazy_pattern(r"[\d:：@·•›★☆]")
_HEAD_WORDS = ("ago", "begin", "BEGIN", "WEBVTT")
_HEAD_BEGINS = ("=", "[", ".")
"""Every line that can be a head holds a mark or one of the words, or begins so."""
_FIRST = lazy_pattern(
    r"[ \t]*+(?:(?:\d{1,2}:)?\d{1,2}:\d\d[.,]\d{1,3} {0,3}--> ?\d|WEBVTT\b|Dialogue: \d,\d"
    r"|HTTP/\d(?:\.\d)? \d{3}\b|[A-Z]{3,7} \S{1,200} HTTP/\d|MIME-Version: \d"
    r"|[Cc]ontent-[Tt]ype: ?\w+/|From [\w.+-]{1,64}@[\w.-]{1,64} |(?:[#@%!]?\+?|\\)(?:BEGIN"
    r"|begin)[_{: ](?:[A-Z]{3,}\b|quot|verb)|\[!\[|={1,6} \S|#\+(?:TITLE|AUTHOR|DATE|title|author"
    r"|date):|\.(?:TH|SH) \S|§{1,2} ?\d|!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}\.svg\))"
)
"""First lines of subtitles, of a message over HTTP, of a mailbox, of a marked quotation, of a
text with badges, of a page in the markup of a wiki or a manual, of a law."""
_PUBLISHED = lazy_pattern(
    r"(?:(?:re)?viewed|posted|published|(?:last )?(?:updated|modified|edited)|asked|answered"
    r"|written)\b.{0,60}(?:\bago|\b(?:19|20)\d\d)[.:]?\s*$|(?:about )?\d{1,3} (?:second|minute"
    r"|hour|day|week|month|year)s? ago\s*$|(?:vor|il y a|hace|há) \d{1,3} \w{2,10}\s*$"
    r"|\d{1,3} ?(?:分钟|小时|天|个月|年|時間|日|か月)前\s*$"
    r"|v?\d{1,3}\.\d{1,3}(?:\.\d{1,3})?\S{0,12} [-–—(]{1,2} ?(?:19|20)\d\d-\d\d-\d\d\)?\s*$",
    re.I,
)
"""When a page, a comment or a version came out, alone on a line."""
_TITLE_HEAD = lazy_pattern(
    r"(?:title|author|by|published|tags?|categor(?:y|ies)|abstract|keywords|source|license|reporter"
    r"|assignee|status|labels?|priority|sprint|milestone|severity|story points|fix versions?|epic)"
    r"[ \t]?:[ \t]*+\S",
    re.I,
)
"""A line of the head of an article or a ticket: two of these make one."""
_LINK_LINE = lazy_pattern(
    r"[ \t]*+(?:[-*] |\d{1,3}[.)] )?\[[^\]\n]{1,160}\]\(https?://[^)\s]++\)\s*$"
)
_URL_LINE = lazy_pattern(r"[ \t]*+(?:[-*>] )?<?https?://[^\s>]++>?\s*$")
_TITLED = lazy_pattern(r"\S.{0,100}? [-–—|·] \S")
_COMMENTED = lazy_pattern(
    r"@?[\w-]{1,40}+ (?:commented|replied|reviewed|opened|left a comment|wrote)\b.{0,60}"
    r"(?:\bago|\b(?:19|20)\d\d|\b[A-Z][a-z]{2} \d{1,2})[.:]?\s*$"
)
_SHOWN = lazy_pattern(r".{0,70}(?: [·•›] |[★☆]{3})")
"""Marks between the parts of a head on a page: no keyboard has them."""
_SENT_AT = lazy_pattern(
    rf"(?:(?P<who>[^\s:：][^:：\n]{{0,39}}?)(?:\s{{2,}}|\t|\s?[—–·|•,\[(-]\s?\[?)"
    rf"|@?(?i:{GIVEN_NAMES})(?: [A-Z]\w{{1,20}})? )"
    rf"(?:(?:\S+\s){{0,3}}{TIME}[\])]?|(?:\S+\s){{0,2}}(?:19|20)\d\d)\s*$"
)
"""A name and a time or a day alone on a line, over what was said."""

_PARTS = (
    "issue|ticket|bug|case|incident|thread|topic|comment|reply|slide|chapter|section|article"
    "|appendix|annex|reviewer|agent|answer|question|exercise|clause|paragraph|lesson|exhibit|memo"
)
_TEXT_TITLE = lazy_pattern(
    rf"\[?(?:{_PARTS})\b\.? ?(?:no\.? ?)?#?(?:\d[\d.]{{0,8}}|(?-i:[IVX]{{1,5}}"
    rf"|[A-H]))\b[^.!?]{{0,50}}"
    r"|(?-i:\[?(?!UTF|SHA|ISO|GPT|RFC|MD|ES|COVID)[A-Z]{2,10}-\d{1,6}\]?(?![\w:]))[^.!?:]{0,60}"
    r"|[\w./\\-]{1,60}\.(?:md|txt|rst|pdf|docx?|html?|log|eml|odt|rtf|tex)(?: \(.{1,40}\))?"
    r"|(?:copyright|\(c\)|©)\W.{0,80}"
    r"|(?:home|start|startseite|accueil|inicio) ?[>›»/] ?\S.{0,80}|you are here\b.{0,60}"
    r"|posted by \S.{0,60}|/?[ru]/\w{2,30}\b.{0,60}|\d{1,2}:\d\d(?: ?[ap]\.?m\.?)?"
    r"|[\[(](?:(?:copied|pasted|taken|quoted|forwarded|source|quelle|fuente|from|via|aus)\b.{1,50}"
    r"|(?:[\w-]+ ){0,2}(?:text|transcript|excerpt|quote|screenshot|clipboard|attachment))[\])]"
    r"|(?:forwarded|original) message|(?:weitergeleitete|ursprüngliche) (?:nachricht|e-?mail)"
    r"|(?:terms|conditions) (?:of|and) \w.{0,30}|privacy (?:policy|notice|statement)|disclaimer"
    r"|(?:\w+ )?instructions for (?!you\b|the agent\b|claude\b)\w.{0,30}|legal notice|imprint"
    r"|message (?:transféré|d[’']origine)|mensaje (?:reenviado|original)|转发的?(?:邮件|消息)"
    r"|原始邮件",
    re.I,
)
"""A line that stands over a text as pages, tickets, files and forwarded mails have it."""
_PAGE_LINE = lazy_pattern(
    r".{0,60}\bpage \d{1,4}(?: ?(?:of|/) ?\d{1,4})?|.{0,40}\b(?:cookie settings|all cookies"
    r"|unsubscribe|in (?:your )?browser|skip to (?:main )?content)\b.{0,60}",
    re.I,
)
_PAGE_WORDS = ("page ", "cookie", "unsub", "browser", "skip to")
"""Every line that pages have at their edges holds one of these."""
_GREETS = lazy_pattern(
    r"(?:dear|hi|hello|hey|hallo|liebe[rs]?|bonjour|chers?|chère|hola|estimad[oa]s?) (?!(?:agent"
    r"|assistant|claude|gpt|chatgpt|codex|copilot|cursor|gemini|ai|bot|llm|model|there|again|you"
    r"|all|everyone|team|folks|friend|buddy|mate|man|zusammen|à tous"
    r"|a todos)\b)[^\W\d][\w .'’-]{0,40}"
    r"[,!]\s*$",
    re.I,
)
"""A line that greets somebody who is not the agent."""
_GREETS_MANY = lazy_pattern(
    r"dear (?:valued )?(?:all|customers?|clients?|sir|madam|colleagues?|users?|members?|guests?"
    r"|residents?|parents|partners?|applicants?|hiring manager)\b|sehr geehrte|madame, monsieur"
    r"|estimad[oa]s? (?:cliente|señor)|尊敬的|亲爱的(?:客户|用户)",
    re.I,
)
_CLOSES = lazy_pattern(
    r"(?:(?:kind|best|warm)(?:est)? (?:regards|wishes)|regards|sincerely|yours|best|cheers|thanks"
    r"|thank you|many thanks|mit freundlichen|(?:viele|beste|liebe) grüße|cordialement|bien à vous"
    r"|saludos|atentamente)\b[\w ]{0,20}[,!.]?\s*$",
    re.I,
)

_HEADING = lazy_pattern(r"#{1,6} (?P<title>\S.*)")
_VERBS = in_every_language(lambda cues: cues.requests.verbs)
_NAMES = (
    "address|build|bump|change|check|commit|compare|debug|deploy|do|document|draft|find|give|go"
    "|install|keep|list|look|merge|migrate|move|now|open|port|print|push|put|read|report|restart"
    "|review|run|search|send|set|show|split|start|switch|tell|test|try|upgrade|use|verify"
)
"""Verbs that are names too, or that manuals begin their sentences with."""
_DOCUMENTS = (
    "guide|read ?me|change ?log|contributing|install(?:ation|ing)|usage|license|faq|documentation"
    "|docs|manual|handbook|policy|overview|introduction|getting started|quick ?start|tutorial"
    "|wiki|api|reference|release|runbook|playbook|terms|to reproduce|describe the|code of conduct"
    "|(?:expected|actual) behaviou?r|anleitung|handbuch|leitfaden|manuel|guía|manual de"
)
_FORBIDS = (
    r"\W*(?:never|always|only|must|no[- ]gos?|hands off|off[- ]limits|what not to|things not to)\b"
    r"|.{0,60}\b(?:don['’]?ts|(?:do|must|may|should) not|forbidden|prohibited|off[- ]limits"
    r"|not to (?:do|touch|change|use|break)|niemals|nicht|verbote\w*|tabus?|interdit\w*"
    r"|interdictions?|ne pas|jamais|nunca|prohibid\w+|prohibiciones)\b|.{0,20}(?:禁止|不要|不得|勿)"
    rf"|\W*(?:{in_every_language(lambda cues: cues.rules.forbids)})"
)
_ORDER = lazy_pattern(
    rf"(?!\W*(?:{_NAMES})(?:\W*$|\W+(?:{_DOCUMENTS})\b))\W*(?:{_VERBS})\b|{_FORBIDS}", re.I
)
"""A heading that orders or forbids: `Add a guide`, but not `Deploy guide`."""
_WORK = lazy_pattern(rf"\W*(?!(?:{_NAMES})\b)(?:{_VERBS})\b|{_FORBIDS}", re.I)
"""The same without verbs that the headings of a manual begin with."""
_ASKED = lazy_pattern(
    r"(?:^[ \t]*+(?:[-*•+] |\d{1,2}[.)] )?|[.!:] )(?:please |bitte |por favor,? )?"
    rf"(?!(?:{_NAMES})\b)(?:{_VERBS})\b",
    re.I | re.M,
)
"""A sentence under a heading that asks for work."""
_TASK = lazy_pattern(
    r"\W*(?:bug|feature|error|crash|regression|fehler|bogue|erreur|fallo)"
    r"(?:\s?[:#]| (?:in|with|when|on|at|im|beim?|dans|de|du|en)\b)|.{0,12}(?:错误|缺陷|バグ)$",
    re.I,
)
"""A title that names what is to be mended or made."""
_ASKED_HEADING = lazy_pattern(
    r"\W*(?:(?:[\w'’&/-]{1,20}[ \t]){0,4}(?:tasks?|goals?|objectives?|aims?|context|background"
    r"|problem|issue|rules?|constraints?|requirements?|instructions?|guidelines?|conventions?"
    r"|preferences?|notes?|important|scope|non-goals?|steps?|plan|todo|output|format|style|tone"
    r"|tests?"
    r"|testing|criteria|deliverables?|questions?|request|role|input|data|examples?|priorit(?:y|ies)"
    r"|limits?|want|need|aufgaben?|ziele?|regeln?|vorgaben?|anforderungen|hinweise?|wichtig"
    r"|kontext|tâches?"
    r"|objectifs?|règles?|contraintes?|consignes?|exigences?|contexte|tareas?|objetivos?|reglas?"
    r"|restricciones|requisitos|instrucciones|contexto|notas?)\b(?:[ \t][\w'’-]{1,20}){0,3}"
    r"|.{0,12}(?:任务|目标|规则|约束|要求|说明|注意|背景|タスク|ルール|要件|目的).{0,8})\W*$",
    re.I,
)
"""Headings that people put over the parts of what they ask for."""
_DOCUMENT_HEADING = lazy_pattern(
    rf"\b(?:{_DOCUMENTS})\b|^\W*(?:version )?v?\d{{1,4}}\.\d|\b(?:19|20)\d\d\b|指南|手册|文档|教程",
    re.I,
)
_MARKED_UP = lazy_pattern(
    r"\]\((?:https?://|\.{0,2}/|#|[\w-]+/|[\w.-]+\.\w+\))|^<!--|^\|.*\|\s*$"
    r"|\b[Tt]his (?:document|guide|page|manual|readme|policy) \w",
    re.M,
)
"""Links, comments, tables and words about itself, as documents have them."""

_LABELLED = lazy_pattern(
    r"[> \t*_]{0,6}(?:[-•] )?(?P<label>[^\W\d_](?:[\w'’.()-]|[ \t](?=\w)){0,31})[*_]{0,2}"
    r"[ \t]?[:：][*_]{0,2}(?P<value>[ \t].*|[^/\s].*|)$",
    re.S,
)
_LEAD = r"[ \t>*_#-]{0,6}"
_QUESTION = lazy_pattern(
    rf"{_LEAD}(?:[QFPDВ问問q]|(?P<word>Question|Frage|Pregunta|Pergunta|Domanda|Vraag"
    r"|Pytanie|Soru|Вопрос|问题|問題|質問|질문|سؤال))[ \t]?\d{0,3}[*_]{0,2}[.:：]"
)
_ANSWER = lazy_pattern(
    rf"{_LEAD}(?:[ARО答a]|Answer|Antwort|Réponse|Respuesta|Resposta|Risposta|Antwoord|Odpowiedź"
    rf"|Cevap"
    r"|Ответ|回答|答案|답변|جواب|الجواب)[ \t]?\d{0,3}[*_]{0,2}[.:：]"
)


def pasted_start(text: str, most: int) -> int:
    """Return where copied text begins that no mark ends; the length of the text if nowhere.

    A place behind `most` need not be found.
    """
    lines = text.splitlines(keepends=True)
    starts = [len(text)]
    at = 0
    has_words = any(word in text for word in _HEAD_WORDS)
    for number, line in enumerate(lines):
        if at >= most:
            break
        may_be = has_words or _HEAD_MARKS.search(line) or line.lstrip().startswith(_HEAD_BEGINS)
        if may_be and _is_head(lines, number):
            starts.append(at)
            break
        at += len(line)
    for find in (_find_letter, _find_speakers, _find_questions, _find_titles, _find_headings):
        starts.append(_first_of(lines, find(lines)))
    return min(starts)


def _is_head(lines: Sequence[str], number: int) -> bool:
    """Tell whether a line is the first of a mail, a page, subtitles or a chat."""
    line = lines[number][:LINE_MOST]
    follows = number + 1 < len(lines)
    if _FIRST.match(line) or _COMMENTED.match(line):
        return True
    # In small letters a sentence goes on that was broken by hand.
    if follows and _PUBLISHED.match(line) and not lines[number + 1][:1].islower():
        return True
    if follows and len(line) <= HEAD_MOST and not is_sentence(line) and _stands_over(line):
        return True
    if "://" in line and follows:
        if _LINK_LINE.match(line):
            return True
        titled = _TITLED.match(lines[number + 1][:HEAD_MOST])
        if titled and _URL_LINE.match(line) and not is_sentence(lines[number + 1]):
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
    return not STAMPED.match(line) and _SENT_AT.match(line) is not None


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
        if is_sentence(line) and not _YEAR.search(line):
            break
        headers += 1
        value = found["value"]
        dated = dated or _YEAR.search(value) is not None or _ADDRESS.search(value) is not None
    return dated and headers >= HEADERS_LEAST


def is_title(line: str) -> bool:
    """Tell whether a line stands over a text as copied texts have it."""
    if _TEXT_TITLE.fullmatch(line):
        return True
    low = line.lower()
    return any(map(low.__contains__, _PAGE_WORDS)) and _PAGE_LINE.fullmatch(line) is not None


def names_part_of_request(title: str) -> bool:
    """Tell whether a title is one that people put over a part of what they ask for."""
    return _ASKED_HEADING.match(title) is not None


def asks_for_work(text: str) -> bool:
    """Tell whether a sentence of a text asks for work, as documents do not."""
    return _ASKED.search(text) is not None


def _find_letter(lines: Sequence[str]) -> int:
    """Return the line that greets somebody else, in a message that is a letter to them."""
    for number, line in enumerate(lines):
        if line.isspace():
            continue
        head = line[:HEAD_MOST]
        if _GREETS_MANY.match(head):
            return number
        if _GREETS.match(head) and any(map(_CLOSES.match, lines[number + 1 :])):
            return number
        break
    return len(lines)


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


def has_headings_of_request(text: str) -> bool:
    """Tell whether every heading of a text is one of a request, or orders or forbids something."""
    titles = [title for _, title in _titles_in(text.splitlines(keepends=True))]
    return bool(titles) and all(
        _ASKED_HEADING.match(title) or _ORDER.match(title) for title in titles
    )


def _titles_in(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return the headings among lines, each with its number."""
    titles: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        if line[0] != "#":
            continue
        found = _HEADING.match(line[:LINE_MOST])
        if found is not None and not is_sentence(line):
            titles.append((number, found["title"]))
    return titles


def _find_headings(lines: Sequence[str]) -> int:
    """Return the line where a document with a title begins; a request may have headings too."""
    titles = _titles_in(lines)
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
    # A question about a text shows the text; a request for work says what it is.
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
        if above.isspace() or "://" in above or is_sentence(above):
            continue
        titles.append(number - 1)
        if len(titles) > 1:
            return titles[0]
    return len(lines)
