"""A list that came back: our own fences are read as the edits they were.

Who keeps no session sends the compacted list again. A trace in it stands for
positions whose words are elsewhere; those positions are absent here, and all
others keep the numbers they had, so that every citation still means the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from steno.core.log import Commit, Edit, Log
from steno.core.message import ABSENT, Message, Text
from steno.core.trace import Trace


def resent(messages: Sequence[Message]) -> Log:
    """The log of a list, with the edits that earlier compactions left in it."""
    said: list[Message] = []
    edits: list[Edit] = []
    for message in messages:
        trace = _trace(message)
        if trace is None or trace.span.start != len(said):
            said.append(message)
            continue
        said += [ABSENT] * len(trace.span)
        edits.append(Edit(trace.span, (message,), "resent", level=1))
    log = Log().said(said)
    return log.committed(Commit(0, len(said), "resent", tuple(edits))) if edits else log


def _trace(message: Message) -> Trace | None:
    if message.role != "user" or len(message.blocks) != 1 or not isinstance(message.blocks[0], Text):
        return None
    return Trace.read(message.blocks[0].text)
