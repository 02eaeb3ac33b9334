"""What is true under every named policy: no request is over the window if that can be helped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import strategies as st

from steno import Policy, Session, chars_per_four
from steno.agent.research.prompt_builder import SummarizeNotes, SummarizeOrClip
from steno.core.message import Message
from steno.engine.designs import POLICIES
from steno.rungs import Truncate
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.view_checks import problems

pytestmark = pytest.mark.slow

METER = chars_per_four()
RESEARCHER = POLICIES["researcher"]
EVERY_POLICY: dict[str, Policy] = {
    **POLICIES,
    "notes": RESEARCHER.but(ladder=(SummarizeNotes(max_tokens=300, in_place=False), Truncate())),
    "clipped": RESEARCHER.but(ladder=(SummarizeOrClip(max_tokens=300), Truncate())),
    "bare": Policy(ladder=(Truncate(),)),
}
"""The written designs, the researcher's own, and the least that a policy can be."""
LEAST_TRACE = 75
"""Tokens of a trace that only counts what it covers, by this meter."""
SYSTEM = "You read files and answer questions about them."

Json = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """Calls with their results, or words; sizes in hundredths of the window."""

    kind: str
    size: int
    calls: int = 1

    def messages(self, at: int, window: int) -> list[Json]:
        words = "some words of a line\n" * max(1, window * self.size // 100 // 5)
        match self.kind:
            case "ask":
                return [{"role": "user", "content": f"Question {at}: what is in file_{at}.py?"}]
            case "paste":
                return [{"role": "user", "content": f"Question {at}: what is this?\n{words}"}]
            case "reply":
                return [{"role": "assistant", "content": f"Answer {at}: {words}"}]
            case "write":
                return called(at, ["written"], content=words)
            case "late":
                first, second = called(at, [words]), called(at + 500, [words])
                return [first[0], second[0], first[1], second[1]]
        return called(at, [words] * self.calls)


def called(at: int, results: list[str], **arguments: str) -> list[Json]:
    names = [f"c{at}.{number}" for number in range(len(results))]
    calls = []
    for name in names:
        written = json.dumps({"path": f"file_{name}.py"} | arguments)
        call = {"name": "read", "arguments": written}
        calls.append({"id": name, "type": "function", "function": call})
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        *(
            {"role": "tool", "tool_call_id": name, "content": words}
            for name, words in zip(names, results, strict=True)
        ),
    ]


SIZES = (1, 5, 12, 30, 60, 200)
TURNS = st.one_of(
    st.builds(Turn, st.just("ask"), st.just(1)),
    st.builds(
        Turn, st.sampled_from(["read", "read", "reply", "write", "late"]), st.sampled_from(SIZES)
    ),
    st.builds(Turn, st.just("read"), st.sampled_from((5, 12, 30)), st.sampled_from((4, 12, 30))),
    st.builds(Turn, st.just("paste"), st.sampled_from((5, 30))),
)


@proves("view.window")
@hit_rate(at_least=0.6, of="a request was made that had been over the window", examples=75)
@given(
    st.sampled_from(sorted(EVERY_POLICY)),
    st.sampled_from((500, 900, 1_600, 3_000)),
    st.lists(TURNS, min_size=2, max_size=6),
)
def test_no_request_is_over_the_window(name: str, window: int, turns: list[Turn]) -> None:
    session = Session(
        wire="openai", window=window, policy=EVERY_POLICY[name], meter=METER, system=SYSTEM
    )
    pressed = False
    for at, turn in enumerate([Turn("ask", 1), *turns]):
        session.add(*turn.messages(at, window))
        pressed = pressed or session.load > session.budget.usable
        session.messages()
        assert problems(session) == []
        assert session.load <= session.budget.usable or must_be_over(session)
    hit(pressed)


def must_be_over(session: Session) -> bool:
    """Whether fixed part, pins and a person's newest words leave no room even for a trace."""
    view, draft = session.view, session._parts.journal.draft("hard")
    spoken = [at for at, message in enumerate(view.messages) if is_person(message)]
    kept = {*draft.pins, *spoken[-1:]}
    tokens = sum(METER.message(view.messages[at]) for at in kept)
    return draft.fixed + tokens + LEAST_TRACE > session.budget.usable


def is_person(message: Message) -> bool:
    return message.role == "user" and message.by == "caller" and not message.only_results
