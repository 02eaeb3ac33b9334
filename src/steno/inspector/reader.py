"""Reads the sessions of stores again and again, each time only what is new in them.

Looking changes nothing: a session is read as a value and not opened. Few are held at a time; of
the others only their figures are known.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace

import msgspec

from steno.core.errors import StenoError
from steno.core.message import Message
from steno.core.store import SessionInfo, Store, no_session
from steno.inspector.conversation import (
    LoadedConversation,
    beside_log,
    load_stored,
    message_reader,
)
from steno.inspector.describe import Json, fields_of, first_words
from steno.inspector.reports import SessionFigures
from steno.inspector.window_map import limit_marks
from steno.session.settings import StoredSettings
from steno.summary.constraints_block import constraints_message
from steno.summary.read_back import with_summaries

HELD_MOST = 4
"""Sessions that are held whole, unless more are asked for."""
ERROR_WITHIN = 200
"""Newest messages that are searched for the last failed call."""

OUTLINE = ("user", "wire", "messages", "commits", "parent", "fork")
"""Fields of a session as its store has it that `log --json` prints and the page is sent."""

Stores = Callable[[], Iterable[Store]]


class StoreReader:
    """The sessions of some stores, as they are now."""

    def __init__(self, stores: Stores, held: int = HELD_MOST) -> None:
        self.stores, self._held_most = stores, held
        self._lock = threading.RLock()
        self._held: dict[str, tuple[SessionInfo, LoadedConversation]] = {}
        self._rows: dict[str, tuple[SessionInfo, Json]] = {}
        self._records: dict[str, int] = {}
        """Number of the next record of a session."""

    def forget_row(self, name: str) -> None:
        """Count a session again: a change may be one that the store's outline does not tell."""
        self._rows.pop(name, None)

    def infos(self) -> list[tuple[Store, SessionInfo]]:
        """List the sessions with their stores, newest first."""
        found = [(store, info) for store in self.stores() for info in store.sessions()]
        found.reverse()
        return found

    def find(self, name: str) -> tuple[Store, SessionInfo]:
        """Return a session's store and what the store knows of it."""
        listed = self.infos()
        for store, info in listed:
            if info.name == name:
                return store, info
        raise no_session(name, [info.name for _, info in listed])

    def read(self, name: str) -> LoadedConversation:
        return self._read(*self.find(name))

    def newest(self, most: int) -> list[LoadedConversation]:
        """Return the newest sessions as they are now, newest first."""
        return [self._read(store, info) for store, info in self.infos()[:most]]

    def _read(self, store: Store, info: SessionInfo) -> LoadedConversation:
        with self._lock:
            known = self._held.pop(info.name, None)
            if known is None or known[0].id != info.id or not _grew(known[1], info):
                loaded = load_stored(store, info)
            else:
                loaded = _with_news(store, info, known[1])
            self._held[info.name] = (info, loaded)
            while len(self._held) > self._held_most:
                del self._held[next(iter(self._held))]
            return loaded

    def row(self, store: Store, info: SessionInfo, *, newest: bool = False) -> Json:
        """Return a session's line in the list, counted again only if the session changed.

        Of the newest, also what is stored beside the log is looked at: bills and constraints.
        """
        known, row = self._rows.get(info.name, (None, {}))
        if newest and known is not None:
            news = store.records(info.key, self._records.get(info.name, 0))
            if news:
                self._records[info.name] = news[-1].number + 1
                known = None
        if known is None or known != info or known.id != info.id:
            row = self._count(store, info)
            self._rows[info.name] = (info, row)
        return row

    def _count(self, store: Store, info: SessionInfo) -> Json:
        row = outline(info)
        try:
            loaded = self._read(store, info)
            budget = loaded.budget
            row |= msgspec.structs.asdict(SessionFigures.of(loaded))
        except StenoError as failure:
            # One damaged session must not hide the others.
            return row | {"fault": str(failure)}
        row["turns"] = sum(map(_opens_turn, loaded.log.messages))
        row["pinned"] = [first_words(loaded.log.messages[at]) for at in loaded.settings.pins]
        row["constraints"] = [constraint.text for constraint in loaded.given]
        row["error"] = _last_error(loaded)
        row["begun_by"] = loaded.parent
        if budget is not None:
            row |= {"usable": budget.usable, "pressure": str(budget.pressure(loaded.load))}
            row["limits"] = {name: load for load, name, _ in limit_marks(budget)}
        return row


def outline(info: SessionInfo) -> Json:
    """Return what is known of a session without reading it."""
    settings = StoredSettings.parse(info.setup)
    row = {"session": info.name} | fields_of(info, OUTLINE)
    return row | fields_of(settings, ("model", "window"))


def _grew(known: LoadedConversation, info: SessionInfo) -> bool:
    """Tell whether what was read of a session is still the beginning of it."""
    before, now = known.settings, StoredSettings.parse(info.setup)
    return before.model == now.model and before.heavier == now.heavier


def _with_news(store: Store, info: SessionInfo, known: LoadedConversation) -> LoadedConversation:
    """Return a session with what its store has beyond what was read of it."""
    messages, commits = len(known.log.messages), len(known.log.commits)
    news = store.load(info.key, message_reader(info), messages=messages, commits=commits)
    view = known.view.with_messages(news.messages)
    log = replace(known.log, messages=view.messages)
    for commit in news.commits:
        log = log.with_commit(with_summaries(commit))
    settings = StoredSettings.parse(news.setup)
    grown = replace(
        known,
        log=log,
        settings=settings,
        policy=settings.policy_for(None),
        **beside_log(store, info),
    )
    if settings.ratio is not None and settings.counted_by == view.meter.name:
        view = replace(view, meter=replace(view.meter, ratio=settings.ratio))
    if news.commits:
        view = view.with_head(None, 0).fold(log)
    grown.__dict__["view"] = view.with_head(constraints_message(grown.given, view), 0)
    return grown


def _opens_turn(message: Message) -> bool:
    return message.role == "user" and message.by == "caller" and not message.only_results


def _last_error(loaded: LoadedConversation) -> Json | None:
    """Return the newest failed call among the newest messages."""
    messages = loaded.log.messages
    for at in reversed(range(len(messages))[-ERROR_WITHIN:]):
        if any(result.error for result in messages[at].results):
            return {"at": at, "says": first_words(messages[at])}
    return None
