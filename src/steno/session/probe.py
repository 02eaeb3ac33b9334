"""What one search answers that a view does not: the second half of a round trip.

The first half, what the view answers by itself, is `checks/probe`'s. Searching
takes time, so a commit that is about to land waits for it only so long; what was
not looked for by then is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from steno.checks.answerable import (
    Phrases,
    ProbeQuestion,
    count_answers,
    questions_on_covered_part,
)
from steno.core.log import Commit
from steno.facts.ledger import Ledger
from steno.facts.question import Question
from steno.facts.text import message_text
from steno.recall.query import QUERY_MOST

if TYPE_CHECKING:
    from steno.session.searchable import SearchableSession

PROBE_HITS = 5
"""Messages that one search brings, as many as the agent's own tool."""
PROBE_SECONDS = 2.0
"""That a commit waits for all its searches together."""
LEAST = 0.05
"""Seconds below which no search is begun."""

Retrieved = Sequence[tuple[int, str]]
"""Messages that a search brought, each by its position."""


def questions_of(session: SearchableSession) -> list[ProbeQuestion]:
    """What only the covered part of a session can answer now."""
    return questions_on_covered_part(session.view, Ledger.of(session.log.messages))


def search_question(
    session: SearchableSession,
    question: Question,
    most: int = PROBE_HITS,
    seconds: float = PROBE_SECONDS,
) -> Retrieved:
    """The messages that one search for the question brings, whole."""
    hits = session.recall(question.text[:QUERY_MOST], most=most, seconds=seconds).hits
    return [(hit.position, message_text(session.log.messages[hit.position])) for hit in hits]


def answer_by_search(session: SearchableSession, commit: Commit) -> Commit:
    """The commit with what one search for each open question answers, within a bounded time."""
    view = session.view.with_commit(commit)
    asks = questions_on_covered_part(view, Ledger.of(view.messages))
    until = session.setup.clock() + PROBE_SECONDS
    found: list[Question] = []
    untried = 0
    for each in asks:
        left = until - session.setup.clock()
        if each.visible:
            continue
        if left < LEAST:
            untried += 1
        elif Phrases.of(
            text for _, text in search_question(session, each.question, seconds=left)
        ).contains(*each.question.answers):
            found.append(each.question)
    return msgspec.structs.replace(commit, probe=count_answers(asks, found, untried))
