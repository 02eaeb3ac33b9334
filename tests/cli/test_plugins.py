"""The plugins for other agents, run by Node against the real command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.sample_messages import openai_talk

PLUGINS = Path(__file__).parents[2] / "plugins"
OPENCODE = """
import { StenoPlugin } from PLUGIN;
const client = { session: { messages: async () => ({ data: DATA }) } };
const output = { context: [] };
const hooks = await StenoPlugin({ client });
await hooks["experimental.session.compacting"]({ sessionID: "s" }, output);
console.log(JSON.stringify(output.context));
"""
PI = """
import steno from PLUGIN;
let hook;
steno({ on: (name, given) => { if (name === "session_before_compact") hook = given; } });
const preparation = { messagesToSummarize: DATA, turnPrefixMessages: [],
  firstKeptEntryId: "e7", tokensBefore: 9 };
console.log(JSON.stringify([await hook({ preparation })]));
"""


def run_plugin(name: str, program: str, data: list[Any], tmp_path: Path, command: str) -> Any:
    tmp_path.joinpath("steno").write_text(command)
    tmp_path.joinpath("steno").chmod(0o700)
    plugin = json.dumps(str(PLUGINS / name / "index.js"))
    program = program.replace("PLUGIN", plugin).replace("DATA", json.dumps(data))
    environ = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["node", "--input-type=module", "-e", program],
        env=environ,
        capture_output=True,
        check=True,
    )
    return json.loads(ran.stdout)


def opencode_data() -> list[Any]:
    data: list[Any] = []
    results = {one["tool_call_id"]: one for one in openai_talk(60) if one["role"] == "tool"}
    for message in openai_talk(60):
        if message["role"] == "tool":
            continue
        parts: list[Any] = [{"type": "text", "text": message["content"] or ""}]
        for call in message.get("tool_calls", ()):
            given = json.loads(call["function"]["arguments"])
            state = {"input": given, "output": results[call["id"]]["content"]}
            tool = call["function"]["name"]
            parts.append({"type": "tool", "callID": call["id"], "tool": tool, "state": state})
        data.append({"info": {"role": message["role"]}, "parts": parts})
    return data


def pi_data() -> list[Any]:
    data: list[Any] = []
    for message in openai_talk(60):
        content: list[Any] = [{"type": "text", "text": message["content"] or ""}]
        row: dict[str, Any] = {"role": message["role"], "content": content}
        if message["role"] == "tool":
            row |= {"role": "toolResult", "toolCallId": message["tool_call_id"]}
        for call in message.get("tool_calls", ()):
            given = json.loads(call["function"]["arguments"])
            name = call["function"]["name"]
            content.append({"type": "toolCall", "id": call["id"], "name": name, "arguments": given})
        data.append(row)
    return data


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
@pytest.mark.parametrize("name", ["opencode", "pi"])
def test_a_plugin_hands_over_what_steno_reads_and_falls_back(name: str, tmp_path: Path) -> None:
    program, data = OPENCODE, opencode_data()
    if name == "pi":
        program, data = PI, pi_data()
    real = f'#!/bin/sh\nexec {sys.executable} -m steno "$@"\n'
    [said] = run_plugin(name, program, data, tmp_path, real)
    assert "Never touch production" in json.dumps(said)
    if name == "pi":
        assert said["compaction"]["firstKeptEntryId"] == "e7"
    assert run_plugin(name, program, data, tmp_path, "#!/bin/sh\nexit 3\n") in ([], [None])


def test_the_claude_code_plugin_is_in_its_hosts_format() -> None:
    folder = PLUGINS / "claude-code"
    assert json.loads((folder / ".claude-plugin" / "plugin.json").read_text())["name"] == "steno"
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == {"PreCompact", "SessionStart"}
    assert "steno" in json.loads((folder / ".mcp.json").read_text())["mcpServers"]
