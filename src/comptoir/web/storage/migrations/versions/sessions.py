"""Each device on which somebody is here has a session, which can be ended.

Cookies from before, which name no session, are good for as long as browsers keep them: a year from now.
"""

from __future__ import annotations

import time

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    op.create_table(
        "sessions",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("device", sa.Text, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("seen", sa.Double, nullable=False),
        sa.Column("ended", sa.Double),
        sqlite_with_rowid=False,
    )
    kept = sa.table("kept", sa.column("name", sa.Text), sa.column("value", sa.LargeBinary))
    op.execute(kept.insert().values(name="sessions since", value=repr(time.time()).encode()))
