"""The search part of a session, made when it is first used."""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING

from steno.core.errors import BadInput
from steno.core.events import Recalled
from steno.core.log import COMPACTS, Commit
from steno.recall.query import Found, Query
from steno.session.background import BackgroundDraft
from steno.session.journal import Journal

if TYPE_CHECKING:
    from steno.recall.recall import Recall

FILL_SHARE = 0.25
"""How much of one core the thread takes that makes vectors."""


class SessionRecall:
    """Searches one session and, if asked to, the other sessions of its user."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._made: Recall | None = None
        self._filling: BackgroundDraft | None = None
        if journal.settings.options["embedder"] is not None:
            journal.on_landing(self._fill_after)

    def _fill_after(self, commit: Commit) -> None:
        """Make vectors in a thread of its own: what a commit hides has to be found by meaning."""
        if commit.why in COMPACTS and (self._filling is None or self._filling.done):
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
        began = time.monotonic()
        found = self._engine().find(query)
        seconds = time.monotonic() - began
        self._journal.emit(Recalled(seconds, len(found.hits), found.complete))
        return found

    def fill(
        self,
        where: str | Sequence[str] = "session",
        seconds: float | None = None,
        share: float = 1.0,
    ) -> bool:
        """Bring the index up to date by a share of one core; return False if the time was up."""
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
                    self._journal.settings.options["embedder"],
                    self._journal.clean,
                )
            return self._made
