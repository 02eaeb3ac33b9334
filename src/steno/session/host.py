"""What a program needs of a session that it runs for its caller: `session.host`.

Everything that adapters, the proxy, the agent loops and the command line may do beyond the methods
of `Session` is here, and no other room reaches further in: `tests/test_imports.py` sees to that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from steno.core.effects import Driver, run
from steno.core.log import Commit, Why
from steno.core.view import View
from steno.engine.policy import Policy
from steno.session import by_hand, turn
from steno.session.parts import SessionParts
from steno.session.settings import StoredSettings

T = TypeVar("T")


def drive(
    parts: SessionParts,
    steps: turn.Turn[T],
    send: Callable[[dict[str, Any]], Any] | None = None,
) -> T:
    """Perform what the steps of a turn wait for, in this thread."""
    driver = Driver(steps)
    for effect in driver:
        try:
            match effect:
                case turn.WaitFor(draft, seconds):
                    draft.wait(seconds)
                case turn.RunCompaction(flow):
                    settings = parts.settings
                    driver.answer(run(flow, settings.writer, settings.limits))
                case turn.SendRequest(request):
                    assert send is not None
                    driver.answer(send(request))
        except Exception as failure:  # noqa: BLE001 — the steps decide what it means
            driver.fail(failure)
    return driver.result


class SessionHost:
    """What a program that runs the conversation sees of a session: mostly methods of its parts."""

    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts
        journal, settings = parts.journal, parts.settings
        # What the session is.
        self.lock = journal.lock
        """Lock of log, view and store; hold it around several calls to make them one."""
        self.wire = settings.wire
        self.store = journal.store
        self.key = journal.key
        """Its name in the store, bound to this very session."""
        self.id = journal.stored.id
        """Its identity among sessions of the same name; empty if the store has none."""
        self.redactor = settings.redact
        """What takes secrets out of what is added; None if nothing does."""
        self.cache = settings.options["cache"]
        self.agent_name = settings.options["agent_name"]
        self.event_log = journal.events
        self.records = journal.records
        """Lines beside the log: notes, marks of a run."""
        self.tools = parts.tools
        """The agent's own tools: definitions, answers, notes, the line on the fill."""
        # Messages, requests, and what a provider says about them.
        self.say = journal.say
        self.clean = journal.clean
        self.refresh = journal.refresh
        self.emit = journal.emit
        self.mark_sent = parts.sending.mark_sent
        self.bill = parts.sending.bill
        self.set_preamble = parts.sending.set_preamble
        self.hear_provider = parts.sending.hear_provider
        self.learn_from_reply = parts.compactor.learn_from_reply
        self.holds_more = parts.holds_more
        # Landing.
        self.settle = parts.compactor.settle
        self.settle_with_writer = parts.compactor.settle_with_writer
        self.make_room_for = parts.compactor.make_room_for
        self.use_policy = parts.compactor.use_policy
        self.on_landing = journal.on_landing
        self.draft = journal.draft
        self.preview = parts.compactor.preview
        # Constraints and search.
        self.edit_constraint = parts.constraints.edit
        self.fill_index = parts.recall.fill
        self.stop_filling = parts.recall.stop_filling

    @property
    def user(self) -> str:
        """Name of the user whose session this is; empty if it has none."""
        return self._parts.journal.user

    @property
    def settings(self) -> StoredSettings:
        """What the store keeps of the session's options."""
        return self._parts.journal.stored_settings

    @property
    def policy(self) -> Policy:
        """The policy that is used, without the session's quota."""
        return self._parts.settings.base_policy

    @property
    def sent_figures(self) -> tuple[int, int]:
        """Tokens of the newest request that is not billed yet, and those left out of it."""
        return self._parts.sending.figures

    @property
    def skip_reason(self) -> str:
        """Why nothing is compacted at this state."""
        return self._parts.compactor.skip_reason

    def add(self, *messages: Any, usage: Any = None) -> None:
        """Add messages as they were said, a summary of ours too; their `usage` is not billed."""
        self._parts.add(*messages, usage=usage, as_said=True)

    def prepare_view(self) -> View:
        """Return the view to send now, for a caller that renders it itself."""
        return drive(self._parts, turn.prepare_view(self._parts))

    def shrink_after(self, failure: BaseException) -> int | None:
        """Learn from a refusal as too long and compact; return the refused load, or None."""
        return drive(self._parts, turn.shrink_after(self._parts, failure))

    def compact_now(self, why: Why) -> Commit | None:
        """Compact for a reason other than that it was asked for, and wait for the writer."""
        return self._parts.compactor.compact_now(why=why)

    def edit_summary(self, position: int, text: str, *, author: str) -> Commit:
        """Give the summary that covers a position other words; the commit names the author."""
        return by_hand.reword(self._parts.journal, position, text, author)

    def land_edits(self, draw: Callable[[], Commit | None]) -> Commit | None:
        """Land a commit of the caller's own; draw it again if another landed first."""
        land = self._parts.landing.land
        return self._parts.journal.land_fresh(draw, lambda commit: commit and land(commit))
