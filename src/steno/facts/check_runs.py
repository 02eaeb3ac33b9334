"""Checks: commands that build, lint or test what an agent wrote, and which files one covers.

A check is known by its program (`eslint`, `go vet`) or by the goal that a tool is given
(`make lint`, `npm run build`). It covers the files of its language below its targets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, get_args

from steno.core.words import words_of
from steno.facts.shell import limits_of, operands_of, placed_programs, plain_words
from steno.facts.testruns import RUNNERS, TOOLS, run_of_program

CheckKind = Literal["tests", "types", "lint", "format"]
"""What a check looks for; a compiler looks at types."""

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
_COMPILED = frozenset(("go", "rs", "java", "c", "cs", "swift"))
"""Languages whose tests do not run while something does not compile."""
_LINTERS = words_of("ruff flake8 pylint pyflakes eslint biome oxlint rubocop ktlint")
_FORMATTERS = words_of("black isort prettier gofmt rustfmt")
_FOR_ALL = words_of("make just task mise pre-commit")
"""Tools with which a project runs whatever it has."""
_ALL_GOAL = re.compile(r"(?:^|[:._-])(?:check|ci|verify|validate)(?:$|[:._-])")
_VERBS = words_of("check run format lint ci build")
"""First operands of checkers that are no paths."""
_STYLE_GOAL = re.compile(r"(?:^|[:._-])(?:lint|fmt|format|style)(?:$|[:._-])")
_WITHOUT_GOAL = words_of("make ninja pre-commit")
_WHOLE = frozenset((".", "./...", "...", "./"))


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A check: its language, and what it was told to look at."""

    language: str
    """Empty for a tool that may run any."""
    targets: frozenset[str]
    """Paths; none for everything."""
    kinds: frozenset[CheckKind]
    limits: tuple[str, ...] = ()
    """What makes it less than the whole, as `limits_of` tells."""

    def proves(self, kinds: frozenset[CheckKind], path: str) -> bool:
        """Tell whether a file has no such fault left if it passes."""
        found = self.kinds
        if "tests" in found and _language_of(path) in _COMPILED:
            found |= {"types"}
        return bool(kinds) and kinds <= found and self.covers(path)

    def covers(self, path: str) -> bool:
        """Tell whether it looks at a file."""
        language = _language_of(path)
        if language and self.language and language != self.language:
            return False
        if not self.targets or self.targets & _WHOLE:
            return True
        return any(_lies_in(path, target) for target in self.targets)


def _language_of(path: str) -> str:
    return _LANGUAGES.get(path.rpartition(".")[2].lower(), "")


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
        if name in RUNNERS:
            targets += _folders(rest)
        kinds = _kinds_of(name, operands, tests)
        limits = tuple(limits_of(words))
        yield CheckRun(_PROGRAMS.get(name, ""), frozenset(targets), kinds, limits)


def _folders(words: list[str]) -> list[str]:
    """Return the words that no option can take as its value."""
    return [word for before, word in pairwise(("", *words)) if "-" not in (before[:1], word[:1])]


def _kinds_of(name: str, operands: list[str], tests: bool) -> frozenset[CheckKind]:
    is_all = name in _FOR_ALL
    if name == "pre-commit" or (is_all and any(map(_ALL_GOAL.search, operands))):
        return frozenset(get_args(CheckKind))
    if name in _FORMATTERS or operands[:1] == ["format"]:
        return frozenset(("format",))
    if any(map(_STYLE_GOAL.search, operands)) and is_all:
        return frozenset(("lint", "types"))
    if name in _LINTERS or any(map(_STYLE_GOAL.search, operands)):
        return frozenset(("lint",))
    if tests:
        return frozenset(("tests",))
    return frozenset(("types",))


def _is_path(word: str) -> bool:
    return "/" in word or word in _WHOLE or word.rpartition(".")[2] in _LANGUAGES
