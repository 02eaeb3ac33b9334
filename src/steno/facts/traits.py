"""What a person says of themselves and their project, to be remembered; and what they say to forget.

"My name is …", "we use Postgres 15", "remember that …", "forget that …", in five
languages. A state of the moment ("our build is broken"), a question, a
condition or somebody else's word is no trait. Owns the cues and what a sentence
is about; who may say it, and what is done with it, is `durable`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from steno.facts.languages import CHINESE, ENGLISH, LANGUAGES
from steno.facts.languages.cues import words_of
from steno.facts.sentences import is_quoted, sentences
from steno.facts.topics import STEM, WORDS_MOST, topic_key

KEPT_MOST = 4_096
SENTENCES_MOST = 400
SENTENCE_MOST = 400
FORGET = "forget"

_FROM = r"(?:^|[,;:.–—!]\s*|\b(?:and|but|so|also|fyi|btw|note|und|et|y)[,:]?\s+)(?:that )?"
"""Where a sentence, or a clause of its own, begins."""
_NAME = (
    r"(?P<name>\bmy (?:full |first )?name is|\bcall me (?=(?-i:[A-Z]))|\b(?:mein name ist|ich hei(?:ß|ss)e"
    r"|nenn mich)\b"
    r"|\bje m[’']appelle\b|\bmon nom est\b|\bme llamo\b|\bmi nombre es\b|我(?:叫|的名字(?:是|叫))|(?:请)?叫我)"
)
_SELF = (
    rf"{_FROM}(?P<self>i(?:[’']m| am) (?:an? (?!bit|little|lot|few|while|fan)|based in|from (?=(?-i:[A-Z]))"
    rf"|allergic)|i live in"
    r"|i work (?:at|for|as|in|on|with)|ich (?:arbeite (?:bei|als|in|an|mit)|wohne in|lebe in|komme aus)"
    r"|je (?:travaille (?:chez|comme|à|dans|sur|avec)|vis à|suis (?:un|une))|j[’']habite"
    r"|trabajo (?:en|como|para|con)|vivo en|soy (?:un|una)|我(?:住在|来自|是(?:一名|一个|个))|我在.{1,12}工作)"
)
_MINE = (
    rf"{_FROM}(?:my|our|the (?:project|team|repo|repository|company)[’']s|mein\w{{0,2}}|unser\w{{0,2}}|mon|ma"
    rf"|mes|notre"
    r"|nos|mis?|nuestr[oa]s?) (?P<mine>\w[\w.+-]*(?: (?!is |are |ist |est |es )\w[\w.+-]*){0,4}?) "
    r"(?:is|are|runs on|lives in|lives at|ist|sind|läuft auf|liegt in|heißt|est|sont|tourne sur|es|son|está en"
    r"|corre en) "
    r"(?!(?:not|still|now|broken|failing|down|slow|wrong|done|ready|too|very|so|being|currently|to|that|how|what|why"
    r"|nicht|noch|kaputt|pas|encore|no)\b|\w+ing\b)"
    r"|我(?:们)?的(?P<mine_zh>[^，。？！,.?!是]{1,12})是"
)
_USE = (
    rf"{_FROM}(?:(?:in|for) (?:this|our|the) (?:project|repo|team|company),? )?(?P<use>we(?:[’']re| are)? (?:all )?"
    r"(?:use|using|run on|running on|deploy (?:to|on|with)|develop on|host on|ship on|are on)"
    r"|we(?:[’']ve| have)? (?:switched|moved|migrated|upgraded) (?:from [^.;]{1,40} )?to"
    r"|(?:this|the|our) (?:project|repo|repository|code ?base|team|company|service|app) (?:uses|runs on|is written in"
    r"|is built (?:with|on)|targets)"
    r"|wir (?:nutzen|verwenden|benutzen|deployen|setzen auf|arbeiten mit)|das projekt (?:nutzt|verwendet|läuft auf)"
    r"|(?:on|nous) (?:utilis\w+|déploy\w+|travaillons avec)|le projet utilise|usamos|utilizamos|desplegamos"
    r"|el proyecto usa"
    r"|我们(?:现在)?(?:用|使用|采用)的?是?|(?:这个|本)?项目(?:用|使用)的?是?)\s?(?P<what>[^.;!?。！？]{2,})"
)
_REMEMBER = (
    r"(?:^|[,;:.!]\s*|\b(?:please|also|and|bitte)\s+)(?P<remember>(?:please )?(?:remember|keep in mind"
    r"|don[’']t forget|bear in "
    r"mind)(?: that\b|:)|for (?:future reference|the record)[,:]|merk(?:e)? dir[:,]?(?: dass)?|denk daran,? dass"
    r"|vergiss nicht,? dass|behalte,? dass|(?:souviens-toi|retiens|n[’']oublie pas|rappelle-toi) (?:bien )?que"
    r"|(?:recuerda|ten en cuenta|no olvides) que|(?:请|要)?记住[：:，,]?|请记得)\s?(?P<said>.{3,})"
)
_FORGET = (
    r"(?:^|[,;:.!]\s*|\b(?:please|and|but|you can|you may|bitte)\s+)(?P<forget>forget (?:about )?(?:that\b"
    r"|what i (?:said|told "
    r"you)(?: about)?|my|our|the)|don[’']t remember|stop remembering|vergiss,?(?: dass| was)(?! nicht)"
    r"|wir (?:nutzen|verwenden)(?=.*nicht mehr)|oublie (?:que|ce que)|(?:on|nous) n[’']utilis\w+ plus|olvida que"
    r"|ya no usamos|(?:请)?(?:忘记|忘掉)|我们不再(?:用|使用))\s?(?P<rest>.{3,})"
)
_NO_LONGER = (
    r"(?:^|[,;:.!]\s*|\b(?:and|but|so)\s+)(?P<ended>(?:we|i)(?:[’']re| are|[’']m| am)? (?:no longer|not) "
    r"(?:use|using|prefer|work|live|run|deploy)\w*|we (?:don[’']t|do not) use(?=.*\bany ?more\b))\s?(?P<past>.{3,})"
)

_TRAIT = re.compile("|".join((_REMEMBER, _FORGET, _NO_LONGER, _NAME, _SELF, _USE, _MINE)), re.I)
_UNSURE = re.compile(
    r"[?？]\W*$|^\W*(?:if|whether|when|unless|should|could|would|suppose|imagine|maybe|perhaps|wenn|falls|ob|si"
    r"|如果|假如)\b"
    r"|\b(?:for example|e\.g\.|let[’']s say|right now|at the moment|for now|currently trying|gerade"
    r"|pour l[’']instant)\b",
    re.I,
)
_PASSING = words_of(
    "question questions problem problems issue issues guess point concern idea goal goals plan task next first "
    "mistake fault bug test tests build code error change changes pr understanding impression hope thought result "
    "output answer input prompt request message frage problem fehler ziel idee question problème erreur but idée "
    "pregunta problema error objetivo 问题 意思 想法 目标"
)
"""What is somebody's for a moment only."""
_COPULA = re.compile(
    r"\s(?:is|are|runs on|lives in|ist|sind|steht|liegt|est|sont|es|son|está|están)\s|在|是", re.I
)
_EXACT = re.compile(r"[\w-]*(?:[./_][\w-]+)+|[a-z]+[A-Z]\w*|[A-Za-z]+\d\w*|\d+")
"""Paths, identifiers and numbers, which tell one thing from another."""
_WHY = re.compile(r"\b(?:for|as|to store|für|als|pour|para|como)\s+(?P<why>[^,.;]{3,40})$", re.I)
_EMPTY = frozenset(
    word[:STEM] for tongue in (*LANGUAGES, CHINESE) for word in tongue.empty
) | words_of(
    "remem forge told said use using used uses longe anymo any more now that what about name live work"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")


def find_traits(text: str) -> Iterator[tuple[str, str, str]]:
    """Each trait that a text states: `fact` or `FORGET`, the sentence, and what it is about."""
    for start, stop in islice(sentences(text), SENTENCES_MOST):
        sentence = text[start:stop].strip()
        found = _TRAIT.search(sentence) if len(sentence) <= SENTENCE_MOST else None
        if found is None or _UNSURE.search(sentence) or is_quoted(sentence, found.end() - 1):
            continue
        parts = found.groupdict()
        gone = parts["rest"] or parts["past"]
        if gone is not None:
            if key := topic_words(gone):
                yield FORGET, sentence, key
        elif key := _trait_subject(parts, sentence):
            yield "fact", sentence, key


def _trait_subject(parts: dict[str, str | None], sentence: str) -> str:
    """What a fact is about, so that a later one about the same takes its place."""
    if parts["name"]:
        return "self name"
    if parts["self"]:
        where = re.search(
            r"work|live|based|arbeit|wohn|leb|travail|habit|vis|trabajo|vivo|住|工作",
            parts["self"],
            re.I,
        )
        if where:
            return f"self {where[0].lower()}"
        return f"self {topic_words(sentence)}"
    mine = parts["mine"] or parts["mine_zh"]
    if mine:
        if _PASSING & set(mine.lower().split()):
            return ""
        return f"mine {topic_words(mine) or mine.lower()}"
    if parts["what"]:
        why = _WHY.search(parts["what"])
        if why and topic_words(why["why"]):
            return f"for {topic_words(why['why'])}"
        return topic_words(parts["what"])
    return statement_subject(parts["said"] or sentence)


def statement_subject(said: str) -> str:
    """The subject of a plain statement: what stands before "is", or else all of it; names and numbers in full."""
    head = _COPULA.split(said, maxsplit=1)[0]
    head = head if topic_words(head) else said
    return " ".join((topic_words(head), *sorted({f"@{name}" for name in _EXACT.findall(head)})))


@lru_cache(maxsize=KEPT_MOST)
def topic_words(text: str) -> str:
    """The words that tell what a text is about, as a topic; numbers apart, because they change."""
    topic = topic_key(text, "", CHINESE if _HAN.search(text) else ENGLISH)
    return " ".join(word for word in topic.split() if word not in _EMPTY and not word[0].isdigit())


def key_terms(text: str) -> frozenset[str]:
    """All words of a text that tell something, names and numbers in full too."""
    said = text.split()
    runs = (
        " ".join(said[at : at + WORDS_MOST]) for at in range(0, len(said), WORDS_MOST)
    )  # a topic holds only so many
    return frozenset(word for run in runs for word in topic_words(run).split()) | {
        f"@{name}" for name in _EXACT.findall(text)
    }


@lru_cache(maxsize=KEPT_MOST)
def subject_of(sentence: str) -> str:
    """What a sentence is about: a trait's subject where it states one, else its telling words."""
    return next(
        (key for kind, _, key in find_traits(sentence) if kind != FORGET), ""
    ) or statement_subject(sentence)
