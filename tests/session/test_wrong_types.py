"""No public function takes a value of another type than it says, or fails on it unclearly."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from enum import Enum
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from openai import OpenAI

import steno
from steno.adapters.langchain import StenoMiddleware
from steno.adapters.langgraph import CompactingSupervisor, HistoryManager
from steno.adapters.mcp import McpSessions
from steno.core.arguments import check_arguments
from steno.proxy.conversations import Conversations
from steno.proxy.server import ProxySettings
from steno.proxy.upstreams import read_upstreams
from steno.session.options import SessionOptions
from steno.store.sqlite import SQLiteStore
from tests.support.langgraph_agents import chat_graph

SIZED: dict[str, Any] = {"wire": "openai", "window": 8_000}
TALK = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
ANY_VALUE = frozenset(
    # Objects of the caller's or of a provider, which only their wire can judge.
    ("agent", "call", "client", "messages", "system", "tools", "usage")
)


class Odd:
    """What no parameter takes."""


async def open_async(**options: Any) -> None:
    async with steno.AsyncSession(**SIZED | options):
        pass


MAKERS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "Session": (steno.Session, lambda **given: steno.Session(**SIZED | given)),
    "AsyncSession": (steno.AsyncSession, lambda **given: asyncio.run(open_async(**given))),
    "compact": (steno.compact, lambda **given: steno.compact(TALK, **SIZED | given)),
    "wrap": (steno.wrap, lambda **given: steno.wrap(OpenAI(api_key="any"), **given)),
    "StenoMiddleware": (StenoMiddleware, lambda **given: StenoMiddleware(**{"window": 9} | given)),
    "CompactingSupervisor": (
        CompactingSupervisor,
        lambda **given: CompactingSupervisor(chat_graph(InMemorySaver()), **given),
    ),
    "HistoryManager": (HistoryManager, lambda **given: HistoryManager(**given)),
    "McpSessions": (
        McpSessions,
        lambda **given: McpSessions(**{"open_store": lambda: None} | given),
    ),
    "Conversations": (
        Conversations,
        lambda **given: Conversations(
            **{"store": None, "options": SessionOptions(window=8_000)} | given
        ),
    ),
    "ProxySettings": (
        ProxySettings,
        lambda **given: ProxySettings(
            **{"upstreams": read_upstreams(["http://localhost:1"], {})} | given
        ),
    ),
    "SQLiteStore": (SQLiteStore, lambda **given: SQLiteStore(**{"path": "/nowhere/a.db"} | given)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_no_parameter_takes_an_odd_value(name: str) -> None:
    taker, make = MAKERS[name]
    for parameter in inspect.signature(taker).parameters:
        if parameter in ANY_VALUE:
            continue
        for odd in (Odd(), [Odd()], 3j, {Odd(): 3}):
            with pytest.raises(steno.StenoError) as refused:
                make(**{parameter: odd})
            assert _is_clear(refused.value), parameter


NEEDED: dict[str, dict[str, Any]] = {
    "call": {"fn": lambda request: request},
    "open": {"where": 0},
    "pin": {"what": 0},
    "recall": {"query": "a"},
    "retire_constraint": {"id": "c9"},
    "set_constraint": {"text": "Never push."},
    "set_quota": {"quota": "normal"},
    "unpin": {"position": 0},
}
METHODS = [
    name
    for name, method in inspect.getmembers(steno.Session, inspect.isfunction)
    if not name.startswith("_") and len(inspect.signature(method).parameters) > 1
]


@pytest.mark.parametrize("name", METHODS)
def test_no_method_takes_an_odd_value_and_nothing_is_changed(name: str) -> None:
    session = steno.Session(user="ann", **SIZED)
    session.add(*TALK)
    before = session._parts.journal.store.session_info(session.name)
    records = session.host.store.records(session.host.key)
    for parameter in inspect.signature(getattr(steno.Session, name)).parameters:
        if parameter in ("self", *ANY_VALUE):
            continue
        for odd in (Odd(), [Odd()], 3j, float("nan"), 10**5_000):
            with pytest.raises(steno.StenoError) as refused:
                getattr(session, name)(**NEEDED.get(name, {}) | {parameter: odd})
            assert _is_clear(refused.value), parameter
    assert session._parts.journal.store.session_info(session.name) == before
    assert session.host.store.records(session.host.key) == records


def _is_clear(error: Exception) -> bool:
    """Tell whether an error is one short sentence that says what is taken."""
    words = str(error)
    return 10 < len(words) < 500 and "\n" not in words and "object at 0x" not in words


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (
            lambda: steno.Session(pins=3, **SIZED),
            r"pins= takes a list, each .* number, got int",
        ),
        (lambda: steno.Session(tools=[3], **SIZED), r"tools\[0\] must be a definition .* got int"),
        (lambda: steno.Session(durable=1, **SIZED), r"durable= takes True or False, got int"),
        (lambda: steno.Session("\ud800", **SIZED), "is no path"),
        (lambda: steno.Session(**SIZED).unpin("x"), r"Session.unpin\(\): position= takes a whole"),
        (lambda: steno.Session(**SIZED).retire_constraint(None), "id= takes a text, got NoneType"),
        (lambda: steno.Session(**SIZED).learn("soon"), "seconds= takes a number, got str"),
        (lambda: steno.Session(quota="much", **SIZED), "quota= takes 'normal' or"),
        (lambda: StenoMiddleware(window=8_000, store=3), "store= takes a path, got int"),
    ],
)
def test_the_error_says_where_and_what(use: Callable[[], Any], words: str) -> None:
    with pytest.raises(steno.StenoError, match=words):
        use()


def test_a_checked_function_takes_what_it_says() -> None:
    @check_arguments
    def search(words: str, most: int = 3, *, where: list[str] | None = None) -> tuple[Any, ...]:
        return words, most, where

    assert search("a", 4, where=["b"]) == ("a", 4, ["b"])
    assert search("a", most=2**62) == ("a", 2**62, None)
    for wrong in ({"most": True}, {"most": 2**64}, {"where": "b"}, {"where": [3]}):
        with pytest.raises(steno.BadInput, match=r"search\(\): "):
            search("a", **wrong)  # type: ignore[arg-type]


class Name(str, Enum):  # noqa: UP042 — the kind whose `str` is not its text
    MONDAY = "monday"


def test_a_name_of_an_enumeration_is_its_text() -> None:
    session = steno.Session(**SIZED, name=Name.MONDAY)
    session.add(TALK[0])
    assert session.log.messages and session.name == "monday"
