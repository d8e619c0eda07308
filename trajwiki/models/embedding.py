"""The embedder port: texts in, unit vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from trajwiki.errors import UsageError


class Embedder(Protocol):
    """Anything that embeds.

    Attributes:
        name: Of the model and its version; stored with the space, never compared across.
        dimension: d.
    """

    name: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Give a float32 array of shape (n, d) with rows of unit length (zeros for a text without tokens).

        The row of a text does not depend on the other texts of the call.
        """
        ...


def open_embedder(name: str, *, base_url: str | None = None, api_key: str | None = None) -> Embedder:
    """Give the embedder of that name: ``wordllama``, or ``openai:MODEL`` at an OpenAI-compatible endpoint.

    Raises:
        UsageError: The name means nothing.
        MissingExtra: The endpoint client is not installed.
    """
    if name == "wordllama":
        from trajwiki.models.wordllama import WordLlamaEmbedder

        return WordLlamaEmbedder()
    kind, _, model = name.partition(":")
    if kind == "openai" and model:
        from trajwiki.models.endpoint import EndpointEmbedder

        return EndpointEmbedder(model, base_url=base_url, api_key=api_key)
    raise UsageError(f"unknown embedder {name!r}; use 'wordllama', or 'openai:MODEL' with a base URL")
