"""DSPy: its own LM and adapters over its real client, the model on loopback."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

dspy = pytest.importorskip("dspy", reason="dspy is not installed")

from steno.adapters.frameworks import dspy as adapter
from steno.adapters.frameworks.dspy import StenoEngine
from steno.core.events import Failed
from tests.frameworks import story
from tests.support.loopback import Heard, Loopback, Reply, Say, Wrong

PACKAGE = "dspy"
NOT_HERE = {
    "streams": "no: our engine answers whole",
    "handoffs, sub-agents": "has none",
}


class Chat(dspy.Signature):
    """You read books."""

    question: str = dspy.InputField()
    history: dspy.History = dspy.InputField()
    answer: str = dspy.OutputField()


class Answers:
    """Answers in the form that DSPy asks for, with the part of the book that was asked for."""

    refuse_next = False

    def __call__(self, heard: Heard) -> Reply:
        if self.refuse_next:
            self.refuse_next = False
            return Wrong(400, "maximum context length is 5000", code="context_length_exceeded")
        said = "I do not know."
        asked = story.ASK.findall(json.dumps(story.items(heard)[-1]))
        if asked:
            part, who = asked[-1]
            said = story.read(who, int(part))
        return Say(f"[[ ## answer ## ]]\n{said}\n\n[[ ## completed ## ]]")


def unwrapped(server: Loopback) -> Any:
    return dspy.LM(
        "openai/gpt-4o", api_base=server.openai, api_key="none", num_retries=0, cache=False
    )


def engine(server: Loopback, **options: Any) -> StenoEngine:
    return StenoEngine(unwrapped(server), **story.OPTIONS, **options)


def ask(made: StenoEngine, turns: list[Any], words: str) -> str:
    lm = dspy.LM("openai/gpt-4o", engine=made, cache=False, num_retries=0)
    with dspy.context(lm=lm, adapter=dspy.ChatAdapter()):
        reply = dspy.Predict(Chat)(question=words, history=dspy.History(messages=list(turns)))
    turns.append({"question": words, "answer": reply.answer})
    return str(reply.answer)


def test_the_story(tmp_path: Path) -> None:
    histories: dict[str, list[Any]] = {who: [] for who in story.PEOPLE}
    found: dict[str, str] = {}
    with Loopback(Answers()) as server:
        for half in range(2):
            # The engines of the first half are not closed: the program was killed.
            engines = story.Adapters()
            for who in story.PEOPLE:
                engines[who] = engine(
                    server, user=who, session=f"book-{who}", store=tmp_path / "a.db"
                )
            for part in range(story.TURNS // 2):
                for who in story.PEOPLE:
                    words = story.request(who, part + half * (story.TURNS // 2))
                    ask(engines[who], histories[who], words)
        for who in story.PEOPLE:
            found[who] = engines[who].recall("door code")
    for who in story.PEOPLE:
        own = story.assert_legal(server.heard, who)
        assert len(own) == story.TURNS
        for part, heard in enumerate(own):
            assert f"Read part {part} of {who}'s book" in json.dumps(story.items(heard)[-1])
        session = engines.newest(f"book-{who}", who)
        assert session.log.commits and f"4711-{who}" in found[who]
        said = json.dumps([session.open(at) for at in range(len(session.log.messages))])
        for part in range(story.TURNS - 1):
            assert story.request(who, part) in said and story.read(who, part).strip() in said
    story.assert_apart(server.heard)
    assert not any(isinstance(event, Failed) for event in engines.events)
    engines.close()


@pytest.mark.parametrize("asynchronous", [False, True], ids=["blocking", "asynchronous"])
def test_a_request_refused_as_too_long_goes_out_once_more(asynchronous: bool) -> None:
    model, turns = Answers(), []
    with Loopback(model) as server:
        made = engine(server)
        for part in range(9):
            ask(made, turns, story.request("ann", part))
        model.refuse_next = True
        if asynchronous:
            lm = dspy.LM("openai/gpt-4o", engine=made, async_engine=made.asynchronous, cache=False)
            with dspy.context(lm=lm, adapter=dspy.ChatAdapter()):
                history = dspy.History(messages=turns)
                asked = dspy.Predict(Chat).acall(question="Read on.", history=history)
                asyncio.run(asked)
        else:
            ask(made, turns, story.request("ann", 9))
    refused, again = server.heard[-2:]
    assert len(again.raw) < len(refused.raw) and story.SPOKEN in again.prompt


def test_if_steno_fails_the_request_goes_out_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(request: Any) -> str:
        raise KeyError("session")

    with Loopback(Answers()) as server:
        made = engine(server, session=unknown)
        ask(made, [], story.request("ann", 0))
    assert story.request("ann", 0) in json.dumps(server.heard[0].body["messages"][-1])
    assert any(isinstance(event, Failed) for event in made.events)
    assert "the whole list was sent: KeyError" in caplog.text


def test_the_line_of_the_page_sends_a_view() -> None:
    with Loopback(Answers()) as server:
        lm = story.made_by_the_page(
            adapter, LM=partial(dspy.LM, cache=False), name="openai/gpt-4o", lm=unwrapped(server)
        )
        lm(messages=[{"role": "user", "content": story.request("ann", 0)}])
    story.assert_viewed(server)
