"""Would a provider have refused it? The one rule that all of them share.

A result answers a call of the reply right before its batch, and every call is
answered before anything else is said. Calls at the very end may still wait. Some
wires write one reply as several messages: there its calls are one batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from steno.core.message import Message
from steno.wire import chosen


@dataclass(frozen=True, slots=True)
class Order:
    """How far a list is in order; a value, so that a list which goes on need not be read anew."""

    combines: bool = False
    """Neighbouring messages of the assistant are one reply."""
    pending: tuple[str | None, ...] = ()
    replying: bool = False
    spoke: bool = False
    broken: bool = False

    @classmethod
    def of(cls, wire: str) -> Order:
        return cls(chosen(wire).terms.combines)

    @property
    def refused(self) -> bool:
        """Something is out of place, or there is nothing at all."""
        return self.broken or not self.spoke

    def then(self, message: Message) -> Order:
        pending, broken = list(self.pending), self.broken
        for result in message.results:
            if result.call in pending:
                pending.remove(result.call)
            else:
                broken = True
        replying = message.role == "assistant"
        goes_on = self.combines and self.replying and replying
        broken = broken or bool(pending and not message.only_results and not goes_on)
        pending += [call.id for call in message.calls]
        return Order(self.combines, tuple(pending), replying, self.spoke or message.role != "system", broken)


def refused(messages: Iterable[Message], wire: str) -> bool:
    """A list that this provider would not take."""
    order = Order.of(wire)
    for message in messages:
        order = order.then(message)
    return order.refused
