"""Test runs: which calls are one, how a run ended, which run covers another.

What a runner prints at its end is known by its form, whatever started it; where it prints
nothing of the kind, the command tells. A command is split as a shell would, so that a runner
that is only named (`git commit -m "run pytest"`) is none. A run covers another if it runs at
least the other's targets.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from functools import lru_cache

from steno.core.message import Call
from steno.core.words import words_of
from steno.facts.shell import ASIDES, LOOKERS
from steno.facts.shell_words import inner_command, program_words, split_command

COMMAND_MOST = 400
ENDING = 4_000
"""Characters from the end of a result in which a test runner sums up."""
ENDINGS_KEPT = 16
"""Such endings whose telling lines are remembered."""
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
_SILENT = re.compile(r"check|verify|lint")
_GOALS = {"npm": ("t",), "mvn": ("verify",)}
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
_RUNS_FOR = {
    **dict.fromkeys(words_of("npm yarn pnpm bun nx turbo"), words_of("jest vitest mocha ava")),
    **dict.fromkeys(words_of("tox nox hatch"), words_of("pytest unittest")),
    **dict.fromkeys(words_of("rake rails"), words_of("rspec")),
    **dict.fromkeys(words_of("composer artisan"), words_of("phpunit pest")),
    "go": words_of("gotestsum ginkgo"),
}
"""Tools whose goals run one of these runners."""
_SELECTS = words_of("-run -k -t -p -g --filter --grep")
"""Options whose value says which tests."""
_NUMBER = re.compile(r"\d+[smh%]?")

_SUMMARY = re.compile(
    # pytest, unittest, tox, nox
    r"=+ .{0,200}\b\d+ (?:passed|failed|errors?|skipped|deselected)\b.{0,200} in [\d.]+ ?s"
    r"|\d+ (?:passed|failed|errors?)\b.{0,120} in [\d.]+ ?s|Ran \d+ tests? in |FAILED \("
    r"|[ \t]*+\S+: (?:OK|FAIL) .{0,20}\(?[\d.]+[= ]"
    r"|[ \t]*+congratulations :\)|[ \t]*+evaluation failed :\("
    r"|nox > Session \S+ (?:was successful|failed)"
    # jest, vitest, mocha, bun, deno, playwright, TAP
    r"|[ \t]*+(?:Tests|Test Suites|Test Files):?\s.{0,80}\b\d+ (?:passed|failed)"
    r"|[ \t]*+\d+ (?:passing|failing)\b|[ \t]*+\d+ (?:pass|fail)$|(?:ok|FAILED) \| \d+ passed"
    r"|[ \t]*+\d+ passed \([\d.]+m?s\)|[#ℹ] (?:pass|fail|PASS|FAIL):? +\d+"
    # go, cargo, ctest, meson, prove
    r"|ok\s+\S+\s+(?:[\d.]+s|\(cached\))|FAIL\t\S+|[ \t]*+--- FAIL: \S"
    r"|test result: (?:ok|FAILED)\. "
    r"|\d+% tests passed, \d+ tests? failed out of \d+"
    r"|(?:Ok|Fail):\s+\d+\s*$|All tests successful|Result: (?:PASS|FAIL)\b"
    # JUnit, gradle, dotnet, swift, rspec, minitest, ExUnit, phpunit
    r"|\d+ tests? completed, \d+ failed"
    r"|(?:Passed|Failed)!\s+- Failed:\s+\d+, Passed:|Test Run (?:Successful|Failed)\."
    r"|[ \t]*+\d+ (?:examples?|tests?|runs|scenarios?)\b.{0,60}, \d+ failures?"
    r"|OK \(\d+ tests?, \d+ assertions?\)|Tests: \d+, Assertions: \d+"
)
"""How lines begin that only test runners write, when they sum up."""
_COUNTED = re.compile(
    r"\b\d+ tests? run: \d+ passed|\bTests run: \d+, Failures: \d+"
    r"|\bExecuted \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures?"
)
"""The same anywhere in a line."""
_FAILED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failures?|failing|fail|errors?)\b|^[ \t]*+(?:--- )?FAIL(?:ED"
    r"|URE)?\b|\b(?:[Ff]ailures|[Ee]rrors|[Ff]ailed|[Ff]ail|FAIL)[=:] *[1-9]|: FAIL\b"
    r"|test result: FAILED|BUILD FAIL|\bfail(?:ed)?\s+[1-9]\d*\b|^not ok \d"
    r"|ERROR collecting|\[build failed\]|evaluation failed :\(|^nox > Session \S+ failed"
    r"|^Test Run Failed|^Result: FAIL",
    re.M,
)
_PASSED = re.compile(
    r"\b[1-9]\d* (?:tests? )?pass(?:ed|ing)?\b|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?! \[no tests)"
    r"|^[ \t]*+PASS\b|^OK\b|^[ \t]*+ok\s*$|: OK\b|\b[Pp]ass(?:ed)?:?\s+[1-9]\d*\b|\bPASS: +[1-9]"
    r"|test result: ok\. [1-9]|BUILD SUCCESS|All tests (?:passed|successful)|^Ok:\s+[1-9]"
    r"|\b(?:[1-9]\d*)% tests passed|congratulations :\)|was successful"
    r"|\bTests run: [1-9]|\bExecuted [1-9]\d* tests?|^Test Run Successful|^Result: PASS"
    r"|\b[1-9]\d* (?:examples?|tests?|runs|scenarios?)\b.{0,60}, 0 failures",
    re.M,
)
_CUES = ("pass", "fail", "ok", "error", "success", "tests run", "ran ", "executed")
_EMPTY = re.compile(
    r"^Ran 0 tests|\bno tests (?:ran|were found)\b|\[no tests to run\]|^No tests? (?:found|files)",
    re.M | re.I,
)
"""What runners say that found no test."""
_NOT_RUN = "[setup failed]"


@dataclass(frozen=True, slots=True)
class TestRun:
    """A runner with its goal, and what it was told to run; no targets if everything."""

    runner: str
    goal: str
    targets: frozenset[str]

    def covers(self, other: TestRun) -> bool:
        """Tell whether it runs what another one ran."""
        whole = not self.targets or "./..." in self.targets
        if whole and self.runner in _FOR_ALL:
            return True
        # A tool's goal runs a runner: that one alone, and all of it, is the same work.
        if whole and not other.targets and self.runner in _RUNS_FOR.get(other.runner, ()):
            return True
        # `test` runs what `test:unit` runs, and not the other way round.
        same = self.runner == other.runner and other.goal.startswith(self.goal)
        return same and (whole or (bool(other.targets) and other.targets <= self.targets))


def test_command(call: Call) -> str:
    """Return the test command that a call runs; empty for any other call."""
    found = _COMMAND.search(call.arguments)
    if found is None:
        return ""
    try:
        command = json.loads(found[1])
    except (ValueError, RecursionError):
        # Not yet whole, not JSON, or nested too deeply: the words are there all the same.
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
        if run := run_of_program(simple.words):
            return run
    return None


def ends_with_test(command: str) -> bool:
    """Tell whether the last thing that a command does is a test run."""
    programs = [simple for simple in split_command(command) if simple.words and not simple.piped]
    told = [each for each in programs if program_words(each.words)[0] not in ASIDES]
    return bool(told) and run_of_program(told[-1].words) is not None


def run_of_program(words: list[str]) -> TestRun | None:
    """Return the test run that a program with its operands is; None if it is none."""
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
            if run := run_of_program(rest[at:]):
                return run
        return None
    if rest and rest[0] in RUNNERS | TOOLS and program not in LOOKERS and program[0] != "-":
        # Some wrapper: it is of no use to know them all.
        return run_of_program(rest)
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
        return run_of_program(words[1:])
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


def may_be_silent(command: str) -> bool:
    """Tell whether a run may pass without counting tests, such as `npm run check`."""
    run = read_test_run(command)
    return run is not None and run.runner not in RUNNERS and _SILENT.search(run.goal) is not None


def run_outcome(text: str) -> str:
    """Return how a run ended, if its result says so: failed, passed, or nothing."""
    lines = _telling_lines(text)
    # Where a runner sums up, only those lines count: tests that pass may log the errors they
    # provoke.
    summary = "\n".join(filter(_sums_up, lines))
    telling = "\n".join(lines)
    if not telling or _NOT_RUN in telling:
        return ""
    # First, because a run with failures counts what passed as well.
    if _FAILED.search(summary or telling) or "BUILD FAIL" in telling:
        return "failed"
    if _PASSED.search(summary):
        return "passed"
    if _PASSED.search(telling) and not _EMPTY.search(text[-ENDING:]):
        return "passed"
    return ""


def summary_line(text: str) -> str:
    """Return the line in which a test runner sums up, whatever started it; empty if none.

    Of several lines the last that tells of a failure, else the last that tells of success.
    """
    found = list(filter(_sums_up, _telling_lines(text)))
    for verdict in (_FAILED, _PASSED):
        telling = [line for line in found if verdict.search(line)]
        if telling:
            return telling[-1].strip()
    return "".join(found[-1:]).strip()


def _sums_up(line: str) -> bool:
    if _SUMMARY.match(line):
        return True
    return (" run: " in line or "Executed " in line) and _COUNTED.search(line) is not None


def _telling_lines(text: str) -> tuple[str, ...]:
    return _lines_with_cues(text[-ENDING:])


# Several readers and the story ask how one run ended.
@lru_cache(maxsize=ENDINGS_KEPT)
def _lines_with_cues(ending: str) -> tuple[str, ...]:
    # Most results are no test runs and hold none of the words, or one or two.
    low = ending.lower()
    cues = [cue for cue in _CUES if cue in low]
    if not cues:
        return ()
    # Small letters change no line ends.
    return tuple(
        line[:LINE_MOST]
        for line, small in zip(ending.split("\n"), low.split("\n"), strict=True)
        if any(map(small[:LINE_MOST].__contains__, cues))
    )


def covers_run(newer: str, older: str) -> bool:
    """Tell whether running `newer` runs what `older` ran."""
    run, other = read_test_run(newer), read_test_run(older)
    if run is None or other is None:
        return newer == older
    return run.covers(other)


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
