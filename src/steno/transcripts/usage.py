"""Read the token counts that a provider reported, from transcripts that keep them.

Claude Code writes the usage of each reply, Codex a running total, a trajectory in ATIF
metrics in each step. What has another shape counts as nothing: these files are not ours,
and their formats change.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steno.providers.shared.plain_json import count_at, get_field
from steno.providers.shared.provider_report import compaction_rounds
from steno.transcripts import open_transcript, strip_separator

SIGNS = {"claude-code": '"usage"', "codex": '"token_count"', "atif": '"metrics"'}
"""Words of a line that may report usage, by format."""


@dataclass(frozen=True)
class ReportedUsage:
    """Tokens of all requests, as billed."""

    input: int = 0
    """Tokens that were neither read from a cache nor written to one."""
    written: int = 0
    read: int = 0
    output: int = 0

    @property
    def sent(self) -> int:
        return self.input + self.written + self.read


def reported_usage(path: Path) -> ReportedUsage | None:
    """Return what the agent noted down in a transcript; None if the file has no counts."""
    transcript = open_transcript(path, past="include")
    sign = SIGNS.get(transcript.format.name)
    if sign is None:
        return None
    rows = []
    for piece in transcript:
        for line in piece.lines:
            if sign in line:
                try:
                    # Not msgspec's decoder: it refuses lone surrogates, which files may hold.
                    rows.append(json.loads(strip_separator(line)))
                except ValueError:
                    continue
    if transcript.format.name == "claude-code":
        return _claude_code(rows)
    if transcript.format.name == "codex":
        # A running total: the last one counts.
        totals = [get_field(row, "payload", "info", "total_token_usage") for row in rows]
        counted = [total for total in totals if isinstance(total, dict)][-1:]
        return _total(counted, "input_tokens", "cached_input_tokens", "output_tokens")
    steps = [row["metrics"] for row in rows if isinstance(get_field(row, "metrics"), dict)]
    return _total(steps, "prompt_tokens", "cached_tokens", "completion_tokens")


def _claude_code(rows: Iterable[Any]) -> ReportedUsage | None:
    replies: dict[Any, Any] = {}
    for row in rows:
        usage = get_field(row, "message", "usage")
        if isinstance(usage, dict):
            # The rows of one reply repeat its usage; only the last is complete.
            replies[get_field(row, "message", "id")] = usage
    usages = list(replies.values())
    for usage in replies.values():
        usages += compaction_rounds(usage)
    if not usages:
        return None
    return ReportedUsage(
        _sum(usages, "input_tokens"),
        _sum(usages, "cache_creation_input_tokens"),
        _sum(usages, "cache_read_input_tokens"),
        _sum(usages, "output_tokens"),
    )


def _total(usages: list[Any], sent: str, cached: str, output: str) -> ReportedUsage | None:
    """Return usage that counts cached tokens as input, and nothing for writing a cache."""
    if not usages:
        return None
    read = _sum(usages, cached)
    return ReportedUsage(_sum(usages, sent) - read, 0, read, _sum(usages, output))


def _sum(usages: Iterable[Any], key: str) -> int:
    """Add up counts; some versions write null for none."""
    return sum(count_at(usage, key) for usage in usages)
