"""The provider's own count corrects a meter, by the real SDKs; the same request is asked once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steno import BadInput, Session
from steno.adapters.exact_count import ExactCount
from steno.models import Anthropic, OpenAI
from tests.support.loopback import Garbage, Loopback, Wrong

PATHS = {"anthropic": "/v1/messages/count_tokens", "openai-responses": "/v1/responses/input_tokens"}


def model_at(wire: str, server: Loopback) -> Any:
    if wire == "anthropic":
        return Anthropic("claude-opus-5", key="any", url=server.anthropic)
    return OpenAI("gpt-5.6", key="any", url=server.openai, responses=True)


@pytest.mark.parametrize("wire", PATHS)
def test_the_providers_count_corrects_the_meter_and_is_asked_once(wire: str) -> None:
    reply = Garbage(json.dumps({"input_tokens": 1_200, "object": "response.input_tokens"}))
    with (
        Loopback(reply, Wrong(500), aside=True) as server,
        model_at(wire, server) as model,
        Session(wire=wire, window=50_000) as session,
    ):
        session.add({"role": "user", "content": "some words of a line " * 120})
        request = session.request(system="Be brief.")
        counted, exact = session.load, ExactCount(model, calls=2)
        assert exact.correct(session) == exact.of(request) == 1_200
        assert counted < session.load <= 1_200
        assert exact.calls_left == 1 and [heard.path for heard in server.heard] == [PATHS[wire]]
        assert "some words" in json.dumps(server.heard[0].body)
        # What the provider does not say leaves the meter as it is; then no call is left.
        session.add({"role": "assistant", "content": "done"})
        load = session.load
        assert exact.correct(session) is None and session.load == load
        assert exact.correct(session) is None and len(server.heard) == 2


def test_a_model_that_cannot_count_says_nothing() -> None:
    with Loopback() as server, OpenAI("gpt-5", key="any", url=server.openai) as chat:
        assert ExactCount(chat).of({"messages": []}) is None
    with pytest.raises(BadInput, match="takes a model"):
        ExactCount("gpt-5")
