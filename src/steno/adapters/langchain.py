"""LangChain's agents: the state keeps every message, the model gets the view.

A middleware around the model call. Nothing in the state is changed or removed: each
call finds the session of its list (`resent/`), adds what is new, and sends what the
session shows. The same edits come back word for word, call after call, so a provider's
cache holds.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any, Unpack

from steno.core.errors import BadInput, ModelFailed, needs_extra

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
except ModuleNotFoundError as missing:
    raise needs_extra("this needs LangChain", "langchain") from missing

from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.prebuilt.tool_node import ToolCallRequest

from steno.adapters.fit import Fitted, GivenList
from steno.adapters.flows import arun_flow, run_flow
from steno.adapters.langchain_messages import LangChainFormat, reported_usage, without_secrets
from steno.adapters.resent.sessions import ListSessions
from steno.engine.designs import resolve_policy
from steno.engine.policy import Policy
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.plain_json import get_field
from steno.session.options import SessionOptions, SharedOptions, takes_options, with_changes
from steno.session.overflow import overflow_in, overflow_of
from steno.session.session import Session

Request = ModelRequest[Any]
Response = ModelResponse[Any]
COMPRESS, RECALL = "compress_context", "recall"
THREAD_ID = ("execution_info", "thread_id")
"""Where LangChain has the id of the thread that a call runs in, which names the session."""


class StenoMiddleware(AgentMiddleware[Any, Any, Any]):
    """`create_agent(model, tools, middleware=[StenoMiddleware(model="gpt-5")])`."""

    @takes_options
    def __init__(
        self,
        *,
        store: str | os.PathLike[str] | None = None,
        name: str = "StenoMiddleware",
        tools: bool | None = None,
        model: str | None = None,
        policy: str | os.PathLike[str] | Policy | None = None,
        user: str | None = None,
        **shared: Unpack[SharedOptions],
    ) -> None:
        """Keep the requests of an agent within its window.

        store: file in which everything can be opened again, and from which a restarted
            process goes on with the same words.
        name: name of the middleware; "SummarizationMiddleware" takes the place that
            deepagents has for one of that name.
        tools: give the agent all of its own tools (recall, remember, forget), or
            none. By default it gets `recall` once something has left its view; all of them if
            the policy leaves compacting to the agent.
        user: whose sessions these are; needed for `memory`.
        """
        super().__init__()
        self._name = name
        self._form = LangChainFormat(model)
        options = with_changes(shared, model=model, policy=policy)
        self._sessions = ListSessions(
            store, options, user=user, views_come_back=True, calls_name_model=False
        )
        self.events = self._sessions.events
        self._recall_only = tools is None and not resolve_policy(policy).offers_compression
        self.tools: Sequence[BaseTool] = ()
        if tools is not False:
            self.tools = _own_tools(options, user)
        if self._recall_only:
            self.tools = [tool for tool in self.tools if tool.name == RECALL]
        self._own = frozenset(tool.name for tool in self.tools)

    @property
    def name(self) -> str:
        return self._name

    def wrap_model_call(self, request: Request, handler: Callable[[Request], Response]) -> Response:
        return run_flow(self._model_call(request), handler)

    async def awrap_model_call(
        self, request: Request, handler: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        return await arun_flow(self._model_call(request), handler)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]
    ) -> Any:
        return run_flow(self._tool_call(request), handler)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        return await arun_flow(self._tool_call(request), handler)

    def _model_call(self, request: Request) -> Generator[Request, Response, Response]:
        """Yield the request with the view in it, once more if it was too long."""
        fitted = self._fit(request)
        if fitted is None:
            whole = without_secrets(request.messages, self._sessions.redactor)
            return (yield request.override(messages=whole))
        figures = fitted.session.host.sent_figures
        sent = request.override(
            messages=list(fitted), tools=self._tools_on_offer(request, fitted.session)
        )
        try:
            response = yield sent
        except Exception as failure:
            shorter = self._shorten(fitted, failure)
            if shorter is None:
                raise
        else:
            # A reply may have ended because the window did.
            ends = (overflow_in(message.response_metadata) for message in response.result)
            shorter = self._shorten(fitted, next(filter(None, ends), None))
            if shorter is None:
                self._bill(fitted.session, response, figures)
                return response
        figures = shorter.session.host.sent_figures
        response = yield sent.override(messages=list(shorter))
        self._bill(shorter.session, response, figures)
        return response

    def _bill(self, session: Session, response: Response, figures: tuple[int, int]) -> None:
        """Bill a request to its session by the usage on the reply, if that has one."""
        with self._sessions.say.report_failures("a bill was not stored: "):
            for message in response.result:
                usage = reported_usage(message)
                if usage.sent:
                    model = get_field(message, "response_metadata", "model_name")
                    session.host.bill(str(model or ""), usage, *figures)

    def _tool_call(self, request: ToolCallRequest) -> Generator[ToolCallRequest, Any, Any]:
        """Yield a call of a tool that is not ours; answer ours from the session of its list."""
        call = request.tool_call
        if call["name"] not in self._own:
            return (yield request)
        name = get_field(request.runtime, *THREAD_ID)
        messages = request.state["messages"]
        with self._sessions.checkout(messages, self._form, name=name) as (thread, _):
            answer = thread.session.handle({"name": call["name"], "arguments": call["args"]})
        return ToolMessage(
            answer or f"there is no tool {call['name']!r} here",
            tool_call_id=call["id"],
            name=call["name"],
        )

    def open(self, thread: str, where: int | str) -> Any:
        """Return what was said at a position of this thread, as plain JSON."""
        return self._sessions.newest_of(thread, self._form).open(where)

    def close(self) -> None:
        """Close the store's file; everything is kept already."""
        self._sessions.close()

    def _fit(self, request: Request) -> Fitted | None:
        """Return the messages to send; None if there are none, or if that failed."""
        if not request.messages:
            return None
        system = str(get_field(request.system_message, "text") or "")
        tools = [convert_to_openai_tool(tool) for tool in request.tools]
        name = get_field(request.runtime, *THREAD_ID)
        with self._sessions.say.report_failures():
            given = GivenList(
                self._sessions, request.messages, self._form, name, system=system, tools=tools
            )
            return given.fit()
        return None

    def _tools_on_offer(self, request: Request, session: Session) -> list[Any]:
        """Return the tools of a request, ours only if there is something to recall."""
        # A model that can call no tools says so by leaving LangChain's own method as it is.
        may_call = type(request.model).bind_tools is not BaseChatModel.bind_tools
        if self._recall_only and not (session.log.commits and may_call):
            return [tool for tool in request.tools if getattr(tool, "name", "") not in self._own]
        return [self._with_fill(tool, session) for tool in request.tools]

    def _with_fill(self, tool: Any, session: Session) -> Any:
        """Return our tool to compact with the fill after the last commit; any other as it is."""
        if not isinstance(tool, BaseTool) or tool.name != COMPRESS or tool.name not in self._own:
            return tool
        fill = session.host.tools.last_fill()
        if not fill:
            return tool
        return tool.model_copy(update={"description": tool.description + fill})

    def _shorten(self, fitted: Fitted, failure: Exception | None) -> Fitted | None:
        """Return a shorter list if the provider found this one too long."""
        if failure is None:
            return None
        if isinstance(failure, ContextOverflowError) and overflow_of(failure) is None:
            # LangChain's own error carries no sizes: all that can be learned is "too long".
            failure = ModelFailed(ERROR_TEXTS["overflow"], "overflow")
        with self._sessions.say.report_failures():
            return fitted.shorter(failure)
        return None


def _own_tools(options: SessionOptions, user: str | None) -> list[BaseTool]:
    """Return the agent's own tools as LangChain binds them; the middleware answers their calls."""

    def refuse(**given: Any) -> str:
        raise BadInput("this tool is answered by StenoMiddleware, which is not around this agent")

    with Session(**with_changes(options, wire="langchain", user=user)) as session:
        return [
            StructuredTool(name=name, description=description, args_schema=schema, func=refuse)
            for name, description, schema in session.host.tools.definitions()
        ]
