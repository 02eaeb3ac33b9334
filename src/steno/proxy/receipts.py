"""Receipts: one line of JSON for each conversation's request.

A line says what went upstream, how much of it the provider may still have in its cache,
and what was billed; it holds no words of the conversation.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec

from steno.core.errors import BadInput
from steno.core.word_tables import word_tuple
from steno.providers.bill import SIDE_CALL, SUB_AGENT, RequestBill
from steno.providers.cache_marks import cache_mark_keys
from steno.store.file import tighten

SESSIONS_MOST = 1_000
"""Sessions of which something is remembered, such as the last request."""


@dataclass(frozen=True)
class Receipt:
    """One request of a conversation, without its words."""

    session: str
    status: int
    came: int
    """Bytes of the client's request."""
    went: int
    """Bytes that went upstream."""
    messages: int
    bill: RequestBill
    """What the provider reported, what that cost, and what was left out."""
    kept: int = 0
    """Leading messages that were sent before, byte for byte."""
    rewritten: int = 0
    """Messages of the last request, after those, that were not sent again."""
    can_open: int = 0
    """Messages of the session; each can be opened by its position."""
    hidden: int = 0
    """Messages that came and did not go as they came."""
    compactions: int = 0
    """Compactions of the session so far."""
    passed: str = ""
    """Why it went out as it came, if that was not meant."""
    digest: str = ""
    """SHA-256 of the body that went upstream; empty if nobody says whose it is."""


class Receipts:
    """Counts what passes, and writes a line for each request if there is a file for it."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._lock = threading.RLock()
        self._last: dict[str, list[bytes]] = {}
        self._newest: dict[str, str] = {}
        """Digest of the newest request of each session, to tell one that is sent again."""
        self.totals: dict[str, float] = dict.fromkeys(TOTALS, 0)
        if self._path is not None:
            try:
                os.close(_open(self._path))
            except OSError as failure:
                raise BadInput(f"cannot write receipts to {path}: {failure.strerror}") from None
            tighten(self._path)

    def compare(self, session: str, sent: Sequence[bytes]) -> tuple[int, int]:
        """Return how many leading messages were sent before, and how many were given up."""
        digests = [_digest(piece) for piece in sent]
        with self._lock:
            before = self._last.get(session, [])
            remember_newest(self._last, session, digests)
        same = takewhile(lambda pair: pair[0] == pair[1], zip(before, digests, strict=False))
        kept = sum(1 for _ in same)
        return kept, len(before) - kept

    def add(self, receipt: Receipt) -> None:
        """Count a request that is over, and write its line."""
        line = {"at": round(time.time(), 3), **asdict(receipt)}
        line |= msgspec.structs.asdict(line.pop("bill"))
        bill = receipt.bill
        with self._lock:
            # Counts of what was sent before would tell a stranger who sent the same list.
            known = bool(receipt.digest)
            if not bill.kind:
                self.totals["newest_tokens"] = bill.shown
                self.totals["newest_spared"] = bill.spared
                self.totals["newest_compactions"] = receipt.compactions
            if receipt.status < 400:
                self.count(tokens_shown=bill.shown)
            self.count(
                requests=1,
                bytes_came=receipt.came,
                bytes_went=receipt.went,
                messages_rewritten=receipt.rewritten * known,
                of_sub_agents=bill.kind == SUB_AGENT,
                side_calls=bill.kind == SIDE_CALL,
                repeated=known and receipt.digest == self._newest.get(receipt.session),
                passed_unchanged=bool(receipt.passed),
                failed=receipt.status >= 400,
                tokens_spared=bill.spared,
                tokens_billed=bill.usage.sent,
                tokens_cached=bill.usage.cached,
                dollars_billed=bill.spent or 0.0,
                dollars_spared=bill.saved or 0.0,
            )
            remember_newest(self._newest, receipt.session, receipt.digest)
            if self._path is not None:
                _append(self._path, msgspec.json.encode(line))

    def count(self, **more: float) -> None:
        """Add to totals."""
        with self._lock:
            for name, number in more.items():
                self.totals[name] += number


def remember_newest(table: dict[str, Any], session: str, value: object) -> None:
    """Put what is known of a session at the end of a table; the oldest goes if it is full."""
    table.pop(session, None)
    table[session] = value
    while len(table) > SESSIONS_MOST:
        del table[next(iter(table))]


def _open(path: Path) -> int:
    return os.open(path, os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o600)


def _append(path: Path, line: bytes) -> None:
    file = _open(path)
    try:
        size = os.fstat(file).st_size
        if size and os.pread(file, 1, size - 1) != b"\n":
            # The machine went down in the middle of a line.
            line = b"\n" + line
        if os.write(file, line + b"\n") <= len(line):
            # The disk is full: no half line stays.
            os.ftruncate(file, size)
    finally:
        os.close(file)


TOTALS = word_tuple(
    "requests failed passed_unchanged bytes_came bytes_went messages_rewritten newest_tokens "
    "newest_spared newest_compactions tokens_shown tokens_spared tokens_billed tokens_cached "
    "dollars_billed dollars_spared of_sub_agents side_calls repeated shadow_runs shadow_same "
    "shadow_floor"
)


OTHER_REQUESTS = {
    "of_sub_agents": "of sub-agents",
    "side_calls": "beside the conversation",
    "repeated": "sent again",
}
"""Requests that are not just the next one of the agent's own conversation."""


def figures_line(stats: Mapping[str, Any]) -> str:
    """Return what a proxy did so far, in tokens and money."""
    shown, spared = stats["tokens_shown"], stats["tokens_spared"]
    counted = OTHER_REQUESTS.items()
    others = [f"{stats[figure]:,} {words}" for figure, words in counted if stats[figure]]
    line = f"{stats['requests']:,} requests"
    if others:
        line += f" ({', '.join(others)})"
    line += f", {shown:,} of {shown + spared:,} tokens shown, {spared:,} spared"
    if stats["tokens_cached"]:
        line += f", {stats['tokens_cached'] / stats['tokens_billed']:.0%} from cache"
    if stats["dollars_billed"]:
        line += f"; billed ${stats['dollars_billed']:,.2f}"
        line += f", spared at least ${stats['dollars_spared']:,.2f}"
    if stats["passed_unchanged"]:
        line += f"; {stats['passed_unchanged']} passed unchanged"
    return line


def _digest(piece: bytes) -> bytes:
    # A cache mark moves to the newest message with each request, and is not cached itself.
    # Looked for first: the pattern takes 200 times as long over a text without one.
    for key in map(str.encode, cache_mark_keys()):
        if b'"%b"' % key in piece:
            piece = re.sub(rb',?\s*"%b":\s*\{[^{}]*\}' % key, b"", piece)
    return blake2b(piece, digest_size=16).digest()
