"""Reports call hidden facts recallable only if the model has a tool to read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.checks.kept import report_facts
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

RECALL = {"type": "function", "function": {"name": "recall", "parameters": {"type": "object"}}}
OTHER = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}


def talk() -> list[dict[str, Any]]:
    return openai_talk(60)


def reported(commits: Any) -> tuple[int, int]:
    """How many facts are recallable, and how many are hidden, by all reports."""
    reports = [commit.report for commit in commits if commit.report is not None]
    assert reports
    return sum(each.recallable for each in reports), sum(each.hidden for each in reports)


@proves("facts.recallable")
@pytest.mark.parametrize("tools", [None, [OTHER]], ids=["none", "others"])
def test_without_a_recall_tool_facts_are_not_shown(tools: Any) -> None:
    result = steno.compact(talk(), window=6_000, tools=tools)
    recallable, hidden = reported(result.commits)
    assert recallable == 0 and hidden > 0
    assert "no tool to read them" in str(result.messages)


@proves("facts.recallable")
@pytest.mark.parametrize("way", ["compact", "request", "handed out"])
def test_with_a_recall_tool_facts_are_recallable(way: str) -> None:
    if way == "compact":
        commits = steno.compact(talk(), window=6_000, tools=[OTHER, RECALL]).commits
    else:
        session = steno.Session(wire="openai", window=6_000)
        session.add(*talk())
        if way == "request":
            session.request(tools=session.tools())
        else:
            session.tools()
            session.messages()
        commits = tuple(session.log.commits)
        assert "call recall with its positions" in str(session.messages())
    recallable, hidden = reported(commits)
    assert recallable > 0 and hidden == 0


@proves("facts.recallable")
def test_the_command_says_not_shown(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(talk()))
    said = " ".join(run("constraints", str(file), "--window", "6000").out.split())
    assert "not shown" in said and "recallable" not in said


@proves("facts.recallable")
def test_a_report_that_promises_recall_always_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def promises(before: Any, after: Any, ledger: Any, recall: str = "") -> Any:
        return report_facts(before, after, ledger, "recall")

    monkeypatch.setattr("steno.engine.compact.report_facts", promises)
    with pytest.raises(AssertionError):
        test_without_a_recall_tool_facts_are_not_shown(None)
