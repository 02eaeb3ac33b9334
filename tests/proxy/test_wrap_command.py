"""`steno wrap`: a program runs through a proxy of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from steno.proxy.launch import AGENTS
from tests.support.command_line import Run
from tests.support.loopback import Heard, Loopback, Say

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
    # While it ran, its screen was its own: one line, at the end.
    assert "12 requests" in err and err.count("\n") == 1
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
