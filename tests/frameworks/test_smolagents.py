"""smolagents: its own agent over the real OpenAI client, the model on loopback."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("smolagents", reason="smolagents is not installed")

from smolagents import ChatMessage, MessageRole, OpenAIModel, ToolCallingAgent, tool

from steno.adapters.frameworks import smolagents as adapter
from steno.adapters.frameworks.smolagents import StenoModel
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Heard, Loopback, Reply, Say, Wrong

PACKAGE = "smolagents"
NOT_HERE = {
    "kill and resume": "one run of calls; smolagents keeps no messages",
    "async": "smolagents has no async calls",
}


@tool
def read(who: str, part: int) -> str:
    """Read a part of a book.

    Args:
        who: Whose book it is.
        part: Number of the part.
    """
    return story.read(who, part)


class CallingModel(story.LoopModel):
    """Ends by the call that smolagents wants for an answer; refuses one request as too long."""

    refuse_at = -1

    def __call__(self, heard: Heard) -> Reply:
        if self.parts.get("ann") == self.refuse_at:
            self.refuse_at = -1
            return Wrong(400, "maximum context length is 5000", code="context_length_exceeded")
        reply = super().__call__(heard)
        assert isinstance(reply, Say)
        if not reply.calls:
            return Say(calls=(("final_answer", {"answer": "done"}),), number=reply.number)
        return reply


def unwrapped(server: Loopback) -> OpenAIModel:
    once = {"max_retries": 0}
    return OpenAIModel("gpt-4o", api_base=server.openai, api_key="none", client_kwargs=once)


def wrapped(server: Loopback, **options: Any) -> StenoModel:
    return StenoModel(unwrapped(server), **story.OPTIONS, **options)


def reader(model: StenoModel, **more: Any) -> ToolCallingAgent:
    return ToolCallingAgent(
        tools=[read, model.recall_tool],
        model=model,
        instructions="You read books.",
        max_steps=2 * story.TURNS,
        verbosity_level=0,
        **more,
    )


def run(model: StenoModel, who: str, **more: Any) -> None:
    assert reader(model, **more).run(story.task(who)) == "done"


def test_the_story_as_one_run_of_calls_of_two_agents_at_once(tmp_path: Path) -> None:
    models = story.Adapters()
    with Loopback(CallingModel()) as server, ThreadPoolExecutor(2) as pool:
        for who in story.PEOPLE:
            models[who] = wrapped(server, user=who, session=f"book-{who}", store=tmp_path / "a.db")
        list(pool.map(lambda who: run(models[who], who), story.PEOPLE))
    for who in story.PEOPLE:
        story.assert_worked(server.heard, who)
        story.assert_every_word(models, who, [story.task(who)])
        # An observation is a tool's result, not the user's words.
        roles = [message.role for message in models[who].newest(f"book-{who}").log.messages]
        assert roles.count("user") == 1
    story.assert_apart(server.heard)
    assert not any(isinstance(event, Failed) for event in models.events)
    models.close()


@pytest.mark.parametrize("streams", [False, True])
def test_a_request_refused_as_too_long_goes_out_once_more(
    streams: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story, "TURNS", 10)
    brain = CallingModel()
    brain.refuse_at = 9
    with Loopback(brain) as server:
        run(wrapped(server), "ann", stream_outputs=streams)
    refused, again = server.heard[9:11]
    assert len(again.raw) < len(refused.raw) and story.problems(again) == []
    assert story.SPOKEN in again.prompt


def test_a_sub_agent_has_a_session_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story, "TURNS", 10)
    brain = CallingModel()

    def delegate(heard: Heard) -> Reply:
        if brain.parts.get("ann") == 9 and not brain.parts.get("bob") and "ann" in heard.prompt:
            return Say(calls=(("helper", {"task": story.task("bob")}),))
        return brain(heard)

    with Loopback(delegate) as server:
        model = wrapped(server, session="second")
        second = reader(model, name="helper", description="Reads too.")
        run(wrapped(server, session="first"), "ann", managed_agents=[second])
    helped = [heard for heard in server.heard if "ann's book" not in heard.prompt]
    assert len(helped) == 12 and all(story.task("bob") in heard.prompt for heard in helped)
    for heard in server.heard:
        assert story.problems(heard) == [] and story.SPOKEN in heard.prompt
        assert len(story.O200K.encode(json.dumps(heard.body))) <= story.WINDOW


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(call: Any) -> str:
        raise KeyError("session")

    said = [{"type": "text", "text": story.task("ann")}]
    with Loopback(CallingModel()) as server:
        model = wrapped(server, session=unknown)
        model.generate([ChatMessage(role=MessageRole.USER, content=said)])
    assert server.heard[0].body["messages"] == [{"role": "user", "content": said}]
    assert any(isinstance(event, Failed) for event in model.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story, "TURNS", 1)
    with Loopback(CallingModel()) as server:
        agent = story.made_by_the_page(
            adapter, ToolCallingAgent=lambda model: reader(model), model=unwrapped(server)
        )
        agent.run(story.task("ann"))
    story.assert_viewed(server)
