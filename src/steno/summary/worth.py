"""How likely a piece of a file or a result is wanted again.

A logistic of a few features that say how recently the piece and its file were used, whether
the agent changed them, how long the piece is, how many words it shares with what people asked
for, and how many names with the agent's newest calls. All weights but the last were fitted by
`bench/fit_worth.py` on 44 coding sessions. It also fits on each half and scores on the other:
that costs at most .04 of the AUC. Run it on sessions of your own to see what the weights would
be there. `in_hand` was fitted to 1.07 on one half and to 0.95 on the other, and is set lower:
with so much, results and plans that questions were asked about gave way to code.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from steno.core.message import Value
from steno.core.words import word_tuple

AGE_UNIT = 20
"""Messages by which ages are counted."""
SIZE_UNIT = 200
"""Characters by which sizes are counted."""
TASK_WORDS = 6
"""Shared words from which on more make no difference."""
TEXTS_KEPT = 512

_WORD = re.compile(r"[A-Za-z_]{5,}")


class PieceFeatures(Value, frozen=True, gc=False):
    """What is known of a piece when it is chosen or left out."""

    age: int
    """Messages since it was last read or changed."""
    file_age: int
    """Messages since its file was last touched; the same as `age` for a result."""
    changed_file: bool
    """Whether the agent wrote or changed its file: what is done is wanted less often."""
    changed: bool
    """Whether the agent wrote or changed this very piece."""
    searched: bool
    """Whether it is the result of a search."""
    ran: bool
    """Whether it is the result of a command or another tool."""
    touches: int
    """How often its file was touched."""
    shared: int
    """Words it shares with what people asked for."""
    size: int
    """Its characters: a long piece takes the place of others."""
    in_hand: float
    """Names of code in it that the newest calls use, each shared among the pieces that have it."""

    def vector(self) -> tuple[float, ...]:
        """Return the features as numbers, in the order of `WEIGHTS`."""
        return (
            1.0,
            math.log1p(self.age / AGE_UNIT),
            math.log1p(self.file_age / AGE_UNIT),
            float(self.changed_file),
            float(self.changed),
            float(self.searched),
            float(self.ran),
            math.log1p(self.touches),
            min(self.shared, TASK_WORDS) / TASK_WORDS,
            math.log1p(self.size / SIZE_UNIT),
            math.log1p(self.in_hand),
        )


FEATURES = word_tuple(
    "one age file_age changed_file changed searched ran touches shared size in_hand"
)
WEIGHTS = (0.42, 0.06, -0.60, -0.86, 0.84, -0.59, -0.46, 0.14, 0.79, -0.65, 0.70)
"""One for each of `FEATURES`."""


def worth_of(features: PieceFeatures, weights: tuple[float, ...] = WEIGHTS) -> float:
    """Return how likely a piece is wanted again, from 0 to 1."""
    score = sum(weight * value for weight, value in zip(weights, features.vector(), strict=True))
    return 1 / (1 + math.exp(-score))


# The pieces of a file that was not touched are rated again in each commit.
@lru_cache(maxsize=TEXTS_KEPT)
def telling_words(text: str) -> frozenset[str]:
    """Return the words of a text that are long enough to tell what it is about."""
    return frozenset(_WORD.findall(text))
