"""Would a provider have refused it? The one rule that all of them share.

A result answers a call of the message right before its batch, and every call
is answered before anything else is said. Calls at the very end may still wait:
some transcripts write one reply as several messages.
"""

from __future__ import annotations

from collections.abc import Iterable

from steno.core.message import Message


def refused(messages: Iterable[Message]) -> bool:
    """Something is out of place, or there is nothing at all."""
    pending: list[str | None] = []
    spoke = False
    for message in messages:
        for result in message.results:
            if result.call not in pending:
                return True
            pending.remove(result.call)
        if pending and not message.only_results:
            return True
        pending += [call.id for call in message.calls]
        spoke = spoke or message.role != "system"
    return not spoke
