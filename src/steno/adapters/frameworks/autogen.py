"""AutoGen: `AssistantAgent(..., model_client=StenoClient(client, ...))`.

A wrapped client sees the system message, the tools and the refusals of a request, which a model
context does not.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from typing import Any, Unpack

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    SystemMessage,
    UserMessage,
)

from steno.adapters.frameworks.hook import HookOptions, ModelHook, passed_on, read_from_inner
from steno.adapters.frameworks.shapes import Attached, CallMade, Json, MessageParts, Translation


class StenoClient(ModelHook, ChatCompletionClient):  # type: ignore[misc]
    """Sends lists that fit the model's window; `client.recall` is a tool for the agent."""

    def __init__(self, client: ChatCompletionClient, **options: Unpack[HookOptions]) -> None:
        super().__init__(**options)
        self.inner = client

    async def create(self, messages: Sequence[LLMMessage], **more: Any) -> Any:
        return await self._call(messages, partial(self.inner.create, **more), more)

    async def create_stream(
        self, messages: Sequence[LLMMessage], **more: Any
    ) -> AsyncIterator[Any]:
        async def send(view: list[Any]) -> Any:
            return self.inner.create_stream(view, **more)

        async for piece in await self._call(messages, send, more):
            yield piece

    async def _call(self, messages: Sequence[LLMMessage], send: Any, more: Json) -> Any:
        tools = [getattr(tool, "schema", tool) for tool in more.get("tools", ())]
        return await self._asend(
            Translation(messages, _pieces, _message),
            send,
            more,
            model=getattr(self.inner, "_create_args", {}).get("model"),
            tools=[{"type": "function", "function": tool} for tool in tools],
        )

    async def close(self) -> None:  # type: ignore[override]
        await self.inner.close()
        super().close()

    capabilities = read_from_inner("capabilities")
    model_info = read_from_inner("model_info")
    actual_usage = passed_on("actual_usage")
    total_usage = passed_on("total_usage")
    count_tokens = passed_on("count_tokens")
    remaining_tokens = passed_on("remaining_tokens")


def _pieces(message: LLMMessage) -> Iterator[MessageParts]:
    """Yield what a message says, one for each message of OpenAI's format."""
    match message:
        case SystemMessage():
            yield MessageParts("system", [message.content])
        case UserMessage(content=str(text)):
            yield MessageParts("user", [text])
        case UserMessage():
            parts: list[str | Attached] = []
            for part in message.content:
                parts.append(part if isinstance(part, str) else Attached(part.data_uri, part))
            yield MessageParts("user", parts)
        case AssistantMessage(content=str(text)):
            yield MessageParts("assistant", [text])
        case AssistantMessage():
            calls = [CallMade(call.id, call.name, call.arguments) for call in message.content]
            yield MessageParts("assistant", [message.thought or ""], calls)
        case FunctionExecutionResultMessage():
            for result in message.content:
                yield MessageParts("tool", [result.content], answers=result.call_id)


def _message(piece: MessageParts) -> LLMMessage:
    """Return a message that Steno wrote or shortened."""
    if piece.answers:
        result = FunctionExecutionResult(content=piece.text, name=piece.tool, call_id=piece.answers)
        return FunctionExecutionResultMessage(content=[result])
    if piece.role == "system":
        return SystemMessage(content=piece.text)
    if piece.role == "user":
        return UserMessage(content=piece.built(), source="user")
    if piece.calls:
        calls = [FunctionCall(call.id, call.arguments, call.name) for call in piece.calls]
        return AssistantMessage(content=calls, thought=piece.text or None, source="assistant")
    return AssistantMessage(content=piece.text, source="assistant")
