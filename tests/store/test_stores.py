"""The contract of `steno.testing` on both stores, and sessions that share a file."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from msgspec.structs import replace

import steno
from steno.core.log import Log
from steno.core.message import Message
from steno.core.message_key import message_key, next_chain_key
from steno.core.store import Store
from steno.core.tape import Tape
from steno.providers import decode_messages, get_wire
from steno.store.in_process import MemoryStore
from steno.store.sqlite import SQLiteStore
from steno.testing import StoreContract
from steno.testing.machine import StoreMachine
from steno.testing.stores import user_messages
from tests.support.promises import WHOLE, proves
from tests.support.sample_messages import openai_talk, talk

WIRE = get_wire("openai")


@proves("store.stale")  # type: ignore[arg-type]
class TestMemoryStore(StoreContract):
    def make_store(self) -> Store:
        return MemoryStore()


@proves("store.stale")  # type: ignore[arg-type]
class TestSQLiteStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.path = tmp_path / "a.db"

    def make_store(self) -> Store:
        return SQLiteStore(self.path)

    def reopen_store(self, store: Store) -> Store | None:
        assert store.path is not None
        return SQLiteStore(store.path)


class Stores(StoreMachine):
    """A SQLite file beside the model; each story gets its own folder."""

    def make_store(self) -> Store:
        self.folder = tempfile.TemporaryDirectory()
        return SQLiteStore(Path(self.folder.name) / "a.db", durable=False)

    def reopen_store(self, store: Store) -> Store | None:
        assert store.path is not None
        return SQLiteStore(store.path, durable=False)

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


TestStores = pytest.mark.slow(proves("store.contract")(Stores.TestCase))
TestStores.settings = settings(
    max_examples=40 if WHOLE else 20, stateful_step_count=25, deadline=None, derandomize=True
)


def test_a_store_that_forgets_a_promise_fails_the_contract() -> None:
    """The contract can fail: each of these stores breaks one constraint."""

    class Silent(MemoryStore):
        def delete(self, name: str) -> Any:
            deletion = super().delete(name)
            self._sessions.pop(name, None)
            return deletion

        def close(self) -> None:
            """Announce nothing."""

    class Lenient(MemoryStore):
        def commit(self, name: str, commit: Any) -> Any:
            base = len(self._sessions[name].log.commits)
            return super().commit(name, steno.Commit(base, commit.at, commit.why, commit.edits))

    class Greedy(MemoryStore):
        def messages_from(self, name: str, read: Any, start: int, most: int) -> Any:
            return super().messages_from(name, read, start, most + 1)

    class Stripped(MemoryStore):
        """Loses what a commit says beside its edits."""

        def commit(self, name: str, commit: Any) -> Any:
            bare = steno.Commit(commit.base, commit.at, commit.why, commit.edits)
            return super().commit(name, bare)

    broken = (
        (Stripped, "test_a_stale_commit_is_refused_and_changes_nothing"),
        (Silent, "test_a_deleted_session_is_gone_and_announced"),
        (Lenient, "test_a_stale_commit_is_refused_and_changes_nothing"),
        (Greedy, "test_pages_hold_a_sessions_own_messages"),
    )
    for kind, test in broken:
        contract = StoreContract()
        contract.make_store = kind  # type: ignore[method-assign]
        with pytest.raises(AssertionError):
            getattr(contract, test)()


def test_a_store_that_loses_something_when_it_closes_fails_the_contract() -> None:
    class Forgetful(MemoryStore):
        def close(self) -> None:
            super().close()
            self.lose()

        def lose(self) -> None:
            """Lose one thing of session a."""

    class LosesSettings(Forgetful):
        def lose(self) -> None:
            self.change_settings("a", lambda kept: '{"window":7}')

    class LosesFindings(Forgetful):
        def lose(self) -> None:
            session = self._sessions["a"]
            bare = [replace(commit, findings=()) for commit in session.log.commits]
            log = Log(session.log.messages).with_commit(bare[0])
            self._sessions["a"] = dataclasses.replace(session, log=log)

    class LosesBounds(Forgetful):
        def lose(self) -> None:
            fork, parent = self._sessions["b"], self._sessions["a"]
            whole = dataclasses.replace(fork, log=parent.log, times=parent.times)
            self._sessions["b"] = whole

    class LosesTimes(Forgetful):
        def lose(self) -> None:
            session = self._sessions["a"]
            said = Tape([when + 1 for when in session.times])
            self._sessions["a"] = dataclasses.replace(session, times=said)

    class LosesHistory(Forgetful):
        def lose(self) -> None:
            session = self._sessions["a"]
            other = dataclasses.replace(session.info, id="another")
            self._sessions["a"] = dataclasses.replace(session, info=other)

    class LosesMemories(Forgetful):
        def lose(self) -> None:
            self._memories = {}

    class KeepsRefused(MemoryStore):
        def record(self, name: str, kind: str, text: str) -> Any:
            if name not in self._sessions:
                self.create(name, "openai")
                raise steno.NotHere("no session")
            return super().record(name, kind, text)

    kept = "test_what_was_kept_is_there_after_reopening"
    refused = "test_what_was_refused_is_not_there_after_reopening"
    broken = (
        (LosesSettings, kept),
        (LosesFindings, kept),
        (LosesBounds, kept),
        (LosesTimes, kept),
        (LosesHistory, kept),
        (LosesMemories, kept),
        (KeepsRefused, refused),
    )
    for kind, test in broken:
        contract = StoreContract()
        contract.make_store = kind  # type: ignore[method-assign]
        contract.reopen_store = lambda store: store  # type: ignore[method-assign]
        with pytest.raises(AssertionError):
            getattr(contract, test)()


def test_facts_that_are_kept_again_take_no_more_room() -> None:
    store = MemoryStore()
    store.create("a", "openai")
    store.append("a", user_messages(*map(str, range(200))))
    everything = dict.fromkeys(range(200), b"found")
    store.keep_facts("a", 1, everything)
    kept = store._sessions["a"].facts
    before = {number: len(packed) for number, packed in kept.items()}
    for _ in range(3):
        store.keep_facts("a", 1, everything)
        store.keep_facts("a", 1, {70: b"found"})
    assert {number: len(packed) for number, packed in kept.items()} == before
    assert store.facts("a", 1) == everything


class Bare(MemoryStore):
    """Keeps neither facts nor memories."""

    memories = update_memories = keep_facts = facts = None  # type: ignore[assignment]


def test_a_store_without_facts_and_memories_has_its_stories() -> None:
    class Stories(StoreMachine):
        def make_store(self) -> Store:
            return Bare()

    few = settings(max_examples=3, stateful_step_count=6, deadline=None)
    run_state_machine_as_test(Stories, settings=few)


@proves("session.store")
def test_a_store_that_keeps_no_memories_is_refused_at_the_opening() -> None:
    options: dict[str, Any] = {"wire": "openai", "window": 8_000, "user": "ann"}
    with steno.Session(store=Bare(), **options) as session:
        session.add({"role": "user", "content": "hello"})
        with pytest.raises(steno.BadInput, match="at= takes a whole number, got str"):
            session.fork("what-if")  # type: ignore[arg-type]
    with pytest.raises(steno.BadInput, match="Bare keeps no memories"):
        steno.Session(store=Bare(), memory=True, **options)
    with pytest.raises(steno.BadInput, match="path= takes a path, got Bare"):
        steno.Session(Bare(), **options)  # type: ignore[arg-type]


@proves("store.private")
def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    with steno.Session(tmp_path / "a.db", wire="openai", window=8_000) as session:
        session.add(*openai_talk(2))
        modes = {stat.S_IMODE(os.stat(file).st_mode) for file in tmp_path.iterdir()}

    assert modes == {0o600}


@proves("store.private")
def test_a_file_that_others_could_read_is_its_owners_alone_once_it_is_opened(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.db"
    store = SQLiteStore(path)
    with steno.Session(store=store, name="a", wire="openai", window=8_000) as session:
        session.add(*openai_talk(2))
        session.recall("a word")
        files = list(tmp_path.iterdir())
        assert {file.name for file in files} > {"a.db-wal", "a.db-shm", "a.db-recall"}
        for file in files:
            file.chmod(0o644)
        # Another process: the side files of the first one are still there.
        with steno.Session(path) as again:
            again.recall("a word")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in files}
    store.close()

    own = {name: mode for name, mode in modes.items() if not name.startswith("a.db-recall-")}
    assert set(own.values()) == {0o600}


@proves("store.private")
def test_a_file_of_another_user_is_opened_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    SQLiteStore(path).close()
    path.chmod(0o644)

    def refuse(self: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.warns(UserWarning, match="belongs to another user of this machine"):
        SQLiteStore(path).close()


@proves("session.user")
def test_a_session_of_another_user_is_refused_by_any_door(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with steno.Session(path, name="diary", user="ann", wire="openai", window=8_000) as session:
        session.add({"role": "user", "content": "a secret of ann's"})
    with closing(SQLiteStore(path)) as store:
        # An earlier version stored the name alone.
        store.create("old", "openai", user="ann")
    doors: list[Callable[[], object]] = [
        lambda: steno.Session(path, name="ann:diary", user=""),
        lambda: steno.Session(path, name="old", user=""),
        lambda: asyncio.run(_open_async(path, name="ann:diary", user="")),
    ]
    for door in doors:
        with pytest.raises(steno.BadInput, match="belongs to another user"):
            door()
    for name in ("diary", "old", "ann:diary"):
        with steno.Session(path, name=name, user="bob", wire="openai", window=8_000) as bobs:
            assert bobs.name == f"bob:{name}" and len(bobs.log.messages) == 0
    with closing(SQLiteStore(path)) as store:
        for name in ("bob:diary", "bob:old", "bob:ann:diary"):
            store.delete(name)
    # Without a name it is a new one, and the error for several names none of another's.
    with steno.Session(path, user="bob", wire="openai", window=8_000) as own:
        assert own.name != "diary" and len(own.log.messages) == 0
    with steno.Session(path, name="more", user="bob", wire="openai", window=8_000):
        pass
    with pytest.raises(steno.BadInput, match="there are 2 sessions") as refused:
        steno.Session(path, user="bob")
    assert "diary" not in str(refused.value)


@proves("session.user")
def test_a_name_that_another_user_takes_at_the_same_moment_is_refused(tmp_path: Path) -> None:
    class Late(SQLiteStore):
        """Is asked for the session just before the other user begins it."""

        def create(self, name: str, wire: str, setup: str = "{}", **more: Any) -> None:
            super().create(name, wire, setup, user="ann")
            super().create(name, wire, setup, **more)

    with (
        pytest.raises(steno.BadInput, match="belongs to another user"),
        steno.Session(
            store=Late(tmp_path / "a.db"), name="x", user="bob", wire="openai", window=8_000
        ),
    ):
        pass


async def _open_async(path: Path, **how: Any) -> None:
    async with steno.AsyncSession(path, **how):
        pass


@pytest.mark.slow
@proves("store.once")
def test_what_is_said_twice_is_stored_once(tmp_path: Path) -> None:
    long = {"role": "user", "content": "a long text " * 50_000}
    with steno.Session(tmp_path / "a.db", wire="openai", window=8_000_000) as session:
        session.add(long)
        session.add(*[long] * 20)
        session.fork(10).add(long)

    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 3 * 600_000


@proves("store.once")
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


WORDS = {"cache_control": "private; token of ann"}
SAID = {
    "a gemini result": ("gemini", {"functionResponse": {"name": "head", "response": "DATA"}}),
    "gemini arguments": ("gemini", {"functionCall": {"name": "head", "args": "DATA"}}),
    "a bedrock result": (
        "bedrock",
        {"toolResult": {"toolUseId": "t1", "content": [{"json": "DATA"}]}},
    ),
    "bedrock arguments": (
        "bedrock",
        {"toolUse": {"toolUseId": "t1", "name": "a", "input": "DATA"}},
    ),
    "anthropic arguments": (
        "anthropic",
        {"type": "tool_use", "id": "t", "name": "a", "input": "DATA"},
    ),
    "metadata": ("anthropic", {"type": "text", "text": "hi", "metadata": "DATA"}),
    "words in place of a cache mark": ("anthropic", {"type": "text", "text": "hi", **WORDS}),
}


@pytest.mark.parametrize(
    "data", [WORDS, {"at": None}, {"status": "completed"}, {"is_error": False}]
)
@pytest.mark.parametrize("what", SAID)
def test_what_anyone_said_is_all_in_the_key(what: str, data: dict[str, Any]) -> None:
    """Two callers whose lists have equal keys may share a session."""
    wire, block = SAID[what]
    role = "assistant" if {"functionCall", "toolUse", "input"} & block.keys() else "user"
    body = "parts" if wire == "gemini" else "content"
    role = "model" if (role, wire) == ("assistant", "gemini") else role
    texts = [
        json.dumps({"role": role, body: [block]}).replace('"DATA"', json.dumps(said))
        for said in (data, {})
    ]
    if '"DATA"' not in json.dumps(block):
        texts[1] = texts[1].replace(
            json.dumps(WORDS)[1:-1], '"cache_control": {"type": "ephemeral"}'
        )
    keys = {message_key(Message("user", (), text)) for text in texts}
    assert len(keys) == 2


@proves("store.once")
def test_a_chain_key_stands_for_all_that_came_before() -> None:
    one, two, three = user_messages("one", "two", "three")
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
        assert again.budget == session.budget
        assert (again.budget.window, again.budget.reserve) == (8_000, 500)
        assert again._parts.journal.stored_settings.pins == (0,)
        assert list(again.log.commits) == commits
        assert again.messages() == shown
        assert again.open("0-120") == talk(wire, 60)
        again.pin(5)
    with steno.Session(path) as third:
        assert third._parts.journal.stored_settings.pins == (0, 5)
        third.unpin(0)
        assert third._parts.journal.stored_settings.pins == (5,)


@proves("session.reopens")
def test_a_closed_session_says_that_it_is_closed(tmp_path: Path) -> None:
    session = steno.Session(tmp_path / "agent.db", wire="openai", window=8_000)
    session.close()
    uses: list[Any] = [session.messages, session.compact, lambda: session.add(*openai_talk(1))]
    for use in uses:
        with pytest.raises(steno.StenoError, match=r"agent\.db was closed, .* open it again"):
            use()
    session.close()


@proves("session.reopens")
def test_a_session_says_what_it_needs_to_know(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with pytest.raises(steno.BadInput, match="say how much fits"):
        steno.Session(path, wire="openai")
    for name in ("one", "two"):
        steno.Session(path, name=name, model="gpt-4o").close()
    with pytest.raises(steno.BadInput, match="there are 2 sessions, say name=: one, two"):
        steno.Session(path)
    with pytest.raises(steno.BadInput, match="not both"):
        steno.Session(path, store=MemoryStore(), wire="openai", window=1_000)
    assert steno.Session(path, name="one")._parts.settings.wire.name == "openai"


@proves("session.shared")
def test_two_holders_of_one_session_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    one = steno.Session(path, name="s", wire="openai", window=8_000)
    other = steno.Session(path, name="s")
    one.add(*openai_talk(30))
    other.add({"role": "user", "content": "from the other"})
    assert len(other.log.messages) == len(openai_talk(30)) + 1
    assert one.compact() is not None  # lands: nobody else committed
    assert other.compact() is None  # sees what one has committed: nothing is new
    other.add({"role": "user", "content": "word " * 1_000}, {"role": "assistant", "content": "ok"})
    other.add({"role": "user", "content": "go on"})
    assert other.compact() is not None  # drawn on what one has committed
    one.add({"role": "user", "content": "and from one"})

    assert one.open("0-60") == openai_talk(30)
    assert one.open(61) == {"role": "user", "content": "from the other"}
    one._parts.journal.refresh()
    other._parts.journal.refresh()
    assert other.messages() == one.messages()
    assert len(one.log.commits) == len(other.log.commits) >= 2


@proves("fork.exact")
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

    assert steno.Session(path)._parts.journal.stored_settings.pins == (0, 1)
    one._parts.journal.refresh()
    assert one._parts.journal.stored_settings.pins == (0, 1)
    pinned = openai_talk(1)[:2]
    assert [message for message in other.messages() if message in pinned] == pinned


@proves("session.shared")
def test_an_undo_on_an_older_state_is_refused_once(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    one = steno.Session(path, name="s", wire="openai", window=80_000)
    one.add(*openai_talk(60))
    one.compact()
    other = steno.Session(path, name="s")
    # So much that a compaction which is asked for again has something to do.
    one.add(*openai_talk(90, start=60))
    assert one.compact() is not None
    with pytest.raises(steno.errors.Stale):
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
    for user in ("two\nlines", "half \ud800"):
        with pytest.raises(steno.BadInput, match="user= is one line of text"):
            steno.Session(path, name="a", user=user)


@proves("session.async")
def test_a_fork_of_an_async_session_is_used_like_one(tmp_path: Path) -> None:
    async def story() -> tuple[str, int, list[Any]]:
        async with steno.AsyncSession(tmp_path / "a.db", wire="openai", window=8_000) as session:
            await session.add(*openai_talk(40))
            await session.messages()
            async with await session.fork(11, name="branch") as fork:
                await fork.add({"role": "user", "content": "another way"})
                await asyncio.to_thread(session._parts.journal.refresh)
                return fork.name, len(session.events), await fork.messages()

    name, events, shown = asyncio.run(story())
    assert name == "branch" and events > 0
    assert shown[-1] == {"role": "user", "content": "another way"}


@pytest.mark.slow
def test_the_contracts_need_no_test_library() -> None:
    code = (
        "import sys, steno, steno.testing; "
        "assert not {'pytest', 'hypothesis', '_pytest'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
