"""A model that says what it was told to: for tests, demonstrations and dry runs.

Owns a list of replies and what was asked. Nothing is random and nothing is called;
tokens are estimated from the words.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from steno.core.effects import Answer, Ask, NoAnswer, Reply
from steno.core.errors import BadInput, ModelFailed
from steno.core.message import Call
from steno.core.meter import estimate
from steno.core.model import Delta, FinishedTurn, TurnStream, Usage
from steno.models.errors import classify_error

ScriptLine: TypeAlias = "str | Answer | NoAnswer | FinishedTurn | Call | list[str | Call] | tuple[str | Call, ...] | Exception"
"""One reply: words, calls, words with calls, a finished reply or turn, or a failure."""
SCRIPT_WIRES = ("openai", "openai-responses", "anthropic")


class Script:
    """Gives its lines in order; a function among them is asked, and as the last one goes on being asked.

    >>> Script("first", NoAnswer("overloaded"), lambda ask: f"in short: {ask.prompt[:20]}")

    `asked` holds every ask, `requests` every request for a turn. Asks come from several threads
    at once where a flow asks several at once: a function tells them apart, an order cannot.
    """

    def __init__(
        self,
        *lines: ScriptLine | Callable[[Any], ScriptLine],
        name: str = "script",
        wire: str = "openai",
        window: int | None = None,
    ) -> None:
        if wire not in SCRIPT_WIRES:
            raise BadInput(f"a script speaks {', '.join(SCRIPT_WIRES)}, not {wire!r}")
        self.name, self.wire, self.window = name, wire, window
        self.asked: list[Ask] = []
        self.requests: list[Mapping[str, Any]] = []
        self._lines, self._said, self._lock = lines, 0, threading.Lock()

    def __repr__(self) -> str:
        return f"Script({len(self._lines)} lines, {self._said} said)"

    def answer(self, ask: Ask) -> Reply:
        """The next line as a reply; a failure among the lines is no answer."""
        with self._lock:
            self.asked.append(ask)
            line = self._next_line()
        sent = estimate(ask.system or "") + estimate(ask.after or "") + estimate(ask.prompt)
        return self._reply(line(ask) if callable(line) else line, sent)

    def turn(
        self,
        request: Mapping[str, Any],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> TurnStream:
        """The next line as a turn, word by word; a failure among the lines is raised."""
        with self._lock:
            self.requests.append(request)
            line = self._next_line()
        return self._stream_turn(line, request)

    def _next_line(self) -> ScriptLine | Callable[[Any], ScriptLine]:
        at, self._said = self._said, self._said + 1
        if at < len(self._lines):
            return self._lines[at]
        last = self._lines[-1] if self._lines else None
        if callable(last):
            return last
        return ModelFailed(f"the script is over after {len(self._lines)} lines")

    def _reply(self, line: ScriptLine, sent: int) -> Reply:
        if isinstance(line, Answer | NoAnswer):
            if line.by:
                return line
            return msgspec.structs.replace(line, by=self.name)
        if isinstance(line, Exception):
            failed = classify_error(line)
            return NoAnswer(str(failed), failed.kind, self.name, failed.wait, Usage(sent))
        words, calls = _words_and_calls(line)
        if calls or isinstance(line, FinishedTurn):
            raise BadInput(
                "an ask is answered with words: calls and FinishedTurn are lines for turns"
            )
        return Answer(words, self.name, Usage(sent, said=estimate(words)))

    def _stream_turn(
        self, line: ScriptLine | Callable[[Any], ScriptLine], request: Mapping[str, Any]
    ) -> Iterator[Delta | FinishedTurn]:
        told = line(request) if callable(line) else line
        if isinstance(told, NoAnswer):
            told = ModelFailed(told.reason, told.kind, wait=told.wait)
        if isinstance(told, Exception):
            raise classify_error(told)
        if isinstance(told, FinishedTurn):
            yield told
            return
        words, calls = _words_and_calls(told)
        for word in words.splitlines(keepends=True) or ():
            yield Delta(word)
        messages = MESSAGE_BUILDERS[self.wire](words, calls)
        said = sum(estimate(msgspec.json.encode(message).decode()) for message in messages)
        sent = estimate(msgspec.json.encode(request).decode())
        yield FinishedTurn(messages, Usage(sent, said=said), "calls" if calls else "end")


def _words_and_calls(line: ScriptLine) -> tuple[str, tuple[Call, ...]]:
    if isinstance(line, Answer):
        return line.text, ()
    parts = line if isinstance(line, list | tuple) else [line]
    wrong = next((part for part in parts if not isinstance(part, str | Call)), None)
    if wrong is not None:
        raise BadInput(
            f"a script's line is text, a Call, a reply, a FinishedTurn or an exception, not {type(wrong).__name__}"
        )
    words = "".join(part for part in parts if isinstance(part, str))
    return words, tuple(part for part in parts if isinstance(part, Call))


def _openai_messages(words: str, calls: tuple[Call, ...]) -> tuple[Any, ...]:
    called = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in calls
    ]
    message = {"role": "assistant", "content": words or None}
    if called:
        return (message | {"tool_calls": called},)
    if words:
        return (message,)
    return ()


def _responses_items(words: str, calls: tuple[Call, ...]) -> tuple[Any, ...]:
    content = [{"type": "output_text", "text": words, "annotations": []}]
    said = [{"type": "message", "role": "assistant", "content": content}] if words else []
    called = [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
        }
        for call in calls
    ]
    return (*said, *called)


def _anthropic_messages(words: str, calls: tuple[Call, ...]) -> tuple[Any, ...]:
    said: list[Any] = [{"type": "text", "text": words}] if words else []
    called = [
        {
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": msgspec.json.decode(call.arguments),
        }
        for call in calls
    ]
    if said or called:
        return ({"role": "assistant", "content": said + called},)
    return ()


MESSAGE_BUILDERS = {
    "openai": _openai_messages,
    "openai-responses": _responses_items,
    "anthropic": _anthropic_messages,
}
