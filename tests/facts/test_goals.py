"""A request knows what became of it, from what the log shows."""

from __future__ import annotations

import pytest

from steno.core.message import Call, Message, Result, Text, user_message
from steno.facts.goals import ANSWERED, LEFT, OFF, OPEN, WAITING
from steno.facts.ledger import Ledger

ASKED = user_message("Make the importer faster.")


def said(text: str) -> Message:
    return Message("assistant", (Text(text),))


def work(id: str, tool: str = "read", arguments: str = "{}", result: str = "ok") -> list[Message]:
    return [
        Message("assistant", (Call(id, tool, arguments),)),
        Message("tool", (Result(id, result),)),
    ]


def todo(state: str) -> list[Message]:
    listed = f'{{"todos": [{{"content": "Measure it", "status": "{state}"}}]}}'
    return work(f"t{state}", "TodoWrite", listed)


def goals(*messages: Message) -> list[tuple[int, str]]:
    return [(goal.at, goal.state) for goal in Ledger.of(messages).goals]


def test_a_request_is_open_until_a_reply_without_calls() -> None:
    assert goals(ASKED) == [(0, OPEN)]
    assert goals(ASKED, *work("a")) == [(0, OPEN)]
    assert goals(ASKED, *work("a"), said("It is three times as fast now.")) == [(0, ANSWERED)]


def test_words_right_before_a_call_settle_nothing() -> None:
    assert goals(ASKED, said("It is faster."), *work("a")) == [(0, OPEN)]


def test_a_reply_that_asks_back_leaves_it_waiting_until_it_is_answered() -> None:
    asks = [ASKED, *work("a"), said("The parser is slow. Shall I rewrite it?")]
    assert goals(*asks) == [(0, WAITING)]
    assert goals(*asks, user_message("Yes, go ahead.")) == [(0, OPEN)]
    assert goals(*asks, user_message("Yes, go ahead."), said("Rewritten.")) == [(0, ANSWERED)]
    assert goals(*asks, user_message("Write a report.")) == [(0, WAITING), (4, OPEN)]
    assert goals(*asks, user_message("Thanks!")) == [(0, ANSWERED)]


def test_an_open_task_or_an_announced_step_is_left() -> None:
    assert goals(ASKED, *todo("pending"), said("It is faster.")) == [(0, LEFT)]
    assert goals(ASKED, *todo("completed"), said("It is faster.")) == [(0, ANSWERED)]
    left = said("It is faster.\n\nNext steps:\n- measure it on Windows")
    assert goals(ASKED, *work("a"), left) == [(0, LEFT)]


@pytest.mark.parametrize(
    "complaint",
    [
        "It still fails with the same error.",
        "Das funktioniert immer noch nicht.",
        "Ça ne marche toujours pas.",
        "Sigue sin funcionar.",
        "还是报错。",
    ],
)
def test_a_complaint_takes_it_up_again(complaint: str) -> None:
    assert goals(ASKED, said("Done."), user_message(complaint)) == [(0, OPEN)]


def test_other_words_after_a_question_or_praise_open_a_request_of_their_own() -> None:
    asks = [ASKED, *work("a"), said("Which parser, a or b?")]
    first = [user_message("ok, first add a test"), said("Test added.")]
    assert goals(*asks, *first) == [(0, WAITING), (4, ANSWERED)]
    praised = user_message("Great, works! Now fix the lexer, it is still broken.")
    assert goals(ASKED, *work("a"), said("Done."), praised) == [(0, ANSWERED), (4, OPEN)]


@pytest.mark.parametrize(
    "words",
    [
        *("Never mind, stop.", "stop", "Stop.", "stop it", "abort", "wait, stop"),
        *("Stopp!", "hör auf", "arrête", "para", "停", "停下。"),
    ],
)
def test_a_request_that_is_called_off_is_neither(words: str) -> None:
    assert goals(ASKED, *work("a"), user_message(words), said("Stopped.")) == [(0, OFF)]


@pytest.mark.parametrize("words", ["stop.sh fails", "stop-loss orders are late", "Para el bot"])
def test_a_name_or_an_object_after_a_stop_verb_calls_nothing_off(words: str) -> None:
    assert goals(ASKED, user_message(words))[-1] == (1, OPEN)
