"""A cue is searched only where it can be found, and is found wherever it stands."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from bench import rules as bench
from steno.facts.languages import LANGUAGES, LanguageCues
from steno.facts.languages.phrases import Phrase, Phrases

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
