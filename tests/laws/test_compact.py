"""What is true of `steno.compact`: its own output comes back unharmed, however often."""

from __future__ import annotations

from typing import Any

import pytest

import steno
from steno import Compacted, Pressure
from steno.core.message import Span
from steno.providers import json_text
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.session_cases import METER, Case, cases
from tests.support.view_checks import problems

pytestmark = pytest.mark.slow


def once(case: Case, messages: list[Any], **options: Any) -> Compacted:
    told = {
        "system": case.system,
        "tools": case.tools,
        "window": case.window,
        "reserve": case.reserve,
    }
    limits = {"policy": case.policy, "meter": METER, "wire": case.way, "pins": case.pins}
    return steno.compact(messages, **(told | limits | options))


@proves("stateless.idempotent")
@hit_rate(at_least=0.4, of="the list was compacted and is without pressure")
@given(cases(reckless=False))
def test_compacting_what_was_compacted_changes_nothing_without_pressure(case: Case) -> None:
    out = once(case, case.messages, pins=())
    again = once(case, out.messages, pins=())

    if out.pressure is Pressure.NONE:
        # A lone surrogate is counted as it was escaped, and comes back as the character that is
        # shown for it.
        assert again.load == out.load or "\\ud" in json_text(list(case.messages))
        assert again.messages == out.messages
        assert again.commits == ()
        assert once(case, again.messages, pins=()).messages == out.messages
    hit(out.commit and out.pressure is Pressure.NONE)


def covered(compacted: Compacted) -> list[Span]:
    return [item.span for item in compacted.session.view.items if item.level]


@proves("stateless.idempotent")
@hit_rate(at_least=0.4, of="a trace came back and was covered by the next")
@given(cases(broken=False, intake=False, fills=(0.2, 0.35, 0.5)))
def test_positions_keep_their_numbers_however_often_a_list_comes_back(case: Case) -> None:
    ladder = (
        *(rung for rung in case.policy.ladder if rung.label == "offload"),
        steno.rungs.Truncate(),
    )
    policy = steno.Policy(ladder=ladder, every_round=())
    more = [{"role": "user", "content": f"{n}: " + "once more " * 60} for n in range(5)]
    out = once(case, case.messages, policy=policy, force=True, system=None)
    again = once(case, [*out.messages, *more], policy=policy, force=True, system=None)

    said = [*case.messages, *more]
    assert problems(again.session) == []
    assert len(again.session.log.messages) == len(said)
    for item in again.session.view.items:
        if not item.is_edited and item.span.start >= covered_until(out):
            assert again.open(item.span.start) == out_or_said(out, item.span.start, said)
    for span in covered(out):
        assert any(new.start <= span.start and span.stop <= new.stop for new in covered(again))
    hit(
        any(
            new not in covered(out) and old.start in new
            for old in covered(out)
            for new in covered(again)
        )
    )


def covered_until(compacted: Compacted) -> int:
    return max((span.stop for span in covered(compacted)), default=0)


def out_or_said(out: Compacted, position: int, said: list[Any]) -> Any:
    """A message as it was sent back: in short where the first call left it so."""
    if position >= len(out.session.log.messages):
        return said[position]
    item = out.session.view.at(position)
    (text,) = out.session._parts.settings.wire.encode(item.shows[0])
    return steno.providers.parse_json(text)


@proves("stateless.idempotent")
@hit_rate(at_least=0.5, of="it was compacted twice")
@given(cases(broken=True))
def test_a_list_that_goes_on_after_compaction_is_legal(case: Case) -> None:
    half = len(case.messages) // 2
    out = once(case, case.messages[:half])
    again = once(case, [*out.messages, *case.messages[half:]])

    assert problems(again.session) == []
    hit(again.commit)
