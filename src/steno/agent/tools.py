"""Tools: typed Python functions that a model may call, and batches of calls.

A tool has a schema made from its function's signature, reads arguments strictly, and
answers in text. A failure is an answer too: the model can act on it.

The calls of a batch run at once, each in a thread that may be abandoned: a tool that
hangs must not hold the agent. A call without a result when the time is up gets one
that says so.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, cast, get_type_hints

import msgspec

from steno.core.decoders import json_decoder
from steno.core.effects import FATAL_ERRORS
from steno.core.errors import BadInput, StenoError
from steno.core.message import Call, Result, Text
from steno.core.wire import Wire

RESULT_MOST = 1_000_000
"""Characters of one result."""
ABANDONED: ContextVar[threading.Event | None] = ContextVar("let_go", default=None)
"""Event of the running tool; it is set when its result is no longer waited for."""


def is_abandoned() -> bool:
    """Tell the running tool whether its result is still wanted; a long one should end if not."""
    gone = ABANDONED.get()
    return gone is not None and gone.is_set()


@dataclass(frozen=True)
class Tool:
    """A tool that a model may call."""

    name: str
    description: str
    schema: dict[str, Any]
    """JSON schema of its arguments: an object."""
    run: Callable[..., Any | Awaitable[Any]]
    """Takes the arguments by name."""
    takes: type[msgspec.Struct] | None = None
    """Type that the arguments are read as; None passes them on unread."""
    safe: bool = False
    """Whether it may run again, and without asking."""

    def parse_arguments(self, call: Call) -> dict[str, Any]:
        """Read the arguments of a call; raise BadInput in words a model can act on."""
        try:
            kind: Any = self.takes or dict[str, Any]
            read = json_decoder(kind).decode(call.arguments or "{}")
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as wrong:
            raise BadInput(f"the arguments of {self.name} cannot be used: {wrong}") from None
        if isinstance(read, dict):
            return read
        return msgspec.structs.asdict(cast(msgspec.Struct, read))


def tool_of(
    function: Callable[..., Any] | Tool, *, safe: bool = False, name: str | None = None
) -> Tool:
    """Make a tool of a typed function: its name, its docstring, its parameters.

    safe: it may run again, and without asking.
    name: name for the model, if not the function's own.
    """
    if isinstance(function, Tool):
        return function
    called = str(name or getattr(function, "__name__", type(function).__name__))
    takes = msgspec.defstruct(
        called, _argument_fields(function, called), forbid_unknown_fields=True
    )
    schema = msgspec.json.schema(takes)
    inner = dict(schema["$defs"][called])
    rest = {key: value for key, value in schema["$defs"].items() if key != called}
    if rest:
        inner["$defs"] = rest
    inner.pop("title", None)
    return Tool(called, inspect.getdoc(function) or called, inner, function, takes, safe)


def _argument_fields(function: Callable[..., Any], called: str) -> list[Any]:
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
            parameter.POSITIONAL_ONLY,
        ):
            raise BadInput(
                f"the tool {called} takes {parameter}: a model can only name its arguments"
            )
        if name not in hints:
            raise BadInput(f"the tool {called} does not say the type of {name!r}: annotate it")
        if parameter.default is parameter.empty:
            fields.append((name, hints[name]))
        else:
            fields.append((name, hints[name], parameter.default))
    return fields


def tool_definitions(tools: Iterable[Tool], wire: Wire) -> list[dict[str, Any]]:
    """Return the definitions of tools in a provider's format."""
    return [wire.tool(tool.name, tool.description, tool.schema) for tool in tools]


def result_text(value: Any) -> str:
    """Return what a tool returned as text, cut at the limit."""
    if isinstance(value, str):
        text = value
    else:
        text = msgspec.json.encode(value, enc_hook=str).decode()
    if len(text) <= RESULT_MOST:
        return text
    return f"{text[:RESULT_MOST]}\n[{len(text) - RESULT_MOST:,} more characters were cut off]"


CallHandler = Callable[[Call], str | None]
"""Answers a call of the session's own tools; returns None for other calls."""


class CallBatch:
    """Calls that run at once.

    `handle` answers calls of the session's own tools, whose names are `handled`.
    `loop` runs async tools; without one, each gets a loop of its own.
    """

    def __init__(
        self,
        calls: Sequence[Call],
        tools: Mapping[str, Tool],
        handle: CallHandler,
        loop: asyncio.AbstractEventLoop | None = None,
        handled: Sequence[str] = (),
    ) -> None:
        self.calls = tuple(calls)
        self._tools = tools
        self._handle = handle
        self._handled = handled
        self._loop = loop
        self._results: dict[int, Result] = {}
        self._fatal: list[BaseException] = []
        self._all_in = threading.Event()
        self._abandoned = threading.Event()
        if not calls:
            self._all_in.set()

    def start(self) -> None:
        """Start every call in a thread of its own."""
        for at, call in enumerate(self.calls):
            threading.Thread(
                target=self._work, args=(at, call), name=f"steno-{call.name}", daemon=True
            ).start()

    def wait(self, seconds: float | None) -> None:
        """Wait until all calls have a result, or until the time is up."""
        self._all_in.wait(seconds)
        if self._fatal:
            raise self._fatal[0]

    def results(self, otherwise: str) -> tuple[Result, ...]:
        """Abandon the calls that still run, and return a result for every call.

        `otherwise` is the text of the result of an abandoned call.
        """
        self._abandoned.set()
        return tuple(
            self._results.get(at) or result_for(call, otherwise, error=True)
            for at, call in enumerate(self.calls)
        )

    def _work(self, at: int, call: Call) -> None:
        ABANDONED.set(self._abandoned)  # a context variable: of this thread only
        try:
            self._results[at] = self._run_call(call)
        except BaseException as failure:  # noqa: BLE001 — `wait` raises it in the waiting thread
            self._fatal.append(failure)
        if len(self._results) + len(self._fatal) >= len(self.calls):
            self._all_in.set()

    def _run_call(self, call: Call) -> Result:
        answer = self._handle(call)
        if answer is not None:
            return result_for(call, answer)
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join((*self._tools, *self._handled)) or "none"
            wrong = f"Error: there is no tool {call.name!r}; there are {names}"
            return result_for(call, wrong, error=True)
        try:
            return result_for(call, result_text(self._tool_value(tool, tool.parse_arguments(call))))
        except (KeyboardInterrupt, *FATAL_ERRORS):
            raise
        except StenoError as refused:
            # In words as well: OpenAI's wire has no mark for an error.
            return result_for(call, f"Error: {refused}", error=True)
        except BaseException as failure:  # noqa: BLE001 — a foreign tool may exit or cancel
            return result_for(call, f"{type(failure).__name__}: {failure}", error=True)

    def _tool_value(self, tool: Tool, arguments: dict[str, Any]) -> Any:
        value = tool.run(**arguments)
        if not inspect.isawaitable(value):
            return value

        async def await_value() -> Any:
            try:
                return await value
            except SystemExit as exit:
                # It would end the event loop, which is the caller's.
                raise RuntimeError(f"SystemExit: {exit}") from exit

        if self._loop is None:
            return asyncio.run(await_value())
        return asyncio.run_coroutine_threadsafe(await_value(), self._loop).result()


def result_for(call: Call, text: str, *, error: bool = False) -> Result:
    """Return a result of a call, with this text."""
    return Result(call.id, (Text(text),), error)
