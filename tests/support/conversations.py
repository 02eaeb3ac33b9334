"""Conversations to try Steno on, drawn by hypothesis.

Owns how likely each kind is: tool loops in sequence, in parallel and nested, thinking, media,
unicode, giant results, and everything broken that mending promises to repair. What can be said
at all is in `conversation_plans.py`; sessions are in `session_cases.py`.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

from hypothesis import strategies as st

from tests.support.conversation_plans import (
    CRACKED,
    WHOLE,
    Asks,
    Batch,
    Beat,
    Blank,
    Notes,
    Plan,
    Stray,
    Tells,
    Use,
    Words,
)
from tests.support.provider_json import Wire, Written, written

UNITS = (
    "word ",
    "line of a log 12:00\n",
    "漢字かな。",
    "🙂👩‍👩‍👧 ",
    "e\u0301a\u0308 ",
    '{"k": [1, 2]}, ',
    "</steno-0> ",
)
TIMES = (1, 2, 5, 20, 60, 250)
GIANT = (600, 1_500)
TORN = ("half \ud83d pair ", "\udc00")


@cache
def words(*, broken: bool = False, times: tuple[int, ...] = TIMES) -> st.SearchStrategy[Words]:
    torn = [Words(unit, 3) for unit in TORN] if broken else []
    return st.sampled_from([Words(unit, count) for count in times for unit in UNITS] + torn)


@cache
def uses(*, broken: bool) -> st.SearchStrategy[Use]:
    """Drawn as one number, because hypothesis pays by the draw."""
    torn = [Words(unit, 3) for unit in TORN] if broken else []
    wants = [Words(unit, count) for count in (1, 60, 600) for unit in UNITS[::2]] + torn
    gives = [Words(unit, count) for count in (*TIMES, *GIANT) for unit in UNITS] + torn
    kinds = ((False, False), (False, True), (True, False))
    return st.sampled_from([Use(w, g, *kind) for kind in kinds for w in wants for g in gives])


ODD = ("", "", "picture", "file", "parts")


@cache
def batches(*, broken: bool) -> st.SearchStrategy[Batch]:
    several = st.lists(uses(broken=broken), min_size=1, max_size=4).map(tuple)
    hows = st.sampled_from((*WHOLE, *CRACKED) if broken else WHOLE)
    return st.builds(Batch, several, st.none() | words(broken=broken), hows)


@cache
def beats(*, broken: bool, strange: bool) -> st.SearchStrategy[Beat]:
    more = (("strange",) if strange else ()) + (() if broken else ("paused",))
    odd = st.sampled_from((*ODD, *more))
    kinds: list[st.SearchStrategy[Any]] = [
        st.builds(Asks, words(broken=broken), odd, st.booleans()),
        st.builds(Tells, words(broken=broken), odd),
        batches(broken=broken),
        batches(broken=broken),
        st.builds(Notes, words()),
    ]
    if broken:
        strays = st.sampled_from(("late", "late", "again", "orphaned", "nameless"))
        forms = st.sampled_from(("none", "list", "empty", "white"))
        kinds.append(st.builds(Stray, strays, words(broken=True)))
        kinds.append(st.builds(Blank, st.sampled_from(("user", "assistant")), forms))
    return st.one_of(kinds)


@cache
def plans(
    *, broken: bool = False, strange: bool = False, least: int = 6, most: int = 12
) -> st.SearchStrategy[Plan]:
    """Plans of conversations; broken ones hold everything that mending promises to repair."""
    said = st.lists(beats(broken=broken, strange=strange), min_size=least, max_size=most).map(tuple)
    # In broken input a turn may begin anywhere, so there thinking stands in every message or in
    # none.
    thinks = ("never", "always") if broken else ("never", "always", "first", "some")
    ends = ("closed", "pending", "partial")
    begins = ("user", "user", "anyone") if broken else ("user",)
    kinds = list(product(thinks, ends, begins, (False, True), (False, True)))
    return st.builds(lambda beats, kind: Plan(beats, *kind), said, st.sampled_from(kinds))


def loops() -> st.SearchStrategy[Written]:
    """One long tool loop of Anthropic's, with thinking at its start and at times later, still
    open at the end.
    """
    said = st.lists(batches(broken=False), min_size=4, max_size=10).map(tuple)
    ends = st.sampled_from(("closed", "pending", "partial"))
    return st.builds(lambda beats, end: written(Plan(beats, "some", end), "anthropic"), said, ends)


def conversations(
    wire: Wire, *, broken: bool = False, strange: bool = False
) -> st.SearchStrategy[Written]:
    """A provider's list of messages."""
    return plans(broken=broken, strange=strange).map(lambda plan: written(plan, wire))
