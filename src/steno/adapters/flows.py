"""Runs a flow whose effects one function performs, blocking or on an event loop.

An adapter's calls come in both kinds. What they do is written once, as a generator
that yields what the caller's own function must do: send a request, read a checkpoint.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

from steno.core.effects import Driver

EffectT = TypeVar("EffectT")
AnswerT = TypeVar("AnswerT")
ResultT = TypeVar("ResultT")


def run_flow(
    flow: Generator[EffectT, AnswerT, ResultT], perform: Callable[[EffectT], AnswerT]
) -> ResultT:
    """Run a flow; what `perform` raises is raised in the flow, which may handle it."""
    driver = Driver(flow)
    for effect in driver:
        try:
            driver.answer(perform(effect))
        except Exception as failure:  # noqa: BLE001 — raised in the flow
            driver.fail(failure)
    return driver.result


async def arun_flow(
    flow: Generator[EffectT, AnswerT, ResultT], perform: Callable[[EffectT], Awaitable[AnswerT]]
) -> ResultT:
    """Run a flow on the event loop: its own steps in threads, `perform` on the loop."""
    driver = Driver(flow)
    async for effect in driver:
        try:
            driver.answer(await perform(effect))
        except Exception as failure:  # noqa: BLE001 — raised in the flow
            driver.fail(failure)
    return driver.result


def begun(answer: Any) -> Any:
    """Return a stream whose first piece has come, so that a refusal is raised here.

    Any other answer comes back as it is.
    """
    if not isinstance(answer, Iterator):
        return answer
    first = list(islice(answer, 1))
    return chain(first, answer)


async def abegun(stream: Any) -> Any:
    """Return the same as `begun`, on an event loop."""
    if not isinstance(stream, AsyncIterator):
        return stream
    first = await anext(stream, None)

    async def whole() -> AsyncIterator[Any]:
        if first is not None:
            yield first
        async for piece in stream:
            yield piece

    return whole()
