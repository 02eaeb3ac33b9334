"""DSPy: `dspy.LM(name, engine=StenoEngine(lm, ...))`, over the LM that has the keys.

DSPy writes a `dspy.History` as messages, and these are fitted. A trajectory of `dspy.ReAct` is one
message, which DSPy itself shortens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Unpack

import dspy
from dspy.lm15 import (
    ImagePart,
    Message,
    Request,
    Response,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

from steno.adapters.frameworks.hook import HookOptions, ModelHook
from steno.adapters.frameworks.shapes import Attached, CallMade, Json, MessageParts, Translation


class StenoEngine(ModelHook):
    """Sends lists that fit the model's window; `engine.recall` is a tool for a program."""

    def __init__(self, lm: dspy.LM, **options: Unpack[HookOptions]) -> None:
        super().__init__(**options)
        self._lm = lm
        self.asynchronous = SimpleNamespace(complete=self._acomplete)
        """Give it to `dspy.LM` as `async_engine=` for calls on an event loop."""

    def complete(self, request: Request) -> Response:
        return self._send(**self._asked(request, self._lm))

    async def _acomplete(self, request: Request) -> Response:
        return await self._asend(**self._asked(request, self._lm.acall))

    def _asked(self, request: Request, call: Any) -> Json:
        """Return the messages of a request, who is asked, and what counts beside them."""
        tools = [
            self._tool(tool.name, tool.description or "", tool.parameters)
            for tool in request.tools
            if hasattr(tool, "parameters")
        ]
        return {
            "given": Translation(request.messages, _pieces, _message),
            "call": lambda view: call(replace(request, messages=tuple(view))),
            "run": request,
            "model": self._lm.model.rpartition("/")[2],
            "system": str(request.system or ""),
            "tools": tools,
        }


def _pieces(message: Message) -> Iterator[MessageParts]:
    """Yield what a message says, one for each message of OpenAI's format."""
    parts: list[str | Attached] = []
    calls: list[CallMade] = []
    for part in message.parts:
        match part:
            case TextPart():
                parts.append(part.text)
            case ToolCallPart():
                calls.append(CallMade(part.id, part.name, part.input))
            case ToolResultPart():
                text = "\n".join(getattr(each, "text", "") for each in part.content)
                yield MessageParts("tool", [text], answers=part.id)
            case ImagePart():
                data = f"data:{part.media_type};base64,{part.data}"
                parts.append(Attached(part.url or data, part))
            case _:
                parts.append(Attached(repr(part), part, "opaque"))
    if parts or calls:
        yield MessageParts(message.role, parts, calls)


def _message(piece: MessageParts) -> Message:
    """Return a message that Steno wrote or shortened."""
    if piece.answers:
        result = ToolResultPart(piece.answers, (TextPart(piece.text),), piece.tool or None)
        return Message("tool", (result,))
    parts = piece.built(TextPart)
    parts += [ToolCallPart(call.id, call.name, call.values) for call in piece.calls]
    return Message(piece.role, tuple(parts))
