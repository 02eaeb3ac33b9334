"""Definitions of tools that a session does not use are left out on request."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.proxy.test_arrive import SURFACES, round_of, send
from tests.proxy.test_proxy import between
from tests.proxy.test_recall import TOOLS

ROUNDS = 14


def tool_named(surface: str, name: str) -> dict[str, Any]:
    text = json.dumps(TOOLS[surface][0]).replace('"look"', f'"{name}"')
    return dict(json.loads(text))


@pytest.mark.parametrize("surface", SURFACES)
def test_unused_tools_go_with_a_compaction_and_used_ones_stay(surface: str) -> None:
    tools = [*TOOLS[surface], tool_named(surface, "book_seat")]
    talk = [{"role": "user", "content": "Go through the files."}]
    with between(window=8_000, recall=None, unused=4) as there:
        for number in range(ROUNDS):
            talk += round_of(surface, f"call{number}", f"line {number} of a long file\n" * 120)
            send(there, surface, talk, tools=tools)
        names = [json.dumps(heard.body["tools"]) for heard in there.provider.heard]
    assert '"book_seat"' in names[0] and '"book_seat"' not in names[-1]
    assert all('"look"' in name for name in names)
    fields = [heard.body for heard in there.provider.heard]
    key = "input" if surface == "responses" else "messages"
    for before, after in pairwise(fields):
        if ("book_seat" in str(before["tools"])) != ("book_seat" in str(after["tools"])):
            # Only where the messages change as well, so that the cache is written once.
            sent = before[key]
            assert json.dumps(after[key][: len(sent)]) != json.dumps(sent)


@pytest.mark.parametrize("more", [{"tool_choice": {"type": "tool", "name": "book_seat"}}, {}])
def test_a_tool_stays_if_the_client_demands_it_or_nothing_was_asked(more: dict[str, Any]) -> None:
    tools = [*TOOLS["messages"], tool_named("messages", "book_seat")]
    talk = [{"role": "user", "content": "Go through the files."}]
    with between(window=8_000, recall=None, unused=4 * bool(more)) as there:
        for number in range(ROUNDS):
            talk += round_of("messages", f"call{number}", f"line {number} of a file\n" * 120)
            send(there, "messages", talk, tools=tools, **more)
        assert "book_seat" in str(there.provider.heard[-1].body["tools"])


def test_a_tool_that_is_offered_later_is_not_unused() -> None:
    tools = [*TOOLS["messages"], tool_named("messages", "book_seat")]
    talk = [{"role": "user", "content": "Go through the files."}]
    with between(window=8_000, unused=4) as there:
        for number in range(ROUNDS):
            talk += round_of("messages", f"call{number}", f"line {number} of a file\n" * 120)
            if number == ROUNDS - 1:
                tools.append(tool_named("messages", "loaded_later"))
            send(there, "messages", talk, tools=tools)
        offered = str(there.provider.heard[-1].body["tools"])
    assert "loaded_later" in offered and "book_seat" not in offered


@pytest.mark.parametrize("surface", SURFACES)
def test_an_empty_list_of_tools_is_never_sent(surface: str) -> None:
    talk = [{"role": "user", "content": "Think."}]
    with between(window=8_000, unused=2) as there:
        for number in range(30):
            talk.append({"role": "assistant", "content": f"Thought {number}. " * 200})
            talk.append({"role": "user", "content": "Go on."})
            send(there, surface, talk, tools=TOOLS[surface])
        assert there.settled()["newest_compactions"]
        assert all(heard.body["tools"] for heard in there.provider.heard)
