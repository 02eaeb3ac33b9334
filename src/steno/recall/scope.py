"""Where a search may look: a session, several, or all of a user's; never another user's.

A fork also searches the sessions it was forked from, up to the fork.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from weakref import WeakKeyDictionary

from steno.core.errors import NotHere
from steno.core.store import (
    ChangedSessions,
    ChangeMark,
    SessionInfo,
    Shared,
    Store,
    session_names,
)
from steno.recall.fill import drop_deleted_sessions
from steno.recall.index import index_of
from steno.recall.rows import IndexMark, RowId, RowScope, row_range
from steno.recall.sql import RecallIndex

RANGES_MOST = 8
"""Sessions searched range by range; with more, one range is filtered by session number."""


@dataclass
class UserSessions:
    """All sessions of a user, as a search last saw them; the next one asks what changed since."""

    since: ChangeMark | None = None
    sessions: dict[str, SessionInfo] = field(default_factory=dict)
    marks: dict[str, IndexMark] = field(default_factory=dict)
    """How far each is in the index."""
    unchecked: dict[str, SessionInfo] = field(default_factory=dict)
    """Those that may have messages which are not in the index."""
    rows: RowScope | None = None
    """Where all of them are in the index; None if that must be added up."""

    lock: Lock = field(default_factory=Lock)

    def catch_up(self, store: Store, user: str) -> None:
        """Take in what changed; with all sessions, drop what the index has of deleted ones."""
        with self.lock:
            changed = self._changed_sessions(store, user)
            found = {info.name: info for info in changed.sessions}
            if changed.whole:
                marks = index_of(store).marks(user)
                if not marks.keys() <= found.keys():
                    drop_deleted_sessions(store, user)
                    marks = index_of(store).marks(user)
                self.sessions, self.marks, self.rows = found, marks, None
                self.unchecked = dict(found)
            elif found:
                # New dictionaries: another search may go through the old ones.
                self.sessions = self.sessions | found
                self.unchecked = self.unchecked | found
            if isinstance(store, Shared):
                # At last: what a failure left out is listed again.
                self.since = changed.mark

    def note_full(self, full: Iterable[SessionInfo]) -> None:
        """Look at these no more before they change."""
        with self.lock:
            gone = {info.name for info in full if self.unchecked.get(info.name) is info}
            self.unchecked = {
                name: info for name, info in self.unchecked.items() if name not in gone
            }

    def note_mark(self, name: str, mark: IndexMark) -> None:
        """Take in how far a session is in the index now, at the cost of this one."""
        with self.lock:
            old, rows = self.marks.get(name), self.rows
            self.marks[name] = mark
            self.rows = None
            if rows is not None and old is not None and old.number == mark.number:
                chunks = rows.chunks + mark.chunks - old.chunks
                self.rows = replace(rows, chunks=chunks, size=rows.size + mark.size - old.size)

    def row_scope(self) -> RowScope:
        """Return one range of rows from the first session to the last, and which ones count."""
        with self.lock:
            if self.rows is None:
                numbers = tuple(sorted(mark.number for mark in self.marks.values()))
                span = (row_range(numbers[0])[0], row_range(numbers[-1])[1])
                chunks = sum(mark.chunks for mark in self.marks.values())
                size = sum(mark.size for mark in self.marks.values())
                self.rows = RowScope((span,), chunks, size, numbers)
            return self.rows

    def _changed_sessions(self, store: Store, user: str) -> ChangedSessions:
        if isinstance(store, Shared):
            return store.changed_sessions(user, self.since)
        return ChangedSessions((0, 0), store.sessions(user), whole=True)


_seen: WeakKeyDictionary[RecallIndex, dict[str, UserSessions]] = WeakKeyDictionary()
"""By index: what searches saw of each user's sessions."""


def sessions_of_user(store: Store, user: str) -> UserSessions:
    """Return all sessions of a user; at the cost of what changed, if the store can tell."""
    known = _seen.setdefault(index_of(store), {}).setdefault(user, UserSessions())
    known.catch_up(store, user)
    return known


def forget_sessions(index: RecallIndex) -> None:
    """Look at all sessions again, because the index was begun anew."""
    _seen.pop(index, None)


@dataclass(frozen=True)
class SessionScope:
    """The sessions that a search may see, and how much of each."""

    sessions: tuple[SessionInfo, ...]
    """The sessions that are searched, each after those it was forked from."""
    named: frozenset[str] | None
    """Those that are searched whole; None for all of them."""
    known: UserSessions | None = None
    """What is known of them from earlier searches, if all of a user's are searched."""

    @classmethod
    def of(cls, store: Store, name: str, where: str | Sequence[str]) -> SessionScope:
        """Return the scope of a search from session `name`."""
        own = store.session_info(name)
        if where == "user":
            known = sessions_of_user(store, own.user)
            return cls(tuple(known.sessions.values()), None, known)
        if where == "session":
            named = [name]
        else:
            named = list(where)
            allowed = set(session_names(store, own.user))
            for other in named:
                # The same error as for no session at all: another user's names must not be told.
                if other not in allowed:
                    raise NotHere(f"no session of this user is named {other!r}")
        sessions: dict[str, SessionInfo] = {}
        for other in named:
            for info in _with_ancestors(store, other):
                sessions[info.name] = info
        return cls(tuple(sessions.values()), frozenset(named))

    @property
    def by_name(self) -> Mapping[str, SessionInfo]:
        if self.known is not None:
            return self.known.sessions
        return {info.name: info for info in self.sessions}

    @property
    def unchecked(self) -> Iterable[SessionInfo]:
        """The sessions that may have messages which are not in the index."""
        if self.known is not None:
            return self.known.unchecked.values()
        return self.sessions

    def note_full(self, full: Iterable[SessionInfo]) -> None:
        """Remember that these are in the index to their end."""
        if self.known is not None:
            self.known.note_full(full)

    def note_mark(self, marks: dict[str, IndexMark], name: str, mark: IndexMark) -> None:
        """Put how far a session is in the index among the marks of this scope."""
        if self.known is not None:
            self.known.note_mark(name, mark)
        marks[name] = mark

    def marks(self, store: Store) -> dict[str, IndexMark]:
        """Return how far each session is in the index; leave out those that are not."""
        if self.known is not None:
            return self.known.marks
        index = index_of(store)
        if len(self.sessions) > RANGES_MOST:
            return index.marks(self.sessions[0].user)
        marks = {}
        for info in self.sessions:
            mark = index.mark(info.name)
            if mark is not None:
                marks[info.name] = mark
        return marks

    def row_scope(self, marks: Mapping[str, IndexMark]) -> RowScope:
        """Return the rows of the index that are in scope."""
        if self.known is not None and len(marks) > RANGES_MOST:
            return self.known.row_scope()
        known = [marks[info.name] for info in self.sessions if info.name in marks]
        chunks = sum(mark.chunks for mark in known)
        size = sum(mark.size for mark in known)
        return RowScope(tuple(self._ranges(marks)), chunks, size)

    def _ranges(self, marks: Mapping[str, IndexMark]) -> list[tuple[RowId, RowId]]:
        ranges: list[tuple[RowId, RowId]] = []
        for name, upto in self._upto().items():
            mark = marks.get(name)
            if mark is not None and upto:
                ranges.append((mark.row(0), mark.row(upto) - 1))
        return sorted(ranges)

    def _upto(self) -> dict[str, int]:
        """Return how many messages of each session are in scope.

        All of a named session; of an ancestor, what its forks in scope inherited.
        """
        sessions = {info.name: info for info in self.sessions}
        if self.named is None:
            return {name: info.messages for name, info in sessions.items()}
        upto: dict[str, int] = {}
        for name in self.named:
            info = sessions[name]
            inherited = info.messages
            upto[name] = inherited
            while info.parent is not None:
                inherited = min(inherited, info.fork or 0)
                info = sessions[info.parent]
                upto[info.name] = max(upto.get(info.name, 0), inherited)
        return upto


def _with_ancestors(store: Store, name: str) -> list[SessionInfo]:
    """Return a session after those it was forked from."""
    infos = [store.session_info(name)]
    while infos[0].parent is not None:
        infos.insert(0, store.session_info(infos[0].parent))
    return infos
