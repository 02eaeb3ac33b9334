"""Where people pass on somebody else's words, and where they speak again themselves.

"ChatGPT answered: …", "From the README: …", "I pasted this from Jira." introduce words that are
not the person's, however they are phrased. So do the name of a text over it (`Meeting notes:`) and
a sentence that points at the text below ("Summarize this article."). They count as another's until
the person clearly speaks again. How far that is depends on what was said of them:

- Words of a text or a program that writes (`the wiki says`, `copied from`) may have any length:
  they end where a paragraph opens in the first person, with a request or with a `but`.
- Words of people end with their line; if they begin below the colon, with their paragraph; behind
  a blank line, as those of a text do.
- A check or an error that speaks (`CI says`) says one sentence.

Marks around a text (tags, fences, headers of a mail) are read in `authorship` and its tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from steno.core.words import word_tuple
from steno.facts.disguises import any_reading_has
from steno.facts.given_names import GIVEN_NAMES
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.languages.cues import any_of
from steno.facts.languages.phrases import LetterRuns, Phrases
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.pasted import asks_for_work, is_title, names_part_of_request
from steno.facts.sentences import sentences

Span = tuple[int, int]

HEAD_MOST = 90
"""Characters of the words before a colon."""
COLONS_MOST = 3
COPIED_MOST = 160
"""Characters of a sentence that says where a text was copied from, or that points at one."""
BETWEEN_MOST = 200
"""Characters between a line and the fence that it speaks of."""
SHOWN_LEAST = 200
"""Characters above a paragraph that may be a text which it speaks of."""
BARE_MOST = 60
"""Characters of a line without a colon that stands over a text."""
BARE_WORDS = 7
TITLE_MOST = 100
"""Characters of a line that is the title of a text."""

_SAYS_ELSEWHERE = (
    r"(?<!\beu )(?:disse|diz|respondeu|escreveu|explicou|recomendou|sugeriu|pediu)(?: \S+){0,3}$",
    r"\bha (?:detto|risposto|scritto|spiegato|suggerito|chiesto|consigliato)(?: \S+){0,3}$",
    r"(?<!\bik )\b(?:zei|zegt|antwoordde|schreef|schrijft|vertelde|adviseert)(?: \S+){0,3}$",
    r"(?:powiedział|napisał|odpowiedział|odpisał|wyjaśnił)[aoyi]?(?: \S+){0,3}$",
    r"(?<!\bя )\b(?:сказала?|говорит|написала?|пишет|ответила?|объяснила?|советует)(?: \S+){0,3}$",
    r"^(?!私).{1,24}(?:言い?ました|言った|言っています|答えました|回答しました|返信しました"
    r"|書きました"
    r"|書いています|述べました|(?<!私)の(?:回答|返信|返事|コメント|メッセージ|メール|発言))$",
    r"^(?!저는|제가|내가).{1,24}(?:말했습니다|말했다|답했습니다|답했다|답변했습니다|썼습니다"
    r"|의 (?:답변|답장|댓글|메시지))$",
)
"""Verbs of saying, in languages whose own rules are not read here."""
_HANDED_ELSEWHERE = (
    r"^(?:segundo|conforme) (?:os?|as?) \S.{0,40}$|^(?:de acordo com|mensagem d[eoa]) \S.{0,40}$",
    r"^secondo (?:il|lo|la|i|gli|le) \S.{0,40}$|^secondo l[’']\S.{0,40}$"
    r"|^messaggio d[ai] \S.{0,40}$",
    r"^volgens (?!mij|ons)\S.{0,40}$|^bericht van (?!mij|ons)\S.{0,40}$",
    r"^według (?!mnie|nas)\S.{0,40}$|^wiadomość od \S.{0,40}$",
    r"^(?:согласно|по словам|сообщение от) \S.{0,40}$",
    r"^.{1,24}(?:によると|によれば|(?:より|から)の?(?:引用|転載|抜粋))$|^.{1,24}에 따르면$",
)
_RECORDS_ELSEWHERE = (
    r"^(?:ответ|сообщение|письмо|комментарий|отзыв|протокол|заметки|текст|вывод|лог|стенограмма)"
    r" (?!мо|наш|для)\S.{0,40}$|^(?:лог|страница|сайт|ошибка|консоль) (?:показывает|гласит"
    r"|выводит)$",
    r"^(?:as |a |o )?(?:notas|mensagem|resposta|ata|texto|comentário"
    r"|transcrição) d[aeo]s? \S.{0,40}$",
    r"^(?:il |le |la )?(?:messaggio|note|risposta|testo|verbale|commento) d(?:i|a|el\w*"
    r"|al\w*) \S.{0,40}$",
    r"^(?:het |de )?(?:notulen|bericht|antwoord|tekst|opmerking) van (?!mij|ons)\S.{0,40}$",
    r"^(?:notatki|wiadomość|odpowiedź|treść|protokół) (?:z|od|ze) \S.{0,40}$",
    r"^(?:.{1,16}の)?(?:議事録|エラーメッセージ|コミットメッセージ|書き起こし|転送メッセージ)$",
    r"^(?:.{1,16} )?(?:회의록|오류 메시지|커밋 메시지|녹취록|전달된 메시지)$",
)
"""Names of records and messages, in languages whose own rules are not read here."""
_COPIED_ELSEWHERE = any_of(
    r"copiei (?:isto|isso|o texto) d\w{1,3} .{1,60}|(?:copiado|colado|retirado) d\w{1,3} .{1,60}",
    r"ho (?:copiato|incollato) questo d\w{1,4} .{1,60}|(?:copiato|incollato"
    r"|tratto) d\w{1,4} .{1,60}",
    r"(?:ik heb (?:dit|het) (?:uit|van) .{1,60} gekopieerd|gekopieerd (?:uit|van) .{1,60})",
    r"(?:skopiował[ea]m to|skopiowane|wklejone|wkleiłe?a?m to) z .{1,60}",
    r"(?:это )?(?:скопировал[ао]?|вставил[ао]?|скопировано)(?: это)? (?:из|с|со) .{1,60}",
    r".{1,24}(?:から|より)(?:コピー|貼り付け|引用|転載|コピペ)(?:しました|した|です)?",
    r".{1,24}에서 (?:복사|붙여넣|가져온|가져왔)\S{0,8}",
    r"(?:source|quelle|fuente|来源) ?[:：] ?\S.{0,80}|sent from my \w{1,20}",
    r"(?-i:[—–]{1,2} ?[A-Z][\w.'’-]{1,20} [A-Z][\w.'’-]{1,20}(?:, .{1,60})?)",
)

_THESE_ELSEWHERE = r"(?:quest[oiae]|deze|dit|t[eę]n?|эт\w{1,3}) |この|이 "
_TEXTS_ELSEWHERE = any_of(
    "artigos?|mensage[mn]s?|par[áa]grafos?|articol[oi]|testo|messaggi[oo]?|paragraf[oi]|tekst",
    "berichte?n?|artykuł\\w*|wiadomoś\\w+|стать[юяеи]|текста?|письм[оа]|сообщени[ея]|абзаца?|отзыв",
    "記事|文章|メール|文|メッセージ|기사|글|메일|메시지|문장",
)
_WORKS_ELSEWHERE = any_of(
    "resum[ai]|traduz|melhore|corrija|riassumi|traduci|migliora|correggi|vat .{1,20} samen|vertaal",
    "verbeter|streść|podsumuj|przetłumacz|popraw|переведи|перескажи|резюмируй|улучши|исправь",
    ".{0,20}(?:要約|翻訳|添削)|.{0,20}(?:요약|번역|교정)",
)

_SAYS = Phrases(
    *(source for language in LANGUAGES for source in language.relays.says.sources),
    *_SAYS_ELSEWHERE,
)
_SOURCES = in_every_language(lambda cues: cues.relays.sources)
_HANDED = Phrases(
    *(source for language in LANGUAGES for source in language.relays.handed.sources),
    *_HANDED_ELSEWHERE,
    *_RECORDS_ELSEWHERE,
)
_NAMES = frozenset(GIVEN_NAMES.split("|"))
_FIRST_WORD = lazy_pattern(r"@?(\w+)")
_NAMED = lazy_pattern(
    rf"^(?:@?(?:{GIVEN_NAMES})\W?(?: (?:in|on|via|from) \S.{{0,30}})?|@[\w.-]{{2,30}} (?:in|on"
    rf"|via) \S.{{0,30}})$",
    re.I,
)
"""A name alone before a colon, as in a chat."""
_FROM_A_NAME = lazy_pattern(
    rf"^(?:From|Von|De|Da) (?:{GIVEN_NAMES})(?: [A-ZÀ-Þ][\w.’'-]*)?$|^(?:FWD?|[Ff]wd?|WG|TR|RV)$"
)
_OWN_HEADS = in_every_language(lambda cues: cues.relays.own_heads)
_OWN_HEAD = lazy_pattern(_OWN_HEADS, re.I)
_NO_INTRODUCTION = lazy_pattern(
    rf"^\W*(?:{in_every_language(lambda cues: cues.relays.conditions)})(?!\w)|{_OWN_HEADS}", re.I
)
"""A condition (`if somebody asks:`), or words for what the person says themselves."""
_WRITTEN = lazy_pattern(rf"(?<![^\W_])(?:{_SOURCES})(?![^\W_])", re.I)
"""A text, or a program that writes one."""
_NOUNS = any_of(
    in_every_language(lambda cues: cues.relays.texts),
    in_every_language(lambda cues: cues.relays.places),
)
_TEXT = lazy_pattern(rf"(?<![^\W_])(?:{_NOUNS})(?![^\W_])", re.I)
_TEXT_FIRST = lazy_pattern(
    rf"\W{{0,8}}+(?:(?:the|an?|der|die|das|eine?|le|la|une?|el|una?) )?(?:{_NOUNS})(?![^\W_])", re.I
)
_SHOWN_TEXT = lazy_pattern(
    r"(?:the|an?|der|die|das|eine?|le|la|une?|el|una?) (?:[^\W_][\w’'-]* ){0,2}?"
    rf"(?:{in_every_language(lambda cues: cues.relays.texts)})"
    rf"|(?:{in_every_language(lambda cues: cues.relays.shows)})(?:[^\W_][\w’'-]* ){{0,3}}?"
    rf"(?:{_NOUNS})(?: [^\W_][\w’'-]*){{0,4}}"
    rf"|{in_every_language(lambda cues: cues.relays.heads)}",
    re.I,
)
"""A text and nothing else, as it stands over one (`The recipe:`, `Here is the page:`)."""
_THESE = in_every_language(lambda cues: cues.relays.these)
_POINTED = lazy_pattern(
    rf"(?<![^\W_\u4e00-\u9fff])(?:{_THESE}|{_THESE_ELSEWHERE})(?:[^\W_][\w'’-]* ){{0,2}}?"
    rf"(?:(?P<text>{in_every_language(lambda cues: cues.relays.texts)}|{_TEXTS_ELSEWHERE})"
    rf"|{in_every_language(lambda cues: cues.relays.places)})(?:(?!\w)|(?<=[\u4e00-\u9fff]))",
    re.I,
)
"""A text that stands below (`this article`)."""
_WORKS = lazy_pattern(
    rf"(?<![^\W_\u4e00-\u9fff])(?:{in_every_language(lambda cues: cues.relays.works)}"
    rf"|{_WORKS_ELSEWHERE})",
    re.I,
)
_READS = lazy_pattern(
    rf"(?<![^\W_\u4e00-\u9fff])(?:{in_every_language(lambda cues: cues.relays.reads)})", re.I
)
_MAY_POINT = LetterRuns(
    (
        *word_tuple("that sentence words paragraph clause passage quote caption poem essay"),
        *word_tuple("say said read wrote write shows contain print return decided begin ends goes"),
        "see ",
        *in_every_language(lambda cues: cues.relays.these_stems).split("|"),
        *word_tuple("quest deze dit эт この 이"),
    )
)
"""One of these stands in every sentence that points at a text."""
_SHOWS = lazy_pattern(
    rf"(?<![^\W_\u4e00-\u9fff])(?:{in_every_language(lambda cues: cues.relays.below)})", re.I
)
_SHOWN = lazy_pattern(rf"(?<![^\W_])(?:{in_every_language(lambda cues: cues.relays.shown)})", re.I)
_SHOWN_ABOVE = lazy_pattern(
    rf"\W{{0,2}}(?:{in_every_language(lambda cues: cues.relays.shown_above)})", re.I
)
_MAY_SHOW_ABOVE = lazy_pattern(
    rf"\W{{0,2}}(?:{in_every_language(lambda cues: cues.relays.may_show_above)})", re.I
)
_NAMED_TEXT = lazy_pattern(
    rf"(?<![^\W_])(?:{in_every_language(lambda cues: cues.relays.texts)})(?![^\W_])", re.I
)
_ELSEWHERE = lazy_pattern(r"://|\w\.\w|\w/\w|@\w")
"""An address or the name of a file: what is pointed at is not below."""
_COPIES = any_of(in_every_language(lambda cues: cues.relays.copied), _COPIED_ELSEWHERE)
_COPIED = lazy_pattern(rf"[\W_]{{0,4}}(?:{_COPIES})\W{{0,4}}", re.I)
_COLON = lazy_pattern(r"\s?(?:：|:(?=\s|$|[^\x00-\x7f]))")
_WORD = lazy_pattern(r"\S")
_BETWEEN = lazy_pattern(r"\s*+(?:[-*+•>]|\(?\w{1,3}[.)])?\s*+")
_MAY_COPY = LetterRuns(
    (
        *in_every_language(lambda cues: cues.relays.copied_stems).split("|"),
        *word_tuple("copia copie colado incolla gekop skopi wklej копир встав コピ 貼り 引用 転載"),
        *word_tuple("복사 붙여 가져 — – quelle fuente 来源"),
        "sent from my",
    )
)
"""One of these stands in every sentence that says where a text was copied from."""

_UNREAD_LANGUAGE = lazy_pattern(
    r"[^A-Za-z\n]{0,4}(?:[^\x00-\x7f\u0080-\u036f\u2000-\u206f\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
    r"|(?=[^\n]{0,98}[:：]\s*$)(?=[^\n]{0,90}[ąćęłńśźżčďěňřšťůžğışİășțőűđơưåøđħ])"
    r"|[\u4e00-\u9fff]{0,12}[\u3040-\u30ff])"
)
"""A line in a language whose rules are not read: words of one that is read are shown below it."""
_HEAD_EDGES = " \t*_>#-–—\"',"
_CODE_ENDS = (";", ",", "{", "(", "[", "=", '"', "'", ">")
_ITEM = lazy_pattern(r"\s*+(?:[-*+•]|\(?\w{1,2}[.)])\s")
_ASIDE = lazy_pattern(r"^(?:fyi|btw|ps|ok|so|and|also|well|hey|hi|oh)\b[,:;!]? +", re.I)
_JOINS = lazy_pattern(r" (?:that|que|dass|to)$", re.I)
"""Words between a source and what it orders."""
_ORDERS = Phrases(*(rf"(?<!\w)(?:{language.relays.orders})" for language in LANGUAGES))
_MAY_HEAD = lazy_pattern(in_every_language(lambda cues: cues.relays.may_head), re.I)
_JUDGED = lazy_pattern(in_every_language(lambda cues: cues.relays.judged), re.I)

_QUOTED_LINES = lazy_pattern(
    r"(?:^[ \t]*+|[:：][ \t]{0,8}+)\"[^\"\n]{0,400}\n[^\"]{16,2000}\"[ \t]*+$", re.M
)
"""Lines in quotation marks, at the beginning of a line or after a colon."""

_OWN_WORD = lazy_pattern(
    rf"\W{{0,8}}+(?:{in_every_language(lambda cues: cues.rules.contrasts)}"
    rf"|{in_every_language(lambda cues: cues.rules.own_asks)})"
    r"(?:(?!\w)|(?<=[\u4e00-\u9fff]))",
    re.I,
)
"""How a person goes on after somebody else's words."""
_OWN_PARAGRAPH = lazy_pattern(
    rf"\W{{0,8}}+(?:(?:{in_every_language(lambda cues: cues.relays.goes_on)})[,，]?\s*)?"
    rf"(?:{in_every_language(lambda cues: cues.rules.first_person)}"
    rf"|(?:{in_every_language(lambda cues: cues.rules.own_asks)})(?:(?!\w)|(?<=[\u4e00-\u9fff]))"
    rf"|(?:{in_every_language(lambda cues: cues.relays.resumes)})(?:(?!\w)|(?<=[\u4e00-\u9fff])))",
    re.I,
)
"""How they open a paragraph of their own."""
_OWN_PLACE = lazy_pattern(in_every_language(lambda cues: cues.relays.own_places), re.I)
"""Where the person's own words hold (`in this repo`)."""


_OWN_LEAD = lazy_pattern(
    rf"\W{{0,8}}+(?:(?:{in_every_language(lambda cues: cues.relays.own_leads)})\W{{0,8}}$"
    rf"|(?:{in_every_language(lambda cues: cues.relays.changes)})(?!\w))",
    re.I,
)
_TALK = lazy_pattern(
    rf"\W{{0,8}}+(?!do(?:es)? (?:you|they|he|she"
    rf"|it)\b)(?:(?:{in_every_language(lambda cues: cues.relays.goes_on)})[,，]?\s*)?"
    rf"(?:{in_every_language(lambda cues: cues.rules.first_person)}"
    rf"|(?:{in_every_language(lambda cues: cues.rules.own_asks)}"
    rf"|{in_every_language(lambda cues: cues.requests.verbs)}"
    rf"|{in_every_language(lambda cues: cues.relays.orders)}"
    rf"|{in_every_language(lambda cues: cues.relays.talk)})(?:(?!\w)|(?<=[\u4e00-\u9fff])))",
    re.I,
)
_TAIL = lazy_pattern(
    rf"(?<=[.!?…\"”])[ \t]{{1,8}}(?:(?:[—–~]|--) ?(?:@?[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){{0,2}}\s*$"
    rf"|(?i:posted by|from|via|u/)).{{0,60}}"
    rf"|[(\[←^](?:(?i:from (?!now\b|here\b|today\b)|via|source|posted|seen|quoted)\b.{{0,60}}"
    rf"|(?!(?i:see|cf|per|as in|read)\b).{{0,40}}(?<![^\W_])(?i:{_SOURCES})(?![^\W_]).{{0,20}})"
    rf"|(?i:(?:that['’]s|is) what)"
    r" (?!I\b|we\b).{1,40} (?:says|said|wrote|writes)\W{0,3})\s*$"
)
"""Whose words a line holds, told at its end (`— Bob`, `(from the README)`)."""
_FEW = lazy_pattern(r"(?:an?|one|two|three|four|some|a few|several|\d+|more) [\w ]{1,30}$", re.I)
_OWN_WORK = lazy_pattern(
    rf"\W{{0,8}}+(?:(?:{in_every_language(lambda cues: cues.rules.own_asks)}) )?"
    rf"(?:{in_every_language(lambda cues: cues.relays.own_works)})(?!\w)",
    re.I,
)
"""How a sentence begins that asks for work on what it speaks of."""


class Until(Enum):
    """Where words that were introduced end."""

    SENTENCE = auto()
    LINE = auto()
    PARAGRAPH = auto()
    SPEECH = auto()
    """Where the person clearly speaks again."""


@dataclass(slots=True)
class _Relay:
    """Words of somebody else that have begun."""

    until: Until
    line: int
    """Where the line stops that introduces them."""
    heard: bool = False
    """Whether any of them were read."""

    def ends_at(self, end: Until) -> bool:
        return self.heard and self.until is end


@dataclass(slots=True)
class _Line:
    """What is known of the line of a sentence."""

    stop: int
    opens_paragraph: bool
    orders: bool
    """Whether it has words of an order."""


def is_own_head(head: str) -> bool:
    """Tell whether words before a colon say what the person's own words are about."""
    return _OWN_HEAD.search(head) is not None


def begins_as_own(text: str) -> bool:
    """Tell whether a text opens in the first person, with a request or with a contrast."""
    return _OWN_WORD.match(text) is not None or _OWN_PARAGRAPH.match(text) is not None


def names_text(words: str) -> bool:
    """Tell whether words name a text or a thing that holds one."""
    return _TEXT.search(words) is not None


def leads_to_own(head: str) -> bool:
    """Tell whether words before a colon or a comma lead to the person's own."""
    return _OWN_LEAD.match(head) is not None or is_own_head(head)


def is_talk(sentence: str) -> bool:
    """Tell whether a sentence opens as people speak to an agent."""
    return _TALK.match(sentence) is not None


def asks_for_own_work(sentence: str) -> bool:
    """Tell whether a sentence opens with a request for work on what it speaks of."""
    return _OWN_WORK.match(sentence) is not None


def names_source(words: str) -> bool:
    """Tell whether words name a text, or a program or a place that writes one."""
    return names_text(words) or _WRITTEN.search(words) is not None


def announces_block(text: str) -> bool:
    """Tell whether a short text may speak of the block behind it, as one with a text does."""
    words = text.strip()
    if len(words) > COPIED_MOST or _ELSEWHERE.search(words):
        return False
    return names_source(words) or _asks_about_text(words)


def tells_of_text(words: str) -> bool:
    """Tell whether words say that a text or somebody else speaks, or begin with a text's name."""
    return any_reading_has(_is_told, words) or _TEXT_FIRST.match(words) is not None


def asks_about_shown_text(words: str) -> bool:
    """Tell whether words ask about a text as if it stood below: "Can you check this email?"."""
    if _ELSEWHERE.search(words):
        return False
    pointed = _POINTED.search(words)
    if pointed is None or not (pointed["text"] or _SHOWS.search(words)):
        return False
    return words.endswith(("?", "？")) or bool(_WORKS.search(words) or _READS.search(words))


def relayed_spans(text: str, *, over_fence: bool = False) -> list[Span]:
    """Return where words stand that a person introduces as somebody else's, in order.

    Where a fence follows the text, what is shown below a line is what stands in it.
    """
    spans: list[Span] = []
    if '"' in text:
        spans += [found.span() for found in _QUOTED_LINES.finditer(text)]
    relay: _Relay | None = None
    opens_paragraph = True
    above = paragraph = 0
    low = text.lower()
    ordering = _ORDERS.likely_in(low)
    copying, pointing = _MAY_COPY.held_in(low), _MAY_POINT.held_in(low)
    end = len(text.rstrip())
    at = 0
    for line in text.splitlines(keepends=True):
        begin, at = at, at + len(line)
        if line.isspace():
            opens_paragraph = True
            if relay is not None and relay.ends_at(Until.PARAGRAPH):
                relay = None
            continue
        if opens_paragraph:
            above, paragraph = paragraph, begin
        if opens_paragraph and relay is None and at < end and _stands_over(text, begin, at):
            relay = _Relay(Until.SPEECH, at, heard=True)
            continue
        # What a line points at must stand behind it.
        shows_fence = over_fence and end - at <= BETWEEN_MOST and not _NAMED_TEXT.search(line)
        may_point = at < end and not shows_fence
        points = may_point and (_may_point(line, pointing) or _stands_bare(text, begin, at))
        orders = bool(ordering.letters) and ordering.found_in(line.lower())
        if orders and (tail := _TAIL.search(line)):
            spans.append((begin, begin + tail.start()))
        if points or orders or relay is not None or _may_introduce(line, copying):
            for start, stop in sentences(line):
                place = begin + start, begin + stop
                shape = _Line(at, opens_paragraph, orders)
                relay = _read_sentence(text, place, shape, relay, above, spans)
                if points and _points(text, place, at):
                    relay = _Relay(Until.SPEECH, at, heard=True)
                opens_paragraph = False
                above = paragraph
        opens_paragraph = False
        above = paragraph
        if relay is not None and relay.ends_at(Until.LINE):
            relay = None
    if shown := _shown_above(text):
        spans.append((0, shown))
    return list(_joined(text, spans))


def _shown_above(text: str) -> int:
    """Return where a last paragraph begins that speaks of the text above it; 0 if none does."""
    above, gap, last = text.rstrip().rpartition("\n\n")
    if not gap or not above.strip() or len(last) > COPIED_MOST:
        return 0
    if _COPIED.fullmatch(last):
        return len(above)
    if _ELSEWHERE.search(last):
        return 0
    may_be_text = _may_be_text(above)
    for start, stop in sentences(last):
        said = last[start:stop]
        if _SHOWN_ABOVE.match(said) or (may_be_text and _may_show_above(said)):
            return len(above)
    return 0


def _may_be_text(above: str) -> bool:
    """Tell whether words are more than a few sentences of a person, and ask for no work."""
    return len(above) > SHOWN_LEAST and not asks_for_work(above)


def _may_show_above(said: str) -> bool:
    """Tell whether a sentence speaks of a text that may stand above it or elsewhere."""
    if _MAY_SHOW_ABOVE.match(said):
        return True
    return _POINTED.search(said) is not None and _speaks_of_text(said)


def _read_sentence(
    text: str, place: Span, line: _Line, relay: _Relay | None, above: int, spans: list[Span]
) -> _Relay | None:
    """Add what a sentence holds of others' words; return those that go on behind it.

    Above it stands a paragraph that begins at `above`, its own or the one before.
    """
    start, stop = place
    if relay is not None and relay.heard and _speaks(text, place, relay, line.opens_paragraph):
        relay = None
    found = _introduction(text, start, stop, line.stop)
    if found is None and line.orders:
        found = _introduction_of_order(text, start, stop)
    if found is not None:
        start, until = found
        relay = _Relay(until, line.stop)
    elif _COPIED.fullmatch(text, start, min(stop, start + COPIED_MOST)):
        if text[start] in "([（" or _WORD.search(text, stop) is None:
            spans.append((above, start))
            return relay
        return _Relay(Until.SPEECH, line.stop)
    elif line.orders and text[stop - 1] in "?？" and _JUDGED.search(text, start, stop):
        return _Relay(Until.LINE, line.stop)
    if relay is None or start >= stop:
        return relay
    spans.append((start, stop))
    relay.heard = True
    return None if relay.until is Until.SENTENCE else relay


def _may_introduce(line: str, copying: Sequence[str]) -> bool:
    """Tell whether a line has a colon, or one of the words for copying."""
    if ":" in line or "：" in line:
        return True
    return bool(copying) and any(map(line.lower().__contains__, copying))


def _may_point(line: str, pointing: Sequence[str]) -> bool:
    """Tell whether the end of a line has letters that point at a text, and asks about one."""
    if not pointing:
        return False
    last = line.rstrip()[-COPIED_MOST:]
    return any(map(last.lower().__contains__, pointing)) and _asks_about_text(last)


def _stands_bare(text: str, begin: int, end: int) -> bool:
    """Tell whether a short line without a mark at its end stands over a blank line."""
    if end - begin > BARE_MOST or not text[end : end + 1].isspace():
        return False
    return text[begin:end].rstrip()[-1:].isalnum()


def _stands_over(text: str, begin: int, end: int) -> bool:
    """Tell whether a line is the head of a text that stands below, by its shape or its language."""
    if end - begin > TITLE_MOST:
        return False
    line = text[begin:end].strip()
    if line.endswith(_CODE_ENDS):
        return False
    if not line.isascii() and _UNREAD_LANGUAGE.match(line):
        below = _WORD.search(text, end)
        return below is not None and below[0].isascii()
    if line.endswith((":", "：")):
        head = line.rstrip(":： ").strip(" \t*_>#-–—\"'")
        if any_reading_has(_MAY_HEAD.fullmatch, head) or _is_strange(head):
            return _ITEM.match(text, end) is None
    elif ":" not in line and _speaks_of_text(line):
        is_asked = line.endswith(("?", "？")) and text[end : end + 1].isspace()
        if is_asked or line[-1:].isalnum():
            return _ITEM.match(text, end) is None
    return any_reading_has(is_title, line.rstrip(":")) and not asks_for_work(text[end:])


def _is_strange(head: str) -> bool:
    """Tell whether words over what is no list are none that people put over their own."""
    if _NO_INTRODUCTION.search(head) or names_part_of_request(head) or _FEW.match(head):
        return False
    if " " not in head and not names_source(head):
        return False
    # How far such words go is read with what they say.
    if any_reading_has(_introduces_below, head):
        return False
    return not _is_own_line(head)


def _speaks_of_text(line: str) -> bool:
    """Tell whether a line names a text or where one stands, and asks for no work."""
    return not _ELSEWHERE.search(line) and names_source(line) and not _is_own_line(line)


def _is_own_line(line: str) -> bool:
    return is_talk(line) or leads_to_own(line) or _OWN_WORK.match(line) is not None


def _points(text: str, place: Span, line: int) -> bool:
    """Tell whether the last sentence of a line shows the text below: "Summarize this article."."""
    start, stop = place
    if stop - start > COPIED_MOST or _WORD.search(text, stop, line):
        return False
    if _stands_bare(text, start, line):
        head = text[start:stop].strip(" \t*_>#-–—\"'")
        if head.count(" ") < BARE_WORDS and any_reading_has(_is_told, head):
            return True
        return _asks_about_text(head)
    return _asks_about_text(text[start:stop])


def _is_told(head: str) -> bool:
    told = _SAYS.found_in_any_case(head) or _HANDED.found_in_any_case(head)
    return told and not _NO_INTRODUCTION.search(head)


def _asks_about_text(words: str) -> bool:
    """Tell whether words ask for something that is done with a text that is shown."""
    # First what is found quickly, and in most lines of code.
    if _ELSEWHERE.search(words):
        return False
    pointed = _POINTED.search(words)
    if _SHOWN.search(words) and not _OWN_WORK.match(words):
        return True
    if pointed is None and not _SHOWS.search(words):
        return False
    if pointed and pointed["text"] and (words.endswith(("?", "？")) or _WORKS.search(words)):
        return True
    return _READS.search(words) is not None


def _speaks(text: str, place: Span, relay: _Relay, opens_paragraph: bool) -> bool:
    """Tell whether a sentence behind somebody else's words is the person's own."""
    start, stop = place
    is_near = relay.until is not Until.SPEECH or start < relay.line
    if is_near and (_OWN_WORD.match(text, start, stop) or _OWN_PLACE.search(text, start, stop)):
        return True
    if not opens_paragraph:
        return False
    if _OWN_WORD.match(text, start, stop):
        return True
    return _OWN_PARAGRAPH.match(text, start, stop) is not None


def _introduction(text: str, start: int, stop: int, line: int) -> tuple[int, Until] | None:
    """Return where the words begin that a sentence introduces, and where they end."""
    at = start
    for _ in range(COLONS_MOST):
        colon = _COLON.search(text, at, min(stop, start + HEAD_MOST))
        if colon is None:
            return None
        at = colon.end()
        head = text[start : colon.start()].strip(" \t*_>#-–—\"'")
        is_inline = _WORD.search(text, at, line) is not None
        introduces = _introduces if is_inline else _introduces_below
        if any_reading_has(introduces, head):
            return at, _end_of(head, is_inline=is_inline, follows=text[line : line + 1])
    return None


def _introduces_below(head: str) -> bool:
    return _introduces(head) or _SHOWN_TEXT.fullmatch(head) is not None


def _introduction_of_order(text: str, start: int, stop: int) -> tuple[int, Until] | None:
    """Return the same for an order without a colon: "According to the docs, never …"."""
    order = _ORDERS.first_in(text[start : min(stop, start + HEAD_MOST)].lower())
    if not order:
        return None
    head = _JOINS.sub("", text[start : start + order].strip(_HEAD_EDGES)).rstrip(_HEAD_EDGES)
    if "," in head or not any_reading_has(_introduces, head):
        return None
    return start + order, Until.LINE


def _introduces(head: str) -> bool:
    if head.count("`") % 2 or head.count('"') % 2:
        return False
    head = _ASIDE.sub("", head)
    if _FROM_A_NAME.match(head) or _is_name(head):
        return True
    return _tells_of_others(head) and not _NO_INTRODUCTION.search(head)


def _tells_of_others(head: str) -> bool:
    """Tell whether words say that somebody else's follow."""
    if _SAYS.found_in_any_case(head) or _HANDED.found_in_any_case(head) or _READS.match(head):
        return True
    if not _MAY_POINT.held_in(head.lower()):
        return False
    pointed = _POINTED.search(head)
    return pointed is not None and (pointed["text"] is not None or _READS.search(head) is not None)


def _is_name(head: str) -> bool:
    """Tell whether a name stands alone before a colon."""
    first = _FIRST_WORD.match(head)
    if first is None or not (head.startswith("@") or first[1].lower() in _NAMES):
        return False
    return _NAMED.match(head) is not None


def _end_of(head: str, *, is_inline: bool, follows: str) -> Until:
    low = head.lower()
    if any(language.relays.machines.found_in(low) for language in LANGUAGES):
        return Until.SENTENCE if is_inline else Until.PARAGRAPH
    if _WRITTEN.search(head):
        return Until.SPEECH
    if is_inline:
        return Until.LINE
    if _TEXT.search(head) or _READS.search(head):
        return Until.SPEECH
    return Until.PARAGRAPH if follows.strip() else Until.SPEECH


def _joined(text: str, spans: list[Span]) -> Iterator[Span]:
    """Yield spans in order, joined if they have nothing but blanks and list marks between."""
    held: Span | None = None
    for start, stop in sorted(span for span in spans if span[0] < span[1]):
        if held is not None and (
            start <= held[1] or _BETWEEN.fullmatch(text, held[1], start) is not None
        ):
            held = held[0], max(stop, held[1])
            continue
        if held is not None:
            yield held
        held = start, stop
    if held is not None:
        yield held
