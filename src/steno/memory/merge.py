"""Which memories of a user stand, and what a new one replaces.

The newest memory about a subject replaces older ones, and "forget that …" ends them. What is not
plainly about the same stands beside it, each with its day; a constraint is replaced only by its own
words, because with another number or name it is another constraint. An assistant's memory never
replaces a person's, and an earlier statement never a later one, whichever is learned first. Nothing
is deleted here: a new row names the rows it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from steno.core.errors import BadInput, NotHere
from steno.core.repair import encodable_text
from steno.core.store import GONE_MEMORY, Memory
from steno.facts.text import flatten
from steno.memory.cues import memory_cue
from steno.memory.extract import WORDS_MOST, MemoryCandidate, classify_memory
from steno.memory.traits import subject_of, topic_overlap, topic_words

MEANT = 0.5
"""Share of the words of two memories, or of a memory and "forget …", that must be equal."""
COMPARED_MOST = 1_000
"""Memories, the newest, whose words a preference or "forget …" is compared with."""
REPEATED_MOST = 32
"""Ids that a row repeats of an older one of its own session. The two are deleted together, so what
the older one replaced stays replaced without it; what another session's replaced is repeated.
"""


def live_memories(kept: Iterable[Memory]) -> list[Memory]:
    """Return the memories that hold, oldest first."""
    rows = list(kept)
    replaced = {id for row in rows for id in row.over}
    return [row for row in rows if row.kind != GONE_MEMORY and row.id not in replaced]


def learn_memories(
    kept: Sequence[Memory],
    found: Iterable[MemoryCandidate],
    source: str,
    when: Callable[[int], float],
    now: float,
) -> list[Memory]:
    """Return the new rows for `found`, with what each replaces; known ones give none.

    A time after `now` comes from a clock that was wrong, and makes no row a later one.
    """
    seen = {(row.position, row.kind, row.text) for row in kept if row.source == source}
    known = _Known(kept)
    new: list[Memory] = []
    for candidate in found:
        # A request to forget is kept without its words, which repeat what is to be forgotten.
        text = ""
        if candidate.kind != GONE_MEMORY:
            text = encodable_text(candidate.words)
        if (candidate.position, candidate.kind, text) in seen:
            continue
        seen.add((candidate.position, candidate.kind, text))
        time = min(when(candidate.position), now)
        if candidate.kind == GONE_MEMORY:
            meant = known.matching(candidate)
        else:
            meant = known.about_the_same(candidate)
            if any(_outweighs(row, candidate, time, now) for row in meant):
                continue
        older = [row.id for row in meant if not time < row.when <= now]
        # What is to be forgotten stays so when the session that asked for it is deleted.
        within = "" if candidate.kind == GONE_MEMORY else source
        over = _replaced_ids(older, known.rows, within)
        id, at = len(kept) + len(new) + 1, candidate.position
        new.append(Memory(id, candidate.kind, text, candidate.trust, source, at, time, over))
        known.add(new[-1])
    return new


class _Known:
    """The memories that stand while others are learned, found by what they are about."""

    def __init__(self, kept: Sequence[Memory]) -> None:
        self.rows = {row.id: row for row in kept}
        self._live: dict[int, Memory] = {}
        self._about: dict[tuple[str, str], dict[int, Memory]] = {}
        for row in live_memories(kept):
            self.add(row)

    def add(self, row: Memory) -> None:
        """Add the newest row; what it replaces stands no longer."""
        self.rows[row.id] = row
        for id in row.over:
            old = self._live.pop(id, None)
            for key in _keys(old.kind, old.text, subject_of(old.text)) if old else ():
                self._about[key].pop(id, None)
        if row.kind != GONE_MEMORY:
            self._live[row.id] = row
            for key in _keys(row.kind, row.text, subject_of(row.text)):
                self._about.setdefault(key, {})[row.id] = row

    def about_the_same(self, new: MemoryCandidate) -> list[Memory]:
        """Return the memories about what a new one is about."""
        found: dict[int, Memory] = {}
        for key in _keys(new.kind, new.words, new.key):
            found |= self._about.get(key, {})
        # "I like short answers." and then "I prefer detailed answers.", but not two likings.
        if new.kind == "preference" and memory_cue("prefers").search(new.words):
            said = topic_words(new.words)
            for row in self._newest():
                if row.kind == "preference" and topic_overlap(said, topic_words(row.text)) >= MEANT:
                    found[row.id] = row
        return list(found.values())

    def matching(self, release: MemoryCandidate) -> list[Memory]:
        """Return what a person wants forgotten: the nearest memories, if near enough."""
        near = [(topic_overlap(release.key, topic_words(row.text)), row) for row in self._newest()]
        best = max((share for share, _ in near), default=0.0)
        return [row for share, row in near if best >= MEANT and share == best]

    def _newest(self) -> Iterator[Memory]:
        return islice(reversed(self._live.values()), COMPARED_MOST)


def _keys(kind: str, words: str, subject: str) -> list[tuple[str, str]]:
    """Return what a memory has in common with those about the same: its words, or its subject."""
    keys = [("", flatten(words).lower())]
    if subject and kind != "constraint":
        keys.append((kind, subject))
    return keys


def add_memory(
    kept: Sequence[Memory],
    text: str,
    when: float,
) -> list[Memory]:
    """Return the rows for a memory that a person typed as one."""
    words = _clean_words(text)
    kind, key = classify_memory(words)
    candidate = MemoryCandidate(kind, words, "person", -1, key)
    rows = learn_memories(kept, [candidate], "", lambda position: when, when)
    return [replace(row, position=None) for row in rows]


def edit_memory(
    kept: Sequence[Memory],
    id: int,
    text: str,
    when: float,
) -> list[Memory]:
    """Return the row that rewords a memory; it is deleted with the session it came from.

    It cites no position: what stands there is what the person said before.
    """
    old = find_memory(kept, id)
    words = _clean_words(text)
    kind, _ = classify_memory(words)
    over = _replaced_ids([id], {row.id: row for row in kept})
    return [Memory(0, kind, words, "person", old.source, None, when, over)]


def delete_memory(
    kept: Sequence[Memory],
    id: int,
    when: float,
) -> list[Memory]:
    """Return the row that ends a memory and all that it replaced."""
    over = _replaced_ids([find_memory(kept, id).id], {row.id: row for row in kept})
    return [Memory(0, GONE_MEMORY, "", "person", "", None, when, over)]


def find_memory(kept: Sequence[Memory], id: int) -> Memory:
    """Return the memory with this number; raise `NotHere` if it does not stand."""
    live = {row.id: row for row in live_memories(kept)}
    if id not in live:
        listed = ", ".join(map(str, live)) or "none"
        raise NotHere(f"no memory has the number {id}; there are: {listed}")
    return live[id]


def _clean_words(text: str) -> str:
    words = flatten(encodable_text(text))
    if not words:
        raise BadInput("there is nothing to remember in an empty text")
    if len(words) > WORDS_MOST:
        raise BadInput(
            f"a memory has at most {WORDS_MOST} characters, this one has {len(words):,}: "
            "say it shorter"
        )
    return words


def _outweighs(row: Memory, new: MemoryCandidate, time: float, now: float) -> bool:
    """Return whether a row is later, or a person's while the new one is not."""
    return time < row.when <= now or (row.trust == "person" and new.trust != "person")


def _replaced_ids(
    ids: Iterable[int],
    rows: Mapping[int, Memory],
    source: str = "",
) -> tuple[int, ...]:
    """Return these and what they replaced, so that forgetting the newest revives none.

    What rows of the session `source` replaced is not repeated where it is much.
    """
    found: set[int] = set()
    todo = list(ids)
    while todo:
        id = todo.pop()
        if id not in found and id in rows:
            found.add(id)
            row = rows[id]
            if not source or row.source != source or len(row.over) <= REPEATED_MOST:
                todo.extend(row.over)
    return tuple(sorted(found))
