"""Vercel's AI SDK through `POST /fit`: its own loop in Node, the model on loopback."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

if shutil.which("npm") is None:
    pytest.skip("npm is not installed", allow_module_level=True)
pytest.importorskip("starlette", reason="the proxy's packages are not installed")

from steno.adapters.resent.incoming import SdkFormat
from steno.providers import get_wire
from steno.proxy.conversations import Conversations
from steno.proxy.receipts import Receipts
from steno.proxy.run import RunningProxy
from steno.proxy.server import Proxy, ProxySettings
from steno.proxy.upstreams import read_upstreams
from steno.session.options import SessionOptions
from steno.session.session import Session
from tests.frameworks import story
from tests.support.loopback import Loopback

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
LOCKED = json.loads((ROOT / "constraints" / "vercel_ai" / "package.json").read_text())
CALLED = f"ai {LOCKED['dependencies']['ai']} (JavaScript, `POST /fit`)"
NOT_HERE = {
    "too long: shorter": "no: `prepareStep` does not see the error",
    "streams": "as without Steno",
    "handoffs, sub-agents": "a tool that calls `generateText` with a `stenoFit` of its own",
}


class OpenProxy:
    """A proxy over a store, as the story asks for an adapter."""

    def __init__(self, server: Loopback, store: Path) -> None:
        self.events: list[Any] = []
        options = SessionOptions(
            window=story.WINDOW, constraints=(story.CONSTRAINT,), on_event=self.events.append
        )
        self._conversations = Conversations(store, options)
        settings = ProxySettings(read_upstreams([server.anthropic], {}), token="secret")
        self._running = RunningProxy(Proxy(settings, self._conversations, Receipts(None)))
        self._running.__enter__()
        self.url = f"{self._running.address}/secret"

    def newest(self, session: str, who: str) -> Session:
        form = SdkFormat(get_wire("openai"))
        return self._conversations.sessions_of(who).newest_of(session, form)

    def close(self) -> None:
        self._running.__exit__(None, None, None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("node")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "constraints" / "vercel_ai" / name, made)
    shutil.copy(ROOT / "examples" / "vercel_ai_sdk.mjs", made)
    shutil.copy(HERE / "vercel_ai_story.mjs", made)
    subprocess.run(["npm", "ci", "--silent"], cwd=made, check=True)
    return made


def test_the_story(folder: Path, tmp_path: Path) -> None:
    def start(server: Loopback) -> Any:
        proxy = OpenProxy(server, tmp_path / "a.db")

        def begin(who: str) -> story.Ask:
            told: list[Any] = []

            async def ask(words: str) -> None:
                if not told:
                    arguments = (server.openai, proxy.url, who, tmp_path / f"{who}.json")
                    told.append(
                        await asyncio.create_subprocess_exec(
                            *("node", "vercel_ai_story.mjs", *map(str, arguments)),
                            cwd=folder,
                            stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE,
                        )
                    )
                told[0].stdin.write(f"{words}\n".encode())
                assert await told[0].stdout.readline() == b"done\n"

            return ask

        return proxy, begin

    story.tell(start, always_recall=True)


def test_if_steno_fails_the_step_goes_out_as_it_came(folder: Path, tmp_path: Path) -> None:
    with Loopback(story.Model()) as server:
        done = subprocess.run(
            ["node", "vercel_ai_story.mjs", server.openai, server.openai, "ann", tmp_path / "ann"],
            cwd=folder,
            input=story.request("ann", 0),
            capture_output=True,
            text=True,
        )
    assert "the whole list was sent: steno: 404" in done.stderr
    assert server.heard[0].body["messages"][-1]["content"] == story.request("ann", 0)
