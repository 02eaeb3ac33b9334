"""Small conversations of our own making, in both providers' words."""

from __future__ import annotations

import json
from typing import Any

import steno

Plain = dict[str, Any]
TRACED = steno.Policy(goal=0.60, ladder=(steno.rungs.Offload(), steno.rungs.Truncate()))
"""Without summaries: what is covered leaves a trace."""


def openai_talk(turns: int, *, words: int = 120, start: int = 0) -> list[Plain]:
    """A user's task and `turns` calls with their results."""
    talk: list[Plain] = (
        [{"role": "user", "content": "Find the slow query. Never touch production."}]
        if not start
        else []
    )
    for n in range(start, start + turns):
        function = {"name": "read_file", "arguments": json.dumps({"path": f"src/query_{n}.py"})}
        call = {"id": f"call-{n}", "type": "function", "function": function}
        talk.append({"role": "assistant", "content": f"Reading file {n}.", "tool_calls": [call]})
        talk.append(
            {
                "role": "tool",
                "tool_call_id": f"call-{n}",
                "content": f"row {n} of the table\n" * (words // 6),
            }
        )
    return talk


def anthropic_talk(
    turns: int, *, words: int = 120, thinking: bool = False, start: int = 0
) -> list[Plain]:
    talk: list[Plain] = (
        [{"role": "user", "content": "Find the slow query. Never touch production."}]
        if not start
        else []
    )
    for n in range(start, start + turns):
        thought = (
            [{"type": "thinking", "thinking": f"I should read {n}.", "signature": f"sig{n}"}]
            if thinking
            else []
        )
        call = {
            "type": "tool_use",
            "id": f"call-{n}",
            "name": "read_file",
            "input": {"path": f"src/query_{n}.py"},
        }
        talk.append(
            {
                "role": "assistant",
                "content": [*thought, {"type": "text", "text": f"Reading {n}."}, call],
            }
        )
        result = {
            "type": "tool_result",
            "tool_use_id": f"call-{n}",
            "content": f"row {n} of the table\n" * (words // 6),
        }
        talk.append({"role": "user", "content": [result]})
    return talk


def talk(wire: str, turns: int, **how: Any) -> list[Plain]:
    return openai_talk(turns, **how) if wire == "openai" else anthropic_talk(turns, **how)


def gemini_talk(turns: int) -> list[Plain]:
    """The chat of `openai_talk` as Gemini's contents."""
    return [_gemini(message) for message in openai_talk(turns)]


def _gemini(message: Plain) -> Plain:
    parts: list[Plain] = []
    if message["role"] == "tool":
        response = {"name": "read", "id": message["tool_call_id"]}
        parts.append({"functionResponse": response | {"response": {"result": message["content"]}}})
    elif message.get("content"):
        parts.append({"text": message["content"]})
    for call in message.get("tool_calls", ()):
        args = json.loads(call["function"]["arguments"])
        parts.append({"functionCall": {"name": "read", "id": call["id"], "args": args}})
    return {"role": "model" if message["role"] == "assistant" else "user", "parts": parts}


def bedrock_talk(turns: int) -> list[Plain]:
    """The chat of `openai_talk` as messages of Converse."""
    return [_bedrock(message) for message in openai_talk(turns)]


def _bedrock(message: Plain) -> Plain:
    content: list[Plain] = []
    if message["role"] == "tool":
        result = {"toolUseId": message["tool_call_id"], "content": [{"text": message["content"]}]}
        content.append({"toolResult": result})
    elif message.get("content"):
        content.append({"text": message["content"]})
    for call in message.get("tool_calls", ()):
        input = json.loads(call["function"]["arguments"])
        content.append({"toolUse": {"toolUseId": call["id"], "name": "read", "input": input}})
    return {"role": "assistant" if message["role"] == "assistant" else "user", "content": content}
