"""What a program needs of a session that it runs for its caller: `session.host`.

Adapters, the proxy, the agent loops and the command line render views themselves, keep records
of their own, pass on what a provider said, or answer an agent's tools. Everything they may do
beyond the methods of `Session` is here, and no other room reaches further in:
`tests/test_imports.py` sees to that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from steno.core.constraint import Constraint
from steno.core.draft import Draft
from steno.core.events import Event
from steno.core.log import Commit, Why
from steno.core.store import Store
from steno.core.view import View
from steno.core.wire import Wire
from steno.engine.policy import Policy
from steno.providers.cache_marks import CacheUse
from steno.redact import Redactor
from steno.session import turn
from steno.session.agent_tools.answers import AgentTools
from steno.session.parts import SessionParts
from steno.session.records import SessionRecords
from steno.session.settings import StoredSettings

T = TypeVar("T")


class DriveTurn(Protocol):
    """Performs the steps of a turn in the caller's thread."""

    def __call__(self, steps: turn.Turn[T]) -> T: ...


class SessionHost:
    """A session as the program sees it that runs the conversation."""

    def __init__(self, parts: SessionParts, drive: DriveTurn) -> None:
        self._parts = parts
        self._journal = parts.journal
        self._drive = drive

    # What the session is.

    @property
    def lock(self) -> threading.RLock:
        """Lock of log, view and store; hold it around several calls to make them one."""
        return self._journal.lock

    @property
    def wire(self) -> Wire:
        """Format of its messages."""
        return self._parts.settings.wire

    @property
    def store(self) -> Store:
        """Where it is stored."""
        return self._journal.store

    @property
    def key(self) -> str:
        """Its name in the store, bound to this very session."""
        return self._journal.key

    @property
    def id(self) -> str:
        """Its identity among sessions of the same name; empty if the store has none."""
        return self._journal.stored.id

    @property
    def user(self) -> str:
        """Name of the user whose session this is; empty if it has none."""
        return self._journal.user

    @property
    def settings(self) -> StoredSettings:
        """What the store keeps of the session's options."""
        return self._journal.stored_settings

    @property
    def redactor(self) -> Redactor | None:
        """What takes secrets out of what is added; None if nothing does."""
        return self._parts.settings.redact

    @property
    def cache(self) -> CacheUse:
        """The option `cache`."""
        return self._parts.settings.options["cache"]

    @property
    def agent_name(self) -> str:
        """The option `agent_name`."""
        return self._parts.settings.options["agent_name"]

    @property
    def iteration(self) -> int:
        """Turn of the run that uses this session, for its events; 0 if none does."""
        return self._journal.events.iteration

    @iteration.setter
    def iteration(self, turns: int) -> None:
        self._journal.events.iteration = turns

    # The policy.

    @property
    def policy(self) -> Policy:
        """The policy that is used, without the session's quota."""
        return self._parts.settings.base_policy

    def use_policy(self, policy: Policy) -> None:
        """Use another policy from now on, in this process; the stored one stays as it is."""
        self._parts.compactor.use_policy(policy)

    # Messages.

    def add(self, *messages: Any, usage: Any = None) -> None:
        """Add messages as they were said: a summary of ours among them stays a message."""
        self._parts.add(*messages, usage=usage, as_said=True)

    def say(self, kind: str, text: str) -> int:
        """Add a message of Steno's own, fenced; return its position."""
        return self._journal.say(kind, text)

    def clean(self, value: Any) -> Any:
        """Return a message or text without secrets, if the session takes them out."""
        return self._journal.clean(value)

    def refresh(self) -> None:
        """Take in what other processes added and committed."""
        self._journal.refresh()

    # Requests and what a provider says about them.

    def prepare_view(self) -> View:
        """Return the view to send now, for a caller that renders it itself."""
        return self._drive(turn.prepare_view(self._parts))

    def mark_sent(self) -> View:
        """Return the view, which is being sent: usage is reported against it."""
        return self._parts.sending.mark_sent()

    def set_preamble(
        self, system: Any = None, tools: Any = None, schema: str | None = None
    ) -> None:
        """Replace system prompt, tools or the reply's schema; None leaves one as it is."""
        self._parts.sending.set_preamble(system, tools, schema)

    def emit(self, event: Event) -> None:
        """Emit an event of the agent that uses this session."""
        self._journal.emit(event)

    def hear_provider(self, events: Sequence[Event]) -> bool:
        """Emit what the provider says that it did; return whether it edited the request."""
        return self._parts.sending.hear_provider(events)

    def learn_from_reply(self, reply: Any) -> None:
        """Believe in a smaller window if a reply ended because the window was full."""
        self._parts.compactor.learn_from_reply(reply)

    def learn_smaller_window(self) -> None:
        """Believe in a smaller window, because the last request was refused as too long."""
        self._parts.compactor.learn_window(None, None)

    def shrink_after(self, failure: BaseException) -> int | None:
        """Learn from a refusal as too long and compact; return the refused load, or None."""
        return self._drive(turn.shrink_after(self._parts, failure))

    # Landing.

    @property
    def skip_reason(self) -> str:
        """Why nothing is compacted at this state."""
        return self._parts.compactor.skip_reason

    def settle(self) -> None:
        """Land what pressure demands; under soft pressure with a writer, only start a draft."""
        self._parts.compactor.settle()

    def settle_with_writer(self) -> None:
        """Land what pressure demands, and wait for the writer as long as its limits allow."""
        self._parts.compactor.settle_with_writer()

    def make_room_for(self, tokens: int) -> None:
        """Compact now if so many more tokens would turn soft pressure into hard pressure."""
        self._parts.compactor.make_room_for(tokens)

    def compact_now(self, why: Why) -> Commit | None:
        """Compact for a reason other than that it was asked for, and wait for the writer."""
        return self._parts.compactor.compact_now(why=why)

    def draft(self, why: Why) -> Draft:
        """Return a draft of the next commit, with nothing in it yet."""
        return self._journal.draft(why)

    def land_edits(self, draw: Callable[[], Commit | None]) -> Commit | None:
        """Land a commit of the caller's own; draw it again if another landed first."""

        def land(commit: Commit | None) -> Commit | None:
            if commit is None:
                return None
            return self._parts.landing.land(commit)

        return self._journal.land_fresh(draw, land)

    @property
    def records(self) -> SessionRecords:
        """Lines beside the log: notes, marks of a run."""
        return self._journal.records

    # The agent's own tools.

    @property
    def tools(self) -> AgentTools:
        """The agent's own tools: definitions, answers, notes, the line on the fill."""
        return self._parts.tools

    def offer_tools(self) -> None:
        """Note that the agent has the tools, though no request names them."""
        self._journal.hands_out_tools = True

    # Constraints, memory, search.

    def on_landing(self, subscriber: Callable[[Commit], object]) -> None:
        """Call `subscriber` with every commit that lands here, while the lock is held."""
        self._journal.on_landing(subscriber)

    def retired_constraints(self) -> list[Constraint]:
        """Return the constraints that were retired, those of messages too."""
        return self._parts.constraints.retired()

    def edit_constraint(self, id: str, text: str) -> Constraint:
        """Give a constraint in force other words, one that was found in a message too."""
        return self._parts.constraints.edit(id, text)

    def fill_index(
        self, where: str | Sequence[str] = "session", seconds: float | None = None, share: float = 1
    ) -> bool:
        """Bring the index up to date by a share of one core; return False if the time was up."""
        return self._parts.recall.fill(where, seconds, share)

    def stop_filling(self) -> None:
        """Make no vectors in the background: a search makes those that it needs."""
        self._parts.recall.stop_filling()
