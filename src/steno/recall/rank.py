"""Rank what an index found, from lists of rows alone, so that every index ranks alike.

A database's own ranking counts a term's rows in the whole file, so that a session's ranking
would change with every other session; we count within the scope.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from steno.recall.dates import AskedTime, asked_times
from steno.recall.rows import (
    CHUNKS_MOST,
    Occurrences,
    RecallSearch,
    RowId,
    RowTraits,
    message_row,
)
from steno.recall.terms import ASKING, STOP, query_terms, related_terms, stem
from steno.recall.told import telling

TIMES_MOST = 5
"""A term that occurs more often counts as if it occurred this often."""
POOL = 400
"""Rows whose traits are looked up, the best by their words alone."""
FUSION_K = 60
"""How slowly a rank loses weight in reciprocal rank fusion; the usual figure."""
TERMS_MOST = 32
RELATED_MOST = 12
"""Terms of a question up to which related ones are looked up too; each costs time."""
STANDING = ("alwai", "prefer")
"""Stems of words that a lasting rule or wish of a person mostly holds."""
PLACE = 6
"""Messages before and after one that are about the same, mostly."""
TOLD_WEIGHT = 0.13
"""How much more a message counts in which a person tells more, as an exponent."""
TELLING_MOST = 2.0
"""What tells more, or less, counts as if it told this much."""
TOLD_MOST = 30
"""Messages that are read for what they tell, the best."""
WORDS_WEIGHT = 0.7
"""What words count for beside meaning, which finds what is said in other words too."""
NAMED_WEIGHT = 1.5
"""How much more a message counts that holds a name or a quote exactly."""


@dataclass(frozen=True)
class RankWeights:
    """What ranking by words is fitted with.

    The figures are those that `bench/fit_recall.py` found on one half of the questions of
    LongMemEval and BEAM; `place`, `brief` and `related` were chosen on LoCoMo, REALTALK and
    longer conversations of BEAM too. `bench/recall.py` reports them on the other half.
    """

    k1: float = 2.0
    """BM25's constant: how much a term's second occurrence adds."""
    b: float = 1.0
    """BM25's constant: at 1 a word weighs by its share of the chunk, so that a chunk that says
    little else ranks high."""
    asking: float = 0.3
    """Weight of a word that belongs to the asking, not to what is asked for."""
    speaker: float = 2.0
    """How much more the words of the one count whom the question is about."""
    time: float = 3.0
    """How much more a message counts that was said when the question says."""
    near: float = 0.1
    """Share of the scores of the messages before and after that a message gets."""
    place: float = 0.15
    """Share of the best score among the `PLACE` messages before and after, for what a person
    wrote: people stay with a subject for a while."""
    brief: float = 20.0
    """Words that are added to the size of what a person wrote, so that three words of theirs do
    not rank before all others."""
    related: float = 0.3
    """Weight of a word that is not in a question, but often in what answers it."""


FITTED = RankWeights()
MEANING = replace(FITTED, time=2.0)
"""For ranking by meaning, which was not part of the fit."""

Weighed = tuple[float, Occurrences]
"""What a term weighs, and where it occurs."""
T = TypeVar("T", bound=Hashable)

CODE_NAME = re.compile(
    r"(?:~?/)?(?:[\w.-]{1,80}/){1,20}[\w-]{1,80}\.\w{1,8}"
    r"|[\w-]{2,80}\.[a-z]{1,4}(?=\W{0,3}(?:\s|$))"
    r"|[^\W_]{1,80}_\w{1,80}"
    r"|[a-z]{1,80}[A-Z]\w{1,80}"
)
"""Names in programs: a path, a file, snake_case, camelCase."""

_TOLD = (
    "said|told|mentioned|recommended|suggested|gave|provided|listed|explained|described|created|"
    "wrote|shared|advised|showed|proposed|made|used|found"
)
_ABOUT_REPLIES = re.compile(
    rf"\byou (?:\w{{1,30}} ){{0,2}}?(?:{_TOLD})\b"
    r"|\b(?:did|had|have) you\b"
    r"|\byour (?:answer|advice|suggestion|recommendation|list|reply|response)"
    r"|\b(?:previous|earlier|last|past) (?:chat|conversation|discussion|session)"
    r"|\b(?:hast du|haben sie|hattest du) (?:\w{1,30} ){0,8}?(?:gesagt|empfohlen|vorgeschlagen)"
    r"|\b(?:tu as|vous avez|as-tu|avez-vous) (?:dit|recommandé|proposé|suggéré)"
    r"|\b(?:dijiste|recomendaste|sugeriste|propusiste)\b"
    r"|你(?:之前|上次)?(?:说|推荐|建议|提到)",
    re.IGNORECASE,
)
"""A question to an assistant about what it said, not about what it was told."""
_ABOUT_OUTPUT = re.compile(
    r"\b(?:errors?|fail(?:s|ed|ures?|ing)?|output|traceback|exceptions?|stack ?trace|printed|stderr"
    r"|stdout|fehler|ausgabe|erreurs?|échoué|sortie|fallos?|salida)\b|报错|错误|输出",
    re.IGNORECASE,
)
"""A question about what a program said."""
_WISH = re.compile(
    r"\b(?:can|could|would|will) you\b|\b(?:should|can|could) (?:i|we)\b"
    r"|\bhow (?:to|do|would|should|can|could)\b"
    r"|\bwhat(?:['’]s| is| are| would be) (?:some|an?|the best|good|common)\b"
    r"|\bwhat (?:steps|types?|kinds?|factors)\b"
    r"|\b(?:suggest(?:ions?)?|recommend(?:ations?)?|advice|ideas|tips)\b",
    re.IGNORECASE,
)
_LOOKS_BACK = re.compile(
    r"\b(?:did|was|were|had|has|have i|remind|summar\w{1,10}|throughout|across|so far"
    r"|previous(?:ly)?)\b"
    r"|\bi(?:['’]ve| have)? (?:mention|said|told|been|asked)",
    re.IGNORECASE,
)


def rank_words(
    search: RecallSearch, query: str, now: float, weights: RankWeights = FITTED
) -> list[tuple[RowId, float]]:
    """Return rows that hold words of the query, with scores, best first.

    `now` is when the query is asked: "last week" is seen from there.
    """
    scope = search.scope
    terms = query_terms(query)[:TERMS_MOST]
    found = _weigh_terms(search, _own_shares(terms, weights))
    # Other words help to find what some of its own words are about, and find nothing alone.
    if found and query.rstrip().endswith("?"):
        found += _weigh_terms(search, _other_shares(query, terms, weights))
    # A term that most chunks hold tells little: it counts if there is no rarer one.
    rare = [(weight, rows) for weight, rows in found if len(rows) < scope.common]
    return _rank_bm25(search, rare or found, _weight_of_traits(query, now, weights), weights)


def _weigh_terms(search: RecallSearch, shares: Mapping[str, float]) -> list[Weighed]:
    """Look terms up; each has a share of the weight that its rarity gives it."""
    chunks = search.scope.chunks
    looked_up = [(share, search.occurrences(term)) for term, share in shares.items()]
    return [(share * _rarity(len(rows), chunks), rows) for share, rows in looked_up if rows]


def _own_shares(terms: Sequence[str], weights: RankWeights) -> dict[str, float]:
    """Return the shares of a query's own terms."""
    has_content = any(term not in ASKING for term in terms)
    return {term: weights.asking if has_content and term in ASKING else 1.0 for term in terms}


def _other_shares(query: str, terms: Sequence[str], weights: RankWeights) -> dict[str, float]:
    """Return the shares of terms that a question does not hold, but what answers it may."""
    related = [term for term in related_terms(terms) if term not in terms]
    shares = dict.fromkeys(related[: max(0, RELATED_MOST - len(terms))], weights.related)
    if _is_wish(query):
        shares |= {term: 1.0 for term in STANDING if term not in terms}
    return shares


def _is_wish(query: str) -> bool:
    """Tell whether a query asks for something new, for which a person's lasting wishes count."""
    patterns = (_LOOKS_BACK, _ABOUT_REPLIES)
    return _WISH.search(query) is not None and not any(each.search(query) for each in patterns)


def _weight_of_traits(query: str, now: float, weights: RankWeights) -> Callable[[RowTraits], float]:
    """Return what tells how much a row counts by who said it, and when."""
    asked_about = _speakers_asked_about(query)
    times = asked_times(query, now)

    def weigh(traits: RowTraits) -> float:
        weight = weights.speaker if traits.role in asked_about else 1.0
        said = traits.when
        if times and said is not None and any(time.since <= said < time.until for time in times):
            weight *= weights.time
        return weight

    return weigh


def asks_when_alone(query: str, times: Sequence[AskedTime]) -> bool:
    """Tell whether a question names a time and nothing else, as "what did we do yesterday?"."""
    for time in times:
        query = query.replace(time.words, " ")
    names = re.findall(r"\w+", query.lower())
    return bool(times) and all(name in STOP or stem(name) in ASKING for name in names)


def _speakers_asked_about(query: str) -> frozenset[str]:
    """Return the roles whose words the question is about.

    A person asks about what they told, and an agent about what it was told, unless the
    question is about an answer that was given, the output of a tool, or code.
    """
    if _ABOUT_REPLIES.search(query):
        return frozenset({"assistant"})
    if _ABOUT_OUTPUT.search(query) or CODE_NAME.search(query):
        return frozenset({"user", "tool"})
    return frozenset({"user"})


def _rank_bm25(
    search: RecallSearch,
    found: Sequence[Weighed],
    weigh: Callable[[RowTraits], float],
    weights: RankWeights,
) -> list[tuple[RowId, float]]:
    k1 = weights.k1
    # What a term adds before its row's length counts, by how often it occurs.
    looked_up = [
        ([weight * times * (k1 + 1) for times in range(TIMES_MOST + 1)], rows)
        for weight, rows in found
    ]
    gains: dict[RowId, float] = {}
    for weighed, rows in looked_up:
        by_times = [gain / (times + k1) for times, gain in enumerate(weighed)]
        for row, times in rows.items():
            gains[row] = gains.get(row, 0.0) + by_times[times]
    # Traits cost a look-up, so only the best by their words are scored with them.
    pool = sorted(gains, key=gains.__getitem__, reverse=True)[:POOL]
    traits = search.traits(pool)
    by_words = dict.fromkeys(pool, 0.0)
    mean = max(search.scope.mean, 1.0)
    for row, known in traits.items():
        # A result without words is found by its call, and has no terms of its own.
        brief = weights.brief if known.role == "user" else 0.0
        length = (max(1, known.size) + brief) / (mean + brief)
        damping = k1 * (1 - weights.b + weights.b * length)
        score = 0.0
        for weighed, rows in looked_up:
            if row in rows:
                times = rows[row]
                score += weighed[times] / (times + damping)
        by_words[row] = score
    return _rank_places(by_words, traits, weigh, weights)


def _rank_places(
    by_row: Mapping[RowId, float],
    traits: Mapping[RowId, RowTraits],
    weigh: Callable[[RowTraits], float],
    weights: RankWeights,
) -> list[tuple[RowId, float]]:
    """Rank rows by their own scores, by what is around them, who said them and when."""
    best: dict[RowId, float] = {}
    for row, score in by_row.items():
        message = message_row(row)
        best[message] = max(best.get(message, 0.0), score)
    around = _best_around(best)
    scores = dict.fromkeys(by_row, 0.0)
    for row, known in traits.items():
        # What is said before and after a message tells what it is about, too.
        first = message_row(row)
        beside = best.get(first - CHUNKS_MOST, 0.0) + best.get(first + CHUNKS_MOST, 0.0)
        share = weights.near * beside
        if known.role == "user":
            share += weights.place * around.get(first, 0.0)
        scores[row] = weigh(known) * (by_row[row] + share)
    return sorted(scores.items(), key=lambda scored: (-scored[1], -scored[0]))


def _best_around(best: Mapping[RowId, float]) -> dict[RowId, float]:
    """Return the best score among the `PLACE` messages before and after each, if there is one.

    Few of them were found, so going through those that were takes less time than asking for all.
    """
    around: dict[RowId, float] = {}
    messages = sorted(best)
    for number, message in enumerate(messages, start=1):
        for other in messages[number : number + PLACE]:
            if other - message > PLACE * CHUNKS_MOST:
                break
            around[message] = max(around.get(message, 0.0), best[other])
            around[other] = max(around.get(other, 0.0), best[message])
    return around


def rank_nearest(
    search: RecallSearch, query: str, now: float, nearest: Sequence[tuple[RowId, float]]
) -> list[tuple[RowId, float]]:
    """Return rows that are near in meaning, best first, by who said them and when too."""
    weigh = _weight_of_traits(query, now, MEANING)
    traits = search.traits([row for row, _ in nearest])
    known = {row: score for row, score in nearest if row in traits}
    return _rank_places(known, traits, weigh, MEANING)


def raise_told(
    scored: Sequence[tuple[RowId, float]],
    rows: Mapping[RowId, RowId],
    search: RecallSearch,
    query: str,
) -> list[tuple[RowId, float]]:
    """Raise the scores of the best messages in which people tell much, and lower those of others.

    `rows` has the row of each message that was found. A question about what the assistant
    answered, and a request, are not about what people told.
    """
    if "user" not in _speakers_asked_about(query) or _is_wish(query):
        return list(scored)
    scores = dict(scored)
    found = {rows[message]: message for message, _ in scored[:TOLD_MOST]}
    for row, chunk in search.chunks(list(found)).items():
        if chunk.role == "user":
            told = min(TELLING_MOST, max(-TELLING_MOST, telling(chunk.text)))
            message = found[row]
            scores[message] = weigh_score(scores[message], math.exp(TOLD_WEIGHT * told))
    return sorted(scores.items(), key=lambda each: -each[1])


def weigh_score(score: float, weight: float) -> float:
    """Return a score that counts so much; a weight over 1 raises one below zero, too."""
    if score < 0:
        return score / weight
    return score * weight


def _rarity(rows: int, chunks: int) -> float:
    """Return BM25's weight of a term that this many rows hold."""
    return math.log(1 + (max(chunks, rows) - rows + 0.5) / (rows + 0.5))


def fuse_scores(lists: Sequence[tuple[float, Mapping[T, float]]]) -> list[tuple[T, float]]:
    """Add the scores of several lists, each as a share of its best; one alone stays as it is.

    Each list comes with what it counts for.
    """
    if len(lists) == 1:
        return list(lists[0][1].items())
    sums: dict[T, float] = {}
    for weight, scores in lists:
        best = max(scores.values(), default=0.0)
        for item, score in scores.items():
            if score > 0:
                sums[item] = sums.get(item, 0.0) + weight * score / best
    return sorted(sums.items(), key=lambda scored: -scored[1])


def confirm_scores(
    scored: Sequence[tuple[T, float]], lists: Sequence[Iterable[T]]
) -> list[tuple[T, float]]:
    """Raise the scores of what is in lists without scores; put what has none after the others."""
    scores = dict(scored)
    for items in lists:
        for item in items:
            scores[item] = scores.get(item, 0.0) * NAMED_WEIGHT
    return sorted(scores.items(), key=lambda scored: -scored[1])


def fuse_ranks(lists: Sequence[Iterable[T]]) -> list[tuple[T, float]]:
    """Fuse lists by reciprocal rank: what several lists agree on comes first."""
    scores: dict[T, float] = {}
    for ranks in lists:
        for rank, item in enumerate(ranks, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (FUSION_K + rank)
    return sorted(scores.items(), key=lambda scored: -scored[1])
