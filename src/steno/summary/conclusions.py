"""What a long text concludes: the sentences that say most, word for word and in their order.

The beginning of a reply is mostly a greeting to the question ("Good point, let me think …"),
and its verdict stands anywhere. So where only a part of a reply fits, sentences are chosen:
those that state a cause, a verdict or a choice, those that the author marked, and those that
name things not named yet. Owns the choice; who gets how much room is decided by `compose`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from math import sqrt

from steno.core.message import Value
from steno.facts.decisions import chosen_number
from steno.facts.languages import SMALL_WORDS, closest_languages, cue, holds
from steno.facts.sentences import sentences
from steno.summary.words import SHORTEST, first_words
from steno.summary.worth import term_counts

GAP = "…"
GAP_TOKENS = 2
LOOKED_CHARACTERS = 20_000
"""Characters of a text that are looked at: no reply of use is longer."""
UNITS_MOST = 400
"""Sentences that are looked at."""
TEXTS_KEPT, TOLD_KEPT = 256, 512
"""Texts whose sentences are remembered: a reply is told in many commits, in several lengths."""
LONGEST = 400
"""Characters of a sentence that is kept; a longer one ends at a word."""
CONCLUDES, STRESSED, MARKED, IS_CODE = 2.0, 1.6, 1.2, 0.2
"""What a sentence's worth is multiplied by if it concludes, stands out, marks words, or is code."""
CHOSEN = 24.0
"""The same for an item of a list that a person chose by its number."""
ANSWER_LOOKED = 400
"""Characters of an answer in which such numbers are looked for."""
SHORT_ANSWER = 60
"""Characters of an answer that may choose by a number anywhere in it."""
MARKER_MOST = 8
"""Characters before a sentence that are the mark of its list."""
FILLER = 0.35
"""Share of the best sentence's worth that another must have."""
TERM_LEAST = 4
"""Characters of a term that tells something; pairs of Chinese characters have two."""
TERMS_LEAST = 1
"""New terms that a sentence has for nothing: with no more it is an exclamation."""

_PLAIN_TERM = re.compile(rf"[a-z0-9_]{{{TERM_LEAST},40}}")
"""A term that tells something, as `worth` finds it, in plain letters."""
_STRESSED = re.compile(r"\*\*[^*\n]{12,}[^*\n:]\*\*(?!:)")
_MARKS = ("**", "__", "`")
_NUMBER = re.compile(r"(?<![\w.])\d{1,2}(?![\w:/])")
_PICKED = re.compile(r"(?<![\w.])\d{1,2}(?=[.!]?\s*$|\s?[,&+]|\s(?:and|or|und|oder|et|ou|y|o)\s\d)")
"""A number at the end of an answer, or before another one."""
_ITEM = re.compile(r"\s*\W{0,3}(\d{1,2}|[a-dA-D])[.)]")
_FIRST_ITEM = re.compile(r"^[ \t]*\W{0,3}(?:1|[aA])[.)]", re.M)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.M)


class _Unit(Value, frozen=True, gc=False):
    """A sentence, where it stands, and how much it says."""

    start: int
    stop: int
    terms: frozenset[str]
    weight: float
    tokens: int
    is_chosen: bool = False
    """Whether it is of an item whose number the answer names."""


def conclude(
    text: str,
    most: int,
    count: Callable[[str], int],
    tokens: int | None = None,
    *,
    answer: str = "",
) -> str:
    """Return the sentences of a text that say most, within about `most` tokens.

    A caller that has counted the text, without blanks around it, passes its `tokens`.
    The `answer` to it may choose by number: then those items of its last list say most.
    """
    text = text.strip()
    if tokens is None:
        tokens = count(text)
    if tokens <= most:
        return text
    return _conclude(text, most, tokens, numbers_in(answer))


@lru_cache(maxsize=TOLD_KEPT)
def numbers_in(answer: str) -> frozenset[str]:
    """Return the numbers or letters of what was offered or asked that a person answers with."""
    looked = answer[:ANSWER_LOOKED]
    chosen = chosen_number(looked)
    if chosen:
        return frozenset((chosen, *_NUMBER.findall(looked)))
    # "do 1, 2 and 5": short, and no number says how many of something there are.
    if len(answer) <= SHORT_ANSWER and _PICKED.search(looked):
        return frozenset(_NUMBER.findall(looked))
    return frozenset()


@lru_cache(maxsize=TOLD_KEPT)
def _conclude(text: str, most: int, tokens: int, named: frozenset[str]) -> str:
    units = _find_units(text, tokens, named)
    chosen = [units[number] for number in _most_telling(units, most - GAP_TOKENS, gap=GAP_TOKENS)]
    if not chosen:
        return first_words(text, max(SHORTEST, int(len(text) * (most - GAP_TOKENS) / tokens)))
    return _joined(text, sorted(chosen, key=lambda unit: unit.start))


def telling_texts(texts: Sequence[str], sizes: Sequence[int], room: float) -> list[int]:
    """Return which texts say most, by their numbers, within so many tokens.

    `sizes` are the tokens of each. Of two that say as much the first is taken.
    """
    units = [_whole_unit(text, size) for text, size in zip(texts, sizes, strict=True)]
    return _most_telling(units, room, filler=0.0)


# What the agent said is chosen from in many commits.
@lru_cache(maxsize=TOLD_KEPT)
def _whole_unit(text: str, tokens: int) -> _Unit:
    weight = _emphasis(text)
    if holds("concludes", text):
        weight *= CONCLUDES
    return _Unit(0, len(text), _telling_terms(text), weight, tokens)


def _most_telling(
    units: Sequence[_Unit], room: float, *, gap: int = 0, filler: float = FILLER
) -> list[int]:
    """Return the numbers of the units that say most together, the best first.

    Each takes its tokens and the `gap`, and is worth more than the share `filler` of the best
    that was not chosen by its number.
    """
    queue = sorted((-_worth(unit, set()), number) for number, unit in enumerate(units))
    chosen: list[int] = []
    named: set[str] = set()
    least = 0.0
    while queue:
        before, number = heappop(queue)
        unit = units[number]
        if unit.tokens + gap > room:
            continue
        worth = _worth(unit, named)
        # The more is named, the less a unit adds: a worth that still holds at the top is the best.
        if worth != -before:
            heappush(queue, (-worth, number))
            continue
        # What says little beside the rest would only fill the room.
        if worth <= least:
            break
        if not least and not unit.is_chosen:
            least = filler * worth
        chosen.append(number)
        named |= unit.terms
        room -= unit.tokens + gap
    return chosen


def _worth(unit: _Unit, named: set[str]) -> float:
    """Return what a sentence adds to those that are chosen, for what it costs."""
    new = max(unit.is_chosen, len(unit.terms - named) - TERMS_LEAST)
    return unit.weight * new / sqrt(unit.tokens + GAP_TOKENS)


@lru_cache(maxsize=TEXTS_KEPT)
def _find_units(text: str, tokens: int, named: frozenset[str]) -> list[_Unit]:
    """Return the sentences of a text of so many tokens; items that are `named` say most."""
    density = tokens / max(1, len(text))
    text = text[:LOOKED_CHARACTERS]
    code = _code_spans(text)
    # One search of the whole text: most of its sentences hold no cue.
    cues = cue("concludes", closest_languages(text)).finditer(text.lower())
    concluding = [found.start() for found in cues]
    options = _last_list(text) if named else len(text)
    item = -1
    units: list[_Unit] = []
    for start, stop in list(sentences(text))[:UNITS_MOST]:
        begin = text.rfind("\n", 0, start) + 1
        # The number of a list's item is kept: a person may answer with it.
        if start - begin > MARKER_MOST:
            begin = start
        elif options <= begin < start:
            item = begin
        stop = min(stop, start + LONGEST)
        said = text[start:stop]
        weight = _emphasis(said)
        following = bisect_left(concluding, start)
        if following < len(concluding) and concluding[following] < stop:
            weight *= CONCLUDES
        if any(first <= start < last for first, last in code):
            weight = IS_CODE
        # An item may say what it is about first, and ask in its next sentence.
        is_chosen = item >= 0 and "\n" not in text[item:begin] and _is_named(text, item, named)
        if is_chosen:
            weight = CHOSEN
        size = max(1, round((stop - begin) * density))
        units.append(_Unit(begin, stop, _telling_terms(said), weight, size, is_chosen))
    return units


def _last_list(text: str) -> int:
    """Return where the last numbered list begins; the end of the text if there is none."""
    firsts = [found.start() for found in _FIRST_ITEM.finditer(text)]
    return firsts[-1] if firsts else len(text)


def _is_named(text: str, item: int, named: frozenset[str]) -> bool:
    mark = _ITEM.match(text, item)
    return mark is not None and mark[1].lower() in named


def _telling_terms(said: str) -> frozenset[str]:
    if said.isascii():
        return frozenset(_PLAIN_TERM.findall(said.lower())) - SMALL_WORDS
    telling = [term for term in term_counts(said) if len(term) >= TERM_LEAST or not term.isascii()]
    return frozenset(telling) - SMALL_WORDS


def _code_spans(text: str) -> list[tuple[int, int]]:
    fences = [found.start() for found in _FENCE.finditer(text)]
    if len(fences) % 2:
        fences.append(len(text))
    return list(zip(fences[::2], fences[1::2], strict=True))


def _emphasis(said: str) -> float:
    """Return what a sentence's worth is multiplied by for the words that its author marked."""
    if "**" in said and _STRESSED.search(said):
        return STRESSED
    if any(map(said.__contains__, _MARKS)):
        return MARKED
    return 1.0


def _joined(text: str, units: list[_Unit]) -> str:
    """Return sentences in their order, with a mark wherever something is left out."""
    parts: list[str] = []
    after = 0
    for unit in units:
        between = text[after : unit.start]
        if between.strip():
            between = f" {GAP} " if parts else ""
        elif "\n" in between:
            between = "\n"
        parts += (between, text[unit.start : unit.stop])
        after = unit.stop
    if text[after:].strip():
        parts.append(f" {GAP}")
    return "".join(parts).strip()
