"""AG2: `Agent(..., middleware=[steno], tools=[steno.recall])` with `steno = StenoTurns(...)`.

The stream's id names the session unless `session=` does; `session=` and `user=` may be functions of
the context of a turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Unpack

from ag2 import Context, tool
from ag2.events import (
    BaseEvent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextInput,
    ToolCallEvent,
    ToolCallsEvent,
    ToolResultEvent,
    ToolResultsEvent,
)
from ag2.middleware import BaseMiddleware
from ag2.middleware.base import LLMCall
from ag2.tools import ToolResult

from steno.adapters.frameworks.hook import DESCRIPTION, FrameworkHook, HookOptions
from steno.adapters.frameworks.shapes import CallMade, MessageParts, Translation
from steno.adapters.recall import RECALL


class StenoTurns(FrameworkHook):
    """Keeps the requests of agents within their models' windows."""

    def __init__(self, **options: Unpack[HookOptions]) -> None:
        super().__init__(**options)

        async def recall(context: Context, query: str = "", positions: str = "") -> str:
            asked = {"query": query, "positions": positions}
            return await self._arecall(context, asked)

        self.recall = tool(recall, name=RECALL, description=DESCRIPTION)

    def __call__(self, event: BaseEvent, context: Context) -> BaseMiddleware:
        return _FittedTurn(event, context, self)

    def _own_names(self, run: Any) -> tuple[str | None, str | None]:
        return str(run.stream.id), None


class _FittedTurn(BaseMiddleware):  # type: ignore[misc]
    def __init__(self, event: BaseEvent, context: Context, steno: StenoTurns) -> None:
        super().__init__(event, context)
        self._steno = steno

    async def on_llm_call(
        self, call_next: LLMCall, events: Sequence[BaseEvent], context: Context
    ) -> ModelResponse:
        return await self._steno._asend(
            Translation(events, _pieces, _event),
            lambda view: call_next(view, context),
            context,
            system="\n".join(context.prompt),
            recall=True,
        )


def _pieces(event: BaseEvent) -> Iterator[MessageParts]:
    """Yield what a message says, one for each message of OpenAI's format."""
    match event:
        case ModelRequest():
            yield MessageParts("user", [_text(part) for part in event.parts])
        case ModelResponse():
            calls = [
                CallMade(call.id, call.name, call.arguments) for call in event.tool_calls.calls
            ]
            yield MessageParts("assistant", [event.content or ""], calls)
        case ToolResultsEvent():
            for result in event.results:
                said = "\n".join(map(_text, result.result.parts))
                yield MessageParts("tool", [said], answers=result.parent_id)


def _text(part: Any) -> str:
    if isinstance(part, TextInput):
        return str(part.content)
    return json.dumps(getattr(part, "data", str(part)), default=str)


def _event(piece: MessageParts) -> BaseEvent:
    """Return a message that Steno wrote or shortened."""
    if piece.answers:
        result = ToolResultEvent(
            parent_id=piece.answers, name=piece.tool, result=ToolResult(piece.text)
        )
        return ToolResultsEvent([result])
    if piece.role != "assistant":
        return ModelRequest([TextInput(piece.text)])
    message = None
    if piece.text:
        message = ModelMessage(piece.text)
    calls = [ToolCallEvent(call.name, id=call.id, arguments=call.arguments) for call in piece.calls]
    return ModelResponse(message, tool_calls=ToolCallsEvent(calls))
