"""Requests to compact, as both SDKs send them, answered by the proxy for any model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from anthropic import BadRequestError
from openai import BadRequestError as OpenAIRefused

import steno
from steno.proxy.compaction import ITEM_KIND, MARK
from tests.proxy.test_proxy import CLAUDE, GPT, WINDOW, Between, Plain, as_items, between
from tests.support import legal, legal_responses
from tests.support.sample_messages import anthropic_talk, openai_talk

pytestmark = pytest.mark.slow

ASKED = "Find the slow query. Never touch production."
NEXT = {"role": "user", "content": "and now?"}
WAYS = ["compact", "trigger", "trigger, streamed", "messages", "messages, streamed"]


def ask_to_compact(there: Between, way: str, talk: list[Plain]) -> list[Plain]:
    """Return what the client goes on with."""
    if way == "compact":
        done = there.openai.responses.compact(model=GPT, input=talk)
        assert done.object == "response.compaction"
        return [item.to_dict() for item in done.output]
    if way.startswith("trigger"):
        asked: Plain = {"model": GPT, "input": [*talk, {"type": "compaction_trigger"}]}
        if way == "trigger":
            response = there.openai.responses.create(**asked)
        else:
            with there.openai.responses.stream(**asked) as stream:
                response = stream.get_final_response()
        assert response.status == "completed"
        return [item.to_dict() for item in response.output]
    wanted: Plain = {
        "model": CLAUDE,
        "max_tokens": 99,
        "messages": talk,
        "compaction": {"type": "summarize"},
    }
    if way == "messages":
        message = there.claude.beta.messages.create(**wanted)
    else:
        with there.claude.beta.messages.stream(**wanted) as events:
            message = events.get_final_message()
    assert message.stop_reason == "compaction"
    return [{"role": "assistant", "content": [block.to_dict() for block in message.content]}]


def go_on(there: Between, way: str, talk: list[Plain]) -> str:
    """Send a list; return the name of its session."""
    if way.startswith("messages"):
        raw = there.claude.beta.messages.with_raw_response.create(
            model=CLAUDE, max_tokens=99, messages=talk
        )
        return raw.headers["steno-session"]
    answer = there.openai.responses.with_raw_response.create(model=GPT, input=talk, store=False)
    return answer.headers["steno-session"]


def talk_for(way: str) -> list[Plain]:
    if way.startswith("messages"):
        return anthropic_talk(20)
    return as_items(openai_talk(20))


@pytest.mark.parametrize("way", WAYS)
def test_a_compaction_is_answered_here_and_opened_when_it_comes_back(
    way: str, tmp_path: Path
) -> None:
    talk = talk_for(way)
    judge: Any = legal_responses.openai_responses
    if way.startswith("messages"):
        judge = legal.anthropic
    with between(store=tmp_path / "agent.db", compacts=True, window=40_000) as there:
        [item] = ask_to_compact(there, way, talk)
        assert there.provider.heard == []
        sealed = json.dumps(item)
        assert MARK in sealed
        # What it stands for is not in it.
        assert "query" not in sealed
        name = go_on(there, way, [item, NEXT])
        heard = there.provider.heard[-1]
        assert judge(heard.body) == []
        assert ASKED in heard.prompt
        assert MARK not in heard.prompt
        assert len(heard.prompt) < len(json.dumps(talk)) / 2
    # After a restart, with people's words that the client kept before the item.
    with between(store=tmp_path / "agent.db", compacts=True, window=40_000) as there:
        kept = [item, NEXT, {"role": "assistant", "content": "noted"}, NEXT]
        if not way.startswith("messages"):
            kept = [talk[0], *kept]
        assert go_on(there, way, kept) == name
        assert MARK not in there.provider.heard[-1].prompt
        kept.insert(kept.index(item), item)
        assert go_on(there, way, kept) == name
        assert MARK not in there.provider.heard[-1].prompt
        assert there.provider.heard[-1].prompt.count(ASKED) == heard.prompt.count(ASKED)
    session = steno.Session(tmp_path / "agent.db", name=name, window=WINDOW)
    assert session.log.messages[0].text == ASKED
    assert session.recall("row 3 of the table").hits


def an_edit(tokens: int, **more: Any) -> Plain:
    trigger = {"type": "input_tokens", "value": tokens}
    return {"edits": [{"type": "compact_20260112", "trigger": trigger, **more}]}


def test_an_edit_that_compacts_is_done_here() -> None:
    with between(compacts=True, window=40_000) as there:
        talk = anthropic_talk(20)
        there.claude.beta.messages.create(
            model=CLAUDE, max_tokens=9, messages=talk, context_management=an_edit(1)
        )
        heard = there.provider.heard[-1]
        assert "context_management" not in heard.body
        assert len(heard.prompt) < len(json.dumps(talk)) / 2
        # Whoever sends the same list and asks for nothing may be somebody else.
        there.claude.messages.create(model=CLAUDE, max_tokens=9, messages=talk)
        assert there.provider.heard[-1].body["messages"] == talk


def test_an_edit_that_pauses_gives_its_client_the_compaction_first() -> None:
    with between(compacts=True, window=40_000) as there:
        talk = anthropic_talk(20)

        def ask(said: list[Plain], tokens: int) -> Any:
            return there.claude.beta.messages.create(
                model=CLAUDE,
                max_tokens=9,
                messages=said,
                context_management=an_edit(tokens, pause_after_compaction=True),
            )

        assert ask(talk[:1], 1_000).stop_reason != "compaction"
        sent = len(there.provider.heard)
        paused = ask(talk, 1_000)
        assert paused.stop_reason == "compaction"
        assert len(there.provider.heard) == sent
        block = {"role": "assistant", "content": [one.to_dict() for one in paused.content]}
        # There is nothing left to compact, so the model answers, however low the trigger.
        assert ask([block, NEXT], 1).stop_reason != "compaction"
        heard = there.provider.heard[-1]
        assert "context_management" not in heard.body
        assert ASKED in heard.prompt
        assert len(heard.prompt) < len(json.dumps(talk)) / 2


def test_without_the_option_the_provider_is_asked() -> None:
    with between(window=40_000) as there:
        body = {"model": GPT, "input": "go", "odd": 1}
        direct = there.http.post(f"{there.provider.openai}/responses/compact", json=body)
        through = there.http.post(f"{there.address}/v1/responses/compact", json=body)
        assert (through.status_code, through.content) == (direct.status_code, direct.content)
        edits = {"edits": [{"type": "compact_20260112"}]}
        there.claude.beta.messages.create(
            model=CLAUDE, max_tokens=9, messages=[NEXT], context_management=edits
        )
        assert there.provider.heard[-1].body["context_management"] == edits


def test_an_item_that_cannot_be_opened_here_is_refused_and_says_so() -> None:
    with between(compacts=True) as there:
        foreign = f"{MARK}0123abcd.4567"
        block = {"type": "compaction", "content": "x", "encrypted_content": foreign}
        with pytest.raises(BadRequestError, match="not made by a proxy over this store"):
            go_on(there, "messages", [{"role": "assistant", "content": [block]}, NEXT])
        assert there.provider.heard == []
        # A provider's own goes to the provider.
        own = [block | {"encrypted_content": "EpQBc2Vh"}]
        go_on(there, "messages", [{"role": "assistant", "content": own}, NEXT])
        assert there.provider.heard[-1].body["messages"][0]["content"] == own


def test_another_users_item_is_refused() -> None:
    with between(compacts=True) as there:
        [item] = ask_to_compact(there, "messages", anthropic_talk(4))
        client = there.claude.with_options(default_headers={"steno-user": "ann"})
        with pytest.raises(BadRequestError, match="for this user"):
            client.beta.messages.create(model=CLAUDE, max_tokens=9, messages=[item, NEXT])


def test_an_item_is_opened_by_its_own_token_alone(tmp_path: Path) -> None:
    # Redacted: a random token must not be taken for a secret.
    with between(store=tmp_path / "agent.db", compacts=True, window=40_000, redact=True) as there:
        [item] = ask_to_compact(there, "compact", talk_for("compact"))
        [other] = ask_to_compact(there, "compact", talk_for("compact"))
        assert item["encrypted_content"] != other["encrypted_content"]
        name = go_on(there, "compact", [item, NEXT])
        session = steno.Session(tmp_path / "agent.db", name=name, window=WINDOW, redact=True)
        assert len(session.host.records.of(ITEM_KIND)) == 2
        text = item["encrypted_content"]
        for changed in (f"{text}0", text[:-1], text.rpartition(".")[0], MARK, f"{MARK}é"):
            with pytest.raises(OpenAIRefused, match="not made by a proxy over this store"):
                go_on(there, "compact", [item | {"encrypted_content": changed}, NEXT])
