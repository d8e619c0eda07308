"""Whether a claim is what its source allows: small checks that every draft passes, whoever read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from trajwiki.domain.claims import ClaimDraft
from trajwiki.domain.messages import Message
from trajwiki.domain.problems import Problem
from trajwiki.language.facets import FACETS
from trajwiki.language.tokens import fold

MAX_CLAIM_CHARACTERS: Final = 2000

Check = Callable[[ClaimDraft, Mapping[str, Message]], Iterator[Problem]]

_OUR_ID: Final = re.compile(r"\b[a-z]{2,12}_[a-z2-7]{16}\b")


def verify_claim(draft: ClaimDraft, messages_by_id: Mapping[str, Message]) -> Problem | None:
    """Give the first thing that is wrong with a draft, or None.

    Args:
        draft: From the extractor or a model.
        messages_by_id: The messages that it may stand on.
    """
    return next((problem for check in CHECKS for problem in check(draft, messages_by_id)), None)


def _problem(code: str, message: str, draft: ClaimDraft) -> Problem:
    return Problem(f"claim.{code}", message, draft.quote.message_id)


def has_known_source(draft: ClaimDraft, messages: Mapping[str, Message]) -> Iterator[Problem]:
    """The message must be one of those that were read."""
    if draft.quote.message_id not in messages:
        yield _problem("unknown-source", f"no message “{draft.quote.message_id}” was read; the claim is dropped", draft)


def has_text(draft: ClaimDraft, messages: Mapping[str, Message]) -> Iterator[Problem]:
    """The text must say something, in a length that is one sentence."""
    if not any(c.isalnum() for c in draft.text):
        yield _problem("empty-text", "the claim says nothing and is dropped", draft)
    elif len(draft.text) > MAX_CLAIM_CHARACTERS:
        yield _problem("too-long", f"the claim has {len(draft.text)} characters and is dropped", draft)


def is_quoted_verbatim(draft: ClaimDraft, messages: Mapping[str, Message]) -> Iterator[Problem]:
    """The quote must stand in the message, at its offset, character for character."""
    quote, content = draft.quote, messages[draft.quote.message_id].content
    if not quote.text.strip() or quote.start < 0 or not content.startswith(quote.text, quote.start):
        yield _problem("quote-not-in-source", f"“{quote.text}” does not stand there; the claim is dropped", draft)


def has_subject(draft: ClaimDraft, messages: Mapping[str, Message]) -> Iterator[Problem]:
    """Whom it is about must be named in it."""
    if not draft.subject.strip() or fold(draft.subject) not in fold(draft.text):
        yield _problem("subject-not-in-text", f"the claim does not name “{draft.subject}” and is dropped", draft)


def has_only_source_terms(draft: ClaimDraft, messages: Mapping[str, Message]) -> Iterator[Problem]:
    """Exact terms must stand in the message; names there, or among the speakers."""
    content = fold(messages[draft.quote.message_id].content)
    speakers = {fold(m.speaker) for m in messages.values()}
    for term in draft.terms:
        if not term.strip() or fold(term) not in content:
            yield _problem("term-not-in-source", f"no source holds “{term}”; the claim is dropped", draft)
    for name in draft.entities:
        if not name.strip() or (fold(name) not in content and not any(fold(name) in s for s in speakers)):
            yield _problem("name-not-in-source", f"no source holds “{name}”; the claim is dropped", draft)


def has_known_facet(draft: ClaimDraft, messages: Mapping[str, Message]) -> Iterator[Problem]:
    """The relation must be one of the closed list, with a value that the source holds."""
    facet = draft.facet
    if facet is None:
        return
    if facet.name not in FACETS:
        yield _problem("unknown-facet", f"“{facet.name}” is no relation we know; the claim is dropped", draft)
    elif not facet.value.strip() or fold(facet.value) not in fold(messages[draft.quote.message_id].content):
        yield _problem("value-not-in-source", f"no source holds “{facet.value}”; the claim is dropped", draft)


def holds_no_id(draft: ClaimDraft, messages: Mapping[str, Message]) -> Iterator[Problem]:
    """Ids of ours are never part of what was said."""
    if _OUR_ID.search(draft.text):
        yield _problem("id-in-text", "the claim holds an id of the memory itself and is dropped", draft)


CHECKS: Final[tuple[Check, ...]] = (
    has_known_source,
    has_text,
    is_quoted_verbatim,
    has_subject,
    has_only_source_terms,
    has_known_facet,
    holds_no_id,
)
"""What a claim must hold to, in order; a check may rely on those before it."""
