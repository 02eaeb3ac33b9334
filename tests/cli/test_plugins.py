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

from tests.proxy.test_proxy import between
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
FITS = """
import { StenoPlugin } from PLUGIN;
const output = { messages: DATA };
const hooks = await StenoPlugin({ client: {} });
await hooks["experimental.chat.messages.transform"]({}, output);
console.log(JSON.stringify(output.messages));
"""
PI = """
import steno from PLUGIN;
let hook;
steno({ on: (name, given) => { if (name === "session_before_compact") hook = given; } });
const preparation = { messagesToSummarize: DATA, turnPrefixMessages: [],
  firstKeptEntryId: "e7", tokensBefore: 9 };
console.log(JSON.stringify([await hook({ preparation })]));
"""


CLAUDE = """
import { spawnSync } from "node:child_process";
const { register } = await import(PLUGIN);
let hook, handed;
register((name, given) => (hook = given));
const run = async ([command, ...words], { stdin }) => {
  const { status, stdout, stderr } = spawnSync(command, words, { input: stdin, encoding: "utf8" });
  return { exitCode: status, stdout, stderr };
};
const $ = {
  process: { run },
  env: { get: async (name) => process.env[name], set: async (name, value) => (handed = value) },
  session: { id: async () => "s-1" },
  ui: { log() {} },
};
const next = async () => ({ messages: "its own" });
const { messages } = await hook($, { trigger: "auto", messages: DATA }, next);
const other = await hook($, { trigger: "auto", agentId: "a", messages: DATA }, next);
console.log(JSON.stringify([messages, handed, other.messages]));
"""
FILES = {"claude-code": "hooks/compact.js"}


def run_plugin(name: str, program: str, data: list[Any], tmp_path: Path, command: str) -> Any:
    tmp_path.joinpath("steno").write_text(command)
    tmp_path.joinpath("steno").chmod(0o700)
    plugin = json.dumps(str(PLUGINS / name / FILES.get(name, "index.js")))
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


def test_one_folder_is_in_the_formats_of_claude_code_and_codex() -> None:
    [listed] = read_json(".claude-plugin/marketplace.json")["plugins"]
    assert (listed["name"], listed["source"]) == ("steno", "./claude-code")
    claude = read_json("claude-code/.claude-plugin/plugin.json")
    codex = read_json("claude-code/.codex-plugin/plugin.json")
    assert claude["name"] == codex["name"] == "steno"
    # Codex reads no file of hooks with any other key.
    assert list(read_json("claude-code", codex["hooks"])) == ["hooks"]
    assert set(read_json("claude-code/hooks/hooks.json")["hooks"]) == {"PreCompact", "SessionStart"}
    [module] = read_json("claude-code", claude["hooks"])["modules"]
    assert (PLUGINS / "claude-code" / "hooks" / module).exists()
    assert "steno" in read_json("claude-code", codex["mcpServers"])["mcpServers"]


def read_json(*parts: str) -> Any:
    return json.loads(PLUGINS.joinpath(*parts).read_text())


def session_data() -> list[Any]:
    """Return opencode's messages with what tells their session and model."""
    data = opencode_data()
    for at, message in enumerate(data):
        message["info"] |= {"id": f"msg_{at}", "sessionID": "ses_1", "model": {"modelID": "gpt-5"}}
    return data


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_opencode_fits_each_request_by_a_running_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = session_data()
    with between() as there:
        monkeypatch.setenv("STENO_PROXY", there.address)
        short = run_plugin("opencode", FITS, data[:5], tmp_path, "")
        assert short == data[:5]
        shown = run_plugin("opencode", FITS, data, tmp_path, "")
        assert not there.provider.heard
    assert len(json.dumps(shown)) // 4 < 4_000 + len(shown) * 60 < len(json.dumps(data)) // 4
    # The newest stay as they were; what was left out has a message of Steno's in its place.
    assert shown[-1] == data[-1]
    known = {message["info"]["id"] for message in data}
    written = [message for message in shown if message["info"]["id"] not in known]
    assert written and all(message["info"]["role"] == "user" for message in written)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
@pytest.mark.parametrize("address", ["", "http://127.0.0.1:9"])
def test_opencode_sends_its_own_list_without_a_proxy(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STENO_PROXY", address)
    data = session_data()
    assert run_plugin("opencode", FITS, data, tmp_path, "") == data


def claude_data() -> list[Any]:
    data: list[Any] = []
    for message in openai_talk(60):
        if message["role"] == "tool":
            result = {"tool_use_id": message["tool_call_id"], "text": message["content"]}
            row = {"role": "user", "text": "", "toolUses": [], "toolResults": [result]}
        else:
            calls = message.get("tool_calls", ())
            uses = [
                {"tool_use_id": call["id"], "tool": call["function"]["name"], "input": {}}
                for call in calls
            ]
            row = {"role": message["role"], "text": message["content"] or "", "toolUses": uses}
        data.append(row | {"handle": f"h{len(data)}"})
    return data


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_claude_code_gets_a_compaction_or_makes_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    data = claude_data()
    real = f'#!/bin/sh\nexec {sys.executable} -m steno "$@"\n'
    (first, *rest), handed, of_other = run_plugin("claude-code", CLAUDE, data, tmp_path, real)
    assert "Never touch production" in first["text"] and "handle" not in first
    # The newest stay as they were, and none of their results stands without its call.
    assert rest == data[-len(rest) :] and not rest[0].get("toolResults")
    assert (handed, of_other) == ("1", "its own")
    broken = run_plugin("claude-code", CLAUDE, data, tmp_path, "#!/bin/sh\nexit 3\n")
    assert broken == ["its own", "", "its own"]
