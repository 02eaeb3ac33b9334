"""The one turn that every loop takes: ask the model, run what it calls, measure.

During a run, compaction happens only here: when the next request is made, and just
before a large result is added.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from steno.agent.events import HistoryCompacted, ModelRetry, ToolFinished, ToolStarted, TurnFinished
from steno.agent.flow import RunCalls, RunFlow, RunStopped, TakeTurn, WaitSeconds
from steno.agent.state import RunState
from steno.agent.tools import CallBatch, Tool, result_for
from steno.core.errors import ModelFailed
from steno.core.events import ModelReplied, ToolsRan
from steno.core.log import COMPACTS
from steno.core.message import Call, Message, Result, Text
from steno.core.model import FinishedTurn
from steno.models.retry import RETRY_KINDS, RETRY_ONCE_KINDS, RetryPolicy
from steno.providers import parse_json
from steno.providers.shared.provider_report import events_in
from steno.session.session import Session

OUTCOME_UNKNOWN = (
    "[this call was under way when the run ended: whether it ran is not known; "
    "look before you do it again]"
)
CALL_REFUSED = "[the user did not allow this call]"
CUT_OFF = "[stopped]"
TURN_RETRY = RetryPolicy(retries=3, longest=300.0)


@dataclass(frozen=True)
class RunContext:
    """What a run works with."""

    session: Session
    model: str
    """Name of the model, which prices its requests."""
    tools: Mapping[str, Tool]
    request: Callable[[], dict[str, Any]]
    """Makes the next request, after the compaction that it may need."""
    confirm: Callable[[Call], bool]
    unsure: Callable[[Call], bool]
    retry: RetryPolicy
    tool_seconds: float | None
    max_tokens: int | None
    left: Callable[[], float | None]
    """Returns the seconds that the run may still take; None if there is no limit."""


@dataclass(frozen=True)
class OutOfTime:
    """The provider asks for a longer wait than the run has time left."""

    reason: str


def turn(run: RunContext, state: RunState) -> RunFlow[tuple[TurnFinished | None, RunState]]:
    """Ask the model and run what it calls.

    Returns None instead of a turn if the model failed; the state then says why.
    """
    reply = yield from _ask_model(run)
    if isinstance(reply, ModelFailed):
        return None, state.but(outcome="failed", reason=str(reply))
    if isinstance(reply, OutOfTime):
        return None, state.but(outcome="limit", reason=reply.reason)
    usage = reply.usage.sent or None
    # What a provider counted after it changed the request says nothing about our view.
    if run.session.host.hear_provider(list(events_in(reply.report))):
        usage = None
    run.session.host.learn_from_reply(reply.report)
    if reply.usage.sent:
        figures = run.session.host.sent_figures
        run.session.host.bill(run.model, reply.usage, *figures)
    run.session.host.add(*reply.messages, usage=usage)
    calls = open_calls(run.session)
    before = len(run.session.log.commits)
    if calls:
        yield from run_calls(run, calls)
    yield from _report_commits(run, before)
    state = state.but(turns=state.turns + 1, usage=state.usage + reply.usage)
    finished = TurnFinished(
        number=state.turns,
        text=reply_text(run.session, reply),
        calls=calls,
        usage=reply.usage,
        load=run.session.load,
        usable=run.session.budget.usable,
        state=state,
    )
    return finished, state


def _ask_model(run: RunContext) -> RunFlow[FinishedTurn | ModelFailed | OutOfTime]:
    """Ask the model, and again after a failure that may pass.

    After an overflow the view is shrunk, once, and the model is asked again.
    """
    tried = 0
    shrunk = False
    before = len(run.session.log.commits)
    while True:
        request = run.request()
        yield from _report_commits(run, before)  # before the words of the reply
        before = len(run.session.log.commits)
        began = time.monotonic()
        try:
            reply = yield TakeTurn(request, run.max_tokens)
        except RunStopped as stopped:
            _keep_partial_reply(run.session, stopped.words)
            raise
        _report_reply(run.session, reply, time.monotonic() - began)
        if isinstance(reply, FinishedTurn) and reply.messages:
            return reply
        # A stream may end without an error and without a word.
        if not isinstance(reply, ModelFailed):
            reply = ModelFailed("the model said nothing", "empty")
        # Once, so that a provider that refuses every size does not keep us shrinking.
        if reply.kind == "overflow" and not shrunk:
            shrunk = True
            run.session.host.shrink_after(reply)
            continue
        pause = run.retry.delay_before_retry(tried, reply.wait, random.random())
        may_pass = reply.kind in RETRY_KINDS | RETRY_ONCE_KINDS
        if pause is None or not may_pass or tried >= run.retry.retries:
            return reply
        left = run.left()
        # At once: the run would only wait for its limit, and end there.
        if left is not None and pause >= left:
            return OutOfTime(
                f"{reply}; asking again in {pause:,.0f} seconds would go over the limit"
            )
        yield ModelRetry(str(reply), pause)
        yield WaitSeconds(pause)
        tried += 1


def _report_reply(session: Session, reply: Any, seconds: float) -> None:
    """Emit how long the model took, and what for."""
    compacted = any(commit.why in COMPACTS for commit in session.log.live)
    if isinstance(reply, ModelFailed):
        session.host.emit(ModelReplied(seconds, compacted=compacted, error=reply.kind))
    elif isinstance(reply, FinishedTurn):
        session.host.emit(ModelReplied(seconds, reply.usage, compacted))


def _keep_partial_reply(session: Session, words: str) -> None:
    """Add the words that had arrived when the caller stopped to the log."""
    if words.strip():
        message = Message("assistant", (Text(f"{words} {CUT_OFF}"),))
        session.add(*map(parse_json, session.host.wire.encode(message)))


def run_calls(
    run: RunContext, calls: tuple[Call, ...], *, again: bool = False, asked: bool = False
) -> RunFlow[None]:
    """Run a batch of calls; it is recorded before and its results are added after.

    So a call that ran is not run twice after a kill. `asked` says that the caller
    has confirmed these calls already.
    """
    allowed = {at for at, call in enumerate(calls) if asked or _is_allowed(run, call)}
    chosen = tuple(call for at, call in enumerate(calls) if at in allowed)
    for call in chosen:
        yield ToolStarted(call)
    session_tools = run.session.host.tools.names()
    # Before the first call runs: `resume_calls` takes a batch without this mark as not begun.
    run.session.host.records.add("batch", {"at": _calling_turn_start(run.session), "again": again})
    began = time.monotonic()
    try:
        results_of_chosen = yield RunCalls(
            lambda loop: CallBatch(chosen, run.tools, run.session.handle, loop, session_tools),
            run.tool_seconds,
        )
    except RunStopped as stopped:
        add_results(run.session, _results_in_order(calls, allowed, stopped.results))
        raise
    assert isinstance(results_of_chosen, tuple)
    names = tuple(call.name for call in chosen)
    run.session.host.emit(ToolsRan(names, time.monotonic() - began))
    results = _results_in_order(calls, allowed, results_of_chosen)
    add_results(run.session, results)
    for call, result in zip(calls, results, strict=True):
        yield ToolFinished(call, result)


def _is_allowed(run: RunContext, call: Call) -> bool:
    tool = run.tools.get(call.name)
    return tool is None or tool.safe or run.confirm(call)


def _results_in_order(
    calls: tuple[Call, ...], allowed: set[int], results: tuple[Result, ...]
) -> tuple[Result, ...]:
    """Return a result for every call; calls that were not allowed get one that says so."""
    given = iter(results)
    ordered = []
    for at, call in enumerate(calls):
        if at in allowed:
            ordered.append(next(given))
        else:
            ordered.append(result_for(call, CALL_REFUSED, error=True))
    return tuple(ordered)


def add_results(session: Session, results: tuple[Result, ...]) -> None:
    """Add the results of a batch, after making room if they are large."""
    message = Message("tool", results)
    # Before they are added: then they are in the tail, which soft pressure leaves alone.
    session.host.make_room_for(session.view.meter.message(message))
    session.add(*map(parse_json, session.host.wire.encode(message)))


def open_calls(session: Session) -> tuple[Call, ...]:
    """Return the calls that have no result yet, oldest first."""
    # By the ids that were said: the view may show another where a provider's id came twice.
    open_ids = {pending.said for pending in session.view.mending.open}
    newest = session.log.messages[_calling_turn_start(session) :]
    return tuple(call for message in newest for call in message.calls if call.id in open_ids)


def _calling_turn_start(session: Session) -> int:
    """Return the position where the newest turn with calls begins."""
    messages = session.log.messages
    at = len(messages) - 1
    while at > 0 and not any(messages[at].calls):
        at -= 1
    at = max(at, 0)
    # OpenAI's responses say one turn in several messages.
    while at > 0 and messages[at - 1].role == "assistant":
        at -= 1
    return at


def resume_calls(run: RunContext) -> RunFlow[None]:
    """Run the calls that a killed run left open.

    Calls of a batch that had not begun are run. Others may have run already: they are
    run again only if the tool is safe or `unsure` says so.
    """
    calls = open_calls(run.session)
    if not calls:
        return
    start = _calling_turn_start(run.session)
    begun = any(mark["at"] == start for _, mark in run.session.host.records.of("batch"))
    again = tuple(call for call in calls if not begun or _is_safe(run, call) or run.unsure(call))
    left = tuple(
        result_for(call, OUTCOME_UNKNOWN, error=True) for call in calls if call not in again
    )
    if left:
        add_results(run.session, left)
    if again:
        # If the batch had begun, `unsure` has been asked: do not ask `confirm` as well.
        yield from run_calls(run, again, again=True, asked=begun)


def _is_safe(run: RunContext, call: Call) -> bool:
    return call.name in run.tools and run.tools[call.name].safe


def reply_text(session: Session, reply: FinishedTurn) -> str:
    """Return the text of the reply that was just added."""
    stop = len(session.log.messages)
    # Only results follow the newest reply.
    while stop > 0 and session.log.messages[stop - 1].role != "assistant":
        stop -= 1
    newest = session.log.messages[max(0, stop - len(reply.messages)) : stop]
    return "\n".join(
        message.text for message in newest if message.role == "assistant" and message.text
    )


def _report_commits(run: RunContext, before: int) -> RunFlow[None]:
    for commit in run.session.log.commits[before:]:
        if commit.why in COMPACTS:
            host = run.session.host
            yield HistoryCompacted(commit, host.agent_name, host.event_log.iteration)
