"""What a stage could not do, said out loud."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that was dropped, doubted or worked around.

    Attributes:
        code: A stable, greppable name, such as ``claim.quote-not-in-source``.
        message: A sentence for a person: what, and what to do.
        where: The place: a file and record, a message id, a page slug.
    """

    code: str
    message: str
    where: str = ""
