"""Test runs: which commands are one, how a run ended, which run covers another.

A result says how its run ended; only the call says whether it was a test. A run covers
another if the same runner runs at least the other's targets.
"""

from __future__ import annotations

import re

from steno.core.message import Call

COMMAND_MOST = 400
ENDING = 4_000
"""Characters from the end of a result in which a test runner sums up."""
LINE_MOST = 300

_COMMAND = re.compile(
    r'"(?:command|cmd|script|code)"\s*:\s*(?:"((?:[^"\\]|\\.){1,2000})"|\[([^\]]{1,2000})\])'
)
_TEST = re.compile(
    r"(?:^|[\s;&|(/])((?:python[\d.]* -m )?(?:pytest|py\.test|unittest)|tox|nox|go test"
    r"|cargo (?:test|nextest)"
    r"|(?:npm|yarn|pnpm|bun)(?: run)? test[\w:-]*"
    r"|(?:npx |bunx |yarn |pnpm )?(?:jest|vitest|mocha|playwright test|cypress run)|rspec|phpunit"
    r"|mvnw? (?:[\w:-]+ )*test|(?:\./)?gradlew? (?:[\w:-]+ )*test"
    r"|dotnet test|make (?:[\w-]*test[\w-]*|check)|mise (?:run )?test[\w:-]*|just test[\w-]*"
    r"|task test[\w:-]*"
    r"|ctest|swift test|mix test"
    r"|(?:bin/)?rails test|deno test|flutter test|sbt test|bazel test|rake (?:test|spec))(?![\w-])"
)
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
_FOR_ALL = ("make", "mise", "just", "task", "tox", "nox", "bazel")
"""Runners that run a project's other runners."""
_STOPS = re.compile(r"\s*(?:\||&&|;|2?>|$)")
_TARGETS = re.compile(r"(?<=\s)(?:(?:-run|-k|-t|-p|--filter)[ =])?(?!-)[\w./:*@\[\]^$'\"|{}-]+")


def test_command(call: Call) -> str:
    """The test command that a call runs; empty for any other call."""
    if (
        "test" not in call.arguments
        and "spec" not in call.arguments
        and "nox" not in call.arguments
    ):
        return ""
    found = _COMMAND.search(call.arguments)
    if found is None:
        return ""
    if found[1]:
        command = found[1].replace('\\"', '"').replace("\\n", "\n")
    else:
        command = found[2].replace('"', "").replace(",", " ")
    if _TEST.search(command):
        return command[:COMMAND_MOST]
    return ""


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
    runner, targets = _split_targets(newer)
    other, others = _split_targets(older)
    whole = not targets or "./..." in targets
    return (runner == other and (whole or others <= targets)) or (
        whole and runner.startswith(_FOR_ALL)
    )


def _split_targets(command: str) -> tuple[str, frozenset[str]]:
    found = _TEST.search(command)
    if found is None:
        return command, frozenset()
    stop = _STOPS.search(command, found.end())
    rest = command[found.end() : stop.start() if stop else len(command)]
    runner = found[1].partition(":")[0]
    return runner, frozenset(_TARGETS.findall(rest))
