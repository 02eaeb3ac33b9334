"""A cue is searched only where it can be found, and is found wherever it stands."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from bench import rules as bench
from steno.facts.languages import LANGUAGES, LanguageCues
from steno.facts.languages.phrases import WORD_MOST, LetterRuns, Phrase, Phrases

SENTENCES = [
    message["text"].lower()
    for item in bench.read_items(bench.LABELS / "rules_dev.jsonl")
    for message in item["messages"]
]


@pytest.mark.parametrize(
    ("source", "needs"),
    [
        (r"\balways (?!\w+ing\b)\w", {("always ",)}),
        (r"\b(?:must|should) (?:ever|not)\b", {("must", "should"), ("ever", "not")}),
        (r"(?:please )?use \w+", {("use ",)}),
        (r"don[’']?t (?:it|that)", {("don",), ("it", "that"), ("t ",)}),
        # One branch needs nothing, so the whole does not.
        (r"(?:never|\w+) xy", {(" xy",)}),
        (r"(?:a|b)+\d", set()),
        # What stands ahead or behind is no part of a match.
        (r"(?<!not )now(?=, then)", {("now",)}),
        (r"(?i:never)", set()),
        # One plain letter is in most texts, one of another script in few.
        (r"a\d|b\d", set()),
        (r"说\d|讲\d", {("讲", "说")}),
    ],
)
def test_what_a_pattern_needs_is_read_from_it(source: str, needs: set[tuple[str, ...]]) -> None:
    assert set(Phrase(source).needs) == needs


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_phrase_is_found_wherever_its_pattern_is(language: LanguageCues) -> None:
    found = 0
    for field in fields(language.rules):
        phrases = getattr(language.rules, field.name)
        if not isinstance(phrases, Phrases):
            continue
        whole = re.compile("|".join(phrases.sources))
        for sentence in SENTENCES:
            held = whole.search(sentence) is not None
            assert phrases.found_in(sentence) == held, (field.name, sentence)
            found += held
    assert found >= 10


RUNS = ("always ", "n't", "in", " i ", "ß", "mußt", "说", "必须", "_x_", "?", "copied", "e-mail")


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("more", ["", " and so on" * 80, "w" * (WORD_MOST + 1)])
def test_a_run_of_letters_is_found_wherever_it_stands(run: str, more: str) -> None:
    assert LetterRuns(RUNS).held_in(f"{more}x{run}x{more}").count(run) == 1
    assert run not in LetterRuns(RUNS).held_in(f"{more}gd{more}")


def test_a_run_is_found_in_words_that_were_read_before_it_was_known() -> None:
    assert not LetterRuns(("tomatoes",)).held_in("grandpotatoes")
    assert LetterRuns(("potatoes",)).held_in("grandpotatoes") == ["potatoes"]


def test_case_matters_only_where_a_phrase_says_so() -> None:
    phrases = Phrases(r"^reply of (?-i:[A-Z])\w+$")
    assert phrases.found_in_any_case("Reply OF Bob")
    assert not phrases.found_in_any_case("Reply of bob")
