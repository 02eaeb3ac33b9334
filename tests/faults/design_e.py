"""Planted faults in the supervisor of LangGraph: each must make the test of its row fail."""

from __future__ import annotations

from functools import partial
from typing import Any

import steno.adapters.langgraph.checkpoint as checkpoints
import steno.adapters.langgraph.history as histories
import steno.adapters.langgraph.supervisor as supervisors
import steno.rungs.summarize as summarize
from steno.adapters.langchain_messages import LangChainFormat
from steno.adapters.langgraph import CompactingSupervisor
from steno.engine import designs
from steno.tails import OfMessages
from tests.adapters import test_langgraph as design
from tests.faults.rows import Patch, Planted, plant

FAULTS: list[Planted] = []
row = partial(plant, FAULTS)


@row("E1", design.test_a_graph_is_wrapped_unchanged_and_its_thread_stays_within_the_limit)
def nothing_is_counted_after_a_response(patch: Patch) -> None:
    true = histories.HistoryManager.compact_thread

    def never(own: Any, graph: Any, config: Any, said: Any = None, ids: Any = None) -> Any:
        if said is not None:
            return (yield from true(own, graph, config, said))
        return None

    patch.setattr(histories.HistoryManager, "compact_thread", never)


ANSWERED = design.test_a_graph_that_always_ends_in_a_question_is_compacted_when_it_is_answered


@row("E1", ANSWERED, asynchronous=False)
def a_thread_that_waits_is_never_compacted(patch: Patch) -> None:
    patch.setattr(histories, "can_move_tasks", lambda state: False)


@row("E1", ANSWERED, asynchronous=False)
def an_answer_keeps_the_old_id_of_its_question(patch: Patch) -> None:
    patch.setattr(histories, "resume_with_ids", lambda said, ids: said)


@row("E1", design.test_what_finished_tasks_wrote_moves_with_those_that_wait)
def what_finished_tasks_wrote_stays_behind(patch: Patch) -> None:
    def nothing(*_: Any) -> Any:
        return {}
        yield

    patch.setattr(histories, "move_tasks", nothing)


@row("E1", design.test_a_run_from_an_earlier_checkpoint_sees_all_of_it_and_is_compacted_after)
def room_is_made_before_an_earlier_checkpoint(patch: Patch) -> None:
    def before(own: CompactingSupervisor, said: Any, config: Any) -> Any:
        where = own._thread_config(config)
        return (yield from own.history_manager.prepare_run(own.agent, where, said))

    patch.setattr(CompactingSupervisor, "_before", before)


@row("E2", design.test_of_ten_messages_the_ratio_says_how_many_go, ratio=0.2, gone="0-1")
def the_ratio_is_the_part_that_stays(patch: Patch) -> None:
    true = designs.supervisor
    turned = lambda limit, ratio: true(limit, ratio).but(tail=OfMessages(ratio))  # noqa: E731
    patch.setattr(designs, "supervisor", turned)


STATED = design.test_what_an_employee_stated_stays_while_the_limit_has_room_for_it


@row("E2", STATED, ratio=0.5)
def a_summary_has_little_of_the_room(patch: Patch) -> None:
    patch.setattr(summarize, "SUMMARY_ROOM", 0.5)


@row("E2", design.test_a_leading_system_message_is_not_counted_and_stays, ratio=0.5, gone="1-5")
def a_leading_system_message_counts(patch: Patch) -> None:
    patch.setattr("steno.core.tail._is_system", lambda item: False)


@row("E3", design.test_a_thread_gets_a_proper_new_checkpoint_and_its_past_stays)
def a_new_checkpoint_has_no_version_of_its_own(patch: Patch) -> None:
    true = checkpoints._child_checkpoint
    same = lambda found, messages, key, _: true(found, messages, key, lambda old, _: old)  # noqa: E731
    patch.setattr(checkpoints, "_child_checkpoint", same)


@row("E3", design.test_a_history_is_not_written_over_what_another_run_said_since_it_was_read)
def a_run_that_came_between_is_written_over(patch: Patch) -> None:
    true = checkpoints.replace_messages
    blind = lambda saver, config, messages, key, base=None: true(saver, config, messages, key)  # noqa: E731
    patch.setattr(checkpoints, "replace_messages", blind)


@row("E4", design.test_neither_sub_agents_nor_thinking_are_looked_at)
def thinking_is_read_as_text(patch: Patch) -> None:
    true = LangChainFormat.to_text

    def aloud(form: LangChainFormat, message: Any, where: str) -> bytes:
        text = true(form, message, where)
        return text.replace(b'"type":"thinking","thinking"', b'"type":"text","text"')

    patch.setattr(LangChainFormat, "to_text", aloud)


DESIGNS_LOOP = design.test_a_supervisor_built_as_the_design_builds_it_streams_tokens_in_its_own_loop


@row("E5", DESIGNS_LOOP)
def a_supervisor_of_the_design_says_its_words_at_once(patch: Patch) -> None:
    def whole(own: CompactingSupervisor, said: Any, config: Any, **_: Any) -> Any:
        yield {"type": "token", "content": str(own.invoke(said, config)["messages"][-1].text)}

    patch.setattr(CompactingSupervisor, "stream", whole)


@row("E5", design.test_only_the_nodes_that_speak_are_streamed)
def models_of_other_nodes_stream_too(patch: Patch) -> None:
    patch.setattr(supervisors, "OWN_MODEL", ())
