"""What one message sets for those after it, and what stands for all before it.

Providers put state among the messages: a tool added, a setting changed, files of a container,
their own compaction of the past. If the message that carries it were covered, later calls would
name tools that are gone. So the newest carrier of each name stays as it came. A wire's
`ProviderRules.state` says what a block carries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from steno.core.message import Block, Message, Opaque, Result, Value


class BlockState(Value):
    """What a block carries."""

    names: tuple[str, ...] = ()
    """Names of what it sets, for instance `tool:search`; the newest block of a name decides."""
    restarts: bool = False
    """It stands for everything before it, which the provider no longer reads."""
    must_be_first: bool = False
    """The provider refuses it behind other messages, so those are not sent."""


StateReader = Callable[[Block], BlockState | None]


def reads_no_state(block: Block) -> BlockState | None:
    """Return nothing: this provider keeps no state among its messages."""
    return None


class CarriedState(Value):
    """What the messages so far have set, and where."""

    names: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Newest position that sets each name."""
    restart: int | None = None
    """Position of the newest block that stands for everything before it."""
    hides_before: bool = False
    """Whether the messages before `restart` are not sent at all."""
    positions: frozenset[int] = frozenset()
    """Positions that no compaction may touch."""

    def after(self, message: Message, position: int, read: StateReader) -> CarriedState:
        """Return the state after one more message."""
        # Almost every message has none.
        carriers = filter(_may_carry, message.blocks)
        found = [state for block in carriers if (state := read(block)) is not None]
        if not found:
            return self
        names = {**self.names, **{name: position for state in found for name in state.names}}
        now = replace(self, names=names)
        for state in found:
            if state.restarts:
                now = replace(now, restart=position, hides_before=state.must_be_first)
        # What a provider no longer reads saves nothing if it is covered, and a cover there
        # would not be read either.
        behind = range(0 if now.restart is None else now.restart + 1)
        return replace(now, positions=frozenset(behind).union(names.values()))


def _may_carry(block: Block) -> bool:
    if type(block) is Result:
        return any(type(part) is Opaque for part in block.content)
    return type(block) is Opaque
