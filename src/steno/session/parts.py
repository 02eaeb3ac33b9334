"""The parts of one session, made together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from steno.core.errors import BadInput
from steno.core.events import PolicyMissing, WriterCalled
from steno.core.log import Commit
from steno.core.message import Message, Span, Value
from steno.core.model import Usage
from steno.core.store import StoredName
from steno.engine.designs import resolve_policy, stored_policy
from steno.models.retry import RetryingWriter
from steno.providers import decode_messages, plain_list
from steno.providers.shared.plain_json import get_field
from steno.providers.shared.provider_report import compaction_rounds, read_usage, written_for
from steno.redact import hide_secrets_in_errors
from steno.session.agent_tools.answers import AgentTools
from steno.session.agent_tools.deferred import DEFERRED_KIND
from steno.session.agent_tools.notes import NOTE_KIND
from steno.session.compactor import Compactor
from steno.session.constraints import CONSTRAINT_KIND, Constraints
from steno.session.journal import Journal
from steno.session.landing import Landing
from steno.session.options import SessionOptions, complete_options, with_changes
from steno.session.place import is_place
from steno.session.preamble import Preamble
from steno.session.recall import SessionRecall
from steno.session.sending import Sending
from steno.session.settings import Settings, StoredSettings, window_for
from steno.session.stored_session import StoredSession
from steno.session.user_memory import UserMemory
from steno.session.writer import Writer
from steno.store.names import stored_name
from steno.store.open import is_address
from steno.summary.reimport import end_of_summaries, positions_for, reimport_messages, split_all

USAGE_MOST = 1 << 40
"""More than any window; a larger number is no count of tokens."""
POLICY_MISSING = "its policy has code of its own and was not stored: pass policy= again"


class SessionParts(Value):
    """What a session is made of."""

    journal: Journal
    sending: Sending
    recall: SessionRecall
    landing: Landing
    compactor: Compactor
    tools: AgentTools
    memory: UserMemory
    constraints: Constraints

    @property
    def settings(self) -> Settings:
        """What the options come to: wire, meter, budget, policy, writer."""
        return self.journal.settings

    def add(self, *messages: Any, usage: Any = None, as_said: bool = False) -> None:
        """Store new messages, run the rungs of every round; `as_said` reads and bills nothing."""
        self.compactor.raise_background_error()
        journal = self.journal
        with journal.lock:
            with hide_secrets_in_errors(self.settings.redact):
                plain = [journal.clean(message) for message in plain_list(messages)]
                start = len(journal.log.messages)
                new = decode_messages(self.settings.wire, plain, start=start)
            reported = None
            if usage is not None:
                reported = _prompt_tokens(usage)
                figures = self.sending.figures
            if self.sending.sent_at is not None and plain:
                # Before the reply counts: what was sent had no reply in it.
                self.compactor.learn_from_reply(plain[-1])
            covered = 0
            begun = any(message.role != "system" for message in journal.log.messages)
            sent = begun and self.sending.sent_at is not None
            # New and not sent yet: the caller may be adding its past.
            if journal.stored.is_new and not sent and not as_said:
                new = split_all(new, self.settings.wire)
                covered = end_of_summaries(new, journal.log.messages)
            new = self.memory.with_offer(new, covered)
            past = journal.log
            if covered:
                given = bool(journal.given)
                past = reimport_messages(new, past, positions_for(new), replaced=given)
            if len(past.commits) > len(journal.log.commits):
                journal.adopt(past)
            else:
                journal.append(new)
            if reported is not None:
                if not as_said:
                    self.sending.bill("", usage, *figures)
                # What a provider counted after its own compaction says nothing about our view.
                if not compaction_rounds(usage):
                    self.sending.calibrate(reported)
                self.sending.cache_lifetime = written_for(usage) or self.sending.cache_lifetime
            self.landing.take_in()

    def pin(self, what: int | str) -> int:
        """Pin a position, or add a text and pin it; return the position."""
        if isinstance(what, str) and is_place(what):
            raise BadInput(
                f"{what!r} reads as positions, and pin() takes one, as a number: pin(17); pin each "
                "of several, or write a text in words"
            )
        position = what
        if isinstance(position, str):
            position = self._add_text(position)
        self.journal.log.open(Span(position, position + 1))
        self.journal.change_settings(
            lambda stored: stored.with_changes(pins=merge_pins(stored.pins, (position,)))
        )
        return position

    def _add_text(self, text: str) -> int:
        """Add a text as a user's message; return its position."""
        with self.journal.lock:
            self.journal.refresh()
            if not text.strip():
                raise BadInput("there is nothing to pin in an empty text")
            if self.journal.has_open_call:
                raise BadInput(
                    "a call is waiting for its result: add the result, then pin the text"
                )
            self.add({"role": "user", "content": text}, as_said=True)
            return len(self.journal.log.messages) - 1

    def holds_more(self) -> bool:
        """Tell whether more shapes the view than messages of others, and the options given now."""
        records, log = self.journal.records, self.journal.log
        records.read()
        given = (*self.settings.policy.constraints, *self.settings.options["constraints"])
        return (
            not self.constraints.are_only(given)
            or bool(records.known(NOTE_KIND, DEFERRED_KIND))
            or log.commits.fold(_count_asked) > 0
            or log.messages.fold(_count_own) > 0
        )

    def unpin(self, position: int) -> None:
        """Allow a position to be covered again."""
        self.journal.change_settings(
            lambda stored: stored.with_changes(
                pins=tuple(pin for pin in stored.pins if pin != position)
            )
        )

    def fork(self, at: int | None = None, name: str | None = None) -> SessionParts:
        """Begin another session as this one's log up to a position, in the same store."""
        journal = self.journal
        if at is None:
            at = len(journal.log.messages)
        # Refuses a position that cannot be forked at, before anything is made.
        journal.log.fork(at)
        stored = journal.stored_settings
        stored = stored.with_changes(
            pins=tuple(pin for pin in stored.pins if pin < at),
            heavier={place: share for place, share in stored.heavier.items() if place < at},
        )
        name = name or StoredName(f"{journal.name}@{at}.{len(journal.store.sessions())}")
        name = stored_name(journal.user, name)
        wire = self.settings.wire
        journal.store.create(name, wire.name, str(stored), parent=journal.key, fork=at)
        for record, ruling in journal.records.of(CONSTRAINT_KIND):
            # What was given or retired later holds in the fork too. A ruling on a message that the
            # fork does not have means nothing there.
            if record.at > at and ruling.get("position", -1) < at:
                journal.store.record(name, record.kind, record.text)
        return open_parts(self._fork_options(name))

    def _fork_options(self, name: str) -> SessionOptions:
        """Return the options of a fork: ours, with what became of them here."""
        settings, journal = self.settings, self.journal
        return with_changes(
            settings.options,
            name=name,
            store=journal.store,
            user=None,
            log=None,
            system=journal.preamble.system,
            tools=journal.preamble.tools,
            pins=(),
            # Stored with the fork already.
            window=None,
            model=None,
            limit=None,
            reserve=None,
            wire=settings.wire,
            policy=settings.base_policy,
            quota=settings.quota,
            meter=journal.view.meter,
            writer=Writer(settings.writer, limits=settings.limits),
            redact=settings.redact or False,
            # The fork has those that were in force here; to give them again would bring back
            # what was retired.
            constraints=(),
        )

    def close(self, wait: float) -> None:
        """Stop the draft, learn for the user, and close the store if it is ours."""
        self.compactor.abandon_draft()
        self.memory.close(wait)
        self.journal.close()


def open_parts(given: SessionOptions, path: str | os.PathLike[str] | None = None) -> SessionParts:
    """Open the session of this name, or begin it, and make its parts."""
    options = complete_options(**given)
    user, redact, policy = options["user"], options["redact"], options["policy"]
    place = path or options["store"]
    if isinstance(place, str | os.PathLike) and not is_address(place) and not os.path.exists(place):
        # Before the file is made: a mistake must not leave one.
        limits = StoredSettings(window=options["window"], model=options["model"])
        window_for(limits, resolve_policy(policy), options["meter"])
    stored = StoredSession.of(path, options["name"], options["store"], options["durable"], user)
    try:
        stored.refuse_other_user(user, options["name"])
        stored.require_memories(user, options["memory"])
        stored.require_redaction(redact)
        kept = stored.settings
        redacted = None
        if redact is not None and redact is not False:
            redacted = True
        stored_settings = kept.for_reopening(
            window=options["window"],
            model=options["model"],
            limit=options["limit"],
            reserve=options["reserve"],
            pins=merge_pins(kept.pins, options["pins"]),
            redacted=redacted,
            policy=policy and (stored_policy(resolve_policy(policy)) or ""),
        )
        options["wire"] = stored.choose_wire(options["wire"])
        settings = Settings.of(options, stored_settings)
        if settings.redact is not None and stored.is_new and options["log"] is None:
            stored_settings = stored_settings.with_changes(clean=settings.redact.setup)
        if stored_settings.window is None and stored_settings.model is None:
            # Store the policy's own window, so that the session opens again without it.
            stored_settings = stored_settings.with_changes(window=settings.budget.window)
        before = Preamble(kept.system, kept.tools, (), 0)
        preamble = Preamble.of(options["system"], options["tools"], settings.meter, before)
        stored_settings = stored_settings.with_preamble(preamble, settings.redact)
        stored = stored.begin(settings.wire.name, stored_settings, options["log"], user)
        journal = Journal(stored, settings, stored_settings, preamble)
        if policy is None and kept.policy == "":
            # Not refused: a reader of the session need not have its code.
            journal.emit(PolicyMissing(POLICY_MISSING))
        parts = _assemble(journal)
        parts.constraints.give((*settings.policy.constraints, *options["constraints"]))
        journal.records.read()
        parts.constraints.show()
        parts.landing.take_in()
        _prepare_writer(journal)
    except BaseException:
        stored.close()
        raise
    return parts


def _assemble(journal: Journal) -> SessionParts:
    recall = SessionRecall(journal)
    sending = Sending(journal)
    landing = Landing(journal)
    compactor = Compactor(journal, sending, landing)
    tools = AgentTools(journal, compactor, recall)
    memory = UserMemory(journal, compactor, tools.notes)
    constraints = Constraints(journal)
    return SessionParts(journal, sending, recall, landing, compactor, tools, memory, constraints)


def _prepare_writer(journal: Journal) -> None:
    """Report the calls of the session's own writer, and count what an earlier process spent."""
    writer = journal.settings.writer
    given = Writer.of(journal.settings.options["writer"]).model
    if isinstance(writer, RetryingWriter) and writer is not given:
        calls = [call for commit in journal.log.commits for call in commit.asked]
        writer.account.restore(calls)
        writer.on_call = lambda reply, seconds: journal.emit(
            WriterCalled(reply.by, seconds, reply.usage, getattr(reply, "kind", ""))
        )


def _count_asked(count: int | None, commits: Sequence[Commit], start: int) -> int:
    """Count the commits that somebody worded, or had worded by a writer."""
    asked = sum(
        bool(commit.reason or commit.author or (commit.focus and commit.writers))
        for commit in commits
    )
    return (count or 0) + asked


def _count_own(count: int | None, messages: Sequence[Message], start: int) -> int:
    return (count or 0) + sum(message.by == "steno" for message in messages)


def merge_pins(pins: Iterable[int], more: Iterable[int]) -> tuple[int, ...]:
    """Return all pins in order; refuse what is no position."""
    new = list(more)
    for pin in new:
        if not isinstance(pin, int) or isinstance(pin, bool) or pin < 0:
            shown = pin if isinstance(pin, int) else type(pin).__name__
            raise BadInput(f"pins are positions, whole numbers from 0 on, got {shown}")
    return tuple(sorted({*pins, *new}))


def _prompt_tokens(usage: Any) -> int:
    """Return the reported size of a whole prompt."""
    if isinstance(usage, Usage):
        tokens = usage.sent
    elif isinstance(usage, int) and not isinstance(usage, bool):
        tokens = usage
    else:
        counts = (get_field(usage, key) for key in ("prompt_tokens", "input_tokens"))
        counted = [count for count in counts if type(count) is int]
        if not counted:
            raise BadInput(
                "usage= takes a number of prompt tokens, or the usage object a provider reported"
            )
        tokens = counted[0]
        if tokens >= 0:
            tokens = read_usage(usage).sent
    if tokens < 0:
        raise BadInput(f"usage= reports {tokens} prompt tokens: a count is 0 or more")
    return min(tokens, USAGE_MOST)
