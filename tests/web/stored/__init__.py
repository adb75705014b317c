"""Databases as older versions of Comptoir have written them, as SQL: no table in them may ever break the app.

Each holds, of every game, a table that waits, one at which a match is on, a finished one, a match that was brought
and one that was brought unfinished; Anne and Bruno sit at them. They are kept for ever, and never edited.

| file | what wrote it |
|---|---|
| schema-1-first-rules.sql | f85221d: version 1 of all rules, tables that do not say so |
| schema-1.sql | 41c6d9a: version 2 of Sail to India and Marco Polo, tables that do not say so |
| schema-2.sql | the first version whose tables say by which rules they are played, and keep finished matches |
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from comptoir.web.storage import migrations

FOLDER = Path(__file__).parent
NAMES = sorted(file.stem for file in FOLDER.glob("*.sql"))


def restore(name: str, file: Path) -> str:
    """A stored database as a file of its own; its address."""
    connection = sqlite3.connect(file)
    connection.executescript((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    connection.close()
    return f"sqlite:///{file}"


def restore_postgresql(file: Path, url: str, version: str) -> None:
    """The rows of a stored database, which is in a SQLite file, in PostgreSQL, at the same schema version."""
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"))
    source = sa.create_engine(f"sqlite:///{file}")
    with engine.begin() as connection, source.connect() as reading:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(Path(migrations.__file__).parent))
        command.upgrade(config, version)
        for name in (table for table in _in_order(connection) if table != "alembic_version"):
            target = sa.Table(name, sa.MetaData(), autoload_with=connection)
            found = sa.Table(name, sa.MetaData(), autoload_with=reading)
            values = [dict(row._mapping) for row in reading.execute(sa.select(found))]
            for value in values:
                if "open" in value:
                    value["open"] = bool(value["open"])
            if values:
                connection.execute(sa.insert(target), values)
    engine.dispose()
    source.dispose()


def _in_order(connection: sa.Connection) -> list[str]:
    """The tables, those that others refer to first."""
    metadata = sa.MetaData()
    metadata.reflect(connection)
    return [table.name for table in metadata.sorted_tables]
