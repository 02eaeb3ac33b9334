"""The effects of a run, and the two drivers that perform them: blocking and async.

A flow works on its session and yields effects (a model's turn, a batch of tools, a
pause) and events between them. If the caller stops reading in the middle, the driver
raises `RunStopped` in the flow with what had arrived by then, so that the flow can
keep it in the log before it ends.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from steno.agent.events import RunEvent
from steno.agent.tools import CallBatch
from steno.core.effects import FATAL_ERRORS, Driver
from steno.core.errors import ModelFailed, StenoError
from steno.core.escape import one_line
from steno.core.message import Result
from steno.core.model import ChatModel, Delta, FinishedTurn, aturn, close_after, start_turn
from steno.providers.shared.errors import READ_MOST, classify_error
from steno.secrets import mask_secrets

T = TypeVar("T")
STOPPED = "[stopped before it gave a result; whether it ran to its end is not known]"
WORDS_MOST = 200
"""Characters of an error's own words."""
LATE = "[no result within the time for it; whether it ran to its end is not known]"


@dataclass(frozen=True)
class TakeTurn:
    """Ask the model for its next turn."""

    request: Mapping[str, Any]
    max_tokens: int | None = None


@dataclass(frozen=True)
class RunCalls:
    """Run a batch of calls."""

    begin: Callable[[asyncio.AbstractEventLoop | None], CallBatch]
    seconds: float | None = None


@dataclass(frozen=True)
class WaitSeconds:
    """Wait before the model is asked again."""

    seconds: float


Effect = TakeTurn | RunCalls | WaitSeconds
EffectResult = FinishedTurn | ModelFailed | tuple[Result, ...] | None
"""What a driver answers an effect with."""
RunFlow = Generator[Effect | RunEvent, EffectResult, T]


class RunStopped(StenoError):
    """The caller stopped reading; holds the words and results that had arrived by then."""

    def __init__(self, words: str = "", results: tuple[Result, ...] = ()) -> None:
        super().__init__("stopped")
        self.words, self.results = words, results


class _ArrivingTurn:
    """What has arrived of a model's turn: its words so far and, once it came, its end."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.end: FinishedTurn | ModelFailed = ModelFailed(
            "the stream ended before the message did", "reset"
        )

    def hear(self, piece: Delta | FinishedTurn) -> Delta | None:
        """Keep a piece of the stream, and return it unless it ends the turn."""
        if isinstance(piece, FinishedTurn):
            self.end = piece
            return None
        if not piece.thinking:
            self.words.append(piece.text)
        return piece


def drive(
    flow: RunFlow[T], model: ChatModel, sleep: Callable[[float], None] = time.sleep
) -> Generator[RunEvent, None, T]:
    """Perform the effects of a flow, blocking, and yield its events."""
    driver = Driver(flow)
    for effect in driver:
        turn = _ArrivingTurn()
        batch: CallBatch | None = None
        try:
            match effect:
                case TakeTurn():
                    yield from _take_turn(effect, model, turn)
                    driver.answer(turn.end)
                case RunCalls():
                    batch = effect.begin(None)
                    batch.start()
                    batch.wait(effect.seconds)
                    driver.answer(batch.results(LATE))
                case WaitSeconds(seconds):
                    sleep(seconds)
                case _:
                    yield effect
        except (GeneratorExit, KeyboardInterrupt):
            _stop_flow(flow, turn, batch)
            raise
    return driver.result


def _take_turn(take: TakeTurn, model: ChatModel, turn: _ArrivingTurn) -> Iterator[Delta]:
    try:
        stream = start_turn(model, take.request, max_tokens=take.max_tokens)
        for piece in close_after(stream):
            delta = turn.hear(piece)
            if delta is None:
                return
            yield delta
    except FATAL_ERRORS:
        raise
    except Exception as failure:  # noqa: BLE001 — foreign code: its failure is a value
        turn.end = _failure_of(failure)


def _failure_of(failure: Exception) -> ModelFailed:
    """Return why a model failed; an unknown error is quoted, without secrets."""
    error, raised = classify_error(failure), failure.__cause__ or failure
    words = one_line(mask_secrets(str(raised)[:READ_MOST]))[:WORDS_MOST]
    if words and str(error) == f"the model raised {type(raised).__name__}":
        return ModelFailed(f"{error}: {words}")
    return error


def _stop_flow(flow: RunFlow[Any], turn: _ArrivingTurn, batch: CallBatch | None) -> None:
    """Raise `RunStopped` in the flow, which keeps what had arrived and ends."""
    results: tuple[Result, ...] = ()
    if batch is not None:
        results = batch.results(STOPPED)
    try:
        flow.throw(RunStopped("".join(turn.words), results))
    except (StopIteration, RunStopped):
        return
    flow.close()


async def adrive(flow: RunFlow[T], model: ChatModel) -> AsyncIterator[RunEvent]:
    """Perform the effects of a flow on an event loop, which neither it nor a tool holds up."""
    driver = Driver(flow)
    async for effect in driver:
        turn = _ArrivingTurn()
        batch: CallBatch | None = None
        try:
            match effect:
                case TakeTurn():
                    async for piece in _atake_turn(effect, model, turn):
                        yield piece
                    driver.answer(turn.end)
                case RunCalls():
                    batch = effect.begin(asyncio.get_running_loop())
                    batch.start()
                    # A blocking tool must not hold up the loop that the caller lives on.
                    await asyncio.to_thread(batch.wait, effect.seconds)
                    driver.answer(batch.results(LATE))
                case WaitSeconds(seconds):
                    await asyncio.sleep(seconds)
                case _:
                    yield effect
        except (GeneratorExit, asyncio.CancelledError, KeyboardInterrupt):
            _stop_flow(flow, turn, batch)
            raise


async def _atake_turn(
    take: TakeTurn, model: ChatModel, turn: _ArrivingTurn
) -> AsyncIterator[Delta]:
    try:
        async for piece in aturn(model, take.request, max_tokens=take.max_tokens):
            delta = turn.hear(piece)
            if delta is None:
                return
            yield delta
    except FATAL_ERRORS:
        raise
    except Exception as failure:  # noqa: BLE001 — foreign code: its failure is a value
        turn.end = _failure_of(failure)
