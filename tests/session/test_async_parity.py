"""`AsyncSession` has every name of `Session`, with the same parameters."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import steno

NAMES_MOST = 31


def public_names(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def parameters_of(function: Any) -> list[tuple[str, Any, Any, Any]]:
    """Return the parameters of a method without `self`, as far as a caller sees them."""
    parameters = list(inspect.signature(function).parameters.values())
    return [(each.name, each.kind, each.default, each.annotation) for each in parameters[1:]]


def test_both_have_the_same_names() -> None:
    blocking = public_names(steno.Session)
    waiting = {name for name in dir(steno.AsyncSession) if not name.startswith("_")}
    assert blocking == waiting


def test_session_stays_small() -> None:
    assert len(public_names(steno.Session)) <= NAMES_MOST
    assert steno.Session.__mro__ == (steno.Session, object)


@pytest.mark.parametrize("name", sorted(public_names(steno.Session) | {"__init__"}))
def test_both_take_the_same_parameters(name: str) -> None:
    blocking = inspect.getattr_static(steno.Session, name)
    waiting = inspect.getattr_static(steno.AsyncSession, name)
    assert isinstance(blocking, property) == isinstance(waiting, property)
    if isinstance(blocking, property):
        return
    assert waiting.__doc__
    here, there = parameters_of(blocking), parameters_of(waiting)
    if name == "call":
        # What sends the request is awaited.
        assert [each[:3] for each in here] == [each[:3] for each in there]
        return
    assert here == there


@pytest.mark.parametrize("name", sorted(public_names(steno.Session)))
def test_both_say_the_same_return_type(name: str) -> None:
    returned = {"fork": "AsyncSession", "guard": "AsyncIterator[None]"}
    returned["compact_soon"] = "asyncio.Future[Commit | None]"
    if isinstance(inspect.getattr_static(steno.AsyncSession, name), property):
        return
    expected = inspect.signature(getattr(steno.Session, name)).return_annotation
    found = inspect.signature(getattr(steno.AsyncSession, name)).return_annotation
    assert found == returned.get(name, expected)
