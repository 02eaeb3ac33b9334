"""Random stories for a store, by a hypothesis state machine.

In a module of its own, because it needs hypothesis; `steno.testing` does not import it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    precondition,
    rule,
)

from steno.core.errors import StenoError
from steno.core.log import Commit, Edit, Log
from steno.core.message import ABSENT, Message, Span, Text, user_message
from steno.core.store import GONE_MEMORY, LoadedLog, Memory, Records, Store
from steno.store.in_process import MemoryStore
from steno.testing.stores import read_message, user_messages

FEW = st.integers(0, 3)
TEXTS = st.lists(
    # Half a surrogate pair has no form in UTF-8, and must come back all the same.
    st.text(st.characters(codec="utf-8"), max_size=8) | st.just("half \ud800 pair"),
    min_size=1,
    max_size=4,
)


_if_it_keeps_records = precondition(lambda self: self.keeps_records)


class StoreMachine(RuleBasedStateMachine):
    """Runs the same random story on a store and on `MemoryStore`, and compares the answers.

    Subclass it, return an empty store from `make_store`, and let pytest collect
    `TestMine = Mine.TestCase`. Facts and memories are compared if the store keeps them.
    """

    sessions: Bundle[str] = Bundle("sessions")

    def __init__(self) -> None:
        super().__init__()
        self.tested: Any = self.make_store()
        self.model: Any = MemoryStore()
        self.created = 0

    def make_store(self) -> Store:
        """Return a new, empty store."""
        raise NotImplementedError

    def reopen_store(self, store: Store) -> Store | None:
        """Return another store on what a closed one kept; override it if yours keeps anything."""
        return None

    @property
    def keeps_records(self) -> bool:
        return isinstance(self.tested, Records)

    def compare(self, work: Callable[[Any], Any]) -> Any:
        """Do the work with both stores; the answers, or the errors, must be equal."""
        answers: list[Any] = []
        for store in (self.model, self.tested):
            try:
                answers.append(work(store))
            except StenoError as error:
                # Its words too: the contract is also what a user reads.
                answers.append((type(error), str(error)))
        assert answers[0] == answers[1]
        return answers[0]

    def new_name(self) -> str:
        self.created += 1
        return f"s{self.created}"

    @rule(target=sessions)
    def create(self) -> str:
        name = self.new_name()
        self.compare(lambda store: store.create(name, "openai", "{}"))
        return name

    @rule(name=sessions)
    def create_again(self, name: str) -> None:
        self.compare(lambda store: store.create(name, "openai"))

    # Places outside the log too: both must refuse them in the same words.
    @rule(target=sessions, parent=sessions, at=st.integers(-1, 12))
    def fork(self, parent: str, at: int) -> str:
        name = self.new_name()
        self.compare(lambda store: store.create(name, "openai", parent=parent, fork=at))
        return name

    @rule(name=sessions, texts=TEXTS)
    def append(self, name: str, texts: list[str]) -> None:
        self.compare(lambda store: store.append(name, user_messages(*texts)))

    @rule(name=sessions)
    def append_ours(self, name: str) -> None:
        # Messages without the provider's JSON, which a store has to keep in another form.
        ours = [user_message("noted", by="steno"), ABSENT]
        self.compare(lambda store: store.append(name, ours))

    @rule(name=sessions, stale=st.integers(-1, 1), at=FEW)
    def commit(self, name: str, stale: int, at: int) -> None:
        shown = (Message("user", (Text("short"),), by="steno"),)
        edit = Edit(Span(0, 1), shown, "prune", tokens=4)

        def commit(store: Store) -> Commit:
            info = store.session_info(name)
            seen = max(0, info.messages - at)
            # Also on a base that is not the newest: both must refuse it.
            return store.commit(name, Commit(info.commits + stale, seen, "asked", (edit,)))

        self.compare(commit)

    @rule(name=sessions)
    def undo(self, name: str) -> None:
        def undo(store: Store) -> Commit:
            log = _log_of(store.load(name, read_message))
            return store.commit(name, log.undo())

        self.compare(undo)

    @rule(name=sessions, setup=st.sampled_from(["{}", '{"window":7}']))
    def change_settings(self, name: str, setup: str) -> None:
        self.compare(lambda store: store.change_settings(name, lambda kept: setup))

    @rule(name=sessions, kind=st.sampled_from(["note", "run"]))
    def record(self, name: str, kind: str) -> None:
        self.compare(lambda store: store.record(name, kind, f'"{self.created}"'))

    @rule(name=sessions, after=FEW)
    def records(self, name: str, after: int) -> None:
        self.compare(lambda store: store.records(name, after))

    @_if_it_keeps_records
    @rule(
        name=sessions,
        positions=st.sets(st.integers(-1, 12), max_size=4),
        vocabulary=st.integers(1, 2),
        found=st.binary(),
    )
    def keep_facts(
        self,
        name: str,
        positions: set[int],
        vocabulary: int,
        found: bytes,
    ) -> None:
        facts = dict.fromkeys(sorted(positions), found)
        self.compare(lambda store: store.keep_facts(name, vocabulary, facts))

    @_if_it_keeps_records
    @rule(
        name=sessions,
        user=st.sampled_from(["ann", "bob"]),
        kind=st.sampled_from(["fact", "constraint", GONE_MEMORY]),
        over=st.sets(st.integers(1, 9), max_size=3),
        position=st.none() | st.integers(0, 9),
    )
    def update_memories(
        self, name: str, user: str, kind: str, over: set[int], position: int | None
    ) -> None:
        def learn(kept: Sequence[Memory]) -> list[Memory]:
            text = f"memory {len(kept)}"
            if kind == GONE_MEMORY:
                text = ""
            replaced = tuple(sorted(over))
            memory = Memory(0, kind, text, "person", name, position, 1.5, replaced)
            return [memory] * (len(over) % 3)

        self.compare(lambda store: store.update_memories(user, learn))

    @rule(name=consumes(sessions))
    def delete(self, name: str) -> None:
        def delete(store: Store) -> tuple[int, bool]:
            deletion = store.delete(name)
            # Not the time and the bytes, which may differ between stores.
            return deletion.messages, deletion.done

        self.compare(delete)

    @rule(name=sessions, messages=st.integers(0, 6), commits=FEW)
    def load(self, name: str, messages: int, commits: int) -> None:
        self.compare(
            lambda store: store.load(name, read_message, messages=messages, commits=commits)
        )

    @rule(name=sessions, start=st.integers(-1, 8), most=st.integers(1, 9))
    def messages_from(self, name: str, start: int, most: int) -> None:
        def page(store: Store) -> list[tuple[int, Message]]:
            found = store.messages_from(name, read_message, start, most)
            # Not times and chain keys: those are each store's own.
            return [(stored.position, stored.message) for stored in found]

        self.compare(page)

    @precondition(lambda self: type(self).reopen_store is not StoreMachine.reopen_store)
    @rule()
    def reopen(self) -> None:
        self.tested.close()
        again = self.reopen_store(self.tested)
        assert again is not None, "reopen_store must return a store, or not be overridden"
        self.tested = again

    @rule(name=consumes(sessions))
    def ask_for_an_unknown_session(self, name: str) -> None:
        self.compare(lambda store: store.session_info(name + "x"))

    @_if_it_keeps_records
    @invariant()
    def memories_are_equal(self) -> None:
        for user in ("ann", "bob"):
            kept = self.compare(lambda store, user=user: store.memories(user))  # type: ignore[misc]
            assert [memory.id for memory in kept] == list(range(1, len(kept) + 1))

    @invariant()
    def sessions_are_equal(self) -> None:
        for info in self.compare(lambda store: store.sessions()):
            self._compare_session(info.name)

    def _compare_session(self, name: str) -> None:
        self.compare(lambda store: store.session_info(name))
        self.compare(lambda store: store.load(name, read_message))
        if self.keeps_records:
            self.compare(lambda store: store.facts(name, 1))
            self.compare(lambda store: store.facts(name, 2))

    def teardown(self) -> None:
        self.tested.close()


def _log_of(loaded: LoadedLog) -> Log:
    log = Log().with_messages(loaded.messages)
    for commit in loaded.commits:
        log = log.with_commit(commit)
    return log
