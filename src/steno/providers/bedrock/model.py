"""Models behind Amazon Bedrock, by botocore: the client, and the codec of Converse.

The key is found where AWS's tools find it. Time is bound by the client's own settings;
a stream is given up when its seconds are over.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from steno.core.effects import Ask
from steno.core.errors import BadInput, ModelFailed
from steno.core.model import FinishedTurn, StopReason, Usage
from steno.providers.bedrock.stream import ConverseStream
from steno.providers.bedrock.wire import BedrockWire, with_bytes
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.model import SdkModel, import_sdk, request_with_message
from steno.providers.shared.parts import join_neighbours
from steno.providers.shared.plain_json import count_at, to_plain
from steno.providers.shared.stream import ErrorReply, JsonObject

STOP_REASONS: dict[str, StopReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "refused",
    "content_filtered": "refused",
    "tool_use": "calls",
}


class Bedrock(SdkModel):
    """A model of Amazon Bedrock.

    region: where it runs; without one, what AWS's configuration says.
    client: a `bedrock-runtime` client of your own, of boto3 or botocore.
    options: sent with every request.
    """

    def __init__(
        self,
        model: str,
        *,
        region: str | None = None,
        client: Any = None,
        window: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        opens = partial(_open_client, region)
        super().__init__(model, ConverseCodec(), client, opens, window=window, options=options)

    def _plain_reply(self, reply: Any) -> JsonObject:
        plain: JsonObject = to_plain(
            {key: value for key, value in reply.items() if key != "ResponseMetadata"}, "reply"
        )
        for key, failure in plain.items():
            # A stream that fails ends with an event that is named like an exception.
            if key.endswith("Exception"):
                raise ErrorReply({"code": key, "message": str(failure.get("message"))})
        return plain

    def _call(self, request: JsonObject, stream: bool, seconds: float | None) -> Any:
        body = request | {"messages": with_bytes(request["messages"])}
        if stream:
            return self._client.converse_stream(modelId=self.name, **body)["stream"]
        return self._client.converse(modelId=self.name, **body)


def _open_client(region: str | None) -> Any:
    session = import_sdk("botocore.session", "bedrock").get_session()
    config = import_sdk("botocore.config", "bedrock").Config(retries={"max_attempts": 0})
    region = region or session.get_config_variable("region")
    if region is None:
        raise BadInput(
            "there is no region for Bedrock: set AWS_DEFAULT_REGION, "
            "or pass region= to steno.models.Bedrock"
        )
    return session.create_client("bedrock-runtime", region_name=region, config=config)


class ConverseCodec:
    """Requests and replies of Converse."""

    wire = "bedrock"
    new_stream = ConverseStream

    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        bound = {"inferenceConfig": {"maxTokens": ask.max_tokens}}
        prompt = {"role": "user", "content": [{"text": ask.prompt}]}
        if ask.after is not None:
            return _after(ask.after, prompt) | bound
        request: JsonObject = {"messages": [prompt]} | bound
        if ask.system is not None:
            request["system"] = [{"text": ask.system}]
        return request

    def turn_request(self, request: Mapping[str, Any], max_tokens: int | None) -> JsonObject:
        if max_tokens is None:
            return dict(request)
        return {**request, "inferenceConfig": {"maxTokens": max_tokens}}

    def parse_reply(self, whole: JsonObject) -> tuple[str, FinishedTurn]:
        message = (whole.get("output") or {}).get("message") or {}
        content = message.get("content")
        if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        text = "".join(str(block.get("text") or "") for block in content)
        stop = STOP_REASONS.get(str(whole.get("stopReason")), "end")
        messages: tuple[JsonObject, ...] = ()
        if content:
            messages = ({"role": "assistant", "content": content},)
        return text, FinishedTurn(messages, _usage(whole.get("usage")), stop)


def _after(request: str, prompt: JsonObject) -> JsonObject:
    """Return the agent's request with a prompt at its end; two users' messages are one."""
    longer = request_with_message(request, "messages", prompt)
    return longer | {"messages": join_neighbours(BedrockWire(), longer["messages"])}


def _usage(usage: Any) -> Usage:
    cached = count_at(usage, "cacheReadInputTokens")
    written = count_at(usage, "cacheWriteInputTokens")
    sent = count_at(usage, "inputTokens") + cached + written
    return Usage(sent, cached, written, count_at(usage, "outputTokens"))
