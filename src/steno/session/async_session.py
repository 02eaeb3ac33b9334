"""`AsyncSession`: the same session on an event loop.

Work on the store is done in a thread, one call at a time; what a turn waits for is awaited, so
the loop is never blocked. It has no logic of its own: the steps are in `turn`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import os
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from steno.core.arguments import check_arguments
from steno.core.budget import Budget, Pressure
from steno.core.effects import Driver, Flow, Limits, Model, arun
from steno.core.errors import BadInput
from steno.core.events import Event
from steno.core.log import Commit, Log
from steno.core.view import View
from steno.session import turn
from steno.session.background import BackgroundDraft
from steno.session.compactor import drive_blocking
from steno.session.host import SessionHost
from steno.session.options import SessionOptions, takes_options
from steno.session.parts import SessionParts
from steno.session.session import Session

P = ParamSpec("P")
T = TypeVar("T")


def _in_thread(
    method: Callable[Concatenate[Session, P], T], *, beside: bool = False
) -> Callable[Concatenate[AsyncSession, P], Coroutine[Any, Any, T]]:
    """Return a method that works in a thread, after the work begun before or `beside` it."""

    @functools.wraps(method)
    async def run(self: AsyncSession, /, *args: P.args, **kwargs: P.kwargs) -> T:
        do = asyncio.to_thread if beside else self._work_in_turn
        return await do(method, self._blocking, *args, **kwargs)

    return run


def _forward(name: str) -> Any:
    """Return a property that reads the same property of the blocking session."""
    return property(lambda self: getattr(self._blocking, name), doc=getattr(Session, name).__doc__)


class AsyncSession:
    """`async with AsyncSession("agent.db", …) as s:`; has what a `Session` has."""

    @takes_options
    def __init__(
        self, path: str | os.PathLike[str] | None = None, **options: Unpack[SessionOptions]
    ) -> None:
        """Take what `Session` takes; `async with` opens the session.

        path: file in which sessions are kept; without one the session is in memory.
        """
        self._open_session = partial(Session, path, **options)
        self._set_up(None)

    @classmethod
    def _over(cls, session: Session) -> Self:
        """Return an async session over one that is open already; `async with` enters it."""
        over = cls.__new__(cls)
        over._set_up(session)
        return over

    def _set_up(self, session: Session | None) -> None:
        self._session = session
        self._turn = asyncio.Lock()
        self._compacting = asyncio.Lock()

    def _repr_html_(self) -> str:
        """Return a picture of its window, for a notebook."""
        return self._blocking._repr_html_()

    def __repr__(self) -> str:
        """Return its name and figures in one line."""
        if self._session is None:
            return "<AsyncSession that is not open>"
        return repr(self._session).replace("<Session", "<AsyncSession", 1)

    async def __aenter__(self) -> Self:
        if self._session is None:
            self._session = await asyncio.to_thread(self._open_session)
        loop = asyncio.get_running_loop()
        self._session._parts.compactor.drive = partial(_drive_on_loop, loop)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    @property
    def _blocking(self) -> Session:
        """The blocking session over the same parts."""
        if self._session is None:
            raise BadInput("the session is not open: use it in `async with`")
        return self._session

    @property
    def _parts(self) -> SessionParts:
        return self._blocking._parts

    async def _work_in_turn(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do some work in a thread, after the work that was begun before."""

        async def wait_and_work() -> T:
            async with self._turn:
                return await asyncio.to_thread(work, *args, **kwargs)

        # Shielded, with the lock: after a cancelled caller the next one may not come in
        # while the thread is still at work.
        return await asyncio.shield(wait_and_work())

    async def _drive(
        self, steps: turn.Turn[T], send: Callable[[dict[str, Any]], Awaitable[Any]] | None = None
    ) -> T:
        """Await what the steps of a turn wait for; run the steps themselves in a thread."""
        driver = Driver(steps)
        while True:
            # In a thread: a step may read facts or write to the disk, and the loop must go on.
            effect = await self._work_in_turn(next, driver, None)
            if effect is None:
                return driver.result
            try:
                match effect:
                    case turn.WaitFor(draft, seconds):
                        await asyncio.wait([asyncio.wrap_future(draft.ended)], timeout=seconds)
                    case turn.RunCompaction(flow):
                        settings = self._parts.settings
                        driver.answer(await arun(flow, settings.writer, settings.limits))
                    case turn.SendRequest(request):
                        assert send is not None
                        driver.answer(await send(request))
            except Exception as failure:  # noqa: BLE001 — the steps decide what it means
                driver.fail(failure)

    # What waits or sends.

    @check_arguments
    async def close(self, wait: float = 0.0) -> None:
        """Close the file; a draft under way has `wait` seconds to land."""
        if self._session is not None:
            await self._drive(turn.close(self._parts, wait))

    async def messages(self) -> list[Any]:
        """Return what the model should see now; waits for a writer only under hard pressure."""
        return await self._drive(turn.prepare_messages(self._parts))

    async def request(self, *, system: Any = None, tools: Any = None) -> dict[str, Any]:
        """Return the keyword arguments for the provider's client."""
        return await self._drive(turn.prepare_request(self._parts, system, tools))

    @check_arguments
    async def call(self, fn: Callable[[dict[str, Any]], Awaitable[T]]) -> T:
        """Send the request with `fn`; if it is refused as too long, compact and send once more."""
        reply: T = await self._drive(turn.send(self._parts), fn)
        return reply

    @asynccontextmanager
    async def guard(self) -> AsyncIterator[None]:
        """Compact and raise `TooLong` if the provider refuses a request as too long in here."""
        try:
            yield
        except Exception as failure:
            error = await self._drive(turn.refuse_too_long(self._parts, failure))
            if error is None:
                raise
            raise error from failure

    @check_arguments
    async def compact(self, focus: str = "") -> Commit | None:
        """Compact now, whatever the fill, without blocking others."""
        async with self._compacting:
            return await self._drive(turn.compact(self._parts, focus))

    @check_arguments
    async def compact_soon(self, focus: str = "") -> asyncio.Future[Commit | None]:
        """Start a compaction in the background; the future gives its commit."""
        draft = await self._work_in_turn(self._blocking.compact_soon, focus)
        return asyncio.wrap_future(draft.ended)

    @check_arguments
    async def fork(self, at: int | None = None, *, name: str | None = None) -> AsyncSession:
        """Begin another session as this one's log up to a position, in the same store."""
        return AsyncSession._over(await self._work_in_turn(self._blocking.fork, at, name=name))

    # What `Session` does, in a thread.

    add = _in_thread(Session.add)
    undo = _in_thread(Session.undo)
    open = _in_thread(Session.open)
    pin = _in_thread(Session.pin)
    unpin = _in_thread(Session.unpin)
    handle = _in_thread(Session.handle)
    set_quota = _in_thread(Session.set_quota)
    constraints = _in_thread(Session.constraints)
    set_constraint = _in_thread(Session.set_constraint)
    retire_constraint = _in_thread(Session.retire_constraint)
    memories = _in_thread(Session.memories)
    handover = _in_thread(Session.handover, beside=True)
    learn = _in_thread(Session.learn, beside=True)
    recall = _in_thread(Session.recall, beside=True)

    # What takes no time.

    def tools(self) -> list[dict[str, Any]]:
        """Return the agent's own tools as its provider wants them defined."""
        return self._blocking.tools()

    host: SessionHost = _forward("host")
    name: str = _forward("name")
    log: Log = _forward("log")
    view: View = _forward("view")
    events: deque[Event] = _forward("events")
    load: int = _forward("load")
    budget: Budget = _forward("budget")
    pressure: Pressure = _forward("pressure")


def _drive_on_loop(
    loop: asyncio.AbstractEventLoop,
    flow: Flow[T],
    writer: Model | None,
    limits: Limits,
    draft: BackgroundDraft,
) -> T:
    """Ask on the loop, where an async writer lives, from the thread of a background draft."""
    if loop.is_closed():
        return drive_blocking(flow, writer, limits, draft)
    outcome = asyncio.run_coroutine_threadsafe(arun(flow, writer, limits), loop)
    draft.on_abandon(outcome.cancel)
    try:
        return outcome.result()
    except concurrent.futures.CancelledError:
        raise asyncio.CancelledError from None
