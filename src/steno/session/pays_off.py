"""Whether a compaction pays that only soft pressure asks for.

Owns the case that is made for it, from a commit that could land: what the next
request weighs with and without it, what stays cached, how long ago the last
request was, what a writer will take. The arithmetic is `core/price.py`'s.
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
"""Tokens that a writer says, at a guess."""


def case_for(
    commit: Commit, view: View, fixed: int, idle: float, asked: float
) -> CompactionCandidate:
    """The case for a commit that was drafted on this view."""
    first = min((edit.span.start for edit in commit.edits), default=0)
    before = sum(item.tokens for item in view.items if item.span.stop <= first)
    kept = min(view.meter.load(fixed + before), commit.after)
    return CompactionCandidate(commit.before, commit.after, kept, idle, asked)


def writing_cost(prices: Prices, writer: Model | None, commit: Commit) -> float:
    """What a writer takes for reading what is covered; the agent's own prices where its own are not known."""
    if writer is None:
        return 0.0
    asks = _writer_prices(writer) or prices
    return (
        asks.input * max(0, commit.before - commit.after) + asks.output * REPLY_TOKENS
    ) / 1_000_000


def _writer_prices(writer: Model) -> Prices | None:
    first = writer.writers[0] if isinstance(writer, RetryingWriter) else writer
    try:
        return model_prices(writer_name(first).rpartition(":")[2])
    except BadInput:
        return None


def explain_refusal(verdict: Payoff, turns: int) -> str:
    """Why nothing lands, in one line."""
    return f"it would not pay within {turns:,} turns: {-verdict.saved:.4f} dollars more than going on as it is"
