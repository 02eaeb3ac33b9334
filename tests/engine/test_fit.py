"""The last resort: what shrinks, in which order, before anything leaves the view."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from steno import Policy, Session, View, events
from steno.core.fence import Fence
from steno.engine.designs import POLICIES
from steno.providers.meter import meter_for
from steno.rungs import Truncate
from tests.support.promises import proves
from tests.support.view_checks import problems

Json = dict[str, Any]
TASK = {"role": "user", "content": "Never touch the file main.py. Find out why the import fails."}
LINE = "some words of a line of a file\n"


def call(at: int, n: int = 1, **arguments: str) -> Json:
    written = json.dumps({"path": f"file_{at}.py"} | arguments)
    calls = [
        {"id": f"c{at}.{k}", "type": "function", "function": {"name": "read", "arguments": written}}
        for k in range(n)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(at: int, words: str, k: int = 0) -> Json:
    return {"role": "tool", "tool_call_id": f"c{at}.{k}", "content": words}


def shown(session: Session) -> str:
    return "\n".join(str(message["content"]) for message in session.messages())


@proves("view.window")
@pytest.mark.parametrize("name", sorted(POLICIES))
def test_one_result_larger_than_the_window_is_shown_head_and_tail(name: str) -> None:
    session = Session(wire="openai", window=2_000, policy=name)
    session.add(TASK, call(0), result(0, "FIRST line\n" + LINE * 1_000 + "LAST line"))

    words = shown(session)

    assert session.load <= 2_000
    assert "FIRST line" in words and "LAST line" in words
    assert TASK["content"] in words
    assert not any(edit.block is None for commit in session.log.commits for edit in commit.edits)


@proves("view.window")
def test_the_newest_results_shrink_before_anything_leaves_the_view() -> None:
    policy = Policy(every_round=(), ladder=(Truncate(),))
    session = Session(wire="openai", window=4_000, policy=policy)
    session.add(TASK, {"role": "assistant", "content": "I will look."})
    session.add(call(0), result(0, LINE * 900))

    words = shown(session)

    assert TASK["content"] in words and "I will look." in words
    assert {edit.by for edit in session.log.commits[-1].edits} == {"fit"}


@proves("view.window")
@pytest.mark.parametrize("n", [12, 30])
def test_results_of_a_batch_give_way_together(n: int) -> None:
    session = Session(wire="openai", window=3_000)
    session.add(TASK, call(0, n), *(result(0, f"file {k}: " + LINE * 100, k) for k in range(n)))

    words = shown(session)

    assert session.load <= session.budget.usable
    assert problems(session) == []
    assert TASK["content"] in words
    assert sum(f"file {k}: " in words for k in range(n)) == n


@proves("view.window")
def test_a_batch_of_large_results_leaves_room_for_what_people_said_before() -> None:
    session = Session(wire="openai", window=4_000)
    asked = [f"Then look at part {k}, and tell me what it prints." for k in range(6)]
    session.add(TASK)
    for at, words in enumerate(asked):
        session.add(call(at), result(at, LINE * 60), {"role": "assistant", "content": "Done."})
        session.add({"role": "user", "content": words})
    session.add(call(9, 10), *(result(9, f"file {k}: " + LINE * 300, k) for k in range(10)))

    words = shown(session)

    assert session.load <= session.budget.usable
    assert problems(session) == []
    assert [each for each in asked if each not in words] == []


@proves("view.window")
@pytest.mark.parametrize("name", ["lab", "researcher"])
def test_a_task_that_a_policy_pins_gives_way_to_the_window(name: str) -> None:
    task = "Build the importer. " + "Each row of the table has to be read. " * 250
    session = Session(wire="openai", window=2_000, policy=name)
    session.add({"role": "user", "content": task}, call(0), result(0, LINE * 20))

    words = shown(session)

    assert session.load <= 2_000 and session.log.commits[-1].fits
    assert "Build the importer." in words and LINE.strip() in words
    newest = "Now the other one. " + "Its rows come last. " * 250
    session.add({"role": "assistant", "content": "Done."}, {"role": "user", "content": newest})
    assert newest in shown(session) and session.load <= 2_000
    assert problems(session) == []
    pinned = Session(wire="openai", window=2_000, policy=name, pins=[0])
    pinned.add({"role": "user", "content": task}, call(0), result(0, LINE * 20))
    assert task in shown(pinned) and not pinned.log.commits[-1].fits


@proves("view.window")
def test_a_pinned_task_leaves_half_of_the_window_as_the_provider_counts_it() -> None:
    task = "Build the importer. " + "Each row of the table has to be read. " * 250
    meter = replace(meter_for(), ratio=2.0)
    session = Session(wire="openai", window=2_000, policy="lab", meter=meter)
    session.add({"role": "user", "content": task}, call(0), result(0, LINE * 20))

    words = shown(session)

    assert session.load <= session.budget.usable
    assert "Build the importer." in words and LINE.strip() in words


CONSTRAINT, WORDS = "Never touch the production database.", "The importer reads the table. "
GIANT = f"{WORDS * 500}\n\n{CONSTRAINT} Build it from the table."


@proves("view.window")
@pytest.mark.parametrize("name", sorted(POLICIES))
def test_a_constraint_at_the_end_of_a_message_over_the_window_stays(name: str) -> None:
    session = Session(wire="openai", window=2_000, policy=name)
    session.add({"role": "user", "content": GIANT})
    for at in range(2):
        session.add(call(at), result(at, LINE * 20))
        assert CONSTRAINT in shown(session) and session.load <= session.budget.usable


@proves("view.window")
@pytest.mark.parametrize("at", [{}, {"at": "7"}, {"at": "0.x"}, {"at": "0.0"}, {"at": "0.9"}])
def test_a_pasted_fence_does_not_take_the_place_of_a_constraint(at: dict[str, str]) -> None:
    pasted = str(Fence({"kind": "text"} | at, "The table is here."))
    session = Session(wire="openai", window=2_000)
    texts = [{"type": "text", "text": text} for text in (GIANT, pasted)]
    session.add({"role": "user", "content": texts})

    words = shown(session)

    assert CONSTRAINT in words and "The table is here." in words
    assert not any(isinstance(event, events.Failed) for event in session.events)


@proves("view.window")
def test_constraints_that_are_put_back_into_a_message_keep_to_the_window() -> None:
    constraints = [
        f"Never touch the production database number {n} of shard {n * 7}." for n in range(16)
    ]
    session = Session(wire="openai", window=800)
    session.add({"role": "user", "content": f"{WORDS * 180}\n\n{' '.join(constraints)}"})

    words = shown(session)
    kept = [constraint in words for constraint in constraints]

    assert session.load <= session.budget.usable
    assert kept == sorted(kept) and sum(kept) >= 4
    (commit,) = session.log.commits
    checks = {finding.check: finding.what for finding in commit.findings}
    assert checks.keys() == {"pinned_words_have_room", "constraints_survive"}
    assert f"{kept.count(False)} constraints in force" in checks["constraints_survive"]
    assert {edit.by for edit in commit.edits} == {"fit"}


@proves("view.window")
def test_a_batch_whose_calls_alone_are_too_many_is_covered_and_the_words_stay() -> None:
    session = Session(wire="openai", window=900)
    session.add(TASK, call(0, 40), *(result(0, LINE * 100, k) for k in range(40)))

    words = shown(session)

    assert session.load <= session.budget.usable
    assert TASK["content"] in words
    assert problems(session) == []


@proves("view.window")
def test_arguments_and_replies_shrink_after_results() -> None:
    session = Session(wire="openai", window=2_000)
    session.add(TASK, call(0, content=LINE * 600), result(0, "written " + LINE * 20))

    words = shown(session)

    assert session.load <= session.budget.usable
    assert TASK["content"] in words and "written" in words
    session.add({"role": "assistant", "content": "I THINK " + LINE * 600}, call(1), result(1, "ok"))
    assert "I THINK" in shown(session)
    assert session.load <= session.budget.usable


@proves("view.window")
def test_results_that_came_late_shrink_like_others() -> None:
    session = Session(wire="openai", window=8_000)
    for n in range(3):
        session.add({"role": "user", "content": f"Question {n} about the import."})
        session.add({"role": "assistant", "content": f"Answer {n}: " + LINE * 30})
    session.add(call(0), call(1), result(0, "LATE " + LINE * 900), result(1, LINE * 900))

    words = shown(session)

    assert session.load <= session.budget.usable
    assert all(f"Question {n} about the import." in words for n in range(3))
    assert 'kind="late-result" at="8.0"' in words and "LATE some words" in words
    assert problems(session) == []
    folded = View.of(session.log, session.view.terms, session.view.meter)
    assert list(folded.items) == list(session.view.items)


@proves("view.window")
def test_signed_thinking_of_the_open_turn_does_not_keep_a_batch_in_the_view() -> None:
    session = Session(wire="anthropic", window=900)
    thought = {"type": "thinking", "thinking": "I should read all.", "signature": "c2ln"}
    uses = [
        {"type": "tool_use", "id": f"t{k}", "name": "read", "input": {"path": f"{k}.py"}}
        for k in range(40)
    ]
    results = [
        {"type": "tool_result", "tool_use_id": f"t{k}", "content": LINE * 50} for k in range(40)
    ]
    session.add(TASK, {"role": "assistant", "content": [thought, *uses]})
    session.add({"role": "user", "content": results})

    session.messages()

    assert session.load <= session.budget.usable
    assert problems(session) == []


@proves("view.window")
def test_a_call_that_waits_for_its_result_is_not_covered() -> None:
    session = Session(wire="openai", window=700)
    session.add(TASK, call(0, 60))

    session.messages()
    session.add(*(result(0, "fine", k) for k in range(60)))
    session.messages()

    assert problems(session) == []
    assert session.load <= session.budget.usable


STATED = (
    "Never send the customer list to anybody outside.",
    "The budget for the trip is $1,240 in all.",
    "The code name of the project is HERON-77.",
    "The database runs on Postgres 15 in eu-north-3.",
    "I prefer short answers without tables.",
    "Report every time in the zone Europe/Lisbon.",
)


THINGS = ("trees", "clouds", "birds", "boats", "hills", "houses")


def small_talk(window: int, **options: Any) -> Session:
    """A talk in which people state six things among much that says little."""
    session = Session(wire="openai", window=window, reserve=0, **options)
    session.add({"role": "system", "content": "Always be kind."}, TASK)
    for n in range(60):
        words = f"I see {THINGS[n % 6]} and {THINGS[n // 10]} over there, nice to look at."
        if n % 10 == 4:
            words = STATED[n // 10]
        session.add({"role": "assistant", "content": "All right."})
        session.add({"role": "user", "content": words})
    return session


@proves("view.small")
def test_in_a_small_window_what_people_stated_stays_and_no_lone_trace() -> None:
    session = small_talk(560)

    words = shown(session)

    assert session.load <= 560
    assert [stated for stated in STATED if stated not in words] == []
    # One fence, a short note, and no constraint twice: every word around what is told counts.
    assert words.count("<steno-") == 1
    assert "no tool to read" not in words
    assert words.count("Always be kind.") == 1


@pytest.mark.slow
@proves("view.small")
def test_constraints_that_are_put_back_do_not_cost_all_the_rest() -> None:
    loads = []
    for window in range(300, 620, 40):
        session = small_talk(window)
        kept = sum(stated in shown(session) for stated in STATED)
        loads.append((window, session.load, kept))

    assert all(load <= window for window, load, _ in loads)
    assert all(kept >= 2 for _, _, kept in loads), loads
    assert loads[-1][2] == len(STATED)


@proves("view.small")
def test_where_the_constraints_alone_do_not_fit_the_newest_of_them_stay() -> None:
    session = Session(wire="openai", window=600, reserve=0)
    for n in range(40):
        session.add(
            {"role": "user", "content": f"Never change the file of customer {THINGS[n % 6]} {n}."}
        )
        session.add({"role": "assistant", "content": "I will not."})
    session.add({"role": "user", "content": "Go on."})

    words = shown(session)

    assert session.load <= 600
    assert "customer boats 39" in words and "customer birds 38" in words
    assert words.count("Never change the file of customer") > 10


@proves("view.window")
@pytest.mark.parametrize("name", ["default", "tiers"])
def test_a_paste_larger_than_the_window_leaves_what_came_before_it(name: str) -> None:
    session = Session(wire="openai", window=8_000, policy=name)
    session.add(TASK)
    for n in range(6):
        said = {**call(n), "content": f"Step {n}: the importer of shard {n} waits for a lock."}
        session.add(said, result(n, f"table {n}\n" + LINE * 3))
    session.add({"role": "user", "content": "What is this?\n" + LINE * 4_000 + "The END of it."})

    words = shown(session)

    assert session.load <= session.budget.usable
    assert "What is this?" in words and "The END of it." in words
    assert TASK["content"] in words and "shard 5 waits for a lock" in words
    assert problems(session) == []
