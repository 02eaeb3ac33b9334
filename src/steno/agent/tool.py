"""Tools: typed Python functions that a model may call.

A tool knows its arguments by a schema made from its function's signature, reads
them strictly, and answers in text. Failing is an answer too: the model can act
on it. Running several at once is `batch`'s business.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, cast, get_type_hints

import msgspec

from steno.core.error import BadInput
from steno.core.message import Call
from steno.core.wire import Wire

SAID_MOST = 1_000_000
"""Characters of one result."""
LET_GO: ContextVar[threading.Event | None] = ContextVar("let_go", default=None)
"""Set for the tool that runs, as soon as nobody waits for its result any more."""


def abandoned() -> bool:
    """Whether nobody waits any more for the tool that asks: a long one does well to end then."""
    gone = LET_GO.get()
    return gone is not None and gone.is_set()


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    schema: dict[str, Any]
    """JSON schema of its arguments, an object."""
    run: Callable[..., Any | Awaitable[Any]]
    """Takes the arguments by name."""
    takes: type[msgspec.Struct] | None = None
    """What the arguments are read as; None hands them over as they are."""
    safe: bool = False
    """Running it again does no harm, and asking first is not needed."""

    def arguments(self, call: Call) -> dict[str, Any]:
        """What a call says, read by the schema; raises BadInput in words a model can act on."""
        try:
            read = msgspec.json.decode(call.arguments or "{}", type=self.takes or dict[str, Any])
        except (msgspec.DecodeError, UnicodeEncodeError) as wrong:
            raise BadInput(f"the arguments of {self.name} cannot be used: {wrong}") from None
        return read if isinstance(read, dict) else msgspec.structs.asdict(cast(msgspec.Struct, read))


def tool_of(function: Callable[..., Any] | Tool, *, safe: bool = False, name: str | None = None) -> Tool:
    """A tool from a typed function: its name, its docstring, its parameters."""
    if isinstance(function, Tool):
        return function
    called = str(name or getattr(function, "__name__", type(function).__name__))
    takes = msgspec.defstruct(called, _fields(function, called), forbid_unknown_fields=True)
    schema = msgspec.json.schema(takes)
    inner = dict(schema["$defs"][called])
    rest = {key: value for key, value in schema["$defs"].items() if key != called}
    if rest:
        inner["$defs"] = rest
    inner.pop("title", None)
    return Tool(called, inspect.getdoc(function) or called, inner, function, takes, safe)


def _fields(function: Callable[..., Any], called: str) -> list[Any]:
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise BadInput(f"the tool {called} takes {parameter}: a model can only name its arguments")
        if name not in hints:
            raise BadInput(f"the tool {called} does not say the type of {name!r}: annotate it")
        given = () if parameter.default is parameter.empty else (parameter.default,)
        fields.append((name, hints[name], *given))
    return fields


def definitions(tools: Iterable[Tool], wire: Wire) -> list[dict[str, Any]]:
    """The tools as a provider wants them said."""
    return [wire.tool(tool.name, tool.description, tool.schema) for tool in tools]


def said(value: Any) -> str:
    """What a tool gave, as text within bounds."""
    text = value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()
    if len(text) <= SAID_MOST:
        return text
    return f"{text[:SAID_MOST]}\n[{len(text) - SAID_MOST:,} more characters were cut off]"
