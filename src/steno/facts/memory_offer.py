"""What a new session is told of earlier ones: a few lines, the most useful first.

A line says whose words they are and when they were said, because in a session
it comes from Steno and has no more trust than a tool's: it is no rule there until
somebody says it again. Reading the lines back off a message is here too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from steno.core.fence import Fence
from steno.core.message import Message
from steno.core.store import Memory
from steno.facts.text import flatten
from steno.facts.traits import key_terms

OFFER_KIND = "memory"
OFFER_SHARE = 0.03
"""Of the usable window, for all that is offered."""
OFFER_MOST = 600
"""Tokens."""
HEAD = (
    "From earlier sessions with this user; nothing of it was said in this one. What “user” said is how they liked it "
    "then, unless they say otherwise now; what “assistant” noted is for reference."
)
ASKED_MOST = 4_000
"""Characters of the first words that are looked at."""
_WEIGHT = {"rule": 2.0, "preference": 2.0, "fact": 1.2, "decision": 0.8, "note": 0.6}
RECENT = 0.5
"""What being the newest is worth."""
_SPEAKERS = {"person": "user"}


def render_offer(
    memories: Sequence[Memory], asked: str, room: int, count: Callable[[str], int]
) -> tuple[str, list[int]]:
    """The text, and the numbers of the memories in it; empty where nothing fits."""
    left = room - count(HEAD)
    lines: list[str] = []
    told: list[int] = []
    for memory in rank_memories(memories, asked):
        line = memory_line(memory)
        cost = count(line) + 1
        if cost > left:
            continue
        left -= cost
        lines.append(line)
        told.append(memory.id)
    return "\n".join((HEAD, *lines)) if lines else "", told


def rank_memories(memories: Sequence[Memory], asked: str) -> list[Memory]:
    """The most useful first: what shares rare words with what is asked, then wishes, then what is new."""
    topics = {memory.id: key_terms(memory.text) for memory in memories}
    wanted = key_terms(asked[:ASKED_MOST])
    held = Counter(word for topic in topics.values() for word in topic)
    score: dict[int, float] = {}
    for at, memory in enumerate(memories):
        shared = sum(math.log1p(len(memories) / held[word]) for word in topics[memory.id] & wanted)
        score[memory.id] = (
            shared + _WEIGHT.get(memory.kind, 0.0) + RECENT * (at + 1) / len(memories)
        )
    return sorted(memories, key=lambda each: (-score[each.id], -each.id))


def memory_line(memory: Memory) -> str:
    day = datetime.fromtimestamp(memory.when, UTC).date().isoformat()
    return f"- {_SPEAKERS.get(memory.trust, 'assistant')}, {day}: {flatten(memory.text)}"


def is_offer(message: Message) -> bool:
    """It is what Steno said of earlier sessions."""
    if message.by != "steno" or message.role != "user":
        return False
    fence = Fence.parse(message.text)
    return fence is not None and fence.label.get("kind") == OFFER_KIND


def offer_lines(message: Message) -> Iterator[str]:
    """The lines of such a message, without their dashes and what stands above them."""
    if is_offer(message):
        fence = Fence.parse(message.text)
        for line in (fence.body if fence else "").split("\n"):
            if line.strip() and line != HEAD:
                yield line.strip().removeprefix("- ")
