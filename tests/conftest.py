"""Settings for every test of this folder."""

import gc
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakSet

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.support.promises import AT_RANDOM

# Nothing that is imported goes away, so to look for garbage meanwhile costs a second for nothing.
gc.disable()

pytest_plugins = [
    "tests.support.certificates",
    "tests.support.command_line",
    "tests.support.postgres",
]

# A loaded machine is no finding, nor is luck: examples are bounded in number, not in time, and the
# same in every run. STENO_LAWS_AT_RANDOM=1 draws others.
settings.register_profile(
    "steno",
    deadline=None,
    database=None,
    derandomize=not AT_RANDOM,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steno")

# No test speaks TLS with the outside, and to read a machine's certificates costs each client of an
# SDK 50 ms. Processes that tests start read them from here too.
no_certificates = tempfile.TemporaryDirectory()
os.environ["SSL_CERT_DIR"] = no_certificates.name
os.environ.pop("SSL_CERT_FILE", None)

# Hypothesis draws from constants of whatever modules are loaded; a law must not depend on which
# others ran before it.
providers._get_local_constants = lambda: providers._local_constants


SLOW_PROGRAMS = re.compile("python|chrom|postgres|pg_ctl|initdb")
started_by: list[pytest.Item] = []


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no module whose tests are all slow, where slow ones are left out."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    return "\npytestmark = pytest.mark.slow\n" in collection_path.read_text() or None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    started_by.append(item)
    try:
        return (yield)
    finally:
        started_by.pop()


def _watch_starts(event: str, about: tuple[Any, ...]) -> None:
    """Let no test start Python, a browser or a database unless it is marked as slow."""
    if event != "subprocess.Popen" or not started_by or started_by[0].get_closest_marker("slow"):
        return
    # A server ends with the last test of a run, whichever that is.
    if SLOW_PROGRAMS.search(os.fsdecode(about[0])) and "stop" not in about[1]:
        raise RuntimeError(f"{started_by[0].nodeid} starts {about[0]}: mark it slow")


sys.addaudithook(_watch_starts)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what was imported: it stays until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


patch_attribute = pytest.MonkeyPatch.setattr
patch_item = pytest.MonkeyPatch.setitem
take_back = pytest.MonkeyPatch.undo
planted: WeakSet[pytest.MonkeyPatch] = WeakSet()
answers_of: dict[tuple[ModuleType, int], list[Any]] = {}
"""Functions of each module that remember answers: to look for them costs 10 ms at each patch."""


def setattr_and_forget(patch: pytest.MonkeyPatch, target: Any, *words: Any, **options: Any) -> None:
    patch_attribute(patch, target, *words, **options)
    if target is not sys and target != "sys.argv":
        _note(patch)


def setitem_and_forget(patch: pytest.MonkeyPatch, table: Any, *words: Any) -> None:
    patch_item(patch, table, *words)
    if table is not os.environ:
        _note(patch)


def undo_and_forget(patch: pytest.MonkeyPatch) -> None:
    take_back(patch)
    if patch in planted:
        planted.discard(patch)
        _forget_answers()


def _note(patch: pytest.MonkeyPatch) -> None:
    planted.add(patch)
    _forget_answers()


# No answer may stay remembered that was given before a patch, or under one.
patches: Any = pytest.MonkeyPatch
patches.setattr = setattr_and_forget
patches.setitem = setitem_and_forget
patches.undo = undo_and_forget


def _forget_answers() -> None:
    for name, module in list(sys.modules.items()):
        if not name.startswith("steno.") or module is None:
            continue
        # By its size too: another thread may be importing the module at this moment.
        key = (module, len(vars(module)))
        if key not in answers_of:
            answers_of[key] = _limited_caches(module)
        for answers in answers_of[key]:
            answers.cache_clear()


def _limited_caches(module: ModuleType) -> list[Any]:
    """Return the functions that remember answers; one without a limit holds only tables."""
    found = []
    for member in list(vars(module).values()):
        parameters = getattr(member, "cache_parameters", None)
        if parameters is not None and parameters()["maxsize"] is not None:
            found.append(member)
    return found
