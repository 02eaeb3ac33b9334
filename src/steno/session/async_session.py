"""The same session on an event loop.

Not a twin: a session, whose work on the store is done in a thread, one call at
a time, and whose asks are awaited. The agent's loop is never blocked.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, ParamSpec, Self, TypeVar

from steno.core.budget import Budget, Pressure
from steno.core.effects import DEFAULT_LIMITS, Flow, Limits, Model, arun
from steno.core.errors import BadInput, Stale, TooLong
from steno.core.events import Event, OnEvent, ignore_event
from steno.core.keywords import check_keywords
from steno.core.log import Commit, Log
from steno.core.message import Span
from steno.core.meter import Meter
from steno.core.store import Memory, Store
from steno.core.wire import Wire
from steno.engine.compact import CompactionOutcome
from steno.engine.policy import DEFAULT_POLICY, Policy, Quota
from steno.models.retry import DEFAULT_RETRY, Breakers, RetryPolicy
from steno.models.spend import DEFAULT_SPEND, Spend
from steno.recall.embedders import Embedder
from steno.recall.hits import Found
from steno.session.background import BackgroundDraft
from steno.session.compactor import drive_blocking
from steno.session.journal import STALE_RETRIES_MOST
from steno.session.notes import AgentNote
from steno.session.options import Redact, SessionOptions, Writer, document_options
from steno.session.overflow import learn_from, too_long_error
from steno.session.page import TURNS
from steno.session.session import Session, parse_focus

P = ParamSpec("P")
T = TypeVar("T")


class AsyncSession:
    """`async with AsyncSession("agent.db", …) as s:`, with what a `Session` takes."""

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
        """Take what `Session` takes; `async with` opens the session."""
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
        self._open_session: Callable[[], Session] = partial(
            Session.from_options,
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
        self._session: Session | None = None
        self._turn = asyncio.Lock()
        self._compacting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        if self._session is None:  # a fork is open already
            self._session = await asyncio.to_thread(self._open_session)
        self._session.drive = partial(_drive_on_loop, asyncio.get_running_loop())
        return self

    async def __aexit__(self, *gone: object) -> None:
        await self.close()

    @property
    def session(self) -> Session:
        """What stands behind it."""
        if self._session is None:
            raise BadInput("the session is not open: use it in `async with`")
        return self._session

    async def _run_in_turn(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        async def held() -> T:
            async with self._turn:
                return await asyncio.to_thread(work, *args, **kwargs)

        # Shielded, the turn included: a cancelled caller must not let the next one in while the thread still works.
        return await asyncio.shield(held())

    async def add(self, *messages: Any, usage: Any = None) -> None:
        await self._run_in_turn(self.session.add, *messages, usage=usage)

    async def messages(self) -> list[Any]:
        await self._run_in_turn(self.session.catch_up)
        await self._wait_for_draft()
        return await self._run_in_turn(self.session.current_messages)

    async def request(self, *, system: Any = None, tools: Any = None) -> dict[str, Any]:
        await self._run_in_turn(self.session.set_preamble, system, tools)
        await self._run_in_turn(self.session.catch_up)
        await self._wait_for_draft()
        return await self._run_in_turn(self.session.current_request)

    async def _wait_for_draft(self) -> None:
        """Wait for what must be waited for, and let others speak meanwhile."""
        session = self.session
        underway = await self._run_in_turn(session.required_draft)
        if underway is None:
            return
        since = session.setup.clock()
        await asyncio.wait([_as_future(underway)], timeout=session.setup.policy.wait)
        await self._run_in_turn(session.finish_waiting, underway, since)

    async def call(self, fn: Callable[[dict[str, Any]], Awaitable[T]]) -> T:
        """Hand the request to `fn` and await it; where the provider finds it too long, compact and send once more."""
        try:
            return await fn(await self.request())
        except Exception as failure:
            first = await self._shrink(failure)
            if first is None:
                raise
        request = await self.request()
        try:
            return await fn(request)
        except Exception as failure:
            second = await self._shrink(failure)
            if second is None:
                raise
            raise TooLong((first, second), self.budget.window, again=False) from failure

    @asynccontextmanager
    async def guard(self) -> AsyncIterator[None]:
        """`async with session.guard():`; a refusal as too long compacts the session and raises `TooLong`."""
        try:
            yield
        except Exception as failure:
            load = await self._shrink(failure)
            if load is None:
                raise
            raise too_long_error(self.session, load) from failure

    async def _shrink(self, failure: Exception) -> int | None:
        """The load that was refused as too long; the session is smaller after it."""
        load = await self._run_in_turn(learn_from, self.session, failure)
        if load is not None:
            await self.messages()
        return load

    async def compact_soon(self, focus: str = "") -> asyncio.Future[Commit | None]:
        """Begin a compaction, or join the one under way, and wait for nothing; what it gives can be awaited."""
        return _as_future(await self._run_in_turn(self.session.compact_soon, focus))

    async def compact(self, focus: str = "") -> Commit | None:
        """Ask without blocking, and without holding others up; drawn anew if somebody committed meanwhile."""
        parse_focus(focus)
        async with self._compacting:
            for _ in range(STALE_RETRIES_MOST):
                try:
                    return await self._compact(focus)
                except Stale:
                    await self._run_in_turn(self.session.refresh)
            return await self._compact(focus)

    async def _compact(self, focus: str) -> Commit | None:
        session = self.session
        flow = await self._run_in_turn(session.begin_compaction, "asked", focus=focus)
        outcome = await arun(flow, session.setup.writer, session.setup.limits)
        return await self._run_in_turn(session.land_outcome, outcome)

    async def undo(self) -> Commit:
        return await self._run_in_turn(self.session.undo)

    async def fork(self, at: int | None = None, *, name: str | None = None) -> AsyncSession:
        forked = AsyncSession()
        forked._session = await self._run_in_turn(self.session.fork, at, name=name)
        return forked

    async def open(self, where: int | str | Span) -> Any:
        return await self._run_in_turn(self.session.open, where)

    def tools(self) -> list[dict[str, Any]]:
        return self.session.tools()

    async def handle(self, call: Any) -> str | None:
        return await self._run_in_turn(self.session.handle, call)

    async def page_in(self, where: int | str | Span, turns: int | None = TURNS) -> int:
        return await self._run_in_turn(self.session.page_in, where, turns)

    async def release(self, *positions: int) -> None:
        await self._run_in_turn(self.session.release, *positions)

    async def remember(self, text: str) -> AgentNote:
        return await self._run_in_turn(self.session.remember, text)

    async def forget(self, id: int) -> AgentNote:
        return await self._run_in_turn(self.session.forget, id)

    async def notes(self) -> list[AgentNote]:
        return await self._run_in_turn(self.session.notes)

    async def memories(self, about: str = "") -> list[Memory]:
        return await self._run_in_turn(self.session.memories, about)

    async def memorize(self, seconds: float | None = None) -> list[Memory]:
        """Beside what else goes on: learning holds nobody up."""
        return await asyncio.to_thread(self.session.memorize, seconds)

    async def recall(self, query: str, **how: Any) -> Found:
        """Beside what else goes on: a search holds nobody up."""
        return await asyncio.to_thread(self.session.recall, query, **how)

    async def index(
        self, *, where: str | list[str] = "session", seconds: float | None = None
    ) -> bool:
        return await asyncio.to_thread(self.session.index, where=where, seconds=seconds)

    async def pin(self, what: int | str) -> int:
        return await self._run_in_turn(self.session.pin, what)

    async def unpin(self, position: int) -> None:
        await self._run_in_turn(self.session.unpin, position)

    async def close(self, wait: float = 0.0) -> None:
        """Let go of the file; a draft under way has so many seconds to land."""
        if self._session is None:
            return
        underway = self._session.background_draft
        if wait and underway is not None:
            await asyncio.wait([_as_future(underway)], timeout=wait)
        in_time = underway is None or underway.done
        await self._run_in_turn(self._session.close, wait if in_time else 0.0)

    async def refresh(self) -> None:
        await self._run_in_turn(self.session.refresh)

    @property
    def name(self) -> str:
        return self.session.name

    @property
    def events(self) -> deque[Event]:
        return self.session.events

    @property
    def load(self) -> int:
        return self.session.load

    @property
    def pressure(self) -> Pressure:
        return self.session.pressure

    @property
    def budget(self) -> Budget:
        return self.session.budget


def _as_future(underway: BackgroundDraft) -> asyncio.Future[Commit | None]:
    """The end of a draft as something to await."""
    loop = asyncio.get_running_loop()
    landed: asyncio.Future[Commit | None] = loop.create_future()

    def settle() -> None:
        if not landed.done():
            landed.set_result(underway.commit)

    def over() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle)

    underway.on_done(over)
    return landed


def _drive_on_loop(
    loop: asyncio.AbstractEventLoop,
    flow: Flow[CompactionOutcome],
    writer: Model | None,
    limits: Limits,
    underway: BackgroundDraft,
) -> CompactionOutcome:
    """Drive a background draft from its thread, with its asks on the loop, where an awaited writer lives."""
    if loop.is_closed():
        return drive_blocking(flow, writer, limits, underway)
    outcome = asyncio.run_coroutine_threadsafe(arun(flow, writer, limits), loop)
    underway.on_abandon(outcome.cancel)
    try:
        return outcome.result()
    except concurrent.futures.CancelledError:
        raise asyncio.CancelledError from None
