"""The demo's story: a coding agent looks for a penny in an invoicing program.

Owns `story.jsonl` and how it becomes Anthropic's messages. A line of the file is
one beat: what the user says, or what the agent says and calls, with the results.
The story has what real sessions have: constraints at the start, files read twice,
parallel calls, failures, a log larger than the window, a change of mind, a
picture, and a call that never gets a result. The text is invented, so it is free
to ship. What the demo does with the story is in `replay.py` and `techniques.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from steno.core.decoders import json_decoder
from steno.core.errors import BadInput

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


WINDOW_LEAST = 6_000
"""The smallest window in which single turns of the story fit together with the tools."""


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


def story() -> list[MessageDict]:
    """Return the whole session as Anthropic's list of messages."""
    messages: list[MessageDict] = []
    for number, beat in enumerate(_read_beats()):
        messages += _messages(beat, number)
    return messages


def opening() -> dict[str, Any]:
    """Return the system prompt and the tools, as options of a session."""
    return {"system": SYSTEM, "tools": [_tool_definition(name) for name in TOOLS]}


def check_window(window: int) -> None:
    """Raise if single turns of the story would not fit a window."""
    if window < WINDOW_LEAST:
        raise BadInput(
            f"the story needs a window of at least {WINDOW_LEAST:,} tokens, got {window:,}: "
            f"try --window {WINDOW_LEAST}"
        )


# Cached: the demo of a technique reads the story several times.
@cache
def _read_beats() -> tuple[Beat, ...]:
    text = (files(__package__) / "story.jsonl").read_bytes()
    kind: Any = Beat
    return tuple(json_decoder(kind).decode_lines(text))


def _tool_definition(name: str) -> MessageDict:
    """Return the definition of a tool whose arguments are all strings."""
    about, keys = TOOLS[name]
    properties = {key: {"type": "string"} for key in keys}
    schema = {"type": "object", "properties": properties, "required": [*keys]}
    return {"name": name, "description": about, "input_schema": schema}


def _messages(beat: Beat, number: int) -> Iterator[MessageDict]:
    if isinstance(beat, UserBeat):
        said: list[MessageDict] = [{"type": "text", "text": beat.text}]
        if beat.picture:
            source = {"type": "base64", "media_type": "image/png", "data": beat.picture}
            said.insert(0, {"type": "image", "source": source})
            yield {"role": "user", "content": said}
        else:
            yield {"role": "user", "content": beat.text}
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
