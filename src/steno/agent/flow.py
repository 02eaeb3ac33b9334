"""A run's effects, yielded and not performed; the two drivers are where blocking and async differ.

A flow works on its session and yields what it needs done: a model's turn, a batch
of tools, a pause. Between those it yields what it has to tell. When the caller
lets go in the middle, the flow is told so, with what had come by then, and keeps
it before it ends.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from steno.agent.events import RunEvent
from steno.agent.tools import CallBatch
from steno.core.effects import Driver
from steno.core.errors import ModelFailed, StenoError
from steno.core.message import Result
from steno.core.model import ChatModel, Delta, FinishedTurn, aturn

T = TypeVar("T")
STOPPED = "[stopped before it gave a result; whether it ran to its end is not known]"
LATE = "[no result within the time for it; whether it ran to its end is not known]"


@dataclass(frozen=True)
class TakeTurn:
    """Let the model speak."""

    request: Mapping[str, Any]
    max_tokens: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class RunCalls:
    """Run these calls."""

    begin: Callable[[asyncio.AbstractEventLoop | None], CallBatch]
    seconds: float | None = None


@dataclass(frozen=True)
class WaitFor:
    """Let some time pass."""

    seconds: float


Effect = TakeTurn | RunCalls | WaitFor
EffectResult = FinishedTurn | ModelFailed | tuple[Result, ...] | None
"""What comes of an effect."""
RunFlow = Generator[Effect | RunEvent, EffectResult, T]


class RunStopped(StenoError):
    """The caller let go; what had come by then."""

    def __init__(self, words: str = "", results: tuple[Result, ...] = ()) -> None:
        super().__init__("stopped")
        self.words, self.results = words, results


def drive(
    flow: RunFlow[T], model: ChatModel, sleep: Callable[[float], None] = time.sleep
) -> Generator[RunEvent, None, T]:
    """Drive a flow, blocking: what it tells, as it tells it."""
    driver = Driver(flow)
    for wanted in driver:
        words: list[str] = []
        batch: CallBatch | None = None
        try:
            match wanted:
                case TakeTurn():
                    driver.answer((yield from _take_turn(wanted, model, words)))
                case RunCalls():
                    batch = wanted.begin(None)
                    batch.start()
                    batch.wait(wanted.seconds)
                    driver.answer(batch.results(LATE))
                case WaitFor(seconds):
                    sleep(seconds)
                case _:
                    yield wanted
        except (GeneratorExit, KeyboardInterrupt):
            _stop_flow(flow, words, batch)
            raise
    return driver.result


def _take_turn(
    take: TakeTurn, model: ChatModel, words: list[str]
) -> Generator[Delta, None, FinishedTurn | ModelFailed]:
    try:
        for piece in _close_after(
            model.turn(take.request, max_tokens=take.max_tokens, seconds=take.seconds)
        ):
            if isinstance(piece, FinishedTurn):
                return piece
            words.append("" if piece.thinking else piece.text)
            yield piece
    except ModelFailed as failure:
        return failure
    return ModelFailed("the stream ended before the message did", "reset")


def _close_after(stream: Iterator[Delta | FinishedTurn]) -> Iterator[Delta | FinishedTurn]:
    """The stream, closed with whoever reads it."""
    try:
        yield from stream
    finally:
        close = getattr(stream, "close", None)
        if close is not None:
            close()


def _stop_flow(flow: RunFlow[Any], words: list[str], batch: CallBatch | None) -> None:
    """Tell the flow, which keeps what had come and ends."""
    try:
        flow.throw(RunStopped("".join(words), batch.results(STOPPED) if batch else ()))
    except (StopIteration, RunStopped):
        return
    flow.close()


async def adrive(flow: RunFlow[T], model: ChatModel) -> AsyncIterator[RunEvent]:
    """The same on an event loop, which neither the session's work nor a tool holds up."""
    driver = Driver(flow)
    async for wanted in driver:
        words: list[str] = []
        batch: CallBatch | None = None
        try:
            match wanted:
                case TakeTurn():
                    async for piece in _atake_turn(wanted, model, words):
                        if isinstance(piece, Delta):
                            yield piece
                        else:
                            driver.answer(piece)
                case RunCalls():
                    batch = wanted.begin(asyncio.get_running_loop())
                    batch.start()
                    await asyncio.to_thread(batch.wait, wanted.seconds)
                    driver.answer(batch.results(LATE))
                case WaitFor(seconds):
                    await asyncio.sleep(seconds)
                case _:
                    yield wanted
        except (GeneratorExit, asyncio.CancelledError, KeyboardInterrupt):
            _stop_flow(flow, words, batch)
            raise


async def _atake_turn(
    take: TakeTurn, model: ChatModel, words: list[str]
) -> AsyncIterator[Delta | FinishedTurn | ModelFailed]:
    try:
        async for piece in aturn(
            model, take.request, max_tokens=take.max_tokens, seconds=take.seconds
        ):
            if isinstance(piece, Delta):
                words.append("" if piece.thinking else piece.text)
            yield piece
            if isinstance(piece, FinishedTurn):
                return
    except ModelFailed as failure:
        yield failure
        return
    yield ModelFailed("the stream ended before the message did", "reset")
