"""The contract of `steno.testing` on every wire."""

from __future__ import annotations

import json
from typing import Any

from steno.testing import WireContract
from steno.wires import get_wire
from tests.support.promises import proves

ARGUMENTS = json.dumps({"path": "a.py", "lines": 1.5})


@proves("wire.identity")  # type: ignore[arg-type]
class TestOpenAIChat(WireContract):
    wire = get_wire("openai")
    messages = (
        {"role": "user", "content": "Read a.py."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": ARGUMENTS},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "print(1.5)"},
    )


@proves("wire.identity")  # type: ignore[arg-type]
class TestAnthropic(WireContract):
    wire = get_wire("anthropic")
    messages = (
        {"role": "user", "content": [{"type": "text", "text": "Read a.py."}]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"lines": 1.5}}
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "print(1.5)"}],
        },
    )


@proves("wire.identity")  # type: ignore[arg-type]
class TestOpenAIResponses(WireContract):
    wire = get_wire("openai-responses")
    messages = (
        {"type": "message", "role": "user", "content": "Read a.py."},
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "read_file",
            "arguments": ARGUMENTS,
        },
        {"type": "function_call_output", "call_id": "c1", "output": "print(1.5)"},
    )


@proves("wire.identity")  # type: ignore[arg-type]
class TestLangChain(WireContract):
    wire = get_wire("langchain")
    messages = (
        {"type": "human", "content": "Read a.py."},
        {
            "type": "ai",
            "content": "",
            "tool_calls": [{"id": "c1", "name": "read_file", "args": {"lines": 1.5}}],
        },
        {"type": "tool", "content": "print(1.5)", "tool_call_id": "c1"},
    )


def test_a_wire_that_writes_its_own_spelling_fails_the_contract() -> None:
    class Tidy(TestOpenAIChat):
        class wire:
            name = "tidy"

            @staticmethod
            def decode(plain: Any, raw: str, where: str) -> Any:
                return get_wire("openai").decode(plain, json.dumps(plain), where)

            encode = staticmethod(get_wire("openai").encode)

    try:
        Tidy().test_an_unchanged_message_is_written_as_it_came()
    except AssertionError:
        return
    raise AssertionError("the contract did not fail")
