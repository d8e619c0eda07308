"""A question, made ready for search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trajwiki.retrieval.shape import Shape
from trajwiki.settings import Profile


@dataclass(frozen=True, slots=True)
class Query:
    """What retrieval is asked.

    Attributes:
        question: As asked.
        vector: Its embedding, unit float32 of shape (d,).
        shape: What sort of question it is.
        budget: Words of context.
        profile: Which settings.
        space: Name of the space, for the result.
        key: Id of the space, for the fence around the context.
    """

    question: str
    vector: np.ndarray
    shape: Shape
    budget: int
    profile: Profile
    space: str
    key: str
