"""Measure what reading the facts of a session costs, and a compaction with everything on.

Targets: 10,000 tokens read in under 30 ms; 200,000 tokens compacted in under a second. The peer in
the same run is LangChain's `count_tokens_approximately` over the same messages.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from langchain_core.messages import convert_to_messages
from langchain_core.messages.utils import count_tokens_approximately
from rich.table import Table

import steno
from ground import tell, verdict, wide
from plain import conversations, data_folder, openai
from steno.core.tape import Tape
from steno.facts.ledger import Ledger, facts_of
from steno.summary.story import fold_story
from steno.wires import decode_messages, get_wire

TOKENS = 200_000
READ_MS, COMPACT_S = 30.0, 1.0
ROUNDS = 3


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?")
    folder = data_folder(parser.parse_args().data)
    console = wide()
    tell(
        console,
        f"{folder.name}/sessions.jsonl.gz, put end to end up to {TOKENS:,} tokens",
        ["langchain-core"],
    )
    messages = _messages(folder / "sessions.jsonl.gz")
    said = decode_messages(get_wire("openai"), messages)
    tokens = steno.compact(messages, window=100_000_000, wire="openai").load
    read = _best(lambda: Ledger.of(said), _forget)
    story = _best(lambda: Tape(said).fold(fold_story), _forget)
    compacted = _best(lambda: steno.compact(messages, window=32_000, wire="openai"), _forget)
    warm = _best(lambda: steno.compact(messages, window=32_000, wire="openai"), lambda: None)
    peer = convert_to_messages([_plain(message) for message in messages])
    counted = _best(lambda: count_tokens_approximately(peer), lambda: None)
    table = Table(
        title=f"{tokens:,} tokens, {len(said):,} messages; best of {ROUNDS}", title_justify="left"
    )
    for name in ("what", "seconds", "ms for 10,000 tokens", "times the peer"):
        table.add_column(name, justify="left" if name == "what" else "right")
    rows = {
        "facts read": read,
        "story told": story,
        "compact to 32,000, nothing read before": compacted,
        "compact to 32,000, facts held ready": warm,
        "peer: approximate count": counted,
    }
    for what, took in rows.items():
        table.add_row(what, f"{took:.3f}", f"{1e7 * took / tokens:.1f}", f"{took / counted:.1f}")
    console.print(table)
    missed = []
    if (each := 1e7 * (read + story) / tokens) > READ_MS:
        missed.append(f"{each:.0f} ms to read 10,000 tokens")
    if compacted * TOKENS / tokens > COMPACT_S:
        missed.append(f"{compacted * TOKENS / tokens:.2f} s to compact {TOKENS:,} tokens")
    return verdict(console, missed)


def _messages(path: Path) -> list[dict[str, object]]:
    messages: list[dict[str, object]] = []
    characters = 0
    for number, conversation in enumerate(conversations(path)):
        for message in openai(conversation.rows).messages:
            for call in message.get("tool_calls") or ():
                call["id"] = f"{number}-{call['id']}"
            if message.get("tool_call_id"):
                message["tool_call_id"] = f"{number}-{message['tool_call_id']}"
            messages.append(message)
            characters += len(str(message.get("content") or "")) + len(
                str(message.get("tool_calls") or "")
            )
        if characters >= TOKENS * 4:
            break
    return messages


def _plain(message: dict[str, object]) -> dict[str, object]:
    return {**message, "content": message.get("content") or ""}


def _forget() -> None:
    facts_of.cache_clear()


def _best(work: Callable[[], object], before: Callable[[], None]) -> float:
    took = []
    for _ in range(ROUNDS):
        before()
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return min(took)


if __name__ == "__main__":
    sys.exit(main())
