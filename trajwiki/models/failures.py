"""What can go wrong with a chat model, as errors that name the endpoint and never the key."""

from __future__ import annotations

from trajwiki.errors import EnvironmentFailure


class ModelFailure(EnvironmentFailure):
    """The chat model did not do what was asked."""

    code = "failed"


class EndpointUnavailable(ModelFailure):
    """The endpoint could not be reached, or was busy, slow or broken after every retry."""

    code = "unavailable"


class EndpointRefused(ModelFailure):
    """The endpoint refuses every request: a wrong key, model or address."""

    code = "refused"


class RequestRefused(ModelFailure):
    """The endpoint refuses this request, and may take another."""

    code = "request-refused"


class BudgetSpent(ModelFailure):
    """The token budget is spent; what was done is kept, and the next run goes on from there."""

    code = "budget"
