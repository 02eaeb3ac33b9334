"""Google ADK: `App(..., plugins=[StenoPlugin(...)])`, for every agent of a runner.

ADK knows the user and the session of a run, so neither has to be named. There is no summarizer for
`EventsCompactionConfig`: ADK gives it events without their session and shows its text as the
model's words, so `recall` could not open what it covers, and a constraint would lose its speaker.
"""

from __future__ import annotations

import asyncio
from typing import Any, Unpack

from google.adk.agents.callback_context import CallbackContext
from google.adk.models import LlmRequest, LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from steno.adapters.frameworks.hook import DESCRIPTION, SCHEMA, FrameworkHook, HookOptions
from steno.adapters.frameworks.shapes import Written
from steno.adapters.recall import RECALL
from steno.providers import join_neighbours

OTHER_AGENT = "For context: below is a transcript of what another agent did, quoted between <<<"
"""How ADK begins a user's message that says what another agent did."""


class StenoPlugin(FrameworkHook, BasePlugin):  # type: ignore[misc]
    """Keeps the requests of a runner within the model's window; `recall` is added to its tools."""

    def __init__(self, **options: Unpack[HookOptions]) -> None:
        FrameworkHook.__init__(self, "gemini", **options)
        BasePlugin.__init__(self, name="steno")
        self._own_tool = _AdkRecall(self)

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        config = llm_request.config
        written = _as_json(llm_request.contents)
        fitted = await self._afit(
            written.messages,
            callback_context,
            model=llm_request.model,
            system=config.system_instruction,
            tools=[_plain(tool) for tool in config.tools or () if isinstance(tool, types.Tool)],
            recall=True,
        )
        llm_request.contents = written.back(fitted)
        if fitted.tools:
            llm_request.append_tools([self._own_tool])
        return None

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        """Send once more, shorter, what the provider refused as too long."""
        if not await asyncio.to_thread(self._shrink, callback_context, error):
            return None
        shorter = await asyncio.to_thread(self._view, callback_context)
        llm_request.contents = _as_json([]).back(shorter)
        model = callback_context.get_invocation_context().agent.canonical_model
        responses = [each async for each in model.generate_content_async(llm_request)]
        return responses[-1]

    def _view(self, run: Any) -> list[Any]:
        newest = self._session_of(run)
        return join_neighbours(newest.host.wire, newest.messages())

    def _own_names(self, run: Any) -> tuple[str | None, str | None]:
        return run.session.id, run.user_id


class _AdkRecall(BaseTool):  # type: ignore[misc]
    def __init__(self, plugin: StenoPlugin) -> None:
        super().__init__(name=RECALL, description=DESCRIPTION)
        self._plugin = plugin

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=SCHEMA
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> str:
        return await self._plugin._arecall(tool_context, args)


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def _as_json(contents: list[types.Content]) -> Written:
    return Written(contents, _plain_content, types.Content.model_validate)


def _plain_content(content: types.Content) -> list[Any]:
    """Return a content as JSON; what ADK quotes of another agent is no user's words."""
    plain = _plain(content)
    texts = [part for part in plain.get("parts", ()) if "text" in part]
    if texts and texts[0]["text"].startswith(OTHER_AGENT):
        for part in texts:
            part["text"] = f"<transcript>\n{part['text']}\n</transcript>"
    return [plain]
