"""Keep stores in order: copy sessions to another store, check what is kept, find old sessions.

A copy is proved: every message, commit, record and memory is hashed in both stores, and the
hashes must be equal. What can be made again (facts, recall's index) is not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

import msgspec

from steno.core.errors import BadInput, NotHere, StoreFailed
from steno.core.message import Message
from steno.core.store import Memory, SessionInfo
from steno.store.database import row_span
from steno.store.rows import SessionRows, digest, encode_message, seal_row, seal_session
from steno.store.sql import SQLStore

PAGE = 500
"""Messages that are held at once."""


@dataclass(frozen=True)
class SessionProof:
    """Hashes of everything that a session says, inherited parts included."""

    info: SessionInfo
    messages: tuple[bytes, ...]
    commits: tuple[bytes, ...]
    records: tuple[bytes, ...]

    @classmethod
    def of(cls, store: SQLStore, name: str) -> SessionProof:
        """Read a session whole; raise `StoreFailed` if anything of it is damaged."""
        loaded = store.load(name, bare_message)
        return cls(
            store.session_info(name),
            tuple(seal_row(*encode_message(message), message.by) for message in loaded.messages),
            tuple(digest(msgspec.json.encode(commit)) for commit in loaded.commits),
            tuple(digest(msgspec.json.encode(record)) for record in store.records(name)),
        )


@dataclass(frozen=True)
class Copied:
    """What a copy holds, with equal hashes in both stores."""

    sessions: int = 0
    messages: int = 0
    commits: int = 0
    records: int = 0
    memories: int = 0
    there_before: tuple[str, ...] = ()
    """Sessions that the other store had already, equal to the letter."""


@dataclass(frozen=True)
class Checked:
    """What a check found."""

    sessions: int
    messages: int
    commits: int
    records: int
    memories: int
    bytes: int
    orphans: int
    """Rows of no session."""
    missing: str
    """What the database lacks and what that costs; empty if nothing."""
    damaged: list[str] = field(default_factory=list)
    """Sessions that cannot be read whole, each with the reason."""


def bare_message(raw: str) -> Message:
    """Return a message that only carries the provider's JSON, for code that reads none of it."""
    return Message("user", (), raw=raw)


def copy_store(source: SQLStore, target: SQLStore, names: Sequence[str] = ()) -> Copied:
    """Copy sessions, or all of them and the memories of users, and prove every one."""
    # Named one by one: a damaged one must be heard of, and not be left out.
    kept = _all_names(source)
    chosen = [source.session_info(name) for name in kept if not names or name in names]
    proofs = []
    there_before = []
    known = {info.name for info in target.sessions()}
    for info in chosen:
        proof = SessionProof.of(source, info.name)
        if info.name in known:
            there_before.append(info.name)
        else:
            _copy_session(source, target, info)
        if SessionProof.of(target, info.name) != proof:
            raise BadInput(
                f"{target.place} has another session named {info.name!r}: "
                "delete one of the two, or copy the others by their names"
            )
        proofs.append(proof)
    memories = 0
    if not names:
        memories = _copy_memories(source, target)
    return Copied(
        len(proofs),
        sum(len(proof.messages) for proof in proofs),
        sum(len(proof.commits) for proof in proofs),
        sum(len(proof.records) for proof in proofs),
        memories,
        tuple(there_before),
    )


def _copy_session(source: SQLStore, target: SQLStore, info: SessionInfo) -> None:
    fork = info.fork or 0
    # Records in their place: each knows how many messages there were. A commit says it itself.
    commits = source.load(info.name, bare_message, messages=info.messages).commits
    records = source.records(info.name)
    inherits, jots = _inherited(source, info.name)
    marks = sorted({info.messages, *(record.at for record in records[jots:])})

    def write() -> None:
        target.create(
            info.name, info.wire, info.setup, parent=info.parent, fork=fork, user=info.user
        )
        _set_inherited(target, info.name, inherits, jots)
        for start, stop in pairwise([fork, *marks]):
            _copy_messages(source, target, info.name, start, stop)
            for record in records[jots:]:
                if record.at == stop:
                    target.record(info.name, record.kind, record.text)
        for commit in commits[inherits:]:
            target.commit(info.name, commit)

    target.transaction(write)


def _copy_messages(source: SQLStore, target: SQLStore, name: str, start: int, stop: int) -> None:
    for at in range(start, stop, PAGE):
        page = source.messages_from(name, bare_message, at, min(PAGE, stop - at))
        times = [stored.when or 0.0 for stored in page]
        target.append(name, [stored.message for stored in page], times=times)


def _inherited(store: SQLStore, name: str) -> tuple[int, int]:
    """Return how many commits and records a fork has from its parent."""
    query = "SELECT inherits, jots FROM session WHERE name = ?"
    found = store.run("read", lambda: store.database.execute(query, (name,)).fetchone())
    return found[0], found[1]


def _set_inherited(store: SQLStore, name: str, inherits: int, jots: int) -> None:
    # The parent may have gone on since the fork, and its copy has all of that already.
    session = SessionRows(store.database).id_of(name)
    query = "UPDATE session SET inherits = ?, jots = ? WHERE id = ?"
    store.database.execute(query, (inherits, jots, session))
    seal_session(store.database, session)


def _copy_memories(source: SQLStore, target: SQLStore) -> int:
    copied = 0
    for user in source.users_with_memories():
        memories = source.memories(user)

        def learn(kept: Sequence[Memory], memories: list[Memory] = memories) -> list[Memory]:
            if kept:
                return []
            return memories

        target.update_memories(user, learn)
        if target.memories(user) != memories:
            raise BadInput(f"{target.place} has other memories of {user!r}: nothing was changed")
        copied += len(memories)
    return copied


def _all_names(store: SQLStore) -> list[str]:
    return store.run("read", SessionRows(store.database).names)


def check_store(
    store: SQLStore, standing: Callable[[Sequence[Memory]], Sequence[Memory]]
) -> Checked:
    """Read everything that a store keeps; say what is damaged, and what belongs to no session.

    standing: returns those of a user's memories that are counted.
    """
    damaged: list[str] = []
    messages = commits = records = 0
    names = _all_names(store)
    for name in names:
        try:
            proof = SessionProof.of(store, name)
        # A damaged name is not found by it.
        except (StoreFailed, NotHere) as failure:
            damaged.append(f"{name}: {failure}")
            continue
        messages += len(proof.messages) - (proof.info.fork or 0)
        commits += len(proof.commits)
        records += len(proof.records)
    memories = 0
    for user in store.users_with_memories():
        try:
            memories += len(standing(store.memories(user)))
        except StoreFailed as failure:
            damaged.append(f"memories of {user!r}: {failure}")
    orphans = size = 0
    try:
        orphans, size = store.run("read", lambda: _count_orphans(store))
    except StoreFailed as failure:
        damaged.append(str(failure))
    missing = store.database.missing()
    return Checked(
        len(names), messages, commits, records, memories, size, orphans, missing, damaged
    )


def _count_orphans(store: SQLStore) -> tuple[int, int]:
    orphans = 0
    for table in ("message", "commits", "jot", "fact", "folded"):
        query = f"SELECT count(*) FROM {table} WHERE id >> 32 NOT IN (SELECT id FROM session)"
        orphans += store.database.execute(query).fetchone()[0]
    (size,) = store.database.execute(store.database.size).fetchone()
    return orphans, int(size)


def sessions_older_than(store: SQLStore, when: float) -> Iterator[str]:
    """Return the sessions that nothing was added to since then, forks before their parents."""

    def read() -> list[tuple[str, float]]:
        found = []
        query = "SELECT id, name, created FROM session ORDER BY id DESC"
        for session, name, created in store.database.execute(query).fetchall():
            query = "SELECT max(said) FROM message WHERE id BETWEEN ? AND ?"
            (last,) = store.database.execute(query, row_span(session)).fetchone()
            if last is None:
                last = datetime.fromisoformat(created).timestamp()
            found.append((name, last))
        return found

    for name, last in store.run("read", read):
        if last < when:
            yield name
