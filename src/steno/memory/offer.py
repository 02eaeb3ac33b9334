"""What a new session is told of earlier ones: a few lines, the most useful first.

A line names who said it and when, because in a session it comes from Steno and has no
more trust than a tool's words: it is no constraint there until the user says it again. The
message that carries the lines is read back by `steno.facts.memory_offer`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from steno.core.escape import one_line
from steno.core.store import Memory
from steno.facts.memory_offer import OFFER_HEAD
from steno.memory.traits import key_terms

OFFER_SHARE = 0.03
"""Part of the usable window that an offer may take."""
OFFER_MOST = 600
"""Tokens of an offer."""
REQUEST_READ = 4_000
"""Characters of the first request that memories are compared with."""
RECENT = 0.5
"""Score of being the newest memory."""
_WEIGHT = {"constraint": 2.0, "preference": 2.0, "fact": 1.2, "decision": 0.8, "note": 0.6}
_SPEAKERS = {"person": "user"}


def render_offer(
    memories: Sequence[Memory], request: str, room: int, count: Callable[[str], int]
) -> tuple[str, list[int]]:
    """Return the text of an offer and the ids of its memories; empty if none fits."""
    left = room - count(OFFER_HEAD)
    lines: list[str] = []
    ids: list[int] = []
    for memory in rank_memories(memories, request):
        line = memory_line(memory)
        cost = count(line) + 1
        # No end yet: a shorter memory further down may still fit.
        if cost > left:
            continue
        left -= cost
        lines.append(line)
        ids.append(memory.id)
    if not lines:
        return "", ids
    return "\n".join((OFFER_HEAD, *lines)), ids


def rank_memories(
    memories: Sequence[Memory],
    request: str,
) -> list[Memory]:
    """Sort memories by the rare words they share with a request, then by kind and age."""
    terms = {memory.id: key_terms(memory.text) for memory in memories}
    wanted = key_terms(request[:REQUEST_READ])
    holders = Counter(word for words in terms.values() for word in words)
    scores: dict[int, float] = {}
    for index, memory in enumerate(memories):
        shared = terms[memory.id] & wanted
        # A word that few memories hold tells more about which one is wanted.
        score = sum(math.log1p(len(memories) / holders[word]) for word in shared)
        score += _WEIGHT.get(memory.kind, 0.0)
        score += RECENT * (index + 1) / len(memories)
        scores[memory.id] = score
    return sorted(memories, key=lambda memory: (-scores[memory.id], -memory.id))


def memory_line(memory: Memory) -> str:
    """Return a memory as one line of an offer."""
    day = day_of(memory.when)
    speaker = _SPEAKERS.get(memory.trust, "assistant")
    return f"- {speaker}, {day}: {one_line(memory.text)}"


def day_of(when: float) -> str:
    """Return the day of a time as text; a clock that was wrong may have told any time."""
    try:
        return datetime.fromtimestamp(when, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return "at a time unknown"
