"""Who is not asked for a while: a breaker for every model.

A model that failed so often in a row is left alone; after a pause one ask is
let through, and decides. Sessions that are given the same `Breakers` share what
one of them learned. Which failures count is the patience's business.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass
class _State:
    failures: int = 0
    until: float = 0.0
    """When a tripped breaker lets one ask through."""
    trying: bool = False
    """That one ask is under way."""


class Breakers:
    """The breakers of a process or of one session, by what tells models apart: their names and addresses."""

    def __init__(self) -> None:
        self._states: dict[str, _State] = {}
        self._lock = threading.Lock()

    def lets(self, name: str, now: float, most: int) -> bool:
        """Whether the model may be asked now; where it was left alone, one ask at a time."""
        with self._lock:
            state = self._states.setdefault(name, _State())
            if state.failures < most:
                return True
            if now < state.until or state.trying:
                return False
            state.trying = True
            return True

    def answered(self, name: str) -> None:
        """The model works: whatever it failed before is forgotten."""
        with self._lock:
            self._states[name] = _State()

    def failed(self, name: str, until: float, *, weight: int = 1) -> None:
        with self._lock:
            state = self._states.setdefault(name, _State())
            state.failures += weight
            state.until = until
            state.trying = False

    def undecided(self, name: str) -> None:
        """The ask that was let through said nothing about the model's health: another may try."""
        with self._lock:
            self._states.setdefault(name, _State()).trying = False
