"""The demo's story: a coding agent looks for a penny in an invoicing program.

Owns `story.jsonl`, one of Anthropic's messages a line, with its system prompt and tools. It has
what real sessions have, such as failures, parallel calls and a call that never gets a result. The
text is invented, so it is free to ship; its signatures are not real, and are never sent.
"""

from __future__ import annotations

from importlib.resources import files

from steno.core.decoders import json_decoder
from steno.core.errors import BadInput
from steno.inspector.describe import Json

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


def story() -> list[Json]:
    """Return the whole session as Anthropic's list of messages."""
    text = (files(__package__) / "story.jsonl").read_bytes()
    return json_decoder(dict).decode_lines(text)


def opening() -> Json:
    """Return the system prompt and the tools, as options of a session."""
    return {"system": SYSTEM, "tools": [_tool_definition(name) for name in TOOLS]}


def check_window(window: int) -> None:
    """Raise if single turns of the story would not fit a window."""
    if window < WINDOW_LEAST:
        raise BadInput(
            f"the story needs a window of at least {WINDOW_LEAST:,} tokens, got {window:,}: "
            f"try --window {WINDOW_LEAST}"
        )


def _tool_definition(name: str) -> Json:
    """Return the definition of a tool whose arguments are all strings."""
    about, keys = TOOLS[name]
    properties = {key: {"type": "string"} for key in keys}
    schema = {"type": "object", "properties": properties, "required": [*keys]}
    return {"name": name, "description": about, "input_schema": schema}
