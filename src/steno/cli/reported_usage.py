"""Read the token counts that a provider reported, from transcripts that keep them.

Claude Code writes the usage of each reply, Codex a running total, a trajectory in ATIF
metrics in each step. A row that has another shape is skipped: these files are not ours,
and their formats change.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from steno.cli.archive import is_archive
from steno.cli.source import is_store
from steno.providers.shared.provider_report import compaction_rounds
from steno.transcripts import open_transcript, strip_separator

Row = TypeVar("Row")
Count = int | None
"""A number of tokens; some versions write null for none."""


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


class ClaudeUsage(msgspec.Struct):
    input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    output_tokens: Count = 0
    type: str = "message"
    iterations: list[ClaudeUsage] | None = None


class ClaudeMessage(msgspec.Struct):
    id: str
    usage: ClaudeUsage


class ClaudeRow(msgspec.Struct):
    message: ClaudeMessage


class CodexUsage(msgspec.Struct):
    input_tokens: Count = 0
    cached_input_tokens: Count = 0
    output_tokens: Count = 0


class CodexInfo(msgspec.Struct):
    total_token_usage: CodexUsage


class CodexPayload(msgspec.Struct):
    info: CodexInfo


class CodexRow(msgspec.Struct):
    payload: CodexPayload


class AtifMetrics(msgspec.Struct):
    prompt_tokens: Count = 0
    """All input tokens, cached ones too."""
    cached_tokens: Count = 0
    completion_tokens: Count = 0


class AtifStep(msgspec.Struct):
    metrics: AtifMetrics


def reported_usage(path: Path) -> ReportedUsage | None:
    """Return what the agent noted down; None if the file has no counts."""
    if is_store(path) or is_archive(path):
        return None
    transcript = open_transcript(path, past="include")
    # Programs that report usage keep one session a file.
    if transcript.format.many:
        return None
    replies: dict[str, ClaudeUsage] = {}
    total: CodexUsage | None = None
    steps: list[AtifMetrics] = []
    for piece in transcript:
        for line in piece.lines:
            reply = _read(line, '"usage"', ClaudeRow)
            if reply is not None:
                # The rows of one reply repeat its usage; only the last is complete.
                replies[reply.message.id] = reply.message.usage
            counted = _read(line, '"token_count"', CodexRow)
            if counted is not None:
                total = counted.payload.info.total_token_usage
            step = _read(strip_separator(line), '"metrics"', AtifStep)
            if step is not None:
                steps.append(step.metrics)
    if steps:
        cached = sum(step.cached_tokens or 0 for step in steps)
        return ReportedUsage(
            sum(step.prompt_tokens or 0 for step in steps) - cached,
            0,
            cached,
            sum(step.completion_tokens or 0 for step in steps),
        )
    if total is not None:
        # Codex counts cached tokens as input, and charges nothing for writing a cache.
        cached = total.cached_input_tokens or 0
        return ReportedUsage(
            (total.input_tokens or 0) - cached, 0, cached, total.output_tokens or 0
        )
    if not replies:
        return None
    usages = [each for usage in replies.values() for each in (usage, *compaction_rounds(usage))]
    return ReportedUsage(
        sum(usage.input_tokens or 0 for usage in usages),
        sum(usage.cache_creation_input_tokens or 0 for usage in usages),
        sum(usage.cache_read_input_tokens or 0 for usage in usages),
        sum(usage.output_tokens or 0 for usage in usages),
    )


def _read(line: str, sign: str, row_type: type[Row]) -> Row | None:
    """Return the row, or None if the line lacks the sign or has another shape."""
    if sign not in line:
        return None
    try:
        # Not msgspec's own decoder, which refuses the lone surrogates that these files may hold.
        return msgspec.convert(json.loads(line), row_type)
    except (ValueError, msgspec.ValidationError):
        return None
