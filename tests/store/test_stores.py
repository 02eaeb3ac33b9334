"""The contract of every store: the same story told to each, and to the memory oracle, reads the same."""

from __future__ import annotations

import asyncio
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

import steno
from steno.core.log import Commit, Edit, Log
from steno.core.message import ABSENT, Message, Text, user_message
from steno.core.message_key import message_key, next_chain_key
from steno.core.store import GONE_MEMORY, LoadedLog, Memory, Store
from steno.store.memory import MemoryStore
from steno.store.sqlite import SQLiteStore
from steno.wires import WIRES, decode_messages, parse_json
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk, talk

WIRE = WIRES["openai"]


def read(raw: str) -> Message:
    return WIRE.decode(parse_json(raw), raw, "kept")


def said(*texts: str) -> list[Message]:
    return decode_messages(WIRE, [{"role": "user", "content": text} for text in texts])


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "a.db")
    yield made
    made.close()


TEXTS = st.lists(
    st.text(st.characters(codec="utf-8"), max_size=8) | st.just("half \ud800 pair"),
    min_size=1,
    max_size=4,
)


class Stores(RuleBasedStateMachine):
    """A real SQLite file beside the oracle; every answer and every refusal must be the same."""

    sessions: Bundle[str] = Bundle("sessions")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "a.db"
        self.real: Store = SQLiteStore(self.path, durable=False)
        self.oracle: Store = MemoryStore()
        self.made = 0

    def both(self, work: Callable[[Store], Any]) -> Any:
        answers = []
        for store in (self.oracle, self.real):
            try:
                answers.append(work(store))
            except steno.StenoError as error:
                answers.append((type(error), str(error)))
        assert answers[0] == answers[1]
        return answers[0]

    @rule(target=sessions)
    def begin(self) -> str:
        self.made += 1
        name = f"s{self.made}"
        self.both(lambda store: store.create(name, "openai", "{}"))
        return name

    @rule(name=sessions)
    def begin_again(self, name: str) -> None:
        self.both(lambda store: store.create(name, "openai"))

    @rule(target=sessions, parent=sessions, at=st.integers(-1, 12))
    def fork(self, parent: str, at: int) -> str:
        self.made += 1
        name = f"s{self.made}"
        self.both(lambda store: store.create(name, "openai", "{}", parent=parent, fork=at))
        return name

    @rule(name=sessions, texts=TEXTS)
    def say(self, name: str, texts: list[str]) -> None:
        self.both(lambda store: store.append(name, said(*texts)))

    @rule(name=sessions)
    def speak_as_steno(self, name: str) -> None:
        self.both(lambda store: store.append(name, [user_message("noted", by="steno"), ABSENT]))

    @rule(name=sessions, stale=st.integers(-1, 1), at=st.integers(0, 3))
    def commit(self, name: str, stale: int, at: int) -> None:
        def committed(store: Store) -> Commit:
            card = store.session_info(name)
            edit = Edit(
                steno.Span(0, 1),
                (Message("user", (Text("short"),), by="steno"),),
                "prune",
                tokens=4,
            )
            return store.commit(
                name, Commit(card.commits + stale, max(0, card.messages - at), "asked", (edit,))
            )

        self.both(committed)

    @rule(name=sessions)
    def undo(self, name: str) -> None:
        def undone(store: Store) -> Commit:
            return store.commit(name, log_of(store.load(name, read)).undo())

        self.both(undone)

    @rule(name=sessions, setup=st.sampled_from(["{}", '{"window":7}']))
    def note(self, name: str, setup: str) -> None:
        self.both(lambda store: store.change_settings(name, lambda kept: setup))

    @rule(name=sessions, kind=st.sampled_from(["note", "run"]))
    def jot(self, name: str, kind: str) -> None:
        self.both(lambda store: store.record(name, kind, f'"{self.made}"'))

    @rule(name=sessions, after=st.integers(0, 3))
    def jots(self, name: str, after: int) -> None:
        self.both(lambda store: store.records(name, after))

    @rule(
        name=sessions,
        at=st.sets(st.integers(-1, 12), max_size=4),
        vocabulary=st.integers(1, 2),
        read=st.binary(),
    )
    def keep_facts(self, name: str, at: set[int], vocabulary: int, read: bytes) -> None:
        self.both(lambda store: store.keep_facts(name, vocabulary, dict.fromkeys(sorted(at), read)))

    @rule(
        name=sessions,
        whose=st.sampled_from(["ann", "bob"]),
        kind=st.sampled_from(["fact", "rule", GONE_MEMORY]),
        over=st.sets(st.integers(1, 9), max_size=3),
        position=st.none() | st.integers(0, 9),
    )
    def memorize(
        self, name: str, whose: str, kind: str, over: set[int], position: int | None
    ) -> None:
        def learn(kept: Sequence[Memory]) -> list[Memory]:
            text = "" if kind == GONE_MEMORY else f"said {len(kept)}"
            return [Memory(0, kind, text, "person", name, position, 1.5, tuple(sorted(over)))] * (
                len(over) % 3
            )

        self.both(lambda store: store.update_memories(whose, learn))

    @rule(name=consumes(sessions))
    def forget(self, name: str) -> None:
        def forgotten(store: Store) -> tuple[int, bool]:
            gone = store.delete(name)
            return gone.messages, gone.done

        self.both(forgotten)

    @rule(name=sessions, messages=st.integers(0, 6), commits=st.integers(0, 3))
    def read_on(self, name: str, messages: int, commits: int) -> None:
        self.both(lambda store: store.load(name, read, messages=messages, commits=commits))

    @rule()
    def reopen(self) -> None:
        self.real.close()
        self.real = SQLiteStore(self.path, durable=False)

    @rule(name=consumes(sessions))
    def ask_of_nobody(self, name: str) -> None:
        self.both(lambda store: store.session_info(name + "x"))

    @invariant()
    def the_same_is_remembered(self) -> None:
        for whose in ("ann", "bob"):
            kept = self.both(lambda store, whose=whose: store.memories(whose))  # type: ignore[misc]
            assert [each.id for each in kept] == list(range(1, len(kept) + 1))

    @invariant()
    def the_same_is_kept(self) -> None:
        for info in self.both(lambda store: store.sessions()):
            name = info.name
            self.both(lambda store, name=name: store.session_info(name))  # type: ignore[misc]
            self.both(lambda store, name=name: store.load(name, read))  # type: ignore[misc]
            for vocabulary in (1, 2):
                self.both(lambda store, n=name, v=vocabulary: store.facts(n, v))  # type: ignore[misc]

    def teardown(self) -> None:
        self.real.close()
        self.folder.cleanup()


def log_of(kept: LoadedLog) -> Log:
    log = Log().with_messages(kept.messages)
    for commit in kept.commits:
        log = log.with_commit(commit)
    return log


TestStores = pytest.mark.slow(proves("store.contract")(Stores.TestCase))  # type: ignore[arg-type]
TestStores.settings = settings(
    max_examples=60, stateful_step_count=25, deadline=None, derandomize=True
)  # type: ignore[attr-defined]


@proves("store.stale")
def test_a_stale_commit_is_refused_and_changes_nothing(store: Store) -> None:
    store.create("a", "openai")
    store.append("a", said("one", "two", "three"))
    commit = Commit(base=0, at=3, why="asked", edits=(Edit(steno.Span(0, 1), (), "prune"),))
    store.commit("a", commit)
    with pytest.raises(steno.Stale, match="drafted on 0 commits, the log has 1"):
        store.commit("a", commit)

    assert store.session_info("a").commits == 1


@proves("store.stale")
def test_messages_said_meanwhile_do_not_make_a_commit_stale(store: Store) -> None:
    store.create("a", "openai")
    store.append("a", said("one", "two", "three"))
    commit = Commit(base=0, at=3, why="asked", edits=(Edit(steno.Span(0, 1), (), "prune"),))
    store.append("a", said("four"))

    assert store.commit("a", commit).landed == 4


def test_a_store_says_which_sessions_it_has(store: Store) -> None:
    store.create("a", "openai")

    with pytest.raises(steno.NotHere, match="no session is named 'b'; there are: a"):
        store.session_info("b")
    with pytest.raises(steno.BadInput, match="named 'a' is there already"):
        store.create("a", "openai")


@proves("facts.stored")
def test_facts_are_kept_beside_their_message_whoever_reads_it(store: Store) -> None:
    store.create("a", "openai")
    store.append("a", said("one", "two", "three"))
    store.keep_facts("a", 1, {0: b"first", 2: b"third"})
    store.create("b", "openai", parent="a", fork=2)
    store.append("b", said("another third"))
    store.keep_facts("b", 1, {1: b"second", 2: b"its own"})

    assert store.facts("a", 1) == {0: b"first", 1: b"second", 2: b"third"}
    assert store.facts("b", 1) == {0: b"first", 1: b"second", 2: b"its own"}
    store.keep_facts("a", 2, {1: b"otherwise"})
    assert store.facts("b", 1) == {0: b"first", 2: b"its own"}
    assert store.facts("b", 2) == {1: b"otherwise"}
    with pytest.raises(steno.NotHere, match="no facts of 3: the log holds 3 messages"):
        store.keep_facts("b", 1, {3: b"of nothing"})


@proves("store.private")
def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    with steno.Session(tmp_path / "a.db", wire="openai", window=8_000) as session:
        session.add(*openai_talk(2))
        modes = {stat.S_IMODE(os.stat(file).st_mode) for file in tmp_path.iterdir()}

    assert modes == {0o600}


@proves("store.once")
def test_what_is_said_twice_is_stored_once(tmp_path: Path) -> None:
    long = {"role": "user", "content": "a long text " * 50_000}
    with steno.Session(tmp_path / "a.db", wire="openai", window=8_000_000) as session:
        session.add(long)
        session.add(*[long] * 20)
        session.fork(10).add(long)

    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 3 * 600_000


@proves("chain.canonical")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"role": "user", "content": "hi"},
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        ),
        (
            {
                "role": "user",
                "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}],
            },
            {"role": "user", "content": "hi"},
        ),
        (
            {"role": "assistant", "content": "hi", "refusal": None, "annotations": []},
            {"content": "hi", "role": "assistant"},
        ),
    ],
)
def test_two_sendings_of_one_message_have_one_key(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert message_key(decode_messages(WIRE, [one])[0]) == message_key(
        decode_messages(WIRE, [other])[0]
    )


@proves("chain.canonical")
def test_a_chain_key_stands_for_all_that_came_before() -> None:
    one, two, three = said("one", "two", "three")
    start = next_chain_key(b"", one)

    assert next_chain_key(start, two) != next_chain_key(start, three)
    assert next_chain_key(next_chain_key(b"", two), one) != next_chain_key(start, two)
    assert message_key(one) != message_key(
        decode_messages(WIRE, [{"role": "assistant", "content": "one"}])[0]
    )


@proves("session.reopens")
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_session_opens_again_by_its_name_alone(wire: str, tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(
        path, name="research", wire=wire, window=8_000, reserve=500, pins=[0]
    ) as session:
        session.add(*talk(wire, 60))
        shown, commits = session.messages(), list(session.log.commits)
    with steno.Session(path, name="research") as again:
        assert again.budget == steno.Budget(8_000, 500)
        assert again.told.pins == (0,)
        assert list(again.log.commits) == commits
        assert again.messages() == shown
        assert again.open("0-120") == talk(wire, 60)
        again.pin(5)
    with steno.Session(path) as third:
        assert third.told.pins == (0, 5)
        third.unpin(0)
        assert third.told.pins == (5,)


@proves("session.reopens")
def test_a_session_says_what_it_needs_to_know(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with pytest.raises(steno.BadInput, match="say how much fits"):
        steno.Session(path, wire="openai")
    with pytest.raises(steno.BadInput, match="say whose messages"):
        steno.Session(path, window=8_000)
    for name in ("one", "two"):
        steno.Session(path, name=name, model="gpt-4o").close()
    with pytest.raises(steno.BadInput, match="there are 2 sessions, say name=: one, two"):
        steno.Session(path)
    with pytest.raises(steno.BadInput, match="not both"):
        steno.Session(path, store=MemoryStore(), wire="openai", window=1_000)
    assert steno.Session(path, name="one").setup.wire.name == "openai"


@proves("session.shared")
def test_two_holders_of_one_session_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    one = steno.Session(path, name="s", wire="openai", window=8_000)
    other = steno.Session(path, name="s")
    one.add(*openai_talk(30))
    other.add({"role": "user", "content": "from the other"})
    assert len(other.log.messages) == len(openai_talk(30)) + 1
    assert one.compact() is not None  # lands: nobody else committed
    assert other.compact() is not None  # drawn on what one has committed
    one.add({"role": "user", "content": "and from one"})

    assert one.open("0-60") == openai_talk(30)
    assert one.open(61) == {"role": "user", "content": "from the other"}
    one.refresh()
    other.refresh()
    assert other.messages() == one.messages()
    assert len(one.log.commits) == len(other.log.commits) >= 2


@proves("session.forks")
def test_a_fork_in_a_file_shares_what_it_began_with(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(path, name="main", wire="openai", window=8_000) as session:
        session.add(*openai_talk(60))
        session.messages()
        fork = session.fork(41, name="what-if")
        fork.add({"role": "user", "content": "another way"})
        deeper = fork.fork(name="deeper")
        deeper.add({"role": "user", "content": "deeper"})
    with steno.Session(path, name="deeper") as again:
        assert again.open("0-40") == openai_talk(20)
        assert [again.open(41), again.open(42)] == [
            {"role": "user", "content": "another way"},
            {"role": "user", "content": "deeper"},
        ]
    with steno.Session(path, name="main") as main:
        assert len(main.log.messages) == 121


@proves("session.shared")
def test_pins_of_two_holders_are_both_kept_and_both_heeded(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    one = steno.Session(path, name="s", wire="openai", window=8_000)
    one.add(*openai_talk(60))
    other = steno.Session(path, name="s")
    one.pin(0)
    other.pin(3)
    other.unpin(3)
    other.pin(1)
    one.compact()
    other.compact()

    assert steno.Session(path).told.pins == (0, 1)
    one.refresh()
    assert one.told.pins == (0, 1)
    assert other.messages()[:2] == openai_talk(1)[:2]


@proves("session.shared")
def test_an_undo_on_an_older_state_is_refused_once(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    one = steno.Session(path, name="s", wire="openai", window=80_000)
    one.add(*openai_talk(60))
    one.compact()
    other = steno.Session(path, name="s")
    one.add(*openai_talk(30, start=60))
    one.compact()
    with pytest.raises(steno.Stale):
        other.undo()

    assert other.undo().reverts == 1


@proves("session.reopens")
def test_a_session_is_not_opened_in_other_words_than_it_was_kept_in(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(path, wire="openai", window=8_000) as session:
        session.add(*openai_talk(2))

    with pytest.raises(steno.BadInput, match="kept in the words of 'openai', not of 'anthropic'"):
        steno.Session(path, wire="anthropic")
    for name in ("", "two\nlines", "half \ud800"):
        with pytest.raises(steno.BadInput, match="one line of text"):
            steno.Session(path, name=name)


@proves("session.async")
def test_a_fork_of_an_async_session_is_used_like_one(tmp_path: Path) -> None:
    async def story() -> tuple[str, int, list[Any]]:
        async with steno.AsyncSession(tmp_path / "a.db", wire="openai", window=8_000) as session:
            await session.add(*openai_talk(40))
            await session.messages()
            async with await session.fork(11, name="branch") as fork:
                await fork.add({"role": "user", "content": "another way"})
                await session.refresh()
                return fork.name, len(session.events), await fork.messages()

    name, events, shown = asyncio.run(story())
    assert name == "branch" and events > 0
    assert shown[-1] == {"role": "user", "content": "another way"}
