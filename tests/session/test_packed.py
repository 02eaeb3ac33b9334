"""A session that holds old messages packed is the same as one that does not."""

from __future__ import annotations

from typing import Any

import pytest

import steno
from steno.core import tape
from steno.core.message import Span
from steno.session import journal
from steno.store import memory
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


@pytest.mark.slow
def test_a_session_shows_the_same_whether_old_messages_are_packed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held, none = _live()
    monkeypatch.setattr(tape, "BLOCK", 2)
    monkeypatch.setattr(journal, "HELD_READY", 4)
    monkeypatch.setattr(memory, "HELD_READY", 4)
    monkeypatch.setattr(story, "TOTALS_BEHIND", 6)
    packed, some = _live()
    assert none == 0 and some > 12
    assert packed == held
