"""Writers as one model that tries again, falls back, and stops in time.

Owns what happens when a writer does not answer: who is asked again and after which
pause, who is left alone (a breaker for each model), what may be spent, who is asked
next, all within the seconds of the ask.
"""

from __future__ import annotations

import inspect
import itertools
import math
import random
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

from steno.core.effects import (
    Answer,
    Ask,
    Driver,
    Model,
    NoAnswer,
    Reply,
    ask_model,
    ask_model_async,
)
from steno.core.errors import BadInput
from steno.core.message import Value
from steno.core.model import FailureKind, ModelCall, Usage
from steno.models.spend import DEFAULT_SPEND, Account, Spend
from steno.providers.shared.errors import no_answer


@dataclass
class Breaker:
    """Leaves a model alone that failed often in a row, until it has rested."""

    failures: int = 0
    until: float = 0.0
    """When a model that failed too often may be asked again."""


Seconds = Annotated[float, msgspec.Meta(ge=0)]
RETRY_KINDS: frozenset[FailureKind] = frozenset({"busy", "server", "reset", "timeout"})
"""Failures that may pass: worth asking again."""
RETRY_ONCE_KINDS: frozenset[FailureKind] = frozenset({"invalid", "empty"})
"""Failures that another attempt may avoid: worth asking again once."""
UNHEALTHY_KINDS: frozenset[FailureKind] = RETRY_KINDS | {"auth", "other"}
"""Failures that say something about the model, not only about this ask."""
TIME_SHARE = 0.95
"""Share of an ask's seconds to use, so that the answer comes before its caller gives up."""


class RetryPolicy(Value):
    """How often a writer is asked again, how long to wait for it, and when to leave it alone."""

    retries: Annotated[int, msgspec.Meta(ge=0, le=20)] = 2
    pause: Seconds = 0.5
    """Before the first retry; twice as long before each further one, up to half of it at random."""
    longest: Seconds = 30.0
    """A provider that wants to be left alone for longer is not asked again."""
    failures: Annotated[int, msgspec.Meta(ge=1)] = 5
    """Failures in a row after which a model is left alone."""
    rest: Seconds = 60.0
    """Seconds that it is left alone."""

    def delay_before_retry(self, retry: int, wait: float | None, chance: float) -> float | None:
        """Return the seconds to pause before a retry, counted from 0; None if that is too long."""
        if wait is None:
            return min(self.pause * 2.0**retry, self.longest) * (1 - chance / 2)
        if wait > self.longest:
            return None
        # All callers that were sent away would come back at the same moment; spread them.
        return wait + self.pause * chance / 2


DEFAULT_RETRY = RetryPolicy()
_Steps = Generator[tuple[Model, Ask] | float, Reply | None, Reply]
"""Yields a writer and what to ask it, or seconds to pause."""


@dataclass
class RetryingWriter:
    """Several writers, best first, asked in turn until one answers."""

    writers: Sequence[Model]
    retry: RetryPolicy = DEFAULT_RETRY
    account: Account = field(default_factory=lambda: Account(DEFAULT_SPEND))
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    chance: Callable[[], float] = random.random
    on_call: Callable[[Reply, float], object] = lambda reply, seconds: None
    """Called after each call of a writer, with the seconds that it took."""

    def __post_init__(self) -> None:
        if not self.writers:
            raise BadInput("writer= takes a model, or a list of at least one")
        for writer in self.writers:
            _check_writer(writer)
        # By identity: a writer that is listed twice is one model.
        breakers = {id(writer): Breaker() for writer in self.writers}
        self._breakers = [breakers[id(writer)] for writer in self.writers]

    @property
    def name(self) -> str:
        return ", ".join(map(writer_name, self.writers))

    @property
    def window(self) -> int | None:
        """The smallest of their windows: an ask must fit each writer it may be put to."""
        windows = (getattr(writer, "window", None) for writer in self.writers)
        return min((window for window in windows if window is not None), default=None)

    def answer(self, ask: Ask) -> Reply | Awaitable[Reply]:
        """Return the first answer, or `NoAnswer` with every call that was made."""
        with closing(self.steps(ask)) as steps:
            driver = Driver(steps)
            for step in driver:
                if isinstance(step, tuple):
                    driver.answer(ask_model(*step, _no_answer_from))
                else:
                    self.sleep(step)
        return driver.result

    def steps(self, ask: Ask) -> _Steps:
        """Yield asks and pauses until a writer answers or none is left."""
        end = math.inf
        if ask.seconds is not None:
            end = self.clock() + ask.seconds * TIME_SHARE
        tried: list[ModelCall] = []
        last: Reply = NoAnswer("no writer was asked", "spent")
        for at, writer in enumerate(self.writers):
            # Each writer gets an equal share of the time that is left.
            until = self.clock() + (end - self.clock()) / (len(self.writers) - at)
            for retry in itertools.count():
                last = yield from self._ask_once(writer, self._breakers[at], ask, until)
                tried += last.calls
                pause = self._retry_delay(last, retry)
                if pause is None or self.clock() + pause >= until:
                    break
                yield pause
            if isinstance(last, Answer):
                break
        return msgspec.structs.replace(last, tried=tuple(tried))

    def _ask_once(self, writer: Model, breaker: Breaker, ask: Ask, until: float) -> _Steps:
        name, now = writer_name(writer), self.clock()
        if now >= until:
            return _skip("no time was left", "timeout", name)
        if breaker.failures >= self.retry.failures and now < breaker.until:
            return _skip("it failed too often and is left alone for a while", "spent", name)
        booking = self.account.book(ask)
        if isinstance(booking, str):
            return _skip(booking, "spent", name)
        if math.isfinite(until):
            ask = msgspec.structs.replace(ask, seconds=until - now)
        reply = yield writer, ask
        assert reply is not None
        if not reply.by:
            reply = msgspec.structs.replace(reply, by=name)
        self.account.settle(booking, sum((call.usage for call in reply.calls), Usage()))
        self._update_breaker(breaker, reply)
        self.on_call(reply, self.clock() - now)
        return reply

    def _update_breaker(self, breaker: Breaker, reply: Reply) -> None:
        if isinstance(reply, Answer):
            breaker.failures = 0
        elif reply.kind in UNHEALTHY_KINDS:
            # A wrong key does not become right by asking again: trip at once.
            breaker.failures += 1
            if reply.kind == "auth":
                breaker.failures = self.retry.failures
            breaker.until = self.clock() + self.retry.rest

    def _retry_delay(self, reply: Reply, retry: int) -> float | None:
        """Return the seconds before the same writer is asked again; None if it is not."""
        if isinstance(reply, Answer) or retry >= self.retry.retries:
            return None
        if reply.kind in RETRY_KINDS or (reply.kind in RETRY_ONCE_KINDS and retry == 0):
            return self.retry.delay_before_retry(retry, reply.wait, self.chance())
        return None


class AsyncRetryingWriter(RetryingWriter):
    async def answer(self, ask: Ask) -> Reply:
        import asyncio

        with closing(self.steps(ask)) as steps:
            driver = Driver(steps)
            for step in driver:
                if isinstance(step, tuple):
                    driver.answer(await ask_model_async(*step, _no_answer_from))
                else:
                    await asyncio.sleep(step)
        return driver.result


def with_retries(writers: Sequence[Model], retry: RetryPolicy, spend: Spend) -> RetryingWriter:
    """Return the writers as one; an awaited one if any of them must be awaited."""
    if any(inspect.iscoroutinefunction(writer.answer) for writer in writers):
        return AsyncRetryingWriter(writers, retry, Account(spend))
    return RetryingWriter(writers, retry, Account(spend))


def writer_name(writer: Model) -> str:
    """Return a writer's name, or that of its class."""
    name = getattr(writer, "name", None)
    if isinstance(name, str) and name:
        return name
    return type(writer).__name__


def _check_writer(writer: Model) -> None:
    if not callable(getattr(writer, "answer", None)):
        raise BadInput(f"a writer has a method answer(ask), got {type(writer).__name__}")
    window = getattr(writer, "window", None)
    if window is not None and not (type(window) is int and window > 0):
        raise BadInput(
            f"the window of writer {writer_name(writer)} is a whole number of tokens "
            f"from 1 on, got {window!r:.20}"
        )


def _skip(reason: str, kind: FailureKind, name: str) -> NoAnswer:
    return NoAnswer(reason, kind, by=name, tried=(ModelCall(name, reason=reason, made=False),))


def _no_answer_from(failure: Exception) -> NoAnswer:
    """Return what a writer raised in our own words: a provider's may quote the prompt or a key."""
    # A coroutine cannot raise a StopIteration: it comes out as the cause of another error.
    if isinstance(failure.__cause__, StopIteration):
        return no_answer(failure.__cause__)
    return no_answer(failure)
