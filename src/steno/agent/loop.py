"""Three loops that share one turn: act; plan, then act; plan, act and change the plan.

A loop is a value: a model, tools and limits. It decides what to say before the next
turn and what a reply means for the run. `turn` takes the turn; the drivers in `flow`
are where blocking and async differ.

Steno's own words to the model (asking for a plan or for a step) go into the log as
Steno's. A step repeats the model's words, and must not become a person's request.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import msgspec

from steno.agent.events import RunEnded, RunEvent, TurnFinished
from steno.agent.flow import RunFlow, RunStopped, adrive, drive
from steno.agent.state import RunLimits, RunState, Step
from steno.agent.tools import Tool, tool_definitions, tool_of
from steno.agent.turn import CUT_OFF, TURN_RETRY, RunContext, open_calls, resume_calls, turn
from steno.core.decoders import convert
from steno.core.errors import BadInput
from steno.core.events import RunFinished, RunStarted
from steno.core.fence import Fence
from steno.core.message import Call, Message
from steno.core.model import ChatModel, Complexity
from steno.engine.policy import Quota
from steno.meters.catalog import known_prices
from steno.models.retry import RetryPolicy
from steno.providers import decode_messages
from steno.session.agent_tools.definitions import TOOL_ARGUMENTS
from steno.session.options import SessionOptions, with_changes
from steno.session.session import Session

STEPS_MOST = 50
STEP_MOST = 500
_STEP_LINE = re.compile(
    r"^[ \t]*+(?:[-*•]|\(?\d{1,3}[.):])[ \t]++(?:\[[ xX]\][ \t]*+)?(?P<text>\S.*)$", re.M
)

PLAN_PROMPT = (
    "Before you act, say your plan: a numbered list of at most {most} short steps, "
    "one a line, nothing else. Call no tool yet."
)
STEP_PROMPT = (
    "Step {number} of {many}: {text}\n"
    "Do this step now. When it is done, say in a sentence what came of it."
)
REPLAN_PROMPT = (
    " If what you learnt changes what is left to do, say the steps that are left instead, "
    "as a numbered list under the line PLAN:."
)
ANSWER_PROMPT = "All steps are done. Give the answer to the task now."
_NEW_PLAN = re.compile(r"^[ \t]*+PLAN:[ \t]*+$(?P<plan>.*)", re.M | re.S)


def parse_steps(text: str) -> tuple[Step, ...]:
    """Return the steps of a plan; a text without a list is one step."""
    found = [match["text"].strip()[:STEP_MOST] for match in _STEP_LINE.finditer(text)]
    if not found and text.strip():
        found = [text.strip()[:STEP_MOST]]
    return tuple(Step(step) for step in found[:STEPS_MOST])


def parse_new_steps(text: str) -> tuple[Step, ...]:
    """Return the steps under a PLAN: line, if a reply has one."""
    found = _NEW_PLAN.search(text)
    if found:
        return parse_steps(found["plan"])
    return ()


def step_prompt(state: RunState, *, replans: bool) -> str:
    """Return the words that ask for the next step of a plan."""
    step = state.plan[state.next_step]
    words = STEP_PROMPT.format(number=state.next_step + 1, many=len(state.plan), text=step.text)
    if replans:
        return words + REPLAN_PROMPT
    return words


GO_ON = "Go on from where you were stopped."


@dataclass(frozen=True)
class Loop:
    """The options and the run that the three loops share; `ReactLoop` is the plainest."""

    model: ChatModel
    """Model of the agent."""
    tools: Iterable[Callable[..., Any] | Tool] = ()
    """Typed functions or tools that the model may call."""
    system: Any = None
    """System prompt, in the provider's format."""
    limits: RunLimits = field(default_factory=RunLimits)
    """Turns, tokens, money and seconds that one run may take."""
    confirm: Callable[[Call], bool] = lambda call: True
    """Called before a tool that is not safe runs; False refuses the call."""
    unsure: Callable[[Call], bool] = lambda call: False
    """Called on resuming, for a call that may have run already; True runs it again."""
    quota: Callable[[], Quota] | None = None
    """Called before every turn; returns the quota for it. None leaves the session's own."""
    retry: RetryPolicy = TURN_RETRY
    """How often a turn is tried again after a failure that may pass, and after which pause."""
    tool_seconds: float | None = 120.0
    """Seconds that a batch of calls may take; a call that is late gets a result that says so."""
    max_tokens: int | None = None
    """Tokens of one reply at most."""
    options: SessionOptions = field(default_factory=SessionOptions)
    """Options of the session that is made if a run is given none."""
    clock: Callable[[], float] = time.monotonic
    """Returns seconds, for tests."""

    name: ClassVar[str] = "loop"

    def prompt(self, state: RunState) -> str | None:
        """Return what Steno says before the next turn, if anything."""
        return None

    def after(self, state: RunState, text: str, calls: bool) -> RunState:
        """Return the state of the run after a reply."""
        if calls:
            return state
        return state.but(outcome="answered", text=text)

    def run(
        self, task: str, session: Session | None = None, *, complexity: Complexity | None = None
    ) -> Iterator[TurnFinished | RunEnded]:
        """Do a task, and yield its turns and its end.

        `complexity` says how hard this task is, whatever the session's policy says.
        """
        for event in self.stream(task, session, complexity=complexity):
            if isinstance(event, TurnFinished | RunEnded):
                yield event

    def stream(
        self, task: str, session: Session | None = None, *, complexity: Complexity | None = None
    ) -> Generator[RunEvent, None, RunState]:
        """Do a task, and yield every event: words, calls, compactions, turns, the end."""
        return drive(self._begin_run(task, session or self.session(), complexity), self.model)

    async def arun(
        self, task: str, session: Session | None = None, *, complexity: Complexity | None = None
    ) -> AsyncIterator[TurnFinished | RunEnded]:
        """Do a task on an event loop, and yield its turns and its end."""
        async for event in self.astream(task, session, complexity=complexity):
            if isinstance(event, TurnFinished | RunEnded):
                yield event

    def astream(
        self, task: str, session: Session | None = None, *, complexity: Complexity | None = None
    ) -> AsyncIterator[RunEvent]:
        """Do a task on an event loop, and yield every event."""
        return adrive(self._begin_run(task, session or self.session(), complexity), self.model)

    def resume(self, session: Session) -> Generator[RunEvent, None, RunState]:
        """Continue a run that was stopped or killed, right after what is in the log."""
        return drive(self._resume_run(session), self.model)

    def aresume(self, session: Session) -> AsyncIterator[RunEvent]:
        """Continue a run on an event loop."""
        return adrive(self._resume_run(session), self.model)

    def session(self) -> Session:
        """Return a new session in memory, with the wire and window of the loop's model."""
        options = self.options
        if options.get("wire") is None:
            options = with_changes(options, wire=self.model.wire)
        if options.get("window") is None:
            options = with_changes(options, window=self.model.window)
        return Session(**options)

    def _begin_run(
        self, task: str, session: Session, complexity: Complexity | None
    ) -> RunFlow[RunState]:
        if not task.strip():
            raise BadInput("there is no task: say what to do")
        # Now, not after the first turn: a limit that cannot be kept must not cost anything.
        if self.limits.money is not None and known_prices(self.model.name) is None:
            raise BadInput(
                f"no prices are known for {self.model.name!r}: a limit in money cannot be kept"
            )
        state = RunState(task, len(session.log.messages), complexity=complexity)
        record_state(session, self.name, state)
        return (yield from self._take_turns(session, state))

    def _resume_run(self, session: Session) -> RunFlow[RunState]:
        state = load_state(session, self.name)
        if state.outcome not in (None, "stopped"):
            raise BadInput(f"the run has ended ({state.outcome}): give it a new task")
        state = state.but(outcome=None, reason="")
        reply = _unrecorded_reply(session, self.name)
        if reply is not None:
            # The reply was added, but the run was killed before it recorded its state.
            state = self.after(state.but(turns=state.turns + 1), reply, False)
            record_state(session, self.name, state)
        return (yield from self._take_turns(session, state))

    def _take_turns(self, session: Session, state: RunState) -> RunFlow[RunState]:
        """Take turns until the run has ended or the caller stops reading."""
        started = self.clock()
        before = state.seconds

        def seconds() -> float:
            return before + self.clock() - started

        run = self._run_context(session, seconds)
        policy = session.host.policy
        if state.complexity is not None:
            session.host.use_policy(policy.but(complexity=state.complexity))
        session.host.emit(RunStarted(self.model.name))
        try:
            _say_task(session, state)
            state = self._end_at_limit(state)
            if state.outcome is not None:
                record_state(session, self.name, state)
            else:
                # First: the model would be shown a made-up result for a call that is open.
                yield from resume_calls(run)
            while state.outcome is None:
                # Asked anew for each turn: a quota may run short while the agent works.
                if self.quota is not None:
                    session.set_quota(self.quota())
                _say_next(session, self.prompt(state), state.start)
                session.host.event_log.iteration = state.turns + 1
                finished, state = yield from turn(run, state)
                state = state.but(seconds=seconds())
                if finished is not None:
                    state = self.after(state, finished.text, bool(finished.calls))
                    state = self._end_at_limit(state)
                # Recorded before it is yielded: the caller may stop reading there and resume later.
                record_state(session, self.name, state)
                if finished is not None:
                    yield replace(finished, state=state)
        except RunStopped:
            state = state.but(outcome="stopped", reason="the caller let go")
            record_state(session, self.name, state)
            return state
        finally:
            session.host.use_policy(policy)
            session.host.event_log.iteration = 0
            session.host.emit(RunFinished(state.outcome or "", state.turns))
        yield RunEnded(state)
        return state

    def _end_at_limit(self, state: RunState) -> RunState:
        """Return the state, ended if a limit is reached."""
        reason = _limit_reason(state, self.limits, self.model.name)
        if state.outcome is not None or reason is None:
            return state
        return state.but(outcome="limit", reason=reason)

    def _run_context(self, session: Session, seconds: Callable[[], float]) -> RunContext:
        tools: dict[str, Tool] = {}
        for tool in map(tool_of, self.tools):
            if tool.name in tools or tool.name in TOOL_ARGUMENTS:
                raise BadInput(
                    f"there would be two tools {tool.name!r}: "
                    "give yours another name, tool_of(f, name=…)"
                )
            tools[tool.name] = tool
        definitions = tool_definitions(tools.values(), session.host.wire)

        def seconds_left() -> float | None:
            if self.limits.seconds is None:
                return None
            return self.limits.seconds - seconds()

        return RunContext(
            session=session,
            model=self.model.name,
            tools=tools,
            request=lambda: self._make_request(session, definitions),
            confirm=self.confirm,
            unsure=self.unsure,
            retry=self.retry,
            tool_seconds=self.tool_seconds,
            max_tokens=self.max_tokens,
            left=seconds_left,
        )

    def _make_request(self, session: Session, definitions: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the next request, with the session's own tools."""
        return session.request(system=self.system, tools=[*definitions, *session.tools()])


@dataclass(frozen=True)
class ReactLoop(Loop):
    """Act until a reply calls no tool; that reply is the answer."""

    name: ClassVar[str] = "react"


@dataclass(frozen=True)
class PlanExecuteLoop(Loop):
    """Plan once, carry out each step, then answer."""

    name: ClassVar[str] = "plan-execute"
    replans: ClassVar[bool] = False

    def prompt(self, state: RunState) -> str | None:
        match state.stage:
            case "":
                return PLAN_PROMPT.format(most=STEPS_MOST)
            case "steps":
                return step_prompt(state, replans=self.replans)
        return ANSWER_PROMPT

    def after(self, state: RunState, text: str, calls: bool) -> RunState:
        if calls:
            return state
        match state.stage:
            case "":
                plan = parse_steps(text)
                if not plan:
                    return state.but(stage="answer")
                return state.but(plan=plan, stage="steps")
            case "steps":
                return self._finish_step(state, text)
        return state.but(outcome="answered", text=text)

    def _finish_step(self, state: RunState, text: str) -> RunState:
        plan = list(state.plan)
        plan[state.next_step] = msgspec.structs.replace(plan[state.next_step], done=True)
        new_steps: tuple[Step, ...] = ()
        if self.replans:
            new_steps = parse_new_steps(text)
        if new_steps:
            # A plan that keeps changing must not grow without end: forget the oldest finished
            # steps, never an open one.
            done = [step for step in plan if step.done]
            plan = [*done[-(2 * STEPS_MOST - len(new_steps)) :], *new_steps]
        state = state.but(plan=tuple(plan))
        if state.next_step < len(plan):
            return state
        return state.but(stage="answer")


@dataclass(frozen=True)
class HybridLoop(PlanExecuteLoop):
    """Plan, carry out each step, and replace the open steps if a step has shown a need to."""

    name: ClassVar[str] = "hybrid"
    replans: ClassVar[bool] = True


def load_state(session: Session, loop: str) -> RunState:
    """Return the state of the newest run of this loop."""
    for _, value in reversed(session.host.records.of("run")):
        if value["loop"] == loop:
            return convert(value["state"], RunState)
    raise BadInput(f"no {loop} run was begun in this session")


def record_state(session: Session, loop: str, state: RunState) -> None:
    """Record where a run of this loop stands."""
    session.host.records.add("run", {"loop": loop, "state": msgspec.to_builtins(state)})


def _unrecorded_reply(session: Session, loop: str) -> str | None:
    """Return a reply without calls that was added after the run's newest record, if any."""
    newest, value = session.host.records.of("run")[-1]
    if value["loop"] != loop:
        return None
    reply: list[Message] = []
    for message in reversed(session.log.messages[newest.at :]):
        if message.role != "assistant":
            break
        reply.append(message)
    text = "\n".join(message.text for message in reversed(reply) if message.text)
    if not reply or text.endswith(CUT_OFF) or any(message.calls for message in reply):
        return None
    return text


def _say_task(session: Session, state: RunState) -> None:
    """Add the task, unless it is in the log since the run began."""
    task = {"role": "user", "content": state.task}
    # As the log holds it: redaction may have changed its words.
    kept_text = decode_messages(session.host.wire, [session.host.clean(task)])[0].text
    for message in session.log.messages[state.start :]:
        if message.role == "user" and message.by != "steno" and message.text == kept_text:
            return
    session.host.add(task)


def _say_next(session: Session, text: str | None, start: int) -> None:
    """Add the prompt of the next turn, unless it is the newest one of this run already."""
    if open_calls(session):
        return
    if text is not None and text != _last_step_prompt(session, start):
        session.host.say("step", text)
    elif session.log.messages[-1].role == "assistant":
        # Providers refuse a request that ends with the assistant's own words.
        session.host.say("stopped", GO_ON)


def _last_step_prompt(session: Session, start: int) -> str | None:
    """Return the newest prompt for a step since the run began."""
    for message in reversed(session.log.messages[start:]):
        if message.by != "steno":
            continue
        fence = Fence.parse(message.text)
        if fence is not None and fence.label.get("kind") == "step":
            return fence.body
    return None


def _limit_reason(state: RunState, limits: RunLimits, model: str) -> str | None:
    """Return which limit is reached, in words, or None."""
    spent = state.usage.sent + state.usage.said
    if limits.turns is not None and state.turns >= limits.turns:
        return f"{state.turns:,} turns, the limit"
    if limits.tokens is not None and spent >= limits.tokens:
        return f"{spent:,} tokens, over the limit of {limits.tokens:,}"
    if limits.seconds is not None and state.seconds >= limits.seconds:
        return f"{state.seconds:,.0f} seconds, over the limit of {limits.seconds:,.0f}"
    prices = known_prices(model)
    if limits.money is not None and prices is not None:
        dollars = prices.usage_cost(state.usage)
        if dollars >= limits.money:
            return f"{dollars:.2f} dollars, over the limit of {limits.money:.2f}"
    return None
