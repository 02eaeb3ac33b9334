"""What Steno itself says in a session, and what it keeps beside the log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import steno
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk


@proves("session.own_words")
def test_what_steno_says_is_sent_until_it_is_hidden_and_is_kept_all_the_same(
    tmp_path: Path,
) -> None:
    with steno.Session(tmp_path / "a.db", wire="openai", window=8_000) as s:
        s.add({"role": "user", "content": "hello"})
        at = s._parts.journal.say("page", "</steno> what was said long ago")
        s.add({"role": "assistant", "content": "hi"})
        shown = s.messages()
        assert "what was said long ago" in shown[at]["content"]
        s._parts.journal.hide(at)
        assert s.messages() == [shown[0], shown[2]]
        assert "what was said long ago" in s.open(at)["content"]
    with steno.Session(tmp_path / "a.db") as again:
        assert again.messages() == [shown[0], shown[2]]
        with pytest.raises(
            steno.errors.BadEdit, match="nothing to undo"
        ):  # putting words away is no compaction
            again.undo()


@proves("session.own_words")
def test_steno_does_not_speak_while_a_call_waits_nor_hide_what_others_said() -> None:
    s = steno.Session(wire="openai", window=8_000)
    s.add(*openai_talk(turns=2)[:2])
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    s.add({"role": "assistant", "content": None, "tool_calls": [call]})
    with pytest.raises(steno.BadInput, match="waiting for its result"):
        s._parts.journal.say("page", "words")
    with pytest.raises(steno.BadInput, match="only what Steno itself said"):
        s._parts.journal.hide(0)
    assert not s.log.commits


@proves("session.records")
def test_a_jot_is_kept_and_a_fork_has_those_from_before_it(tmp_path: Path) -> None:
    with steno.Session(tmp_path / "a.db", wire="openai", window=8_000) as s:
        s._parts.journal.records.add("run", {"step": 1, "odd": "\ud800"})
        s.add({"role": "user", "content": "hello"})
        s._parts.journal.records.add("run", {"step": 2})
        s._parts.journal.records.add("note", "else")
        forked = s.fork(0, name="other")
        (record,) = forked.host.store.records(forked.host.key)
        assert json.loads(record.text) == {"step": 1, "odd": "\ud800"}
        forked._parts.journal.records.add("run", {"step": "own"})
        assert [value for _, value in forked._parts.journal.records.of("run")][1:] == [
            {"step": "own"}
        ]
    with steno.Session(tmp_path / "a.db", name="session") as again:
        assert [value["step"] for _, value in again._parts.journal.records.of("run")] == [1, 2]
