"""Whether compacting pays, worked out by hand and by living through the turns one by one."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import strategies as st

from steno import Session
from steno.cli.source import load_recorded_sessions
from steno.core.log import Log
from steno.core.price import CompactionCandidate, Prices, best_candidate, payoff_of
from steno.lab.bill import shared_characters
from steno.lab.ours import StenoPolicy
from steno.lab.policies import STENO_POLICIES
from steno.lab.price import DEPTHS
from steno.meters.catalog import model_prices
from tests.support.coding_sessions import codex, session
from tests.support.command_line import Run
from tests.support.promises import given, hit, hit_rate, proves

SHARES = Prices()


@proves("price.hand")
def test_a_compaction_by_hand() -> None:
    """100,000 tokens down to 40,000, of which 10,000 stay cached, at 0.1 and 1.25."""
    case = CompactionCandidate(before=100_000, after=40_000, kept=10_000)
    # At once: 0.1 × 100k without, 0.1 × 10k + 1.25 × 30k with: 28,500 lost. Each later turn saves
    # 0.1 × 60k.
    found = payoff_of(SHARES, case, turns=5)
    assert found.saved == pytest.approx((-28_500 + 4 * 6_000) / 1e6)
    assert not found.pays
    assert found.turns == 6
    assert payoff_of(SHARES, case, turns=6).pays


@proves("price.hand")
def test_after_a_pause_nothing_is_cached_and_compacting_is_free() -> None:
    case = CompactionCandidate(before=100_000, after=40_000, kept=10_000, idle=301)
    found = payoff_of(SHARES, case, turns=1)
    assert found.pays and found.turns == 1
    assert found.saved == pytest.approx(1.25 * 60_000 / 1e6)


@proves("price.hand")
def test_what_saves_nothing_never_pays() -> None:
    assert payoff_of(SHARES, CompactionCandidate(50_000, 50_000, 0), turns=1_000).turns == math.inf


@proves("price.hand")
@hit_rate(at_least=0.5, of="it takes more than one turn")
@given(
    st.integers(1_000, 200_000),
    st.floats(0.05, 0.95),
    st.floats(0, 1),
    st.floats(0.01, 1),
    st.floats(1, 2),
    st.floats(0, 0.1),
)
def test_it_pays_from_the_turn_on_that_it_says(
    before: int, left: float, stays: float, read: float, write: float, asked: float
) -> None:
    after = int(before * left)
    prices, case = (
        Prices(read, write),
        CompactionCandidate(before, after, int(after * stays), asked=asked),
    )
    turns = payoff_of(prices, case, 1).turns
    hit(1 < turns < math.inf)
    if turns < 10_000:
        assert payoff_of(prices, case, int(turns)).saved > -1e-9
        if turns > 1:
            assert payoff_of(prices, case, int(turns) - 1).saved <= 1e-9


@proves("price.hand")
def test_few_turns_to_come_call_for_a_shallow_cut_and_many_for_a_deep_one() -> None:
    """Shallow leaves most of the cache as it is; deep saves more in each turn."""
    shallow = CompactionCandidate(before=100_000, after=80_000, kept=78_000)
    deep = CompactionCandidate(before=100_000, after=20_000, kept=2_000)
    # By turn 2 shallow has saved 0.1 × 20k × 2 − 1.15 × 2k; deep pays 1.15 × 18k once and saves
    # 0.1 × 80k a turn.
    assert best_candidate(SHARES, [shallow, deep], turns=2) == shallow
    assert best_candidate(SHARES, [shallow, deep], turns=4) == deep
    assert best_candidate(SHARES, [CompactionCandidate(100_000, 99_000, 0)], turns=3) is None


def lived(
    prices: Prices, case: CompactionCandidate, turns: int, growth: int, *, compacted: bool
) -> float:
    """What the turns to come cost, request by request."""
    load, cached = (case.after, case.kept) if compacted else (case.before, case.before)
    if case.idle > prices.lifetime:
        cached = 0
    paid = case.asked if compacted else 0.0
    for _ in range(turns):
        paid += prices.request_cost(cached, load - cached)
        cached, load = load, load + growth
    return paid


@proves("price.hand")
@hit_rate(at_least=0.5, of="compacting pays")
@given(
    st.integers(1_000, 200_000),
    st.lists(st.tuples(st.floats(0.05, 0.95), st.floats(0, 1)), min_size=1, max_size=5),
    st.integers(1, 60),
    st.integers(0, 5_000),
    st.sampled_from([0.0, 600.0]),
)
def test_the_depth_it_names_is_the_cheapest_to_live_through(
    before: int, depths: list[tuple[float, float]], turns: int, growth: int, idle: float
) -> None:
    cases = [
        CompactionCandidate(before, int(before * left), int(before * left * stays), idle)
        for left, stays in depths
    ]
    chosen = best_candidate(SHARES, cases, turns)
    hit(chosen)
    costs = [lived(SHARES, case, turns, growth, compacted=True) for case in cases]
    without = lived(SHARES, cases[0], turns, growth, compacted=False)
    paid = without if chosen is None else lived(SHARES, chosen, turns, growth, compacted=True)
    assert paid <= min(*costs, without) + 1e-9


@pytest.mark.slow
@proves("price.command")
def test_the_command_says_what_it_cost_and_whether_compacting_pays(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "agent.jsonl"
    file.write_text(
        "".join(json.dumps(message) + "\n" for message in session(7, 96)), encoding="utf-8"
    )
    told = run("replay", "--price", file, "-m", "claude-sonnet-4-5", "-w", "8k")
    assert told.code == 0
    assert "as it was, no cache" in told.out and "Compacting now" in told.out
    [made] = run("replay", "--price", file, "-m", "claude-sonnet-4-5", "-w", "8k", "--json").json
    rows = {row["name"]: row for row in made["rows"]}
    assert (
        rows["default"]["input"] < rows["as it was"]["input"] < rows["as it was, no cache"]["input"]
    )
    assert made["now"]["after"] < made["now"]["before"]
    wrong = run("replay", "--price", file, "-m", "nobody-9")
    assert wrong.code == 2 and "no price is known" in wrong.err


@proves("price.command")
def test_what_a_provider_reported_is_counted_once_a_reply(run: Run, tmp_path: Path) -> None:
    rows = []
    for n in range(3):
        usage = {
            "input_tokens": 10,
            "cache_creation_input_tokens": 100,
            "cache_read_input_tokens": 1_000,
            "output_tokens": 7,
            # The totals hold the round of the answer, and not that of the compaction.
            "iterations": [
                {"type": "message", "input_tokens": 10, "output_tokens": 7},
                {"type": "compaction", "input_tokens": 20, "output_tokens": 3},
            ],
        }
        rows.append(
            {
                "type": "user",
                "uuid": f"u{n}",
                "parentUuid": f"b{n - 1}" if n else None,
                "sessionId": "s",
                "message": {"role": "user", "content": f"question {n}"},
            }
        )
        for part in "ab":  # one reply, written as two rows
            content = [{"type": "text", "text": f"part {part}"}]
            rows.append(
                {
                    "type": "assistant",
                    "uuid": f"{part}{n}",
                    "parentUuid": f"u{n}" if part == "a" else f"a{n}",
                    "sessionId": "s",
                    "message": {
                        "id": f"m{n}",
                        "role": "assistant",
                        "model": "claude-sonnet-4-5",
                        "content": content,
                        "usage": usage,
                    },
                }
            )
    file = tmp_path / "claude.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    [made] = run("replay", "--price", file, "-m", "claude-sonnet-4-5", "--json").json
    first = made["rows"][0]
    assert (first["name"], first["sent"], first["cached"]) == ("as reported", 3 * 1_130, 3_000)
    assert first["input"] == pytest.approx(3 * (30 * 3 + 100 * 3.75 + 1_000 * 0.3) / 1e6)
    # The same figures in `show`, which compares nothing with prices.
    assert "The provider reported 3,390 sent (88% from its cache), 30 received." in (
        run("show", file).out
    )
    assert run("show", file, "--json").json["reported"]["cached"] == 3_000


@pytest.mark.slow
@proves("price.command")
def test_what_codex_reported_is_the_last_of_its_sums(run: Run, tmp_path: Path) -> None:
    """Eleven replies of 1,000 tokens each, nine tenths cached.

    Writing the cache costs nothing there.
    """
    file = tmp_path / "rollout.jsonl"
    file.write_text(
        "".join(json.dumps(row) + "\n" for row in codex(session(7, 10))), encoding="utf-8"
    )
    [made] = run("replay", "--price", file, "-m", "gpt-5", "--json").json
    first, _, now, *_ = made["rows"]
    assert (first["name"], first["sent"], first["cached"]) == ("as reported", 11_000, 9_900)
    assert first["input"] == pytest.approx((1_100 * 1.25 + 9_900 * 0.125) / 1e6)
    assert first["output"] == pytest.approx(110 * 10 / 1e6)
    told = run("replay", "--price", file, "-m", "gpt-5").out
    assert "11 requests" in told and "prompt and tools are not in the file" in told
    assert now["sent"] < 30_000, "eleven requests, not one for each item"


@pytest.mark.slow
@proves("price.command")
def test_after_a_pause_a_compaction_pays_at_once(run: Run, tmp_path: Path) -> None:
    """Five minutes are Anthropic's, two hours DeepSeek's."""
    file = tmp_path / "agent.jsonl"
    file.write_text(
        "".join(json.dumps(message) + "\n" for message in session(7, 40)), encoding="utf-8"
    )
    for model, idle, at_once in (
        ("claude-sonnet-4-5", 4, False),
        ("claude-sonnet-4-5", 6, True),
        ("deepseek-v4-pro", 6, False),
        ("deepseek-v4-pro", 121, True),
    ):
        [made] = run(
            "replay", "--price", file, "-m", model, "--idle", idle, "--turns", 1, "--json"
        ).json
        assert made["now"]["idle"] == 60 * idle
        assert (made["now"]["turns"] == 1, made["now"]["pays"]) == (at_once, at_once), (model, idle)


@pytest.mark.slow
@proves("price.command")
def test_where_nothing_pays_the_least_loss_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "agent.jsonl"
    file.write_text(
        "".join(json.dumps(message) + "\n" for message in session(7, 40)), encoding="utf-8"
    )
    words = ("replay", "--price", file, "-m", "claude-sonnet-4-5", "--turns", 1)
    [made] = run(*words, "--json").json
    assert not made["now"]["pays"] and made["now"]["saved"] < 0
    [tale] = load_recorded_sessions([str(file)], None)
    prices = model_prices("claude-sonnet-4-5")
    log = Log().with_messages(tale.messages)
    lost = []
    for goal in DEPTHS:
        before = StenoPolicy.bare(200_000, STENO_POLICIES["default"], log=log)
        after = StenoPolicy.bare(
            before.session.load - 1, STENO_POLICIES["default"].but(goal=goal, soft=0.95), log=log
        ).request()
        kept = shared_characters(tuple(before.current_request().parts), tuple(after.parts)) // 4
        lost.append(
            payoff_of(
                prices,
                CompactionCandidate(before.current_request().size, after.size, kept),
                1,
            ).saved
        )
    assert len(set(lost)) > 1 and made["now"]["saved"] == pytest.approx(max(lost))
    assert "No other depth that was tried loses less." in run(*words).out


@pytest.mark.slow
@proves("price.command")
def test_in_a_small_window_it_starts_from_what_is_shown_there(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "agent.jsonl"
    file.write_text(
        "".join(json.dumps(message) + "\n" for message in session(7, 96)), encoding="utf-8"
    )
    [wide] = run("replay", "--price", file, "-m", "claude-sonnet-4-5", "--json").json
    [tight] = run("replay", "--price", file, "-m", "claude-sonnet-4-5", "-w", "8k", "--json").json
    assert wide["now"]["before"] > 12_000
    assert 3_000 < tight["now"]["before"] <= 0.85 * 8_000


@pytest.mark.slow
@proves("price.command")
def test_stores_report_nothing_and_have_a_price(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "agent.db"
    for name in "ab":
        with Session(store, name=name, wire="openai", window=100_000) as made:
            made.add(*session(7, 20))
    for words, count in (((store,), 2), ((store, "-s", "b"), 1)):
        told = run("replay", "--price", *words, "-m", "gpt-5", "--json").json
        assert [each["rows"][0]["name"] for each in told] == ["as it was, no cache"] * count
