"""A LangChain retriever over one space: documents are verbatim messages with their refs (extra `langgraph`)."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from trajwiki.space import Space


class TrajwikiRetriever(BaseRetriever):
    """Gives the evidence for a question as documents, best first.

    Attributes:
        space: A `trajwiki.Space`.
        budget: Words of evidence, at most.
        k: Documents, at most; None: as many as the budget holds.
    """

    space: Any
    budget: int = 2000
    k: int | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        space: Space = self.space
        found = space.recall(query, budget=self.budget)
        ranked = sorted(found.evidence, key=lambda e: -e.score)[: self.k]
        return [
            Document(
                id=e.message_id,
                page_content=e.text,
                metadata={
                    "source_ref": e.source_ref,
                    "speaker": e.speaker,
                    "timestamp": e.timestamp.isoformat() if e.timestamp else None,
                    "trajectory_id": e.trajectory_id,
                    "claim_ids": list(e.claim_ids),
                    "score": e.score,
                },
            )
            for e in ranked
        ]
