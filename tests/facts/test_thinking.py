"""Thinking is said to nobody: Steno neither quotes, counts nor finds its words."""

from __future__ import annotations

from random import Random

import pytest

import steno
from steno.core.message import Thinking
from steno.engine.designs import POLICIES
from steno.facts.ledger import Ledger, facts_of

THOUGHTS = (
    "Hmm, wait, maybe zqxvault is wrong. We decided to use zqxvault because it is faster.",
    "I must never forget zqxvault/core.py. Next, I'll edit zqxvault. TODO: zqxvault.",
    "Error: zqxvault failed. Let me double-check zqxvault again.",
)
WORD = "zqxvault"


def thoughtful_session(seed: int, policy: str = "default") -> steno.Session:
    random = Random(seed)
    session = steno.Session(wire="anthropic", window=4_000, policy=policy)
    for turn in range(40):
        thought = {"type": "thinking", "thinking": random.choice(THOUGHTS), "signature": f"s{turn}"}
        said = {"type": "text", "text": f"Part {turn} lists widgets of kind {turn % 7}. " * 6}
        session.add(
            {"role": "user", "content": f"Look at part {turn} of the report. " * 4},
            {"role": "assistant", "content": [thought, said]},
        )
    return session


@pytest.mark.parametrize("seed", range(3))
def test_no_fact_holds_words_of_thinking(seed: int) -> None:
    messages = thoughtful_session(seed).log.messages
    assert any(isinstance(block, Thinking) for each in messages for block in each.blocks)
    stated = [fact for message in messages for fact in facts_of(message)]
    assert [fact for fact in stated if WORD in fact.words + fact.key + fact.note] == []
    assert WORD not in str(Ledger.of(messages).rules)


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_nothing_that_steno_says_holds_words_of_thinking(policy: str) -> None:
    session = thoughtful_session(4, policy)
    commit = session.compact()
    assert commit is not None
    ours = [message for message in session.view.visible_messages if message.by != "caller"]
    assert ours
    assert [message for message in ours if WORD in message.text] == []
    assert WORD not in repr(commit)


def test_a_search_does_not_find_thinking() -> None:
    session = thoughtful_session(1)
    assert session.recall(WORD).hits == ()
    assert session.recall("widgets of kind 3").hits
