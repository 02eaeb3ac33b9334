"""A model that takes a whole turn: what an agent's loop holds.

A turn is asked for by a request in the provider's own form, as a session makes
it, and comes as a stream: words as they are said, at the end the whole message
as the provider has it, ready to be added. How a provider is called is written
in `steno.models`; running what the message calls is a loop's business.

A turn on an event loop.

Owns the bridge from a blocking stream to an async one: the stream is read in a
daemon thread, so that neither the loop nor the end of the program waits for it.
A talker that is async already is passed through.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Protocol, cast

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


class Usage(Value, frozen=True):
    """Tokens of one call, as the provider reports them; what was sent includes what was cached."""

    sent: int = 0
    cached: int = 0
    written: int = 0
    """Newly written to the cache."""
    said: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.sent + other.sent,
            self.cached + other.cached,
            self.written + other.written,
            self.said + other.said,
        )


class ModelCall(Value, frozen=True):
    """One call of one model, and what it cost."""

    by: str
    usage: Usage = Usage()
    reason: str = ""
    """Why it did not answer; empty where it did."""
    made: bool = True
    """False where a limit of ours, or a breaker, kept it from being made."""


@dataclass(frozen=True, slots=True)
class Delta:
    """Words as they come."""

    text: str
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """The turn is over: the messages to add, as the provider says them, and what it cost."""

    messages: tuple[Any, ...]
    usage: Usage = field(default_factory=Usage)
    stop: StopReason = "end"


TurnStream = Iterator[Delta | FinishedTurn]
"""Some deltas, then one `Spoken`; closing it early stops the model."""


class ChatModel(Protocol):
    """A model that takes turns; it raises `ModelFailed` where it cannot."""

    @property
    def name(self) -> str: ...
    @property
    def wire(self) -> str:
        """Whose messages it speaks: openai, openai-responses or anthropic."""
        ...

    @property
    def window(self) -> int | None: ...
    def turn(
        self,
        request: Mapping[str, Any],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> TurnStream: ...


async def aturn(
    talker: ChatModel,
    request: Mapping[str, Any],
    *,
    max_tokens: int | None = None,
    seconds: float | None = None,
) -> AsyncIterator[Delta | FinishedTurn]:
    """The talker's turn; who stops reading, or is cancelled, stops the model at its next word."""
    said = partial(talker.turn, request, max_tokens=max_tokens, seconds=seconds)
    if inspect.iscoroutinefunction(talker.turn) or inspect.isasyncgenfunction(talker.turn):
        stream = cast(Any, said())
        turn = await stream if inspect.isawaitable(stream) else stream
    else:
        turn = _stream_in_thread(said)
    try:
        async for piece in turn:
            yield piece
    finally:
        await turn.aclose()


async def _stream_in_thread(said: partial[TurnStream]) -> AsyncIterator[Delta | FinishedTurn]:
    import asyncio  # costs more to load than all of the core, and only async callers need it

    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[Delta | FinishedTurn | BaseException | None] = asyncio.Queue()
    left = threading.Event()

    def hand(piece: Delta | FinishedTurn | BaseException | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

    threading.Thread(
        target=_pump_stream, args=(said, hand, left), name="steno-turn", daemon=True
    ).start()
    try:
        while (piece := await pieces.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece
    finally:
        left.set()


def _pump_stream(said: partial[TurnStream], hand: Any, left: threading.Event) -> None:
    """Read a stream to its end, or until nobody listens; then it is closed here, where it was read."""
    end: BaseException | None = None
    try:
        stream = said()
        try:
            for piece in stream:
                if left.is_set():
                    return
                hand(piece)
        finally:
            close = getattr(stream, "close", None)
            if close is not None:
                close()
    except BaseException as gone:  # noqa: BLE001 — handed to the loop, which raises it
        end = gone
    hand(end)
