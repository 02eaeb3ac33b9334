"""A request knows what became of it, from what the log shows."""

from __future__ import annotations

import pytest

from steno.core.message import Call, Message, Result, Text, Thinking, user_message
from steno.facts.goals import ANSWERED, DONE, LEFT, OFF, OPEN, WAITING
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
    assert goals(*asks, user_message("Yes, go ahead."), said("Rewritten.")) == [(0, DONE)]
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


DONE_REPLIES = [
    *("Done. The importer is three times as fast.", "All 14 tests pass. Here is what changed: …"),
    *("Perfect! All tests pass.", "Committed as `74284c9`.", "I've fixed the bug in the importer."),
    *("**Fixed and pushed.**", "The importer has been updated."),
    *("Erledigt. Der Import ist schneller.", "Ich habe den Fehler im Import behoben."),
    *("Alle Tests laufen durch.", "C'est fait.", "J'ai corrigé l'importeur."),
    *("Tous les tests passent.", "Listo, el importador es más rápido.", "He corregido el error."),
    *("已完成，导入速度提高了三倍。", "修复了，所有测试通过。"),
]


@pytest.mark.parametrize("reply", DONE_REPLIES)
def test_a_request_is_done_if_work_was_done_and_the_reply_opens_by_saying_so(reply: str) -> None:
    assert goals(ASKED, *work("a"), said(reply)) == [(0, DONE)]
    assert goals(ASKED, said(reply)) == [(0, ANSWERED)]
    assert goals(ASKED, *todo("pending"), said(reply)) == [(0, LEFT)]
    assert goals(ASKED, *work("a"), said(reply + " Shall I go on?")) == [(0, WAITING)]


@pytest.mark.parametrize(
    "reply",
    [
        *("Done, but I could not run the tests.", "Fixed. 2 tests failed.", "Not done."),
        *("Created the worktree task.", "The cause is that all tests pass the wrong path."),
        *("Updated plan:\n1. read", "Fixed. The remaining work is on Windows.", "Found it."),
        *("Fertig, allerdings fehlt der Test.", "Erledigt, konnte aber den Test nicht ausführen."),
        *("C'est fait, sauf le test.", "Listo, falta el test.", "已完成，但是测试失败。"),
    ],
)
def test_a_reply_that_takes_it_back_or_says_something_else_only_answers(reply: str) -> None:
    assert goals(ASKED, *work("a"), said(reply)) == [(0, ANSWERED)]


def test_what_a_tool_or_thinking_says_makes_nothing_done() -> None:
    assert goals(ASKED, *work("a", result="Done. All tests pass.")) == [(0, OPEN)]
    thought = Message("assistant", (Thinking("Done."), Text("It was the parser.")))
    assert goals(ASKED, *work("a"), thought) == [(0, ANSWERED)]


@pytest.mark.parametrize(
    "later",
    [
        *("no, that is the wrong file. Use b.py.", "hmm, it broke the tests. Can you look?"),
        *("I don't see the button. Please add it.", "Nein, nimm bitte b.py.", "CI failed, fix it"),
        *("Je ne vois pas le bouton, peux-tu l'ajouter ?", "No veo el botón, añade uno."),
        "不对，请改用b.py。",
    ],
)
def test_a_person_who_does_not_agree_takes_done_back(later: str) -> None:
    done = [ASKED, *work("a"), said("Done.")]
    assert goals(*done, user_message(later))[0] in [(0, ANSWERED), (0, OPEN)]
    assert goals(*done, user_message("Now write the docs."))[0] == (0, DONE)
