"""Conversations in the abstract: beats, small values that shrink well, and the lines they make.

Owns what real sessions were seen to hold, whole and broken. A plan is a list of
beats; `lines` numbers their calls and texts and remembers which calls wait. How a
provider writes a line is in `provider_json.py`, how plans are drawn in `conversations.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

WHOLE = ("whole", "whole", "swapped", "split")
CRACKED = ("interrupted", "partial", "reused", "twins", "nameless", "nested")
"""How a batch is answered: as every provider wants it, and as it happens."""


# What may be said, before it has a number


@dataclass(frozen=True)
class Words:
    """A text that is long without being big to draw."""

    unit: str
    times: int

    def __str__(self) -> str:
        return self.unit * self.times


@dataclass(frozen=True)
class Use:
    """A call and the result it will have."""

    wants: Words
    gives: Words
    failed: bool = False
    pictured: bool = False


@dataclass(frozen=True)
class Asks:
    """The user says something."""

    words: Words
    odd: str = ""
    by_the_way: bool = False
    """In one message with the results before it, where the wire allows."""


@dataclass(frozen=True)
class Tells:
    words: Words
    odd: str = ""


@dataclass(frozen=True)
class Notes:
    """A system message in the middle."""

    words: Words


@dataclass(frozen=True)
class Batch:
    """Calls made at once, and how their results come."""

    uses: tuple[Use, ...]
    words: Words | None = None
    how: str = "whole"
    """whole, swapped, split, interrupted, partial, reused, twins, nameless, nested."""


@dataclass(frozen=True)
class Stray:
    """A result nobody waits for: late, again, or orphaned."""

    kind: str
    gives: Words


@dataclass(frozen=True)
class Blank:
    role: str
    form: str


Beat = Asks | Tells | Notes | Batch | Stray | Blank


@dataclass(frozen=True)
class Plan:
    beats: tuple[Beat, ...]
    thinks: str = "never"
    """never, always, first (where a turn begins), or some (there, and at times later)."""
    ends: str = "closed"
    """closed, pending or partial."""
    begins: str = "user"
    odd: bool = False
    """Messages carry fields nobody knows."""
    marked: bool = False

    @property
    def whole(self) -> bool:
        """Nothing in it needs mending."""
        torn = (
            isinstance(beat, Stray | Blank) or getattr(beat, "how", "") in CRACKED
            for beat in self.beats
        )
        return self.begins == "user" and not any(torn)


# Numbered


@dataclass(frozen=True)
class Called:
    id: str | None
    name: str
    arguments: Json


@dataclass(frozen=True)
class Returned:
    id: str | None
    text: str
    failed: bool = False
    pictured: bool = False


@dataclass(frozen=True)
class Line:
    """One message, before it is anybody's JSON."""

    role: str
    text: str | None = None
    thinking: str | None = None
    calls: tuple[Called, ...] = ()
    results: tuple[Returned, ...] = ()
    odd: str = ""
    blank: str | None = None
    joins: bool = False


@dataclass
class _Scribe:
    """Numbers what a plan leaves unnumbered, and remembers which calls wait."""

    plan: Plan
    serial: int = 0
    ids: int = 0
    unanswered: list[Called] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    fresh_turn: bool = True

    def said(self, words: Words) -> str:
        self.serial += 1
        return f"{self.serial}: {words}"

    def thought(self) -> str | None:
        later = self.plan.thinks == "some" and self.serial % 2
        thinks = (
            self.plan.thinks == "always"
            or later
            or (self.plan.thinks != "never" and self.fresh_turn)
        )
        self.fresh_turn = False
        return self.said(Words("hm ", 2)) if thinks else None

    def assistant(self, words: Words | None, calls: tuple[Called, ...] = (), odd: str = "") -> Line:
        return Line(
            "assistant", self.said(words) if words else None, self.thought(), calls, odd=odd
        )

    def calls(self, batch: Batch) -> tuple[Called, ...]:
        return tuple(self._call(use, at, batch.how) for at, use in enumerate(batch.uses))

    def _call(self, use: Use, at: int, how: str) -> Called:
        name = ("read_file", "run", "search-web")[at % 3]
        arguments = {
            "path": f"src/{self.serial}.py",
            "content": self.said(use.wants),
            "exact": 1.5,
            "none": None,
        }
        if how == "nameless":
            return Called(None, name, arguments)
        if how == "reused" and self.answered:
            return Called(self.answered[at % len(self.answered)], name, arguments)
        if how != "twins" or at == 0:
            self.ids += 1
        return Called(f"call_{self.ids}", name, arguments)

    def result(self, call: Called, use: Use) -> Returned:
        if call.id:
            self.answered.append(call.id)
        return Returned(call.id, self.said(use.gives), use.failed, use.pictured)

    def batch(self, batch: Batch) -> Iterator[Line]:
        calls = self.calls(batch)
        yield self.assistant(batch.words, calls)
        pairs = list(zip(calls, batch.uses, strict=True))
        if batch.how == "nested":
            yield from self.batch(Batch(batch.uses[:1]))
        if batch.how == "swapped":
            pairs.reverse()
        if batch.how in ("interrupted", "partial"):
            kept = 0 if batch.how == "interrupted" else len(pairs) // 2
            self.unanswered += [call for call, _ in pairs[kept:]]
            pairs = pairs[:kept]
        results = tuple(self.result(call, use) for call, use in pairs)
        groups = [(each,) for each in results] if batch.how == "split" else [results]
        yield from (Line("tool", results=group) for group in groups if group)

    def stray(self, stray: Stray) -> Line:
        text = self.said(stray.gives)
        if stray.kind == "late" and self.unanswered:
            return Line("tool", results=(Returned(self.unanswered.pop(0).id, text),))
        if stray.kind == "again" and self.answered:
            return Line("tool", results=(Returned(self.answered[-1], text),))
        return Line(
            "tool", results=(Returned(None if stray.kind == "nameless" else "call_lost", text),)
        )

    def beat(self, beat: Beat) -> Iterator[Line]:
        match beat:
            case Asks(words, odd, joins):
                self.fresh_turn = True
                yield Line("user", self.said(words), odd=odd, joins=joins)
            case Tells(words, odd):
                yield self.assistant(words, odd=odd)
            case Notes(words):
                self.fresh_turn = True
                yield Line("system", self.said(words))
            case Batch():
                yield from self.batch(beat)
            case Stray():
                yield self.stray(beat)
            case Blank(role, form):
                yield Line(role, blank=form)


def lines(plan: Plan) -> list[Line]:
    scribe = _Scribe(plan)
    found = list(scribe.beat(Asks(Words("please ", 3)))) if plan.begins == "user" else []
    for beat in plan.beats:
        found += scribe.beat(beat)
    if plan.ends != "closed":
        how = "interrupted" if plan.ends == "pending" else "partial"
        uses = (Use(Words("x", 1), Words("ok ", 5)),) * 2
        found += scribe.beat(Batch(uses, how=how))
    return found
