"""Wishes: what the agent asked for with a tool, granted when the next request is made.

A tool only signals. While its call waits for a result nothing may change, so a
wish is jotted down, and granted between turns, whatever the fill: a compaction
with the strategy that was asked for, a page. What came of it is said in Steno's
own words, so that the agent sees it on its next turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from steno.core.effects import FATAL_ERRORS, run
from steno.core.errors import StenoError
from steno.core.log import Commit
from steno.core.rung import Rung
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate
from steno.session import page
from steno.session.journal import reason_of

if TYPE_CHECKING:
    from steno.session.agent_tools import AgentTools

DEFERRED_KIND = "wish"
GRANTED_KIND = "granted"
OUTCOME_KIND = "outcome"
Strategy = Literal["summarize", "archive"]


def defer(session: AgentTools, wish: dict[str, Any]) -> None:
    session.record(DEFERRED_KIND, wish)


def pending_requests(session: AgentTools) -> list[dict[str, Any]]:
    """What was asked for and not granted yet."""
    done = {number for _, numbers in session.records(GRANTED_KIND) for number in numbers}
    return [
        value | {"number": jot.number}
        for jot, value in session.records(DEFERRED_KIND)
        if jot.number not in done
    ]


def run_deferred(session: AgentTools) -> None:
    """Grant what was asked for; several wishes to compact count once, the last one's way."""
    wishes = pending_requests(session)
    if not wishes or session.view.mending.open:
        return
    compactions = [wish for wish in wishes if wish["what"] == "compact"]
    failure = _try_compaction(session, compactions) if compactions else None
    for wish in wishes:
        if wish["what"] == "page":
            session.record(GRANTED_KIND, [wish["number"]])
            _page_in(session, wish)
    if failure is not None:
        raise failure


def _try_compaction(session: AgentTools, wishes: list[dict[str, Any]]) -> Exception | None:
    """Compact and say what came of it; what failed is not tried at every turn, what was broken off is tried again."""
    failure: Exception | None = None
    try:
        outcome = _compact_and_report(session, wishes[-1])
    except FATAL_ERRORS:
        raise
    except Exception as failed:  # noqa: BLE001 — told to the agent here, and raised once the other wishes are granted
        failure, outcome = (
            failed,
            f"compress_context failed: {reason_of(failed)}. You can ask for it again.",
        )
    session.record(GRANTED_KIND, [wish["number"] for wish in wishes])
    _report(session, outcome)
    return failure


def _compact_and_report(session: AgentTools, wish: dict[str, Any]) -> str:
    before = session.load
    commit = compact_as_asked(session, wish["strategy"], wish["markers"])
    usable = session.budget.usable
    if commit is None:
        return f"compress_context: nothing could be compacted; {before:,} of {usable:,} tokens are used."
    fill = round(100 * session.load / usable)
    how = (
        "summarized"
        if any(call.reason == "" and call.by for call in commit.asked)
        else "archived by extraction"
    )
    how = "archived" if wish["strategy"] == "archive" else how
    return (
        f"compress_context: {how}; {before:,} → {session.load:,} of {usable:,} tokens ({fill} %). "
        f"Everything can be read again with recall."
    )


def compact_as_asked(session: AgentTools, strategy: Strategy, markers: bool) -> Commit | None:
    """Compact as asked: `archive` asks no model and leaves the computed lines and the pointer."""
    policy = session.setup.policy
    ladder: tuple[Rung, ...] = (
        (Summarize(excerpts=0.0), Truncate()) if strategy == "archive" else policy.ladder
    )
    if not markers:
        ladder = tuple(_without_doubts(rung) for rung in ladder)
    asks = strategy != "archive" and session.setup.asks
    writer, limits = session.setup.writer if asks else None, session.setup.limits
    return session.retry_stale(
        lambda: session.land_outcome(
            run(session.begin_compaction("asked", ladder, asks=asks), writer, limits)
        )
    )


def _without_doubts(rung: Rung) -> Rung:
    if isinstance(rung, Summarize):
        return msgspec.structs.replace(rung, doubts=0)
    return rung


def _page_in(session: AgentTools, wish: dict[str, Any]) -> None:
    try:
        page.page_in(session, wish["where"], wish["turns"])
    except StenoError as refused:
        _report(session, f"page_in: {refused}")


def _report(session: AgentTools, text: str) -> None:
    session.say(OUTCOME_KIND, text)
