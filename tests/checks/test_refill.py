"""What fills the window again after each compaction is named, and not compacted over and over."""

from __future__ import annotations

import json
from typing import Any

import pytest

import steno
from tests.support import legal
from tests.support.promises import proves

MANUAL = "\n".join(f"page {n}: turn the wheel {n} times, then wait" for n in range(300))


def read(n: int, path: str, text: str) -> list[dict[str, Any]]:
    function = {"name": "Read", "arguments": json.dumps({"file_path": path})}
    calls = [{"id": f"r{n}", "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": f"r{n}", "content": text},
    ]


def reading(rounds: int, *, same: bool) -> steno.Session:
    """A session in which the agent reads a manual, the same one or others, and works a little."""
    policy = steno.Policy(moment="now")
    session = steno.Session(wire="openai", window=12_000, policy=policy)
    session.add({"role": "user", "content": "Follow the manual."})
    for n in range(rounds):
        path = "manual.md" if same else f"manual_{n}.md"
        text = MANUAL if same else MANUAL.replace("wheel", f"wheel of part {n}")
        session.add(*read(2 * n, path, text))
        session.messages()
        session.add(*read(2 * n + 1, f"note_{n}.md", f"note {n}\n" * 60))
        assert legal.openai_chat({"messages": session.messages()}) == []
        assert session.load <= session.budget.usable
    return session


def refills(session: steno.Session) -> list[str]:
    """Why soft pressure did not compact, where one thing filled the window again."""
    reasons = [each.reason for each in session.events if isinstance(each, steno.events.Skipped)]
    return [reason for reason in reasons if "filled the window" in reason]


@proves("view.refill")
def test_the_same_large_thing_is_named_and_not_compacted_over_and_over() -> None:
    session = reading(12, same=True)
    named = refills(session)
    assert named
    places = {reason.partition("tokens at ")[2].partition(" ")[0].strip("[]") for reason in named}
    assert all("Read message of " in reason for reason in named)
    assert all(session.log.messages[int(place)].results for place in places)
    findings = [found for commit in session.log.commits for found in commit.findings]
    refilled = [found for found in findings if found.check == "window_is_not_refilled"]
    assert refilled and all("Read message of " in found.what for found in refilled)


@proves("view.refill")
def test_other_large_things_are_compacted_as_before() -> None:
    session = reading(12, same=False)
    assert refills(session) == []
    assert session.log.commits


def test_a_refill_that_is_not_noticed_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steno.session.landing.find_refill", lambda commits, view: None)
    with pytest.raises(AssertionError):
        test_the_same_large_thing_is_named_and_not_compacted_over_and_over()
