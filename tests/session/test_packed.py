"""A session that holds old messages packed is the same as one that does not."""

from __future__ import annotations

import dataclasses
import gc
import weakref
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import steno
from steno.core import tape
from steno.core.errors import NotHere
from steno.core.events import Committed, Event, Failed
from steno.core.message import Span
from steno.core.store import Store, StoredMessage
from steno.session import journal
from steno.store import in_process
from steno.store.in_process import MemoryStore
from steno.store.sqlite import SQLiteStore
from steno.summary import story


def _messages() -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Never push to main. Fix the tax."}]
    for turn in range(24):
        arguments = f'{{"path": "src/f{turn % 3}.py"}}'
        function = {"name": "read_file", "arguments": arguments}
        call = {"id": f"c{turn}", "type": "function", "function": function}
        said.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = f"def f{turn}(x):\n    return x + {turn}\n" * 8
        said.append({"role": "tool", "tool_call_id": f"c{turn}", "content": text})
        if turn % 8 == 7:
            said.append({"role": "assistant", "content": f"File {turn} adds {turn} \ud83d."})
            said.append({"role": "user", "content": f"Go on with part {turn}."})
    return said


def _live() -> tuple[list[Any], int]:
    """Return all that a session shows, and how many of its messages are packed in the end."""
    shown: list[Any] = []
    with steno.Session(wire="openai", window=2_000, meter=steno.chars_per_four()) as session:
        for number, message in enumerate(_messages()):
            session.add(message)
            if number % 6 == 0:
                shown.append(session.messages())
        shown += [session.view.boundary, session.constraints(), list(session.log.commits)]
        shown += [list(session.log.messages), session.log.open(Span(1, 9))]
        shown += [hit.snippet for hit in session.recall("f3").hits]
        packed = session.log.messages._shared.held.first
        fork = session.fork(at=14)
        fork.add({"role": "user", "content": "Another way."})
        shown += [fork.messages(), session.messages()]
        session.undo()
        shown += [session.messages(), list(session.view.items), session.view.raw]
    return shown, packed


def _pack_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tape, "BLOCK", 2)
    monkeypatch.setattr(journal, "HELD_READY", 4)
    monkeypatch.setattr(in_process, "HELD_READY", 4)


@pytest.mark.slow
def test_a_session_shows_the_same_whether_old_messages_are_packed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held, none = _live()
    _pack_early(monkeypatch)
    monkeypatch.setattr(story, "TOTALS_BEHIND", 6)
    packed, some = _live()
    assert none == 0 and some > 12
    assert packed == held


class _Tokens(int):
    """A number like those of other libraries: it counts, but is no plain `int`."""


def _session(count: Callable[[str], Any]) -> steno.Session:
    meter = dataclasses.replace(steno.chars_per_four(), name="own", count=count)
    return steno.Session(wire="openai", window=500, meter=meter)


def _add_calls(session: steno.Session) -> list[bytes]:
    """Add calls until some are packed; return the requests on the way."""
    requests = []
    for message in _messages()[:21]:
        session.add(message)
        requests.append(repr(session.messages()).encode())
    return requests


def _count_events(session: steno.Session, kind: type[Event]) -> int:
    return sum(isinstance(event, kind) for event in session.events)


@pytest.mark.parametrize(
    "number", [lambda text: len(text) / 4, lambda text: _Tokens(len(text) // 4)]
)
def test_a_meter_may_count_in_other_numbers(
    monkeypatch: pytest.MonkeyPatch, number: Callable[[str], Any]
) -> None:
    held = _add_calls(_session(number))
    _pack_early(monkeypatch)
    with _session(number) as session:
        assert _add_calls(session) == held
        view, landed = session.view, len(session.log.commits)
        assert view.weights._shared.held.first > 4 and landed > 1
        assert {type(tokens) for weights in view.weights for tokens in weights} == {int}
        assert {type(item.tokens) for item in view.arrivals} == {int}
        assert _count_events(session, Committed) == landed
        assert _count_events(session, Failed) == 0


def test_a_commit_is_told_though_old_messages_cannot_be_packed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no room")

    _pack_early(monkeypatch)
    with _session(lambda text: len(text) // 4) as session:
        told: list[object] = []
        session._parts.journal.on_landing(told.append)
        monkeypatch.setattr(tape.Tape, "pack_folds", fail)
        _add_calls(session)
        landed = len(session.log.commits)
        assert _count_events(session, Committed) == len(told) == landed > 1
        assert 0 < _count_events(session, Failed) <= landed


def _open(place: Path | Store, name: str | None = None) -> steno.Session:
    path, store = (place, None) if isinstance(place, Path) else (None, place)
    meter = steno.chars_per_four()
    return steno.Session(path, store=store, name=name, wire="openai", window=500, meter=meter)


def _count_held(session: steno.Session) -> int:
    """Return how many of the old messages are held in memory, and not left to the store."""
    blocks = session.log.messages._shared.held.blocks
    return sum(len(block._cells) for block in blocks)


@pytest.mark.slow
def test_old_messages_are_left_to_the_store(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with _open(tmp_path / "held.db") as session:
        _add_calls(session)
        held = list(session.log.messages)
    _pack_early(monkeypatch)
    with _open(tmp_path / "left.db") as session:
        _add_calls(session)
        blocks = session.log.messages._shared.held.blocks
        # Of two messages a number and a hash are left.
        assert len(blocks) > 2 and all(len(block._packed or b"") == 18 for block in blocks)
        assert list(session.log.messages) == held
        fork = session.fork(at=9, name="fork")
        _add_calls(fork)
        assert _count_held(fork) == 0 and list(fork.log.messages)[:9] == held[:9]
        fork.close()
    with _open(tmp_path / "left.db", "fork") as fork:
        assert fork.log.messages._shared.held.first > 9 and _count_held(fork) == 0
        assert list(fork.log.messages) == held[:9] + held


def test_messages_of_a_deleted_session_are_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _pack_early(monkeypatch)
    with (
        _open(tmp_path / "left.db") as session,
        closing(SQLiteStore(tmp_path / "left.db")) as store,
    ):
        _add_calls(session)
        assert session.log.messages._shared.held.first > 4
        store.delete(session.name)
        with pytest.raises(NotHere):
            session.log.open(Span(0, 1))
        # Another session of this name has other words, and these are not taken for the old ones.
        with _open(store, session.name) as other:
            other.add({"role": "user", "content": "Other words."}, *_messages()[1:21])
        with pytest.raises(NotHere, match="deleted while it was open"):
            session.log.open(Span(0, 1))


class _ForgetfulStore(MemoryStore):
    """A store that gives every message back without its JSON."""

    def messages_from(self, *asked: Any) -> list[StoredMessage]:
        kept = super().messages_from(*asked)
        return [
            dataclasses.replace(each, message=msgspec.structs.replace(each.message, raw=None))
            for each in kept
        ]


def test_a_message_that_the_store_gives_back_otherwise_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _pack_early(monkeypatch)
    with _open(_ForgetfulStore()) as session:
        requests = _add_calls(session)
        assert session.log.messages._shared.held.first == _count_held(session) > 4
        assert all(message.raw for message in session.log.messages)
    with _open(MemoryStore()) as session:
        assert _add_calls(session) == requests


def test_nothing_holds_a_session_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    _pack_early(monkeypatch)
    session = _session(lambda text: len(text) // 4)
    _add_calls(session)
    shared = session.view.messages._shared
    assert shared.held.first > 4 and session.view.arrivals[0] and session.log.messages[0]
    held = weakref.ref(next(state for _, state in shared.folds.values() if _is_weak(state)))
    session.close()
    del session, shared
    gc.collect()
    assert held() is None


def _is_weak(state: object) -> bool:
    return hasattr(state, "__weakref__")
