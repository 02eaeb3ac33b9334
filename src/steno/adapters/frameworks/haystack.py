"""Haystack: `Agent(..., hooks={"before_llm": [StenoHook(...)]})`.

Haystack wants the agent's list changed in place, so it becomes the view and grows from there; the
session keeps every word. `hook_context=` of a run names the session and the user, by the keys
`session` and `user`, unless `session=` and `user=` do. Haystack's hooks do not see a refusal as
too long. The same object is a `Compactor` for `CompactionHook`.
"""

from __future__ import annotations

import asyncio
from typing import Any, Unpack

from haystack.components.agents import State
from haystack.components.agents.state.state_utils import replace_values
from haystack.core.serialization import default_from_dict, default_to_dict
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool

from steno.adapters.fit import Fitter
from steno.adapters.frameworks.hook import DESCRIPTION, SCHEMA, FrameworkHook, HookOptions
from steno.adapters.frameworks.shapes import Written
from steno.adapters.recall import RECALL

LEAST_TARGET = 1_000
"""Tokens that a compaction aims at, at least: what has to stay takes some."""


class StenoHook(FrameworkHook):
    """Keeps the requests of agents within their models' windows."""

    allowed_hook_points = ("before_llm",)

    def __init__(self, **options: Unpack[HookOptions]) -> None:
        self._given = dict(options)
        super().__init__(**options)

    def run(self, state: State) -> None:
        written = _as_json(state.data["messages"])
        fitted = self._fit(
            written.messages,
            state.data.get("hook_context") or {},
            tools=[{"type": "function", "function": tool.tool_spec} for tool in _tools(state)],
        )
        fitted.keep()
        state.set("messages", written.back(fitted), handler_override=replace_values)

    async def run_async(self, state: State) -> None:
        await asyncio.to_thread(self.run, state)

    def compact(
        self, messages: list[ChatMessage], target_tokens: int, token_counter: Any
    ) -> list[ChatMessage] | None:
        """Return a list of at most `target_tokens`, as `CompactionHook` asks for it."""
        written = _as_json(messages)
        window = max(target_tokens, LEAST_TARGET)
        fitter = Fitter(**{**self._options, "store": None, "window": window})
        shown = written.back(fitter.fit(written.messages))
        fitter.close()
        if token_counter.count(messages=shown) >= token_counter.count(messages=messages):
            return None
        return shown

    async def compact_async(self, *asked: Any, **named: Any) -> list[ChatMessage] | None:
        return await asyncio.to_thread(self.compact, *asked, **named)

    def recall(self, session: str, user: str | None = None) -> Tool:
        """Return the tool that reads a session again, for the agent whose session this is."""

        def answer(**asked: Any) -> str:
            return self._recall({"session": session, "user": user}, asked)

        return Tool(name=RECALL, description=DESCRIPTION, parameters=SCHEMA, function=answer)

    def to_dict(self) -> Any:
        return default_to_dict(self, **self._given)

    @classmethod
    def from_dict(cls, data: Any) -> Any:
        return default_from_dict(cls, data)

    def _own_names(self, run: Any) -> tuple[str | None, str | None]:
        return run.get("session"), run.get("user")


def _tools(state: State) -> list[Tool]:
    return [tool for tool in state.data.get("tools") or () if isinstance(tool, Tool)]


def _as_json(messages: list[ChatMessage]) -> Written:
    results = (result for message in messages for result in message.tool_call_results)
    origins = {result.origin.id: result.origin for result in results}

    def write(message: ChatMessage) -> list[Any]:
        return [message.to_openai_dict_format(require_tool_call_ids=False)]

    def build(plain: Any) -> ChatMessage:
        """Return a message that Steno wrote or shortened; a result keeps the name of its tool."""
        message = ChatMessage.from_openai_dict_format(plain)
        origin = origins.get(plain.get("tool_call_id"))
        if origin is None:
            return message
        return ChatMessage.from_tool(message.tool_call_result.result, origin)

    return Written(messages, write, build)
