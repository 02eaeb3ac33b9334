"""How a plot is written down in a provider's words.

A beat is what one side says; each wire turns it into the messages of its own
list. What is said is the story's business.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from steno.core.error import UnknownWire


@dataclass(frozen=True)
class Use:
    """A call, and what came of it; None where nothing ever came."""

    name: str
    arguments: dict[str, str]
    result: str | None
    error: bool = False


@dataclass(frozen=True)
class User:
    text: str
    picture: str | None = None


@dataclass(frozen=True)
class Agent:
    text: str
    uses: tuple[Use, ...] = ()
    thought: str | None = None


Beat = User | Agent
Written = Iterator[dict[str, Any]]


def writer_for(wire: str) -> Callable[[Beat, int], Written]:
    """Writes the beat of a number; the number makes its ids."""
    writers = {"anthropic": _anthropic, "openai": _openai}
    if wire not in writers:
        raise UnknownWire(f"the story is written for {' and '.join(writers)}, not for {wire!r}")
    return writers[wire]


def tool(wire: str, name: str, about: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """A tool whose arguments are all texts."""
    schema = {"type": "object", "properties": {key: {"type": "string"} for key in keys}, "required": [*keys]}
    if wire == "anthropic":
        return {"name": name, "description": about, "input_schema": schema}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


def _anthropic(beat: Beat, number: int) -> Written:
    if isinstance(beat, User):
        picture = {"type": "base64", "media_type": "image/png", "data": beat.picture}
        shown = [{"type": "image", "source": picture}] if beat.picture else []
        yield {"role": "user", "content": [*shown, {"type": "text", "text": beat.text}] if shown else beat.text}
        return
    content: list[dict[str, Any]] = []
    if beat.thought:
        content.append({"type": "thinking", "thinking": beat.thought, "signature": f"c2lnbmVk{number:04}"})
    if beat.text:
        content.append({"type": "text", "text": beat.text})
    ids = [f"toolu_{number:03}_{at}" for at in range(len(beat.uses))]
    for id, use in zip(ids, beat.uses, strict=True):
        content.append({"type": "tool_use", "id": id, "name": use.name, "input": use.arguments})
    yield {"role": "assistant", "content": content}
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": use.result} | ({"is_error": True} if use.error else {})
        for id, use in zip(ids, beat.uses, strict=True)
        if use.result is not None
    ]
    if results:
        yield {"role": "user", "content": results}


def _openai(beat: Beat, number: int) -> Written:
    if isinstance(beat, User):
        url = {"url": f"data:image/png;base64,{beat.picture}"}
        shown = [{"type": "image_url", "image_url": url}] if beat.picture else []
        yield {"role": "user", "content": [*shown, {"type": "text", "text": beat.text}] if shown else beat.text}
        return
    ids = [f"call_{number:03}_{at}" for at in range(len(beat.uses))]
    calls = [
        {"id": id, "type": "function", "function": {"name": use.name, "arguments": json.dumps(use.arguments)}}
        for id, use in zip(ids, beat.uses, strict=True)
    ]
    yield {"role": "assistant", "content": beat.text or None} | ({"tool_calls": calls} if calls else {})
    for id, use in zip(ids, beat.uses, strict=True):
        if use.result is not None:
            yield {"role": "tool", "tool_call_id": id, "content": use.result}
