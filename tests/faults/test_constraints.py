"""Planted faults in constraints: each must make the test fail that promises it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steno.checks.kept as survival
import steno.engine.compact as engine
import steno.session.constraints as constraints
import steno.session.parts as parts
import steno.summary.plan as cover
import steno.summary.read_back as read_back
import steno.summary.reimport as reimport
import steno.summary.wording as wording
import steno.writer.ask as writer_ask
from steno.core.view import View
from tests.checks import test_survival as counting
from tests.session import test_constraints as given
from tests.summary import test_wording as wordings
from tests.writer import test_writers as writing

Patch = pytest.MonkeyPatch


def the_block_comes_last(patch: Patch) -> None:
    def visible(view: View) -> Any:
        yield from view.item_messages
        if view.head is not None:
            yield view.head

    patch.setattr(View, "visible_messages", property(visible))


def found_constraints_stay_in_the_summary(patch: Patch) -> None:
    patch.setattr(engine, "gather_constraints", lambda draft: draft)


def a_block_that_comes_back_is_a_message(patch: Patch) -> None:
    patch.setattr(reimport, "constraints_block_at", lambda messages: None)


def giving_again_brings_back_what_was_retired(patch: Patch) -> None:
    def give(self: constraints.Constraints, listed: Any) -> None:
        for each in constraints.as_constraints(listed):
            self.set(each.text, each.id or None)

    patch.setattr(parts.Constraints, "give", give)


def nothing_is_ever_lost(patch: Patch) -> None:
    patch.setattr(survival, "_shown_among", lambda stated, view, text: set(range(len(stated))))


def a_writer_does_not_read_the_constraints(patch: Patch) -> None:
    patch.setattr(writer_ask.SummaryAsks, "kept_block", "")


def a_summary_comes_back_in_english_only(patch: Patch) -> None:
    english = {words: key for key, words in wording.ENGLISH.items()}
    known = {row: name for row, name in read_back.SECTION_OF_HEADING.items() if row in english}
    patch.setattr(read_back, "SECTION_OF_HEADING", known)


def the_fixed_words_are_always_english(patch: Patch) -> None:
    patch.setattr(cover, "wording_of", lambda typed: "")


FAULTS: list[tuple[Callable[[Patch], None], Callable[[Path], None]]] = [
    (the_block_comes_last, lambda path: given.test_on_the_responses_api_too()),
    (
        found_constraints_stay_in_the_summary,
        lambda path: (
            given.test_constraints_that_people_said_stand_in_the_same_block_after_a_compaction()
        ),
    ),
    (
        a_block_that_comes_back_is_a_message,
        lambda path: given.test_compact_takes_them_and_knows_its_block_when_it_comes_back(),
    ),
    (
        giving_again_brings_back_what_was_retired,
        given.test_they_are_kept_and_what_a_person_retired_or_edited_stays_so,
    ),
    (
        nothing_is_ever_lost,
        lambda path: counting.test_what_is_no_longer_shown_is_a_finding_that_names_its_position(),
    ),
    (
        a_summary_comes_back_in_english_only,
        lambda path: wordings.test_the_state_is_translated_and_left_out_when_it_comes_back(
            "German"
        ),
    ),
    (
        the_fixed_words_are_always_english,
        lambda path: wordings.test_a_summary_uses_the_peoples_language_and_is_read_back("French"),
    ),
    (
        a_writer_does_not_read_the_constraints,
        lambda path: (
            writing.test_every_ask_carries_the_constraints_and_they_stay_whatever_it_says()
        ),
    ),
]


@pytest.mark.parametrize(("plant", "promise"), FAULTS, ids=lambda each: each.__name__)
def test_a_planted_fault_is_caught(
    plant: Callable[[Patch], None], promise: Callable[[Path], None], tmp_path: Path
) -> None:
    with Patch.context() as patch:
        plant(patch)
        with pytest.raises(AssertionError):
            promise(tmp_path)
