"""Every program in `examples/` runs: those that call a model, against a server on loopback."""

from __future__ import annotations

import gc
import json
import re
import runpy
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from anthropic.resources.messages.messages import DEPRECATED_MODELS

from tests.docs.test_promises import PAGES
from tests.support.loopback import Heard, Loopback, Say
from tests.support.paths import ROOT
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

EXAMPLES = ROOT / "examples"
CALLS = 12
CHAPTER = "A chapter about the mill and its river. " * 90
pytestmark = pytest.mark.slow


RunExample = Callable[..., str]


@pytest.fixture
def run_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> RunExample:
    """Run a program as its reader would, in an empty folder, and return what it prints."""

    def ran(name: str, *words: str, server: Loopback | None = None) -> str:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", [name, *words])
        if server is not None:
            for variable, value in {
                "OPENAI_API_KEY": "none",
                "OPENAI_BASE_URL": server.openai,
                "ANTHROPIC_API_KEY": "none",
                "ANTHROPIC_BASE_URL": server.anthropic,
            }.items():
                monkeypatch.setenv(variable, value)
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        # The end of a program closes its client; here the process goes on.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
        return capsys.readouterr().out

    return ran


@proves("docs.run")
def test_a_store_of_ones_own_passes_the_contract(run_example: RunExample) -> None:
    said = run_example("line_store.py")
    assert re.search(r"60 messages, [1-9]\d* commits after reopening", said)
    assert re.search(r"1\d tests of the contract; .* is left: False", said)


@proves("docs.run")
def test_the_whole_idea_runs_on_one_screen(run_example: RunExample) -> None:
    said = run_example("whole_idea.py")
    for words in ("log: 81 messages", "view: 0 as said", "commit 0", "open 3: Page 1", "undo:"):
        assert words in said
    assert "constraint: Never touch production." in said
    assert len((EXAMPLES / "whole_idea.py").read_text("utf-8").splitlines()) <= 48


@proves("docs.run")
@pytest.mark.parametrize(
    ("name", "tool", "argument"),
    [("openai_loop.py", "list_files", "folder"), ("anthropic_loop.py", "read", "path")],
)
def test_a_loop_of_ones_own(
    name: str, tool: str, argument: str, run_example: RunExample, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("nothing\n")
    value = "notes" if tool == "list_files" else "notes/a.txt"
    replies = [Say("Looking.", calls=((tool, {argument: value}),))] * CALLS
    # Twice in a row: the second run goes on in the same store.
    with Loopback(*replies, Say("Done."), *replies, Say("Done.")) as server:
        for _ in range(2):
            assert run_example(name, "Look.", server=server).strip() == "Done."
    assert len(server.heard) == 2 * (CALLS + 1)


@proves("docs.run")
def test_a_graph_stays_within_its_window(run_example: RunExample) -> None:
    def write(heard: Heard) -> Say:
        assert "Never mention prices." in heard.prompt
        return Say(CHAPTER)

    with Loopback(write) as server:
        printed = run_example("langgraph_agent.py", server=server)
    kept = int(printed.split()[0].replace(",", ""))
    assert 0 < kept < 8_000 * 4 < 11 * len(CHAPTER)


@proves("docs.run")
def test_transcripts_and_a_notebook(run_example: RunExample, tmp_path: Path) -> None:
    lines = "".join(f"{json.dumps(message)}\n" for message in openai_talk(100))
    (tmp_path / "session.jsonl").write_text(lines)
    printed = run_example("batch.py", ".", "--window", "8000")
    assert (
        printed.startswith("session.jsonl: ") and "constraint: Never touch production." in printed
    )
    assert "Find the slow query" in run_example("mcp_host.py", "session.jsonl", "slow query")
    assert "Invoice 3: it was booked" in run_example("memory_backend.py")
    names: dict[str, object] = {}
    for cell in json.loads((EXAMPLES / "notebook.ipynb").read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(cell["source"], names)


def test_no_example_names_a_model_that_is_about_to_end() -> None:
    files = [*PAGES, *EXAMPLES.iterdir(), *(ROOT / "src" / "steno" / "cli").rglob("*.py")]
    ends = re.compile(rf"\b(?:{'|'.join(map(re.escape, DEPRECATED_MODELS))})(?![\w.-])")
    assert [file for file in files if file.is_file() and ends.search(file.read_text("utf-8"))] == []


def test_every_example_is_listed_in_the_readme_and_run_here() -> None:
    told = (EXAMPLES / "README.md").read_text("utf-8")
    here = Path(__file__).read_text("utf-8")
    for file in EXAMPLES.iterdir():
        if file.suffix in (".py", ".ipynb"):
            assert f"`{file.name}`" in told
            assert f'"{file.name}"' in here


@proves("docs.run")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("anthropic_loop.py", "set ANTHROPIC_API_KEY"),
        ("openai_loop.py", "set OPENAI_API_KEY"),
        ("langgraph_agent.py", "set OPENAI_API_KEY"),
        ("mcp_host.py", "usage: python mcp_host.py"),
        ("surprisal.py", "usage: python surprisal.py"),
    ],
)
def test_without_a_key_or_arguments_an_example_ends_in_one_line(
    name: str, words: str, run_example: RunExample, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(SystemExit, match=words) as ended:
        run_example(name)
    assert "\n" not in str(ended.value.code)
