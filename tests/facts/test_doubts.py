"""Doubts of the assistant in five kinds, and decisions with their reasons."""

from __future__ import annotations

import time

import pytest

from steno.core.message import Call, Message, Result, Text, Thinking, user_message
from steno.facts import decisions
from steno.facts import decisions as doubts


def says(text: str) -> Message:
    return Message("assistant", (Text(text),))


def kinds(text: str) -> set[str]:
    return {fact.note for fact in doubts.read_doubts(says(text))}


# Markers


@pytest.mark.parametrize(
    ("kind", "text"),
    (
        ("hedge", "It is probably the cache."),
        ("hedge", "I think the lock is held twice."),
        ("hedge", "Vermutlich fehlt ein Index."),
        ("hedge", "C'est peut-être le cache."),
        ("hedge", "Parece que falta un índice."),
        ("hedge", "可能是缓存的问题。"),
        ("reconsideration", "Wait, the index exists."),
        ("reconsideration", "The lock is fine. Actually, it is never taken."),
        ("reconsideration", "On second thought, keep the table."),
        ("reconsideration", "Moment, der Index existiert."),
        ("reconsideration", "En fait, la table est vide."),
        ("reconsideration", "Pensándolo bien, no hace falta."),
        ("reconsideration", "等等，索引已经存在。"),
        ("uncertainty", "I'm not entirely sure which branch is live."),
        ("uncertainty", "It's unclear who calls this."),
        ("uncertainty", "Ich bin mir nicht sicher, ob das stimmt."),
        ("uncertainty", "Je ne suis pas sûr que ce soit utilisé."),
        ("uncertainty", "No estoy seguro de eso."),
        ("uncertainty", "我不确定这是否有效。"),
        ("self-verification", "Let me double-check the totals."),
        ("self-verification", "Let me verify that nothing else uses it."),
        ("self-verification", "Lass mich das noch überprüfen."),
        ("self-verification", "Je vais vérifier que tout passe."),
        ("self-verification", "Voy a comprobar si funciona."),
        ("self-verification", "让我再确认一遍。"),
        ("correction", "I was wrong about the default."),
        ("correction", "You're right, the column is nullable."),
        ("correction", "Ich habe mich geirrt."),
        ("correction", "Je me suis trompé de fichier."),
        ("correction", "Me equivoqué de archivo."),
        ("correction", "抱歉，我弄错了。"),
    ),
)
def test_a_doubt_is_read_with_its_kind(kind, text):
    assert kind in kinds(text)


@pytest.mark.parametrize(
    "text",
    (
        "Let me check the file.",
        "Check the file before you deploy.",
        "We wait for the build, then deploy.",
        "The function actually returns a list.",
        "The button says `maybe later`.",
        'The log reads "I think we lost the lease" twice.',
        "```\n# wait, actually this is probably wrong\n```",
        "> I'm not sure about this.",
        "Add a test to verify the parser.",
        "The right margin is 4 px.",
        "All 12 tests pass.",
    ),
)
def test_the_word_alone_is_no_doubt(text):
    assert kinds(text) == set()


def test_only_the_assistant_doubts():
    text = "Wait, I think I was wrong, let me double-check."

    assert list(doubts.read_doubts(user_message(text))) == []
    assert list(doubts.read_doubts(Message("tool", (Result("c", (Text(text),)),)))) == []
    assert list(doubts.read_doubts(Message("system", (Text(text),)))) == []


def test_thinking_states_no_doubt():
    thought = "The table is small. Hmm, maybe it is not read at all."

    assert list(doubts.read_doubts(Message("assistant", (Thinking(thought), Text("Done."))))) == []
    assert list(doubts.read_doubts(Message("assistant", (Text(thought),)))) != []


def test_three_kinds_can_be_told_apart():
    text = (
        "Wait, that is not the cause. I'm not sure what is. Let me verify that the lock is taken."
    )

    assert kinds(text) == {"reconsideration", "uncertainty", "self-verification"}


# Decisions


def decided(message: Message) -> list[tuple[str, str]]:
    return [(fact.words, fact.note) for fact in decisions.read_decisions(message)]


def test_a_decision_is_kept_with_its_reason():
    text = "The data is small. We'll use SQLite because it needs no server. Tests come later."

    assert decided(user_message(text)) == [
        ("We'll use SQLite because it needs no server.", "because it needs no server.")
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    (
        ("We decided to drop Windows.", ""),
        (
            "Going with tabs instead of spaces since the linter wants them.",
            "instead of spaces since the linter wants them.",
        ),
        ("I'll keep the old name rather than break callers.", "rather than break callers."),
        ("Wir haben uns für Postgres entschieden, weil wir es kennen.", "weil wir es kennen."),
        ("Nous avons choisi Redis parce que c'est rapide.", "parce que c'est rapide."),
        ("Hemos decidido usar Go porque compila rápido.", "porque compila rápido."),
        ("我们决定使用缓存，因为查询太慢。", "因为查询太慢。"),
    ),
)
def test_decisions_in_five_languages(text, reason):
    assert decided(says(text)) == [(text, reason)]


@pytest.mark.parametrize(
    "text",
    (
        "I'll use grep to find the callers.",
        "Should we use SQLite because it needs no server?",
        "The decision tree has three leaves.",
        "`we'll use SQLite` is what the readme says.",
    ),
)
def test_sentences_that_are_no_decision(text):
    assert decided(says(text)) == []


def test_a_person_decides_in_fewer_words():
    assert decided(user_message("option 2")) == [("option 2", "")]
    assert decided(user_message("Let's keep the old API.")) == [("Let's keep the old API.", "")]


def test_tools_decide_nothing():
    text = "We decided to send all mails to me."

    assert decided(Message("tool", (Result("c", (Text(text),)),))) == []
    assert decided(user_message(f"<system-reminder>{text}</system-reminder>")) == []
    assert decided(Message("assistant", (Call("c", "say", f'{{"text": "{text}"}}'),))) == []


@pytest.mark.slow
def test_hostile_texts_are_read_in_linear_time_and_bounded():
    for text in (
        "I think so. " * 8_000,
        "wait, " * 15_000,
        "we'll use " * 10_000,
        "\n" * 100_000,
        "because " * 12_000,
    ):
        began = time.process_time()
        assert len(list(doubts.read_doubts(says(text)))) <= doubts.DOUBTS_MOST
        assert len(list(decisions.read_decisions(says(text)))) <= decisions.DECISIONS_MOST
        assert time.process_time() - began < 2.0, text[:10]
