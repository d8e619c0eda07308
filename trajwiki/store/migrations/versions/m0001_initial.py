"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "answer",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("head", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_answer")),
    )
    op.create_table(
        "claim",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("facet", sa.Text(), nullable=True),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("valid_start", sa.Text(), nullable=True),
        sa.Column("valid_end", sa.Text(), nullable=True),
        sa.Column("precision", sa.Text(), nullable=True),
        sa.Column("entities", sa.Text(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("negated", sa.Boolean(), nullable=False),
        sa.Column("instruction_like", sa.Boolean(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_claim")),
    )
    op.create_index(op.f("ix_claim_space_id_since"), "claim", ["space_id", "since"], unique=False)
    op.create_table(
        "claim_op",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("op", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("replaces", sa.Text(), nullable=True),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("heard_at", sa.Text(), nullable=True),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_claim_op")),
    )
    op.create_index(op.f("ix_claim_op_space_id_since"), "claim_op", ["space_id", "since"], unique=False)
    op.create_table(
        "claim_source",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("snapshot_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint(
            "space_id", "claim_id", "snapshot_id", "message_id", "start", name=op.f("pk_claim_source")
        ),
    )
    op.create_index(op.f("ix_claim_source_space_id_since"), "claim_source", ["space_id", "since"], unique=False)
    op.create_table(
        "claim_state",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("op_ordinal", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("op_id", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("until", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("space_id", "claim_id", "op_ordinal", name=op.f("pk_claim_state")),
    )
    op.create_index(op.f("ix_claim_state_space_id_since"), "claim_state", ["space_id", "since"], unique=False)
    op.create_index(op.f("ix_claim_state_space_id_until"), "claim_state", ["space_id", "until"], unique=False)
    op.create_table(
        "commit_log",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "n", name=op.f("pk_commit_log")),
    )
    op.create_table(
        "exchange",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("message_ids", sa.Text(), nullable=False),
        sa.Column("closed_by", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_exchange")),
    )
    op.create_index(op.f("ix_exchange_space_id_since"), "exchange", ["space_id", "since"], unique=False)
    op.create_table(
        "message",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("source_ref", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("speaker", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("caption", sa.Text(), nullable=True),
        sa.Column("sent_at", sa.Text(), nullable=True),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", "revision", name=op.f("pk_message")),
    )
    op.create_index(op.f("ix_message_space_id_since"), "message", ["space_id", "since"], unique=False)
    op.create_table(
        "page",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("until", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("space_id", "id", "since", name=op.f("pk_page")),
    )
    op.create_index(op.f("ix_page_space_id_since"), "page", ["space_id", "since"], unique=False)
    op.create_index(op.f("ix_page_space_id_until"), "page", ["space_id", "until"], unique=False)
    op.create_table(
        "page_bullet",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("page_id", sa.Text(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("claim_ids", sa.Text(), nullable=False),
        sa.Column("trajectory_id", sa.Text(), nullable=True),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("until", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("space_id", "page_id", "section", "ordinal", "since", name=op.f("pk_page_bullet")),
    )
    op.create_index(op.f("ix_page_bullet_space_id_since"), "page_bullet", ["space_id", "since"], unique=False)
    op.create_index(op.f("ix_page_bullet_space_id_until"), "page_bullet", ["space_id", "until"], unique=False)
    op.create_table(
        "page_link",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("page_id", sa.Text(), nullable=False),
        sa.Column("trajectory_id", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("until", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("space_id", "page_id", "trajectory_id", "since", name=op.f("pk_page_link")),
    )
    op.create_index(op.f("ix_page_link_space_id_since"), "page_link", ["space_id", "since"], unique=False)
    op.create_index(op.f("ix_page_link_space_id_until"), "page_link", ["space_id", "until"], unique=False)
    op.create_table(
        "snapshot",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("exchange_id", sa.Text(), nullable=False),
        sa.Column("message_ids", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("features", sa.Text(), nullable=False),
        sa.Column("claim_ids", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_snapshot")),
    )
    op.create_index(op.f("ix_snapshot_space_id_since"), "snapshot", ["space_id", "since"], unique=False)
    op.create_table(
        "space",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("embedder", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("head", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", name=op.f("pk_space")),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "trajectory",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("continues", sa.Text(), nullable=True),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_trajectory")),
    )
    op.create_index(op.f("ix_trajectory_space_id_since"), "trajectory", ["space_id", "since"], unique=False)
    op.create_table(
        "trajectory_member",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("trajectory_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("snapshot_id", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "trajectory_id", "ordinal", name=op.f("pk_trajectory_member")),
    )
    op.create_index(
        op.f("ix_trajectory_member_space_id_since"), "trajectory_member", ["space_id", "since"], unique=False
    )
    op.create_table(
        "trajectory_version",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("trajectory_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "trajectory_id", "ordinal", "since", name=op.f("pk_trajectory_version")),
    )
    op.create_index(
        op.f("ix_trajectory_version_space_id_since"), "trajectory_version", ["space_id", "since"], unique=False
    )
    op.create_table(
        "vector",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "kind", "item_id", "since", name=op.f("pk_vector")),
    )
    op.create_index(op.f("ix_vector_space_id_since"), "vector", ["space_id", "since"], unique=False)
