"""Reads a provider's reply while its bytes pass through to the client.

A reply comes whole, as JSON, or in events of a stream. Either way the result is the
messages that the client will send back with its next request, and what was billed. What
cannot be read is left out: the client has the bytes, and it decides what they say.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from steno.providers.shared.provider_report import StreamedReport
from steno.providers.shared.stream import ErrorReply
from steno.providers.shared.surface import Reply, Surface
from steno.proxy.codings import decompressor

READ_MOST = 32_000_000
"""Bytes of one reply that are read; the rest passes through unread."""


class ReplyReader:
    """Takes the bytes of a reply as they pass, and reads them when it is asked for them."""

    def __init__(self, surface: Surface, headers: Mapping[str, str]) -> None:
        self._surface = surface
        self._stream = surface.new_stream()
        self._report = StreamedReport()
        self._streamed = "event-stream" in headers.get("content-type", "")
        self._decompress = decompressor(headers.get("content-encoding", ""), READ_MOST)
        self._taken: list[bytes] = []
        self._kept = bytearray()
        self._came = self._read = 0
        self._gives_up = False

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
        return self._stream.is_over

    def finish(self) -> Reply:
        """Return what was read."""
        self._catch_up()
        reply = Reply()
        if self._streamed:
            reply = self._surface.read(self._stream.reply_so_far())
            reply.whole = reply.whole and self._stream.is_over
        elif not self._gives_up:
            body = json_or_none(bytes(self._kept))
            if isinstance(body, dict):
                self._report.see(body)
                reply = self._surface.read(body)
        reply.report = self._report.reply
        return reply

    def _catch_up(self) -> None:
        """Read what was taken; what cannot be read ends the reading."""
        taken, self._taken = b"".join(self._taken), []
        if self._gives_up or self._decompress is None:
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
        """Read the events in whole lines; providers write one line an event."""
        end = self._kept.rfind(b"\n") + 1
        lines = bytes(self._kept[:end])
        del self._kept[:end]
        for event in events_in(lines):
            self._report.see(event)
            # An event that is not as its API writes it is left out: the client has its bytes.
            with suppress(KeyError, TypeError, ValueError, AttributeError, ErrorReply):
                for _ in self._stream.feed(event):
                    pass


def read_json(raw: bytes, headers: Mapping[str, str]) -> Any:
    """Return the JSON of an answer that came whole; its text if it is none."""
    decompress = decompressor(headers.get("content-encoding", ""), READ_MOST)
    if decompress is None:
        return ""
    try:
        plain = decompress(raw)
    except zlib.error:
        return ""
    value = json_or_none(plain)
    if value is None:
        return plain.decode(errors="replace")
    return value


def events_in(text: bytes) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in lines of data; a stream's last line, [DONE], is none."""
    for line in text.splitlines():
        if line.startswith(b"data:"):
            value = json_or_none(line[5:].strip())
            if isinstance(value, dict):
                yield value


def json_or_none(text: bytes) -> Any:
    """Return the value of a JSON text; None if it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
