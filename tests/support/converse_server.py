"""Gemini and Bedrock on loopback: real HTTP servers that judge what they hear.

The judges know the providers' constraints from their documentation and error texts, and share
no code with the wires. A brain is given the body and returns the parts or blocks of a reply.
"""

from __future__ import annotations

import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Json = dict[str, Any]
Brain = Callable[[Json], list[Json]]


def gemini_problems(body: Json) -> Iterator[str]:
    """Yield what Gemini would refuse in a body."""
    contents = body.get("contents") or []
    if not contents or contents[0].get("role") != "user":
        yield "the first content is not the user's"
    calls: list[tuple[str, str]] = []
    for at, content in enumerate(contents):
        if not content.get("parts"):
            yield f"contents[{at}] has no parts"
        said = _names_in(content, "functionResponse")
        # "the number of function response parts is equal to the number of function call parts
        # of the function call turn", and the two turns stand side by side. Each turn is one
        # content: with the responses in two it was refused, and taken with both in one
        # (vertesia/llumiverse #620).
        if calls and said != calls:
            yield f"contents[{at}] does not answer {calls}"
        if said and not calls:
            yield f"contents[{at}] answers no call"
        calls = _names_in(content, "functionCall")
        if calls and content["role"] != "model":
            yield f"contents[{at}] calls, and is not the model's"
        # Gemini 3 checks the first call of every step of the turn it goes on with.
        if calls and "thoughtSignature" not in next(
            part for part in content["parts"] if "functionCall" in part
        ):
            yield f"contents[{at}] has a call without its signature"


def _names_in(content: Json, kind: str) -> list[tuple[str, str]]:
    """Return the names and ids of calls or responses; they may stand in any order."""
    found = (part[kind] for part in content["parts"] if kind in part)
    return sorted((one["name"], one.get("id") or "") for one in found)


def bedrock_problems(body: Json) -> Iterator[str]:
    """Yield what Converse would refuse in a body."""
    messages = body.get("messages") or []
    if not messages or messages[0]["role"] != "user":
        yield "A conversation must start with a user message."
    last, calls = "", set[str]()
    for at, message in enumerate(messages):
        if message["role"] == last:
            yield f"messages[{at}]: roles must alternate"
        last = message["role"]
        results = {
            block["toolResult"]["toolUseId"]
            for block in message["content"]
            if "toolResult" in block
        }
        if results != calls:
            yield f"messages[{at}]: toolResult blocks {results} for toolUse blocks {calls}"
        if results and any(
            "toolResult" not in block for block in message["content"][: len(results)]
        ):
            yield f"messages[{at}]: results do not come first"
        calls = {
            block["toolUse"]["toolUseId"] for block in message["content"] if "toolUse" in block
        }
        for block in message["content"]:
            if block.get("text") == "":
                yield f"messages[{at}]: the text field is blank"


class JudgingServer:
    """A server of one provider; `heard` are the bodies, `problems` what it would refuse."""

    def __init__(self, provider: str, brain: Brain) -> None:
        self.heard: list[Json] = []
        self.problems: list[str] = []
        self.refuse_next: tuple[int, Json] | None = None
        self.stop_next: str | None = None
        self.at_end: list[Callable[[], Any]] = []
        """What to call before the server stops: clients close their connections."""
        judge = gemini_problems if provider == "gemini" else bedrock_problems
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.heard.append(body)
                outer.problems += judge(body)
                if outer.refuse_next is not None:
                    (status, error), outer.refuse_next = outer.refuse_next, None
                    return self._send(status, json.dumps(error).encode(), "application/json")
                blocks = brain(body)
                if provider == "gemini":
                    return self._send_gemini(body, blocks)
                stop, outer.stop_next = outer.stop_next, None
                if self.path.endswith("converse-stream"):
                    data = b"".join(_bedrock_events(blocks, stop or "end_turn"))
                    return self._send(200, data, "application/vnd.amazon.eventstream")
                reply = _bedrock_reply(body, blocks, stop)
                return self._send(200, reply, "application/json")

            def _send_gemini(self, body: Json, parts: list[Json]) -> None:
                content = {"role": "model", "parts": parts}
                usage = {"promptTokenCount": len(json.dumps(body)) // 4, "candidatesTokenCount": 5}
                candidate = {"content": content, "finishReason": "STOP"}
                reply = json.dumps({"candidates": [candidate], "usageMetadata": usage})
                if "streamGenerateContent" in self.path:
                    return self._send(200, f"data: {reply}\n\n".encode(), "text/event-stream")
                return self._send(200, reply.encode(), "application/json")

            def _send(self, status: int, data: bytes, kind: str) -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                if status >= 400:
                    self.send_header("x-amzn-errortype", "ValidationException")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        for close in self.at_end:
            close()
        self._server.shutdown()
        self._server.server_close()


def _bedrock_reply(body: Json, blocks: list[Json], stop: str | None) -> bytes:
    called = any("toolUse" in block for block in blocks)
    reply = {
        "output": {"message": {"role": "assistant", "content": blocks}},
        "stopReason": stop or ("tool_use" if called else "end_turn"),
        "usage": {"inputTokens": len(json.dumps(body)) // 4, "outputTokens": 5, "totalTokens": 9},
        "metrics": {"latencyMs": 1},
    }
    return json.dumps(reply).encode()


def _bedrock_events(blocks: list[Json], stop: str) -> Iterator[bytes]:
    yield _event("messageStart", {"role": "assistant"})
    for at, block in enumerate(blocks):
        if "toolUse" in block:
            use = {key: block["toolUse"][key] for key in ("toolUseId", "name")}
            yield _event("contentBlockStart", {"contentBlockIndex": at, "start": {"toolUse": use}})
            text = json.dumps(block["toolUse"]["input"])
            for piece in (text[:3], text[3:]):
                delta = {"toolUse": {"input": piece}}
                yield _event("contentBlockDelta", {"contentBlockIndex": at, "delta": delta})
        else:
            for piece in (block["text"][:2], block["text"][2:]):
                delta = {"text": piece}
                yield _event("contentBlockDelta", {"contentBlockIndex": at, "delta": delta})
        yield _event("contentBlockStop", {"contentBlockIndex": at})
    yield _event("messageStop", {"stopReason": stop})
    usage = {"inputTokens": 7, "outputTokens": 5, "totalTokens": 12}
    yield _event("metadata", {"usage": usage, "metrics": {"latencyMs": 1}})


def _event(kind: str, payload: Json) -> bytes:
    """Return one message of AWS's event stream encoding."""
    headers = b"".join(
        struct.pack("!B", len(name)) + name + b"\x07" + struct.pack("!H", len(value)) + value
        for name, value in (
            (b":event-type", kind.encode()),
            (b":content-type", b"application/json"),
            (b":message-type", b"event"),
        )
    )
    data = json.dumps(payload).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(data), len(headers))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + data
    return message + struct.pack("!I", zlib.crc32(message))
