"""Planted faults in the rows of no single design, and those that other modules plant.

`ELSEWHERE` names faults of `test_engine.py` and `test_facts.py`, which plant them with their laws.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import examples.memory_backend as backends
import steno.engine.fit as fit
import steno.events
import steno.lab.baselines as baselines
import steno.lab.policies as policies
import steno.rungs
import steno.session.compactor as compactor
import steno.session.landing as landing
import steno.summary.render as render
import steno.summary.replies as replies
import steno.summary.state as states
import steno.summary.story as story
from steno.core.budget import Budget
from steno.core.meter import Meter
from steno.core.state import CarriedState
from steno.engine.designs import POLICIES
from steno.events import Failed
from steno.facts.languages.detect import Language
from steno.redact import Redactor
from steno.session.background import BackgroundDraft
from steno.session.event_log import EventLog
from steno.session.journal import Journal
from steno.tails import Larger
from tests.checks import test_recallable as recallable
from tests.docs import test_design_pages as pages
from tests.engine import test_designs as designs
from tests.engine import test_fit as fit_tests
from tests.engine import test_policy as policy_tests
from tests.facts import test_artifacts as artifacts
from tests.faults import test_engine, test_facts
from tests.faults.planted import Fault
from tests.faults.rows import Patch, Planted, plant
from tests.lab import test_replay as replay
from tests.providers import test_state as wire_state
from tests.session import test_background as background
from tests.session import test_compact as compacting
from tests.session import test_memory_backend as backend_tests
from tests.session import test_redact as redaction
from tests.session import test_session as sessions
from tests.summary import test_replies as reply_tests
from tests.summary import test_state as state_tests
from tests.writer import test_writers as writing

FAULTS: list[Planted] = []
row = partial(plant, FAULTS)

ELSEWHERE = {
    "A4": ("cuts_fall_between_a_call_and_its_result", "pins_are_forgotten"),
    "A15": ("what_is_covered_is_deleted",),
    "F1": ("no_check_that_the_load_gets_smaller", "pointers_count_for_nothing"),
    "F2": (
        "constraints_are_not_said_again",
        "a_tool_speaks_with_a_persons_trust",
        "constraints_stand_newest_first",
    ),
    "F3": ("lines_cite_nothing", "a_writer_may_name_what_was_not_said"),
    "F4": ("interrupted_calls_get_no_result", "thinking_does_not_stay_signed"),
    "F5": ("a_commit_touches_the_beginning_too", "every_commit_tells_everything_again"),
    "F8": ("nothing_shrinks_after_the_ladder", "a_rung_may_ask_for_ever"),
    "F11": ("a_fork_inherits_every_commit", "a_fork_shares_its_cells"),
    "H1": ("people_are_cut_like_anything_else", "what_people_said_is_hidden"),
    "H4": ("every_other_line_of_a_file_is_left_out",),
    "H5": ("only_the_first_of_two_that_differ_is_pinned",),
    "H7": ("old_requests_fall_off",),
}


def faults_elsewhere() -> list[tuple[str, str, str]]:
    """Return row, law and fault of those that are planted in other modules."""
    known: dict[str, Fault] = {
        str(fault): fault for fault in (*test_engine.FAULTS, *test_facts.FAULTS)
    }
    return [
        (name, known[fault].law.__name__, fault)
        for name, faults in ELSEWHERE.items()
        for fault in faults
    ]


@row("A1", designs.test_agent_controlled_compacts_at_80_percent_and_not_under_it)
def at_80_percent_nothing_happens(patch: Patch) -> None:
    over = POLICIES["agent-controlled"].but(trigger="over")
    patch.setitem(POLICIES, "agent-controlled", over)


@row("A1", designs.test_agent_controlled_needs_four_messages_and_more_than_it_keeps)
def three_messages_are_compacted(patch: Patch) -> None:
    patch.setitem(POLICIES, "agent-controlled", POLICIES["agent-controlled"].but(least=3))


@row("A2", sessions.test_the_reason_is_told_if_no_compaction_was_tried)
def a_chain_of_calls_is_cut_in_the_middle(patch: Patch) -> None:
    patch.setattr(Journal, "has_open_call", False)


@row("A3", sessions.test_a_rung_that_raises_does_not_end_the_agent)
def no_event_reports_a_failure(patch: Patch) -> None:
    true = EventLog.emit

    def quiet(own: EventLog, event: Any) -> None:
        if not isinstance(event, Failed):
            true(own, event)

    patch.setattr(EventLog, "emit", quiet)


@row("A7", designs.test_agent_controlled_may_keep_a_tenth_of_the_window_where_that_is_more)
def the_smaller_of_two_tails_is_kept(patch: Patch) -> None:
    patch.setattr(Larger, "start", lambda tail, ground: tail.a.start(ground))


@row("A11", designs.test_agent_controlled_has_a_net_at_95_percent_and_both_drop_under_a_short_quota)
def there_is_no_net(patch: Patch) -> None:
    patch.setitem(POLICIES, "agent-controlled", POLICIES["agent-controlled"].but(hard=1.0))


@row("F6", background.test_soft_pressure_begins_a_draft_and_the_agent_goes_on)
def the_agent_waits_for_a_draft(patch: Patch) -> None:
    true = BackgroundDraft.begin

    def waiting(own: BackgroundDraft) -> BackgroundDraft:
        begun = true(own)
        own.wait(0.05)
        own.abandon()
        return begun

    patch.setattr(BackgroundDraft, "begin", waiting)
    patch.setattr(background, "PATIENCE", 0.2)


@row("F7", compacting.test_reported_usage_corrects_the_load)
def what_a_provider_counts_is_ignored(patch: Patch) -> None:
    patch.setattr(Meter, "with_reported_usage", lambda meter, *_: meter)


SAME = redaction.test_equal_secrets_get_equal_placeholders_and_another_redactor_gives_others


@row("F9", SAME)
def secrets_stay(patch: Patch) -> None:
    patch.setattr(Redactor, "text", lambda own, text: text)
    patch.setattr(Redactor, "plain", lambda own, value, **_: value)


@row("F9", writing.test_the_language_of_the_session_is_asked_for_and_another_is_no_answer)
def an_answer_in_another_language_is_taken(patch: Patch) -> None:
    patch.setattr(Language, "differs", lambda *_: False)


@row("F10", replay.test_steno_is_replayed_as_a_user_gets_it)
def replay_has_a_policy_of_its_own(patch: Patch) -> None:
    patch.setattr(policies, "Session", partial(policies.Session, policy="tiers"))


@row("G1", pages.test_every_name_on_the_right_exists, page=pages.PAGES[0])
def a_name_on_a_page_is_gone(patch: Patch) -> None:
    patch.delattr(steno.rungs, "register_surprisal")


@row("G2", policy_tests.test_where_the_tail_is_the_goal_all_outside_it_is_covered_in_one_go, n=20)
def the_tail_is_no_goal(patch: Patch) -> None:
    patch.setattr(Budget, "down_to_tail", False)


SUMMARIES = replay.test_the_summaries_of_two_designs_keep_what_they_say_they_keep


@row("G3", SUMMARIES)
def a_reply_keeps_another_number_of_characters(patch: Patch) -> None:
    patch.setattr(baselines.ReplySnippets, "each", 60)


@row("G3", SUMMARIES)
def an_entry_keeps_another_number_of_characters(patch: Patch) -> None:
    patch.setattr(baselines.ClippedEntries, "each", 150)


@row("F8", fit_tests.test_a_task_that_a_policy_pins_gives_way_to_the_window, name="lab")
def a_pinned_task_fills_the_window(patch: Patch) -> None:
    patch.setattr(fit, "shorten_pins", lambda draft, *_: draft)


@row("G4", pages.test_no_figure_of_a_designs_sources_is_repeated_as_ours)
def a_figure_of_the_sources_is_ours(patch: Patch) -> None:
    told = "Accuracy falls by up to 63% without markers."
    patch.setattr(pages, "all_pages", lambda: [told])


@row("G5", sessions.test_each_event_has_its_one_name)
def an_event_has_another_name(patch: Patch) -> None:
    patch.setattr(steno.events.Skipped, "name", "context_budget.compaction.left")


@row("G5", sessions.test_nothing_to_do_is_an_answer)
def skipped_does_not_say_why(patch: Patch) -> None:
    for module in (landing, compactor):
        patch.setattr(module, "Skipped", lambda reason, load: steno.events.Skipped("", load))


@row("H2", reply_tests.test_a_choice_by_number_keeps_what_it_chose, answer="2")
def an_answer_loses_its_options(patch: Patch) -> None:
    patch.setattr(replies, "items_within", lambda *_: iter(()))


@row("H3", state_tests.test_an_error_stands_with_its_command_until_it_is_overcome)
def no_error_stands(patch: Patch) -> None:
    patch.setattr(states, "failure_lines", lambda *_: iter(()))


@row("H3", state_tests.test_changes_are_counted_from_what_the_log_shows)
def a_commit_leaves_changes_uncommitted(patch: Patch) -> None:
    true = story._Teller._note_run

    def still_there(own: Any, *run: Any) -> None:
        before = own._uncommitted
        true(own, *run)
        own._uncommitted = before

    patch.setattr(story._Teller, "_note_run", still_there)


@row("H6", recallable.test_without_a_recall_tool_facts_are_not_shown, tools=None)
def a_tool_is_promised_that_is_not_there(patch: Patch) -> None:
    words = {**render.ENGLISH, "no_tool": render.ENGLISH["tool"]}
    patch.setattr(render, "ENGLISH", words)


@row("H8", wire_state.test_a_signed_compaction_is_the_first_block_that_goes_out)
def what_a_provider_set_is_forgotten(patch: Patch) -> None:
    patch.setattr(CarriedState, "after", lambda state, *_: state)


@row("H9", backend_tests.test_another_users_messages_are_never_found)
def words_of_one_user_reach_another(patch: Patch) -> None:
    def careless(own: Any, query: str, limit: int = 5) -> list[Any]:
        own.flush()
        return list(own._backend.search(query, limit))

    patch.setattr(backends.BackendFeed, "search", careless)


@row("H10", artifacts.test_files_touched_by_pi_and_openhands_are_read)
def tools_are_known_by_one_vendors_names(patch: Patch) -> None:
    patch.setattr("steno.facts.vocabulary.PATHS", ("file_path",))
