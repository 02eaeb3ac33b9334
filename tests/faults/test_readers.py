"""Planted faults: a reader of facts raises, and the session still fits its window.

One fault for every reader in `steno.facts`, found by its name, so that a new reader
is covered too. The last test plants the fault that this file is about: a last rung
that reads facts.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import steno
import steno.facts
import steno.session.landing as compaction
from steno.core.budget import Pressure
from steno.core.message import Call
from steno.engine.compact import compact
from steno.facts.kinds import KINDS
from steno.facts.ledger import facts_of
from tests.support import legal
from tests.support.sample_messages import openai_talk

pytestmark = pytest.mark.slow

ALWAYS = [kind for kind in KINDS if not kind.when_asked]
"""Kinds that every compaction reads."""
READER_NAMES = ("read_", "find_", "split_", "facts_of", "boundary_after")
Reader = Callable[..., Any]


def facts_functions() -> Iterator[Reader]:
    """Yield every function of every module in `steno.facts`."""
    for found in pkgutil.walk_packages(steno.facts.__path__, "steno.facts."):
        module = importlib.import_module(found.name)
        for function in vars(module).values():
            plain = inspect.unwrap(function) if callable(function) else None
            if inspect.isfunction(plain) and plain.__module__ == found.name:
                yield plain


READERS = {
    f"{reader.__module__.removeprefix('steno.facts.')}.{reader.__name__}": reader
    for reader in facts_functions()
    if reader.__name__.startswith(READER_NAMES)
}


def raises(*given: Any, **options: Any) -> Any:
    raise RuntimeError("planted")


def plant(patch: pytest.MonkeyPatch, reader: Reader) -> None:
    """Make a function raise for everyone who imported it, at its own place in its own file."""
    own = reader.__code__
    code = raises.__code__.replace(
        co_filename=own.co_filename, co_firstlineno=own.co_firstlineno, co_freevars=own.co_freevars
    )
    patch.setattr(reader, "__code__", code)
    facts_of.cache_clear()


@pytest.fixture(autouse=True)
def forget_facts() -> Iterator[None]:
    """Keep facts that were read before a fault from hiding it, and the other way round."""
    facts_of.cache_clear()
    yield
    facts_of.cache_clear()


def pressed_session(pressure: Pressure, **options: Any) -> steno.Session:
    session = steno.Session(wire="openai", window=6_000, **options)
    session.add({"role": "user", "content": "Never touch main.py. Then fix the failing test."})
    while session.pressure.value != pressure.value:
        session.add(*openai_talk(1, start=len(session.log.messages) + 1))
    return session


def assert_fits_and_is_legal(session: steno.Session) -> None:
    request = session.request()
    assert session.load <= session.budget.usable
    assert session.pressure is Pressure.NONE
    assert legal.openai_chat(request) == []


def failures(session: steno.Session) -> list[steno.events.Failed]:
    return [event for event in session.events if isinstance(event, steno.events.Failed)]


def assert_landed_without_facts(session: steno.Session) -> None:
    """The newest compaction landed by the last rung, and says what it could not do."""
    (finding,) = [
        finding for finding in session.log.commits[-1].findings if finding.check == "facts_are_read"
    ]
    assert "RuntimeError in steno.facts." in finding.what
    failed = failures(session)
    assert failed
    for event in failed:
        module, _, line = event.where.partition(":")
        assert module.startswith("steno.facts.")
        assert line.isdecimal()


def test_every_kind_of_fact_is_covered() -> None:
    for kind in KINDS:
        assert inspect.unwrap(kind.read) in READERS.values()
    assert len(READERS) >= 12


@pytest.mark.parametrize("pressure", [Pressure.SOFT, Pressure.HARD], ids=["soft", "hard"])
@pytest.mark.parametrize("name", list(READERS))
def test_a_reader_raises_and_the_session_lands(
    name: str, pressure: Pressure, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = pressed_session(pressure, policy=steno.Policy(moment="now"))
    plant(monkeypatch, READERS[name])
    assert_fits_and_is_legal(session)
    if failures(session):
        assert_landed_without_facts(session)
    is_read_always = any(inspect.unwrap(kind.read) is READERS[name] for kind in ALWAYS)
    assert failures(session) or not is_read_always


@pytest.mark.parametrize("kind", ALWAYS, ids=lambda kind: kind.name)
def test_a_reader_raises_while_a_writer_is_asked(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = steno.Script(lambda ask: "the short of it")
    session = pressed_session(Pressure.HARD, writer=writer)
    plant(monkeypatch, inspect.unwrap(kind.read))
    assert_fits_and_is_legal(session)
    assert_landed_without_facts(session)


@pytest.mark.parametrize("kind", ALWAYS, ids=lambda kind: kind.name)
def test_a_reader_raises_and_compact_still_fits(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, inspect.unwrap(kind.read))
    result = steno.compact(openai_talk(80), window=6_000)
    assert result.within_window
    assert legal.openai_chat(result.request) == []


def asked_by_session() -> steno.Session:
    session = unpressed_session()
    session.compact()
    return session


def asked_by_agent() -> steno.Session:
    session = unpressed_session(policy=steno.Policy(agent_controlled=True))
    assert session.handle(Call("x", "compress_context", '{"reason": "now"}')) is not None
    session.messages()
    return session


def asked_by_list() -> steno.Session:
    return steno.compact(openai_talk(20), window=60_000, force=True).session


def asked_by_async_session() -> steno.Session:
    async def compact() -> steno.Session:
        async with steno.AsyncSession(wire="openai", window=60_000) as session:
            await session.add(*openai_talk(20))
            await session.compact()
            return steno.Session(log=session.log, wire="openai", window=60_000)

    return asyncio.run(compact())


def unpressed_session(**options: Any) -> steno.Session:
    session = steno.Session(wire="openai", window=60_000, **options)
    session.add(*openai_talk(20))
    assert session.pressure is Pressure.NONE
    return session


ASKING = {
    "session": asked_by_session,
    "agent": asked_by_agent,
    "list": asked_by_list,
    "async": asked_by_async_session,
}


@pytest.mark.parametrize("way", list(ASKING))
@pytest.mark.parametrize("name", list(READERS))
def test_a_reader_raises_and_an_asked_compaction_lands(
    name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, READERS[name])
    session = ASKING[way]()
    (commit,) = [commit for commit in session.log.commits if commit.why == "asked"]
    assert commit.after < commit.before
    assert legal.openai_chat({"messages": session.messages()}) == []
    without = [finding for finding in commit.findings if finding.check == "facts_are_read"]
    if any(inspect.unwrap(kind.read) is READERS[name] for kind in ALWAYS):
        (finding,) = without
        assert "RuntimeError in steno.facts." in finding.what


class RaisesStale(steno.rungs.Rung, frozen=True):
    """A rung that raises what a store raises after another process committed."""

    tried: list[int]

    def edit(self, draft: Any, rounds: Any) -> Any:
        self.tried.append(len(draft.view.messages))
        raise steno.errors.Stale(0, 1)


@pytest.mark.parametrize("asked", [True, False], ids=["asked", "hard"])
def test_a_rung_that_raises_stale_is_not_tried_again(asked: bool) -> None:
    rung = RaisesStale([])
    session = steno.Session(
        wire="openai", window=6_000, policy=steno.Policy(ladder=(rung,), moment="now")
    )
    if asked:
        session.add(*openai_talk(4))
        session.compact()
    else:
        session.add(*openai_talk(80))
        session.messages()
    assert len(rung.tried) == 1
    (commit,) = session.log.commits
    assert [finding.check for finding in commit.findings] == ["facts_are_read"]


def test_an_error_that_the_caller_must_see_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def runs_out(*given: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(compaction, "compact", runs_out)
    with pytest.raises(MemoryError):
        unpressed_session().compact()


@pytest.mark.parametrize("pressure", [Pressure.SOFT, Pressure.HARD], ids=["soft", "hard"])
def test_every_reader_raises_and_the_session_lands(
    pressure: Pressure, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = pressed_session(pressure)
    for reader in facts_functions():
        if not reader.__code__.co_freevars:
            plant(monkeypatch, reader)
    assert_fits_and_is_legal(session)
    assert_landed_without_facts(session)


def test_a_last_rung_that_reads_facts_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def reads_facts(draft: Any, policy: Any, failure: str) -> Any:
        return compact(draft, policy)

    session = pressed_session(Pressure.HARD)
    plant(monkeypatch, inspect.unwrap(KINDS[0].read))
    monkeypatch.setattr(compaction, "compact_without_facts", reads_facts)
    with pytest.raises(AssertionError):
        assert_fits_and_is_legal(session)
