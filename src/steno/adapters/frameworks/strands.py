"""Strands Agents: `Agent(..., conversation_manager=StenoManager(...))`.

The agent's session and agent id name the session unless `session=` does. Both `session=` and
`user=` may be functions of the agent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any, Unpack

from strands import Agent
from strands.agent.conversation_manager import ConversationManager
from strands.hooks import AgentInitializedEvent, HookRegistry
from strands.middleware import InvokeModelStage
from strands.middleware.stages import InvokeModelContext
from strands.tools.tools import PythonAgentTool

from steno.adapters.frameworks.hook import DESCRIPTION, SCHEMA, FrameworkHook, HookOptions
from steno.adapters.recall import RECALL


class StenoManager(FrameworkHook, ConversationManager):  # type: ignore[misc]
    """Keeps the requests of agents within their models' windows; adds `recall` to their tools."""

    def __init__(self, **options: Unpack[HookOptions]) -> None:
        FrameworkHook.__init__(self, "bedrock", **options)
        ConversationManager.__init__(self)

    def register_hooks(self, registry: HookRegistry, **more: Any) -> None:
        registry.add_callback(AgentInitializedEvent, self._join)

    def apply_management(self, agent: Agent, **more: Any) -> None:
        """Leave the agent's messages as they are."""

    def reduce_context(self, agent: Agent, e: Exception | None = None, **more: Any) -> None:
        """Make the view shorter, so that Strands sends it once more."""
        if e is not None and not self._shrink(agent, e):
            raise e

    def _join(self, event: AgentInitializedEvent) -> None:
        spec = {"name": RECALL, "description": DESCRIPTION, "inputSchema": {"json": SCHEMA}}
        event.agent.tool_registry.register_tool(PythonAgentTool(RECALL, spec, self._answer))
        event.agent.add_middleware(InvokeModelStage, self._invoke)

    async def _invoke(
        self, call: InvokeModelContext, send: Callable[[InvokeModelContext], AsyncGenerator[Any]]
    ) -> AsyncGenerator[Any]:
        others = [spec for spec in call.tool_specs if spec["name"] != RECALL]
        fitted = await self._afit(
            call.messages,
            call.agent,
            model=call.model.get_config().get("model_id"),
            system=call.system_prompt,
            tools=[{"toolSpec": spec} for spec in others],
            recall=True,
        )
        shown = self._shown_tools(fitted, call.tool_specs, others)
        async for event in send(call.replace(messages=list(fitted), tool_specs=shown)):
            yield event

    async def _answer(self, call: Any, *, agent: Agent, **state: Any) -> Any:
        found = await self._arecall(agent, call["input"])
        return {
            "toolUseId": call["toolUseId"],
            "status": "success",
            "content": [{"text": found}],
        }

    def _own_names(self, run: Agent) -> tuple[str | None, str | None]:
        return f"{run.session_id}-{run.agent_id}", None
