"""A sentence that is too long to be read at once, in parts of whole clauses.

People type rules in the middle of sentences that never end. Each part is short enough for the
cues of a language; a part that opens with a word of rules begins at this word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steno.facts.languages import LANGUAGES, in_every_language
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


def parts_of(text: str, start: int, stop: int, most: int) -> Iterator[SentenceSpan]:
    """Yield where the parts of a sentence stand, none of them longer than `most` characters.

    A question or a report is left whole: what it asks or tells cannot be seen from a part of it.
    """
    if stop - start <= most or _asks_or_reports(text[start:stop]):
        yield start, stop
        return
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


def _asks_or_reports(sentence: str) -> bool:
    if sentence.rstrip(" )\"'”*_").endswith(("?", "？")):
        return True
    opening = sentence[:PART_MOST].lower()
    return any(language.rules.reported.found_in(opening) for language in LANGUAGES)


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
