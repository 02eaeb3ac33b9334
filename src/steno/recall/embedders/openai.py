"""Embeddings from OpenAI, or any endpoint that speaks its API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steno.core.errors import ModelFailed

if TYPE_CHECKING:
    from openai import OpenAI

BATCH = 128
TEXT_MOST = 8_000
"""Characters of a text that are sent; most models refuse longer ones."""


class OpenAIEmbedder:
    """Embeds by an endpoint: `OpenAIEmbedder(openai.OpenAI(), "text-embedding-3-small")`."""

    def __init__(self, client: OpenAI, model: str, *, dimensions: int | None = None) -> None:
        """Take a client and a model; `dimensions` asks for shorter vectors than the model's own."""
        self._client = client
        self._request: dict[str, Any] = {"model": model}
        self.name = f"openai:{model}"
        if dimensions is not None:
            self._request["dimensions"] = dimensions
            self.name += f":{dimensions}"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            # Most endpoints refuse a blank text.
            batch = [text if text.strip() else "-" for text in texts[start : start + BATCH]]
            vectors += self._embed_batch([text[:TEXT_MOST] for text in batch])
        return vectors

    def _embed_batch(self, texts: list[str]) -> list[list[float]]:
        import openai

        try:
            found = self._client.embeddings.create(input=texts, **self._request)
        except openai.OpenAIError as error:
            raise ModelFailed(
                f"the embedder {self.name} did not answer: {type(error).__name__}"
            ) from error
        return [item.embedding for item in sorted(found.data, key=lambda item: item.index)]
