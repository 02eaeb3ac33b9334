"""What providers say of their own edits and caches, by the real SDKs, becomes events and prices."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import OpenAI

import steno
from steno import Session
from steno.adapters.wrap import sessions
from steno.agent import ReactLoop
from steno.core.budget import Pressure
from steno.core.events import CacheMissed, Event, ProviderEdited, Skipped
from steno.core.price import Prices
from steno.meters.catalog import model_prices
from steno.models import Anthropic as AnthropicModel
from steno.providers.bill import bill_request
from steno.providers.shared.provider_report import written_for
from tests.proxy.test_proxy import between
from tests.support.loopback import Garbage, Loopback

HELLO: Any = [{"role": "user", "content": "hello there " * 300}]
CLAUDE_REPLY: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5",
    "content": [{"type": "text", "text": "done"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 20, "output_tokens": 3},
}
RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5.6",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "usage": {
        "input_tokens": 620,
        "output_tokens": 3,
        "total_tokens": 623,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 600},
        "output_tokens_details": {"reasoning_tokens": 0},
    },
}


def told(events: list[Event]) -> list[tuple[Any, ...]]:
    """What the provider said of its own doing, in order."""
    kept: list[tuple[Any, ...]] = []
    for event in events:
        match event:
            case ProviderEdited(kind=kind, count=count, tokens=tokens):
                kept.append((kind, count, tokens))
            case CacheMissed(reason=reason, tokens=tokens):
                kept.append((reason, tokens))
    return kept


def test_edits_of_anthropics_and_its_cache_are_told_and_not_taken_for_our_count() -> None:
    reply = CLAUDE_REPLY | {
        "context_management": {
            "applied_edits": [
                {
                    "type": "clear_tool_uses_20250919",
                    "cleared_tool_uses": 8,
                    "cleared_input_tokens": 50_000,
                },
            ]
        },
        "input_transformations": [{"type": "thinking_dropped", "message_index": 1}],
        "diagnostics": {
            "cache_miss_reason": {"type": "tools_changed", "cache_missed_input_tokens": 4_000}
        },
        "usage": CLAUDE_REPLY["usage"]
        | {"iterations": [{"type": "compaction", "input_tokens": 900, "output_tokens": 80}]},
    }
    events: list[Event] = []
    with Loopback(Garbage(json.dumps(reply)), Garbage(json.dumps(CLAUDE_REPLY))) as server:
        client = steno.wrap(
            Anthropic(api_key="any", base_url=server.anthropic, max_retries=0),
            window=100_000,
            on_event=events.append,
        )
        client.beta.messages.create(model="claude-opus-5", max_tokens=9, messages=HELLO)
        client.beta.messages.create(
            model="claude-opus-5",
            max_tokens=9,
            messages=[*HELLO, {"role": "assistant", "content": "done"}, *HELLO],
        )
        session = sessions(client).newest
        # 20 tokens were billed for what the provider had left of it: our meter stays as it is.
        assert session._parts.journal.view.meter.ratio == 1.0
        client.close()
    assert told(events) == [
        ("clear_tool_uses_20250919", 8, 50_000),
        ("thinking_dropped", 0, 0),
        ("compaction", 0, 900),
        ("tools_changed", 4_000),
    ]


def test_what_the_provider_clears_presses_no_more_until_a_commit() -> None:
    with Session(wire="anthropic", window=4_000) as session:
        session.add(*HELLO, {"role": "assistant", "content": "Read on. " * 900}, *HELLO)
        journal, sending, load = session._parts.journal, session._parts.sending, session.load
        assert session.pressure is not Pressure.NONE
        assert sending.hear_provider([ProviderEdited("clear_tool_uses_20250919", 8, 2_500)])
        assert session.load == load - 2_500 and session.pressure is Pressure.NONE
        # A draft counts what is there: once covered, it will not be cleared again.
        assert journal.draft("asked").load == load
        session.compact()
        assert session.log.commits and session.load == journal.draft("asked").load
        # A compaction took nothing out of the view that we send.
        assert sending.hear_provider([ProviderEdited("compaction", 0, 900)])
        assert journal.cleared_tokens == 0 and not sending.hear_provider([])


def test_what_was_cleared_from_a_request_before_a_commit_says_nothing_of_the_next() -> None:
    cleared = [ProviderEdited("clear_tool_uses_20250919", 8, 1_000)]
    with Session(wire="anthropic", window=8_000) as session:
        session.add(*HELLO, {"role": "assistant", "content": "Read on. " * 900}, *HELLO)
        journal = session._parts.journal
        for commit in (session.compact, session.undo):
            session.request()
            session._parts.sending.hear_provider(cleared)
            assert session.load == journal.draft("asked").load - 1_000
            session.request()
            assert commit()
            # The reply to a request that was sent before the commit.
            session._parts.sending.hear_provider(cleared)
            assert session.load == journal.draft("asked").load > 0


def test_a_missed_cache_of_openais_is_told() -> None:
    reply = RESPONSE | {
        "prompt_cache_diagnostics": {
            "type": "cache_miss",
            "reason": "input_changed",
            "cache_missed_tokens": 512,
        }
    }
    events: list[Event] = []
    with Loopback(Garbage(json.dumps(reply)), Garbage(json.dumps(RESPONSE))) as server:
        client = steno.wrap(
            OpenAI(api_key="any", base_url=server.openai, max_retries=0),
            window=100_000,
            on_event=events.append,
        )
        for _ in range(2):
            client.responses.create(model="gpt-5.6", input=HELLO, store=False)
        client.close()
    assert told(events) == [("input_changed", 512)]


USAGES = [
    ({"input_tokens": 9, "cache_creation": {"ephemeral_5m_input_tokens": 40}}, "5m"),
    (
        {
            "input_tokens": 9,
            "cache_creation": {"ephemeral_5m_input_tokens": 40, "ephemeral_1h_input_tokens": 9},
        },
        "1h",
    ),
    (
        {
            "input_tokens": 9,
            "input_tokens_details": {
                "cache_write_tokens_details": {"ttl_12h_tokens": 700, "ttl_30m_tokens": 0}
            },
        },
        "12h",
    ),
    ({"input_tokens": 9}, None),
    (9, None),
]


@pytest.mark.parametrize(("usage", "lifetime"), USAGES)
def test_how_long_a_cache_is_kept_is_read_from_usage(usage: Any, lifetime: str | None) -> None:
    assert written_for(usage) == lifetime
    with Session(wire="anthropic", window=9_000) as session:
        session.add(*HELLO, usage=usage)
        assert session._parts.sending.cache_lifetime == lifetime


COMPACTED = {
    "input_tokens": 220,
    "output_tokens": 8,
    "iterations": [
        {"type": "compaction", "input_tokens": 100, "cache_creation_input_tokens": 50_000}
        | {"output_tokens": 125},
        {"type": "message", "input_tokens": 220, "output_tokens": 8},
    ],
}


def test_what_a_provider_counted_after_its_own_compaction_teaches_no_meter() -> None:
    with Session(wire="anthropic", window=90_000) as session:
        session.add(*HELLO * 20)
        session.request()
        before = session.load
        session.add({"role": "assistant", "content": "done"}, usage=COMPACTED)
        assert session.load >= before


def test_a_receipt_and_a_price_hold_the_providers_own_compaction() -> None:
    """Of what was sent and said, and of writing to a cache for an hour."""
    assert bill_request("claude-sonnet-4-5", COMPACTED, 0, 0).spent == pytest.approx(
        (3 * 320 + 3.75 * 50_000 + 15 * 133) / 1e6, abs=1e-6
    )
    creation = {"ephemeral_1h_input_tokens": 1_000, "ephemeral_5m_input_tokens": 0}
    written = {"cache_creation_input_tokens": 1_000, "cache_creation": creation}
    assert bill_request("claude-sonnet-4-5", written, 0, 0).spent == pytest.approx(0.006)


def test_writing_for_longer_costs_more_where_it_costs_at_all() -> None:
    claude, gpt, older = map(model_prices, ("claude-sonnet-4-5", "gpt-5.6", "gpt-5"))
    assert claude.kept_for(None) == claude and claude.lifetime == 300
    assert claude.kept_for("1h") == Prices(0.3, 6.0, 3.0, 15.0, 3_600.0)
    assert (gpt.write, gpt.lifetime) == (5.0, 1_800.0)
    assert gpt.kept_for("12h").lifetime == 43_200 and gpt.kept_for("12h").write == gpt.write
    assert older.kept_for("12h").write == older.input


def test_where_the_provider_is_asked_to_compact_steno_does_not() -> None:
    long = [
        {"role": ("user", "assistant")[n % 2], "content": f"{n}: " + "x y " * 300}
        for n in range(31)
    ]
    events: list[Event] = []
    with Loopback(
        *[Garbage(json.dumps(CLAUDE_REPLY))] * 3, Garbage(json.dumps(RESPONSE))
    ) as server:
        claude: Any = steno.wrap(
            Anthropic(api_key="any", base_url=server.anthropic, max_retries=0),
            window=4_000,
            on_event=events.append,
        )
        ask = {"model": "claude-opus-5", "max_tokens": 9, "messages": long}
        edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 60_000}}
        claude.beta.messages.create(**ask, context_management={"edits": [edit]})
        claude.beta.messages.create(**ask, compaction={"type": "summarize"})
        # Clearing old results is no compaction: both may do their part.
        clear = {"type": "clear_tool_uses_20250919"}
        claude.beta.messages.create(**ask, context_management={"edits": [clear]})
        gpt: Any = steno.wrap(
            OpenAI(api_key="any", base_url=server.openai, max_retries=0),
            window=4_000,
            on_event=events.append,
        )
        managed = [{"type": "compaction", "compact_threshold": 60_000}]
        gpt.responses.create(model="gpt-5.6", input=long, store=False, context_management=managed)
        claude.close()
        gpt.close()
    sent = [heard.body.get("messages") or heard.body["input"] for heard in server.heard]
    assert [each == long for each in sent] == [True, True, False, True]
    skipped = [event for event in events if isinstance(event, Skipped)]
    assert len(skipped) == 3 and "has the provider compact" in skipped[0].reason


def streamed(*events: dict[str, Any]) -> Garbage:
    """A stream of these events, as both providers write one."""
    lines = [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events]
    return Garbage("".join(lines), "text/event-stream")


EDIT = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 8, "cleared_input_tokens": 500}
MISS = {"cache_miss_reason": {"type": "tools_changed", "cache_missed_input_tokens": 40}}
CLAUDE_STREAM = streamed(
    {
        "type": "message_start",
        "message": CLAUDE_REPLY | {"content": [], "stop_reason": None, "diagnostics": MISS},
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "done"},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 3, "input_tokens": None},
        "context_management": {"applied_edits": [EDIT]},
    },
    {"type": "message_stop"},
)
ASKED: dict[str, Any] = {"model": "claude-opus-5", "max_tokens": 9, "messages": HELLO}


def by_wrap(server: Loopback, on_event: Callable[[Event], None]) -> None:
    client = steno.wrap(
        Anthropic(api_key="any", base_url=server.anthropic, max_retries=0),
        window=100_000,
        on_event=on_event,
    )
    with client.beta.messages.stream(**ASKED) as stream:
        assert stream.get_final_text() == "done"
    client.close()


def by_async_wrap(server: Loopback, on_event: Callable[[Event], None]) -> None:
    async def ask() -> None:
        client = steno.wrap(
            AsyncAnthropic(api_key="any", base_url=server.anthropic, max_retries=0),
            window=100_000,
            on_event=on_event,
        )
        kinds = [
            each.type async for each in await client.beta.messages.create(**ASKED, stream=True)
        ]
        assert kinds[0] == "message_start" and kinds[-1] == "message_stop"
        await client.close()

    asyncio.run(ask())


def by_agent(server: Loopback, on_event: Callable[[Event], None]) -> None:
    with (
        AnthropicModel("claude-opus-5", key="any", url=server.anthropic) as model,
        Session(wire="anthropic", window=100_000, on_event=on_event) as session,
    ):
        list(ReactLoop(model).run("hello", session))


@pytest.mark.parametrize("way", [by_wrap, by_async_wrap, by_agent])
def test_a_stream_tells_what_a_whole_reply_tells(way: Callable[..., None]) -> None:
    events: list[Event] = []
    with Loopback(CLAUDE_STREAM) as server:
        way(server, events.append)
    assert told(events) == [("clear_tool_uses_20250919", 8, 500), ("tools_changed", 40)]


@pytest.mark.slow
def test_the_proxy_tells_what_passes_through_it() -> None:
    whole = CLAUDE_REPLY | {"context_management": {"applied_edits": [EDIT]}, "diagnostics": MISS}
    with between(CLAUDE_STREAM, Garbage(json.dumps(whole))) as there:
        list(there.claude.beta.messages.create(**ASKED, stream=True))
        there.claude.beta.messages.create(**ASKED)
        there.settled()
        assert told(there.events) == 2 * [
            ("clear_tool_uses_20250919", 8, 500),
            ("tools_changed", 40),
        ]


@pytest.mark.slow
def test_a_stream_of_openais_tells_its_usage_and_its_cache() -> None:
    diagnosed = {"type": "cache_miss", "reason": "input_changed", "cache_missed_tokens": 512}
    last = RESPONSE | {"status": "completed", "prompt_cache_diagnostics": diagnosed}
    events: list[Event] = []
    with Loopback(streamed({"type": "response.completed", "response": last})) as server:
        client = steno.wrap(
            OpenAI(api_key="any", base_url=server.openai, max_retries=0),
            window=100_000,
            on_event=events.append,
        )
        list(client.responses.create(model="gpt-5.6", input=HELLO, store=False, stream=True))
        [thread] = sessions(client)._table.by_name.values()
        assert thread.usage["input_tokens"] == 620
        client.close()
    assert told(events) == [("input_changed", 512)]
