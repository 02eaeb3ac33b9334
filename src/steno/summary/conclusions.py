"""What a long text concludes: the sentences that say most, word for word and in their order.

The beginning of a reply is mostly a greeting to the question ("Good point, let me think …"),
and its verdict stands anywhere. So where only a part of a reply fits, sentences are chosen:
those that state a cause, a verdict or a choice, those that the author marked, and those that
name things not named yet. Owns the choice; who gets how much room is decided by `compose`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from math import sqrt
from typing import NamedTuple

from msgspec.structs import replace as altered

from steno.core.message import Value
from steno.facts.artifacts import find_identifiers, quoted_names
from steno.facts.decisions import chosen_number
from steno.facts.languages import LANGUAGES, in_every_language, words_in_every_language
from steno.facts.languages.phrases import LikelyPhrases, Phrases
from steno.facts.open_loops import PROMISED
from steno.facts.sentences import sentences
from steno.summary.rarity import term_counts
from steno.summary.words import SHORTEST, first_words

GAP = "…"
GAP_TOKENS = 2
LOOKED_CHARACTERS = 20_000
"""Characters of a text that are looked at: no reply of use is longer."""
UNITS_MOST = 400
"""Sentences that are looked at."""
TEXTS_KEPT, TOLD_KEPT = 256, 512
"""Texts whose sentences are remembered: a reply is told in many commits, in several lengths."""
STEPS_KEPT = 4_096
"""The same of what the agent says between its calls: most of it is looked at in every commit."""
LONGEST = 400
"""Characters of a sentence that is kept; a longer one ends at a word."""
CONCLUDES, STRESSED, MARKED = 2.0, 1.6, 1.2
"""What a sentence's worth is multiplied by if it concludes, stands out, or marks words."""
IN_LIST, ANNOUNCES, IS_HEADING, IS_ROW, IS_CODE = 0.8, 0.45, 0.5, 0.6, 0.2
"""The same for what says less alone: an item of a list, a line before one, a heading, a row of a
table, code."""
CLOSES = 1.2
"""The same for a question at the end: the next message answers it."""
ANSWERED, CHOSEN = 8.0, 3.0
"""Worth of each item that a person may have chosen by its number, whatever it says; and what it
is multiplied by if the answer names that number."""
CHOSEN_LEAST = 6
"""Tokens of such an item at least, if not all of what was chosen fits."""
ANSWER_LOOKED = 400
"""Characters of an answer in which such numbers are looked for."""
SHORT_ANSWER = 60
"""Characters of an answer that may choose by a number anywhere in it."""
CUT_MOST = 2.0
"""Times the room that a sentence may have to keep its beginning."""
REASONS_LEAST = 50
"""Characters from which on a sentence about the next step may give its reason."""
LOOKING_WITHIN = 50
"""Characters of it within which it says that it only looks."""
MARKER_MOST = 8
"""Characters before a sentence that are the mark of its list."""
WHOLE_LEAST = 0.5
"""Share of the worth of a sentence that is too long that another must have to stand for it."""
FILLER = 0.35
"""Share of the best sentence's worth that another must have."""
TERM_LEAST = 4
"""Characters of a term that tells something; pairs of Chinese characters have two."""
TERMS_LEAST = 1
"""New terms that a sentence has for nothing: with no more it is an exclamation."""

_PLAIN_TERM = re.compile(rf"[a-z0-9_]{{{TERM_LEAST},40}}")
"""A term that tells something, as `rarity` finds it, in plain letters."""
_SMALL_WORDS = words_in_every_language(lambda cues: cues.small_words)
_CONCLUDING = Phrases(
    *(cue for language in LANGUAGES for cue in language.decisions.concluding.sources),
    *(language.decisions.reason for language in LANGUAGES),
)
_REASON = re.compile(
    in_every_language(lambda cues: cues.decisions.reason)
    + "|"
    + in_every_language(lambda cues: cues.decisions.instead),
    re.I,
)
_DOING = re.compile(in_every_language(lambda cues: cues.steps.doing), re.I)
_LOOKING = re.compile(in_every_language(lambda cues: cues.steps.looking), re.I)
_STRESSED = re.compile(r"\*\*[^*\n]{12,}[^*\n:]\*\*(?!:)")
_MARKS = ("**", "__", "`")
_HEADING = re.compile(r"#{1,6} |\*\*[^*\n]{1,80}\*\*:?$")
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
    is_option: bool = False
    """Whether it is of an item that a person may have chosen or answered by its number."""
    is_chosen: bool = False
    """Whether it begins an item whose number the answer names."""


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
    The `answer` to it may choose by number: then the items of its last list say most.
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
    units, ranked = _weighed_units(text, tokens, named)
    room = most - GAP_TOKENS
    picked = [unit for unit in units if unit.is_chosen]
    if picked and sum(unit.tokens + GAP_TOKENS for unit in picked) > room:
        # An answer by number is a riddle without what it chose: the beginning of each, then.
        each = room // len(picked) - GAP_TOKENS
        if each >= CHOSEN_LEAST:
            return _joined(text, [_shortened(text, unit, each) for unit in picked])
    least = 0.0
    too_long: _Unit | None = None
    for worth, number in ranked:
        unit = units[number]
        if unit.tokens + GAP_TOKENS <= room:
            break
        # A whole sentence that says nearly as much is better than half of this one.
        if too_long is None and unit.tokens <= most * CUT_MOST:
            too_long, least = unit, WHOLE_LEAST * -worth
    numbers = _most_telling(
        units, ranked, room, gap=GAP_TOKENS, least=least, filler=FILLER, by_number=bool(named)
    )
    chosen = [units[number] for number in numbers]
    if not chosen and too_long is not None:
        # The beginning of what says most, rather than all of what says little.
        chosen = [_shortened(text, too_long, room)]
    if not chosen:
        return first_words(text, max(SHORTEST, int(len(text) * (most - GAP_TOKENS) / tokens)))
    return _joined(text, sorted(chosen, key=lambda unit: unit.start))


def telling_texts(texts: Sequence[str], sizes: Sequence[int], room: float) -> list[int]:
    """Return which texts say most, by their numbers, within so many tokens.

    `sizes` are the tokens of each. Of two that say as much the first is taken.
    """
    units = [_whole_unit(text, size) for text, size in zip(texts, sizes, strict=True)]
    return _most_telling(units, _rank(units), room)


# What the agent said and noted is chosen from in many commits.
@lru_cache(maxsize=TOLD_KEPT)
def _whole_unit(text: str, tokens: int) -> _Unit:
    weight = _weight(text, _WeightCues.of(text))
    return _Unit(0, len(text), _telling_terms(text), weight, tokens)


def _rank(units: Sequence[_Unit]) -> tuple[tuple[float, int], ...]:
    """Return the negative worth and the number of each unit, the best first."""
    return tuple(sorted((-_worth(unit, set()), number) for number, unit in enumerate(units)))


def _most_telling(
    units: Sequence[_Unit],
    ranked: Sequence[tuple[float, int]],
    room: float,
    *,
    gap: int = 0,
    least: float = 0.0,
    filler: float = 0.0,
    by_number: bool = False,
) -> list[int]:
    """Return the numbers of the units that say most together, the best first.

    Each takes its tokens and the `gap`, and is worth more than `least` and than the share
    `filler` of the best, unless it was answered `by_number`.
    """
    queue = list(ranked)  # in order, so it is a heap
    chosen: list[int] = []
    named: set[str] = set()
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
        # What says little beside the rest would only fill the room; an answer needs its question.
        if worth <= least and not unit.is_option:
            if not by_number:
                break
            continue
        if not chosen:
            least = max(least, filler * worth)
        chosen.append(number)
        named |= unit.terms
        room -= unit.tokens + gap
    return chosen


@lru_cache(maxsize=STEPS_KEPT)
def without_doing(text: str) -> str:
    """Return the sentences of a text that do not just say what the agent does right now."""
    text = text[:LOOKED_CHARACTERS].strip()
    spans = list(sentences(text))
    parts: list[str] = []
    after = 0
    for start, stop in spans:
        # The mark of a list's item stands between two sentences.
        rows = text[after:start].split("\n")
        after = stop
        if _only_does(text[start:stop], is_last=stop == spans[-1][1]):
            continue
        parts += ("\n" if len(rows) > 1 else " ", rows[-1].lstrip(), text[start:stop])
    if len(parts) == 3 * len(spans):
        return text
    return "".join(parts).strip()


def _only_does(said: str, *, is_last: bool) -> bool:
    """Tell whether a sentence only says what the agent does next; it may also say why."""
    if not _DOING.match(said) and not (is_last and said.endswith((":", "："))):
        return False
    if len(said) >= REASONS_LEAST and _REASON.search(said):
        return False
    # What it changes is nowhere else in words; what it reads or runs is among its deeds.
    if _LOOKING.search(said, 0, LOOKING_WITHIN):
        return True
    return not quoted_names(said) and not find_identifiers(said)


def _shortened(text: str, unit: _Unit, room: int) -> _Unit:
    """Return the words of a sentence that fit a room."""
    if unit.tokens <= room:
        return unit
    most = unit.start + (unit.stop - unit.start) * max(0, room - GAP_TOKENS) // unit.tokens
    return altered(unit, stop=max(text.rfind(" ", unit.start, most), unit.start))


def _worth(unit: _Unit, named: set[str]) -> float:
    """Return what a sentence adds to those that are chosen, for what it costs."""
    terms = unit.terms - named if named else unit.terms
    new = max(unit.is_option, len(terms) - TERMS_LEAST)
    return unit.weight * new / sqrt(unit.tokens + GAP_TOKENS)


def _last_list(text: str) -> int:
    """Return where the last numbered list begins; the end of the text if there is none."""
    firsts = [found.start() for found in _FIRST_ITEM.finditer(text)]
    return firsts[-1] if firsts else len(text)


@lru_cache(maxsize=TEXTS_KEPT)
def _weighed_units(
    text: str, tokens: int, named: frozenset[str]
) -> tuple[tuple[_Unit, ...], tuple[tuple[float, int], ...]]:
    """Return the sentences of a text of so many tokens, with what they cost, and their ranks."""
    looked = text[:LOOKED_CHARACTERS]
    options = len(looked)
    if named:
        options = _last_list(looked)
    units = tuple(_find_units(looked, tokens / max(1, len(text)), options, named))
    return units, _rank(units)


def _find_units(text: str, density: float, options: int, named: frozenset[str]) -> Iterator[_Unit]:
    """Yield the sentences of a text with what they cost.

    Items from `options` on say most, and of them those whose number is `named`.
    """
    code = _code_spans(text)
    cues = _WeightCues.of(text)
    spans = list(sentences(text))[:UNITS_MOST]
    item = -1
    for number, (start, stop) in enumerate(spans):
        begin = text.rfind("\n", 0, start) + 1
        # The number of a list's item is kept: a person may answer with it.
        if start - begin > MARKER_MOST:
            begin = start
        in_list = begin < start
        stop = min(stop, start + LONGEST)
        said = text[start:stop]
        if in_list and begin >= options:
            item = begin
        # An item may say what it is about first, and ask in its next sentence.
        is_option = item >= 0 and "\n" not in text[item:begin]
        is_chosen = False
        if is_option:
            weight = ANSWERED
            mark = _ITEM.match(text, item)
            if mark is not None and mark[1].lower() in named:
                weight *= CHOSEN
                is_chosen = begin == item
        elif code and any(first <= start < last for first, last in code):
            weight = IS_CODE
        else:
            weight = _weight(said, cues)
        if in_list and not is_option:
            weight *= IN_LIST
        if number == len(spans) - 1 and said.endswith(("?", "？")):
            weight *= CLOSES
        tokens = max(1, round((stop - begin) * density))
        yield _Unit(begin, stop, _telling_terms(said), weight, tokens, is_option, is_chosen)


def _telling_terms(said: str) -> frozenset[str]:
    if said.isascii():
        return frozenset(_PLAIN_TERM.findall(said.lower())) - _SMALL_WORDS
    telling = [term for term in term_counts(said) if len(term) >= TERM_LEAST or not term.isascii()]
    return frozenset(telling) - _SMALL_WORDS


def _code_spans(text: str) -> list[tuple[int, int]]:
    if "```" not in text and "~~~" not in text:
        return []
    fences = [found.start() for found in _FENCE.finditer(text)]
    if len(fences) % 2:
        fences.append(len(text))
    return list(zip(fences[::2], fences[1::2], strict=True))


class _WeightCues(NamedTuple):
    """Cues that the sentences of one text may hold: most cues are of other languages."""

    concluding: LikelyPhrases
    promised: Sequence[str]
    """Stems of a promise."""

    @classmethod
    def of(cls, text: str) -> _WeightCues:
        low = text.lower()
        return cls(_CONCLUDING.likely_in(low), PROMISED.stems_in(low))

    def found_in(self, said: str) -> bool:
        low = said.lower()
        if self.concluding.found_in(low):
            return True
        may_promise = any(map(low.__contains__, self.promised))
        return may_promise and any(True for _ in PROMISED.matches(said))


def _weight(said: str, cues: _WeightCues) -> float:
    weight = 1.0
    if _HEADING.match(said):
        weight *= IS_HEADING
    elif said.startswith("|"):
        weight *= IS_ROW
    elif said.endswith((":", "：")):
        weight *= ANNOUNCES
    elif "**" in said and _STRESSED.search(said):
        weight *= STRESSED
    elif any(map(said.__contains__, _MARKS)):
        weight *= MARKED
    if cues.found_in(said):
        weight *= CONCLUDES
    return weight


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
