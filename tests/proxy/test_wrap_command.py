"""`steno wrap`: a program runs through a proxy of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import steno
from steno.proxy.launch import AGENTS
from tests.support.command_line import Run
from tests.support.loopback import Broken, Half, Heard, Loopback, Say

AGENT = """
import json, os, sys
from urllib.request import Request, urlopen
# As the SDK does, which takes two seconds to load.
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
headers = {"x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json"}
talk = []
for turn in range(12):
    talk.append({"role": "user", "content": f"step {turn}: " + "word " * 300})
    body = json.dumps({"model": "claude-opus-5-5", "max_tokens": 9, "messages": talk}).encode()
    with urlopen(Request(url, body, headers)) as answer:
        said = json.load(answer)["content"][0]["text"]
    talk.append({"role": "assistant", "content": said})
print(*sys.argv[1:])
sys.exit(7)
"""


def sane(heard: Heard) -> Say:
    return Say("noted", sent=len(heard.prompt) // 4)


def wrapped(run: Run, *arguments: str) -> tuple[list[int], int, str]:
    with Loopback(sane) as provider:
        ran = run("wrap", "-u", provider.anthropic, "-w", "4k", *arguments)
        return [len(heard.prompt) // 4 for heard in provider.heard], ran.code, ran.err


@pytest.mark.slow
def test_a_program_stays_within_its_window_and_keeps_its_arguments(
    run: Run, tmp_path: Path
) -> None:
    program = tmp_path / "agent.py"
    program.write_text(AGENT)
    store = str(tmp_path / "agent.db")
    sent, code, err = wrapped(run, "--store", store, sys.executable, str(program), "--window", "9k")
    assert code == 7
    assert len(sent) == 12
    assert max(sent) < 4_000
    assert "12 requests, " in err and " tokens shown, " in err and err.count("\n") == 1
    assert not list(tmp_path.glob("*.log"))
    assert run("show", store, "--json").json


def test_a_command_that_is_not_there(run: Run) -> None:
    ran = run("wrap", "no-such-agent")
    assert ran.code == 127
    assert "no-such-agent" in ran.err


@pytest.mark.parametrize("name", AGENTS)
def test_each_agent_is_told_its_address_by_this_run_alone(name: str) -> None:
    arguments: Sequence[str] = [name, "--flag"]
    led = AGENTS[name](arguments, "http://127.0.0.1:1/t")
    assert led.arguments[0] == name
    assert led.arguments[-1] == "--flag"
    assert "http://127.0.0.1:1/t" in json.dumps([*led.variables.values(), *led.arguments])


@pytest.mark.parametrize(("name", "limit"), [("claude", 160_000), ("codex", 200_000)])
def test_an_agent_has_a_limit_of_its_own(name: str, limit: int, run: Run, tmp_path: Path) -> None:
    agent = tmp_path / name
    agent.write_text(f"#!{sys.executable}\n{AGENT}")
    agent.chmod(0o755)
    store = tmp_path / "agent.db"
    with Loopback(sane) as provider:
        ran = run("wrap", "-u", provider.anthropic, "--store", str(store), str(agent))
        assert (ran.code, len(provider.heard)) == (7, 12)
    with steno.Session(store) as session:
        assert session.budget.limit == limit


TALKS_TO_A_SCREEN = """
import json, os, time
from urllib.request import Request, urlopen
print("begun", flush=True)
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
talk = [{"role": "user", "content": "hello"}]
body = json.dumps({"model": "claude-opus-5-5", "max_tokens": 9, "messages": talk, "stream": True})
for _ in range(2):
    try:
        urlopen(Request(url, body.encode(), {"x-api-key": "k"})).read()
    except OSError as failure:
        print(type(failure).__name__, flush=True)
    except Exception:
        print("broken off", flush=True)
time.sleep(0.3)
print("ended", os.isatty(1), os.isatty(2), flush=True)
"""


@pytest.mark.slow
def test_the_screen_is_the_agents_and_the_log_has_what_went_wrong(tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(TALKS_TO_A_SCREEN)
    store = tmp_path / "agent.db"
    screen, terminal = os.openpty()
    with Loopback(Half(), Broken()) as provider:
        words = ["wrap", "-u", provider.anthropic, "--store", store, sys.executable, program]
        command = [sys.executable, "-m", "steno", *map(str, words)]
        # A socket that was never closed, as warnings show it, must not reach the screen either.
        environ = {**os.environ, "PYTHONWARNINGS": "always"}
        done = subprocess.run(
            command, stdin=terminal, stdout=terminal, stderr=terminal, env=environ, timeout=60
        )
    os.close(terminal)
    lines = os.read(screen, 100_000).decode().splitlines()
    os.close(screen)
    assert done.returncode == 0
    begun, ended = lines.index("begun"), lines.index("ended True True")
    assert lines[begun + 1 : ended] == ["broken off", "HTTPError"]
    assert all(line.startswith("steno: ") for line in lines[ended + 1 :])
    [log] = tmp_path.glob("*.log")
    assert "the upstream broke off" in log.read_text()
    assert "cannot be reached" in log.read_text()
    assert str(log) in "".join(lines[ended + 1 :])
