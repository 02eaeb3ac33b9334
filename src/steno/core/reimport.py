"""A list that came back: our own words are read as the edits they were.

Who keeps no session sends the compacted list again. A trace in it stands for
positions whose words are elsewhere, and may name others of which nothing is
shown; those are absent here, and what follows keeps the number it had. What
mending had added is left out, because it will be added again; what mending had
left out (a blank message, a lone thought) is not in the list and is not
numbered. Whoever can write a whole message can write one that looks like ours:
it moves positions in this list, within bounds, and what it says is told as an earlier
summary's word (`ledger/hearsay.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steno.core.cover_text import SPAN_MOST, CoverText
from steno.core.log import Commit, Edit, Log
from steno.core.message import ABSENT, Message, Result, Span, Text
from steno.core.repair import INTERRUPTED, OPENING_NOTE


def reimport_messages(messages: Sequence[Message]) -> Log:
    """The log of a list, with the edits that earlier compactions left in it."""
    said: list[Message] = []
    log = Log()
    read = list(_read_list(messages))
    hidden = {span.start: span for _, trace in read if trace for span in trace.hides}
    left = SPAN_MOST
    for message, trace in read:
        while len(said) in hidden and len(hidden[len(said)]) <= left:
            left -= len(hidden[len(said)])
            log = _hide_span(log, said, hidden.pop(len(said)))
        # Messages that mending or the caller left out before it: their numbers stay theirs.
        gap = max(0, trace.span.start - len(said)) if trace else 0
        if trace is None or gap + len(trace.span) > left:
            said.append(message)
            continue
        left -= gap + len(trace.span)
        said += [ABSENT] * gap
        span = Span(len(said), len(said) + len(trace.span))
        said += [ABSENT] * len(span)
        log = log.with_messages(said[len(log.messages) :])
        edit = Edit(span, (message,), "resent", level=1)
        log = log.with_commit(Commit(len(log.commits), span.stop, "resent", (edit,)))
    return log.with_messages(said[len(log.messages) :])


def _hide_span(log: Log, said: list[Message], span: Span) -> Log:
    """The log with a span of which nothing was shown: another place in the list says so."""
    said += [ABSENT] * len(span)
    log = log.with_messages(said[len(log.messages) :])
    return log.with_commit(
        Commit(len(log.commits), span.stop, "resent", (Edit(span, (), "resent", level=1),))
    )


def _read_list(messages: Sequence[Message]) -> Iterator[tuple[Message, CoverText | None]]:
    """Each message that the caller said, and each trace that stands where no call is waiting."""
    waiting: set[str | None] = set()
    for at, message in enumerate(messages):
        trace = None if waiting else _cover_text_in(message)
        waiting -= {result.call for result in message.results}
        waiting |= {call.id for call in message.calls}
        if not _is_repair(message, at):
            yield message, trace


def _is_repair(message: Message, at: int) -> bool:
    """A message that mending made, and will make again: the first word, or results of interrupted calls."""
    if at == 0 and message.role == "user" and message.text == OPENING_NOTE:
        return True
    return message.only_results and all(
        isinstance(block, Result) and block.text == INTERRUPTED for block in message.blocks
    )


def _cover_text_in(message: Message) -> CoverText | None:
    if (
        message.role != "user"
        or len(message.blocks) != 1
        or not isinstance(message.blocks[0], Text)
    ):
        return None
    return CoverText.parse(message.blocks[0].text)
