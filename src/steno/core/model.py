"""A model that takes a whole turn: what an agent's loop holds.

A turn is asked for by a request in the provider's own form, as a session makes
it, and comes as a stream: words as they are said, at the end the whole message
as the provider has it, ready to be added. How a provider is called is written
in `steno.models`; running what the message calls is a loop's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from steno.core.message import Value

Complexity = Literal["simple", "medium", "complex", "epic"]
Trouble = Literal[
    "timeout",  # nothing came in time
    "busy",  # 429, overloaded
    "server",  # 5xx
    "reset",  # the connection broke, or the stream ended half way
    "invalid",  # what came is not what was agreed
    "refused",  # the model would not
    "overflow",  # the prompt is longer than the window
    "cut",  # the answer is longer than was allowed
    "empty",
    "auth",  # a wrong key, or no right to this model
    "spent",  # a limit of ours: calls, tokens, an open breaker
    "other",
]
"""Why a model did not answer."""
Stop = Literal["end", "calls", "length", "refused"]


class Usage(Value, frozen=True):
    """Tokens of one call, as the provider reports them; what was sent includes what was cached."""

    sent: int = 0
    cached: int = 0
    written: int = 0
    """Newly written to the cache."""
    said: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.sent + other.sent,
            self.cached + other.cached,
            self.written + other.written,
            self.said + other.said,
        )


class Tried(Value, frozen=True):
    """One call of one model, and what it cost."""

    by: str
    usage: Usage = Usage()
    reason: str = ""
    """Why it did not answer; empty where it did."""
    made: bool = True
    """False where a limit of ours, or a breaker, kept it from being made."""


@dataclass(frozen=True, slots=True)
class Delta:
    """Words as they come."""

    text: str
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class Spoken:
    """The turn is over: the messages to add, as the provider says them, and what it cost."""

    messages: tuple[Any, ...]
    usage: Usage = field(default_factory=Usage)
    stop: Stop = "end"


Stream = Iterator[Delta | Spoken]
"""Some deltas, then one `Spoken`; closing it early stops the model."""


class Talker(Protocol):
    """A model that takes turns; it raises `ModelFailed` where it cannot."""

    @property
    def name(self) -> str: ...
    @property
    def wire(self) -> str:
        """Whose messages it speaks: openai, openai-responses or anthropic."""
        ...

    @property
    def window(self) -> int | None: ...
    def turn(
        self, request: Mapping[str, Any], *, max_tokens: int | None = None, seconds: float | None = None
    ) -> Stream: ...
