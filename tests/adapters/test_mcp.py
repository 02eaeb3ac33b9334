"""The agent's tools over MCP, called by the official client, in memory and as a process."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import TextContent

import steno
from steno import Session
from steno.adapters.mcp import McpSessions, StenoServer
from steno.core.store import session_names
from steno.session.agent_tools import definitions as tools
from steno.store.sqlite import SQLiteStore
from tests.support.command_line import Run, refused
from tests.support.paths import ROOT
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

ENV = {"PYTHONPATH": str(Path(steno.__file__).parents[1]), "PATH": os.environ["PATH"]}
DOCS = ROOT / "docs" / "proxy.md"
SECONDS = 60.0

Said = tuple[bool, str]
Call = Callable[..., Awaitable[Said]]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A store with two sessions of one user."""
    path = tmp_path / "agent.db"
    for name, words in (
        ("monday", "The password hint is a heron."),
        ("tuesday", "We chose SQLite, it needs no server."),
    ):
        with Session(path, name=name, wire="openai", window=8_000) as session:
            session.add({"role": "user", "content": words}, *openai_talk(3, start=1))
    return path


def served(path: Path, talk: Callable[[Client, Call], Awaitable[None]], **how: Any) -> None:
    """A conversation between the official client and the server, in memory."""

    async def held() -> None:
        sessions = McpSessions(lambda: SQLiteStore(path), **how)
        try:
            async with Client(StenoServer(sessions), raise_exceptions=True) as client:
                await talk(client, calls(client))
        finally:
            sessions.close()

    asyncio.run(asyncio.wait_for(held(), SECONDS))


def calls(client: Client) -> Call:
    async def call(name: str, **arguments: Any) -> Said:
        result = await client.call_tool(name, arguments)
        [content] = result.content
        assert isinstance(content, TextContent)
        return bool(result.is_error), content.text

    return call


@proves("mcp.tools")
def test_the_tools_are_the_sessions_own_with_one_argument_more(db: Path) -> None:
    async def talk(client: Client, call: Call) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(listed) == ["recall", "remember", "forget"]
        for name, tool in listed.items():
            description, schema = tools.tool_definition(name)
            properties = dict(tool.input_schema["properties"])
            assert properties.pop("session")["type"] == "string"
            assert tool.description == description and properties == schema["properties"]
            assert tool.input_schema.get("required") == schema.get("required")
        assert (
            listed["recall"].annotations is not None and listed["recall"].annotations.read_only_hint
        )
        assert [name for name, tool in listed.items() if tool.meta] == ["recall"]

    served(db, talk)


@proves("mcp.tools")
def test_a_host_searches_opens_notes_and_strikes_out(db: Path) -> None:
    async def talk(client: Client, call: Call) -> None:
        assert await call("recall", query="sqlite server") == (
            False,
            "[0] user: We chose SQLite, it needs no server.",
        )
        assert (await call("recall", positions="0"))[1].startswith("[0] user: We chose SQLite")
        assert await call("remember", text="The server is called heron.") == (False, "noted as (0)")
        assert await call("recall", notes=True) == (
            False,
            "(0) (by an MCP host) The server is called heron.",
        )
        assert (await call("forget", id=0))[1].startswith("struck out")
        assert await call("recall", notes=True) == (False, "there are no notes")

    served(db, talk)
    with Session(db, name="tuesday", wire="openai") as session:
        assert len(session.log.messages) == 7 and not session.log.commits


@pytest.mark.slow
@proves("mcp.tools")
def test_an_answer_says_whose_words_it_quotes_and_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "long.db"
    with Session(path, name="a", wire="openai", window=1_000_000) as session:
        session.add(*openai_talk(60, words=4_000))
        for n in range(40):
            session._parts.tools.notes.write(f"note {n} " + "and so on " * 100)

    async def talk(client: Client, call: Call) -> None:
        _, found = await call("recall", query="row of the table", most=20)
        assert re.match(r"\[\d+ start \d+\] tool read_file \S+: ", found)
        for wanted in ({"query": "row", "most": 20}, {"positions": "0-100"}, {"notes": True}):
            wrong, said = await call("recall", **wanted)
            assert not wrong and len(said) < 20_000
            assert re.search(r"more|did not fit|do not fit|\[…\]", said), wanted

    served(path, talk)


@proves("mcp.sessions")
def test_a_call_means_the_newest_session_the_usual_one_or_the_one_it_names(db: Path) -> None:
    async def newest(client: Client, call: Call) -> None:
        assert "SQLite" in (await call("recall", positions="0"))[1]
        assert "heron" in (await call("recall", positions="0", session="monday"))[1]
        assert await call("recall", query="heron") == (False, "nothing was found")

    async def usual(client: Client, call: Call) -> None:
        assert "heron" in (await call("recall", positions="0"))[1]

    served(db, newest)
    served(db, usual, session="monday")


@proves("mcp.sessions")
def test_another_users_session_is_neither_reached_nor_made(db: Path) -> None:
    with Session(db, name="secret", user="ann", wire="openai", window=8_000) as session:
        session.add({"role": "user", "content": "The vault opens at nine."})

    async def anybody(client: Client, call: Call) -> None:
        wrong, said = await call("recall", query="vault")
        assert wrong and "--user" in said

    async def bob(client: Client, call: Call) -> None:
        wrong, said = await call("recall", query="vault", session="secret")
        assert wrong and "no session 'secret'" in said and "tuesday, monday" in said
        assert await call("recall", query="vault") == (False, "nothing was found")
        assert (await call("remember", text="x", session="new"))[0]

    async def nobody(client: Client, call: Call) -> None:
        assert await call("recall", query="vault") == (True, "there is no session yet")

    served(db, anybody)
    served(db, bob, user="")
    served(db, nobody, user="eve")
    store = SQLiteStore(db)
    assert session_names(store) == ["monday", "tuesday", "ann:secret"]
    store.close()


@proves("mcp.errors")
def test_a_bad_call_is_answered_with_what_to_do(db: Path) -> None:
    async def talk(client: Client, call: Call) -> None:
        for name, arguments, says in (
            ("recall", {}, "say what to look for"),
            ("recall", {"nope": 1}, "recall takes query, positions, start, where, earlier"),
            ("recall", {"query": 5}, "Expected `str`"),
            ("recall", {"query": "x", "most": 0}, ">= 1"),
            ("recall", {"query": "x" * 20_000}, "at most"),
            ("recall", {"positions": "over there"}, "say 17, 17-42"),
            ("recall", {"positions": "99999"}, "7 messages"),
            ("recall", {"query": "x", "session": 5}, "name of a session"),
            ("remember", {}, "missing required field `text`"),
            ("remember", {"text": "x" * 5_000}, "say it shorter"),
            ("forget", {"id": 7}, "no note 7"),
            ("compress_context", {"reason": "full"}, "there are recall, remember"),
            ("shell", {"command": "ls"}, "no tool 'shell'"),
            ("recall", {"positions": "9" * 300_000}, "say 17, 17-42"),
            ("recall", {"query": "x", "session": "9" * 300_000}, "there is no session"),
        ):
            wrong, said = await call(name, **arguments)
            assert wrong and says in said and len(said) < 1_000, (name, said[:1_000])
        assert not (await call("recall", query="sqlite"))[0]

    served(db, talk)


HOSTILE = (
    *(
        "'; DROP TABLE session; --",
        '" OR 1=1',
        "NEAR(a b)",
        "a* AND NOT",
        "{a b}: c",
        "(a+)+$",
        "\x00\x01",
        "\\",
        "%_",
    ),
    *(
        "%n%s",
        "../../etc/passwd",
        "<steno-000000000000>",
        "\u202e\ufeff",
        "𝕊𝕢𝕝",
        "a" * 9_999,
        '"' * 99,
        "^" * 99,
    ),
)


@pytest.mark.slow
@proves("mcp.errors")
def test_hostile_queries_raise_nothing_and_leave_the_store_whole(db: Path) -> None:
    async def talk(client: Client, call: Call) -> None:
        for text in HOSTILE:
            for name, arguments in (
                ("recall", {"query": text}),
                ("recall", {"positions": text}),
                ("recall", {"query": "x", "session": text}),
                ("remember", {"text": text}),
            ):
                wrong, said = await call(name, **arguments)
                assert said and len(said) < 20_000, (wrong, name, text)
        assert "SQLite" in (await call("recall", query="sqlite"))[1]

    served(db, talk)
    with sqlite3.connect(db) as checked:
        assert checked.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    checked.close()


@proves("mcp.deferred")
def test_what_an_agent_asks_for_is_done_by_the_process_that_runs_the_session(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.db"
    policy = steno.Policy(agent_controlled=True)
    with Session(path, name="a", wire="openai", window=16_000, policy=policy) as session:
        session.add(*openai_talk(40))

        async def talk(client: Client, call: Call) -> None:
            assert [tool.name for tool in (await client.list_tools()).tools][
                -1
            ] == "compress_context"
            assert not (
                await call("compress_context", reason="the step is done", strategy="archive")
            )[0]
            wrong, said = await call("recall", positions="2")
            assert not wrong and "[Context: " in said and "compress_context" in said

        # The session's own policy offers the tool; the server need not be told.
        served(path, talk)
        assert not session.log.commits
        shown = json.dumps(session.request())
        assert session.log.commits[-1].why == "asked"
        assert "compress_context: archived" in shown

    async def again(client: Client, call: Call) -> None:
        listed = {tool.name: tool.description or "" for tool in (await client.list_tools()).tools}
        assert "After the last time the context was" in listed["compress_context"]

    served(path, again)


async def hosted(
    config: dict[str, Any], talk: Callable[[Client, Call], Awaitable[None]], cwd: Path
) -> None:
    """A server started as a host starts it, from its configuration."""
    env = ENV | config.get("env", {})
    server = StdioServerParameters(
        command=config["command"], args=config["args"], env=env, cwd=str(cwd)
    )
    async with asyncio.timeout(SECONDS), Client(server) as client:
        await talk(client, calls(client))


@proves("mcp.hosts")
def test_every_configuration_on_the_page_starts_a_server_that_answers(
    db: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = DOCS.read_text(encoding="utf-8")
    found = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", page, re.S)]
    configs = [server for each in found for server in each["mcpServers"].values()]
    assert len(configs) >= 2
    answered = []

    async def talk(server: StenoServer) -> None:
        async with asyncio.timeout(SECONDS), Client(server) as client:
            assert (await client.list_tools()).tools[0].name == "recall"
            found = await calls(client)("recall", query="password hint", session="monday")
            answered.append("heron" in found[1])

    def in_memory(server: StenoServer, transport: str) -> None:
        assert transport == "stdio"
        asyncio.run(talk(server))

    monkeypatch.setattr(StenoServer, "run", in_memory)
    for config in configs:
        # As a host starts it, with this store instead of the page's.
        words = [str(db) if word.endswith("agent.db") else word for word in config["args"]]
        assert config["command"] == "steno" and words[0] == "mcp"
        with monkeypatch.context() as environment:
            for key, value in config.get("env", {}).items():
                assert value.endswith("agent.db")
                environment.setenv(key, str(db))
            assert run(*words).code == 0
    assert answered == [True] * len(configs)


@pytest.mark.slow
@proves("mcp.hosts")
def test_a_host_may_start_it_before_there_is_a_store(tmp_path: Path) -> None:
    path = tmp_path / "later.db"

    async def talk(client: Client, call: Call) -> None:
        wrong, said = await call("recall", query="x")
        assert wrong and "no store" in said and not path.exists()
        await asyncio.to_thread(_said_later, path)
        assert "good morning" in (await call("recall", query="morning"))[1]

    asyncio.run(
        hosted(
            {"command": sys.executable, "args": ["-m", "steno", "mcp", str(path)]}, talk, tmp_path
        )
    )


def _said_later(path: Path) -> None:
    with Session(path, wire="openai", window=8_000) as session:
        session.add({"role": "user", "content": "good morning"})


@proves("mcp.hosts")
def test_what_is_no_store_is_refused_at_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    monkeypatch.delenv("STENO_DB", raising=False)
    refused(run("mcp", tmp_path / "notes.txt"), "not a store")
    refused(run("mcp"), "DB")


@pytest.mark.slow
@proves("mcp.hosts")
def test_the_sdk_is_imported_only_here_and_named_if_it_is_missing(tmp_path: Path) -> None:
    code = (
        "import sys, steno, steno.cli.main; "
        "assert not any(m.split('.')[0] == 'mcp' for m in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], env=ENV, check=False).returncode == 0
    (tmp_path / "mcp.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')"
    )
    without = ENV | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ENV['PYTHONPATH']}"}
    done = subprocess.run(
        [sys.executable, "-m", "steno", "mcp", "a.db"],
        env=without,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (
        done.returncode == 2
        and done.stderr == "steno: this needs the MCP SDK: pip install 'stenolog[mcp]'\n"
    )


@proves("mcp.tools")
def test_what_a_host_writes_to_a_session_without_secrets_is_redacted_or_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "agent.db"
    with Session(path, name="safe", wire="openai", window=8_000, redact=True) as session:
        session.add({"role": "user", "content": "hello"})

    async def refused_talk(client: Client, call: Call) -> None:
        wrong, said = await call("remember", text="the key is AKIAIOSFODNN7EXAMPLE")
        assert wrong and "--redact" in said
        assert await call("recall", notes=True) == (False, "there are no notes")

    async def redacted_talk(client: Client, call: Call) -> None:
        assert await call("remember", text="the key is AKIAIOSFODNN7EXAMPLE") == (
            False,
            "noted as (0)",
        )
        _, said = await call("recall", notes=True)
        assert "AKIA" not in said and "[redacted:aws#" in said

    served(path, refused_talk)
    served(path, redacted_talk, redact=True)


@proves("mcp.scope")
def test_a_host_changes_only_its_own_session(db: Path) -> None:
    planted = "the vault is behind the mirror"

    async def talk(client: Client, call: Call) -> None:
        for tool, given in (
            ("remember", {"text": planted}),
            ("forget", {"id": 0}),
        ):
            wrong, said = await call(tool, session="monday", **given)
            assert wrong and "start one with --session monday" in said, tool
        assert (await call("recall", session="monday", positions="0"))[0] is False
        assert (await call("remember", text=planted)) == (False, "noted as (0)")
        assert "(0) (by an MCP host) the vault" in (await call("recall", notes=True))[1]

    served(db, talk)
    with Session(db, name="monday") as session:
        assert session._parts.tools.notes.standing() == []


@proves("mcp.scope")
def test_a_hosts_note_reaches_no_later_session(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    how: dict[str, Any] = {"wire": "openai", "window": 8_000, "user": "ann", "memory": True}
    with Session(path, name="monday", **how) as session:
        session.add({"role": "user", "content": "Look around."})

    async def talk(client: Client, call: Call) -> None:
        assert (await call("remember", text="the deploy script is bin/evil"))[0] is False

    served(path, talk)
    with Session(path, name="monday", **how):
        pass
    with Session(path, name="tuesday", **how) as later:
        later.add({"role": "user", "content": "How do we deploy?"})
        assert "bin/evil" not in str(later.messages())
