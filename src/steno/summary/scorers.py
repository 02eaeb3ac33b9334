"""Ways to say what a text is worth, if a policy does not go by how it was used.

`likely` is the default and needs no score of a text: it rates how recently and how often a
piece was used (`worth`). The others read the words alone: how rare they are in the session,
how little they repeat each other, or how little a model expects them. A score is only
compared with other scores of the same kind. What each buys is in `docs/evaluation.md`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Literal

from steno.core.errors import BadPolicy
from steno.core.message import Message
from steno.core.tape import Tape
from steno.summary.rarity import TERM, fold_rarity

Scoring = Literal["likely", "rarity", "entropy", "surprisal"]
"""What texts are worth: by their use, by TF-IDF, by the entropy of their words, by a model."""
TextScorer = Callable[[str], float]
WINDOW_TERMS = 64
"""Terms over which entropy is measured, so that a long text is not worth more by its length."""

_registered: dict[str, TextScorer] = {}


def register_surprisal(scorer: TextScorer) -> None:
    """Let policies use `scorer="surprisal"`: a function that rates a text, the higher the more.

    `steno.models.Surprisal` is one; it asks a model in a file.
    """
    _registered["surprisal"] = scorer


def require_scorer(scoring: Scoring) -> None:
    """Refuse a scorer that needs a model as long as none is registered."""
    if scoring == "surprisal" and scoring not in _registered:
        raise BadPolicy(
            "scorer = 'surprisal' needs a model: call "
            "steno.rungs.register_surprisal(steno.models.Surprisal('model.gguf')) first"
        )


def scorer_for(scoring: Scoring, messages: Tape[Message]) -> TextScorer | None:
    """Return what rates a text of this session; None if its use does."""
    match scoring:
        case "likely":
            return None
        case "rarity":
            return messages.fold(fold_rarity).score
        case "entropy":
            return entropy
    return _registered[scoring]


def entropy(text: str) -> float:
    """Return the bits that one of the text's terms says, at the median of its windows."""
    terms = TERM.findall(text.lower())
    if not terms:
        return 0.0
    windows = [
        _entropy_of(terms[at : at + WINDOW_TERMS]) for at in range(0, len(terms), WINDOW_TERMS)
    ]
    return sorted(windows)[len(windows) // 2]


def _entropy_of(terms: list[str]) -> float:
    shares = [times / len(terms) for times in Counter(terms).values()]
    return -sum(share * math.log2(share) for share in shares)
