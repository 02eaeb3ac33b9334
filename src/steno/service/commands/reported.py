"""What a provider itself reported for the requests of a session, where the transcript kept it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steno.service.commands.archive import is_archive
from steno.service.commands.source import is_store
from steno.transcript import opened

Usage = dict[str, Any]


@dataclass(frozen=True)
class Reported:
    """Tokens over all requests, as billed."""

    input: int = 0
    """Neither read from a cache nor written to one."""
    written: int = 0
    read: int = 0
    output: int = 0

    @property
    def sent(self) -> int:
        return self.input + self.written + self.read


def reported(path: Path) -> Reported | None:
    """What Claude Code noted down for each reply, or Codex for all of them; None where nobody did."""
    if is_store(path) or is_archive(path):
        return None
    transcript = opened(path, whole=True)
    if transcript.format.many:  # those who note it down keep one session a file
        return None
    replies: dict[str, Usage] = {}
    last: Usage = {}
    for piece in transcript:
        for line in piece.lines:
            replies |= _of_reply(line)
            last = _of_all(line) or last
    return _from_codex(last) if last else _from_claude(replies)


def _from_claude(replies: dict[str, Usage]) -> Reported | None:
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    return Reported(*(sum(_number(usage, key) for usage in replies.values()) for key in keys)) if replies else None


def _from_codex(usage: Usage) -> Reported:
    """Its input holds what was cached; writing a cache costs nothing there."""
    cached = _number(usage, "cached_input_tokens")
    return Reported(_number(usage, "input_tokens") - cached, 0, cached, _number(usage, "output_tokens"))


def _of_reply(line: str) -> dict[str, Usage]:
    """By the reply's id: its rows repeat the figure, and the last one is whole."""
    message = _inside(line, '"usage"', "message")
    id, usage = message.get("id"), message.get("usage")
    return {id: usage} if isinstance(id, str) and isinstance(usage, dict) else {}


def _of_all(line: str) -> Usage:
    """The sum so far, as Codex says it after each request."""
    info = _inside(line, '"token_count"', "payload").get("info")
    usage = info.get("total_token_usage") if isinstance(info, dict) else None
    return usage if isinstance(usage, dict) else {}


def _inside(line: str, sign: str, key: str) -> Usage:
    """What a row that bears a sign holds under a key."""
    if sign not in line:
        return {}
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    found = row.get(key) if isinstance(row, dict) else None
    return found if isinstance(found, dict) else {}


def _number(usage: Usage, key: str) -> int:
    value = usage.get(key)
    return value if isinstance(value, int) else 0
