"""What was decided: the option that a number means, and causes that were found."""

from __future__ import annotations

import pytest

from steno.core.message import Message, Text, user_message
from steno.facts.decisions import CAUSE, chosen_option, read_decisions
from steno.facts.ledger import Ledger
from steno.summary.sections import OPTION_PREFIX, decision_lines

OFFER = """There are three ways:

1. **Cache the index** in memory, which is fast
2. Rebuild it on each start
3) Keep it on disk

Which one do you want?"""
LETTERED = "Option A: patch the parser.\n\n1. Read it\n2. Mend it\n\nOption B: write a new one.\n"


@pytest.mark.parametrize(
    ("answer", "offer", "option"),
    [
        ("2", OFFER, "Rebuild it on each start"),
        ("Option 3 please", OFFER, "Keep it on disk"),
        ("1, but not by default", OFFER, "Cache the index in memory, which is fast"),
        ("go with option B", LETTERED, "write a new one."),
        ("Nimm Variante 2.", OFFER, "Rebuild it on each start"),
        ("l'option 3", OFFER, "Keep it on disk"),
        ("la opción 1", OFFER, "Cache the index in memory, which is fast"),
        ("方案2", OFFER, "Rebuild it on each start"),
        ("4", OFFER, ""),
        (
            "2 tests fail on my machine since the last change, have a look at them, and at the log "
            "that I have put into the folder beside the others",
            OFFER,
            "",
        ),
        ("yes", OFFER, ""),
        ("2", "Nothing is on offer.", ""),
    ],
)
def test_a_choice_by_number_means_an_item_of_the_offer(
    answer: str, offer: str, option: str
) -> None:
    assert chosen_option(answer, offer) == option


def said(text: str) -> Message:
    return Message("assistant", (Text(text),))


def test_a_decision_by_number_quotes_the_chosen_option() -> None:
    ledger = Ledger.of([user_message("Which way?"), said(OFFER), user_message("2"), said("OK.")])
    assert ledger.chosen == {2: "Rebuild it on each start"}
    (line,) = decision_lines(ledger, range(4), 200, len)
    assert line.text == f"2 ({OPTION_PREFIX}Rebuild it on each start)"
    assert decision_lines(ledger, range(2), 100, len) == []


@pytest.mark.parametrize(
    ("text", "is_cause"),
    [
        ("The root cause was a stale lock in cache.py.", True),
        ("Found it: the test failed because the port was taken.", True),
        ("It turned out that the clock was an hour off.", True),
        ("Die Ursache war ein veralteter Eintrag.", True),
        ("La cause était un verrou oublié.", True),
        ("La causa era un puerto ocupado.", True),
        ("根本原因是缓存没有更新。", True),
        ("Maybe the root cause was a stale lock.", False),
        ("Is the root cause a stale lock?", False),
        ("I use a lock because it is simple.", False),
    ],
)
def test_a_cause_is_kept_where_it_is_stated_for_certain(text: str, is_cause: bool) -> None:
    causes = [fact.words for fact in read_decisions(said(text)) if fact.key == CAUSE]
    assert causes == [text] * is_cause
