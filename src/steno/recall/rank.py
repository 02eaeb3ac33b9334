"""Rank what an index found, from lists of rows alone, so that every index ranks alike.

A database's own ranking counts a term's rows in the whole file, so that a session's ranking
would change with every other session; we count within the scope. The constants were chosen
on one half of the questions of `bench/recall.py`, and are reported on the other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from steno.recall.dates import AskedTime, asked_times
from steno.recall.rows import Occurrences, RecallSearch, RowId, RowTraits
from steno.recall.terms import ASKING, STOP, query_terms, stem

K1, B = 2.0, 1.0
"""BM25's constants. With B = 1 a word weighs by its share of the chunk, so that a chunk that
says little else ranks high."""
TIMES_MOST = 5
"""A term that occurs more often counts as if it occurred this often."""
POOL = 400
"""Rows whose traits are looked up, the best by their words alone."""
FUSION_K = 60
"""How slowly a rank loses weight in reciprocal rank fusion; the usual figure."""
TERMS_MOST = 32
ASKING_WEIGHT = 0.3
"""Weight of a word that belongs to the asking, not to what is asked for."""
SPEAKER_WEIGHT = 2.0
"""How much more the words of the one count whom the question is about."""
NAMED_WEIGHT = 1.5
"""How much more a message counts that holds a name or a quote exactly."""
TIME_WEIGHT = 2.0
"""How much more a message counts that was said when the question says."""

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


def rank_words(search: RecallSearch, query: str, now: float) -> list[tuple[RowId, float]]:
    """Return rows that hold words of the query, with scores, best first.

    `now` is when the query is asked: "last week" is seen from there.
    """
    scope = search.scope
    terms = query_terms(query)[:TERMS_MOST]
    content = [term for term in terms if term not in ASKING]
    found: list[Weighed] = []
    for term in terms:
        rows = search.occurrences(term)
        if rows:
            weight = _rarity(len(rows), scope.chunks)
            if content and term in ASKING:
                weight *= ASKING_WEIGHT
            found.append((weight, rows))
    # A term that most chunks hold tells little: it counts if there is no rarer one.
    rare = [(weight, rows) for weight, rows in found if len(rows) < scope.common]
    return _rank_bm25(search, rare or found, _weight_of_traits(query, now))


def _weight_of_traits(query: str, now: float) -> Callable[[RowTraits], float]:
    """Return what tells how much a row counts by who said it, and when."""
    speakers = _speaker_weights(query)
    times = asked_times(query, now)

    def weigh(traits: RowTraits) -> float:
        weight = speakers.get(traits.role, 1.0)
        said = traits.when
        if said is not None and any(time.since <= said < time.until for time in times):
            weight *= TIME_WEIGHT
        return weight

    return weigh


def asks_when_alone(query: str, times: Sequence[AskedTime]) -> bool:
    """Tell whether a question names a time and nothing else, as "what did we do yesterday?"."""
    for time in times:
        query = query.replace(time.words, " ")
    names = re.findall(r"\w+", query.lower())
    return bool(times) and all(name in STOP or stem(name) in ASKING for name in names)


def _speaker_weights(query: str) -> Mapping[str, float]:
    """Return what the words of each role weigh, if not 1.

    A person asks about what they told, and an agent about what it was told, unless the
    question is about an answer that was given, the output of a tool, or code.
    """
    if _ABOUT_REPLIES.search(query):
        return {"assistant": SPEAKER_WEIGHT}
    if _ABOUT_OUTPUT.search(query) or CODE_NAME.search(query):
        return {"user": SPEAKER_WEIGHT, "tool": SPEAKER_WEIGHT}
    return {"user": SPEAKER_WEIGHT}


def _rank_bm25(
    search: RecallSearch, found: Sequence[Weighed], weigh: Callable[[RowTraits], float]
) -> list[tuple[RowId, float]]:
    gains: dict[RowId, float] = {}
    for weight, rows in found:
        by_times = [weight * times * (K1 + 1) / (times + K1) for times in range(TIMES_MOST + 1)]
        for row, times in rows.items():
            gains[row] = gains.get(row, 0.0) + by_times[times]
    # Traits cost a look-up, so only the best by their words are scored with them.
    pool = sorted(gains, key=gains.__getitem__, reverse=True)[:POOL]
    scores = dict.fromkeys(pool, 0.0)
    mean = max(search.scope.mean, 1.0)
    for row, traits in search.traits(pool).items():
        # A result without words is found by its call, and has no terms of its own.
        damping = K1 * (1 - B + B * max(1, traits.size) / mean)
        for weight, rows in found:
            times = rows.get(row, 0)
            scores[row] += weight * times * (K1 + 1) / (times + damping)
        scores[row] *= weigh(traits)
    return sorted(scores.items(), key=lambda scored: (-scored[1], -scored[0]))


def rank_nearest(
    search: RecallSearch, query: str, now: float, nearest: Sequence[tuple[RowId, float]]
) -> list[tuple[RowId, float]]:
    """Return rows that are near in meaning, best first, by who said them and when too."""
    weigh = _weight_of_traits(query, now)
    traits = search.traits([row for row, _ in nearest])
    scored = [(row, score * weigh(traits[row])) for row, score in nearest if row in traits]
    return sorted(scored, key=lambda each: -each[1])


def _rarity(rows: int, chunks: int) -> float:
    """Return BM25's weight of a term that this many rows hold."""
    return math.log(1 + (max(chunks, rows) - rows + 0.5) / (rows + 0.5))


def fuse_scores(lists: Sequence[Mapping[T, float]]) -> list[tuple[T, float]]:
    """Add the scores of several lists, each as a share of its best; one alone stays as it is."""
    if len(lists) == 1:
        return list(lists[0].items())
    sums: dict[T, float] = {}
    for scores in lists:
        best = max(scores.values(), default=0.0)
        for item, score in scores.items():
            if score > 0:
                sums[item] = sums.get(item, 0.0) + score / best
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
