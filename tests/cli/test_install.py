"""`steno install`, `uninstall` and `hook`: a coding agent's settings, and what its hooks say."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.cli.install import AGENT_FILES, is_set_up
from tests.support.command_line import Run
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


@pytest.mark.parametrize("agent", AGENT_FILES)
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
    assert again.count("nothing to change") == 2
    assert {path: path.read_text() for path in home.rglob("*") if path.is_file()} == written
    assert run("uninstall", agent, wide=True).code == 0
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
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    assert settings["model"] == "opus"
    assert settings["hooks"]["PreCompact"][0] == MINE["hooks"]["PreCompact"][0]
    for event in ("PreCompact", "SessionStart"):
        [entry] = settings["hooks"][event][-1]["hooks"]
        assert entry["type"] == "command"
        assert entry["command"] == f"steno hook {store}"
    servers = json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert servers["steno"]["args"] == ["mcp", store]
    codex = json.loads((home / ".codex" / "hooks.json").read_text())
    assert set(codex) == {"hooks"}
    config = tomllib.loads((home / ".codex" / "config.toml").read_text())
    assert config["mcp_servers"]["steno"] == {"command": "steno", "args": ["mcp", store]}
    assert config["mcp_servers"]["other"] == {"command": "x"}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".claude/settings.json", "{ // a comment\n}"),
        (".claude/settings.json", '{"hooks": []}'),
        (".claude.json", '{"mcpServers": []}'),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone_with_all_others(
    file: str, text: str, home: Path, run: Run
) -> None:
    (home / file).write_text(text)
    before = {path: path.read_text() for path in home.rglob("*") if path.is_file()}
    refused = run("install", "claude-code", wide=True)
    assert refused.code == 2
    assert "left as it is" in refused.err
    assert {path: path.read_text() for path in home.rglob("*") if path.is_file()} == before


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
