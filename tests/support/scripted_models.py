"""Models and rungs of our own, real objects behind the real interfaces.

Owns who answers and who proposes in the laws: a `Script` answers, keeps silent,
rambles, raises or returns rubbish as it was told; `Asking` asks in rounds and
shows what it was answered; `Endless` never stops asking; `Reckless` proposes what
no check should let through. No type of Steno's is imitated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from hypothesis import strategies as st

import steno
from steno import Message
from steno.core.draft import Draft
from steno.core.effects import Asks, Rounds
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.message import Call, Result, Span, Text, Thinking, user_message
from steno.models import Answer, Ask, NoAnswer, Reply
from steno.rungs import Rung

WAYS = ("answer", "answer", "silence", "ramble", "raise", "rubbish", "nothing")


@dataclass
class Script:
    """Answers an ask by the number in its prompt, so that the order of threads does not matter."""

    ways: tuple[str, ...]
    heard: list[str] = field(default_factory=list)
    name: str = "scripted"

    def answer(self, ask: Ask) -> Reply:
        self.heard.append(ask.prompt)
        return self._reply(ask)

    def _reply(self, ask: Ask) -> Any:
        way = self.ways[sum(map(int, ask.prompt.split()[0].split("."))) % len(self.ways)]
        match way:
            case "answer":
                return Answer(f"the short of {ask.prompt}")
            case "silence":
                return NoAnswer("overloaded")
            case "ramble":
                return Answer("and so on " * 5_000)
            case "raise":
                raise ConnectionError("no route")
            case "stop":
                raise StopIteration("a bug of the model's")
            case "memory":
                raise MemoryError
            case "recursion":
                raise RecursionError
            case "rubbish":
                return {"text": "not a reply"}
        return None


class Later(Script):
    """The same on an event loop."""

    async def answer(self, ask: Ask) -> Reply:  # type: ignore[override]
        self.heard.append(ask.prompt)
        return self._reply(ask)


class Asking(Rung, frozen=True, tag="asking"):
    """Asks `width` questions in each of some rounds, and shows the last answers for every
    stretch.
    """

    rounds: int = 2
    width: int = 3

    def ask(self, draft: Draft, rounds: Rounds) -> Asks:
        if len(rounds) >= self.rounds:
            return ()
        return tuple(
            Ask(f"{len(rounds)}.{n} of {draft.load}", max_tokens=50) for n in range(self.width)
        )

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        answers = [
            reply.text for replies in rounds for reply in replies if isinstance(reply, Answer)
        ]
        return tuple(
            self._summary(draft, first, last, answers)
            for first, last in draft.stretches()
            if answers
        )

    def _summary(self, draft: Draft, first: int, last: int, answers: list[str]) -> Proposal:
        covered = draft.view.items[first:last]
        span = Span(covered[0].span.start, covered[-1].span.stop)
        level = 1 + max(item.level for item in covered)
        said = user_message(f"[{span}] " + "; ".join(answers), by="steno")
        return Proposal((Edit(span, (said,), self.label, level=level),), self.label)


class Endless(Rung, frozen=True, tag="endless"):
    """Never has enough."""

    def ask(self, draft: Draft, rounds: Rounds) -> Asks:
        return (Ask(f"{len(rounds)} and another", max_tokens=10),)


RECKLESS = (
    "covers the tail",
    "covers all",
    "covers a pin",
    "parts a batch",
    "hides the beginning",
    "says more",
    "misfits",
    "overlaps",
    "renames a call",
    "drops a result",
    "drops a call",
    "empties a result",
    "cuts a pin short",
    "drops the thinking",
)
OUTRAGEOUS = (*RECKLESS, "drops the oldest thought of the turn", "calls and gets no answer")


class Reckless(Rung, frozen=True, tag="reckless"):
    """Proposes what should not be.

    Each way is one that a check must see, or that must do no harm.
    """

    how: str

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        return tuple(Proposal(edits, self.label) for edits in self._edits(draft))

    def _edits(self, draft: Draft) -> Iterator[tuple[Edit, ...]]:
        items, tail = draft.view.items, draft.tail_start
        end = len(draft.view.messages)
        match self.how:
            case "covers the tail":
                yield from ((_cover(item.span.start, end),) for item in items[-3:])
            case "covers all":
                yield (_cover(0, end),)
            case "covers a pin":
                yield from ((_cover(pin, pin + 1),) for pin in sorted(draft.pins) if pin < end)
                yield from ((_cover(pin, end),) for pin in sorted(draft.pins) if pin < end)
            case "parts a batch":
                yield from ((_cover(item.span.start, item.span.stop),) for item in items)
                yield from ((_cover(0, item.span.stop),) for item in items)
            case "hides the beginning":
                yield from (
                    (Edit(Span(0, item.span.stop), (), self.label),) for item in reversed(items)
                )
            case "calls and gets no answer":
                calls = Message("assistant", (Call("call_else", "run", "{}"),), by="steno")
                yield (Edit(Span(0, tail), (user_message("short", by="steno"), calls), self.label),)
            case "drops the oldest thought of the turn":
                spoken = max((at for at, item in enumerate(items) if _user_speaks(item)), default=0)
                thoughts = (edit for item in items[spoken:] for edit in self._within(draft, item))
                yield from ((edit,) for edit in islice(thoughts, 1))
            case "says more":
                yield (_cover(0, tail, "more " * 20_000),)
            case "misfits":
                yield (_cover(0, end + 3),)
                yield (_cover(2, 2),)
                yield (Edit(Span(0, 1), (user_message("x"),), self.label, block=99),)
            case "overlaps":
                yield (_cover(0, tail), _cover(0, tail))
                yield (_cover(0, max(1, tail - 1)), _cover(max(0, tail - 2), tail))
            case _:
                yield from ((edit,) for item in items for edit in self._within(draft, item))

    def _within(self, draft: Draft, item: Item) -> Iterator[Edit]:
        pinned = item.span.start in draft.pins
        for at, _, shown in draft.view.blocks(item):
            match self.how, shown[0] if shown else None:
                case "renames a call", Call(name=name):
                    yield _block(item, at, Call("call_else", name, "{}"))
                case "drops a result", Result():
                    yield _block(item, at)
                case "drops a call", Call():
                    yield _block(item, at)
                case "empties a result", Result(call=call):
                    yield _block(item, at, Result(call, (Text("short"),)))
                case "cuts a pin short", Text() if pinned:
                    yield _block(item, at, Text("short"))
                case "drops the thinking" | "drops the oldest thought of the turn", Thinking():
                    yield _block(item, at)


def _user_speaks(item: Item) -> bool:
    return any(message.role == "user" and not message.only_results for message in item.shows)


def _cover(start: int, stop: int, text: str = "short") -> Edit:
    return Edit(Span(start, stop), (user_message(text, by="steno"),), "reckless", level=1)


def _block(item: Item, at: int, *blocks: Any) -> Edit:
    return Edit(
        item.span, (Message("user", blocks, by="steno"),) if blocks else (), "reckless", block=at
    )


def scripts(ways: tuple[str, ...] = WAYS) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(ways), min_size=1, max_size=6).map(tuple)


class Broken(steno.rungs.Rung, frozen=True):
    error: str = "plain"

    def edit(self, draft: Any, rounds: Any) -> tuple[steno.core.log.Proposal, ...]:
        raise {"plain": RuntimeError, "memory": MemoryError, "recursion": RecursionError}[
            self.error
        ]("no luck")
