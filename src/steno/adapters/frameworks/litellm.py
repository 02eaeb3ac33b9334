"""LiteLLM: `StenoLLM(...)` has `completion` and `acompletion`, to call in place of LiteLLM's own.

LiteLLM's hooks can change a request only on some ways of calling it and cannot send it again, so
its two functions are wrapped. `litellm_session_id=` of a call names the session, `user=` the user;
LiteLLM takes both by itself.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Unpack

import litellm

from steno.adapters.flows import arun_flow, run_flow
from steno.adapters.frameworks.hook import FrameworkHook, HookOptions
from steno.adapters.recall import answer_recall

Arguments = dict[str, Any]


class StenoLLM(FrameworkHook):
    """Calls LiteLLM with lists that fit the model's window.

    >>> llm = StenoLLM(store="agent.db")
    >>> llm.completion(model="anthropic/claude-sonnet-4-5", messages=messages, user="ann")
    """

    def __init__(self, *, recall: bool = False, **options: Unpack[HookOptions]) -> None:
        """Take `recall=True` to offer that tool; `handle` answers its calls."""
        super().__init__(**options)
        self._offers_recall = recall

    def completion(self, model: str, messages: list[Any], **arguments: Any) -> Any:
        """Call `litellm.completion`, once more with a shorter list if it was too long."""
        asked = {**arguments, "model": model, "messages": messages}
        return run_flow(self._call(asked), lambda view: litellm.completion(**_with(asked, view)))

    async def acompletion(self, model: str, messages: list[Any], **arguments: Any) -> Any:
        """Call `litellm.acompletion`, once more with a shorter list if it was too long."""
        asked = {**arguments, "model": model, "messages": messages}
        return await arun_flow(
            self._call(asked), lambda view: litellm.acompletion(**_with(asked, view))
        )

    def handle(self, call: Any, *, session: str, user: str | None = None) -> str | None:
        """Answer a call of `recall` as LiteLLM gave it; None for another tool."""
        return answer_recall(self.newest(session, user), call)

    def _call(self, asked: Arguments) -> Generator[list[Any], Any, Any]:
        return self._sending(
            asked["messages"],
            asked,
            # LiteLLM puts the provider before the model's name.
            model=asked["model"].rpartition("/")[2],
            tools=asked.get("tools"),
            recall=self._offers_recall,
        )

    def _own_names(self, run: Any) -> tuple[str | None, str | None]:
        return run.get("litellm_session_id"), run.get("user")


def _with(asked: Arguments, view: list[Any]) -> Arguments:
    request = {**asked, "messages": list(view)}
    own = getattr(view, "tools", ())
    if own:
        request["tools"] = [*(asked.get("tools") or ()), *own]
    return request
