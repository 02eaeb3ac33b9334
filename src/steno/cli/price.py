"""Print what `steno replay --price` finds: bills, and whether compacting now pays."""

from __future__ import annotations

from pathlib import Path

from steno.cli.describe import plural
from steno.cli.output import QUIET, TerminalPage
from steno.cli.source import is_store
from steno.core.price import Prices
from steno.lab.price import REPORTED, CompactionNow, SessionCost
from steno.transcripts.usage import ReportedUsage, reported_usage

ESTIMATED = "The rest: characters / 4 of the messages; prompt and tools are not in the file."


def usage_in(file: Path) -> ReportedUsage | None:
    """Return what a transcript says was billed; a store says nothing."""
    if is_store(file):
        return None
    return reported_usage(file)


def print_cost(page: TerminalPage, cost: SessionCost, prices: Prices, turns: int) -> None:
    """Print what a session cost, and whether compacting it now pays."""
    count = plural(cost.requests, "request")
    page.line((cost.session, "bold"), f" · {count}, {cost.said:,} tokens said")
    read, write, output = map(_dollars, (prices.read, prices.write, prices.output))
    words = f"{cost.model}, {cost.window:,} tokens; a million of them: "
    page.line((f"{words}{read} cached, {write} new, {output} out", QUIET))
    page.line()
    rows = []
    for row in (*cost.rows, *filter(None, (cost.system,))):
        cached = f"{row.cached / max(1, row.sent):.0%}"
        paid = (_dollars(row.input), _dollars(row.output), _dollars(row.input + row.output))
        rows.append((row.name, f"{row.sent:,}", cached, *paid))
    page.table(("", ">sent", ">cached", ">input", ">output", ">total"), rows)
    if cost.rows[0].name == REPORTED:
        page.line((ESTIMATED, QUIET))
    page.line()
    page.sentence(_payoff_words(cost.now, turns))
    page.line()


def _payoff_words(now: CompactionNow | None, turns: int) -> str:
    if now is None:
        return "There is nothing to compact."
    first = f"Compacting now, {now.before:,} to {now.after:,} tokens,"
    if now.turns is None:
        return f"{first} never pays, and no other depth that was tried does."
    after = f"from turn {now.turns:,.0f} on"
    if now.turns <= 1:
        after = "at once"
    result, others = "saved", "saves more"
    if now.saved < 0:
        result, others = "lost", "loses less"
    amount = f"over {turns} turns {_dollars(abs(now.saved))} {result}"
    return f"{first} pays {after}; {amount}. No other depth that was tried {others}."


def _dollars(amount: float) -> str:
    if amount >= 0.10 or not amount:
        return f"${amount:,.2f}"
    return f"${amount:,.4f}"
