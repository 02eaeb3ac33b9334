"""A session that can be searched: what it searches with is made when it is first wanted."""

from __future__ import annotations

from collections.abc import Sequence

from steno.core.keywords import check_keywords
from steno.core.log import Commit
from steno.core.store import MessageReader, SessionInfo
from steno.recall.query import SECONDS, Mode, Query, When
from steno.recall.hits import Found
from steno.recall.recall import Recall
from steno.session.compactor import Compactor
from steno.session.probe import answer_by_search
from steno.wires import get_wire, parse_json


class SearchableSession(Compactor):
    _recall: Recall | None = None

    @property
    def name(self) -> str:
        return self._shelf.name

    @check_keywords
    def recall(
        self,
        query: str,
        *,
        mode: Mode = "auto",
        kind: str | None = None,
        role: str | None = None,
        tool: str | None = None,
        path: str | None = None,
        since: When = None,
        until: When = None,
        where: str | Sequence[str] = "session",
        most: int = 10,
        seconds: float = SECONDS,
    ) -> Found:
        """Find messages, also those that are no longer shown; others may add meanwhile.

        query: words, an identifier, a path or a quote; may be empty if a filter is given.
        mode: "auto", "words", "exact", "regex" or "meaning".
        kind: only messages that hold a fact of this kind.
        role: only messages of this role.
        tool: only calls and results of this tool.
        path: only messages that name this file or folder.
        since: only messages from this time on.
        until: only messages up to this time.
        where: "session", "user" (all sessions of this user) or a list of session names.
        most: how many hits.
        seconds: about how long to search.
        """
        wanted = Query.of(
            query,
            mode=mode,
            kind=kind,
            role=role,
            tool=tool,
            path=path,
            since=since,
            until=until,
            where=where,
            most=most,
            seconds=seconds,
        )
        return self._recall_engine().find(wanted)

    def index(self, *, where: str | list[str] = "session", seconds: float | None = None) -> bool:
        """Fill the index ahead of a search, in a thread or process of your own; False where the time was up."""
        return self._recall_engine().fill(where, seconds)

    def _recall_engine(self) -> Recall:
        with self._lock:
            if self._recall is None:
                self._recall = Recall(
                    self._shelf.store, self.name, self._reader_for, self.setup.embedder
                )
            return self._recall

    def _reader_for(self, card: SessionInfo) -> MessageReader:
        """How a session's messages are read: by our own wire, or by that which its card names."""
        if card.wire == self.setup.wire.name:
            return self._decode_stored
        wire = get_wire(card.wire)
        return lambda raw: wire.decode(parse_json(raw), raw, "a kept message")

    def with_search_answers(self, commit: Commit) -> Commit:
        """The commit with what one search answers, where the policy asks for it; a search that fails stops nobody."""
        found = [commit]
        if commit.probe is not None:
            self._run_guarded(lambda: found.append(answer_by_search(self, commit)))
        return found[-1]
