"""A provider on loopback: a real HTTP server that replies as it is told, and misbehaves on demand.

    replies = Say("hello"), Wrong(429, headers={"retry-after": "2"}), Half(Say("hel"))
    with Loopback(*replies) as server:
        OpenAI(api_key="any", base_url=server.openai)   # Anthropic(base_url=server.anthropic)
        server.heard[0].body["messages"]

It speaks OpenAI's chat completions and responses, Anthropic's messages and Gemini's contents,
streamed where a request asks for that. Replies come in order; a function among them is its
brain: it is given what was heard and says what to reply, and as the last one it goes on.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.provider_replies import DIALECTS, Event, Say

__all__ = ["Broken", "Garbage", "Half", "Heard", "Late", "Loopback", "Reply", "Say", "Wrong"]


@dataclass(frozen=True)
class Heard:
    """One request, as it came."""

    path: str
    headers: dict[str, str]
    """Their names in lower case."""
    body: dict[str, Any]
    raw: bytes = b""
    """The body's own bytes."""
    query: str = ""
    asked: str = ""
    """The path that was asked for, before it was taken for that of a dialect."""

    @property
    def prompt(self) -> str:
        """All that was said in it, as JSON text."""
        said = [self.body.get(key) for key in ("messages", "input", "contents")]
        return json.dumps(next(filter(None, said), None), ensure_ascii=False)


@dataclass(frozen=True)
class Wrong:
    """An error in the dialect's own form; `more` are fields beside its message."""

    status: int
    message: str = "something went wrong"
    code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    in_stream: bool = False
    """Told by an event after a good status."""


@dataclass(frozen=True)
class Late:
    """A reply after so many seconds."""

    seconds: float
    then: Say | Wrong = field(default_factory=lambda: Say("at last"))


@dataclass(frozen=True)
class Broken:
    """The connection is reset: before anything was sent, or after the headers."""

    after_headers: bool = False


@dataclass(frozen=True)
class Half:
    """Half of a reply, and then the connection breaks; or, `quietly`, the stream just ends."""

    say: Say = field(default_factory=lambda: Say("half of what there was to say about it"))
    quietly: bool = False


@dataclass(frozen=True)
class Garbage:
    """A good status, and what no dialect can read."""

    text: str = '{"choices": [{"mess'
    kind: str = "application/json"


ASIDE = {
    "/v1/responses/compact": "/v1/responses",
    "/v1/responses/input_tokens": "/v1/responses",
    "/v1/messages/count_tokens": "/v1/messages",
}
"""Paths beside those that answer, and the dialect that they speak."""
ACCOUNT = "/backend-api/codex"
Reply = Say | Wrong | Late | Broken | Half | Garbage
Brain = Callable[[Heard], Reply]


class Loopback:
    """Listens from `with` on; `heard` holds every request, `left` how many streams a client did
    not hear out.
    """

    def __init__(self, *replies: Reply | Brain, aside: bool = False) -> None:
        self.aside = aside
        self._replies, self._said = replies, 0
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.heard: list[Heard] = []
        self.left = 0
        self.over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self)

    def __enter__(self) -> Loopback:
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *gone: object) -> None:
        self.over.set()
        self._server.shutdown()
        with self._lock:
            for connection in self._open:
                _quietly(connection.shutdown, socket.SHUT_RDWR)
        self._server.server_close()
        self._thread.join()

    @property
    def anthropic(self) -> str:
        """The address for Anthropic's SDK."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def openai(self) -> str:
        """The address for OpenAI's SDK."""
        return f"{self.anthropic}/v1"

    def reply_to(self, heard: Heard) -> Reply:
        with self._lock:
            self.heard.append(heard)
            at, self._said = self._said, self._said + 1
            last = self._replies[-1] if self._replies else None
            reply = (
                self._replies[at] if at < len(self._replies) else last if callable(last) else None
            )
        if reply is None:
            return Wrong(500, "the replies are used up")
        return reply(heard) if callable(reply) else reply

    def opened(self, connection: socket.socket, open: bool) -> None:
        with self._lock:
            (self._open.add if open else self._open.discard)(connection)

    def was_left(self) -> None:
        with self._lock:
            self.left += 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], owner: Loopback) -> None:
        super().__init__(address, _Handler)
        self.owner = owner

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        self.server.owner.opened(self.connection, True)

    def finish(self) -> None:
        self.server.owner.opened(self.connection, False)
        _quietly(super().finish)

    def log_message(self, *what: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {key.lower(): value for key, value in self.headers.items()}
        path, _, query = self.path.partition("?")
        # The address that Codex uses with a ChatGPT account, which names no version.
        asked, path = path, path.replace(ACCOUNT, "/v1")
        heard = Heard(path, headers, _json(raw), raw, query, asked)
        aside = self.server.owner.aside and path in ASIDE
        if path not in DIALECTS and not aside:
            self._whole(404, {"error": {"message": f"no such path: {self.path}"}})
            return
        self._given(self.server.owner.reply_to(heard), heard)

    def _given(self, reply: Reply, heard: Heard) -> None:
        dialect, model, streams = (
            DIALECTS[ASIDE.get(heard.path, heard.path)],
            str(heard.body.get("model")),
            bool(heard.body.get("stream")) or "alt=sse" in heard.query,
        )
        match reply:
            case Late(seconds, then):
                self.server.owner.over.wait(seconds)
                self._given(then, heard)
            case Broken(after_headers):
                self._broken(after_headers, streams)
            case Garbage(text, kind):
                self._garbage(text, kind, streams)
            case Wrong(status, message, code, headers, more, in_stream):
                wrong = dialect.wrong(status, message, code, more)
                if in_stream:
                    self._stream(iter([("error", wrong)]), 0)
                else:
                    self._whole(status, wrong, headers)
            case Half(say, quietly):
                self._half(dialect, say, model, streams, quietly)
            case Say() if streams:
                self._stream(dialect.events(reply, model), reply.pause)
            case Say():
                self._whole(200, dialect.whole(reply, model))

    def _whole(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        for key, text in (headers or {}).items():
            self.send_header(key, text)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _stream(self, events: Iterator[Event], pause: float, ended: bool = True) -> None:
        try:
            self._begin_stream()
            for event in events:
                self._chunk(_event(event))
                if pause and self.server.owner.over.wait(pause):
                    break
            if ended:
                self._chunk(b"")
        except OSError:
            self.server.owner.was_left()
            raise

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def _half(self, dialect: Any, say: Say, model: str, streams: bool, quietly: bool) -> None:
        if streams:
            events = list(dialect.events(say, model))
            self._stream(iter(events[: len(events) // 2]), 0, ended=quietly)
        else:
            data = json.dumps(dialect.whole(say, model)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
        if not (streams and quietly):
            self._hang_up()

    def _garbage(self, text: str, kind: str, streams: bool) -> None:
        if streams and kind == "application/json":
            self._stream(iter([("message_start", Raw(text))]), 0)
            return
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _broken(self, after_headers: bool, streams: bool) -> None:
        if after_headers and streams:
            self._begin_stream()
        elif after_headers:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "1000")
            self.end_headers()
        self._hang_up()

    def _hang_up(self) -> None:
        """Reset, not closed in good order."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        _quietly(self.connection.close)


class Raw(str):
    """An event's data that is sent as it is."""


def _event(event: Event) -> bytes:
    name, data = event
    said = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {said}\n\n".encode()


def _json(raw: bytes) -> dict[str, Any]:
    try:
        return json.loads(raw or b"{}")
    except (ValueError, RecursionError):
        return {}


def _quietly(act: Callable[..., object], *arguments: Any) -> None:
    """Do it to a connection that may be gone already."""
    try:
        act(*arguments)
    except (OSError, ValueError):
        return
