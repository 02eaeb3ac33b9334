"""LangChain's agents: the state keeps every message, the model gets the view.

A middleware around the model call. Nothing in the state is changed or removed:
each call finds the session of its list, tells it what is new, and sends what
the session shows. The same edits come back word for word, call after call, so a
provider's cache holds. Which session a list is of is found in `threads`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from steno.core.errors import BadInput

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
except ModuleNotFoundError as missing:
    raise BadInput("this needs LangChain: pip install 'steno[langchain]'") from missing

from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.prebuilt.tool_node import ToolCallRequest

from steno.adapters.events import EventRecorder
from steno.adapters.resent.langchain_lists import ListTracker, TrackedList, run_safely
from steno.core.events import OnEvent, ignore_event
from steno.engine.designs import resolve_policy
from steno.engine.policy import DEFAULT_POLICY, Policy
from steno.session.overflow import shrink_after
from steno.session.session import Session
from steno.session.tools import tool_definitions
from steno.wires.langchain import LangChainWire

TOOLS_MOST = 1_000


class StenoMiddleware(AgentMiddleware[Any, Any, Any]):
    """`create_agent(model, tools, middleware=[StenoMiddleware(model="gpt-5")])`.

    `window` in tokens, or `model` with a known name, says how much fits; `policy` is a value, a
    name or a file; `store` a file in which everything can be opened again, and from which a
    restarted process goes on with the same words. `name` is the middleware's: say
    "SummarizationMiddleware" to stand in deepagents' place of that name. `tools=True` gives the
    agent its own: recall, remember, forget, page_in; where the policy leaves compacting to the
    agent they are given unless `tools=False`. Further options are those of a `Session`:
    `writer`, `reserve`, `meter`, `on_event`, ….
    """

    def __init__(
        self,
        *,
        policy: str | os.PathLike[str] | Policy = DEFAULT_POLICY,
        window: int | None = None,
        model: str | None = None,
        store: str | os.PathLike[str] | None = None,
        name: str = "StenoMiddleware",
        on_event: OnEvent = ignore_event,
        tools: bool | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._name, self._say = name, EventRecorder(on_event)
        self.events = self._say.events
        self._definitions: dict[int, tuple[Any, Any]] = {}
        told = {"policy": policy, "window": window, "model": model, "on_event": self._say} | options
        self._threads = ListTracker(LangChainWire().for_model(model or ""), store, **told)
        controlled = resolve_policy(policy).agent_controlled
        self.tools: Sequence[BaseTool] = (
            _own_tools(told) if tools or (tools is None and controlled) else ()
        )
        self._own = frozenset(tool.name for tool in self.tools)

    @property
    def name(self) -> str:
        return self._name

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        held, shown = self._with_view(request)
        try:
            return handler(shown)
        except Exception as failure:
            again = self._shorter_request(held, request, failure)
            if again is None:
                raise
        return handler(again)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        held, shown = await asyncio.to_thread(self._with_view, request)
        try:
            return await handler(shown)
        except Exception as failure:
            again = await asyncio.to_thread(self._shorter_request, held, request, failure)
            if again is None:
                raise
        return await handler(again)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]
    ) -> Any:
        if request.tool_call["name"] in self._own:
            return self._call_own_tool(request)
        return handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        if request.tool_call["name"] not in self._own:
            return await handler(request)
        return await asyncio.to_thread(self._call_own_tool, request)

    def _call_own_tool(self, request: ToolCallRequest) -> ToolMessage:
        """The answer to a call of one of the agent's own tools, from the session of its list."""
        call, info = request.tool_call, request.runtime.execution_info
        held = self._threads.track(
            str(info.thread_id or "") if info else "", request.state["messages"]
        )
        said = held.session.handle({"name": call["name"], "arguments": call["args"]})
        return ToolMessage(
            said or f"there is no tool {call['name']!r} here",
            tool_call_id=call["id"],
            name=call["name"],
        )

    def open(self, thread: str, where: int | str) -> Any:
        """What was said there in this thread, word for word, as plain JSON."""
        return self._threads.newest(thread).session.open(where)

    def close(self) -> None:
        """Let go of the store's file; everything is kept already."""
        self._threads.close()

    def _with_view(
        self, request: ModelRequest[Any]
    ) -> tuple[TrackedList | None, ModelRequest[Any]]:
        """The request with the view in it; the request as it came where that failed, which an event says."""
        found: list[TrackedList] = []
        if not request.messages or not run_safely(
            lambda: found.append(self._take_in(request)), self._say
        ):
            return None, request
        held = found[0]
        held.sent = True
        return held, _override_messages(request, held)

    def _take_in(self, request: ModelRequest[Any]) -> TrackedList:
        info = request.runtime.execution_info if request.runtime is not None else None
        held = self._threads.track(str(info.thread_id or "") if info else "", request.messages)
        system = "" if request.system_message is None else str(request.system_message.text)
        held.session.set_preamble(system, [self._definition(tool) for tool in request.tools])
        held.session.messages()
        return held

    def _shorter_request(
        self, held: TrackedList | None, request: ModelRequest[Any], failure: Exception
    ) -> ModelRequest[Any] | None:
        """The request compacted once more, because the provider found it too long; None where that is not so."""
        if held is None:
            return None
        refused: list[bool] = []
        before = held.session.view.raw
        run_safely(lambda: refused.append(_shrink_after(held.session, failure)), self._say)
        if any(refused) and held.session.view.raw < before:
            return _override_messages(request, held)
        return None

    def _definition(self, tool: BaseTool | dict[str, Any]) -> Any:
        """What the model is told of a tool; read once a tool."""
        if len(self._definitions) > TOOLS_MOST:
            self._definitions.clear()
        if id(tool) not in self._definitions:
            self._definitions[id(tool)] = (tool, convert_to_openai_tool(tool))
        return self._definitions[id(tool)][1]


def _own_tools(told: dict[str, Any]) -> list[BaseTool]:
    """The agent's own tools, as LangChain binds them; their calls are answered by the middleware."""

    def answered(**given: Any) -> str:
        raise BadInput("this tool is answered by StenoMiddleware, which is not around this agent")

    with Session(wire=LangChainWire(), **told) as session:
        return [
            StructuredTool(name=name, description=description, args_schema=schema, func=answered)
            for name, description, schema in tool_definitions(session)
        ]


def _override_messages(request: ModelRequest[Any], held: TrackedList) -> ModelRequest[Any]:
    view: list[Any] = held.view
    return request.override(messages=view)


def _shrink_after(session: Session, failure: Exception) -> bool:
    """Learn from a refusal as too long and compact; False for any other failure, which teaches nothing."""
    if shrink_after(session, failure) is not None:
        return True
    if not isinstance(failure, ContextOverflowError):
        return False
    session.learn_window(None, None)
    session.messages()
    return True
