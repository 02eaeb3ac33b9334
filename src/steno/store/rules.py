"""What every store of ours does alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from steno.core.errors import BadInput, NotHere
from steno.core.store import GONE_MEMORY, Memory, join_names


def has_forks(name: str, forks: Sequence[str]) -> BadInput:
    """Return the error for deleting a session that others were forked from."""
    return BadInput(
        f"{name!r} cannot be deleted: these sessions were forked from it and begin with its "
        f"messages; delete them first: {join_names(forks)}"
    )


def blank_memory(memory: Memory) -> Memory:
    """Return what stays of a memory whose session is deleted: its id, and what it removed."""
    # It is blanked and not removed: memories are numbered by how many there are, and no
    # number may be used twice.
    if memory.kind == GONE_MEMORY:
        return Memory(memory.id, GONE_MEMORY, "", "", over=memory.over)
    return Memory(memory.id, GONE_MEMORY, "", "")


def number_memories(memories: Sequence[Memory], kept: int) -> list[Memory]:
    """Number new memories on from how many are kept."""
    return [replace(memory, id=number) for number, memory in enumerate(memories, start=kept + 1)]


def require_messages_for_facts(facts: Mapping[int, bytes], messages: int) -> None:
    """Raise `NotHere` if a position is outside the log."""
    for position in facts:
        if not 0 <= position < messages:
            raise NotHere(
                f"there are no facts of {position}: the log holds {messages} messages from 0 on"
            )
