"""A list that its caller keeps whole and sends to `compact` each turn.

Were all of it compacted every time, every request would begin differently and miss the
provider's cache. So it is compacted wherever a session that was given the list message by
message would have been. Each place, and each commit, depends only on the messages before it:
the same beginning of a list gives the same beginning of the result for as long as that fits.

What was found is remembered in this process by a key of the messages and of all that has a say in
it, so a call each turn pays for what is new. Nothing else depends on that memory. To bound the
work on a long list that is not known, it begins at the newest of some places that are several
windows apart; there, all before is compacted at once.

Where a compaction cannot be made again, with a writer or a policy that comes down to its tail, the
memory decides: what this process made of the list's beginning stays, and a list that is not known
is compacted once, whole.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import replace

from msgspec import structs

from steno.core.budget import Pressure
from steno.core.log import Commit, Log
from steno.core.message import Thinking
from steno.core.message_key import EMPTY_CHAIN, next_chain_key
from steno.session.options import SessionOptions
from steno.session.parts import Opening
from steno.session.session import Session, open_session
from steno.wires import json_text

WINDOWS_APART = 8
"""Windows of tokens between places at which all before is compacted at once."""
REMEMBERED_MOST = 64
"""Beginnings of lists whose commits are remembered, those used last."""

WITHOUT_SAY = ("on_event", "clock", "retry", "spend", "breakers")
"""Options that say how a commit is made, not what it holds."""

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
        self._chain = [EMPTY_CHAIN]
        for message in log.messages:
            self._chain.append(next_chain_key(self._chain[-1], message))

    def compact(self, whole: Session) -> Session:
        """Return a session of the list as it is to be sent; `whole` holds it as it was said."""
        if not _is_repeatable(whole):
            return self._compact_end(whole)
        end = len(self._log.messages)
        restart = _newest_restart(whole)
        at, commits = self._longest_match(restart)
        session = whole
        if at:
            session = self._open(end, commits)
        cut: int | None = restart
        if at or not restart:
            cut = _place_of_pressure(session, at)
        while cut is not None:
            session = self._compact_at(cut, commits)
            commits = self._remember(session)
            if cut == end:
                return session
            session = self._open(end, commits)
            cut = _place_of_pressure(session, cut)
        return session

    def _compact_end(self, whole: Session) -> Session:
        """Return a session that shows what was made before, and is compacted at its end only."""
        end = len(self._log.messages)
        at, commits = self._longest_match(0)
        session = whole
        if at:
            session = self._open(end, commits)
        if at == end or session.pressure is Pressure.NONE:
            return session
        session = self._compact_at(end, commits)
        if any(stop == end for stop, _ in _boundaries(whole)):
            self._remember(session)
        return session

    def _compact_at(self, stop: int, commits: Commits) -> Session:
        """Return a session of the first messages, compacted where it was before and at its end."""
        session = self._open(stop, commits)
        _land_due(session)
        if commits and session.pressure is not Pressure.NONE:
            # Piece by piece it did not come down as far as all at once may.
            session = self._open(stop, ())
            _land_due(session)
        return session

    def _remember(self, session: Session) -> Commits:
        """Remember the commits of a session that holds a beginning of the list."""
        # They land now: thinking that was bound to the words before it goes.
        commits = tuple(structs.replace(commit, landed=0) for commit in session.log.commits)
        key = self._key, self._chain[len(session.log.messages)]
        if self._key is not None:
            with _lock:
                _remembered[key] = commits
                _remembered.move_to_end(key)
                while len(_remembered) > REMEMBERED_MOST:
                    _remembered.popitem(last=False)
        return commits

    def _longest_match(self, least: int) -> tuple[int, Commits]:
        """Return the longest remembered beginning, of at least so many messages."""
        if self._key is None:
            return 0, ()
        with _lock:
            for at in range(len(self._log.messages), max(least, 1) - 1, -1):
                key = self._key, self._chain[at]
                if key in _remembered:
                    _remembered.move_to_end(key)
                    return at, _remembered[key]
        return 0, ()

    def _open(self, stop: int, commits: Commits) -> Session:
        """Open a session with the first messages of the list, and commits on them."""
        log = Log().with_messages(self._log.messages[:stop])
        for commit in commits:
            log = log.with_commit(commit)
        return open_session(self._options, replace(self._opening, log=log))


def _key_of(options: SessionOptions, opening: Opening) -> Hashable:
    """Return all that has a say in a commit beside the messages; None if it cannot be compared."""
    # Files of results are written when a commit is made, and a redactor is made for each call.
    if options.offload_dir is not None or options.redact is not None:
        return None
    told = vars(options) | {"constraints": tuple(options.constraints)}
    if isinstance(options.writer, list):
        told["writer"] = tuple(options.writer)
    key = (
        tuple(value for name, value in told.items() if name not in WITHOUT_SAY),
        tuple(opening.pins),
        json_text(opening.system),
        json_text(opening.tools),
    )
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _is_repeatable(session: Session) -> bool:
    """Whether a compaction of the same messages can be made again, and at the same place."""
    # How far a policy comes down that covers all but its tail is not known before. And each
    # commit of a writer costs asks; its words are others each time in any case.
    return not (isinstance(session.budget.goal, str) or session.parts.settings.asks)


def _land_due(session: Session) -> None:
    """Land what pressure demands, with a writer's words if there is one."""
    session.parts.compactor.settle_with_writer()
    session.messages()


def _boundaries(session: Session) -> Iterator[tuple[int, int]]:
    """Yield each place at which a list may be compacted, and the raw tokens before it.

    No call waits for its result there, and no turn goes on in which the model has thought: a
    provider wants such a turn to begin with what was thought at its beginning.
    """
    view = session.view
    raw = session.parts.journal.fixed_tokens
    waiting: set[str | None] = set()
    thinks = False
    for item in view.items:
        raw += item.tokens
        for message in view.messages[item.span.start : item.span.stop]:
            waiting |= {call.id for call in message.calls}
            waiting -= {result.call for result in message.results}
            if message.role == "user" and not message.only_results:
                thinks = False
            thinks = thinks or any(isinstance(block, Thinking) for block in message.blocks)
        if not waiting and not thinks:
            yield item.span.stop, raw


def _newest_restart(session: Session) -> int:
    """Return the newest place to begin at, or 0."""
    apart = WINDOWS_APART * session.budget.usable
    restart, passed = 0, 0
    for stop, raw in _boundaries(session):
        if raw // apart > passed:
            restart, passed = stop, raw // apart
    return restart


def _place_of_pressure(session: Session, start: int) -> int | None:
    """Return the first place at which a session that shows this would have been under pressure."""
    for stop, raw in _boundaries(session):
        load = session.view.meter.load(raw)
        if stop > start and session.budget.pressure(load) is not Pressure.NONE:
            return stop
    return None
