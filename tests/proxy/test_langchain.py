"""LangChain's chat models as clients of the proxy."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import tool

from tests.proxy.test_proxy import CLAUDE, WINDOW, between, sane
from tests.support import legal
from tests.support.loopback import Say

pytestmark = pytest.mark.slow


@tool
def look(path: str) -> str:
    """Look at a file."""
    return f"{path} is empty"


def test_langchain_streams_calls_tools_and_stays_within_its_window() -> None:
    calls = Say("let me see", calls=(("look", {"path": "a.py"}),))
    with between(calls, sane) as there:
        model = ChatAnthropic(
            model_name=CLAUDE, api_key="k", base_url=there.address, max_retries=0, stop=None
        )
        talk: list[BaseMessage] = [HumanMessage("look. Never touch production.")]
        first: Any = model.bind_tools([look]).invoke(talk)
        assert first.tool_calls[0]["args"] == {"path": "a.py"}
        talk += [first, look.invoke(first.tool_calls[0])]
        for turn in range(30):
            said = "".join(str(chunk.text) for chunk in model.stream(talk))
            talk += [AIMessage(said), HumanMessage(f"step {turn}: " + "word " * 150)]
        assert said == "noted"
        for heard in there.provider.heard:
            assert len(heard.prompt) // 4 < WINDOW
            assert legal.anthropic(heard.body) == []
        assert "Never touch production" in there.provider.heard[-1].prompt
        assert there.settled()["passed_unchanged"] == 0
