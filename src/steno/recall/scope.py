"""Where a search may look: a session, several, or all of a user's; never another user's.

A fork also searches the sessions it was forked from, up to the fork.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steno.core.store import SessionInfo, Store
from steno.recall.fill import drop_deleted_sessions
from steno.recall.index import index_of
from steno.recall.rows import IndexMark, RowId, RowScope, row_range
from steno.store.names import require_own

RANGES_MOST = 8
"""Sessions searched range by range; with more, one range is filtered by session number."""


@dataclass(frozen=True)
class SessionScope:
    """The sessions that a search may see, and how much of each."""

    sessions: tuple[SessionInfo, ...]
    """The sessions that are searched, each after those it was forked from."""
    named: frozenset[str] | None
    """Those that are searched whole; None for all of them."""

    @classmethod
    def of(cls, store: Store, name: str, where: str | Sequence[str]) -> SessionScope:
        """Return the scope of a search from session `name`."""
        own = store.session_info(name)
        if where == "user":
            return cls(tuple(store.sessions(own.user)), None)
        if where == "session":
            named = [name]
        else:
            named = [require_own(store, own.user, other) for other in where]
        sessions: dict[str, SessionInfo] = {}
        for other in named:
            for info in _with_ancestors(store, other):
                sessions[info.name] = info
        return cls(tuple(sessions.values()), frozenset(named))

    @property
    def by_name(self) -> Mapping[str, SessionInfo]:
        return {info.name: info for info in self.sessions}

    def marks(self, store: Store) -> dict[str, IndexMark]:
        """Return how far each session is in the index; leave out those that are not."""
        index = index_of(store)
        if self.named is None or len(self.sessions) > RANGES_MOST:
            user = self.sessions[0].user
            marks = index.marks(user)
            if self.named is None and not marks.keys() <= self.by_name.keys():
                drop_deleted_sessions(store, user)
                marks = index.marks(user)
            return marks
        marks = {}
        for info in self.sessions:
            mark = index.mark(info.name)
            if mark is not None:
                marks[info.name] = mark
        return marks

    def row_scope(self, marks: Mapping[str, IndexMark]) -> RowScope:
        """Return the rows of the index that are in scope."""
        known = [marks[info.name] for info in self.sessions if info.name in marks]
        chunks = sum(mark.chunks for mark in known)
        size = sum(mark.size for mark in known)
        if self.named is None and len(known) > RANGES_MOST:
            # One range from the first session to the last, and which ones count.
            numbers = tuple(sorted(mark.number for mark in known))
            span = (row_range(numbers[0])[0], row_range(numbers[-1])[1])
            return RowScope((span,), chunks, size, numbers)
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
        sessions = self.by_name
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
