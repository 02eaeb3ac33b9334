"""The registry of providers, and their JSON in and out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from steno.core.errors import BadInput, BadMessage, UnknownWire
from steno.core.message import Message, Opaque
from steno.core.wire import Wire
from steno.providers.provider import Provider
from steno.providers.shared.errors import know_provider
from steno.providers.shared.parts import join_neighbours, neighbour_groups
from steno.providers.shared.plain_json import (
    Json,
    json_text,
    parse_json,
    parse_json_texts,
    to_plain,
)

FOLDERS = ("openai_chat", "anthropic", "openai_responses", "langchain", "gemini", "bedrock")
"""The folders of this package that hold a provider: a new one is one word here, at any place."""
PROVIDERS: dict[str, Provider] = {}
"""Every provider by the name of its wire."""
DEFAULT_WIRE = "openai"
"""Chat completions: most servers speak them, and a list without any sign is one of theirs."""

__all__ = [
    "DEFAULT_WIRE",
    "PROVIDERS",
    "decode_messages",
    "detect_wire",
    "encode_messages",
    "get_wire",
    "join_neighbours",
    "json_text",
    "neighbour_groups",
    "parse_json",
    "plain_list",
    "register",
    "to_plain",
    "wire_for",
]


def register(provider: Provider) -> None:
    """Make a provider known to all of Steno; one of the same name is replaced."""
    PROVIDERS[provider.name] = provider
    know_provider(provider.sdk, provider.refusals)


for _folder in FOLDERS:
    register(import_module(f"{__name__}.{_folder}").PROVIDER)


def plain_list(messages: object) -> list[Json]:
    """Return the caller's list as plain JSON objects."""
    if isinstance(messages, str | bytes | dict) or not isinstance(messages, Iterable):
        raise BadInput(f"messages must be a list of messages, got {type(messages).__name__}")
    return [_plain_object(message, f"messages[{at}]") for at, message in enumerate(messages)]


def _plain_object(message: object, where: str) -> Json:
    value = to_plain(message, where)
    if isinstance(value, list):
        raise BadMessage(where, "this is a list: pass its messages one by one, *messages")
    if not isinstance(value, dict):
        raise BadMessage(where, f"a message must be an object, got {type(message).__name__}")
    # A message has one of these two; an item of OpenAI's responses may also have an output.
    if "role" not in value and "type" not in value:
        for part in (provider.part_of_response(value) for provider in PROVIDERS.values()):
            if part is not None:
                raise BadMessage(where, f"this is a whole response: pass its message, {part}")
    return value


def get_wire(name: str) -> Wire:
    if name not in PROVIDERS:
        raise UnknownWire(
            f"unknown wire {name!r}; there are {', '.join(PROVIDERS)}. "
            "If it is a wire of your own, pass wire= again, with the wire itself"
        )
    return PROVIDERS[name].wire


def wire_for(model: str | None) -> str:
    """Return the wire that a model's name implies; most others are served as OpenAI's chat."""
    for provider in PROVIDERS.values():
        if model is not None and provider.implied_by and provider.implied_by in model:
            return provider.name
    return DEFAULT_WIRE


def detect_wire(messages: Sequence[Json], tools: Any = None, model: str | None = None) -> Wire:
    """Return the wire that writes lists like this one.

    A list that every wire could have written is of the model's, else OpenAI's chat. Raise
    UnknownWire, with what was tried, if signs contradict each other.
    """
    found: dict[str, str] = {}
    for name, provider in PROVIDERS.items():
        for at, message in enumerate(messages):
            sign = provider.wire.signs(message)
            if sign:
                found[name] = f"messages[{at}] has {sign}"
                break
    found = found or _signs_of_tools(tools)
    for name in tuple(found):
        found.pop(PROVIDERS[name].like, None)
    if not found:
        return get_wire(wire_for(model))
    if len(found) == 1:
        return get_wire(next(iter(found)))
    tried = "; ".join(
        f"{name}: {found.get(name, 'legal, but nothing only it would write')}" for name in PROVIDERS
    )
    raise UnknownWire(f"cannot tell whose messages these are: pass wire=. Tried {tried}.")


def _signs_of_tools(tools: Any) -> dict[str, str]:
    if not isinstance(tools, list | tuple):
        return {}
    keys = {key for tool in tools if isinstance(tool, dict) for key in tool}
    return {
        name: sign
        for name, provider in PROVIDERS.items()
        for key, sign in provider.tool_signs
        if key in keys
    }


def decode_messages(wire: Wire, messages: Iterable[Json], start: int = 0) -> list[Message]:
    """Read messages by a wire; errors count their places from `start`."""
    read = []
    for at, plain in enumerate(messages, start):
        where = f"messages[{at}]"
        message = wire.decode(plain, json_text(plain), where)
        # What was stored before is not asked again.
        if message.role == "user" and not message.blocks and not {"content", "type"} & plain.keys():
            raise BadMessage(where, "a user's message needs a content")
        for block in message.blocks:
            if isinstance(block, Opaque) and wire.name in PROVIDERS:
                _refuse_foreign(PROVIDERS[wire.name], block.kind, where)
        read.append(message)
    return read


def _refuse_foreign(provider: Provider, kind: str, where: str) -> None:
    if kind in provider.foreign_blocks:
        other = PROVIDERS[provider.foreign_blocks[kind]]
        raise BadMessage(
            f"{where}.content",
            f"{kind} is a block of {other.title}'s, and this session speaks {provider.name}: "
            f"pass wire={other.name!r}",
        )


def encode_messages(wire: Wire, messages: Iterable[Message]) -> list[Any]:
    """Return the messages as the provider's client takes them."""
    texts = [text for message in messages for text in wire.encode(message)]
    return join_neighbours(wire, parse_json_texts(texts))
