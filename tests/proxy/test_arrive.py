"""Arrival in the proxy: results are short when they are first sent, and nothing sent changes."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from steno.rungs import Arrive
from tests.proxy.test_proxy import CLAUDE, GPT, Between, Plain, between
from tests.proxy.test_recall import TOOLS
from tests.support.loopback import Say

pytestmark = pytest.mark.slow

LOG = "\n".join(
    f"{n * 7919 % 997} of request {chr(97 + n % 26)}{n % 7} was served" for n in range(90)
)
LONG = "\n".join(f"{chr(97 + n % 26)}{n % 11} served {n * 7919 % 99991} times" for n in range(900))
RESULTS = (LOG, "\n".join(["waiting for the port"] * 300), LOG, LONG, LOG)
SURFACES = list(TOOLS)


def round_of(surface: str, key: str, text: str, mark: bool = False) -> list[Plain]:
    """Return a call and its result."""
    if surface == "messages":
        use = {"type": "tool_use", "id": key, "name": "look", "input": {"path": key}}
        result: Plain = {"type": "tool_result", "tool_use_id": key, "content": text}
        if mark:
            result["cache_control"] = {"type": "ephemeral"}
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    arguments = json.dumps({"path": key})
    if surface == "chat":
        call = {"id": key, "type": "function", "function": {"name": "look", "arguments": arguments}}
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
        return [said, {"role": "tool", "tool_call_id": key, "content": text}]
    item = {"type": "function_call", "call_id": key, "name": "look", "arguments": arguments}
    return [item, {"type": "function_call_output", "call_id": key, "output": text}]


def send(there: Between, surface: str, talk: list[Plain], **more: Any) -> None:
    if surface == "messages":
        there.claude.messages.create(model=CLAUDE, max_tokens=99, messages=talk, **more)
    elif surface == "chat":
        there.openai.chat.completions.create(model=GPT, messages=talk, **more)
    else:
        there.openai.responses.create(model=GPT, input=talk, store=False, **more)


@pytest.mark.parametrize("surface", SURFACES)
def test_results_arrive_short_and_no_byte_changes_that_was_sent(surface: str) -> None:
    talk = [{"role": "user", "content": "Why does request q5 fail?"}]
    with between(window=200_000, recall=None, arrive=Arrive(over=1_000)) as there:
        send(there, surface, talk, tools=TOOLS[surface])
        for number, text in enumerate(RESULTS):
            talk += round_of(surface, f"call{number}", text)
            send(there, surface, talk, tools=TOOLS[surface])
        heard = there.provider.heard
        field = "input" if surface == "responses" else "messages"
        for before, after in pairwise(heard):
            sent = before.body[field]
            assert json.dumps(after.body[field][: len(sent)]) == json.dumps(sent)
            assert after.body["tools"] == before.body["tools"]
        assert json.dumps(heard[0].body["tools"]).count('"recall"') == 1
        assert heard[-1].prompt.count("the same as ") == 2
        assert "299 more equal lines" in heard[-1].prompt and "more characters" in heard[-1].prompt
        assert len(heard[-1].prompt) < len(json.dumps(talk)) / 2
        assert there.settled()["tokens_spared"] > 0


def test_what_was_left_out_can_be_recalled() -> None:
    middle = LONG.split("\n")[450]
    recalls = Say(calls=(("recall", {"positions": "2", "query": middle}),))
    talk = [
        {"role": "user", "content": "Go."},
        *round_of("messages", "a", LONG, mark=True),
    ]
    with between(
        recalls, Say("seen"), window=200_000, recall=None, arrive=Arrive(over=1_000)
    ) as there:
        send(there, "messages", talk, tools=TOOLS["messages"])
        first, second = there.provider.heard
        assert middle not in first.prompt and 'recall(positions=\\"2\\")' in first.prompt
        assert middle in second.prompt
        # The client's mark for the provider's cache stays on what is shown.
        assert first.body["messages"][-1]["content"][0]["cache_control"] == {"type": "ephemeral"}


def test_requests_without_tools_are_not_offered_recall() -> None:
    with between(window=200_000, recall=None, arrive=Arrive()) as there:
        send(there, "messages", [{"role": "user", "content": "A title for this talk?"}])
        assert "tools" not in there.provider.heard[0].body


@pytest.mark.parametrize("how", [{"recall": False}, {"tool_choice": {"type": "any"}}])
def test_without_recall_only_copies_are_left_out(how: Plain) -> None:
    talk = [{"role": "user", "content": "Go."}]
    recall = how.pop("recall", None)
    with between(window=200_000, recall=recall, arrive=Arrive(over=1_000)) as there:
        for number, text in enumerate(RESULTS):
            talk += round_of("messages", f"call{number}", text)
            send(there, "messages", talk, tools=TOOLS["messages"], **how)
        last = there.provider.heard[-1].prompt
        assert last.count("the same as ") == 2
        assert "left out" not in last


def test_after_a_restart_a_request_sent_again_goes_on_in_its_session(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "Why does request q5 fail?"}]
    sent: list[str] = []
    for rounds in ((LOG, LOG), ("", LOG)):
        with between(store=tmp_path / "a.db", recall=None, arrive=Arrive()) as there:
            for text in rounds:
                if text:
                    talk += round_of("messages", f"call{len(talk)}", text)
                send(there, "messages", talk, tools=TOOLS["messages"])
                now = list(map(json.dumps, there.provider.heard[-1].body["messages"]))
                assert now[: len(sent)] == sent
                sent = now
