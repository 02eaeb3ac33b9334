"""A commit costs what is new, however much was said before.

Counted in calls of functions and characters given to the meter, not in seconds.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from cProfile import Profile
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from statistics import median
from string import ascii_lowercase
from typing import Any

import pytest

import steno
from steno.core.draft import Draft
from steno.core.log import Why
from steno.core.message import Call, Message, Result, Text
from steno.core.tape import Tape
from steno.facts.artifacts import Artifact
from steno.facts.ledger import Ledger, facts_of
from steno.facts.standing import stated_in
from steno.facts.text import SearchableText
from steno.session.journal import Journal
from steno.summary import constraints_block
from steno.summary.files import file_pieces
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

WINDOW = 8_000
TURNS = 200
CALLS_MOST, COUNTED_MOST = 1.25, 1.12
"""How much more a late commit may take than one after the window was full for the first time.

A glance at each old request is left: some calls, but no words counted.
"""
WORDS = ["parser", "cache", "token", "window", "branch", "folder", "config", "result", "server"]


@pytest.mark.slow
@proves("commit.cost")
def test_a_late_commit_costs_what_an_early_one_costs() -> None:
    costs = list(_commit_costs(TURNS))
    tenth = len(costs) // 10
    early, late = costs[tenth : 3 * tenth], costs[-2 * tenth :]
    assert len(late) >= 8
    assert median(map(_calls, late)) <= CALLS_MOST * median(map(_calls, early))
    assert median(map(_counted, late)) <= COUNTED_MOST * median(map(_counted, early))


@dataclass(frozen=True)
class Cost:
    """What one commit took."""

    calls: int
    counted: int


def _calls(cost: Cost) -> int:
    return cost.calls


def _counted(cost: Cost) -> int:
    return cost.counted


class _CountingMeter:
    """Counts the characters whose tokens are counted."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self.characters = 0

    def __call__(self, text: str) -> int:
        self.characters += len(text)
        return self._count(text)


def _commit_costs(turns: int) -> Iterator[Cost]:
    plain = steno.chars_per_four()
    count = _CountingMeter(plain.count)
    session = steno.Session(wire="openai", window=WINDOW, meter=replace(plain, count=count))
    random = Random(16)
    for turn in range(turns):
        session.add(*_turn(turn, random))
        commits = len(session.log.commits)
        before = count.characters
        calls = _count_calls(session.messages)
        if len(session.log.commits) > commits:
            yield Cost(calls, count.characters - before)


def _turn(turn: int, random: Random) -> Iterator[dict[str, object]]:
    """Yield a request, a call, its result and an answer, of the same size in every turn."""
    path = f"src/part_{turn}.py"
    arguments = json.dumps({"path": path})
    function = {"name": "read_file", "arguments": arguments}
    call = {"id": f"call_{turn}", "type": "function", "function": function}
    yield {"role": "user", "content": f"Look at {path}: {_words(random, 40)}."}
    yield {"role": "assistant", "content": _words(random, 20), "tool_calls": [call]}
    yield {"role": "tool", "tool_call_id": f"call_{turn}", "content": _lines(random, 20)}
    yield {"role": "assistant", "content": f"Done with {path}: {_words(random, 60)}."}


def _words(random: Random, count: int) -> str:
    return " ".join(random.choices(WORDS, k=count))


def _lines(random: Random, count: int) -> str:
    return "\n".join(f"{_words(random, 6)} {random.randrange(1_000)}" for _ in range(count))


def _count_calls(do: Callable[[], object]) -> int:
    """Return how many calls of functions it takes, those written in C included."""
    profile = Profile()
    profile.runcall(do)
    return sum(entry.callcount for entry in profile.getstats())


SINCE_COMMIT = 100
"""Messages that may be read twice."""
GROWTH_MOST = 3.0
"""How much more twice as much may take; what grows with the square takes four times as much."""


_RUNS = count()


def _constraints(size: int) -> Callable[[], object]:
    session = _session(1_000_000)
    # Words that were never compared before.
    random = Random(next(_RUNS))
    for _ in range(size):
        word = "".join(random.choices(ascii_lowercase, k=8))
        session.add({"role": "user", "content": f"Never use {word}."})
    ledger = Ledger.of(session.log.messages)
    return lambda: ledger.constraints


def _parallel_reads(size: int) -> Callable[[], object]:
    artifact = Artifact("a.py", "a.py", (("read", 0),) * size)
    calls = tuple(Call(f"c{n}", "read_file", '{"path": "a.py"}') for n in range(size))
    text = "x = 1\ny = 2\nz = 3\n" * 5
    results = [Message("tool", (Result(f"c{n}", (Text(text),)),)) for n in range(size)]
    messages = [Message("assistant", calls), *results]
    return lambda: file_pieces(messages, artifact)


def _reversed_results(size: int) -> Callable[[], object]:
    function = {"name": "look", "arguments": "{}"}
    ids = [f"c{n}" for n in range(size)]
    calls = [{"id": id, "type": "function", "function": function} for id in ids]
    results = [{"role": "tool", "tool_call_id": id, "content": "seen"} for id in reversed(ids)]
    session = _session(1_000_000)
    session.add({"role": "user", "content": "Look."})
    reply = {"role": "assistant", "content": None, "tool_calls": calls}
    return lambda: (session.add(reply, *results), session.request())


def _plan_steps(size: int) -> Callable[[], object]:
    steps = "\n".join(f"{n}. Look at part {n} and mend what is wrong." for n in range(size))
    said = [
        Message("user", (Text("Go."),)),
        Message("assistant", (Text(f"Plan {next(_RUNS)}:\n{steps}"),)),
    ]
    return lambda: Ledger.of(said).open_loops


def _blocks(size: int) -> Callable[[], object]:
    run = next(_RUNS)
    blocks = [{"type": "text", "text": text} for text in ("```", f"Never do {run}.") * size]
    session = _session(1_000_000)
    said = {"role": "user", "content": blocks}
    return lambda: (session.add(said), session.request(), session.recall("never"))


def _session(window: int) -> steno.Session:
    return steno.Session(wire="openai", window=window, meter=steno.chars_per_four())


GROWING: dict[str, tuple[Callable[[int], Callable[[], object]], int]] = {
    "blocks of a user's message": (_blocks, 200),
    "constraints": (_constraints, 160),
    "parallel reads of one file": (_parallel_reads, 16),
    "results in reverse order": (_reversed_results, 200),
    "steps of a plan": (_plan_steps, 200),
}


@pytest.mark.slow
@proves("commit.cost")
@pytest.mark.parametrize("name", GROWING)
def test_twice_as_much_takes_about_twice_as_long(name: str) -> None:
    case, size = GROWING[name]
    case(size // 8)()  # what is compiled and looked up once
    small, large = _count_calls(case(size)), _count_calls(case(2 * size))
    assert large <= GROWTH_MOST * small


@proves("commit.cost")
def test_a_commit_looks_up_only_pinned_words_that_have_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []

    def counted(look_up: Callable[..., object]) -> Callable[..., object]:
        def look(*arguments: Any) -> object:
            looked.append(look_up.__name__)
            return look_up(*arguments)

        return look

    monkeypatch.setattr(SearchableText, "contains", counted(SearchableText.contains))
    monkeypatch.setattr(constraints_block, "one_line", counted(constraints_block.one_line))
    took: list[int] = []
    for size in (400, 800):
        session = _session(WINDOW // 2)
        rules = [f"Never do thing {n}. Always check item {n}." for n in range(size)]
        session.add(*({"role": "user", "content": text} for text in rules[:-100]))
        session.messages()
        session.add(*({"role": "user", "content": text} for text in rules[-100:]))
        looked.clear()
        assert session.compact()
        took.append(len(looked))
    assert took[1] <= CALLS_MOST * took[0]


@pytest.mark.slow
@proves("commit.cost")
def test_a_commit_reads_no_old_message_again() -> None:
    session = _session(2_000)
    read: list[int] = []
    for n in range(400):
        session.add({"role": "user", "content": f"Question {n}: please explain part {n % 97}."})
        session.add({"role": "assistant", "content": f"Part {n % 97} parses line {n}."})
        # As if so much had been said since that nothing old is remembered.
        stated_in.cache_clear()
        facts_of.cache_clear()
        session.messages()
        read.append(stated_in.cache_info().misses + facts_of.cache_info().misses)
    assert len(session.log.commits) > 10
    # All were read once: for facts, and for what people state.
    assert sum(read) <= 2 * len(session.log.messages) + 2 * SINCE_COMMIT


@proves("commit.cost")
def test_a_report_counts_old_facts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [
        Message("assistant", (Call(f"c{n}", "read", f'{{"path": "src/part_{n % 7}.py"}}'),))
        for n in range(90)
    ]
    log = Tape(said)
    Ledger.of(log).tally(range(90))
    longer = Ledger.of(log.plus(said[:10]))
    looked: list[int] = []

    count = Ledger._count

    def look(ledger: Ledger, positions: Collection[int]) -> Counter[tuple[str, str]]:
        looked.extend(positions)
        return count(ledger, positions)

    monkeypatch.setattr(Ledger, "_count", look)
    most = longer.tally(range(3, 100))
    assert sorted(looked) == [0, 1, 2]
    few = longer.tally(range(3, 30)) + longer.tally(range(30, 60)) + longer.tally(range(60, 100))
    assert sum(most.values()) > 90 and most == few


def test_only_a_large_message_is_drafted_on_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    drafted: list[str] = []
    draft = Journal.draft

    def counted(own: Journal, why: Why) -> Draft:
        drafted.append(why)
        return draft(own, why)

    monkeypatch.setattr(Journal, "draft", counted)
    session = steno.Session(wire="openai", window=4_000)
    session.add(*openai_talk(2, words=100))
    assert drafted == []
    session.add(*openai_talk(1, words=4_000))
    assert drafted == ["arrival"]
    assert [commit.why for commit in session.log.commits] == ["arrival"]
