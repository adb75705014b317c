"""Finished matches, in a form that does not need the rules; and the sizes of imported ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam
from sqlalchemy.exc import IntegrityError

from comptoir.web.domain.archive import Archive, without_names
from comptoir.web.domain.people import nameless
from comptoir.web.storage.database import Database
from comptoir.web.storage.database_schema import archives, tables
from comptoir.web.storage.server_values import ServerValues

_ARCHIVE = sa.select(archives.c.rules, archives.c.box, archives.c.content).where(
    archives.c.table_id == bindparam("table")
)
_REPLACE = (
    sa.update(archives).where(archives.c.table_id == bindparam("table")).values(content=bindparam("content"))
)
_NAMES = sa.select(tables.c.names).where(tables.c.id == bindparam("table")).with_for_update()
_MISSING = (
    sa.select(tables.c.id)
    .outerjoin(archives, archives.c.table_id == tables.c.id)
    .where(tables.c.state == "over", archives.c.table_id.is_(None))
    .order_by(tables.c.updated)
)


def imported_bytes_key(person: str) -> str:
    """The server value that counts the bytes of a person's imported matches."""
    return f"brought {person}"


class ArchiveStore:
    """Matches that are over."""

    def __init__(self, database: Database, values: ServerValues) -> None:
        self._database, self._values = database, values

    def find(self, table: str) -> Archive | None:
        found = self._database.fetch(_ARCHIVE, table=table)
        return Archive(*found[0]) if found else None

    def add(self, table: str, archive: Archive) -> None:
        """Store a match that is over. Several processes may do so at once: all store the same.

        Without a name that was deleted while the archive was made.
        """

        def add(connection: Connection) -> None:
            names = json.loads(connection.scalar(_NAMES, {"table": table}) or "[]")
            stored = without_names(archive, gone) if (gone := _nameless_seats(names)) else archive
            connection.execute(sa.insert(archives), {"table_id": table, **vars(stored)})

        with suppress(IntegrityError):
            self._database.transaction(add)

    def missing(self) -> list[str]:
        """The tables of matches that are over and not archived yet, the oldest first."""
        return [found.id for found in self._database.fetch(_MISSING)]

    def anonymise(self, connection: Connection, table: str, names: Sequence[str]) -> None:
        """Remove the names that are not among a table's `names` any more."""
        found = connection.execute(_ARCHIVE, {"table": table}).first()
        if found is not None:
            content = without_names(Archive(*found), _nameless_seats(names)).content
            connection.execute(_REPLACE, {"table": table, "content": content})

    def count_imported(self, person: str, size: int, limit: int) -> bool:
        """Add a size to the bytes of a person's imported matches; False if that would exceed the limit."""
        name = imported_bytes_key(person)

        def count(connection: Connection) -> bool:
            before = int(self._values.get_locked(connection, name) or b"0")
            if before + size > limit:
                return False
            self._values.set(connection, name, str(before + size).encode())
            return True

        return self._database.transaction(count)


def _nameless_seats(names: Sequence[str]) -> list[int]:
    """The seats whose names are deleted."""
    return [seat for seat, name in enumerate(names) if name == nameless(seat)]
