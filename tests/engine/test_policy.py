"""The policy language: files and their errors, tails, goals, boundaries, quotas."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import steno
from steno import BadInput, Policy, Pressure, Session
from steno.cli import main
from steno.engine.designs import POLICIES
from steno.engine.policy import _file_schema
from steno.errors import BadPolicy
from steno.events import Skipped
from steno.rungs import (
    Arrive,
    Fold,
    Intake,
    Micro,
    Offload,
    OffloadTail,
    Prune,
    Summarize,
    Truncate,
)
from steno.rungs.clip import Clip
from steno.tails import Entries, Larger, Messages, OfMessages, OfWindow, Share, Tail, Tokens, Turns
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.sample_messages import openai_talk
from tests.support.scripted_models import Asking, Endless, Script
from tests.support.session_cases import Case, cases
from tests.support.view_checks import pins_of, problems
from tests.support.word_meter import called, covered, said, session

RUNGS = "arrive, clip, fold, intake, micro, offload, offload-tail, prune, summarize, truncate"
WHOLE = """
soft = 0.8
goal = "tail"
hard = 0.9
trigger = "over"
least = 4
pins = ["first_user"]
window = 4096
limit = 2000
reserve = 0
rounds = 2

[tail]
type = "larger"
a = { type = "turns", n = 3 }
b = { type = "of_window", share = 0.1 }

[[every_round]]
type = "intake"
over = 9000

[[ladder]]
type = "offload"
over = 2000

[[ladder]]
type = "truncate"
"""


@proves("policy.file")
def test_a_file_says_what_python_says(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(WHOLE, encoding="utf-8")
    same = Policy(
        soft=0.8,
        goal="tail",
        hard=0.9,
        trigger="over",
        least=4,
        pins=("first_user",),
        window=4_096,
        limit=2_000,
        reserve=0,
        rounds=2,
        tail=Larger(Turns(3), OfWindow(0.1)),
        every_round=(Intake(over=9_000),),
        ladder=(Offload(over=2_000), Truncate()),
    )

    assert Policy.read(WHOLE) == Policy.read(path) == Policy.read(str(path)) == same


@proves("policy.file")
@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ('tail = {type = "share"}', Share(0.5)),
        ('tail = {type = "turns", n = 3}', Turns(3)),
        ('tail = {type = "messages", n = 6}', Messages(6)),
        ('tail = {type = "entries", n = 3}', Entries(3)),
        ('tail = {type = "tokens", n = 900}', Tokens(900)),
        ('tail = {type = "of_window", share = 0.1}', OfWindow(0.1)),
        ('tail = {type = "of_messages", keep = 0.2}', OfMessages(0.2)),
    ],
)
def test_a_file_names_every_tail_and_leaves_the_rest_as_it_is(text: str, tail: Tail) -> None:
    assert Policy.read(text) == Policy(tail=tail)


@proves("policy.file")
@pytest.mark.parametrize(
    "rung", [Arrive, Intake, Micro, Prune, OffloadTail, Offload, Summarize, Fold, Clip, Truncate]
)
def test_a_file_names_every_rung(rung: type[steno.rungs.Rung]) -> None:
    tag = rung.__struct_config__.tag

    assert tag in RUNGS.split(", ")
    assert Policy.read(f'[[ladder]]\ntype = "{tag}"') == Policy(ladder=(rung(),))


class Sleepy(steno.rungs.Rung, frozen=True, tag="sleepy"):
    """A rung of a caller."""

    hours: int = 8


@proves("policy.file")
def test_a_rung_of_ones_own_works_in_python_and_in_a_file_if_it_is_passed() -> None:
    text = '[[ladder]]\ntype = "sleepy"\nhours = 9\n'

    assert (
        Policy.read(text, rungs=(Sleepy,)).ladder
        == (Sleepy(9),)
        == Policy(ladder=(Sleepy(9),)).ladder
    )
    with pytest.raises(BadPolicy, match=f"there is no rung 'sleepy'; there are {RUNGS}") as unknown:
        Policy.read(text)
    assert "Policy.read(path, rungs=(Mine,))" in str(unknown.value)


@proves("policy.file")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '[[ladder]]\ntype = "offload"\nover = "much"',
            "ladder[0].over: expected a whole number, got text",
        ),
        (
            '[[every_round]]\ntype = "intake"\nover = 1.5',
            "every_round[0].over: expected a whole number, got a number",
        ),
        (
            '[[ladder]]\ntype = "truncate"\n[[ladder]]\ntype = "offlaod"',
            "ladder[1].type: there is no rung 'offlaod'",
        ),
        (
            '[[ladder]]\ntype = "offlaod"',
            f"ladder[0].type: there is no rung 'offlaod'; there are {RUNGS}",
        ),
        ("[[ladder]]\nover = 3", "ladder[0]: the key type is missing"),
        (
            '[[ladder]]\ntype = "offload"\nunder = 3',
            "ladder[0]: there is no key under",
        ),
        ('ladder = "offload"', "ladder: expected a list, got text"),
        ("sotf = 0.8", "there is no key sotf; did you mean soft?"),
        ("checks = []", "there is no key checks; the keys are soft, goal, hard"),
        ('soft = "high"', "soft: expected a number, got text"),
        ('goal = "tial"', "goal: 'tial' is none of its words: tail"),
        ('trigger = "under"', "trigger: 'under' is none of its words: at, over"),
        ('pins = ["last_user"]', "pins[0]: 'last_user' is none of its words: first_user"),
        (
            'tail = {type = "turn", n = 3}',
            "tail.type: there is no tail 'turn'; there are entries, larger, messages, of_messages",
        ),
        (
            'tail = {type = "larger", a = {type = "x"}, b = {type = "share"}}',
            "tail.a.type: there is no tail 'x'",
        ),
        ('tail = {type = "turns"}', "tail: the key n is missing"),
        ('tail = {type = "turns", n = 0}', "tail: a tail is counted from 1 on, got 0"),
        (
            'tail = {type = "share", of_goal = 1.5}',
            "tail: a tail's share is from 0 to 1, got 1.5",
        ),
        (
            'tail = {type = "share", of_goal = nan}',
            "tail: a tail's share is from 0 to 1, got nan",
        ),
        (
            'tail = {type = "turns", n = 3, m = 4}',
            "tail: there is no key m",
        ),
        ("soft = 0.5", "shares must satisfy 0 < goal < soft ≤ hard ≤ 1, got goal 0.66, soft 0.5"),
        ('soft = 1.5\ngoal = "tail"', "shares must satisfy 0 < soft ≤ hard ≤ 1, got soft 1.5"),
        ("window = 100\nreserve = 100", "reserve must be at least 0 and under the window of 100"),
        ("limit = 0", "limit must be positive, got 0"),
        ("wait = nan", "wait: expected a number >= 0.0"),
        ("rounds = -1", "rounds: expected a whole number >= 0"),
        ("least = -5", "least: expected a whole number >= 0"),
        (
            "ladder = []",
            "ladder: needs at least one rung, or nothing could be compacted",
        ),
        ("soft = ", "not TOML: Invalid value (at end of document)"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(
    text: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(BadInput) as plain:
        Policy.read(text)
    with pytest.raises(BadPolicy) as filed:
        Policy.read(path)

    assert says in str(plain.value)
    assert str(filed.value) == f"{path}: {plain.value}"


@proves("policy.file")
@pytest.mark.parametrize(
    "wrong",
    [
        {"ladder": ()},
        {"rounds": -1},
        {"least": -1},
        {"least": True},
        {"wait": float("nan")},
        {"wait": "long"},
        {"window": 0},
        {"limit": "much"},
        {"soft": "high"},
        {"goal": "tial"},
        {"trigger": "above"},
        {"moment": "never"},
        {"complexity": "hard"},
        {"persona": "loud"},
        {"pins": ("first",)},
        {"tail": 1.0},
        {"ladder": ("prune",)},
        {"ladder": 3},
        {"every_round": (Intake,)},
        {"checks": ("shape",)},
    ],
)
def test_a_policy_in_python_is_refused_for_the_same(wrong: dict[str, Any]) -> None:
    ((name, value),) = wrong.items()
    for make in (Policy, steno.Policy().but):
        with pytest.raises(BadPolicy, match=rf"^{name}(\[0\])?: ") as refused:
            make(**wrong)
        if value != ():
            assert repr(value).strip("(),") in str(refused.value)


@proves("policy.file")
def test_shares_are_refused_as_they_were_written() -> None:
    wrong = steno.Policy().but(goal=2.0)
    for window in (16_000, 1_000_000):
        with pytest.raises(BadInput, match=r"got goal 2\.0, soft 0\.9, hard 0\.95"):
            Session(window=window, policy=wrong)


@proves("policy.file")
def test_a_path_may_have_an_equals_sign(tmp_path: Path) -> None:
    path = tmp_path / "a=b.toml"
    with pytest.raises(BadPolicy, match="there is no such file"):
        Policy.read(str(path))
    path.write_text("least = 4", encoding="utf-8")
    assert Policy.read(str(path)) == Policy.read("least = 4") == Policy(least=4)


@proves("policy.file")
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n")

    for path, says in (
        ("none.toml", "there is no such file"),
        (".", "cannot be read"),
        ("latin.toml", "not UTF-8"),
    ):
        with pytest.raises(BadPolicy, match=says):
            Policy.read(tmp_path / path)
    with pytest.raises(BadInput, match="a tail is counted from 1 on, got -1"):
        Messages(-1)


@proves("policy.file")
def test_a_session_takes_a_policy_by_value_by_name_and_by_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(WHOLE, encoding="utf-8")

    for said_as, meant in (
        (POLICIES["tiers"], POLICIES["tiers"]),
        ("tiers", POLICIES["tiers"]),
        (path, Policy.read(WHOLE)),
        (str(path), Policy.read(WHOLE)),
    ):
        held = Session(wire="openai", window=9_000, policy=said_as)
        assert held._parts.settings.policy == meant and held.budget == meant.budget(9_000, 0)
        assert held.fork()._parts.settings.policy == meant


@proves("policy.file")
@pytest.mark.parametrize(
    ("policy", "says"),
    [
        (
            "tires",
            "there is no policy 'tires': name a TOML file, or one of default, thrifty",
        ),
        (7, "policy= takes a path or a Policy, got int"),
    ],
)
def test_a_policy_that_is_not_there_is_refused(policy: Any, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Session(wire="openai", window=9_000, policy=policy)


@proves("policy.file")
def test_a_window_of_the_policys_own_is_kept_with_the_session(tmp_path: Path) -> None:
    with Session(tmp_path / "a.db", wire="openai", policy="researcher") as held:
        assert (held.budget.window, held.budget.reserve) == (4_096, 0)
    with Session(tmp_path / "a.db") as again:
        assert again.budget.window == 4_096
    with Session(wire="openai", policy="researcher", window=8_000, reserve=100) as other:
        assert (other.budget.window, other.budget.reserve) == (8_000, 100)
    with pytest.raises(BadInput, match="a window of 10 tokens: did you mean 10k"):
        Session(wire="openai", policy=Policy(window=10))
    with pytest.raises(BadInput, match="say how much fits"):
        Session(wire="openai", policy="supervisor")


@pytest.mark.slow
@proves("policy.file")
def test_the_command_line_takes_a_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text(
        "".join(f"{json.dumps(each)}\n" for each in openai_talk(40)), encoding="utf-8"
    )
    Path("few.toml").write_text(
        'goal = "tail"\ntail = {type = "messages", n = 2}\n', encoding="utf-8"
    )
    Path("bad.toml").write_text("[[ladder]]\ntype = 'offload'\nover = 'x'\n", encoding="utf-8")

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["steno", *words])
        with pytest.raises(SystemExit) as left:
            main.main()
        out = capsys.readouterr()
        return int(left.value.code or 0), out.out, out.err

    code, out, _ = run(
        "compact", "a.jsonl", "-w", "4k", "-p", "few.toml", "-o", "b.jsonl", "--json"
    )
    assert code == 0 and json.loads(out)["conversations"][0]["boundary"] == 79
    code, out, _ = run("compact", "a.jsonl", "-p", "researcher", "-o", "c.jsonl", "--json")
    assert code == 0 and json.loads(out)["conversations"][0]["window"] == 4_096
    code, out, _ = run("show", "a.jsonl", "-w", "4k", "--policy", "few.toml", "--json")
    assert code == 0 and json.loads(out)["after"]["boundary"] == 79
    code, out, _ = run("show", "a.jsonl", "--policy", "researcher")
    assert (
        code == 0
        and "in a window of 4,096" in out
        and "After steno compact" in out
        and "╎" not in out
    )
    code, _, err = run("compact", "a.jsonl", "-w", "4k", "-p", "bad.toml", "-o", "d.jsonl")
    assert (
        code == 2 and err == "steno: bad.toml: ladder[0].over: expected a whole number, got text\n"
    )
    code, _, err = run("show", "a.jsonl", "-w", "4k", "-p", "tires")
    assert code == 2 and err.startswith("steno: there is no policy 'tires'")


# Tails


TALK = [*said(3), *called(4, at_once=2), *said(2)]
"""0 to 2, 15 and 16 are messages; 3, 6, 9 and 12 make two calls, with two results each."""


@proves("policy.tails")
@pytest.mark.parametrize(
    ("tail", "start"),
    [
        (Turns(1), 16),
        (Turns(3), 12),
        (Turns(4), 9),
        (Turns(99), 0),
        (Messages(2), 15),
        (Messages(3), 12),  # the results of a call, which stays with them
        (Messages(5), 12),
        (Messages(6), 9),
        (Entries(2), 15),
        (Entries(3), 12),  # two calls at once are two entries, and one batch
        (Entries(4), 12),
        (Entries(5), 9),
        (Tokens(200), 15),
        (Tokens(404), 15),
        (Tokens(405), 12),
        (Tokens(1), 16),
        (OfWindow(0.1), 15),
        (OfWindow(0.21), 12),
        (OfMessages(0.5), 9),  # 8 of 17 go: between a call at 6 and its results, 9 is nearer
        (OfMessages(0.1), 15),
        (OfMessages(0.0), 16),
        (Larger(Turns(1), OfWindow(0.21)), 12),
        (Larger(Turns(4), OfWindow(0.1)), 9),
        (Share(0.5), 6),  # of 1,699, the largest load without pressure
        (Tail(), 16),
    ],
)
def test_a_tail_begins_where_it_says_at_a_seam(tail: Tail, start: int) -> None:
    # The last rung covers everything before the tail; a summary leaves people's words in place.
    policy = Policy(
        soft=0.85, goal="tail", tail=tail, reserve=0, ladder=(Truncate(),), by_window=False
    )
    held = session(policy, *TALK, window=2_000)

    held.compact()

    assert [at for at in range(len(TALK)) if at not in covered(held)] == list(
        range(start, len(TALK))
    )


TAILS = (
    Turns(1),
    Turns(3),
    Messages(4),
    Messages(7),
    Entries(3),
    Tokens(60),
    Tokens(400),
    OfWindow(0.1),
    OfWindow(0.3),
    OfMessages(0.2),
    OfMessages(0.5),
    OfMessages(0.8),
    Larger(Turns(2), OfWindow(0.2)),
    Larger(Messages(6), Share(0.9)),
)
GOALS = ("tail", 0.3)
"""Both kinds of goal."""
IN_ONE = (Summarize(in_place=False), Truncate())
"""A ladder that leaves nothing in its place."""


def under(case: Case, tail: Tail, goal: Any) -> Case:
    policy = case.policy.but(tail=tail, goal=goal, pins=("first_user",), trigger="over")
    return Case(
        **{name: getattr(case, name) for name in case.__dataclass_fields__} | {"policy": policy}
    )


@pytest.mark.slow
@proves("policy.tails")
@hit_rate(at_least=0.4, of="something was covered", examples=150)
@given(cases(), st.sampled_from(TAILS), st.sampled_from(GOALS))
def test_any_tail_stays_but_under_hard_pressure_and_any_view_is_legal(
    case: Case, tail: Tail, goal: Any
) -> None:
    case = under(case, tail, goal)
    held, some = case.session(), False
    for message in case.messages:
        held.add(message)
        pressure, known = held.pressure, len(held.log.commits)
        assert problems(held) == []
        for commit in list(held.log.commits)[known:]:
            spans = [edit.span for edit in commit.edits if edit.block is None]
            last_resort = any(edit.by == "fit" and edit.block is None for edit in commit.edits)
            assert not last_resort or commit.before > commit.usable
            kept = set() if last_resort else {commit.at - 1}
            if pressure is not Pressure.HARD:
                kept = {commit.at - 1} | newest(tail, commit.at)
            assert not any(position in span for span in spans for position in kept | pins_of(case))
            some = some or bool(spans)
    assert held.load <= held.budget.usable or any(
        isinstance(event, steno.events.Overflow) for event in held.events
    )
    hit(some)


def newest(tail: Tail, messages: int) -> set[int]:
    """Return positions that every tail keeps: results and empty items only make it longer."""
    match tail:
        case Turns(n) | Messages(n):
            return set(range(max(0, messages - n), messages))
        case Larger(a, b):
            return newest(a, messages) | newest(b, messages)
    return set()


@proves("policy.tails")
@pytest.mark.parametrize(
    "tail", [Turns(6), Messages(6), Entries(6), Tokens(9_999), OfMessages(0.9), OfWindow(0.99)]
)
@pytest.mark.parametrize("goal", GOALS)
def test_under_hard_pressure_a_tail_that_leaves_no_room_gives_way(tail: Tail, goal: Any) -> None:
    policy = Policy(goal=goal, tail=tail, reserve=0)
    held = session(policy, *said(8, 200), window=1_000)

    held.messages()

    assert held.load <= 1_000
    assert 7 not in covered(held)


@proves("policy.tails")
def test_results_of_the_tail_shrink_before_the_tail_gives_way() -> None:
    held = session(
        Policy(goal="tail", tail=Turns(3), reserve=0), *said(2), *called(3, 2_000), window=5_000
    )

    held.messages()

    assert held.load <= 5_000
    assert covered(held) == [0, 1]


@proves("policy.tails")
def test_beside_a_large_prompt_a_tail_leaves_the_past_its_part() -> None:
    """Of what the goal leaves beside a prompt, two fifths at least are not the tail's."""

    def tail_of(prompt: int) -> int:
        words = [{"role": "system", "content": "word " * prompt}, *said(60, 60)]
        held = session(Policy(ladder=IN_ONE, reserve=0, by_window=False), *words, window=4_000)
        held.messages()
        newest = max(covered(held))
        return sum(item.tokens for item in held.view.items if item.span.start > newest)

    assert tail_of(100) > 2_000
    assert tail_of(2_200) < 360


@proves("policy.tails")
def test_under_soft_pressure_a_tail_that_leaves_no_room_stays() -> None:
    held = session(Policy(soft=0.5, goal=0.2, tail=Turns(6), reserve=0), *said(8), window=1_500)

    held.messages()

    assert held.log.commits[-1].why == "soft" and not held.log.commits[-1].fits
    assert covered(held) == [0, 1]


# Goals


@proves("policy.goal")
@pytest.mark.parametrize("n", [8, 20, 60])
def test_where_the_tail_is_the_goal_all_outside_it_is_covered_in_one_go(n: int) -> None:
    policy = Policy(goal="tail", tail=Turns(4), reserve=0, ladder=IN_ONE, by_window=False)
    held = session(policy, *said(n), window=100 * n)

    held.messages()

    (commit,) = held.log.commits
    assert covered(held) == list(range(n - 4))
    assert commit.fits and commit.goal == 100 * n * 0.90 - 1


@proves("policy.goal")
def test_where_the_tail_is_the_goal_what_a_summary_keeps_stays() -> None:
    policy = Policy(soft=0.8, goal="tail", tail=Turns(4), reserve=0)
    held = session(policy, window=2_000)
    for n in range(60):
        asked = f"Please do step {n}: use the value {n * 37} in file_{n}.py."
        held.add({"role": "user", "content": asked}, *said(1, 60, start=2 * n + 1))
        shown = "\n".join(str(message["content"]) for message in held.messages())

    assert len(held.log.commits) > 1
    assert not any(edit.by == "truncate" for edit in held.log.commits[-1].edits)
    assert all(f"use the value {n * 37} in file_{n}.py" in shown for n in (0, *range(40, 60)))


@proves("policy.goal")
def test_a_goal_as_a_load_covers_no_more_than_it_must() -> None:
    held = session(
        Policy(goal=0.6, tail=Turns(4), reserve=0, ladder=(Truncate(),)), *said(20), window=2_000
    )

    held.messages()

    assert 1_100 < held.load <= 1_200
    assert covered(held) == list(range(10))


@proves("policy.goal")
def test_what_lies_outside_the_tail_is_covered_once_and_not_again_by_the_next_rung() -> None:
    policy = Policy(goal="tail", tail=Turns(4), reserve=0, ladder=(Asking(1, 1), Truncate()))
    held = session(policy, *said(20), window=2_200, writer=Script(("answer",)))

    held.compact()

    assert {edit.by for edit in held.log.commits[-1].edits} == {"asking"}
    assert covered(held) == list(range(16))


@proves("policy.goal")
def test_nothing_outside_the_tail_is_an_answer_and_asks_no_model() -> None:
    model = Script(("answer",))
    ladder = (Endless(), Truncate())
    policy = Policy(goal="tail", hard=1.0, tail=Turns(4), reserve=0, ladder=ladder)
    held = session(policy, *said(4), window=415, writer=model)

    assert held.compact() is None
    assert held.events[-1] == Skipped("everything is in the tail", 400, session="session")
    held.add(*said(1, start=4))
    assert held.pressure is Pressure.HARD and held.compact() is not None
    asked = len(model.heard)
    assert asked > 0 and held.compact() is None and len(model.heard) == asked


@proves("policy.goal")
def test_a_commit_that_leaves_the_load_over_its_limit_says_so_and_waits_for_something_new() -> None:
    policy = Policy(
        soft=1.0, hard=1.0, goal="tail", trigger="over", limit=300, tail=Turns(4), reserve=0
    )
    held = session(policy, *said(6), window=8_000)

    for _ in range(3):
        held.messages()
    assert [commit.fits for commit in held.log.commits] == [False]
    held.add(*said(1, start=6))
    held.messages()
    assert [commit.fits for commit in held.log.commits] == [False, False]
    assert covered(held) == [0, 1, 2]


# Boundaries


@proves("policy.boundary")
@pytest.mark.parametrize("share", [0.55, 0.6, 0.7, 0.8, 0.85])
def test_at_a_share_is_not_over_it(share: float) -> None:
    for window in (100, 1_000, 4_096, 32_000):
        on = window * round(share * 100) / 100
        at, over = (
            Policy(soft=share, goal="tail", trigger=how, by_window=False).budget(window, 0)
            for how in ("at", "over")
        )
        if on == int(on):
            assert at.pressure(int(on)) is Pressure.SOFT and over.pressure(int(on)) is Pressure.NONE
        assert at.pressure(int(on) + 1) is over.pressure(int(on) + 1) is Pressure.SOFT
        assert at.pressure(-(-int(on * 100) // 100) - 1) is Pressure.NONE
        for budget in (at, over):
            assert budget.pressure(budget.goal_load) is Pressure.NONE
            assert budget.pressure(budget.goal_load + 1) is Pressure.SOFT


@proves("policy.boundary")
def test_a_compaction_starts_with_so_many_messages_unless_it_must() -> None:
    policy = Policy(goal="tail", tail=Turns(1), least=4, reserve=0, ladder=IN_ONE)
    held = session(policy, {"role": "system", "content": "kind"}, *said(3), window=350)

    held.messages()
    assert held.compact() is None
    assert [event for event in held.events if isinstance(event, Skipped)][
        -1
    ].reason == "under 4 messages"
    held.add(*said(1, 10, start=3))
    held.messages()
    assert {2, 3} <= set(covered(held))
    fewer = session(policy, *said(3), window=310)
    fewer.messages()
    assert fewer.pressure is Pressure.NONE and 1 in covered(fewer)


@proves("policy.boundary")
def test_the_first_words_of_a_user_stay_where_the_policy_pins_them() -> None:
    policy = Policy(goal="tail", tail=Turns(2), pins=("first_user",), reserve=0, ladder=IN_ONE)
    held = session(policy, *called(1), *said(6, start=2), window=1_500)

    held.compact()
    assert covered(held) == [0, 1, 3, 4, 5]
    held.add(*said(2, start=8))
    held.compact()
    assert covered(held) == [0, 1, 3, 4, 5, 6, 7]


# Quota


@proves("policy.quota")
def test_a_short_quota_drops_limits_and_tail_but_not_to_nothing() -> None:
    policy = Policy(soft=0.80, hard=0.95, goal="tail", tail=Messages(6))
    short = policy.with_quota("fallback")

    assert (short.soft, short.hard, short.tail) == (0.70, 0.85, Messages(4))
    assert policy.with_quota("normal") is policy
    assert Policy(soft=0.85, goal=0.80).with_quota("fallback").budget(10_000, 0).goal == 0.80
    assert Policy(soft=0.85, goal=0.80).with_quota("fallback").soft == 0.81
    for tail, less in (
        (Turns(3), Turns(2)),
        (Turns(1), Turns(1)),
        (Messages(2), Messages(2)),
        (Messages(1), Messages(1)),
        (Entries(3), Entries(2)),
        (Larger(Turns(3), OfWindow(0.1)), Larger(Turns(2), OfWindow(0.1))),
        (Share(), Share()),
    ):
        assert tail.shorter() == less
    with pytest.raises(
        BadInput, match="there is no quota 'some'; there are normal, fallback, deny"
    ):
        policy.with_quota("some")  # type: ignore[arg-type]


@proves("policy.quota")
def test_a_denied_quota_asks_no_model() -> None:
    model = Script(("answer",))
    policy = Policy(ladder=(Asking(), Truncate()))
    held = session(policy, *said(20), window=2_500, writer=model, quota="deny")

    assert held.compact() is not None
    assert model.heard == []
    assert (
        Session(
            wire="openai", window=9_000, policy="agent-controlled", quota="fallback"
        ).budget.soft
        == 0.70
    )


def test_the_schema_of_policy_files_is_made_once() -> None:
    """To make it takes milliseconds, and every session reads its policy by it."""
    Policy.read("soft = 0.8")
    made = _file_schema.cache_info().misses
    Session(wire="openai", window=9_000, policy=Policy.read("soft = 0.7")).close()
    assert _file_schema.cache_info().misses == made


FIRST_READ_BY_FOUR = """
import sys, threading
from steno.engine.policy import Policy
from steno.rungs.truncate import Truncate

sys.setswitchinterval(1e-6)
for n in range(20):
    kind = type("Own", (Truncate,), {"__module__": __name__}, frozen=True, tag=f"own{n}")
    start = threading.Barrier(4)

    def read():
        start.wait()
        Policy.read("limit = 5000\\n", [kind])

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.mark.slow
def test_threads_that_read_a_policy_for_the_first_time_at_once_do_not_crash() -> None:
    """Without a lock msgspec ends the process; in one of its own, three times in four."""
    subprocess.run([sys.executable, "-c", FIRST_READ_BY_FOUR], check=True)


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_a_copy_of_a_policy_is_the_same_policy(name: str) -> None:
    policy = POLICIES[name]
    assert copy.deepcopy(policy) == policy
    assert pickle.loads(pickle.dumps(policy)) == policy
