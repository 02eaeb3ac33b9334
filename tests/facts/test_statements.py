"""What people state stays longer than small talk: labels, wishes, limits, values."""

from __future__ import annotations

import time

import pytest

from steno.core.message import Message, Text
from steno.facts.statements import stated_in


def said(text: str, role: str = "user") -> Message:
    return Message(role, (Text(text),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "The invoice service listens on finch.internal:8443.",
        "The audit is on 2031-04-09.",
        "We agreed on $4,200 for the whole thing.",
        "The reviewer this month is Odile Marchetti.",
        "The user prefers short tables to long prose.",
        "At most two retries, please.",
        "Next step is the export of old invoices.",
        "If a customer asks for a refund, escalate to the desk.",
        "IMPORTANT: the tests are slow on Mondays",
        "Deadline: the day before the fair",
        "Bitte nie am Freitag ausliefern.",
        "Le plafond est fixé par Mme Duval.",
        "El siguiente paso es revisar las facturas.",
        "预算由财务部决定。",
    ],
)
def test_a_sentence_that_must_be_known_later_is_a_statement(text: str) -> None:
    found = stated_in(said(text))
    assert found is not None and found.words == text and found.weight >= 1


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, that looks good to me.",
        "Let me walk you through the layout of the module.",
        "Is the budget 500 or 600?",
        "Who is Odile Marchetti?",
        "",
    ],
)
def test_small_talk_and_questions_state_nothing(text: str) -> None:
    assert stated_in(said(text)) is None


def test_only_what_a_person_sent_states_something() -> None:
    text = "RULE: the vault code is QX-771."
    assert stated_in(said(text)) is not None
    assert stated_in(said(text, role="assistant")) is None
    assert stated_in(said(text, role="tool")) is None
    assert stated_in(said(f"<system-reminder>{text}</system-reminder>")) is None


def test_a_label_and_a_wish_weigh_more_than_a_value() -> None:
    value = stated_in(said("The helper is called list_items."))
    wish = stated_in(said("The user prefers list_items as its name."))
    label = stated_in(said("NAMING: the helper is list_items."))
    assert value is not None and wish is not None and label is not None
    assert value.weight < wish.weight < label.weight


def test_a_short_message_is_told_whole_and_a_long_one_by_its_weightiest_sentences() -> None:
    short = stated_in(said("The cap is 500 crowns. Ask me first. Have fun!"))
    assert short is not None and short.words == "The cap is 500 crowns. Ask me first. Have fun!"
    talk = "The weather over the harbour stays as it was. " * 12
    long = stated_in(said(f"{talk}LIMIT: never more than 40 boats. {talk}It is 7:30 now."))
    assert long is not None and long.words.startswith("LIMIT: never more than 40 boats.")
    assert "weather" not in long.words and "7:30" in long.words


def test_a_paste_states_nothing_and_costs_little() -> None:
    began = time.process_time()
    assert stated_in(said("a-b-" * 50_000)) is None
    assert stated_in(said("_" * 200_000 + "x")) is None
    assert stated_in(said("no end in sight " * 20_000)) is None
    assert time.process_time() - began < 2
