"""One story for every framework: a long run of questions and tool calls in a small window.

The model is scripted and stands behind the framework's real client. Two people at once ask to read
part after part of a book; each part is a long tool result. Halfway the program starts again, with
what the store and the framework kept. In the end each person asks for a word of the first part,
which has left the view by then, and the model calls `recall`.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import splintr

from steno.adapters.frameworks.hook import FrameworkHook
from steno.core.events import Failed
from steno.session.session import Session
from tests.support import legal, legal_responses
from tests.support.converse_server import gemini_problems
from tests.support.loopback import Heard, Loopback, Reply, Say, Wrong

WINDOW = 8_000
TURNS = int(os.environ.get("STORY_TURNS", "40"))
PEOPLE = ("ann", "bob")
SPOKEN = "Never touch production."
CONSTRAINT = "Answer in one sentence."
"""A constraint that the program gives; the one before is typed by a person."""
OPTIONS: dict[str, Any] = {"window": WINDOW, "constraints": (CONSTRAINT,), "durable": False}
"""What every adapter of the story is given."""
ASK = re.compile(r"Read part (\d+) of (\w+)'s book")
O200K = splintr.Tokenizer.from_pretrained("o200k_base")


def request(who: str, part: int) -> str:
    """Return what a person says in a turn; the constraint is said once."""
    words = f"Read part {part} of {who}'s book."
    if part == 0:
        return f"{SPOKEN} {words}"
    return words


def read(who: str, part: int) -> str:
    """Return a part of a person's book."""
    code = f" The door code of {who} is 4711-{who}." if part == 0 else ""
    return f"Part {part} of {who}'s book.{code} " + f"{who} reads line of part {part}. " * 90


FIRST_WORDS = "What was the door code?"
AGAIN = "search again to go on"
"""How `recall` says that its time ended before it had read all."""
LOOK = ("recall", {"query": "door code"})


class Model:
    """Answers a person's request with a call of `read` or `recall`, and a result with a word."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.refuse_next = False

    def __call__(self, heard: Heard) -> Reply:
        number = next(self._numbers)
        if self.refuse_next:
            self.refuse_next = False
            said = "This model's maximum context length is 5000 tokens."
            return Wrong(400, said, code="context_length_exceeded")
        last = items(heard)[-1]
        said = json.dumps(last)
        asks = last.get("role") == "user"
        # A result of `recall` may quote the question.
        if (asks and FIRST_WORDS in said) or AGAIN in said:
            return Say(calls=(LOOK,), number=number)
        if not asks:
            return Say("I have read it.", number=number)
        asked = ASK.search(said)
        assert asked is not None, said
        part, who = asked.groups()
        return Say(calls=(("read", {"who": who, "part": int(part)}),), number=number)


class LoopModel:
    """Works through a whole book in one run of calls, and recalls its first words in the end."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.parts: dict[str, int] = {}

    def __call__(self, heard: Heard) -> Reply:
        number = next(self._numbers)
        who = re.search(r"Read every part of (\w+)'s book", heard.prompt)[1]
        part = self.parts.get(who, 0)
        self.parts[who] = part + 1
        if part < TURNS:
            return Say(calls=(("read", {"who": who, "part": part}),), number=number)
        if part == TURNS or AGAIN in json.dumps(items(heard)[-1]):
            return Say(calls=(LOOK,), number=number)
        return Say("Final Answer: I have read it.", number=number)


def task(who: str) -> str:
    return f"{SPOKEN} Read every part of {who}'s book."


Ask = Callable[[str], Awaitable[Any]]
Start = Callable[[Loopback], tuple[Any, Callable[[str], Ask]]]
"""Makes the adapter and the agents of a program, and what one of two people asks with."""


def tell(
    start: Start,
    server: Any = None,
    hear: Callable[[Any], Heard] = lambda heard: heard,
    always_recall: bool = False,
) -> None:
    """Tell the story, check every request and every word kept.

    Each person is a user of the same name, and the session is `book-` and that name. `hear`
    makes a request of what another server than OpenAI's heard. `always_recall` is for frameworks
    that offer an agent's tools from the first request on.
    """
    halves = range(TURNS // 2), range(TURNS // 2, TURNS)

    async def talk(ask: Ask, who: str, parts: range) -> None:
        for part in parts:
            await ask(request(who, part))
        if TURNS - 1 in parts:
            await ask(FIRST_WORDS)

    async def both(begin: Callable[[str], Ask], parts: range) -> None:
        await asyncio.gather(*(talk(begin(who), who, parts) for who in PEOPLE))

    with server or Loopback(Model()) as server:
        for parts in halves:
            # The adapter of the first half is not closed: the program was killed.
            adapter, begin = start(server)
            asyncio.run(both(begin, parts))
    requests = list(map(hear, server.heard))
    for who in PEOPLE:
        assert_kept(requests, who, always_recall)
        assert_every_word(adapter, who)
    assert_apart(requests)
    assert not any(isinstance(event, Failed) for event in adapter.events)
    adapter.close()


class Adapters(dict[str, FrameworkHook]):
    """An adapter for each person, where the framework has one for each agent."""

    def newest(self, session: str, who: str) -> Session:
        return self[who].newest(session)

    @property
    def events(self) -> list[Any]:
        return [event for adapter in self.values() for event in adapter.events]

    def close(self) -> None:
        for adapter in self.values():
            # A wrapped client's own `close` may be for event loops.
            FrameworkHook.close(adapter)


def assert_every_word(adapter: FrameworkHook, who: str, asked: Sequence[str] | None = None) -> None:
    """Check that the session of a person has every request and every part of the book."""
    session = adapter.newest(f"book-{who}", who)
    said = json.dumps([session.open(at) for at in range(len(session.log.messages))])
    for words in asked or [request(who, part) for part in range(TURNS)]:
        assert json.dumps(words)[1:-1] in said
    for part in range(TURNS):
        assert json.dumps(read(who, part).strip())[1:-1] in said


def items(heard: Heard) -> list[Any]:
    listed: list[Any] = heard.body.get("input") or heard.body["messages"]
    return listed


def tools(heard: Heard) -> list[str]:
    """Return the names of the tools in a request."""
    return [tool.get("name") or tool["function"]["name"] for tool in heard.body.get("tools", ())]


def recalled(own: Sequence[Heard]) -> str:
    """Return what `recall` answered; the view may have had the first words too, by chance."""
    return json.dumps(items(own[-1])[-1])


def assert_kept(requests: Sequence[Heard], who: str, always_recall: bool) -> None:
    """Check every request of a person: within the window, legal, both constraints, newest words."""
    own = assert_legal(requests, who)
    assert len(own) >= 2 * TURNS
    asked = -1
    for heard in own:
        newest = [int(part) for part, _ in ASK.findall(heard.prompt)]
        asked = max(asked, *newest)
        assert asked in newest
    assert asked == TURNS - 1
    before = next(heard for heard in own if FIRST_WORDS in heard.prompt)
    assert ("recall" in tools(own[0])) == always_recall and "recall" in tools(before)
    assert f"4711-{who}" in recalled(own)


def assert_worked(requests: Sequence[Heard], who: str) -> None:
    """Check every request of a run of calls: the same, and its task and its newest result."""
    own = assert_legal(requests, who)
    assert len(own) >= TURNS + 2
    for part, heard in enumerate(own):
        assert task(who) in heard.prompt
        if 0 < part <= TURNS:
            assert f"Part {part - 1} of {who}'s book." in json.dumps(items(heard)[-2:])
    assert f"4711-{who}" in recalled(own)


def assert_legal(requests: Sequence[Heard], who: str) -> list[Heard]:
    """Check that each request of a person is within the window, legal, and has both constraints."""
    own = [heard for heard in requests if f"{who}'s book" in heard.prompt]
    for heard in own:
        said = json.dumps({**heard.body, "stream": None})
        assert len(O200K.encode(said)) <= WINDOW
        assert problems(heard) == []
        assert SPOKEN in heard.prompt and CONSTRAINT in heard.prompt
    return own


def assert_shortened(server: Loopback) -> None:
    """Check that the request after a refusal as too long was a shorter one, and legal."""
    refused, again = (heard for heard in server.heard[-3:-1])
    assert len(again.raw) < len(refused.raw) and problems(again) == [] and SPOKEN in again.prompt


PAGE = Path(__file__).parents[2] / "docs" / "wrap.md"


def made_by_the_page(adapter: ModuleType, more: Any = None, **names: Any) -> Any:
    """Run the line of the page that adds an adapter, and return what it makes.

    What it leaves out first is the options of an adapter, what comes then is `more`.
    """
    name = adapter.__name__.rpartition(".")[2]
    section = PAGE.read_text(encoding="utf-8").partition("## Agent frameworks")[2]
    [line] = [line for line in section.splitlines() if f"{name}." in line]
    line = line.replace("…", "**OPTIONS", 1).replace("…", "**more")
    return eval(line, {name: adapter, "OPTIONS": OPTIONS, "more": more, **names})


def assert_viewed(server: Loopback) -> None:
    """Check that a view went out: it has the constraint that only Steno knows."""
    assert all(CONSTRAINT in heard.prompt and SPOKEN in heard.prompt for heard in server.heard)
    assert server.heard


HELPER = "You help readers."
"""How the instructions of a second agent begin."""
HELP = "Ask your helper."
DELEGATED = (*(request("ann", part) for part in range(10)), HELP)
"""What a person says to an agent that has a helper."""


class Delegates(Model):
    """Calls a second agent, as a tool of this name, when a person says so."""

    def __init__(self, tool: str, **arguments: Any) -> None:
        super().__init__()
        self._calls = ((tool, arguments),)

    def __call__(self, heard: Heard) -> Reply:
        last = items(heard)[-1]
        if last.get("role") == "user" and HELP in json.dumps(last):
            return Say(calls=self._calls, number=next(self._numbers))
        return super().__call__(heard)


def assert_delegated(server: Loopback) -> None:
    """Check a run in which a first agent read ten parts, and a second one then helped."""
    helped = [heard for heard in server.heard if HELPER in json.dumps(heard.body)]
    first = [heard for heard in server.heard if heard not in helped]
    assert helped and HELP in first[-1].prompt
    for heard in server.heard:
        assert len(O200K.encode(json.dumps(heard.body))) <= WINDOW
        assert problems(heard) == [] and SPOKEN in heard.prompt
    # The second agent has a conversation of its own, which begins with what it was asked.
    assert not any("Read part 9" in heard.prompt for heard in helped)
    assert "recall" in tools(first[-1]) and "Read part 9" in first[-1].prompt


def assert_apart(requests: Sequence[Heard]) -> None:
    """Check that no request holds words of two people."""
    for heard in requests:
        assert sum(f"{who}'s book" in heard.prompt for who in PEOPLE) == 1


def problems(heard: Heard) -> list[str]:
    judges: dict[str, Callable[[Any], list[str]]] = {
        "/v1/responses": legal_responses.openai_responses,
        "/v1/chat/completions": legal.openai_chat,
        "gemini": lambda body: list(gemini_problems({"contents": body["messages"]})),
    }
    return judges[heard.path](heard.body)
