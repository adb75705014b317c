"""What finished matches came to for the people who played them.

Those that are stored already get theirs when the server starts: their events say who sat there.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "7"
down_revision = "6"


def upgrade() -> None:
    op.create_table(
        "results",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("person", sa.Text),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("ended", sa.Double, nullable=False),
        sa.Column("players", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("winners", sa.Integer, nullable=False),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("level", sa.Text),
        sa.Column("aside", sa.Text, nullable=False),
        sa.Column("climbs", sa.Boolean, nullable=False),
        sa.Column("sheet", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("results_person", "results", ["person", "ended"])
