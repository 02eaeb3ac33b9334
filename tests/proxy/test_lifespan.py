"""The end of a proxy: what is under way is finished while it can still send."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from steno.proxy.conversations import Conversations
from steno.proxy.server import Proxy, ProxySettings
from steno.proxy.upstreams import read_upstreams
from steno.session.options import SessionOptions


def test_work_in_the_background_ends_before_the_connections_are_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    proxy = Proxy(
        ProxySettings(read_upstreams(["http://localhost:1"], {})),
        Conversations(None, SessionOptions(window=8_000)),
    )

    async def close(*_: object) -> None:
        told.append("closed")

    async def work(more: bool) -> None:
        await asyncio.sleep(0)
        if more:
            begin(more=False)
        told.append("worked")

    def begin(more: bool) -> None:
        task = asyncio.create_task(work(more))
        proxy._background.add(task)
        task.add_done_callback(proxy._background.discard)

    async def run() -> None:
        async with proxy._lifespan(proxy.app):
            begin(more=True)

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "__aexit__", close)
    asyncio.run(run())

    assert told == ["worked", "worked", "closed"]
