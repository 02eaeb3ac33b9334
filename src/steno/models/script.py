"""A model with prepared replies, for tests, demonstrations and dry runs.

Owns a list of replies, and a record of what was asked. Nothing is random and nothing
is called; tokens are estimated from the text.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from steno.core.effects import Answer, Ask, NoAnswer, Reply
from steno.core.errors import BadInput, ModelFailed
from steno.core.message import Block, Call, Message, Text
from steno.core.meter import estimate
from steno.core.model import Delta, FinishedTurn, StopReason, TurnStream, Usage
from steno.providers import encode_messages, get_wire
from steno.providers.shared.errors import classify_error, no_answer

ScriptLine: TypeAlias = (
    "str | Answer | NoAnswer | FinishedTurn | Call "
    "| list[str | Call] | tuple[str | Call, ...] | Exception"
)
"""One reply: text, calls, text with calls, a finished reply or turn, or a failure."""


class Script:
    """Give the lines in order; a function among them is called, the last one for ever.

    >>> Script("first", NoAnswer("overloaded"), lambda ask: f"in short: {ask.prompt[:20]}")

    `asked` holds every ask, `requests` every request for a turn. A flow may ask several at once,
    from several threads: a function can tell them apart, the order of lines cannot.
    """

    def __init__(
        self,
        *lines: ScriptLine | Callable[[Any], ScriptLine],
        name: str = "script",
        wire: str = "openai",
        window: int | None = None,
    ) -> None:
        self._reply_wire = get_wire(wire)
        self.name, self.wire, self.window = name, wire, window
        self.asked: list[Ask] = []
        self.requests: list[Mapping[str, Any]] = []
        self._lines, self._said, self._lock = lines, 0, threading.Lock()

    def __repr__(self) -> str:
        return f"Script({len(self._lines)} lines, {self._said} said)"

    def answer(self, ask: Ask) -> Reply:
        """Return the next line as a reply; a failure among the lines is `NoAnswer`."""
        with self._lock:
            self.asked.append(ask)
            line = self._next_line()
        sent = estimate(ask.system or "") + estimate(ask.after or "") + estimate(ask.prompt)
        # Outside the lock, so that asks of several threads run at the same time.
        if callable(line):
            line = line(ask)
        return self._reply(line, sent)

    def turn(
        self,
        request: Mapping[str, Any],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> TurnStream:
        """Stream the next line as a turn; a failure among the lines is raised."""
        with self._lock:
            self.requests.append(request)
            line = self._next_line()
        return self._stream_turn(line, request)

    def _next_line(self) -> ScriptLine | Callable[[Any], ScriptLine]:
        at, self._said = self._said, self._said + 1
        if at < len(self._lines):
            return self._lines[at]
        if self._lines and callable(self._lines[-1]):
            return self._lines[-1]
        return ModelFailed(f"the script is over after {len(self._lines)} lines")

    def _reply(self, line: ScriptLine, sent: int) -> Reply:
        if isinstance(line, Answer | NoAnswer):
            return msgspec.structs.replace(line, by=line.by or self.name)
        if isinstance(line, Exception):
            return no_answer(line, self.name, Usage(sent))
        text, calls = _text_and_calls(line)
        if calls or isinstance(line, FinishedTurn):
            raise BadInput(
                "an ask is answered with text: calls and FinishedTurn are lines for turns"
            )
        return Answer(text, self.name, Usage(sent, said=estimate(text)))

    def _stream_turn(
        self, line: ScriptLine | Callable[[Any], ScriptLine], request: Mapping[str, Any]
    ) -> Iterator[Delta | FinishedTurn]:
        if callable(line):
            line = line(request)
        if isinstance(line, NoAnswer):
            line = ModelFailed(line.reason, line.kind, wait=line.wait)
        if isinstance(line, Exception):
            raise classify_error(line) from line
        if isinstance(line, FinishedTurn):
            yield line
            return
        text, calls = _text_and_calls(line)
        for piece in text.splitlines(keepends=True):
            yield Delta(piece)
        messages = self._messages(text, calls)
        said = sum(estimate(msgspec.json.encode(message).decode()) for message in messages)
        usage = Usage(estimate(msgspec.json.encode(request).decode()), said=said)
        stop: StopReason = "end"
        if calls:
            stop = "calls"
        yield FinishedTurn(messages, usage, stop)

    def _messages(self, text: str, calls: tuple[Call, ...]) -> tuple[Any, ...]:
        blocks: list[Block] = [*calls]
        if text:
            blocks.insert(0, Text(text))
        if not blocks:
            return ()
        return tuple(encode_messages(self._reply_wire, [Message("assistant", tuple(blocks))]))


def _text_and_calls(line: ScriptLine) -> tuple[str, tuple[Call, ...]]:
    if isinstance(line, Answer):
        return line.text, ()
    parts: Sequence[object] = [line]
    if isinstance(line, list | tuple):
        parts = line
    for part in parts:
        if not isinstance(part, str | Call):
            raise BadInput(
                "a script's line is text, a Call, a reply, a FinishedTurn or an exception, "
                f"not {type(part).__name__}"
            )
    text = "".join(part for part in parts if isinstance(part, str))
    return text, tuple(part for part in parts if isinstance(part, Call))
