"""What a request of an SDK holds is found where each provider puts it."""

from __future__ import annotations

from typing import Any

import pytest

from steno.providers import PROVIDERS, json_text
from steno.providers.shared.request import ConversationRequest, SkippedRequest

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


@pytest.mark.parametrize(
    ("wire", "path", "key", "where"),
    [
        (
            "openai",
            "/chat/completions",
            "messages",
            {"response_format": {"type": "json_schema", "json_schema": {"schema": SCHEMA}}},
        ),
        ("openai-responses", "/responses", "input", {"text": {"format": {"schema": SCHEMA}}}),
        ("anthropic", "/v1/messages", "messages", {"output_format": {"schema": SCHEMA}}),
        (
            "anthropic",
            "/v1/messages",
            "messages",
            {"output_config": {"format": {"schema": SCHEMA}}},
        ),
        (
            "bedrock",
            "Converse",
            "messages",
            {
                "outputConfig": {
                    "textFormat": {"structure": {"jsonSchema": {"schema": json_text(SCHEMA)}}}
                }
            },
        ),
    ],
)
def test_the_schema_of_a_reply_is_found_where_each_provider_puts_it(
    wire: str, path: str, key: str, where: dict[str, Any]
) -> None:
    body = {key: [{"role": "user", "content": "hi"}], "model": "any"}
    for asked, schema in ((body, ""), (body | where, json_text(SCHEMA))):
        request = PROVIDERS[wire].read_request(path, asked)
        assert isinstance(request, ConversationRequest) and request.schema == schema


@pytest.mark.parametrize("schema", [int, {"enum": {1, 2}}, {"maximum": float("inf")}])
def test_a_schema_that_is_not_plain_json_costs_nobody_the_call(schema: Any) -> None:
    where = {"json_schema": {"schema": schema}}
    body = {"messages": [{"role": "user", "content": "hi"}], "response_format": where}
    request = PROVIDERS["openai"].read_request("/chat/completions", body)
    assert isinstance(request, ConversationRequest) and request.schema == ""
    assert len(request.messages) == 1


def test_functions_are_tools_by_their_first_name() -> None:
    function = {"name": "build", "parameters": SCHEMA}
    body = {"messages": [{"role": "user", "content": "hi"}], "functions": [function]}
    assert PROVIDERS["openai"].read_request("/chat/completions", body).tools == [function]  # type: ignore[union-attr]


def test_google_takes_one_object_for_a_list_and_both_spellings() -> None:
    said = {"role": "user", "parts": [{"text": "hi"}]}
    tool = {"function_declarations": [{"name": "build"}]}
    body = {"contents": said, "tools": tool, "system_instruction": {"parts": {"text": "Be brief."}}}
    request = PROVIDERS["gemini"].read_request("models/gemini-3-pro:generateContent", body)

    assert isinstance(request, ConversationRequest)
    assert (request.messages, request.tools) == ([said], [tool])
    assert request.system == "Be brief."

    kept = PROVIDERS["gemini"].read_request(
        "models/gemini-3-pro:generateContent", {"cached_content": "c/1"}
    )
    assert isinstance(kept, SkippedRequest)


def test_a_model_on_vertex_keeps_its_publisher_in_its_name() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    named = "publishers/google/models/gemini-3-pro"
    request = PROVIDERS["gemini"].read_request(
        f"/v1/projects/p/locations/l/{named}:generateContent", body
    )
    assert isinstance(request, ConversationRequest) and request.model == named
