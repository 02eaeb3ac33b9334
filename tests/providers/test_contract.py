"""The contract of `steno.testing` on every wire."""

from __future__ import annotations

import json
from typing import Any

from steno.providers import get_wire
from steno.testing import WireContract
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


@proves("wire.identity")  # type: ignore[arg-type]
class TestGemini(WireContract):
    wire = get_wire("gemini")
    not_messages = ({}, {"role": "user", "parts": 7}, {"role": "robot", "parts": []})
    messages = (
        {"role": "user", "parts": [{"text": "Read a.py."}]},
        {
            "role": "model",
            "parts": [
                {"text": "I should read it.", "thought": True},
                {
                    "functionCall": {"name": "read_file", "args": {"lines": 1.5}},
                    "thoughtSignature": "c2ln",
                },
            ],
        },
        {
            "role": "user",
            "parts": [
                {"function_response": {"name": "read_file", "response": {"result": "print(1.5)"}}}
            ],
        },
    )


@proves("wire.identity")  # type: ignore[arg-type]
class TestBedrock(WireContract):
    wire = get_wire("bedrock")
    not_messages = ({}, {"role": "user", "content": "text"}, {"role": "user", "content": [7]})
    messages = (
        {"role": "user", "content": [{"text": "Read a.py."}, {"cachePoint": {"type": "default"}}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
                {"toolUse": {"toolUseId": "c1", "name": "read_file", "input": {"lines": 1.5}}},
            ],
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "print(1.5)"}]}}],
        },
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
