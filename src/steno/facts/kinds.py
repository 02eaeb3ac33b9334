"""The kinds of facts, one value each.

A kind says which reader finds its facts, which section of a summary shows them,
how many lines that section has, whether its facts stand until a later one ends
them, and which question a fact answers. The ledger, the sections of a summary and
the questions of a probe read this table, so that a new kind is one reader and one
value here. Identifiers are not in it: they are many, and are read by those who
ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from steno.core.message import Message
from steno.facts.artifacts import read_artifacts
from steno.facts.decisions import read_decisions
from steno.facts.doubts import read_doubts
from steno.facts.errors import read_errors
from steno.facts.fact import Fact
from steno.facts.open_loops import read_open_loops
from steno.facts.question import (
    Question,
    decision_question,
    error_question,
    file_question,
    loop_question,
    rule_question,
)
from steno.facts.rules import read_rules


@dataclass(frozen=True)
class FactKind:
    """How one kind of fact is found, shown and asked about."""

    name: str
    """`Fact.kind` of its facts."""
    read: Callable[[Message], Iterator[Fact]]
    """Find the facts of one message; it may also return the facts that end earlier ones."""
    section: str
    """Heading of the section that shows them in a summary."""
    lines_most: int | None = None
    """Lines of that section; None for as many as there are."""
    stands: bool = False
    """Whether a fact holds until another ends it. It is then shown word for word, always."""
    ended_by: str = ""
    """`Fact.kind` of the facts that end one that stands."""
    asked_as: str = ""
    """Name of its questions in a probe; empty if there are none."""
    question: Callable[[Any], Question | None] | None = None
    """Make a question of one item of `Ledger.standing(name)`; None if it makes no good one."""


KINDS = (
    FactKind(
        name="constraint",
        read=read_rules,
        section="CONSTRAINTS",
        stands=True,
        ended_by="release",
        asked_as="ruled",
        question=rule_question,
    ),
    FactKind(
        name="open",
        read=read_open_loops,
        section="OPEN",
        lines_most=24,
        stands=True,
        ended_by="close",
        asked_as="open",
        question=loop_question,
    ),
    FactKind(
        name="decision",
        read=read_decisions,
        section="DECISIONS",
        lines_most=8,
        asked_as="decided",
        question=decision_question,
    ),
    FactKind(name="marker", read=read_doubts, section="DOUBTS", lines_most=4),
    FactKind(
        name="artifact",
        read=read_artifacts,
        section="ARTIFACTS",
        lines_most=400,
        asked_as="changed",
        question=file_question,
    ),
    FactKind(
        name="error",
        read=read_errors,
        section="ERRORS",
        lines_most=8,
        asked_as="failed",
        question=error_question,
    ),
)
"""In the order in which the readers read a message, which is the order of stored facts."""


def stated_kinds() -> tuple[str, ...]:
    """Return every `Fact.kind` that the readers of `KINDS` return."""
    found: list[str] = []
    for kind in KINDS:
        found.append(kind.name)
        if kind.ended_by:
            found.append(kind.ended_by)
    return tuple(found)
