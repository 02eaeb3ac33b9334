"""Measure what a wrapped client costs over the client alone: `python -m bench wrap`.

A caller sends a conversation of 100,000 tokens again and again, two messages longer each time. The
SDK does all its work; its transport answers at once, so that no network hides the difference.
Times are processor times, which a loaded machine changes little; waiting for the disk, with
`store=`, is not included.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
from anthropic import Anthropic
from openai import OpenAI

import steno
from bench.ground import arguments
from tests.support.provider_replies import DIALECTS, Say

TOKENS = 100_000
TURN = 495


def talk(turns: int) -> list[dict[str, Any]]:
    """Return a tool loop of about 495 tokens a turn."""
    said: list[dict[str, Any]] = [
        {"role": "user", "content": "Find the slow query. Never touch production."}
    ]
    for n in range(turns):
        rows = "\n".join(
            f"{n:04}-{row:03} orders scanned {row * 37 % 1000} rows in {row % 7} ms"
            for row in range(33)
        )
        function = {
            "name": "read_file",
            "arguments": json.dumps({"path": f"src/reports/query_{n}.sql"}),
        }
        call = {"id": f"call_{n}", "type": "function", "function": function}
        said.append(
            {"role": "assistant", "content": f"Reading report {n} next.", "tool_calls": [call]}
        )
        said.append({"role": "tool", "tool_call_id": f"call_{n}", "content": rows})
    return said


def blocks(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the same in Anthropic's format."""
    told: list[dict[str, Any]] = said[:1]
    for call, result in zip(said[1::2], said[2::2], strict=True):
        made = call["tool_calls"][0]
        use = {"type": "tool_use", "id": made["id"], "name": "read_file"}
        use["input"] = json.loads(made["function"]["arguments"])
        told.append(
            {"role": "assistant", "content": [{"type": "text", "text": call["content"]}, use]}
        )
        back = {"type": "tool_result", "tool_use_id": made["id"], "content": result["content"]}
        told.append({"role": "user", "content": [back]})
    return told


def transport() -> httpx2.MockTransport:
    def answered(request: httpx2.Request) -> httpx2.Response:
        dialect = DIALECTS[request.url.path]
        return httpx2.Response(200, json=dialect.whole(Say("ok", sent=TOKENS), "model"))

    return httpx2.MockTransport(answered)


def clients() -> dict[str, Any]:
    http = httpx2.Client(transport=transport())
    return {
        "openai": OpenAI(api_key="none", base_url="http://local/v1", http_client=http),
        "anthropic": Anthropic(api_key="none", base_url="http://local", http_client=http),
    }


def call(client: Any, messages: list[dict[str, Any]]) -> float:
    began = time.process_time()
    if isinstance(client, OpenAI):
        client.chat.completions.create(model="gpt-5", messages=messages)
    else:
        client.messages.create(model="claude-opus-5-5", max_tokens=100, messages=messages)
    return (time.process_time() - began) * 1000


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--calls", type=int, default=40)
    calls = parser.parse_args().calls
    whole = talk(TOKENS // TURN + calls)
    with steno.Session(wire="openai", window=10 * TOKENS) as counted:
        counted.add(*whole[: -2 * calls])
        print(f"python -m bench wrap --calls {calls}")
        print(
            f"a tool loop written in bench/wrap.py: {len(counted.log.messages)} messages, "
            f"{counted.load:,} tokens"
        )
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    print("processor ms a call, median (p90):")
    for name, client in clients().items():
        said = whole if name == "openai" else blocks(whole)
        for where in ("memory", "file"):
            with tempfile.TemporaryDirectory() as folder:
                store = None if where == "memory" else Path(folder) / "agent.db"
                wrapped = steno.wrap(client, window=10 * TOKENS, store=store)
                alone, ours = [], []
                call(wrapped, said[: -2 * calls])
                for n in range(calls, 0, -1):
                    messages = said[: len(said) - 2 * n + 2]
                    alone.append(call(client, messages))
                    ours.append(call(wrapped, messages))
                steno.sessions(wrapped).close()
            one, other = statistics.median(alone), statistics.median(ours)
            rest = f"alone {one:.1f} ({p90(alone):.1f}), wrapped {other:.1f} ({p90(ours):.1f})"
            print(f"{name}, {where}: {rest}, more {other - one:.2f} ms, ratio {other / one:.2f}")


def p90(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.9)]
