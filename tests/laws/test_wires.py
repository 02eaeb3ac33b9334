"""What is true of every wire: what was not touched goes out as the very text that came in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st

from steno.providers import get_wire, json_text, parse_json, plain_list
from steno.rungs import Offload, Truncate
from steno.testing import check_identity, spellings
from tests.support.conversation_plans import Json
from tests.support.conversations import conversations
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.provider_json import WIRES
from tests.support.session_cases import Case, cases, shown

pytestmark = pytest.mark.slow

SPELLINGS = len(spellings({}))


@st.composite
def spelled(draw: st.DrawFn) -> tuple[Any, list[int]]:
    """A conversation, and how each message is spelled: as no serialiser would write it again."""
    messages = draw(
        conversations(draw(st.sampled_from(WIRES)), broken=draw(st.booleans()), strange=True)
    )
    return messages, [draw(st.integers(0, SPELLINGS - 1)) for _ in messages]


@proves("wire.identity")
@hit_rate(at_least=0.9, of="a text was spelled otherwise than we would")
@given(spelled())
def test_decoding_then_encoding_is_identity(talk: tuple[Any, list[int]]) -> None:
    wire = get_wire(talk[0].wire)
    raws = [spellings(message)[how] for message, how in zip(*talk, strict=True)]
    for raw in raws:
        check_identity(wire, raw)
    hit(any(json_text(parse_json(raw)) != raw for raw in raws))


@proves("wire.identity")
@hit_rate(at_least=0.5, of="an untouched message stood in a compacted view")
@given(cases(broken=False, strange=True, reckless=False))
def test_an_untouched_message_goes_out_as_it_came(case: Case) -> None:
    session = case.filled()
    session.compact()
    untouched = 0
    for (start, _, texts), item in zip(shown(session), session.view.items, strict=True):
        if not item.is_edited:
            assert texts == (json_text(case.messages[start]),)
            untouched += 1
    hit(untouched and any(item.is_edited for item in session.view.items))


@proves("wire.identity")
@hit_rate(at_least=0.4, of="a block was shown in short", examples=100)
@given(cases(broken=False, strange=True, reckless=False))
def test_a_message_with_one_block_in_short_keeps_all_the_rest(case: Case) -> None:
    case = replace(case, bound=False, policy=case.policy.but(ladder=(Offload(50, 60), Truncate())))
    session = case.filled()
    session.compact()
    patched = [item for item in session.view.items if item.main is not None and item.is_edited]
    for item in patched:
        (now,) = map(parse_json, session._parts.settings.wire.encode(item.shows[item.main]))
        was = plain_list([case.messages[item.span.start]])[0]
        touched = {at for at, _ in item.shows[item.main].patches}
        assert rest(now, touched) == rest(was, touched)
        assert list(now) == list(was)
    hit(patched)


def rest(message: Json, touched: set[int]) -> Any:
    """All of a message but what its touched blocks say."""
    outside = {key: value for key, value in message.items() if key not in ("content", "tool_calls")}
    blocks = []
    for key in ("reasoning_content", "content", "tool_calls"):
        value = message.get(key)
        blocks += value if isinstance(value, list) else [] if value is None else [value]
    inside = [identity(block) if at in touched else block for at, block in enumerate(blocks)]
    return outside, inside


def identity(block: Any) -> Any:
    """What a block in short still has: whose it is, what it answers, what marks it."""
    if isinstance(block, str):
        return ""
    kept = ("id", "tool_use_id", "name", "cache_control", "is_error")
    return {key: block[key] for key in kept if key in block}
