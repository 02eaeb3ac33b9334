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
    session.add(*openai_talk(6, words=1_200))
    session.messages()
    [commit] = session.log.commits
    edits = {edit.place: edit.by for edit in commit.edits}
    assert edits == {"12.0": "offload-tail", "1-8": "summarize", "9-10": "summarize"}
