"""How likely a piece of a file or a result is wanted again.

A logistic of a few features that say how recently the piece and its file were used, by whom
the text was written, and how many words it shares with what people asked for. The weights
were fitted by `bench/fit_worth.py` on coding sessions: half of the sessions chose them, the
other half scored them. Run it on sessions of your own to see what they would be there.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

AGE_UNIT = 20
"""Messages by which ages are counted."""
TASK_WORDS = 6
"""Shared words from which on more make no difference."""
WORD_LEAST = 5
"""Letters of a word that counts."""

_WORD = re.compile(r"[A-Za-z_]{5,}")


@dataclass(frozen=True, slots=True)
class PieceFeatures:
    """What is known of a piece when it is chosen or left out."""

    age: int
    """Messages since it was last read or changed."""
    file_age: int
    """Messages since its file was last touched; the same as `age` for a result."""
    own: bool
    """Whether the agent wrote it."""
    searched: bool
    """Whether it is the result of a search."""
    ran: bool
    """Whether it is the result of a command or another tool."""
    failing: bool
    """Whether it tells of an error that still stands."""
    touches: int
    """How often its file was touched."""
    shared: int
    """Words it shares with what people asked for."""

    def vector(self) -> tuple[float, ...]:
        """Return the features as numbers, in the order of `WEIGHTS`."""
        return (
            1.0,
            math.log1p(self.age / AGE_UNIT),
            math.log1p(self.file_age / AGE_UNIT),
            float(self.own),
            float(self.searched),
            float(self.ran),
            float(self.failing),
            math.log1p(self.touches),
            min(self.shared, TASK_WORDS) / TASK_WORDS,
        )


FEATURES = ("one", "age", "file_age", "own", "searched", "ran", "failing", "touches", "shared")
WEIGHTS = (-1.24, -0.06, -1.15, 0.42, -0.42, -0.17, 0.03, -0.08, 0.27)
"""One for each of `FEATURES`."""


def worth_of(features: PieceFeatures, weights: tuple[float, ...] = WEIGHTS) -> float:
    """Return how likely a piece is wanted again, from 0 to 1."""
    score = sum(weight * value for weight, value in zip(weights, features.vector(), strict=True))
    return 1 / (1 + math.exp(-score))


def telling_words(text: str) -> frozenset[str]:
    """Return the words of a text that are long enough to tell what it is about."""
    return frozenset(_WORD.findall(text))
