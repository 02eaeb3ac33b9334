"""Reads a provider's reply while its bytes pass through to the client.

A reply comes whole, as JSON, or in events of a stream. Either way the result is the
messages that the client will send back with its next request, and what was billed. What
cannot be read is left out: the client has the bytes, and it decides what they say.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import msgspec

from steno.providers.shared.provider_report import StreamedReport

READ_MOST = 32_000_000
"""Bytes of one reply that are read; the rest passes through unread."""
READABLE_CODINGS = ("gzip", "deflate", "identity")
"""Content codings that can be read here; the provider is asked for no other."""


@dataclass
class Reply:
    """What a provider answered."""

    messages: list[Any] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)
    stop: str = ""
    whole: bool = False
    """Whether it came to its end."""
    report: dict[str, Any] = field(default_factory=dict)
    """What it says of the provider's own edits and its cache."""


class Assembler(Protocol):
    """Puts one API's reply together."""

    so_far: Reply

    def take_event(self, event: dict[str, Any]) -> None:
        """Take one event of a stream."""
        ...

    def take_body(self, body: dict[str, Any]) -> None:
        """Take a reply that came whole."""
        ...

    def reply(self) -> Reply: ...


class ChatAssembler:
    """Puts a chat completion together; only its first choice, which the client goes on with."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"role": "assistant", "content": None}
        self._calls: dict[int, dict[str, Any]] = {}
        self.so_far = Reply()

    def take_body(self, body: dict[str, Any]) -> None:
        self.so_far.usage = _dict(body.get("usage"))
        for choice in _dicts(body.get("choices"))[:1]:
            self.so_far.messages = [_dict(choice.get("message"))]
            self.so_far.stop = str(choice.get("finish_reason") or "")
            self.so_far.whole = True

    def take_event(self, event: dict[str, Any]) -> None:
        self.so_far.usage = _dict(event.get("usage")) or self.so_far.usage
        for choice in _dicts(event.get("choices")):
            if choice.get("index", 0) != 0:
                continue
            self._take_delta(_dict(choice.get("delta")))
            if choice.get("finish_reason"):
                self.so_far.stop = str(choice["finish_reason"])
                self.so_far.whole = True

    def _take_delta(self, delta: dict[str, Any]) -> None:
        for key in ("content", "refusal", "reasoning_content"):
            piece = delta.get(key)
            if isinstance(piece, str):
                self._message[key] = (self._message.get(key) or "") + piece
        for call in _dicts(delta.get("tool_calls")):
            at = call.get("index", 0)
            kept = self._calls.setdefault(
                at, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
            )
            kept["id"] = call.get("id") or kept["id"]
            function = _dict(call.get("function"))
            for key in ("name", "arguments"):
                kept["function"][key] += function.get(key) or ""

    def reply(self) -> Reply:
        if self._calls:
            self._message["tool_calls"] = [self._calls[at] for at in sorted(self._calls)]
        said = self._message.get("content") or self._calls or self._message.get("refusal")
        if said and not self.so_far.messages:
            self.so_far.messages = [self._message]
        return self.so_far


class ResponseAssembler:
    """Puts a response together: its last event holds it whole."""

    def __init__(self) -> None:
        self._items: dict[int, dict[str, Any]] = {}
        self.so_far = Reply()

    def take_body(self, body: dict[str, Any]) -> None:
        self.so_far.messages = _dicts(body.get("output"))
        self.so_far.usage = _dict(body.get("usage"))
        self.so_far.stop = str(body.get("status") or "")
        self.so_far.whole = self.so_far.stop == "completed"

    def take_event(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "response.output_item.done" and isinstance(event.get("output_index"), int):
            self._items[event["output_index"]] = _dict(event.get("item"))
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            self.take_body(_dict(event.get("response")))

    def reply(self) -> Reply:
        if not self.so_far.messages:
            self.so_far.messages = [self._items[at] for at in sorted(self._items)]
        return self.so_far


_DELTAS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "compaction_delta": ("content", "content"),
}
"""Which field of a block each kind of delta adds to, and in which field of its own."""


class MessagesAssembler:
    """Puts a message of the messages API together, block by block."""

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, str] = {}
        self.so_far = Reply()

    def take_body(self, body: dict[str, Any]) -> None:
        self.so_far.messages = [{"role": "assistant", "content": body.get("content") or []}]
        self.so_far.usage = _dict(body.get("usage"))
        self.so_far.stop = str(body.get("stop_reason") or "")
        self.so_far.whole = True

    def take_event(self, event: dict[str, Any]) -> None:
        at = event.get("index", 0)
        match event.get("type"):
            case "message_start":
                self.so_far.usage = _dict(_dict(event.get("message")).get("usage"))
            case "content_block_start":
                self._blocks[at] = dict(_dict(event.get("content_block")))
            case "content_block_delta":
                self._take_delta(at, _dict(event.get("delta")))
            case "message_delta":
                self.so_far.stop = str(_dict(event.get("delta")).get("stop_reason") or "")
                self.so_far.usage |= _dict(event.get("usage"))
            case "message_stop":
                self.so_far.whole = True

    def _take_delta(self, at: int, delta: dict[str, Any]) -> None:
        block = self._blocks.setdefault(at, {})
        kind = delta.get("type")
        if kind == "input_json_delta":
            self._inputs[at] = self._inputs.get(at, "") + str(delta.get("partial_json") or "")
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta.get("citation")]
        elif kind in _DELTAS:
            field_name, key = _DELTAS[kind]
            block[field_name] = (block.get(field_name) or "") + str(delta.get(key) or "")

    def reply(self) -> Reply:
        if self.so_far.messages or not self._blocks:
            return self.so_far
        for at, text in self._inputs.items():
            parsed = _parse(text.encode() or b"{}")
            # Cut in the middle of a call: the client does not get a whole one either.
            self._blocks[at]["input"] = parsed if parsed is not None else {}
        blocks = [self._blocks[at] for at in sorted(self._blocks)]
        self.so_far.messages = [{"role": "assistant", "content": blocks}]
        return self.so_far


class ReplyReader:
    """Takes the bytes of a reply as they pass, and reads them when it is asked for them."""

    def __init__(self, assembler: Assembler, headers: Mapping[str, str]) -> None:
        self._assembler = assembler
        self._report = StreamedReport()
        self._streamed = "event-stream" in headers.get("content-type", "")
        self._decompress = _decompressor(headers.get("content-encoding", ""))
        self._taken: list[bytes] = []
        self._kept = bytearray()
        self._came = self._read = 0
        self._gives_up = self._decompress is None

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes; between two of them a client waits, so nothing else is done."""
        self._came += len(chunk)
        if self._came <= READ_MOST:
            self._taken.append(chunk)
        else:
            self._gives_up = True
            self._taken.clear()

    @property
    def whole(self) -> bool:
        """Whether the reply has come to its end."""
        self._catch_up()
        return self._assembler.so_far.whole

    def finish(self) -> Reply:
        """Return what was read."""
        self._catch_up()
        if not self._streamed and not self._gives_up:
            body = _parse(bytes(self._kept))
            if isinstance(body, dict):
                self._report.see(body)
                self._assembler.take_body(body)
        reply = self._assembler.reply()
        reply.report = self._report.reply
        return reply

    def _catch_up(self) -> None:
        """Read what was taken; what cannot be read ends the reading."""
        taken, self._taken = b"".join(self._taken), []
        if self._gives_up:
            return
        try:
            plain = self._decompress(taken)
        except zlib.error:
            self._gives_up = True
            return
        self._read += len(plain)
        if self._read > READ_MOST:
            self._gives_up = True
            self._kept.clear()
            return
        self._kept += plain
        if self._streamed:
            self._take_lines()

    def _take_lines(self) -> None:
        for event in _complete_events(self._kept):
            # A stream's last line, [DONE], is no JSON.
            value = _parse(event)
            if isinstance(value, dict):
                self._report.see(value)
                self._assembler.take_event(value)


def read_json(raw: bytes, headers: Mapping[str, str]) -> Any:
    """Return the JSON of an answer that came whole; its text if it is none."""
    decompress = _decompressor(headers.get("content-encoding", ""))
    if decompress is None:
        return ""
    try:
        plain = decompress(raw)
    except zlib.error:
        return ""
    value = _parse(plain)
    if value is None:
        return plain.decode(errors="replace")
    return value


def _complete_events(buffer: bytearray) -> Iterator[bytes]:
    """Take the whole lines with data out of a buffer; providers write one line an event."""
    end = buffer.rfind(b"\n") + 1
    lines = bytes(buffer[:end]).splitlines()
    del buffer[:end]
    for line in lines:
        if line.startswith(b"data:"):
            yield line[5:].strip()


def _decompressor(coding: str) -> Any:
    """Return what makes plain bytes of coded ones, or None for a coding that is not known.

    It stops past READ_MOST: a few coded bytes can stand for any number.
    """
    match coding.strip().lower():
        case "" | "identity":
            return bytes
        case "gzip":
            coded = zlib.decompressobj(zlib.MAX_WBITS | 16)
        case "deflate":
            coded = zlib.decompressobj()
        case _:
            return None
    return partial(coded.decompress, max_length=READ_MOST + 1)


def _parse(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _dict(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    return {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [one for one in value if isinstance(one, dict)]
    return []
