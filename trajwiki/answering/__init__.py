"""Answers from claims that stand on recalled messages, or an abstention that says why."""

from trajwiki.answering.compose import answer_locally

__all__ = ["answer_locally"]
