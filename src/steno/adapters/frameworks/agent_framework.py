"""Microsoft Agent Framework: `Agent(..., context_providers=[StenoProvider(...)])`.

The provider adds `recall` to a run's tools and itself as chat middleware, which sees every request
of the run. The run's session names the session unless `session=` does; `session=` and `user=` may
be functions of that session.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Unpack

from agent_framework import (
    AgentSession,
    ChatContext,
    ChatMiddleware,
    Content,
    ContextProvider,
    FunctionTool,
    Message,
    ResponseStream,
    SessionContext,
)

from steno.adapters.flows import abegun, arun_flow
from steno.adapters.frameworks.hook import DESCRIPTION, SCHEMA, FrameworkHook, HookOptions
from steno.adapters.frameworks.shapes import Attached, CallMade, MessageParts, Translation
from steno.adapters.recall import RECALL

REASONING = {"text_reasoning"}
"""Types of contents of a message that is reasoning alone."""


class StenoProvider(FrameworkHook, ContextProvider, ChatMiddleware):  # type: ignore[misc]
    """Keeps the requests of agents within their models' windows; adds `recall` to their tools."""

    def __init__(self, **options: Unpack[HookOptions]) -> None:
        FrameworkHook.__init__(self, **options)
        ContextProvider.__init__(self, "steno")

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        async def recall(**asked: Any) -> str:
            return await self._arecall(session, asked)

        tool = FunctionTool(name=RECALL, description=DESCRIPTION, func=recall, input_model=SCHEMA)
        context.extend_tools(self.source_id, [tool])
        context.extend_middleware(self.source_id, self)

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Send what fits; once more, shorter, what the provider refused as too long."""
        options = dict(context.options or {})
        translation = _read(context.messages)
        tools = options.get("tools") or []
        others = [tool for tool in tools if getattr(tool, "name", "") != RECALL]

        async def send(view: list[Any]) -> None:
            context.messages = list(chain.from_iterable(translation.back(view)))
            context.options = {**options, "tools": self._shown_tools(view, tools, others) or None}
            await call_next()
            if context.stream:
                sent = context.result
                context.result = ResponseStream(
                    await abegun(sent), finalizer=lambda updates: sent.get_final_response()
                )

        flow = self._sending(
            translation.messages,
            context.session,
            model=options.get("model") or getattr(context.client, "model", None),
            system=options.get("instructions"),
            tools=[each.to_json_schema_spec() for each in others if isinstance(each, FunctionTool)],
            recall=len(others) < len(tools),
        )
        await arun_flow(flow, send)

    def _own_names(self, run: AgentSession | None) -> tuple[str | None, str | None]:
        return getattr(run, "session_id", None), None


def _read(messages: Sequence[Message]) -> Translation:
    """Read a list; reasoning alone is one with its reply, as OpenAI refuses it without."""
    replies: list[list[Message]] = []
    for message in messages:
        last = replies[-1] if replies else []
        # A call waits for its result, so what is reasoned after it is of its reply.
        waits = "function_call" in _types(last) and _types([message]) == REASONING
        if message.role == "assistant" and (waits or _types(last) == REASONING):
            last.append(message)
        else:
            replies.append([message])
    return Translation(replies, _pieces, _message)


def _types(reply: Sequence[Message]) -> set[str]:
    return {content.type for message in reply for content in message.contents}


def _pieces(reply: Sequence[Message]) -> Iterator[MessageParts]:
    """Yield what a reply says, one for each message of OpenAI's format."""
    parts: list[str | Attached] = []
    calls: list[CallMade] = []
    for content in chain.from_iterable(message.contents for message in reply):
        match content.type:
            case "text":
                parts.append(content.text)
            case "text_reasoning" if content.text:
                parts.append(Attached(content.text, content, "thinking"))
            case "function_call":
                calls.append(CallMade(content.call_id, content.name, content.arguments))
            case "function_result":
                answer = content.result
                if not isinstance(answer, str):
                    answer = content.exception or ""
                yield MessageParts("tool", [answer], answers=content.call_id)
            case "data" | "uri":
                kind = (content.media_type or "").partition("/")[0]
                parts.append(Attached(content.uri, content, kind))
            case _:
                parts.append(
                    Attached(json.dumps(content.to_dict(), default=str), content, "opaque")
                )
    if parts or calls:
        yield MessageParts(reply[-1].role, parts, calls)


def _message(piece: MessageParts) -> list[Message]:
    """Return a message that Steno wrote or shortened."""
    if piece.answers:
        result = Content.from_function_result(piece.answers, result=piece.text)
        return [Message("tool", [result])]
    contents = piece.built()
    contents += [
        Content.from_function_call(call.id, call.name, arguments=call.arguments)
        for call in piece.calls
    ]
    return [Message(piece.role, contents)]
