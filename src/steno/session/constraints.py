"""Constraints: constraints that are given to a session from outside its conversation.

Each change is one record beside the log. Only a caller of these methods can give, edit or retire
one: messages, tool results and files cannot.

A constraint that was found in a message can be retired or edited here too. The message stays as it
is, and may still be shown, so the block says what holds instead of its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

import msgspec

from steno.core.constraint import (
    GIVEN_MOST,
    Constraint,
    ConstraintChange,
    as_constraint,
    as_constraints,
    checked_text,
)
from steno.core.errors import BadInput
from steno.core.message import Value
from steno.facts.constraints import found_constraints
from steno.facts.ledger import Ledger
from steno.session.journal import Journal
from steno.session.records import Entry
from steno.summary.wording import ENGLISH

CONSTRAINT_KIND = "constraint"
"""Kind of the records that hold them."""


class GivenConstraint(Value):
    """A constraint that was given, and whether it was retired since."""

    constraint: Constraint
    retired: bool = False
    of: Constraint | None = None
    """The constraint of a message that this one ends, or gives other words."""

    @property
    def texts(self) -> set[str]:
        """Everything it ever said."""
        return {change.text for change in self.constraint.history}


def read_given(records: Iterable[Entry]) -> dict[str, GivenConstraint]:
    """Return every constraint that these records give, by its id, in the order of giving."""
    known: dict[str, GivenConstraint] = {}
    for record, value in records:
        id = value["id"]
        if "of" in value:
            # By its words: which number a sentence has may change with the version that reads it.
            place = _place_of(value["of"])
            known[place] = _overruling(value, record.at, known.get(place))
            continue
        old, what = Constraint("", id), "given"
        if id in known:
            old, what = known[id].constraint, "edited"
        if value.get("retired"):
            known[id] = GivenConstraint(_with_change(old, old.text, record.at, "retired"), True)
            continue
        known[id] = GivenConstraint(_with_change(old, value["text"], record.at, what))
    return known


def _overruling(
    value: Mapping[str, Any], at: int, before: GivenConstraint | None
) -> GivenConstraint:
    """Return what was decided from outside about a constraint of a message."""
    said = ConstraintChange(value["of"], value["position"], "said")
    found = Constraint(value["of"], value["id"], "found", value["position"], (said,))
    if before is not None and before.of is not None:
        found = before.of
    text = value.get("text")
    if text is None:
        of = _with_change(found, found.text, at, "retired")
        shown = f"{ENGLISH['retired']}“{value['of']}”"
    else:
        of = _with_change(found, text, at, "edited")
        shown = ENGLISH["edited"].format(of=value["of"]) + text
    return GivenConstraint(msgspec.structs.replace(of, text=shown), text is None, of)


def in_force(known: Mapping[str, GivenConstraint]) -> tuple[Constraint, ...]:
    """Return what the block shows: constraints in force, and retired constraints of messages."""
    return tuple(
        given.constraint for given in known.values() if given.of is not None or not given.retired
    )


def standing_constraints(
    known: Mapping[str, GivenConstraint], found: Iterable[Constraint]
) -> list[Constraint]:
    """Return what holds: constraints given, then those found in messages, as they were ruled on."""
    standing = [each.constraint for each in known.values() if each.of is None and not each.retired]
    for constraint in found:
        ruling = known.get(_place_of(constraint.text))
        if ruling is None or ruling.of is None:
            standing.append(constraint)
        elif not ruling.retired:
            # In the words that it was given from outside.
            history = (*constraint.history, *ruling.of.history[1:])
            text = ruling.of.text
            standing.append(msgspec.structs.replace(constraint, text=text, history=history))
    return standing


def retired_constraints(known: Mapping[str, GivenConstraint]) -> list[Constraint]:
    """Return the constraints that were retired, those of messages too."""
    return [each.of or each.constraint for each in known.values() if each.retired]


def _place_of(words: str) -> str:
    """Return the key of what was decided about words of a message."""
    return f"said: {words}"


def _with_change(constraint: Constraint, text: str, at: int, what: str) -> Constraint:
    change = ConstraintChange(text, at, what)
    history = (*constraint.history, change)
    return msgspec.structs.replace(constraint, text=text, history=history)


class Constraints:
    """The constraints of one session: given, reworded, retired, listed, shown."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._known: dict[str, GivenConstraint] = {}
        self._read = 0
        self._changed_at = 0

    def give(self, constraints: Iterable[object]) -> None:
        """Give what a caller passes each time it opens the session."""
        for constraint in as_constraints(constraints):
            # The same words again change nothing: a person may have edited or retired them since.
            known = self._same(constraint)
            if known is None or constraint.text not in known.texts:
                self.set(constraint.text, constraint.id or None)

    def set(self, text: str, id: str | None = None) -> Constraint:
        """Give a constraint, or other words to the one of this id; return it."""
        given = as_constraint(Constraint(text, id or ""))
        with self._journal.lock:
            known = self._all()
            id = given.id or next(new for at in count(1) if (new := f"c{at}") not in known)
            if _is_found_id(id):
                raise BadInput(
                    f"the id {id!r} is that of a constraint of the conversation: choose another one"
                )
            if self._journal.clean(id) != id:
                # Taken out, it would be another id each time the session is opened.
                raise BadInput("the id of this constraint holds a secret: choose another one")
            standing = sum(not each.retired for each in known.values())
            if id not in known and standing >= GIVEN_MOST:
                raise BadInput(f"a session takes {GIVEN_MOST} constraints: retire some first")
            self._record({"id": id, "text": given.text})
            return self._known[id].constraint

    def retire(self, id: str) -> Constraint:
        """Take a constraint out of force and return it; its record stays."""
        with self._journal.lock:
            if _is_found_id(id):
                return self._overrule(id, None)
            given = self._standing(id)
            self._record({"id": id, "retired": True})
            return given

    def edit(self, id: str, text: str) -> Constraint:
        """Give a constraint that stands other words; return it."""
        with self._journal.lock:
            if _is_found_id(id):
                return self._overrule(id, checked_text(text))
            self._standing(id)
            return self.set(checked_text(text), id)

    def _overrule(self, id: str, text: str | None) -> Constraint:
        """End a constraint of a message, or give it other words; return it."""
        found = {each.id: each for each in self._find_constraints()}
        if id not in found:
            listed = ", ".join(found) or "none"
            raise BadInput(f"there is no constraint {id!r} in the conversation; there are {listed}")
        constraint = found[id]
        ruling: dict[str, Any] = {"id": id, "of": constraint.text, "position": constraint.position}
        if text is not None:
            ruling["text"] = text
        self._record(ruling)
        of = self._known[_place_of(constraint.text)].of
        assert of is not None
        return of

    def _record(self, value: dict[str, Any]) -> None:
        self._journal.records.add(CONSTRAINT_KIND, value)
        self._journal.records.read()
        self.show()

    def _find_constraints(self) -> list[Constraint]:
        self._journal.refresh()
        self._journal.load_facts()
        return found_constraints(Ledger.of(self._journal.log.messages))

    def listed(self) -> list[Constraint]:
        """Return the constraints in force: those given, then those found in messages."""
        with self._journal.lock:
            return standing_constraints(self._all(), self._find_constraints())

    def show(self) -> None:
        """Let the view begin with the block of constraints, as records were last read."""
        with self._journal.lock:
            known = self._take_in(self._journal.records.known(CONSTRAINT_KIND))
            self._journal.given = in_force(known)
            self._journal.given_at = self._changed_at
            self._journal.show_constraints()

    def are_only(self, given: Iterable[object]) -> bool:
        """Tell whether nothing but these was given, edited or ruled on, by the records read."""
        known = self._take_in(self._journal.records.known(CONSTRAINT_KIND))
        texts = {constraint.text for constraint in as_constraints(given)}
        return all(
            each.of is None and not each.retired and each.texts <= texts for each in known.values()
        )

    def _same(self, constraint: Constraint) -> GivenConstraint | None:
        """Return what was given before under this id; without an id, in these words."""
        known = self._all()
        if constraint.id:
            return known.get(constraint.id)
        for each in known.values():
            if constraint.text in each.texts:
                return each
        return None

    def _standing(self, id: str) -> Constraint:
        known = self._all()
        if id in known and not known[id].retired:
            return known[id].constraint
        listed = ", ".join(each.id for each in self.listed()) or "none"
        raise BadInput(f"there is no constraint {id!r} in force; there are {listed}")

    def _all(self) -> dict[str, GivenConstraint]:
        """Return everything that was ever given, with what other processes changed."""
        return self._take_in(self._journal.records.of(CONSTRAINT_KIND))

    def _take_in(self, records: list[Entry]) -> dict[str, GivenConstraint]:
        # Records are only added, so a change by another process shows in their number.
        if len(records) != self._read:
            self._known = read_given(records)
            self._read = len(records)
            self._changed_at = records[-1][0].at
        return self._known


def _is_found_id(id: str) -> bool:
    """Tell whether an id names a place in the conversation: m12, or m12.2."""
    place = id.removeprefix("m")
    return place != id and place.replace(".", "", 1).isdecimal()
