"""Which memories of a user stand, and what a new one replaces.

The newest memory about a subject replaces older ones, and "forget that …" ends them. What is not
plainly about the same stands beside it, each with its day. An assistant's memory never replaces a
person's, and an earlier statement never a later one, whichever is learned first. Nothing is deleted
here: a new row names the rows it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from steno.core.errors import BadInput, NotHere
from steno.core.repair import encodable_text
from steno.core.store import GONE_MEMORY, Memory
from steno.facts.text import flatten
from steno.memory.cues import memory_cue
from steno.memory.extract import WORDS_MOST, MemoryCandidate, classify_memory
from steno.memory.traits import subject_of, topic_overlap, topic_words

MEANT = 0.5
"""Share of the words of two memories, or of a memory and "forget …", that must be equal."""
CONSTRAINT_KINDS = {"constraint", "preference"}


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
        # Anew each time: what was learned a moment ago may have replaced a memory already.
        live = live_memories([*kept, *new])
        if candidate.kind == GONE_MEMORY:
            meant = _matching_memories(candidate, live)
        else:
            meant = [row for row in live if _same_subject(candidate, row)]
            if any(_outweighs(row, candidate, time, now) for row in meant):
                continue
        older = [row.id for row in meant if not time < row.when <= now]
        over = _replaced_ids(older, (*kept, *new))
        id, at = len(kept) + len(new) + 1, candidate.position
        new.append(Memory(id, candidate.kind, text, candidate.trust, source, at, time, over))
    return new


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
    over = _replaced_ids([id], kept)
    return [Memory(0, kind, words, "person", old.source, None, when, over)]


def delete_memory(
    kept: Sequence[Memory],
    id: int,
    when: float,
) -> list[Memory]:
    """Return the row that ends a memory and all that it replaced."""
    over = _replaced_ids([find_memory(kept, id).id], kept)
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


def _replaced_ids(ids: Iterable[int], kept: Sequence[Memory]) -> tuple[int, ...]:
    """Return these and all that they replaced, so that forgetting the newest revives none."""
    over = {row.id: row.over for row in kept}
    found: set[int] = set()
    todo = list(ids)
    while todo:
        id = todo.pop()
        if id not in found:
            found.add(id)
            todo.extend(over.get(id, ()))
    return tuple(sorted(found))


def _matching_memories(release: MemoryCandidate, live: Collection[Memory]) -> list[Memory]:
    """Return what a person wants forgotten: the nearest memories, if near enough."""
    near = {row.id: topic_overlap(release.key, topic_words(row.text)) for row in live}
    best = max(near.values(), default=0.0)
    return [row for row in live if best >= MEANT and near[row.id] == best]


def _same_subject(new: MemoryCandidate, row: Memory) -> bool:
    """Return whether a new memory is about what a row is about."""
    if flatten(new.words).lower() == flatten(row.text).lower():
        return True
    if new.kind != row.kind and not {new.kind, row.kind} <= CONSTRAINT_KINDS:
        return False
    if new.key and new.key == subject_of(row.text):
        return True
    # "I like short answers." and then "I prefer detailed answers.", but not two likings.
    if row.kind != "preference" or not memory_cue("prefers").search(new.words):
        return False
    return topic_overlap(topic_words(new.words), topic_words(row.text)) >= MEANT
