"""LlamaIndex: `FunctionAgent(..., llm=FittingLLM(llm, ...))`.

A memory of ours would not do: an agent adds the messages of the run under way after it has read
its memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Unpack

from llama_index.core.base.llms.types import (
    ChatMessage,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import FunctionTool

from steno.adapters.frameworks.hook import HookOptions, ModelHook, passed_on, read_from_inner
from steno.adapters.frameworks.shapes import Attached, CallMade, Json, MessageParts, Translation


class FittingLLM(FunctionCallingLLM):  # type: ignore[misc]
    """Sends lists that fit the model's window; `llm.recall` is a tool for the agent."""

    inner: Any
    _hook: ModelHook = PrivateAttr()

    def __init__(self, inner: LLM, **options: Unpack[HookOptions]) -> None:
        super().__init__(inner=inner, callback_manager=inner.callback_manager)
        self._hook = ModelHook(**options)

    @property
    def hook(self) -> ModelHook:
        return self._hook

    @property
    def recall(self) -> FunctionTool:
        return FunctionTool.from_defaults(self._hook.recall)

    def chat(self, messages: Sequence[ChatMessage], **more: Any) -> Any:
        return self._hook._send(**self._asked(self.inner.chat, messages, more))

    async def achat(self, messages: Sequence[ChatMessage], **more: Any) -> Any:
        return await self._hook._asend(**self._asked(self.inner.achat, messages, more))

    def stream_chat(self, messages: Sequence[ChatMessage], **more: Any) -> Any:
        return self._hook._send(**self._asked(self.inner.stream_chat, messages, more))

    async def astream_chat(self, messages: Sequence[ChatMessage], **more: Any) -> Any:
        return await self._hook._asend(**self._asked(self.inner.astream_chat, messages, more))

    def _asked(self, call: Any, messages: Sequence[ChatMessage], more: Any) -> Json:
        """Return the messages of a call, who is asked, and what counts beside them."""
        return {
            "given": Translation(messages, _pieces, _message),
            "call": partial(call, **more),
            "run": more,
            "model": self.metadata.model_name,
            "tools": more.get("tools") or [],
        }

    metadata = read_from_inner("metadata")
    # One prompt without a conversation has nothing to fit.
    complete = passed_on("complete")
    acomplete = passed_on("acomplete")
    stream_complete = passed_on("stream_complete")
    astream_complete = passed_on("astream_complete")
    _prepare_chat_with_tools = passed_on("_prepare_chat_with_tools")
    get_tool_calls_from_response = passed_on("get_tool_calls_from_response")


def _pieces(message: ChatMessage) -> Iterator[MessageParts]:
    """Yield what a message says, one for each message of OpenAI's format."""
    parts: list[str | Attached] = []
    calls: list[CallMade] = []
    for block in message.blocks:
        match block:
            case TextBlock():
                parts.append(block.text)
            case ThinkingBlock(content=str(thought)):
                parts.append(Attached(thought, block, "thinking"))
            case ToolCallBlock():
                id = block.tool_call_id or ""
                calls.append(CallMade(id, block.tool_name, block.tool_kwargs))
            case ImageBlock():
                picture = str(block.url or block.inline_url())
                parts.append(Attached(picture, block))
    answers = message.additional_kwargs.get("tool_call_id", "")
    if message.role.value != "tool":
        answers = ""
    yield MessageParts(message.role.value, parts, calls, answers)


def _message(piece: MessageParts) -> ChatMessage:
    """Return a message that Steno wrote or shortened."""
    blocks = piece.built(lambda text: TextBlock(text=text))
    blocks += [
        ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.values)
        for call in piece.calls
    ]
    more = {}
    if piece.answers:
        more["tool_call_id"] = piece.answers
    return ChatMessage(role=piece.role, blocks=blocks, additional_kwargs=more)
