"""Every type that the SDKs know is named in our tables, and an unknown one is sent on."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

import pytest
import typing_extensions

from steno import Session
from steno.providers.anthropic.wire import BLOCK_TYPES as ANTHROPIC_TYPES
from steno.providers.bedrock.wire import BLOCK_TYPES as BEDROCK_BLOCKS
from steno.providers.gemini.wire import BLOCK_TYPES as GEMINI_PARTS
from steno.providers.openai_chat.wire import BLOCK_TYPES as CHAT_PARTS
from steno.providers.openai_responses.wire import BLOCK_TYPES as RESPONSES_TYPES
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
def test_every_part_of_a_chat_message_is_named() -> None:
    import openai.types.chat as chat
    from openai.types.chat import chat_completion_assistant_message_param as assistant

    names = {
        *type_names(chat.ChatCompletionContentPartParam),
        *type_names(assistant.ContentArrayOfContentPart),
    }

    assert len(names) > 4
    assert names <= CHAT_PARTS.keys()


@pytest.mark.slow
@proves("wire.types")
def test_every_field_of_a_message_is_known() -> None:
    """A new field may say how a message is to be read, as `clear_at` does."""
    import anthropic.types.beta as beta
    import botocore.session
    import openai.types.chat as chat
    from google.genai import types

    def fields(union: Any) -> set[str]:
        hints = map(typing_extensions.get_type_hints, typing.get_args(union))
        return {name for each in hints for name in each}

    named = {"role", "content"}
    assert fields(beta.BetaMessageParam) == named | {"clear_at", "output_config"}
    calls = {"tool_calls", "tool_call_id", "function_call"}
    known = named | calls | {"name", "audio", "refusal"}
    assert fields(chat.ChatCompletionMessageParam) == known
    assert types.Content.model_fields.keys() == {"parts", "role"}
    model = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = model.operation_model("Converse").input_shape
    message = shape.members["messages"].member
    assert set(message.members) == named
    assert message.members["role"].enum == ["user", "assistant", "system"]


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
    blocks = message.members["content"].member.members
    # What a result holds too; `json` is read as words there.
    names = {*blocks, *blocks["toolResult"].members["content"].member.members} - {"json"}

    assert len(names) > 10
    assert names <= BEDROCK_BLOCKS.keys()


def test_a_union_that_grew_would_fail() -> None:
    class NewBlock(typing_extensions.TypedDict):
        type: typing_extensions.Required[typing.Literal["hologram"]]

    assert set(type_names(NewBlock | int)) - ANTHROPIC_TYPES.keys() == {"hologram"}


@proves("wire.types")
@pytest.mark.parametrize("kind", ["hologram_setting", "hologram_call"])
def test_an_unknown_item_is_sent_on(kind: str) -> None:
    item = {"type": kind, "id": "h1", "value": 1e2}
    session = Session(wire="openai-responses", window=4_000)
    session.add({"role": "user", "content": "go"}, item, dict(item, id="h2"))
    for turn in range(30):
        session.add({"role": "user", "content": f"{turn} {FILLER}"})
        session.add({"role": "assistant", "content": f"done {turn}"})
        session.messages()

    # What may set something for later stays; what was only done may be summarized.
    assert (item in session.messages()) is (kind == "hologram_setting")
