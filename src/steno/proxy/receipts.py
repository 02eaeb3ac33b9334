"""Receipts: one line for each conversation's request, chained by hashes.

A line says what went upstream, how much of it the provider may still have in its cache,
and what was billed; no words of anybody. Each line holds the hash of the one before it,
so that a line which was changed or taken out shows.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import msgspec

from steno.core.errors import BadInput
from steno.store.file import tighten

SESSIONS_MOST = 1_000
"""Sessions whose last request is remembered, to tell what of it was sent again."""
START = "0" * 64
_CACHE_MARK = re.compile(rb',?\s*"cache_control":\s*\{[^{}]*\}')


@dataclass(frozen=True)
class Receipt:
    """One request of a conversation, without its words."""

    session: str
    model: str
    status: int
    came: int
    """Bytes of the client's request."""
    went: int
    """Bytes that went upstream."""
    messages: int
    tokens: int
    """Tokens of the view, as Steno counts."""
    kept: int = 0
    """Leading messages that were sent before, byte for byte."""
    rewritten: int = 0
    """Messages of the last request, after those, that were not sent again."""
    usage: dict[str, Any] = field(default_factory=dict)
    """What the provider billed."""
    passed: str = ""
    """Why it went out as it came, if that was not meant."""
    digest: str = ""
    """SHA-256 of the body that went upstream."""


class Receipts:
    """Counts what passes, and writes a line for each request if there is a file for it."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._lock = threading.Lock()
        self._last: dict[str, list[bytes]] = {}
        self._hash = START
        self.totals: dict[str, int] = dict.fromkeys(TOTALS, 0)
        if self._path is not None and self._path.exists():
            tighten(self._path)
            _cut_torn_line(self._path)
            self._hash = check_receipts(self._path)

    def compare(self, session: str, sent: Sequence[bytes]) -> tuple[int, int]:
        """Return how many leading messages were sent before, and how many were given up."""
        digests = [_digest(piece) for piece in sent]
        with self._lock:
            before = self._last.pop(session, [])
            self._last[session] = digests
            while len(self._last) > SESSIONS_MOST:
                del self._last[next(iter(self._last))]
        kept = 0
        for one, other in zip(before, digests, strict=False):
            if one != other:
                break
            kept += 1
        return kept, len(before) - kept

    def add(self, receipt: Receipt) -> None:
        """Count a request that is over, and write its line."""
        line = {"at": round(time.time(), 3), **asdict(receipt)}
        with self._lock:
            self.totals["requests"] += 1
            self.totals["bytes_came"] += receipt.came
            self.totals["bytes_went"] += receipt.went
            self.totals["messages_rewritten"] += receipt.rewritten
            self.totals["passed_unchanged"] += bool(receipt.passed)
            self.totals["failed"] += receipt.status >= 400
            if self._path is None:
                return
            line["before"] = self._hash
            text = msgspec.json.encode(line)
            self._hash = sha256(text).hexdigest()
            self._write(text + b"\n")

    def _write(self, line: bytes) -> None:
        assert self._path is not None
        file = os.open(self._path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        try:
            os.write(file, line)
        finally:
            os.close(file)


TOTALS = (
    "requests",
    "failed",
    "passed_unchanged",
    "bytes_came",
    "bytes_went",
    "messages_rewritten",
)


def _digest(piece: bytes) -> bytes:
    # A cache mark moves to the newest message with each request, and is not cached itself.
    # Looked for first: the pattern takes 200 times as long over a text without one.
    if b'"cache_control"' in piece:
        piece = _CACHE_MARK.sub(b"", piece)
    return blake2b(piece, digest_size=16).digest()


def _cut_torn_line(path: Path) -> None:
    """Drop the end of a file that a killed process did not finish; it was no line yet."""
    text = path.read_bytes()
    whole = text.rfind(b"\n") + 1
    if whole < len(text):
        os.truncate(path, whole)


def check_receipts(path: str | os.PathLike[str]) -> str:
    """Check the chain of a file and return its last hash; raise BadInput where it is broken."""
    last = START
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            text = line.rstrip(b"\n")
            try:
                before = msgspec.json.decode(text)["before"]
            except (msgspec.DecodeError, KeyError, TypeError):
                raise BadInput(f"{path}, line {number}: this is no receipt") from None
            if before != last:
                raise BadInput(
                    f"{path}, line {number}: the line before it was changed or taken out"
                )
            last = sha256(text).hexdigest()
    return last
