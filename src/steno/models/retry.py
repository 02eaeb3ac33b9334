"""Who is not asked for a while: a breaker for every model.

A model that failed so often in a row is left alone; after a pause one ask is
let through, and decides. Sessions that are given the same `Breakers` share what
one of them learned. Which failures count is the patience's business.

Writers as one model that neither gives up at once nor goes on for ever.

Owns what happens when a writer does not answer: who is asked again and after
which pause, who is left alone, what may be spent, who is asked next. All of it
within the seconds of the ask. At the end there is an answer, or *no answer* with
everything that was tried. What a failure is called is told in `trouble`; what is
written without a writer is a rung's business.
"""

from __future__ import annotations

import inspect
import math
import random
import threading
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
from steno.models.errors import classify_error
from steno.models.spend import DEFAULT_SPEND, Account, Spend


@dataclass
class _BreakerState:
    failures: int = 0
    until: float = 0.0
    """When a tripped breaker lets one ask through."""
    trying: bool = False
    """That one ask is under way."""


class Breakers:
    """The breakers of a process or of one session, by what tells models apart: their names and addresses."""

    def __init__(self) -> None:
        self._states: dict[str, _BreakerState] = {}
        self._lock = threading.Lock()

    def admit(self, name: str, now: float, most: int) -> bool:
        """Whether the model may be asked now; where it was left alone, one ask at a time."""
        with self._lock:
            state = self._states.setdefault(name, _BreakerState())
            if state.failures < most:
                return True
            if now < state.until or state.trying:
                return False
            state.trying = True
            return True

    def record_success(self, name: str) -> None:
        """The model works: whatever it failed before is forgotten."""
        with self._lock:
            self._states[name] = _BreakerState()

    def record_failure(self, name: str, until: float, *, weight: int = 1) -> None:
        with self._lock:
            state = self._states.setdefault(name, _BreakerState())
            state.failures += weight
            state.until = until
            state.trying = False

    def release(self, name: str) -> None:
        """The ask that was let through said nothing about the model's health: another may try."""
        with self._lock:
            self._states.setdefault(name, _BreakerState()).trying = False


Seconds = Annotated[float, msgspec.Meta(ge=0)]
RETRY_KINDS: frozenset[FailureKind] = frozenset({"busy", "server", "reset", "timeout"})
"""Worth asking again: it may pass."""
RETRY_ONCE_KINDS: frozenset[FailureKind] = frozenset({"invalid", "empty"})
"""Worth asking again once: a model may hit upon it."""
UNHEALTHY_KINDS: frozenset[FailureKind] = frozenset(
    {"busy", "server", "reset", "timeout", "auth", "other"}
)
"""Say something about the model, and not only about this ask."""
TIME_SHARE = 0.95
"""Of an ask's seconds, to be done before whoever waits gives up."""
Random = Callable[[], float]


class RetryPolicy(Value, frozen=True):
    """How often a writer is asked again, how long one waits for it, and when it is left alone."""

    retries: Annotated[int, msgspec.Meta(ge=0, le=20)] = 2
    pause: Seconds = 0.5
    """Before the first retry; twice as long before each further one, up to half of it at random."""
    longest: Seconds = 30.0
    """A provider that wants to be left alone for longer is not asked again."""
    failures: Annotated[int, msgspec.Meta(ge=1)] = 5
    """In a row, after which a model is left alone."""
    rest: Seconds = 60.0
    """How long, before one ask is let through."""

    def delay_before_retry(self, retry: int, wait: float | None, chance: float) -> float | None:
        """Seconds to pause before a retry, counted from 0; None where that is too long."""
        own = min(self.pause * 2.0**retry, self.longest) * (1 - chance / 2)
        if wait is None:
            return own
        # Everybody who was sent away comes back at the same moment, unless somebody is late on purpose.
        if wait > self.longest:
            return None
        return wait + self.pause * chance / 2


DEFAULT_RETRY = RetryPolicy()


@dataclass(frozen=True)
class _AskStep:
    """Put this ask to that writer."""

    writer: Model
    ask: Ask


@dataclass(frozen=True)
class _PauseStep:
    seconds: float


_Steps = Generator[_AskStep | _PauseStep, Reply | None, Reply]


@dataclass
class RetryingWriter:
    """Several writers, best first, asked in turn until one answers."""

    writers: Sequence[Model]
    patience: RetryPolicy = DEFAULT_RETRY
    account: Account = field(default_factory=lambda: Account(DEFAULT_SPEND))
    breakers: Breakers = field(default_factory=Breakers)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    chance: Random = random.random

    def __post_init__(self) -> None:
        if not self.writers:
            raise BadInput("writer= takes a model, or a list of at least one")
        for writer in self.writers:
            if not callable(getattr(writer, "answer", None)):
                raise BadInput(f"a writer has a method answer(ask), got {type(writer).__name__}")
            window = getattr(writer, "window", None)
            if window is not None and (
                not isinstance(window, int) or isinstance(window, bool) or window <= 0
            ):
                told = window if isinstance(window, int | float) else type(window).__name__
                raise BadInput(
                    f"the window of writer {writer_name(writer)} is a whole number of tokens from 1 on, got {told}"
                )
        self._keys = _breaker_keys(self.writers)

    @property
    def name(self) -> str:
        return ", ".join(map(writer_name, self.writers))

    @property
    def window(self) -> int | None:
        """The smallest of their windows: what is asked must fit whoever is asked."""
        known = [
            window
            for writer in self.writers
            if (window := getattr(writer, "window", None)) is not None
        ]
        return min(known, default=None)

    def answer(self, ask: Ask) -> Reply | Awaitable[Reply]:
        with closing(self.steps(ask)) as steps:
            driver = Driver(steps)
            for step in driver:
                if isinstance(step, _AskStep):
                    driver.answer(ask_model(step.writer, step.ask, _no_answer_from))
                else:
                    self.sleep(step.seconds)
        return driver.result

    def steps(self, ask: Ask) -> _Steps:
        """Whom to ask next, until somebody answers or nobody is left."""
        end = self.clock() + (math.inf if ask.seconds is None else ask.seconds * TIME_SHARE)
        tried: tuple[ModelCall, ...] = ()
        last = NoAnswer("nobody was asked", "spent")
        for at, writer in enumerate(self.writers):
            # Whoever comes later has a share of the time as well.
            until = self.clock() + (end - self.clock()) / (len(self.writers) - at)
            reply = yield from self._ask_writer(writer, self._keys[at], ask, until)
            tried += reply.calls
            if isinstance(reply, Answer):
                return msgspec.structs.replace(reply, tried=tried)
            last = reply
        return msgspec.structs.replace(last, tried=tried)

    def _ask_writer(self, writer: Model, key: str, ask: Ask, until: float) -> _Steps:
        """One writer, as often as it is worth it."""
        tried: tuple[ModelCall, ...] = ()
        retry = 0
        while True:
            reply = yield from self._ask_once(writer, key, ask, until)
            tried += reply.calls
            pause = self._retry_delay(reply, retry)
            if pause is None or self.clock() + pause >= until:
                return msgspec.structs.replace(reply, tried=tried)
            yield _PauseStep(pause)
            retry += 1

    def _ask_once(self, writer: Model, key: str, ask: Ask, until: float) -> _Steps:
        name, now = writer_name(writer), self.clock()
        if now >= until:
            return _skip("no time was left", "timeout", name)
        if not self.breakers.admit(key, now, self.patience.failures):
            return _skip("it failed too often and is left alone for a while", "spent", name)
        held = self.account.book(ask, now)
        if isinstance(held, str):
            self.breakers.release(key)
            return _skip(held, "spent", name)
        seconds = None if math.isinf(until) else until - now
        try:
            reply = yield _AskStep(writer, msgspec.structs.replace(ask, seconds=seconds))
        except GeneratorExit:  # whoever asked was cancelled: that says nothing about the model
            self.breakers.release(key)
            raise
        assert reply is not None
        reply = reply if reply.by else msgspec.structs.replace(reply, by=name)
        self.account.settle(held, sum((call.usage for call in reply.calls), Usage()))
        self._update_breaker(key, reply)
        return reply

    def _update_breaker(self, key: str, reply: Reply) -> None:
        if isinstance(reply, Answer):
            self.breakers.record_success(key)
        elif reply.kind in UNHEALTHY_KINDS:
            # A wrong key does not become right by asking again.
            weight = self.patience.failures if reply.kind == "auth" else 1
            self.breakers.record_failure(key, self.clock() + self.patience.rest, weight=weight)
        else:
            self.breakers.release(key)

    def _retry_delay(self, reply: Reply, retry: int) -> float | None:
        """Seconds before the same writer is asked again; None where it is not."""
        if isinstance(reply, Answer):
            return None
        most = self.patience.retries if reply.kind in RETRY_KINDS else min(1, self.patience.retries)
        if reply.kind not in RETRY_KINDS | RETRY_ONCE_KINDS or retry >= most:
            return None
        return self.patience.delay_before_retry(retry, reply.wait, self.chance())


class AsyncRetryingWriter(RetryingWriter):
    """The same for writers that are awaited."""

    async def answer(self, ask: Ask) -> Reply:
        import asyncio

        with closing(self.steps(ask)) as steps:
            driver = Driver(steps)
            for step in driver:
                if isinstance(step, _AskStep):
                    driver.answer(await ask_model_async(step.writer, step.ask, _no_answer_from))
                else:
                    await asyncio.sleep(step.seconds)
        return driver.result


def with_retries(
    writers: Sequence[Model], patience: RetryPolicy, spend: Spend, breakers: Breakers | None = None
) -> RetryingWriter:
    """The writers as one; on the event loop where one of them must be awaited."""
    kind = (
        AsyncRetryingWriter
        if any(inspect.iscoroutinefunction(writer.answer) for writer in writers)
        else RetryingWriter
    )
    return kind(writers, patience, Account(spend), breakers or Breakers())


def writer_name(writer: Model) -> str:
    """What a writer calls itself, or else its kind."""
    name = getattr(writer, "name", None)
    if isinstance(name, str) and name:
        return name
    return type(writer).__name__


def _breaker_keys(writers: Sequence[Model]) -> tuple[str, ...]:
    """What each writer's breaker is kept under: its name and address, or where those are the same, which one."""
    known: dict[str, list[Model]] = {}
    keys: list[str] = []
    for writer in writers:
        url = getattr(writer, "url", None)
        key = f"{writer_name(writer)} at {url}" if isinstance(url, str) else writer_name(writer)
        same = known.setdefault(key, [])
        if not any(each is writer for each in same):
            same.append(writer)
        which = next(at for at, each in enumerate(same) if each is writer)
        keys.append(f"{key} #{which + 1}" if which else key)
    return tuple(keys)


def _skip(reason: str, kind: FailureKind, name: str) -> NoAnswer:
    return NoAnswer(reason, kind, by=name, tried=(ModelCall(name, reason=reason, made=False),))


def _no_answer_from(failure: Exception) -> NoAnswer:
    """What a writer raised, in our own words: a provider's may quote the prompt or a key."""
    # A coroutine cannot raise a StopIteration: it comes out as the cause of another error.
    trouble = classify_error(
        failure.__cause__ if isinstance(failure.__cause__, StopIteration) else failure
    )
    return NoAnswer(str(trouble), trouble.kind, wait=trouble.wait)
