"""Test runs: which commands are one, how a run ended, which run covers another.

A result says how its run ended; only the call says whether it was a test. A command is
split as a shell would, so that a runner that is only named (`git commit -m "run pytest"`)
is none. A run covers another if the same runner runs at least the other's targets.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from functools import lru_cache

from steno.core.message import Call
from steno.facts.languages.cues import words_of
from steno.facts.shell import ASIDES, LOOKERS, inner_command, program_words, split_command

COMMAND_MOST = 400
ENDING = 4_000
"""Characters from the end of a result in which a test runner sums up."""
LINE_MOST = 300

_COMMAND = re.compile(
    r'"(?:command|cmd|script|code)"\s*:\s*("(?:[^"\\]|\\.){1,2000}"|\[[^\]]{1,2000}\])'
)
RUNNERS = words_of(
    "pytest py.test unittest nose2 nosetests behave robot tox nox jest vitest mocha ava karma "
    "jasmine cypress playwright testcafe wdio rspec cucumber phpunit pest ctest bats gotestsum "
    "ginkgo prove"
)
"""Programs that run tests, whatever their operands."""
TOOLS = words_of(
    "make just task mise rake npm yarn pnpm bun deno go cargo mvn gradle dotnet swift mix rails "
    "flutter dart sbt bazel ninja meson zig composer artisan lein stack cabal nx turbo hatch "
    "invoke manage.py"
)
"""Programs that run tests if their goal is named so (`make check`, `npm run test:unit`)."""
INTERPRETERS = words_of("python node ruby perl php bash sh zsh tsx")
LAUNCHERS = words_of(
    "npx bunx uvx uv poetry pipenv pdm hatch bundle docker podman docker-compose kubectl ssh "
    "xvfb-run coverage conda cross-env npm yarn pnpm bun turbo nx php"
)
"""Programs that run the one which stands somewhere behind them."""
LAUNCHED_MOST = 12
"""Words of a launcher among which its program is looked for."""

_GOAL = re.compile(
    r"(?:^|[:._-])(?:tests?|specs?|check|e2e|nextest)(?:$|[:._-])|^test[A-Z]|Tests?$"
)
_GOALS = {"npm": ("t",), "go": ("vet",), "mvn": ("verify",)}
"""Goals that are tests by another name."""
_BUILDS = {("cargo", "check"), ("yarn", "check"), ("deno", "check")}
"""Goals that are named like tests and only compile, or look at what is installed."""
_TASK_VERBS = words_of("run exec")
"""Words between a tool and its goal."""
_INSTALLS = words_of("install add i remove uninstall build pull push open codegen")
"""First operands of a runner, a tool or a launcher that then runs nothing of the kind."""
_TEST_SCRIPT = re.compile(r"(?:^|[_.-])(?:tests?|spec|runtests)(?:[_.-]|$)")
_VERSION = re.compile(r"[\d.]+$")
_FOR_ALL = words_of("make just task mise tox nox bazel")
"""Runners that run a project's other runners."""
_SELECTS = words_of("-run -k -t -p -g --filter --grep")
"""Options whose value says which tests."""
_NUMBER = re.compile(r"\d+[smh%]?")

_FAILED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failures?|failing|errors?)\b|^\s*(?:--- )?FAIL(?:ED"
    r"|URE)?\b|\b(?:failures"
    r"|errors|failed)[=:] ?[1-9]"
    r"|test result: FAILED|BUILD FAIL|\bfail(?:ed)?\s+[1-9]\d*\b"
    r"|ERROR collecting|\[build failed\]",
    re.M,
)
_PASSED = re.compile(
    r"\b\d+ (?:tests? )?pass(?:ed|ing)\b|^\s*(?:ok|PASS)\b|^OK\b|\bpass(?:ed)?\s+\d+\b"
    r"|test result: ok"
    r"|BUILD SUCCESS|All tests passed|\b0 fail",
    re.M,
)
_NOT_RUN = "[setup failed]"


@dataclass(frozen=True, slots=True)
class TestRun:
    """A runner with its goal, and what it was told to run; no targets if everything."""

    runner: str
    goal: str
    targets: frozenset[str]


def test_command(call: Call) -> str:
    """The test command that a call runs; empty for any other call."""
    found = _COMMAND.search(call.arguments)
    if found is None:
        return ""
    try:
        command = json.loads(found[1])
    except ValueError:
        # Not yet whole, or not JSON: the words are there all the same.
        command = found[1].strip('"')
    if isinstance(command, list):
        command = shlex.join(map(str, command))
    if read_test_run(command[:COMMAND_MOST]) is None:
        return ""
    return str(command[:COMMAND_MOST])


@lru_cache(maxsize=256)
def read_test_run(command: str) -> TestRun | None:
    """Return the first test run of a shell command."""
    for simple in split_command(command):
        if run := _run_of(simple.words):
            return run
    return None


def ends_with_test(command: str) -> bool:
    """Tell whether the last thing that a command does is a test run."""
    programs = [simple for simple in split_command(command) if simple.words and not simple.piped]
    told = [each for each in programs if program_words(each.words)[0] not in ASIDES]
    return bool(told) and _run_of(told[-1].words) is not None


def _run_of(words: list[str]) -> TestRun | None:
    """Return the test run that a program with its operands is."""
    if not words:
        return None
    if inner := inner_command(words):
        return read_test_run(inner)
    words = program_words(words)
    program, rest = _plain_name(words[0]), words[1:]
    if rest and rest[0] in _INSTALLS:
        return None
    if program in RUNNERS:
        return TestRun(program, "", _targets(rest))
    if program in INTERPRETERS:
        return _run_of_script(program, rest)
    if program in TOOLS and (run := _run_of_goal(program, rest)):
        return run
    if program in LAUNCHERS:
        for at in range(min(len(rest), LAUNCHED_MOST)):
            if run := _run_of(rest[at:]):
                return run
        return None
    if rest and rest[0] in RUNNERS | TOOLS and program not in LOOKERS and program[0] != "-":
        # Some wrapper: it is of no use to know them all.
        return _run_of(rest)
    # `test` alone is the shell's own.
    if program != "test" and program.endswith((".sh", "test", "tests")):
        return _run_of_script("", words)
    return None


def _plain_name(program: str) -> str:
    """Return a program's name without its version and without the `w` of a wrapper script."""
    if program in ("gradlew", "mvnw"):
        return program[:-1]
    return _VERSION.sub("", program) or program


def _run_of_goal(tool: str, words: list[str]) -> TestRun | None:
    for at, word in enumerate(words):
        if word in RUNNERS:
            break
        if word.startswith("-") or "=" in word or "/" in word or word in _TASK_VERBS:
            continue
        if word in _GOALS.get(tool, ()) or (_GOAL.search(word) and (tool, word) not in _BUILDS):
            return TestRun(tool, word, _targets(words[at + 1 :]))
    return None


def _run_of_script(interpreter: str, words: list[str]) -> TestRun | None:
    """Return the run of `python -m pytest`, `node --test` or of a script named after tests."""
    if words[:1] == ["-m"]:
        return _run_of(words[1:])
    if "--test" in words:
        return TestRun(interpreter, "--test", _targets(words))
    operands = [word for word in words if not word.startswith("-")]
    if not operands:
        return None
    script = operands[0].rpartition("/")[2]
    if script in TOOLS:
        return _run_of_goal(script, operands[1:])
    if _TEST_SCRIPT.search(script):
        return TestRun(script, "", _targets(operands[1:]))
    return None


def run_outcome(text: str) -> str:
    """How a run ended, if its result says so: failed, passed, or nothing."""
    telling = "\n".join(line for line in text[-ENDING:].split("\n") if _may_tell(line))
    if not telling or _NOT_RUN in telling:
        return ""
    # First, because a run with failures counts what passed as well.
    if _FAILED.search(telling):
        return "failed"
    if _PASSED.search(telling):
        return "passed"
    return ""


def _may_tell(line: str) -> bool:
    low = line[:LINE_MOST].lower()
    return "pass" in low or "fail" in low or "ok" in low or "error" in low or "success" in low


def covers_run(newer: str, older: str) -> bool:
    """Whether running `newer` runs what `older` ran."""
    run, other = read_test_run(newer), read_test_run(older)
    if run is None or other is None:
        return newer == older
    whole = not run.targets or "./..." in run.targets
    if whole and run.runner in _FOR_ALL:
        return True
    # `test` runs what `test:unit` runs, and not the other way round.
    same = run.runner == other.runner and other.goal.startswith(run.goal)
    return same and (whole or (bool(other.targets) and other.targets <= run.targets))


def _targets(words: list[str]) -> frozenset[str]:
    """Return the operands that say what is run, and the values of options that select."""
    targets: set[str] = set()
    selects = ""
    for word in words:
        if selects or (word.partition("=")[0] in _SELECTS and "=" in word):
            targets.add(f"{selects}{word}")
            selects = ""
        elif word in _SELECTS:
            selects = f"{word}="
        # A number belongs to an option (`-n 4`, `-timeout 60s`).
        elif not word.startswith("-") and not _NUMBER.fullmatch(word):
            targets.add(word)
    return frozenset(targets)
