"""Compact real conversations as OpenAI responses items, and judge them independently.

    python -m bench responses [DATA]

Covers the third wire only; `legal` does the same for the other two, and more.
"""

from __future__ import annotations

from collections import Counter

import steno
from bench.ground import arguments, tell, verdict, wide
from bench.plain import Json, Row, conversations, files
from steno.providers.openai_responses.wire import OpenAIResponsesWire
from tests.support.legal_responses import openai_responses

WINDOWS = (2_000, 8_000, 32_000)


def items(rows: tuple[Row, ...]) -> list[Json]:
    """Return rows as a caller of the Responses API would hold them, broken ones included."""
    found: list[Json] = []
    for row in rows:
        if row["role"] == "meta":
            continue
        if row["role"] == "tool":
            call = row.get("tool_call_id")
            found.append(
                {
                    "type": "function_call_output",
                    "call_id": call,
                    "output": row.get("content") or "",
                }
            )
            continue
        if row.get("content"):
            found.append({"type": "message", "role": row["role"], "content": row["content"]})
        for call in row.get("tool_calls") or ():
            said = {"call_id": call["id"], "name": call["name"], "arguments": call["arguments"]}
            found.append({"type": "function_call"} | said)
    return found


def main() -> int:
    folder = arguments(__doc__, data=True).parse_args().data
    console, wire = wide(), OpenAIResponsesWire()
    seen: Counter[str] = Counter()
    missed: list[str] = []
    for file in files(folder):
        for conversation in conversations(file):
            said = items(conversation.rows)
            for window in WINDOWS:
                result = steno.compact(said, wire=wire, window=window)
                before = openai_responses({"input": said})
                after = openai_responses(result.request)
                seen["requests"] += 1
                seen["commits"] += len(result.commits)
                seen["fits = False"] += sum(not commit.fits for commit in result.commits)
                seen["illegal before, legal after"] += bool(before and not after)
                seen["illegal both ways"] += bool(before and after)
                if after and not before:
                    missed.append(
                        f"{conversation.file} {conversation.id} at {window:,}: {after[0]}"
                    )
                if len(result.session.log.messages) != len(said):
                    missed.append(
                        f"{conversation.file} {conversation.id}: {len(said)} said, not all kept"
                    )
    tell(console, f"{seen['requests']:,} requests of {len(files(folder))} files")
    for name, count in seen.items():
        console.print(f"  {name}: {count:,}")
    return verdict(console, missed)
