"""Embedders turn texts into vectors, so that a search finds what was meant in other words.

A session uses none unless it is given one. Each module names the extra that it needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into vectors, in order."""

    @property
    def name(self) -> str:
        """The model, and whatever else makes vectors differ; they are kept under it."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...
