"""Amazon Bedrock: messages of the Converse API."""

from __future__ import annotations

from typing import Any

from steno.providers.anthropic.meter import CLAUDE_FAMILY
from steno.providers.bedrock.meter import FAMILIES
from steno.providers.bedrock.wire import CACHE_POINT, BedrockWire, with_bytes
from steno.providers.provider import CacheStyle, Provider
from steno.providers.shared.request import RequestForm


class BedrockProvider(Provider):
    wire = BedrockWire()
    title = "Bedrock"
    tool_signs = (("toolSpec", "tools have 'toolSpec'"),)
    whole_responses = (("stopReason", "response['output']['message']"),)
    families = FAMILIES
    usual_family = CLAUDE_FAMILY
    extra = "bedrock"
    sdk = "botocore"
    request = RequestForm(
        "bedrock",
        ends=("Converse", "ConverseStream"),
        model="modelId",
        tools=(("toolConfig", "tools"),),
        schemas=(("outputConfig", "textFormat", "structure", "jsonSchema", "schema"),),
    )
    # Other models refuse a request with a cache point.
    cache = CacheStyle(
        mark=CACHE_POINT, new={"type": "default"}, apart=True, models=("claude", "nova")
    )
    refusals = (r"input is too long for requested model",)

    def sdk_messages(self, messages: list[Any]) -> list[Any]:
        found: list[Any] = with_bytes(messages)
        return found


PROVIDER = BedrockProvider()
