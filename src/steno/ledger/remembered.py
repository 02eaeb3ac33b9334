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

from steno.core.error import BadInput, NotHere
from steno.core.mend import clean
from steno.core.store import GONE, Memory
from steno.ledger import constraint
from steno.ledger.durable import WORDS_MOST, Durable, kind_of, ruling
from steno.ledger.topic import same_topic
from steno.ledger.trait import subject_of, telling
from steno.ledger.words import flat

MEANT = 0.5
"""Of what is to be forgotten, from which on a memory is meant."""
LOOSELY = 0.3
WISHES = ("rule", "preference")


def standing(kept: Iterable[Memory]) -> list[Memory]:
    """The memories that hold, oldest first."""
    rows = list(kept)
    gone = {id for each in rows for id in each.over}
    return [each for each in rows if each.kind != GONE and each.id not in gone]


def learned(
    kept: Sequence[Memory], found: Iterable[Durable], source: str, when: Callable[[int], float]
) -> list[Memory]:
    """What is new in `found`, with what it takes the place of; learning the same again learns nothing."""
    seen = {(each.position, each.kind, each.text) for each in kept if each.source == source}
    new: list[Memory] = []
    for each in found:
        text = "" if each.kind == GONE else clean(each.words)
        if (each.position, each.kind, text) in seen:
            continue
        said = when(each.position)
        live = standing([*kept, *new])
        meant = _meant(each, live) if each.kind == GONE else [row for row in live if _about_the_same(each, row)]
        if each.kind != GONE and any(_outweighs(row, each, said) for row in meant):
            continue
        over = _all_over([row.id for row in meant if row.when <= said], (*kept, *new))
        id = len(kept) + len(new) + 1
        new.append(Memory(id, each.kind, text, each.trust, source, each.position, said, over))
    return new


def added(kept: Sequence[Memory], text: str, when: float) -> list[Memory]:
    """A memory that a person typed as one."""
    words = _worded(text)
    kind, key = kind_of(words)
    return [
        replace(each, position=None)
        for each in learned(kept, [Durable(kind, words, "person", -1, key)], "", _at(when))
    ]


def edited(kept: Sequence[Memory], id: int, text: str, when: float) -> list[Memory]:
    """The same memory in other words, a person's; it goes with the session it stems from."""
    old = one(kept, id)
    words = _worded(text)
    over = _all_over([id], kept)
    return [Memory(0, kind_of(words)[0], words, "person", old.source, old.position, when, over)]


def deleted(kept: Sequence[Memory], id: int, when: float) -> list[Memory]:
    """The word that a memory is gone, and all whose place it took."""
    return [Memory(0, GONE, "", "person", "", None, when, _all_over([one(kept, id).id], kept))]


def one(kept: Sequence[Memory], id: int) -> Memory:
    there = {each.id: each for each in standing(kept)}
    if id not in there:
        raise NotHere(f"no memory has the number {id}; there are: {', '.join(map(str, there)) or 'none'}")
    return there[id]


def _worded(text: str) -> str:
    words = flat(clean(text))
    if not words:
        raise BadInput("there is nothing to remember in an empty text")
    if len(words) > WORDS_MOST:
        raise BadInput(f"a memory has at most {WORDS_MOST} characters, this one has {len(words):,}: say it shorter")
    return words


def _at(when: float) -> Callable[[int], float]:
    return lambda position: when


def _outweighs(row: Memory, new: Durable, said: float) -> bool:
    """It was said later, or by a person where the new one was not."""
    return row.when > said or (row.trust == "person" and new.trust != "person")


def _all_over(ids: Iterable[int], kept: Sequence[Memory]) -> tuple[int, ...]:
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


def _meant(release: Durable, live: Collection[Memory]) -> list[Memory]:
    """What somebody wants forgotten: what is nearest to it, if that is near enough."""
    near = {
        row.id: same_topic(release.key, telling(row.text), both=True)
        for row in live
        if same_topic(release.key, telling(row.text)) >= MEANT
    }
    best = max(near.values(), default=0.0)
    return [row for row in live if best >= LOOSELY and near.get(row.id) == best]


def _about_the_same(new: Durable, row: Memory) -> bool:
    if flat(new.words).lower() == flat(row.text).lower():
        return True
    if (new.kind in WISHES) != (row.kind in WISHES) or (new.kind not in WISHES and new.kind != row.kind):
        return False
    if new.kind in WISHES:
        mine, theirs = ruling(new.words), ruling(row.text)
        if mine is not None and theirs is not None and constraint.replaces(mine, theirs):
            return True
        return "preference" in (new.kind, row.kind) and bool(_purpose(new.words) & _purpose(row.text))
    return new.key == subject_of(row.text)


_FOR = re.compile(r"\b(?:for|für|pour|para)\s+(\w+(?: \w+)?)[.!]?$", re.I)


def _purpose(words: str) -> set[str]:
    """What a preference is for: another for the same takes its place."""
    found = _FOR.search(words)
    return {telling(found[1])} - {""} if found else set()
