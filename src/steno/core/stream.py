"""A turn on an event loop.

Owns the bridge from a blocking stream to an async one: the stream is read in a
daemon thread, so that neither the loop nor the end of the program waits for it.
A talker that is async already is passed through.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any, cast

from steno.core.model import Delta, Spoken, Stream, Talker


async def aturn(
    talker: Talker,
    request: Mapping[str, Any],
    *,
    max_tokens: int | None = None,
    seconds: float | None = None,
) -> AsyncIterator[Delta | Spoken]:
    """The talker's turn; who stops reading, or is cancelled, stops the model at its next word."""
    said = partial(talker.turn, request, max_tokens=max_tokens, seconds=seconds)
    if inspect.iscoroutinefunction(talker.turn) or inspect.isasyncgenfunction(talker.turn):
        stream = cast(Any, said())
        turn = await stream if inspect.isawaitable(stream) else stream
    else:
        turn = _read_in_a_thread(said)
    try:
        async for piece in turn:
            yield piece
    finally:
        await turn.aclose()


async def _read_in_a_thread(said: partial[Stream]) -> AsyncIterator[Delta | Spoken]:
    import asyncio  # costs more to load than all of the core, and only async callers need it

    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[Delta | Spoken | BaseException | None] = asyncio.Queue()
    left = threading.Event()

    def hand(piece: Delta | Spoken | BaseException | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

    threading.Thread(target=_read, args=(said, hand, left), name="steno-turn", daemon=True).start()
    try:
        while (piece := await pieces.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece
    finally:
        left.set()


def _read(said: partial[Stream], hand: Any, left: threading.Event) -> None:
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
