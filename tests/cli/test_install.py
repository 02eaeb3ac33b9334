"""`steno install` and `hook`: a coding agent's plugin, and what its hooks say."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import steno
from steno.adapters import agent_plugins
from steno.adapters.agent_plugins import AGENTS, is_set_up, plugin_host, plugin_text
from steno.cli import install
from steno.core.fence import Fence
from tests.support.coding_sessions import exchange
from tests.support.command_line import Run, refused
from tests.support.sample_messages import openai_talk

COMMANDS = {
    "claude-code": [
        "claude plugin marketplace add {folder}",
        "claude plugin install steno@stenolog",
        "claude plugin uninstall steno@stenolog",
        "claude plugin marketplace remove stenolog",
    ],
    "codex": [
        "codex plugin marketplace add {folder}",
        "codex plugin add steno@stenolog",
        "codex plugin remove steno@stenolog",
        "codex plugin marketplace remove stenolog",
    ],
    "opencode": [],
    "pi": ["pi install {folder}/pi", "pi remove {folder}/pi"],
}
"""What each agent is asked when a plugin comes and goes."""
STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> "$HOME/commands"
case "$*" in
  *"{fails}"*) echo "no such
plugin" >&2; exit 3;;
  *uninstall*|*"plugin remove"*|remove*) echo '{{}}' > "{settings}";;
  *install*|"plugin add"*) echo '{mark}' > "{settings}";;
esac
"""
"""Plays an agent's commands: writes its settings as the agent would."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with agents that only know their plugins."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    for agent in ("claude-code", "codex", "pi"):
        stand_in(tmp_path, agent)
    return tmp_path


def stand_in(home: Path, agent: str, fails: str = "nothing fails") -> None:
    host = plugin_host(agent)
    program = home / "bin" / host.program
    program.parent.mkdir(exist_ok=True)
    program.write_text(STAND_IN.format(settings=host.settings, mark=host.mark, fails=fails))
    program.chmod(0o700)
    host.settings.parent.mkdir(parents=True, exist_ok=True)


def files_in(home: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in home.rglob("*") if path.is_file()}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_plugin_comes_and_goes_by_the_agents_own_commands(
    agent: str, home: Path, run: Run
) -> None:
    before = files_in(home)
    store = str(home / "agent.db")
    shown = run("install", agent, "--store", store, "--dry-run", wide=True)
    assert "write: " in shown.out and shown.out.endswith("nothing was done\n")
    assert files_in(home) == before and not is_set_up(agent)
    assert run("install", agent, "--store", store, wide=True).code == 0
    assert is_set_up(agent)
    # Each file that starts Steno starts this one, with this store.
    texts = "".join(path.read_text() for path in plugin_host(agent).files)
    assert f" hook {store}" in texts and "STENO_DB" not in texts
    assert "nothing to change" in run("install", agent, "--store", store, wide=True).out
    assert run("install", agent, "--remove", wide=True).code == 0
    assert not is_set_up(agent) and not (home / ".steno").exists()
    assert "nothing to change" in run("install", agent, "--remove", wide=True).out
    folder = home / ".steno" / "plugins" / agent
    asked = [line.format(folder=folder) for line in COMMANDS[agent]]
    ran = files_in(home).get(home / "commands", "").splitlines()
    assert ran == asked


def test_another_store_is_set_by_removing_the_plugin_first(home: Path, run: Run) -> None:
    """Claude Code keeps a copy of the files, which adding the plugin again does not renew."""
    for store in ("one.db", "two.db"):
        assert run("install", "claude-code", "--store", str(home / store), wide=True).code == 0
    ran = (home / "commands").read_text().splitlines()
    added = [line for line in COMMANDS["claude-code"] if "remove" not in line and "un" not in line]
    removed = [line for line in COMMANDS["claude-code"] if line not in added]
    folder = home / ".steno" / "plugins" / "claude-code"
    assert ran == [line.format(folder=folder) for line in (*added, *removed, *added)]


def test_the_files_of_the_plugin_can_be_read_by_its_host_alone(home: Path, run: Run) -> None:
    address = "postgresql://ann:o+pen?5@db.example/x?password=se+same"
    shown = run("install", "claude-code", "--store", address, wide=True)
    assert shown.code == 0 and "o+pen" not in shown.out and "se+same" not in shown.out
    folder = home / ".steno" / "plugins" / "claude-code"
    server = folder / "claude-code" / ".mcp.json"
    assert server.stat().st_mode & 0o077 == 0
    given = json.loads(server.read_text())["mcpServers"]["steno"]
    command = shlex.join([*agent_plugins.own_command(), "mcp", address])
    assert given == {"command": "sh", "args": ["-c", f"exec {command}"], "alwaysLoad": True}
    hooks = json.loads((folder / "claude-code" / "hooks" / "hooks.json").read_text())["hooks"]
    for event in ("PreCompact", "SessionStart"):
        [group] = hooks[event]
        assert group["hooks"][0]["command"] == f"exec {command.replace(' mcp ', ' hook ')}"


def test_an_agent_that_is_missing_or_refuses_is_named(home: Path, run: Run) -> None:
    stand_in(home, "claude-code", fails="plugin install")
    refused(run("install", "claude-code", wide=True), "claude plugin install", "no such plugin")
    assert not is_set_up("claude-code")
    # What came in before is taken out, although the agent has no such plugin.
    stand_in(home, "claude-code", fails="plugin uninstall")
    assert run("install", "claude-code", "--remove", wide=True).code == 0
    assert not (home / ".steno").exists()
    (home / "bin" / "claude").unlink()
    refused(run("install", "claude-code", wide=True), "claude is not on the PATH")
    assert not (home / ".steno").exists()
    refused(run("install", "emacs", wide=True), "there is no agent 'emacs'", "opencode, pi")


def test_an_agent_that_says_yes_and_does_nothing_is_noticed(home: Path, run: Run) -> None:
    (home / "bin" / "pi").write_text("#!/bin/sh\n")
    refused(run("install", "pi", wide=True), "does not show the change")


def test_a_file_of_the_users_in_our_place_stays(home: Path, run: Run) -> None:
    plugin = home / ".config" / "opencode" / "plugins" / "steno.js"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("// mine")
    for words in ((), ("--remove",)):
        refused(run("install", "opencode", *words, wide=True), str(plugin), "left as it is")
    assert plugin.read_text() == "// mine"


def test_a_pipe_that_closes_at_the_first_line_stops_no_half_of_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def close(lines: object) -> None:
        raise BrokenPipeError

    for remove in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", SimpleNamespace(write=close, writelines=close))
            with pytest.raises(BrokenPipeError):
                install.install("claude-code", remove=remove)
        assert is_set_up("claude-code") is not remove


def test_without_the_tools_package_nothing_is_written(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    refused(run("install", "claude-code", wide=True), "pip install 'stenolog[mcp]'")
    dry = run("install", "claude-code", "--dry-run", wide=True)
    assert dry.code == 0 and "pip install 'stenolog[mcp]'" in dry.err
    assert "claude plugin install" in dry.out and "nothing was done" in dry.out
    assert not (home / ".steno").exists()


def test_the_running_executable_is_written_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "a b"))
    monkeypatch.setattr(sys, "argv", ["steno"])
    assert agent_plugins.own_command() == [sys.executable, "-m", "steno"]
    (tmp_path / "a b").mkdir()
    executable = tmp_path / "a b" / "steno"
    executable.write_text("#!/bin/sh\n")
    executable.chmod(0o700)
    assert agent_plugins.own_command() == [str(executable)]
    [script] = [path for path in plugin_host("pi").files.values() if path.suffix == ".js"]
    assert f"\"exec '{executable}' hook agent.db\"" in plugin_text(script, "agent.db")


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
        whose = ("hook", str(store), "--user", "ann")
        assert run(*whose, stdin=json.dumps(start).encode(), wide=True).out == ""
        # A host sends it on as a developer's message: it must not order anything then.
        fence = Fence.parse(offer)
        assert fence is not None and fence.label["kind"] == "memory"


@pytest.mark.parametrize(
    "stdin",
    [
        *("", "[]", "nonsense", "[" * 100_000),
        *('{"hook_event_name": "PreCompact"}', '{"hook_event_name": "X"}'),
    ],
)
def test_a_hook_never_stops_its_agent(tmp_path: Path, run: Run, stdin: str) -> None:
    ran = run("hook", str(tmp_path / "none.db"), stdin=stdin.encode(), wide=True)
    assert (ran.code, ran.out) == (0, "")


@pytest.mark.parametrize("rounds", [3, 60, 200])
def test_a_plugin_gets_all_that_its_list_said_as_one_text(
    tmp_path: Path, run: Run, rounds: int
) -> None:
    """Also what a view keeps in its place: of the list the host keeps nothing."""
    later = [{"role": "user", "content": "Also write the page on moorings."}]
    read = [
        part
        for n in range(3)
        for part in exchange(f"r{n}", "read", {"path": f"b{n}.py"}, "row\n" * 90)
    ]
    told = [*openai_talk(rounds), *later, *read]
    asked = json.dumps({"hook_event_name": "Compact", "messages": told})
    said = run("hook", str(tmp_path / "none.db"), stdin=asked.encode(), wide=True).out
    assert "Never touch production" in said
    assert f"USER: {told[0]['content']}" in said and f"USER: {later[0]['content']}" in said
    assert len(said) < 9_500


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
    assert "Never touch production" in said and "session 'local:s-1'" in said
    with steno.Session(store, name="s-1", user="local") as session:
        assert len(session.log.messages) == len(openai_talk(60))
    after = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "s-1"}
    monkeypatch.setenv("STENO_HANDED_OVER", "1")
    assert run("hook", store, stdin=json.dumps(after).encode(), wide=True).out == ""
