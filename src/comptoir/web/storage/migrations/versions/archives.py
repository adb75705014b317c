"""Finished matches as they were told; and what counts a table's events is called its version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    for table in ("tables", "events"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN number TO version")
    op.create_table(
        "archives",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("rules", sa.Integer, nullable=False),
        sa.Column("box", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
