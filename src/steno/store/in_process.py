"""A store in this process: the simplest one, and the model that others are compared with."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from steno.core.errors import AlreadyThere
from steno.core.log import Commit, Log
from steno.core.message import Message
from steno.core.store import (
    Deletion,
    LoadedLog,
    Memory,
    MemoryUpdate,
    MessageReader,
    Record,
    SessionInfo,
    StoredMessage,
    announce_closed,
    announce_deleted,
    hash_name,
    no_session,
    require_same_session,
)
from steno.core.tape import Tape
from steno.store.rules import blank_memory, has_forks, number_memories, require_messages_for_facts


@dataclass(frozen=True)
class _MemorySession:
    info: SessionInfo
    log: Log
    records: tuple[Record, ...] = ()
    facts: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """The newest facts of its own messages by position, with the vocabulary that found them."""
    times: Tape[float] = field(default_factory=Tape)
    """When its own messages were kept."""

    @property
    def fork(self) -> int:
        return self.info.fork or 0

    def own_facts(self, vocabulary: int, start: int, stop: int) -> dict[int, bytes]:
        return {
            position: found
            for position, (by, found) in list(self.facts.items())
            if by == vocabulary and start <= position < stop
        }

    def chain_key(self, position: int) -> bytes:
        # A log is append-only, so its identity and a length stand for all it says.
        return self.info.id.encode() + position.to_bytes(8)


class MemoryStore:
    """Sessions, facts and memories in the memory of this process."""

    path: Path | None = None
    place = ""
    """File or store that its sessions were read from; empty if they began here."""

    def __init__(self, *, dated: bool = True) -> None:
        """Create an empty store; `dated` is False if the times of messages are not known."""
        self.dated = dated
        self._sessions: dict[str, _MemorySession] = {}
        self._deletions: list[Deletion] = []
        self._memories: dict[str, list[Memory]] = {}
        self._memory_lock = threading.Lock()
        # Each change replaces a session whole: one made meanwhile would be lost.
        self._lock = threading.RLock()

    def create(
        self,
        name: str,
        wire: str,
        setup: str = "{}",
        *,
        parent: str | None = None,
        fork: int = 0,
        user: str = "",
        history: str = "",
    ) -> None:
        """Create a session or a fork; `history` is given if it was created before, elsewhere."""
        with self._lock:
            if name in self._sessions:
                raise AlreadyThere(name)
            history = history or uuid4().hex
            if parent is None:
                info = SessionInfo(name, wire, 0, 0, setup=setup, user=user, id=history)
                self._sessions[name] = _MemorySession(info, Log())
                return
            origin = self._session(parent)
            log = origin.log.fork(fork)
            records = tuple(record for record in origin.records if record.at <= fork)
            whose = (origin.info.name, fork, setup, origin.info.user)
            inherits = len(log.commits)
            info = SessionInfo(name, wire, 0, 0, *whose, id=history, inherits=inherits)
            self._sessions[name] = _MemorySession(info, log, records)

    def append(self, name: str, messages: Sequence[Message], times: Sequence[float] = ()) -> int:
        with self._lock:
            session = self._session(name)
            said = session.times.plus(times or [time.time()] * len(messages))
            log = session.log.with_messages(messages)
            self._sessions[name] = replace(session, log=log, times=said)
            return len(session.log.messages)

    def commit(self, name: str, commit: Commit) -> Commit:
        with self._lock:
            session = self._session(name)
            log = session.log.with_commit(commit)
            self._sessions[name] = replace(session, log=log)
            return log.commits[-1]

    def load(
        self, name: str, read: MessageReader, *, messages: int = 0, commits: int = 0
    ) -> LoadedLog:
        session = self._session(name)
        log = session.log
        return LoadedLog(log.messages[messages:], log.commits[commits:], session.info.setup)

    def messages_from(
        self, name: str, read: MessageReader, start: int, most: int
    ) -> list[StoredMessage]:
        session = self._session(name)
        start = max(start, session.fork)
        found: list[StoredMessage] = []
        for at, message in enumerate(session.log.messages[start : start + most], start):
            when = None
            if self.dated:
                when = session.times[at - session.fork]
            found.append(StoredMessage(at, message, when, session.chain_key(at + 1)))
        return found

    def session_info(self, name: str) -> SessionInfo:
        session = self._session(name)
        messages = len(session.log.messages)
        chain = b""
        if messages > session.fork:
            chain = session.chain_key(messages)
        commits = len(session.log.commits)
        return replace(session.info, messages=messages, commits=commits, chain=chain)

    def sessions(self, user: str | None = None) -> list[SessionInfo]:
        # A copy of the names: another thread may create a session meanwhile.
        infos = [self.session_info(name) for name in list(self._sessions)]
        return [info for info in infos if user is None or info.user == user]

    def change_settings(self, name: str, change: Callable[[str], str]) -> str:
        with self._lock:
            session = self._session(name)
            setup = change(session.info.setup)
            self._sessions[name] = replace(session, info=replace(session.info, setup=setup))
            return setup

    def record(self, name: str, kind: str, text: str) -> Record:
        with self._lock:
            session = self._session(name)
            record = Record(len(session.records), kind, text, len(session.log.messages))
            self._sessions[name] = replace(session, records=(*session.records, record))
            return record

    def records(self, name: str, after: int = 0) -> list[Record]:
        return list(self._session(name).records[after:])

    def keep_facts(self, name: str, vocabulary: int, facts: Mapping[int, bytes]) -> None:
        require_messages_for_facts(facts, len(self._session(name).log.messages))
        for position, found in facts.items():
            self._owner(name, position).facts[position] = (vocabulary, found)

    def facts(self, name: str, vocabulary: int, start: int = 0) -> dict[int, bytes]:
        session = self._session(name)
        stop = len(session.log.messages)
        found = session.own_facts(vocabulary, start, stop)
        while session.info.parent is not None:
            stop = min(stop, session.fork)
            session = self._session(session.info.parent)
            found |= session.own_facts(vocabulary, start, stop)
        return dict(sorted(found.items()))

    def memories(self, user: str) -> list[Memory]:
        return list(self._memories.get(user, ()))

    def update_memories(self, user: str, learn: MemoryUpdate) -> list[Memory]:
        # `learn` decides by what is kept, so nothing may be added until its answer is in.
        with self._memory_lock:
            kept = self.memories(user)
            new = number_memories(learn(kept), len(kept))
            self._memories[user] = kept + new
            return new

    def delete(self, name: str) -> Deletion:
        if name in self._sessions:
            self._remove_session(name)
        elif self._blank_memories(name):
            # Memories may come from a transcript that was never a session here.
            self._note_deletion(name, 0, 0, 0)
        elif not self._is_unfinished(name):
            raise no_session(name, list(self._sessions))
        # May raise: the deletion then stays unfinished, and can be repeated.
        announce_deleted(self, name)
        return self._finish_deletion(name)

    def _remove_session(self, name: str) -> None:
        with self._lock:
            session = self._sessions[name]
            held = self._sessions.values()
            forks = [other.info.name for other in held if other.info.parent == name]
            if forks:
                raise has_forks(name, forks)
            own = session.log.messages[session.fork :]
            size = sum(len((message.raw or "").encode("utf-8", "surrogatepass")) for message in own)
            del self._sessions[name]
            self._blank_memories(name)
            self._note_deletion(name, len(own), len(session.log.commits), size)

    def close(self) -> None:
        announce_closed(self)

    def _note_deletion(self, name: str, messages: int, commits: int, size: int) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        deletion = Deletion(hash_name(name).hex(), at, messages, commits, size, done=False)
        self._deletions.append(deletion)

    def _is_unfinished(self, name: str) -> bool:
        hashed = hash_name(name).hex()
        return any(each.name == hashed and not each.done for each in self._deletions)

    def _finish_deletion(self, name: str) -> Deletion:
        """Mark every deletion of this name as done; return the newest."""
        for at, deletion in enumerate(self._deletions):
            if deletion.name == hash_name(name).hex():
                self._deletions[at] = newest = replace(deletion, done=True)
        return newest

    def _blank_memories(self, source: str) -> bool:
        """Blank every memory from this session; tell whether there were any."""
        found = False
        for kept in self._memories.values():
            for at, memory in enumerate(kept):
                if memory.source == source:
                    kept[at] = blank_memory(memory)
                    found = True
        return found

    def _owner(self, name: str, position: int) -> _MemorySession:
        """Return the session whose own message this is: a fork, or one that it began as."""
        session = self._session(name)
        while session.info.parent is not None and position < session.fork:
            session = self._session(session.info.parent)
        return session

    def _session(self, name: str) -> _MemorySession:
        if name not in self._sessions:
            raise no_session(name, list(self._sessions))
        session = self._sessions[name]
        require_same_session(name, session.info.id)
        return session
