"""One conversation with its limits, held as a value.

Commands that only read, and the page, work on it: a store is not written, and keeps its limits.
How a file becomes one is in `steno.cli.source`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from steno.core.budget import Budget, Pressure
from steno.core.constraint import Constraint
from steno.core.errors import BadInput, UnknownModel
from steno.core.fence import Fence
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.meter import Meter
from steno.core.repair import LATE_RESULT
from steno.core.store import MessageReader, SessionInfo, Store, StoredName
from steno.core.view import View
from steno.core.wire import Wire
from steno.engine.policy import Policy
from steno.facts.constraints import found_constraints
from steno.facts.ledger import Ledger
from steno.inspector.describe import Json, fields_of, first_places, plural
from steno.lab.recorded import RecordedSession, SessionOrigin
from steno.meters import lookup_model
from steno.providers import get_wire, parse_json
from steno.providers.bill import Bill, RequestBill, read_bills, sum_bills
from steno.providers.meter import meter_for
from steno.session.constraints import (
    CONSTRAINT_KIND,
    GivenConstraint,
    in_force,
    read_given,
    standing_constraints,
)
from steno.session.preamble import Preamble
from steno.session.session import Session
from steno.session.settings import StoredSettings, budget_of
from steno.summary.constraints_block import constraints_message, without_block
from steno.summary.read_back import with_summaries

LIMITS = ("window", "limit", "model", "reserve")
"""Settings that a command can give for a conversation that it only reads."""


@dataclass(frozen=True)
class LoadedConversation:
    """A conversation with its limits, for reading."""

    name: str
    kind: str
    """What it was read from: `store`, or the name of a transcript's format."""
    wire: Wire
    log: Log
    settings: StoredSettings
    policy: Policy = Policy()
    requests: tuple[RequestBill, ...] = ()
    """What each of its requests cost, if their usage was reported."""
    inherits: int = 0
    """How many of its commits are its parent's, which paid for them."""
    rulings: Mapping[str, GivenConstraint] = field(default_factory=dict)
    """Constraints that the session was given or that were retired, if it comes from a store."""
    texts: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """The original lines of each message, if it comes from a transcript."""
    times: Mapping[int, float] = field(default_factory=dict)
    """When each message was written down, if it comes from a transcript that says so."""
    repeated: frozenset[int] = frozenset()
    """Positions that only repeat messages, for a model whose agent had compacted them."""
    damage: tuple[str, ...] = ()
    """What could not be read in a transcript."""
    survey: tuple[str, ...] = ()
    """Where the agent compacted by itself, and which branches it left."""
    skip_reason: str = ""
    """Why `compacted` made no commit; empty if it made one."""

    @classmethod
    def of_session(cls, session: Session) -> LoadedConversation:
        """Return what an open session holds and shows now."""
        host = session.host
        loaded = cls(session.name or "", "store", host.wire, session.log, host.settings)
        # Its own view: a new one would not have its block of constraints.
        loaded.__dict__["view"] = session.view
        return loaded

    @property
    def given(self) -> tuple[Constraint, ...]:
        """Constraints that stand in the block at the top of the view."""
        return in_force(self.rulings)

    @property
    def standing(self) -> list[Constraint]:
        """Constraints in force: those given, then those that messages state."""
        return standing_constraints(self.rulings, found_constraints(Ledger.of(self.log.messages)))

    @cached_property
    def view(self) -> View:
        """What the model sees; counting its tokens takes a while."""
        meter = self.settings.with_learned_ratio(meter_for(self.settings.model, self.wire.name))
        view = View.of(self.log, self.wire.terms, meter)
        return view.with_head(constraints_message(self.given, view), 0)

    @property
    def budget(self) -> Budget | None:
        """None if no window was given and the file names no known model."""
        window = self.settings.window
        if window is None and self.settings.model is not None:
            window = known_window(self.settings.model)
        elif window is None:
            window = self.policy.window
        if window is None:
            return None
        return budget_of(self.policy, window, self.settings, drafts=False)

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.damage, *self.survey, *orphan_notes(self.view))

    @property
    def headline(self) -> str:
        """Say after its name what it is, and how much was said and left out."""
        format = self.kind
        if self.kind == "store":
            format = self.wire.name
        parts = [format, plural(len(self.log.messages), "message"), f"{self.said:,} tokens said"]
        if self.left_out:
            parts.append(f"{self.left_out:,} left out")
        return "".join(f" · {part}" for part in parts)

    @property
    def message_times(self) -> list[float]:
        """When each message was written down; without a time of its own, when the one before was.

        Empty if the file has no times.
        """
        if not self.times:
            return []
        newest = min(self.times.values())
        found = []
        for at in range(len(self.log.messages)):
            newest = self.times.get(at, newest)
            found.append(newest)
        return found

    @property
    def load(self) -> int:
        """Count the tokens of the next request, with the system prompt and tools of a session."""
        return self.load_of(self.view)

    def load_of(self, view: View) -> int:
        """Count the tokens of a request that shows this view."""
        raw = view.raw
        if view.head is not None:
            raw += view.meter.message(view.head)
        return self._request_tokens(raw, view.meter)

    @property
    def said(self) -> int:
        """Count the tokens of a request that would show everything, each message once."""
        arrivals = enumerate(self.view.arrivals)
        once = [item.tokens for at, item in arrivals if at not in self.repeated]
        return self._request_tokens(sum(once), self.view.meter)

    @property
    def left_out(self) -> int:
        """Count the tokens that Steno's commits leave out of the next request."""
        return self.log.tokens_spared

    def _request_tokens(self, raw: int, meter: Meter) -> int:
        preamble = Preamble.of(self.settings.system, self.settings.tools, meter)
        return meter.load(preamble.tokens + raw)

    @property
    def bill(self) -> Bill:
        """What its requests and its summaries cost."""
        calls = (call for commit in self.log.commits[self.inherits :] for call in commit.asked)
        return sum_bills(self.requests, calls, self.settings.model or "")

    @property
    def tool_figures(self) -> Json:
        """Count its tool definitions, their tokens in each request, and the tools it called."""
        tools = self.settings.tools or ()
        called = {call.name for message in self.log.messages for call in message.calls}
        tokens = self.tool_tokens(tools)
        return {"defined": len(tools), "tokens": tokens, "called": sorted(called)}

    def tool_tokens(self, tools: Sequence[Any]) -> int:
        meter = self.view.meter
        empty = Preamble.of(None, None, meter).tokens
        return meter.load(Preamble.of(None, tools, meter).tokens - empty)

    @property
    def parent(self) -> str:
        """Name of the session whose agent began this one, if a request said so."""
        return next((request.parent for request in self.requests if request.parent), "")

    @property
    def counting(self) -> str:
        """Say how tokens are counted, and that this is an estimate of what is billed."""
        words = f"Tokens are estimated by the meter {self.view.meter.name}"
        if self.view.meter.ratio != 1:
            words += " and what the provider reported"
        return f"{words}."

    def message_tokens(self, at: int) -> int:
        """Count the tokens of a message as it arrived."""
        meter = self.view.meter
        return meter.load(meter.overheads.message + sum(self.view.weights[at]))

    def with_limits(self, limits: StoredSettings) -> LoadedConversation:
        """Return the same conversation under other limits."""
        return replace(self, settings=self.settings.with_changes(**fields_of(limits, LIMITS)))

    def with_policy(self, given: str | None, depth: int | None = None) -> LoadedConversation:
        """Return the same conversation under another policy; None is the stored one."""
        return replace(self, policy=with_depth(self.settings.policy_for(given), depth))

    def open(self, **options: Any) -> Session:
        """Return a session in memory that holds it; there is no end of a step to wait for."""
        options |= fields_of(self.settings, (*LIMITS, "pins", "system", "tools"))
        policy = self.policy.but(moment="now")
        return Session(wire=self.wire, log=self.log, policy=policy, **options)

    def copy(self, **options: Any) -> Session:
        """Return it as a session to try something on, counted by what the provider reported."""
        options |= {"constraints": self.given, "meter": self.view.meter}
        return self.open(name=StoredName(self.name), **options)

    def require_budget(self) -> Budget:
        """Return the budget; raise with the names of the command line if there is none."""
        if self.budget is None:
            raise BadInput(
                "no window is known: add --window 32k, or --model with a known name; "
                "the file names no known model"
            )
        return self.budget

    def compacted(self) -> LoadedConversation:
        """Return what a compaction would make of it under pressure; nothing is stored."""
        session = self.copy()
        # What a request asks for: this is where pressure is acted on.
        session.messages()
        if not commits_since(session, len(self.log.commits)):
            return replace(self, skip_reason=session.host.skip_reason)
        after = replace(self, log=session.log)
        after.__dict__["view"] = session.view
        if self.kind != "store":
            after.__dict__["view"] = without_block(session.view)
        return after


def with_depth(policy: Policy, depth: int | None) -> Policy:
    """Return a policy that goes down to this percent of the usable window; None leaves it."""
    if depth is None:
        return policy
    return policy.but(goal=depth / 100)


def build_conversation(
    name: str, kind: str, wire: Wire, log: Log, settings: StoredSettings, **more: Any
) -> LoadedConversation:
    """Put a conversation together from its log and settings."""
    # What a provider insists on, such as its rules about thinking, depends on the model.
    wire = wire.for_model(settings.model or "")
    policy = settings.policy_for(None)
    return LoadedConversation(name, kind, wire, log, settings, policy, **more)


def message_reader(info: SessionInfo) -> MessageReader:
    """Return the function that reads a session's stored messages."""
    wire = get_wire(info.wire)

    def read(raw: str) -> Message:
        return wire.decode(parse_json(raw), raw, "a stored message")

    return read


def load_stored(store: Store, info: SessionInfo) -> LoadedConversation:
    """Read a session of a store without opening it as one: nothing is written."""
    found = store.load(info.key, message_reader(info))
    log = Log().with_messages(found.messages)
    for commit in found.commits:
        log = log.with_commit(with_summaries(commit))
    settings = StoredSettings.parse(info.setup)
    wire = get_wire(info.wire)
    beside = beside_log(store, info)
    return build_conversation(info.name, "store", wire, log, settings, **beside)


def beside_log(store: Store, info: SessionInfo) -> Json:
    """Read what is stored beside a session's log: its constraints and its bills."""
    records = store.records(info.key)
    given = (record for record in records if record.kind == CONSTRAINT_KIND)
    rulings = read_given((record, json.loads(record.text)) for record in given)
    bills = read_bills(records, info.name)
    return {"rulings": rulings, "requests": bills, "inherits": info.inherits}


def record_session(loaded: LoadedConversation, path: str, session: str | None) -> RecordedSession:
    """Return what was said, for a replay; positions without a message of their own are skipped."""
    present = {
        at: message
        for at, message in enumerate(loaded.log.messages)
        # Also what the agent's own compactions covered: it was said and used all the same.
        if message.role != "absent" and at not in loaded.repeated
    }
    # None at all if the file has no times.
    times = tuple(loaded.times.get(at) for at in present if loaded.times)
    return RecordedSession(
        loaded.name,
        tuple(present.values()),
        times,
        loaded.wire.name,
        origin=SessionOrigin(path, session, tuple(present)),
        log=loaded.log,
        system_calls=tuple(call for commit in loaded.log.commits for call in commit.asked),
        billed=loaded.bill.usage if loaded.requests else None,
        counted=loaded.said,
    )


def orphan_notes(view: View) -> list[str]:
    """Name the results that answer no call: a provider would refuse them."""
    places = []
    for item in view.arrivals:
        for message in item.shows:
            fence = Fence.parse(message.text)
            if message.by == "steno" and fence and fence.label.get("kind") == LATE_RESULT:
                places.append(fence.label["at"])
    if not places:
        return []
    count = plural(len(places), "tool result")
    return [
        f"{count} without a call, at {first_places(places)}: a provider refuses that in a list; "
        "a request of Steno's has it as text"
    ]


def commits_since(session: Session, known: int) -> tuple[Commit, ...]:
    """Return the commits after the first `known`.

    Without pressure there are none: large results that were shortened as the session was opened
    do not count, because nothing had to be.
    """
    made = tuple(session.log.commits[known:])
    if all(commit.why == "arrival" for commit in made):
        made = tuple(
            commit for commit in made if session.budget.pressure(commit.before) is not Pressure.NONE
        )
    return made


def known_window(model: str) -> int:
    """Return the window of a model, or raise with the nearest names."""
    try:
        return lookup_model(model).window
    except UnknownModel as unknown:
        near = ""
        if unknown.close:
            near = f"; near names: {', '.join(unknown.close)}"
        raise BadInput(
            f"no window is known for model {model!r}: add --window with its size in tokens{near}"
        ) from None
