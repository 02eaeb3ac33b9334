"""Exact counts, from a vocabulary.

Owns loading: once a process, under a lock, and never trusted before it has
answered a question whose answer is known. Which vocabulary a model uses is
`choice`'s business.

Claude's tokens, from another vocabulary and three cheap counts.

Claude 3 and later have no public vocabulary; published measurements put them at
1.1 times the legacy one. The factors below were fitted to that reference by
least squares over prose, code, JSON, logs and Chinese. What a text holds of CJK
characters, backslashes and digits is counted at the speed of `bytes.translate`.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

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
"""How many ids the question has in a vocabulary, and their sum."""

TokenCounter = Callable[[str], int]

_loaded: dict[str, TokenCounter | None] = {}
_loading = threading.Lock()


class Encoder(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


def load_counter(vocabulary: str) -> TokenCounter | None:
    """Counts by this vocabulary, or none where it cannot be had or does not pass its test."""
    with _loading:
        if vocabulary not in _loaded:
            _loaded[vocabulary] = _load(vocabulary)
        return _loaded[vocabulary]


def _load(vocabulary: str) -> TokenCounter | None:
    # Imported here: 19 MB that a caller with a meter of its own never needs.
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
    sentence = f"splintr's {vocabulary} is not used ({why}): tokens are estimated"
    warnings.warn(sentence, RuntimeWarning, stacklevel=2)


def counter_from(encoder: Encoder) -> TokenCounter:
    """Counts by an encoder that refuses lone surrogates, without refusing them."""

    def count(text: str) -> int:
        try:
            return len(encoder.encode_ordinary(text))
        except UnicodeEncodeError:
            return len(encoder.encode_ordinary(join_surrogates(text)))

    return count


def join_surrogates(text: str) -> str:
    """The text with surrogate pairs made one character, and lone ones replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


CJK_BYTES = bytes([*range(0xE3, 0xEE), 0xEF])
"""First UTF-8 bytes of kana, Han, Hangul and full-width forms."""
DIGIT_BYTES = b"0123456789"


@dataclass(frozen=True, slots=True)
class TokenFactors:
    """What one token or one character of a kind adds."""

    token: float
    cjk: float
    backslash: float
    digit: float


OVER_CL100K = TokenFactors(token=1.185, cjk=-0.131, backslash=0.431, digit=-0.069)
OVER_ESTIMATE = TokenFactors(token=1.192, cjk=0.28, backslash=0.322, digit=-0.074)


def claude_counter(count: Callable[[str], int], factors: TokenFactors) -> Callable[[str], int]:
    """Counts as Claude would, from counts by another vocabulary."""

    def counted(text: str) -> int:
        if not text:
            return 0
        data = text.encode("utf-8", "surrogatepass")
        tokens = factors.token * count(text)
        tokens += factors.cjk * _count_bytes(data, CJK_BYTES) if not text.isascii() else 0
        tokens += factors.backslash * data.count(b"\\") + factors.digit * _count_bytes(
            data, DIGIT_BYTES
        )
        return max(1, round(tokens))

    return counted


def _count_bytes(data: bytes, kinds: bytes) -> int:
    return len(data) - len(data.translate(None, kinds))
