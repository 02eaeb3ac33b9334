"""Read the token counts that a provider reported, from transcripts that keep them.

Claude Code writes the usage of each reply, Codex a running total. What has another shape
counts as nothing: these files are not ours, and their formats change.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from steno.core.model import Usage
from steno.providers.shared.plain_json import count_at, get_field
from steno.providers.shared.provider_report import compaction_rounds, read_usage
from steno.transcripts import open_transcript

SIGNS = {"claude-code": '"usage"', "codex": '"token_count"'}
"""Words of a line that may report usage, by format."""


def reported_usage(path: Path) -> Usage | None:
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
                    rows.append(json.loads(line))
                except ValueError:
                    continue
    if transcript.format.name == "codex":
        # A running total: the last one counts.
        totals = (get_field(row, "payload", "info", "total_token_usage") for row in reversed(rows))
        return next((_codex_usage(total) for total in totals if isinstance(total, dict)), None)
    # The rows of one reply repeat its usage; only the last is complete.
    replies: dict[Any, Any] = {}
    for row in rows:
        usage = get_field(row, "message", "usage")
        if isinstance(usage, dict):
            replies[get_field(row, "message", "id")] = usage
    if not replies:
        return None
    usages = [each for usage in replies.values() for each in (usage, *compaction_rounds(usage))]
    return sum(map(read_usage, usages), Usage())


def _codex_usage(total: Any) -> Usage:
    sent, cached = count_at(total, "input_tokens"), count_at(total, "cached_input_tokens")
    return Usage(sent, cached, said=count_at(total, "output_tokens"))
