"""A second look at the best hits: what programs said, and what the asker sees already.

Words alone rank the result of reading a file behind every message that names the file, and the
same short result many times before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from steno.facts.vocabulary import canonical_path
from steno.recall.rank import weigh_score
from steno.recall.rows import CHUNKS_MOST, FoundChunk, RowId
from steno.recall.sql import RecallSearch

Scored = Sequence[tuple[RowId, float]]
"""Messages, by their first rows, with their scores, best first."""

FILE_WEIGHT = 3.0
"""How much more a result counts whose call is about a file that the query names. What holds the
name counts `NAMED_WEIGHT` times, and a file seldom holds its own."""
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


def _repeated_last(
    ranked: Scored, results: Mapping[RowId, FoundChunk]
) -> list[tuple[RowId, float]]:
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
