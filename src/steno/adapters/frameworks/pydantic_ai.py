"""Pydantic AI: `Agent(..., capabilities=[StenoCapability(...)])`.

`prepare_model_request` shapes what goes out and leaves the message history whole. One message of
Pydantic AI is one message of Anthropic's format, whatever provider serves the request: results of
tools are parts of a request. The conversation's id names the session unless `session=` does.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

from pydantic_ai import FunctionToolset, RetryModelRequest, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    BinaryContent,
    FileUrl,
    ModelMessage,
    ModelMessagesTypeAdapter,
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
from pydantic_ai.tools import ToolDefinition
from pydantic_core import to_jsonable_python

from steno.adapters.fit import Fitted
from steno.adapters.frameworks.hook import DESCRIPTION, SCHEMA, FrameworkHook, HookOptions
from steno.adapters.recall import RECALL
from steno.providers import json_text

MAY_LEAVE = (UserPromptPart, ToolReturnPart, RetryFeedbackPart)
"""Parts of a request that a view may leave out; others, system prompts above all, always stay."""
ROLES = {"request": "user", "response": "assistant"}
NOT_AN_ID = re.compile(r"[^a-zA-Z0-9_-]")


class StenoCapability(FrameworkHook, AbstractCapability[Any]):  # type: ignore[misc]
    """Keeps the requests of an agent within the model's window; `recall` is among its tools."""

    def __init__(self, **options: Unpack[HookOptions]) -> None:
        super().__init__("anthropic", **options)

        def recall(run: RunContext[Any], **asked: Any) -> str:
            return self._recall(run, asked)

        tool = Tool.from_schema(recall, RECALL, DESCRIPTION, SCHEMA, takes_ctx=True)
        self._toolset = FunctionToolset([tool])

    def get_toolset(self) -> Any:
        return self._toolset

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        asked = request_context.model_request_parameters
        written = _Written(request_context.messages)
        instructions = [part.content for part in asked.instruction_parts or ()]
        others = [tool for tool in asked.function_tools if tool.name != RECALL]
        fitted = await self._afit(
            written.messages,
            ctx,
            model=request_context.model.model_name,
            system="\n\n".join([*instructions, *written.held_texts]),
            tools=[_definition(tool) for tool in (*others, *asked.output_tools)],
            recall=True,
        )
        if fitted is None:
            plain = ModelMessagesTypeAdapter.dump_python(request_context.messages, mode="json")
            clean = self._without_secrets(plain)
            if clean is not plain:
                messages = ModelMessagesTypeAdapter.validate_python(clean)
                return replace(request_context, messages=messages)
            return request_context
        # The tool can be called all the time, but is shown once something has left the view.
        tools = asked.function_tools
        if not fitted.tools:
            tools = others
        return replace(
            request_context,
            messages=written.read(fitted),
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


class _Written:
    """Messages of Pydantic AI in Anthropic's format, and the way back."""

    def __init__(self, given: Sequence[ModelMessage]) -> None:
        self.messages: list[Any] = []
        self._own: dict[int, ModelMessage] = {}
        self._parts: dict[str, Any] = {}
        self._held: list[tuple[ModelMessage, Any]] = []
        for message in given:
            content: list[Any] = []
            for part in message.parts:
                if isinstance(message, ModelRequest) and not isinstance(part, MAY_LEAVE):
                    self._held.append((message, part))
                    continue
                for block, source in _blocks(part):
                    content.append(block)
                    self._parts[_key(block)] = source
            if content:
                self.messages.append({"role": ROLES[message.kind], "content": content})
                self._own[id(self.messages[-1])] = message

    @property
    def held_texts(self) -> list[str]:
        """The words of parts that stay whatever happens: system prompts above all."""
        return [str(getattr(part, "content", "")) for _, part in self._held]

    def read(self, fitted: Fitted) -> list[ModelMessage]:
        """Return what goes out: messages that are shown whole are the agent's own objects."""
        shown = [self._own.get(id(message)) or self._message(message) for message in fitted]
        whole = {id(message) for message in shown}
        lost = [part for message, part in self._held if id(message) not in whole]
        if lost:
            shown.insert(0, ModelRequest(parts=lost))
        return shown

    def _message(self, plain: Any) -> ModelMessage:
        """Return a message that Steno wrote or shortened."""
        content = plain["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        parts = [self._part(block, plain["role"]) for block in content]
        if plain["role"] == "user":
            return ModelRequest(parts=parts)
        return ModelResponse(parts=parts)

    def _part(self, block: Any, role: str) -> Any:
        """Return the part of a block: the agent's own, with other words if they were shortened."""
        part = self._parts.get(_key(block))
        if isinstance(part, ToolCallPart):
            return replace(part, args=block["input"])
        if isinstance(part, ToolReturnPart):
            return replace(part, content=_text(block["content"]))
        if part is not None:
            return part
        if role == "user":
            return UserPromptPart(content=_text([block]))
        return TextPart(content=_text([block]))


def _blocks(part: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the blocks of a part, each with the part that says it alone."""
    match part:
        case ToolCallPart():
            call = NOT_AN_ID.sub("_", part.tool_call_id)
            used = {"id": call, "name": part.tool_name, "input": part.args_as_dict()}
            yield {"type": "tool_use", **used}, part
        case ToolReturnPart():
            call = NOT_AN_ID.sub("_", part.tool_call_id)
            words = part.model_response_str()
            yield {"type": "tool_result", "tool_use_id": call, "content": words}, part
        case UserPromptPart(content=str(text)) | TextPart(content=text):
            yield {"type": "text", "text": text}, part
        case ThinkingPart(content=text, signature=signature):
            yield {"type": "thinking", "thinking": text, "signature": signature or ""}, part
        case UserPromptPart():
            for item in part.content:
                yield _content_block(item), UserPromptPart(content=[item])
        case _:
            yield {"type": "text", "text": json_text(to_jsonable_python(part))}, part


def _content_block(item: Any) -> Any:
    match item:
        case str():
            return {"type": "text", "text": item}
        case BinaryContent():
            source = {"type": "base64", "media_type": item.media_type, "data": item.base64}
            kind = item.media_type.partition("/")[0]
        case FileUrl():
            source = {"type": "url", "url": item.url}
            kind = item.kind.removesuffix("-url")
        case _:
            return {"type": "text", "text": json_text(to_jsonable_python(item))}
    if kind != "image":
        kind = "document"
    return {"type": kind, "source": source}


def _key(block: Any) -> str:
    """Return what a block is found again by: its call, or all that it says."""
    call = block.get("id") or block.get("tool_use_id")
    if call:
        return f"{block['type']} {call}"
    return json_text(block)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content)


def _definition(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description or "",
        "input_schema": tool.parameters_json_schema,
    }
