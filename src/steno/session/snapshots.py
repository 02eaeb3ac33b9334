"""Pass a snapshot of a long session to its store, and back: a restart reads only what is newer."""

from __future__ import annotations

from steno.core.message import Message
from steno.core.snapshot import (
    StoredView,
    adopt_states,
    decode_snapshot,
    encode_snapshot,
    fold_names,
    take_view,
)
from steno.core.store import Shared
from steno.core.tape import StoredStates, Tape
from steno.core.view import View
from steno.session.stored_session import StoredSession

KEPT_LEAST = 1_024
"""Messages of a session from which on it pays, and new ones when it is closed."""
GROWN_BY = 8
"""It is kept again when the log has grown by this part of it."""
KEPT_AT_WORK_MOST = 2**15
"""Messages of a session beyond which it is kept only when the session is closed."""
BYTES_MOST = 2**28


class Snapshots:
    """The snapshot of one session: its view, and what was folded of its messages.

    It is written seldom, because it is written whole.
    """

    def __init__(self, stored: StoredSession) -> None:
        self._stored = stored
        self._upto = 0
        """How many messages are added up in the store."""
        self._states: StoredStates = {}
        self._names: set[str] = set()
        """Names of the states that are there."""

    def load(self) -> StoredView | None:
        """Read the snapshot; return its view, or None if this version can read none."""
        store, info = self._stored.store, self._stored.info
        if info is None or info.messages < KEPT_LEAST or not isinstance(store, Shared):
            return None
        kept = store.snapshot(self._stored.key)
        if kept is None:
            return None
        self._states = decode_snapshot(kept[1])
        view = take_view(self._states)
        if view is not None:
            self._upto = kept[0]
        return view

    def adopt(self, messages: Tape[Message]) -> None:
        """Hand the states of folds to the messages that they are of."""
        self._names = set(self._states)
        adopt_states(messages, self._states)
        self._states = {}

    def save(self, view: View, commits: int, *, closing: bool = False) -> None:
        """Keep what was added up, if it has grown by enough or is in another format there."""
        store, messages = self._stored.store, view.messages
        grown = KEPT_LEAST if closing else max(KEPT_LEAST, self._upto // GROWN_BY)
        if not isinstance(store, Shared) or len(messages) < KEPT_LEAST:
            return
        if len(messages) - self._upto < grown and fold_names(messages) <= self._names:
            return
        if len(messages) > KEPT_AT_WORK_MOST and not closing:
            # To write it all takes seconds then, and a compaction must not.
            return
        # Also if it cannot be kept: the next try is not sooner.
        self._upto = len(messages)
        self._names |= fold_names(messages)
        try:
            body = encode_snapshot(view, commits)
        except ValueError:
            return
        if len(body) <= BYTES_MOST:
            store.keep_snapshot(self._stored.key, len(messages), body)
