"""A compacted list that its caller keeps is changed, and all that it stands for can be opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

import steno
from steno.adapters.fit import Fitted, Fitter
from steno.adapters.langgraph import CompactingSupervisor

Json = dict[str, Any]
TURNS, CHANGED = 30, 20
LONG = "a row of a long table\n" * 60


def step(n: int) -> list[Json]:
    call = {"id": f"c{n}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{n}", "content": f"zebra{n} {LONG}"},
    ]


def heads(*texts: str, role: str = "system") -> list[Json]:
    return [{"role": role, "content": text} for text in texts]


LEADS: dict[str, Callable[[int], list[Json]]] = {
    "a clock": lambda n: heads(f"Be careful. It is 10:{n:02d}."),
    "a clock of the developer's": lambda n: heads(f"It is 10:{n:02d}.", role="developer"),
    "a second message": lambda n: heads("Be careful.", *["Skill: sql."] * (n > CHANGED)),
    "one that comes late": lambda n: heads(*["Be careful."] * (n > CHANGED)),
    "one that goes": lambda n: heads(*["Be careful."] * (n <= CHANGED)),
    "one that comes and goes": lambda n: heads(*["Note: red."] * (n % 7 in (3, 4)), "Be careful."),
}


def popped(kept: list[Json]) -> list[Json]:
    return kept[:-2]


def edited(kept: list[Json]) -> list[Json]:
    return [*kept[:-1], {**kept[-1], "content": f"{kept[-1]['content']} (edited)"}]


def run(
    fitter: Fitter,
    lead: Callable[[int], list[Json]] = lambda n: heads("Be careful."),
    change: Callable[[list[Json]], list[Json]] = lambda kept: kept,
) -> Fitted:
    kept: list[Json] = [{"role": "user", "content": "Find the slow query. Never touch production."}]
    for n in range(TURNS):
        fitted = fitter.fit([*lead(n), *kept, *step(n)], session="s", recall=True)
        fitted.keep()
        assert [each for each in fitted if each["role"] in ("system", "developer")] == lead(n)
        kept = [each for each in fitted if each["role"] not in ("system", "developer")]
        if n == CHANGED:
            assert fitted.session.log.live
            kept = change(kept)
    return fitted


def opens(session: steno.Session) -> set[str]:
    found = [session.open(at)["content"] for at in range(len(session.log.messages))]
    return {str(content).split(" ")[0] for content in found}


@pytest.mark.parametrize("lead", LEADS)
def test_other_system_messages_at_the_head_lose_nothing(tmp_path: Path, lead: str) -> None:
    fitter = Fitter(store=tmp_path / "a.db", window=8_000, wire="openai")
    session = run(fitter, LEADS[lead]).session
    assert opens(session) >= {f"zebra{n}" for n in range(TURNS)}
    assert session.name == "s" and session.recall("zebra3", mode="exact").hits
    fitter.close()


@pytest.mark.parametrize("lead", ["the same", "a clock"])
@pytest.mark.parametrize("change", [popped, edited])
def test_a_step_that_is_changed_loses_nothing_before_it(
    tmp_path: Path, change: Callable[[list[Json]], list[Json]], lead: str
) -> None:
    fitter = Fitter(store=tmp_path / "a.db", window=8_000, wire="openai")
    fitted = run(fitter, LEADS.get(lead, lambda n: heads("Be careful.")), change)
    session = fitted.session
    gone = {f"zebra{CHANGED}"} if change is popped else set()
    assert opens(session) >= {f"zebra{n}" for n in range(TURNS)} - gone
    assert not gone & opens(session)
    assert session.recall("zebra3", mode="exact").hits
    assert {each.text for each in session.constraints()} == {"Never touch production."}
    # What it was before stays in the session from which this one was forked.
    assert fitter.newest("s").name == session.name != "s"
    fitter.close()


def test_a_changed_past_takes_a_constraint_back(tmp_path: Path) -> None:
    def said(kept: list[Json]) -> list[Json]:
        return [*kept, {"role": "user", "content": "Always use conda."}]

    fitter = Fitter(store=tmp_path / "a.db", window=8_000, wire="openai")
    kept = list(run(fitter, change=said))
    asked = [*kept, {"role": "user", "content": "Never use pip."}]
    fitted = fitter.fit(asked, session="s")
    fitted.keep()
    assert "Never use pip." in {each.text for each in fitted.session.constraints()}
    again = fitter.fit([*fitted[:-1], {"role": "user", "content": "Go on."}], session="s")
    texts = {each.text for each in again.session.constraints()}
    assert "Never use pip." not in texts and "Always use conda." in texts
    fitter.close()


def test_a_list_without_a_name_joins_nothing_after_a_change() -> None:
    fitter = Fitter(window=8_000, wire="openai")
    messages = [*heads("Be careful."), {"role": "user", "content": "Find the slow query."}]
    for n in range(TURNS):
        messages += step(n)
    first = fitter.fit(messages)
    first.keep()
    assert first.session.log.live
    again = fitter.fit([*heads("Be quick."), *first[1:-1], *step(99)])
    assert again.session.name != first.session.name
    assert again.session.log.messages[0].text == "Be quick."
    fitter.close()


@pytest.mark.parametrize("how", ["taken out", "edited"])
def test_a_thread_whose_newest_reply_is_changed_loses_no_originals(
    tmp_path: Path, how: str
) -> None:
    reply = "Noted: " + "the candidate has shipped several services. " * 8
    model = FakeListChatModel(responses=[reply])

    def answer(state: MessagesState) -> MessagesState:
        return {"messages": [model.invoke(state["messages"])]}

    builder = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer")
    graph = builder.compile(checkpointer=InMemorySaver())
    agent = CompactingSupervisor(graph, window=2_000, store=tmp_path / "a.db")
    thread: Any = {"configurable": {"thread_id": "judy"}}
    for n in range(TURNS):
        agent.invoke({"messages": [HumanMessage(f"Tell me about Person{n}.", id=f"h{n}")]}, thread)
        if n == CHANGED:
            newest = agent.get_state(thread).values["messages"][-1]
            change = RemoveMessage(id=newest.id) if how == "taken out" else AIMessage("", id="")
            if how == "edited":
                change = AIMessage("Noted.", id=newest.id)
            graph.update_state(thread, {"messages": [change]})
    found = set()
    for at in range(2 * TURNS - (how == "taken out")):
        found.add(agent.history_manager.open("judy", at)["content"])
    assert found >= {f"Tell me about Person{n}." for n in range(TURNS)}


def test_a_fork_says_nothing_of_what_was_taken_back() -> None:
    kept: list[Json] = [{"role": "user", "content": "Fix it. Never touch production."}]
    for n in range(28):
        kept += [
            {"role": "assistant", "content": f"Step {n}. " + "word " * 50},
            {"role": "user", "content": f"Yes, {n}. " + "so " * 30},
        ]
    turn = {"role": "assistant", "content": "From here on."}
    rule = {"role": "user", "content": "Never deploy on Fridays. Use tabs, always."}
    fitter = Fitter(window=3_000, wire="openai")
    fitted = fitter.fit(
        [*kept, turn, *heads("Go.", role="user"), *heads("Hm.", role="assistant"), rule],
        session="s",
    )
    fitted.keep()
    assert fitted.session.log.commits and "Fridays" in str(fitted)
    back = list(fitted)[: list(fitted).index(turn)]
    forked = fitter.fit([*back, *heads("What now?", role="user")], session="s")
    assert forked.session.name != "s" and "Fridays" not in str(forked)
    assert forked.session.open(1) == kept[1]
