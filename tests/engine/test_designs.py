"""Each written design is one policy: its numbers, and what happens at its boundary."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest

from steno import Policy, Pressure, Script, Session
from steno.engine.designs import POLICIES, supervisor
from steno.events import Committed, Skipped
from steno.rungs import Fold, Intake, Micro, Offload, Prune, Summarize, Truncate
from steno.tails import Entries, Larger, Messages, OfMessages, OfWindow, Share
from tests.support.paths import ROOT
from tests.support.promises import proves
from tests.support.word_meter import WORDS, called, covered, said, session

PAGE = (ROOT / "docs" / "designs.md").read_text(encoding="utf-8")
PAGES = PAGE + "".join(
    page.read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs" / "internals" / "designs").glob("*.md"))
)
TOLD = (Summarize(in_place=False), Truncate())

NUMBERS: dict[str, dict[str, Any]] = {
    "agent-controlled": {
        "soft": 0.80,
        "hard": 0.95,
        "goal": "tail",
        "trigger": "at",
        "least": 4,
        "tail": Messages(6),
        "pins": ("task",),
        "every_round": (Intake(),),
        "ladder": (Summarize(in_place=False, scorer="rarity"), Truncate()),
    },
    "researcher": {
        "soft": 0.60,
        "goal": "tail",
        "trigger": "over",
        "window": 4_096,
        "tail": Entries(3),
        "pins": ("first_user",),
        "every_round": (Intake(),),
        "ladder": (Summarize(max_tokens=300, in_place=False, complexity="simple"), Truncate()),
    },
    "tiers": {
        "soft": 0.85,
        "goal": 0.60,
        "hard": 0.95,
        "trigger": "at",
        "tail": Share(0.5),
        "pins": ("task",),
        "every_round": (Intake(),),
        "ladder": (
            Prune(),
            Offload(),
            Summarize(max_tokens=600, in_place=False, active=True),
            Fold(),
            Truncate(),
        ),
    },
    "lab": {
        "soft": 0.85,
        "goal": "tail",
        "trigger": "over",
        "tail": Messages(6),
        "pins": ("first_user",),
        "every_round": (Intake(), Micro(recent=10, over=200, keep=500)),
        "ladder": TOLD,
    },
    "supervisor": {
        "soft": 1.0,
        "hard": 1.0,
        "goal": "tail",
        "trigger": "over",
        "limit": 500,
        "tail": OfMessages(0.5),
        "every_round": (Intake(),),
        "ladder": TOLD,
    },
    "deep": {
        "soft": 0.85,
        "goal": "tail",
        "trigger": "at",
        "tail": OfWindow(0.10),
        "every_round": (Intake(20_000),),
        "ladder": TOLD,
    },
}


@proves("designs.numbers")
@pytest.mark.parametrize("name", NUMBERS)
def test_a_design_has_its_own_numbers(name: str) -> None:
    policy = POLICIES[name]
    held = Session(wire="openai", window=8_000, policy=name)

    assert {number: getattr(policy, number) for number in NUMBERS[name]} == NUMBERS[name]
    assert held._parts.settings.policy is policy
    assert held.budget.reserve == 0 and held.budget.usable == 8_000


@proves("designs.numbers")
@pytest.mark.parametrize("name", NUMBERS)
def test_the_page_shows_a_design_as_it_is(name: str) -> None:
    """Its policy as a file, and its name."""
    shown = re.search(rf"```toml\n# {name}\n(.*?)```", PAGE, re.S)

    assert shown is not None
    assert Policy.read(shown[1]) == POLICIES[name]


@proves("designs.numbers")
@pytest.mark.parametrize(
    "name",
    [
        *(
            "fill_threshold_percent",
            "min_messages_to_compact",
            "preserve_recent_turns",
            "preserve_recent_percent",
        ),
        *(
            "safety_threshold_percent",
            "agent_controlled",
            "CompressionMetadata",
            "invoke_compaction",
        ),
        *(
            "CONTEXT_BUDGET_COMPACTION_FAILED",
            "CONTEXT_BUDGET_COMPACTION_SAFETY_NET",
            "compress_context",
        ),
        *("DefaultTokenEstimator", "EPISTEMIC_MARKER_PATTERNS", "DegradationAction.FALLBACK"),
        *(
            "COMPACTION_PRESERVE_RECENT",
            "COMPACTION_SUMMARY_MAX_TOKENS",
            "COMPACTION_TASK_COMPLEXITY",
        ),
        *(
            "COMPACTION_PROMPT_TEMPLATE",
            "compacted_summary",
            "needs_compaction",
            "max_tokens",
            "PromptBuilder",
        ),
        *(
            "`hi`",
            "`lo`",
            "maybe_compact",
            "tail_until",
            "persist_to_longterm",
            "summarize_span",
            "Compactor",
        ),
        *(
            "autocompact_threshold",
            "max_tool_result_chars",
            "preserve_recent_messages",
            "compact_boundary",
        ),
        *(
            "CompactState",
            "_original_size",
            "extract_session_memory",
            "microcompact",
            "CompactConfig",
        ),
        *(
            "token_limit",
            "compaction_ratio",
            "CompactingSupervisor",
            "HistoryManager",
            "replace_thread_history",
        ),
    ],
)
def test_the_page_says_what_a_name_of_theirs_is_here(name: str) -> None:
    assert re.search(rf"^\| [^|]*{re.escape(name)}", PAGES, re.M), name


@proves("designs.numbers")
def test_the_page_says_the_default_as_it_is() -> None:
    rungs = ", ".join(f"`{rung.__struct_config__.tag}`" for rung in Policy().ladder)

    assert re.search(r"^\| `goal` .* \| (.*) \|$", PAGE, re.M)[1] == f"{Policy().goal:.2f}"
    assert re.search(r"^\| `ladder` .* \| (.*) \|$", PAGE, re.M)[1] == rungs


# A


@proves("designs.numbers")
def test_agent_controlled_compacts_at_80_percent_and_not_under_it() -> None:
    under = session("agent-controlled", *said(8), window=1_001)
    at = session("agent-controlled", *said(8), window=1_000)

    under.messages()
    at.messages()

    assert (under.load, under.pressure, list(under.log.commits)) == (800, Pressure.NONE, [])
    assert covered(at) == [1]
    (commit,) = at.log.commits
    assert commit.why == "soft" and commit.before == 800


@proves("designs.numbers")
def test_agent_controlled_keeps_six_messages_widened_to_a_seam() -> None:
    held = session("agent-controlled", *said(2), *called(3, at_once=3), window=1_280)

    held.messages()

    # Six messages back is the second result of a batch that began at 6, and so it begins there.
    assert held.log.commits[-1].why == "soft"
    assert covered(held) == [*range(1, 6)]


@pytest.mark.parametrize("name", ["tiers", "thrifty", "agent-controlled"])
def test_the_task_stays_word_for_word_unless_it_takes_half_of_the_goal(name: str) -> None:
    task = {
        "role": "user",
        "content": "Build the exporter. " + "It reads rows and writes a file. " * 9,
    }
    held = session(name, task, *said(30, start=1), window=4_000)
    long = session(
        name, {**task, "content": task["content"] * 20}, *said(30, start=1), window=4_000
    )

    assert held.compact() is not None and long.compact() is not None

    assert task in held.messages()
    assert long.messages()[0] != {**task, "content": task["content"] * 20}


@proves("designs.numbers")
def test_agent_controlled_needs_four_messages_and_more_than_it_keeps() -> None:
    held = session("agent-controlled", *said(3), window=350)
    held.messages()
    assert held.events[-1] == Skipped("under 4 messages", 300, session="session")

    held = session("agent-controlled", *said(6), window=700)
    held.messages()
    assert held.events[-1] == Skipped("everything is in the tail", 600, session="session")


@proves("designs.numbers")
def test_agent_controlled_has_a_net_at_95_percent_and_both_drop_under_a_short_quota() -> None:
    budget = session("agent-controlled", window=1_000).budget
    short = session("agent-controlled", window=1_000, quota="fallback")

    assert [str(budget.pressure(load)) for load in (799, 800, 949, 950)] == [
        "none",
        "soft",
        "soft",
        "hard",
    ]
    assert [str(short.budget.pressure(load)) for load in (699, 700, 849, 850)] == [
        "none",
        "soft",
        "soft",
        "hard",
    ]
    short.add(*said(7))
    short.messages()
    assert covered(short) == [1, 2]


@pytest.mark.slow
@proves("designs.numbers")
def test_agent_controlled_may_keep_a_tenth_of_the_window_where_that_is_more() -> None:
    policy = POLICIES["agent-controlled"].but(tail=Larger(Messages(6), OfWindow(0.10)))

    few = session(policy, *said(85, 100), window=10_000)
    many = session(policy, *said(850, 10), window=10_000)
    few.messages()
    many.messages()

    assert covered(few) == list(range(1, 85 - 10))
    assert covered(many) == list(range(1, 850 - 100))


# B


@proves("designs.numbers")
def test_researcher_compacts_over_60_percent_of_4096_and_not_at_it() -> None:
    held = session("researcher", window=None)

    assert held.budget.window == 4_096
    assert [str(held.budget.pressure(load)) for load in (2_457, 2_458)] == ["none", "soft"]
    assert str(session("researcher", window=1_000).budget.pressure(600)) == "none"
    held.add(*said(1, 57), *called(6, 397))
    held.messages()
    assert (held.load, covered(held)) == (2_457, [])
    held.add(*said(1, 1, start=14))
    held.messages()
    assert covered(held) == list(range(1, 9))


@proves("designs.numbers")
def test_researcher_keeps_the_task_and_three_entries_each_call_with_its_results() -> None:
    held = session("researcher", *said(1), *called(9, 300), window=None)
    held.messages()

    assert covered(held) == list(range(1, 13))
    assert [call for item in held.view.items for call in item.calls] == ["c6.0", "c7.0", "c8.0"]


@proves("designs.numbers")
def test_researcher_waits_until_a_fifth_of_the_window_is_older_than_its_tail() -> None:
    held = session("researcher", *said(1), *called(9, 300), window=None)
    held.messages()
    commits = []
    for count, start in ((3, 9), (1, 12), (1, 13)):
        held.add(*called(count, 690, start=start))
        assert held.pressure is Pressure.SOFT
        held.messages()
        commits.append(len(held.log.commits))

    # The fourth large result alone would have covered one call with its result.
    assert commits == [2, 2, 3]
    assert "are older than the tail" in str(held.events)


@proves("researcher.compacts")
def test_researcher_asks_for_its_summary_as_a_simple_task() -> None:
    writer = Script("{}", window=50_000)
    held = session("researcher", *said(1), *called(9, 300), window=None, writer=writer)
    held.compact()
    assert [ask.complexity for ask in writer.asked] == ["simple"]


@proves("designs.numbers")
def test_researcher_has_nothing_to_compact_in_three_entries_and_asks_no_model() -> None:
    class Never:
        def answer(self, ask: object) -> None:
            raise AssertionError("asked")

    held = session("researcher", *said(1), *called(3, 900), window=None, writer=Never())

    assert held.pressure is Pressure.SOFT and held.compact() is None
    assert held.events[-1] == Skipped("everything is in the tail", held.load, session="session")


# C


@pytest.mark.slow
@proves("designs.numbers")
def test_tiers_compacts_at_85_percent_down_to_60_and_does_not_thrash() -> None:
    held = session("tiers", window=10_000)
    loads = []
    for at in range(200):
        held.add(*said(1, start=at))
        loads.append(held.load)
        held.messages()

    assert all(
        8_500 <= commit.before < 8_700 and commit.after <= 6_000 for commit in held.log.commits
    )
    assert max(loads) < 8_700
    apart = [commit.at for commit in held.log.commits]
    assert min(b - a for a, b in pairwise(apart)) >= 25


# D


@proves("designs.numbers")
def test_lab_keeps_system_first_user_message_and_the_last_ones() -> None:
    constraints = {"role": "system", "content": "Be kind."}
    held = session("lab", constraints, *said(20), window=2_360)

    held.messages()
    assert held.load == 2_002 <= 2_360 * 0.85 and covered(held) == []
    held.add(*said(1, 10, start=20))
    held.messages()
    assert covered(held) == list(range(2, 16))


@proves("designs.numbers")
def test_lab_compacts_by_force_whatever_the_fill() -> None:
    held = session("lab", *said(10), window=100_000)

    assert held.compact() is not None
    assert covered(held) == [1, 2, 3]


@proves("designs.numbers")
def test_lab_leaves_the_arguments_of_old_calls_as_they_were_said() -> None:
    written = {"path": "a.py", "text": "line " * 400}
    talk = [*said(1), *called(8, 201)]
    talk[1]["tool_calls"][0]["function"]["arguments"] = json.dumps(written)
    held = session("lab", *talk, *said(6), window=100_000)

    assert held.view.at(2).is_edited and not held.view.at(1).is_edited
    assert held.messages()[1] == talk[1]


@proves("designs.numbers")
def test_lab_shows_old_results_in_short_at_any_fill_and_the_newest_ten_messages_whole() -> None:
    held = session(
        "lab",
        *said(1),
        *called(8, 201),
        *called(1, 200, start=8),
        *called(6, 201, start=9),
        window=100_000,
    )

    short = [at for at in range(len(held.view.messages)) if held.view.at(at).is_edited]
    assert held.pressure is Pressure.NONE and covered(held) == []
    assert short == [*range(2, 17, 2), 20]  # 18 holds 200 tokens; from 21 on are the newest ten
    assert {edit.by for commit in held.log.commits for edit in commit.edits} == {"micro"}
    assert held.open("2.0").text == "line " * 201


@proves("designs.numbers")
def test_the_boundary_is_where_everything_is_verbatim_from() -> None:
    held = session("lab", *said(10), window=100_000)
    assert held.view.boundary == 0
    commit = held.compact()

    assert commit is not None and held.view.boundary == 4
    (landed,) = [event for event in held.events if isinstance(event, Committed)]
    assert landed.boundary == 4
    assert all(not held.view.at(at).is_edited for at in range(4, 10))


@proves("designs.numbers")
def test_lab_asks_no_model_unless_one_is_named() -> None:
    """Without a key the summary is computed; a script, OpenAI's or Anthropic's models write it."""
    for writer, asked in ((None, 0), (Script("FACTS\n- Nothing of note. [1]", window=50_000), 1)):
        held = session("lab", *said(30, 60), window=100_000, writer=writer)
        commit = held.compact()
        assert commit is not None and len(commit.asked) == asked


# E


@proves("designs.numbers")
@pytest.mark.parametrize(("ratio", "gone"), [(0.5, 5), (0.2, 2), (0.8, 8)])
def test_supervisor_covers_the_oldest_part_of_ten_messages(ratio: float, gone: int) -> None:
    constraints = {"role": "system", "content": "Be kind."}
    held = session(supervisor(compaction_ratio=ratio), constraints, *said(10, 60), window=8_000)

    held.messages()

    assert covered(held) == list(range(1, 1 + gone))


@proves("designs.numbers")
def test_supervisor_compacts_over_500_tokens_and_not_at_500() -> None:
    held = session("supervisor", *said(10, 50), window=8_000)
    held.messages()
    assert (held.load, held.pressure, covered(held)) == (500, Pressure.NONE, [])

    held.add({"role": "user", "content": "more"})
    held.messages()
    assert covered(held) == list(range(5))


@proves("designs.numbers")
def test_supervisor_cuts_at_the_nearest_seam_and_tries_again_only_after_something_new() -> None:
    held = session("supervisor", *said(1, 60), *called(3, 200, at_once=2), window=8_000)

    for _ in range(3):
        held.messages()

    # Half of ten is amid the second batch, which begins at 4 and ends at 7; 4 is nearer.
    # The request at work stays.
    assert covered(held) == [1, 2, 3]
    assert [commit.fits for commit in held.log.commits] == [False]
    held.add(*said(2, start=10))
    held.messages()
    assert len(held.log.commits) == 2


# The 85/10 one


@proves("designs.numbers")
def test_deep_compacts_at_85_percent_and_keeps_a_tenth() -> None:
    held = session("deep", *said(84), window=10_000)
    held.messages()
    assert covered(held) == []

    held.add(*said(1, start=84))
    held.messages()
    assert covered(held) == list(range(75))


@proves("designs.numbers")
def test_deep_takes_no_result_over_20000_tokens_in_whole() -> None:
    held = Session(wire="openai", window=200_000, policy="deep", meter=WORDS)
    held.add(*said(1), *called(1, 20_001), *called(1, 19_999, start=1))

    assert 20_000 < held.load < 23_000
