"""OpenAI's responses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from steno.meters.family import ModelFamily
from steno.providers.openai_responses.wire import OpenAIResponsesWire
from steno.providers.provider import ANTHROPIC_BLOCKS, KEYED, Provider
from steno.providers.shared.plain_json import JsonView
from steno.providers.shared.request import SYSTEM_ROLES, RequestForm

BARE_PAGE = 22
"""Unlike chat completions, responses hardly bill the picture of a page."""


class OpenAIResponsesProvider(Provider):
    wire = OpenAIResponsesWire()
    title = "OpenAI"
    foreign_blocks = ANTHROPIC_BLOCKS
    tool_signs = (("parameters", "tools have 'parameters' beside their name"),)
    like = "openai"  # both have system and developer messages
    example_model = "openai-responses:gpt-5-mini"
    extra = sdk = "openai"
    request = RequestForm(
        "openai-responses",
        ends=("/responses",),
        key="input",
        system="instructions",
        schemas=(("text", "format", "schema"),),
        elsewhere=(("previous_response_id", ""), ("conversation", "")),
        system_roles=SYSTEM_ROLES,
    )
    cache = KEYED

    def part_of_response(self, value: JsonView) -> str | None:
        # A reply of Bedrock's has an `output` as well, which is one object.
        if isinstance(value.get("output"), list):
            return "*response.output"
        return None

    def bill(self, family: ModelFamily, name: str) -> ModelFamily:
        return replace(family, media=replace(family.media, bare_page=BARE_PAGE))

    def open_model(self, name: str, window: int | None) -> Any:
        from steno.providers.openai_chat.model import OpenAI

        return OpenAI(name, responses=True, window=window)


PROVIDER = OpenAIResponsesProvider()
