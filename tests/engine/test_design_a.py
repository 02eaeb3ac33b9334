"""The agent-controlled design, row by row, through the public API.

`tests/faults/test_design_a.py` plants a fault for each row and sees its test fail.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

import steno
from steno import Policy, Session
from steno.rungs import Summarize, Truncate
from steno.tails import Turns
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk
from tests.support.word_meter import WORDS, said

TOOL = {"type": "function", "function": {"name": "read", "description": "Read a file."}}


def reopened(path: Path, **options: Any) -> Session:
    return Session(path, name="s", **options)


# A6: what a stored session keeps.


@proves("session.reopens")
@pytest.mark.parametrize(
    "policy",
    [
        "agent-controlled",
        Policy(soft=0.7, goal="tail", tail=Turns(4), agent_controlled=True, constraints=("No.",)),
    ],
    ids=["name", "value"],
)
def test_a_reopened_session_has_its_policy_prompt_tools_and_ratio(
    policy: Any, tmp_path: Path
) -> None:
    path = tmp_path / "agent.db"
    with reopened(path, wire="openai", window=32_000, policy=policy, system="Be brief.") as first:
        first.add(*openai_talk(20))
        request = first.request(tools=[TOOL])
        first.add({"role": "assistant", "content": "done"}, usage=int(first.load * 1.5))
        ratio = first.view.meter.ratio
        kept = first.parts.settings.policy
    with reopened(path) as again:
        assert again.parts.settings.policy == kept
        assert again.request()["tools"] == request["tools"] == [TOOL]
        assert again.request()["messages"][0] == {"role": "system", "content": "Be brief."}
        assert again.view.meter.ratio == ratio > 1.2
    with reopened(path, policy="tiers", system="Be long.", tools=[], meter=WORDS) as given:
        assert given.budget.goal == 0.60 and given.view.meter is WORDS
        assert given.request()["messages"][0]["content"] == "Be long."
        assert given.request()["tools"] == []
    with reopened(path) as last:
        assert last.budget.goal == 0.60 and last.view.meter.name != "words"


@proves("session.reopens")
def test_what_a_reopened_session_gets_is_redacted_and_its_own_code_is_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "agent.db"
    own = Policy(checks=())
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz012345"
    with reopened(
        path, wire="openai", window=8_000, policy=own, system=secret, redact=True
    ) as first:
        assert secret in str(first.request())
    with caplog.at_level(logging.WARNING, "steno"), reopened(path, redact=True) as again:
        assert secret not in str(again.request())
        assert again.parts.settings.policy == steno.DEFAULT_POLICY
    assert secret.encode() not in path.read_bytes()
    assert "pass policy= again" in caplog.text


@proves("session.reopens")
@pytest.mark.parametrize(
    "policy", [steno.DEFAULT_POLICY, *map(steno.Policy.read, ("least = 3\n",))]
)
def test_a_policy_is_written_as_it_is_read(policy: Policy) -> None:
    assert Policy.read(policy.write()) == policy


@proves("session.compacted")
def test_one_value_says_how_far_a_session_is_compacted(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    policy = Policy(goal="tail", tail=Turns(4), ladder=(Summarize(in_place=False), Truncate()))
    with reopened(path, wire="openai", window=4_000, policy=policy, meter=WORDS) as session:
        assert session.log.compaction == type(session.log.compaction)(0, 0, 0)
        session.add(*said(36))
        first = session.compact()
        state = session.log.compaction
        assert first is not None and state.compactions == 1
        assert state.turns_archived == 36 - 4
        assert state.summary_tokens == len(first.summary_text.split()) > 20
        session.add(*said(8, start=36))
        session.compact()
        assert session.log.compaction.compactions == 2
        assert session.log.compaction.turns_archived == 44 - 4
        kept = session.log.compaction
    with reopened(path) as again:
        assert again.log.compaction == kept
        again.undo()
        assert again.log.compaction == state


# Others: what needs no telling.


@proves("stateless.plain")
@pytest.mark.parametrize(
    ("options", "wire"),
    [
        ({}, "openai"),
        ({"model": "gpt-5"}, "openai"),
        ({"model": "claude-sonnet-4-5"}, "anthropic"),
        ({"wire": "openai-responses"}, "openai-responses"),
    ],
)
def test_a_plain_chat_needs_no_wire(options: dict[str, Any], wire: str) -> None:
    chat = [{"role": "user", "content": "hi"}]
    result = steno.compact(chat, **{"window": 8_000} | options)
    assert result.messages == chat
    assert result.session.parts.settings.wire.name == wire


@proves("stateless.plain")
def test_a_session_needs_only_a_window() -> None:
    session = steno.Session(window=128_000, policy="tiers")
    session.add({"role": "user", "content": "hi"})
    assert session.messages() == [{"role": "user", "content": "hi"}]
