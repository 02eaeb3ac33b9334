"""Measure how many touched files the readers of facts find in real sessions, and their cost.

Two figures: of the files that calls name in their arguments before a real compaction (read here
without Steno, by the names of the arguments), how many our artifacts hold; and how long each
reader takes for 10,000 tokens.

    python bench/artifacts.py [folder]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath
from typing import TypeVar

from rich.table import Table

from ground import tell, verdict, wide
from plain import DATA, Conversation, Row, anthropic, conversations, data_folder
from steno.core.message import Call, Message, Result, Text, Thinking
from steno.facts import artifacts, errors
from steno.facts.fact import Fact
from steno.facts.failures import Failures
from steno.providers.anthropic.wire import AnthropicWire
from steno.summary.worth import Rarity

COMPACTED, SESSIONS = "compacted.jsonl.gz", "sessions.jsonl.gz"
NAMES = ("file_path", "path", "notebook_path", "absolute_path", "filename")
CHARACTERS = 40_000
"""10,000 tokens."""
LEAST_HELD = 1.0
MOST_MS = 8.0
ROUNDS = 3
SHOWN = 10

T = TypeVar("T")
Reader = Callable[[Message], Iterable[Fact]]
READERS: dict[str, Reader] = {
    "artifact": artifacts.read_artifacts,
    "error": errors.read_errors,
}


@dataclass(frozen=True)
class Session:
    id: str
    messages: tuple[Message, ...]
    characters: int


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="bench/artifacts.py", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", nargs="?", help=f"of *.jsonl.gz; else STENO_DATA, else {DATA}")
    folder, console = data_folder(parser.parse_args().folder), wide()
    if not (folder / COMPACTED).exists() or not (folder / SESSIONS).exists():
        console.print(
            f"{COMPACTED} and {SESSIONS} are not in {folder}: pass the data folder, or set "
            "STENO_DATA"
        )
        return 1
    tell(console, f"{COMPACTED} up to the last compaction, {SESSIONS} whole")
    named, missing = _held(folder / COMPACTED)
    held = 1 - len(missing) / max(1, named)
    console.print(
        f"files named before a compaction: {named:,}; held as artifacts: {held:.4f}",
        highlight=False,
    )
    for name in missing[:SHOWN]:
        console.print(f"  not held: {name}", highlight=False)
    costs = _costs([_session(each) for each in conversations(folder / SESSIONS)])
    console.print(_table(costs))
    missed = [f"files held: {held:.4f}, not {LEAST_HELD}"] if held < LEAST_HELD else []
    missed += [
        f"{name}: {ms:.1f} ms, not {MOST_MS}" for name, (ms, _) in costs.items() if ms > MOST_MS
    ]
    return verdict(console, missed)


def _held(file: Path) -> tuple[int, list[str]]:
    """Return how many files are named, and those that no artifact has."""
    named, missing = 0, []
    for conversation in conversations(file):
        before = _before_compaction(conversation)
        keys = {
            fact.key for message in _messages(before) for fact in artifacts.read_artifacts(message)
        }
        names = {name for row in before for name in _named(row)}
        named += len(names)
        missing += [f"{conversation.id}: {name}" for name in sorted(names - keys)]
    return named, missing


def _before_compaction(conversation: Conversation) -> list[Row]:
    last = max((at for at, row in enumerate(conversation.rows) if row["role"] == "meta"), default=0)
    return [row for row in conversation.rows[: last or None] if row["role"] != "meta"]


def _named(row: Row) -> Iterator[str]:
    """Return the files that a row's calls name, read without Steno."""
    for call in row.get("tool_calls") or ():
        arguments = json.loads(call["arguments"] or "{}")
        for name in NAMES if isinstance(arguments, dict) else ():
            if isinstance(arguments.get(name), str) and arguments[name] not in ("", "."):
                yield normpath(arguments[name])


def _messages(rows: Iterable[Row]) -> tuple[Message, ...]:
    wire = AnthropicWire()
    return tuple(
        wire.decode(each, "", f"message {at}")
        for at, each in enumerate(anthropic(list(rows)).messages)
    )


def _session(conversation: Conversation) -> Session:
    messages = _messages(conversation.rows)
    return Session(conversation.id, messages, sum(len(_text(message)) for message in messages))


def _text(message: Message) -> str:
    said = (block.text for block in message.blocks if isinstance(block, Text | Thinking | Result))
    return "\n".join(
        (*said, *(block.arguments for block in message.blocks if isinstance(block, Call)))
    )


def _costs(sessions: list[Session]) -> dict[str, tuple[float, int]]:
    """Return milliseconds for 10,000 tokens, the best of some rounds, and the number of facts."""
    share = CHARACTERS / sum(session.characters for session in sessions) * 1_000
    costs: dict[str, tuple[float, int]] = {}
    read: dict[str, list[list[list[Fact]]]] = {}
    for name, reader in READERS.items():
        spent, read[name] = _best(
            lambda of=reader: [[list(of(each)) for each in s.messages] for s in sessions]
        )
        costs[name] = spent * share, sum(len(facts) for session in read[name] for facts in session)
    spent, _ = _best(
        lambda: [artifacts.Artifacts().plus(_stated(facts)) for facts in read["artifact"]]
    )
    costs["artifact, standing"] = spent * share, 0
    spent, failures = _best(
        lambda: [
            Failures().plus(zip(range(len(s.messages)), s.messages, facts, strict=True))
            for s, facts in zip(sessions, read["error"], strict=True)
        ]
    )
    costs["error, standing"] = spent * share, sum(len(each.failed) for each in failures)
    spent, _ = _best(lambda: [Rarity().plus(map(_text, session.messages)) for session in sessions])
    costs["rarity"] = spent * share, 0
    return costs


def _stated(facts: list[list[Fact]]) -> Iterator[tuple[int, Fact]]:
    return ((position, fact) for position, each in enumerate(facts) for fact in each)


def _best(work: Callable[[], T]) -> tuple[float, T]:
    spent = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        done = work()
        spent = min(spent, time.process_time() - began)
    return spent, done


def _table(costs: dict[str, tuple[float, int]]) -> Table:
    table = Table(title="Milliseconds of processor time for 10,000 tokens", title_justify="left")
    table.add_column("reader")
    table.add_column("ms", justify="right")
    table.add_column("facts", justify="right")
    for name, (ms, count) in costs.items():
        table.add_row(name, f"{ms:.2f}", f"{count:,}" if count else "")
    return table


if __name__ == "__main__":
    raise SystemExit(main())
