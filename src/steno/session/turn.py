"""The steps of a session that wait or send, written once for blocking and async callers.

Each step is a generator that yields what has to be waited for: a background draft,
a compaction's asks, the caller's own request. `Session` performs these effects in
the caller's thread, `AsyncSession` on its event loop; neither has logic of its own.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import takewhile
from typing import Any, TypeVar

from steno.core.effects import Flow
from steno.core.errors import Stale, TooLong
from steno.core.log import Commit
from steno.core.message import Value
from steno.core.view import View
from steno.engine.compact import CompactionOutcome
from steno.providers.cache_marks import with_cache_marks
from steno.session.background import BackgroundDraft
from steno.session.journal import STALE_RETRIES_MOST
from steno.session.overflow import overflow_in
from steno.session.parts import SessionParts

T = TypeVar("T")
FILLING_STEP_SECONDS = 5.0
"""How long closing waits for the step of an embedder that is under way."""


class WaitFor(Value, frozen=True):
    """Wait for a background draft, for at most so many seconds."""

    draft: BackgroundDraft
    seconds: float


class RunCompaction(Value, frozen=True):
    """Run a compaction; the answer is its outcome."""

    flow: Flow[CompactionOutcome]


class SendRequest(Value, frozen=True):
    """Send a request to the provider; the answer is its reply."""

    request: dict[str, Any]


TurnEffect = WaitFor | RunCompaction | SendRequest
Turn = Generator[TurnEffect, Any, T]


def get_ready(parts: SessionParts) -> Turn[None]:
    """Do what waits for the end of a turn; wait for a writer only under hard pressure."""
    # Once for all: each reading is a transaction.
    parts.journal.records.read()
    parts.tools.catch_up()
    parts.constraints.show()
    draft = parts.compactor.required_draft()
    if draft is not None:
        since = parts.settings.clock()
        yield WaitFor(draft, parts.settings.policy.wait)
        parts.compactor.finish_waiting(draft, since)


def prepare_view(parts: SessionParts) -> Turn[View]:
    """Return the view to send now."""
    yield from get_ready(parts)
    return settled_view(parts)


def settled_view(parts: SessionParts) -> View:
    """Land what is due, and return the view to send; it counts as sent."""
    with parts.journal.lock:
        land_due(parts)
        return parts.sending.mark_sent()


def land_due(parts: SessionParts) -> None:
    """Land what pressure demands, and show notes that this covered."""
    with parts.journal.lock:
        parts.compactor.land_due()
        parts.tools.show_covered_notes()


def prepare_messages(parts: SessionParts) -> Turn[list[Any]]:
    """Return the messages to send now, in the provider's format."""
    view = yield from prepare_view(parts)
    return parts.sending.encode(view)


def prepare_request(
    parts: SessionParts, system: Any = None, tools: Any = None
) -> Turn[dict[str, Any]]:
    """Return the request to send now, as keyword arguments for the provider's client."""
    given = parts.tools.compress_definition()
    parts.sending.set_preamble(system, tools, check=parts.landing.require_room)
    yield from get_ready(parts)
    # One lock: the view must have been measured with the very preamble it is sent with.
    with parts.journal.lock:
        land_due(parts)
        # Tools were defined before this commit: with it, or the next request changes them again.
        parts.sending.redefine_tool(given, parts.tools.compress_definition())
        return _request_of(parts, parts.sending.mark_sent())


def _request_of(parts: SessionParts, view: View) -> dict[str, Any]:
    messages = parts.sending.encode(view)
    request = parts.sending.request_with(messages)
    if parts.settings.options["cache"] == "managed":
        request = _with_cache_marks(parts, request, view, len(messages))
    return parts.tools.with_indicator(request)


def _with_cache_marks(
    parts: SessionParts, request: dict[str, Any], view: View, end: int
) -> dict[str, Any]:
    journal = parts.journal
    stable = takewhile(lambda shown: shown.raw and not shown.patches, view.visible_messages)
    marked = with_cache_marks(
        journal.settings.wire.name,
        request,
        model=journal.stored_settings.model or "",
        session=journal.name,
        stable=sum(1 for _ in stable),
        end=end,
    )
    return dict(marked)


def send(parts: SessionParts) -> Turn[Any]:
    """Send the request; if the provider refuses it as too long, compact and send once more."""
    request = yield from prepare_request(parts)
    try:
        reply = yield SendRequest(request)
    except Exception as failure:
        first = yield from shrink_after(parts, failure)
        if first is None:
            raise
    else:
        exceeded = overflow_in(reply)
        if exceeded is None:
            return reply
        # The reply was cut off where the window ended: a shorter request leaves it more room.
        first = yield from shrink_after(parts, exceeded)
        if first is None:
            return reply
    request = yield from prepare_request(parts)
    try:
        return (yield SendRequest(request))
    except Exception as failure:
        second = yield from shrink_after(parts, failure)
        if second is None:
            raise
        raise TooLong((first, second), parts.journal.budget.window, again=False) from failure


def shrink_after(parts: SessionParts, failure: BaseException) -> Turn[int | None]:
    """Learn from a refusal as too long and compact; return the refused load, or None."""
    load = parts.compactor.learn_from(failure)
    if load is not None:
        yield from prepare_view(parts)
    return load


def refuse_too_long(parts: SessionParts, failure: BaseException) -> Turn[TooLong | None]:
    """Return the error to raise instead of a refusal as too long; None for other failures."""
    load = yield from shrink_after(parts, failure)
    if load is None:
        return None
    return parts.compactor.too_long_error(load)


def compact(parts: SessionParts, focus: str = "") -> Turn[Commit | None]:
    """Compact whatever the fill; draw again if another process committed meanwhile."""
    parts.compactor.raise_background_error()
    # No lock while a model is asked: others may add and commit, and then it is drawn again.
    for _ in range(STALE_RETRIES_MOST):
        outcome = yield RunCompaction(parts.landing.draw("asked", focus=focus))
        try:
            return parts.landing.land(outcome)
        except Stale:
            parts.journal.refresh()
    # Threads that share the session landed first each time: they wait now, and for no model.
    with parts.journal.lock:
        return parts.compactor.compact_now(focus=focus, asks=False)


def close(parts: SessionParts, wait: float = 0.0) -> Turn[None]:
    """Close the session; a draft under way has so many seconds to land."""
    draft = parts.compactor.background_draft
    if wait and draft is not None:
        yield WaitFor(draft, wait)
        if not draft.done:
            # The draft used up the time that learning would have had.
            wait = 0.0
    filling = parts.recall.stop_filling()
    if filling is not None:
        yield WaitFor(filling, FILLING_STEP_SECONDS)
    parts.close(wait)
