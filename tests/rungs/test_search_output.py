"""What searches found shrinks after what was read, not before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

import steno
from steno.core.log import Edit
from steno.summary.shorten import shorten_results
from tests.support.promises import proves

LONG = "\n".join(f"src/part_{n}.py:{n}: def handle_{n}(order: Order) -> None:" for n in range(150))
ORDERS = [("Grep", "Read", "Grep", "Read"), ("Read", "Grep", "Read", "Grep")]
SHELL = ("Bash", "Read", "Bash", "Read")


def call(n: int, tool: str) -> list[dict[str, Any]]:
    arguments = {"file_path": f"src/f{n}.py"}
    if tool == "Grep":
        arguments = {"pattern": f"handle_{n}"}
    elif tool == "Bash":
        arguments = {"command": f"grep -rn handle_{n} src"}
    function = {"name": tool, "arguments": json.dumps(arguments)}
    calls = [{"id": f"s{n}", "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": f"s{n}", "content": LONG},
    ]


def draft_of(order: tuple[str, ...]) -> Any:
    """A draft under hard pressure of a session that called these tools, and one more."""
    policy = steno.Policy(goal=0.7, hard=0.90, tail=steno.tails.Share(0.1))
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Who handles orders?"}]
    for n, tool in enumerate((*order, "Read")):
        messages += call(n, tool)
    wide = steno.Session(wire="openai", window=1_000_000)
    wide.add(*messages)
    window = int(wide.load / 0.95)
    session = steno.Session(wire="openai", window=window, reserve=0, policy=policy)
    session.add(*messages)
    return session._parts.journal.draft("hard")


def tools_of(edits: Iterable[Edit], order: tuple[str, ...]) -> set[str]:
    """The tools whose results these edits shorten."""
    return {(*order, "Read")[edit.span.start // 2 - 1] for edit in edits}


@proves("offload.search")
@pytest.mark.parametrize("order", [*ORDERS, SHELL])
def test_reads_shrink_before_searches(order: tuple[str, ...]) -> None:
    draft = draft_of(order)
    offloaded = [edit for each in steno.rungs.Offload().edit(draft, ()) for edit in each.edits]
    assert tools_of(offloaded, order) == {"Read"}
    cut, _ = shorten_results(draft, list(draft.view.items), 3_000)
    assert tools_of(cut, order) == {"Read"}


@proves("offload.search")
@pytest.mark.parametrize("order", ORDERS)
def test_searches_shrink_too_when_reads_are_not_enough(order: tuple[str, ...]) -> None:
    draft = draft_of(order)
    all_of_it = sum(item.tokens for item in draft.view.items)
    cut, _ = shorten_results(draft, list(draft.view.items), all_of_it * 0.9)
    assert tools_of(cut, order) == {"Read", "Grep"}


def test_searches_that_shrink_first_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steno.rungs.offload.is_search_result", lambda *given: False)
    with pytest.raises(AssertionError):
        test_reads_shrink_before_searches(ORDERS[0])
