"""How much a person tells in a text: what they did, own or want, how many and when.

A question about a talk mostly asks for what somebody told, often in passing. A message that only
asks ("can you suggest some films?") or answers ("thanks, I'll try that") has the same words, and
does not hold it. A few signs tell the two apart; `bench/told.py` shows how well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

TEXT_MOST = 1_000
"""Characters of a text that are read; what is longer was mostly pasted."""
TIMES_MOST = 4
"""A sign that occurs more often counts as if it occurred this often."""
TEXTS_KEPT = 4_096
FIRST_WORDS = 6
"""Words within which a message says that it opens a subject."""

_SIGNS = """
.5 lately: just recently lately newly finally currently already
.5 when: today yesterday tonight ago since earlier daily weekly morning weekend last
    day days week weeks month months year years hour hours minute minutes
    january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
.5 number: two three four five six seven eight nine ten eleven twelve dozen couple few half
1 aside: the-way btw speaking-of in-fact reminds-me anyway
.5 mine: my our mine
.5 which: which-i where-i who-i that-i which-was called named
.5 rule: always never immer niemals toujours siempre from-now make-sure
-1 will: i'll i'd i-will i-want i-think i-might i'm-thinking i'm-considering
-1 also: also
-.5 asks: can-you could-you would-you tell-me more-about do-you how-do how-can how-should how-to
    how-does what-are what-is what's what-should any-tips any-ideas any-advice
    any-suggestions any-recommendations
-.5 question: ? ？
"""
"""What a sign weighs, its name, and its words; a pair of words is joined by a hyphen."""
_PAST_WEIGHT, _NAME_WEIGHT, _OPENS_WEIGHT, _ANSWERS_WEIGHT = 1.0, 0.5, 0.7, -0.35
_USUAL = 0.4
"""What the signs of a common message add up to."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[?？]")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+|[\"“][A-Z]")
_TELLERS = _words("i we i've we've i'd we'd")
_BETWEEN = _words("have had just also even only already once still always never both")
_PAST = _words("""
had was were been became began broke bought built brought came caught chose cut did drank drove
ate fell felt found flew forgot got gave went gone grew heard held kept knew led left lent
lost made met paid put ran read rode said sang sat saw seen sent set slept sold spent spoke
stood swam taken taught thought threw told took understood won wore wrote
""")
_ANSWERS = _words("""
thanks thank that's that those these great wow ok okay yes yeah sure sounds i'll perfect no
""")
_OPENS = _words("""
looking trying planning thinking having interested help considering wondering feeling
""")
_PAST_ELSEWHERE = re.compile(
    r"\b(?:ich (?:habe|hatte|war|bin|arbeite|wohne|mag|nutze)"
    r"|j['’](?:ai|avais|étais|habite|aime|utilise)|je (?:suis|travaille|préfère)"
    r"|he \w{2,20}(?:ado|ido))\b"
    r"|我(?:[^，。？！]{0,12}[了过]|是|有|在|喜欢|住)",
    re.IGNORECASE,
)


def telling(text: str) -> float:
    """Return how much more a text tells than messages do commonly; below 0 for less."""
    return _telling(text[:TEXT_MOST])


@lru_cache(maxsize=TEXTS_KEPT)
def _telling(text: str) -> float:
    words = _WORD.findall(text.lower().replace("’", "'"))
    counts = [0] * len(_WEIGHTS)
    for first, second in pairwise([*words, ""]):
        sign = _SIGN_OF.get(first)
        if sign is None and first.isdigit():
            sign = _NUMBER
        if sign is not None:
            counts[sign] += 1
        pair = _SIGN_OF_PAIR.get((first, second))
        if pair is not None:
            counts[pair] += 1
    score = sum(weight * _share(count) for weight, count in zip(_WEIGHTS, counts, strict=True))
    score += _PAST_WEIGHT * _share(_count_past(words) + len(_PAST_ELSEWHERE.findall(text)))
    score += _NAME_WEIGHT * _share(len(_NAME.findall(text)))
    if words and words[0] in _ANSWERS:
        score += _ANSWERS_WEIGHT
    if not _OPENS.isdisjoint(words[:FIRST_WORDS]):
        score += _OPENS_WEIGHT
    return score - _USUAL


def _share(count: int) -> float:
    """Return what a sign counts for that occurs so often: each time adds less."""
    return math.log1p(min(count, TIMES_MOST))


def _count_past(words: Sequence[str]) -> int:
    """Count where the one who writes says what they did: "I just bought", "we've been"."""
    return sum(1 for at, word in enumerate(words) if word in _TELLERS and _did(words[at + 1 :]))


def _did(words: Sequence[str]) -> bool:
    for word in words[:4]:
        if word in _PAST or (len(word) > 3 and word.endswith("ed")):
            return True
        if word not in _BETWEEN and not word.endswith("ly"):
            return False
    return False


def _read_signs() -> Iterator[tuple[float, str, list[str]]]:
    """Yield the weight, the name and the words of each sign."""
    for entry in re.split(r"\n(?=\S)", _SIGNS.strip()):
        head, words = entry.split(":")
        weight, name = head.split()
        yield float(weight), name, words.split()


_READ = list(_read_signs())
_WEIGHTS = [weight for weight, _, _ in _READ]
_NUMBER = [name for _, name, _ in _READ].index("number")
_SIGN_OF = {word: at for at, (_, _, words) in enumerate(_READ) for word in words if "-" not in word}
_SIGN_OF_PAIR = {
    tuple(word.split("-")): at
    for at, (_, _, words) in enumerate(_READ)
    for word in words
    if "-" in word
}
