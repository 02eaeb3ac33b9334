"""A session that can be searched: what it searches with is made when it is first wanted."""

from __future__ import annotations

from typing import Any

from steno.core.log import Commit
from steno.core.store import MessageReader, SessionInfo
from steno.recall.query import parse_query
from steno.recall.recall import Found, Recall
from steno.session.compactor import Compactor
from steno.session.probe import answer_by_search
from steno.wires import get_wire, parse_json


class SearchableSession(Compactor):
    _recall: Recall | None = None

    @property
    def name(self) -> str:
        return self._shelf.name

    def recall(self, query: str, **how: Any) -> Found:
        """Find what was said: here, in `where="user"` (all of this user's sessions) or in `where=[names]`.

        `mode` is auto, words, exact, regex or meaning; filters are `kind`, `role`, `tool`, `path`, `since` and
        `until`; `most` hits within about `seconds`. Nothing is held up by it: others may add meanwhile.
        """
        return self._recall_engine().find(parse_query(query, how))

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

    def close_recall(self) -> None:
        if self._recall is not None:
            self._recall.close()
