"""What leaves for a caller is made of its own words, and a list that comes back loses nothing.

`STENO_LAWS_EXAMPLES=10000` runs each law on 10,000 histories; `python -m bench own_words` runs
them on recorded sessions.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import strategies as st

from tests.support.own_words import FILLER, Caller, Json, returns_whole, run_history
from tests.support.promises import given, hit, hit_rate, proves

DOORS = ("compact", "at once", "one by one")


def returning_lists(seed: int) -> tuple[list[Json], list[Json], int]:
    """Return a list to compact, what is said after it, and the window."""
    dice = Random(seed)
    caller = Caller(0, "", None)
    leading = [caller.message("system", "Be kind.") for _ in range(dice.randint(0, 3))]

    def turns(count: int) -> list[Json]:
        return [
            caller.message(role, dice.choice(FILLER) * dice.choice((1, 6, 30)))
            for _ in range(count)
            for role in ("user", "assistant")
        ]

    return [*leading, *turns(dice.randint(8, 30))], turns(dice.randint(0, 4)), 2_000


@pytest.mark.slow
@proves("session.user")
@hit_rate(at_least=0.4, of="a list was compacted")
@given(st.integers(0, 2**32))
def test_what_leaves_for_a_caller_is_made_of_its_own_words(seed: int) -> None:
    hit(run_history(seed))


@pytest.mark.slow
@proves("summary.comes_back")
@hit_rate(at_least=0.8, of="the list had been compacted")
@given(st.integers(0, 2**32), st.sampled_from(DOORS))
def test_a_list_that_comes_back_loses_nothing_at_any_door(seed: int, door: str) -> None:
    hit(returns_whole(*returning_lists(seed), door))
