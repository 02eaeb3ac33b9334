"""A session that can be searched: what it searches with is made when it is first wanted."""

from __future__ import annotations

from typing import Any

from steno.core.log import Commit
from steno.core.store import Card, Read
from steno.session.pressed import Pressed
from steno.session.probe import searched_for
from steno.session.recall import Found, Recall
from steno.session.wanted import wanted_of
from steno.wire import chosen, value_of


class Searched(Pressed):
    _recall: Recall | None = None

    @property
    def name(self) -> str:
        return self._shelf.name

    def recall(self, query: str, **how: Any) -> Found:
        """Find what was said: here, in `where="user"` (all of this user's sessions) or in `where=[names]`.

        `mode` is auto, words, exact, regex or meaning; filters are `kind`, `role`, `tool`, `path`, `since` and
        `until`; `most` hits within about `seconds`. Nothing is held up by it: others may add meanwhile.
        """
        return self._recalls().find(wanted_of(query, how))

    def index(self, *, where: str | list[str] = "session", seconds: float | None = None) -> bool:
        """Fill the index ahead of a search, in a thread or process of your own; False where the time was up."""
        return self._recalls().fill(where, seconds)

    def _recalls(self) -> Recall:
        with self._lock:
            if self._recall is None:
                self._recall = Recall(self._shelf.store, self.name, self._reads, self.setup.embedder)
            return self._recall

    def _reads(self, card: Card) -> Read:
        """How a session's messages are read: by our own wire, or by that which its card names."""
        if card.wire == self.setup.wire.name:
            return self._read
        wire = chosen(card.wire)
        return lambda raw: wire.decode(value_of(raw), raw, "a kept message")

    def searched_for(self, commit: Commit) -> Commit:
        """The commit with what one search answers, where the policy asks for it; a search that fails stops nobody."""
        found = [commit]
        if commit.probe is not None:
            self._guarded(lambda: found.append(searched_for(self, commit)))
        return found[-1]

    def stop_searching(self) -> None:
        if self._recall is not None:
            self._recall.close()
