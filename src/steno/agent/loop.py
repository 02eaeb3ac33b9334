"""A plan, read from a model's words, and the words with which a step is asked for.

What is asked here is Steno's own and goes into the log as such: a plan is the
model's, and repeating it must not make it a person's.

Three loops over one shared turn: act, plan then act, plan and act step by step.

A loop is a value: a model, tools and limits. It decides what is said before the
next turn and what a reply means for the run; taking the turn is `turn`'s
business, blocking and async are the drivers'.
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
from steno.agent.turn import CUT_OFF, RunContext, open_calls, resume_calls, turn
from steno.core.errors import BadInput, UnknownModel
from steno.core.fence import Fence
from steno.core.message import Call, Message
from steno.core.model import ChatModel, Usage
from steno.engine.policy import Quota
from steno.meters import lookup_model
from steno.meters.catalog import ModelFacts
from steno.session.session import Session
from steno.session.tools import TOOL_ARGUMENTS
from steno.wires import decode_messages

STEPS_MOST = 50
STEP_MOST = 500
_STEP_LINE = re.compile(r"^\s*(?:[-*•]|\(?\d{1,3}[.):])\s+(?:\[[ xX]\]\s*)?(?P<text>\S.*)$", re.M)

PLAN_PROMPT = (
    "Before you act, say your plan: a numbered list of at most {most} short steps, one a line, nothing else. "
    "Call no tool yet."
)
STEP_PROMPT = "Step {number} of {many}: {text}\nDo this step now. When it is done, say in a sentence what came of it."
REPLAN_PROMPT = (
    " If what you learnt changes what is left to do, say the steps that are left instead, as a numbered list under "
    "the line PLAN:."
)
ANSWER_PROMPT = "All steps are done. Give the answer to the task now."
_NEW_PLAN = re.compile(r"^\s*PLAN:\s*$(?P<plan>.*)", re.M | re.S)


def parse_steps(text: str) -> tuple[Step, ...]:
    """The steps of a plan; a text without a list is one step."""
    found = [match["text"].strip()[:STEP_MOST] for match in _STEP_LINE.finditer(text)]
    if not found and text.strip():
        found = [text.strip()[:STEP_MOST]]
    return tuple(Step(step) for step in found[:STEPS_MOST])


def parse_new_steps(text: str) -> tuple[Step, ...]:
    """The steps that are left, where a reply says that they are others now."""
    found = _NEW_PLAN.search(text)
    if found:
        return parse_steps(found["plan"])
    return ()


def step_prompt(state: RunState, *, replans: bool) -> str:
    """How the step is asked for that comes next."""
    step = state.plan[state.next_step]
    words = STEP_PROMPT.format(number=state.next_step + 1, many=len(state.plan), text=step.text)
    if replans:
        return words + REPLAN_PROMPT
    return words


GO_ON = "Go on from where you were stopped."


@dataclass(frozen=True)
class Loop:
    """What the three have in common; `ReactLoop` is the plainest of them."""

    model: ChatModel
    tools: Iterable[Callable[..., Any] | Tool] = ()
    system: Any = None
    limits: RunLimits = field(default_factory=RunLimits)
    confirm: Callable[[Call], bool] = lambda call: True
    """Asked before a tool that is not safe is run."""
    unsure: Callable[[Call], bool] = lambda call: False
    """Asked on resuming, about a call that may have run already: run it again?"""
    quota: Callable[[], Quota] = lambda: "normal"
    """Asked before every turn."""
    retries: int = 3
    pause: Callable[[int, float | None], float] = lambda tried, wait: (
        0.5 * 2**tried if wait is None else wait
    )
    """Seconds to wait before the model is asked again, by how often it failed and what it said."""
    tool_seconds: float | None = 120.0
    max_tokens: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """For the session of a run that brings none: window, policy, writer …"""
    clock: Callable[[], float] = time.monotonic

    name: ClassVar[str] = "loop"

    def prompt(self, state: RunState) -> str | None:
        """What Steno says before the next turn."""
        return None

    def after(self, state: RunState, text: str, calls: bool) -> RunState:
        """Where the run stands after a reply."""
        if calls:
            return state
        return state.but(outcome="answered", text=text)

    def run(self, task: str, session: Session | None = None) -> Iterator[TurnFinished | RunEnded]:
        """Do a task, turn by turn."""
        return (
            told for told in self.stream(task, session) if isinstance(told, TurnFinished | RunEnded)
        )

    def stream(
        self, task: str, session: Session | None = None
    ) -> Generator[RunEvent, None, RunState]:
        """Do a task, and tell everything as it happens: words, calls, compactions, turns."""
        return drive(self._begin_run(task, session or self.session()), self.model)

    async def arun(
        self, task: str, session: Session | None = None
    ) -> AsyncIterator[TurnFinished | RunEnded]:
        async for told in self.astream(task, session):
            if isinstance(told, TurnFinished | RunEnded):
                yield told

    def astream(self, task: str, session: Session | None = None) -> AsyncIterator[RunEvent]:
        return adrive(self._begin_run(task, session or self.session()), self.model)

    def resume(self, session: Session) -> Generator[RunEvent, None, RunState]:
        """Go on right after what was kept, whatever ended the run."""
        return drive(self._resume_run(session), self.model)

    def aresume(self, session: Session) -> AsyncIterator[RunEvent]:
        return adrive(self._resume_run(session), self.model)

    def session(self) -> Session:
        """A session in memory, as this loop's model speaks."""
        given = {"wire": self.model.wire, "window": self.model.window, **self.options}
        return Session(**given)

    def _begin_run(self, task: str, session: Session) -> RunFlow[RunState]:
        if not task.strip():
            raise BadInput("there is no task: say what to do")
        if self.limits.money is not None and model_prices(self.model.name) is None:
            raise BadInput(
                f"no prices are known for {self.model.name!r}: a limit in money cannot be kept"
            )
        state = RunState(task, len(session.log.messages))
        _record_state(session, self.name, state)
        return (yield from self._take_turns(session, state))

    def _resume_run(self, session: Session) -> RunFlow[RunState]:
        state = load_state(session, self.name)
        if state.outcome not in (None, "stopped"):
            raise BadInput(f"the run has ended ({state.outcome}): give it a new task")
        state = state.but(outcome=None, reason="")
        said = _unrecorded_reply(session, self.name)
        if said is not None:  # kept, but the run was killed before it could say where it stands
            state = self.after(state.but(turns=state.turns + 1), said, False)
            _record_state(session, self.name, state)
        return (yield from self._take_turns(session, state))

    def _take_turns(self, session: Session, state: RunState) -> RunFlow[RunState]:
        """Turn after turn, until the run has ended or somebody lets go."""
        started, before = self.clock(), state.seconds

        def seconds() -> float:
            return before + self.clock() - started

        run = self._run_context(session, seconds)
        try:
            _say_task(session, state)
            state = self._record_limit(session, state)
            if state.outcome is None:
                yield from resume_calls(run)
            while state.outcome is None:
                session.set_quota(self.quota())
                _say_next(session, self.prompt(state), state.start)
                taken, state = yield from turn(run, state)
                state = state.but(seconds=seconds())
                state = state if taken is None else self._state_after_turn(taken, state)
                _record_state(session, self.name, state)
                if taken is not None:
                    yield replace(taken, state=state)
        except RunStopped:
            state = state.but(outcome="stopped", reason="the caller let go")
            _record_state(session, self.name, state)
            return state
        yield RunEnded(state)
        return state

    def _state_after_turn(self, taken: TurnFinished, state: RunState) -> RunState:
        """Where the run stands after a turn, its limits considered."""
        return self._end_at_limit(self.after(state, taken.text, bool(taken.calls)))

    def _end_at_limit(self, state: RunState) -> RunState:
        """The state, ended where a limit is reached."""
        reached = (
            _limit_reason(state, self.limits, self.model.name) if state.outcome is None else None
        )
        if reached is None:
            return state
        return state.but(outcome="limit", reason=reached)

    def _record_limit(self, session: Session, state: RunState) -> RunState:
        """The same, kept where it changes: a run that may take no turn takes none."""
        within = self._end_at_limit(state)
        if within is not state:
            _record_state(session, self.name, within)
        return within

    def _run_context(self, session: Session, seconds: Callable[[], float]) -> RunContext:
        given = [tool_of(each) for each in self.tools]
        tools = {tool.name: tool for tool in given}
        twice = [
            *tools.keys() & TOOL_ARGUMENTS.keys(),
            *(name for name in tools if sum(t.name == name for t in given) > 1),
        ]
        if twice:
            raise BadInput(
                f"there would be two tools {twice[0]!r}: give yours another name, tool_of(f, name=…)"
            )
        own = tool_definitions(tools.values(), session.parts.settings.wire)
        most = self.limits.seconds
        return RunContext(
            session=session,
            tools=tools,
            definitions=own,
            system=self.system,
            confirm=self.confirm,
            unsure=self.unsure,
            retries=self.retries,
            pause=self.pause,
            tool_seconds=self.tool_seconds,
            max_tokens=self.max_tokens,
            left=lambda: None if most is None else most - seconds(),
        )


@dataclass(frozen=True)
class ReactLoop(Loop):
    """Speak and act, until there is nothing left to call."""

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
                return state.but(plan=plan, stage="steps" if plan else "answer")
            case "steps":
                return self._finish_step(state, text)
        return state.but(outcome="answered", text=text)

    def _finish_step(self, state: RunState, text: str) -> RunState:
        done = tuple(
            msgspec.structs.replace(step, done=True) if n == state.next_step else step
            for n, step in enumerate(state.plan)
        )
        left = parse_new_steps(text) if self.replans else ()
        if left:
            # Of what is done the newest are kept; what is left to do is never cut off.
            done = (*[step for step in done if step.done][-(2 * STEPS_MOST - len(left)) :], *left)
        state = state.but(plan=done)
        if state.next_step < len(done):
            return state
        return state.but(stage="answer")


@dataclass(frozen=True)
class HybridLoop(PlanExecuteLoop):
    """Plan, act within each step, and change what is left of the plan when a step has taught something."""

    name: ClassVar[str] = "hybrid"
    replans: ClassVar[bool] = True


def load_state(session: Session, loop: str) -> RunState:
    """Where the newest run of this loop stands."""
    for _, value in reversed(session.parts.journal.records("run")):
        if value["loop"] == loop:
            return msgspec.convert(value["state"], RunState)
    raise BadInput(f"no {loop} run was begun in this session")


def _record_state(session: Session, loop: str, state: RunState) -> None:
    session.parts.journal.record("run", {"loop": loop, "state": msgspec.to_builtins(state)})


def _unrecorded_reply(session: Session, loop: str) -> str | None:
    """What the model said, calling nothing, after the newest word about the run was kept."""
    newest, value = session.parts.journal.records("run")[-1]
    if value["loop"] != loop:
        return None
    said: list[Message] = []
    for message in reversed(session.log.messages[newest.at :]):
        if message.role != "assistant":
            break
        said.append(message)
    text = "\n".join(message.text for message in reversed(said) if message.text)
    if not said or text.endswith(CUT_OFF) or any(any(message.calls) for message in said):
        return None
    return text


def _say_task(session: Session, state: RunState) -> None:
    """Say the task where the run begins, unless it stands there; others may have spoken since."""
    task = {"role": "user", "content": state.task}
    wanted = decode_messages(session.parts.settings.wire, [session.parts.journal.clean(task)])[
        0
    ].text
    since = session.log.messages[state.start :]
    if not any(
        each.role == "user" and each.by != "steno" and each.text == wanted for each in since
    ):
        session.add(task)


def _say_next(session: Session, text: str | None, start: int) -> None:
    """Say what comes before the next turn, unless this run was told already; a model never goes on by itself."""
    if open_calls(session):
        return
    if text is not None and text != _last_step_prompt(session, start):
        session.parts.journal.say("step", text)
    elif session.log.messages[-1].role == "assistant":
        session.parts.journal.say("stopped", GO_ON)


def _last_step_prompt(session: Session, start: int) -> str | None:
    """The newest step that was asked for since a run began."""
    for message in reversed(session.log.messages[start:]):
        fence = Fence.parse(message.text) if message.by == "steno" else None
        if fence is not None and fence.label.get("kind") == "step":
            return fence.body
    return None


def _limit_reason(state: RunState, limits: RunLimits, model: str) -> str | None:
    """Which limit is reached, in words."""
    spent = state.usage.sent + state.usage.said
    if limits.turns is not None and state.turns >= limits.turns:
        return f"{state.turns:,} turns, the limit"
    if limits.tokens is not None and spent >= limits.tokens:
        return f"{spent:,} tokens, over the limit of {limits.tokens:,}"
    if limits.seconds is not None and state.seconds >= limits.seconds:
        return f"{state.seconds:,.0f} seconds, over the limit of {limits.seconds:,.0f}"
    if limits.money is not None and cost_in_dollars(state.usage, model) >= limits.money:
        return f"{cost_in_dollars(state.usage, model):.2f} dollars, over the limit of {limits.money:.2f}"
    return None


def model_prices(model: str) -> ModelFacts | None:
    """What is known of a model's prices, by the name it is called by."""
    try:
        return lookup_model(model.partition(":")[2] or model)
    except UnknownModel:
        return None


def cost_in_dollars(usage: Usage, model: str) -> float:
    """Dollars, by the model's list prices; nothing where they are not known."""
    facts = model_prices(model)
    if facts is None:
        return 0.0
    plain, price = usage.sent - usage.cached - usage.written, facts.input or 0.0
    cached, written = facts.cached if facts.cached is not None else price, facts.write or price
    dollars = (
        plain * price
        + usage.cached * cached
        + usage.written * written
        + usage.said * (facts.output or 0.0)
    )
    return dollars / 1_000_000
