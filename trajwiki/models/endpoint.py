"""Embeddings from any OpenAI-compatible endpoint (OpenAI, vLLM, Ollama, llama.cpp, LM Studio)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from trajwiki.errors import EnvironmentFailure, MissingExtra

BATCH: Final = 64


class EndpointEmbedder:
    """Embeds through an endpoint. The key is never logged and never part of an error.

    Args:
        model: As the endpoint names it.
        base_url: Of the endpoint; None for OpenAI's own.
        api_key: None: from OPENAI_API_KEY; servers without keys take any word.

    Raises:
        MissingExtra: The client is not installed.
        EnvironmentFailure: The endpoint does not answer with vectors.
    """

    def __init__(self, model: str, *, base_url: str | None = None, api_key: str | None = None) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingExtra("embedding endpoints need an extra: pip install 'trajwiki[openai]'") from error
        self._errors = openai.OpenAIError
        self._where = base_url or "the default endpoint"
        self._client = openai.OpenAI(base_url=base_url, api_key=api_key, max_retries=3, timeout=60.0)
        self._model = model
        self.name = f"openai:{model}"
        self.dimension = int(self._ask(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Give unit vectors; see Embedder."""
        parts = [self._ask(list(texts[i : i + BATCH])) for i in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), dtype=np.float32)

    def _ask(self, texts: list[str]) -> np.ndarray:
        words = [t or " " for t in texts]  # endpoints refuse the empty string
        try:
            reply = self._client.embeddings.create(model=self._model, input=words, encoding_format="float")
        except self._errors as error:
            raise EnvironmentFailure(
                f"embedding with {self._model} at {self._where} failed: {type(error).__name__}"
            ) from error
        rows = np.asarray([item.embedding for item in reply.data], dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise EnvironmentFailure(f"{self._model} at {self._where} gave {rows.shape} for {len(texts)} texts")
        unit: np.ndarray = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return unit
