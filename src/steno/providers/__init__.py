"""Providers' JSON: find out which provider a list is for, read it and write it.

One file for each provider. Everything that differs between them is behind `Wire`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from steno.core.errors import BadInput, BadMessage, UnknownWire
from steno.core.message import Message, Opaque
from steno.core.wire import Wire
from steno.providers.anthropic.wire import AnthropicWire
from steno.providers.bedrock.wire import BedrockWire
from steno.providers.gemini.wire import GeminiWire
from steno.providers.langchain.wire import LangChainWire
from steno.providers.openai_chat.wire import OpenAIChatWire
from steno.providers.openai_responses.wire import OpenAIResponsesWire
from steno.providers.shared.plain_json import json_text, parse_json, parse_json_texts, to_plain

WIRES: dict[str, Wire] = {
    wire.name: wire
    for wire in (
        OpenAIChatWire(),
        AnthropicWire(),
        OpenAIResponsesWire(),
        LangChainWire(),
        GeminiWire(),
        BedrockWire(),
    )
}
MESSAGES_OF_RESPONSES = {
    "choices": "completion.choices[0].message",
    "finish_reason": "choice.message",
    "candidates": "response.candidates[0].content",
    "stopReason": "response['output']['message']",
    "output": "*response.output",
}
"""Where the message is in a whole response, by a key that only the response has."""
CHAT_WIRES = ("openai", "openai-responses")
ANTHROPIC_BLOCKS = ("tool_use", "tool_result")

__all__ = [
    "WIRES",
    "decode_messages",
    "detect_wire",
    "encode_messages",
    "get_wire",
    "join_neighbours",
    "json_text",
    "parse_json",
    "plain_list",
    "to_plain",
    "wire_for",
]


def plain_list(messages: object) -> list[dict[str, Any]]:
    """Return the caller's list as plain JSON objects."""
    if isinstance(messages, str | bytes | dict) or not isinstance(messages, Iterable):
        raise BadInput(f"messages must be a list of messages, got {type(messages).__name__}")
    return [_plain_object(message, f"messages[{at}]") for at, message in enumerate(messages)]


def _plain_object(message: object, where: str) -> dict[str, Any]:
    value = to_plain(message, where)
    if isinstance(value, list):
        raise BadMessage(where, "this is a list: pass its messages one by one, *messages")
    if not isinstance(value, dict):
        raise BadMessage(where, f"a message must be an object, got {type(message).__name__}")
    _refuse_response(value, where)
    return value


def _refuse_response(value: dict[str, Any], where: str) -> None:
    """Raise BadMessage for what a client returned, if the message is only a part of it."""
    # A message has one of these two; an item of OpenAI's responses may also have an output.
    if "role" in value or "type" in value:
        return
    for key, part in MESSAGES_OF_RESPONSES.items():
        if key in value:
            raise BadMessage(where, f"this is a whole response: pass its message, {part}")


def get_wire(name: str) -> Wire:
    """Return the wire of this name."""
    if name not in WIRES:
        raise UnknownWire(
            f"unknown wire {name!r}; there are {', '.join(WIRES)}. "
            "If it is a wire of your own, pass wire= again, with the wire itself"
        )
    return WIRES[name]


def wire_for(model: str | None) -> str:
    """Return the wire that a model's name implies; most others are served as OpenAI's chat."""
    if model is not None and "claude" in model:
        return "anthropic"
    return "openai"


def detect_wire(
    messages: Sequence[dict[str, Any]], tools: Any = None, model: str | None = None
) -> Wire:
    """Return the wire that writes lists like this one.

    A list that every wire could have written is of the model's, else OpenAI's chat. Raise
    UnknownWire, with what was tried, if signs contradict each other.
    """
    found: dict[str, str] = {}
    for name, wire in WIRES.items():
        for at, message in enumerate(messages):
            sign = wire.signs(message)
            if sign:
                found[name] = f"messages[{at}] has {sign}"
                break
    if "openai-responses" in found and not all("role" in message for message in messages):
        # An item without a role cannot be a chat message, so chat is out.
        found.pop("openai", None)
    if not found:
        found = _signs_of_tools(tools)
    if not found:
        return WIRES[wire_for(model)]
    if len(found) == 1:
        return WIRES[next(iter(found))]
    tried = "; ".join(
        f"{name}: {found.get(name, 'legal, but nothing only it would write')}" for name in WIRES
    )
    raise UnknownWire(f"cannot tell whose messages these are: pass wire=. Tried {tried}.")


def _signs_of_tools(tools: Any) -> dict[str, str]:
    if not isinstance(tools, list | tuple):
        return {}
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        if "input_schema" in tool:
            return {"anthropic": "tools have 'input_schema'"}
        if "toolSpec" in tool:
            return {"bedrock": "tools have 'toolSpec'"}
        if "functionDeclarations" in tool or "function_declarations" in tool:
            return {"gemini": "tools have function declarations"}
        if "function" in tool:
            return {"openai": "tools have 'function'"}
        if "name" in tool and "parameters" in tool:
            return {"openai-responses": "tools have 'parameters' beside their name"}
    return {}


def decode_messages(
    wire: Wire, messages: Iterable[dict[str, Any]], start: int = 0
) -> list[Message]:
    """Read messages by a wire; errors count their places from `start`."""
    read = []
    for at, plain in enumerate(messages, start):
        where = f"messages[{at}]"
        message = wire.decode(plain, json_text(plain), where)
        _check_arrival(wire, plain, message, where)
        read.append(message)
    return read


def _check_arrival(wire: Wire, plain: dict[str, Any], message: Message, where: str) -> None:
    """Refuse what no provider takes; what was stored before is not asked again."""
    if message.role == "user" and not message.blocks and not {"content", "type"} & plain.keys():
        raise BadMessage(where, "a user's message needs a content")
    if wire.name not in CHAT_WIRES:
        return
    for block in message.blocks:
        if isinstance(block, Opaque) and block.kind in ANTHROPIC_BLOCKS:
            raise BadMessage(
                f"{where}.content",
                f"{block.kind} is a block of Anthropic's, and this session speaks {wire.name}: "
                "pass wire='anthropic'",
            )


def encode_messages(wire: Wire, messages: Iterable[Message]) -> list[Any]:
    """Return the messages as the provider's client takes them."""
    texts = [text for message in messages for text in wire.encode(message)]
    return join_neighbours(wire, parse_json_texts(texts))


def join_neighbours(wire: Wire, plains: list[Any]) -> list[Any]:
    """Return the messages with neighbours of one role as one, where the provider wants that."""
    if wire.terms.joins is None:
        return plains
    joined: list[Any] = []
    for plain in plains:
        one = None
        # A caller's own objects are left alone: only dicts can be joined.
        both = bool(joined) and isinstance(joined[-1], dict) and isinstance(plain, dict)
        if both and joined[-1].get("role") == plain.get("role"):
            one = wire.terms.joins(joined[-1], plain)
        if one is None:
            joined.append(plain)
        else:
            joined[-1] = one
    return joined
