"""The part of a request that no edit can shrink: system prompt, tools, schema of the reply."""

from __future__ import annotations

from typing import Any

import msgspec

from steno.core.errors import BadInput
from steno.core.message import Value
from steno.core.meter import Meter
from steno.core.wire import Wire
from steno.providers import json_text, to_plain


class Preamble(Value):
    """System prompt and tools, with what they weigh."""

    system: Any
    tools: Any
    texts: tuple[str, ...]
    """What was counted; the same texts are not counted again."""
    tokens: int
    schema: str = ""
    """Schema of the reply as JSON, if the request has one; it is counted and not sent."""

    @classmethod
    def of(
        cls,
        system: Any,
        tools: Any,
        meter: Meter,
        last: Preamble | None = None,
        schema: str | None = None,
    ) -> Preamble:
        """Return the preamble of these; None means that of `last`."""
        if last is not None:
            given = ((system, last.system), (tools, last.tools), (schema, last.schema))
            system, tools, schema = (old if new is None else new for new, old in given)
        schema = schema or ""
        # A number is refused below; `to_plain` would make a text of a huge one.
        if system is not None and not isinstance(system, int):
            system = to_plain(system, "system")
        if tools is not None:
            tools = to_plain(tools, "tools")
        if tools is not None and not isinstance(tools, list):
            raise BadInput(f"tools must be a list of definitions, got {type(tools).__name__}")
        for at, tool in enumerate(tools or ()):
            if not isinstance(tool, dict):
                raise BadInput(
                    f"tools[{at}] must be a definition in the provider's format, "
                    f"got {type(tool).__name__}"
                )
        texts = (_system_text(system), *map(json_text, tools or ()))
        if last is not None and (texts, schema) == (last.texts, last.schema):
            return cls(system, tools, texts, last.tokens, schema)
        _refuse_lone_surrogates(system, "system")
        _refuse_lone_surrogates(tools, "tools")
        tokens = meter.fixed_tokens(texts[0] or None, texts[1:], schema)
        return cls(system, tools, texts, tokens, schema)

    def request(self, wire: Wire, messages: list[Any]) -> dict[str, Any]:
        """Return the keyword arguments for the provider's client, around these messages."""
        tools = self.tools
        if tools is not None:
            tools = list(tools)
        return wire.request(messages, self.system, tools)

    def offers(self, name: str) -> bool:
        """Tell whether the model is offered a tool of this name."""
        return any(tool_name(tool) == name for tool in self.tools or ())


def _refuse_lone_surrogates(value: Any, where: str) -> None:
    """Raise BadInput for text that cannot be stored as UTF-8."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise BadInput(
            f"{where}: {half!r} is half of a surrogate pair and no character: remove it"
        ) from None
    except (OverflowError, ValueError):
        return  # a number past 64 bits, which `json_text` writes


def tool_name(tool: Any) -> str:
    """Return a definition's name, wherever its provider puts it."""
    if not isinstance(tool, dict):
        return ""
    for key in ("function", "toolSpec"):
        if isinstance(tool.get(key), dict):
            tool = tool[key]
    declared = tool.get("function_declarations") or tool.get("functionDeclarations")
    if isinstance(declared, list) and len(declared) == 1 and isinstance(declared[0], dict):
        tool = declared[0]
    return str(tool.get("name", ""))


def _system_text(system: Any) -> str:
    """Return the text of a system prompt, given as a string or as text blocks."""
    if system is None or isinstance(system, str):
        return system or ""
    if isinstance(system, list) and all(isinstance(block, dict) for block in system):
        return "\n".join(str(block.get("text", "")) for block in system)
    raise BadInput(f"system must be a string or a list of text blocks, got {type(system).__name__}")
