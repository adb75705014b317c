"""Alembic asks here how to reach the database: by the connection of the store that migrates, within its
transaction.
"""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
