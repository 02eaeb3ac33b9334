"""One agent, several conversations: told apart by what its requests themselves say.

The requests are recorded from the real agents; `source` in the fixture says how.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steno.adapters.resent import thread_table
from steno.core.events import Failed
from steno.providers.shared.surface import Reply
from steno.proxy import conversations, receipts
from steno.proxy.body import RequestBody
from steno.proxy.conversations import Conversations
from steno.proxy.origin import is_side_call, names_sub_agent, read_origin
from steno.proxy.surfaces import SURFACES, find_surface
from steno.session.options import SessionOptions
from steno.store.names import stored_name
from tests.proxy.test_logins import REQUESTS
from tests.proxy.test_proxy import Between, between
from tests.support.command_line import Run
from tests.support.loopback import Heard, Say

ANN = {"user": "ann"}
MAIN, SUB, TITLE, SAFETY = "claude-key", "claude-sub-agent", "claude-title", "claude-safety"
SESSION = REQUESTS[MAIN]["headers"]["x-claude-code-session-id"]
NAME = f"ann:claude-code-{SESSION}"


def kind_of(case: dict[str, Any]) -> str:
    surface = find_surface("POST", case["path"])
    assert surface is not None
    body = RequestBody(json.dumps(case["body"]).encode())
    request = surface.request.read(case["path"], body)
    if is_side_call(request):
        return "side call"
    return read_origin(case["headers"]).kind


@pytest.mark.parametrize("name", REQUESTS)
def test_each_recorded_request_is_of_its_kind(name: str) -> None:
    assert kind_of(REQUESTS[name]) == REQUESTS[name].get("is_of", "")


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode"])
def test_a_sub_agent_names_the_conversation_that_began_it(agent: str) -> None:
    origin = read_origin(REQUESTS[f"{agent}-sub-agent"]["headers"])
    assert origin.name.startswith(f"{origin.parent}/")
    assert names_sub_agent(stored_name("ann", origin.name))
    assert not names_sub_agent(stored_name("ann", origin.parent))


@pytest.mark.parametrize("wrong", ["../../etc", "a b", "x" * 101, ""])
def test_an_id_that_is_none_names_nothing(wrong: str) -> None:
    assert read_origin({"x-claude-code-session-id": wrong}).name == ""


def answer(heard: Heard) -> Say:
    return Say("noted", sent=1_000, said=100)


def send(there: Between, name: str, **more: Any) -> bytes:
    """Send a recorded request of Claude Code as one of the same run; return its bytes."""
    case = REQUESTS[name]
    headers = case["headers"] | {"x-claude-code-session-id": SESSION}
    raw = json.dumps(case["body"] | more, indent=1).encode()
    sent = there.http.post(f"{there.address}{case['path']}", content=raw, headers=headers)
    assert sent.status_code == 200
    there.settled()
    return raw


@pytest.mark.slow
@pytest.mark.parametrize("order", [(TITLE, MAIN, SAFETY), (MAIN, SAFETY, TITLE)])
def test_side_calls_make_no_session_and_are_billed_to_theirs(
    tmp_path: Path, run: Run, order: tuple[str, ...]
) -> None:
    store = tmp_path / "agent.db"
    with between(answer, store=store, settings=ANN, window=200_000) as there:
        raws = [send(there, name) for name in order]
        assert [heard.raw for heard in there.provider.heard] == raws
        stats = there.settled()
    assert stats["side_calls"] == 2
    assert stats["requests"] == 3
    [row] = json.loads(run("log", store, "--follow", "--json").out)
    assert row["session"] == NAME
    assert row["messages"] == 2
    assert row["bill"]["requests"] == 3
    assert row["bill"]["side_calls"] == 2
    assert row["bill"]["spent"] == pytest.approx(stats["dollars_billed"])
    assert "3 requests, 2 of them side calls:" in run("show", store).out


@pytest.mark.slow
def test_a_side_call_begins_no_session(tmp_path: Path, run: Run) -> None:
    store = tmp_path / "agent.db"
    with between(answer, store=store, settings=ANN, window=200_000) as there:
        send(there, TITLE)
        assert json.loads(run("log", store, "--bill", "session", "--json").out) == {}
        send(there, MAIN)
    # Of a conversation that is stored, and not in memory, too.
    with between(answer, store=store, settings=ANN, window=200_000) as there:
        send(there, SAFETY)
        bills = json.loads(run("log", store, "--bill", "session", "--json").out)
        assert (bills[NAME]["requests"], bills[NAME]["side_calls"]) == (3, 2)
    [row] = json.loads(run("log", store, "--follow", "--json").out)
    assert (row["session"], row["messages"]) == (NAME, 2)


def test_many_side_calls_hold_few_bills(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipts, "SESSIONS_MOST", 8)
    monkeypatch.setattr(thread_table, "THREADS_MOST", 8)
    proxy = Conversations(None, SessionOptions(window=9_000))
    for number in range(20):
        body = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "Title?"}]})
        aside = proxy.prepare(
            SURFACES[0], "", body.encode(), f"codex-{number}", "ann", by_agent=True
        )
        proxy.keep(aside, Reply([]))
    assert (len(proxy.sessions_of("ann").names), len(proxy._waiting)) == (0, 8)
    body = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}]})
    for number in range(20):
        sent = proxy.prepare(SURFACES[0], "", body.encode(), f"codex-{number}", "ann")
    assert sent.bill.side_calls == 1
    assert len(proxy.sessions_of("ann").names) == 8
    proxy.close()


def test_a_bill_of_a_side_call_that_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "WAITING_MOST", 2)
    proxy = Conversations(None, SessionOptions(window=9_000))
    body = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "Title?"}]})
    for _ in range(3):
        aside = proxy.prepare(SURFACES[0], "", body.encode(), "codex-1", "ann", by_agent=True)
        proxy.keep(aside, Reply([]))
    [said] = [event for event in proxy.sessions_of("ann").events if isinstance(event, Failed)]
    assert "a bill of 'ann:codex-1' was left out: 2 wait for it" in said.reason
    proxy.close()


@pytest.mark.slow
def test_an_empty_name_beside_an_agents_id_names_nothing(tmp_path: Path) -> None:
    case = REQUESTS[TITLE]
    headers = case["headers"] | {"steno-session": ""}
    with between(answer, settings=ANN, window=200_000) as there:
        there.http.post(f"{there.address}{case['path']}", json=case["body"], headers=headers)
        assert there.settled()["side_calls"] == 1


@pytest.mark.slow
def test_a_sub_agent_has_a_session_that_says_whose(tmp_path: Path, run: Run) -> None:
    store = tmp_path / "agent.db"
    with between(answer, store=store, settings=ANN, window=200_000) as there:
        send(there, MAIN)
        send(there, SUB)
        # The agent's own figures stay those of its own conversation.
        assert there.settled()["of_sub_agents"] == 1
        # Another sub-agent with the very same words is another one all the same.
        headers = REQUESTS[SUB]["headers"] | {"x-claude-code-session-id": SESSION}
        headers["x-claude-code-agent-id"] = "another"
        there.http.post(f"{there.address}/v1/messages", json=REQUESTS[SUB]["body"], headers=headers)
        there.settled()
    listed = run("log", store).out
    assert listed.count("sub-agent") == 2
    agent = REQUESTS[SUB]["headers"]["x-claude-code-agent-id"]
    shown = run("show", store, "--session", f"{NAME}/{agent}").out
    assert f"A sub-agent's session, begun by {NAME}"[:60] in shown
    bills = json.loads(run("log", store, "--bill", "parent", "--json").out)
    assert {name: bill["requests"] for name, bill in bills.items()} == {NAME: 3}


@pytest.mark.slow
def test_an_id_names_no_session_of_unknown_users(tmp_path: Path, run: Run) -> None:
    store = tmp_path / "agent.db"
    with between(answer, store=store, window=200_000) as there:
        send(there, MAIN)
    [row] = json.loads(run("log", store, "--follow", "--json").out)
    assert row["session"].startswith("unnamed-")


@pytest.mark.slow
def test_a_request_that_is_sent_again_is_counted(tmp_path: Path) -> None:
    with between(answer, settings=ANN, window=200_000) as there:
        send(there, MAIN)
        send(there, MAIN)
        assert there.settled()["repeated"] == 1
