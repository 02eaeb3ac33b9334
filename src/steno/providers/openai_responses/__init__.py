"""OpenAI's responses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from steno.meters.family import ModelFamily
from steno.providers.openai_responses.wire import OpenAIResponsesWire
from steno.providers.provider import KEYED, Provider

BARE_PAGE = 22
"""Unlike chat completions, responses hardly bill the picture of a page."""


class OpenAIResponsesProvider(Provider):
    wire = OpenAIResponsesWire()
    title = "OpenAI"
    tool_signs = (("parameters", "tools have 'parameters' beside their name"),)
    whole_responses = (("output", "*response.output"),)
    example_model = "openai-responses:gpt-5-mini"
    extra = sdk = "openai"
    cache = KEYED

    def bill(self, family: ModelFamily, name: str) -> ModelFamily:
        return replace(family, media=replace(family.media, bare_page=BARE_PAGE))

    def open_model(self, name: str, window: int | None) -> Any:
        from steno.providers.openai_chat.model import OpenAI

        return OpenAI(name, responses=True, window=window)


PROVIDER = OpenAIResponsesProvider()
