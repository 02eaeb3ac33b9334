"""What a rule is about, in a form that can be compared.

A topic is the set of a sentence's telling words, cut short so that "commit" and
"committing" meet. Rules of which only one can be in force (the language to
answer in, the length of answers) have a topic of their own.
"""

from __future__ import annotations

import re

from steno.facts.languages import CHINESE, LanguageCues

ONE_ALONE = ("language code", "language answers", "output length")
"""Topics of which only the newest rule is in force."""
WORDS_MOST = 16
STEM = 5

_WORD = re.compile(r"[^\W_]{2,}(?:[./_-][^\W_]+)*")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]{2,}")
_CODE = re.compile(
    r"comment|kommentar|docstring|docs?\b|documentation|dokumentation|commit|注释|文档|documentación",
    re.I,
)
_LENGTH = re.compile(
    r"short|brief|concise|terse|long|detail|sentence|words?\b|length|kurz|knapp|ausführlich|court|bref|breve"
    r"|corto|largo|简短|简洁|详细|字",
    re.I,
)
_ANSWERS = re.compile(
    r"answers?|repl(?:y|ies)|responses?|antwort|répon|respuesta|responde|回答|回复|yourself|dich",
    re.I,
)


def topic_key(words: str, note: str, tongue: LanguageCues) -> str:
    """The topic of a rule or a release, as a key."""
    if note == "language":
        if _CODE.search(words):
            return "language code"
        return "language answers"
    if note == "output" and _ANSWERS.search(words) and _LENGTH.search(words):
        return "output length"
    return " ".join(_telling_words(words, tongue)[:WORDS_MOST])


def topic_overlap(one: str, other: str, *, both: bool = False) -> float:
    """How much of the smaller topic the larger holds, from 0 to 1; `both` asks it of the larger."""
    mine, theirs = set(one.split()), set(other.split())
    if not mine or not theirs:
        return 0.0
    shared = sum(any(_matches(word, held) for held in theirs) for word in mine)
    return shared / (max if both else min)(len(mine), len(theirs))


def _matches(word: str, held: str) -> bool:
    return word == held or (
        min(len(word), len(held)) >= STEM - 1 and (word.startswith(held) or held.startswith(word))
    )


def _telling_words(words: str, tongue: LanguageCues) -> list[str]:
    said = words.lower()
    if tongue is CHINESE:
        pairs = [run[at : at + 2] for run in _HAN_RUN.findall(said) for at in range(len(run) - 1)]
        latin = [word[:STEM] for word in re.findall(r"[a-z][a-z0-9_-]{2,}", said)]
        return sorted({pair for pair in pairs if pair not in tongue.empty} | set(latin))
    return sorted({word[:STEM] for word in _WORD.findall(said) if word not in tongue.empty})
