"""Whether a proposal keeps the shape that every view must have.

Each check compares the draft before and after, and yields what it finds. A proposal with a finding
is dropped whole. To add a check, write a function and name it in `SHAPE`; its name is stored with
a finding, so it stays as it is. What a view must still *say* is checked in `kept`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from steno.core.budget import Pressure
from steno.core.draft import Draft
from steno.core.log import Edit, Proposal
from steno.core.message import Call, Media, Result
from steno.core.seam import open_turn_is_signed, thinking_stays_signed

Check = Callable[[Draft, Proposal, Draft], Iterator[str]]


def the_load_gets_smaller(before: Draft, proposal: Proposal, after: Draft) -> Iterator[str]:
    """Refuse what saves nothing."""
    if after.view.raw >= before.view.raw:
        yield f"{before.view.raw:,} tokens would become {after.view.raw:,}"


def pins_and_tail_stay(before: Draft, proposal: Proposal, after: Draft) -> Iterator[str]:
    """Refuse to cover a pin or the tail, or to shorten a pin.

    Results and media of the tail may be shortened on arrival and under hard pressure; in a view
    over the window everything may but what a person said, and that too if no request can hold it.
    """
    for edit in proposal.edits:
        pinned = [position for position in sorted(before.pins) if position in edit.span]
        if pinned:
            yield f"{edit.place} touches what is pinned: {pinned[0]}"
        if edit.span.stop > before.tail_start and not _may_shorten(before, edit):
            yield f"{edit.place} reaches into the tail, which begins at {before.tail_start}"


def _may_shorten(draft: Draft, edit: Edit) -> bool:
    if edit.block is None or not (draft.why == "arrival" or draft.pressure is Pressure.HARD):
        return False
    message = draft.view.messages[edit.span.start]
    # After the message's own blocks come results that were late.
    if edit.block >= len(message.blocks) or isinstance(message.blocks[edit.block], Result | Media):
        return True
    block = message.blocks[edit.block]
    if isinstance(block, Call) and draft.why == "arrival":
        # Each round shortens the arguments of calls that are old, pressure or not.
        return not draft.view.mending.open.waits_for(block.id)
    if message.role == "user" and message.by == "caller":
        words = sum(draft.view.weights[edit.span.start])
        return draft.view.meter.load(draft.fixed + words) > draft.budget.usable
    return draft.load > draft.budget.usable


def cuts_fall_on_seams(before: Draft, proposal: Proposal, after: Draft) -> Iterator[str]:
    """Refuse a cover whose ends are no seams of the view before it."""
    covers = [edit for edit in proposal.edits if edit.block is None]
    # Seams are found by reading the whole view, and most rounds edit blocks alone.
    if not covers:
        return
    starts = {item.span.start: at for at, item in enumerate(before.view.items)}
    legal = before.seams
    for edit in covers:
        ends = (starts[edit.span.start], starts.get(edit.span.stop, len(before.view.items)))
        if not set(ends) <= legal:
            yield f"{edit.span} would part a call from its result, or a turn from its thinking"


def blocks_keep_their_kind(before: Draft, proposal: Proposal, after: Draft) -> Iterator[str]:
    """Refuse to turn a call into another, or to let a result answer another call."""
    for edit in proposal.edits:
        if edit.block is not None and _pairs(before, edit) != _pairs(after, edit):
            yield f"{edit.place} would no longer be the call or the result it is"


def _pairs(draft: Draft, edit: Edit) -> tuple[set[str | None], set[str | None]]:
    item = draft.view.at(edit.span.start)
    return set(item.calls), set(item.results)


def calls_are_answered(before: Draft, proposal: Proposal, after: Draft) -> Iterator[str]:
    """Refuse to show a call without its result, or a result before its call."""
    for edit in proposal.edits:
        waiting: set[str | None] = set()
        if edit.block is not None:
            continue
        for message in edit.shows:
            answers = {result.call for result in message.results}
            if not answers <= waiting or (waiting and not answers):
                yield f"{edit.place} would show a call or a result without the other"
            waiting = (waiting - answers) | {call.id for call in message.calls}
        if waiting:
            yield f"{edit.place} would show a call that nothing answers"


def the_open_turn_stays_signed(before: Draft, proposal: Proposal, after: Draft) -> Iterator[str]:
    """Refuse to take the signed thinking from the open turn, where a provider demands it."""
    bound = thinking_stays_signed in after.view.terms.seams
    if (
        bound
        and open_turn_is_signed(before.view.items)
        and open_turn_is_signed(after.view.items) is False
    ):
        yield "the open turn would no longer begin with its thinking"


def a_user_begins(before: Draft, proposal: Proposal, after: Draft) -> Iterator[str]:
    """Refuse a view in which the assistant speaks first, where a provider demands a user."""
    if not after.view.terms.user_begins:
        return
    first = next(
        (message for message in after.view.item_messages if message.role != "system"), None
    )
    if first is not None and first.role != "user":
        yield "the assistant would speak first"


def something_is_left(before: Draft, proposal: Proposal, after: Draft) -> Iterator[str]:
    """Refuse an empty view: no provider takes a request without a message."""
    if not any(message.role != "system" for message in after.view.item_messages):
        yield "nothing would be left to send"


SHAPE: tuple[Check, ...] = (
    the_load_gets_smaller,
    pins_and_tail_stay,
    cuts_fall_on_seams,
    blocks_keep_their_kind,
    calls_are_answered,
    the_open_turn_stays_signed,
    a_user_begins,
    something_is_left,
)
