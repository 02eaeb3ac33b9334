"""What one search answers that a view does not: the second half of a round trip.

The first half, what the view answers by itself, is `checks/probe`'s. Searching
takes time, so a commit that is about to land waits for it only so long; what was
not looked for by then is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from steno.checks.probe import Asked, asked, counted
from steno.core.log import Commit
from steno.ledger.ledger import Ledger
from steno.ledger.question import Phrases, Question
from steno.ledger.words import text_of
from steno.session.wanted import QUERY_MOST

if TYPE_CHECKING:
    from steno.session.searched import Searched

HITS = 5
"""Messages that one search brings, as many as the agent's own tool."""
SECONDS = 2.0
"""That a commit waits for all its searches together."""
LEAST = 0.05
"""Seconds below which no search is begun."""

Brought = Sequence[tuple[int, str]]
"""Messages that a search brought, each by its position."""


def asks_of(session: Searched) -> list[Asked]:
    """What only the covered part of a session can answer now."""
    return asked(session.view, Ledger.of(session.log.messages))


def brought(session: Searched, question: Question, most: int = HITS, seconds: float = SECONDS) -> Brought:
    """The messages that one search for the question brings, whole."""
    hits = session.recall(question.text[:QUERY_MOST], most=most, seconds=seconds).hits
    return [(hit.position, text_of(session.log.messages[hit.position])) for hit in hits]


def searched_for(session: Searched, commit: Commit) -> Commit:
    """The commit with what one search for each open question answers, within a bounded time."""
    view = session.view.committed(commit)
    asks = asked(view, Ledger.of(view.messages))
    until = session.setup.clock() + SECONDS
    found: list[Question] = []
    untried = 0
    for each in asks:
        left = until - session.setup.clock()
        if each.visible:
            continue
        if left < LEAST:
            untried += 1
        elif Phrases.of(text for _, text in brought(session, each.question, seconds=left)).hold(
            *each.question.answers
        ):
            found.append(each.question)
    return msgspec.structs.replace(commit, probe=counted(asks, found, untried))
