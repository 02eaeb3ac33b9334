"""`steno install` and `hook`: a coding agent's settings, and what its hooks say."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import steno
from steno.adapters import agent_settings
from steno.adapters.agent_settings import AGENTS, agent_files, is_set_up
from steno.cli import install
from steno.core.fence import Fence
from tests.support.command_line import Run, refused
from tests.support.sample_messages import openai_talk

MINE: dict[str, Any] = {
    "model": "opus",
    "hooks": {
        "PreCompact": [{"matcher": "auto", "hooks": [{"type": "command", "command": "mine.sh"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "bell"}]}],
    },
}
TOML = '# my own\nmodel = "gpt-5"\n\n[mcp_servers.other]\ncommand = "x"\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(MINE, indent=4) + "\n")
    (tmp_path / ".codex" / "config.toml").write_text(TOML)
    return tmp_path


def test_no_password_is_shown(home: Path, run: Run) -> None:
    state = home / ".claude.json"
    state.write_text('{"mcpServers": {"x": {"env": {"X_API_KEY": "k3y-0f-m1ne-17"}}}}\n')
    address = "postgresql://ann:o+pen?5@db.example/x?password=se+same"
    for words in (("--store", address), ("--remove",)):
        shown = run("install", "claude-code", *words, wide=True)
        assert shown.code == 0
        assert "postgresql://db.example/x" in shown.out
        for secret in ("k3y-0f", "o+pen", "se+same"):
            assert secret not in shown.out


def test_lines_of_a_user_between_the_marks_are_never_taken_away(home: Path, run: Run) -> None:
    config = home / ".codex" / "config.toml"
    run("install", "codex", "--store", "agent.db", wide=True)
    mine = config.read_text().replace("# steno: end", "startup_timeout_sec = 20\n# steno: end")
    config.write_text(mine)
    for words in (("--store", "agent.db"), ("--remove",)):
        refused(run("install", "codex", *words, wide=True), "move your own lines out")
        assert config.read_text() == mine


@pytest.mark.parametrize("agent", AGENTS)
def test_entries_come_and_go_and_all_else_stays(agent: str, home: Path, run: Run) -> None:
    files = {path: path.read_text() for path in home.rglob("*") if path.is_file()}
    store = str(home / "agent.db")
    shown = run("install", agent, "--store", store, "--dry-run", wide=True)
    assert "+" in shown.out
    assert {path: path.read_text() for path in home.rglob("*") if path.is_file()} == files
    assert not is_set_up(agent)
    assert run("install", agent, "--store", store, wide=True).code == 0
    assert is_set_up(agent)
    written = {path: path.read_text() for path in home.rglob("*") if path.is_file()}
    again = run("install", agent, "--store", store, wide=True).out
    assert again.count("nothing to change") == len(agent_files(agent))
    assert {path: path.read_text() for path in home.rglob("*") if path.is_file()} == written
    assert run("install", agent, "--remove", wide=True).code == 0
    assert not is_set_up(agent)
    for path, text in files.items():
        assert path.read_text() == text
        backup = path.with_name(path.name + ".before-steno")
        if path.read_text() != written[path]:
            assert backup.exists()


def test_the_hooks_and_tools_stand_as_documented(home: Path, run: Run) -> None:
    store = str(home / "agent.db")
    run("install", "claude-code", "--store", store, wide=True)
    run("install", "codex", "--store", store, wide=True)
    command, *words = agent_settings.own_command()
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    assert settings["model"] == "opus"
    assert settings["hooks"]["PreCompact"][0] == MINE["hooks"]["PreCompact"][0]
    for event in ("PreCompact", "SessionStart"):
        [entry] = settings["hooks"][event][-1]["hooks"]
        assert entry["type"] == "command"
        assert entry["command"] == " ".join([command, *words, "hook", store])
    servers = json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert servers["steno"]["command"] == command
    assert servers["steno"]["args"] == [*words, "mcp", store]
    codex = json.loads((home / ".codex" / "hooks.json").read_text())
    assert set(codex) == {"hooks"}
    config = tomllib.loads((home / ".codex" / "config.toml").read_text())
    assert config["mcp_servers"]["steno"] == {"command": command, "args": [*words, "mcp", store]}
    assert config["mcp_servers"]["other"] == {"command": "x"}


def test_the_first_copy_stays(home: Path, run: Run) -> None:
    settings, copy = (home / ".claude" / f"settings.json{end}" for end in ("", ".before-steno"))
    odd = b'{"model":\r\n      "opus"}'
    settings.write_bytes(odd)
    shown = run("install", "claude-code", "--dry-run", wide=True).out
    assert shown.endswith("--dry-run: nothing was written\n")
    said = run("install", "claude-code", wide=True).out
    assert f"written: {settings}\n  copy from before: {copy}\n" in said
    again = run("install", "claude-code", "--store", str(home / "other.db"), wide=True).out
    assert "copy from before" not in again
    settings.write_text(settings.read_text().replace("opus", "sonnet"))
    said = run("install", "claude-code", "--remove", wide=True).out
    assert json.loads(settings.read_text()) == {"model": "sonnet"}
    assert copy.read_bytes() == odd
    # This file was not there, and is not left behind as {}.
    assert not (home / ".claude.json").exists()
    assert f"removed: {home / '.claude.json'}\n" in said


def test_a_pipe_that_closes_at_the_first_line_stops_no_half_of_it(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def close(lines: object) -> None:
        raise BrokenPipeError

    for remove in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", SimpleNamespace(write=close, writelines=close))
            with pytest.raises(BrokenPipeError):
                install.install("claude-code", remove=remove)
        assert is_set_up("claude-code") is not remove
        assert (home / ".claude.json").exists() is not remove


def test_without_the_tools_package_nothing_is_written(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    refused(run("install", "claude-code", wide=True), "pip install 'stenolog[mcp]'")
    dry = run("install", "claude-code", "--dry-run", wide=True)
    assert dry.code == 0 and "pip install 'stenolog[mcp]'" in dry.err
    assert '"mcpServers"' in dry.out and "nothing was written" in dry.out
    assert not (home / ".claude.json").exists()


def test_the_running_executable_is_written_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "a b"))
    monkeypatch.setattr(sys, "argv", ["steno"])
    assert agent_settings.own_command() == [sys.executable, "-m", "steno"]
    (tmp_path / "a b").mkdir()
    executable = tmp_path / "a b" / "steno"
    executable.write_text("#!/bin/sh\n")
    executable.chmod(0o700)
    assert agent_settings.own_command() == [str(executable)]
    written = agent_settings.change_hooks("", "agent.db")
    assert f"'{executable}' hook agent.db" in written
    assert agent_settings.change_hooks(written, None) == "{}\n"
    assert (
        agent_settings.change_server(agent_settings.change_server("", "agent.db"), None) == "{}\n"
    )


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (".claude/settings.json", b"{ // a comment\n}", "Expecting property name"),
        (".claude/settings.json", b'{"hooks": []}', "hooks"),
        (".claude/settings.json", b'{"a": "\xe9"}', "utf-8"),
        (".claude/settings.json", b'{"a": "\\ud800"}', "surrogates"),
        (".claude/settings.json", b'{"a": ' + b"1" * 5_000 + b"}", "integer string"),
        (".claude.json", b'{"mcpServers": []}', "mcpServers"),
        (".claude.json", b'{"mcpServers": {"steno": null}}', "named steno already"),
        (".claude.json", b'{"mcpServers": {"steno": {"url": "x"}}}', "named steno already"),
        (".codex/config.toml", b"mcp_servers = 3\n", "mcp_servers"),
        (".codex/config.toml", b'a = "\xe9"\n', "utf-8"),
        (".codex/config.toml", b"a = " + b"1" * 5_000 + b"\n", "integer string"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone_with_all_others(
    file: str, text: bytes, said: str, home: Path, run: Run
) -> None:
    (home / file).write_bytes(text)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    agent = "codex" if "codex" in file else "claude-code"
    refused(run("install", agent, wide=True), str(home / file), "left as it is", said)
    assert not is_set_up(agent)
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def test_a_hook_of_the_users_in_our_group_stays(home: Path, run: Run) -> None:
    run("install", "claude-code", wide=True)
    settings = home / ".claude" / "settings.json"
    value = json.loads(settings.read_text())
    mine = {"type": "command", "command": "backup.sh"}
    value["hooks"]["SessionStart"][0]["hooks"].append(mine)
    settings.write_text(json.dumps(value))
    assert run("install", "claude-code", "--remove", wide=True).code == 0
    kept = {**MINE["hooks"], "SessionStart": [{"hooks": [mine]}]}
    assert json.loads(settings.read_text()) == {**MINE, "hooks": kept}


def test_a_server_of_the_users_named_steno_stays(home: Path, run: Run) -> None:
    mine = '{"mcpServers": {"steno": {"url": "x"}}}'
    (home / ".claude.json").write_text(mine)
    assert run("install", "claude-code", "--remove", wide=True).code == 0
    assert (home / ".claude.json").read_text() == mine


def test_the_address_of_a_database_is_no_path(home: Path, run: Run) -> None:
    address = "postgresql://db.example/agents"
    assert run("install", "claude-code", "--store", address, wide=True).code == 0
    servers = json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert servers["steno"]["args"][-1] == address
    assert f" hook {address}" in (home / ".claude" / "settings.json").read_text()


def test_a_session_is_stored_before_and_handed_over_after_a_compaction(
    tmp_path: Path, run: Run
) -> None:
    store, transcript = tmp_path / "agent.db", tmp_path / "s.jsonl"
    talk = openai_talk(60)
    occasion = {"session_id": "s-1", "transcript_path": str(transcript), "trigger": "auto"}
    # The second time the transcript has grown.
    for part in (talk[:41], talk):
        transcript.write_text("".join(json.dumps(message) + "\n" for message in part))
        before = json.dumps(occasion | {"hook_event_name": "PreCompact"})
        ran = run("hook", str(store), stdin=before.encode(), wide=True)
        assert (ran.code, ran.out, ran.err) == (0, "", "")
    stored = steno.Session(store, name="s-1", user="local", window=50_000)
    assert len(stored.log.messages) == len(talk)
    after = json.dumps(
        {"session_id": "s-1", "hook_event_name": "SessionStart", "source": "compact"}
    )
    said = json.loads(run("hook", str(store), stdin=after.encode(), wide=True).out)[
        "hookSpecificOutput"
    ]
    assert said["hookEventName"] == "SessionStart"
    assert "Never touch production" in said["additionalContext"]
    assert "s-1" in said["additionalContext"]
    assert "no tool" not in said["additionalContext"]
    assert len(said["additionalContext"]) < 10_000


def test_a_new_session_is_told_first_what_its_folder_is_about(tmp_path: Path, run: Run) -> None:
    store = tmp_path / "agent.db"
    with steno.Session(store, name="old", user="local", memory=True, window=50_000) as session:
        said = "Remember that billing needs Postgres. Remember that the website needs Hugo."
        session.add({"role": "user", "content": said})
    for folder, first in (("/home/me/billing", "billing"), ("/home/me/website", "website")):
        start = {"hook_event_name": "SessionStart", "source": "startup", "cwd": folder}
        out = run("hook", str(store), stdin=json.dumps(start).encode(), wide=True).out
        offer = json.loads(out)["hookSpecificOutput"]["additionalContext"]
        lines = [line for line in offer.splitlines() if line.startswith("- user")]
        assert len(lines) == 2 and first in lines[0]
        # A host sends it on as a developer's message: it must not order anything then.
        fence = Fence.parse(offer)
        assert fence is not None and fence.label["kind"] == "memory"


@pytest.mark.parametrize(
    "stdin", ["", "[]", "nonsense", '{"hook_event_name": "PreCompact"}', '{"hook_event_name": "X"}']
)
def test_a_hook_never_stops_its_agent(tmp_path: Path, run: Run, stdin: str) -> None:
    ran = run("hook", str(tmp_path / "none.db"), stdin=stdin.encode(), wide=True)
    assert (ran.code, ran.out) == (0, "")


def test_a_plugin_gets_a_summary_as_text(tmp_path: Path, run: Run) -> None:
    asked = json.dumps({"hook_event_name": "Compact", "messages": openai_talk(60)})
    said = run("hook", str(tmp_path / "none.db"), stdin=asked.encode(), wide=True).out
    assert "Never touch production" in said


def test_a_plugin_of_claude_code_names_its_session_which_is_stored_and_handed_over_once(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    transcript = tmp_path / "projects" / "work" / "s-1.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("".join(json.dumps(message) + "\n" for message in openai_talk(60)))
    store = str(tmp_path / "agent.db")
    asked = {"hook_event_name": "Compact", "session_id": "s-1", "messages": openai_talk(3)}
    said = run("hook", store, stdin=json.dumps(asked).encode(), wide=True).out
    assert "Never touch production" in said and "session 's-1'" in said
    with steno.Session(store, name="s-1", user="local") as session:
        assert len(session.log.messages) == len(openai_talk(60))
    after = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "s-1"}
    monkeypatch.setenv("STENO_HANDED_OVER", "1")
    assert run("hook", store, stdin=json.dumps(after).encode(), wide=True).out == ""


@pytest.mark.parametrize(
    ("agent", "place"),
    [("opencode", ".config/opencode/plugins"), ("pi", ".pi/agent/extensions")],
)
def test_an_agent_with_plugins_gets_steno_as_one(
    agent: str, place: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    plugin = tmp_path / place / "steno.js"
    store = str(tmp_path / "mine.db")
    assert run("install", agent, "--dry-run", wide=True).code == 0 and not plugin.exists()
    for _ in range(2):
        assert run("install", agent, "--store", store, wide=True).code == 0
        assert json.dumps(store) in plugin.read_text()
    assert run("install", agent, "--remove", wide=True).code == 0
    assert not plugin.exists()
    plugin.write_text("// mine")
    refused = run("install", agent)
    assert refused.code == 2 and plugin.read_text() == "// mine"
