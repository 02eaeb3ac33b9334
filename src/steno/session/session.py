"""What you hold in your hand: a log, a policy, a wire and a store.

A session is the shell around the pure engine. It stores before it shrinks,
says what happened in events, and keeps a failed compaction away from the agent.
Another process may hold the same session: what it said is taken in, and a commit
drafted on an older state is drawn anew. What to do under pressure is the
policy's business.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Self, TypeVar

from steno.core.ask import Fatal, Flow, run
from steno.core.budget import Budget, Pressure
from steno.core.draft import Draft
from steno.core.error import DoesNotFit, NotHere, Stale, StoreFailed
from steno.core.event import Committed, Event, Failed, Overflow, Skipped, Started
from steno.core.log import Commit, Log, Why
from steno.core.message import Block, Message
from steno.core.span import Span
from steno.core.store import Store
from steno.core.view import View
from steno.core.wire import Wire
from steno.engine.compact import Outcome, compact, take_in
from steno.session.fixed import Fixed
from steno.session.place import place_of
from steno.session.setup import Setup, Told, wire_for
from steno.session.shelf import Shelf
from steno.session.usage import prompt_tokens
from steno.wire import decoded, encoded, plain_list, value_of

EVENTS_MOST = 1_000
REDRAWN_MOST = 8

T = TypeVar("T")


class Session:
    """One conversation, kept whole, shown within its budget.

    >>> s = Session(wire="openai", window=32_000)
    >>> s.add({"role": "user", "content": "hello"})
    >>> s.messages()
    [{'role': 'user', 'content': 'hello'}]
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        name: str | None = None,
        wire: str | Wire | None = None,
        window: int | None = None,
        model: str | None = None,
        reserve: int | None = None,
        system: Any = None,
        tools: Any = None,
        pins: Iterable[int] = (),
        store: Store | None = None,
        log: Log | None = None,
        durable: bool = True,
        **options: Any,
    ) -> None:
        self._shelf = Shelf.of(path, name, store, durable)
        try:
            kept = self._shelf.told
            self.told = kept.over(window=window, model=model, reserve=reserve, pins=_joined(kept.pins, pins))
            stored = self._shelf.card and self._shelf.card.wire
            self.setup = Setup.of(wire or stored or wire_for(self.told.model), self.told, **options)
            self._shelf.begin(self.setup.wire.name, self.told, log)
            self._fixed = Fixed.of(system, tools, self.setup.meter)
        except BaseException:
            self._shelf.close()
            raise
        self.events: deque[Event] = deque(maxlen=EVENTS_MOST)
        self.log = Log()
        self.view = View(self.setup.wire.terms, self.setup.meter)
        self._sent = 0
        self._tried: tuple[int, int, int] | None = None
        self.refresh()
        self._taken_in = 0 if self._shelf.card is None else len(self.log.messages)
        self._take_in()

    @property
    def name(self) -> str:
        return self._shelf.name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *gone: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; everything is kept already."""
        self._shelf.close()

    def refresh(self) -> None:
        """Take in what others said and committed to this session meanwhile."""
        messages, commits = self._shelf.more(self.log, self._read)
        self.log = self.log.said(messages)
        self.view = self.view.said(messages)
        for commit in commits:
            self.log = self.log.committed(commit)
        if commits:
            self.view = self.view.folded(self.log)

    def _read(self, raw: str) -> Message:
        return self.setup.wire.decode(value_of(raw), raw, "a kept message")

    def add(self, *messages: Any, usage: Any = None) -> None:
        """Say more; it is kept for good when this returns.

        `usage` is what the provider reported for the request that the first message answers.
        """
        new = decoded(self.setup.wire, plain_list(messages), start=len(self.log.messages))
        reported = None if usage is None else prompt_tokens(usage)
        self._append(new)
        if reported is not None:
            self._correct(reported)
        self._take_in()

    def _append(self, new: list[Message]) -> None:
        counted = self._fixed.tokens + self.view.raw
        start = self._shelf.append(new)
        if start != len(self.log.messages):  # somebody else spoke first
            self._catch_up()
            return
        self._sent = self._sent or counted
        self.log = self.log.said(new)
        self.view = self.view.said(new)

    def _catch_up(self) -> None:
        """Read on after our own words were kept; where that fails, the next add does it."""
        try:
            self.refresh()
        except StoreFailed as failure:
            self._say(Failed(f"{type(failure).__name__}: {failure}"))

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
        return self.redrawn(lambda: self.landed(run(self.begun("asked"), self.setup.writer, self.setup.limits)))

    def undo(self) -> Commit:
        """Take the newest standing commit down; what it covered is seen again."""
        commit = self._shelf.commit(self.log.undo())
        self.log = self.log.committed(commit)
        self.view = self.view.folded(self.log)
        return commit

    def fork(self, at: int | None = None, *, name: str | None = None) -> Session:
        """A session that begins as this one's log up to a position; both share the store."""
        at = len(self.log.messages) if at is None else at
        called = name or f"{self.name}@{at}.{len(self._shelf.store.names())}"
        told = self.told.over(pins=tuple(pin for pin in self.told.pins if pin < at))
        self._shelf.store.create(called, self.setup.wire.name, str(told), parent=self.name, fork=at)
        return Session(
            name=called,
            store=self._shelf.store,
            wire=self.setup.wire,
            system=self._fixed.system,
            tools=self._fixed.tools,
            policy=self.setup.policy,
            meter=self.view.meter,
            writer=self.setup.writer,
            limits=self.setup.limits,
            on_event=self.setup.on_event,
            strict=self.setup.strict,
        )

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
        self._tell(self.told.over(pins=_joined(self.told.pins, (position,))))

    def unpin(self, position: int) -> None:
        self._tell(self.told.over(pins=tuple(pin for pin in self.told.pins if pin != position)))

    def _tell(self, told: Told) -> None:
        self._shelf.store.note(self.name, str(told))
        self.told = told

    def _take_in(self) -> None:
        """Run the rungs of every round on what is new, which is kept already: a failure is told, not raised."""
        try:
            self.redrawn(self._taken)
        except (Stale, StoreFailed) as failure:
            self._say(Failed(f"{type(failure).__name__}: {failure}"))
        else:
            self._taken_in = len(self.log.messages)

    def _taken(self) -> None:
        commit = take_in(self._draft("arrival"), self.setup.policy)
        if commit is not None:
            self._land(commit)

    def _settle(self) -> None:
        """Land what pressure demands, without a model; a failure is told and the agent goes on."""
        pressure = self.pressure
        now = (len(self.log.messages), len(self.log.commits), self._fixed.tokens)
        waits = pressure is Pressure.SOFT and bool(self.view.mending.open)
        if pressure is Pressure.NONE or waits or now == self._tried:
            return
        why: Why = "hard" if pressure is Pressure.HARD else "soft"
        try:
            self.redrawn(lambda: self.landed(run(self.begun(why), None, self.setup.limits)))
        except (*Fatal, DoesNotFit, StoreFailed):
            raise
        except Exception as failure:  # noqa: BLE001 — the edge to the agent, which must go on; said in an event
            self._say(Failed(f"{type(failure).__name__}: {failure}"))
        self._tried = (len(self.log.messages), len(self.log.commits), self._fixed.tokens)

    def redrawn(self, landing: Callable[[], T]) -> T:
        """Do it again on what somebody else committed, as long as that made it stale, within bounds."""
        for _ in range(REDRAWN_MOST):
            try:
                return landing()
            except Stale:
                self.refresh()
        return landing()

    def begun(self, why: Why) -> Flow[Outcome]:
        """A compaction to be driven; `landed` takes what comes of it."""
        draft = self._draft(why)
        if self.setup.strict and self._fixed.load(self.view.meter) > self.budget.usable:
            raise DoesNotFit(self.load, self._fixed.load(self.view.meter), draft.goal, self.budget.usable)
        self._say(Started(why, draft.before, draft.goal, self.budget.usable))
        return compact(draft, self.setup.policy)

    def _draft(self, why: Why) -> Draft:
        return Draft.of(
            self.log,
            self.view,
            self.budget,
            why=why,
            fixed=self._fixed.tokens,
            pins=frozenset(self.told.pins),
            tail_share=self.setup.policy.tail_share,
            new=self._taken_in,
        )

    def landed(self, outcome: Outcome) -> Commit | None:
        if isinstance(outcome, Commit):
            self._land(outcome)
        else:
            self._say(Skipped(outcome.reason, self.load))
        if self.setup.strict and self.load > self.budget.usable:
            draft = self._draft("hard")
            raise DoesNotFit(self.load, draft.untouchable, draft.goal, self.budget.usable)
        return self.log.commits[-1] if isinstance(outcome, Commit) else None

    def _land(self, commit: Commit) -> None:
        commit = self._shelf.commit(commit)
        self.log = self.log.committed(commit)
        self.view = self.view.committed(commit)
        self._say(Committed.of(commit, self.view.boundary))
        if not commit.fits and commit.why != "arrival":
            fixed = self._draft(commit.why).untouchable
            self._say(Overflow(commit.after, fixed, commit.goal, self.budget.usable))

    def _say(self, event: Event) -> None:
        self.events.append(event)
        self.setup.on_event(event)

    def _correct(self, reported: int) -> None:
        self.view = replace(self.view, meter=self.view.meter.corrected(self._sent, reported))


def _joined(pins: Iterable[int], more: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({*pins, *more}))


def _block(message: Message, at: int, where: object) -> Block:
    if at >= len(message.blocks):
        raise NotHere(f"{where} is not there: the message has {len(message.blocks)} blocks, from 0 on")
    return message.blocks[at]
