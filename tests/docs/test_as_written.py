"""Every snippet of the pages and every example of `--help` runs as written.

In a whole run each runs twice in a row, because readers try things again.

Commands run in this process. What a shell does for them (pipes, `<`, `>`, `*`) is done here;
addresses of servers are those on loopback, because a test must not take a fixed port.
"""

from __future__ import annotations

import glob
import inspect
import json
import os
import re
import shlex
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import MemorySaver
from openai import OpenAI

import steno
import steno.cli.demo.command as demo_command
from steno.adapters.langchain import StenoMiddleware
from steno.adapters.langgraph import CompactingSupervisor
from steno.cli.demo.replay import replay_story
from steno.cli.demo.techniques import run_lab
from steno.cli.main import COMMANDS, root_command
from steno.gateway.server import serve
from steno.providers import PROVIDERS
from tests.support.command_line import Ran, Run
from tests.support.langgraph_agents import Spoken
from tests.support.loopback import Heard, Loopback, Say
from tests.support.paths import ROOT
from tests.support.postgres import with_tenant
from tests.support.promises import WHOLE, proves
from tests.support.sample_messages import anthropic_talk
from tests.support.scripted_research import ScriptedModel

pytestmark = pytest.mark.slow

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SNIPPET = re.compile(r"```python\n(.*?)```", re.S)
AROUND = re.compile(r"^```\n((?:import steno\n)?client = .*?)^```", re.S | re.M)
"""Lines that stand for a program of the reader's: its client, graph, model and tools."""
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
PROMPTED, BARE = re.compile(r"^\$ (steno .*)$", re.M), re.compile(r"^(steno [a-z].*)$", re.M)
HELP_EXAMPLE = re.compile(r"^  ((?:steno|echo|claude) .*?)(?:\s{2,}.*)?$", re.M)
TIMES = 1 + WHOLE
SERVERS = ("gateway", "inspect", "proxy")
ONCE = re.compile(
    r"steno (?:store forget (?!\S+ --older)|store fork .*--name|memory .*(?:edit|delete)"
    r"|constraints .*(?:add|retire))\b"
)
"""Commands that take a name or take something away: the second time they say that it is done."""
DATABASE = re.compile(r"postgresql://db\.example/agents(?:\?steno_tenant=acme)?")
SOURCE = re.compile(r"docs/\w+\.md:\d+")


@pytest.fixture(autouse=True)
def providers_as_before() -> Iterator[None]:
    """Forget the provider that a page registers."""
    known = dict(PROVIDERS)
    yield
    PROVIDERS.clear()
    PROVIDERS.update(known)


def answer_as_a_model(heard: Heard) -> Say:
    """Search once, then answer with a source; other prompts get a grade or an answer."""
    if "grades" in heard.prompt:
        return Say('{"grades": [{"id": "q1", "reader": "R0", "grade": 1}]}')
    if "answers" in heard.prompt:
        return Say('{"answers": [{"id": "q1", "answer": "the query"}]}')
    found = SOURCE.search(heard.prompt)
    if found is None:
        return Say('CALL search {"query": "writer fails"}')
    return Say(f"ANSWER: As the page says.\nSOURCES: {found[0]}")


def help_examples(name: str) -> list[str]:
    """Return the examples of a command as its help shows them."""
    functions: list[Any] = [root_command]
    if name:
        module, _, attribute = COMMANDS[name][0].partition(":")
        found = getattr(import_module(f"steno.cli.{module}"), attribute)
        functions = [found]
        if isinstance(found, typer.Typer):
            functions = [command.callback for command in found.registered_commands]
    docs = "\n".join(inspect.getdoc(function) or "" for function in functions)
    return HELP_EXAMPLE.findall(docs)


def work(words: int) -> list[dict[str, Any]]:
    """Return a session with a call that failed and a constraint that came later."""
    talk = anthropic_talk(64, words=words)
    talk[-1]["content"][0] |= {"content": "no such table: orders", "is_error": True}
    talk[12]["content"] += [{"type": "text", "text": "Never write to the archive."}]
    return talk


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that examples name."""
    folder = tmp_path_factory.mktemp("templates")
    talk = work(words=120)
    lines = "".join(f"{json.dumps(message)}\n" for message in talk)
    for name in ("session.jsonl", "a.jsonl", "logs/one.jsonl", "logs/two.jsonl"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(lines, encoding="utf-8")
    (folder / "a.json").write_text(json.dumps(talk), encoding="utf-8")
    question = {"question": "What is slow?", "answer": "the query", "positions": [0]}
    (folder / "mine.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    (folder / "mine.toml").write_text("soft = 0.8\n", encoding="utf-8")
    for name in ("a", "research-42"):
        path = folder / f"{name}.db"
        options = {"wire": "anthropic", "window": 8_000, "user": "ann", "durable": False}
        with steno.Session(path, name=name, **options) as session:
            session.add(*talk[:90])
            session.compact()
            session.add(*talk[90:])
            session.compact()
    return folder


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """Providers on loopback, found by the variables that their SDKs read."""
    with Loopback(answer_as_a_model) as up:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_BASE_URL", up.openai)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", up.anthropic)
        yield up


@pytest.fixture
def gateway() -> Iterator[str]:
    up = serve(ScriptedModel(), "127.0.0.1:0")
    yield up.address
    up.stop(0)


class Shell:
    """Runs a command line in this process, with its pipes and redirections."""

    def __init__(self, run: Run, addresses: dict[str, str]) -> None:
        self.run = run
        self.addresses = addresses

    def __call__(self, line: str) -> Ran:
        for written, real in self.addresses.items():
            line = line.replace(written, real)
        line = line.removeprefix("claude mcp add steno -- ")
        said = b""
        command, _, after = line.partition(" | ")
        if command.startswith("echo "):
            said = f"{shlex.split(command)[1]}\n".encode()
            command, after = after, ""
        # Not by `comments=True`, which would end a word at the # of an address.
        words = shlex.split(re.sub(r"\s#.*", "", command))[1:]
        to = None
        if ">" in words:
            to = Path(words[words.index(">") + 1])
            del words[words.index(">") :]
        if "<" in words:
            said = Path(words[words.index("<") + 1]).read_bytes()
            del words[words.index("<") :]
        found = [name for word in words for name in (sorted(glob.glob(word)) or [word])]
        with interrupting(found[0] in SERVERS):
            ran = self.run(*found, stdin=said, wide=True)
        if after:
            wanted = shlex.split(after.removeprefix("grep "))[0]
            assert any(wanted in each for each in ran.out.splitlines()), line
        if to is not None:
            to.write_text(ran.out, encoding="utf-8")
        return ran


@contextmanager
def interrupting(serves: bool) -> Iterator[None]:
    """Press Ctrl-C as soon as a server waits for it."""
    if not serves:
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def press() -> None:
        while signal.getsignal(signal.SIGINT) is before:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    presses = threading.Thread(target=press, daemon=True)
    presses.start()
    yield
    presses.join(10)


@pytest.fixture
def shell(run: Run, server: Loopback, gateway: str) -> Shell:
    return Shell(
        run,
        {
            "http://localhost:11434/v1": server.openai,
            "grpc://127.0.0.1:50051": f"grpc://{gateway}",
            "--listen 127.0.0.1:50051": "--listen 127.0.0.1:0",
            "--listen 0.0.0.0:443": "--listen 0.0.0.0:0",
            "gateway --model openai": "gateway --listen 127.0.0.1:0 --model openai",
            "steno proxy": "steno proxy --port 0",
        },
    )


@pytest.fixture(autouse=True)
def agents(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of others that examples start; they do nothing here."""
    folder = tmp_path_factory.mktemp("bin")
    for name in ("claude", "codex", "python"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def page_text(page: Path, request: pytest.FixtureRequest) -> str:
    """Return a page, with an empty store on the tests' own server for its database."""
    text = page.read_text(encoding="utf-8")
    if DATABASE.search(text):
        text = DATABASE.sub(with_tenant(request.getfixturevalue("postgres")), text)
    return text


@proves("docs.run")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_snippets_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    snippets = SNIPPET.findall(page_text(page, request))
    for _ in range(TIMES):
        names: dict[str, object] = {}
        for snippet in snippets:
            exec(compile(snippet, page.name, "exec"), names)


@proves("docs.run")
def test_the_lines_around_an_agent_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Loopback
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = [block for page in PAGES for block in AROUND.findall(page.read_text("utf-8"))]
    assert len(blocks) == 2
    model = Spoken(answers=lambda _: AIMessage("Hello."))
    graph = create_agent(model, [], checkpointer=MemorySaver())
    for block in blocks * TIMES:
        names: dict[str, Any] = {"steno": steno, "graph": graph, "model": model, "tools": []}
        names |= {"OpenAI": OpenAI, "create_agent": create_agent}
        names["messages"] = [{"role": "user", "content": "Hello."}]
        names |= {"CompactingSupervisor": CompactingSupervisor, "StenoMiddleware": StenoMiddleware}
        exec(block, names)
        with names["client"] as client:
            said = client.chat.completions.create(
                model="gpt-5", messages=[{"role": "user", "content": "Hello?"}]
            )
        assert said.choices[0].message.content
        if "agent" in names:
            state = names["agent"].invoke({"messages": [("user", "Hello?")]})
            assert state["messages"][-1].content == "Hello."


@proves("docs.run")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    templates: Path,
    shell: Shell,
    request: pytest.FixtureRequest,
) -> None:
    """Those of `steno`; what `make` and `pip` do is done before any test runs."""
    for name in ("session.jsonl", "mine.jsonl"):
        shutil.copy(templates / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    commands = []
    for language, block in FENCE.findall(page_text(page, request)):
        if language == "console":
            commands += PROMPTED.findall(block)
        elif language in ("", "sh", "text"):
            commands += BARE.findall(block)
    for again in range(TIMES):
        for command in commands:
            ran = shell(command)
            done_before = again and ran.code == 2 and ONCE.match(command)
            assert ran.code == 0 or done_before, f"{command}\n{ran.err}"
            assert ran.out or ran.err


@proves("docs.run")
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_the_examples_of_help_run(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    templates: Path,
    shell: Shell,
    certificate: tuple[Path, Path],
) -> None:
    examples = help_examples(name)
    assert examples
    monkeypatch.setenv("STENO_GATEWAY_TOKEN", "a-token-of-the-test-that-is-long")
    if name == "demo":
        # A second each; what a run leaves behind for the next one is not in this value.
        monkeypatch.setattr(demo_command, "replay_story", cache(replay_story))
        monkeypatch.setattr(demo_command, "run_lab", cache(run_lab))
    if name == "doctor":
        # With --live it would run the agents, which do nothing here.
        monkeypatch.setenv("PATH", os.defpath)
    if not name:
        elsewhere = [example for command in COMMANDS for example in help_examples(command)]
        examples = [example for example in examples if example not in elsewhere]
    for number, example in enumerate(examples):
        # An action on a constraint or a memory needs those of the lines before it.
        folder = tmp_path / str(number * (name not in ("constraints", "memory")))
        if folder.exists():
            run_example(shell, example)
            continue
        shutil.copytree(templates, folder)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("HOME", str(folder))
        monkeypatch.setenv("XDG_DATA_HOME", str(folder))
        shutil.copytree(ROOT / "docs", "docs")
        Path("src").mkdir()
        shutil.copy(certificate[0], "c.pem")
        shutil.copy(certificate[1], "k.pem")
        if "mine.jsonl" not in example:
            Path("mine.jsonl").unlink()
        session = "research-42.db"
        if "--session a" in example:
            session = "a.db"
        shutil.copy(session, "agent.db")
        if "17@6000" in example:
            Path("agent.db").unlink()
            with steno.Session("agent.db", window=200_000, durable=False) as long:
                long.add(*[{"role": "user", "content": "A row of the log. " * 400}] * 18)
        if name == "memory":
            for town in ("Basel", "Bonn", "Genf"):
                shell(f'steno memory agent.db add "The office of {town} is open."')
        if "--handover" in example:
            asked = [{"question": "What is slow?", "answer": "the query"}]
            Path("mine.jsonl").write_text(json.dumps({"id": "one", "questions": asked}))
        if name == "probe":
            long = "".join(f"{json.dumps(each)}\n" for each in work(words=2_000))
            Path("session.jsonl").write_text(long, encoding="utf-8")
        if name == "chat":
            shell("echo hello | steno chat")
        run_example(shell, example)


def run_example(shell: Shell, example: str) -> None:
    for again in range(TIMES):
        ran = shell(example)
        if again and ONCE.match(example):
            assert (ran.code, ran.out) == (2, "") and ran.err.count("\n") == 1
        else:
            assert ran.code == 0, f"{example}\n{ran.err}"
            assert ran.out or ran.err or ">" in example or "mcp" in example


def test_what_the_map_names_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = page.partition("## Where to look")[2].partition("\n\nTo add")[0]
    named = re.findall(r"`(\w+/\w+\.py)`(?: \(([^)]*)\))?", table)
    assert len(named) > 4
    for path, names in named:
        code = (ROOT / "src" / "steno" / path).read_text("utf-8")
        assert all(name in code for name in re.findall(r"`(\w+)`", names)), path
