"""Checks: commands that build, lint or test what an agent wrote, and which files one covers.

A check is known by its program (`eslint`, `go vet`) or by the goal that a tool is given
(`make lint`, `npm run build`). It covers the files of its language below its targets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from steno.facts.languages.cues import words_of
from steno.facts.shell import operands_of, placed_programs, plain_words
from steno.facts.testruns import RUNNERS, TOOLS, run_of_program

_PROGRAMS = {
    **dict.fromkeys(words_of("ruff mypy pyright flake8 pylint black isort pyflakes ty"), "py"),
    **dict.fromkeys(words_of("pytest unittest nose2 nosetests tox nox hatch behave"), "py"),
    **dict.fromkeys(
        words_of("tsc vue-tsc eslint biome oxlint prettier webpack vite esbuild"), "js"
    ),
    **dict.fromkeys(words_of("rollup next jest vitest mocha ava npm yarn pnpm bun deno"), "js"),
    **dict.fromkeys(words_of("go golangci-lint staticcheck gofmt gotestsum ginkgo"), "go"),
    **dict.fromkeys(words_of("cargo rustc clippy-driver rustfmt"), "rs"),
    **dict.fromkeys(words_of("mvn gradle javac kotlinc sbt scalac ktlint"), "java"),
    **dict.fromkeys(words_of("rubocop rspec rake rails"), "rb"),
    **dict.fromkeys(words_of("phpunit phpstan psalm pest composer"), "php"),
    **dict.fromkeys(words_of("gcc cc clang ctest cmake ninja meson"), "c"),
    "dotnet": "cs",
    "swift": "swift",
}
"""What is written in which language, of programs that check."""
_ALWAYS = frozenset(_PROGRAMS) - TOOLS - {"go", "cargo"}
"""Those that check whatever they are told."""
_ENDINGS = {
    "py": "py pyi",
    "js": "js jsx ts tsx mjs cjs vue svelte css scss",
    "go": "go",
    "rs": "rs",
    "java": "java kt kts scala",
    "rb": "rb",
    "php": "php",
    "c": "c cc cpp cxx h hpp",
    "cs": "cs",
    "swift": "swift",
}
_LANGUAGES = {ending: name for name, endings in _ENDINGS.items() for ending in endings.split()}
_GOAL = re.compile(
    r"(?:^|[:._-])(?:build|compile|lint|check|types?|typecheck|type-check|vet|clippy|tests?|ci"
    r"|verify|assemble|validate|nextest)(?:$|[:._-])"
)
_STYLE = words_of(
    "ruff flake8 pylint black isort eslint biome oxlint prettier gofmt rustfmt rubocop"
)
_VERBS = words_of("check run format lint ci build")
"""First operands of checkers that are no paths."""
_STYLE_GOAL = re.compile(r"(?:^|[:._-])(?:lint|fmt|format|style)(?:$|[:._-])")
_WITHOUT_GOAL = words_of("make ninja pre-commit")
_WHOLE = frozenset((".", "./...", "...", "./"))


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A check: of which language, and what it was told to look at."""

    language: str
    """Empty for a tool that may run any."""
    targets: frozenset[str]
    """Paths; none for everything."""
    compiles: bool
    """Whether it cannot pass while something does not compile."""

    def covers(self, path: str) -> bool:
        """Tell whether it looks at a file."""
        language = _LANGUAGES.get(path.rpartition(".")[2].lower(), "")
        if language and self.language and language != self.language:
            return False
        if not self.targets or self.targets & _WHOLE:
            return True
        return any(_lies_in(path, target) for target in self.targets)


def _lies_in(path: str, target: str) -> bool:
    inside = target.removeprefix("./").removesuffix("/...").rstrip("/")
    return f"/{inside}/" in f"/{path}/" or inside.endswith(f"/{path}")


@lru_cache(maxsize=256)
def read_check_runs(command: str) -> tuple[CheckRun, ...]:
    """Return the checks that a shell command runs."""
    return tuple(_check_runs(command))


def _check_runs(command: str) -> Iterator[CheckRun]:
    for simple, words, _ in placed_programs(command):
        if not words or simple.piped:
            continue
        name, *rest = plain_words(words)
        operands = operands_of([name, *rest])
        tests = name in RUNNERS or run_of_program(words) is not None
        goals = any(map(_GOAL.search, operands)) or name in _WITHOUT_GOAL
        if not (tests or name in _ALWAYS or (goals and name in TOOLS | _WITHOUT_GOAL)):
            continue
        targets = [word for word in operands if word not in _VERBS]
        if tests or name not in _ALWAYS:
            # A goal is no path; and tests of a folder run code outside of it.
            targets = [word for word in targets if _is_path(word)]
        styles = name in _STYLE or any(map(_STYLE_GOAL.search, operands))
        yield CheckRun(_PROGRAMS.get(name, ""), frozenset(targets), not styles)


def _is_path(word: str) -> bool:
    return "/" in word or word in _WHOLE or word.rpartition(".")[2] in _LANGUAGES
