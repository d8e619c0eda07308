"""What goes in and comes out, as the spec shows it. What comes out is made by payloads.py; these only describe it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from trajwiki.domain.messages import MAX_NAME, MAX_TEXT, NewMessage, Role
from trajwiki.settings import Profile

MAX_BATCH: Final = 5000  # messages of one request
MAX_BUDGET: Final = 1_000_000  # words
MAX_COMMIT: Final = 2**31 - 1

# In


class Given(BaseModel):
    """A body: nothing beside what is written here is taken."""

    model_config = ConfigDict(extra="forbid")


class SpaceIn(Given):
    """A space to be made."""

    name: str = Field(min_length=1, max_length=MAX_NAME, examples=["alice"])
    id: str | None = Field(
        default=None, min_length=1, max_length=64, description="For the same ids as in another space of that id."
    )


class RenameIn(Given):
    """Another name for a space."""

    name: str = Field(min_length=1, max_length=MAX_NAME, examples=["alice-work"])


class MessageIn(Given):
    """A message as it was said."""

    speaker: str = Field(min_length=1, max_length=MAX_NAME, examples=["Melanie"])
    text: str = Field(default="", max_length=MAX_TEXT, examples=["I signed up for a pottery class yesterday."])
    sent_at: AwareDatetime | None = Field(
        default=None, examples=["2023-05-08T13:56:00+00:00"], description="With a zone; null when it is not known."
    )
    session: str = Field(default="", max_length=MAX_NAME, examples=["2023-05-08"])
    source_ref: str | None = Field(
        default=None, max_length=MAX_NAME, examples=["D1:3"], description="Your name for it; unique in the space."
    )
    source: str = Field(default="", max_length=MAX_NAME)
    caption: str | None = Field(default=None, max_length=MAX_TEXT, description="Of an attached image.")
    role: Role = Role.USER
    metadata: dict[str, str] = Field(default_factory=dict, max_length=1000)

    def message(self) -> NewMessage:
        """Give it as the engine takes it."""
        return NewMessage(**{name: getattr(self, name) for name in type(self).model_fields})


class MessagesIn(Given):
    """Messages, in order."""

    messages: list[MessageIn] = Field(max_length=MAX_BATCH)


When = Annotated[int, Field(ge=0, le=MAX_COMMIT)] | AwareDatetime


class QuestionIn(Given):
    """A question, and from when it is asked."""

    question: str = Field(min_length=1, max_length=200_000, examples=["What does Melanie do to relax?"])
    budget: int | None = Field(default=None, ge=1, le=MAX_BUDGET, description="Words of context, at most.")
    profile: Profile | None = None
    as_of: When | None = Field(default=None, description="A commit or a time: from what was believed then.")
    heard_until: AwareDatetime | None = Field(default=None, description="Only from messages sent up to then.")
    valid_at: AwareDatetime | None = Field(default=None, description="From what was true on that day.")


class ClaimIn(Given):
    """What a person states."""

    text: str = Field(min_length=1, max_length=MAX_TEXT, examples=["Melanie lives in Lisbon."])
    reason: str = Field(min_length=1, max_length=MAX_TEXT, examples=["she told me on the phone"])
    subject: str | None = Field(default=None, min_length=1, max_length=MAX_NAME)


class RevisionIn(Given):
    """What holds in the place of a claim."""

    text: str = Field(min_length=1, max_length=MAX_TEXT, examples=["Melanie moved to Porto."])
    reason: str = Field(min_length=1, max_length=MAX_TEXT, examples=["she moved in June"])


class ReasonIn(Given):
    """Why."""

    reason: str = Field(min_length=1, max_length=MAX_TEXT, examples=["it was a joke"])


class RevertIn(Given):
    """How to take back a commit."""

    with_dependents: bool = Field(default=False, description="Also later changes of the same claims.")


class EraseIn(Given):
    """Which messages to erase: those that meet every condition that is given."""

    refs: list[str] = Field(default_factory=list, max_length=10_000, examples=[["D1:3"]])
    session: str | None = None
    speaker: str | None = None
    before: AwareDatetime | None = None
    matching: str | None = Field(default=None, min_length=1)
    everything: bool = False
    confirm: bool = Field(default=False, description="false: only say what would fall.")


# Out


class Shown(BaseModel):
    """An answer: it may say more than is written here."""

    model_config = ConfigDict(extra="allow")


class ProblemOut(Shown):
    """An error (RFC 9457)."""

    type: str = Field(examples=["urn:trajwiki:problem:UnknownItem"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["there is no claim 'claim_x'"])
    where: str | None = None
    request_id: str | None = Field(default=None, examples=["req_4fqk2nq6xw3vkq2a"])
    faults: list[dict[str, Any]] = Field(default_factory=list)


class HealthOut(Shown):
    """Whether the server lives, or is ready."""

    status: str = Field(examples=["ok"])
    version: str = Field(examples=["0.1.0"])


class SpaceOut(Shown):
    """A space."""

    name: str = Field(examples=["alice"])
    id: str = Field(examples=["space_k3v7wq2n5xw3vkq2"])
    created: datetime
    commits: int = Field(examples=[12])
    embedder: str = Field(examples=["wordllama-256"])
    dimension: int = Field(examples=[256])


class CommitOut(Shown):
    """A commit (`trajwiki.commit/1`)."""

    n: int = Field(examples=[13])
    at: datetime
    actor: str = Field(examples=["key:assistant"])
    kind: str = Field(examples=["messages"])
    note: str = Field(examples=["messages: 2 messages"])
    counts: dict[str, int] = Field(examples=[{"messages": 2}])
    arguments: dict[str, Any] = Field(default_factory=dict)


class WrittenOut(CommitOut):
    """A commit, with what was noticed on the way."""

    problems: list[ProblemNote] = Field(default_factory=list)


class ProblemNote(Shown):
    """Something that was dropped, doubted or worked around."""

    code: str = Field(examples=["message.ref-taken"])
    message: str
    where: str = ""


class OperationOut(Shown):
    """Work that outlives its request (`trajwiki.operation/1`)."""

    id: str = Field(examples=["operation_k3v7wq2n5xw3vkq2"])
    kind: str = Field(examples=["messages"])
    status: Literal["waiting", "running", "done", "failed"]
    created: datetime
    changed: datetime
    done: int = Field(examples=[64])
    total: int = Field(examples=[588])
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class MessageOut(Shown):
    """A message."""

    source_ref: str
    message_id: str
    session: str
    speaker: str
    timestamp: datetime | None
    text: str
    caption: str | None = None


class ScoredOut(Shown):
    """A page or trajectory with its score."""

    title: str
    score: float = Field(ge=0, le=1)


class RecallOut(Shown):
    """Evidence for a question (`trajwiki.recall/1`)."""

    question: str
    space: str
    budget: int
    tokens: int
    context: str
    evidence: list[dict[str, Any]]
    pages: list[ScoredOut]
    trajectories: list[ScoredOut]
    candidates: int
    dropped: list[str]
    problems: list[ProblemNote]
    timings_ms: dict[str, float]


class AnswerOut(Shown):
    """An answer or an abstention (`trajwiki.answer/1`)."""

    id: str = Field(examples=["answer_k3v7wq2n5xw3vkq2"])
    question: str
    answered: bool
    type: str
    text: str
    abstain_reason: str | None
    refs: list[str]
    facts: list[dict[str, Any]]


class AuditOut(Shown):
    """Everything that an answer stands on (`trajwiki.audit/1`)."""

    answer: AnswerOut
    evidence: list[MessageOut] = Field(description="The messages that the answer refers to, as they are now.")
    gone: list[str] = Field(description="Refs of messages that were erased since.")
    blame: list[BlameOut]
    commit: CommitOut | None = Field(description="The newest commit when the answer was made.")
    head: int = Field(description="The newest commit now.")


class PageOut(Shown):
    """A wiki page (`trajwiki.page/1`)."""

    slug: str
    title: str
    type: str
    sections: dict[str, list[dict[str, Any]]]
    trajectories: list[dict[str, Any]]
    links: list[str]


class TrajectoryOut(Shown):
    """A trajectory (`trajwiki.trajectory/1`)."""

    id: str
    title: str
    summary: str
    snapshots: list[dict[str, Any]]


class ClaimOut(Shown):
    """A claim with its sources and history (`trajwiki.claim/1`)."""

    id: str
    text: str
    status: str
    subject: str
    kind: str
    sources: list[dict[str, Any]]
    history: list[dict[str, Any]]


class DiffOut(Shown):
    """What changed between two commits (`trajwiki.diff/1`)."""

    before: int
    after: int
    messages: list[str]
    added: list[dict[str, Any]]
    revised: list[dict[str, Any]]
    deprecated: list[dict[str, Any]]


class ShownCommitOut(DiffOut):
    """A commit and what it changed."""

    commit: CommitOut


class BlameOut(Shown):
    """Where lines come from (`trajwiki.blame/1`)."""

    of: str
    lines: list[dict[str, Any]]


class ErasureOut(Shown):
    """What an erasure does, or did (`trajwiki.erasure/1`)."""

    done: bool
    at: datetime | None
    by: str | None
    messages: list[str]
    claims: list[str]
    kept: list[str]
    changed: list[str]
    counts: dict[str, int]
    scrubbed: bool


class RemovedOut(Shown):
    """What the deletion of a space removed (`trajwiki.space-deleted/1`)."""

    space: str
    removed: dict[str, int]


class DoctorOut(Shown):
    """What is wrong with a space; nothing when all is well."""

    space: str
    problems: list[ProblemNote]


class ImportedOut(Shown):
    """What an archive brought (`trajwiki.import/1`)."""

    space: str
    id: str
    commits: int
    counts: dict[str, int]
    problems: list[ProblemNote]


class ListOut(Shown):
    """A page of a list."""

    next: str | None = Field(description="`cursor` of the page after this one; null on the last.")


class SpacesOut(ListOut):
    """Spaces, by name."""

    items: list[SpaceOut]


class CommitsOut(ListOut):
    """Commits, newest first."""

    items: list[CommitOut]


class MessagesOut(ListOut):
    """Messages, in order of arrival."""

    items: list[MessageOut]


class ItemsOut(ListOut):
    """A page of a list of short forms."""

    items: list[dict[str, Any]]


class OperationsOut(ListOut):
    """Operations, newest first."""

    items: list[OperationOut]


WrittenOut.model_rebuild()
AuditOut.model_rebuild()
