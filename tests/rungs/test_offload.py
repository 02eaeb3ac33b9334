"""Offload: what the note in a shortened block says."""

from __future__ import annotations

import pytest

import steno
from tests.support.sample_messages import openai_talk


@pytest.mark.parametrize("offered", [True, False])
def test_a_shortened_block_names_the_recall_tool_only_where_one_is_offered(offered: bool) -> None:
    session = steno.Session(wire="openai", window=1_000_000)
    if offered:
        session.request(tools=session.tools())
    session.add(*openai_talk(1, words=200_000))
    shown = str(session.messages()[2])
    assert "characters in all" in shown
    assert ('recall(positions="2")' in shown) is offered


def test_results_of_the_tail_are_shortened_in_the_name_of_their_own_rung() -> None:
    session = steno.Session(wire="openai", window=8_000, policy=steno.Policy(every_round=()))
    session.add(*openai_talk(5, words=1_200), *openai_talk(1, words=3_000, start=5))
    session.messages()
    [commit] = session.log.commits
    assert {edit.place: edit.by for edit in commit.edits}["12.0"] == "offload-tail"


def test_a_result_that_no_reply_has_followed_may_take_the_share_of_the_tail_again() -> None:
    session = steno.Session(wire="openai", window=8_000, policy=steno.Policy(every_round=()))
    talk = openai_talk(6, words=1_200)
    session.add(*talk)
    assert session.messages()[-1] == talk[-1]
    session.add(*openai_talk(1, words=4_000, start=6))
    assert "tokens not shown" in str(session.messages()[-1])
