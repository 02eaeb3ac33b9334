"""The same session on an event loop.

Not a twin: a session, whose work on the store is done in a thread, one call at
a time, and whose asks are awaited. The agent's loop is never blocked.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, ParamSpec, Self, TypeVar

from steno.core.ask import arun
from steno.core.budget import Budget, Pressure
from steno.core.error import BadInput, Stale
from steno.core.event import Event
from steno.core.log import Commit
from steno.core.span import Span
from steno.session.desk import REDRAWN_MOST
from steno.session.session import Session

P = ParamSpec("P")
T = TypeVar("T")


class AsyncSession:
    """`async with AsyncSession("agent.db", …) as s:`, with what a `Session` takes."""

    def __init__(self, *given: Any, **options: Any) -> None:
        self._given, self._options = given, options
        self._session: Session | None = None
        self._turn = asyncio.Lock()
        self._compacting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        if self._session is None:  # a fork is open already
            self._session = await asyncio.to_thread(Session, *self._given, **self._options)
        return self

    async def __aexit__(self, *gone: object) -> None:
        await self.close()

    @property
    def session(self) -> Session:
        """What stands behind it."""
        if self._session is None:
            raise BadInput("the session is not open: use it in `async with`")
        return self._session

    async def _in_turn(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        async def held() -> T:
            async with self._turn:
                return await asyncio.to_thread(work, *args, **kwargs)

        # Shielded, the turn included: a cancelled caller must not let the next one in while the thread still works.
        return await asyncio.shield(held())

    async def add(self, *messages: Any, usage: Any = None) -> None:
        await self._in_turn(self.session.add, *messages, usage=usage)

    async def messages(self) -> list[Any]:
        return await self._in_turn(self.session.messages)

    async def request(self, *, system: Any = None, tools: Any = None) -> dict[str, Any]:
        return await self._in_turn(self.session.request, system=system, tools=tools)

    async def compact(self, focus: str = "") -> Commit | None:
        """Ask without blocking, and without holding others up; drawn anew if somebody committed meanwhile."""
        async with self._compacting:
            for _ in range(REDRAWN_MOST):
                try:
                    return await self._compacted(focus)
                except Stale:
                    await self._in_turn(self.session.refresh)
            return await self._compacted(focus)

    async def _compacted(self, focus: str) -> Commit | None:
        session = self.session
        flow = await self._in_turn(session.begun, "asked", focus=focus)
        outcome = await arun(flow, session.setup.writer, session.setup.limits)
        return await self._in_turn(session.landed, outcome)

    async def undo(self) -> Commit:
        return await self._in_turn(self.session.undo)

    async def fork(self, at: int | None = None, *, name: str | None = None) -> AsyncSession:
        forked = AsyncSession()
        forked._session = await self._in_turn(self.session.fork, at, name=name)
        return forked

    async def open(self, where: int | str | Span) -> Any:
        return await self._in_turn(self.session.open, where)

    async def pin(self, what: int | str) -> int:
        return await self._in_turn(self.session.pin, what)

    async def unpin(self, position: int) -> None:
        await self._in_turn(self.session.unpin, position)

    async def close(self) -> None:
        if self._session is not None:
            await self._in_turn(self._session.close)

    async def refresh(self) -> None:
        await self._in_turn(self.session.refresh)

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
