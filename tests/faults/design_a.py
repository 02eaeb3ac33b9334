"""Planted faults in the agent-controlled design: each must make the test of its row fail."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

import steno.adapters.mcp as mcp
import steno.agent.turn as turns
import steno.core.meter as meters
import steno.engine.policy as policies
import steno.facts.step_boundary as moments
import steno.session.agent_tools.answers as answers
import steno.session.agent_tools.deferred as deferring
import steno.session.agent_tools.definitions as definitions
import steno.session.event_log as event_log
import steno.session.landing as landing
import steno.session.parts as parts
from steno.agent.loop import Loop
from steno.core.budget import Budget
from steno.core.errors import ModelFailed
from steno.core.events import Event, Failed
from steno.core.log import Commit
from steno.core.model import Usage
from steno.engine.policy import Policy
from steno.providers import get_wire
from steno.rungs.offload import Intake
from steno.rungs.summarize import Summarize
from steno.session.agent_tools.answers import AgentTools
from steno.session.compactor import Compactor
from steno.session.settings import StoredSettings
from steno.summary.agent_words import AgentWords
from steno.summary.people_words import PeopleWords
from steno.summary.worth import Rarity
from tests.adapters import test_mcp as mcp_tests
from tests.agent import test_loops as loops
from tests.engine import test_design_a as design
from tests.faults.rows import Patch, Planted, plant
from tests.session import test_agent_tools as agent_tools
from tests.summary import test_worth as worth
from tests.support.command_line import Run

FAULTS: list[Planted] = []
row = partial(plant, FAULTS)


@row("A5", design.test_the_designs_estimate_counts_fifty_a_tool_and_rounds_down)
def a_tools_text_is_counted_too(patch: Patch) -> None:
    true = meters.chars_per_four

    def counting() -> meters.Meter:
        meter = true()
        overheads = msgspec.structs.replace(meter.overheads, tool_texts=True)
        return replace(meter, overheads=overheads)

    patch.setattr("steno.chars_per_four", counting)


@row("A5", design.test_the_designs_estimate_counts_fifty_a_tool_and_rounds_down)
def the_estimate_rounds_up(patch: Patch) -> None:
    true = meters.chars_per_four
    patch.setattr("steno.chars_per_four", lambda: replace(true(), count=lambda t: -(-len(t) // 4)))


REOPENED = design.test_a_reopened_session_has_its_policy_prompt_tools_and_ratio


@row("A6", REOPENED, policy="agent-controlled", tmp_path=Path)
def a_policy_is_not_stored(patch: Patch) -> None:
    patch.setattr(parts, "stored_policy", lambda policy: None)


@row("A6", REOPENED, policy="agent-controlled", tmp_path=Path)
def prompt_and_tools_are_not_stored(patch: Patch) -> None:
    patch.setattr(StoredSettings, "with_preamble", lambda stored, *_: stored)


@row("A6", REOPENED, policy="agent-controlled", tmp_path=Path)
def the_ratio_is_learned_anew(patch: Patch) -> None:
    patch.setattr(StoredSettings, "with_learned_ratio", lambda stored, meter: meter)


@row("A6", design.test_one_value_says_how_far_a_session_is_compacted, tmp_path=Path)
def a_summary_has_no_text(patch: Patch) -> None:
    patch.setattr(Commit, "summary_text", "")


STAYS = design.test_what_was_doubted_stays_under_the_designs_own_policy


@row("A8", STAYS, changes={}, hedged=False)
def what_was_doubted_gets_what_others_leave(patch: Patch) -> None:
    patch.setattr(AgentWords, "keep_first", lambda *_: 0.0)


@row("A8", design.test_doubts_stay_within_their_share_and_beyond_it_say_what_they_were_about)
def every_doubt_stays_whole(patch: Patch) -> None:
    true = AgentWords.keep_first
    patch.setattr(AgentWords, "keep_first", lambda own, found, *_: true(own, found, 1e9, 1e9))


@row("A9", STAYS, changes={"persona": "verbose"}, hedged=True)
def a_persona_makes_no_difference(patch: Patch) -> None:
    patch.setattr(Policy, "doubts", 3)


@row("A9", design.test_a_run_says_how_hard_its_task_is_and_only_for_itself)
def a_run_does_not_say_how_hard_it_is(patch: Patch) -> None:
    true = Loop.stream
    patch.setattr(Loop, "stream", lambda loop, task, held, **_: true(loop, task, held))


KEPT_OR_NOT = design.test_markers_are_kept_or_not_as_the_agent_asked


@row(
    "A10",
    agent_tools.test_bad_arguments_are_answered_with_what_to_do,
    name="compress_context",
    arguments='{"reason": "  "}',
    part="matching regex",
)
def a_blank_reason_is_taken(patch: Patch) -> None:
    class AnyReason(definitions.CompressContextArguments, frozen=True):
        reason: str

    patch.setitem(answers.TOOL_ARGUMENTS, "compress_context", AnyReason)


@row(
    "A10",
    agent_tools.test_the_tools_are_defined_as_the_provider_wants_them_and_the_same_until_a_commit,
    wire="openai",
)
def the_fill_is_that_of_before(patch: Patch) -> None:
    def before(own: AgentTools) -> str:
        fills = [100 * commit.before / commit.usable for commit in own._journal.log.commits]
        return "".join(f" After the last time the context was {fill:.0f} % full." for fill in fills)

    patch.setattr(AgentTools, "last_fill", before)


@row("A10", KEPT_OR_NOT, strategy="archive")
def markers_are_always_kept(patch: Patch) -> None:
    patch.setattr(deferring, "without_doubts", lambda rung: rung)


@row("A10", KEPT_OR_NOT, strategy="archive")
def markers_are_never_kept(patch: Patch) -> None:
    patch.setattr(Summarize, "doubted_at", lambda *_: {})


@row("A10", design.test_an_archive_is_one_summary_whatever_techniques_the_policy_has)
def an_archive_keeps_the_ladder_of_the_policy(patch: Patch) -> None:
    def by_policy(own: deferring.DeferredRequests, strategy: str, _: bool, reason: str) -> Any:
        ladder, asks = own._journal.settings.policy.ladder, strategy != "archive"
        return own._compactor.compact_now(ladder, asks=asks, reason=reason)

    patch.setattr(deferring.DeferredRequests, "_compact", by_policy)


@row("A10", design.test_of_several_requests_in_a_batch_the_last_is_done_once, last="archive")
def the_first_of_several_is_done(patch: Patch) -> None:
    true = deferring.DeferredRequests.pending
    patch.setattr(deferring.DeferredRequests, "pending", lambda own: true(own)[::-1])


@row("A10", design.test_of_several_requests_in_a_batch_the_last_is_done_once, last="summarize")
def each_of_several_is_done(patch: Patch) -> None:
    true, pending = deferring.DeferredRequests.run, deferring.DeferredRequests.pending
    patch.setattr(deferring.DeferredRequests, "pending", lambda own: pending(own)[:1])

    def each(own: deferring.DeferredRequests) -> None:
        while pending(own):
            true(own)

    patch.setattr(deferring.DeferredRequests, "run", each)


REASON = design.test_the_reason_is_in_the_outcome_the_commit_the_event_and_the_log


@row("A10", REASON, run=Run, tmp_path=Path)
def the_reason_goes_nowhere(patch: Patch) -> None:
    true = Compactor.compact_now

    def without(own: Compactor, ladder: Any, *, asks: bool, reason: str) -> Commit | None:
        return true(own, ladder, asks=asks)

    patch.setattr(Compactor, "compact_now", without)


FILL = design.test_every_request_with_an_indicator_ends_with_the_fill


@row("A11", loops.test_the_safety_net_fires_where_the_agent_does_not_compact)
def the_net_acts_without_its_event(patch: Patch) -> None:
    patch.setattr(landing, "SafetyNet", lambda *_: Failed("the net acted"))


@row("A12", FILL, wire="anthropic")
def a_request_says_no_fill(patch: Patch) -> None:
    patch.setattr(AgentTools, "indicator", lambda tools: None)


@row("A12", design.test_the_indicator_says_when_to_compact)
def it_is_never_time_to_compact_now(patch: Patch) -> None:
    patch.setattr(answers, "COMPACT_SOON", 2.0)


@row("A13", FILL, wire="openai")
def the_designs_policy_does_not_offer_its_tool(patch: Patch) -> None:
    patch.setattr(Policy, "offers_compression", False)


@row(
    "A13",
    mcp_tests.test_what_an_agent_asks_for_is_done_by_the_process_that_runs_the_session,
    tmp_path=Path,
)
def the_tool_is_not_offered_over_mcp(patch: Patch) -> None:
    patch.setattr(mcp.McpSessions, "fill", lambda server: None)


@row("A14", design.test_what_summaries_cost_is_booked_under_system, run=Run, tmp_path=Path)
def every_call_is_booked_under_system(patch: Patch) -> None:
    spent = property(lambda commit: sum((call.usage for call in commit.asked), Usage()))
    patch.setattr(Commit, "system_usage", spent)


@row("A16", worth.test_by_rarity_informative_messages_stay_and_filler_goes_first, in_place=True)
def every_message_is_as_rare_as_any(patch: Patch) -> None:
    patch.setattr(Rarity, "score", lambda rare, text: 1.0)


@row("A16", worth.test_by_rarity_informative_lines_stay_and_filler_goes_first)
def every_line_is_as_rare_as_any(patch: Patch) -> None:
    patch.setattr(Rarity, "score", lambda rare, text: 1.0)


CROWDED = worth.test_a_telling_reply_is_not_crowded_out_by_go_on


@row("A16", CROWDED, name="supervisor", by="user")
def the_newest_go_on_comes_before_what_tells(patch: Patch) -> None:
    patch.setattr(PeopleWords, "statements", lambda *_: {})


QUOTA = design.test_a_quota_drops_once_and_can_be_lifted


@row("A17", QUOTA)
def a_quota_drops_each_time_it_is_said(patch: Patch) -> None:
    true = Compactor.use_policy

    def again(own: Compactor, policy: Any = None, quota: Any = None) -> None:
        if quota is None:
            true(own, policy)
            return
        journal = own._journal
        settings = journal.settings
        dropped = replace(settings, base_policy=settings.policy, quota="normal")
        journal.settings = dropped.with_policy(settings.policy, quota, journal.stored_settings)

    patch.setattr(Compactor, "use_policy", again)


@row("A17", QUOTA)
def a_quota_of_the_opening_cannot_be_lifted(patch: Patch) -> None:
    true = Compactor.use_policy

    def kept(own: Compactor, policy: Any = None, quota: Any = None) -> None:
        if own._journal.settings.quota != "deny":
            true(own, policy, quota)

    patch.setattr(Compactor, "use_policy", kept)


OLD_ARGUMENTS = design.test_old_arguments_over_20_000_tokens_are_shortened_without_pressure


@row("A18", OLD_ARGUMENTS, policy="default")
def old_arguments_stay_whole(patch: Patch) -> None:
    patch.setattr(Intake, "edit", lambda *_: ())


@row("A18", OLD_ARGUMENTS, policy="default")
def arguments_are_shortened_at_once(patch: Patch) -> None:
    true = Intake.edit
    young = {"old_after": 0}
    patch.setattr(Intake, "edit", lambda own, *a: true(msgspec.structs.replace(own, **young), *a))


@row("A18", loops.test_a_provider_that_refuses_every_size_is_asked_twice)
def every_refusal_as_too_long_is_tried_again(patch: Patch) -> None:
    def again(run: Any) -> Any:
        reply = yield from true(run)
        while isinstance(reply, ModelFailed) and reply.kind == "overflow":
            run.session.host.shrink_after(reply)
            reply = yield from true(run)
        return reply

    true = turns._ask_model
    patch.setattr(turns, "_ask_model", again)


@row("A19", design.test_limits_know_the_window, window=2_000_000, soft=0.29, goal=0.21)
def a_large_window_is_filled(patch: Patch) -> None:
    patch.setattr(policies, "LARGE_WINDOW", 10_000_000)


@row("A19", design.test_limits_know_the_window, window=4_000, soft=0.74, goal=0.62)
def no_turn_fits_a_small_window(patch: Patch) -> None:
    patch.setattr(policies, "TURN_ROOM", 0)


@row("A19", design.test_no_result_takes_the_room_of_a_turn, window=4_000)
def one_result_fills_a_small_window(patch: Patch) -> None:
    true = Intake.edit
    patch.setattr(Intake, "edit", lambda own, *a: true(msgspec.structs.replace(own, share=1.0), *a))


@row("A20", worth.test_other_scorers_are_optional_and_surprisal_needs_a_model)
def a_registered_scorer_is_not_asked(patch: Patch) -> None:
    patch.setattr("steno.summary.candidates.scorer_for", lambda *_: None)
    patch.setattr("steno.summary.agent_words.scorer_for", lambda *_: None)


MOMENT = design.test_soft_pressure_waits_for_a_good_moment


@row(
    "A21",
    MOMENT,
    messages=design.call_of("t", "bash", {"command": "pytest -q"}, design.PASSED),
    commits=True,
)
def passing_tests_are_no_moment(patch: Patch) -> None:
    patch.setattr(moments, "run_outcome", lambda text: None)


@row(
    "A21", MOMENT, messages=design.call_of("t", "TodoWrite", design.TODO, "Updated."), commits=True
)
def a_list_is_no_moment(patch: Patch) -> None:
    patch.setattr(moments, "keeps_tasks", lambda call: False)


@row("A21", design.test_a_large_result_that_is_about_to_come_in_ends_the_wait)
def a_large_result_ends_no_wait(patch: Patch) -> None:
    patch.setattr(Compactor, "make_room_for", lambda own, tokens: None)


@row("A21", design.test_complexity_shifts_how_long_soft_pressure_waits)
def every_task_waits_as_long(patch: Patch) -> None:
    patch.setattr(Policy, "patience", 0.7)


@row("A21", design.test_complexity_shifts_how_long_soft_pressure_waits)
def soft_pressure_never_loses_patience(patch: Patch) -> None:
    patch.setattr(Budget, "way_to_hard", lambda budget, load: 0.0)


@row("others", design.test_a_plain_chat_needs_no_wire, options={}, wire="openai")
def a_plain_chat_is_taken_for_anthropic(patch: Patch) -> None:
    patch.setattr("steno.adapters.compact.detect_wire", lambda *_: get_wire("anthropic"))


@row("others", design.test_events_say_session_and_agent_and_are_logged, caplog=pytest)
def an_event_does_not_say_where_it_happened(patch: Patch) -> None:
    true = msgspec.structs.replace

    def without(value: Any, **changes: Any) -> Any:
        if isinstance(value, Event):
            return value
        return true(value, **changes)

    patch.setattr(event_log.msgspec.structs, "replace", without)
