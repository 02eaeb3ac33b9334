"""Exact counts, from a vocabulary.

Owns loading: once a process, under a lock, and never trusted before it has
answered a question whose answer is known. Which vocabulary a model uses is
`choice`'s business.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Protocol

QUESTION = "def total(xs):\n\treturn sum(xs)  # 1234567, naïve — 今天天气很好\n"
ANSWERS = {
    "o200k_base": (23, 729_017),
    "cl100k_base": (28, 445_845),
    "llama3": (25, 638_018),
    "qwen3": (27, 519_948),
    "deepseek_v3": (24, 203_357),
    "mistral_v3": (29, 275_875),
    "gemma3": (29, 3_845_635),
    "glm4": (23, 731_043),
    "kimi_k2": (24, 341_393),
    "phi4": (28, 445_845),
}
"""How many ids the question has in a vocabulary, and their sum."""

Count = Callable[[str], int]

_loaded: dict[str, Count | None] = {}
_loading = threading.Lock()


class Encoder(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


def counter(vocabulary: str) -> Count | None:
    """Counts by this vocabulary, or none where it cannot be had or does not pass its test."""
    with _loading:
        if vocabulary not in _loaded:
            _loaded[vocabulary] = _load(vocabulary)
        return _loaded[vocabulary]


def _load(vocabulary: str) -> Count | None:
    # Imported here: 19 MB that a caller with a meter of its own never needs.
    try:
        from splintr import Tokenizer
    except ImportError:
        return None
    try:
        encoder: Encoder = Tokenizer.from_pretrained(vocabulary)
        ids = encoder.encode_ordinary(QUESTION)
    except ValueError as error:
        _warn(vocabulary, str(error))
        return None
    if (len(ids), sum(ids)) != ANSWERS[vocabulary]:
        _warn(vocabulary, "it fails its known-answer test")
        return None
    return counting(encoder)


def _warn(vocabulary: str, why: str) -> None:
    sentence = f"splintr's {vocabulary} is not used ({why}): tokens are estimated"
    warnings.warn(sentence, RuntimeWarning, stacklevel=2)


def counting(encoder: Encoder) -> Count:
    """Counts by an encoder that refuses lone surrogates, without refusing them."""

    def count(text: str) -> int:
        try:
            return len(encoder.encode_ordinary(text))
        except UnicodeEncodeError:
            return len(encoder.encode_ordinary(joined(text)))

    return count


def joined(text: str) -> str:
    """The text with surrogate pairs made one character, and lone ones replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
