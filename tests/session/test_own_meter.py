"""A session counts with a meter of its caller's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import steno
from steno.events import Committed, Failed
from tests.support.golden_sessions import conversation


class Tokens(int):
    """A number like those of other libraries: it counts, but is no plain `int`."""


@pytest.mark.parametrize(
    "number", [lambda text: len(text) / 4, lambda text: Tokens(len(text) // 4)]
)
def test_a_meter_may_count_in_other_numbers(number: Callable[[str], Any]) -> None:
    meter = replace(steno.chars_per_four(), name="own", count=number)
    with steno.Session(wire="anthropic", window=4_000, meter=meter) as session:
        for message in conversation("anthropic", 7, 20):
            session.add(message)
            session.messages()
        view, landed = session.view, len(session.log.commits)
        assert landed > 1
        assert {type(tokens) for weights in view.weights for tokens in weights} == {int}
        assert {type(item.tokens) for item in view.arrivals} == {int}
        assert sum(isinstance(event, Committed) for event in session.events) == landed
        assert not any(isinstance(event, Failed) for event in session.events)
