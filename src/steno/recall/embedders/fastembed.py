"""Embeddings by `fastembed`, which downloads its model once and runs it here."""

from __future__ import annotations

from collections.abc import Sequence

from steno.core.errors import needs_extra

MODEL = "BAAI/bge-small-en-v1.5"


class FastEmbed:
    """Embeds with a model of `fastembed`."""

    def __init__(self, model: str = MODEL) -> None:
        try:
            from fastembed import TextEmbedding
        except ImportError:
            raise needs_extra("fastembed is not installed", "fastembed") from None
        self._model = TextEmbedding(model)
        self.name = f"fastembed:{model}"
        self.dimensions = len(self.embed(["size"])[0])

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [vector.tolist() for vector in self._model.embed(list(texts))]
