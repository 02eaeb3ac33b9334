"""Asking a model: the one effect the engine has, yielded and not performed.

A flow yields a round of asks and is sent a reply to each. The two drivers here
are the only place where blocking and async differ; they own deadline, width
and spend, and turn a model's failure into *no answer*. What to ask is a rung's
business; how a provider is called is a model's.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from queue import Empty, SimpleQueue
from typing import Protocol, TypeVar, cast

import msgspec

from steno.core.error import BadInput, ModelFailed
from steno.core.message import Value
from steno.core.model import Complexity, Tried, Trouble, Usage

T = TypeVar("T")


class Ask(Value, frozen=True, tag="ask"):
    """A question to the writer."""

    prompt: str
    max_tokens: int = 1_000
    system: str | None = None
    purpose: str = ""
    seconds: float | None = None
    """How long an answer is worth waiting for; the driver lowers it to what is left."""
    schema: str | None = None
    """The JSON schema of the answer, for providers that can be held to one."""
    complexity: Complexity = "simple"
    after: str | None = None
    """JSON of the agent's own request that this ask goes on from, so that both share one cached prefix."""


class Answer(Value, frozen=True, tag="answer"):
    text: str
    by: str = ""
    """Who answered."""
    usage: Usage = Usage()
    tried: tuple[Tried, ...] = ()
    """Every call that was made for it, where there was more than one."""

    @property
    def calls(self) -> tuple[Tried, ...]:
        return self.tried or (Tried(self.by, self.usage),)


class NoAnswer(Value, frozen=True, tag="no_answer"):
    reason: str
    kind: Trouble = "other"
    by: str = ""
    wait: float | None = None
    """Seconds after which the provider wants to be asked again, where it said so."""
    usage: Usage = Usage()
    tried: tuple[Tried, ...] = ()

    @property
    def calls(self) -> tuple[Tried, ...]:
        return self.tried or (Tried(self.by, self.usage, self.reason),)


Reply = Answer | NoAnswer
Asks = tuple[Ask, ...]
Replies = tuple[Reply, ...]
Rounds = tuple[Replies, ...]
Flow = Generator[Asks, Replies, T]
Failure = Callable[[Exception], NoAnswer]
"""What an exception of a model's is told as."""


class Model(Protocol):
    """Answers an ask, or raises; the reply may be awaitable for `arun`.

    It may say its `name` and its `window` in tokens; `core/model.py` says how it takes a whole turn.
    """

    def answer(self, ask: Ask) -> Reply | Awaitable[Reply]: ...


class Limits(Value, frozen=True):
    """What one compaction may cost."""

    seconds: float = 60.0
    asks: int = 64
    tokens: int = 200_000
    """Of answers asked for, all together."""
    width: int = 4

    def __post_init__(self) -> None:
        if self.width < 1 or self.asks < 0 or self.tokens < 0 or not self.seconds >= 0:
            raise BadInput(f"limits must not be negative, and width at least 1, got {self}")


LIMITS = Limits()


class _Purse:
    """What is left of the limits, for one run."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self.asks, self.tokens = limits.asks, limits.tokens
        self.clock, self.deadline = clock, clock() + limits.seconds

    def left(self) -> float:
        return self.deadline - self.clock()

    def admit(self, ask: Ask) -> Ask | NoAnswer:
        """The ask with its share of what is left, or why it is not put."""
        seconds = self.left() if ask.seconds is None else min(ask.seconds, self.left())
        if seconds <= 0:
            return NoAnswer("the time for this compaction is used up")
        if self.asks < 1 or self.tokens < ask.max_tokens:
            return NoAnswer("the asks or tokens for this compaction are used up")
        self.asks -= 1
        self.tokens -= ask.max_tokens
        return msgspec.structs.replace(ask, seconds=seconds)


def run(
    flow: Flow[T], model: Model | None, limits: Limits = LIMITS, clock: Callable[[], float] = time.monotonic
) -> T:
    """Drive a flow, blocking; no model means no answers."""
    purse = _Purse(limits, clock)
    step: Callable[[], Asks] = partial(next, flow)
    while True:
        try:
            asks = step()
        except StopIteration as end:
            return cast(T, end.value)
        step = partial(flow.send, _answers(asks, model, limits.width, purse))


async def arun(
    flow: Flow[T], model: Model | None, limits: Limits = LIMITS, clock: Callable[[], float] = time.monotonic
) -> T:
    """Drive a flow on the event loop, which neither its steps nor a blocking model hold up: those run in threads."""
    import asyncio

    purse = _Purse(limits, clock)
    step: Callable[[], Asks] = partial(next, flow)
    while True:
        moved = await asyncio.to_thread(_moved, step)
        if isinstance(moved, StopIteration):
            return cast(T, moved.value)
        step = partial(flow.send, await _async_answers(moved, model, limits.width, purse))


def _moved(step: Callable[[], Asks]) -> Asks | StopIteration:
    """One step of a flow; its end as a value, because no future can carry a StopIteration."""
    try:
        return step()
    except StopIteration as end:
        return end


def _answers(asks: Asks, model: Model | None, width: int, purse: _Purse) -> Replies:
    """Every reply of a round, at most `width` under way; whoever is late has not answered."""
    replies: list[Reply] = []
    for start in range(0, len(asks), width):
        admitted = [purse.admit(ask) for ask in asks[start : start + width]]
        until = [purse.clock() + (0 if isinstance(ask, NoAnswer) else ask.seconds or 0) for ask in admitted]
        waiting = [ask if isinstance(ask, NoAnswer) else _begun(model, ask) for ask in admitted]
        for each, late in zip(waiting, until, strict=True):
            replies.append(each if isinstance(each, NoAnswer) else _collected(each, late - purse.clock()))
    return tuple(replies)


def asked(model: Model, ask: Ask, failed: Failure | None = None) -> Reply:
    """One ask, blocking, for at most its seconds; whatever the model does comes back as a reply."""
    return _collected(_begun(model, ask, failed), ask.seconds)


Fatal = (MemoryError, RecursionError)
SAID_MOST = 500
"""Characters of a model's name, or of why it failed."""
_LATE = NoAnswer("no answer within the time for this compaction", "timeout")


def _begun(model: Model | None, ask: Ask, failed: Failure | None = None) -> SimpleQueue[Reply | BaseException]:
    """Put the ask in a thread of its own: a model that hangs must not hold the agent."""
    box: SimpleQueue[Reply | BaseException] = SimpleQueue()

    def work() -> None:
        try:
            box.put(_reply(model, ask, failed))
        except BaseException as gone:  # noqa: BLE001 — handed to the caller's thread, which raises it
            box.put(gone)

    threading.Thread(target=work, name="steno-ask", daemon=True).start()
    return box


def _collected(box: SimpleQueue[Reply | BaseException], seconds: float | None) -> Reply:
    try:
        reply = box.get(timeout=None if seconds is None else min(max(0.0, seconds), threading.TIMEOUT_MAX))
    except Empty:
        return _LATE
    if isinstance(reply, BaseException):
        raise reply
    return reply


def _reply(model: Model | None, ask: Ask, failed: Failure | None = None) -> Reply:
    if model is None:
        return NoAnswer("there is no writer")
    try:
        reply = model.answer(ask)
        if inspect.isawaitable(reply):
            import asyncio  # costs more to load than all of the core, and only async callers need it

            reply = asyncio.run(_awaited(reply))
    except Fatal:
        raise
    except Exception as failure:  # noqa: BLE001 — the edge to somebody else's code: its failure is a value from here on
        return (failed or _failure)(failure)
    return _genuine(reply)


async def _awaited(reply: Awaitable[Reply]) -> Reply:
    return await reply


def _failure(failure: Exception) -> NoAnswer:
    if isinstance(failure, ModelFailed):
        return NoAnswer(str(failure), failure.kind, wait=failure.wait)
    # A coroutine cannot raise a StopIteration: it comes out as the cause of another error.
    raised = failure.__cause__ if isinstance(failure.__cause__, StopIteration) else failure
    # Only the kind: a provider's message may quote the prompt or a key.
    return NoAnswer(f"the model raised {type(raised).__name__}")


def _genuine(reply: object) -> Reply:
    """A reply as it can be kept: what a model calls itself, and why it failed, may be anything."""
    if isinstance(reply, Answer) and isinstance(reply.text, str):
        return msgspec.structs.replace(reply, by=_kept(reply.by), tried=tuple(map(_told, reply.tried)))
    if isinstance(reply, NoAnswer):
        told = tuple(map(_told, reply.tried))
        return msgspec.structs.replace(reply, by=_kept(reply.by), reason=_kept(reply.reason), tried=told)
    if isinstance(reply, Answer):
        return NoAnswer(f"the model answered with a {type(reply.text).__name__}, not a text", "invalid")
    return NoAnswer(f"the model returned a {type(reply).__name__}, not a reply")


def _told(call: Tried) -> Tried:
    return msgspec.structs.replace(call, by=_kept(call.by), reason=_kept(call.reason))


def _kept(said: object) -> str:
    return str(said or "")[:SAID_MOST].encode("utf-8", "replace").decode()


async def _async_answers(asks: Asks, model: Model | None, width: int, purse: _Purse) -> Replies:
    import asyncio

    gate = asyncio.Semaphore(width)

    async def one(ask: Ask) -> Reply:
        async with gate:
            admitted = purse.admit(ask)
            if isinstance(admitted, NoAnswer):
                return admitted
            return await asked_on_loop(model, admitted)

    return tuple(await asyncio.gather(*(one(ask) for ask in asks)))


async def _in_daemon(work: Callable[[], Reply]) -> Reply:
    """Work in a thread that nobody waits for at the end: the loop's own pool would."""
    import asyncio

    loop = asyncio.get_running_loop()
    done: asyncio.Future[Reply] = loop.create_future()

    def settle(reply: Reply | None, gone: BaseException | None) -> None:
        if done.cancelled():
            return
        if gone is not None:
            done.set_exception(gone)
        else:
            done.set_result(cast(Reply, reply))

    def worked() -> None:
        reply, gone = None, None
        try:
            reply = work()
        except BaseException as fatal:  # noqa: BLE001 — handed to the loop, which raises it
            gone = fatal
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, reply, gone)

    threading.Thread(target=worked, name="steno-ask", daemon=True).start()
    return await done


async def asked_on_loop(model: Model | None, ask: Ask, failed: Failure | None = None) -> Reply:
    """One ask, awaited, for at most its seconds; a blocking model gets a thread."""
    if model is None:
        return NoAnswer("there is no writer")
    import asyncio

    scope = asyncio.timeout(None if ask.seconds is None else max(0.0, ask.seconds))
    try:
        async with scope:
            if inspect.iscoroutinefunction(model.answer):
                reply = await cast(Awaitable[Reply], model.answer(ask))
            else:
                reply = await _in_daemon(partial(_reply, model, ask, failed))
    except Fatal:
        raise
    except Exception as failure:  # noqa: BLE001 — the edge to somebody else's code: its failure is a value from here on
        return _LATE if scope.expired() else (failed or _failure)(failure)
    return _genuine(reply)
