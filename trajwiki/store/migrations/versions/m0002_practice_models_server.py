"""Procedural memory, model replies and costs, keys and operations of the server."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "api_key",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("expires", sa.Text(), nullable=True),
        sa.Column("revoked", sa.Text(), nullable=True),
        sa.Column("last_used", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_api_key")),
    )
    op.create_index(op.f("ix_api_key_hash"), "api_key", ["hash"], unique=False)
    op.create_table(
        "delivery",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_delivery")),
    )
    op.create_index(op.f("ix_delivery_space_id_at"), "delivery", ["space_id", "at"], unique=False)
    op.create_table(
        "feedback",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("delivery_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_feedback")),
    )
    op.create_index(op.f("ix_feedback_space_id_at"), "feedback", ["space_id", "at"], unique=False)
    op.create_table(
        "ledger",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=False),
        sa.Column("tokens_out", sa.Integer(), nullable=False),
        sa.Column("latency_ms", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_ledger")),
    )
    op.create_index(op.f("ix_ledger_space_id_n"), "ledger", ["space_id", "n"], unique=False)
    op.create_table(
        "message_use",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("source_ref", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "source_ref", name=op.f("pk_message_use")),
    )
    op.create_table(
        "model_reply",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "key", "model", name=op.f("pk_model_reply")),
    )
    op.create_table(
        "operation",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("changed", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("request", sa.Text(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_operation")),
    )
    op.create_index(op.f("ix_operation_status"), "operation", ["status"], unique=False)
    op.create_table(
        "request_key",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("operation_id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "key", name=op.f("pk_request_key")),
    )
    op.create_index(op.f("ix_request_key_at"), "request_key", ["at"], unique=False)
    op.create_table(
        "run",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("source_ref", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("steps", sa.Text(), nullable=False),
        sa.Column("app", sa.Text(), nullable=True),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("outcome_by", sa.Text(), nullable=False),
        sa.Column("outcome_note", sa.Text(), nullable=False),
        sa.Column("task_ref", sa.Text(), nullable=True),
        sa.Column("parent_ref", sa.Text(), nullable=True),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_run")),
    )
    op.create_index(op.f("ix_run_space_id_since"), "run", ["space_id", "since"], unique=False)
    op.create_table(
        "run_analysis",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "run_id", name=op.f("pk_run_analysis")),
    )
    op.create_index(op.f("ix_run_analysis_space_id_since"), "run_analysis", ["space_id", "since"], unique=False)
    op.create_table(
        "run_raw",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "run_id", name=op.f("pk_run_raw")),
    )
    op.create_table(
        "space_setting",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "name", name=op.f("pk_space_setting")),
    )
    op.create_table(
        "tip",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("steps", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("negative_example", sa.Text(), nullable=True),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("app", sa.Text(), nullable=True),
        sa.Column("task_category", sa.Text(), nullable=False),
        sa.Column("granularity", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("made_from", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("instruction_like", sa.Boolean(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_tip")),
    )
    op.create_index(op.f("ix_tip_space_id_since"), "tip", ["space_id", "since"], unique=False)
    op.create_table(
        "tip_op",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("tip_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("others", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name=op.f("pk_tip_op")),
    )
    op.create_index(op.f("ix_tip_op_space_id_since"), "tip_op", ["space_id", "since"], unique=False)
    op.create_table(
        "tip_vector",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "kind", "item_id", "since", name=op.f("pk_tip_vector")),
    )
    op.create_index(op.f("ix_tip_vector_space_id_since"), "tip_vector", ["space_id", "since"], unique=False)
    op.create_table(
        "vector_next",
        sa.Column("space_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "model", "kind", "item_id", "since", name=op.f("pk_vector_next")),
    )
