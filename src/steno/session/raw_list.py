"""A list that its caller keeps whole and sends to `compact` each turn.

Were all of it compacted every time, every request would begin differently and miss the
provider's cache. So this process remembers what it did to a list, by a key of the messages and
of the options that a commit depends on. A list that begins with those messages is shown in the
same way, and is compacted again only where that no longer fits. A list that is not known is
compacted at once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from hashlib import blake2b
from itertools import accumulate

from steno.core.budget import Pressure
from steno.core.log import Commit, Log
from steno.core.message_key import EMPTY_CHAIN, next_chain_key
from steno.session.options import SessionOptions
from steno.session.parts import Opening
from steno.session.session import Session, open_session
from steno.wires import json_text

REMEMBERED_MOST = 64
"""Beginnings of lists whose commits are remembered, those used last."""

NOT_IN_KEY = ("on_event", "clock", "retry", "spend", "breakers")
"""Options that change no commit."""

Commits = tuple[Commit, ...]

_remembered: OrderedDict[Hashable, Commits] = OrderedDict()
_lock = threading.Lock()


class RawList:
    """A list as it was said, and how it is to be compacted."""

    def __init__(self, log: Log, options: SessionOptions, opening: Opening) -> None:
        self._log = log
        self._options = options
        self._opening = opening
        self._key = _key_of(options, opening)
        self._chain = list(accumulate(log.messages, next_chain_key, initial=EMPTY_CHAIN))
        """A key of each beginning of the list, the empty one included."""

    def compact(self) -> Session:
        """Return a session of the list, compacted if it is under pressure."""
        session = self._open(self._recall_commits())
        known = bool(session.log.commits)
        _settle(session)
        if known and session.pressure is not Pressure.NONE:
            # Piece by piece it did not come down as far as all at once may.
            session = self._open(())
            _settle(session)
        self._remember(session)
        return session

    def _open(self, commits: Commits) -> Session:
        log = self._log
        for commit in commits:
            log = log.with_commit(commit)
        return open_session(self._options, replace(self._opening, log=log))

    def _recall_commits(self) -> Commits:
        """Return what was done to the longest beginning that is remembered."""
        if self._key is None:
            return ()
        with _lock:
            for beginning in reversed(self._chain):
                key = self._key, beginning
                if key in _remembered:
                    _remembered.move_to_end(key)
                    return _remembered[key]
        return ()

    def _remember(self, session: Session) -> None:
        if self._key is None or not session.log.commits:
            return
        key = self._key, self._chain[-1]
        with _lock:
            _remembered[key] = tuple(session.log.commits)
            _remembered.move_to_end(key)
            while len(_remembered) > REMEMBERED_MOST:
                _remembered.popitem(last=False)


class _Identity:
    """A key that only the same object equals; a name equals itself."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Identity):
            return NotImplemented
        mine, theirs = self._value, other._value
        return mine is theirs or (isinstance(mine, str) and mine == theirs)

    def __hash__(self) -> int:
        if isinstance(self._value, str):
            return hash(self._value)
        return id(self._value)


def _settle(session: Session) -> None:
    session._parts.compactor.settle_with_writer()
    session.messages()


def _key_of(options: SessionOptions, opening: Opening) -> Hashable:
    """Return what a commit depends on beside the messages; None if it cannot be compared."""
    # Files of results are written when a commit is made, and a redactor is made for each call.
    if options.offload_dir is not None or options.redact is not None:
        return None
    told = vars(options) | {
        "constraints": tuple(options.constraints),
        "writer": _Identity(options.writer),
        "embedder": _Identity(options.embedder),
    }
    key = (
        tuple(value for name, value in told.items() if name not in NOT_IN_KEY),
        tuple(opening.pins),
        blake2b(json_text([opening.system, opening.tools]).encode()).digest(),
    )
    try:
        hash(key)
    except TypeError:
        return None
    return key
