"""Sessions of an agent that reads files and comes back to them much later."""

from __future__ import annotations

import json
from functools import partial
from random import Random
from typing import Any

from hypothesis import strategies as st

from steno.lab.recorded import RecordedSession
from steno.providers import decode_messages, get_wire

Json = dict[str, Any]
VERBS = ("parse", "load", "merge", "check", "write", "close", "route", "trim")
NOUNS = ("invoice", "ledger", "window", "packet", "cursor", "branch", "signal", "folder")


def line(random: Random) -> str:
    verb, noun, number = random.choice(VERBS), random.choice(NOUNS), random.randrange(100_000)
    return f"    {verb}_{noun}_{number} = {noun}.{verb}(limit={number})"


def session(seed: int, turns: int, *, lines: int = 20, returns: bool = False) -> list[Json]:
    """A user's wish, then calls: most read something new, some edit what was read before.

    An agent that `returns` also reads again, now and then says how far it is, and hears what
    else to mind.
    """
    random = Random(seed)
    files: dict[str, list[str]] = {}
    messages: list[Json] = [
        {"role": "user", "content": "Make the importer faster and keep its tests green."}
    ]
    old_key, new_key = ("old_string", "new_string") if returns else ("old", "new")
    for turn in range(turns):
        if files and random.random() < 0.4:
            path = random.choice(list(files))
            old = random.choice(files[path])
            given = {"path": path, old_key: old, new_key: f"{old}  # once"}
            messages += exchange(f"c{turn}", "edit", given, f"edited {path}")
        else:
            path = f"src/{random.choice(NOUNS)}/{random.choice(VERBS)}_{turn}.py"
            if returns and files and random.random() < 0.2:
                path = random.choice(list(files))
            if path not in files:
                files[path] = [line(random) for _ in range(lines)]
            shown = "\n".join(f"{n}\t{text}" for n, text in enumerate(files[path], start=1))
            messages += exchange(f"c{turn}", "read", {"path": path}, shown)
        if returns and turn % 12 == 11:
            messages[-2]["content"] = f"Part {turn} of the importer is done, {path} comes next."
            messages.append({"role": "user", "content": f"Mind rule {turn} of the importer too."})
    return [*messages, {"role": "assistant", "content": "It is faster now."}]


returning_session = partial(session, returns=True)


def exchange(id: str, name: str, arguments: Json, result: str) -> list[Json]:
    called = {"name": name, "arguments": json.dumps(arguments)}
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": id, "type": "function", "function": called}],
        },
        {"role": "tool", "tool_call_id": id, "content": result},
    ]


def anthropic(messages: list[Json]) -> list[Json]:
    """The same as Anthropic's messages."""
    return [_anthropic(message) for message in messages]


def _anthropic(message: Json) -> Json:
    if message["role"] == "tool":
        block = {
            "type": "tool_result",
            "tool_use_id": message["tool_call_id"],
            "content": message["content"],
        }
        return {"role": "user", "content": [block]}
    blocks = [{"type": "text", "text": message["content"]}] if message["content"] else []
    for call in message.get("tool_calls", ()):
        name, given = call["function"]["name"], json.loads(call["function"]["arguments"])
        blocks.append({"type": "tool_use", "id": call["id"], "name": name, "input": given})
    return {"role": message["role"], "content": blocks}


def responses(messages: list[Json]) -> list[Json]:
    """The same as items of OpenAI's responses: a reply thinks, speaks and calls in items of
    their own.
    """
    return [item for message in messages for item in _items(message)]


def _items(message: Json) -> list[Json]:
    if message["role"] == "tool":
        return [
            {
                "type": "function_call_output",
                "call_id": message["tool_call_id"],
                "output": message["content"],
            }
        ]
    if message["role"] == "user":
        return [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": message["content"]}],
            }
        ]
    said = {"type": "output_text", "text": message["content"] or "Let me see."}
    items: list[Json] = [{"type": "reasoning", "summary": [], "content": None}]
    items.append({"type": "message", "role": "assistant", "content": [said]})
    for call in message.get("tool_calls", ()):
        items.append({"type": "function_call", "call_id": call["id"], **call["function"]})
    return items


def codex(messages: list[Json]) -> list[Json]:
    """The same as rows of Codex, which says after each reply what all of them came to."""
    rows: list[Json] = [{"type": "session_meta", "payload": {"id": "s"}}]
    sent = 0
    for message in messages:
        rows += [{"type": "response_item", "payload": item} for item in _items(message)]
        if message["role"] == "assistant":
            sent += 1_000
            usage = {
                "input_tokens": sent,
                "cached_input_tokens": sent * 9 // 10,
                "output_tokens": sent // 100,
            }
            info = {"total_token_usage": usage, "last_token_usage": {"input_tokens": 1_000}}
            rows.append({"type": "event_msg", "payload": {"type": "token_count", "info": info}})
    return [{"timestamp": "2026-01-01T00:00:00Z"} | row for row in rows]


def tale(
    messages: list[Json],
    name: str = "tale",
    times: tuple[float | None, ...] = (),
    wire: str = "openai",
) -> RecordedSession:
    return RecordedSession(name, tuple(decode_messages(get_wire(wire), messages)), times, wire)


def tales(*, least: int = 4, most: int = 60) -> st.SearchStrategy[RecordedSession]:
    return st.builds(
        lambda seed, turns, lines: tale(returning_session(seed, turns, lines=lines)),
        st.integers(0, 2**16),
        st.integers(least, most),
        st.integers(4, 30),
    )
