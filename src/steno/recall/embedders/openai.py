"""Embeddings from any endpoint that speaks OpenAI's: OpenAI's own, or a server of yours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steno.core.errors import BadInput, ModelFailed

if TYPE_CHECKING:
    from openai import OpenAI

BATCH = 128
TEXT_MOST = 8_000
"""Characters of a text that are sent: what is longer is refused by most models."""


class OpenAIEmbedder:
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
        """`dimensions` is asked for where it is said, and else found out by the first call."""
        try:
            import openai
        except ImportError:
            raise BadInput("openai is not here: pip install 'steno[openai]'") from None
        self._failed = (openai.OpenAIError,)
        try:
            self._client = client or openai.OpenAI(
                base_url=base_url, api_key=api_key, timeout=timeout, max_retries=2
            )
        except openai.OpenAIError:
            raise BadInput("say api_key=, or set OPENAI_API_KEY") from None
        self._model, self._asked, self._found = model, dimensions, dimensions or 0
        self.name = f"openai:{model}" + (f":{dimensions}" if dimensions else "")

    @property
    def dimensions(self) -> int:
        if not self._found:
            self._found = len(self.embed(["size"])[0])
        return self._found

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            # A blank text is refused by most.
            some = [
                text[:TEXT_MOST] if text.strip() else "-" for text in texts[start : start + BATCH]
            ]
            vectors += self._request(some)
        return vectors

    def close(self) -> None:
        self._client.close()

    def _request(self, texts: list[str]) -> list[list[float]]:
        try:
            if self._asked is None:
                found = self._client.embeddings.create(model=self._model, input=texts)
            else:
                found = self._client.embeddings.create(
                    model=self._model, input=texts, dimensions=self._asked
                )
        except self._failed as error:
            raise ModelFailed(
                f"the embedder {self.name} did not answer: {type(error).__name__}"
            ) from error
        if len(found.data) != len(texts):
            raise ModelFailed(
                f"the embedder {self.name} gave {len(found.data)} vectors for {len(texts)} texts"
            )
        return [each.embedding for each in sorted(found.data, key=lambda each: each.index)]
