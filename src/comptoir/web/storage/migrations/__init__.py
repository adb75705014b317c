"""The shape of the database, step by step. Each step is a file in versions/; Alembic takes them in order."""

HEAD = "10"  # the last step; a database that is there already needs no Alembic to start
