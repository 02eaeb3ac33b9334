"""What a provider itself reported for the requests of a session, where the transcript kept it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steno.transcript import Entry, opened


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
    """The sum of what Claude Code noted down for each reply; None where nobody did."""
    from steno.service.commands.source import is_store

    if is_store(path):
        return None
    usages: dict[str, dict[str, Any]] = {}
    for piece in opened(path, whole=True):
        if isinstance(piece, Entry):
            for line in piece.lines:
                usages |= _usage(line)
    if not usages:
        return None
    return Reported(
        _sum(usages, "input_tokens"),
        _sum(usages, "cache_creation_input_tokens"),
        _sum(usages, "cache_read_input_tokens"),
        _sum(usages, "output_tokens"),
    )


def _usage(line: str) -> dict[str, dict[str, Any]]:
    """By the reply's id: its rows repeat the figure, and the last one is whole."""
    if '"usage"' not in line:
        return {}
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    message = row.get("message") if isinstance(row, dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("id"), str):
        return {}
    usage = message.get("usage")
    return {message["id"]: usage} if isinstance(usage, dict) else {}


def _sum(usages: dict[str, dict[str, Any]], key: str) -> int:
    return sum(value for usage in usages.values() if isinstance(value := usage.get(key), int))
