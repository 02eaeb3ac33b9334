"""A family of models: those that count tokens in the same way.

A family whose vocabulary cannot be loaded is counted by the estimate, and the meter's name says
so. `bench/billed.py` prints how far off the numbers are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from steno.core.message import Block, Message, Thinking
from steno.core.meter import Meter, Overheads, estimate
from steno.meters.media import MediaRule
from steno.meters.vocabulary import TokenCounter, load_counter

Lapses = Callable[[Message, tuple[int, ...]], tuple[int, ...]]
BlockWeight = Callable[[Block, TokenCounter], int | None]
ToolWeight = Callable[[str, TokenCounter], int]


@dataclass(frozen=True)
class ModelFamily:
    """Models that count tokens in the same way."""

    names: re.Pattern[str]
    vocabulary: str
    overheads: Overheads
    media: MediaRule
    sealed: BlockWeight | None = None
    definition: ToolWeight | None = None
    signatures: Callable[[Message], tuple[int, ...]] | None = None
    lapses: Lapses | None = None
    media_by_name: Sequence[tuple[str, MediaRule]] = ()
    """Models with their own rule for media, by the start of their name; the first one is used."""

    def for_model(self, place: str, name: str) -> ModelFamily:
        """Return the family as this model is billed; `place` is what stands before its name."""
        for start, rule in self.media_by_name:
            if name.startswith(start):
                return replace(self, media=rule)
        return self

    def counter(self, name: str) -> tuple[str, TokenCounter]:
        """Return the counter of a model's words, and what to call it."""
        exact = load_counter(self.vocabulary)
        if exact:
            return self.vocabulary, exact
        return "estimate", estimate

    def meter(self, name: str) -> Meter:
        meter_name, count = self.counter(name)
        return Meter(
            meter_name,
            count,
            self.media,
            self.overheads,
            sealed=self.sealed,
            definition=self.definition,
            signatures=self.signatures,
            lapses=self.lapses,
        )


def thinking_lapses(message: Message, weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the tokens of a message for models that are not shown their earlier thinking."""
    if message.role != "assistant":
        return weights
    thought = [isinstance(block, Thinking) for block in message.blocks]
    return tuple(0 if gone else tokens for gone, tokens in zip(thought, weights, strict=True))


def sealed_tokens(length: int, fit: tuple[int, float]) -> int:
    """Return the tokens of an encrypted text.

    fit: characters that hold nothing, and tokens for each character after them.
    """
    empty, rate = fit
    return max(0, math.ceil((length - empty) * rate))


def decoded_object(text: str) -> dict[str, Any]:
    """Return the object that a JSON text holds; an empty one if it holds none."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return {}
    if isinstance(value, dict):
        return value
    return {}
