"""Limits on what writers may cost: calls and tokens, of a session and of an hour of it.

A call is booked with what it may cost before it is made, and with what it did cost
afterwards, so that asks at the same time cannot overdraw together.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import msgspec

from steno.core.effects import Ask
from steno.core.message import Value
from steno.core.model import ModelCall, Usage

HOUR = 3_600.0
CHARACTERS_PER_TOKEN = 4
"""Estimate for a prompt, as long as no provider has reported its tokens."""
Count = Annotated[int, msgspec.Meta(ge=0)]


class Spend(Value, frozen=True):
    """Limits of one session: an ask that would exceed them is not made."""

    calls: Count = 5_000
    tokens: Count = 50_000_000
    calls_an_hour: Count = 500
    tokens_an_hour: Count = 5_000_000


DEFAULT_SPEND = Spend()


@dataclass
class Booking:
    """A call that was admitted, and its tokens: estimated, then counted."""

    at: float
    tokens: int


class Account:
    """What has been spent, against the limits."""

    def __init__(self, limits: Spend = DEFAULT_SPEND) -> None:
        self.limits = limits
        self.calls = 0
        self.tokens = 0
        self._hour: deque[Booking] = deque()
        self._lock = threading.Lock()

    def restore(self, before: Iterable[ModelCall]) -> None:
        """Book what an earlier process spent on the same session, at no particular hour."""
        with self._lock:
            for call in before:
                self.calls += call.made
                self.tokens += total_tokens(call.usage)

    def book(self, ask: Ask, now: float) -> Booking | str:
        """Return what is booked for an ask, or why it is not made."""
        cost = estimate_cost(ask)
        with self._lock:
            while self._hour and self._hour[0].at <= now - HOUR:
                self._hour.popleft()
            over = self._exceeds(cost)
            if over is not None:
                return over
            call = Booking(now, cost)
            self._hour.append(call)
            self.calls += 1
            self.tokens += cost
            return call

    def _exceeds(self, cost: int) -> str | None:
        # The sum is short: no more than `calls_an_hour` bookings are held.
        limits, hour = self.limits, sum(call.tokens for call in self._hour)
        for what, would, most in (
            ("calls of this session", self.calls + 1, limits.calls),
            ("tokens of this session", self.tokens + cost, limits.tokens),
            ("calls of this hour", len(self._hour) + 1, limits.calls_an_hour),
            ("tokens of this hour", hour + cost, limits.tokens_an_hour),
        ):
            if would > most:
                return f"the {what} are used up: {most:,} may be spent on writers"
        return None

    def settle(self, call: Booking, usage: Usage) -> None:
        """Book what a call did cost; the estimate stays if the provider does not say."""
        cost = total_tokens(usage)
        if not cost:
            return
        with self._lock:
            self.tokens += cost - call.tokens
            call.tokens = cost  # where it was booked, so that both leave the hour together


def estimate_cost(ask: Ask) -> int:
    sent = len(ask.prompt) + len(ask.system or "") + len(ask.after or "")
    return -(-sent // CHARACTERS_PER_TOKEN) + ask.max_tokens


def total_tokens(usage: Usage) -> int:
    return usage.sent + usage.said
