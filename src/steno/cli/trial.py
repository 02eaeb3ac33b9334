"""Try a coding agent that is installed here: one short run through the proxy.

The provider is played on this machine and answers one word. Home and settings of the run are
temporary, so that nothing of the user's is read for a login or changed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from steno.inspector.describe import Json
from steno.proxy.compaction import reply_events, stream_text
from steno.proxy.conversations import Conversations
from steno.proxy.launch import AGENTS, LIMIT
from steno.proxy.run import RunningProxy, new_token
from steno.proxy.server import Proxy, ProxySettings
from steno.proxy.upstreams import read_upstreams
from steno.session.options import SessionOptions

SECONDS_MOST = 120.0
WORD = "xylophone"
"""What the played provider answers, and the agent should print."""
ANSWERS = {
    "/messages": """{
        "id": "msg_1", "type": "message", "role": "assistant", "model": "played",
        "content": [{"type": "text", "text": "xylophone"}],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 1}
    }""",
    "/responses": """{
        "id": "resp_1", "object": "response", "model": "played", "status": "completed",
        "output": [{
            "id": "msg_1", "type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "xylophone", "annotations": []}]
        }],
        "usage": {"input_tokens": 10, "output_tokens": 1, "total_tokens": 11}
    }""",
    "enerateContent": """{
        "candidates": [{
            "content": {"role": "model", "parts": [{"text": "xylophone"}]},
            "finishReason": "STOP", "index": 0
        }],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 1, "totalTokenCount": 11}
    }""",
}
"""Answers that are not streamed, by how the paths end that carry a conversation."""
TASK = "Answer with one word."
LINE_MOST = 160
OWN_SETTINGS = ("_BASE_URL", "_API_KEY", "_AUTH_TOKEN", "_OAUTH_TOKEN", "XDG_", "_CONFIG_DIR")
"""Parts of the names of variables by which a user's own login or settings would be found."""


@dataclass(frozen=True)
class _Agent:
    words: Sequence[str]
    variables: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)
    """Settings of a user who has chosen to sign in by a key, in their home."""


TRIED = {
    "claude": _Agent(
        ["-p", "--", TASK],
        {"ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    ),
    "codex": _Agent(["exec", "--skip-git-repo-check", TASK], {"CODEX_API_KEY": "none"}),
    "gemini": _Agent(
        ["--model", "gemini-2.5-pro", "--skip-trust", "-p", TASK],
        {"GEMINI_API_KEY": "none"},
        {".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'},
    ),
    "opencode": _Agent(
        ["run", "--model", "anthropic/claude-sonnet-5", TASK], {"ANTHROPIC_API_KEY": "none"}
    ),
    "copilot": _Agent(
        ["-p", TASK],
        {
            "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1",
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "claude-sonnet-5",
            "COPILOT_OFFLINE": "true",
        },
    ),
    "pi": _Agent(
        ["--offline", "--model", "anthropic/claude-sonnet-5", "-p", TASK],
        {"ANTHROPIC_API_KEY": "none"},
    ),
    "aider": _Agent(
        ["--model", "anthropic/claude-sonnet-5", "--no-git", "--yes-always", "--message", TASK],
        {"ANTHROPIC_API_KEY": "none", "AIDER_ANALYTICS": "false", "AIDER_CHECK_UPDATE": "false"},
    ),
}


@dataclass(frozen=True)
class Trial:
    works: bool
    says: str


def try_agent(name: str) -> Trial:
    """Run an agent once through a proxy, against a provider that is played here."""
    with (
        RunningProxy(PlayedProvider()) as provider,
        TemporaryDirectory(prefix="steno-trial-") as home,
    ):
        upstreams = read_upstreams([provider.address], {})
        settings = ProxySettings(upstreams, token=new_token(), user="trial")
        served = Proxy(settings, Conversations(None, SessionOptions(limit=LIMIT)))
        with RunningProxy(served) as running:
            began = time.monotonic()
            code, output = _run(name, home, f"{running.address}/{settings.token}")
            seconds = time.monotonic() - began
        stats = served.stats()
    last = next(filter(None, map(str.strip, reversed(output.splitlines()))), "it said nothing")
    if not stats["requests"]:
        return Trial(False, f"no request came through the proxy: {last[:LINE_MOST]}")
    if code or WORD not in output:
        return Trial(False, f"it ended with code {code}: {last[:LINE_MOST]}")
    if stats["passed_unchanged"]:
        return Trial(False, "its requests went through the proxy unread")
    return Trial(True, f"answered through the proxy in {seconds:.0f} s")


def _run(name: str, home: str, base: str) -> tuple[int, str]:
    """Return the exit code and what was printed."""
    agent = TRIED[name]
    work = Path(home, "work")
    work.mkdir()
    # Codex stops if its folder is missing.
    Path(home, ".codex").mkdir()
    for path, text in agent.files.items():
        Path(home, path).parent.mkdir(exist_ok=True)
        Path(home, path).write_text(text, encoding="utf-8")
    environ = {
        key: value
        for key, value in os.environ.items()
        if not any(part in key for part in OWN_SETTINGS)
    }
    environ |= {"HOME": home, "CODEX_HOME": str(Path(home, ".codex")), **agent.variables}
    led = AGENTS[name]([shutil.which(name) or name, *agent.words], base, environ)
    try:
        done = subprocess.run(
            list(led.arguments),
            env={**environ, **led.variables},
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS_MOST,
        )
    except OSError as failure:
        return 127, f"it cannot be run: {failure.strerror}"
    except subprocess.TimeoutExpired:
        return 124, f"it did not end within {SECONDS_MOST:.0f} s"
    return done.returncode, done.stdout + done.stderr


class PlayedProvider:
    """A server that answers one word, in each API."""

    def __init__(self) -> None:
        every = Route("/{path:path}", self._answer, methods=["GET", "POST"])
        self.app: ASGIApp = Router([every])
        self.stopping: Callable[[], bool] = bool

    async def _answer(self, request: Request) -> Response:
        path, asked = request.url.path, await request.body()
        ending = next(filter(path.endswith, ANSWERS), None)
        if request.method != "POST" or ending is None:
            return JSONResponse({}, 404)
        whole = json.loads(ANSWERS[ending])
        if b'"stream":true' in asked.replace(b" ", b"") or ":stream" in path:
            return Response(_stream(path, whole), media_type="text/event-stream")
        return JSONResponse(whole)

    def close(self) -> None:
        """Do nothing: nothing is open."""


def _stream(path: str, whole: Json) -> bytes:
    """Return the same answer as a stream of events."""
    if path.endswith("/messages"):
        return stream_text(reply_events("messages", whole, {"type": "text", "text": ""}))
    if path.endswith("/responses"):
        return stream_text(reply_events("trigger", whole))
    return b"data: " + msgspec.json.encode(whole) + b"\n\n"
