"""A constraint for a session: given from outside the conversation, or found in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from steno.core.errors import BadInput
from steno.core.message import Value

TEXT_MOST = 2_000
"""Characters of one constraint."""
GIVEN_MOST = 200
"""Constraints that a session can be given."""
ID_MOST = 64

Source = Literal["given", "found"]


class ConstraintChange(Value, gc=False):
    """Earlier words of a constraint, or what changed them."""

    text: str
    at: int
    """Position that said it; for a given one, how many messages there were."""
    what: str
    """"given", "edited" or "retired"; "said" if it was found."""


class Constraint(Value, gc=False):
    """One constraint: pass a text, with an id if it should be easy to name later.

    >>> Session(constraints=[Constraint("Never touch production.", id="production")])
    """

    text: str
    id: str = ""
    source: Source = "given"
    """Whether it was given from outside, or a person or the system said it in a message."""
    position: int | None = None
    """Position of the message that says it, if it was found."""
    history: tuple[ConstraintChange, ...] = ()
    """What it said before, oldest first."""


def as_constraint(given: object) -> Constraint:
    """Return a given text or value as a constraint; refuse what cannot be one."""
    if isinstance(given, str):
        given = Constraint(given)
    if not isinstance(given, Constraint):
        raise BadInput(
            "constraints= takes texts or steno.Constraint values, "
            f"got {type(given).__name__}: {str(given)[:40]!r}"
        )
    return Constraint(checked_text(given.text), checked_id(given.id))


def as_constraints(given: Iterable[object]) -> tuple[Constraint, ...]:
    """Return what a caller gives as `constraints=`, checked."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        hint = "put it in a list"
        if isinstance(given, Mapping):
            hint = "for a text with an id, pass steno.Constraint(text, id=…)"
        raise BadInput(f"constraints= takes a list of texts, got {type(given).__name__}: {hint}")
    found = tuple(as_constraint(each) for each in given)
    ids = [each.id for each in found if each.id]
    for id in ids:
        if ids.count(id) > 1:
            raise BadInput(f"two constraints have the id {id!r}: an id names one")
    return found


def checked_text(text: object) -> str:
    """Return the words of a constraint on one line; refuse none, and too many."""
    if not isinstance(text, str) or not text.strip():
        raise BadInput("a constraint is a text that says something")
    flat = " ".join(text.split())
    if len(flat) > TEXT_MOST:
        raise BadInput(
            f"a constraint has at most {TEXT_MOST:,} characters, this one has {len(flat):,}: "
            "say it shorter, or give several"
        )
    return flat


def checked_id(id: object) -> str:
    """Return an id; it is one word, so that a command line and a reader can name it."""
    if not isinstance(id, str) or len(id) > ID_MOST or any(map(str.isspace, id)):
        raise BadInput(f"the id of a constraint is one word of at most {ID_MOST} letters: {id!r}")
    if not id.isprintable():
        raise BadInput(f"the id of a constraint is printable: {id!r}")
    return id
