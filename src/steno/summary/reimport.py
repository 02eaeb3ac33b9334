"""A compacted list that a caller sends back, read as the log it came from.

A caller without a session sends the compacted list again. A summary in it stands for positions
whose messages are not in the list, and may name other spans that show nothing: those positions
are absent in the log, and every later message keeps the number it had. Messages that repair
added are left out, because repair adds them again, except before a summary; messages that repair
had left out (a blank one, thinking alone) are not in the list and are not numbered.

Some providers and programs join neighbouring messages of the user, so `split_joined` comes first.

Anyone who can write a whole message can write one that looks like ours. It moves positions in
this list, within bounds, and its lines are marked as an earlier summary's word (`verify`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import msgspec

from steno.core.fence import Fence, find_fences
from steno.core.log import Commit, Edit, Log
from steno.core.message import ABSENT, Block, Message, Result, Span, Text, user_message
from steno.core.open_calls import OpenCalls, PendingCall
from steno.core.repair import INTERRUPTED, OPENING_NOTE, encodable_message, pair_results
from steno.core.summary import Section, Summary
from steno.core.wire import Wire
from steno.facts.authorship import stands_free
from steno.summary.constraints_block import BLOCK_KIND, constraints_block_at, constraints_in
from steno.summary.read_back import SPAN_MOST, parse_summary, summary_in

NOTHING_BEFORE = Log()
STORED_LEAST = 1_000
"""Absent positions that a list may take in a store, however short its text is."""
TAGS_MOST = 200
"""Tags of fences in a message that is taken apart; no program joins that many."""
_LINES_BEFORE = re.compile(r"(?:\r{0,9}\n){1,2}\Z")
_LINES_AFTER = re.compile(r"\A(?:\r{0,9}\n){1,2}")

_Piece = list[tuple[int, Block]]
"""Blocks of one message, each with its index in the message that it was joined into."""


def split_joined(message: Message, wire: Wire) -> list[Message]:
    """Return the messages that were joined into this one, each of our summaries and blocks alone.

    A fence within a page, a tag or a code fence stays where it is, with all that follows.
    """
    own = message.role == "user" and message.by != "program"
    if not (own and 0 < message.text.count("steno-") <= TAGS_MOST):
        return [message]
    rest: _Piece = list(enumerate(message.blocks))
    pieces: list[_Piece | Fence] = []
    while (cut := _first_cut(rest)) is not None:
        before, fence, rest = cut
        pieces += [before, fence]
    pieces = [piece for piece in (*pieces, rest) if piece]
    if pieces == [rest] or [str(piece) for piece in pieces] == [message.text]:
        return [message]
    alone: list[Message] = []
    ids = set[str]()
    for piece in pieces:
        plain = json.loads(wire.encode(_as_message(message, piece))[0])
        # One message of the list keeps its id.
        id = str(plain.get("id"))
        if id in ids:
            del plain["id"]
        if "id" in plain:
            ids.add(id)
        raw = json.dumps(plain, ensure_ascii=False)
        own_message = wire.decode(plain, raw, "a joined message")
        if own_message.blocks:
            alone.append(own_message)
    return alone


def split_all(messages: Sequence[Message], wire: Wire) -> list[Message]:
    """Return a list with all that was joined in it taken apart."""
    return [alone for message in messages for alone in split_joined(message, wire)]


def _first_cut(rest: _Piece) -> tuple[_Piece, Fence, _Piece] | None:
    """Return what stands before the first fence of ours, the fence, and what follows it."""
    for number, (at, block) in enumerate(rest):
        if not isinstance(block, Text):
            continue
        for start, stop, fence in find_fences(block.text):
            if fence.label.get("kind") != BLOCK_KIND and parse_summary(str(fence)) is None:
                continue
            texts = [each.text if isinstance(each, Text) else "" for _, each in rest]
            if not stands_free(texts, number, start, stop):
                return None
            before, after = rest[:number], rest[number + 1 :]
            head = _LINES_BEFORE.sub("", block.text[:start])
            if head:
                before.append((at, Text(head)))
            tail = _LINES_AFTER.sub("", block.text[stop:])
            if tail:
                after.insert(0, (at, Text(tail)))
            return before, fence, after
    return None


def _as_message(message: Message, piece: _Piece | Fence) -> Message:
    """Return a message that shows a piece of this one alone."""
    if isinstance(piece, Fence):
        return user_message(str(piece))
    shown: dict[int, tuple[Block, ...]] = dict.fromkeys(range(len(message.blocks)), ())
    for at, block in piece:
        if block == message.blocks[at]:
            del shown[at]
        else:
            shown[at] = (block,)
    return message.with_patches(message, shown)


def end_of_summaries(messages: Sequence[Message], before: Sequence[Message]) -> int:
    """Return how many messages of a list end with its last summary; 0 if it has none.

    Without one they end with the block of constraints, if only system messages come before it.
    """
    for at in range(len(messages), 0, -1):
        if summary_in(messages[at - 1]) is not None:
            return at
    block = constraints_block_at(messages)
    if block is None or any(message.role != "system" for message in before):
        return 0
    return block + 1


def made_again(messages: Sequence[Message]) -> set[int]:
    """Return the indices of messages of a list that Steno makes again, and that no log holds."""
    entries = _entries(messages)
    kept = {
        id(message)
        for message, summary in entries
        if summary is None or constraints_block_at((message,)) is None
    }
    return {at for at, message in enumerate(messages) if id(message) not in kept}


def positions_for(messages: Sequence[Message]) -> int:
    """Return how many absent positions a list may take in a store: not many for few words."""
    return min(SPAN_MOST, max(STORED_LEAST, sum(len(message.text) for message in messages)))


def reimport_messages(
    messages: Sequence[Message],
    before: Log = NOTHING_BEFORE,
    most: int = SPAN_MOST,
    *,
    replaced: bool = False,
) -> Log:
    """Return the log of a list, with the edits that earlier compactions left in it.

    `before` holds messages that come before the list. Only a summary that this log showed itself
    covers them: the positions of any other are those of another log. A summary that would take
    more than `most` absent positions is a message like any other. `replaced` says that the caller
    gives constraints, which take the place of those that the block of the list was given.
    """
    numbered = list(before.messages)
    log = before
    entries = list(_entries(messages, replaced=replaced))
    hidden: dict[int, Span] = {}
    for _, summary in entries:
        if summary:
            hidden |= {span.start: span for span in summary.hides}
    left = most
    for message, summary in entries:
        while len(numbered) in hidden and len(hidden[len(numbered)]) <= left:
            left -= len(hidden[len(numbered)])
            # Another place in the list names it, and it shows nothing.
            span = hidden.pop(len(numbered))
            log = _cover_absent(log, numbered, Edit(span, (), "resent", level=1))
        # Messages that repair or the caller left out before a summary keep their numbers.
        gap = max(0, summary.span.start - len(numbered)) if summary else 0
        if summary is None or gap + len(summary.span) > left:
            numbered.append(message)
            continue
        left -= gap + len(summary.span)
        numbered += [ABSENT] * gap
        span = Span(len(numbered), len(numbered) + len(summary.span))
        shown_before = _span_shown(before, message)
        if shown_before is not None:
            span = shown_before
        shows: tuple[Message, ...] = ()
        if constraints_block_at((message,)) is None:
            # What an edit shows is not repaired any more.
            shows = (encodable_message(message),)
        edit = Edit(span, shows, "resent", level=1, summary=summary)
        log = _cover_absent(log, numbered, edit)
    return log.with_messages(numbered[len(log.messages) :])


def _span_shown(log: Log, message: Message) -> Span | None:
    """Return what a message stood for when this log showed it; None if it never did."""
    for commit in reversed(log.commits):
        for edit in commit.edits:
            if any(shown.text == message.text for shown in edit.shows):
                return edit.span
    return None


def _cover_absent(log: Log, numbered: list[Message], edit: Edit) -> Log:
    """Return the log with absent messages for an edit's span, and the edit."""
    numbered += [ABSENT] * (edit.span.stop - len(numbered))
    log = log.with_messages(numbered[len(log.messages) :])
    return log.with_commit(Commit(len(log.commits), edit.span.stop, "resent", (edit,)))


def _entries(
    messages: Sequence[Message], *, replaced: bool = False
) -> Iterator[tuple[Message, Summary | None]]:
    """Yield the messages that repair does not add again, each with its summary, if any."""
    waiting = OpenCalls()
    added: list[Message] = []
    # The constraints block is made again. What it says is taken over by the first summary, or by a
    # position that shows nothing.
    block = constraints_block_at(messages)
    found: tuple[Section, ...] = ()
    if block is not None:
        found = constraints_in(messages[block], replaced=replaced)
    for at, message in enumerate(messages):
        if at == block:
            if not any(map(summary_in, messages)):
                nothing = Summary(Span(at, at + 1), 0, (("absent", 1),))
                yield message, _with_constraints(nothing, found)
            continue
        # A summary never stands between a call and its result.
        summary = None if waiting else summary_in(message)
        _, waiting, _ = pair_results(message, waiting)
        waiting = waiting.plus(PendingCall(call.id, "", call.name) for call in message.calls)
        if summary is not None and found:
            summary = _with_constraints(summary, found)
            found = ()
        if _is_repair(message, at):
            added.append(message)
            continue
        if summary is not None:
            # Repair looks at messages that arrive, and a summary is an edit: the results
            # would be added after it, away from their calls.
            yield from ((result, None) for result in added if result.results)
        added.clear()
        yield message, summary


def _with_constraints(summary: Summary, found: tuple[Section, ...]) -> Summary:
    """Return a summary whose constraints and open loops stand in the block."""
    names = {section.name for section in found}
    rest = (section for section in summary.sections if section.name not in names)
    return msgspec.structs.replace(summary, sections=(*found, *rest), constraints_apart=True)


def _is_repair(message: Message, at: int) -> bool:
    """Tell whether repair made this message: the opening note, or results of interrupted calls."""
    if at == 0 and message.role == "user" and message.text == OPENING_NOTE:
        return True
    return message.only_results and all(
        isinstance(block, Result) and block.text == INTERRUPTED for block in message.blocks
    )
