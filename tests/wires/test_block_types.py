"""Every type that the SDKs know is named in our tables, and an unknown one is told once."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

import pytest
import typing_extensions

from steno import Session
from steno.core.events import UnknownBlock
from steno.wires.block_types import (
    ANTHROPIC_TYPES,
    BEDROCK_BLOCKS,
    GEMINI_PARTS,
    RESPONSES_TYPES,
)
from tests.support.promises import proves

FILLER = "The build went through and the logs were read line by line. " * 40


def type_names(union: Any) -> Iterator[str]:
    """Yield the `type` of every member of an SDK's union."""
    if typing.get_origin(union) is typing.Annotated:
        yield from type_names(typing.get_args(union)[0])
    elif members := typing.get_args(union):
        for member in members:
            yield from type_names(member)
    elif typing_extensions.is_typeddict(union):
        # "Required" and "Optional" are taken off by the first, unions inside by the second.
        hint = typing_extensions.get_type_hints(union).get("type")
        yield from _literals(hint)


def _literals(hint: Any) -> Iterator[str]:
    if typing.get_origin(hint) is typing.Literal:
        yield from typing.get_args(hint)
        return
    for member in typing.get_args(hint):
        yield from _literals(member)


@pytest.mark.slow
@proves("wire.types")
def test_every_block_of_anthropics_sdk_is_named() -> None:
    import anthropic.types.beta as beta
    from anthropic.types.beta import beta_tool_result_block_param as result

    names = {*type_names(beta.BetaContentBlockParam), *type_names(result.Content)}

    assert len(names) > 20
    assert names <= ANTHROPIC_TYPES.keys()


@pytest.mark.slow
@proves("wire.types")
def test_every_item_of_openais_sdk_is_named() -> None:
    import openai.types.responses as responses

    names = {
        *type_names(responses.ResponseInputItemParam),
        *type_names(responses.ResponseInputContentParam),
    }

    assert len(names) > 30
    assert names <= RESPONSES_TYPES.keys()


@pytest.mark.slow
@proves("wire.types")
def test_every_part_of_googles_sdk_is_named() -> None:
    from google.genai import types

    assert len(types.Part.model_fields) > 10
    assert types.Part.model_fields.keys() <= GEMINI_PARTS.keys()


@pytest.mark.slow
@proves("wire.types")
def test_every_block_of_bedrocks_model_is_named() -> None:
    import botocore.session

    session = botocore.session.get_session()
    shape = session.get_service_model("bedrock-runtime").operation_model("Converse").input_shape
    message = shape.members["messages"].member
    names = set(message.members["content"].member.members)

    assert len(names) > 10
    assert names <= BEDROCK_BLOCKS.keys()


def test_a_union_that_grew_would_fail() -> None:
    class NewBlock(typing_extensions.TypedDict):
        type: typing_extensions.Required[typing.Literal["hologram"]]

    assert set(type_names(NewBlock | int)) - ANTHROPIC_TYPES.keys() == {"hologram"}


@proves("wire.types")
@pytest.mark.parametrize("kind", ["hologram_setting", "hologram_call"])
def test_an_unknown_item_is_sent_on_and_told_once(kind: str) -> None:
    events: list[Any] = []
    item = {"type": kind, "id": "h1", "value": 1e2}
    session = Session(wire="openai-responses", window=4_000, on_event=events.append)
    session.add({"role": "user", "content": "go"}, item, dict(item, id="h2"))
    for turn in range(30):
        session.add({"role": "user", "content": f"{turn} {FILLER}"})
        session.add({"role": "assistant", "content": f"done {turn}"})
        session.messages()

    assert len([event for event in events if isinstance(event, UnknownBlock)]) == 1
    # What may set something for later stays; what was only done may be summarized.
    assert (item in session.messages()) is (kind == "hologram_setting")
