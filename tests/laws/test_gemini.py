"""What Gemini's contents must keep to: the results of a turn's calls stand in the next content."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from steno import Session, chars_per_four
from steno.adapters.fit import Fitter
from tests.support.converse_server import gemini_problems
from tests.support.promises import given, hit, hit_rate, proves

pytestmark = pytest.mark.slow

Plain = dict[str, Any]
STEPS = st.lists(
    st.fixed_dictionaries(
        {
            "names": st.lists(st.sampled_from(["read", "grep"]), min_size=1, max_size=3),
            "with_ids": st.booleans(),
            "missing": st.sets(st.integers(0, 2), max_size=2),
            "split": st.booleans(),
            "words": st.sampled_from(["apart", "beside", "model", ""]),
            "lines": st.sampled_from([20, 60]),
        }
    ),
    min_size=10,
    max_size=20,
)


def content(role: str, *parts: Plain | str) -> Plain:
    return {"role": role, "parts": [{"text": p} if isinstance(p, str) else p for p in parts]}


def step(at: int, how: Plain) -> list[Plain]:
    """Return a batch of calls and what follows it: results may be missing, or stand apart."""
    calls: list[Plain] = []
    results: list[Plain] = []
    for n, name in enumerate(how["names"]):
        own: Plain = {"name": name}
        if how["with_ids"]:
            own["id"] = f"c{at}-{n}"
        calls.append({"functionCall": own | {"args": {"n": n}}})
        text = f"line of step {at}.{n}\n" * how["lines"]
        if n not in how["missing"]:
            results.append({"functionResponse": own | {"response": {"output": text}}})
    calls[0]["thoughtSignature"] = "c2ln"
    made = [content("model", *calls)]
    if results and how["split"]:
        made += [content("user", result) for result in results]
    elif results:
        made.append(content("user", *results))
    if how["words"] == "model":
        return [*made, content("model", f"Said {at}."), content("user", f"Next is {at}.")]
    if how["words"] == "beside" and results:
        made[-1]["parts"].append({"text": f"Go on with {at}."})
    elif how["words"] or len(results) < len(calls):
        made.append(content("user", f"Go on with {at}."))
    return made


@proves("view.legal")
@hit_rate(at_least=0.6, of="a commit beside a broken batch", examples=60)
@given(STEPS, st.booleans())
def test_a_turns_results_stay_in_the_content_after_its_calls(
    steps: list[Plain], fits: bool
) -> None:
    options: dict[str, Any] = {"wire": "gemini", "window": 3_000, "meter": chars_per_four()}
    session, fitter = Session(**options), Fitter(user="ann", **options)
    talk = [content("user", "Fix the login. Never push to main.")]
    session.add(*talk)
    for at, how in enumerate(steps):
        new = step(at, how)
        talk += new
        if fits:
            fitted = fitter.fit(list(talk), session="s")
            session, sent = fitted.session, list(fitted)
        else:
            session.add(*new)
            sent = session.request()["contents"]
        assert list(gemini_problems({"contents": sent})) == []
    hit(session.log.commits and any(how["missing"] for how in steps))


@proves("wire.identity")
@given(STEPS)
def test_contents_in_which_all_calls_are_answered_go_out_as_they_came(steps: list[Plain]) -> None:
    talk = [content("user", "Fix the login.")]
    for at, how in enumerate(steps):
        words = "apart" if how["words"] == "model" else how["words"]
        talk += step(at, how | {"missing": set(), "split": False, "words": words})
    fitted = Fitter(user="ann", wire="gemini", window=1_000_000).fit(talk)

    assert len(fitted) == len(talk)
    assert all(sent is said for sent, said in zip(fitted, talk, strict=True))
