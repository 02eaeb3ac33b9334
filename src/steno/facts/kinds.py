"""The kinds of facts, one value each.

A kind says which reader finds its facts, which section of a summary shows them,
how many lines that section has, and whether its facts stand until a later one ends
them. The ledger and the sections of a summary read this table, so that a new kind is
one reader and one value here; the question that it answers is a row in `checks/questions`.
Identifiers are not in it: they are many, and are read by those who ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from steno.core.message import Message, Value
from steno.facts.artifacts import read_artifacts
from steno.facts.decisions import read_decisions, read_doubts
from steno.facts.errors import read_errors
from steno.facts.fact import Fact
from steno.facts.open_loops import read_open_loops
from steno.facts.standing import read_standing


class FactKind(Value):
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
    when_asked: bool = False
    """Whether it is read only when someone asks for it: most compactions show none of them."""
    ended_by: str = ""
    """`Fact.kind` of the facts that end one that stands."""


KINDS = (
    FactKind(name="constraint", read=read_standing, section="CONSTRAINTS", stands=True),
    FactKind(
        name="open",
        read=read_open_loops,
        section="OPEN",
        lines_most=24,
        stands=True,
        ended_by="close",
    ),
    FactKind(
        name="decision", read=read_decisions, section="DECISIONS", lines_most=8, when_asked=True
    ),
    FactKind(name="marker", read=read_doubts, section="DOUBTS", lines_most=4, when_asked=True),
    FactKind(name="artifact", read=read_artifacts, section="ARTIFACTS", lines_most=400),
    FactKind(name="error", read=read_errors, section="ERRORS", lines_most=8),
)
"""In the order in which the readers read a message, which is the order of stored facts."""


def stated_kinds() -> tuple[str, ...]:
    """Return every `Fact.kind` that the readers of `KINDS` return."""
    return tuple(name for kind in KINDS for name in (kind.name, kind.ended_by) if name)
