"""What you hold in your hand: JSON in, JSON out, and a log behind it.

Owns what a caller says and gets: messages, places, pins, usage. The work on the
log is the desk's; what to do under pressure is the policy's. Safe to share
between threads: one call at a time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeVar

from steno.core.effects import DEFAULT_LIMITS, Limits, run
from steno.core.errors import BadInput, NotHere, Stale, TooLong
from steno.core.events import OnEvent, ignore_event
from steno.core.keywords import check_keywords
from steno.core.log import Commit, Log
from steno.core.message import Block, Message, Span
from steno.core.meter import Meter
from steno.core.store import Store
from steno.core.view import View
from steno.core.wire import Wire
from steno.engine.policy import DEFAULT_POLICY, Policy, Quota
from steno.models.retry import DEFAULT_RETRY, Breakers, RetryingWriter, RetryPolicy
from steno.models.spend import DEFAULT_SPEND, Spend
from steno.recall.embedders import Embedder
from steno.session.background import BackgroundDraft
from steno.session.options import Redact, SessionOptions, Writer, document_options
from steno.session.overflow import OverflowGuard, shrink_after
from steno.session.place import parse_place
from steno.session.preamble import Preamble
from steno.session.redact import hide_secrets_in_errors
from steno.session.settings import Settings
from steno.session.stored_session import StoredSession
from steno.session.usage import prompt_tokens
from steno.session.user_memory import UserMemory
from steno.wires import decode_messages, encode_messages, parse_json, plain_list

T = TypeVar("T")


class Session(UserMemory):
    """One conversation, kept whole, shown within its budget.

    >>> s = Session(wire="openai", window=32_000)
    >>> s.add({"role": "user", "content": "hello"})
    >>> s.messages()
    [{'role': 'user', 'content': 'hello'}]
    """

    @document_options
    @check_keywords
    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        name: str | None = None,
        store: Store | str | os.PathLike[str] | None = None,
        durable: bool = True,
        user: str | None = None,
        log: Log | None = None,
        system: Any = None,
        tools: Any = None,
        pins: Iterable[int] = (),
        wire: str | Wire | None = None,
        window: int | None = None,
        model: str | None = None,
        reserve: int | None = None,
        policy: str | os.PathLike[str] | Policy = DEFAULT_POLICY,
        quota: Quota = "normal",
        meter: Meter | None = None,
        writer: Writer = None,
        retry: RetryPolicy = DEFAULT_RETRY,
        spend: Spend = DEFAULT_SPEND,
        breakers: Breakers | None = None,
        limits: Limits = DEFAULT_LIMITS,
        on_event: OnEvent = ignore_event,
        strict: bool = False,
        redact: Redact = None,
        clock: Callable[[], float] = time.monotonic,
        embedder: Embedder | None = None,
        memory: bool = False,
    ) -> None:
        """Open the session of this name, or begin it.

        path: file in which sessions are kept; without one the session is in memory.
        name: name of the session; may be left out if the file holds only one.
        store: a `Store`, or a path, in place of `path`.
        durable: wait until every message is on the disk, so that a power cut loses nothing.
        user: whose session this is; needed for `memory`.
        log: messages and commits that a new session begins with.
        system: system prompt, in the provider's format.
        tools: definitions of the agent's tools, in the provider's format.
        pins: positions that are never covered.
        """
        options = SessionOptions(
            wire=wire,
            window=window,
            model=model,
            reserve=reserve,
            policy=policy,
            quota=quota,
            meter=meter,
            writer=writer,
            retry=retry,
            spend=spend,
            breakers=breakers,
            limits=limits,
            on_event=on_event,
            strict=strict,
            redact=redact,
            clock=clock,
            embedder=embedder,
            memory=memory,
        )
        self._open(
            options,
            path,
            name=name,
            store=store,
            durable=durable,
            user=user,
            log=log,
            system=system,
            tools=tools,
            pins=pins,
        )

    @classmethod
    def from_options(
        cls,
        options: SessionOptions,
        path: str | os.PathLike[str] | None = None,
        *,
        name: str | None = None,
        store: Store | str | os.PathLike[str] | None = None,
        durable: bool = True,
        user: str | None = None,
        log: Log | None = None,
        system: Any = None,
        tools: Any = None,
        pins: Iterable[int] = (),
    ) -> Self:
        """Open a session with options that were collected before."""
        session = cls.__new__(cls)
        session._open(
            options,
            path,
            name=name,
            store=store,
            durable=durable,
            user=user,
            log=log,
            system=system,
            tools=tools,
            pins=pins,
        )
        return session

    def _open(
        self,
        options: SessionOptions,
        path: str | os.PathLike[str] | None,
        *,
        name: str | None,
        store: Store | str | os.PathLike[str] | None,
        durable: bool,
        user: str | None,
        log: Log | None,
        system: Any,
        tools: Any,
        pins: Iterable[int],
    ) -> None:
        shelf = StoredSession.of(path, name, store, durable)
        try:
            shelf.refuse_other_user(user)
            shelf.require_user_for_memory(user, options.memory)
            shelf.require_redaction(options.redact)
            kept = shelf.settings
            redacted = True if options.redact is not None and options.redact is not False else None
            told = kept.for_reopening(
                window=options.window,
                model=options.model,
                reserve=options.reserve,
                pins=_merge_pins(kept.pins, pins),
                redacted=redacted,
            )
            options = replace(options, wire=shelf.choose_wire(options.wire))
            setup = Settings.of(options, told)
            if told.window is None and told.model is None:
                # The policy's own window is stored, so that the session opens again without it.
                told = told.with_changes(window=setup.budget.window)
            fixed = Preamble.of(system, tools, setup.meter)
            shelf.begin(setup.wire.name, told, log, user)
            self.options = options
            super().__init__(shelf, setup, told, fixed)
            if isinstance(setup.writer, RetryingWriter) and setup.writer is not options.writer:
                # The writer is this session's own: what an earlier process spent counts.
                setup.writer.account.restore(
                    call for commit in self.log.commits for call in commit.asked
                )
        except BaseException:
            shelf.close()
            raise

    @property
    def store(self) -> Store:
        """Where its log is kept."""
        return self._shelf.store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *gone: object) -> None:
        self.close()

    def close(self, wait: float = 0.0) -> None:
        """Let go of the file; everything is kept already. A draft under way has so many seconds to land."""
        if wait and self._underway is not None:
            self._underway.wait(wait)
        with self._lock:
            self.abandon_draft()
        self.learn_before_closing(wait)
        with self._lock:
            self._shelf.close()

    def add(self, *messages: Any, usage: Any = None) -> None:
        """Say more; it is kept for good when this returns.

        `usage` is what the provider reported for the request that the first message answers.
        """
        self.raise_background_error()
        with self._lock:
            with hide_secrets_in_errors(self.setup.redact):
                said = [self.clean(message) for message in plain_list(messages)]
                new = decode_messages(self.setup.wire, said, start=len(self.log.messages))
            reported = None if usage is None else prompt_tokens(usage)
            self._append(self.with_memories(new))
            if reported is not None:
                self._calibrate_meter(reported)
            self._take_in()

    def messages(self) -> list[Any]:
        """What the model should see now; lands what must be landed, waits for a writer only if pressure is hard."""
        self.catch_up()
        self.wait_for_draft()
        return self.current_messages()

    def current_messages(self) -> list[Any]:
        """The same without waiting for anybody."""
        return encode_messages(self.setup.wire, self.view_to_send().visible_messages)

    def view_to_send(self) -> View:
        """The view that is to be sent now, once what must be landed has landed."""
        with self._lock:
            self.settle()
            self._sent = self._fixed.tokens + self.view.raw
            self._sent_at = self.setup.clock()
            return self.view

    def request(self, *, system: Any = None, tools: Any = None) -> dict[str, Any]:
        """Keyword arguments for the provider's client."""
        self.set_preamble(system, tools)
        self.catch_up()
        self.wait_for_draft()
        return self.current_request()

    def set_preamble(self, system: Any = None, tools: Any = None) -> None:
        """Say the system prompt or the tools anew; None leaves them."""
        if system is not None or tools is not None:
            with self._lock:
                self._fixed = Preamble.of(system, tools, self.setup.meter, self._fixed)

    def current_request(self) -> dict[str, Any]:
        """The request without waiting for anybody."""
        with self._lock:
            return self.request_with(self.current_messages())

    def call(self, fn: Callable[[dict[str, Any]], T]) -> T:
        """Hand the request to `fn`, which sends it; where the provider finds it too long, compact and send once more.

        >>> reply = session.call(lambda request: client.chat.completions.create(model="gpt-5", **request))
        """
        try:
            return fn(self.request())
        except Exception as failure:
            first = shrink_after(self, failure)
            if first is None:
                raise
        return self._call_again(fn, first)

    def _call_again(self, fn: Callable[[dict[str, Any]], T], first: int) -> T:
        request = self.request()
        try:
            return fn(request)
        except Exception as failure:
            second = shrink_after(self, failure)
            if second is None:
                raise
            raise TooLong((first, second), self.budget.window, again=False) from failure

    def guard(self) -> OverflowGuard:
        """`with session.guard():` around a call: a refusal as too long compacts the session and raises `TooLong`."""
        return OverflowGuard(self)

    def request_with(self, messages: list[Any]) -> dict[str, Any]:
        """The same around messages that were asked for already."""
        tools = None if self._fixed.tools is None else list(self._fixed.tools)
        return self.setup.wire.request(messages, self._fixed.system, tools)

    def compact(self, focus: str = "") -> Commit | None:
        """Do it now, whatever the fill; `focus` says what to keep above all. None where there is nothing to do."""
        self.raise_background_error()
        begun = partial(self.begin_compaction, "asked", focus=parse_focus(focus))
        return self.retry_stale(
            lambda: self.land_outcome(run(begun(), self.setup.writer, self.setup.limits))
        )

    def compact_soon(self, focus: str = "") -> BackgroundDraft:
        """The same while the agent goes on: begins, or gives the one under way, and waits for nothing."""
        self.raise_background_error()
        return self.start_draft("asked", parse_focus(focus))

    def undo(self) -> Commit:
        """Take the newest standing commit down; what it covered is seen again."""
        with self._lock:
            try:
                commit = self._shelf.commit(self.log.undo())
            except Stale:
                self.refresh()  # what is newest is known now: whoever still means it says so again
                raise
            self.log = self.log.with_commit(commit)
            self.view = self.view.fold(self.log)
            return commit

    def fork(self, at: int | None = None, *, name: str | None = None) -> Session:
        """A session that begins as this one's log up to a position; both share the store."""
        at = len(self.log.messages) if at is None else at
        self.log.fork(at)  # refuses what cannot be forked, before anything is made
        called = name or f"{self.name}@{at}.{len(self._shelf.store.sessions())}"
        told = self.told.with_changes(pins=tuple(pin for pin in self.told.pins if pin < at))
        self._shelf.store.create(called, self.setup.wire.name, str(told), parent=self.name, fork=at)
        redact: Redact = self.setup.redact
        if redact is None:
            redact = False
        options = replace(
            self.options,
            window=None,
            model=None,
            reserve=None,
            wire=self.setup.wire,
            policy=self.setup.policy,
            quota="normal",
            meter=self.view.meter,
            writer=self.setup.writer,
            redact=redact,
        )
        return Session.from_options(
            options,
            name=called,
            store=self._shelf.store,
            system=self._fixed.system,
            tools=self._fixed.tools,
        )

    def open(self, where: int | str | Span) -> Any:
        """What was said there, word for word: a message, a list of them, or a block."""
        place = parse_place(where)
        found = self.log.open(place.span)
        if place.block is not None:
            return _block_at(found[0], place.block, where)
        plain = [parse_json(text) for message in found for text in self.setup.wire.encode(message)]
        if place.single:
            return plain[0]
        return plain

    def pin(self, what: int | str) -> int:
        """Never cover what was said at this position, or this text, which is said now; gives its position."""
        if not isinstance(what, int | str) or isinstance(what, bool):
            raise BadInput(f"pin() takes a position or a text, got {type(what).__name__}")
        position = self._append_text(what) if isinstance(what, str) else what
        self.log.open(Span(position, position + 1))
        with self._lock:
            self.told = self._shelf.update_settings(
                lambda told: told.with_changes(pins=_merge_pins(told.pins, (position,)))
            )
        return position

    def _append_text(self, text: str) -> int:
        """The position of a text that is added as a user's message, where no call is waiting for its result."""
        with self._lock:
            self.refresh()
            if not text.strip():
                raise BadInput("there is nothing to pin in an empty text")
            if self.view.mending.open:
                raise BadInput(
                    "a call is waiting for its result: add the result, then pin the text"
                )
            self.add({"role": "user", "content": text})
            return len(self.log.messages) - 1

    def unpin(self, position: int) -> None:
        with self._lock:
            self.told = self._shelf.update_settings(
                lambda told: told.with_changes(pins=tuple(p for p in told.pins if p != position))
            )


def parse_focus(focus: Any) -> str:
    """What a caller says to keep above all."""
    if not isinstance(focus, str):
        raise BadInput(f"focus= takes words, got {type(focus).__name__}")
    return focus


def _merge_pins(pins: Iterable[int], more: Iterable[int]) -> tuple[int, ...]:
    new = list(more)
    wrong = [pin for pin in new if not isinstance(pin, int) or isinstance(pin, bool) or pin < 0]
    if wrong:
        raise BadInput(f"pins are positions, whole numbers from 0 on, got {wrong[0]!r}")
    return tuple(sorted({*pins, *new}))


def _block_at(message: Message, at: int, where: object) -> Block:
    if at >= len(message.blocks):
        raise NotHere(
            f"{where} is not there: the message has {len(message.blocks)} blocks, from 0 on"
        )
    return message.blocks[at]
