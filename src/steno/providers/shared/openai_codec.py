"""What the codecs of both of OpenAI's APIs have in common."""

from __future__ import annotations

from typing import Any

import msgspec

from steno.core.model import Usage
from steno.providers.shared.model import request_with_message, token_count
from steno.providers.shared.stream import JsonObject


def after_request(after: str, key: str, prompt: JsonObject) -> JsonObject:
    """Return the agent's own request with the prompt at its end, and its tools switched off."""
    request = request_with_message(after, key, prompt)
    if request.get("tools"):
        # The tools stay in the request: they stand in the prefix that the provider has cached.
        request["tool_choice"] = "none"
    return request


def named_schema(schema: str) -> JsonObject:
    """Return a schema with a name, as OpenAI wants it; strict if it is closed enough."""
    value = msgspec.json.decode(schema)
    return {"name": "answer", "schema": value, "strict": _allows_strict(value)}


def _allows_strict(schema: Any) -> bool:
    """Tell whether every object of a schema names all its keys, and requires them."""
    if isinstance(schema, list):
        return all(map(_allows_strict, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(schema.get("properties", {}))
    ):
        return False
    return all(map(_allows_strict, schema.values()))


def openai_usage(usage: Any, sent: str, said: str) -> Usage:
    """Return the usage of one of OpenAI's APIs, which name the two sides differently."""
    details = f"{sent}_details"
    return Usage(
        token_count(usage, sent),
        token_count(usage, details, "cached_tokens"),
        token_count(usage, details, "cache_write_tokens"),
        token_count(usage, said),
    )
