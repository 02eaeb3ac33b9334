"""A reply ends because the window did, and a provider's own compaction is refused: real SDK."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic

import steno
from steno.agent import ReactLoop
from steno.core.effects import Ask, NoAnswer
from steno.models import Anthropic as AnthropicModel
from tests.proxy.test_proxy import CLAUDE, between, sane
from tests.support import legal
from tests.support.loopback import Loopback, Reply, Say, Wrong
from tests.support.promises import proves
from tests.support.sample_messages import anthropic_talk

ENDED = Say("As far as I", stop="window", sent=20_000)
WINDOW = 100_000
Message = dict[str, Any]


class Caller:
    """A client that sends lists, the server that hears them, and the session's events."""

    def __init__(self, client: Any, server: Loopback, events: list[Any]) -> None:
        self.client, self.server, self.events = client, server, events

    def ask(self, messages: list[Message], streamed: bool) -> Any:
        ask = {"model": CLAUDE, "max_tokens": 100, "messages": messages}
        if not streamed:
            return self.client.messages.create(**ask)
        with self.client.messages.stream(**ask) as stream:
            return stream.get_final_message()

    @property
    def learned(self) -> int:
        return sum(isinstance(event, steno.events.Learned) for event in self.events)


@contextmanager
def wrapped(*replies: Reply | Callable[..., Reply]) -> Any:
    events: list[Any] = []
    with Loopback(*replies) as server:
        client = Anthropic(api_key="any", base_url=server.anthropic, max_retries=0)
        with steno.wrap(client, window=WINDOW, on_event=events.append) as outer:
            yield Caller(outer, server, events)


@contextmanager
def proxied(*replies: Reply | Callable[..., Reply]) -> Any:
    with between(*replies, window=WINDOW) as middle:
        caller = Caller(middle.claude, middle.provider, middle.events)
        yield caller
        middle.settled()


How = Callable[..., AbstractContextManager[Caller]]


@proves("overflow.again")
@pytest.mark.parametrize(
    ("how", "streamed"),
    [
        (wrapped, True),
        pytest.param(proxied, True, marks=pytest.mark.slow),
        pytest.param(proxied, False, marks=pytest.mark.slow),
    ],
)
def test_a_reply_that_came_already_makes_the_next_request_shorter(how: How, streamed: bool) -> None:
    """What the caller has read cannot be asked for again."""
    talk = anthropic_talk(20)
    with how(ENDED, sane) as caller:
        reply = caller.ask(talk, streamed)
        assert reply.stop_reason == "model_context_window_exceeded"
        assert len(caller.server.heard) == 1
        said = [*talk, {"role": "assistant", "content": "As far as I"}]
        caller.ask([*said, {"role": "user", "content": "Go on."}], streamed)
        first, second = caller.server.heard
        assert caller.learned == 1
    assert first.body["messages"] == talk
    assert len(second.prompt) < len(first.prompt)
    assert legal.anthropic(second.body) == []


@proves("overflow.again")
def test_a_reply_that_came_whole_is_asked_for_again() -> None:
    talk = anthropic_talk(20)
    with wrapped(ENDED, sane) as caller:
        assert caller.ask(talk, False).content[0].text == "noted"
        first, second = caller.server.heard
        assert caller.learned == 1
    assert len(second.prompt) < len(first.prompt)


@proves("overflow.again")
@pytest.mark.parametrize("streamed", [False, True])
def test_a_session_asks_again_or_sends_less_next_time(streamed: bool) -> None:
    with Loopback(ENDED, sane) as server:
        client = Anthropic(api_key="any", base_url=server.anthropic, max_retries=0)
        caller = Caller(client, server, [])
        session = steno.Session(wire="anthropic", window=WINDOW, on_event=caller.events.append)
        session.add(*anthropic_talk(20))
        before = session.load
        if streamed:
            reply = caller.ask(session.request()["messages"], True)
        else:
            reply = session.call(lambda request: caller.ask(request["messages"], False))
        session.add(reply, usage=reply.usage)
        session.add({"role": "user", "content": "Go on."})
        session.request()
    assert len(server.heard) == (1 if streamed else 2)
    assert caller.learned == 1 and session.load < before


@pytest.mark.slow
@proves("overflow.again")
def test_a_loop_sends_less_after_a_reply_that_ended_with_the_window() -> None:
    with Loopback(ENDED, sane) as server:
        model = AnthropicModel(CLAUDE, key="any", url=server.anthropic)
        session = steno.Session(wire="anthropic", window=WINDOW)
        session.add(*anthropic_talk(20))
        for words in ("Look.", "Go on."):
            list(ReactLoop(model).run(words, session))
        first, second = server.heard
    assert len(second.prompt) < len(first.prompt)


REFUSED_AS = {
    cls.__annotations__["error_code"].__args__[0]: cls
    for name, cls in vars(anthropic.types).items()
    if name.startswith("Compaction") and name.endswith("Error")
}
"""Classes by which the SDK raises the codes."""
CODES = sorted(REFUSED_AS)


def refusal(code: str, in_stream: bool = False) -> Wrong:
    status = 529 if code == "compaction_unavailable" else 400
    details = {"details": {"error_code": code}}
    return Wrong(status, "see the code", more=details, in_stream=in_stream)


@pytest.mark.parametrize("how", [wrapped, pytest.param(proxied, marks=pytest.mark.slow)])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_refused_compaction_of_the_providers_reaches_the_caller_as_it_is(
    how: How, streamed: bool
) -> None:
    """It is no overflow: nothing is compacted for it, and nothing is sent again."""
    with how(*map(refusal, CODES)) as caller:
        for count, code in enumerate(CODES, start=1):
            with pytest.raises(REFUSED_AS[code]) as raised:
                caller.ask(anthropic_talk(4), streamed)
            assert raised.value.error_code == code
            assert len(caller.server.heard) == count
        assert caller.learned == 0


@pytest.mark.parametrize("in_stream", [False, True])
def test_a_refused_compaction_is_told_by_a_model_in_plain_words(in_stream: bool) -> None:
    with Loopback(*(refusal(code, in_stream) for code in CODES)) as server:
        model = AnthropicModel(CLAUDE, key="any", url=server.anthropic)
        for code in CODES:
            if in_stream:
                with pytest.raises(steno.errors.ModelFailed) as raised:
                    list(model.turn({"messages": [{"role": "user", "content": "hi"}]}))
                assert str(raised.value) == f"the provider did not compact: {code}"
                continue
            reply = model.answer(Ask("Say it.", max_tokens=20))
            assert isinstance(reply, NoAnswer) and reply.reason.endswith(code)
            assert reply.kind == ("busy" if code == "compaction_unavailable" else "other")
