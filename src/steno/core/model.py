"""A model that takes whole turns, as an agent's loop needs it.

A turn comes as a stream: words as they arrive, at the end the whole message, ready to be added.
`aturn` is the same on an event loop: a blocking stream is read in a daemon thread, so that neither
the loop nor the end of the program waits for it.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from operator import add
from typing import Any, Literal, Protocol, cast

from msgspec.structs import astuple

from steno.core.message import Value

Complexity = Literal["simple", "medium", "complex", "epic"]
FailureKind = Literal[
    "timeout",  # nothing came in time
    "busy",  # 429, overloaded
    "server",  # 5xx
    "reset",  # the connection broke, or the stream ended half way
    "invalid",  # what came is not what was agreed
    "refused",  # the model would not
    "overflow",  # the prompt is longer than the window
    "cut",  # the answer is longer than was allowed
    "empty",
    "auth",  # a wrong key, or no right to this model
    "spent",  # a limit of ours: calls, tokens, an open breaker
    "other",
]
"""Why a model did not answer."""
StopReason = Literal["end", "calls", "length", "refused"]


class Usage(Value):
    """Tokens of one call, as the provider reports them; `sent` includes `cached`."""

    sent: int = 0
    cached: int = 0
    written: int = 0
    """Newly written to the cache."""
    said: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, astuple(self), astuple(other)))


CallCategory = Literal["agent", "system"]
"""What a call is booked under: the agent's own turns, or Steno's work for it."""


class ModelCall(Value):
    """One call of one model, and what it cost."""

    by: str
    usage: Usage = Usage()
    reason: str = ""
    """Why it did not answer; empty if it did."""
    made: bool = True
    """False if a limit of ours, or a breaker, prevented the call."""
    category: CallCategory = "system"


class Delta(Value):
    """Words as they arrive."""

    text: str
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """The end of a turn: the messages to add, in the provider's form, and their cost."""

    messages: tuple[Any, ...]
    usage: Usage = field(default_factory=Usage)
    stop: StopReason = "end"
    report: Mapping[str, Any] = field(default_factory=dict)
    """What the provider says of its own edits of the request, and of its cache."""


TurnStream = Iterator[Delta | FinishedTurn]
"""Some deltas, then one `FinishedTurn`; closing it early stops the model."""


def close_after(stream: TurnStream) -> Generator[Delta | FinishedTurn, None, None]:
    """Yield from a stream, and close it when the reader stops, so that the model stops too."""
    try:
        yield from stream
    finally:
        close = getattr(stream, "close", None)
        if close is not None:
            close()


class ChatModel(Protocol):
    """A model that takes turns; it raises `ModelFailed` if it cannot."""

    @property
    def name(self) -> str: ...
    @property
    def wire(self) -> str:
        """Name of its wire: openai, openai-responses or anthropic."""

    @property
    def window(self) -> int | None: ...
    def turn(
        self,
        request: Mapping[str, Any],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> TurnStream: ...


def start_turn(model: ChatModel, request: Mapping[str, Any], **limits: float | None) -> TurnStream:
    """Start a model's turn; a model need not take a limit that is not set."""
    given: Any = {name: most for name, most in limits.items() if most is not None}
    return model.turn(request, **given)


async def aturn(
    model: ChatModel, request: Mapping[str, Any], **limits: float | None
) -> AsyncIterator[Delta | FinishedTurn]:
    """Stream a model's turn; a caller that stops reading stops the model at its next word."""
    start = partial(start_turn, model, request, **limits)
    if inspect.iscoroutinefunction(model.turn) or inspect.isasyncgenfunction(model.turn):
        turn = cast(Any, start())
        if inspect.isawaitable(turn):
            turn = await turn
    else:
        turn = _stream_in_thread(start)
    try:
        async for piece in turn:
            yield piece
    finally:
        await turn.aclose()


async def _stream_in_thread(start: partial[TurnStream]) -> AsyncIterator[Delta | FinishedTurn]:
    # Slower to import than all of the core, and only async callers need it.
    import asyncio

    loop = asyncio.get_running_loop()
    # Unbounded, so that the thread never waits for a reader that has gone.
    pieces: asyncio.Queue[Delta | FinishedTurn | BaseException | None] = asyncio.Queue()
    stopped = threading.Event()

    def hand(piece: Delta | FinishedTurn | BaseException | None) -> None:
        # A piece may come after the caller's event loop has ended.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

    threading.Thread(
        target=_pump_stream, args=(start, hand, stopped), name="steno-turn", daemon=True
    ).start()
    try:
        while (piece := await pieces.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece
    finally:
        stopped.set()


def _pump_stream(start: partial[TurnStream], hand: Any, stopped: threading.Event) -> None:
    """Read a stream until it ends or is stopped; close it in the thread that read it."""
    end: BaseException | None = None
    try:
        with closing(close_after(start())) as stream:
            for piece in stream:
                if stopped.is_set():
                    return
                hand(piece)
    except BaseException as failure:  # noqa: BLE001 — handed to the loop, which raises it
        end = failure
    hand(end)
