"""Lines beside the log of one session, only ever added: notes, constraints, marks of a run."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from steno.core.store import Record
from steno.redact import Redactor
from steno.session.stored_session import StoredSession

Entry = tuple[Record, Any]  # a line and its value


class SessionRecords:
    """The records of one session, those of other processes included."""

    def __init__(
        self,
        stored: StoredSession,
        redact: Redactor | None,
        lock: threading.RLock,
        is_clean: Callable[[], bool],
        before_adding: Callable[[], object],
    ) -> None:
        """Read and write the lines; `is_clean` tells whether `redact` was used from the first."""
        self._stored, self._redact, self._lock = stored, redact, lock
        self._is_clean, self._before_adding = is_clean, before_adding
        self._known: dict[str, list[Entry]] = {}
        self._next = 0

    def add(self, kind: str, value: Any) -> Record:
        """Store a line: any JSON value."""
        self._before_adding()
        if self._redact is not None:
            value = self._redact.free(value)
        stored = self._stored
        return stored.store.record(stored.key, self._clean(kind), json.dumps(value))

    def of(self, kind: str) -> list[Entry]:
        """Return the lines of a kind, oldest first, each with its value."""
        with self._lock:
            self.read()
            return self.known(kind)

    def known(self, *kinds: str) -> list[Entry]:
        """Return the lines of these kinds that were read before; the store is not asked."""
        with self._lock:
            return [entry for kind in kinds for entry in self._known.get(self._clean(kind), ())]

    def read(self) -> None:
        """Ask the store for lines that are new, also by other processes."""
        with self._lock:
            for record in self._stored.store.records(self._stored.key, self._next):
                value = json.loads(record.text)
                if self._redact is not None and not self._is_clean():
                    value = self._redact.free(value)
                entry = (record, value)
                known = self._known.setdefault(record.kind, [])
                # An interrupt can come between the next two lines, and this one is read again.
                if not known or known[-1][0].number < record.number:
                    known.append(entry)
                self._next = record.number + 1

    def _clean(self, kind: str) -> str:
        if self._redact is None:
            return kind
        return str(self._redact.plain(kind))
