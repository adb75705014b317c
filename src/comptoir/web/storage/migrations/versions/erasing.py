"""Whose words were reported, so that they can be deleted; and ways to find what else somebody has left."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "10"
down_revision = "9"

# Reports outlive what they are about: only the last 50 messages of a table are stored. The name is then that
# of the last person who had sat down under it when it was written.
BY_SAYING = """
    UPDATE reports SET person = coalesce(
        (SELECT s.person FROM sayings s WHERE s.table_id = reports.table_id AND s.n = reports.n), '')
"""
BY_NAME = """
    UPDATE reports SET person = coalesce(
        (SELECT e.person FROM events e
         WHERE e.table_id = reports.table_id AND e.kind = 'sit' AND e.text = reports.name
           AND e.at <= reports.at
         ORDER BY e.version DESC LIMIT 1), '')
    WHERE person = ''
"""
# Only the name of a person who has deleted themselves is nowhere at the table; they were told that it is gone
LEFT_BEHIND = "DELETE FROM reports WHERE person = ''"
# SQLite's file still has bytes of those who deleted themselves before: it is rewritten once, at this start.
REWRITE = """
    INSERT INTO kept (name, value)
    SELECT 'rewrite', CAST('due' AS BLOB) WHERE EXISTS (SELECT 1 FROM sessions WHERE id = 'gone')
"""


def upgrade() -> None:
    op.add_column("reports", sa.Column("person", sa.Text, nullable=False, server_default=""))
    for statement in (BY_SAYING, BY_NAME, LEFT_BEHIND):
        op.execute(statement)
    sat = sa.text("kind = 'sit'")
    op.create_index("events_sat", "events", ["person"], sqlite_where=sat, postgresql_where=sat)
    op.create_index("sayings_person", "sayings", ["person"])
    if op.get_bind().dialect.name == "sqlite":
        op.execute(REWRITE)
