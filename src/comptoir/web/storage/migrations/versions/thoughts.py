"""What bots in processes of their own are asked: rows that are there only until they are answered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"


def upgrade() -> None:
    op.create_table(
        "thoughts",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("edition", sa.Text, nullable=False),
        sa.Column("lane", sa.Text, nullable=False),
        sa.Column("start", sa.Double, nullable=False),
        sa.Column("cost", sa.Double, nullable=False),
        sa.Column("asked", sa.Double, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("components", sa.Text, nullable=False),
        sa.Column("level", sa.Text, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("views", sa.LargeBinary, nullable=False),
    )
