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
from functools import partial
from typing import Any, TypeVar

from steno.agent.batch import Batch
from steno.agent.told import Told
from steno.core.error import ModelFailed, StenoError
from steno.core.message import Result
from steno.core.model import Delta, Spoken, Talker
from steno.core.stream import aturn

T = TypeVar("T")
STOPPED = "[stopped before it gave a result; whether it ran to its end is not known]"
LATE = "[no result within the time for it; whether it ran to its end is not known]"


@dataclass(frozen=True)
class Take:
    """Let the model speak."""

    request: Mapping[str, Any]
    max_tokens: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Perform:
    """Run these calls."""

    begin: Callable[[asyncio.AbstractEventLoop | None], Batch]
    seconds: float | None = None


@dataclass(frozen=True)
class Wait:
    """Let some time pass."""

    seconds: float


Effect = Take | Perform | Wait
Come = Spoken | ModelFailed | tuple[Result, ...] | None
"""What comes of an effect."""
Flow = Generator[Effect | Told, Come, T]


class Stopped(StenoError):
    """The caller let go; what had come by then."""

    def __init__(self, words: str = "", results: tuple[Result, ...] = ()) -> None:
        super().__init__("stopped")
        self.words, self.results = words, results


def driven(flow: Flow[T], model: Talker, sleep: Callable[[float], None] = time.sleep) -> Generator[Told, None, T]:
    """Drive a flow, blocking: what it tells, as it tells it."""
    step: Callable[[], Effect | Told] = partial(next, flow)
    while True:
        try:
            wanted = step()
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        words: list[str] = []
        batch: Batch | None = None
        try:
            match wanted:
                case Take():
                    come: Come = yield from _taken(wanted, model, words)
                case Perform():
                    batch = wanted.begin(None)
                    batch.start()
                    batch.wait(wanted.seconds)
                    come = batch.results(LATE)
                case Wait(seconds):
                    sleep(seconds)
                    come = None
                case _:
                    yield wanted
                    come = None
        except (GeneratorExit, KeyboardInterrupt):
            _let_go(flow, words, batch)
            raise
        step = partial(flow.send, come)


def _taken(take: Take, model: Talker, words: list[str]) -> Generator[Delta, None, Spoken | ModelFailed]:
    try:
        for piece in _closing(model.turn(take.request, max_tokens=take.max_tokens, seconds=take.seconds)):
            if isinstance(piece, Spoken):
                return piece
            words.append("" if piece.thinking else piece.text)
            yield piece
    except ModelFailed as failure:
        return failure
    return ModelFailed("the stream ended before the message did", "reset")


def _closing(stream: Iterator[Delta | Spoken]) -> Iterator[Delta | Spoken]:
    """The stream, closed with whoever reads it."""
    try:
        yield from stream
    finally:
        close = getattr(stream, "close", None)
        if close is not None:
            close()


def _let_go(flow: Flow[Any], words: list[str], batch: Batch | None) -> None:
    """Tell the flow, which keeps what had come and ends."""
    try:
        flow.throw(Stopped("".join(words), batch.results(STOPPED) if batch else ()))
    except (StopIteration, Stopped):
        return
    flow.close()


async def adriven(flow: Flow[T], model: Talker) -> AsyncIterator[Told]:
    """The same on an event loop, which neither the session's work nor a tool holds up."""
    step: Callable[[], Effect | Told] = partial(next, flow)
    while True:
        wanted = await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(_moved, step)))
        if isinstance(wanted, StopIteration):
            return
        words: list[str] = []
        batch: Batch | None = None
        come: Come = None
        try:
            match wanted:
                case Take():
                    async for piece in _ataken(wanted, model, words):
                        if isinstance(piece, Delta):
                            yield piece
                        else:
                            come = piece
                case Perform():
                    batch = wanted.begin(asyncio.get_running_loop())
                    batch.start()
                    await asyncio.to_thread(batch.wait, wanted.seconds)
                    come = batch.results(LATE)
                case Wait(seconds):
                    await asyncio.sleep(seconds)
                case _:
                    yield wanted
        except (GeneratorExit, asyncio.CancelledError, KeyboardInterrupt):
            _let_go(flow, words, batch)
            raise
        step = partial(flow.send, come)


async def _ataken(take: Take, model: Talker, words: list[str]) -> AsyncIterator[Delta | Spoken | ModelFailed]:
    try:
        async for piece in aturn(model, take.request, max_tokens=take.max_tokens, seconds=take.seconds):
            if isinstance(piece, Delta):
                words.append("" if piece.thinking else piece.text)
            yield piece
            if isinstance(piece, Spoken):
                return
    except ModelFailed as failure:
        yield failure
        return
    yield ModelFailed("the stream ended before the message did", "reset")


def _moved(step: Callable[[], Effect | Told]) -> Effect | Told | StopIteration:
    """One step of a flow; its end as a value, because no future can carry a StopIteration."""
    try:
        return step()
    except StopIteration as end:
        return end
