"""The active sub-task, since the newest open loop, is not summarized while it fits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

import steno
from steno import Session
from steno.core.draft import COVER_TEXT_TOKENS
from steno.engine.designs import POLICIES
from steno.facts.ledger import Ledger
from steno.facts.text import SearchableText
from steno.summary.render import render_line
from steno.summary.sections import fact_line, loops_to_report, newest_loop
from tests.support.coding_sessions import exchange
from tests.support.promises import given, hit, hit_rate, proves

Json = dict[str, Any]
ASKED = "Please find out why the nightly export of the warehouse fails."


def worked(n: int, lines: int, *, start: int = 0) -> list[Json]:
    """Calls with results of so many lines, all of them different."""
    return [
        message
        for at in range(start, start + n)
        for message in exchange(
            f"c{at}",
            "read",
            {"path": f"src/part_{at}.py"},
            "\n".join(f"row {at}.{k} is here" for k in range(lines)),
        )
    ]


def told_of(old: int, new: int, lines: int) -> list[Json]:
    """A sub-task that was answered, and one that is not."""
    answered = [{"role": "user", "content": "Make the importer faster."}, *worked(old, lines)]
    return [
        *answered,
        {"role": "assistant", "content": "It is faster now."},
        {"role": "user", "content": ASKED},
        *worked(new, lines, start=old),
    ]


@pytest.mark.slow
@proves("summary.active")
@hit_rate(at_least=0.2, of="the active sub-task reached beyond the tail and fitted")
@given(
    st.integers(25, 45),
    st.integers(40, 90),
    st.integers(2, 30),
    st.sampled_from((2_500, 5_000)),
)
def test_what_was_said_since_the_newest_open_loop_is_not_summarized_while_it_fits(
    old: int, new: int, lines: int, window: int
) -> None:
    """`old` and `new` are what was said before and since, in percent of the window."""
    held = Session(wire="openai", window=window, policy="tiers")
    checked = False
    step = 100 * (25 + 8 * lines)  # tokens of a call and its result, about
    for message in told_of(1 + old * window // step, 1 + new * window // step, lines):
        held.add(message)
        before, commits = held.view, len(held.log.commits)
        held.messages()
        if len(held.log.commits) == commits:
            continue  # what was visible still is
        ledger = Ledger.of(held.log.messages)
        since = newest_loop(ledger)
        assert all(
            SearchableText(held.view.visible_messages).contains(fact.words)
            for _, fact in loops_to_report(ledger)[-1:]
        )
        if since is None:
            continue
        standing = (*ledger.constraints, *loops_to_report(ledger))
        least = COVER_TEXT_TOKENS + sum(
            before.meter.count(render_line(fact_line(each))) + 1 for each in standing
        )
        # Beside the room of the summary, which is kept first.
        least = max(least, min(600, held.log.commits[-1].goal // 4))
        active = [item for item in before.items if item.span.stop > since]
        if (
            before.meter.load(sum(item.tokens for item in active) + least)
            <= held.log.commits[-1].goal
        ):
            shown = [item for item in held.view.items if item.span.stop > since]
            assert all(item.level == 0 for item in shown)
            checked = checked or 2 * sum(item.tokens for item in active) > held.log.commits[-1].goal
    hit(checked)


@proves("summary.active")
def test_where_it_does_not_fit_its_oldest_results_shrink_first_and_nothing_of_it_is_covered() -> (
    None
):
    held = Session(wire="openai", window=10_000, policy="tiers")
    held.add(*told_of(4, 12, 90))
    held.messages()
    asked = next(at for at, message in enumerate(held.log.messages) if message.text == ASKED)
    active = [item for item in held.view.items if item.span.stop > asked]

    assert held.log.commits and all(item.main is not None for item in active)
    short = [item.is_edited for item in active if item.shows[0].only_results]
    assert short == sorted(short, reverse=True) and 0 < sum(short) < len(short)


@proves("summary.active")
def test_where_even_that_is_too_much_its_statement_stays_word_for_word() -> None:
    held = Session(wire="openai", window=3_000, policy="tiers")
    held.add(*told_of(4, 120, 30))
    held.messages()
    shown = held.messages()

    assert held.log.commits and {"role": "user", "content": ASKED} in shown


@pytest.mark.slow
@proves("facts.loops")
def test_the_newest_open_loop_is_always_named() -> None:
    asks = [
        {"role": "user", "content": f"Please look into ticket TK-{n} and fix it."}
        for n in range(40)
    ]
    for policy in (
        steno.Policy(),
        steno.Policy(ladder=(steno.rungs.Truncate(),)),
        POLICIES["tiers"],
    ):
        held = Session(wire="openai", window=6_000, policy=policy)
        held.add(*asks)
        for message in worked(80, 10):
            held.add(message)
            held.messages()
        words = SearchableText(held.view.visible_messages)
        assert len(held.log.commits) > 1
        assert all(words.contains(ask["content"]) for ask in asks[-3:])
