"""Flows that yield their effects, and the drivers that perform them.

`run` and `arun` drive the engine's flows, which have one effect: a round of asks to a model.
They hold the deadline, the width and the spend, and turn a model's failure into `NoAnswer`.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import Generic, Protocol, TypeVar, cast

import msgspec

from steno.core.errors import BadInput, ModelFailed
from steno.core.message import Value
from steno.core.model import Complexity, FailureKind, ModelCall, Usage

T = TypeVar("T")
EffectT = TypeVar("EffectT")
AnswerT = TypeVar("AnswerT")


class Driver(Generic[EffectT, AnswerT, T]):
    """Step a flow: iterate over its effects, answer each, then read the result.

        for effect in driver:
            driver.answer(perform(effect))
        return driver.result

    `for` runs the flow's own code in the caller's thread. `async for` runs it in
    worker threads, so that it does not hold up the event loop. An effect that is
    not answered is answered with None.
    """

    result: T
    """What the flow returned; set when the iteration has ended."""

    def __init__(self, flow: Generator[EffectT, AnswerT, T]) -> None:
        self._flow = flow
        self._advance: Callable[[], EffectT] = partial(next, flow)

    def answer(self, answer: AnswerT) -> None:
        """Send `answer` to the flow at its next step."""
        self._advance = partial(self._flow.send, answer)

    def fail(self, failure: Exception) -> None:
        """Raise `failure` in the flow at its next step, where it yielded the effect."""
        self._advance = partial(self._flow.throw, failure)

    def __iter__(self) -> Driver[EffectT, AnswerT, T]:
        return self

    def __next__(self) -> EffectT:
        advance = self._advance
        self._advance = partial(next, self._flow)
        try:
            return advance()
        except StopIteration as end:
            self.result = cast(T, end.value)
            raise

    def __aiter__(self) -> Driver[EffectT, AnswerT, T]:
        return self

    async def __anext__(self) -> EffectT:
        import asyncio

        # Shielded: a step that was cancelled before its thread began would lose the answer.
        step = await asyncio.shield(asyncio.to_thread(self._next_or_end))
        if isinstance(step, StopIteration):
            raise StopAsyncIteration
        return step

    def _next_or_end(self) -> EffectT | StopIteration:
        """Return the end as a value: no future can carry a StopIteration."""
        try:
            return next(self)
        except StopIteration as end:
            return end


class Ask(Value, tag="ask"):
    """A question to the writer."""

    prompt: str
    max_tokens: int = 1_000
    system: str | None = None
    purpose: str = ""
    seconds: float | None = None
    """Seconds to wait for an answer; the driver lowers them to what is left."""
    schema: str | None = None
    """JSON schema of the answer, for providers that can enforce one."""
    complexity: Complexity = "simple"
    after: str | None = None
    """JSON of the agent's own request to continue, so that both share one cached prefix."""


class Answer(Value, tag="answer"):
    text: str
    by: str = ""
    """Name of the model that answered."""
    usage: Usage = Usage()
    tried: tuple[ModelCall, ...] = ()
    """Every call that was made for it, if there was more than one."""

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        return self.tried or (ModelCall(self.by, self.usage),)


class NoAnswer(Value, tag="no_answer"):
    reason: str
    kind: FailureKind = "other"
    by: str = ""
    wait: float | None = None
    """Seconds that the provider asks to wait, if it said so."""
    usage: Usage = Usage()
    tried: tuple[ModelCall, ...] = ()

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        return self.tried or (ModelCall(self.by, self.usage, self.reason),)


Reply = Answer | NoAnswer
Asks = tuple[Ask, ...]
Replies = tuple[Reply, ...]
Rounds = tuple[Replies, ...]
Flow = Generator[Asks, Replies, T]
FailureHandler = Callable[[Exception], NoAnswer]
"""Turns an exception of a model into a NoAnswer."""


class Model(Protocol):
    """Answers an ask, or raises; it may have a `name` and a `window` in tokens."""

    def answer(self, ask: Ask) -> Reply | Awaitable[Reply]: ...


class Limits(Value):
    """What one compaction may cost."""

    seconds: float = 60.0
    asks: int = 64
    tokens: int = 200_000
    """Output tokens of all asks together."""
    width: int = 4

    def __post_init__(self) -> None:
        # `not … >= 0` refuses NaN as well; infinity is allowed.
        if self.width < 1 or self.asks < 0 or self.tokens < 0 or not self.seconds >= 0:
            raise BadInput(f"limits must not be negative, and width at least 1, got {self}")


DEFAULT_LIMITS = Limits()


class _Allowance:
    """What is left of the limits, for one run."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self.asks, self.tokens = limits.asks, limits.tokens
        self.clock, self.deadline = clock, clock() + limits.seconds

    # Needs no lock: asks are admitted in the driver's own thread, or on its event loop.
    def admit(self, ask: Ask) -> Ask | NoAnswer:
        """Return the ask with the seconds it may take, or why it may not be asked."""
        seconds = self.deadline - self.clock()
        if ask.seconds is not None:
            seconds = min(ask.seconds, seconds)
        if seconds <= 0:
            return NoAnswer("the time for this compaction is used up")
        if self.asks < 1 or self.tokens < ask.max_tokens:
            return NoAnswer("the asks or tokens for this compaction are used up")
        # Charged in advance, with the most the answer may cost: asks of a round run together.
        self.asks -= 1
        self.tokens -= ask.max_tokens
        return msgspec.structs.replace(ask, seconds=seconds)


def run(
    flow: Flow[T],
    model: Model | None,
    limits: Limits = DEFAULT_LIMITS,
    clock: Callable[[], float] = time.monotonic,
) -> T:
    """Drive a flow, blocking; no model means no answers."""
    allowance = _Allowance(limits, clock)
    driver = Driver(flow)
    for asks in driver:
        try:
            driver.answer(_answer_round(asks, model, limits.width, allowance))
        except FATAL_ERRORS:
            raise
        except Exception as failure:  # noqa: BLE001 — the flow decides what it falls back to
            driver.fail(failure)
    return driver.result


async def arun(
    flow: Flow[T],
    model: Model | None,
    limits: Limits = DEFAULT_LIMITS,
    clock: Callable[[], float] = time.monotonic,
) -> T:
    """Drive a flow on the event loop; its steps and a blocking model run in threads."""
    allowance = _Allowance(limits, clock)
    driver = Driver(flow)
    async for asks in driver:
        try:
            driver.answer(await _answer_round_async(asks, model, limits.width, allowance))
        except FATAL_ERRORS:
            raise
        except Exception as failure:  # noqa: BLE001 — the flow decides what it falls back to
            driver.fail(failure)
    return driver.result


def _answer_round(asks: Asks, model: Model | None, width: int, allowance: _Allowance) -> Replies:
    """Return every reply of a round; at most `width` asks run at a time."""
    replies: list[Reply] = []
    for start in range(0, len(asks), width):
        waiting: list[NoAnswer | tuple[Future[Reply], float]] = []
        for ask in asks[start : start + width]:
            admitted = allowance.admit(ask)
            if isinstance(admitted, NoAnswer):
                waiting.append(admitted)
                continue
            # Counted from its start: waiting for another ask of the round gives it no extra time.
            deadline = allowance.clock() + (admitted.seconds or 0)
            waiting.append((_start_ask(model, admitted), deadline))
        for pending in waiting:
            if isinstance(pending, NoAnswer):
                replies.append(pending)
                continue
            reply, deadline = pending
            replies.append(_wait_for_reply(reply, deadline - allowance.clock()))
    return tuple(replies)


def ask_model(model: Model, ask: Ask, failed: FailureHandler | None = None) -> Reply:
    """Ask a model, blocking, for at most the ask's seconds; a failure comes back as a reply."""
    return _wait_for_reply(_start_ask(model, ask, failed), ask.seconds)


FATAL_ERRORS = (MemoryError, RecursionError)
"""Errors that are never turned into a reply or an event."""
TEXT_MOST = 500
"""Characters of a model's name, or of the reason why it failed."""
_LATE = NoAnswer("no answer within the time for this compaction", "timeout")


def _start_ask(
    model: Model | None, ask: Ask, failed: FailureHandler | None = None
) -> Future[Reply]:
    """Ask in a thread of its own: a model that hangs must not hold up the agent."""
    reply: Future[Reply] = Future()
    # Under way: a caller that gives up cannot cancel it, and its thread can still end it.
    reply.set_running_or_notify_cancel()

    def work() -> None:
        try:
            reply.set_result(_call_model(model, ask, failed))
        except BaseException as fatal:  # noqa: BLE001 — handed to the caller, which raises it
            reply.set_exception(fatal)

    # A daemon: a call that never returns must not keep the program from ending.
    threading.Thread(target=work, name="steno-ask", daemon=True).start()
    return reply


def _wait_for_reply(reply: Future[Reply], seconds: float | None) -> Reply:
    if seconds is not None:
        # A longer wait, such as infinity, is an OverflowError.
        seconds = min(max(0.0, seconds), threading.TIMEOUT_MAX)
    try:
        return reply.result(seconds)
    except TimeoutError:
        return _LATE


def _call_model(model: Model | None, ask: Ask, failed: FailureHandler | None) -> Reply:
    if model is None:
        return NoAnswer("there is no writer")
    try:
        reply = finish_reply(model.answer(ask))
    except FATAL_ERRORS:
        raise
    except Exception as failure:  # noqa: BLE001 — foreign code: its failure is a value
        return (failed or _reply_from_failure)(failure)
    return _validate_reply(reply)


def finish_reply(reply: Reply | Awaitable[Reply]) -> Reply:
    """Return the reply of a model, blocking, whether it must be awaited or not."""
    if not inspect.isawaitable(reply):
        return reply
    # Slower to import than all of the core, and only async callers need it.
    import asyncio

    async def wait() -> Reply:
        return await reply

    return asyncio.run(wait())


def _reply_from_failure(failure: Exception) -> NoAnswer:
    if isinstance(failure, ModelFailed):
        return NoAnswer(str(failure), failure.kind, wait=failure.wait)
    # A coroutine cannot raise a StopIteration: it comes out as the cause of another error.
    raised: BaseException = failure
    if isinstance(failure.__cause__, StopIteration):
        raised = failure.__cause__
    # Only the kind: a provider's message may quote the prompt or a key.
    return NoAnswer(f"the model raised {type(raised).__name__}")


def _validate_reply(reply: object) -> Reply:
    """Return a reply that can be stored: a model may give any object as its name or reason."""
    if not isinstance(reply, Answer | NoAnswer):
        return NoAnswer(f"the model returned a {type(reply).__name__}, not a reply")
    by, tried = _clip_text(reply.by), tuple(map(_clean_call, reply.tried))
    if isinstance(reply, NoAnswer):
        reason = _clip_text(reply.reason)
        return msgspec.structs.replace(reply, by=by, reason=reason, tried=tried)
    if not isinstance(reply.text, str):
        kind = type(reply.text).__name__
        return NoAnswer(f"the model answered with a {kind}, not a text", "invalid")
    return msgspec.structs.replace(reply, by=by, tried=tried)


def _clean_call(call: ModelCall) -> ModelCall:
    return msgspec.structs.replace(call, by=_clip_text(call.by), reason=_clip_text(call.reason))


def _clip_text(value: object) -> str:
    # Lone surrogates are replaced: the text is stored with the commit, as UTF-8.
    return str(value or "")[:TEXT_MOST].encode("utf-8", "replace").decode()


async def _answer_round_async(
    asks: Asks, model: Model | None, width: int, allowance: _Allowance
) -> Replies:
    import asyncio

    gate = asyncio.Semaphore(width)

    async def one(ask: Ask) -> Reply:
        # Admitted only inside the gate, so that time spent waiting for it counts.
        async with gate:
            admitted = allowance.admit(ask)
            if isinstance(admitted, NoAnswer):
                return admitted
            return await ask_model_async(model, admitted)

    tasks = [asyncio.ensure_future(one(ask)) for ask in asks]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        # After a fatal error the others would go on asking, and no one would read the answers.
        for task in tasks:
            task.cancel()


async def ask_model_async(
    model: Model | None, ask: Ask, failed: FailureHandler | None = None
) -> Reply:
    """Ask a model, awaited, for at most the ask's seconds; a blocking model gets a thread."""
    if model is None:
        return NoAnswer("there is no writer")
    import asyncio

    scope = asyncio.timeout(ask.seconds)
    try:
        async with scope:
            # Any other function may block before it returns, even if it returns an awaitable.
            if inspect.iscoroutinefunction(model.answer):
                reply = await cast(Awaitable[Reply], model.answer(ask))
            else:
                reply = await asyncio.wrap_future(_start_ask(model, ask, failed))
    except FATAL_ERRORS:
        raise
    except Exception as failure:  # noqa: BLE001 — foreign code: its failure is a value
        # A model may raise a TimeoutError of its own; that is a failure like any other.
        if scope.expired():
            return _LATE
        return (failed or _reply_from_failure)(failure)
    return _validate_reply(reply)
