"""The demo's story: a coding agent looks for a penny in an invoicing program.

Owns `story.jsonl` and how either provider writes it down. A line of the file is
one beat: what the user says, or what the agent says and calls, with the results.
The story has what real sessions have: rules at the start, files read twice,
parallel calls, failures, a log larger than the window, a change of mind, a
picture, and a call that never gets a result. The text is invented, so it is free
to ship. What the demo does with the story is in `replay.py` and `techniques.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from steno.core.errors import UnknownWire

SYSTEM = (
    "You are a coding agent in the repository of Finch, the invoicing program of a small "
    "bookshop chain. Look before you change, run the tests after each change, and say what you "
    "did in a sentence or two."
)
TOOLS = {
    "list_files": ("List the files of the repository.", ("path",)),
    "read_file": ("Read one file.", ("path",)),
    "search": ("Find a word in all files.", ("word",)),
    "edit_file": ("Replace one piece of a file by another.", ("path", "old", "new")),
    "run": ("Run a command in a shell.", ("command",)),
}
WIRES = ("anthropic", "openai")


class StoryCall(msgspec.Struct, frozen=True):
    """A tool call and its result; None if the result never came."""

    name: str
    arguments: dict[str, str]
    result: str | None = None
    error: bool = False


class UserBeat(msgspec.Struct, frozen=True, tag_field="type", tag="user"):
    """What the user says."""

    text: str
    picture: str | None = None
    """A PNG in base64."""


class AgentBeat(msgspec.Struct, frozen=True, tag_field="type", tag="agent"):
    """What the agent says and calls in one turn, with the results."""

    text: str = ""
    calls: tuple[StoryCall, ...] = ()
    thought: str | None = None


Beat = UserBeat | AgentBeat
MessageDict = dict[str, Any]


def story(wire: str = "anthropic") -> list[MessageDict]:
    """Return the whole session as a provider's list of messages."""
    if wire not in WIRES:
        raise UnknownWire(f"the story is written for {' and '.join(WIRES)}, not for {wire!r}")
    messages: list[MessageDict] = []
    for number, beat in enumerate(_read_beats()):
        if wire == "anthropic":
            messages += _anthropic_messages(beat, number)
        else:
            messages += _openai_messages(beat, number)
    return messages


def opening(wire: str = "anthropic") -> dict[str, Any]:
    """Return the system prompt and the tools, as options of a session."""
    tools = [_tool_definition(wire, name, *about) for name, about in TOOLS.items()]
    return {"system": SYSTEM, "tools": tools}


# Cached: the demo of a technique reads the story several times.
@cache
def _read_beats() -> tuple[Beat, ...]:
    text = (files(__package__) / "story.jsonl").read_bytes()
    decoder = msgspec.json.Decoder(Beat)
    return tuple(decoder.decode_lines(text))


def _tool_definition(wire: str, name: str, about: str, keys: tuple[str, ...]) -> MessageDict:
    """Return the definition of a tool whose arguments are all strings."""
    properties = {key: {"type": "string"} for key in keys}
    schema = {"type": "object", "properties": properties, "required": [*keys]}
    if wire == "anthropic":
        return {"name": name, "description": about, "input_schema": schema}
    function = {"name": name, "description": about, "parameters": schema}
    return {"type": "function", "function": function}


def _anthropic_messages(beat: Beat, number: int) -> Iterator[MessageDict]:
    if isinstance(beat, UserBeat):
        picture = None
        if beat.picture:
            source = {"type": "base64", "media_type": "image/png", "data": beat.picture}
            picture = {"type": "image", "source": source}
        yield _user_message(beat.text, picture)
        return
    content: list[MessageDict] = []
    results: list[MessageDict] = []
    if beat.thought:
        # Not a real signature: the demo never sends it, and Steno only carries it along.
        signature = f"c2lnbmVk{number:04}"
        content.append({"type": "thinking", "thinking": beat.thought, "signature": signature})
    if beat.text:
        content.append({"type": "text", "text": beat.text})
    for at, call in enumerate(beat.calls):
        id = f"toolu_{number:03}_{at}"
        content.append({"type": "tool_use", "id": id, "name": call.name, "input": call.arguments})
        if call.result is None:
            continue
        result: MessageDict = {"type": "tool_result", "tool_use_id": id, "content": call.result}
        if call.error:
            result["is_error"] = True
        results.append(result)
    yield {"role": "assistant", "content": content}
    if results:
        yield {"role": "user", "content": results}


def _openai_messages(beat: Beat, number: int) -> Iterator[MessageDict]:
    if isinstance(beat, UserBeat):
        picture = None
        if beat.picture:
            url = {"url": f"data:image/png;base64,{beat.picture}"}
            picture = {"type": "image_url", "image_url": url}
        yield _user_message(beat.text, picture)
        return
    calls: list[MessageDict] = []
    results: list[MessageDict] = []
    for at, call in enumerate(beat.calls):
        id = f"call_{number:03}_{at}"
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        calls.append({"id": id, "type": "function", "function": function})
        if call.result is not None:
            results.append({"role": "tool", "tool_call_id": id, "content": call.result})
    reply: MessageDict = {"role": "assistant", "content": beat.text or None}
    if calls:
        reply["tool_calls"] = calls
    yield reply
    yield from results


def _user_message(text: str, picture: MessageDict | None) -> MessageDict:
    if picture is None:
        return {"role": "user", "content": text}
    return {"role": "user", "content": [picture, {"type": "text", "text": text}]}
