"""The search part of a session, made when it is first used.

Owns when the search engine is made, when a thread gives vectors to what was said, and what
one search answers for a probe. How a search works is in `steno.recall`.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING

import msgspec

from steno.checks.answerable import (
    AnswerTexts,
    ProbeQuestion,
    count_answers,
    questions_on_covered_part,
)
from steno.checks.questions import Question
from steno.core.errors import BadInput
from steno.core.log import COMPACTS, Commit
from steno.core.view import View
from steno.facts.ledger import Ledger
from steno.facts.text import message_text
from steno.recall.query import QUERY_MOST, Found, Query
from steno.session.background import BackgroundDraft
from steno.session.journal import Journal

if TYPE_CHECKING:
    from steno.recall.recall import Recall

PROBE_HITS = 5
"""Messages that one search of a probe finds, as many as the agent's own tool."""
PROBE_SECONDS = 2.0
"""How long a commit waits for all searches of its probe together."""
FILL_SHARE = 0.25
"""How much of one core the thread takes that makes vectors."""
SEARCH_SECONDS_LEAST = 0.05
"""Seconds below which no search is begun."""

Retrieved = Sequence[tuple[int, str]]
"""Messages that a search found, each with its position."""


class SessionRecall:
    """Searches one session and, if asked to, the other sessions of its user."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._made: Recall | None = None
        self._filling: BackgroundDraft | None = None
        if journal.settings.embedder is not None:
            journal.on_landing(self._fill_after)

    def _fill_after(self, commit: Commit) -> None:
        """Make vectors in a thread of its own: what a commit hides has to be found by meaning."""
        if commit.why not in COMPACTS:
            return
        if self._filling is None or self._filling.done:
            self._filling = BackgroundDraft(self._fill_in_background).begin()

    def _fill_in_background(self, draft: BackgroundDraft) -> None:
        stop = Event()
        draft.on_abandon(stop.set)

        def fill() -> None:
            try:
                self._engine().fill(share=FILL_SHARE, stop=stop)
            except Exception:
                # The session was closed meanwhile; the next one goes on from what is kept.
                if not draft.abandoned:
                    raise

        self._journal.guard(fill)

    def stop_filling(self) -> BackgroundDraft | None:
        """Stop the thread that makes vectors after its step; return it, to wait for."""
        if self._filling is not None:
            self._filling.abandon()
        return self._filling

    def find(self, query: Query) -> Found:
        """Search without holding the session's lock: others may add meanwhile."""
        # Sessions that were begun without a user may be of many people.
        if query.where == "user" and not self._journal.user:
            raise BadInput("this session has no user: name the sessions to search, or none")
        return self._engine().find(query)

    def fill(
        self,
        where: str | Sequence[str] = "session",
        seconds: float | None = None,
        share: float = 1.0,
    ) -> bool:
        """Bring the index up to date; return False if the time was up.

        `share` bounds how much of one core it takes, for a thread in the background.
        """
        return self._engine().fill(where, seconds, share)

    def _engine(self) -> Recall:
        with self._journal.lock:
            # Made when first used: most sessions are never searched, and an index is a file.
            if self._made is None:
                from steno.recall.recall import Recall

                self._made = Recall(
                    self._journal.store,
                    self._journal.key,
                    self._journal.reader_for,
                    self._journal.settings.embedder,
                )
            return self._made

    def search_question(
        self, question: Question, most: int = PROBE_HITS, seconds: float = PROBE_SECONDS
    ) -> Retrieved:
        """Return the messages that one search for a question finds, whole."""
        query = Query.of(question.text[:QUERY_MOST], most=most, seconds=seconds)
        messages = self._journal.log.messages
        return [
            (position, message_text(messages[position]))
            for hit in self.find(query).hits
            for position in hit.positions
        ]

    def with_search_answers(self, commit: Commit) -> Commit:
        """Return the commit with what one search answers for each open question of its probe.

        The commit is about to land, so it waits only `PROBE_SECONDS`; questions that were
        not searched by then are counted as untried.
        """
        clock = self._journal.settings.clock
        view = self._journal.view.with_commit(commit)
        questions = covered_questions(view)
        deadline = clock() + PROBE_SECONDS
        found: list[Question] = []
        untried = 0
        for asked in questions:
            if asked.visible:
                continue
            left = deadline - clock()
            # Counted as untried, not as lost: a slow disk is no fault of the view.
            if left < SEARCH_SECONDS_LEAST:
                untried += 1
                continue
            hits = self.search_question(asked.question, seconds=left)
            if AnswerTexts.of(text for _, text in hits).contains(*asked.question.answers):
                found.append(asked.question)
        return msgspec.structs.replace(commit, probe=count_answers(questions, found, untried))


def covered_questions(view: View) -> list[ProbeQuestion]:
    """Return the questions that only the covered part of a view can answer."""
    return questions_on_covered_part(view, Ledger.of(view.messages))
