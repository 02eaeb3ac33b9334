"""The one turn that every loop takes: speak, run what was called, measure.

Compaction happens here and nowhere else in a run: between turns, when the next
request is made, and just before a large result comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from steno.agent.events import HistoryCompacted, ModelRetry, ToolFinished, ToolStarted, TurnFinished
from steno.agent.flow import RunCalls, RunFlow, RunStopped, TakeTurn, WaitFor
from steno.agent.state import RunState
from steno.agent.tools import CallBatch, Tool, result_for
from steno.core.errors import ModelFailed
from steno.core.message import Call, Message, Result, Text
from steno.core.model import FailureKind, FinishedTurn
from steno.session.session import Session, shrink_after
from steno.wires import parse_json

RETRYABLE: frozenset[FailureKind] = frozenset(
    {"timeout", "busy", "server", "reset", "invalid", "empty"}
)
"""Troubles that may be gone at the next try."""
OUTCOME_UNKNOWN = "[this call was under way when the run ended: whether it ran is not known; look before you do it again]"
CALL_REFUSED = "[the user did not allow this call]"
CUT_OFF = "[stopped]"
WAIT_MOST = 300.0
"""Seconds of one wait before a model is asked again, whatever a provider says."""


@dataclass(frozen=True)
class RunContext:
    """What a run works with."""

    session: Session
    tools: Mapping[str, Tool]
    definitions: list[dict[str, Any]]
    """Of these tools, as the provider wants them; the session's own come on top."""
    system: Any
    confirm: Callable[[Call], bool]
    unsure: Callable[[Call], bool]
    retries: int
    pause: Callable[[int, float | None], float]
    tool_seconds: float | None
    max_tokens: int | None
    left: Callable[[], float | None]
    """Seconds that the run may still take; None where nobody said how long."""

    def request(self) -> dict[str, Any]:
        """The next request; what pressure demands has landed, and wishes are granted."""
        made = self.session.request(
            system=self.system, tools=[*self.definitions, *self.session.tools()]
        )
        said = self.session.parts.tools.indicator()
        if said is None:
            return made
        return _with_last_line(made, said)


def _with_last_line(request: dict[str, Any], text: str) -> dict[str, Any]:
    """The request with a line at its very end, after all that a cache may hold."""
    key = "input" if "input" in request else "messages"
    return request | {key: [*request[key], {"role": "user", "content": text}]}


@dataclass(frozen=True)
class OutOfTime:
    """The model asks to be left alone for longer than the run may take."""

    reason: str


def turn(run: RunContext, state: RunState) -> RunFlow[tuple[TurnFinished | None, RunState]]:
    """Let the model speak and run what it calls; None where it could not, and the state says why."""
    come = yield from _ask_model(run)
    if isinstance(come, ModelFailed):
        return None, state.but(outcome="failed", reason=str(come))
    if isinstance(come, OutOfTime):
        return None, state.but(outcome="limit", reason=come.reason)
    run.session.add(*come.messages, usage=come.usage.sent or None)
    calls = open_calls(run.session)
    before = len(run.session.log.commits)
    if calls:
        yield from run_calls(run, calls)
    yield from _report_commits(run, before)
    state = state.but(turns=state.turns + 1, usage=state.usage + come.usage)
    taken = TurnFinished(
        number=state.turns,
        text=reply_text(run.session, come),
        calls=calls,
        usage=come.usage,
        load=run.session.load,
        usable=run.session.budget.usable,
        state=state,
    )
    return taken, state


def _ask_model(run: RunContext) -> RunFlow[FinishedTurn | ModelFailed | OutOfTime]:
    """What the model says, asked again where that may help, and once more after it found the request too long."""
    tried, shrunk = 0, False
    before = len(run.session.log.commits)
    while True:
        request = run.request()
        yield from _report_commits(run, before)  # told before the words that answer it
        before = len(run.session.log.commits)
        try:
            come = yield TakeTurn(request, run.max_tokens)
        except RunStopped as stopped:
            _keep_partial_reply(run.session, stopped.words)
            raise
        if isinstance(come, FinishedTurn) and come.messages:
            return come
        if not isinstance(come, ModelFailed):
            come = ModelFailed("the model said nothing", "empty")
        if come.kind == "overflow" and not shrunk:
            shrunk = True
            shrink_after(run.session, come)
            continue
        if come.kind not in RETRYABLE or tried >= run.retries:
            return come
        wanted, left = run.pause(tried, come.wait), run.left()
        if left is not None and wanted >= left:
            return OutOfTime(
                f"{come}; asking again in {wanted:,.0f} seconds would go over the limit"
            )
        seconds = min(max(wanted, 0.0), WAIT_MOST)
        yield ModelRetry(str(come), seconds)
        yield WaitFor(seconds)
        tried += 1


def _keep_partial_reply(session: Session, words: str) -> None:
    """What had been said when the caller let go is part of the log all the same."""
    if words.strip():
        said = Message("assistant", (Text(f"{words} {CUT_OFF}"),))
        session.add(*map(parse_json, session.parts.settings.wire.encode(said)))


def run_calls(
    run: RunContext, calls: tuple[Call, ...], *, again: bool = False, asked: bool = False
) -> RunFlow[None]:
    """Run a batch, marked before and kept after, so that a call that ran is not run twice."""
    allowed = {at for at, call in enumerate(calls) if asked or _is_allowed(run, call)}
    chosen = tuple(call for at, call in enumerate(calls) if at in allowed)
    for call in chosen:
        yield ToolStarted(call)
    own = run.session.parts.tools.names()
    run.session.parts.journal.record(
        "batch", {"at": _calling_turn_start(run.session), "again": again}
    )
    try:
        come = yield RunCalls(
            lambda loop: CallBatch(chosen, run.tools, run.session.handle, loop, own),
            run.tool_seconds,
        )
    except RunStopped as stopped:
        add_results(run.session, _results_in_order(calls, allowed, stopped.results))
        raise
    assert isinstance(come, tuple)
    results = _results_in_order(calls, allowed, come)
    add_results(run.session, results)
    for call, result in zip(calls, results, strict=True):
        yield ToolFinished(call, result)


def _is_allowed(run: RunContext, call: Call) -> bool:
    tool = run.tools.get(call.name)
    return tool is None or tool.safe or run.confirm(call)


def _results_in_order(
    calls: tuple[Call, ...], allowed: set[int], come: tuple[Result, ...]
) -> tuple[Result, ...]:
    given = iter(come)
    return tuple(
        next(given) if at in allowed else result_for(call, CALL_REFUSED, error=True)
        for at, call in enumerate(calls)
    )


def add_results(session: Session, results: tuple[Result, ...]) -> None:
    """Add the results of a batch, after making room where they are large."""
    said = Message("tool", results)
    session.parts.compactor.make_room_for(session.view.meter.message(said))
    session.add(*map(parse_json, session.parts.settings.wire.encode(said)))


def open_calls(session: Session) -> tuple[Call, ...]:
    """The calls that have no result yet, oldest first."""
    open_ids = {pending.said for pending in session.view.mending.open}
    return tuple(call for call in _last_calls(session) if call.id in open_ids)


def _last_calls(session: Session) -> Iterator[Call]:
    for message in session.log.messages[_calling_turn_start(session) :]:
        yield from message.calls


def _calling_turn_start(session: Session) -> int:
    """Where the newest turn that calls something begins: a provider may say one turn in several messages."""
    messages = session.log.messages
    at = next((at for at in range(len(messages) - 1, -1, -1) if any(messages[at].calls)), 0)
    while at > 0 and messages[at - 1].role == "assistant":
        at -= 1
    return at


def resume_calls(run: RunContext) -> RunFlow[None]:
    """Deal with the calls that a run left open: those not begun are run, others only where that is safe."""
    calls = open_calls(run.session)
    if not calls:
        return
    begun = any(
        mark["at"] == _calling_turn_start(run.session)
        for _, mark in run.session.parts.journal.records("batch")
    )
    again = tuple(call for call in calls if not begun or _is_safe(run, call) or run.unsure(call))
    left = tuple(
        result_for(call, OUTCOME_UNKNOWN, error=True) for call in calls if call not in again
    )
    if left:
        add_results(run.session, left)
    if again:
        yield from run_calls(
            run, again, again=True, asked=begun
        )  # who was unsure has been asked already


def _is_safe(run: RunContext, call: Call) -> bool:
    return call.name in run.tools and run.tools[call.name].safe


def reply_text(session: Session, spoken: FinishedTurn) -> str:
    """The words of what was just said."""
    said = session.log.messages[_reply_start(session, len(spoken.messages)) :]
    return "\n".join(
        message.text for message in said if message.role == "assistant" and message.text
    )


def _reply_start(session: Session, many: int) -> int:
    """Where the newest words of the assistant begin: what follows them are results."""
    at = len(session.log.messages)
    while at > 0 and session.log.messages[at - 1].role != "assistant":
        at -= 1
    return max(0, at - many)


def _report_commits(run: RunContext, before: int) -> RunFlow[None]:
    for commit in run.session.log.commits[before:]:
        if commit.why in ("soft", "hard", "asked"):
            yield HistoryCompacted(commit)
