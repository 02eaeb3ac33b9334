"""Test runs: which commands are one, how a run ended, which run covers another.

A run is known by its command, or by the lines in which test runners sum up, whatever
started them. A runner that is only named (`git commit -m "run pytest"`) is no run. A run
covers another if it runs at least the other's tests.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import dropwhile

from steno.core.message import Value
from steno.core.word_tables import words_of
from steno.facts import shell
from steno.facts.sentences import lines_with
from steno.facts.text import small_letters, without_codes

ENDING = 4_000
"""Characters from the end of a result in which a test runner sums up."""
TEXTS_KEPT = 16
"""Results whose outcome is kept: several readers ask for the same one."""
LINE_MOST = 300

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
    "docker podman docker-compose kubectl ssh xvfb-run coverage conda cross-env turbo nx php"
).union(shell.LAUNCHERS)
"""Programs that start another one, which stands somewhere among their words."""
LAUNCHED_MOST = 12
"""Words of a launcher among which its program is looked for."""

_GOAL = re.compile(
    r"(?:^|[:._-])(?:tests?|specs?|check|verify|e2e|nextest)(?:$|[:._-])|^t$|^test[A-Z]|Tests?$"
)
_SILENT = re.compile(r"check|verify|lint")
_BUILDS = {("cargo", "check"), ("yarn", "check"), ("deno", "check")}
"""Goals that are named like tests and run none."""
_INSTALLS = words_of("install add i remove uninstall build pull push open codegen")
"""First operands with which a program runs no tests."""
_TEST_SCRIPT = re.compile(r"(?:[\w.-]*[_.-])?(?:tests?|spec|runtests)(?:[_.-][\w.-]*)?")
_ADDED = re.compile(r"(?<=gradle)w$|(?<=mvn)w$|(?<=[a-z])[\d.]+$")
"""A version behind a program's name, and the `w` of a script that a project brings with it."""
_FOR_ALL = words_of("make just task mise tox nox bazel")
"""Runners that run whatever tests a project has."""
_SCRIPT_TOOLS = words_of("npm yarn pnpm bun nx turbo")
_SCRIPT_RUNNERS = words_of("jest vitest mocha ava")
"""What the scripts of those tools mostly run."""
_WHOLE = words_of("./... .")
_SELECTS = words_of("-run -k -t -p -g -m -e --filter --grep --deselect --ignore")
"""Options that leave tests out."""
_NUMBER = re.compile(r"\d+[smh%]?")

LABEL = r"(?:\[[\w:./-]{1,40}\] |[\w@./-]{1,40}+:[a-z][\w-]{0,40}+: |#\d+ [\d.]+ )*+"
"""The names that runners of tasks put before each line of what a task says."""
_LABEL = re.compile(LABEL)
_SUMMARY = re.compile(
    # pytest, unittest
    r"[ \t]*+(?:(?:=+ )?(?:\d+ \w+, ){0,8}\d+ (?:passed|failed|errors?|skipped|deselected)\b"
    r".{0,200} in [\d.]+ ?s|Ran \d+ tests? in |FAILED \("
    # jest, vitest, mocha, bun, deno, playwright, node
    r"|(?:Tests|Test Suites|Test Files):?\s.{0,80}\b\d+ (?:passed|failed)"
    r"|\d+ (?:pass|fail)(?:ed|ing)?(?: \([\d.]+\w{1,2}\))?$|(?:ok|FAILED) \| \d+ passed"
    r"|[#ℹ] (?i:pass|fail):? +\d+"
    # go, cargo, ctest
    r"|ok\s+\S+\s+(?:[\d.]+s|\(cached\))|FAIL\t\S+|--- FAIL: \S|test result: (?:ok|FAILED)\. "
    r"|\d+% tests passed, \d+ tests? failed out of \d+"
    # gradle, dotnet, rspec, minitest, phpunit
    r"|\d+ tests? completed, \d+ failed|(?:Passed|Failed)!\s+- Failed:\s+\d+, Passed:"
    r"|\d+ (?:examples?|tests?|runs|scenarios?)\b.{0,60}, \d+ failures?"
    r"|OK \(\d+ tests?, \d+ assertions?\)|Tests: \d+, Assertions: \d+)"
    # nextest, maven, swift: behind a label
    r"|.{0,80}?\b(?:\d+ tests? run: \d+ passed|Tests run: \d+, Failures: \d+"
    r"|Executed \d+ tests?, with .{0,30}\d+ failures?)"
)
"""Lines that only test runners write, when they sum up."""
_FAILED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failures?|failing|fail|errors?)\b|\bfail +[1-9]"
    r"|\b(?:[Ff]ailures|[Ee]rrors|[Ff]ailed|FAIL)[=:] *[1-9]|^[ \t]*+(?:--- )?FAIL(?:ED|URE)?\b"
    r"|test result: FAILED|^not ok \d|ERROR collecting|\[build failed\]",
    re.M,
)
_BROKEN = re.compile(
    r"BUILD FAIL|^[ \t]*+(?:[1-9]\d* errors?$|ERROR\b.{0,80}\bfail|Failed: )", re.M
)
"""What says beside the summary that a run failed."""
_PASSED = re.compile(
    r"\b[1-9]\d*%? (?:tests? )?pass(?:ed|ing)?\b|\b(?i:pass)(?:ed)?:? +[1-9]|^[ \t]*+PASS\b|^OK \("
    r"|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?! \[no tests)|^[ \t]*+ok\s*$|BUILD SUCCESS"
    r"|All tests passed|\b(?:Tests run:|Executed|Ran) [1-9]"
    r"|\b[1-9]\d* (?:examples?|tests?|runs|scenarios?)\b.{0,60}, 0 fail",
    re.M,
)
_CUES = ("pass", "fail", "ok", "error", "success", "tests run", "ran ", "executed")
_COUNT_OR_VERDICT = re.compile(r"\d|FAIL|PASS|OK|ok|result|ERROR|[Bb]uild|BUILD|All")
"""A line without one of those, or without this, does not say how a run ended."""


class TestRun(Value):
    """A runner with its goal, and what it was told to run."""

    runner: str
    goal: str
    targets: frozenset[str]
    """Paths and names; none for everything."""
    limits: frozenset[str]
    """Options that leave some of it out."""

    def covers(self, other: TestRun) -> bool:
        """Tell whether it runs what another one ran."""
        if not self.limits <= other.limits:
            return False
        is_whole = not self.targets or bool(self.targets & _WHOLE)
        if is_whole and self.runner in _FOR_ALL:
            return True
        runs_scripts = self.runner in _SCRIPT_RUNNERS and other.runner in _SCRIPT_TOOLS
        if is_whole and runs_scripts and not other.targets:
            return True
        # `test` runs what `test:unit` runs, and not the other way round.
        same = self.runner == other.runner and other.goal.startswith(self.goal)
        return same and (is_whole or (bool(other.targets) and other.targets <= self.targets))


@lru_cache(maxsize=256)
def read_test_run(command: str) -> TestRun | None:
    """Return the first test run of a shell command."""
    runs = (_run_of_program(simple.words) for simple in shell.split_command(command))
    return next(filter(None, runs), None)


def ends_with_test(command: str) -> bool:
    """Tell whether the last thing that a command does is a test run."""
    main = shell.main_words(shell.split_command(command))
    return bool(main) and _run_of_program(main[-1]) is not None


def may_be_silent(command: str) -> bool:
    """Tell whether a run may pass without counting tests, such as `npm run check`."""
    run = read_test_run(command)
    return run is not None and run.runner not in RUNNERS and _SILENT.search(run.goal) is not None


def _run_of_program(words: list[str]) -> TestRun | None:
    """Return the test run that a program with its words is; None if it is none."""
    if not words:
        return None
    if inner := shell.inner_command(words):
        return read_test_run(inner)
    program, *rest = shell.program_words(words)
    program = _ADDED.sub("", program)
    if (rest and rest[0] in _INSTALLS) or shell.NOT_DONE.intersection(rest):
        return None
    if program in RUNNERS:
        return _run(program, "", rest)
    if program in INTERPRETERS:
        return _run_of_script(program, rest)
    if program in TOOLS and (run := _run_of_goal(program, rest)):
        return run
    if program in LAUNCHERS:
        started = (_run_of_program(rest[at:]) for at in range(min(len(rest), LAUNCHED_MOST)))
        return next(filter(None, started), None)
    if rest and rest[0] in RUNNERS | TOOLS and program not in shell.LOOKERS and program[:1] != "-":
        return _run_of_program(rest)  # started by a program that we do not know
    # `test` alone is the shell's own.
    if program != "test" and program.endswith((".sh", "test", "tests")):
        return _run_of_script("", [program, *rest])
    return None


def _run_of_goal(tool: str, words: list[str]) -> TestRun | None:
    for at, word in enumerate(words):
        if word in RUNNERS:
            break
        is_goal = not word.startswith("-") and "=" not in word and "/" not in word
        if is_goal and _GOAL.search(word) and (tool, word) not in _BUILDS:
            return _run(tool, word, words[at + 1 :])
    return None


def _run_of_script(interpreter: str, words: list[str]) -> TestRun | None:
    """Return the run of `python -m pytest`, `node --test` or of a script named after tests."""
    if "--test" in words:
        return _run(interpreter, "--test", words)
    script, *rest = list(dropwhile(shell.is_option, words)) or [""]
    name = script.rpartition("/")[2]
    if _TEST_SCRIPT.fullmatch(name):
        return _run(name, "", rest)
    if name and interpreter:
        return _run_of_program([name, *rest])
    return None


def _run(runner: str, goal: str, words: list[str]) -> TestRun:
    """Return a run with its operands, and the options that leave something out."""
    targets: set[str] = set()
    limits: set[str] = set()
    option = ""
    for word in words:
        name, _, value = word.partition("=")
        if option or (value and name in _SELECTS):
            limits.add(f"{option}{word}")
            option = ""
        elif word in _SELECTS:
            option = f"{word}="
        # A number belongs to an option (`-n 4`, `-timeout 60s`).
        elif not word.startswith("-") and not _NUMBER.fullmatch(word):
            targets.add(word)
    return TestRun(runner, goal, frozenset(targets), frozenset(limits))


@lru_cache(maxsize=TEXTS_KEPT)
def run_outcome(text: str) -> str:
    """Return how a test run ended: failed, passed, or nothing if its result does not say."""
    lines = _telling_lines(text[-ENDING:])
    telling = "\n".join(lines)
    # Where a runner sums up, only those lines count: tests that pass may log errors.
    summary = "\n".join(filter(_SUMMARY.match, lines)) or telling
    # First, because a run with failures counts what passed as well.
    if _FAILED.search(summary) or _BROKEN.search(telling):
        return "failed"
    return "passed" if _PASSED.search(summary) else ""


def summary_line(text: str) -> str:
    """Return the last line in which a test runner sums up, of a failure if one does; else empty."""
    lines = list(filter(_SUMMARY.match, _telling_lines(text[-ENDING:])))
    for verdict in (_FAILED, _PASSED, _SUMMARY):
        telling = list(filter(verdict.search, lines))
        if telling:
            return telling[-1].strip()
    return ""


@lru_cache(maxsize=TEXTS_KEPT)
def _telling_lines(ending: str) -> list[str]:
    ending = without_codes(ending)
    spans = lines_with(small_letters(ending), _CUES)
    lines = [_LABEL.sub("", ending[start:stop][:LINE_MOST], 1) for start, stop in spans]
    return list(filter(_COUNT_OR_VERDICT.search, lines))
