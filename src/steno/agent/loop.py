"""Three loops over one shared turn: act, plan then act, plan and act step by step.

A loop is a value: a model, tools and limits. It decides what is said before the
next turn and what a reply means for the run; taking the turn is `turn`'s
business, blocking and async are the drivers'.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import msgspec

from steno.agent.flow import Flow, Stopped, adriven, driven
from steno.agent.plan import ANSWER, PLAN, STEPS_MOST, asked, changed, steps_of
from steno.agent.state import RunLimits, State
from steno.agent.told import Ended, Told, TurnTaken
from steno.agent.tool import Tool, definitions, tool_of
from steno.agent.turn import CUT_OFF, Run, taken_up, turn, waiting
from steno.core.error import BadInput, UnknownModel
from steno.core.fence import Fence
from steno.core.message import Call, Message
from steno.core.model import Talker, Usage
from steno.engine.policy import Quota
from steno.meters import known
from steno.meters.catalog import ModelFacts
from steno.session.session import Session
from steno.session.tools import NAMES
from steno.wire import decoded

GO_ON = "Go on from where you were stopped."


@dataclass(frozen=True)
class Loop:
    """What the three have in common; `ReactLoop` is the plainest of them."""

    model: Talker
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
    pause: Callable[[int, float | None], float] = lambda tried, wait: 0.5 * 2**tried if wait is None else wait
    """Seconds to wait before the model is asked again, by how often it failed and what it said."""
    tool_seconds: float | None = 120.0
    max_tokens: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """For the session of a run that brings none: window, policy, writer …"""
    clock: Callable[[], float] = time.monotonic

    name: ClassVar[str] = "loop"

    def prompt(self, state: State) -> str | None:
        """What Steno says before the next turn."""
        return None

    def after(self, state: State, text: str, calls: bool) -> State:
        """Where the run stands after a reply."""
        return state if calls else state.but(outcome="answered", text=text)

    def run(self, task: str, session: Session | None = None) -> Iterator[TurnTaken | Ended]:
        """Do a task, turn by turn."""
        return (told for told in self.stream(task, session) if isinstance(told, TurnTaken | Ended))

    def stream(self, task: str, session: Session | None = None) -> Generator[Told, None, State]:
        """Do a task, and tell everything as it happens: words, calls, compactions, turns."""
        return driven(self._begun(task, session or self.session()), self.model)

    async def arun(self, task: str, session: Session | None = None) -> AsyncIterator[TurnTaken | Ended]:
        async for told in self.astream(task, session):
            if isinstance(told, TurnTaken | Ended):
                yield told

    def astream(self, task: str, session: Session | None = None) -> AsyncIterator[Told]:
        return adriven(self._begun(task, session or self.session()), self.model)

    def resume(self, session: Session) -> Generator[Told, None, State]:
        """Go on right after what was kept, whatever ended the run."""
        return driven(self._resumed(session), self.model)

    def aresume(self, session: Session) -> AsyncIterator[Told]:
        return adriven(self._resumed(session), self.model)

    def session(self) -> Session:
        """A session in memory, as this loop's model speaks."""
        given = {"wire": self.model.wire, "window": self.model.window, **self.options}
        return Session(**given)

    def _begun(self, task: str, session: Session) -> Flow[State]:
        if not task.strip():
            raise BadInput("there is no task: say what to do")
        if self.limits.money is not None and prices(self.model.name) is None:
            raise BadInput(f"no prices are known for {self.model.name!r}: a limit in money cannot be kept")
        state = State(task, len(session.log.messages))
        _jotted(session, self.name, state)
        return (yield from self._lived(session, state))

    def _resumed(self, session: Session) -> Flow[State]:
        state = state_of(session, self.name)
        if state.outcome not in (None, "stopped"):
            raise BadInput(f"the run has ended ({state.outcome}): give it a new task")
        state = state.but(outcome=None, reason="")
        said = _unjudged(session, self.name)
        if said is not None:  # kept, but the run was killed before it could say where it stands
            state = self.after(state.but(turns=state.turns + 1), said, False)
            _jotted(session, self.name, state)
        return (yield from self._lived(session, state))

    def _lived(self, session: Session, state: State) -> Flow[State]:
        """Turn after turn, until the run has ended or somebody lets go."""
        started, before = self.clock(), state.seconds

        def seconds() -> float:
            return before + self.clock() - started

        run = self._run(session, seconds)
        try:
            _say_task(session, state)
            state = self._kept_within(session, state)
            if state.outcome is None:
                yield from taken_up(run)
            while state.outcome is None:
                session.under(self.quota())
                _say_once(session, self.prompt(state), state.start)
                taken, state = yield from turn(run, state)
                state = state.but(seconds=seconds())
                state = state if taken is None else self._judged(taken, state)
                _jotted(session, self.name, state)
                if taken is not None:
                    yield replace(taken, state=state)
        except Stopped:
            state = state.but(outcome="stopped", reason="the caller let go")
            _jotted(session, self.name, state)
            return state
        yield Ended(state)
        return state

    def _judged(self, taken: TurnTaken, state: State) -> State:
        """Where the run stands after a turn, its limits considered."""
        return self._within(self.after(state, taken.text, bool(taken.calls)))

    def _within(self, state: State) -> State:
        """The state, ended where a limit is reached."""
        reached = _limit(state, self.limits, self.model.name) if state.outcome is None else None
        return state if reached is None else state.but(outcome="limit", reason=reached)

    def _kept_within(self, session: Session, state: State) -> State:
        """The same, kept where it changes: a run that may take no turn takes none."""
        within = self._within(state)
        if within is not state:
            _jotted(session, self.name, within)
        return within

    def _run(self, session: Session, seconds: Callable[[], float]) -> Run:
        given = [tool_of(each) for each in self.tools]
        tools = {tool.name: tool for tool in given}
        twice = [*tools.keys() & NAMES.keys(), *(name for name in tools if sum(t.name == name for t in given) > 1)]
        if twice:
            raise BadInput(f"there would be two tools {twice[0]!r}: give yours another name, tool_of(f, name=…)")
        own = definitions(tools.values(), session.setup.wire)
        most = self.limits.seconds
        return Run(
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

    def prompt(self, state: State) -> str | None:
        match state.stage:
            case "":
                return PLAN.format(most=STEPS_MOST)
            case "steps":
                return asked(state, replans=self.replans)
        return ANSWER

    def after(self, state: State, text: str, calls: bool) -> State:
        if calls:
            return state
        match state.stage:
            case "":
                plan = steps_of(text)
                return state.but(plan=plan, stage="steps" if plan else "answer")
            case "steps":
                return self._stepped(state, text)
        return state.but(outcome="answered", text=text)

    def _stepped(self, state: State, text: str) -> State:
        done = tuple(
            msgspec.structs.replace(step, done=True) if n == state.at else step for n, step in enumerate(state.plan)
        )
        left = changed(text) if self.replans else ()
        if left:
            # Of what is done the newest are kept; what is left to do is never cut off.
            done = (*[step for step in done if step.done][-(2 * STEPS_MOST - len(left)) :], *left)
        state = state.but(plan=done)
        return state if state.at < len(done) else state.but(stage="answer")


@dataclass(frozen=True)
class HybridLoop(PlanExecuteLoop):
    """Plan, act within each step, and change what is left of the plan when a step has taught something."""

    name: ClassVar[str] = "hybrid"
    replans: ClassVar[bool] = True


def state_of(session: Session, loop: str) -> State:
    """Where the newest run of this loop stands."""
    for _, value in reversed(session.jots("run")):
        if value["loop"] == loop:
            return msgspec.convert(value["state"], State)
    raise BadInput(f"no {loop} run was begun in this session")


def _jotted(session: Session, loop: str, state: State) -> None:
    session.jot("run", {"loop": loop, "state": msgspec.to_builtins(state)})


def _unjudged(session: Session, loop: str) -> str | None:
    """What the model said, calling nothing, after the newest word about the run was kept."""
    newest, value = session.jots("run")[-1]
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


def _say_task(session: Session, state: State) -> None:
    """Say the task where the run begins, unless it stands there; others may have spoken since."""
    task = {"role": "user", "content": state.task}
    wanted = decoded(session.setup.wire, [session.clean(task)])[0].text
    since = session.log.messages[state.start :]
    if not any(each.role == "user" and each.by != "steno" and each.text == wanted for each in since):
        session.add(task)


def _say_once(session: Session, text: str | None, start: int) -> None:
    """Say what comes before the next turn, unless this run was told already; a model never goes on by itself."""
    if waiting(session):
        return
    if text is not None and text != _step_said(session, start):
        session.say("step", text)
    elif session.log.messages[-1].role == "assistant":
        session.say("stopped", GO_ON)


def _step_said(session: Session, start: int) -> str | None:
    """The newest step that was asked for since a run began."""
    for message in reversed(session.log.messages[start:]):
        fence = Fence.read(message.text) if message.by == "steno" else None
        if fence is not None and fence.label.get("kind") == "step":
            return fence.body
    return None


def _limit(state: State, limits: RunLimits, model: str) -> str | None:
    """Which limit is reached, in words."""
    spent = state.usage.sent + state.usage.said
    if limits.turns is not None and state.turns >= limits.turns:
        return f"{state.turns:,} turns, the limit"
    if limits.tokens is not None and spent >= limits.tokens:
        return f"{spent:,} tokens, over the limit of {limits.tokens:,}"
    if limits.seconds is not None and state.seconds >= limits.seconds:
        return f"{state.seconds:,.0f} seconds, over the limit of {limits.seconds:,.0f}"
    if limits.money is not None and cost(state.usage, model) >= limits.money:
        return f"{cost(state.usage, model):.2f} dollars, over the limit of {limits.money:.2f}"
    return None


def prices(model: str) -> ModelFacts | None:
    """What is known of a model's prices, by the name it is called by."""
    try:
        return known(model.partition(":")[2] or model)
    except UnknownModel:
        return None


def cost(usage: Usage, model: str) -> float:
    """Dollars, by the model's list prices; nothing where they are not known."""
    facts = prices(model)
    if facts is None:
        return 0.0
    plain, price = usage.sent - usage.cached - usage.written, facts.input or 0.0
    cached, written = facts.cached if facts.cached is not None else price, facts.write or price
    dollars = plain * price + usage.cached * cached + usage.written * written + usage.said * (facts.output or 0.0)
    return dollars / 1_000_000
