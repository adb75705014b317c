"""The tables, as lists show them: one row per table, written with its events."""

from __future__ import annotations

import json
import math
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from comptoir.web.domain.clock import DAY
from comptoir.web.domain.state import TableSettings, TableSummary
from comptoir.web.storage.database import Database, is_id
from comptoir.web.storage.database_schema import events, sessions, sitters, tables

FIRST_LISTED = 2  # open tables of one creator that are listed before those of others
LISTED_TABLES = 50

# Statements are built once: building one costs more than SQLite takes to run it.
_ROWS = sa.select(*(tables.c[name] for name in TableSummary.__dataclass_fields__))
_ROW = _ROWS.where(tables.c.id == bindparam("table"))
_NEWEST = _ROWS.order_by(tables.c.updated.desc(), tables.c.id).limit(bindparam("limit"))
_TABLES_OF = _NEWEST.join(sitters, sitters.c.table_id == tables.c.id).where(
    sitters.c.person == bindparam("person")
)
_RUNNING_OF = _TABLES_OF.where(tables.c.state.in_(["waiting", "on"]))
_CLOSED_OF = _TABLES_OF.where(tables.c.state == "closed")
_SETTINGS_OF = (
    sa.select(events.c.table_id, events.c.text)
    .join(sitters, sitters.c.table_id == events.c.table_id)
    .where(sitters.c.person == bindparam("person"), events.c.version == 1)
)
_LESSONS_OF = _SETTINGS_OF.where(events.c.text.contains('"lesson"'))
_TIMED_OF = (
    _SETTINGS_OF.join(tables, tables.c.id == events.c.table_id)
    .where(events.c.text.contains('"clock"'), tables.c.state.in_(["waiting", "on"]))
    .order_by(tables.c.updated.desc(), tables.c.id)
    .limit(bindparam("limit"))
)
_IDS_OF = sa.select(sitters.c.table_id).where(sitters.c.person == bindparam("person"))
_WATCHABLE = _NEWEST.where(tables.c.open, tables.c.state == "on")
# Open tables that wait, whose creators have been here since then, or where something has happened since. Of
# each creator some come first: nobody's many tables push others off a list.
_created = sa.and_(events.c.table_id == tables.c.id, events.c.version == 1)
_creator_seen = (
    sa.select(sa.func.max(sessions.c.seen))
    .where(sessions.c.person == events.c.person, sessions.c.ended.is_(None))
    .scalar_subquery()
)
_open = sa.and_(tables.c.open, tables.c.state == "waiting")
_newest_first = (tables.c.updated.desc(), tables.c.id)
_nth = sa.func.row_number().over(partition_by=events.c.person, order_by=_newest_first)
_OPEN = (
    _ROWS.join(events, _created)
    .where(_open, sa.or_(tables.c.updated >= bindparam("since"), _creator_seen >= bindparam("since")))
    .order_by(sa.case((_nth > bindparam("first"), 1), else_=0), *_newest_first)
    .limit(bindparam("limit"))
)
_COUNT_OPEN_OF = (
    sa.select(sa.func.count())
    .select_from(tables)
    .join(events, _created)
    .where(_open, events.c.person == bindparam("person"))
)
# a bot acts soon: one that is due much later was noted by a clock that has been set back since
_DUE = (
    _ROWS.where(
        (tables.c.due <= bindparam("before"))
        | ((tables.c.due > bindparam("late")) & tables.c.turn_person.is_(None))
    )
    .order_by(tables.c.due)
    .limit(bindparam("limit"))
)
_COUNTS = sa.select(tables.c.state, sa.func.count()).group_by(tables.c.state)
_SET_ASIDE = (
    sa.update(tables)
    .where(tables.c.id == bindparam("table"))
    .values(state="closed", turn=None, turn_person=None, due=None)
)
_CLEAR_DUE = (
    sa.update(tables)
    .where(tables.c.id == bindparam("table"), tables.c.version == bindparam("at"))
    .values(due=None)
)


class TableIndex:
    """Finds tables without reading their events."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, table: str) -> TableSummary | None:
        found = self._fetch(_ROW, table=table) if is_id(table) else []
        return found[0] if found else None

    # Of one person

    def tables_of(self, person: str, limit: int = LISTED_TABLES) -> list[TableSummary]:
        """The tables at which a person sits, the latest first."""
        return self._fetch(_TABLES_OF, person=person, limit=limit) if is_id(person) else []

    def running_of(self, person: str, limit: int = LISTED_TABLES) -> list[TableSummary]:
        """Those of them where a match is on or has not begun."""
        return self._fetch(_RUNNING_OF, person=person, limit=limit) if is_id(person) else []

    def closed_of(self, person: str, limit: int = LISTED_TABLES) -> list[TableSummary]:
        """And those at which nobody can play any more."""
        return self._fetch(_CLOSED_OF, person=person, limit=limit) if is_id(person) else []

    def lessons_of(self, person: str) -> set[str]:
        """The ids of a person's lessons."""
        found = self._database.fetch(_LESSONS_OF, person=person) if is_id(person) else []
        return {id for id, settings in found if TableSettings.read(settings).lesson}

    def correspondence_of(self, person: str, limit: int = 100) -> list[str]:
        """The ids of a person's tables at which a turn has days, and that are not over: the latest first."""
        found = self._database.fetch(_TIMED_OF, person=person, limit=limit) if is_id(person) else []
        return [id for id, settings in found if TableSettings.read(settings).clock >= DAY]

    def ids_of(self, person: str) -> list[str]:
        """The ids of all tables at which a person sits."""
        return [found.table_id for found in self._database.fetch(_IDS_OF, person=person)]

    def count_open_of(self, creator: str | None) -> int:
        """How many open tables that a person has created wait for others."""
        return int(self._database.fetch(_COUNT_OPEN_OF, person=creator)[0][0])

    # For everyone

    def open(self, since: float = 0.0, *, limit: int = LISTED_TABLES) -> list[TableSummary]:
        """The tables where anyone may sit down, and whose creators have been here since then: the latest
        first, but only two per creator before those of others.
        """
        return self._fetch(_OPEN, since=since, first=FIRST_LISTED, limit=limit)

    def watchable(self, limit: int = LISTED_TABLES) -> list[TableSummary]:
        """The tables at which everyone may watch a running match, the latest first."""
        return self._fetch(_WATCHABLE, limit=limit)

    # For the server

    def due(self, before: float, late: float = math.inf, limit: int = 100) -> list[TableSummary]:
        """The tables at which the server should have acted by then, the longest overdue first; and those
        where a bot is due only after `late`.
        """
        return self._fetch(_DUE, before=before, late=late, limit=limit)

    def clear_due(self, table: str, version: int) -> None:
        """The server need not act there any more, though an older one has noted that it should."""
        self._database.execute(_CLEAR_DUE, table=table, at=version)

    def set_aside(self, table: str) -> None:
        """List a table that cannot be read as closed, and no longer as due."""
        self._database.execute(_SET_ASIDE, table=table)

    def counts(self) -> dict[str, int]:
        """How many tables there are in each state."""
        return dict(self._database.fetch(_COUNTS))

    def _fetch(self, statement: sa.Select[Any], **values: object) -> list[TableSummary]:
        return [_summary(found) for found in self._database.fetch(statement, **values)]


def _summary(found: sa.Row[Any]) -> TableSummary:
    values = found._asdict()
    names, people = tuple(json.loads(values["names"])), tuple(json.loads(values["people"]))
    return TableSummary(**{**values, "names": names, "people": people})
