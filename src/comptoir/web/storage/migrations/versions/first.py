"""Tables as rows of events, who sits at them, people, and what the server keeps for itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "tables",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("open", sa.Boolean, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("names", sa.Text, nullable=False),
        sa.Column("people", sa.Text, nullable=False),
        sa.Column("turn", sa.Integer),
        sa.Column("turn_person", sa.Text),
        sa.Column("due", sa.Double),
        sa.Column("updated", sa.Double, nullable=False),
    )
    op.create_index(
        "tables_due",
        "tables",
        ["due"],
        sqlite_where=sa.text("due IS NOT NULL"),
        postgresql_where=sa.text("due IS NOT NULL"),
    )
    op.create_index(
        "tables_open",
        "tables",
        ["state", "updated"],
        sqlite_where=sa.text("open"),
        postgresql_where=sa.text("open"),
    )
    op.create_table(
        "events",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("person", sa.Text),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sqlite_with_rowid=False,  # a table's events lie side by side
    )
    op.create_table(
        "sitters",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True, index=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "people",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("lang", sa.Text, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
    )
    op.create_table(
        "kept",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
