"""What stands of all that was kept of a user, and what something new does to it.

The newest word about a subject takes the place of the older ones; what is said
to be forgotten is. An assistant's word never takes the place of a person's, and
what was said earlier never that of what was said later, whichever is learned
first. All that is kept stays kept; that it no longer stands is kept beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from steno.core.errors import BadInput, NotHere
from steno.core.repair import encodable_text
from steno.core.store import GONE_MEMORY, Memory
from steno.facts import rules
from steno.facts.languages import in_every_language
from steno.facts.text import flatten
from steno.facts.topics import topic_overlap
from steno.memory.extract import WORDS_MOST, MemoryCandidate, classify_memory, rule_in
from steno.memory.traits import subject_of, topic_words

MEANT = 0.5
"""Of what is to be forgotten, from which on a memory is meant."""
LOOSELY = 0.3
RULE_KINDS = ("rule", "preference")


def live_memories(kept: Iterable[Memory]) -> list[Memory]:
    """The memories that hold, oldest first."""
    rows = list(kept)
    gone = {id for each in rows for id in each.over}
    return [each for each in rows if each.kind != GONE_MEMORY and each.id not in gone]


def learn_memories(
    kept: Sequence[Memory],
    found: Iterable[MemoryCandidate],
    source: str,
    when: Callable[[int], float],
) -> list[Memory]:
    """What is new in `found`, with what it takes the place of; learning the same again learns nothing."""
    seen = {(each.position, each.kind, each.text) for each in kept if each.source == source}
    new: list[Memory] = []
    for each in found:
        # A request to forget is kept without its words, which repeat what is to be forgotten.
        text = "" if each.kind == GONE_MEMORY else encodable_text(each.words)
        if (each.position, each.kind, text) in seen:
            continue
        said = when(each.position)
        # Anew each time: what was learned a moment ago may have taken a place already.
        live = live_memories([*kept, *new])
        meant = (
            _matching_memories(each, live)
            if each.kind == GONE_MEMORY
            else [row for row in live if _same_subject(each, row)]
        )
        if each.kind != GONE_MEMORY and any(_outweighs(row, each, said) for row in meant):
            continue
        over = _replaced_ids([row.id for row in meant if row.when <= said], (*kept, *new))
        id = len(kept) + len(new) + 1
        new.append(Memory(id, each.kind, text, each.trust, source, each.position, said, over))
    return new


def add_memory(kept: Sequence[Memory], text: str, when: float) -> list[Memory]:
    """A memory that a person typed as one."""
    words = _clean_words(text)
    kind, key = classify_memory(words)
    return [
        replace(each, position=None)
        for each in learn_memories(
            kept, [MemoryCandidate(kind, words, "person", -1, key)], "", _always(when)
        )
    ]


def edit_memory(kept: Sequence[Memory], id: int, text: str, when: float) -> list[Memory]:
    """The same memory in other words, a person's; it goes with the session it stems from."""
    old = find_memory(kept, id)
    words = _clean_words(text)
    over = _replaced_ids([id], kept)
    return [
        Memory(0, classify_memory(words)[0], words, "person", old.source, old.position, when, over)
    ]


def delete_memory(kept: Sequence[Memory], id: int, when: float) -> list[Memory]:
    """The word that a memory is gone, and all whose place it took."""
    return [
        Memory(
            0,
            GONE_MEMORY,
            "",
            "person",
            "",
            None,
            when,
            _replaced_ids([find_memory(kept, id).id], kept),
        )
    ]


def find_memory(kept: Sequence[Memory], id: int) -> Memory:
    there = {each.id: each for each in live_memories(kept)}
    if id not in there:
        raise NotHere(
            f"no memory has the number {id}; there are: {', '.join(map(str, there)) or 'none'}"
        )
    return there[id]


def _clean_words(text: str) -> str:
    words = flatten(encodable_text(text))
    if not words:
        raise BadInput("there is nothing to remember in an empty text")
    if len(words) > WORDS_MOST:
        raise BadInput(
            f"a memory has at most {WORDS_MOST} characters, this one has {len(words):,}: say it shorter"
        )
    return words


def _always(when: float) -> Callable[[int], float]:
    return lambda position: when


def _outweighs(row: Memory, new: MemoryCandidate, said: float) -> bool:
    """It was said later, or by a person where the new one was not."""
    return row.when > said or (row.trust == "person" and new.trust != "person")


def _replaced_ids(ids: Iterable[int], kept: Sequence[Memory]) -> tuple[int, ...]:
    """These, and all whose place they took: what took it may be forgotten, and they stay replaced."""
    over = {each.id: each.over for each in kept}
    found: set[int] = set()
    todo = list(ids)
    while todo:
        id = todo.pop()
        if id not in found:
            found.add(id)
            todo.extend(over.get(id, ()))
    return tuple(sorted(found))


def _matching_memories(release: MemoryCandidate, live: Collection[Memory]) -> list[Memory]:
    """What somebody wants forgotten: what is nearest to it, if that is near enough."""
    # How much of the request a memory holds says whether it may be meant at all;
    # how much they share, measured by both, says which one is nearest.
    near = {
        row.id: topic_overlap(release.key, topic_words(row.text), both=True)
        for row in live
        if topic_overlap(release.key, topic_words(row.text)) >= MEANT
    }
    best = max(near.values(), default=0.0)
    return [row for row in live if best >= LOOSELY and near.get(row.id) == best]


def _same_subject(new: MemoryCandidate, row: Memory) -> bool:
    if flatten(new.words).lower() == flatten(row.text).lower():
        return True
    if (new.kind in RULE_KINDS) != (row.kind in RULE_KINDS) or (
        new.kind not in RULE_KINDS and new.kind != row.kind
    ):
        return False
    if new.kind in RULE_KINDS:
        mine, theirs = rule_in(new.words), rule_in(row.text)
        if mine is not None and theirs is not None and rules.replaces(mine, theirs):
            return True
        return "preference" in (new.kind, row.kind) and bool(
            _purpose(new.words) & _purpose(row.text)
        )
    return new.key == subject_of(row.text)


_FOR = re.compile(
    rf"\b(?:{in_every_language(lambda cues: cues.memory.purpose)})\s+(\w+(?: \w+)?)[.!]?$", re.I
)


def _purpose(words: str) -> set[str]:
    """What a preference is for: another for the same takes its place."""
    found = _FOR.search(words)
    if found:
        return {topic_words(found[1])} - {""}
    return set()
