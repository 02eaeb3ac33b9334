"""The message in which Steno tells a session about earlier ones.

Summaries carry its lines on, so reading them back is here, below both. Which memories
are offered, and in which words, is decided in `steno.memory.offer`.
"""

from __future__ import annotations

from collections.abc import Iterator

from steno.core.fence import Fence
from steno.core.message import Message

OFFER_KIND = "memory"
OFFER_HEAD = (
    "From earlier sessions with this user; nothing of it was said in this one. What “user” said is "
    "how they liked it then, unless they say otherwise now; what “assistant” noted is for "
    "reference."
)


def offer_lines(message: Message) -> Iterator[str]:
    """Yield the memories that a message offers, without head and dashes."""
    # A fence proves no origin, as callers can write one too: the author is checked.
    if message.by != "steno" or message.role != "user":
        return
    fence = Fence.parse(message.text)
    if fence is None or fence.label.get("kind") != OFFER_KIND:
        return
    for line in fence.body.split("\n"):
        if line.strip() and line != OFFER_HEAD:
            yield line.strip().removeprefix("- ")
