"""Cancelled at the nth await of any path, for every n: done or undone, and the session goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.core.effects import Answer, Ask
from tests.support import legal
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

MEANWHILE = {"role": "user", "content": "meanwhile"}
SECONDS = 20.0
"""After which a session that does not go on counts as stuck."""


class CancelAt:
    """Awaits a coroutine, and cancels the task when it waits for the nth time."""

    def __init__(self, work: Coroutine[Any, Any, Any], nth: int) -> None:
        self.work = work
        self.nth = nth
        self.waits = 0

    def __await__(self) -> Generator[Any, Any, Any]:
        step: Callable[..., Any] = self.work.send
        given: Any = None
        while True:
            try:
                waited_for = step(given)
            except StopIteration as end:
                return end.value
            self.waits += 1
            if self.waits == self.nth:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            try:
                given = yield waited_for
                step = self.work.send
            except BaseException as error:  # noqa: BLE001 — passed on, whatever it is
                given, step = error, self.work.throw


class SlowWriter:
    """An async writer, as a provider's client is one."""

    name = "slow"

    async def answer(self, ask: Ask) -> Answer:
        await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        return Answer("- read files one by one, none was slow [1]", self.name)


async def call(session: steno.AsyncSession) -> None:
    async def send(request: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        return "reply"

    await session.call(send)


async def refused_call(session: steno.AsyncSession) -> None:
    refusals = [1]

    async def send(request: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        if refusals.pop(0):
            refusals.append(0)
            raise ValueError("prompt is too long: 5000 tokens > 4000 maximum")
        return "reply"

    await session.call(send)


async def wait_for_draft(session: steno.AsyncSession) -> None:
    await (await session.compact_soon())


async def fork(session: steno.AsyncSession) -> None:
    forked = await session.fork()
    await forked.close()


PATHS: dict[str, Callable[[steno.AsyncSession], Awaitable[Any]]] = {
    "add": lambda session: session.add(MEANWHILE),
    "messages": lambda session: session.messages(),
    "request": lambda session: session.request(),
    "call": call,
    "refused call": refused_call,
    "compact": lambda session: session.compact(),
    "draft": wait_for_draft,
    "undo": lambda session: session.undo(),
    "fork": fork,
    "pin": lambda session: session.pin(0),
    "recall": lambda session: session.recall("slow query"),
    "constraint": lambda session: session.set_constraint("Never push."),
    "learn": lambda session: session.learn(0.1),
}


async def cancelled(path: str, nth: int, file: Path) -> bool:
    """Cancel a path at its nth await; return whether it came that far."""
    async with steno.AsyncSession(
        file, name="s", wire="openai", window=4_000, durable=False, user="ada", writer=SlowWriter()
    ) as session:
        await session.add(*openai_talk(40 if path in ("messages", "request", "call") else 8))
        if path == "undo":
            await session.compact()
        said = len(session.log.messages)
        work = CancelAt(_await(PATHS[path](session)), nth)
        task = asyncio.ensure_future(_await(work))
        try:
            await asyncio.wait_for(task, SECONDS)
        except asyncio.CancelledError:
            assert task.cancelled()
        await asyncio.wait_for(check_goes_on(session, said, path), SECONDS)
        shown = await session.messages()
    with steno.Session(file, name="s") as again:
        kept = again.open(f"0-{len(again.log.messages) - 1}")
        assert kept == session._blocking.open(f"0-{len(session.log.messages) - 1}")
        assert again.messages() == shown
    assert kept.count(MEANWHILE) <= 1
    # A step that runs in a thread is let run out.
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, pending = await asyncio.wait(others, timeout=SECONDS)
        assert not pending, pending
    return work.waits >= nth


async def _await(work: Awaitable[Any]) -> Any:
    return await work


async def check_goes_on(session: steno.AsyncSession, said: int, path: str) -> None:
    await session.add({"role": "user", "content": "after"})
    count = len(session.log.messages) - said
    assert count == 1 or (path == "add" and count == 2)
    assert session._blocking.open(len(session.log.messages) - 1)["content"] == "after"
    await session.compact()
    assert legal.openai_chat(await session.request()) == []


@pytest.mark.slow
@proves("session.async")
@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_is_cancelled_at_any_await_leaves_the_session_whole(
    path: str, tmp_path: Path
) -> None:
    nth = 1
    while asyncio.run(cancelled(path, nth, tmp_path / f"{nth}.db"), debug=False):
        nth += 1
    print(f"{path}: {nth - 1} awaits")
    assert nth > 1
