"""How a test says which promise it proves, and how often it had something to check.

Owns the three words that stand above a law: `proves` names the promise (an id of
`tests/promises.toml`, always a literal), `hit_rate` sets the floor under which a law
that passes has proved nothing, `given` is hypothesis's own and remembers what it
was given, so that a planted fault can run the same law in a hurry. What the laws
say is in `tests/laws`.
"""

from __future__ import annotations

import functools
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, settings

Law = Callable[..., None]

AT_RANDOM = "STENO_LAWS_AT_RANDOM" in os.environ
"""Whether every run draws other examples."""
SETTINGS = settings(
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)
EXAMPLES = 50
"""Of a law that says nothing else."""
SCALE = int(os.environ.get("STENO_LAWS_EXAMPLES", "20")) / EXAMPLES
"""How much of its examples each law gets: two fifths in the whole suite; ask for more when
you change what a law is about.
"""
EXAMPLES_LEAST = 15
WHOLE = "STENO_WHOLE" in os.environ
"""Whether long stories are told at full length with everything; else one of each kind is."""
EXPLAINED = (Phase.explicit, Phase.generate, Phase.shrink)

_counts: list[list[bool]] = []


def proves(promise: str) -> Callable[[Law], Law]:
    """Mark a test as the proof of a promise."""

    def marked(law: Law) -> Law:
        law.promise = promise  # type: ignore[attr-defined]
        return law

    return marked


def first_fast(cases: Sequence[tuple[Any, ...]], fast: int) -> list[Any]:
    """Return cases of `parametrize`, of which only so many are left in by `make test-fast`."""
    rest = (pytest.param(*case, marks=pytest.mark.slow) for case in cases[fast:])
    return [*cases[:fast], *rest]


def given(*strategies: Any, **named: Any) -> Callable[[Law], Law]:
    """Hypothesis's `given`, with a way to run the same law otherwise."""

    def lawful(inner: Law) -> Law:
        def anew(examples: int, seed: int | None = None, **how: Any) -> Law:
            chosen = settings(SETTINGS, max_examples=examples, **how)
            test = hypothesis.given(*strategies, **named)(inner)
            if AT_RANDOM:
                return chosen(test)
            # Hypothesis would seed from the source, so a reformatted law would see
            # other examples and might miss its floor. The name changes less often.
            if seed is None:
                seed = zlib.crc32(inner.__name__.encode())
            return hypothesis.seed(seed)(chosen(test))

        law = anew(_scaled(EXAMPLES), phases=EXPLAINED)
        law.anew = anew  # type: ignore[attr-defined]
        return law

    return lawful


def hit(whether: object) -> None:
    """Say, once an example, whether it put the law to the test."""
    if _counts:
        _counts[-1].append(bool(whether))


def hit_rate(*, at_least: float, of: str, examples: int = EXAMPLES) -> Callable[[Law], Law]:
    """Fail a law whose examples had too rarely something to check; stands above `given`."""

    def above(law: Law) -> Law:
        enough = law.anew(_scaled(examples), phases=EXPLAINED)  # type: ignore[attr-defined]

        @functools.wraps(enough)
        def counted(*args: Any, **kwargs: Any) -> None:
            with _counting() as hits:
                enough(*args, **kwargs)
            rate = sum(hits) / max(1, len(hits))
            said = f"{law.__name__}: {of} in {rate:.0%} of {len(hits)} examples"
            print(said)
            assert rate >= at_least, f"{said}; the floor is {at_least:.0%}"

        counted.anew = law.anew  # type: ignore[attr-defined]
        return counted

    return above


def hurried(law: Law, examples: int, seed: int | None = None) -> None:
    """Run a law on other examples, stopping at the first that breaks it; for planted faults."""
    law.anew(examples, seed, phases=(Phase.generate,), report_multiple_bugs=False)()  # type: ignore[attr-defined]


def _scaled(examples: int) -> int:
    return max(EXAMPLES_LEAST, round(SCALE * examples))


@contextmanager
def _counting() -> Iterator[list[bool]]:
    _counts.append([])
    try:
        yield _counts[-1]
    finally:
        _counts.pop()
