"""Writers as one model that neither gives up at once nor goes on for ever.

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
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

from steno.core.ask import Answer, Ask, Model, NoAnswer, Reply, asked, asked_on_loop
from steno.core.error import BadInput
from steno.core.message import Value
from steno.core.model import Tried, Trouble, Usage
from steno.models.breaker import Breakers
from steno.models.spend import SPEND, Account, Spend
from steno.models.trouble import trouble_of

Seconds = Annotated[float, msgspec.Meta(ge=0)]
AGAIN: frozenset[Trouble] = frozenset({"busy", "server", "reset", "timeout"})
"""Worth asking again: it may pass."""
AGAIN_ONCE: frozenset[Trouble] = frozenset({"invalid", "empty"})
"""Worth asking again once: a model may hit upon it."""
ILL: frozenset[Trouble] = frozenset({"busy", "server", "reset", "timeout", "auth", "other"})
"""Say something about the model, and not only about this ask."""
SHARE = 0.95
"""Of an ask's seconds, to be done before whoever waits gives up."""
Random = Callable[[], float]


class Patience(Value, frozen=True):
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

    def before(self, retry: int, wait: float | None, chance: float) -> float | None:
        """Seconds to pause before a retry, counted from 0; None where that is too long."""
        own = min(self.pause * 2.0**retry, self.longest) * (1 - chance / 2)
        if wait is None:
            return own
        # Everybody who was sent away comes back at the same moment, unless somebody is late on purpose.
        return None if wait > self.longest else wait + self.pause * chance / 2


PATIENCE = Patience()


@dataclass(frozen=True)
class _Put:
    """Put this ask to that writer."""

    writer: Model
    ask: Ask


@dataclass(frozen=True)
class _Pause:
    seconds: float


_Course = Generator[_Put | _Pause, Reply | None, Reply]


@dataclass
class Patient:
    """Several writers, best first, asked in turn until one answers."""

    writers: Sequence[Model]
    patience: Patience = PATIENCE
    account: Account = field(default_factory=lambda: Account(SPEND))
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
            if window is not None and (not isinstance(window, int) or isinstance(window, bool) or window <= 0):
                told = window if isinstance(window, int | float) else type(window).__name__
                raise BadInput(
                    f"the window of writer {called(writer)} is a whole number of tokens from 1 on, got {told}"
                )
        self._keys = _told_apart(self.writers)

    @property
    def name(self) -> str:
        return ", ".join(map(called, self.writers))

    @property
    def window(self) -> int | None:
        """The smallest of their windows: what is asked must fit whoever is asked."""
        known = [window for writer in self.writers if (window := getattr(writer, "window", None)) is not None]
        return min(known, default=None)

    def answer(self, ask: Ask) -> Reply | Awaitable[Reply]:
        reply: Reply | None = None
        with closing(self.course(ask)) as course:
            while True:
                try:
                    step = course.send(reply)
                except StopIteration as end:
                    return _replied(end)
                reply = None
                if isinstance(step, _Put):
                    reply = asked(step.writer, step.ask, _told)
                else:
                    self.sleep(step.seconds)

    def course(self, ask: Ask) -> _Course:
        """Whom to ask next, until somebody answers or nobody is left."""
        end = self.clock() + (math.inf if ask.seconds is None else ask.seconds * SHARE)
        tried: tuple[Tried, ...] = ()
        last = NoAnswer("nobody was asked", "spent")
        for at, writer in enumerate(self.writers):
            # Whoever comes later has a share of the time as well.
            until = self.clock() + (end - self.clock()) / (len(self.writers) - at)
            reply = yield from self._one(writer, self._keys[at], ask, until)
            tried += reply.calls
            if isinstance(reply, Answer):
                return msgspec.structs.replace(reply, tried=tried)
            last = reply
        return msgspec.structs.replace(last, tried=tried)

    def _one(self, writer: Model, key: str, ask: Ask, until: float) -> _Course:
        """One writer, as often as it is worth it."""
        tried: tuple[Tried, ...] = ()
        retry = 0
        while True:
            reply = yield from self._once(writer, key, ask, until)
            tried += reply.calls
            pause = self._pause(reply, retry)
            if pause is None or self.clock() + pause >= until:
                return msgspec.structs.replace(reply, tried=tried)
            yield _Pause(pause)
            retry += 1

    def _once(self, writer: Model, key: str, ask: Ask, until: float) -> _Course:
        name, now = called(writer), self.clock()
        if now >= until:
            return _not_asked("no time was left", "timeout", name)
        if not self.breakers.lets(key, now, self.patience.failures):
            return _not_asked("it failed too often and is left alone for a while", "spent", name)
        held = self.account.booked(ask, now)
        if isinstance(held, str):
            self.breakers.undecided(key)
            return _not_asked(held, "spent", name)
        seconds = None if math.isinf(until) else until - now
        try:
            reply = yield _Put(writer, msgspec.structs.replace(ask, seconds=seconds))
        except GeneratorExit:  # whoever asked was cancelled: that says nothing about the model
            self.breakers.undecided(key)
            raise
        assert reply is not None
        reply = reply if reply.by else msgspec.structs.replace(reply, by=name)
        self.account.settled(held, sum((call.usage for call in reply.calls), Usage()))
        self._learn(key, reply)
        return reply

    def _learn(self, key: str, reply: Reply) -> None:
        if isinstance(reply, Answer):
            self.breakers.answered(key)
        elif reply.kind in ILL:
            # A wrong key does not become right by asking again.
            weight = self.patience.failures if reply.kind == "auth" else 1
            self.breakers.failed(key, self.clock() + self.patience.rest, weight=weight)
        else:
            self.breakers.undecided(key)

    def _pause(self, reply: Reply, retry: int) -> float | None:
        """Seconds before the same writer is asked again; None where it is not."""
        if isinstance(reply, Answer):
            return None
        most = self.patience.retries if reply.kind in AGAIN else min(1, self.patience.retries)
        if reply.kind not in AGAIN | AGAIN_ONCE or retry >= most:
            return None
        return self.patience.before(retry, reply.wait, self.chance())


class PatientOnLoop(Patient):
    """The same for writers that are awaited."""

    async def answer(self, ask: Ask) -> Reply:
        import asyncio

        reply: Reply | None = None
        with closing(self.course(ask)) as course:
            while True:
                try:
                    step = course.send(reply)
                except StopIteration as end:
                    return _replied(end)
                reply = None
                if isinstance(step, _Put):
                    reply = await asked_on_loop(step.writer, step.ask, _told)
                else:
                    await asyncio.sleep(step.seconds)


def patient(writers: Sequence[Model], patience: Patience, spend: Spend, breakers: Breakers | None = None) -> Patient:
    """The writers as one; on the event loop where one of them must be awaited."""
    kind = PatientOnLoop if any(inspect.iscoroutinefunction(writer.answer) for writer in writers) else Patient
    return kind(writers, patience, Account(spend), breakers or Breakers())


def called(writer: Model) -> str:
    """What a writer calls itself, or else its kind."""
    name = getattr(writer, "name", None)
    return name if isinstance(name, str) and name else type(writer).__name__


def _told_apart(writers: Sequence[Model]) -> tuple[str, ...]:
    """What each breaker is kept under: a name and an address, and where those are the same, which one of them."""
    known: dict[str, list[Model]] = {}
    keys: list[str] = []
    for writer in writers:
        url = getattr(writer, "url", None)
        key = f"{called(writer)} at {url}" if isinstance(url, str) else called(writer)
        same = known.setdefault(key, [])
        if not any(each is writer for each in same):
            same.append(writer)
        which = next(at for at, each in enumerate(same) if each is writer)
        keys.append(f"{key} #{which + 1}" if which else key)
    return tuple(keys)


def _not_asked(reason: str, kind: Trouble, name: str) -> NoAnswer:
    return NoAnswer(reason, kind, by=name, tried=(Tried(name, reason=reason, made=False),))


def _told(failure: Exception) -> NoAnswer:
    """What a writer raised, in our own words: a provider's may quote the prompt or a key."""
    # A coroutine cannot raise a StopIteration: it comes out as the cause of another error.
    trouble = trouble_of(failure.__cause__ if isinstance(failure.__cause__, StopIteration) else failure)
    return NoAnswer(str(trouble), trouble.kind, wait=trouble.wait)


def _replied(end: StopIteration) -> Reply:
    reply = end.value
    assert isinstance(reply, Answer | NoAnswer)
    return reply
