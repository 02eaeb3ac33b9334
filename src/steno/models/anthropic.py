"""Anthropic's messages, by its SDK: an ask and a turn as requests, a reply and a stream as they come.

Thinking is kept with its signature. A schema goes as the output's format. What was
read from the cache and written to it counts as sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from steno.core.ask import Ask
from steno.core.error import BadInput, ModelFailed
from steno.core.model import Delta, Spoken, Stop, Usage
from steno.models.provider import Plain, Provider, continued, count, parses
from steno.models.sdk import sdk_of
from steno.models.trouble import SAID

UNSAID_MOST = 8_192
"""Tokens of a turn where the caller sets no limit; Anthropic wants one."""
STOPS: dict[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
    "tool_use": "calls",
    "pause_turn": "calls",  # its own tools want another turn
}
GROWS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


class Anthropic(Provider):
    """A Claude model; `client` takes an SDK client of your own (Bedrock, Vertex), `options` go with every request."""

    def __init__(
        self,
        model: str,
        *,
        key: str | None = None,
        url: str | None = None,
        client: Any = None,
        window: int | None = None,
        room: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        owned = client is None
        made = _client(key, url) if owned else client
        super().__init__(model, Messages(room), made, owned=owned, window=window, options=options)

    def _call(self, request: Plain, stream: bool, seconds: float | None) -> Any:
        rest = {key: value for key, value in request.items() if key != "max_tokens"}
        create = partial(self._client.messages.create, max_tokens=request["max_tokens"])
        return self._created(create, "messages", rest, stream, seconds)


def _client(key: str | None, url: str | None) -> Any:
    sdk = sdk_of("anthropic")
    client = sdk.Anthropic(api_key=key, base_url=url, max_retries=0)
    if client.api_key is None and client.auth_token is None and client.credentials is None:
        client.close()
        raise BadInput("there is no key for Anthropic: set ANTHROPIC_API_KEY, or pass key= to steno.models.Anthropic")
    return client


@dataclass(frozen=True)
class Messages:
    room: int = 0
    wire = "anthropic"

    def asked(self, ask: Ask, nicely: bool) -> Plain:
        bound = {"max_tokens": ask.max_tokens + self.room}
        said = {"role": "user", "content": ask.prompt}
        if ask.after is not None:
            # A format or another system prompt would stand before the shared prefix and change it.
            return continued(ask.after, "messages", said) | bound
        request: Plain = {"messages": [said]} | bound | ({} if ask.system is None else {"system": ask.system})
        if nicely and ask.schema:
            schema = msgspec.json.decode(ask.schema)
            request["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return request

    def spoken_for(self, request: Mapping[str, Any], max_tokens: int | None) -> Plain:
        return (
            {"max_tokens": UNSAID_MOST} | dict(request) | ({} if max_tokens is None else {"max_tokens": max_tokens})
        )

    def read(self, whole: Plain) -> tuple[str, Spoken]:
        content = whole.get("content")
        if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
            raise ModelFailed(SAID["invalid"], "invalid")
        stop = STOPS.get(str(whole.get("stop_reason")), "end")
        words = "".join(str(block.get("text") or "") for block in content if block.get("type") == "text")
        messages = ({"role": "assistant", "content": content},) if content else ()
        return words, Spoken(messages, _usage(whole.get("usage")), stop)

    def assembling(self) -> MessageStream:
        return MessageStream()


def _usage(usage: Any) -> Usage:
    cached, written = count(usage, "cache_read_input_tokens"), count(usage, "cache_creation_input_tokens")
    return Usage(count(usage, "input_tokens") + cached + written, cached, written, count(usage, "output_tokens"))


class MessageStream:
    """Blocks of a message, put together."""

    def __init__(self) -> None:
        self._message: Plain = {}
        self._blocks: dict[int, Plain] = {}
        self._inputs: dict[int, str] = {}
        self._over = False

    def take(self, event: Plain) -> Iterator[Delta]:
        match event.get("type"):
            case "message_start":
                self._message = dict(event["message"])
            case "content_block_start":
                self._blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                yield from self._grown(event["index"], event["delta"])
            case "message_delta":
                self._message |= event["delta"]
                reported = {key: value for key, value in (event.get("usage") or {}).items() if value is not None}
                self._message["usage"] = (self._message.get("usage") or {}) | reported
            case "message_stop":
                self._over = True

    def _grown(self, index: int, delta: Plain) -> Iterator[Delta]:
        block, kind = self._blocks[index], str(delta.get("type"))
        if kind == "input_json_delta":
            self._inputs[index] = self._inputs.get(index, "") + str(delta.get("partial_json") or "")
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
        elif kind in GROWS:
            key = GROWS[kind]
            piece = str(delta.get(key) or "")
            block[key] = (block.get(key) or "") + piece
            if piece and key != "signature":
                yield Delta(piece, thinking=key == "thinking")

    def whole(self) -> Plain | None:
        if not self._over:
            return None
        cut = STOPS.get(str(self._message.get("stop_reason"))) == "length"
        content = []
        for index, block in sorted(self._blocks.items()):
            said = self._inputs.get(index, "")
            if said and not parses(said):
                if cut:
                    continue  # the call was not said to its end
                raise ModelFailed(SAID["invalid"], "invalid")
            content.append(block | ({"input": msgspec.json.decode(said)} if said else {}))
        return self._message | {"content": content}
