"""Commits that a person makes by hand: put a span back into the view, reword a summary.

What would leave a call without its result is refused.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from steno.checks.shape import a_user_begins, calls_are_answered
from steno.core.errors import BadEdit, BadInput
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Commit, Edit, Proposal
from steno.core.message import Message, Span, Text, Thinking
from steno.core.repair import encodable_text
from steno.core.view import View
from steno.session.journal import Journal
from steno.summary.constraints_block import with_block
from steno.summary.read_back import summary_in
from steno.summary.render import HEAD_SECTIONS

RESTORE, REWORD = "restore", "reword"
TEXT_MOST = 200_000
"""Characters of a summary that is written by hand."""


def restore(journal: Journal, span: Span) -> Commit:
    """Show the originals of a span again; return the commit that does so."""
    return _land(journal, span, lambda: _draw(journal, _restoring(journal.view, span)))


def reword(journal: Journal, position: int, text: str, author: str) -> Commit:
    """Let a summary say this text; return the commit that does so."""
    if not text.strip() or len(text) > TEXT_MOST:
        raise BadInput(f"a summary has 1 to {TEXT_MOST:,} characters, got {len(text):,}")
    if not author.strip() or not author.isprintable():
        raise BadInput("author= is the name of who edits the summary, on one line")
    clean = encodable_text(journal.clean(text))

    def draw() -> Commit:
        commit = _draw(journal, _rewording(journal.view, position, clean))
        return msgspec.structs.replace(commit, author=journal.clean(author))

    return _land(journal, Span(position, position + 1), draw)


def _land(journal: Journal, span: Span, draw: Callable[[], Commit]) -> Commit:
    with journal.lock:
        journal.refresh()
        journal.log.open(span)
        return journal.land_fresh(draw, journal.land)


def summary_body(item: Item) -> str | None:
    """Return the words of the summary that an item shows, without their fence."""
    if item.main is not None or len(item.shows) != 1 or item.shows[0].by != "steno":
        return None
    fence = Fence.parse(item.shows[0].text)
    if fence is None:
        return None
    return fence.body


def _draw(journal: Journal, edits: list[Edit]) -> Commit:
    draft = journal.draft("edit")
    proposal = Proposal(tuple(edits), edits[0].by)
    after = with_block(draft.accept(proposal))
    for check in (calls_are_answered, a_user_begins):
        for reason in check(draft, proposal, after):
            raise BadEdit(f"that cannot be shown alone: {reason}")
    commit = after.commit()
    usable = journal.budget.usable
    return msgspec.structs.replace(commit, goal=usable, fits=commit.after <= usable)


def _rewording(view: View, position: int, text: str) -> list[Edit]:
    item = view.at(position)
    if summary_body(item) is None:
        raise BadInput(f"no summary stands for {position} alone: there is no text to edit here")
    shown = item.shows[0]
    fence = Fence.parse(shown.text)
    assert fence is not None
    message = msgspec.structs.replace(
        shown, blocks=(Text(str(Fence(fence.label, text))),), raw=None, patches=()
    )
    # Read back, so that a later summary builds on the new words.
    old, summary = item.summary, summary_in(message)
    if old and summary and old.constraints_apart:
        # What it left to the block was not among the words to edit, and stays there.
        apart = [each for each in old.sections if each.name in HEAD_SECTIONS]
        sections = (*summary.sections, *apart)
        summary = msgspec.structs.replace(summary, sections=sections, constraints_apart=True)
    return [Edit(item.span, (message,), REWORD, level=item.level, summary=summary)]


def _restoring(view: View, span: Span) -> list[Edit]:
    """Return the edits that show the originals of a span, in each item that hides some of it."""
    edits: list[Edit] = []
    position = span.start
    while position < span.stop:
        item = view.at(position)
        if item.main is None and not view.is_arrival(item):
            within = Span(max(span.start, item.span.start), min(span.stop, item.span.stop))
            edits.append(_uncover(view, item, within))
        elif item.main is not None and not view.is_arrival(item):
            edits += _unshorten(view, item)
        position = item.span.stop
    if not edits:
        raise BadInput(f"{span} is shown as it was said: there is nothing to put back")
    return edits


def _uncover(view: View, item: Item, wanted: Span) -> Edit:
    """Return the edit that shows originals of a covered item, after what told of the others."""
    span = _with_pairs(view, item.span, wanted)
    originals = [
        _without_thinking(message)
        for at in range(span.start, span.stop)
        for message in view.arrivals[at].shows
    ]
    shows = [message for message in originals if message.blocks]
    if span == item.span:
        return Edit(item.span, tuple(shows), RESTORE, level=item.level)
    told = [message for message in item.shows if message.by == "steno"]
    # The summary of the others stays a value: the block has its constraints.
    return Edit(item.span, (*told, *shows), RESTORE, level=item.level, summary=item.summary)


def _with_pairs(view: View, whole: Span, wanted: Span) -> Span:
    """Return the span with the calls of its results and the results of its calls."""
    start, stop = wanted.start, wanted.stop
    places: dict[str | None, list[int]] = {}
    for at in range(whole.start, whole.stop):
        message = view.messages[at]
        for id in (*(call.id for call in message.calls), *(each.call for each in message.results)):
            places.setdefault(id, []).append(at)
    while True:
        inside = [each for each in places.values() if any(start <= at < stop for at in each)]
        first = min((at for each in inside for at in each), default=start)
        last = max((at for each in inside for at in each), default=stop - 1)
        if first >= start and last < stop:
            return Span(start, stop)
        start, stop = min(start, first), max(stop, last + 1)


def _unshorten(view: View, item: Item) -> list[Edit]:
    """Return the edits that show the blocks of a message as they came."""
    assert item.main is not None
    source = view.messages[item.span.start]
    edits = []
    for at, _ in item.shows[item.main].patches:
        block = source.blocks[at]
        # Thinking that had to go is bound to words that are no longer there.
        if not isinstance(block, Thinking):
            edits.append(Edit(item.span, (Message(source.role, (block,)),), RESTORE, block=at))
    return edits


def _without_thinking(message: Message) -> Message:
    thoughts = [at for at, block in enumerate(message.blocks) if isinstance(block, Thinking)]
    if not thoughts:
        return message
    return message.with_patches(message, dict.fromkeys(thoughts, ()))
