"""Turn ranked rows into hits: one per message, with a snippet and who wrote its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

import msgspec

from steno.core.message import Call, Message, Text
from steno.core.store import SessionInfo, Store
from steno.facts.authorship import split_by_author
from steno.facts.equipment import LINE_NUMBER
from steno.facts.fact import Trust
from steno.facts.vocabulary import CHANGES, KNOWN_TOOLS
from steno.recall.chunks import searchable_text
from steno.recall.fill import ReaderFor
from steno.recall.query import Hit, MatchKind, Query
from steno.recall.rank import (
    WORDS_WEIGHT,
    confirm_scores,
    find_pairs,
    fold_pairs,
    fuse_ranks,
    fuse_scores,
    lower_seen,
    rank_results,
)
from steno.recall.rows import RowId, TextChunk, message_row, position_of, session_number
from steno.recall.sql import RecallSearch
from steno.recall.terms import ENGLISH, name_terms, query_language, query_terms

SNIPPET_LENGTH = 420
SNIPPET_BEFORE = 80
"""Characters that are shown before the match."""
PLACES_MOST = 4_000
"""Words of a text that are considered for a snippet."""
QUERIES_KEPT = 16

_NAME = re.compile(r"\w+")
_LEAST_TRUSTED_FIRST: tuple[Trust, ...] = ("tool", "assistant", "person", "system")


@dataclass(frozen=True)
class Spot:
    """Where in a text something was found."""

    start: int
    stop: int
    text: str
    shift: int = 0
    """Where in its block the text begins."""


@dataclass(frozen=True)
class RankedRows:
    """Rows in the order of one way of looking."""

    why: MatchKind
    rows: Sequence[RowId]
    scores: Mapping[RowId, float] | None = None

    def best_rows(self) -> dict[RowId, RowId]:
        """Return the best row of each message, in order, by the message's first row."""
        best: dict[RowId, RowId] = {}
        for row in self.rows:
            best.setdefault(message_row(row), row)
        return best


def find_spot(text: str, query: str) -> Spot:
    """Find the query's very words, or the stretch that holds most of them."""
    # In small letters, each at its place: this one alone would become two.
    small = text.replace("İ", "i").lower()
    quote = query.strip().replace("İ", "i").lower()
    start = small.find(quote)
    if quote and start >= 0:
        return Spot(start, start + len(quote), text)
    places = _term_places(text, *_wanted_terms(query))
    if not places:
        return Spot(0, min(len(text), SNIPPET_LENGTH), text)
    length = SNIPPET_LENGTH - SNIPPET_BEFORE
    # A word that the text says once tells more of the place than one that it says everywhere.
    often = Counter(term for _, _, term in places)
    most = worth = 0.0
    start = stop = 0
    within: Counter[str] = Counter()
    for begin, _, term in places:
        while stop < len(places) and places[stop][1] <= begin + length:
            entered = places[stop][2]
            if not within[entered]:
                worth += 1 / often[entered]
            within[entered] += 1
            stop += 1
        if worth > most + 1e-9:
            most, start = worth, begin
        within[term] -= 1
        if not within[term]:
            worth -= 1 / often[term]
    return Spot(start, min(len(text), start + length), text)


# Every hit of a search asks for the terms of the same query.
@lru_cache(maxsize=QUERIES_KEPT)
def _wanted_terms(query: str) -> tuple[str, frozenset[str]]:
    """Return the language of a query, and its terms in all their forms."""
    forms = (form for forms in query_terms(query) for form in forms)
    return query_language(query), frozenset(forms)


def _term_places(text: str, language: str, wanted: frozenset[str]) -> list[tuple[int, int, str]]:
    """Return where the names that hold wanted terms begin and end, each with the term."""
    places: list[tuple[int, int, str]] = []
    if not wanted:
        return places
    for name in _NAME.finditer(text):
        terms = name_terms(name[0])
        if language != ENGLISH:
            terms += name_terms(name[0], language)
        # Most names are not wanted.
        if wanted.isdisjoint(terms):
            continue
        places += [(*name.span(), term) for term in terms if term in wanted]
        if len(places) >= PLACES_MOST:
            break
    return places


def shown_span(spot: Spot) -> tuple[int, int]:
    """Return from where to where a text is shown around the match."""
    start = max(0, min(spot.start - SNIPPET_BEFORE, len(spot.text) - SNIPPET_LENGTH))
    return start, min(len(spot.text), start + SNIPPET_LENGTH)


def snippet(spot: Spot) -> str:
    """Return one line around the match, with dots where it was cut."""
    start, stop = shown_span(spot)
    line = " ".join(LINE_NUMBER.sub("", spot.text[start:stop]).split())
    if start:
        line = f"… {line}"
    if stop < len(spot.text):
        line = f"{line} …"
    return line


def narrow_to_author(message: Message, block: int, spot: Spot) -> Spot:
    """Narrow the text around a match in a user's message to the author of most of the match.

    So a person's question beside a paste is shown as theirs, and the paste as a tool's words.
    """
    if message.role != "user":
        return spot
    narrowed = spot
    most = end = 0
    pieces = (piece for piece in split_by_author(message) if piece.block == block)
    for _, together in groupby(pieces, key=lambda piece: piece.trust):
        start, end = end, end + sum(len(piece.text) for piece in together)
        first = max(0, start - spot.shift)
        text = spot.text[first : max(0, end - spot.shift)]
        shared = min(first + len(text), spot.stop) - max(first, spot.start)
        if shared > most:
            most = shared
            begin = max(0, spot.start - first)
            narrowed = Spot(begin, begin + shared, text, spot.shift + first)
    return narrowed


def trust_of(message: Message, block: int, spot: Spot) -> Trust:
    """Return the least trusted author of the words that are shown."""
    start, stop = (spot.shift + at for at in shown_span(spot))
    match message.blocks[block : block + 1]:
        case (Call(),):
            return "assistant"
        # In an assistant's text, only what stands between our own fences is not its own.
        case (Text(text),) if message.role == "assistant" and "<steno-" not in text:
            if message.by == "steno":
                return "tool"
            return "assistant"
    authors: set[Trust] = set()
    at = 0
    for piece in split_by_author(message):
        if piece.block != block:
            continue
        if at < stop and at + len(piece.text) > start:
            authors.add(piece.trust)
        at += len(piece.text)
    for trust in _LEAST_TRUSTED_FIRST:
        if trust in authors:
            return trust
    return "tool"


def _first_path(paths: str) -> str:
    """Return the first of a chunk's paths; a command works in `.`, which tells nothing."""
    path = paths.partition("\n")[0].strip("/")
    if path == ".":
        return ""
    return path


@dataclass(frozen=True)
class HitBuilder:
    """Builds the hits of one search."""

    store: Store
    reads: ReaderFor
    sessions: Mapping[str, SessionInfo]
    search: RecallSearch
    query: Query
    session: str
    """The session that searches; what it inherited is shown under its own name."""
    clean: Callable[[str], str] = str
    """Takes secrets out of what Steno said, which no reader does."""

    def build_hits(self, lists: Sequence[RankedRows]) -> tuple[tuple[Hit, ...], int]:
        """Return the best messages, and how many more there are."""
        ranked = [(each, each.best_rows()) for each in lists if each.rows]
        rows: dict[RowId, RowId] = {}
        for _, best in reversed(ranked):
            rows |= best
        names = self.search.names(rows)
        infos = {
            number: self.sessions[name] for number, name in names.items() if name in self.sessions
        }
        scored = self._score_messages(ranked, rows, infos)
        pairs: dict[RowId, RowId] = {}
        # A search for the very words, or by a filter alone, lists every message.
        if any(each.scores for each, _ in ranked):
            best_first = [message for message, _ in scored]
            # Twice as many as are wanted: each may be the other half of one before it.
            pairs = find_pairs(best_first[: 2 * self.query.most], rows, self.search)
        chosen = fold_pairs(scored, pairs)[: self.query.most]
        found_by = {
            message: [each for each, best in ranked if message in best] for message, _ in chosen
        }
        chunks = self.search.chunks([rows[message] for message, _ in chosen])
        shown_rows = {message: rows[message] for message, _ in chosen}
        # A result that says nothing of what is looked for ("updated") was found by its call.
        for message in shown_rows.keys() & pairs.keys():
            found = chunks.get(rows[message])
            # A filter may allow one half alone.
            if found is None or found.role != "tool" or self.query.filters:
                continue
            # What a change put there stands in its call, too.
            changes = KNOWN_TOOLS.tool(found.tool).action in CHANGES
            if changes or not self._is_about(found.text):
                shown_rows[message] = rows.get(pairs[message], pairs[message])
        chunks |= self.search.chunks([*set(shown_rows.values()) - chunks.keys()])
        hits: list[Hit] = []
        for message, score in chosen:
            row = shown_rows[message]
            info = infos.get(session_number(row))
            if info is not None and row in chunks:
                hit = self._hit(row, info, chunks[row], found_by[message], score)
                if message in pairs:
                    # The half that is not shown.
                    other = message
                    if row == rows[message]:
                        other = pairs[message]
                    hit = [replace(each, pair=position_of(other)) for each in hit]
                hits += hit
        shown = {message for message, _ in chosen}
        shown |= {pairs[message] for message in shown & pairs.keys()}
        return tuple(hits), sum(message not in shown for message, _ in scored)

    def _is_about(self, text: str) -> bool:
        """Tell whether a text holds a word of the query."""
        return bool(_term_places(text, *_wanted_terms(self.query.query)))

    def _score_messages(
        self,
        ranked: Sequence[tuple[RankedRows, Mapping[RowId, RowId]]],
        rows: Mapping[RowId, RowId],
        infos: Mapping[int, SessionInfo],
    ) -> list[tuple[RowId, float]]:
        """Return the messages that were found with their scores, best first."""

        def is_seen(row: RowId) -> bool:
            if position_of(row) not in self.query.seen:
                return False
            info = infos.get(session_number(row))
            # In a search of one session, what a fork inherited stands under its parent's name.
            return self.query.where == "session" or (info is not None and info.name == self.session)

        by_score = [
            (
                WORDS_WEIGHT if each.why == "words" else 1.0,
                {message: each.scores[row] for message, row in best.items()},
            )
            for each, best in ranked
            if each.scores
        ]
        by_rank = [best for each, best in ranked if not each.scores]
        # Scores tell more than ranks, which then only confirm what has a score.
        if not by_score:
            return lower_seen(fuse_ranks(by_rank), is_seen)
        scored = confirm_scores(fuse_scores(by_score), by_rank)
        scored = lower_seen(scored, is_seen)
        return rank_results(scored, rows, self.search, self.query.query)

    def _hit(
        self,
        row: RowId,
        info: SessionInfo,
        chunk: TextChunk,
        found_by: Sequence[RankedRows],
        score: float,
    ) -> list[Hit]:
        """Return the hit; none if its session was deleted during the search."""
        position = position_of(row)
        message = self._message(info, position)
        if message is None:
            return []
        said = "".join(map(searchable_text, message.blocks[chunk.block : chunk.block + 1]))
        if message.by == "steno":
            said = self.clean(said)
        if chunk.text not in said:
            # It was kept with secrets that this session takes out.
            chunk = msgspec.structs.replace(chunk, text=said, start=0, paths="")
        spot = replace(find_spot(chunk.text, self.query.query), shift=chunk.start)
        spot = narrow_to_author(message, chunk.block, spot)
        place = str(position)
        if len(message.blocks) != 1:
            place = f"{position}.{chunk.block}"
        session = info.name
        if self.query.where == "session":
            session = self.session
        hit = Hit(
            session=session,
            position=position,
            place=place,
            role=chunk.role,
            tool=chunk.tool,
            snippet=snippet(spot),
            score=round(score, 6),
            why=tuple(dict.fromkeys(ranked.why for ranked in found_by)),
            trust=trust_of(message, chunk.block, spot),
            when=chunk.when,
            path=_first_path(chunk.paths),
            start=spot.shift + shown_span(spot)[0],
        )
        return [hit]

    def _message(self, info: SessionInfo, position: int) -> Message | None:
        found = self.store.messages_from(info.key, self.reads(info), position, 1)
        if found and found[0].position == position:
            return found[0].message
        return None
