"""OpenAI Agents SDK: `RunConfig(call_model_input_filter=InputFilter(...))`, or `StenoSession(...)`.

The filter sees the user's context object, so `session=` and `user=` may be functions of it. Without
`session=`, the run's `group_id` names the session. A `StenoSession` fits what a run begins with,
not what it adds.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Unpack

from agents import FunctionTool, HandoffInputData, get_current_trace
from agents import Session as AgentsSession
from agents.retry import RetryPolicyContext
from agents.run_config import CallModelData, ModelInputData

from steno.adapters.fit import Fitted
from steno.adapters.frameworks.hook import DESCRIPTION, SCHEMA, FrameworkHook, HookOptions
from steno.adapters.recall import RECALL
from steno.providers.shared.plain_json import text_at

_sent: ContextVar[Any] = ContextVar("steno_sent", default=None)
"""The request of this run that is under way, and its list."""


class InputFilter(FrameworkHook):
    """Keeps the requests of a run within the model's window.

    >>> steno_filter = InputFilter(session="ann-42", store="agent.db")
    >>> agent = Agent(name="Helper", model="gpt-5", tools=[steno_filter.recall])
    >>> Runner.run_sync(agent, "Hi", run_config=RunConfig(call_model_input_filter=steno_filter))
    """

    def __init__(self, **options: Unpack[HookOptions]) -> None:
        super().__init__("openai-responses", **options)
        self.recall = FunctionTool(
            name=RECALL,
            description=DESCRIPTION,
            params_json_schema=SCHEMA,
            on_invoke_tool=lambda run, said: self._arecall(run.context, said),
            strict_json_schema=False,
            is_enabled=lambda run, _: asyncio.to_thread(self._may_recall, run.context),
        )
        """Tool for the agent; the SDK offers it from the request after something left the view."""

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        given, agent = data.model_data, data.agent
        fitted = await self._afit(
            given.input,
            data.context,
            model=text_at(agent, "model"),
            system=given.instructions,
            tools=[
                self._tool(tool.name, tool.description, tool.params_json_schema)
                for tool in agent.tools
                if isinstance(tool, FunctionTool)
            ],
        )
        request = replace(given, input=list(fitted))
        _sent.set((request, fitted))
        return request

    async def retry(self, failed: RetryPolicyContext) -> bool:
        """Send a request once more, shorter, that the provider refused as too long.

        >>> ModelSettings(retry=ModelRetrySettings(max_retries=1, policy=steno_filter.retry))
        """
        sent = _sent.get()
        if sent is None:
            return False
        request, fitted = sent
        shorter = await asyncio.to_thread(self._shorten, fitted, failed.error)
        if shorter is None:
            return False
        # The SDK reads the request's input again for each attempt.
        request.input = list(shorter)
        return True

    async def handoff(self, data: HandoffInputData) -> HandoffInputData:
        """Give the next agent a handover in place of the conversation.

        >>> handoff(other_agent, input_filter=steno_filter.handoff)
        """
        session, user = self._names(getattr(data.run_context, "context", None))
        if session is None:
            return data
        known = self.newest(session, user)
        said = {"role": "user", "content": await asyncio.to_thread(known.handover)}
        return data.clone(input_history=(said,), pre_handoff_items=())

    def _own_names(self, run: Any) -> tuple[str | None, str | None]:
        return getattr(get_current_trace(), "group_id", None), None


class StenoSession(FrameworkHook):
    """Gives a run what fits of another session's items, which stay whole.

    >>> Runner.run_sync(agent, "Hi", session=StenoSession(SQLiteSession("ann-42", "agent.db")))
    """

    def __init__(self, underlying: AgentsSession, **options: Unpack[HookOptions]) -> None:
        options.setdefault("session", underlying.session_id)
        super().__init__("openai-responses", **options)
        self.session_id, self._underlying = underlying.session_id, underlying
        self.session_settings = underlying.session_settings

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return a list that fits; with a limit the newest items as they are."""
        items: list[Any] = await self._underlying.get_items(limit)
        if limit is not None or not items:
            return items
        return list(await self._afit(items, None))

    async def add_items(self, items: list[Any]) -> None:
        await self._underlying.add_items(items)

    async def pop_item(self) -> Any:
        return await self._underlying.pop_item()

    async def clear_session(self) -> None:
        """Begin again; what was said stays in Steno's store."""
        await self._underlying.clear_session()

    async def run_compaction(self, args: Any = None) -> None:
        """Compact now if `force` is asked for; else `get_items` compacts when it has to."""
        fitted = await self._afit(await self._underlying.get_items(), None)
        if isinstance(fitted, Fitted) and (args or {}).get("force"):
            await asyncio.to_thread(fitted.session.compact)
