"""What you hold in your hand: a log, a policy, a wire and a store.

A session is the shell around the pure engine. It stores before it shrinks,
says what happened in events, and keeps a failed compaction away from the agent.
What to do under pressure is the policy's business.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from steno.core.ask import LIMITS, Fatal, Flow, Limits, Model, arun, run
from steno.core.budget import Budget, Pressure
from steno.core.draft import Draft
from steno.core.error import BadInput, DoesNotFit, NotHere
from steno.core.event import Committed, Failed, OnEvent, Overflow, Skipped, Started, nobody
from steno.core.log import Commit, Log, Why
from steno.core.message import Block, Message
from steno.core.meter import Meter
from steno.core.span import Span
from steno.core.view import View
from steno.core.wire import Wire
from steno.engine.compact import Outcome, compact, take_in
from steno.engine.policy import DEFAULT, Policy
from steno.meters import meter_for
from steno.meters.catalog import known
from steno.session.fixed import Fixed
from steno.session.place import place_of
from steno.session.usage import prompt_tokens
from steno.store.memory import MemoryStore
from steno.wire import chosen, decoded, encoded, plain_list, value_of


@dataclass(frozen=True)
class Setup:
    """Everything a session is told once."""

    wire: Wire
    meter: Meter
    budget: Budget
    policy: Policy = DEFAULT
    writer: Model | None = None
    limits: Limits = LIMITS
    on_event: OnEvent = nobody
    strict: bool = False

    @classmethod
    def of(
        cls,
        wire: str | Wire,
        *,
        window: int | None = None,
        model: str | None = None,
        reserve: int | None = None,
        policy: Policy = DEFAULT,
        meter: Meter | None = None,
        **rest: Any,
    ) -> Setup:
        """From what a caller says: a window, or a model whose window is known."""
        if window is None and model is None:
            raise BadInput("say how much fits: window= in tokens, or model= with a known name")
        size = known(model or "").window if window is None else window
        if not isinstance(size, int) or isinstance(size, bool):
            raise BadInput(f"window= takes a whole number of tokens, got {type(size).__name__}")
        way = chosen(wire).for_model(model or "") if isinstance(wire, str) else wire
        counts = meter or meter_for(model, way.name)
        return cls(way, counts, policy.budget(size, reserve), policy, **rest)


class Session:
    """One conversation, kept whole, shown within its budget.

    >>> s = Session(wire="openai", window=32_000)
    >>> s.add({"role": "user", "content": "hello"})
    >>> s.messages()
    [{'role': 'user', 'content': 'hello'}]
    """

    def __init__(
        self,
        *,
        wire: str | Wire,
        window: int | None = None,
        model: str | None = None,
        system: Any = None,
        tools: Any = None,
        pins: Iterable[int] = (),
        name: str = "session",
        store: MemoryStore | None = None,
        log: Log | None = None,
        **options: Any,
    ) -> None:
        self.setup = Setup.of(wire, window=window, model=model, **options)
        self.name = name
        self.store = store or MemoryStore()
        self.store.create(name, log)
        self.log = self.store.load(name)
        self.view = View.of(self.log, self.setup.wire.terms, self.setup.meter)
        self._pins = frozenset(pins)
        self._fixed = Fixed.of(system, tools, self.setup.meter)
        self._sent = 0
        self._tried: tuple[int, int, int] | None = None
        self._taken_in = 0
        self._take_in()

    def add(self, *messages: Any, usage: Any = None) -> None:
        """Say more. `usage` is what the provider reported for the request that the first one answers."""
        new = decoded(self.setup.wire, plain_list(messages), start=len(self.log.messages))
        reported = None if usage is None else prompt_tokens(usage)
        if reported is not None:
            self._correct(reported)
        self.log = self.store.append(self.name, new)
        self.view = self.view.said(new)
        self._take_in()

    def messages(self) -> list[Any]:
        """What the model should see now; lands what must be landed, and never asks a model."""
        self._settle()
        self._sent = self._fixed.tokens + self.view.raw
        return encoded(self.setup.wire, self.view.shown)

    def request(self, *, system: Any = None, tools: Any = None) -> dict[str, Any]:
        """Keyword arguments for the provider's client."""
        if system is not None or tools is not None:
            self._fixed = Fixed.of(system, tools, self.setup.meter, self._fixed)
        return self.request_of(self.messages())

    def request_of(self, messages: list[Any]) -> dict[str, Any]:
        """The same around messages that were asked for already."""
        return self.setup.wire.request(messages, self._fixed.system, self._fixed.tools)

    @property
    def load(self) -> int:
        """Tokens of the next request: system prompt, tools and view."""
        return self.view.meter.load(self._fixed.tokens + self.view.raw)

    @property
    def budget(self) -> Budget:
        return self.setup.budget

    @property
    def pressure(self) -> Pressure:
        return self.budget.pressure(self.load)

    def compact(self) -> Commit | None:
        """Do it now, whatever the fill; None where there is nothing to do."""
        return self._landed(run(self._begun("asked"), self.setup.writer, self.setup.limits))

    async def acompact(self) -> Commit | None:
        """The same on an event loop, which it does not block."""
        return self._landed(await arun(self._begun("asked"), self.setup.writer, self.setup.limits))

    def undo(self) -> Commit:
        """Take the newest standing commit down; what it covered is seen again."""
        commit = self.log.undo()
        self.log = self.store.commit(self.name, commit)
        self.view = self.view.folded(self.log)
        return commit

    def fork(self, at: int | None = None, *, name: str | None = None) -> Session:
        """A session that begins as this one's log up to a position."""
        at = len(self.log.messages) if at is None else at
        forked = Session.__new__(Session)
        forked.__dict__.update(self.__dict__)
        forked.name = name or f"{self.name}@{at}.{len(self.store.names())}"
        self.store.create(forked.name, self.log.forked(at))
        forked.log = self.store.load(forked.name)
        forked.view = View.of(forked.log, self.setup.wire.terms, self.view.meter)
        forked._taken_in, forked._tried = min(self._taken_in, at), None
        return forked

    def open(self, where: int | str | Span) -> Any:
        """What was said there, word for word: a message, a list of them, or a block."""
        place = place_of(where)
        found = self.log.open(place.span)
        if place.block is not None:
            return _block(found[0], place.block, where)
        plain = [value_of(text) for message in found for text in self.setup.wire.encode(message)]
        return plain[0] if place.single else plain

    def pin(self, position: int) -> None:
        """Never cover what was said at this position."""
        self.log.open(Span(position, position + 1))
        self._pins |= {position}

    def unpin(self, position: int) -> None:
        self._pins -= {position}

    def _take_in(self) -> None:
        """Run the rungs of every round on what is new."""
        draft = self._draft("arrival")
        self._taken_in = len(self.log.messages)
        commit = take_in(draft, self.setup.policy)
        if commit is not None:
            self._land(commit)

    def _settle(self) -> None:
        """Land what pressure demands, without a model; a failure is told and the agent goes on."""
        pressure = self.pressure
        now = (len(self.log.messages), len(self.log.commits), self._fixed.tokens)
        waits = pressure is Pressure.SOFT and bool(self.view.mending.open)
        if pressure is Pressure.NONE or waits or now == self._tried:
            return
        self._tried = now
        try:
            self._landed(run(self._begun("hard" if pressure is Pressure.HARD else "soft"), None, self.setup.limits))
        except (*Fatal, DoesNotFit):
            raise
        except Exception as failure:  # noqa: BLE001 — the edge to the agent, which must go on; said in an event
            self.setup.on_event(Failed(f"{type(failure).__name__}: {failure}"))
        self._tried = (now[0], len(self.log.commits), now[2])

    def _begun(self, why: Why) -> Flow[Outcome]:
        draft = self._draft(why)
        if self.setup.strict and self._fixed.load(self.view.meter) > self.budget.usable:
            raise DoesNotFit(self.load, self._fixed.load(self.view.meter), draft.goal, self.budget.usable)
        self.setup.on_event(Started(why, draft.before, draft.goal, self.budget.usable))
        return compact(draft, self.setup.policy)

    def _draft(self, why: Why) -> Draft:
        return Draft.of(
            self.log,
            self.view,
            self.budget,
            why=why,
            fixed=self._fixed.tokens,
            pins=self._pins,
            tail_share=self.setup.policy.tail_share,
            new=self._taken_in,
        )

    def _landed(self, outcome: Outcome) -> Commit | None:
        if not isinstance(outcome, Commit):
            self.setup.on_event(Skipped(outcome.reason, self.load))
            self._refuse_overflow()
            return None
        self._land(outcome)
        self._refuse_overflow()
        return outcome

    def _land(self, commit: Commit) -> None:
        self.log = self.store.commit(self.name, commit)
        self.view = self.view.committed(self.log.commits[-1])
        self.setup.on_event(Committed.of(commit, self.view.boundary))
        if not commit.fits and commit.why != "arrival":
            fixed = self._draft(commit.why).untouchable
            self.setup.on_event(Overflow(commit.after, fixed, commit.goal, self.budget.usable))

    def _refuse_overflow(self) -> None:
        if self.setup.strict and self.load > self.budget.usable:
            draft = self._draft("hard")
            raise DoesNotFit(self.load, draft.untouchable, draft.goal, self.budget.usable)

    def _correct(self, reported: int) -> None:
        counted = self._sent or self._fixed.tokens + self.view.raw
        self.view = replace(self.view, meter=self.view.meter.corrected(counted, reported))


def _block(message: Message, at: int, where: object) -> Block:
    if at >= len(message.blocks):
        raise NotHere(f"{where} is not there: the message has {len(message.blocks)} blocks, from 0 on")
    return message.blocks[at]
