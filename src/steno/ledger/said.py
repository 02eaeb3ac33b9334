"""Which names a log holds, how often, how long ago, and who used them.

A left fold over messages, kept apart from the facts because names are many. Who
used a name tells most about whether it will be used again.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from steno.core.message import Call, Message, Result, Text, Thinking
from steno.ledger.atom import atoms

KEPT_MOST = 16_384
SOURCES = ("person", "called", "told", "read", "returned")
"""Who used a name, the most telling first: a person, a call, the assistant, a file that was read, a result."""


@lru_cache(maxsize=KEPT_MOST)
def names_in(message: Message) -> tuple[tuple[str, int], ...]:
    """The names of a message, each with the rank of its best source within it."""
    ranks: dict[str, int] = {}
    for block in message.blocks:
        for name, rank in _of_block(block, message):
            if rank < ranks.get(name, len(SOURCES)):
                ranks[name] = rank
    return tuple(ranks.items())


def _of_block(block: object, message: Message) -> list[tuple[str, int]]:
    match block:
        case Text(text):
            rank = 0 if message.role == "user" else 2
        case Thinking(text):
            rank = 2
        case Call(_, name, arguments):
            text, rank = f"{name} {arguments}", 1
        case Result():
            text, rank = block.text, 4
        case _:
            return []
    return [(name, rank) for name in atoms(text)]


@dataclass(slots=True)
class Mention:
    """A name over a whole log."""

    times: int
    """Messages that hold it."""
    last: int
    rank: int
    order: int
    """How many names were said before it."""


Mentions = Mapping[str, Mention]


def mentioned(before: Mentions, messages: Iterable[tuple[int, Message]], read: Container[int]) -> dict[str, Mention]:
    """Every name, also of these later messages; `read` are the positions whose results show a file."""
    found = dict(before)
    start = None
    for at, message in messages:
        start = at if start is None else start
        for name, rank in names_in(message):
            rank = 3 if rank == 4 and at in read else rank
            mention = found.get(name)
            if mention is None:
                found[name] = Mention(1, at, rank, len(found))
            elif mention.last < start:
                # Somebody may hold the older value.
                found[name] = Mention(mention.times + 1, at, min(mention.rank, rank), mention.order)
            else:
                mention.times += 1
                mention.last = at
                mention.rank = min(mention.rank, rank)
    return found
