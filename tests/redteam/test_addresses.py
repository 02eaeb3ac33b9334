"""The address of a store may hold a password, which nothing quotes, however it is spelled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.adapters.mcp import McpSessions
from steno.store.open import is_address, open_store_at, without_password
from steno.store.sqlite import SQLiteStore
from tests.support.command_line import Run
from tests.support.promises import proves

PASSWORD = "hunter2secret"
REST = f"app:{PASSWORD}@127.0.0.1:1/agents"
NO_ADDRESSES = (
    f"postgresql+psycopg2://{REST}",
    f"POSTGRESQL://{REST}",
    f" postgresql://{REST}",
    f'"postgresql://{REST}"',
    f"postgresql:/{REST}",
    f"postgresql:{REST}",
    f"jdbc:postgresql://127.0.0.1/agents?user=app&password={PASSWORD}",
    f"mysql:\\\\{REST}",
    REST,
    f"//{REST}",
    f"host=127.0.0.1 password={PASSWORD}",
    f"password = '{PASSWORD}' dbname=agents",
    f"Server=127.0.0.1;Password={PASSWORD}",
)
WRONG_ADDRESSES = (
    f"postgresql://app:{PASSWORD}/agents",
    f"postgresql://app:12/{PASSWORD}@127.0.0.1/agents",
    f"postgresql://app:x@{PASSWORD}@127.0.0.1:1/agents",
    f"postgresql://app@127.0.0.1:1/agents#{PASSWORD}",
)
PATHS = (
    "agent.db",
    "ann:work.db",
    "./a:b/c@d.db",
    "/data/host=web1/agent.db",
    "C:/agents/a@b.db",
    "C:\\agents\\a@b.db",
    "file:///agent.db",
    "me@corp/agent.db",
)


def opens(place: str) -> Any:
    yield lambda: steno.Session(place, name="a", wire="openai", window=8_000)
    yield lambda: steno.Session(Path(place), name="a", wire="openai", window=8_000)
    yield lambda: steno.fit([{"role": "user", "content": "Hi."}], store=place, window=8_000)
    yield lambda: McpSessions(lambda: open_store_at(place), None, None).answer("recall", {})
    yield lambda: SQLiteStore(place)


@proves("postgres.password")
@pytest.mark.parametrize("place", NO_ADDRESSES)
def test_what_looks_like_an_address_is_no_file(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for open_it in opens(place):
        with pytest.raises(steno.BadInput, match="write that path, or postgresql://") as raised:
            open_it()
        assert PASSWORD not in str(raised.value) and "127.0" not in str(raised.value)
    assert PASSWORD not in without_password(place)
    assert list(tmp_path.iterdir()) == []


@proves("postgres.password")
@pytest.mark.parametrize("place", WRONG_ADDRESSES)
def test_no_part_of_a_password_becomes_the_name_of_a_host_or_database(place: str) -> None:
    for open_it in opens(place):
        with pytest.raises(steno.BadInput) as raised:
            open_it()
        assert PASSWORD not in str(raised.value)


@proves("postgres.password")
@pytest.mark.parametrize("place", PATHS)
def test_a_path_with_the_marks_of_an_address_is_a_file(place: str) -> None:
    assert not is_address(place)
    assert without_password(place) == place


@proves("postgres.password")
@pytest.mark.parametrize("place", [f"postgresql://{REST}", *NO_ADDRESSES[:5]])
def test_no_command_prints_a_password(place: str, tmp_path: Path, run: Run) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"role": "user", "content": "Hi."}))
    for words in (
        *(("show", place), ("recall", place, "x"), ("doctor", place)),
        *(("store", "check", place), ("store", "import", place, tmp_path / "x.db")),
        *(("chat", "--db", place, "--resume", "-s", "a"), ("compact", talk, "--out", place)),
        *(("show", talk, "--policy", place), ("wrap", place), ("store", place)),
    ):
        ran = run(*words, wide=True)
        assert PASSWORD not in ran.out + ran.err
        assert ran.code != 0 or "doctor" in words
