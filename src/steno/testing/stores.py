"""The contract of a store: what a session, recall and the memory of users rely on.

`StoreContract` is one short story a test. `steno.testing.machine` runs long random ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from msgspec.structs import replace

from steno.core.errors import BadInput, NotHere, SessionGone, Stale, StenoError
from steno.core.log import Commit, Edit, Finding
from steno.core.message import ABSENT, Message, Span, user_message
from steno.core.store import (
    GONE_MEMORY,
    LoadedLog,
    Memory,
    Records,
    SessionKey,
    Shared,
    Store,
    observe_stores,
    session_names,
    stop_observing,
)
from steno.providers import decode_messages, get_wire, parse_json

_WIRE = get_wire("openai")


def read_message(raw: str) -> Message:
    """Read a message as the stores of these tests kept it."""
    return _WIRE.decode(parse_json(raw), raw, "a stored message")


def user_messages(*texts: str) -> list[Message]:
    """Return messages of a user, with the provider's JSON."""
    return decode_messages(_WIRE, [{"role": "user", "content": text} for text in texts])


@contextmanager
def raises(kind: type[Exception], words: str = "") -> Iterator[None]:
    """Assert that an error of this kind is raised and that its message has these words."""
    # Not pytest's: the contract must run under any runner.
    try:
        yield
    except kind as error:
        assert words in str(error), f"{words!r} is not in {str(error)!r}"
        return
    raise AssertionError(f"no {kind.__name__} was raised")


def _drop_first(base: int, at: int) -> Commit:
    """Return a commit that hides the first message, with figures and a finding to be kept."""
    edit = Edit(Span(0, 1), (), "prune", tokens=3)
    finding = Finding("a_check", "0 must stay", "offload", "0")
    figures = (90, 60, 70, 100)
    return Commit(base, at, "asked", (edit,), *figures, findings=(finding,), meter="by hand")


def _everything(store: Store) -> list[object]:
    """Return all that a store tells of its sessions."""
    told: list[object] = []
    for info in store.sessions():
        told += [info, store.load(info.name, read_message), store.records(info.name)]
        # Times and chain keys too: recall would read a whole session again if they changed.
        told += [info.chain, *store.messages_from(info.name, read_message, 0, 99)]
        if isinstance(store, Records):
            told.append(store.memories(info.user))
    return told


def _load(store: Store, name: str = "a", **known: int) -> LoadedLog:
    return store.load(name, read_message, **known)


def _chains(store: Store) -> list[bytes]:
    """Return the chain keys of the first messages."""
    page = store.messages_from("a", read_message, 0, 9)
    return [stored.chain for stored in page]


class _Observer:
    def __init__(self) -> None:
        self.deleted: list[str] = []
        self.closed = 0
        self.fails = False

    def session_deleted(self, store: Store, name: str) -> None:
        if self.fails:
            raise OSError("the index is locked")
        self.deleted.append(name)

    def store_closed(self, store: Store) -> None:
        self.closed += 1

    @classmethod
    @contextmanager
    def watch(cls) -> Iterator[_Observer]:
        observer = cls()
        observe_stores(observer)
        try:
            yield observer
        finally:
            stop_observing(observer)


class StoreContract:
    """Tests of a store; subclass it and return an empty store from `make_store`."""

    def make_store(self) -> Store:
        """Return a new, empty store."""
        raise NotImplementedError

    def reopen_store(self, store: Store) -> Store | None:
        """Return another store on what a closed one kept; None if it keeps nothing."""
        return None

    @contextmanager
    def _store_of(self, *texts: str, user: str = "") -> Iterator[Store]:
        """Open a store with a session "a" that holds messages of a user; close it at the end."""
        with closing(self.make_store()) as store:
            store.create("a", "openai", user=user)
            if texts:
                store.append("a", user_messages(*texts))
            yield store

    @contextmanager
    def _reopened(self, store: Store, before: list[object]) -> Iterator[Store | None]:
        """Close a store and open it again, if it keeps anything: all must be as it was."""
        store.close()
        again = self.reopen_store(store)
        if again is None:
            yield None
            return
        with closing(again):
            assert _everything(again) == before
            yield again

    def test_messages_are_loaded_in_order_and_to_the_letter(self) -> None:
        with closing(self.make_store()) as store:
            store.create("a", "openai", '{"window":7}')
            messages = user_messages("one", "half \ud800 pair", "three")
            assert store.append("a", messages) == 0
            assert store.append("a", [user_message("ours", by="steno"), ABSENT]) == 3

            loaded = _load(store)

            assert [message.raw for message in loaded.messages[:3]] == [
                message.raw for message in messages
            ]
            assert loaded.messages[3].text == "ours"
            assert loaded.messages[3].by == "steno"
            assert loaded.messages[4].role == "absent"
            assert loaded.setup == '{"window":7}'
            assert len(_load(store, messages=4).messages) == 1
            assert _load(store, messages=9).messages == []

    def test_a_stale_commit_is_refused_and_changes_nothing(self) -> None:
        with self._store_of("one", "two", "three") as store:
            landed = store.commit("a", _drop_first(0, 3))
            with raises(Stale, "drafted on 0 commits, the log has 1"):
                store.commit("a", _drop_first(0, 3))

            assert landed == replace(_drop_first(0, 3), landed=3)
            assert store.session_info("a").commits == 1
            assert _load(store).commits == [landed]
            assert _load(store, commits=1).commits == []

    def test_messages_added_meanwhile_do_not_make_a_commit_stale(self) -> None:
        with self._store_of("one", "two", "three") as store:
            store.append("a", user_messages("four"))

            assert store.commit("a", _drop_first(0, 3)).landed == 4

    def test_a_commit_cannot_have_seen_more_than_there_is(self) -> None:
        saw = "the commit saw 2 messages, the log holds 1"
        with self._store_of("one") as store, raises(StenoError, saw):
            store.commit("a", _drop_first(0, 2))

    def test_an_unknown_or_taken_name_is_an_error_that_says_so(self) -> None:
        with self._store_of() as store:
            with raises(NotHere, "no session is named 'b'; there are: a"):
                store.session_info("b")
            with raises(NotHere, "no session is named 'b'"):
                store.append("b", user_messages("one"))
            with raises(BadInput, "named 'a' exists already"):
                store.create("a", "openai")

    def test_sessions_are_listed_oldest_first_and_by_user(self) -> None:
        with self._store_of(user="ann") as store:
            store.create("b", "anthropic", user="bob")
            store.create("c", "openai", user="ann")
            store.append("c", user_messages("one", "two"))

            assert session_names(store) == ["a", "b", "c"]
            assert session_names(store, "ann") == ["a", "c"]
            assert session_names(store, "nobody") == []
            info = store.sessions("ann")[1]
            assert info == store.session_info("c")
            assert (info.wire, info.messages, info.commits) == ("openai", 2, 0)

    def test_a_fork_begins_as_its_parent_was(self) -> None:
        with self._store_of("one", "two", user="ann") as store:
            store.record("a", "note", "early")
            early = store.commit("a", _drop_first(0, 2))
            store.append("a", user_messages("three"))
            store.record("a", "note", "late")
            store.commit("a", _drop_first(1, 3))

            store.create("b", "openai", parent="a", fork=2)
            store.append("b", user_messages("another three"))

            loaded = _load(store, "b")
            texts = [message.text for message in loaded.messages]
            assert texts == ["one", "two", "another three"]
            assert loaded.commits == [early]
            assert [record.text for record in store.records("b")] == ["early"]
            assert store.session_info("b").user == "ann"
            assert store.session_info("b").fork == 2
            assert store.session_info("a").messages == 3
            with raises(NotHere, "cannot fork at 9"):
                store.create("c", "openai", parent="a", fork=9)

    def test_pages_hold_a_sessions_own_messages(self) -> None:
        with self._store_of("one", "two", "three") as store:
            store.create("b", "openai", parent="a", fork=2)
            store.append("b", user_messages("another three", "four"))

            page = store.messages_from("b", read_message, 0, 10)

            assert [(stored.position, stored.message.text) for stored in page] == [
                (2, "another three"),
                (3, "four"),
            ]
            page = store.messages_from("a", read_message, 1, 1)
            positions = [stored.position for stored in page]
            assert positions == [1]
            assert store.messages_from("a", read_message, 3, 5) == []

    def test_a_chain_key_stands_for_one_history(self) -> None:
        with self._store_of("one", "two") as store:
            before = _chains(store)
            store.append("a", user_messages("three"))

            after = _chains(store)

            assert after[:2] == before
            assert len(set(after)) == 3
            assert store.session_info("a").chain == after[-1]
            # The same name, another history: an index must not take one for the other.
            store.delete("a")
            store.create("a", "openai")
            store.append("a", user_messages("something else", "two"))
            other = _chains(store)
            assert not set(other) & set(after)

    def test_settings_change_from_what_is_kept(self) -> None:
        with self._store_of() as store:
            assert store.change_settings("a", lambda kept: kept + " ") == "{} "
            assert store.change_settings("a", lambda kept: kept + "!") == "{} !"
            assert store.session_info("a").setup == "{} !"

    def test_records_are_numbered_and_know_their_place(self) -> None:
        with self._store_of() as store:
            first = store.record("a", "note", "one")
            store.append("a", user_messages("one"))
            second = store.record("a", "run", "two")

            assert (first.number, first.at) == (0, 0)
            assert (second.number, second.at) == (1, 1)
            assert store.records("a") == [first, second]
            assert store.records("a", 1) == [second]

    def test_a_deleted_session_is_gone_and_announced(self) -> None:
        with _Observer.watch() as observer:
            with self._store_of("one", "two") as store:
                store.create("b", "openai", parent="a", fork=1)
                with raises(BadInput, "delete them first: b"):
                    store.delete("a")
                assert observer.deleted == []

                store.delete("b")
                deletion = store.delete("a")

                assert (deletion.messages, deletion.done) == (2, True)
                assert observer.deleted == ["b", "a"]
                assert store.sessions() == []
                with raises(NotHere):
                    _load(store)
                with raises(NotHere):
                    store.delete("a")
                store.create("a", "openai")
                assert _load(store).messages == []
            assert observer.closed == 1

    def test_a_key_reaches_no_later_session_of_its_name(self) -> None:
        with self._store_of("one", user="ann") as store:
            key = store.session_info("a").key
            assert isinstance(key, SessionKey), "SessionInfo.id is empty: sessions look the same"
            assert store.append(key, user_messages("two")) == 1
            store.delete("a")
            self._require_gone(store, key)
            store.create("a", "openai", user="bob")
            store.append("a", user_messages("bob's"))
            before = _everything(store)

            self._require_gone(store, key)

            assert _everything(store) == before
            assert store.session_info("a").id != key.id

    def _require_gone(self, store: Store, key: SessionKey) -> None:
        """Assert that no method of a store reaches a session by this key."""
        calls: list[Callable[[], object]] = [
            lambda: store.append(key, user_messages("ann's")),
            lambda: store.commit(key, _drop_first(0, 1)),
            lambda: store.load(key, read_message),
            lambda: store.messages_from(key, read_message, 0, 9),
            lambda: store.session_info(key),
            lambda: store.change_settings(key, lambda kept: kept + " "),
            lambda: store.record(key, "note", "ann's"),
            lambda: store.records(key),
            lambda: store.create("fork", "openai", parent=key, fork=0),
        ]
        if isinstance(store, Records):
            calls.append(lambda: store.keep_facts(key, 1, {0: b"ann's"}))
            calls.append(lambda: store.facts(key, 1))
        if isinstance(store, Shared):
            calls.append(lambda: store.keep_snapshot(key, 1, b"ann's"))
            calls.append(lambda: store.snapshot(key))
        for call in calls:
            with raises(SessionGone, "the session 'a' was deleted while it was open"):
                call()

    def test_a_deletion_is_repeatable_after_an_observer_raised(self) -> None:
        with _Observer.watch() as observer, self._store_of("one", "two") as store:
            observer.fails = True
            for _ in range(2):
                with raises(OSError, "the index is locked"):
                    store.delete("a")
            assert store.sessions() == []
            observer.fails = False

            deletion = store.delete("a")

            assert (deletion.messages, deletion.done) == (2, True)
            assert observer.deleted == ["a"]
            with raises(NotHere):
                store.delete("a")

    def test_what_was_kept_is_there_after_reopening(self) -> None:
        store = self.make_store()
        store.create("a", "openai", '{"window":7}', user="ann")
        store.append("a", user_messages("one", "half \ud800 pair", "three"))
        store.append("a", [user_message("ours", by="steno"), ABSENT])
        store.commit("a", _drop_first(0, 5))
        store.record("a", "note", "kept")
        store.change_settings("a", lambda kept: '{"window":9}')
        store.create("b", "openai", parent="a", fork=2)
        store.append("b", user_messages("another three"))
        store.create("c", "openai")
        store.delete("c")
        if isinstance(store, Records):
            memory = Memory(0, "fact", "likes tea", "person", "a", 3, 1.5)
            store.update_memories("ann", lambda kept: [memory])
        before = _everything(store)
        with self._reopened(store, before) as again:
            if again is None:
                return
            assert again.session_info("a").setup == '{"window":9}'
            # The log goes on where it stood, and a fork keeps to its part of its parent.
            assert again.append("a", user_messages("six")) == 5
            assert again.append("b", user_messages("four")) == 3
            assert len(again.load("b", read_message).messages) == 4
            assert again.record("a", "note", "next").number == 1
            with raises(Stale, "drafted on 0 commits, the log has 1"):
                again.commit("a", _drop_first(0, 5))
            with raises(BadInput, "named 'b' exists already"):
                again.create("b", "openai")

    def test_what_was_refused_is_not_there_after_reopening(self) -> None:
        store = self.make_store()
        store.create("a", "openai")
        store.append("a", user_messages("one"))
        before = _everything(store)
        with raises(NotHere):
            store.record("b", "note", "of no session")
        with raises(NotHere):
            store.append("b", user_messages("one"))
        with raises(NotHere):
            store.change_settings("b", lambda kept: kept)
        with raises(BadInput):
            store.create("a", "anthropic")
        with raises(StenoError):
            store.commit("a", _drop_first(0, 2))
        assert _everything(store) == before
        with self._reopened(store, before):
            pass

    def test_facts_are_kept_beside_their_message(self) -> None:
        with self._store_of("one", "two", "three") as store:
            if not isinstance(store, Records):
                return
            store.keep_facts("a", 1, {0: b"first", 2: b"third"})
            store.create("b", "openai", parent="a", fork=2)
            store.append("b", user_messages("another third"))
            # Position 1 is the parent's message, so the parent has these facts too.
            store.keep_facts("b", 1, {1: b"second", 2: b"its own"})

            assert store.facts("a", 1) == {0: b"first", 1: b"second", 2: b"third"}
            assert store.facts("b", 1) == {0: b"first", 1: b"second", 2: b"its own"}
            assert store.facts("b", 1, 1) == {1: b"second", 2: b"its own"}
            # A message has the facts of one vocabulary: a newer one replaces them.
            store.keep_facts("a", 2, {1: b"otherwise"})
            assert store.facts("b", 1) == {0: b"first", 2: b"its own"}
            assert store.facts("b", 2) == {1: b"otherwise"}
            with raises(NotHere, "no facts of 3: the log holds 3 messages"):
                store.keep_facts("b", 1, {3: b"of nothing"})

    def test_a_snapshot_replaces_the_one_before_it(self) -> None:
        with self._store_of("one", "two", "three") as store:
            if not isinstance(store, Shared):
                return
            assert store.snapshot("a") is None
            store.keep_snapshot("a", 1, b"of one")
            store.keep_snapshot("a", 2, b"of two")
            assert store.snapshot("a") == (2, b"of two")
            store.create("b", "openai", parent="a", fork=2)
            assert store.snapshot("b") is None

    def test_memories_are_numbered_by_user_and_blanked_with_their_session(self) -> None:
        with self._store_of(user="ann") as store:
            if not isinstance(store, Records):
                return
            first = Memory(0, "fact", "likes tea", "person", "a", 3, 1.5)
            second = Memory(0, "constraint", "no sugar", "person", "", None, 2.5, (1,))

            store.update_memories("ann", lambda kept: [first])
            new = store.update_memories("ann", lambda kept: [second] if len(kept) == 1 else [])

            assert [memory.id for memory in new] == [2]
            texts = [memory.text for memory in store.memories("ann")]
            assert texts == ["likes tea", "no sugar"]
            assert store.memories("bob") == []
            store.delete("a")
            assert store.memories("ann")[0] == Memory(1, GONE_MEMORY, "", "")
            assert store.memories("ann")[1].over == (1,)
