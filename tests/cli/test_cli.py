"""The command line teaches, works in a pipe, and answers a mistake in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

import pytest

import steno
from steno.cli import main
from steno.cli.demo import command, replay

CALL = "from steno.cli.main import main; main()"
REPLAYED_ONCE = cache(replay.replay_story)
"""The story takes a second; how it is printed is what these tests are about."""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def ran(*words: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["steno", *words])
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("TERM", "dumb")
        with pytest.raises(SystemExit) as left:
            main.main()
        said = capsys.readouterr()
        return Ran(int(left.value.code or 0), said.out, said.err)

    return ran


def test_help_teaches_with_examples(run) -> None:
    ran = run("--help")
    assert ran.code == 0
    for words in (
        "Examples",
        "steno demo",
        "--window 32000",
        "steno.compact(messages",
        "word for word",
        "demo ",
    ):
        assert words in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_no_command_at_all_shows_the_help(run) -> None:
    ran = run()
    assert "Examples" in ran.out + ran.err


def test_each_command_has_examples_of_its_own(run) -> None:
    ran = run("demo", "-h")
    assert ran.code == 0
    for words in ("Examples", "--window", "--json", "no key"):
        assert words in ran.out


def test_it_says_its_version(run) -> None:
    assert run("--version").out == f"steno {steno.__version__}\n"


@pytest.mark.slow
def test_the_demo_runs_through(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "replay_story", REPLAYED_ONCE)
    ran = run("demo")
    assert ran.code == 0 and ran.err == ""
    assert ran.out.startswith("An agent says ")
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.slow
def test_json_is_json_alone(run) -> None:
    ran = run("demo", "--json", "--window", "400000")
    told = json.loads(ran.out)
    assert ran.code == 0 and told["window"] == 400_000 and told["proven"]


@pytest.mark.parametrize("window", ["0", "-5", "100"])
def test_a_mistake_is_one_line_and_exit_code_2(run, window: str) -> None:
    ran = run("demo", "--window", window)
    assert ran.code == 2 and ran.out == ""
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("steno: ") and "--window" in ran.err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("demo", "--window", "many"), "--window"),
        (("demo", "--colour"), "No such option"),
        (("dmeo",), "No such command"),
    ],
)
def test_what_cannot_be_read_is_named(run, words: tuple[str, ...], what: str) -> None:
    ran = run(*words)
    assert ran.code == 2 and what in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.slow
def test_a_demo_that_does_not_hold_says_so(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "replay_story", REPLAYED_ONCE)
    monkeypatch.setattr(replay.DemoReplay, "fits", property(lambda replay: False))
    ran = run("demo")
    assert ran.code == 1
    assert "✗ " in ran.out and "requests fit" in ran.out


def test_a_fault_of_ours_is_not_called_a_mistake_of_the_users(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(window: int) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(command, "replay_story", broken)
    monkeypatch.setattr(sys, "argv", ["steno", "demo"])
    with pytest.raises(RuntimeError, match="ours"):
        main.main()


@pytest.mark.slow
def test_it_works_in_a_pipe() -> None:
    words = ["demo", "--window", "64000"]
    piped = subprocess.run([sys.executable, "-c", CALL, *words], capture_output=True, text=True)
    assert piped.returncode == 0 and piped.stderr == ""
    assert "\x1b" not in piped.stdout


@pytest.mark.slow
def test_help_waits_for_no_vocabulary() -> None:
    asks = "import sys; sys.argv = ['steno', '--version']\ntry:\n main()\nexcept SystemExit: pass\n"
    modules = "'splintr', 'rich.console', 'steno.cli.demo.replay'"
    heavy = f"print([m for m in ({modules}) if m in sys.modules])"
    code = f"from steno.cli.main import main\n{asks}{heavy}"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("module", ["steno", "steno.cli.main"])
def test_it_runs_as_a_module(module: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"steno {steno.__version__}\n"
