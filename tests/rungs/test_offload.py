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
