"""A search over many sessions finds what any process added to them, and nothing of deleted ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from steno import Session
from steno.core.store import StoredName
from steno.store.sqlite import SQLiteStore

SESSIONS = 12


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    with_sessions = SQLiteStore(tmp_path / "agent.db")
    for number in range(SESSIONS):
        begin(with_sessions, f"talk-{number}", "ann", f"the heron number {number} sings")
    yield with_sessions
    with_sessions.close()


def begin(store: SQLiteStore, name: str, user: str, words: str) -> None:
    with Session(store=store, name=name, user=user, wire="openai", window=32_000) as session:
        session.add({"role": "user", "content": words})


def add(store: SQLiteStore, name: str, words: str) -> None:
    with Session(store=store, name=name, user="ann") as session:
        session.add({"role": "user", "content": words})


def found_from(store: SQLiteStore, name: str, query: str) -> set[str]:
    with Session(store=store, name=StoredName(name)) as session:
        return {hit.session for hit in session.recall(query, where="user", most=50).hits}


def test_a_search_finds_what_any_handle_added_or_deleted_since(store: SQLiteStore) -> None:
    assert store.path is not None
    elsewhere = SQLiteStore(store.path)
    everywhere = {f"ann:talk-{number}" for number in range(SESSIONS)}
    assert found_from(store, "ann:talk-0", "heron") == everywhere

    add(elsewhere, "talk-4", "an ibex came")
    begin(elsewhere, "new", "ann", "another ibex")
    begin(elsewhere, "secret", "bob", "the ibex of somebody else")
    assert found_from(store, "ann:talk-0", "ibex") == {"ann:talk-4", "ann:new"}

    elsewhere.delete("ann:talk-4")
    assert found_from(store, "ann:talk-0", "ibex") == {"ann:new"}
    begin(elsewhere, "talk-4", "bob", "an ibex under an old name")
    assert found_from(store, "ann:talk-0", "ibex") == {"ann:new"}
    assert found_from(store, "bob:secret", "ibex") == {"bob:secret", "bob:talk-4"}
    elsewhere.close()
