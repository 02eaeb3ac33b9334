"""What the adapters of frameworks share: whose list it is, and what happens if Steno fails.

A hook serves all runs of a program. Each run says its user and session, either by a fixed name
or by a function of the framework's own context; each user has a `Fitter`, so two never meet.
Unless an adapter says otherwise, the framework's own history stays whole, and each request carries
what fits of it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import suppress
from typing import Any, Unpack

from steno.adapters.events import EventRecorder
from steno.adapters.fit import Fitted, Fitter, Fitters
from steno.adapters.flows import abegun, arun_flow, begun, run_flow
from steno.adapters.frameworks.shapes import Written
from steno.adapters.recall import RECALL
from steno.core.errors import BadBudget, NotHere, UnknownModel
from steno.core.events import ignore_event
from steno.engine.policy import Policy
from steno.providers import get_wire
from steno.redact import redactor_of
from steno.session.agent_tools.definitions import tool_definition
from steno.session.options import SharedOptions
from steno.session.session import Session

Naming = str | Callable[[Any], str | None] | None
"""A name, or a function that reads it from the framework's context of a run."""
DESCRIPTION, SCHEMA = tool_definition(RECALL)


class HookOptions(SharedOptions, total=False):
    """What every adapter of a framework takes, beside the options of a session.

    user: whose runs these are. Runs of two users never meet.
    session: name of the conversation; recall needs one.
    store: file in which every word is kept; without one, memory of this process.
    """

    user: Naming
    session: Naming
    store: str | os.PathLike[str] | None
    durable: bool
    model: str | None
    policy: str | os.PathLike[str] | Policy | None


class WholeList(list[Any]):
    """A list that goes out as it came, because Steno failed."""

    tools: Sequence[Any] = ()

    def keep(self) -> None:
        """Do nothing: the caller's list stays its own."""

    def shorter(self, error: Exception) -> None:
        """Return nothing: no session knows this list."""


class FrameworkHook:
    """Fits the lists of a framework's runs; a failure of ours never stops a run."""

    def __init__(self, wire: str = "openai", **options: Unpack[HookOptions]) -> None:
        self._user = options.pop("user", None)
        self._session = options.pop("session", None)
        self._redactor = redactor_of(options.get("redact"))
        self._say = EventRecorder(options.get("on_event", ignore_event), self._redactor)
        self.events = self._say.events
        self._options: Any = {**options, "on_event": self._say, "wire": wire}
        self._tool = get_wire(wire).tool
        """Defines a tool by its name, description and schema, as the wire has it."""
        self._fitters = Fitters()
        # Raise now what is wrong with the options; a function of the user has no user yet.
        if callable(self._user):
            Fitter(**{**self._options, "store": None}, user="anyone").close()
        else:
            self._fitter(self._user)

    def close(self) -> None:
        """Close the store's file; everything is kept already."""
        self._fitters.close()

    def newest(self, session: str, user: str | None = None) -> Session:
        """Return the session used last under a name; of the adapter's own user if none is given."""
        if user is None and isinstance(self._user, str):
            user = self._user
        return self._fitter(user).newest(session)

    def _fitter(self, user: str | None) -> Fitter:
        return self._fitters.get(user, lambda: Fitter(**self._options, user=user))

    def _fit(self, messages: Sequence[Any], run: Any, **how: Any) -> Fitted | WholeList:
        """Return the list to send; all but its secrets if Steno failed, which an event says."""
        report = self._say.report_failures(
            "the whole list was sent: ", unless=(UnknownModel, BadBudget)
        )
        with report:
            session, user = self._names(run)
            return self._fitter(user).fit(messages, session=session, **how)
        whole = messages
        if self._redactor is not None:
            whole = self._redactor.plain(messages)
        return WholeList(whole)

    async def _afit(self, messages: Sequence[Any], run: Any, **how: Any) -> Fitted | WholeList:
        return await asyncio.to_thread(self._fit, messages, run, **how)

    def _sending(self, messages: list[Any], run: Any, **how: Any) -> Generator[list[Any], Any, Any]:
        """Yield the list to send, and a shorter one if the provider refuses it as too long."""
        fitted = self._fit(messages, run, **how)
        try:
            return (yield fitted)
        except Exception as error:
            shorter = self._shorten(fitted, error)
            if shorter is None:
                raise
        return (yield shorter)

    def _send(self, given: Written, call: Callable[[list[Any]], Any], run: Any, **how: Any) -> Any:
        """Call a model with what fits of a list, once more if it was too long."""
        flow = self._sending(given.messages, run, **how)
        return run_flow(flow, lambda view: begun(call(given.back(view))))

    async def _asend(
        self, given: Written, call: Callable[[list[Any]], Awaitable[Any]], run: Any, **how: Any
    ) -> Any:
        async def send(view: list[Any]) -> Any:
            return await abegun(await call(given.back(view)))

        return await arun_flow(self._sending(given.messages, run, **how), send)

    def _shorten(self, fitted: Fitted | WholeList, error: Exception) -> Fitted | None:
        """Return a shorter list if the provider refused this one as too long, else None."""
        with self._say.report_failures():
            return fitted.shorter(error)
        return None

    def _shrink(self, run: Any, error: Exception) -> bool:
        """Compact the session that a run names if the provider refused its view as too long."""
        with suppress(NotHere), self._say.report_failures(unless=(NotHere,)):
            newest = self._session_of(run)
            before = newest.view.raw
            newest.host.shrink_after(error)
            return newest.view.raw < before
        return False

    def _names(self, run: Any) -> tuple[str | None, str | None]:
        """Return the names of a run's session and user."""
        session, user = self._own_names(run)
        return _name(self._session, run) or session, _name(self._user, run) or user

    def _own_names(self, run: Any) -> tuple[str | None, str | None]:
        """Return the names that the framework itself has for a run's session and user."""
        return None, None

    def _session_of(self, run: Any) -> Session:
        """Return the session that a run names; raise NotHere if it names none, or a new one."""
        session, user = self._names(run)
        if session is None:
            raise NotHere("the run names no session: give session= to the adapter")
        return self.newest(session, user)

    def _shown_tools(self, view: Any, tools: Any, others: Any) -> Any:
        """Return the tools of a request, `recall` among them once something has left the view."""
        if getattr(view, "tools", ()):
            return tools
        return others

    def _may_recall(self, run: Any) -> bool:
        """Tell whether something has left the view of the session that a run names."""
        with suppress(NotHere), self._say.report_failures(unless=(NotHere,)):
            return bool(self._session_of(run).log.commits)
        return False

    def _recall(self, run: Any, arguments: Any) -> str:
        """Answer a call of `recall` from the session that a run names."""
        return self._session_of(run).handle({"name": RECALL, "arguments": arguments}) or ""

    async def _arecall(self, run: Any, arguments: Any) -> str:
        return await asyncio.to_thread(self._recall, run, arguments)


class ModelHook(FrameworkHook):
    """Serves a framework's model that is wrapped: each conversation has a wrapper of its own."""

    def recall(self, query: str = "", positions: str = "") -> str:
        """Find or open what was said before in this session, word for word.

        Args:
            query: Words to look for.
            positions: Numbers of messages to open, such as 24-61.
        """
        return self._recall(None, {"query": query, "positions": positions})


def passed_on(name: str) -> Any:
    """Return a method that calls the method of this name of the model that is wrapped."""

    def call(self: Any, *asked: Any, **named: Any) -> Any:
        return getattr(self.inner, name)(*asked, **named)

    return call


def read_from_inner(name: str) -> Any:
    """Return a property that reads the one of this name of the model that is wrapped."""
    return property(lambda self: getattr(self.inner, name))


def _name(naming: Naming, run: Any) -> str | None:
    if callable(naming):
        return naming(run)
    return naming
