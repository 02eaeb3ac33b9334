"""Embeddings by MiniLM, or any sentence model of its kind, on onnxruntime.

The model is a folder with `model.onnx` and `tokenizer.json`. Its token vectors are averaged
over the text, and the mean is scaled to length one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steno.core.errors import BadInput, needs_extra

TOKENS_MOST = 256
BATCH = 32


class MiniLM:
    """Embeds with an exported sentence model."""

    def __init__(self, folder: str | os.PathLike[str], *, threads: int = 0) -> None:
        """Load the model from `folder`; `threads=0` uses all cores."""
        try:
            import numpy
            import onnxruntime
            import tokenizers
        except ImportError as missing:
            raise needs_extra(f"{missing.name} is not installed", "minilm") from None
        path = Path(folder)
        for file in ("model.onnx", "tokenizer.json"):
            if not (path / file).is_file():
                raise BadInput(
                    f"{path} holds no {file}: name the folder of an exported sentence model"
                )
        self._numpy: Any = numpy
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._model = onnxruntime.InferenceSession(
            path / "model.onnx", options, providers=["CPUExecutionProvider"]
        )
        self._tokens: Any = tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))
        self._tokens.enable_truncation(TOKENS_MOST)
        self._tokens.enable_padding()
        self._inputs = {given.name for given in self._model.get_inputs()}
        self.dimensions = len(self.embed(["size"])[0])
        # With the size: another model in a folder of that name must not share its vectors.
        self.name = f"minilm:{path.name}:{(path / 'model.onnx').stat().st_size}"

    def embed(self, texts: Sequence[str]) -> Any:
        numpy = self._numpy
        # Texts of like length go together, so that little is padded.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        vectors: list[Any] = [None] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            means = self._means([texts[at] for at in batch])
            for at, vector in zip(batch, means, strict=True):
                vectors[at] = vector
        if vectors:
            return numpy.stack(vectors)
        return numpy.zeros((0, 0), "float32")

    def _means(self, texts: list[str]) -> Any:
        numpy = self._numpy
        encoded = self._tokens.encode_batch(texts)
        mask = numpy.array([text.attention_mask for text in encoded], "int64")
        given = {
            "input_ids": numpy.array([text.ids for text in encoded], "int64"),
            "attention_mask": mask,
        }
        if "token_type_ids" in self._inputs:
            given["token_type_ids"] = numpy.zeros_like(mask)
        hidden = self._model.run(None, given)[0]
        weights = mask[:, :, None].astype("float32")
        means = (hidden * weights).sum(1) / weights.sum(1)
        return means / numpy.maximum(numpy.linalg.norm(means, axis=1, keepdims=True), 1e-12)
