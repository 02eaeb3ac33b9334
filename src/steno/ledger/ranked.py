"""The names of a log, the likeliest for their length first.

A name's worth changes when it is said again and when it falls behind; both are
few at a time. So all names are kept in the order they would have if all were
far, which reading on changes only where a name was said; the near ones, no more
than a window or so holds, are put among them. How much a name is worth is
`worth`'s business.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from steno.ledger.said import Mention, Mentions
from steno.ledger.worth import Scorer, worth_of

NAME_MOST = 160
"""Characters of a name; what is longer is told by its place alone."""

Key = tuple[float, int, str]
"""What a name is worth for its length, negated; how many names were said before it; the name."""


class Ranked:
    """Names in an order, which is made only as far as somebody asks."""

    def __init__(self, names: Iterable[str]) -> None:
        self._rest = iter(names)
        self._found: list[str] = []

    def first(self, most: int, unless: Collection[str]) -> list[str]:
        """The first of them, without some."""
        while True:
            found = [name for name in self._found if name not in unless][:most]
            more = [] if len(found) == most else list(islice(self._rest, most))
            if not more:
                return found
            self._found += more


def far(before: tuple[Key, ...], mentions: Mentions, said: Iterable[str]) -> tuple[Key, ...]:
    """All names in the order of what each is worth when it is far, where these were said since `before`."""
    new = {name for name in said if len(name) <= NAME_MOST}
    keys = [key for key in before if key[2] not in new]
    keys += sorted(_key(name, mentions[name], near=False) for name in new)
    keys.sort()  # two runs that are in order already
    return tuple(keys)


def merged(keys: Iterable[Key], near: Mentions) -> Iterator[str]:
    """The names by their worth: those that are near among those that are far."""
    waiting = iter(sorted(_key(name, mention, near=True) for name, mention in near.items() if len(name) <= NAME_MOST))
    held = next(waiting, None)
    for key in keys:
        if key[2] in near:
            continue
        while held is not None and held < key:
            yield held[2]
            held = next(waiting, None)
        yield key[2]
    if held is not None:
        yield held[2]
        yield from (name for _, _, name in waiting)


def by(scorer: Scorer, mentions: Mentions) -> list[str]:
    """The names in the order that a scorer gives them."""
    names = [name for name in mentions if len(name) <= NAME_MOST]
    return sorted(names, key=lambda name: -scorer.name(name) / (len(name) + 2))


def _key(name: str, mention: Mention, *, near: bool) -> Key:
    return -worth_of(name, mention, near=near) / (len(name) + 2), mention.order, name
