"""Where people pass on somebody else's words, and where they speak again themselves.

"ChatGPT answered: …", "From the README: …", "I pasted this from Jira." introduce words that are
not the person's, however they are phrased. They count as another's until the person clearly
speaks again. How far that is depends on what was said of them:

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
from functools import cache

from steno.core.words import word_tuple
from steno.facts.given_names import GIVEN_NAMES
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.languages.cues import any_of
from steno.facts.languages.phrases import LetterRuns, Phrase
from steno.facts.sentences import sentences

Span = tuple[int, int]

HEAD_MOST = 90
"""Characters of the words before a colon."""
COLONS_MOST = 3
COPIED_MOST = 160
"""Characters of a sentence that says where a text was copied from."""

_SAYS_ELSEWHERE = any_of(
    r"(?<!\beu )(?:disse|diz|respondeu|escreveu|explicou|recomendou|sugeriu|pediu)(?: \S+){0,3}$",
    r"\bha (?:detto|risposto|scritto|spiegato|suggerito|chiesto|consigliato)(?: \S+){0,3}$",
    r"(?<!\bik )\b(?:zei|zegt|antwoordde|schreef|schrijft|vertelde|adviseert)(?: \S+){0,3}$",
    r"(?:powiedział|napisał|odpowiedział|odpisał|wyjaśnił)[aoyi]?(?: \S+){0,3}$",
    r"(?<!\bя )\b(?:сказала?|говорит|написала?|пишет|ответила?|объяснила?|советует)(?: \S+){0,3}$",
    r"^(?!私).{1,24}(?:言い?ました|言った|言っています|答えました|回答しました|返信しました|書きました"
    r"|書いています|述べました|(?<!私)の(?:回答|返信|返事|コメント|メッセージ|メール|発言))$",
    r"^(?!저는|제가|내가).{1,24}(?:말했습니다|말했다|답했습니다|답했다|답변했습니다|썼습니다"
    r"|의 (?:답변|답장|댓글|메시지))$",
)
"""Verbs of saying, in languages whose own rules are not read here."""
_HANDED_ELSEWHERE = any_of(
    r"^(?:segundo|conforme) (?:os?|as?) \S.{0,40}$|^(?:de acordo com|mensagem d[eoa]) \S.{0,40}$",
    r"^secondo (?:il|lo|la|i|gli|le) \S.{0,40}$|^secondo l[’']\S.{0,40}$"
    r"|^messaggio d[ai] \S.{0,40}$",
    r"^volgens (?!mij|ons)\S.{0,40}$|^bericht van (?!mij|ons)\S.{0,40}$",
    r"^według (?!mnie|nas)\S.{0,40}$|^wiadomość od \S.{0,40}$",
    r"^(?:согласно|по словам|сообщение от) \S.{0,40}$",
    r"^.{1,24}(?:によると|によれば|(?:より|から)の?(?:引用|転載|抜粋))$|^.{1,24}에 따르면$",
)
_COPIED_ELSEWHERE = any_of(
    r"copiei (?:isto|isso|o texto) d\w{1,3} .{1,60}|(?:copiado|colado|retirado) d\w{1,3} .{1,60}",
    r"ho (?:copiato|incollato) questo d\w{1,4} .{1,60}|(?:copiato|incollato"
    r"|tratto) d\w{1,4} .{1,60}",
    r"(?:ik heb (?:dit|het) (?:uit|van) .{1,60} gekopieerd|gekopieerd (?:uit|van) .{1,60})",
    r"(?:skopiował[ea]m to|skopiowane|wklejone|wkleiłe?a?m to) z .{1,60}",
    r"(?:это )?(?:скопировал[ао]?|вставил[ао]?|скопировано)(?: это)? (?:из|с|со) .{1,60}",
    r".{1,24}(?:から|より)(?:コピー|貼り付け|引用|転載|コピペ)(?:しました|した|です)?",
    r".{1,24}에서 (?:복사|붙여넣|가져온|가져왔)\S{0,8}",
)

_SAYS = re.compile(any_of(in_every_language(lambda cues: cues.relays.says), _SAYS_ELSEWHERE), re.I)
_SOURCES = in_every_language(lambda cues: cues.relays.sources)
_HANDED = re.compile(
    any_of(in_every_language(lambda cues: cues.relays.handed), _HANDED_ELSEWHERE), re.I
)
_NAMES = frozenset(GIVEN_NAMES.split("|"))
_FIRST_WORD = re.compile(r"@?(\w+)")
_NAMED = re.compile(
    rf"^(?:@?(?:{GIVEN_NAMES})\W?(?: (?:in|on|via|from) \S.{{0,30}})?|@[\w.-]{{2,30}} (?:in|on"
    rf"|via) \S.{{0,30}})$",
    re.I,
)
"""A name alone before a colon, as in a chat."""
_FROM_A_NAME = re.compile(
    rf"^(?:From|Von|De|Da) (?:{GIVEN_NAMES})(?: [A-ZÀ-Þ][\w.’'-]*)?$|^(?:FWD?|Fwd?|WG|TR|RV)$"
)
_NO_INTRODUCTION = re.compile(
    rf"^\W*(?:{in_every_language(lambda cues: cues.relays.conditions)})(?!\w)"
    rf"|{in_every_language(lambda cues: cues.relays.own_heads)}",
    re.I,
)
"""A condition (`if somebody asks:`), or words for what the person says themselves."""
_WRITTEN = re.compile(rf"(?<![^\W_])(?:{_SOURCES})(?![^\W_])", re.I)
"""A text, or a program that writes one."""
_COPIES = any_of(in_every_language(lambda cues: cues.relays.copied), _COPIED_ELSEWHERE)
_COPIED = re.compile(rf"[\W_]{{0,4}}(?:{_COPIES})\W{{0,4}}", re.I)
_COLON = re.compile(r"\s?(?:：|:(?=\s|$|[^\x00-\x7f]))")
_WORD = re.compile(r"\S")
_BETWEEN = re.compile(r"\s*+(?:[-*+•>]|\(?\w{1,3}[.)])?\s*+")
_MAY_COPY = (
    *in_every_language(lambda cues: cues.relays.copied_stems).split("|"),
    *word_tuple("copia copie colado incolla gekop skopi wklej копир встав コピ 貼り 引用 転載"),
    *word_tuple("복사 붙여 가져"),
)
"""One of these stands in every sentence that says where a text was copied from."""

_OWN_WORD = re.compile(
    rf"\W{{0,8}}+(?:{in_every_language(lambda cues: cues.rules.contrasts)}"
    rf"|{in_every_language(lambda cues: cues.rules.own_asks)})"
    r"(?:(?!\w)|(?<=[\u4e00-\u9fff]))",
    re.I,
)
"""How a person goes on after somebody else's words."""
_OWN_PARAGRAPH = re.compile(
    rf"\W{{0,8}}+(?:(?:{in_every_language(lambda cues: cues.relays.goes_on)})[,，]?\s*)?"
    rf"(?:{in_every_language(lambda cues: cues.rules.first_person)}"
    rf"|(?:{in_every_language(lambda cues: cues.rules.own_asks)})(?:(?!\w)|(?<=[\u4e00-\u9fff]))"
    rf"|(?:{in_every_language(lambda cues: cues.relays.resumes)})(?:(?!\w)|(?<=[\u4e00-\u9fff])))",
    re.I,
)
"""How they open a paragraph of their own."""
_OWN_PLACE = re.compile(in_every_language(lambda cues: cues.relays.own_places), re.I)
"""Where the person's own words hold (`in this repo`)."""


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


def relayed_spans(text: str) -> list[Span]:
    """Return where words stand that a person introduces as somebody else's, in order."""
    spans: list[Span] = []
    relay: _Relay | None = None
    opens_paragraph = True
    above = paragraph = 0
    low = text.lower()
    copying = [stem for stem in _MAY_COPY if stem in low]
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
        if relay is not None or _may_introduce(line, copying):
            for start, stop in sentences(line):
                place = begin + start, begin + stop
                relay = _read_sentence(text, place, at, relay, opens_paragraph, above, spans)
                opens_paragraph = False
                above = paragraph
        opens_paragraph = False
        above = paragraph
        if relay is not None and relay.ends_at(Until.LINE):
            relay = None
    return list(_joined(text, spans))


def _read_sentence(
    text: str,
    place: Span,
    line: int,
    relay: _Relay | None,
    opens_paragraph: bool,
    above: int,
    spans: list[Span],
) -> _Relay | None:
    """Add what a sentence holds of others' words; return those that go on behind it.

    Above it stands a paragraph that begins at `above`, its own or the one before.
    """
    start, stop = place
    if relay is not None and relay.heard and _speaks(text, place, relay, opens_paragraph):
        relay = None
    found = _introduction(text, start, stop, line)
    if found is not None:
        start, until = found
        relay = _Relay(until, line)
    elif _COPIED.fullmatch(text, start, min(stop, start + COPIED_MOST)):
        if text[start] in "([（" or _WORD.search(text, stop) is None:
            spans.append((above, start))
            return relay
        return _Relay(Until.SPEECH, line)
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
        if _introduces(head):
            return at, _end_of(
                head,
                is_inline=_WORD.search(text, at, line) is not None,
                follows=text[line : line + 1],
            )
    return None


def _introduces(head: str) -> bool:
    if head.count("`") % 2 or head.count('"') % 2:
        return False
    if _FROM_A_NAME.match(head) or _is_name(head):
        return True
    # What stands before most colons is no sentence; so much is told quickly of plain letters.
    if head.isascii() and not _telling_letters().held_in(head.lower()):
        return False
    if _NO_INTRODUCTION.search(head):
        return False
    return bool(_SAYS.search(head) or _HANDED.search(head))


def _is_name(head: str) -> bool:
    """Tell whether a name stands alone before a colon."""
    first = _FIRST_WORD.match(head)
    if first is None or not (head.startswith("@") or first[1].lower() in _NAMES):
        return False
    return _NAMED.match(head) is not None


@cache
def _telling_letters() -> LetterRuns:
    """Return letters, of which a head in plain letters that introduces words holds some."""
    spaced = [language.relays for language in LANGUAGES if not language.unspaced]
    cues = [cue for relays in spaced for cue in (relays.says, relays.handed)]
    needs = [Phrase(cue).needs[0] for cue in (*cues, _SAYS_ELSEWHERE, _HANDED_ELSEWHERE)]
    return LetterRuns(letters for need in needs for letters in need if letters.isascii())


def _end_of(head: str, *, is_inline: bool, follows: str) -> Until:
    low = head.lower()
    if any(language.relays.machines.found_in(low) for language in LANGUAGES):
        return Until.SENTENCE if is_inline else Until.PARAGRAPH
    if _WRITTEN.search(head):
        return Until.SPEECH
    if is_inline:
        return Until.LINE
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
