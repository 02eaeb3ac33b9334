"""The bill: what providers document, to the cent, and the same figures wherever they are read."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest
from anthropic import BadRequestError

from steno import Session
from steno.core.events import Billed
from steno.core.log import Commit
from steno.core.model import ModelCall, Usage
from steno.inspector.conversation import load_stored
from steno.providers.bill import Bill, RequestBill, bill_request, sum_bills
from steno.proxy.receipts import Receipt, Receipts
from steno.rungs import Arrive
from steno.store.in_process import MemoryStore
from steno.store.sqlite import SQLiteStore
from tests.proxy.test_arrive import LOG, round_of, send
from tests.proxy.test_proxy import CLAUDE, Plain, ask_claude, between
from tests.proxy.test_recall import TOOLS
from tests.support.command_line import Run
from tests.support.loopback import Heard, Say, Wrong
from tests.support.sample_messages import anthropic_talk


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        # Anthropic: 50,000 tokens in and 15,000 out, without a cache, and 40,000 read from one.
        ("claude-opus-4-6", {"input_tokens": 50_000, "output_tokens": 15_000}, 0.625),
        (
            "claude-opus-4-6",
            {"input_tokens": 10_000, "cache_read_input_tokens": 40_000, "output_tokens": 15_000},
            0.445,
        ),
        # Anthropic's usage with both lifetimes of its cache: 456 tokens at 1.25, 100 at twice
        # the price of input.
        (
            "claude-sonnet-4-5",
            {
                "input_tokens": 2_048,
                "cache_read_input_tokens": 1_800,
                "cache_creation_input_tokens": 556,
                "output_tokens": 503,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": 456,
                    "ephemeral_1h_input_tokens": 100,
                },
            },
            (2_048 * 3 + 1_800 * 0.3 + 456 * 3.75 + 100 * 6 + 503 * 15) / 1e6,
        ),
        # OpenAI's guide to prompt caching: 2,006 tokens, 1,920 of them cached, 300 said.
        (
            "gpt-4o",
            {
                "prompt_tokens": 2_006,
                "completion_tokens": 300,
                "prompt_tokens_details": {"cached_tokens": 1_920},
            },
            (86 * 2.5 + 1_920 * 1.25 + 300 * 10) / 1e6,
        ),
    ],
)
def test_what_providers_document(model: str, usage: Plain, dollars: float) -> None:
    bill = bill_request(model, usage, shown=1, spared=0)
    assert bill.spent == pytest.approx(dollars, abs=1e-6)
    assert not bill.estimated


def test_an_estimate_says_so_and_summaries_are_in_the_sum() -> None:
    bill = bill_request("gpt-4o", {}, shown=1_000_000, spared=2_000_000)
    assert bill.estimated and bill.spent == 2.5 and bill.saved == 2.5
    writers = [ModelCall("openai:gpt-4o", Usage(1_000_000)), ModelCall("x", Usage(9), made=False)]
    total = sum_bills([bill, bill_request("nobody", {}, 1, 0)], writers)
    assert (total.spent, total.compaction, total.unpriced) == (5.0, 2.5, 1)
    assert "~$5.0000 spent" in total.words and "$2.5000 of it on summaries" in total.words


def answers(heard: Heard) -> Say | Wrong:
    if "refuse this" in heard.prompt:
        return Wrong(529)
    return Say("noted", sent=len(heard.prompt) // 4, said=10)


@pytest.mark.slow
def test_header_event_receipts_show_log_and_replay_agree(run: Run, tmp_path: Path) -> None:
    store, receipts = tmp_path / "agent.db", tmp_path / "receipts"
    talk: list[Plain] = [{"role": "user", "content": "Why does request q5 fail?"}]
    settings = {"user": "ann"}
    with between(
        answers,
        store=store,
        receipts=receipts,
        settings=settings,
        window=200_000,
        recall=None,
        arrive=Arrive(),
    ) as there:
        for number in range(4):
            talk += round_of("messages", f"call{number}", LOG)
            send(there, "messages", talk, tools=TOOLS["messages"])
            there.settled()
        raw = there.claude.messages.with_raw_response.create(
            model=CLAUDE, max_tokens=9, messages=talk, tools=TOOLS["messages"]
        )
        there.settled()
        refused = [*talk, {"role": "user", "content": "refuse this"}]
        with pytest.raises(Exception, match="529"):
            send(there, "messages", refused, tools=TOOLS["messages"])
        stats = there.settled()
        events = [event for event in there.events if isinstance(event, Billed)]
    session = raw.headers["steno-session"]
    lines = [json.loads(line) for line in receipts.read_text().splitlines()]
    answered = [line for line in lines if line["status"] == 200]
    assert len(events) == len(answered) == 5 and len(lines) == 6
    shown = run("show", str(store), "-s", session, "--json").json["bill"]
    logged = run("log", str(store), "-s", session, "--json").json["bill"]
    [row] = run("log", str(store), "--follow", "--json").json
    assert shown == logged == row["bill"]
    assert shown["requests"] == 5
    assert shown["spent"] == pytest.approx(stats["dollars_billed"], abs=1e-6)
    assert shown["spent"] == pytest.approx(sum(event.spent or 0 for event in events), abs=1e-6)
    # What a refused request left out was spared by nobody.
    assert shown["spared"] == stats["tokens_spared"] == sum(line["spared"] for line in answered)
    for by, name in {"session": session, "user": "ann", "agent": "Anthropic"}.items():
        assert run("log", str(store), "--bill", by, "--json").json == {name: shown}
    [key] = run("log", str(store), "--bill", "key", "--json").json
    assert len(key) == 8 and "sk-claude" not in receipts.read_text()
    [cost] = run("replay", str(store), "-s", session, "--price", "-m", CLAUDE, "--json").json
    reported = cost["rows"][0]
    assert reported["input"] + reported["output"] == pytest.approx(shown["spent"], abs=1e-6)
    header = dict(each.split("=") for each in raw.headers["steno-cost"].split())
    before = sum(map(_spent, events[:-1]))
    assert float(header["spent"]) == pytest.approx(before, abs=1e-4)
    assert int(header["whole"]) - int(header["shown"]) == answered[-1]["spared"] > 0
    page = run("show", str(store), "-s", session)
    assert "5 requests: " in page.out and "2 tool definitions: " in page.out
    tools = run("show", str(store), "-s", session, "--json").json["tools"]
    assert tools["tokens"] > 300 and tools["called"] == ["look"]
    assert run("log", str(store), "--follow").out.count(" spent") == 6


def _spent(event: Any) -> float:
    return float(event.spent or 0)


def test_a_count_of_our_own_is_marked_also_where_the_reply_was_counted() -> None:
    assert bill_request(CLAUDE, {"output_tokens": 5}, 100, 0).estimated
    assert not bill_request(CLAUDE, {"input_tokens": 90, "output_tokens": 5}, 100, 0).estimated


def test_a_bill_of_nothing() -> None:
    assert Bill().words.startswith("0 of 0 shown")


@pytest.mark.slow
def test_sub_agents_have_limits_of_their_own_and_count_for_their_parent(
    run: Run, tmp_path: Path
) -> None:
    store = tmp_path / "agent.db"
    talk = anthropic_talk(24)
    own: Any = {"explore*": {"limit": 3_000}, "*haiku*": {"policy": "thrifty"}}
    with between(answers, store=store, window=200_000, settings={"user": "ann"}, own=own) as there:
        for session, more in (
            ("main", {}),
            ("child", {"steno-agent": "explorer", "steno-parent": "main"}),
            ("asked", {"steno-policy": "2500", "steno-parent": "main"}),
        ):
            headers = {"steno-session": session, **more}
            ask_claude(there.claude, talk, extra_headers=headers)
        sizes = [len(heard.prompt) for heard in there.provider.heard]
        assert sizes[0] > 12_000 > sizes[1] > sizes[2]
        assert not {"steno-agent", "steno-parent", "steno-policy"} & set(
            there.provider.heard[1].headers
        )
        for asked in ("/etc/passwd", "0", "9" * 5_000):
            with pytest.raises(BadRequestError, match="is a number of tokens or one of"):
                ask_claude(there.claude, talk, extra_headers={"steno-policy": asked})
        there.settled()
    bills = run("log", str(store), "--bill", "parent", "--json").json
    assert list(bills) == ["ann:main"] and bills["ann:main"]["requests"] == 3
    assert run("log", str(store), "--bill", "agent", "--json").json["explorer"]["requests"] == 1
    assert "begun by ann:main" in run("show", str(store), "-s", "ann:child").out


def test_a_fork_is_not_billed_what_its_parent_was(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "agent.db"
    talk: list[Plain] = [{"role": "user", "content": "Go through the files."}]
    with between(answers, store=store, settings={"user": "ann"}) as there:
        for number in range(6):
            ask_claude(there.claude, talk, extra_headers={"steno-session": "main"})
            said = {"role": "assistant", "content": f"Read file {number}."}
            talk += [said, {"role": "user", "content": "Go on."}]
            if number == 3:
                talk[4:] = [{"role": "user", "content": "No, the other way."}]
        stats = there.settled()
    bills = run("log", str(store), "--bill", "session", "--json").json
    assert len(bills) == 2
    assert sum(bill["requests"] for bill in bills.values()) == stats["requests"] == 6
    spent = sum(bill["spent"] for bill in bills.values())
    assert spent == pytest.approx(stats["dollars_billed"])


@pytest.mark.parametrize("kind", [MemoryStore, SQLiteStore])
def test_a_fork_pays_for_its_own_summaries_alone(kind: type, tmp_path: Path) -> None:
    store = kind(tmp_path / "a.db") if kind is SQLiteStore else kind()
    asked = (ModelCall("openai:gpt-4o", Usage(1_000_000)),)
    with Session(store=store, name="main", wire="openai", window=8_000) as session:
        session.add({"role": "user", "content": "Begin."})
        store.commit("main", Commit(0, 1, "asked", asked=asked))
    store.create("fork", "openai", parent="main", fork=1)
    # At the very place of the fork, where its parent's commit stands as well.
    store.commit("fork", Commit(1, 1, "asked", asked=asked * 2))
    bills = {info.name: load_stored(store, info).bill.compaction for info in store.sessions()}
    assert bills == {"main": 2.5, "fork": 5.0}


def test_agents_with_one_id_count_for_their_own_users(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "agent.db"
    talk: list[Plain] = [{"role": "user", "content": "Go through the files."}]
    for user in ("ann", "bob"):
        with between(answers, store=store, settings={"user": user}) as there:
            for headers in ({"steno-session": "main"}, {"steno-parent": "main"}):
                ask_claude(there.claude, talk, extra_headers={"steno-session": "sub", **headers})
            there.settled()
    bills = run("log", str(store), "--bill", "parent", "--json").json
    assert {name: bill["requests"] for name, bill in bills.items()} == {
        "ann:main": 2,
        "bob:main": 2,
    }


def test_a_full_disk_leaves_no_half_receipt(tmp_path: Path) -> None:
    path = tmp_path / "receipts.jsonl"
    receipts, one = Receipts(path), Receipt("s", 200, 1, 1, 1, RequestBill())
    receipts.add(one)
    whole = path.read_bytes()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 40, before[1]))
    try:
        receipts.add(one)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == whole
    receipts.add(one)
    assert [json.loads(line)["status"] for line in path.read_text().splitlines()] == [
        one.status
    ] * 2
