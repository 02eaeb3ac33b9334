"""Embeddings from OpenAI, or any endpoint that speaks its API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steno.core.errors import BadInput, ModelFailed, needs_extra

if TYPE_CHECKING:
    from openai import OpenAI

BATCH = 128
TEXT_MOST = 8_000
"""Characters of a text that are sent; most models refuse longer ones."""


class OpenAIEmbedder:
    """Embeds by an embeddings endpoint."""

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        client: OpenAI | None = None,
    ) -> None:
        """Connect to an endpoint; `dimensions` asks for shorter vectors than the model's own."""
        try:
            import openai
        except ImportError:
            raise needs_extra("openai is not installed", "openai") from None
        self._failed = (openai.OpenAIError,)
        try:
            self._client = client or openai.OpenAI(
                base_url=base_url, api_key=api_key, timeout=timeout, max_retries=2
            )
        except openai.OpenAIError:
            raise BadInput("no API key: pass api_key=, or set OPENAI_API_KEY") from None
        self._model = model
        self._requested = dimensions
        self._dimensions = dimensions or 0
        self.name = f"openai:{model}"
        if dimensions:
            self.name += f":{dimensions}"

    @property
    def dimensions(self) -> int:
        if not self._dimensions:
            self._dimensions = len(self.embed(["size"])[0])
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            # Most endpoints refuse a blank text.
            batch = [text if text.strip() else "-" for text in texts[start : start + BATCH]]
            vectors += self._request([text[:TEXT_MOST] for text in batch])
        return vectors

    def close(self) -> None:
        self._client.close()

    def _request(self, texts: list[str]) -> list[list[float]]:
        try:
            if self._requested is None:
                found = self._client.embeddings.create(model=self._model, input=texts)
            else:
                found = self._client.embeddings.create(
                    model=self._model, input=texts, dimensions=self._requested
                )
        except self._failed as error:
            raise ModelFailed(
                f"the embedder {self.name} did not answer: {type(error).__name__}"
            ) from error
        if len(found.data) != len(texts):
            raise ModelFailed(
                f"the embedder {self.name} gave {len(found.data)} vectors for {len(texts)} texts"
            )
        return [item.embedding for item in sorted(found.data, key=lambda item: item.index)]
