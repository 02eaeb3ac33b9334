"""Pydantic AI: `Agent(..., capabilities=[StenoCapability(...)])`.

`prepare_model_request` shapes what goes out and leaves the message history whole. System prompts
and changes of instructions always stay: they go to the head if their message leaves the view. The
conversation's id names the session unless `session=` does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Unpack

from pydantic_ai import FunctionToolset, RetryModelRequest, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    BinaryContent,
    FileUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_core import to_jsonable_python

from steno.adapters.frameworks.hook import DESCRIPTION, SCHEMA, FrameworkHook, HookOptions
from steno.adapters.frameworks.shapes import Attached, CallMade, MessageParts, Translation
from steno.adapters.recall import RECALL
from steno.providers import json_text

MAY_LEAVE = (UserPromptPart, ToolReturnPart, RetryFeedbackPart)
"""Parts of a request that a view may leave out; others, system prompts above all, always stay."""


class StenoCapability(FrameworkHook, AbstractCapability[Any]):  # type: ignore[misc]
    """Keeps the requests of an agent within the model's window; `recall` is among its tools."""

    def __init__(self, **options: Unpack[HookOptions]) -> None:
        super().__init__(**options)

        def recall(run: RunContext[Any], **asked: Any) -> str:
            return self._recall(run, asked)

        tool = Tool.from_schema(recall, RECALL, DESCRIPTION, SCHEMA, takes_ctx=True)
        self._toolset = FunctionToolset([tool])

    def get_toolset(self) -> Any:
        return self._toolset

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        asked, given = request_context.model_request_parameters, request_context.messages
        translation = Translation(given, _pieces, _message)
        requests = [message for message in given if isinstance(message, ModelRequest)]
        parts = [(message, part) for message in requests for part in message.parts]
        held = [(message, part) for message, part in parts if not isinstance(part, MAY_LEAVE)]
        instructions = [part.content for part in asked.instruction_parts or ()]
        words = [str(getattr(part, "content", "")) for _, part in held]
        others = [tool for tool in asked.function_tools if tool.name != RECALL]
        fitted = await self._afit(
            translation.messages,
            ctx,
            model=request_context.model.model_name,
            system="\n\n".join([*instructions, *words]),
            tools=[
                self._tool(tool.name, tool.description or "", tool.parameters_json_schema)
                for tool in (*others, *asked.output_tools)
            ],
            recall=True,
        )
        shown = translation.back(fitted)
        whole = set(map(id, shown))
        lost = [part for message, part in held if id(message) not in whole]
        if lost:
            shown.insert(0, ModelRequest(parts=lost))
        tools = self._shown_tools(fitted, asked.function_tools, others)
        return replace(
            request_context,
            messages=shown,
            model_request_parameters=replace(asked, function_tools=tools),
        )

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """Try once more, shorter, what the provider refused as too long."""
        if request_context.attempt == 1 and await asyncio.to_thread(self._shrink, ctx, error):
            raise RetryModelRequest from error
        raise error

    def _own_names(self, run: Any) -> tuple[str | None, str | None]:
        return run.conversation_id, None


def _pieces(message: ModelMessage) -> Iterator[MessageParts]:
    """Yield what a message says, one for each message of OpenAI's format."""
    role = "assistant"
    if isinstance(message, ModelRequest):
        role = "user"
    said: list[str | Attached] = []
    calls: list[CallMade] = []
    for part in message.parts:
        match part:
            case ToolReturnPart():
                words = part.model_response_str()
                yield MessageParts("tool", [words], answers=part.tool_call_id)
            case ToolCallPart():
                calls.append(CallMade(part.tool_call_id, part.tool_name, part.args_as_json_str()))
            case UserPromptPart(content=str(text)) | TextPart(content=text):
                said.append(text)
            case UserPromptPart():
                said += map(_content, part.content)
            case ThinkingPart():
                said.append(Attached(part.content or "(sealed)", part, "thinking"))
            case _ if role == "assistant" or isinstance(part, MAY_LEAVE):
                said.append(_content(part))
    if said or calls:
        yield MessageParts(role, said, calls)


def _content(item: Any) -> str | Attached:
    match item:
        case str():
            return item
        case BinaryContent():
            return Attached(item.data_uri, item, item.media_type.partition("/")[0])
        case FileUrl():
            return Attached(item.url, item, item.kind.removesuffix("-url"))
    return json_text(to_jsonable_python(item))


def _message(piece: MessageParts) -> ModelMessage:
    """Return a message that Steno wrote or shortened."""
    if piece.answers:
        result = ToolReturnPart(piece.tool, piece.text, piece.answers)
        return ModelRequest(parts=[result])
    if piece.role != "assistant":
        return ModelRequest(parts=[UserPromptPart(content=piece.built())])
    parts = piece.built(TextPart)
    parts += [ToolCallPart(call.name, call.arguments, call.id) for call in piece.calls]
    return ModelResponse(parts=parts)
