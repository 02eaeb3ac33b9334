"""Sessions with a writer, for the tests of what writers do and fail to do.

Owns a policy with a rung that asks, a clock that is moved by hand, and the real
SDKs' models at a loopback server's address.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from steno import Policy, RetryPolicy, Session, Writer
from steno.models import Anthropic, OpenAI
from steno.rungs import Truncate
from steno.session.turn import settled_view
from tests.support.loopback import Loopback
from tests.support.sample_messages import openai_talk
from tests.support.scripted_models import Asking

ASKS = Policy(ladder=(Asking(rounds=1, width=1), Truncate()))
"""Asks one question, shows the answer for what is covered; by extraction where nobody answers."""
HASTY = RetryPolicy(retries=2, pause=0.005)


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def models(server: Loopback) -> dict[str, Any]:
    """A model for each dialect that the server speaks, by the real SDKs."""
    return {
        "chat": OpenAI("gpt-test", url=server.openai, key="none"),
        "responses": OpenAI("gpt-test", url=server.openai, key="none", responses=True),
        "anthropic": Anthropic("claude-test", url=server.anthropic, key="none"),
    }


def session(writer: Any, turns: int = 30, **options: Any) -> Session:
    """A session with a writer, and something to write about."""
    if not isinstance(writer, Writer):
        writer = Writer(writer)
    if writer.retry == RetryPolicy():
        writer = replace(writer, retry=HASTY)
    held = Session(wire="openai", window=6_000, **{"writer": writer, "policy": ASKS} | options)
    held.add(*openai_talk(turns))
    return held


def shown(held: Session) -> str:
    """All that the model would see, as text."""
    return str(held._parts.sending.encode(settled_view(held._parts)))
