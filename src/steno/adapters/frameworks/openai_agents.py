"""OpenAI Agents SDK: `RunConfig(call_model_input_filter=InputFilter(...))`.

The SDK's session and run items keep every word; each request carries what fits. The filter
sees the user's context object, so `session=` and `user=` may be functions of it. Without
`session=`, the run's `group_id` names the session.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Unpack

from agents import FunctionTool, get_current_trace
from agents.retry import RetryPolicyContext
from agents.run_config import CallModelData, ModelInputData

from steno.adapters.fit import Fitted
from steno.adapters.frameworks.hook import FrameworkHook, HookOptions
from steno.adapters.recall import RECALL
from steno.session.agent_tools.definitions import tool_definition

_sent: ContextVar[tuple[ModelInputData, Fitted] | None] = ContextVar("steno_sent", default=None)
"""The request of this run that is under way."""


class InputFilter(FrameworkHook):
    """Keeps the requests of a run within the model's window.

    >>> steno_filter = InputFilter(session="ann-42", store="agent.db")
    >>> agent = Agent(name="Helper", model="gpt-5", tools=[steno_filter.recall])
    >>> Runner.run_sync(agent, "Hi", run_config=RunConfig(call_model_input_filter=steno_filter))
    """

    def __init__(self, **options: Unpack[HookOptions]) -> None:
        super().__init__("openai-responses", **options)
        description, schema = tool_definition(RECALL)
        self.recall = FunctionTool(
            name=RECALL,
            description=description,
            params_json_schema=schema,
            on_invoke_tool=lambda run, said: asyncio.to_thread(self._recall, run.context, said),
            strict_json_schema=False,
            is_enabled=lambda run, _: asyncio.to_thread(self._may_recall, run.context),
        )
        """Tool for the agent; the SDK offers it from the request after something left the view."""

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        given, agent = data.model_data, data.agent
        model = None
        if isinstance(agent.model, str):
            model = agent.model
        fitted = await self._afit(
            given.input,
            data.context,
            model=model,
            system=given.instructions,
            tools=[_definition(tool) for tool in agent.tools if isinstance(tool, FunctionTool)],
        )
        if fitted is None:
            return replace(given, input=self._without_secrets(given.input))
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

    def _names(self, run: Any) -> tuple[str | None, str | None]:
        session, user = super()._names(run)
        trace = get_current_trace()
        if session is None and trace is not None:
            session = getattr(trace, "group_id", None)
        return session, user


def _definition(tool: FunctionTool) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.params_json_schema,
    }
