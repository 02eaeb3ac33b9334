"""Planted faults in the design of ladder and tiers: each must make the test of its row fail."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import msgspec

import steno.engine.compact as compaction
import steno.facts.open_loops as loops
import steno.rungs.active_task as active_task
import steno.session.agent_tools.answers as tools
import steno.summary.constraints_block as constraints_block
import steno.summary.plan as plans
from steno.core.message import Result
from steno.engine.designs import POLICIES
from steno.rungs.prune import Prune
from steno.rungs.summarize import Summarize
from steno.store.names import find_session
from steno.store.sql import SQLStore
from steno.summary.agent_words import AgentWords
from steno.summary.compose import Composer
from steno.summary.people_words import PeopleWords
from tests.engine import test_design_c as design
from tests.engine import test_designs as designs
from tests.faults.rows import Patch, Planted, plant

FAULTS: list[Planted] = []
row = partial(plant, FAULTS)


@row("C1", design.test_the_gentlest_rung_that_does_comes_first)
def the_harshest_rung_comes_first(patch: Patch) -> None:
    tiers = POLICIES["tiers"]
    patch.setitem(POLICIES, "tiers", tiers.but(ladder=tiers.ladder[::-1]))


@row("C2", design.test_what_came_again_is_pruned_before_anything_is_summarized, kind="plan")
@row("C2", design.test_what_came_again_is_pruned_before_anything_is_summarized, kind="file")
def nothing_is_pruned(patch: Patch) -> None:
    patch.setattr(Prune, "edit", lambda *_: ())


SUMMARY = design.test_a_summary_has_600_tokens_and_tells_decisions_before_paths


@row("C3", SUMMARY, writer=None)
def six_hundred_tokens_are_no_limit(patch: Patch) -> None:
    patch.setattr(Summarize, "summary_room", lambda own, draft, room: 900)


@row("C3", SUMMARY, writer=None)
def decisions_are_left_out(patch: Patch) -> None:
    patch.setattr(plans, "decision_lines", lambda *_: [])
    patch.setattr(AgentWords, "keep_replies", lambda *_: 0.0)
    patch.setattr(AgentWords, "tell_narration", lambda *_: None)


@row("C3", SUMMARY, writer=None)
def tool_output_is_quoted(patch: Patch) -> None:
    def quoting(own: Composer, start: int, stop: int) -> str:
        return "\n".join(
            str(message.blocks)[:200] for message in own.past.messages[start:stop][-4:]
        )

    patch.setattr(Composer, "told_run", quoting)


LEFT = design.test_what_was_left_for_later_survives_and_is_counted


@row("C9", LEFT, name="tiers")
@row("C10", LEFT, name="deep")
def a_reply_closes_what_was_left_for_later(patch: Patch) -> None:
    true = loops.on_reply

    def closing(own: Any, at: int, fact: Any) -> Any:
        return msgspec.structs.replace(true(own, at, fact), later=())

    patch.setitem(loops._HANDLERS, ("close", "reply"), closing)


AGES = design.test_any_age_leaves_a_trace_and_constraints_stand_at_the_top_under_every_policy


@row("C4", AGES, name="tiers")
def old_requests_fall_off(patch: Patch) -> None:
    patch.setattr(PeopleWords, "tell_groups", lambda own, groups: 0.0)


@row("C4", design.test_each_of_eight_eras_keeps_words_of_its_own, name="tiers", window=8_000)
def a_summary_gets_what_the_sub_task_leaves(patch: Patch) -> None:
    patch.setattr(active_task, "required_tokens", lambda *_: 100)
    patch.setattr(Summarize, "summary_room", lambda own, draft, room: min(200, room))


BOILERPLATE = design.test_a_programs_instructions_take_no_room_of_what_the_user_said


@row("C3", BOILERPLATE)
def a_programs_words_are_the_users(patch: Patch) -> None:
    patch.setattr(constraints_block, "by_system", lambda fact: "")


@row("C3", BOILERPLATE)
def constraints_may_fill_a_summary(patch: Patch) -> None:
    patch.setattr(constraints_block, "PINNED_OF_SUMMARY", 9.0)


TOP = design.test_constraints_and_hidden_loops_stand_before_all_else_that_is_told


@row("C10", TOP, name="default")
def constraints_stand_where_their_summary_stands(patch: Patch) -> None:
    patch.setattr(constraints_block, "tells_constraints", lambda edit: False)


@row("C5", design.test_the_active_sub_task_is_not_summarized)
def there_is_no_active_sub_task(patch: Patch) -> None:
    patch.setattr(active_task, "newest_loop", lambda ledger: None)
    # Without it the tail alone stays; what fits beside a summary must not hide that.
    patch.setattr(Summarize, "parts_to_cover", lambda own, draft, parts, room: parts)


REACHES = design.test_the_agents_recall_reaches_every_tier_and_the_users_earlier_sessions


@row("C6", REACHES, tmp_path=Path)
def the_agent_searches_its_session_alone(patch: Patch) -> None:
    true = tools.Query.of
    patch.setattr(tools.Query, "of", lambda words, *, where, **rest: true(words, **rest))


@row("C6", REACHES, tmp_path=Path)
def another_users_session_can_be_opened(patch: Patch) -> None:
    patch.setattr(tools, "require_own", lambda store, user, name: find_session(store, "", name)[0])


@row("C6", REACHES, tmp_path=Path)
def what_was_rewritten_is_archive(patch: Patch) -> None:
    patch.setattr(tools, "aged_until", lambda log: len(log.messages))


@row("C6", REACHES, tmp_path=Path)
def a_hit_does_not_say_its_tier(patch: Patch) -> None:
    true = tools.render_hits
    bare = lambda *given: true(*given[:-1], lambda hit: hit.place)  # noqa: E731
    patch.setattr(tools, "render_hits", bare)


@row("C7", design.test_it_compacts_at_85_percent_and_lands_at_60, tmp_path=Path)
def everything_outside_the_tail_goes(patch: Patch) -> None:
    patch.setattr(Summarize, "parts_to_cover", lambda own, draft, parts, room: parts)


@row("C7", designs.test_tiers_compacts_at_85_percent_down_to_60_and_does_not_thrash)
def it_comes_down_just_under_the_limit(patch: Patch) -> None:
    patch.setitem(POLICIES, "tiers", POLICIES["tiers"].but(goal=0.84))


@row(
    "C7",
    design.test_commits_are_apart_also_where_little_is_left_beside_the_system_prompt,
    name="tiers",
    system=6_000,
)
def a_commit_follows_another_at_once(patch: Patch) -> None:
    patch.setattr(compaction, "too_soon", lambda draft: None)


@row("C8", design.test_everything_is_stored_before_anything_shrinks, tmp_path=Path)
def a_long_result_is_stored_in_short(patch: Patch) -> None:
    true = SQLStore.append

    def short(block: Any) -> Any:
        if isinstance(block, Result):
            return msgspec.structs.replace(block, content=block.content[:0])
        return block

    def append(own: SQLStore, name: str, messages: Any, *rest: Any) -> int:
        kept = [
            msgspec.structs.replace(each, blocks=tuple(map(short, each.blocks)), raw=None)
            for each in messages
        ]
        return true(own, name, kept, *rest)

    patch.setattr(SQLStore, "append", append)


@row(
    "C9",
    design.test_constraints_that_a_rung_drops_are_put_back_word_for_word,
    rung=design.Careless(),
)
@row(
    "C9",
    design.test_constraints_that_a_rung_drops_are_put_back_word_for_word,
    rung=design.Sweeping(),
)
def what_a_rung_drops_is_not_put_back(patch: Patch) -> None:
    patch.setattr("steno.engine.compact.restore_constraints_and_loops", lambda *_: None)


@row("C9", AGES, name="deep")
@row("C10", AGES, name="supervisor")
def constraints_are_covered_like_anything_else(patch: Patch) -> None:
    patch.setattr(plans, "constraint_lines", lambda ledger, carried: [])
    patch.setattr("steno.engine.compact.restore_constraints_and_loops", lambda *_: None)
    true = PeopleWords.keep_typed

    def forgetful(own: PeopleWords) -> float:
        used = true(own)
        own.past.choice.told.pop(0, None)
        return used

    patch.setattr(PeopleWords, "keep_typed", forgetful)
