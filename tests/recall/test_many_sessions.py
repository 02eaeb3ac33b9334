"""A search over many sessions looks at those that changed, and finds the same as one that walks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from steno import Session
from steno.core.store import SessionInfo
from steno.recall.fill import IndexFiller
from steno.recall.index import index_of
from steno.recall.rows import IndexMark
from steno.recall.scope import UserSessions, sessions_of_user
from steno.store.rows import SessionRows
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
    with Session(store=store, name=name) as session:
        session.add({"role": "user", "content": words})


def found_from(store: SQLiteStore, name: str, query: str) -> set[str]:
    with Session(store=store, name=name) as session:
        return {hit.session for hit in session.recall(query, where="user", most=50).hits}


def names(infos: list[SessionInfo]) -> set[str]:
    return {info.name for info in infos}


def test_a_store_lists_the_sessions_that_got_messages_since_a_mark(store: SQLiteStore) -> None:
    first = store.changed_sessions("ann", None)
    assert first.whole
    assert len(first.sessions) == SESSIONS

    add(store, "talk-3", "once more")
    add(store, "talk-5", "and here")
    add(store, "talk-3", "and again")
    begin(store, "other", "bob", "of somebody else")
    then = store.changed_sessions("ann", first.mark)
    assert not then.whole
    # The newest of the mark is told too: it may have gone on.
    assert names(then.sessions) == {"talk-3", "talk-5", f"talk-{SESSIONS - 1}"}
    assert names(store.changed_sessions("ann", then.mark).sessions) == set()
    assert names(store.changed_sessions("bob", first.mark).sessions) == {"other"}


def test_a_session_that_goes_on_alone_is_told_each_time(store: SQLiteStore) -> None:
    mark = store.changed_sessions("ann", None).mark
    for words in ("one", "two"):
        add(store, f"talk-{SESSIONS - 1}", words)
        changed = store.changed_sessions("ann", mark)
        assert names(changed.sessions) == {f"talk-{SESSIONS - 1}"}
        mark = changed.mark


def test_after_a_deletion_all_sessions_are_told_and_no_number_comes_twice(
    store: SQLiteStore,
) -> None:
    mark = store.changed_sessions("ann", None).mark
    store.delete(f"talk-{SESSIONS - 1}")
    store.delete(f"talk-{SESSIONS - 2}")
    add(store, f"talk-{SESSIONS - 3}", "what would get an old number")
    changed = store.changed_sessions("ann", mark)
    assert changed.whole
    assert changed.mark > mark
    assert len(changed.sessions) == SESSIONS - 2


def test_a_search_finds_what_any_handle_added_or_deleted_since(store: SQLiteStore) -> None:
    assert store.path is not None
    elsewhere = SQLiteStore(store.path)
    everywhere = {f"talk-{number}" for number in range(SESSIONS)}
    assert found_from(store, "talk-0", "heron") == everywhere

    add(elsewhere, "talk-4", "an ibex came")
    begin(elsewhere, "new", "ann", "another ibex")
    begin(elsewhere, "secret", "bob", "the ibex of somebody else")
    assert found_from(store, "talk-0", "ibex") == {"talk-4", "new"}

    elsewhere.delete("talk-4")
    assert found_from(store, "talk-0", "ibex") == {"new"}
    begin(elsewhere, "talk-4", "bob", "an ibex under an old name")
    assert found_from(store, "talk-0", "ibex") == {"new"}
    assert found_from(store, "secret", "ibex") == {"secret", "talk-4"}
    elsewhere.close()


def test_a_second_search_does_not_walk_over_all_sessions(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(found_from(store, "talk-0", "heron")) == SESSIONS
    add(store, "talk-7", "the heron is gone")

    def walk(rows: SessionRows, user: str | None = None) -> list[SessionInfo]:
        raise AssertionError("all sessions were listed")

    monkeypatch.setattr(SessionRows, "infos", walk)
    assert len(found_from(store, "talk-0", "heron")) == SESSIONS


def test_a_session_opened_by_its_path_does_not_walk_over_all_either(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Session(store.path, name="talk-0") as session:
        assert len(session.recall("heron", where="user", most=50).hits) == SESSIONS
        add(store, "talk-7", "the ibex came")
        monkeypatch.setattr(SessionRows, "infos", None)
        checked: list[str] = []
        is_full = IndexFiller.is_full

        def watched(filler: IndexFiller, info: SessionInfo, mark: IndexMark | None) -> bool:
            checked.append(info.name)
            return is_full(filler, info, mark)

        monkeypatch.setattr(IndexFiller, "is_full", watched)
        assert {hit.session for hit in session.recall("ibex", where="user").hits} == {"talk-7"}
        assert set(checked) <= {"talk-7", f"talk-{SESSIONS - 1}"}
        known = sessions_of_user(session._parts.journal.store, "ann")
        added_up = known.row_scope()
        known.rows = None
        assert known.row_scope() == added_up


def test_a_search_that_failed_once_leaves_no_session_out(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(index: object, user: str) -> None:
        raise InterruptedError

    seen = UserSessions()
    with monkeypatch.context() as broken, pytest.raises(InterruptedError):
        broken.setattr(type(index_of(store)), "marks", fail)
        seen.catch_up(store, "ann")
    seen.catch_up(store, "ann")
    assert len(seen.sessions) == SESSIONS
