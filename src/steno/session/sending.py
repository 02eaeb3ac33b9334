"""What a session sends, and what the provider says about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from steno.core.events import Event, ProviderEdited
from steno.core.view import View
from steno.meters.catalog import cache_seconds
from steno.providers import encode_messages
from steno.providers.bill import BILL_KIND, bill_request
from steno.session.journal import Journal
from steno.session.preamble import Preamble

RATIO_STEP = 0.02
"""Change of what the meter learned that is worth a write."""


class Sending:
    """The journal's session as its provider gets it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.sent_at: float | None = None
        """When the view was last sent, by the session's clock."""
        self.cache_lifetime: str | None = None
        """How long the provider keeps what it last wrote to its cache, by its name for it."""
        self._sent_commits = 0
        self._sent_messages = 0
        self._sent_figures: tuple[int, int] | None = None

    def set_preamble(
        self,
        system: Any = None,
        tools: Any = None,
        schema: str | None = None,
        check: Callable[[], None] | None = None,
    ) -> None:
        """Replace system prompt, tools or schema, if given; keep the old ones if `check` raises."""
        if system is None and tools is None and schema is None:
            return
        journal = self._journal
        settings = journal.settings
        with journal.lock:
            before = journal.preamble
            journal.preamble = Preamble.of(system, tools, settings.meter, before, schema)
            if check is not None:
                try:
                    check()
                except BaseException:
                    journal.preamble = before
                    raise
            kept = journal.stored_settings.with_preamble(journal.preamble, settings.redact)
            if kept != journal.stored_settings:
                # So that the session opens again with them.
                journal.change_settings(
                    lambda stored: stored.with_changes(system=kept.system, tools=kept.tools)
                )

    def redefine_tool(self, given: dict[str, Any], now: dict[str, Any]) -> None:
        """Replace a tool of Steno's own among those that are sent, if its definition changed."""
        tools = self._journal.preamble.tools
        if given and given != now and tools:
            own = given.items()
            self.set_preamble(tools=[tool | now if own <= tool.items() else tool for tool in tools])

    def mark_sent(self) -> View:
        """Return the view, and remember what it weighs: usage is reported against it."""
        journal = self._journal
        with journal.lock:
            journal.sent_tokens = journal.fixed_tokens + journal.view.raw
            self._sent_commits = len(journal.log.commits)
            self._sent_messages = len(journal.log.messages)
            self._sent_figures = journal.load, journal.log.tokens_spared
            self.sent_at = journal.settings.clock()
            return journal.view

    @property
    def figures(self) -> tuple[int, int]:
        """Tokens of the newest request that is not billed yet, and those left out of it."""
        return self._sent_figures or (self._journal.load, self._journal.log.tokens_spared)

    def bill(self, model: str, usage: Any, shown: int, spared: int) -> None:
        """Record and emit what a request cost; an empty `model` means the session's own."""
        journal = self._journal
        self._sent_figures = None
        model = model or journal.stored_settings.model or ""
        bill = bill_request(model, usage, shown, spared)
        journal.emit(bill.event(journal.name))
        journal.guard(lambda: journal.records.add(BILL_KIND, bill.record(journal.name)))

    @property
    def is_cached(self) -> bool:
        """Whether the provider still has the last request in its cache."""
        if self.sent_at is None:
            return False
        kept = cache_seconds(self._journal.stored_settings.model, self.cache_lifetime)
        return self._journal.settings.clock() - self.sent_at <= kept

    def hear_provider(self, events: Sequence[Event]) -> bool:
        """Emit what the provider says that it did; return whether it edited the request."""
        journal = self._journal
        for event in events:
            journal.emit(event)
        edits = [event for event in events if isinstance(event, ProviderEdited)]
        cleared = [edit.tokens for edit in edits if edit.kind.startswith("clear_")]
        with journal.lock:
            # With the commits of the request that was sent: another may have landed since.
            journal.cleared = sum(cleared), self._sent_commits
        return bool(edits)

    def calibrate(self, reported: int) -> None:
        """Correct the meter by what the provider counted in the last request."""
        journal = self._journal
        with journal.lock:
            sent = self._sent_messages
            if self._sent_commits != len(journal.log.commits):
                # Another view was billed: this one says nothing about the cost of its media.
                sent = 0
            before = journal.view.heavier
            journal.view = journal.view.with_reported_usage(journal.sent_tokens, reported, sent)
            meter, heavier = journal.view.meter, journal.view.heavier
            known = journal.stored_settings.ratio or 1.0
            # Not at every turn: each change of the stored settings is a write to the disk.
            if abs(meter.ratio - known) > RATIO_STEP or heavier is not before:
                journal.change_settings(
                    lambda stored: stored.with_changes(
                        ratio=meter.ratio,
                        counted_by=meter.name,
                        heavier={**stored.heavier, **heavier},
                    )
                )

    def encode(self, view: View) -> list[Any]:
        """Return the messages of a view in the provider's format."""
        return encode_messages(self._journal.settings.wire, view.visible_messages)

    def request_with(self, messages: list[Any]) -> dict[str, Any]:
        """Return the keyword arguments for the provider's client, around these messages."""
        return self._journal.preamble.request(self._journal.settings.wire, messages)
