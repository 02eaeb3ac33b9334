"""Exact counts from a vocabulary, and Claude's counts from another one.

A vocabulary is loaded once a process, under a lock, and only used after it has
passed a test with a known answer. `families` says which model uses which one.

Claude 3 and later have no public vocabulary. Bills say that plain words weigh as in
cl100k, and that the marks of code and paths weigh more: the factors below were fitted
to what real sessions of a coding agent were billed from one request to the next.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from steno.core.repair import encodable_text

TEST_TEXT = "def total(xs):\n\treturn sum(xs)  # 1234567, naïve — 今天天气很好\n"
TEST_ANSWERS = {
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
"""How many ids the test text has in a vocabulary, and their sum."""

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
    except ValueError as error:
        _warn(vocabulary, str(error))
        return None
    if (len(ids), sum(ids)) != TEST_ANSWERS[vocabulary]:
        _warn(vocabulary, "it fails its known-answer test")
        return None
    return counter_from(encoder)


def _warn(vocabulary: str, why: str) -> None:
    what = f"splintr's {vocabulary} is not used ({why}): tokens are estimated"
    warnings.warn(what, RuntimeWarning, stacklevel=2)


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


CJK_BYTES = bytes([*range(0xE3, 0xEE), 0xEF])
"""First UTF-8 bytes of kana, Han, Hangul and full-width forms."""
CODE_MARKS = b"_-/.()=<>*#`$"
"""Characters of code and paths, which Claude joins to words less often."""


@dataclass(frozen=True, slots=True)
class TokenFactors:
    """Tokens to count for each token and each character of a kind."""

    token: float
    mark: float
    cjk: float = 0.0


OVER_CL100K = TokenFactors(token=1.0, mark=0.67)
OVER_ESTIMATE = TokenFactors(token=1.09, mark=0.6, cjk=0.3)
NEWER = 1.2
"""Tokens of the vocabulary since Opus 4.7 for each token of the one before."""


def claude_counter(count: TokenCounter, factors: TokenFactors, times: float = 1.0) -> TokenCounter:
    """Return a counter of Claude's tokens from one by another vocabulary."""

    def count_claude(text: str) -> int:
        if not text:
            return 0
        data = text.encode("utf-8", "surrogatepass")
        tokens = factors.token * count(text)
        if factors.cjk and not text.isascii():
            tokens += factors.cjk * _count_bytes(data, CJK_BYTES)
        tokens += factors.mark * _count_bytes(data, CODE_MARKS)
        # Rounded down: the full stop of a single sentence costs nothing more.
        return max(1, int(tokens * times))

    return count_claude


def _count_bytes(data: bytes, kinds: bytes) -> int:
    return len(data) - len(data.translate(None, kinds))
