"""`steno.fit`: a list of messages in, a list that fits the window out, before each model call.

Most frameworks have a hook of this shape. The caller sends its whole list each time; the session
behind it is found again by its name or its content (`resent/`), what is new is stored, and the
view comes back in the caller's own format: messages that stay are the caller's own objects.

Identity is given: `user=` and `session=` say whose list it is. Lists of two users never meet, and
a list without a name joins a session only if it begins with all of it, word for word.
"""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Unpack

from steno.adapters.recall import answer_recall, recall_tool
from steno.adapters.resent.incoming import IncomingList, ListFormat, SdkFormat
from steno.adapters.resent.render import ShownMessage
from steno.adapters.resent.sessions import ListSessions
from steno.adapters.resent.thread import ResentThread, try_twice
from steno.core.errors import BadInput
from steno.core.events import ignore_event
from steno.core.wire import Wire
from steno.engine.policy import Policy
from steno.providers import (
    DEFAULT_WIRE,
    detect_wire,
    get_wire,
    join_neighbours,
    json_text,
    to_plain,
    wire_for,
)
from steno.providers.cache_marks import with_moved_marks
from steno.session.options import SharedOptions, takes_options
from steno.session.session import Session
from steno.store.open import absolute_place

FITTERS_MOST = 64
"""Fitters that `fit` keeps for calls with the same options; the one used longest ago is let go."""


@dataclass(frozen=True)
class GivenList:
    """A list as it was given, with what its caller says of it."""

    sessions: ListSessions
    messages: Sequence[Any]
    form: ListFormat
    session: str | None
    model: str = ""
    system: str = ""
    tools: Sequence[Any] = ()
    schema: str = ""
    """Schema of the reply as JSON; like the two before, it counts."""
    recall: bool = False
    keeps: object = None
    """Held as long as the answer is: what closes the sessions when nobody needs it any more."""

    def checkout(self) -> AbstractContextManager[tuple[ResentThread, IncomingList]]:
        return self.sessions.checkout(self.messages, self.form, name=self.session, model=self.model)

    def fit(self) -> Fitted:
        """Return the list to send in place of this one, from the session that it belongs to."""
        return try_twice(self._fit)

    def _fit(self) -> Fitted:
        with self.checkout() as (thread, incoming):
            return self.fitted(thread, incoming)

    def fitted(self, thread: ResentThread, incoming: IncomingList) -> Fitted:
        """Return the list to send, from the session that was checked out."""
        own = []
        if self.recall:
            own = [recall_tool(self.form.wire)]
        tools = [*self.tools, *own]
        shown = thread.messages_to_send(incoming, self.system, tools, self.schema)
        fitted = Fitted(self, thread, shown)
        joined = join_neighbours(thread.session.host.wire, [each.object for each in shown])
        fitted.extend(with_moved_marks(self.form.wire.name, self.messages, joined))
        if thread.session.log.commits:
            fitted.tools = own
        return fitted


class Fitted(list[Any]):
    """A list that fits, to be sent in place of the one that was given."""

    def __init__(
        self, given: GivenList, thread: ResentThread, shown: Sequence[ShownMessage]
    ) -> None:
        super().__init__()
        self._given = given
        self._shown = shown
        self.thread = thread
        self.own = thread.own_messages
        self.tools: list[Any] = []
        """Definitions to send beside your own tools: `recall`, once something has left the view."""

    @property
    def session(self) -> Session:
        """The session of the list; it recalls, opens and undoes."""
        return self.thread.session

    def handle(self, call: Any) -> str | None:
        """Answer a call of `recall`, as the provider gave it; None for another tool."""
        with self.thread.lock:
            session = self._given.sessions.session_of_list(self.thread, self.own)
            return answer_recall(session, call)

    def keep(self) -> None:
        """Say that the caller keeps this list in place of its own: its next list extends it."""
        with self._given.checkout() as (thread, _):
            thread.mark_written(self._shown)

    def overflow(self, error: Exception) -> Fitted:
        """Return a shorter list if the provider refused this one as too long, else raise `error`.

        What the refusal says about the window counts for all later calls.
        """
        found = self.shorter(error)
        if found is None:
            raise error
        return found

    def shorter(self, error: Exception) -> Fitted | None:
        """Return the same as `overflow`; None instead of an error."""
        return try_twice(lambda: self._shorter(error))

    def _shorter(self, error: Exception) -> Fitted | None:
        # Found again by the list: its session may have gone on without it.
        with self._given.checkout() as (thread, incoming):
            before = thread.session.view.raw
            refused = thread.session.host.shrink_after(error)
            # A list that did not get shorter would be refused again.
            if refused is None or thread.session.view.raw >= before:
                return None
            return self._given.fitted(thread, incoming)


class FitterOptions(SharedOptions, total=False):
    """What keeps the sessions of lists.

    store: file in which every word is kept, and the sessions are found again after a restart;
        without one, memory of this process.
    user: whose lists these are. Without one, and without a session's name, what goes out is made of
        the list's own messages alone.
    durable: wait until every message is on the disk, so that a power cut loses nothing.
    wire: format of the lists; by default each list shows it, or the model's name.
    """

    store: str | os.PathLike[str] | None
    user: str | None
    durable: bool
    model: str | None
    wire: str | Wire | None
    policy: str | os.PathLike[str] | Policy | None


class Fitter:
    """Fits lists into a window, and keeps the sessions that they belong to."""

    @takes_options
    def __init__(self, **options: Unpack[FitterOptions]) -> None:
        """Keep sessions in `store`, or in memory."""
        given: Any = dict(options)
        store, user = given.pop("store", None), given.pop("user", None)
        durable = given.pop("durable", True)
        self._model, self._wire = given.get("model"), given.get("wire")
        self.sessions = ListSessions(store, given, user=user, durable=durable, views_come_back=True)
        self.events = self.sessions.events

    def fit(
        self,
        messages: Iterable[Any],
        *,
        session: str | None = None,
        model: str | None = None,
        system: Any = None,
        tools: Any = None,
        recall: bool = False,
    ) -> Fitted:
        """Return the list to send in place of this one; raise what is wrong with it.

        session: name of the session, so that it need not be found by the list's content.
        system, tools: what is sent beside the messages, as the provider takes it; it counts.
        recall: you send `fitted.tools` too, and answer their calls by `fitted.handle(call)`.
        """
        given = list(messages)
        model = model or self._model
        return GivenList(
            self.sessions,
            given,
            SdkFormat(find_wire(given, tools, model, self._wire)),
            session,
            model or "",
            system_text(system),
            tool_list(tools),
            recall=recall,
            keeps=self,
        ).fit()

    def newest(self, session: str) -> Session:
        """Return the session used last under a name; raise NotHere if there is none."""
        return self.sessions.newest_of(
            session, SdkFormat(find_wire((), None, self._model, self._wire))
        )

    def close(self) -> None:
        """Close the store's file; everything is kept already."""
        self.sessions.close()


def tool_list(tools: Any) -> list[Any]:
    """Return definitions of tools as plain JSON."""
    if tools is None:
        return []
    defined = to_plain(tools, "tools")
    if not isinstance(defined, list):
        raise BadInput(f"tools= takes a list of definitions, got {type(tools).__name__}")
    return defined


def find_wire(
    messages: Sequence[Any], tools: Any, model: str | None, wire: str | Wire | None = None
) -> Wire:
    """Return the wire of a list: the one named, or that of a model whose name implies one."""
    if isinstance(wire, str):
        return get_wire(wire)
    if wire is not None:
        return wire
    # A short list looks alike in all of them.
    if model is not None and wire_for(model) != DEFAULT_WIRE:
        return get_wire(wire_for(model))
    plain = [to_plain(message, f"messages[{at}]") for at, message in enumerate(messages)]
    # What is no message at all is named by whoever reads the list.
    return detect_wire([one for one in plain if isinstance(one, dict)], tools, model)


class Fitters:
    """Fitters by a key, at most FITTERS_MOST of them: the one used longest ago is let go.

    It is closed once no call is at work in it, and none of the lists that it gave is held.
    """

    def __init__(self) -> None:
        self._by_key: dict[object, Fitter] = {}
        self._lock = threading.Lock()

    def get(self, key: object, make: Callable[[], Fitter]) -> Fitter:
        """Return the fitter of this key; a key that was not used before gets a new one."""
        with self._lock:
            found = self._by_key.pop(key, None)
            if found is None:
                found = make()
                weakref.finalize(found, found.sessions.close).atexit = False
            self._by_key[key] = found
            if len(self._by_key) > FITTERS_MOST:
                self._by_key.pop(next(iter(self._by_key)))
        return found

    def close(self) -> None:
        """Close them all; everything is kept already."""
        with self._lock:
            while self._by_key:
                self._by_key.popitem()[1].close()


_fitters = Fitters()


@takes_options
def fit(
    messages: Iterable[Any],
    *,
    session: str | None = None,
    system: Any = None,
    tools: Any = None,
    recall: bool = False,
    **options: Unpack[FitterOptions],
) -> Fitted:
    """Return a list that fits the model's window, to send in place of this one.

    >>> fitted = steno.fit(messages, session="ann-42", model="gpt-5", store="agent.db")

    messages: the whole conversation so far, in any provider's format.
    session: name of the conversation; without one it is found by its content.
    system, tools: what is sent beside the messages; it counts.
    recall: you also send `fitted.tools` and answer their calls by `fitted.handle(call)`.

    Calls with the same store, user and options share their sessions, and the newest `on_event`
    hears of them; to close them yourself, keep a `steno.adapters.fit.Fitter`.
    """
    fitter = _fitter_for(options)
    return fitter.fit(messages, session=session, system=system, tools=tools, recall=recall)


async def afit(messages: Iterable[Any], **how: Any) -> Fitted:
    """Return the same as `fit`, without blocking the event loop."""
    return await asyncio.to_thread(fit, list(messages), **how)


def _fitter_for(options: FitterOptions) -> Fitter:
    """Return the fitter of these options, a new one for those that were not used before."""
    compared: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if options.get("store") is not None:
        compared["store"] = absolute_place(compared["store"])
    compared["constraints"] = tuple(options.get("constraints", ()))
    # A program may make its listener anew for each call: the newest one hears the events.
    heard = compared.pop("on_event", ignore_event)
    key = tuple(sorted(compared.items()))
    try:
        hash(key)
    except TypeError as wrong:
        raise BadInput(
            f"fit: {wrong}; keep a steno.adapters.fit.Fitter with these options"
        ) from None
    found = _fitters.get(key, lambda: Fitter(**options))
    found.sessions.say.listener = heard
    return found


def system_text(system: Any) -> str:
    """Return a system prompt as one text, to count its tokens."""
    if system is None or isinstance(system, str):
        return system or ""
    return json_text(to_plain(system, "system"))
