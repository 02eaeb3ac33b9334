"""Rank what an index found, from lists of rows alone, so that every index ranks alike.

The best get a second look. Words alone rank the result of reading a file behind every message that
names the file, and the same short result many times before anything else; and an agent sees some
of what it finds already.

A database's own ranking counts a term's rows in the whole file, so that a session's ranking
would change with every other session; we count within the scope.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from steno.facts.vocabulary import canonical_path
from steno.recall.rows import CHUNKS_MOST, Occurrences, RowId, RowTraits, TextChunk
from steno.recall.sql import RecallSearch
from steno.recall.terms import query_terms, stem

TIMES_MOST = 5
"""A term that occurs more often counts as if it occurred this often."""
POOL = 400
"""Rows whose traits are looked up, the best by their words alone."""
FUSION_K = 60
"""How slowly a rank loses weight in reciprocal rank fusion; the usual figure."""
TERMS_MOST = 32
STANDING = ((stem("always"),), (stem("prefer"),))
"""Stems of words that a person's lasting constraint or wish mostly holds."""
WORDS_WEIGHT = 0.7
"""What words count for beside meaning, which finds what is said in other words too."""
QUOTED_WEIGHT = 1.5
"""How much more a message counts that holds a quote exactly."""
K1, B = 1.2, 0.75
"""BM25's constants; the usual figures."""
SPEAKER_WEIGHT = 2.0
"""How much more the words of the one count whom the question is about."""
Scored = Sequence[tuple[RowId, float]]
"""Messages, by their first rows, with their scores, best first."""

FILE_WEIGHT = 3.0
"""How much more a result counts whose call is about a file that the query names, because a file
seldom holds its own name."""
SEEN_WEIGHT = 0.2
"""How much a message counts that the asker sees already: who asks looks for something else."""
SEEN_PLACE = 5
"""Where the best of all comes at the latest, seen or not: it may be what is asked for."""
COPY_WEIGHT = 0.2
"""How much an agent's own recall counts, and what it answered: all of it stands elsewhere."""
LOOKED_AT = 60
"""Messages that are looked at again, the best."""

_OWN_RECALL = re.compile(r"(?:.*__)?recall")
"""The agent's tool, also under the name that an MCP client gives it."""
_FILE = re.compile(r"[\w~/-][\w.~/-]{0,200}\.\w{1,8}(?!\w)")
"""A name with an ending, as `jest.config.js` or `src/app.py`."""

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
_LOOKS_BACK = re.compile(
    r"\b(?:did|was|were|had|has|have i|remind|summar\w{1,10}|throughout|across|so far"
    r"|previous(?:ly)?)\b"
    r"|\bi(?:['’]ve| have)? (?:mention|said|told|been|asked)",
    re.IGNORECASE,
)


def rank_words(search: RecallSearch, query: str) -> list[tuple[RowId, float]]:
    """Return rows that hold words of the query, with scores, best first."""
    scope = search.scope
    terms = query_terms(query)[:TERMS_MOST]
    found = _weigh_terms(search, terms)
    # Constraints bear on a wish that names what they are about, and on no other.
    if found and _is_wish(query):
        found += _weigh_terms(search, [word for word in STANDING if word not in terms])
    # A term that most chunks hold says little: it counts if there is no rarer one.
    rare = [(weight, rows) for weight, rows in found if len(rows) < scope.common]
    return _rank_bm25(search, rare or found, query)


def _weigh_terms(search: RecallSearch, terms: Sequence[tuple[str, ...]]) -> list[Weighed]:
    """Look terms up by all their forms, and weigh each by its rarity."""
    chunks = search.scope.chunks
    weighed: list[Weighed] = []
    for forms in terms:
        first, *others = (search.occurrences(form) for form in forms)
        rows = dict(first)
        for other in others:
            rows |= {row: max(times, rows.get(row, 0)) for row, times in other.items()}
        if rows:
            weighed.append((_rarity(len(rows), chunks), rows))
    return weighed


def _is_wish(query: str) -> bool:
    """Tell whether a query asks for something new, for which a person's lasting wishes count."""
    patterns = (_LOOKS_BACK, _ABOUT_REPLIES)
    return query.rstrip().endswith("?") and not any(each.search(query) for each in patterns)


def _speakers_asked_about(query: str) -> frozenset[str]:
    """Return the roles whose words the question is about.

    A person asks about what they told, and an agent about what it was told, unless the
    question is about an answer that was given, or about code.
    """
    if _ABOUT_REPLIES.search(query):
        return frozenset({"assistant"})
    if CODE_NAME.search(query):
        return frozenset({"user", "tool"})
    return frozenset({"user"})


def _rank_bm25(
    search: RecallSearch, found: Sequence[Weighed], query: str
) -> list[tuple[RowId, float]]:
    # What a term adds before its row's length counts, by how often it occurs.
    looked_up = [
        ([weight * times * (K1 + 1) for times in range(TIMES_MOST + 1)], rows)
        for weight, rows in found
    ]
    gains: dict[RowId, float] = {}
    for weighed, rows in looked_up:
        by_times = [gain / (times + K1) for times, gain in enumerate(weighed)]
        for row, times in rows.items():
            gains[row] = gains.get(row, 0.0) + by_times[times]
    # Traits cost a look-up, so only the best by their words are scored with them.
    pool = sorted(gains, key=gains.__getitem__, reverse=True)[:POOL]
    traits = search.traits(pool)
    by_words = dict.fromkeys(pool, 0.0)
    mean = max(search.scope.mean, 1.0)
    for row, known in traits.items():
        # A result without words is found by its call, and has no terms of its own.
        length = max(1, known.size) / mean
        damping = K1 * (1 - B + B * length)
        score = 0.0
        for weighed, rows in looked_up:
            if row in rows:
                times = rows[row]
                score += weighed[times] / (times + damping)
        by_words[row] = score
    return _rank_roles(by_words, traits, query)


def _rank_roles(
    scores: Mapping[RowId, float], traits: Mapping[RowId, RowTraits], query: str
) -> list[tuple[RowId, float]]:
    """Rank rows by their scores and by whose words they are; the newer of equals first."""
    asked_about = _speakers_asked_about(query)
    weighed = dict.fromkeys(scores, 0.0)
    for row, known in traits.items():
        weight = 1.0
        if known.role in asked_about:
            weight = SPEAKER_WEIGHT
        weighed[row] = weight * scores[row]
    return sorted(weighed.items(), key=lambda scored: (-scored[1], -scored[0]))


def rank_nearest(
    search: RecallSearch, query: str, nearest: Sequence[tuple[RowId, float]]
) -> list[tuple[RowId, float]]:
    """Return rows that are near in meaning, best first, by who said them too."""
    traits = search.traits([row for row, _ in nearest])
    known = {row: score for row, score in nearest if row in traits}
    return _rank_roles(known, traits, query)


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
            scores[item] = scores.get(item, 0.0) * QUOTED_WEIGHT
    return sorted(scores.items(), key=lambda scored: -scored[1])


def fuse_ranks(lists: Sequence[Iterable[T]]) -> list[tuple[T, float]]:
    """Fuse lists by reciprocal rank: what several lists agree on comes first."""
    scores: dict[T, float] = {}
    for ranks in lists:
        for rank, item in enumerate(ranks, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (FUSION_K + rank)
    return sorted(scores.items(), key=lambda scored: -scored[1])


def lower_seen(scored: Scored, is_seen: Callable[[RowId], bool]) -> list[tuple[RowId, float]]:
    """Lower the scores of messages that the asker sees already."""
    scores = dict(scored)
    for message in filter(is_seen, scores):
        scores[message] = weigh_score(scores[message], SEEN_WEIGHT)
    lowered = sorted(scores.items(), key=lambda each: -each[1])
    if len(lowered) > SEEN_PLACE:
        best, _ = scored[0]
        scores[best] = max(scores[best], lowered[SEEN_PLACE - 1][1])
    return sorted(scores.items(), key=lambda each: -each[1])


def rank_results(
    scored: Scored,
    rows: Mapping[RowId, RowId],
    search: RecallSearch,
    query: str,
) -> list[tuple[RowId, float]]:
    """Rank the best messages again by what is known of results; repeated ones come last of them.

    `rows` has the row of each message that was found.
    """
    first = scored[:LOOKED_AT]
    chunks = search.chunks([rows[message] for message, _ in first])
    results = {
        message: chunks[rows[message]]
        for message, _ in first
        if rows[message] in chunks and chunks[rows[message]].role == "tool"
    }
    files = _files_in(query)
    scores = dict(first)
    for message, _ in first:
        found = chunks.get(rows[message])
        if found is not None and _OWN_RECALL.fullmatch(found.tool):
            scores[message] = weigh_score(scores[message], COPY_WEIGHT)
    for message, chunk in results.items():
        if any(file in chunk.paths for file in files):
            scores[message] = weigh_score(scores[message], FILE_WEIGHT)
    ranked = sorted(scores.items(), key=lambda each: -each[1])
    return [*_repeated_last(ranked, results), *scored[LOOKED_AT:]]


def find_pairs(
    messages: Sequence[RowId], rows: Mapping[RowId, RowId], search: RecallSearch
) -> dict[RowId, RowId]:
    """Return the result of each call and the call of each result, if they follow each other.

    By the first rows of the messages; `rows` has the row of each that was found.
    """
    beside = [message + step for message in messages for step in (-CHUNKS_MOST, CHUNKS_MOST)]
    looked_up = search.traits([*beside, *(rows[message] for message in messages)])
    roles = {row: traits.role for row, traits in looked_up.items()}
    pairs: dict[RowId, RowId] = {}
    for message in messages:
        # By the rules of every provider, a result follows the call that it answers.
        match roles.get(rows[message]):
            case "tool":
                other, role = message - CHUNKS_MOST, "assistant"
            case "assistant":
                other, role = message + CHUNKS_MOST, "tool"
            case _:
                continue
        if roles.get(other) == role and search.scope.holds(other):
            pairs[message] = other
    return pairs


def fold_pairs(scored: Scored, pairs: Mapping[RowId, RowId]) -> list[tuple[RowId, float]]:
    """Leave out each message whose other half ranks before it."""
    kept: dict[RowId, float] = {}
    for message, score in scored:
        other = pairs.get(message)
        # A message may hold more than its half, as what a person typed beside a result.
        if other not in kept or pairs.get(other) != message:
            kept[message] = score
    return list(kept.items())


def _files_in(query: str) -> list[str]:
    """Return the files that a query names, as `TextChunk.paths` has them."""
    return [f"/{canonical_path(name).strip('/')}/" for name in _FILE.findall(query)]


def _repeated_last(ranked: Scored, results: Mapping[RowId, TextChunk]) -> list[tuple[RowId, float]]:
    """Put results after the others that say what a better one of the same tool says."""
    said: set[tuple[str, str]] = set()
    once: list[tuple[RowId, float]] = []
    again: list[tuple[RowId, float]] = []
    for message, score in ranked:
        chunk = results.get(message)
        if chunk is not None and (chunk.tool, chunk.text) in said:
            again.append((message, score))
            continue
        once.append((message, score))
        if chunk is not None:
            said.add((chunk.tool, chunk.text))
    return [*once, *again]
