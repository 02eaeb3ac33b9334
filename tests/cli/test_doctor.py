"""`steno doctor` says what is wrong, and how to mend it; it changes nothing."""

from __future__ import annotations

import socket
import tomllib
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.cli import doctor
from tests.support.command_line import Run
from tests.support.loopback import Loopback
from tests.support.paths import ROOT


def findings(run: Run, *paths: str) -> dict[str, Any]:
    told = run("doctor", *paths, "--json").json
    return {finding["what"]: finding for finding in told["diagnoses"]}


@pytest.fixture(autouse=True)
def no_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in doctor.ADDRESSES:
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = tmp_path / "agent.db"
    session = steno.Session(path, name="work", window=8_000)
    session.add({"role": "user", "content": "hello"})
    session.close()
    return str(path)


def test_a_sound_installation_and_store(run: Run, store: str) -> None:
    ran = run("doctor", store)
    assert ran.code == 0
    assert "✗" not in ran.out
    assert findings(run, store)[store]["says"].startswith("1 session, 1 message")
    assert findings(run)["proxy"]["state"] == "good"


def test_an_extra_that_is_not_installed_is_no_fault(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "EXTRAS", {"made-up": ("no_such_package", "nothing")})
    ran = run("doctor")
    assert ran.code == 0
    assert "pip install 'stenolog[made-up]'" in ran.out


def test_a_damaged_store(run: Run, store: str) -> None:
    raw = bytearray(Path(store).read_bytes())
    raw[4_096 : 4_096 * 3] = b"\xff" * (4_096 * 2)
    Path(store).write_bytes(raw)
    assert run("doctor", store).code == 1


def test_files_that_are_no_store(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("hello")
    assert findings(run, str(other))[str(other)]["state"] == "wrong"
    gone = str(tmp_path / "gone.db")
    assert findings(run, gone)[gone]["state"] == "absent"
    assert not Path(gone).exists()


def test_an_address_at_which_nothing_answers(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{port}/token")
    ran = run("doctor")
    assert ran.code == 1
    assert "unset ANTHROPIC_BASE_URL" in ran.out
    with Loopback() as provider:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.anthropic)
        assert run("doctor").code == 0


def test_an_agent_without_hooks_is_told_the_command(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    claude = tmp_path / "claude"
    claude.write_text("#!/bin/sh\n")
    claude.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert findings(run)["claude-code"]["mend"] == "steno install claude-code"
    (tmp_path / ".claude").mkdir()
    settings = tmp_path / ".claude" / "settings.json"
    settings.write_text('{"enabledPlugins": {"steno@stenolog": true}}')
    assert findings(run)["claude-code"]["state"] == "good"
    claude.unlink()
    assert "not on PATH" in findings(run)["claude"]["says"]
    assert findings(run)["claude-code"]["state"] == "good"


def test_every_extra_for_users_is_looked_at() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    made_for_work_on_it = {"test", "dev", "bench"}
    assert set(doctor.EXTRAS) == set(project["optional-dependencies"]) - made_for_work_on_it
