"""smolagents: `ToolCallingAgent(..., model=StenoModel(model, ...))`.

smolagents writes calls and observations as text; here they are calls and results again, so that no
tool's words are taken for the user's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Unpack

from smolagents import ChatMessage, MessageRole, Model, Tool, tool
from smolagents.models import get_tool_json_schema

from steno.adapters.frameworks.hook import HookOptions, ModelHook
from steno.adapters.frameworks.shapes import CallMade, Json, MessageParts, Translation
from steno.providers import json_text

CALL_ID = re.compile(r"'id': '([^']+)'")


class StenoModel(ModelHook, Model):  # type: ignore[misc]
    """Sends lists that fit the model's window."""

    def __init__(self, inner: Model, **options: Unpack[HookOptions]) -> None:
        ModelHook.__init__(self, **options)
        Model.__init__(self, model_id=inner.model_id)
        self._model = inner

    @property
    def recall_tool(self) -> Tool:
        """The tool that reads the session again, for the agent."""
        return tool(self.recall)

    def generate(self, messages: list[Any], *asked: Any, **named: Any) -> ChatMessage:
        return self._call(self._model.generate, messages, asked, named)

    def generate_stream(self, messages: list[Any], *asked: Any, **named: Any) -> Any:
        return self._call(self._model.generate_stream, messages, asked, named)

    def parse_tool_calls(self, message: ChatMessage) -> ChatMessage:
        return self._model.parse_tool_calls(message)

    def _call(self, send: Any, messages: list[Any], asked: Any, named: Json) -> Any:
        tools = named.get("tools_to_call_from") or []
        return self._send(
            Translation(messages, _reader(), _message),
            lambda view: send(view, *asked, **named),
            named,
            model=(self.model_id or "").rpartition("/")[2] or None,
            tools=[get_tool_json_schema(each) for each in tools],
        )


def _reader() -> Callable[[ChatMessage], Iterator[MessageParts]]:
    """Return what reads one list: an observation answers the call before it."""
    called: list[str] = []
    answered: set[str] = set()

    def read(message: ChatMessage) -> Iterator[MessageParts]:
        text = _text(message)
        if message.role == MessageRole.TOOL_CALL:
            named = CALL_ID.findall(text) or ["call"]
            called.append(f"{named[0]}-{len(called)}")
            yield _call(called[-1], text)
        elif message.role == MessageRole.TOOL_RESPONSE:
            if not called or called[-1] in answered:
                # An error without a call: what a program says is no user's message.
                called.append(f"error-{len(called)}")
                yield _call(called[-1], "")
            answered.add(called[-1])
            yield MessageParts("tool", [text], answers=called[-1])
        else:
            yield MessageParts(MessageRole(message.role).value, [text])

    return read


def _call(id: str, text: str) -> MessageParts:
    call = CallMade(id, "tools", json_text({"text": text}))
    return MessageParts("assistant", [], [call])


def _text(message: ChatMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.get("text") or f"[{part['type']}]" for part in message.content or ())


def _message(piece: MessageParts) -> ChatMessage:
    """Return a message that Steno wrote or shortened."""
    role, text = piece.role, piece.text
    if piece.calls:
        role, text = MessageRole.TOOL_CALL, text + str(piece.calls[0].values["text"])
    elif piece.answers:
        role = MessageRole.TOOL_RESPONSE
    return ChatMessage(role=MessageRole(role), content=[{"type": "text", "text": text}])
