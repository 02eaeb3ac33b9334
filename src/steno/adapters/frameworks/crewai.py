"""CrewAI: `register_before_llm_call_hook(BeforeCall(...))`.

CrewAI wants its list changed in place, so the agent's list becomes the view and grows from there;
the session keeps every word. The task's id names the session unless `session=` does. After a
refusal as too long CrewAI summarizes by itself: its hooks do not see the error.
"""

from __future__ import annotations

from typing import Any

from crewai.hooks import LLMCallHookContext
from crewai.tools import BaseTool
from crewai.utilities.agent_utils import convert_tools_to_openai_schema

from steno.adapters.frameworks.hook import DESCRIPTION, FrameworkHook
from steno.adapters.recall import RECALL


class BeforeCall(FrameworkHook):
    """Keeps the requests of all agents within their models' windows.

    >>> before = BeforeCall(session=lambda call: call.agent.role, store="crew.db")
    >>> register_before_llm_call_hook(before)
    >>> Agent(role="Reader", tools=[before.recall("Reader")], ...)
    """

    def __call__(self, context: LLMCallHookContext) -> None:
        tools = getattr(context.executor, "original_tools", None) or []
        fitted = self._fit(
            context.messages,
            context,
            model=getattr(context.llm, "model", "").rpartition("/")[2] or None,
            tools=convert_tools_to_openai_schema(tools)[0],
        )
        context.messages[:] = fitted
        fitted.keep()

    def recall(self, session: str, user: str | None = None) -> BaseTool:
        """Return the tool that reads a session again, for the agent whose session this is."""

        def answer(**asked: Any) -> str:
            return self.newest(session, user).handle({"name": RECALL, "arguments": asked}) or ""

        return _CrewRecall(answer=answer, description=DESCRIPTION)

    def _own_names(self, run: Any) -> tuple[str | None, str | None]:
        return run.task and str(run.task.id), None


class _CrewRecall(BaseTool):  # type: ignore[misc]
    name: str = RECALL
    description: str
    answer: Any

    def _run(self, query: str = "", positions: str = "") -> str:
        return str(self.answer(query=query, positions=positions))
