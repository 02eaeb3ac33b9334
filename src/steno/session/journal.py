"""The journal: log, view and store of one session.

It appends messages, lands commits and takes in what other processes did. A message is stored
before anything else happens to it. The journal knows no other part of the session but the events
and the records beside the log; a part that must act after a landing subscribes with `on_landing`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import msgspec

from steno.core.budget import Budget, Pressure
from steno.core.constraint import Constraint
from steno.core.decoders import convert
from steno.core.draft import Draft
from steno.core.effects import Model
from steno.core.errors import BadInput, SessionGone, Stale
from steno.core.events import Committed
from steno.core.fence import Fence
from steno.core.log import WITHOUT_PRESSURE, Commit, Edit, Log, Proposal, Why
from steno.core.message import Message, Span, user_message
from steno.core.repair import encodable_text
from steno.core.store import LoadedLog, MessageReader, SessionInfo
from steno.core.view import View
from steno.core.wire import Wire
from steno.providers import (
    encode_messages,
    get_wire,
    json_text,
    parse_json,
)
from steno.rungs.summarize import summary_limit
from steno.session.event_log import EventLog
from steno.session.preamble import Preamble
from steno.session.records import SessionRecords
from steno.session.settings import Settings, StoredSettings
from steno.session.stored_session import Snapshots, StoredFacts, StoredSession
from steno.summary.constraints_block import constraints_message, tells_constraints_apart

STALE_RETRIES_MOST = 8
REQUEST_SHARE = 0.25
"""Share of the usable window within which the request at work stays word for word."""
WRITER_WINDOW = 8_192
"""Tokens to assume for a writer that does not name its window."""

T = TypeVar("T")
DrawnT = TypeVar("DrawnT")


class Journal:
    """Log and view of one session, in step with its store.

    Every method that changes something takes `lock`. Hold it around several calls to make them one.
    """

    def __init__(
        self,
        stored: StoredSession,
        settings: Settings,
        stored_settings: StoredSettings,
        preamble: Preamble,
    ) -> None:
        self.stored = stored
        self.name, self.store = str(stored.name), stored.store
        self.key = stored.key
        """Its name in the store, bound to this very session."""
        self.settings = settings
        self.stored_settings = stored_settings
        self.preamble = preamble
        options = settings.options
        self.events = EventLog(
            stored.name, options["agent_name"], options["on_event"], lambda: self.user
        )
        self.emit, self.guard = self.events.emit, self.events.guard
        self.log = Log()
        self.view = View(settings.wire.terms, settings.meter, heavier=stored_settings.heavier)
        self.lock = threading.RLock()
        self.records = SessionRecords(
            stored,
            settings.redact,
            self.lock,
            lambda: self.stored_settings.is_clean_for(settings.redact),
            self._before_adding,
        )
        """Lines beside the log."""
        self.windows_learned = 0
        """How often the window turned out smaller; an old compaction attempt is void then."""
        self.hands_out_tools = False
        """Whether the caller asked for the agent's own tools, to send them by itself."""
        self.sent_tokens = 0
        """Raw tokens of the request that usage is reported for next."""
        self.cleared = (0, 0)
        """Tokens that the provider took out of the last request, and how many commits it had."""
        self._head_tokens = 0
        self._gathered_at = 0
        self._landed_preamble = preamble.tokens
        self._window_shrunk = False
        self.given: tuple[Constraint, ...] = ()
        """Constraints from outside the conversation that are in force."""
        self.given_at = 0
        """How many messages there were when those last changed."""
        setup = settings.redact.setup if settings.redact is not None else ""
        self._facts = StoredFacts(stored, setup)
        self._snapshots = Snapshots(stored, setup)
        self._subscribers: list[Callable[[Commit], object]] = []
        self.refresh()
        # What cannot be read of a snapshot is no reason to refuse the session.
        self.guard(lambda: self._snapshots.load(self.log.messages))
        self.taken_in = 0
        """Position up to which the rungs of every round have run."""
        if not stored.is_new:
            self.taken_in = len(self.log.messages)

    @property
    def user(self) -> str:
        """Name of the user whose session this is; empty if it has none."""
        return self.store.session_info(self.key).user

    @property
    def fixed_tokens(self) -> int:
        """Raw tokens that no edit can shrink: system prompt, tools and the block of constraints."""
        return self.preamble.tokens + self._head_tokens

    @property
    def cleared_tokens(self) -> int:
        """Tokens of the view that the provider took out of the last request, and will again."""
        tokens, commits = self.cleared
        # After a commit it is another request: the provider will say again what it took out.
        if commits != len(self.log.commits):
            return 0
        return tokens

    @property
    def load(self) -> int:
        """Tokens of the next request, without what the provider takes out by itself."""
        load = self.view.meter.load(self.fixed_tokens + self.view.raw)
        return max(0, load - self.cleared_tokens)

    @property
    def budget(self) -> Budget:
        return self.settings.budget

    @property
    def pressure(self) -> Pressure:
        return self.budget.pressure(self.load)

    @property
    def has_open_call(self) -> bool:
        """Whether a call waits for its result, so that nothing may be added in between."""
        return bool(self.view.mending.open)

    @property
    def recall_tool(self) -> str:
        """Name of the tool by which the model can read originals; empty if it has none."""
        if self.offers("recall"):
            return "recall"
        return ""

    def offers(self, tool: str) -> bool:
        """Return whether the model has this tool of the session's."""
        return self.hands_out_tools or self.preamble.offers(tool)

    @property
    def state(self) -> tuple[object, ...]:
        """What a compaction depends on; while it is the same, another attempt is useless."""
        return (
            len(self.log.messages),
            len(self.log.commits),
            self.fixed_tokens,
            self.windows_learned,
            frozenset(self.stored_settings.pins),
            self.settings.policy,
        )

    def clean(self, value: Any) -> Any:
        """Return a message or text without secrets, if the session takes them out."""
        if self.settings.redact is None:
            return value
        return self.settings.redact.plain(value)

    # What others did, and what is new.

    def refresh(self) -> None:
        """Take in what other processes added and committed to this session."""
        with self.lock:
            # An interrupt came between log and view: the log has it, so the view is made again.
            if not self._in_step:
                empty = View(self.view.terms, self.view.meter, heavier=self.view.heavier)
                self.view = empty.with_messages(self.log.messages).fold(self.log)
                self.log = replace(self.log, messages=self.view.messages)
            messages, commits = len(self.log.messages), len(self.log.commits)
            loaded = self.stored.load(self.read_message, messages, commits)
            if not StoredSettings.parse(loaded.setup).is_clean_for(self.settings.redact):
                loaded = self._without_secrets(loaded)
            self._take_in(loaded)

    def _take_in(self, loaded: LoadedLog) -> None:
        self.adopt_settings(StoredSettings.parse(loaded.setup))
        start = len(self.log.messages)
        # In the order in which it came: each commit merges what is shown then, not all messages.
        for commit in loaded.commits:
            shown = len(self.log.messages) - start
            self._show_messages(loaded.messages[shown : max(0, commit.landed - start)])
            self._show_commit(commit)
        self._show_messages(loaded.messages[len(self.log.messages) - start :])
        if not loaded.commits:
            self.show_constraints()

    def adopt_settings(self, stored: StoredSettings) -> None:
        """Use the stored settings; a window that was learned there holds here too."""
        self.stored_settings = stored
        if stored.learned is not None and stored.learned < self.budget.window:
            self.settings = self.settings.with_budget_of(stored)
            self.note_smaller_window()

    def note_smaller_window(self) -> None:
        """Let the next compaction start, however recent the last one is."""
        self._window_shrunk = True
        self.windows_learned += 1

    def change_settings(self, change: Callable[[StoredSettings], StoredSettings]) -> None:
        """Change the stored settings, on top of what other processes changed."""
        with self.lock:
            self.stored_settings = self.stored.update_settings(change)

    def read_message(self, raw: str) -> Message:
        """Decode a stored message of this session."""
        return _decode(self.settings.wire, raw)

    def reader_for(self, info: SessionInfo) -> MessageReader:
        """Return what decodes the stored messages of another session."""
        wire = get_wire(info.wire)
        if info.wire == self.settings.wire.name:
            wire = self.settings.wire
        read = partial(_decode, wire)
        if StoredSettings.parse(info.setup).is_clean_for(self.settings.redact):
            return read
        return lambda raw: self._clean_message(read(raw), wire)

    def _without_secrets(self, loaded: LoadedLog) -> LoadedLog:
        """Return what was stored by a caller that takes no secrets out, or fewer, without them."""
        wire = self.settings.wire
        messages = [self._clean_message(message, wire) for message in loaded.messages]
        commits = [self._clean_value(commit) for commit in loaded.commits]
        return replace(loaded, messages=messages, commits=commits)

    def _clean_message(self, message: Message, wire: Wire) -> Message:
        if not message.blocks:
            return message
        if message.raw is None or message.by == "steno":
            return self._clean_value(message)
        kept = parse_json(message.raw)
        clean = self.clean(kept)
        if clean is kept:
            return message
        return wire.decode(clean, json_text(clean), "a kept message")

    def _clean_value(self, value: T) -> T:
        plain = msgspec.json.decode(msgspec.json.encode(value))
        # A message as it came is JSON within JSON: cleaned as what it says, it stays JSON.
        clean = self.clean(_map_raw(plain, parse_json))
        return convert(_map_raw(clean, json_text), type(value))

    # Writing.

    def _before_adding(self) -> None:
        """Note that not all is clean any more, if what is added now need not be."""
        redact, clean = self.settings.redact, self.stored_settings.clean
        if clean and (redact is None or redact.setup != clean):
            self.change_settings(lambda stored: stored.with_changes(clean=""))

    def append(self, messages: Sequence[Message]) -> None:
        """Store messages. Once they are stored, no error may make a caller add them again."""
        with self.lock:
            self._before_adding()
            self._show_if_interrupted(lambda: self._store_and_show(messages))

    def _show_if_interrupted(self, write: Callable[[], T]) -> T:
        """Write to the store; what an interrupted write has stored is shown all the same."""
        try:
            return write()
        except KeyboardInterrupt:
            self.guard(self.refresh)
            raise

    def _store_and_show(self, messages: Sequence[Message]) -> None:
        # Before the messages: usage that is reported next belongs to the request without them.
        counted = self.fixed_tokens + self.view.raw
        start = self.store.append(self.key, messages)
        if start != len(self.log.messages) or not self._in_step:
            # Another process appended first, or an interrupt stopped us last time; read both
            # from the store, in its order.
            self.guard(self.refresh)
            return
        self.sent_tokens = self.sent_tokens or counted
        self._show_messages(messages)

    def adopt(self, log: Log) -> None:
        """Store what a log holds beyond ours, messages and commits together."""
        with self.lock:
            start = len(self.log.messages)
            messages = log.messages[start:]
            commits = log.commits[len(self.log.commits) :]
            self._before_adding()
            self._show_if_interrupted(
                lambda: self.stored.append_with_commits(messages, commits, start)
            )
            # As in `append`: what is stored must not be added again.
            self.guard(self.refresh)

    @property
    def _in_step(self) -> bool:
        """Whether log and view are of the same messages; an interrupt can come between them."""
        return len(self.view.messages) == len(self.log.messages)

    def _show_messages(self, messages: Sequence[Message]) -> None:
        """Show messages that are stored."""
        # Both are made before either is kept, so that an error leaves log and view in step.
        view = self.view.with_messages(messages)
        self.log, self.view = replace(self.log, messages=view.messages), view

    def _show_commit(self, commit: Commit) -> None:
        """Show a commit that is stored."""
        log = self.log.with_commit(commit)
        if commit.reverts is None:
            self.view = self.view.with_commit(commit)
        else:
            # Which thinking the block of constraints allows is said below.
            self.view = self.view.with_head(self.view.head, 0).fold(log)
        self.show_constraints((commit,))
        # Last: until the log has it, a refresh shows it again, after an interrupt too.
        self.log = log

    def land(self, commit: Commit) -> Commit:
        """Store a commit, show it, and tell the subscribers."""
        with self.lock:
            # Stored first: a commit that another process made meanwhile raises `Stale` here.
            commit = self._show_if_interrupted(lambda: self._store_commit(commit))
            self._landed_preamble = self.fixed_tokens
            if commit.why not in WITHOUT_PRESSURE:
                self._window_shrunk = False
            self.emit(Committed.of(commit, self.view.boundary))
            for subscriber in self._subscribers:
                subscriber(commit)
            return commit

    def _store_commit(self, commit: Commit) -> Commit:
        commit = self.store.commit(self.key, commit)
        self._show_commit(commit)
        return commit

    def on_landing(self, subscriber: Callable[[Commit], object]) -> None:
        """Call `subscriber` with every commit that lands here, while the lock is held."""
        self._subscribers.append(subscriber)

    def undo(self) -> Commit:
        """Revert the newest commit that can be reverted; return the commit that does so."""
        with self.lock:
            self.stored.require_session()
            try:
                return self._show_if_interrupted(self._store_undo)
            except Stale:
                # The newest commit is another one now; the caller must choose again.
                self.refresh()
                raise

    def _store_undo(self) -> Commit:
        commit = self._store_commit(self.log.undo())
        # What is shown again may be more than a request holds: that cannot wait for new messages.
        self._window_shrunk = self._window_shrunk or self.load > self.budget.usable
        return commit

    def show_constraints(self, commits: Sequence[Commit] = ()) -> None:
        """Let the view begin with the block of constraints given, and those gathered in it."""
        for commit in commits:
            if tells_constraints_apart(commit):
                self._gathered_at = commit.landed
            elif commit.reverts is not None and self._gathered_at:
                live = [each for each in self.log.live if each.number != commit.reverts]
                self._gathered_at = max(
                    (each.landed for each in live if tells_constraints_apart(each)), default=0
                )
        # Most sessions have no such block, and must not pay for one with every commit.
        if not self.given and not self._gathered_at and self.view.head is None:
            return
        head = constraints_message(self.given, self.view)
        self._head_tokens = 0
        if head is not None:
            self._head_tokens = self.view.meter.message(head)
        self.view = self.view.with_head(head, max(self.given_at, self._gathered_at))
        if commits:
            # The block is the commit's own: it has not grown since.
            self._landed_preamble = self.fixed_tokens

    def say(self, kind: str, text: str) -> int:
        """Append a message of Steno's own, fenced; return its position."""
        with self.lock:
            self.refresh()
            if self.has_open_call:
                raise BadInput(
                    "a call is waiting for its result: add the result before Steno speaks"
                )
            self.append([self.own_message(self.clean(kind), text)])
            return len(self.log.messages) - 1

    def own_message(self, kind: str, text: str) -> Message:
        """Return a message of Steno's own, fenced and without secrets."""
        fenced = str(Fence({"kind": kind}, self.clean(text)))
        return user_message(encodable_text(fenced), by="steno")

    def hide(self, position: int) -> Commit:
        """Stop showing a message of Steno's own."""
        with self.lock:
            return self.land_fresh(lambda: self._draw_hiding(position), self.land)

    def _draw_hiding(self, position: int) -> Commit:
        span = Span(position, position + 1)
        # What others said leaves the view by a compaction only, which leaves a trace of it.
        if self.log.open(span)[0].by != "steno":
            raise BadInput("only what Steno itself said can be hidden: compact covers the rest")
        edit = Edit(span, (), "hide")
        return self.draft("hide").accept(Proposal((edit,), "hide")).commit()

    def _policy_pins(self) -> frozenset[int]:
        """Return what the policy pins; nothing if reading the messages for it fails."""
        pins: list[frozenset[int]] = []
        most = self.budget.usable * REQUEST_SHARE
        policy = self.settings.policy
        self.events.guard(lambda: pins.append(policy.pinned_positions(self.view, most)))
        return frozenset().union(*pins)

    def draft(self, why: Why, focus: str = "", writer: Model | None = None) -> Draft:
        """Return a draft of the next commit, with nothing in it yet."""
        policy = self.settings.policy
        # Held: it is asked for later, when the view may be another.
        shown, wire = self.view, self.settings.wire
        writer_window = None
        if writer is not None:
            writer_window = getattr(writer, "window", None) or WRITER_WINDOW
        return Draft(
            self.view,
            self.budget,
            why,
            base=len(self.log.commits),
            fixed=self.fixed_tokens,
            pins=frozenset(self.stored_settings.pins),
            policy_pins=self._policy_pins(),
            new=self.taken_in,
            grown=self.fixed_tokens != self._landed_preamble
            or self._window_shrunk
            or any(commit.why == "undo" for commit in self.log.commits[-1:])
            or focus not in ("", *(commit.focus for commit in self.log.commits[-1:])),
            focus=focus,
            writer_window=writer_window,
            limits=self.settings.limits,
            request=lambda: json_text(
                self.preamble.request(wire, encode_messages(wire, tuple(shown.visible_messages)))
            ),
            doubts=policy.doubts,
            complexity=policy.complexity,
            summary_tokens=summary_limit(policy.ladder),
            recall_tool=self.recall_tool,
            given=self.given,
        ).begun(policy.tail)

    def load_facts(self) -> None:
        """Hand the facts that are stored to the ledger; what is missing is read again."""
        with self.lock:
            self.guard(lambda: self._facts.load(self.view.messages))

    def save_facts(self) -> None:
        """Store the facts that were read since. Failing to is no loss: they can be read again."""
        with self.lock:
            self.guard(lambda: self._facts.save(self.view.messages))
            self.guard(lambda: self._snapshots.save(self.view.messages))

    def close(self) -> None:
        """Keep what was added up for the next to open the session, and close its store."""
        with self.lock:
            with suppress(SessionGone):
                self.guard(lambda: self._snapshots.save(self.view.messages, closing=True))
            self.stored.close()

    def land_fresh(self, draw: Callable[[], DrawnT], land: Callable[[DrawnT], T]) -> T:
        """Draw and land; if another process committed first, refresh and do both again."""
        for _ in range(STALE_RETRIES_MOST):
            # Not tried again: `Stale` comes from a rung here, which would raise it every time.
            drawn = draw()
            try:
                return land(drawn)
            except Stale:
                self.refresh()
        # Other threads wait this time.
        with self.lock:
            self.refresh()
            return land(draw())


def _decode(wire: Wire, raw: str) -> Message:
    return wire.decode(parse_json(raw), raw, "a kept message")


def _map_raw(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value of ours as JSON, with every `raw` of a message in it changed."""
    if isinstance(value, list):
        return [_map_raw(each, change) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: change(each) if key == "raw" and each is not None else _map_raw(each, change)
        for key, each in value.items()
    }
