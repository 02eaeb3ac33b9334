"""Sessions as they are lived: a conversation, a policy, a window, and what is done step by step.

Owns the cases and tales that the laws are about, sized so that compaction really
happens in most of them. `played` lives a tale with a real session and hands out
every moment of it. What must hold at each moment is the laws' business.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any

from hypothesis import strategies as st

from steno import Budget, Event, Log, Policy, RetryPolicy, Session, View, Writer, chars_per_four
from steno.core.draft import Draft
from steno.core.item import Item
from steno.providers import decode_messages, get_wire
from steno.providers.anthropic.wire import AnthropicWire
from steno.rungs import (
    Arrive,
    Fold,
    Intake,
    Micro,
    Offload,
    OffloadTail,
    Prune,
    Summarize,
    Truncate,
)
from steno.tails import Share
from tests.support.conversation_plans import Json, Plan
from tests.support.conversations import plans
from tests.support.provider_json import Wire, Written, written
from tests.support.scripted_models import RECKLESS, Asking, Reckless, Script, scripts

METER = chars_per_four()
HASTY = RetryPolicy(pause=0.005)
TOOLS: dict[Wire, list[Json]] = {
    "openai": [{"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}}],
    "anthropic": [{"name": "run", "input_schema": {"type": "object"}}],
}


@dataclass(frozen=True)
class Case:
    """What a session is told once, and what will be said in it."""

    wire: Wire
    bound: bool
    """Thinking is valid only after the very text it was written after."""
    messages: Written
    policy: Policy
    window: int
    reserve: int
    pins: frozenset[int] = frozenset()
    system: str | None = None
    tools: list[Json] | None = None
    ways: tuple[str, ...] = ("answer",)

    def session(self, **options: Any) -> Session:
        told = {
            "system": self.system,
            "tools": self.tools,
            "pins": self.pins,
            "writer": Writer(Script(self.ways), retry=HASTY),
        }
        limits = {
            "window": self.window,
            "reserve": self.reserve,
            "policy": self.policy,
            "meter": METER,
        }
        return Session(wire=self.way, **(told | limits | options))

    def filled(self, **options: Any) -> Session:
        session = self.session(**options)
        session.add(*self.messages)
        return session

    @property
    def way(self) -> Any:
        return AnthropicWire(bound=True) if self.bound else get_wire(self.wire)

    @property
    def budget(self) -> Budget:
        return self.policy.budget(self.window, self.reserve)

    def draft(self, *, pins: bool = True) -> Draft:
        """The draft of a compaction that somebody asked for."""
        log = Log().with_messages(decode_messages(self.way, self.messages))
        view = View.of(log, self.way.terms, METER)
        pinned = self.pins if pins else frozenset()
        return Draft(view, self.budget, "asked", base=0, pins=pinned).begun()


@cache
def ladders(*, reckless: bool = True) -> st.SearchStrategy[tuple[Any, ...]]:
    """Rungs in any order before the one that cannot fail."""
    offload = st.sampled_from(
        [Offload(over, keep) for over in (50, 200, 1_000) for keep in (60, 150, 900)]
    )
    asking = st.sampled_from([Asking(rounds, width) for rounds in (1, 2, 3) for width in (1, 5)])
    kinds = [offload, asking, telling(), telling()]
    if reckless:
        kinds.append(st.builds(Reckless, st.sampled_from(RECKLESS)))
    return st.lists(st.one_of(kinds), max_size=3).map(lambda rungs: (*rungs, Truncate()))


@cache
def telling() -> st.SearchStrategy[Any]:
    """The rungs that read the ledger, with knobs from nothing to all; drawn as one number each."""
    summaries = [
        Summarize(
            share=share,
            max_tokens=most,
            in_place=in_place,
            doubts=doubts,
            doubt_share=0.5,
        )
        for share, most in ((0.1, None), (0.5, 600), (0.0, 40))
        for in_place in (True, True, False)
        for doubts in (0, 1, 3)
    ]
    folds = [Fold(least, lines) for least in (1, 2) for lines in (0, 2, 6)]
    prunes = [Prune(least, keep=keep) for least in (0, 20, 60) for keep in (0, 600)]
    return st.one_of(*map(st.sampled_from, (summaries, summaries, folds, prunes, [OffloadTail()])))


SHARES = ((0.85, 0.60, 0.95), (0.7, 0.3, 0.9), (0.5, 0.45, 0.5), (0.9, 0.2, 1.0))
"""Soft, goal and hard."""


@cache
def policies(*, reckless: bool = True, intake: bool = True) -> st.SearchStrategy[Policy]:
    micro = (Intake(over=400, keep=400), Micro(recent=2, over=40, keep=60))
    arrive = (Arrive(least=10, equal=2, failed=0, over=80), Intake(over=100, keep=150))
    every_round = (arrive, micro, ()) if intake else ((),)
    kinds = list(product(SHARES, every_round, (Share(0.5), Share(0.2), Share(0.8))))
    return st.builds(
        lambda kind, ladder: Policy(*kind[0], every_round=kind[1], ladder=ladder, tail=kind[2]),
        st.sampled_from(kinds),
        ladders(reckless=reckless),
    )


def weight(wire: Wire, messages: list[Json]) -> int:
    """What a list weighs as said."""
    return sum(METER.message(message) for message in decode_messages(get_wire(wire), messages))


WAYS: tuple[tuple[Wire, bool], ...] = (("openai", False), ("anthropic", False), ("anthropic", True))
FILLS = (0.08, 0.2, 0.35, 0.5, 0.7, 0.9, 1.2)
"""Of a conversation's weight, for the window: most are too small for it."""


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    broken: bool | None = None,
    strange: bool = False,
    reckless: bool = True,
    intake: bool = True,
    fills: tuple[float, ...] = FILLS,
    most: int = 12,
) -> Case:
    torn = (False, True) if broken is None else (broken,)
    kinds = list(product(WAYS, torn, (False, True), (0, 8), fills))
    (wire, bound), broken, fixed, reserve, fill = draw(st.sampled_from(kinds))
    plan: Plan = draw(plans(broken=broken, strange=strange, most=most))
    messages = written(plan, wire)
    # Prompt and tools must fit: if they alone do not, a request is refused with the numbers.
    least = 90 if fixed else 40
    window = max(least, int(weight(wire, messages) * fill))
    return Case(
        wire,
        bound,
        messages,
        draw(policies(reckless=reckless, intake=intake)),
        window,
        window // reserve if reserve else 0,
        draw(st.frozensets(st.integers(0, len(messages)), max_size=2)),
        "Be brief." if fixed else None,
        TOOLS[wire] if fixed else None,
        draw(scripts()),
    )


# What is done with a session


@dataclass(frozen=True)
class Step:
    """add at once, say one by one, look, compact, undo, fork or switch.

    `n` is how much, or where.
    """

    do: str
    n: int = 1


@dataclass(frozen=True)
class Tale:
    case: Case
    steps: tuple[Step, ...]


Shown = tuple[tuple[int, int, tuple[str, ...]], ...]


@dataclass
class Life:
    """A session, and what was said in it so far."""

    session: Session
    said: list[Json] = field(default_factory=list)
    seen: dict[int, Shown] = field(default_factory=dict)
    """By number of messages: what was shown when last it held so many."""
    events: list[Event] = field(default_factory=list)


@dataclass(frozen=True)
class Moment:
    """One step of a tale: the session's log and view before it, and the life after it."""

    step: Step
    life: Life
    others: tuple[Life, ...]
    log: Log
    view: View
    shown: Shown
    """As it was shown before the step."""
    forked: bool = False
    """The life is a fork that this step began."""

    @property
    def session(self) -> Session:
        return self.life.session

    @property
    def commits(self) -> list[Any]:
        """Those that landed in this step."""
        return self.session.log.commits[len(self.log.commits) :]


def shown(session: Session) -> Shown:
    """Every item of the view: where, and the JSON texts it shows."""
    return tuple(texts(item, session) for item in session.view.items)


def texts(item: Item, session: Session) -> tuple[int, int, tuple[str, ...]]:
    said = tuple(
        text for message in item.shows for text in session._parts.settings.wire.encode(message)
    )
    return item.span.start, item.span.stop, said


def said_texts(view: Shown) -> list[str]:
    return [text for _, _, said in view for text in said]


def played(tale: Tale) -> Iterator[Moment]:
    """Live a tale step by step; what is left to say at its end is said, and looked at."""
    events: list[Event] = []
    lives = [Life(tale.case.session(on_event=events.append), events=events)]
    left = list(tale.case.messages)
    for step in (*tale.steps, Step("add", len(left)), Step("look")):
        if step.do == "switch":
            lives.append(lives.pop(0))
            continue
        life = lives[-1]
        moment = Moment(
            step, life, tuple(lives[:-1]), life.session.log, life.session.view, shown(life.session)
        )
        forked = _done(step, life, left)
        life.seen[len(life.session.log.messages)] = shown(life.session)
        yield moment
        if forked is not None:
            lives.append(forked)
            yield replace(moment, life=forked, others=tuple(lives[:-1]), forked=True)


def _done(step: Step, life: Life, left: list[Json]) -> Life | None:
    session = life.session
    match step.do:
        case "add" | "say":
            said, left[: step.n] = left[: step.n], []
            for some in [said] if step.do == "add" else [[each] for each in said]:
                session.add(*some)
                life.said += some
                life.seen[len(life.said)] = shown(session)
        case "look":
            session.messages()
            if (
                session._parts.compactor.background_draft is not None
            ):  # a draft in the background lands in the step that began it
                session._parts.compactor.background_draft.wait(60)
        case "compact":
            session.compact()
        case "undo" if session.log.newest is not None:
            session.undo()
        case "fork":
            at = len(session.log.messages) - step.n % (len(session.log.messages) + 1)
            return Life(
                session.fork(at),
                life.said[:at],
                {p: v for p, v in life.seen.items() if p <= at},
                life.events,
            )
    return None


CHAPTERS = 4
SAYING = ("add", "say")


@st.composite
def tales(draw: st.DrawFn, *doings: str, **limits: Any) -> Tale:
    """Cases told in chapters: some messages, then what is done with the session, in any order."""
    case = draw(cases(**limits))
    deeds = st.sampled_from([deed.split() for deed in doings or EVERYTHING])
    steps: list[Step] = []
    for _ in range(CHAPTERS):
        steps.append(Step(draw(st.sampled_from(SAYING)), -(-len(case.messages) // CHAPTERS)))
        steps += [Step(do, draw(st.integers(0, 10))) for do in draw(deeds)]
    return Tale(case, tuple(steps))


EVERYTHING = (
    "",
    "look",
    "compact",
    "look compact",
    "compact undo",
    "compact fork",
    "fork look switch",
    "switch compact",
    "undo look",
)
