"""What a provider still has in its cache is not rewritten, whatever is said and however long."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st

from steno import Policy, Session, chars_per_four
from steno.adapters.fit import Fitter
from steno.core.budget import Pressure
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.sample_messages import openai_talk

pytestmark = pytest.mark.slow


def openai_usage(lifetime: str) -> dict[str, Any]:
    written = {"cache_write_tokens_details": {f"ttl_{lifetime}_tokens": 9}}
    return {"input_tokens": 9, "input_tokens_details": written}


LIFETIMES: dict[str, tuple[str, float, Any]] = {
    "5m": ("anthropic", 300, {"cache_creation": {"ephemeral_5m_input_tokens": 9}}),
    "1h": ("anthropic", 3_600, {"cache_creation": {"ephemeral_1h_input_tokens": 9}}),
    "30m": ("openai-responses", 1_800, openai_usage("30m")),
    "12h": ("openai-responses", 43_200, openai_usage("12h")),
}
TURNS = st.lists(
    st.tuples(
        st.sampled_from([1, 20, 60]), st.sampled_from([0.0, 299.0, 400.0, 5_000.0, 50_000.0])
    ),
    min_size=12,
    max_size=40,
)
PAUSE = Policy(moment="pause")


def written(session: Session) -> str:
    """The bytes of a request, without the bracket that ends its list."""
    return json.dumps(session.messages())[:-1]


@proves("cache.kept")
@hit_rate(at_least=0.1, of="a compaction after a pause", examples=25)
@given(st.sampled_from(sorted(LIFETIMES)), TURNS)
def test_bytes_that_are_still_cached_are_rewritten_under_hard_pressure_alone(
    lifetime: str, turns: list[tuple[int, float]]
) -> None:
    wire, seconds, usage = LIFETIMES[lifetime]
    now = [0.0]
    options: dict[str, Any] = {"policy": PAUSE, "clock": lambda: now[0], "meter": chars_per_four()}
    with Session(wire=wire, window=3_000, **options) as session:
        session.add({"role": "user", "content": "Begin."}, usage={"input_tokens": 9, **usage})
        last, waited = written(session), False
        for at, (size, pause) in enumerate(turns):
            words = f"Turn {at}: " + "some words of a line. " * size
            session.add({"role": ("assistant", "user")[at % 2], "content": words})
            now[0] += pause
            hard = session.pressure is Pressure.HARD
            now_written = written(session)
            if not now_written.startswith(last):
                assert hard or pause > seconds, (at, pause)
                waited = waited or not hard
            last = now_written
        hit(waited)


@proves("cache.kept")
def test_soft_pressure_does_not_wait_once_the_cache_has_expired() -> None:
    now = [0.0]
    policy = Policy(moment="step", complexity="epic")
    options: dict[str, Any] = {"clock": lambda: now[0], "meter": chars_per_four()}
    with Session(wire="openai", window=3_000, policy=policy, **options) as session:
        for message in openai_talk(60):
            session.add(message)
            if session.pressure is Pressure.SOFT and message["role"] == "tool":
                break
            session.messages()
        session.messages()
        assert session.pressure is Pressure.SOFT and not session.log.commits
        now[0] += 10_000
        session.messages()
        assert session.log.commits


def _turn(wire: str, n: int, lines: int) -> list[dict[str, Any]]:
    text = "".join(f"line {line} of part {n}\n" for line in range(lines))
    if wire == "openai":
        function = {"name": "read", "arguments": json.dumps({"path": f"p{n}.py"})}
        call = {"id": f"c{n}", "type": "function", "function": function}
        return [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": text},
        ]
    use = {"type": "tool_use", "id": f"c{n}", "name": "read", "input": {"path": f"p{n}.py"}}
    result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": text}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


POLICIES = ["default", "thrifty", "roomy", "researcher", "tiers", "lab", "supervisor"]


@proves("cache.kept")
@hit_rate(at_least=0.5, of="a commit between two requests", examples=25)
@given(
    st.sampled_from(POLICIES),
    st.sampled_from(["openai", "anthropic"]),
    st.booleans(),
    st.lists(st.sampled_from([1, 20, 60, 200]), min_size=20, max_size=30),
)
def test_between_two_commits_each_request_begins_with_the_one_before(
    policy: str, wire: str, fits: bool, sizes: list[int]
) -> None:
    options: dict[str, Any] = {"wire": wire, "window": 4_000, "policy": policy}
    talk: list[dict[str, Any]] = [{"role": "user", "content": "Begin. Never change t1."}]
    fitter, session = Fitter(user="ann", **options), Session(system="Be brief.", **options)
    session.add(*talk)
    before, commits = "", 0
    for n, lines in enumerate(sizes):
        new = _turn(wire, n, lines)
        if n % 5 == 4:
            asked = {"role": "user", "content": f"Do step {n}."}
            new = [*new, {"role": "assistant", "content": "Done."}, asked]
        talk += new
        if fits:
            fitted = fitter.fit(list(talk), session="s")
            sent, now = json.dumps(list(fitted))[:-1], len(fitted.session.log.commits)
        else:
            session.add(*new)
            request = session.request()
            body = request.pop("messages")
            sent, now = json.dumps([request, *body])[:-1], len(session.log.commits)
        if now == commits:
            assert sent.startswith(before)
        before, commits = sent, now
    hit(commits > 0)
