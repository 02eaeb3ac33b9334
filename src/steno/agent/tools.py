"""Tools: typed Python functions that a model may call.

A tool knows its arguments by a schema made from its function's signature, reads
them strictly, and answers in text. Failing is an answer too: the model can act
on it. Running several at once is `batch`'s business.

A batch of calls, run at once and within a time.

Each call runs in a thread of its own that nobody has to wait for: a tool that
hangs must not hold the agent. What has come by the time is up is a result, what
has not is one too: it says so.
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

from steno.core.effects import FATAL_ERRORS
from steno.core.errors import BadInput, StenoError
from steno.core.message import Call, Result, Text
from steno.core.wire import Wire

RESULT_MOST = 1_000_000
"""Characters of one result."""
ABANDONED: ContextVar[threading.Event | None] = ContextVar("let_go", default=None)
"""Set for the tool that runs, as soon as nobody waits for its result any more."""


def is_abandoned() -> bool:
    """Whether nobody waits any more for the tool that asks: a long one does well to end then."""
    gone = ABANDONED.get()
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

    def parse_arguments(self, call: Call) -> dict[str, Any]:
        """What a call says, read by the schema; raises BadInput in words a model can act on."""
        try:
            read = msgspec.json.decode(call.arguments or "{}", type=self.takes or dict[str, Any])
        except (msgspec.DecodeError, UnicodeEncodeError) as wrong:
            raise BadInput(f"the arguments of {self.name} cannot be used: {wrong}") from None
        if isinstance(read, dict):
            return read
        return msgspec.structs.asdict(cast(msgspec.Struct, read))


def tool_of(
    function: Callable[..., Any] | Tool, *, safe: bool = False, name: str | None = None
) -> Tool:
    """A tool from a typed function: its name, its docstring, its parameters."""
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
        given = () if parameter.default is parameter.empty else (parameter.default,)
        fields.append((name, hints[name], *given))
    return fields


def tool_definitions(tools: Iterable[Tool], wire: Wire) -> list[dict[str, Any]]:
    """The tools as a provider wants them said."""
    return [wire.tool(tool.name, tool.description, tool.schema) for tool in tools]


def result_text(value: Any) -> str:
    """What a tool gave, as text within bounds."""
    text = value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()
    if len(text) <= RESULT_MOST:
        return text
    return f"{text[:RESULT_MOST]}\n[{len(text) - RESULT_MOST:,} more characters were cut off]"


CallHandler = Callable[[Call], str | None]
"""Answers a call itself, or leaves it to the tools with None."""


class CallBatch:
    def __init__(
        self,
        calls: Sequence[Call],
        tools: Mapping[str, Tool],
        handle: CallHandler,
        loop: asyncio.AbstractEventLoop | None = None,
        handled: Sequence[str] = (),
    ) -> None:
        self.calls = tuple(calls)
        self._tools, self._handle, self._loop, self._handled = tools, handle, loop, handled
        self._results: dict[int, Result] = {}
        self._fatal: list[BaseException] = []
        self._all_in = threading.Event()
        self._gone = threading.Event()
        if not calls:
            self._all_in.set()

    def start(self) -> None:
        for at, call in enumerate(self.calls):
            threading.Thread(
                target=self._work, args=(at, call), name=f"steno-{call.name}", daemon=True
            ).start()

    def wait(self, seconds: float | None) -> None:
        self._all_in.wait(seconds)
        if self._fatal:
            raise self._fatal[0]

    def results(self, otherwise: str) -> tuple[Result, ...]:
        """A result for every call; `otherwise` for those that gave none yet, which nobody waits for any more."""
        self._gone.set()
        return tuple(
            self._results.get(at) or result_for(call, otherwise, error=True)
            for at, call in enumerate(self.calls)
        )

    def _work(self, at: int, call: Call) -> None:
        ABANDONED.set(self._gone)  # of this thread alone
        try:
            self._results[at] = self._run_call(call)
        except BaseException as gone:  # noqa: BLE001 — handed to the thread that waits, which raises it
            self._fatal.append(gone)
        if len(self._results) + len(self._fatal) >= len(self.calls):
            self._all_in.set()

    def _run_call(self, call: Call) -> Result:
        answered = self._handle(call)
        if answered is not None:
            return result_for(call, answered)
        tool = self._tools.get(call.name)
        if tool is None:
            there_are = ", ".join((*self._tools, *self._handled)) or "none"
            return result_for(
                call, f"there is no tool {call.name!r}; there are {there_are}", error=True
            )
        try:
            return result_for(call, result_text(self._tool_value(tool, tool.parse_arguments(call))))
        except (KeyboardInterrupt, *FATAL_ERRORS):
            raise
        except StenoError as refused:
            return result_for(call, str(refused), error=True)
        except BaseException as failure:  # noqa: BLE001 — the edge to somebody else's tool, which may exit or cancel
            return result_for(call, f"{type(failure).__name__}: {failure}", error=True)

    def _tool_value(self, tool: Tool, arguments: dict[str, Any]) -> Any:
        value = tool.run(**arguments)
        if not inspect.isawaitable(value):
            return value

        async def awaited() -> Any:
            try:
                return await value
            except SystemExit as left:  # an event loop would end with it, and that is the caller's
                raise RuntimeError(f"SystemExit: {left}") from left

        if self._loop is None:
            return asyncio.run(awaited())
        return asyncio.run_coroutine_threadsafe(awaited(), self._loop).result()


def result_for(call: Call, text: str, *, error: bool = False) -> Result:
    return Result(call.id, (Text(text),), error)
