"""Read real conversations, and write them as a caller would send them.

Reads the data folder and writes each conversation as OpenAI chat messages, as Anthropic messages
or as items of OpenAI's responses. Nothing is repaired: null and reused ids, orphaned results,
interrupted calls and empty messages stay as they are. What a provider says to the outcome is for
the judge.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from steno.cli.source import load_recorded_sessions
from steno.lab.recorded import RecordedSession

ROOT = Path(__file__).resolve().parent.parent
DATA = "../shared/data"
"""Where the data lies by default, seen from the repository."""
SIGNATURE = "c2lnbmVkIGJ5IHRoZSBiZW5jaG1hcms="
"""Real signatures are not in the data; a provider's own check of them is out of reach here."""
SYSTEM_ROLES = ("system", "developer")

Json = dict[str, Any]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Conversation:
    file: str
    id: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Given:
    """What a caller holds: messages, and a system prompt if the wire keeps it apart."""

    messages: list[Json]
    system: str | None = None


def data_folder(argument: str | None = None) -> Path:
    """Return the folder of the argument, of STENO_DATA, or beside the repository."""
    return Path(argument or os.environ.get("STENO_DATA") or ROOT / DATA).resolve()


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl.gz"))


def conversations(file: Path) -> Iterator[Conversation]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            read = json.loads(line)
            yield Conversation(
                file.name.removesuffix(".jsonl.gz"), str(read["id"]), tuple(read["messages"])
            )


def recorded_sessions(file: Path) -> list[RecordedSession]:
    """Return the conversations of a file as `steno replay` reads them, with their thinking."""
    with tempfile.TemporaryDirectory() as folder:
        chat = Path(folder, file.name.removesuffix(".gz"))
        with chat.open("w", encoding="utf-8") as lines:
            for talk in conversations(file):
                messages = [_with_thinking(row) for row in talk.rows if row["role"] != "meta"]
                lines.write(json.dumps({"id": talk.id, "messages": messages}) + "\n")
        return list(load_recorded_sessions([str(chat)], None))


def _with_thinking(row: Row) -> Json:
    message = _openai_message(row)
    if row.get("thinking"):
        message["reasoning_content"] = row["thinking"]
    if row["role"] == "user" and row.get("name"):
        message["name"] = row["name"]
    return message


def openai(rows: Sequence[Row]) -> Given:
    return Given([_openai_message(row) for row in rows if row["role"] != "meta"])


def _openai_message(row: Row) -> Json:
    message: Json = {"role": row["role"], "content": row["content"]}
    if row.get("tool_calls"):
        # What the API itself answers where the model only calls.
        message["content"] = row["content"] or None
        message["tool_calls"] = [_openai_call(call) for call in row["tool_calls"]]
    if row["role"] == "tool":
        message["tool_call_id"] = row.get("tool_call_id")
        message |= {"name": row["name"]} if row.get("name") else {}
    return message


def _openai_call(call: Row) -> Json:
    return {
        "id": call["id"],
        "type": "function",
        "function": {"name": call["name"], "arguments": call["arguments"]},
    }


def anthropic(rows: Sequence[Row]) -> Given:
    """Join system rows to one system prompt, and neighbouring tool rows to one user message.

    A developer row counts as a system row: this provider has no such role and refuses it.
    """
    said = [row for row in rows if row["role"] not in ("meta", *SYSTEM_ROLES)]
    messages: list[Json] = []
    for role, group in groupby(said, key=_role):
        if role == "tool":
            messages.append({"role": "user", "content": [_anthropic_result(row) for row in group]})
        else:
            messages += map(_anthropic_message, group)
    system = [row["content"] for row in rows if row["role"] in SYSTEM_ROLES]
    return Given(messages, "\n\n".join(system) if system else None)


def _role(row: Row) -> str:
    return str(row["role"])


def _anthropic_message(row: Row) -> Json:
    blocks: list[Json] = []
    if row.get("thinking"):
        blocks.append({"type": "thinking", "thinking": row["thinking"], "signature": SIGNATURE})
    if row["content"] and (blocks or row.get("tool_calls")):
        blocks.append({"type": "text", "text": row["content"]})
    blocks += map(_anthropic_call, row.get("tool_calls") or ())
    return {"role": row["role"], "content": blocks or row["content"]}


def _anthropic_call(call: Row) -> Json:
    return {
        "type": "tool_use",
        "id": call["id"],
        "name": call["name"],
        "input": _input(call["arguments"]),
    }


def _input(arguments: str) -> Json:
    """Return the arguments as an object; anything else is kept under a name."""
    try:
        read = json.loads(arguments)
    except ValueError:
        read = arguments
    return read if isinstance(read, dict) else {"arguments": read}


def _anthropic_result(row: Row) -> Json:
    result: Json = {
        "type": "tool_result",
        "tool_use_id": row.get("tool_call_id"),
        "content": row["content"],
    }
    return result | ({"is_error": True} if (row.get("meta") or {}).get("is_error") else {})


def openai_responses(rows: Sequence[Row]) -> Given:
    items: list[Json] = []
    for row in rows:
        if row["role"] == "tool":
            output = {"call_id": row.get("tool_call_id"), "output": row["content"]}
            items.append({"type": "function_call_output"} | output)
        elif row["role"] != "meta" and row["content"]:
            items.append({"type": "message", "role": row["role"], "content": row["content"]})
        for call in row.get("tool_calls") or ():
            said = {"call_id": call["id"], "name": call["name"], "arguments": call["arguments"]}
            items.append({"type": "function_call"} | said)
    return Given(items)


CALLERS: dict[str, Callable[[Sequence[Row]], Given]] = {
    "openai": openai,
    "anthropic": anthropic,
    "openai-responses": openai_responses,
}
"""By the name of the wire."""
