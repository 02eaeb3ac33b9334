"""Read and write every file of the data folder, and stream a large one.

A file must come back byte for byte, and the messages that go into a compaction must come out of
it, kept or covered. The large file is generated in a temporary folder and deleted; it is read and
written in a process of its own, so that its peak of memory is that of streaming.

    python -m bench transcripts [DATA] [--megabytes 500] [--window 32000]
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import steno
from bench.ground import arguments, tell, verdict, wide
from steno.core.wire import Wire
from steno.providers import get_wire
from steno.providers.openai_responses.wire import OpenAIResponsesWire
from steno.transcripts import Aside, Change, Entry, conversations, open_transcript, pieces_from_view

RSS_MOST = 100
"""Megabytes over an empty run while streaming."""
CHILD = """
import resource, sys, time
from pathlib import Path
from steno.transcripts import open_transcript
began, size, entries = time.perf_counter(), 0, 0
if sys.argv[1] != "-":
    transcript = open_transcript(sys.argv[1])
    for piece in transcript:
        entries += hasattr(piece, "message")
    read = time.perf_counter() - began
    for text in transcript.format.write(transcript):
        size += len(text)
    print(entries, size, read, time.perf_counter() - began - read, end=" ")
# Linux hands ru_maxrss down from the parent; VmHWM is the process's own.
own = Path("/proc/self/status")
peak = own.read_text().partition("VmHWM:")[2].split()[:1] if own.exists() else []
print(*(peak or [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


@dataclass(frozen=True)
class Seen:
    """What was counted in one file."""

    file: str
    format: str
    megabytes: float
    conversations: int
    entries: int
    asides: int
    identical: bool
    kept: int
    stood_for: int
    new: int
    seconds: float


def main() -> int:
    options = _options()
    folder, console = options.data, wide()
    files = sorted([*folder.glob("*.jsonl.gz"), *folder.glob("raw/*.jsonl.gz")])
    tell(console, f"{len(files)} files of the data folder; {options.megabytes:,} MB of our own")
    seen = [_seen(file, folder, options.window) for file in files]
    console.print(_table(seen, options.window))
    missed = [f"{each.file}: not the same bytes" for each in seen if not each.identical]
    missed += [
        f"{each.file}: {each.entries:,} messages in, {each.kept + each.stood_for:,} out"
        for each in seen
        if each.kept + each.stood_for != each.entries
    ]
    if options.megabytes:
        missed += _streamed(console, options.megabytes)
    return verdict(console, missed)


def _options() -> argparse.Namespace:
    parser = arguments(__doc__, data=True)
    parser.add_argument(
        "--megabytes", type=int, default=500, help="size of the file to stream; 0 for none"
    )
    parser.add_argument("--window", type=int, default=32_000)
    return parser.parse_args()


def _wire(name: str) -> Wire:
    return OpenAIResponsesWire() if name == "openai-responses" else get_wire(name)


def _seen(file: Path, folder: Path, window: int) -> Seen:
    text = gzip.decompress(file.read_bytes()).decode()
    began = time.perf_counter()
    transcript = open_transcript(file)
    pieces = list(transcript)
    identical = "".join(transcript.format.write(pieces)) == text
    seconds = time.perf_counter() - began
    wire = _wire(transcript.format.wire)
    counts = {"kept": 0, "stood_for": 0, "new": 0}
    talks = list(conversations(transcript.format, pieces))
    for talk in talks:
        said = [piece.message for piece in talk if isinstance(piece, Entry)]
        session = steno.compact(said, window=window, wire=wire).session
        for piece in pieces_from_view(talk, session.log, session.view, wire):
            counts["kept"] += isinstance(piece, Entry)
            counts["stood_for"] += len(piece.instead) if isinstance(piece, Change) else 0
            counts["new"] += len(piece.messages) if isinstance(piece, Change) else 0
    entries = sum(isinstance(piece, Entry) for piece in pieces)
    asides = sum(isinstance(piece, Aside) for piece in pieces)
    name, size = str(file.relative_to(folder)), len(text.encode()) / 1e6
    return Seen(
        name,
        transcript.format.name,
        size,
        len(talks),
        entries,
        asides,
        identical,
        seconds=seconds,
        **counts,
    )


def _table(seen: list[Seen], window: int) -> Table:
    table = Table(title=f"Read, written, and compacted at {window:,} tokens", title_justify="left")
    for head in ("file", "format"):
        table.add_column(head)
    heads = (
        "MB",
        "talks",
        "messages",
        "asides",
        "same bytes",
        "kept",
        "stood for",
        "in their place",
        "MB/s",
    )
    for head in heads:
        table.add_column(head, justify="right")
    for each in seen:
        numbers = (each.conversations, each.entries, each.asides)
        outcome = (each.kept, each.stood_for, each.new)
        table.add_row(
            each.file,
            each.format,
            f"{each.megabytes:.1f}",
            *(f"{number:,}" for number in numbers),
            "yes" if each.identical else "[red]no[/]",
            *(f"{number:,}" for number in outcome),
            f"{each.megabytes / each.seconds:.0f}",
        )
    return table


def _streamed(console: Console, megabytes: int) -> list[str]:
    table = Table(title="Streamed: found, read, then read and written", title_justify="left")
    for head in (
        "format",
        "MB",
        "messages",
        "read MB/s",
        "and written MB/s",
        "peak RSS MB",
        "over an empty run",
    ):
        table.add_column(head, justify="right")
    empty = int(_child("-")[-1]) / 1024
    missed = []
    for name, rows in (("claude-code", _claude_rows()), ("codex", _codex_rows())):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "session.jsonl"
            size = _filled(path, rows, megabytes * 1_000_000)
            entries, written, read, wrote, peak = _child(str(path))
        over = int(peak) / 1024 - empty
        mb = size / 1e6
        table.add_row(
            name,
            f"{mb:,.0f}",
            f"{int(entries):,}",
            f"{mb / float(read):.0f}",
            f"{mb / float(wrote):.0f}",
            f"{int(peak) / 1024:.0f}",
            f"+{over:.0f}",
        )
        missed += (
            [] if int(written) == size else [f"{name}: {size:,} bytes in, {int(written):,} out"]
        )
        missed += (
            [] if over <= RSS_MOST else [f"{name}: {over:.0f} MB of memory, at most {RSS_MOST}"]
        )
    console.print(table)
    return missed


def _child(path: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", CHILD, path], capture_output=True, text=True, check=True
    )
    return run.stdout.split()


def _filled(path: Path, rows: Iterator[dict[str, Any]], size: int) -> int:
    written = 0
    with path.open("w", encoding="ascii") as file:
        while written < size:
            written += file.write(json.dumps(next(rows), separators=(",", ":")) + "\n")
    return written


def _claude_rows() -> Iterator[dict[str, Any]]:
    base = {"isSidechain": False, "sessionId": "s", "version": "2.1.17", "cwd": "/app"}
    parent, n = None, 0
    while True:
        n += 1
        use = {
            "type": "tool_use",
            "id": f"toolu_{n}",
            "name": "Read",
            "input": {"file_path": f"/app/{n}.py"},
        }
        thought = {"type": "thinking", "thinking": "I should look. " * 20, "signature": "s" * 300}
        result = {
            "type": "tool_result",
            "tool_use_id": f"toolu_{n}",
            "content": f"line {n} of the file\n" * 300,
        }
        for kind, block in (("assistant", thought), ("assistant", use), ("user", result)):
            uuid = f"{n:08d}-0000-4000-8000-{len(str(block)):012d}"
            said = {"role": kind, "content": [block]} | (
                {"id": f"msg_{n}"} if kind == "assistant" else {}
            )
            yield {"parentUuid": parent} | base | {"type": kind, "message": said, "uuid": uuid}
            parent = uuid
        yield (
            {"parentUuid": parent} | base | {"type": "progress", "data": {"n": n}, "uuid": f"p{n}"}
        )


def _codex_rows() -> Iterator[dict[str, Any]]:
    n = 0
    while True:
        n += 1
        call = {"type": "function_call", "name": "exec", "arguments": "{}", "call_id": f"call_{n}"}
        output = {
            "type": "function_call_output",
            "call_id": f"call_{n}",
            "output": f"line {n} of the file\n" * 300,
        }
        for payload in (
            {"type": "reasoning", "summary": [], "encrypted_content": "g" * 900},
            call,
            output,
        ):
            yield {
                "timestamp": "2026-01-02T03:04:05.000Z",
                "type": "response_item",
                "payload": payload,
            }
        yield {
            "timestamp": "2026-01-02T03:04:05.000Z",
            "type": "event_msg",
            "payload": {"type": "token_count"},
        }
