"""Botocore's client for `bedrock-runtime`: every call goes through `_make_api_call`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steno.providers.shared.client import NO_OPTIONS, Interceptor, Learn
from steno.providers.shared.plain_json import Json, JsonView, get_field

USAGE_NAMES = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "cacheReadInputTokens": "cache_read_input_tokens",
    "cacheWriteInputTokens": "cache_creation_input_tokens",
}


def is_client(client: Any) -> bool:
    return callable(getattr(client, "converse", None))


def wrap_client(client: Any, interceptor: Interceptor) -> Any:
    """Return a copy of botocore's client for bedrock-runtime that sends views."""
    # Not `copy`: this class looks up every attribute that it does not have in its events.
    new = object.__new__(type(client))
    new.__dict__.update(client.__dict__)
    call, close = client._make_api_call, client.close

    def make_api_call(operation: str, params: Any) -> Any:
        return interceptor.run(
            operation, params, NO_OPTIONS, lambda sent: call(operation, sent.body)
        )

    def close_client() -> None:
        interceptor.close()
        close()

    new._steno = interceptor
    new._make_api_call = make_api_call
    new.close = close_client
    return new


def watch_reply(answer: Any, learn: Learn) -> Any:
    parse = getattr(answer.get("stream"), "_parse_event", None)
    if parse is None:
        learn(_with_known_usage(answer))
        return answer
    # The last events of botocore's stream are how it stopped and the usage.
    stopped: Json = {}

    def parse_event(event: Any) -> Any:
        parsed = parse(event)
        if isinstance(parsed, Mapping):
            stopped.update(parsed.get("messageStop") or {})
            if "metadata" in parsed:
                learn(_with_known_usage(stopped | parsed["metadata"]))
        return parsed

    answer["stream"]._parse_event = parse_event
    return answer


def _with_known_usage(answer: JsonView) -> JsonView:
    """Return a reply whose usage has Anthropic's names: Bedrock counts in the same way."""
    usage = {to: get_field(answer, "usage", name) for name, to in USAGE_NAMES.items()}
    return {**answer, "usage": usage}
