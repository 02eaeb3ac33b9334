"""Planted faults in micro, auto, force and session memory: each makes the test of its row fail."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import msgspec

import steno.cli.demo.techniques as techniques
import steno.memory.merge as merge
import steno.memory.traits as traits
import steno.rungs.offload as offload
from steno.core.log import Proposal
from steno.core.view import View
from steno.engine.policy import Policy
from steno.models import Anthropic, NoAnswer, OpenAI
from steno.rungs.offload import Micro
from steno.rungs.summarize import Summarize
from steno.session.journal import Journal
from steno.session.session import Session
from steno.store.in_process import MemoryStore
from tests.cli import test_demo
from tests.engine import test_designs as designs
from tests.faults.rows import Patch, Planted, plant
from tests.memory import test_memory as memory
from tests.providers import test_models as models
from tests.summary import test_summary as summaries

FAULTS: list[Planted] = []
row = partial(plant, FAULTS)

SHORT = designs.test_lab_shows_old_results_in_short_at_any_fill_and_the_newest_ten_messages_whole


@row("D1", SHORT)
def micro_leaves_no_result_alone(patch: Patch) -> None:
    true = Micro.edit
    all_old = lambda rung, *a: true(msgspec.structs.replace(rung, recent=0), *a)  # noqa: E731
    patch.setattr(Micro, "edit", all_old)


@row("D1", SHORT)
def micro_waits_for_pressure(patch: Patch) -> None:
    patch.setattr(Micro, "edit", lambda *_: ())


@row("D1", designs.test_lab_leaves_the_arguments_of_old_calls_as_they_were_said)
def micro_shortens_old_arguments_too(patch: Patch) -> None:
    def every(rung: Micro, draft: Any, rounds: Any) -> Any:
        for block in offload.large_blocks(
            draft, offload._aged_items(draft, rung.recent), rung.over
        ):
            yield Proposal((offload.shrink_block(block, rung.keep, rung.label),), rung.label)

    patch.setattr(Micro, "edit", lambda *how: tuple(every(*how)))


@row("D2", designs.test_lab_keeps_system_first_user_message_and_the_last_ones)
def the_first_message_of_a_user_is_covered(patch: Patch) -> None:
    patch.setattr(Policy, "pins", ())


@row("D3", designs.test_lab_compacts_by_force_whatever_the_fill)
def force_waits_for_the_threshold(patch: Patch) -> None:
    patch.setattr(Session, "compact", lambda own, *_: own.messages() and None)


@row("D3", summaries.test_who_asks_may_say_what_to_keep)
def the_focus_is_ignored(patch: Patch) -> None:
    true = Journal.draft
    patch.setattr(
        Journal, "draft", lambda own, why, focus="", writer=None: true(own, why, "", writer)
    )


@row(
    "D4",
    memory.test_a_new_session_begins_with_what_is_known_of_its_user,
    store=MemoryStore(),
)
def nothing_is_offered_to_a_later_session(patch: Patch) -> None:
    patch.setattr("steno.session.user_memory.render_offer", lambda *_, **__: ("", ()))


@row("D4", memory.test_what_people_tell_of_their_life_is_remembered, said="I don't eat meat.")
def facts_of_a_life_are_not_remembered(patch: Patch) -> None:
    patch.setattr(traits, "is_worth", lambda *_: False)


PUSHED = "I just pushed the branch, the build is red since yesterday."


@row("D4", memory.test_wishes_questions_and_steps_of_the_work_are_no_memories, said=PUSHED)
def steps_of_the_work_are_remembered(patch: Patch) -> None:
    true = traits.memory_cue

    def without_work(name: str, *tables: Any) -> Any:
        return re.compile("(?!)") if name == "work" else true(name, *tables)

    patch.setattr(traits, "memory_cue", without_work)


@row(
    "D4",
    memory.test_another_choice_between_alternatives_replaces_the_first,
    store=MemoryStore(),
    first="I prefer tabs.",
    then="I prefer spaces over tabs.",
    both=False,
)
def tabs_and_spaces_stand_together(patch: Patch) -> None:
    patch.setattr(merge, "topic_overlap", lambda *_, **__: 0.0)


@row("D4", memory.test_memories_are_added_edited_and_deleted, store=MemoryStore())
def an_edited_memory_cites_the_old_words(patch: Patch) -> None:
    true = merge.edit_memory

    def citing(kept: Any, id: int, text: str, when: float) -> Any:
        old = merge.find_memory(kept, id)
        return [merge.replace(row, position=old.position) for row in true(kept, id, text, when)]

    patch.setattr(memory, "edit_memory", citing)


@row("D5", designs.test_the_boundary_is_where_everything_is_verbatim_from)
def the_boundary_is_the_beginning(patch: Patch) -> None:
    patch.setattr(View, "boundary", 0)


@row("D6", models.test_an_ask_is_answered_with_its_cost, wire="anthropic")
def anthropic_has_no_answer(patch: Patch) -> None:
    patch.setattr(Anthropic, "answer", lambda own, ask: NoAnswer("gone"))


@row("D6", models.test_an_ask_is_answered_with_its_cost, wire="openai")
def openai_has_no_answer(patch: Patch) -> None:
    patch.setattr(OpenAI, "answer", lambda own, ask: NoAnswer("gone"))


@row("D6", designs.test_lab_asks_no_model_unless_one_is_named)
def a_writer_that_is_named_is_not_asked(patch: Patch) -> None:
    patch.setattr(Summarize, "asks_for", lambda *_: None)


@row("D7", test_demo.test_four_techniques_stand_side_by_side_on_one_conversation)
def auto_is_another_policy_than_the_labs(patch: Patch) -> None:
    patch.setattr(techniques, "LAB", techniques.LAB.but(every_round=()))


@row("D7", test_demo.test_four_techniques_stand_side_by_side_on_one_conversation)
def no_writer_is_asked(patch: Patch) -> None:
    patch.setattr(techniques, "scripted_writer", lambda: None)
