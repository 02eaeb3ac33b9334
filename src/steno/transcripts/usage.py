"""Read the token counts that a provider reported, from transcripts that keep them.

Claude Code writes the usage of each reply, Codex a running total, a trajectory in ATIF
metrics in each step. What has another shape counts as nothing: these files are not ours,
and their formats change.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from steno.core.model import Usage
from steno.providers.shared.plain_json import count_at, get_field
from steno.providers.shared.provider_report import compaction_rounds, read_usage
from steno.transcripts import open_transcript, strip_separator

SIGNS = {"claude-code": '"usage"', "codex": '"token_count"', "atif": '"metrics"'}
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
                    rows.append(json.loads(strip_separator(line)))
                except ValueError:
                    continue
    if transcript.format.name == "claude-code":
        # The rows of one reply repeat its usage; only the last is complete.
        replies: dict[Any, Any] = {}
        for row in rows:
            usage = get_field(row, "message", "usage")
            if isinstance(usage, dict):
                replies[get_field(row, "message", "id")] = usage
        usages = [each for usage in replies.values() for each in (usage, *compaction_rounds(usage))]
        counted = list(map(read_usage, usages))
    elif transcript.format.name == "codex":
        # A running total: the last one counts.
        totals = [get_field(row, "payload", "info", "total_token_usage") for row in rows]
        counted = _counted(totals, "input_tokens", "cached_input_tokens", "output_tokens")[-1:]
    else:
        steps = [get_field(row, "metrics") for row in rows]
        counted = _counted(steps, "prompt_tokens", "cached_tokens", "completion_tokens")
    if not counted:
        return None
    return sum(counted, Usage())


def _counted(usages: Iterable[Any], *names: str) -> list[Usage]:
    """Return usage under these names: sent, cached, said; what has another shape is left out."""
    found = []
    for usage in usages:
        if isinstance(usage, dict):
            sent, cached, said = (count_at(usage, name) for name in names)
            found.append(Usage(sent, cached, said=said))
    return found
