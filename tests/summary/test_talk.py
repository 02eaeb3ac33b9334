"""Long talks: what people stated stays visible, small talk and echoes go first."""

from __future__ import annotations

import random
from typing import Any

import pytest

from steno import Session
from steno.summary.caps import typed_caps
from tests.support.promises import proves

WINDOW = 6_000
WORDS = ("harbour", "ledger", "invoice", "ferry", "column", "parser", "branch", "cache", "queue")
STATED = {
    "limit": "The budget for the fair is $7,310 in all. Ask before you go over it.",
    "value": "The staging host is kestrel.internal and it runs Postgres 15.",
    "wish": "The user prefers one firm recommendation to a list of options.",
    "state": "Next step is the import of the old ledgers, part 3 of 5.",
    "person": "The approver this week is Odile Marchetti.",
    "marked": "IMPORTANT: the ferry company bills twice in leap years.",
}


def small_talk(draw: random.Random) -> str:
    sentences = [" ".join(draw.choices(WORDS, k=10)).capitalize() + "." for _ in range(3)]
    return " ".join(sentences)


def talk(turns: int = 240) -> list[dict[str, Any]]:
    """A conversation of our own making: six statements in the first half, else small talk."""
    draw = random.Random(3)
    places = dict(zip(range(10, 10 + 12 * len(STATED), 12), STATED.values(), strict=True))
    said: list[dict[str, Any]] = []
    for turn in range(turns):
        said.append({"role": "user", "content": places.get(turn, small_talk(draw))})
        said.append({"role": "assistant", "content": "Understood, I carry on as planned."})
    return said


def shown(messages: list[dict[str, Any]]) -> str:
    with Session(wire="openai", window=WINDOW) as session:
        for message in messages:
            session.add(message)
            session.messages()
        assert len(session.log.commits) > 1
        return "\n".join(str(message["content"]) for message in session.messages())


@pytest.mark.slow
@proves("summary.statements")
def test_what_people_stated_stays_word_for_word_in_a_long_talk() -> None:
    text = shown(talk())
    assert [kind for kind, words in STATED.items() if words not in text] == []


@pytest.mark.slow
@proves("summary.statements")
def test_a_reply_that_only_repeats_itself_is_not_told_over_and_over() -> None:
    text = shown(talk())
    told = text.count("ASSISTANT: Understood, I carry on as planned.")
    assert told <= 12


@proves("summary.statements")
def test_messages_that_state_something_shrink_after_the_others() -> None:
    sizes = {0: 50, 1: 60, 2: 60, 3: 60, 4: 50}
    caps = typed_caps(sizes, 190, newest=4, first=0, floors={2: 45})
    assert caps[2] >= 45 > caps[1] and sum(caps.values()) <= 190
    bare = typed_caps(sizes, 190, newest=4, first=0)
    assert bare[2] < 45 and sum(bare.values()) <= 190
    # Where nothing else is left to give, they shrink too.
    tight = typed_caps(sizes, 110, newest=4, first=0, floors={1: 60, 2: 60, 3: 60})
    assert sum(tight.values()) <= 110
