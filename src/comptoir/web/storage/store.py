"""The repositories of one database, opened and closed together."""

from __future__ import annotations

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.storage.archive_store import ArchiveStore
from comptoir.web.storage.channels import Channels
from comptoir.web.storage.database import Database
from comptoir.web.storage.erasure import Erasure
from comptoir.web.storage.event_store import EventStore
from comptoir.web.storage.people_store import PeopleStore
from comptoir.web.storage.result_store import ResultStore
from comptoir.web.storage.server_values import ServerValues
from comptoir.web.storage.session_store import SessionStore
from comptoir.web.storage.table_index import TableIndex
from comptoir.web.storage.upgrade import upgrade


class Store:
    """One database: its repositories, and what processes on it tell each other."""

    def __init__(self, url: str, time_source: TimeSource = SYSTEM_TIME) -> None:
        self.database = database = Database(url, time_source)
        self.url, self.kind = database.url, database.kind
        self.channels = Channels(database)
        self.values = ServerValues(database)
        self.tables = TableIndex(database)
        self.results = ResultStore(database)
        self.archives = ArchiveStore(database, self.values)
        self.events = EventStore(database, self.archives, self.results)
        self.sessions = SessionStore(database, self.values)
        self.erasure = Erasure(database, self.values, time_source)
        self.people = PeopleStore(database, self.values, self.sessions, self.erasure)

    def migrate(self) -> None:
        """Bring the database to the schema of this version; several processes may do so at once."""
        upgrade(self.database)
        self.erasure.resume()

    def close(self) -> None:
        self.channels.close()
        self.database.close()
