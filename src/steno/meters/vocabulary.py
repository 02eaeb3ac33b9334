"""Exact counts from a vocabulary.

A vocabulary is loaded once a process, under a lock, and only used after it has
passed a test with a known answer. Which model uses which one is said by its family.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Protocol

from steno.core.repair import encodable_text

TEST_TEXT = "def total(values):\n\treturn sum(values)  # 1234567, the weather is nice\n"
TEST_ANSWERS = {
    "o200k_base": (20, 142_112),
    "cl100k_base": (20, 82_897),
    "llama3": (20, 82_897),
    "qwen3": (24, 65_847),
    "deepseek_v3": (20, 243_473),
    "mistral_v3": (24, 198_762),
    "gemma3": (28, 3_375_184),
    "glm4": (21, 274_849),
    "kimi_k2": (20, 142_227),
    "phi4": (20, 82_897),
}
"""Ids of the test text, and their sum. Words that are not one token would take 0.2 s to test."""

TokenCounter = Callable[[str], int]

# None is kept too: a vocabulary that failed is not tried, nor warned about, a second time.
_loaded: dict[str, TokenCounter | None] = {}
_loading = threading.Lock()

TEXTS_KEPT = 2_048
"""Texts whose tokens are remembered."""
KEPT_LENGTH = 4_000
"""Characters of such a text at most: the memory it takes is bounded."""
ID_BYTES = 4
"""Of one id in a buffer of ids."""
SPECIAL = "<|"
"""How every special token of most vocabularies begins."""


class Encoder(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...
    def encode_flat(self, text: str) -> bytes: ...
    def special_tokens(self) -> Mapping[str, int]: ...


def load_counter(vocabulary: str) -> TokenCounter | None:
    """Return a counter by this vocabulary; None if it cannot be loaded or fails its test."""
    # Held while loading, so that two threads do not build the same vocabulary.
    with _loading:
        if vocabulary not in _loaded:
            _loaded[vocabulary] = _load(vocabulary)
        return _loaded[vocabulary]


def _load(vocabulary: str) -> TokenCounter | None:
    # Imported here: 19 MB that a caller with its own meter never needs.
    try:
        from splintr import Tokenizer
    except ImportError:
        return None
    try:
        encoder: Encoder = Tokenizer.from_pretrained(vocabulary)
        ids = encoder.encode_ordinary(TEST_TEXT)
        if (len(ids), sum(ids)) != TEST_ANSWERS[vocabulary]:
            raise ValueError("it fails its known-answer test")
    except ValueError as error:
        what = f"splintr's {vocabulary} is not used ({error}): tokens are estimated"
        warnings.warn(what, RuntimeWarning, stacklevel=2)
        return None
    return counter_from(encoder)


def counter_from(encoder: Encoder) -> TokenCounter:
    """Return a counter that also takes lone surrogates, which the encoder refuses."""
    marked = all(token.startswith(SPECIAL) for token in encoder.special_tokens())

    def count(text: str) -> int:
        try:
            return count_encodable(text)
        except UnicodeEncodeError:
            return count_encodable(encodable_text(text))

    def count_encodable(text: str) -> int:
        # A buffer of ids is made faster than a list, but reads a special token as one.
        if marked and SPECIAL not in text:
            return len(encoder.encode_flat(text)) // ID_BYTES
        return len(encoder.encode_ordinary(text))

    # A compaction weighs the same lines and pieces again and again.
    count_once = lru_cache(maxsize=TEXTS_KEPT)(count)

    def count_text(text: str) -> int:
        if len(text) > KEPT_LENGTH:
            return count(text)
        return count_once(text)

    return count_text
