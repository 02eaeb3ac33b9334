"""The store in PostgreSQL, on a real server: contract, many writers, tenants, lost connections."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from steno import Session
from steno.adapters.mcp import McpSessions
from steno.core.errors import BadInput, StoreFailed
from steno.core.store import Store
from steno.proxy.conversations import Conversations
from steno.proxy.surfaces import SURFACES
from steno.session.options import SessionOptions
from steno.store.open import open_store_at
from steno.store.postgres import PostgresStore
from steno.testing import StoreContract
from steno.testing.machine import StoreMachine
from tests.support.command_line import Run, refused
from tests.support.postgres import with_tenant
from tests.support.promises import proves


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
    with pytest.raises(BadInput, match="belongs to another user than 'bob'"):
        Session(address, name="a", wire="openai", window=8_000, user="bob")


def test_the_proxy_finds_its_session_again_after_a_restart(postgres: str) -> None:
    address = with_tenant(postgres)
    names = []
    for length in (1, 2):
        body = {"model": "gpt-5", "messages": [*TALK, *TALK][: 2 * length - 1]}
        conversations = Conversations(address, SessionOptions(window=8_000))
        outgoing = conversations.prepare(SURFACES[0], json.dumps(body).encode(), None, "ann")
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
    assert "1 session, 2 messages, whole" in run("doctor", address, wide=True).out
    assert "2 messages" in run("forget", address, "a", "--yes").out
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


def test_what_is_missing_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreFailed, match=r"^PostgreSQL at 127.0.0.1 .* cannot be reached: "):
        Session("postgresql://me:word@127.0.0.1:1/agents", window=8_000)
    with pytest.raises(BadInput, match="no option steno_tenent"):
        Session("postgresql://127.0.0.1:1/agents?steno_tenent=acme", window=8_000)
    monkeypatch.setitem(sys.modules, "steno.store.postgres", None)
    with pytest.raises(BadInput, match=r"pip install 'steno\[postgres\]'"):
        Session("postgresql://127.0.0.1:1/agents", window=8_000)
