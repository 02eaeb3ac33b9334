"""What a type of block is to us.

Each wire has a table of every type that its provider's SDK knows. A type that it does not
name is new: it is sent on as it came, never cut, reported once, and pinned unless its name
says that it is a call or an answer. `tests/providers/test_block_types.py` fails when an SDK
gains a type that no table names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from steno.core.message import Block, Opaque, Result
from steno.core.state import BlockState


def treatment_table(**kinds: str) -> Mapping[str, str]:
    """Return what each type is to us, from the types of each kind.

    server: calls that the provider ran, and their results; restart: its own compaction.
    """
    return {name: kind for kind, names in kinds.items() for name in names.split()}


ANSWERS_AND_CALLS = ("_call", "_use", "_output", "_result", "_request", "_response")
"""Ends of names that say: something was done here. Such a block sets nothing for later."""


def state_of(
    block: Block, known: Mapping[str, str], names_in: Callable[[Opaque], Iterable[str]]
) -> BlockState | None:
    """Return what a block sets for later messages; `names_in` reads it from a part of state.

    A block that no table names may set something, so it is kept.
    """
    if isinstance(block, Result):
        parts = [part for part in block.content if isinstance(part, Opaque)]
        names = {
            name for part in parts if known.get(part.kind) == "state" for name in names_in(part)
        }
        return BlockState(tuple(sorted(names))) if names else None
    if not isinstance(block, Opaque):
        return None
    if known.get(block.kind) == "state":
        return BlockState(tuple(names_in(block)))
    if block.kind in known or block.kind.endswith(ANSWERS_AND_CALLS):
        return None
    # By its text: the same block again replaces it, and another one does not.
    return BlockState(names=(f"{block.kind}:{block.text}",))
