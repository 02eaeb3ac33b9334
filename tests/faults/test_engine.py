"""Planted faults: each breaks one thing that Steno does, and a law must notice.

A law that lets a fault live is too weak. Each fault is a sentence about what
goes wrong, planted into the real code and taken out again; the law it names is
run in a hurry and has to fail.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

import steno.core.draft as drafts
import steno.core.effects as effects
import steno.core.repair as repair
import steno.core.view as views
import steno.engine.apply as applying
import steno.engine.compact as engine
import steno.engine.fit as fitting
import steno.rungs.prune as pruning
import steno.rungs.repeated as repeated
import steno.summary.reimport as reimport
import steno.summary.render as render
import steno.writer.ask as writer_ask
import steno.writer.verify as verify
from steno import Budget, Log, Message, View
from steno.core.draft import Draft
from steno.core.message import Span, Text
from steno.core.seam import calls_keep_their_results, thinking_stays_signed
from steno.core.summary import Summary, SummaryLine
from steno.core.tape import GrowingSet, Tape
from steno.core.wire import ProviderRules
from steno.errors import BadEdit, Stale
from steno.providers.anthropic.wire import AnthropicWire
from steno.providers.openai_chat.wire import OpenAIChatWire
from steno.rungs.truncate import Truncate
from tests.faults.planted import Fault, Faults, Patch
from tests.laws import test_commit as commit
from tests.laws import test_compact as once
from tests.laws import test_flow as flow
from tests.laws import test_log as log
from tests.laws import test_prune as prune
from tests.laws import test_view as view
from tests.laws import test_window as window
from tests.laws import test_wires as wire
from tests.laws import test_writers as writing

pytestmark = pytest.mark.slow

EXAMPLES = 300
FAULTS = Faults()
caught_by = FAULTS.caught_by


# Cutting


@caught_by(view.test_no_view_is_refused_by_its_provider)
def cuts_fall_between_a_call_and_its_result(patch: Patch) -> None:
    without(patch, calls_keep_their_results)


def without(patch: Patch, gone: Any) -> None:
    """Seams as if one constraint did not exist."""

    def some(items: Any, terms: Any) -> Any:
        return true(
            items,
            replace(
                terms,
                seams=tuple(constraint for constraint in terms.seams if constraint is not gone),
            ),
        )

    true = drafts.find_seams
    patch.setattr(drafts, "find_seams", some)


@caught_by(view.test_an_open_loop_is_cut_where_its_provider_allows)
def thinking_does_not_stay_signed(patch: Patch) -> None:
    without(patch, thinking_stays_signed)
    unchecked(patch, "the_open_turn_stays_signed")


@caught_by(view.test_tail_and_pins_are_never_covered)
def the_tail_begins_one_turn_late(patch: Patch) -> None:
    def late(bare: Draft, *tail: Any) -> Draft:
        draft = begun(bare, *tail)
        starts = {item.span.start: item.span.stop for item in draft.view.items}
        if not draft.tail_start:
            return draft
        return replace(draft, tail_start=starts.get(draft.tail_start, draft.tail_start))

    begun = Draft.begun
    patch.setattr(Draft, "begun", late)


@caught_by(view.test_tail_and_pins_are_never_covered, Stale, seed=4)
def pins_are_forgotten(patch: Patch) -> None:
    begun = Draft.begun
    without = lambda draft, *tail: begun(replace(draft, pins=frozenset()), *tail)  # noqa: E731
    patch.setattr(Draft, "begun", without)


@caught_by(view.test_blocks_of_the_tail_are_shortened_under_hard_pressure_only)
def all_pressure_is_hard(patch: Patch) -> None:
    patch.setattr(Draft, "pressure", engine.Pressure.HARD)


@caught_by(window.test_no_request_is_over_the_window)
def nothing_shrinks_after_the_ladder(patch: Patch) -> None:
    patch.setattr(engine, "fit_window", lambda draft, policy: draft)


@caught_by(window.test_no_request_is_over_the_window)
def results_of_a_batch_keep_their_least_size(patch: Patch) -> None:
    patch.setattr(fitting, "LEAST_RESULT", 400)
    patch.setattr(fitting, "cover_newest", lambda draft, policy: draft)


@caught_by(window.test_no_request_is_over_the_window)
def late_results_cannot_shrink(patch: Patch) -> None:
    patch.setattr(View, "late_results", lambda view, item: iter(()))
    patch.setattr(fitting, "cover_newest", lambda draft, policy: draft)


# Checks


def unchecked(patch: Patch, name: str) -> None:
    def tried(proposal: Any, draft: Any, policy: Any) -> Any:
        return true(
            proposal, draft, policy.but(checks=[c for c in policy.checks if c.__name__ != name])
        )

    true = applying.try_proposal
    patch.setattr(applying, "try_proposal", tried)


@caught_by(commit.test_a_commit_makes_the_load_smaller_and_says_so_truly)
def no_check_that_the_load_gets_smaller(patch: Patch) -> None:
    unchecked(patch, "the_load_gets_smaller")


@caught_by(view.test_tail_and_pins_are_never_covered, seed=1)
def no_check_of_pins_and_tail(patch: Patch) -> None:
    unchecked(patch, "pins_and_tail_stay")


@caught_by(view.test_no_rung_can_make_a_view_that_is_refused, seed=4)
def no_check_that_cuts_fall_on_seams(patch: Patch) -> None:
    unchecked(patch, "cuts_fall_on_seams")


@caught_by(view.test_no_rung_can_make_a_view_that_is_refused)
def no_check_that_blocks_keep_their_kind(patch: Patch) -> None:
    unchecked(patch, "blocks_keep_their_kind")


@caught_by(view.test_no_rung_can_make_a_view_that_is_refused, seed=11)
def no_check_that_calls_are_answered(patch: Patch) -> None:
    unchecked(patch, "calls_are_answered")


@caught_by(view.test_no_rung_takes_the_signed_thinking_of_the_open_turn)
def no_check_that_the_open_turn_stays_signed(patch: Patch) -> None:
    unchecked(patch, "the_open_turn_stays_signed")


@caught_by(view.test_no_rung_can_make_a_view_that_is_refused)
def no_check_of_the_first_role(patch: Patch) -> None:
    unchecked(patch, "a_user_begins")


# Numbers


def committing(patch: Patch, **wrong: Callable[[Draft], Any]) -> None:
    def drafted(draft: Draft) -> Any:
        return msgspec.structs.replace(
            true(draft), **{key: value(draft) for key, value in wrong.items()}
        )

    true = Draft.commit
    patch.setattr(Draft, "commit", drafted)


@caught_by(commit.test_a_commit_makes_the_load_smaller_and_says_so_truly)
def a_commit_saves_one_token_less_than_it_says(patch: Patch) -> None:
    committing(patch, after=lambda draft: draft.load - 1)


@caught_by(commit.test_compaction_lands_at_any_window_or_says_why_not)
def every_commit_claims_to_fit(patch: Patch) -> None:
    committing(patch, fits=lambda draft: True)


@caught_by(commit.test_a_commit_makes_the_load_smaller_and_says_so_truly, seed=43)
def what_a_block_weighed_is_forgotten(patch: Patch) -> None:
    patch.setattr(View, "_tokens_before", lambda *_: 1)


@caught_by(commit.test_two_unasked_commits_are_apart, seed=11)
def commits_follow_each_other_at_once(patch: Patch) -> None:
    patch.setattr(Budget, "spacing", 0)


@caught_by(commit.test_two_unasked_commits_are_apart, seed=11)
def a_view_forgets_when_it_was_compacted(patch: Patch) -> None:
    patch.setattr(
        View, "fresh_tokens", property(lambda view: sum(item.tokens for item in view.arrivals))
    )


@caught_by(commit.test_every_stretch_is_covered_that_the_goal_demands)
def truncate_covers_one_stretch_only(patch: Patch) -> None:
    true = Truncate.edit
    patch.setattr(Truncate, "edit", lambda *a: true(*a)[:1])


@caught_by(commit.test_a_compacted_log_compacts_again, BadEdit)
def what_was_compacted_once_is_never_compacted_again(patch: Patch) -> None:
    def merged(self: View, edits: Any, *rest: Any) -> Any:
        if any(item.level for item in self.items):
            raise BadEdit("once is enough")
        return true(self, edits, *rest)

    true = View.merge_edits
    patch.setattr(View, "merge_edits", merged)


# The partition


@caught_by(view.test_every_position_belongs_to_exactly_one_item)
def folding_drops_the_item_after_the_last_edit(patch: Patch) -> None:
    def merged(self: View, edits: Any, *rest: Any) -> Any:
        items, last = true(self, edits, *rest), max((edit.span.stop for edit in edits), default=0)
        return [item for item in items if item.span.start != last]

    true = View.merge_edits
    patch.setattr(View, "merge_edits", merged)


@caught_by(view.test_a_view_kept_up_is_the_view_folded_from_scratch)
def a_commit_does_not_say_what_was_seen(patch: Patch) -> None:
    true = View.with_commit
    patch.setattr(
        View, "with_commit", lambda view, commit: replace(true(view, commit), seen=view.seen)
    )


@caught_by(view.test_two_views_that_go_on_from_one_do_not_meet, seed=1)
def names_are_shared_by_views_that_part(patch: Patch) -> None:
    def plus(names: Any, name: Any) -> Any:
        if name in names:
            return names
        names._numbers[name] = names._length
        return GrowingSet(names._numbers, names._length + 1)

    patch.setattr(GrowingSet, "plus", plus)


@caught_by(view.test_what_stands_before_the_first_edit_of_a_commit_stays_as_it_was, seed=3)
def a_commit_touches_the_beginning_too(patch: Patch) -> None:
    def committed(self: View, commit: Any) -> View:
        after = true(self, commit)
        items = list(after.items)
        items[0] = msgspec.structs.replace(
            items[0], shows=(Message("user", (Text("(since edited)"),)),)
        )
        return replace(after, items=Tape(items))

    true = View.with_commit
    patch.setattr(View, "with_commit", committed)


# Mending


def always(value: Any) -> property:
    """Return an attribute that is the same for each object, whatever it was made with."""
    return property(lambda own: value, lambda own, given: None)


@caught_by(view.test_no_view_is_refused_by_its_provider)
def interrupted_calls_get_no_result(patch: Patch) -> None:
    patch.setattr(
        repair,
        "_interrupted_results",
        lambda *_: [Message("user", (Text("[interrupted]"),), by="steno")],
    )


@caught_by(view.test_no_view_is_refused_by_its_provider, seed=2)
def ids_are_not_renamed(patch: Patch) -> None:
    patch.setattr(ProviderRules, "ids", always(None))
    patch.setattr(ProviderRules, "repeats_ids", always(True))


@caught_by(view.test_no_view_is_refused_by_its_provider, seed=1)
def blank_text_is_shown(patch: Patch) -> None:
    patch.setattr(ProviderRules, "refuses_blank", always(False))


@caught_by(view.test_no_view_is_refused_by_its_provider, seed=2)
def lone_surrogates_are_shown(patch: Patch) -> None:
    patch.setattr(repair, "encodable_message", lambda message: message)
    patch.setattr(views, "encodable_message", lambda message: message)


@caught_by(log.test_what_is_shown_otherwise_than_it_came_is_shown_all_the_same)
def late_results_are_swallowed(patch: Patch) -> None:
    patch.setattr(repair, "_strays_as_text", lambda *_: ())


@caught_by(view.test_without_a_commit_each_view_extends_the_last, IndexError)
def mending_looks_back_when_more_is_said(patch: Patch) -> None:
    """A call that waits is hidden until its result is there."""

    def said(self: View, messages: Any) -> View:
        after = true(self, messages)
        items = [
            msgspec.structs.replace(item, shows=()) if waits(after, item) else item
            for item in after.items
        ]
        return replace(after, items=Tape(items))

    def waits(after: View, item: Any) -> bool:
        return any(call.shown in item.calls for call in after.mending.open)

    true = View.with_messages
    patch.setattr(View, "with_messages", said)


# The log


@caught_by(log.test_whatever_was_said_can_be_opened_word_for_word)
def what_is_covered_is_deleted(patch: Patch) -> None:
    def committed(self: Log, commit: Any) -> Log:
        gone = {
            p
            for edit in commit.edits
            if edit.block is None
            for p in range(edit.span.start, edit.span.stop)
        }
        kept = [
            msgspec.structs.replace(message, raw='{"role":"user","content":""}')
            if at in gone
            else message
            for at, message in enumerate(self.messages)
        ]
        return true(replace(self, messages=Tape(kept)), commit)

    true = Log.with_commit
    patch.setattr(Log, "with_commit", committed)


@caught_by(log.test_what_a_view_leaves_out_it_says_where_to_open)
def a_trace_names_one_position_too_many(patch: Patch) -> None:
    def longer(summary: Summary) -> str:
        span = Span(summary.span.start, summary.span.stop + 1)
        return true(msgspec.structs.replace(summary, span=span))

    true = render.render_summary
    patch.setattr(render, "render_summary", longer)


@caught_by(log.test_undo_shows_what_was_shown_before, seed=29)
def undo_takes_the_oldest_commit_down(patch: Patch) -> None:
    def live(self: Log) -> Any:
        standing: list[Any] = []
        for each in self.commits:
            standing.append(each) if each.reverts is None else standing.pop(0)
        return tuple(standing)

    patch.setattr(Log, "live", property(live))


@caught_by(log.test_undoing_everything_shows_everything_as_it_came)
def undo_leaves_the_view_as_it_is(patch: Patch) -> None:
    patch.setattr(View, "fold", lambda view, log: view)


@caught_by(log.test_what_happens_to_one_never_reaches_the_other, BadEdit)
def a_fork_shares_its_cells(patch: Patch) -> None:
    def plus(tape: Any, more: Any) -> Any:
        longer: Any = Tape.__new__(Tape)
        longer._shared = tape._shared
        longer._shared.folds.clear()
        longer._shared.cells[tape._length :] = list(more)
        longer._length = len(longer._shared.cells)
        return longer

    patch.setattr(Tape, "plus", plus)


@caught_by(log.test_a_fork_shows_what_was_shown_then, BadEdit)
def a_fork_inherits_every_commit(patch: Patch) -> None:
    def forked(self: Log, at: int) -> Log:
        commits = [
            each for each in self.commits if all(edit.span.stop <= at for edit in each.edits)
        ]
        commits = [
            msgspec.structs.replace(each, base=n)
            for n, each in enumerate(commits)
            if each.reverts is None
        ]
        return Log(self.messages.upto(at), Tape(commits))

    patch.setattr(Log, "fork", forked)


# Wires


@caught_by(wire.test_decoding_then_encoding_is_identity)
def openai_writes_again_what_it_read(patch: Patch) -> None:
    writes_again(patch, OpenAIChatWire)


@caught_by(wire.test_decoding_then_encoding_is_identity)
def anthropic_writes_again_what_it_read(patch: Patch) -> None:
    writes_again(patch, AnthropicWire)


def writes_again(patch: Patch, which: Any) -> None:
    def encode(self: Any, message: Message) -> tuple[str, ...]:
        return tuple(json.dumps(json.loads(text)) for text in true(self, message))

    true = which.encode
    patch.setattr(which, "encode", encode)


@caught_by(wire.test_a_message_with_one_block_in_short_keeps_all_the_rest)
def a_block_in_short_loses_the_unknown_fields_beside_it(patch: Patch) -> None:
    def encode(self: Any, message: Message) -> tuple[str, ...]:
        texts = true(self, message)
        return texts if not message.patches else tuple(map(known, texts))

    def known(text: str) -> str:
        return json.dumps(
            {key: value for key, value in json.loads(text).items() if not key.startswith("x_")}
        )

    true = OpenAIChatWire.encode
    patch.setattr(OpenAIChatWire, "encode", encode)


# Flows


@caught_by(flow.test_blocking_and_async_asks_get_the_same_replies)
def replies_come_in_the_order_they_were_ready(patch: Patch) -> None:
    async def answers(*args: Any) -> Any:
        return tuple(reversed(await true(*args)))

    true = effects._answer_round_async
    patch.setattr(effects, "_answer_round_async", answers)


@caught_by(flow.test_who_never_stops_asking_is_stopped)
def a_rung_may_ask_for_ever(patch: Patch) -> None:
    patch.setattr(engine, "ROUNDS_MOST", 60)


@caught_by(flow.test_any_script_of_answers_and_silences_ends)
def asks_are_not_counted(patch: Patch) -> None:
    def admit(purse: Any, asked: Any) -> Any:
        return asked

    patch.setattr(effects._Allowance, "admit", admit)


@caught_by(flow.test_a_deadline_ends_the_asking_only)
def the_deadline_is_forgotten(patch: Patch) -> None:
    patch.setattr(effects.Limits, "seconds", 60.0)


@caught_by(flow.test_any_script_of_answers_and_silences_ends, ConnectionError, RuntimeError)
def a_models_failure_is_the_agents(patch: Patch) -> None:
    def failure(raised: Exception) -> Any:
        raise raised

    patch.setattr(effects, "_reply_from_failure", failure)


# A list that comes back


@caught_by(once.test_positions_keep_their_numbers_however_often_a_list_comes_back)
def our_own_fences_are_not_recognised(patch: Patch) -> None:
    patch.setattr(reimport, "summary_in", lambda message: None)


@caught_by(once.test_positions_keep_their_numbers_however_often_a_list_comes_back)
def a_trace_that_comes_back_stands_for_one_position(patch: Patch) -> None:
    def shorter(message: Any) -> Any:
        summary = true(message)
        if summary is None:
            return None
        span = Span(summary.span.start, summary.span.start + 1)
        return msgspec.structs.replace(summary, span=span)

    true = reimport.summary_in
    patch.setattr(reimport, "summary_in", shorter)


# Pruning


@caught_by(prune.test_every_line_of_what_is_pruned_is_shown_by_the_block_it_names_or_in_its_place)
def what_a_near_copy_lacks_is_dropped(patch: Patch) -> None:
    true = repeated.LaterPassages.near_copy

    def like(later: Any, *about: Any) -> Any:
        found = true(later, *about)
        return found and replace(found, lacks=())

    patch.setattr(repeated.LaterPassages, "near_copy", like)


@caught_by(prune.test_every_line_of_what_is_pruned_is_shown_by_the_block_it_names_or_in_its_place)
def the_oldest_copy_stays_instead_of_the_newest(patch: Patch) -> None:
    true = pruning.find_repeats
    patch.setattr(pruning, "find_repeats", lambda passages, *how: true(passages[::-1], *how))


@caught_by(prune.test_every_line_of_what_is_pruned_is_shown_by_the_block_it_names_or_in_its_place)
def whatever_is_hidden_still_stands_for_others(patch: Patch) -> None:
    def met(later: Any, passage: Any) -> Any:
        yield from true(later, passage)
        later._index(passage)

    true = repeated.LaterPassages.add
    patch.setattr(repeated.LaterPassages, "add", met)


@caught_by(prune.test_what_is_newer_answers_the_same_question_and_did_not_fail, seed=2)
def what_failed_counts_as_done(patch: Patch) -> None:
    patch.setattr(pruning, "has_failed", lambda result: False)


@caught_by(prune.test_tail_pins_small_blocks_and_failures_are_not_pruned)
def pruning_knows_no_pins_and_no_tail(patch: Patch) -> None:
    patch.setattr(Draft, "may_cover", lambda draft, item: True)
    unchecked(patch, "pins_and_tail_stay")


@caught_by(prune.test_tail_pins_small_blocks_and_failures_are_not_pruned)
def a_failure_gives_way_like_any_result(patch: Patch) -> None:
    patch.setattr(repeated.Passage, "is_failure", False)


@caught_by(prune.test_what_is_pruned_opens_word_for_word_and_every_view_is_legal)
def a_note_counts_itself(patch: Patch) -> None:
    patch.setattr(pruning._Block, "characters", property(lambda block: len(f"{block.place}")))


@caught_by(prune.test_a_note_never_names_what_is_itself_hidden)
def no_note_is_led_on(patch: Patch) -> None:
    patch.setattr(pruning, "_notes", lambda blocks: {})


@caught_by(prune.test_a_list_that_came_back_keeps_its_notes, seed=8)
def a_note_that_comes_back_is_not_known(patch: Patch) -> None:
    patch.setattr(pruning._Block, "note", None)


# Writing

BELIEVED = writing.test_whatever_a_writer_answers_the_commit_lands_and_no_invention_survives


@caught_by(BELIEVED, seed=24)
def a_writer_may_name_what_was_not_said(patch: Patch) -> None:
    patch.setattr(verify, "check_names", lambda *line: iter(()))


@caught_by(BELIEVED, seed=47)
def a_writer_may_order_the_assistant_about(patch: Patch) -> None:
    patch.setattr(verify, "gives_orders", lambda text: False)
    patch.setattr(verify, "begins_with_imperative", lambda text: False)


@caught_by(BELIEVED, seed=47)
def a_writer_may_say_what_a_tool_says_the_user_wants(patch: Patch) -> None:
    patch.setattr(verify.LineCheck, "is_typed", lambda line: True)


@caught_by(BELIEVED, seed=24)
def a_word_that_was_not_said_is_not_marked(patch: Patch) -> None:
    patch.setattr(verify.LineCheck, "line", _unmarked)


def _unmarked(line: Any) -> Any:
    return SummaryLine(line.text, tuple(line.cites), written=True)


@caught_by(BELIEVED, seed=24)
def a_line_is_cited_to_another_message(patch: Patch) -> None:
    patch.setattr(verify.LineCheck, "line", _moved)


def _moved(line: Any) -> Any:
    return SummaryLine(line.text, (max(line.sources.messages),), written=True)


@caught_by(BELIEVED, seed=16)
def a_tool_may_name_an_address_in_a_plan(patch: Patch) -> None:
    patch.setattr(verify.Sources, "is_tools", lambda sources, at: False)
    patch.setattr(verify.LineCheck, "tool_says_more", lambda line, share: False)
    patch.setattr(verify.LineCheck, "is_said", lambda line, orders, spoken: True)


@caught_by(BELIEVED, seed=14)
def a_writer_may_cite_what_is_not_covered(patch: Patch) -> None:
    patch.setattr(
        writer_ask.SummaryAsks,
        "_sources",
        lambda self, *_, **how: verify.Sources(
            dict(enumerate(_said(self))), verify.SessionWords(_said(self))
        ),
    )


def _said(asked: writer_ask.SummaryAsks) -> Any:
    return asked.draft.view.messages


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_planted_fault_is_caught(fault: Fault, monkeypatch: Patch) -> None:
    fault.plant(monkeypatch)
    fault.must_be_caught(EXAMPLES)


def test_every_promise_of_a_law_has_a_fault_that_breaks_it() -> None:
    modules = (commit, flow, log, once, prune, view, window, wire, writing)
    laws = [law for module in modules for law in vars(module).values() if hasattr(law, "promise")]
    caught = {fault.law.promise for fault in FAULTS}
    assert {law.promise for law in laws} - caught == set()
