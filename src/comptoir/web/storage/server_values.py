"""Single values of a server: its secret, its push keys, sizes per person, marks."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam
from sqlalchemy.exc import IntegrityError

from comptoir.web.storage.database import Database
from comptoir.web.storage.database_schema import kept

SECRET_BYTES = 32
_VALUE = sa.select(kept.c.value).where(kept.c.name == bindparam("which"))


class ServerValues:
    """Named values, the same for all processes."""

    def __init__(self, database: Database) -> None:
        self._database, self._set = database, database.upsert(kept, "value")

    def secret(self) -> bytes:
        """The key that signs cookies and links."""
        return self.get_or_create("secret", lambda: secrets.token_bytes(SECRET_BYTES))

    def get(self, name: str) -> bytes | None:
        found = self._database.fetch(_VALUE, which=name)
        return bytes(found[0].value) if found else None

    def get_or_create(self, name: str, make: Callable[[], bytes]) -> bytes:
        """A value that is made once and never changes."""
        while (found := self.get(name)) is None:
            with suppress(IntegrityError):  # another process was quicker; its value is everyone's
                self._database.execute(sa.insert(kept), name=name, value=make())
        return found

    def get_locked(self, connection: Connection, name: str) -> bytes | None:
        """A value that no other transaction changes until this one ends."""
        found: bytes | None = connection.scalar(_VALUE.with_for_update(), {"which": name})
        return None if found is None else bytes(found)

    def set(self, connection: Connection, name: str, value: bytes) -> None:
        connection.execute(self._set, {"name": name, "value": value})

    def delete(self, connection: Connection, name: str) -> None:
        connection.execute(sa.delete(kept).where(kept.c.name == name))
