"""Bring a database to the schema of this version, by the steps in `migrations/`."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.engine import URL

from comptoir.errors import OptionError
from comptoir.web.storage import migrations
from comptoir.web.storage.database import Database, plain_errors
from comptoir.web.storage.migrations import HEAD


def upgrade(database: Database) -> None:
    """Apply the missing steps; several processes may do so at once."""
    with plain_errors(database.url), database.migration_lock() as connection:
        found = _version(connection)
        if found != HEAD:
            _upgrade(connection, found, database.url)


def _version(connection: Connection) -> str | None:
    """The last step this database has taken; None if it is new."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found


def _upgrade(connection: Connection, found: str | None, url: URL) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        where = url.render_as_string(hide_password=True)
        raise OptionError(
            f"database: {where} was written by a newer Comptoir"
            f" (its version is {found}, ours {HEAD}); install that one"
        )
    command.upgrade(config, "head")
