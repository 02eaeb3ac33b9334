"""Run the real coding agents through `steno wrap`: `python -m bench agents`.

Each agent that is on the PATH runs in a folder and a home of its own against a scripted provider on
this machine: so many shell commands whose output makes the conversation outgrow every window, then
an end. The provider judges each request (key, legality) and counts four bytes a token. Each agent
runs once without Steno, to compare the tools it offers, then at its default limit and at windows.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.ground import arguments, tell, verdict, wide
from steno.proxy.launch import AGENTS
from tests.support import legal, legal_responses
from tests.support.converse_server import gemini_problems
from tests.support.loopback import Heard, Loopback, Reply, Say, Wrong

TASK = "Read the tables with shell commands, one after the other, then say done."
OWN_COMPACTION = re.compile(
    r"detailed summary|checkpoint compaction|handoff summary|state_snapshot|anchored summary", re.I
)
"""In the last words of a request with which an agent compacts by itself."""
SECONDS_MOST = 600
REAL_WINDOWS = {"codex": 272_000, "opencode": 200_000, "copilot": 200_000, "pi": 200_000}
"""Tokens above which the provider refuses; for the others a million."""
MILLION = 1_000_000
WINDOW_SAID = re.compile(r'(?:context_?window|model_context_window)\\?"\s*:\s*(\d+)', re.I)
"""The window that an agent reports, in its output or in the files of its session."""


def _command(name: str, key: str) -> Callable[[str], tuple[str, dict[str, Any]]]:
    return lambda command: (name, {key: command, "description": "read a table"})


@dataclass(frozen=True)
class Agent:
    """How one agent is run once, and how its model calls its shell."""

    words: Sequence[str]
    call: Callable[[str], tuple[str, dict[str, Any]]]
    variables: dict[str, str]
    judge: Callable[[Any], Iterable[str]]
    key: Callable[[dict[str, str]], bool]
    files: dict[str, str] = field(default_factory=dict)
    """What its user set up before, in their home."""
    address: str = ""
    """The variable in which its user gives a provider's address, if it must be given."""
    lines: int = 400
    """Lines that each command prints, as many as the agent does not shorten by itself."""


def _bearer(headers: dict[str, str]) -> bool:
    return headers.get("authorization") == "Bearer sk-key"


def _api_key(headers: dict[str, str]) -> bool:
    return headers.get("x-api-key") == "sk-key"


ALL: dict[str, Agent] = {
    "claude": Agent(
        ["-p", "--output-format", "json", "--allowedTools", "Bash", "--", TASK],
        _command("Bash", "command"),
        {"ANTHROPIC_API_KEY": "sk-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        legal.anthropic,
        _api_key,
    ),
    "codex": Agent(
        [
            "exec",
            "--model",
            "gpt-5.4",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            TASK,
        ],
        lambda command: ("exec_command", {"cmd": command}),
        {"OPENAI_API_KEY": "sk-key", "CODEX_API_KEY": "sk-key"},
        legal_responses.openai_responses,
        _bearer,
    ),
    "opencode": Agent(
        ["run", "--model", "anthropic/claude-sonnet-4-5", TASK],
        _command("bash", "command"),
        {"ANTHROPIC_API_KEY": "sk-key"},
        legal.anthropic,
        _api_key,
    ),
    "gemini": Agent(
        ["--yolo", "--skip-trust", "--model", "gemini-2.5-pro", "-p", TASK],
        _command("run_shell_command", "command"),
        {"GEMINI_API_KEY": "sk-key"},
        gemini_problems,
        lambda headers: headers.get("x-goog-api-key") == "sk-key",
        {".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'},
    ),
    "copilot": Agent(
        ["--allow-all-tools", "--no-auto-update", "-p", TASK],
        lambda command: ("bash", {**_command("bash", "command")(command)[1], "mode": "sync"}),
        {
            "COPILOT_PROVIDER_API_KEY": "sk-key",
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_MODEL": "claude-sonnet-4-5",
            "COPILOT_OFFLINE": "true",
        },
        legal.anthropic,
        _api_key,
        address="COPILOT_PROVIDER_BASE_URL",
        lines=280,
    ),
    "pi": Agent(
        ["--offline", "--model", "anthropic/claude-sonnet-4-5", "--thinking", "off", "-p", TASK],
        lambda command: ("bash", {"command": command}),
        {"ANTHROPIC_API_KEY": "sk-key"},
        legal.anthropic,
        _api_key,
    ),
}


@dataclass
class Script:
    """The scripted provider's side of one run."""

    agent: Agent
    calls: int
    window: int
    made: int = 0
    largest: int = 0
    refused: int = 0
    compactions: int = 0
    """Requests with which the agent compacts by itself."""
    problems: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    """Each tool with what is said about it."""

    def __call__(self, heard: Heard) -> Reply:
        tokens = len(heard.raw) // 4
        if not self.agent.key(heard.headers):
            self.problems.append("the key is missing")
            return Wrong(401, "no key")
        self.largest = max(self.largest, tokens)
        if tokens > self.window:
            self.refused += 1
            return Wrong(400, f"prompt is too long: {tokens} tokens > {self.window} maximum")
        self.problems += self.agent.judge(heard.body)
        tools = _tools(heard.body)
        if OWN_COMPACTION.search(heard.prompt[-6_000:]):
            self.compactions += 1
            return Say("<state_snapshot>We read tables.</state_snapshot>", sent=tokens)
        name, given = self.agent.call(_rows(self.made, self.agent.lines))
        if name not in map(_name, tools):
            return Say("a title", sent=tokens)
        self.tools = self.tools or sorted(json.dumps(tool, sort_keys=True) for tool in tools)
        if self.made == self.calls:
            return Say("done", sent=tokens, number=self.made + 1)
        self.made += 1
        return Say("Next.", calls=((name, given),), sent=tokens, number=self.made)


WORDS = "orders table column index query plan cache page lock commit value key user cost node scan"
AWK = (
    'BEGIN{srand(%d);n=split("%s",w," ");for(i=0;i<%d;i++){l="";'
    'for(j=0;j<8;j++)l=l w[int(rand()*n)+1] " ";print i": "l int(rand()*9999)}}'
)


def _rows(number: int, lines: int) -> str:
    """Return a command that prints lines, each time others: 400 are about 5,000 tokens."""
    return f"awk '{AWK % (number, WORDS, lines)}'"


def _tools(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a request says about each tool, but for the one that Steno adds."""
    given = list(body.get("tools") or ())
    for item in body.get("input") or ():
        # Codex gives its tools in an item of their own.
        given += item.get("tools") or ()
    inner = [one for tool in given for one in tool.get("functionDeclarations") or [tool]]
    return [without_mark(one) for one in inner if _name(one) != "recall"]


def without_mark(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool without the mark of the provider's cache, which stands on the last one."""
    return {key: value for key, value in tool.items() if key != "cache_control"}


def _name(tool: dict[str, Any]) -> str:
    return str(tool.get("name") or tool.get("function", tool).get("name") or tool.get("type"))


def window_reported(output: str, home: str) -> str:
    """Return the window that an agent says it has; empty if it says none."""
    found = set(WINDOW_SAID.findall(output))
    for path in Path(home).rglob("*.jsonl"):
        found |= set(WINDOW_SAID.findall(path.read_text(errors="replace")))
    return ", ".join(sorted(found, key=int))


@dataclass(frozen=True)
class Run:
    agent: str
    window: str
    script: Script
    code: int
    seconds: float
    line: str
    """What `steno wrap` says at the end."""
    output: str
    reported: str = ""
    """The window that the agent says it has."""


def run(name: str, window: str, calls: int) -> Run:
    """Run one agent; `window` is a size, "default", or "none" to run it without Steno."""
    agent = ALL[name]
    script = Script(agent, calls, REAL_WINDOWS.get(name, MILLION))
    with Loopback(script) as provider, tempfile.TemporaryDirectory() as home:
        work = Path(home, "work")
        work.mkdir()
        for path, text in agent.files.items():
            Path(home, path).parent.mkdir()
            Path(home, path).write_text(text)
        environ = {key: value for key, value in os.environ.items() if "BASE_URL" not in key}
        environ |= {"HOME": home, "PWD": str(work), **agent.variables}
        if agent.address:
            environ[agent.address] = provider.anthropic
        command = [name, *agent.words]
        if window == "none":
            # As with Steno, but with the provider's own address in place of a proxy's.
            led = AGENTS[name](command, provider.anthropic, os.environ)
            command, environ = list(led.arguments), environ | led.variables
        else:
            size = [] if window == "default" else ["--window", window]
            wrap = [sys.executable, "-m", "steno", "wrap", *size]
            if not agent.address:
                wrap += ["-u", provider.anthropic]
            command = [*wrap, *command]
        began = time.monotonic()
        try:
            done = subprocess.run(
                command,
                env=environ,
                cwd=work,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS_MOST,
            )
            code, output = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired as failure:
            code, output = -1, str(failure)
        reported = window_reported(output, home)
    own = [line for line in output.splitlines() if line.startswith("steno: ")]
    seconds = time.monotonic() - began
    return Run(name, window, script, code, seconds, "\n".join(own), output, reported)


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--agents", nargs="*", default=list(ALL), choices=list(ALL))
    parser.add_argument("--windows", nargs="*", default=["none", "default", "100k", "48k", "32k"])
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--show", action="store_true", help="print what each agent printed")
    given = parser.parse_args()
    console = wide()
    tell(
        console, f"{given.calls} calls of a shell, up to 400 lines each; written in bench/agents.py"
    )
    heads = "agent|window|exit|calls|largest|compacts itself|refused|illegal|tools|reports|seconds"
    table = Table(*heads.split("|"))
    missed: list[str] = []
    for name in given.agents:
        if shutil.which(name) is None:
            console.print(f"{name}: not installed")
            continue
        asked = subprocess.run([name, "--version"], capture_output=True, text=True)
        version = re.findall(r"\d+\.\d+\.\d+", asked.stdout + asked.stderr)[0]
        tools: list[str] = []
        for window in given.windows:
            ran = run(name, window, given.calls)
            script = ran.script
            if window == "none":
                tools = script.tools
            other = {_name(json.loads(tool)) for tool in set(script.tools) ^ set(tools)}
            same = (
                "same" if not other else f"{len(script.tools)}, other: {', '.join(sorted(other))}"
            )
            table.add_row(
                f"{name} {version}",
                window,
                str(ran.code),
                str(script.made),
                f"{script.largest:,}",
                str(script.compactions),
                str(script.refused),
                str(len(script.problems)),
                same if window != "none" else str(len(tools)),
                ran.reported,
                f"{ran.seconds:.0f}",
            )
            console.print(f"{name} {window}: {ran.line or ran.code}", highlight=False)
            if given.show:
                console.print(ran.output[-4_000:], highlight=False, markup=False)
            if window != "none" and (ran.code or script.made < given.calls or script.problems):
                missed.append(f"{name} {window}: {script.problems[:3] or ran.output[-300:]}")
    console.print(table)
    return verdict(console, missed)
