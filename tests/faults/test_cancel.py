"""Cancelled at the nth await of any path, for every n: done or undone, and the session goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from openai import AsyncOpenAI

import steno
from steno.agent import ReactLoop
from steno.core.effects import Answer, Ask
from steno.core.errors import TooLong
from steno.core.message import Call
from steno.proxy.conversations import Conversations
from steno.proxy.server import Proxy, ProxySettings
from steno.proxy.upstreams import read_upstreams
from steno.session.options import SessionOptions
from tests.support import legal
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

MEANWHILE = {"role": "user", "content": "meanwhile"}
COMPLETION = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "gpt-5",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "noted"},
            "finish_reason": "stop",
        }
    ],
}
SECONDS = 60.0
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


async def guarded(session: steno.AsyncSession) -> None:
    with suppress(TooLong):
        async with session.guard():
            await asyncio.sleep(0)
            raise ValueError("prompt is too long: 5000 tokens > 4000 maximum")


async def wait_for_draft(session: steno.AsyncSession) -> None:
    await (await session.compact_soon())


async def the_rest(session: steno.AsyncSession) -> None:
    """Do everything else that an agent does with a session, one after the other."""
    await session.open("0-1")
    await session.pin(1)
    await session.unpin(1)
    await session.handle({"name": "recall", "arguments": {"positions": "0"}})
    given = await session.set_constraint("Never push.")
    await session.constraints()
    await session.retire_constraint(given.id)
    await session.memories()
    await session.set_quota("fallback")


async def fork(session: steno.AsyncSession) -> None:
    forked = await session.fork()
    await forked.close()


PATHS: dict[str, Callable[[steno.AsyncSession], Awaitable[Any]]] = {
    "add": lambda session: session.add(MEANWHILE),
    "messages": lambda session: session.messages(),
    "request": lambda session: session.request(),
    "call": call,
    "refused call": refused_call,
    "guard": guarded,
    "compact": lambda session: session.compact(),
    "draft": wait_for_draft,
    "undo": lambda session: session.undo(),
    "fork": fork,
    "recall": lambda session: session.recall("slow query"),
    "learn": lambda session: session.learn(0.1),
    "the rest": the_rest,
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
    with steno.Session(file, name="s", user="ada") as again:
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


async def cancelled_close(nth: int, file: Path) -> bool:
    """Cancel closing at its nth await; what was added is kept, and it can be closed again."""
    session = await steno.AsyncSession(
        file, name="s", wire="openai", window=4_000, durable=False, writer=SlowWriter()
    ).__aenter__()
    await session.add(*openai_talk(8))
    draft = await session.compact_soon()
    work = CancelAt(session.close(SECONDS), nth)
    with suppress(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.ensure_future(_await(work)), SECONDS)
    await asyncio.wait_for(session.close(SECONDS), SECONDS)
    await asyncio.wait([draft], timeout=SECONDS)
    assert draft.done()
    with steno.Session(file, name="s") as again:
        assert again.open(f"0-{len(openai_talk(8)) - 1}") == openai_talk(8)
        assert legal.openai_chat(again.request()) == []
    return work.waits >= nth


async def cancelled_exchange(nth: int, file: Path) -> bool:
    """Cancel a request to the proxy at its nth await; the next one goes on in its session."""
    heard: list[Any] = []

    async def reply(request: httpx2.Request) -> httpx2.Response:
        heard.append(json.loads(await request.aread()))
        await asyncio.sleep(0)
        return httpx2.Response(200, json=COMPLETION)

    upstreams = read_upstreams(["https://provider.example"], {})
    conversations = Conversations(file, SessionOptions(window=2_000))
    proxy = Proxy(ProxySettings(upstreams), conversations)
    talk = [*openai_talk(12), MEANWHILE]
    async with proxy.app.lifespan_context(proxy.app):
        proxy._transport = cast(Any, httpx2.MockTransport(reply))
        work = CancelAt(ask_proxy(proxy, talk), nth)
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(asyncio.ensure_future(_await(work)), SECONDS)
        talk += [{"role": "assistant", "content": "noted"}, {"role": "user", "content": "after"}]
        answer = await asyncio.wait_for(ask_proxy(proxy, talk), SECONDS)
        assert json.loads(answer) == COMPLETION
        assert heard[-1]["messages"][-1]["content"] == "after"
        assert legal.openai_chat(heard[-1]) == []
        assert proxy.running == 0
    return work.waits >= nth


async def ask_proxy(proxy: Proxy, talk: list[Any]) -> bytes:
    """Return the body of the proxy's answer to a list of messages."""
    said = json.dumps({"model": "gpt-5", "messages": talk}).encode()
    path = "/v1/chat/completions"
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"content-type", b"application/json"), (b"host", b"localhost")],
    }
    sent: list[bytes] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": said, "more_body": False}

    async def send(event: Any) -> None:
        await asyncio.sleep(0)
        sent.append(event.get("body", b""))

    await proxy.app(scope, receive, send)
    return b"".join(sent)


async def cancelled_run(nth: int) -> bool:
    """Cancel an agent's run at its nth await; then it can be resumed, if it has not ended."""

    def add(a: int) -> str:
        """Add."""
        return str(a + 1)

    turns = ([Call("c", "add", '{"a": 1}')], [Call("d", "add", '{"a": 2}')], "3", "well")
    loop = ReactLoop(steno.Script(*turns, window=8_000), [add])
    session = loop.session()

    async def read_all() -> None:
        async for _ in loop.astream("add", session):
            pass

    work = CancelAt(read_all(), nth)
    with suppress(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.ensure_future(_await(work)), SECONDS)
    if session.log.messages:
        assert legal.openai_chat(session.request()) == []
        with suppress(steno.BadInput):  # it has ended
            async for _ in loop.aresume(session):
                pass
        assert legal.openai_chat(session.request()) == []
    return work.waits >= nth


async def cancelled_request(nth: int, file: Path) -> bool:
    """Cancel a wrapped client's request at its nth await; the next one goes on in its session."""
    heard: list[Any] = []

    async def reply(request: httpx2.Request) -> httpx2.Response:
        heard.append(json.loads(request.content))
        await asyncio.sleep(0)
        return httpx2.Response(200, json=COMPLETION)

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(reply))
    client = steno.wrap(AsyncOpenAI(api_key="any", http_client=http), window=2_000, store=file)
    talk = [*openai_talk(12), MEANWHILE]
    work = CancelAt(client.chat.completions.create(model="gpt-5", messages=talk), nth)
    with suppress(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.ensure_future(_await(work)), SECONDS)
    talk += [{"role": "assistant", "content": "noted"}, {"role": "user", "content": "after"}]
    await asyncio.wait_for(client.chat.completions.create(model="gpt-5", messages=talk), SECONDS)
    assert heard[-1]["messages"][-1]["content"] == "after"
    assert legal.openai_chat(heard[-1]) == []
    found = steno.sessions(client)
    assert len(found.names) == 1
    assert len(found.newest.log.messages) == len(talk)
    await client.close()
    return work.waits >= nth


@pytest.mark.slow
@proves("session.async")
@pytest.mark.parametrize(
    ("what", "cancel"),
    [
        ("agent", lambda nth, file: cancelled_run(nth)),
        ("wrap", cancelled_request),
        ("close", cancelled_close),
        ("proxy", cancelled_exchange),
    ],
)
def test_runs_requests_and_closing_can_be_cancelled_at_any_await(
    what: str, cancel: Callable[[int, Path], Coroutine[Any, Any, bool]], tmp_path: Path
) -> None:
    nth = 1
    while asyncio.run(cancel(nth, tmp_path / f"{nth}.db")):
        nth += 1
    print(f"{what}: {nth - 1} awaits")
    assert nth > 2
