"""The results of finished matches, one per person: listed, counted, disowned."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from comptoir.bots.levels import current_level
from comptoir.web.domain.player_results import ListedResult, PlayerResult
from comptoir.web.limits import PERSON_RESULTS, PERSON_RESULTS_COUNTED
from comptoir.web.storage.database import Database, is_id
from comptoir.web.storage.database_schema import results, sitters, tables

_FIELDS = [results.c[name] for name in PlayerResult.__dataclass_fields__]
_MINE = results.c.person == bindparam("whose")
_LATEST = sa.select(*_FIELDS, tables.c.names).join(tables, tables.c.id == results.c.table_id).where(_MINE)
_LATEST = _LATEST.order_by(results.c.ended.desc(), results.c.table_id)
_NUMBER = sa.select(sa.func.count()).select_from(results).where(_MINE)
_COUNTED = (
    sa.select(*_FIELDS)
    .where(_MINE, results.c.excluded == "")
    .order_by(results.c.ended.desc())
    .limit(bindparam("limit"))
)
_WINS = (
    sa.select(results.c.game, results.c.level, sa.func.count())
    .where(_MINE, results.c.counts_for_ladder, results.c.place == 1)
    .group_by(results.c.game, results.c.level)
)
DISOWN = sa.update(results).where(_MINE).values(person=None)
# A list of results has an end. Older ones stay at their tables, which would else be searched for them again.
OLD_RESULTS = (
    sa.select(results.c.table_id)
    .where(_MINE)
    .order_by(results.c.ended.desc(), results.c.table_id)
    .offset(PERSON_RESULTS)
)
DISOWN_OLD = DISOWN.where(results.c.table_id.in_(OLD_RESULTS))
_MISSING = (
    sa.select(tables.c.id)
    .where(
        tables.c.state == "over",
        sa.exists().where(sitters.c.table_id == tables.c.id),
        ~sa.exists().where(results.c.table_id == tables.c.id),
    )
    .order_by(tables.c.updated)
)


class ResultStore:
    """What people have played to the end."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = database.insert(results).on_conflict_do_nothing()

    def add(self, found: Sequence[PlayerResult]) -> None:
        """Store the results of a match that ended before there were any; stored ones do not change."""
        self._database.execute(self._insert, [vars(one) for one in found])

    def insert(self, connection: Connection, new: Sequence[PlayerResult]) -> None:
        """Store the results of a match that ends now, in the transaction of its last event."""
        connection.execute(self._insert, [vars(one) for one in new])
        for person in {one.person for one in new if one.person}:
            connection.execute(DISOWN_OLD, {"whose": person})

    def missing(self) -> list[str]:
        """The tables of matches that are over and have no results yet, the oldest first."""
        return [found.id for found in self._database.fetch(_MISSING)]

    def listed(
        self, person: str, games: Sequence[str], opponents: str, limit: int, start: int = 0
    ) -> list[ListedResult]:
        """Some of a person's results, latest first; with `opponents`, only those against them."""
        chosen = _LATEST.where(*_which(games, opponents)).limit(limit).offset(start)
        return [
            ListedResult(_result(values), tuple(json.loads(names)))
            for *values, names in self._database.fetch(chosen, whose=person)
        ]

    def number(self, person: str, games: Sequence[str], opponents: str = "") -> int:
        """How many there are of those."""
        return int(self._database.fetch(_NUMBER.where(*_which(games, opponents)), whose=person)[0][0])

    def counted(self, person: str) -> list[PlayerResult]:
        """Those that count in statistics."""
        return [
            _result(values)
            for values in self._database.fetch(_COUNTED, whose=person, limit=PERSON_RESULTS_COUNTED)
        ]

    def wins(self, person: str) -> dict[str, dict[str, int]]:
        """The victories that count for the ladder, by game and by the weakest bot's level."""
        found: dict[str, dict[str, int]] = {}
        for game, stored, n in self._database.fetch(_WINS, whose=person):
            wins, level = found.setdefault(game, {}), current_level(stored)
            wins[level] = wins.get(level, 0) + n
        return found

    def delete(self, person: str, table: str | None = None) -> int:
        """Remove one result from a person's list, or all of them; returns how many. The match stays."""
        if table is not None and not is_id(table):
            return 0
        one = () if table is None else (results.c.table_id == table,)
        delete = DISOWN.where(*one)
        return self._database.transaction(
            lambda connection: connection.execute(delete, {"whose": person}).rowcount
        )


def _result(values: Sequence[Any]) -> PlayerResult:
    """A row; those of earlier versions may name levels that are gone."""
    stored = PlayerResult(*values)
    return replace(stored, level=stored.level and current_level(stored.level))


def _which(games: Sequence[str], opponents: str) -> list[sa.ColumnElement[bool]]:
    chosen: list[sa.ColumnElement[bool]] = [results.c.game.in_(games)]
    return [*chosen, results.c.opponents == opponents] if opponents else chosen
