"""Headings and notes of a summary follow the language in which people write."""

from __future__ import annotations

import re
from typing import Any

import pytest

import steno
from steno.core.message import Message, Span, Text, user_message
from steno.core.summary import Section, Summary, SummaryLine
from steno.facts.languages.detect import detect_language, guess_language
from steno.summary.read_back import parse_body, parse_summary
from steno.summary.render import STATE_HEADING, quote_headings, render_sections, render_summary
from steno.summary.sections import SECTIONS, make_sections
from steno.summary.wording import (
    ENGLISH,
    HEADING_KEYS,
    NOTE_KEYS,
    STATE_KEYS,
    WORDINGS,
    fold_languages,
    original_line,
    translate_line,
    wording_of,
)
from tests.support.summaries import as_read_back

TYPED = {
    "": ("Never touch the table orders.", "Please look at the next part of the report."),
    "German": ("Fass die Tabelle orders nie an.", "Sieh dir bitte den nächsten Teil an."),
    "French": ("Ne touche jamais à la table orders.", "Regarde la partie suivante du rapport."),
    "Spanish": ("No toques nunca la tabla orders.", "Mira la siguiente parte del informe."),
    "Chinese": ("永远不要修改orders表。", "请看报告的下一部分。"),
}
BLANK = re.compile(r"\{\w+\}")


def test_the_tables_have_the_same_keys_and_the_same_blanks() -> None:
    for name, table in WORDINGS.items():
        assert list(table) == list(ENGLISH), name
        for key, words in table.items():
            assert sorted(BLANK.findall(words)) == sorted(BLANK.findall(ENGLISH[key])), (name, key)
            assert words.strip() and "\n" not in words
    assert set(ENGLISH) >= {*SECTIONS, *HEADING_KEYS, *NOTE_KEYS, *STATE_KEYS}


@pytest.mark.parametrize("language", WORDINGS)
def test_notes_on_omitted_and_retired_lines_are_translated(language: str) -> None:
    table = WORDINGS[language]
    told = translate_line("3 more", language)
    assert told == table["more"].format(count=3)
    assert original_line(told) == "3 more"
    # A constraint with the same word is no such line.
    assert translate_line("Never use 3 more than that.", language) == "Never use 3 more than that."
    assert translate_line("No longer in force: “A”", language) == table["retired"] + "“A”"
    edited = translate_line("Instead of “A”: B", language)
    assert edited == table["edited"].format(of="A") + "B"


def test_no_heading_means_two_things() -> None:
    headings = [
        (table[key], key) for table in WORDINGS.values() for key in (*SECTIONS, *HEADING_KEYS)
    ]
    meant: dict[str, str] = {}
    for words, key in headings:
        assert meant.setdefault(words, key) == key


@pytest.mark.parametrize("language", WORDINGS)
def test_a_summary_uses_the_peoples_language_and_is_read_back(language: str) -> None:
    constraint, asked = TYPED[language]
    session = steno.Session(wire="openai", window=4_000, constraints=["Be brief."])
    session.add({"role": "user", "content": asked}, {"role": "assistant", "content": "OK."})
    session.add({"role": "user", "content": constraint}, {"role": "assistant", "content": "OK."})
    for number in range(40):
        session.add({"role": "user", "content": f"{asked} {number}"})
        session.add({"role": "assistant", "content": "It lists widgets. " * 40})
    assert session.compact() is not None
    texts = [message["content"] for message in session.messages()]
    words = WORDINGS[language]
    assert words["given"] in texts[0] and words["CONSTRAINTS"] in texts[0]
    told = next(text for text in texts if words["note"] in text)
    assert words["data"] in told or words["no_tool"] in told or words["note_at"] in told
    for other, table in WORDINGS.items():
        if other != language:
            assert not any(table["note"] in text or table["given"] in text for text in texts)
    for commit in session.log.commits:
        for edit in commit.edits:
            if edit.summary is not None:
                assert edit.summary.language == language
                read = parse_summary(edit.shows[0].text)
                assert read is not None and read.language == language
                assert read.story == as_read_back(edit.summary).story
    again: Any = steno.compact(session.messages(), wire="openai", window=2_000, force=True)
    assert any(constraint in message["content"] for message in again.messages)


ITALIAN = (
    "Per favore controlla i moduli e poi fai un rapporto. Continua con la parte 3.",
    "Continua con la parte 4 del modulo.",
    "No, la tabella è nel file del cliente.",
    "Vedi se il test va con una riga sola.",
)
PORTUGUESE = (
    "Por favor, verifique os modulos e depois faça um relatorio. Continue com a parte 4.",
    "Se o teste da tabela não passa, para tudo.",
    "Como se chama a tabela que não tem chave?",
)


@pytest.mark.parametrize("text", [*ITALIAN, *PORTUGUESE, "\n".join(ITALIAN), "\n".join(PORTUGUESE)])
def test_a_language_without_a_table_is_not_taken_for_one_that_shares_its_words(text: str) -> None:
    assert guess_language(text).name == ""
    assert detect_language(text).name == ""


@pytest.mark.parametrize(
    "sentence", ["Revisa los módulos y sigue con la parte 3.", "No lo hagas ya."]
)
def test_spanish_is_still_told_from_its_neighbours(sentence: str) -> None:
    assert guess_language(sentence).name == "Spanish"


@pytest.mark.parametrize("language", WORDINGS)
def test_the_state_is_translated_and_left_out_when_it_comes_back(language: str) -> None:
    state = f"{STATE_HEADING}\n- last test run [3] `make`: failed\n- tasks done (1 of 2): one"
    pieces = f"{ENGLISH['pieces']}\n--- a.md [4]\n- last test run was on Monday"
    sections = make_sections({"CONSTRAINTS": [SummaryLine("No sudo.", (2,))]})
    summary = Summary(
        Span(0, 6),
        90,
        (("user", 6),),
        sections=sections,
        language=language,
        state=f"{state}\n\n{pieces}",
    )
    text = render_summary(summary)
    words = WORDINGS[language]
    assert f"{words['state']}\n{words['last_test']}[3]" in text
    assert words["tasks_done"].format(done="1", all="2") + "one" in text
    # Text of a file is never touched.
    assert "\n- last test run was on Monday" in text
    read = parse_summary(text)
    assert read is not None and read.sections == sections and not read.story


def test_words_of_others_pass_for_no_heading_in_any_language() -> None:
    for table in WORDINGS.values():
        for key in (*SECTIONS, *HEADING_KEYS, "given"):
            assert quote_headings(table[key]) == f"> {table[key]}"


def test_a_mixed_session_is_summarized_in_english() -> None:
    def language_of(*typed: str) -> str:
        messages = [user_message(text) for text in typed]
        return wording_of(fold_languages(None, messages, 0))

    assert language_of(TYPED["German"][1]) == "German"
    assert language_of(TYPED["German"][1], TYPED[""][1]) == ""
    assert language_of(*[TYPED["French"][1]] * 200, *[TYPED[""][1]] * 2_000) == "French"
    # Portuguese shares its small words with Spanish, and not its letters.
    assert language_of("Não é para todos, isso não deve ficar assim, você pode remover já") == ""
    agent = Message("assistant", (Text(TYPED["German"][1]),))
    assert wording_of(fold_languages(None, [agent], 0)) == ""


@pytest.mark.parametrize("language", WORDINGS)
def test_openings_of_lines_follow_the_language_and_are_read_back(language: str) -> None:
    texts = ("from memory: uses tabs", "todo pending: the docs")
    lines = tuple(SummaryLine(text, (3,)) for text in texts)
    rendered = render_sections((Section("CONSTRAINTS", lines),), language=language)
    told = "\n".join(rendered.split("\n")[1:])
    assert told == "\n".join(
        (
            "- " + WORDINGS[language]["remembered"] + "uses tabs [3]",
            "- " + WORDINGS[language]["todo_waiting"] + "the docs [3]",
        )
    )
    sections, _ = parse_body(rendered)
    assert sections[0].lines == lines


def test_a_constraint_that_opens_like_a_line_of_ours_keeps_its_words() -> None:
    for text in ("Once: push it.", "Aufgehoben: nichts.", "task force rules: none", "test: all"):
        assert translate_line(text, "German") == text
        assert original_line(text) == text
