"""Settings for every test of this folder."""

import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

pytest_plugins = [
    "tests.support.certificates",
    "tests.support.command_line",
    "tests.support.postgres",
]

# A loaded machine is no finding: examples are bounded in number, not in time.
settings.register_profile(
    "steno", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steno")

# Hypothesis draws from constants of whatever modules are loaded; a law must not depend on which
# others ran before it.
providers._get_local_constants = lambda: providers._local_constants


@pytest.fixture(autouse=True)
def caches_without_planted_answers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no answer stay remembered that was given while a test had patched something."""
    patches = "monkeypatch" in request.fixturenames or "faults" in request.path.parts
    if patches:
        _forget_answers()
    yield
    if patches:
        _forget_answers()


def _forget_answers() -> None:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "steno":
            continue
        for member in list(vars(module).values()):
            # One without a limit holds tables, which no text changes.
            parameters = getattr(member, "cache_parameters", None)
            if parameters is not None and parameters()["maxsize"] is not None:
                member.cache_clear()
