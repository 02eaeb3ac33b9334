"""Who turns texts into vectors, so that a search can find what was meant in other words.

One interface; none is used unless a session is given one. Each module names the
extra it needs when it is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Texts in, vectors out, in order; vectors of one name can be compared with each other."""

    @property
    def name(self) -> str:
        """Which model, and whatever else makes vectors differ: what is kept is kept under it."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


__all__ = ["Embedder"]
