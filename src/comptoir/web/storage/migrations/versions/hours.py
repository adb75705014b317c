"""The hours at which somebody plays, if they have said so."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "6"
down_revision = "5"


def upgrade() -> None:
    op.create_table(
        "hours",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("hours", sa.Text, nullable=False),
    )
