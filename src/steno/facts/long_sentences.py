"""A sentence that is too long to be read at once, in parts of whole clauses.

People type rules in the middle of sentences that never end. Each part is short enough for the
cues of a language; a part that opens with a word of rules begins at this word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.languages.phrases import Phrases
from steno.facts.sentences import SentenceSpan

PART_MOST, PART_LEAST = 200, 60
"""Characters of the clauses that are read together."""

_CLAUSE_END = re.compile(r"[,;，；]\s*|\s[–—-]+\s")
_RULE_OPENING = re.compile(
    r"(?:(?:and|but|so|also|und|aber|et|mais|y|pero) )?"
    rf"(?:{in_every_language(lambda cues: cues.text.shouted)}"
    rf"|{in_every_language(lambda cues: cues.relays.conditions)}"
    rf"|{in_every_language(lambda cues: cues.rules.own_asks)})(?!\w)",
    re.I,
)


def parts_of(text: str, start: int, stop: int, most: int) -> Iterator[tuple[SentenceSpan, bool]]:
    """Yield where the parts of a sentence stand, none of them longer than `most` characters.

    With each, whether it is surely the speaker's: from words that report on, all may be another's,
    however a part opens. A question is left whole: what it asks cannot be seen from a part of it.
    """
    if stop - start <= most or _asks(text[start:stop]):
        yield (start, stop), True
        return
    own = start + _own_length(text[start:stop])
    for part in _clauses(text, start, stop, most):
        yield part, part[1] <= own


def _clauses(text: str, start: int, stop: int, most: int) -> Iterator[SentenceSpan]:
    """Yield where clauses stand that are read together."""
    begin = at = start
    for found in _CLAUSE_END.finditer(text, start, stop):
        if found.end() - begin > PART_MOST:
            yield from _pieces(text, begin, at, most)
            begin = at
        at = found.end()
        if at - begin >= PART_LEAST and _RULE_OPENING.match(text, at, stop):
            yield from _pieces(text, begin, at, most)
            begin = at
    yield from _pieces(text, begin, stop, most)


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" )\"'”*_").endswith(("?", "？"))


def _own_length(sentence: str) -> int:
    """Return how much stands before the words that tell what others said or what was."""
    # The one letter that is longer in lower case.
    found = _reports().first_in(sentence.replace("İ", "I").lower())
    return len(sentence) if found is None else found


@cache
def _reports() -> Phrases:
    """Return the words of all languages that report; those before a colon, before any mark."""
    cues = []
    for language in LANGUAGES:
        rules = language.rules
        cues += [*rules.reported.sources, *rules.told.sources, *language.relays.says.sources]
    return Phrases(*(cue.replace("$", r"(?=\s?[,;:，；：–—]|$)") for cue in cues))


def _pieces(text: str, start: int, stop: int, most: int) -> Iterator[SentenceSpan]:
    """Yield where a clause stands, in pieces that end at blanks if it is too long itself."""
    while start < stop:
        end = stop
        if stop - start > most:
            end = text.rfind(" ", start + most // 2, start + most) + 1 or start + most
        words = text[start:end]
        before = len(words) - len(words.lstrip())
        if before < len(words):
            yield start + before, start + len(words.rstrip())
        start = end
