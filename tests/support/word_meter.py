"""Conversations whose weight can be read off: a word is a token, and nothing else weighs
anything.
"""

from __future__ import annotations

from typing import Any

from steno import Meter, Session
from steno.core.message import Media
from steno.core.meter import Overheads

Json = dict[str, Any]


def _words(text: str) -> int:
    return len(text.split())


def _nothing(media: Media) -> int:
    return 0


WORDS = Meter("words", _words, _nothing, Overheads(0, 0, 0, 0, 0, 0))


def said(n: int, words: int = 100, *, start: int = 0) -> list[Json]:
    """Users and assistants in turn, so many words each."""
    return [
        {
            "role": ("user", "assistant")[at % 2],
            "content": " ".join([f"{at}:"] + ["word"] * (words - 1)),
        }
        for at in range(start, start + n)
    ]


def called(n: int, words: int = 100, *, at_once: int = 1, start: int = 0) -> list[Json]:
    """Batches of calls with their results.

    Call and arguments weigh one each, a reply's words one.
    """
    talk: list[Json] = []
    for at in range(start, start + n):
        names = [f"c{at}.{k}" for k in range(at_once)]
        calls = [
            {"id": each, "type": "function", "function": {"name": "run", "arguments": "{}"}}
            for each in names
        ]
        talk.append({"role": "assistant", "content": f"{at}:", "tool_calls": calls})
        talk += [
            {"role": "tool", "tool_call_id": each, "content": "line " * words} for each in names
        ]
    return talk


def session(policy: Any, *messages: Json, window: int | None = 100_000, **options: Any) -> Session:
    held = Session(wire="openai", window=window, policy=policy, meter=WORDS, **options)
    held.add(*messages)
    return held


def covered(held: Session) -> list[int]:
    """The positions that a model no longer sees as they were said."""
    return [
        at
        for item in held.view.items
        if item.main is None
        for at in range(item.span.start, item.span.stop)
    ]
