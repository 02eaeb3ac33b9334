"""Planted faults in what must still be said: ledger, summaries, stories, folds and repairs.

The same game as in `test_engine.py`, for the parts that read and tell facts. The
proof a fault names is a law, run in a hurry, or an example.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis.errors import FlakyFailure

import steno.checks.kept as checks
import steno.checks.kept as kept
import steno.engine.compact as engine
import steno.facts.authorship as authorship
import steno.facts.decisions as decisions
import steno.facts.failures as failures
import steno.facts.ledger as ledger
import steno.facts.open_loops as open_loops
import steno.facts.scripted as scripted
import steno.facts.standing as standing
import steno.facts.tasks as tasks
import steno.rungs.active_task as active
import steno.rungs.summarize as summarize
import steno.summary.compose as compose
import steno.summary.constraints_block as pins
import steno.summary.files as files
import steno.summary.people_words as people_words
import steno.summary.plan as planning
import steno.summary.reimport as reimport
import steno.summary.render as render
import steno.summary.state as state
from steno.core.message import Span
from steno.errors import BadEdit
from steno.facts.text import SearchableText
from steno.rungs import Fold, Micro
from steno.summary.worth import Rarity
from tests.checks import test_kept as test_repairs
from tests.facts import test_decisions as deciding
from tests.facts import test_open_loops as loops
from tests.facts import test_scripted as scripting
from tests.facts import test_standing as pinning
from tests.faults.planted import Fault, Faults, Patch
from tests.laws import test_facts_kept as facts
from tests.summary import test_active_task as test_active
from tests.summary import test_compose as composing
from tests.summary import test_summary as summaries
from tests.summary import test_values
from tests.summary import test_worth as scoring

pytestmark = pytest.mark.slow

EXAMPLES = 60
FAULTS = Faults()
caught_by = FAULTS.caught_by


# Reading


@caught_by(facts.test_a_tool_never_makes_a_constraint_also_when_the_list_comes_back)
def a_tool_speaks_with_a_persons_trust(patch: Patch) -> None:
    def trusted(message: Any) -> Iterator[Any]:
        for piece in true(message):
            yield msgspec.structs.replace(piece, trust="person", prose=True)

    true = authorship.split_by_author
    patch.setattr(standing, "split_by_author", trusted)


@caught_by(pinning.test_what_is_said_again_stands_where_it_was_said_last)
def equal_words_stand_where_they_were_said_first(patch: Patch) -> None:
    def first_place(standing: Any, entries: Any, at: int) -> Any:
        after = dict(standing.said if standing else {})
        for position, (_, stated) in enumerate(entries, start=at):
            for fact in stated:
                if fact.kind == "constraint":
                    after.setdefault(fact.words, (position, fact))
        return ledger.Standing(after)

    patch.setattr(ledger, "fold_standing", first_place)


@caught_by(pinning.test_a_constraint_is_pinned_with_its_paragraph)
def a_constraint_is_pinned_without_its_paragraph(patch: Patch) -> None:
    patch.setattr(standing, "PARAGRAPH_MOST", 0)


@caught_by(deciding.test_a_decision_by_number_quotes_the_chosen_option)
def a_choice_by_number_means_nothing(patch: Patch) -> None:
    patch.setattr(ledger, "chosen_option", lambda answer, offer: "")


@caught_by(
    lambda: deciding.test_a_cause_is_kept_where_it_is_stated_for_certain(
        "The root cause was a lock.", True
    )
)
def causes_are_not_read(patch: Patch) -> None:
    patch.setattr(decisions, "CAUSES_MOST", 0)


@caught_by(scripting.test_the_state_of_a_view_names_what_scripts_did)
def scripts_are_not_read(patch: Patch) -> None:
    patch.setattr(scripted, "INNER_MOST", 0)


@caught_by(loops.test_an_ask_stands_until_a_reply_without_calls)
def a_reply_answers_nothing(patch: Patch) -> None:
    patch.setitem(open_loops._HANDLERS, ("close", "reply"), lambda loops, at, fact: loops)


@caught_by(loops.test_a_newer_list_replaces_the_older)
def an_older_list_stands_beside_the_newer(patch: Patch) -> None:
    def beside(board: Any, *result: Any) -> Any:
        after = true(board, *result)
        return tasks.TaskList({**board.tasks, **after.tasks}, after.pending)

    true = tasks._with_result
    patch.setattr(tasks, "_with_result", beside)


@caught_by(loops.test_a_failing_test_stands_until_it_passes)
def a_test_that_passes_leaves_its_failure_open(patch: Patch) -> None:
    patch.setattr(failures, "_overcome", lambda *_: None)


@caught_by(facts.test_the_ledger_of_a_log_is_the_same_however_it_was_read, FlakyFailure)
def facts_are_read_only_once(patch: Patch) -> None:
    def once(message: Any) -> Any:
        first = message not in seen
        seen.add(message)
        return true(message) if first else ()

    seen: set[Any] = set()
    true = ledger.facts_of
    patch.setattr(ledger, "facts_of", once)


# Telling


@caught_by(facts.test_constraints_survive_any_number_of_compactions)
def constraints_are_not_said_again(patch: Patch) -> None:
    patch.setattr(engine, "restore_constraints_and_loops", lambda *_: None)


@caught_by(facts.test_what_was_said_later_is_visible_beside_what_it_changes_and_stands_after_it)
def only_the_first_of_two_that_differ_is_pinned(patch: Patch) -> None:
    true = pins.pinned
    patch.setattr(pins, "pinned", lambda *given: true(*given)[:1])
    patch.setattr(checks, "pinned", lambda *given: true(*given)[:1])


@caught_by(facts.test_what_was_said_later_is_visible_beside_what_it_changes_and_stands_after_it)
def constraints_stand_newest_first(patch: Patch) -> None:
    true = pins.constraint_lines
    patch.setattr(planning, "constraint_lines", lambda *given: true(*given)[::-1])


@caught_by(lambda: pinning.test_lines_only_an_earlier_summary_has_are_marked("default"))
def an_earlier_summary_is_believed(patch: Patch) -> None:
    patch.setattr(
        render, "render_line", lambda line: f"- {line.text} [{render.format_positions(line.cites)}]"
    )


@caught_by(facts.test_every_line_of_a_summary_cites_positions_that_open)
def lines_cite_nothing(patch: Patch) -> None:
    patch.setattr(render, "format_positions", lambda positions: "")


@caught_by(facts.test_a_summarized_list_that_comes_back_keeps_its_positions, BadEdit)
def a_summary_that_comes_back_stands_for_less(patch: Patch) -> None:
    def shorter(message: Any) -> Any:
        summary = true(message)
        if summary is None or len(summary.span) < 2:
            return summary
        span = Span(summary.span.start, summary.span.stop - 1)
        return msgspec.structs.replace(summary, span=span)

    true = reimport.summary_in
    patch.setattr(reimport, "summary_in", shorter)


@caught_by(
    lambda: summaries.test_a_summary_says_what_the_ledger_knows_and_where_it_is("openai"),
)
def what_was_done_is_not_told(patch: Patch) -> None:
    patch.setattr(compose, "tell_deeds", lambda *_: "worked")


@caught_by(lambda: test_repairs.test_errors_that_stand_decisions_and_things_touched_are_told(True))
def errors_that_stand_are_not_told(patch: Patch) -> None:
    patch.setattr(state, "ERRORS_MOST", -1_000)


@caught_by(
    lambda: test_values.test_words_that_look_like_a_heading_make_no_constraint_and_end_no_story(
        "CONSTRAINTS"
    )
)
def words_pass_for_a_heading(patch: Patch) -> None:
    patch.setattr(render, "quote_headings", lambda story: story)
    patch.setattr(compose, "set_in", lambda words, first=0: words)


@caught_by(summaries.test_files_that_were_read_and_not_yet_edited_are_shown_again_in_one_piece)
def every_other_line_of_a_file_is_left_out(patch: Patch) -> None:
    whole = files.split_lines

    def thinned(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        for first, last, _ in whole(lines):
            yield first, last, "\n".join(lines[first:last:2])

    patch.setattr(files, "split_lines", thinned)


@caught_by(composing.test_people_are_heard_word_for_word, seed=3)
def people_are_cut_like_anything_else(patch: Patch) -> None:
    patch.setattr(people_words, "TYPED_SHARE", 0.01)


@caught_by(composing.test_people_are_heard_word_for_word, seed=3)
def what_people_said_is_hidden(patch: Patch) -> None:
    patch.setattr(people_words.PeopleWords, "keep_typed", lambda own: 0.0)


@caught_by(composing.test_ten_eras_through_one_window_each_keep_a_line)
def old_requests_fall_off(patch: Patch) -> None:
    def forgetful(composer: Any) -> dict[int, Any]:
        half = len(composer.past.parts) // 2
        return {at: edits for at, edits in true(composer).items() if at > half}

    true = compose.Composer.stays
    patch.setattr(compose.Composer, "stays", forgetful)


@caught_by(composing.test_what_earlier_commits_tell_stays_byte_for_byte)
def every_commit_tells_everything_again(patch: Patch) -> None:
    patch.setattr(compose, "REUSE_SHARE", -1.0)


@caught_by(summaries.test_what_the_assistant_doubted_in_several_ways_stays_word_for_word)
def doubts_do_not_count(patch: Patch) -> None:
    patch.setattr(summarize.Summarize, "doubted_at", lambda *_: {})


@caught_by(summaries.test_summaries_side_by_side_become_one_a_level_up_and_keep_their_constraints)
def a_fold_stays_on_its_level(patch: Patch) -> None:
    true = Fold.fold_run
    patch.setattr(Fold, "fold_run", lambda *a: msgspec.structs.replace(true(*a), level=1))


@caught_by(facts.test_micro_shrinks_old_results_after_every_round_and_leaves_the_newest)
def micro_shrinks_the_newest_too(patch: Patch) -> None:
    true = Micro.edit
    patch.setattr(Micro, "edit", lambda rung, *a: true(msgspec.structs.replace(rung, recent=0), *a))


@caught_by(scoring.test_by_rarity_informative_lines_stay_and_filler_goes_first)
def filler_is_worth_more_than_what_it_fills(patch: Patch) -> None:
    true = Rarity.score
    patch.setattr(Rarity, "score", lambda rare, text: -true(rare, text))


# The active sub-task


@caught_by(
    test_active.test_what_was_said_since_the_newest_open_loop_is_not_summarized_while_it_fits
)
def the_active_sub_task_is_summarized_like_anything_else(patch: Patch) -> None:
    patch.setattr(summarize, "keep_active_task", lambda *_: None)
    # What fits beside a summary stays anyhow, which must not hide that.
    patch.setattr(summarize.Summarize, "parts_to_cover", lambda own, draft, parts, room: parts)


@caught_by(
    test_active.test_where_it_does_not_fit_its_oldest_results_shrink_first_and_nothing_of_it_is_covered
)
def the_newest_results_of_the_sub_task_shrink_first(patch: Patch) -> None:
    true = active.large_blocks
    patch.setattr(active, "large_blocks", lambda *a: reversed(list(true(*a))))


@caught_by(test_active.test_the_newest_open_loop_is_always_named)
def of_too_many_loops_the_oldest_are_told(patch: Patch) -> None:
    patch.setattr(checks, "newest_cite", lambda line: -max(line.cites, default=-1))


# Checks and repairs


@caught_by(facts.test_the_report_counts_every_fact_of_what_is_covered_and_nothing_is_lost)
def whatever_can_be_opened_counts_as_retained(patch: Patch) -> None:
    class Everything(SearchableText):
        def contains(self, words: str) -> bool:
            return True

    patch.setattr(checks, "SearchableText", Everything)


@caught_by(facts.test_the_report_counts_every_fact_of_what_is_covered_and_nothing_is_lost)
def pointers_count_for_nothing(patch: Patch) -> None:
    patch.setattr(checks, "findable_positions", lambda view: set())


@caught_by(test_repairs.test_whatever_a_rung_hides_is_pointed_to_or_found)
def what_is_hidden_without_a_word_stays_so(patch: Patch) -> None:
    patch.setattr(kept, "unreachable_spans", lambda view: [])


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_planted_fault_is_caught(fault: Fault, monkeypatch: Patch) -> None:
    fault.plant(monkeypatch)
    ledger_forgets()
    fault.must_be_caught(EXAMPLES)
    monkeypatch.undo()
    ledger_forgets()


def ledger_forgets() -> None:
    """Forget the facts that were read: a fault in a reader would not show."""
    true_facts_of.cache_clear()


true_facts_of = ledger.facts_of


def test_every_promise_of_a_law_has_a_fault_that_breaks_it() -> None:
    laws = [
        law
        for module in (facts, test_active, test_repairs, composing)
        for law in vars(module).values()
    ]
    promised = {law.promise for law in laws if hasattr(law, "promise") and hasattr(law, "anew")}
    assert promised - {getattr(fault.law, "promise", "") for fault in FAULTS} == set()
