"""Limits on what writers may cost: calls and tokens of a session.

A call is booked with what it may cost before it is made, and with what it did cost
afterwards, so that asks at the same time cannot overdraw together.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Annotated

import msgspec

from steno.core.effects import Ask
from steno.core.message import Value
from steno.core.model import ModelCall, Usage

CHARACTERS_PER_TOKEN = 4
"""Estimate for a prompt, as long as no provider has reported its tokens."""
USED_UP = "the {} of this session are used up: {:,} may be spent on writers"
Count = Annotated[int, msgspec.Meta(ge=0)]


class Spend(Value):
    """Limits of one session: an ask that would exceed them is not made."""

    calls: Count = 5_000
    tokens: Count = 50_000_000


DEFAULT_SPEND = Spend()


class Account:
    """What has been spent, against the limits."""

    def __init__(self, limits: Spend = DEFAULT_SPEND) -> None:
        self.limits = limits
        self.calls = 0
        self.tokens = 0
        self._lock = threading.Lock()

    def restore(self, before: Iterable[ModelCall]) -> None:
        """Book what an earlier process spent on the same session."""
        with self._lock:
            for call in before:
                self.calls += call.made
                self.tokens += call.usage.sent + call.usage.said

    def book(self, ask: Ask) -> int | str:
        """Return the tokens that are booked for an ask, or why it is not made."""
        sent = len(ask.prompt) + len(ask.system or "") + len(ask.after or "")
        cost = -(-sent // CHARACTERS_PER_TOKEN) + ask.max_tokens
        with self._lock:
            if self.calls + 1 > self.limits.calls:
                return USED_UP.format("calls", self.limits.calls)
            if self.tokens + cost > self.limits.tokens:
                return USED_UP.format("tokens", self.limits.tokens)
            self.calls += 1
            self.tokens += cost
            return cost

    def settle(self, booked: int, usage: Usage) -> None:
        """Book what a call did cost; the estimate stays if the provider does not say."""
        cost = usage.sent + usage.said
        if cost:
            with self._lock:
                self.tokens += cost - booked
