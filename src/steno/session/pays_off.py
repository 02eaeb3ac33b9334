"""Whether a compaction under soft pressure pays.

Owns the figures for a commit that could land: what the next request costs with and
without it, what stays cached, how long ago the last request was, what a writer will
cost. The arithmetic is in `steno.core.price`.
"""

from __future__ import annotations

from steno.core.effects import Model
from steno.core.errors import BadInput
from steno.core.log import Commit
from steno.core.price import CompactionCandidate, Payoff, Prices
from steno.core.view import View
from steno.meters.catalog import model_prices
from steno.models.retry import RetryingWriter, writer_name

REPLY_TOKENS = 1_000
"""Tokens of a writer's reply, at a guess."""


def case_for(
    commit: Commit, view: View, fixed: int, idle: float, asked: float
) -> CompactionCandidate:
    """Return the figures for a commit that was drafted on this view."""
    first = min((edit.span.start for edit in commit.edits), default=0)
    before = sum(item.tokens for item in view.items if item.span.stop <= first)
    kept = min(view.meter.load(fixed + before), commit.after)
    return CompactionCandidate(commit.before, commit.after, kept, idle, asked)


def writing_cost(prices: Prices, writer: Model | None, commit: Commit) -> float:
    """Return what a writer costs that reads what is covered; by the agent's prices if unknown."""
    if writer is None:
        return 0.0
    asks = _writer_prices(writer) or prices
    return (
        asks.input * max(0, commit.before - commit.after) + asks.output * REPLY_TOKENS
    ) / 1_000_000


def _writer_prices(writer: Model) -> Prices | None:
    first = writer
    if isinstance(writer, RetryingWriter):
        first = writer.writers[0]
    try:
        return model_prices(writer_name(first).rpartition(":")[2])
    except BadInput:
        return None


def explain_refusal(verdict: Payoff, turns: int) -> str:
    """Return in one line why nothing lands."""
    more = f"{-verdict.saved:.4f} dollars more than going on as it is"
    return f"it would not pay within {turns:,} turns: {more}"
