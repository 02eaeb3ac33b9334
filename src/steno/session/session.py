"""`Session`: one conversation as its caller sees it. Threads may share it.

Every method passes its arguments to one of the parts; the steps that wait or send are in `turn`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeVar, Unpack

from steno.core.arguments import check_arguments, check_keywords
from steno.core.budget import Budget, Pressure
from steno.core.constraint import Constraint
from steno.core.events import Event
from steno.core.log import Commit, Log
from steno.core.message import Span
from steno.core.store import Memory
from steno.core.view import View
from steno.engine.designs import POLICIES, stored_policy
from steno.engine.policy import Quota
from steno.providers import parse_json
from steno.recall.query import SECONDS, Found, Mode, Query, When
from steno.redact import hide_secrets_in_errors
from steno.session import by_hand, turn
from steno.session.background import BackgroundDraft
from steno.session.handover import TOKENS, copy_options, handover_heading, written_out
from steno.session.host import SessionHost, drive
from steno.session.notebook import session_html
from steno.session.options import SessionOptions, takes_options
from steno.session.parts import SessionParts, open_parts
from steno.session.place import parse_place

T = TypeVar("T")


class Session:
    """One conversation, kept whole, shown within its budget.

    >>> s = Session(wire="openai", window=32_000)
    >>> s.add({"role": "user", "content": "hello"})
    >>> s.messages()
    [{'role': 'user', 'content': 'hello'}]
    """

    @takes_options
    def __init__(
        self, path: str | os.PathLike[str] | None = None, **options: Unpack[SessionOptions]
    ) -> None:
        """Open the session of this name, or begin it.

        path: file in which sessions are kept; without one the session is in memory.
        """
        self._set_up(open_parts(options, path))

    def _set_up(self, parts: SessionParts) -> None:
        self._parts, self._host = parts, SessionHost(parts)

    @classmethod
    def _over(cls, parts: SessionParts) -> Self:
        """Return a session over parts that are open already."""
        session = cls.__new__(cls)
        session._set_up(parts)
        return session

    def __repr__(self) -> str:
        """Return its name and figures in one line."""
        if "_parts" not in vars(self):
            return "<Session that could not be opened>"
        journal = self._parts.journal
        policy = stored_policy(journal.settings.base_policy)
        if policy not in POLICIES:
            policy = "its own"
        return (
            f"<Session {journal.name!r}: {len(journal.log.messages):,} messages, "
            f"{len(journal.log.commits):,} commits, {journal.load:,} of "
            f"{journal.budget.window:,} tokens, policy {policy}>"
        )

    def _repr_html_(self) -> str:
        """Return the same as a picture of its window, for a notebook."""
        return session_html(self._parts.journal, repr(self))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @check_arguments
    def close(self, wait: float = 0.0) -> None:
        """Close the file; a draft under way has `wait` seconds to land."""
        drive(self._parts, turn.close(self._parts, wait))

    def add(self, *messages: Any, usage: Any = None) -> None:
        """Add messages; they are stored for good when this returns.

        `usage` is what the provider reported for the request that the first message answers: it
        corrects the count of tokens, and is billed. A number is that of the prompt alone.
        """
        self._parts.add(*messages, usage=usage)

    def messages(self) -> list[Any]:
        """Return what the model should see now; waits for a writer only under hard pressure."""
        return drive(self._parts, turn.prepare_messages(self._parts))

    def request(self, *, system: Any = None, tools: Any = None) -> dict[str, Any]:
        """Return the keyword arguments for the provider's client."""
        return drive(self._parts, turn.prepare_request(self._parts, system, tools))

    @check_arguments
    def call(self, fn: Callable[[dict[str, Any]], T]) -> T:
        """Send the request with `fn`; if it is refused as too long, compact and send once more.

        >>> reply = session.call(lambda request: client.chat.completions.create(**request))
        """
        reply: T = drive(self._parts, turn.send(self._parts), fn)
        return reply

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Compact and raise `TooLong` if the provider refuses a request as too long in here."""
        try:
            yield
        except Exception as failure:
            error = drive(self._parts, turn.refuse_too_long(self._parts, failure))
            if error is None:
                raise
            raise error from failure

    @check_arguments
    def compact(self, focus: str = "") -> Commit | None:
        """Compact now, whatever the fill; return None if there is nothing to do.

        `focus` says what to keep above all.
        """
        return drive(self._parts, turn.compact(self._parts, focus))

    @check_arguments
    def compact_soon(self, focus: str = "") -> BackgroundDraft:
        """Start a compaction in the background, or return the one that is under way."""
        return self._parts.compactor.compact_soon(focus)

    @check_arguments
    def undo(self, where: int | str | Span | None = None) -> Commit:
        """Revert the newest commit that can be reverted; what it covered is shown again.

        `where` names a place, such as "17-42", whose originals alone are shown again.
        """
        if where is None:
            return self._parts.journal.undo()
        return by_hand.restore(self._parts.journal, parse_place(where).span)

    @check_arguments
    def handover(self, tokens: int = TOKENS, *, to: str = "agent", focus: str = "") -> str:
        """Return what the next agent or person needs to take over; the session stays as it is.

        `to` names them, and `focus` says what to keep above all.
        """
        journal = self._parts.journal
        heading = handover_heading(journal, to)
        options = copy_options(journal, self.constraints(), tokens, heading)
        with Session(**options) as copy:
            if copy.pressure is not Pressure.NONE:
                copy.compact(focus)
            copy.messages()
            return "\n".join((heading, *map(written_out, copy.view.visible_messages)))

    @check_arguments
    def fork(self, at: int | None = None, *, name: str | None = None) -> Session:
        """Begin another session as this one's log up to a position, in the same store."""
        with hide_secrets_in_errors(self._parts.settings.redact):
            return Session._over(self._parts.fork(at, name))

    @check_arguments
    def open(self, where: int | str | Span) -> Any:
        """Return the originals at a place: a message, a list of messages, or a block."""
        with hide_secrets_in_errors(self._parts.settings.redact):
            place = parse_place(where)
            self._parts.journal.stored.require_session()
            found = self._parts.journal.log.open(place.span)
            if place.block is not None:
                return place.block_of(found[0])
        wire = self._parts.settings.wire
        plain = [parse_json(text) for message in found for text in wire.encode(message)]
        if place.single:
            return plain[0]
        return plain

    @check_arguments
    def pin(self, what: int | str) -> int:
        """Pin a position, or add a text and pin it, so that it is never covered; return it."""
        return self._parts.pin(what)

    @check_arguments
    def unpin(self, position: int) -> None:
        """Allow a position to be covered again."""
        self._parts.unpin(position)

    @check_keywords
    def recall(
        self,
        query: str,
        *,
        mode: Mode = "auto",
        kind: str | None = None,
        role: str | None = None,
        tool: str | None = None,
        path: str | None = None,
        since: When = None,
        until: When = None,
        where: str | Sequence[str] = "session",
        most: int = 10,
        seconds: float = SECONDS,
    ) -> Found:
        """Find messages, also those that are no longer shown; others may add meanwhile.

        query: words, an identifier, a path or a quote; may be empty if a filter is given.
        mode: "auto", "words", "exact" or "meaning".
        kind: only messages that hold a fact of this kind.
        role: only messages of this role.
        tool: only calls and results of this tool.
        path: only messages that name this file or folder.
        since: only messages from this time on.
        until: only messages up to this time.
        where: "session", "user" (all sessions of this user) or a list of session names.
        most: how many hits.
        seconds: about how long to search.
        """
        with hide_secrets_in_errors(self._parts.settings.redact):
            wanted = Query.of(
                query,
                mode=mode,
                kind=kind,
                role=role,
                tool=tool,
                path=path,
                since=since,
                until=until,
                where=where,
                most=most,
                seconds=seconds,
            )
            return self._parts.recall.find(wanted)

    def tools(self) -> list[dict[str, Any]]:
        """Return the agent's own tools as its provider wants them defined."""
        wire = self._parts.settings.wire
        return [wire.tool(*definition) for definition in self._parts.tools.definitions()]

    def handle(self, call: Any) -> str | None:
        """Answer a call of one of the agent's own tools; return None for any other call."""
        return self._parts.tools.handle(call)

    @check_arguments
    def set_quota(self, quota: Quota) -> None:
        """Use the policy as it is under this quota from now on."""
        self._parts.compactor.use_policy(quota=quota)

    def constraints(self) -> list[Constraint]:
        """Return the constraints in force: those given, then those found in messages."""
        return self._parts.constraints.listed()

    @check_arguments
    def set_constraint(self, text: str, id: str | None = None) -> Constraint:
        """Give a constraint from outside the conversation, or other words to the one of this id."""
        return self._parts.constraints.set(text, id)

    @check_arguments
    def retire_constraint(self, id: str) -> Constraint:
        """Take a given constraint out of force and return it; the next view does not show it."""
        with hide_secrets_in_errors(self._parts.settings.redact):
            return self._parts.constraints.retire(id)

    @check_arguments
    def memories(self, about: str = "") -> list[Memory]:
        """Return what is known of the user from all sessions, the most useful first."""
        return self._parts.memory.memories(about)

    @check_arguments
    def learn(self, seconds: float | None = None) -> list[Memory]:
        """Learn what holds beyond this session, with the writer too; return what is new."""
        return self._parts.memory.learn(seconds)

    @property
    def host(self) -> SessionHost:
        """What a program needs that runs the conversation: adapters, proxies, agent loops."""
        return self._host

    @property
    def name(self) -> str:
        """Name of the session in its store; `host.key` opens it also if no user was given."""
        return self._parts.journal.name

    @property
    def log(self) -> Log:
        """All messages and commits."""
        return self._parts.journal.log

    @property
    def view(self) -> View:
        """What is shown of the log now."""
        return self._parts.journal.view

    @property
    def events(self) -> deque[Event]:
        """The newest events, oldest first."""
        return self._parts.journal.events.newest

    @property
    def load(self) -> int:
        """Tokens of the next request: system prompt, tools and view."""
        return self._parts.journal.load

    @property
    def budget(self) -> Budget:
        """Limits of the window."""
        return self._parts.journal.budget

    @property
    def pressure(self) -> Pressure:
        """How the load stands to the budget."""
        return self._parts.journal.pressure
