"""The part of a request that no edit can shrink: system prompt and tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steno.core.error import BadInput
from steno.core.meter import Meter
from steno.wire import plain, text_of


@dataclass(frozen=True)
class Fixed:
    system: Any
    tools: Any
    texts: tuple[str, ...]
    """What was counted; the same texts are not counted again."""
    tokens: int

    @classmethod
    def of(cls, system: Any, tools: Any, meter: Meter, last: Fixed | None = None) -> Fixed:
        if last is not None:
            system = last.system if system is None else system
            tools = last.tools if tools is None else tools
        system = None if system is None else plain(system, "system")
        tools = None if tools is None else plain(tools, "tools")
        if tools is not None and not isinstance(tools, list):
            raise BadInput(f"tools must be a list of definitions, got {type(tools).__name__}")
        texts = (_said(system), *map(text_of, tools or ()))
        if last is not None and texts == last.texts:
            return Fixed(system, tools, texts, last.tokens)
        return cls(system, tools, texts, meter.fixed(texts[0] or None, texts[1:]))

    def load(self, meter: Meter) -> int:
        return meter.load(self.tokens)


def _said(system: Any) -> str:
    """The words of a system prompt, given as a string or as text blocks."""
    if system is None or isinstance(system, str):
        return system or ""
    if isinstance(system, list) and all(isinstance(block, dict) for block in system):
        return "\n".join(str(block.get("text", "")) for block in system)
    raise BadInput(f"system must be a string or a list of text blocks, got {type(system).__name__}")
