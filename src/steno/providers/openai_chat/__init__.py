"""OpenAI's chat completions, which many other servers speak too."""

from __future__ import annotations

from dataclasses import replace

from steno.meters.family import ModelFamily
from steno.providers.openai_chat.meter import FAMILIES, GPT_5, GPT_5_CHAT_OVERHEADS
from steno.providers.openai_chat.wire import OpenAIChatWire
from steno.providers.provider import ANTHROPIC_BLOCKS, KEYED, Provider
from steno.providers.shared.request import SYSTEM_ROLES, RequestForm


class OpenAIChatProvider(Provider):
    wire = OpenAIChatWire()
    title = "OpenAI"
    foreign_blocks = ANTHROPIC_BLOCKS
    tool_signs = (("function", "tools have 'function'"),)
    whole_responses = (
        ("choices", "completion.choices[0].message"),
        ("finish_reason", "choice.message"),
    )
    families = FAMILIES
    model_class = "OpenAI"
    example_model = "openai:gpt-5-mini"
    extra = sdk = "openai"
    request = RequestForm(
        "openai",
        ends=("/chat/completions",),
        # `functions` is what tools were called first; it is still taken.
        tools=(("tools",), ("functions",)),
        schemas=(("response_format", "json_schema", "schema"),),
        system_roles=SYSTEM_ROLES,
    )
    cache = KEYED
    refusals = (
        r"maximum (?:context|prompt) length (?:is|of)(?: only)? (?P<window>\d[\d,_]*)",
        r"context_length_exceeded",
    )

    def bill(self, family: ModelFamily, name: str) -> ModelFamily:
        if GPT_5.search(name):
            return replace(family, overheads=GPT_5_CHAT_OVERHEADS)
        return family


PROVIDER = OpenAIChatProvider()
