"""Planted faults in the researcher design: each must make the test of its row fail."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

import steno.agent.research.prompt_builder as builders
import steno.agent.research.researcher as researchers
import steno.facts.failures as failures
import steno.rungs.summarize as summarizing
import steno.summary.plan as plans
import steno.summary.sections as sections
from steno.agent.research import FileLibrary, Researcher
from steno.agent.research.prompt_builder import PromptBuilder, SummarizeOrClip
from steno.core.budget import Budget
from steno.core.tail import Entries
from steno.engine.designs import POLICIES
from steno.gateway.calls import GatewayCalls
from steno.gateway.client import Gateway
from steno.gateway.v1 import gateway_pb2
from steno.rungs.clip import Clip
from steno.rungs.summarize import Summarize
from steno.session.event_log import EventLog
from steno.session.session import Session
from steno.summary.agent_words import AgentWords
from steno.summary.compose import Composer
from steno.summary.past import Past
from tests.engine import test_design_b as design
from tests.faults.rows import Patch, Planted, plant
from tests.support.scripted_research import ScriptedModel

FAULTS: list[Planted] = []
row = partial(plant, FAULTS)

BLOCK = design.test_the_whole_block_stays_within_300_tokens_and_tells_a_note_once


@row("B1", BLOCK, writes=True, tmp_path=Path)
def a_writers_lines_come_on_top(patch: Patch) -> None:
    patch.setattr(Summarize, "fit_room", lambda own, plan, notes, bare, left: (bare, left))
    patch.setattr(summarizing, "written_lines", lambda *_: [])


@row("B1", BLOCK, writes=False, tmp_path=Path)
def the_number_is_no_limit(patch: Patch) -> None:
    patch.setattr(Summarize, "summary_room", lambda own, draft, room: 590)


@row("B1", BLOCK, writes=True, tmp_path=Path)
def a_note_is_told_again_beside_the_writers_line(patch: Patch) -> None:
    true = Past.__init__

    def forgetful(own: Past, *args: Any, **options: Any) -> None:
        true(own, *args, **(options | {"told_by_writer": frozenset()}))

    patch.setattr(Past, "__init__", forgetful)


@row("B1", design.test_a_task_of_25_turns_is_compacted_twice_at_most, tmp_path=Path)
def passages_are_long(patch: Patch) -> None:
    true = FileLibrary.read

    def read(own: FileLibrary, source: str) -> str:
        """Read a passage."""
        return true(replace(own, characters=2_400), source)

    patch.setattr(FileLibrary, "read", read)


@row("B1", design.test_a_prompt_names_no_tool_that_the_researcher_does_not_have, tmp_path=Path)
def a_tool_is_named_that_is_not_there(patch: Patch) -> None:
    note = 'Earlier messages of this session were shortened; recall(positions="3-9") shows [3–9].'
    patch.setattr(summarizing, "reader_note", lambda draft, **_: note)


NEEDED = design.test_compaction_is_needed_over_60_percent_and_says_whether_it_fits


@row("B1", NEEDED, tmp_path=Path)
def compaction_waits_for_the_window(patch: Patch) -> None:
    patch.setattr(Budget, "soft_load", property(lambda budget: budget.usable * 0.9))


@row("B1", NEEDED, tmp_path=Path)
def one_entry_stays(patch: Patch) -> None:
    patch.setitem(POLICIES, "researcher", POLICIES["researcher"].but(tail=Entries(1)))


@row("B1", NEEDED, tmp_path=Path)
def a_summary_is_a_hard_task(patch: Patch) -> None:
    epic = property(lambda own: "epic", lambda own, given: None)
    patch.setattr(Researcher, "summary_complexity", epic)


MEMORY = design.test_memory_is_told_in_the_summary_and_its_section_goes


@row("B2", MEMORY, tmp_path=Path)
def memory_is_not_in_the_summary(patch: Patch) -> None:
    patch.setattr(sections, "offer_lines", lambda message: ())


@row("B2", MEMORY, tmp_path=Path)
def the_task_is_compacted(patch: Patch) -> None:
    patch.setitem(POLICIES, "researcher", POLICIES["researcher"].but(pins=()))
    unpinned = lambda **given: Session(**(given | {"pins": ()}))  # noqa: E731
    patch.setattr("steno.agent.research.researcher.Session", unpinned)
    patch.setattr("steno.engine.policy._open_request", lambda view, most: ())


GATEWAY = design.test_the_gateway_answers_on_an_event_loop_and_to_any_grpc_client


@row("B3", GATEWAY)
def how_hard_a_task_is_does_not_arrive(patch: Patch) -> None:
    true = Gateway.answer

    def easy(own: Gateway, ask: Any) -> Any:
        return true(own, msgspec.structs.replace(ask, complexity="medium"))

    patch.setattr(Gateway, "answer", easy)


@row("B3", GATEWAY)
def a_caller_without_a_session_gets_no_text(patch: Patch) -> None:
    true = GatewayCalls.inference

    def silent(own: GatewayCalls, request: Any, context: Any) -> Any:
        if not request.context.session_id:
            return gateway_pb2.InferenceResponse()
        return true(own, request, context)

    patch.setattr(GatewayCalls, "inference", silent)


KEEPS = design.test_the_summary_keeps_decisions_failures_and_names_and_no_raw_output


@row("B4", KEEPS, tmp_path=Path)
def decisions_are_not_told(patch: Patch) -> None:
    patch.setattr(plans, "decision_lines", lambda *_: [])
    patch.setattr(AgentWords, "keep_first", lambda *_: 0.0)
    patch.setattr(AgentWords, "keep_replies", lambda *_: 0.0)
    patch.setattr(AgentWords, "tell_narration", lambda *_: None)


@row("B4", KEEPS, tmp_path=Path)
def raw_output_is_quoted(patch: Patch) -> None:
    def quoting(own: Composer, start: int, stop: int) -> str:
        return "\n".join(str(message.blocks)[:300] for message in own.past.messages[start:stop])

    patch.setattr(Composer, "told_run", quoting)


@row("B4", KEEPS, tmp_path=Path)
def an_error_is_overcome_by_any_call(patch: Patch) -> None:
    patch.setattr(failures, "is_tried_again", lambda failure, call: True)


@row("B4", KEEPS, tmp_path=Path)
def what_failed_is_not_told(patch: Patch) -> None:
    patch.setattr("steno.summary.activity._outcome_note", lambda touches, result: "")


CLIPPED = design.test_without_the_gateway_200_characters_of_each_entry_stay


@row("B5", CLIPPED, tmp_path=Path)
def a_hundred_characters_stay(patch: Patch) -> None:
    true = Clip.edit
    short = {"each": 100}
    patch.setattr(Clip, "edit", lambda own, *a: true(msgspec.structs.replace(own, **short), *a))


@row("B5", CLIPPED, tmp_path=Path)
def a_gateway_that_fails_stops_compaction(patch: Patch) -> None:
    patch.setattr(SummarizeOrClip, "edit", lambda *_: ())


ENDS = design.test_a_run_ends_in_one_of_three_ways


@row(
    "B6",
    ENDS,
    options={"window": 500},
    model=ScriptedModel(),
    status="PARTIAL",
    reason="context overflow after compaction: ",
    tmp_path=Path,
)
def an_overflow_is_said_without_numbers(patch: Patch) -> None:
    patch.setattr(researchers, "NO_ROOM", "no room")


@row("B6", ENDS, options={}, model=ScriptedModel(), status="SUCCESS", reason="", tmp_path=Path)
def pressure_ends_a_run(patch: Patch) -> None:
    def strict(session: Any, *_: Any) -> None:
        if PromptBuilder(session).session.load > 0.5 * session.budget.usable:
            raise builders.NoRoom(session.load, 0, session.budget.usable)

    patch.setattr(researchers, "require_room", strict)


@row("B7", design.test_with_three_entries_no_model_is_asked, tmp_path=Path)
def there_is_always_something_to_compact(patch: Patch) -> None:
    patch.setitem(POLICIES, "researcher", POLICIES["researcher"].but(tail=Entries(2)))


@row("B8", design.test_each_test_of_the_design_has_one_of_ours)
def a_test_is_gone(patch: Patch) -> None:
    known = "test_pressure_alone_ends_nothing"
    page = design.RESEARCH_PAGE.replace(known, "test_that_nobody_wrote")
    patch.setattr(design, "RESEARCH_PAGE", page)


@row(
    "B8",
    design.test_a_compaction_says_for_which_agent_and_in_which_turn,
    tmp_path=Path,
    caplog=pytest,
)
def an_event_says_no_turn(patch: Patch) -> None:
    patch.setattr(
        EventLog, "iteration", property(lambda own: 0, lambda own, value: None), raising=False
    )
