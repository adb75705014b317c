"""The results of people, in the same database as all else: listed, counted and deleted.

Every call waits for the database, so the server makes them in threads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam

from comptoir.web.domain.player_results import ListedResult, PlayerResult
from comptoir.web.limits import PERSON_RESULTS_COUNTED
from comptoir.web.storage.store import Store, is_id, results, tables

_FIELDS = [results.c[name] for name in PlayerResult.__dataclass_fields__]
_MINE = results.c.person == bindparam("whose")
_LATEST = sa.select(*_FIELDS, tables.c.names).join(tables, tables.c.id == results.c.table_id).where(_MINE)
_LATEST = _LATEST.order_by(results.c.ended.desc(), results.c.table_id)
_NUMBER = sa.select(sa.func.count()).select_from(results).where(_MINE)
_COUNTED = (
    sa.select(*_FIELDS)
    .where(_MINE, results.c.aside == "")
    .order_by(results.c.ended.desc())
    .limit(bindparam("limit"))
)
_WINS = (
    sa.select(results.c.game, results.c.level, sa.func.count())
    .where(_MINE, results.c.climbs, results.c.place == 1)
    .group_by(results.c.game, results.c.level)
)
_DELETE = sa.update(results).where(_MINE).values(person=None)


class ResultStore:
    """What people have played to the end."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def listed(
        self, person: str, games: Sequence[str], company: str, limit: int, start: int = 0
    ) -> list[ListedResult]:
        """A person's results of some games, the latest first; with `company`, alone or with people only."""
        chosen = _LATEST.where(*_which(games, company)).limit(limit).offset(start)
        return [
            ListedResult(PlayerResult(*values), tuple(json.loads(names)))
            for *values, names in self._store.found(chosen, whose=person)
        ]

    def number(self, person: str, games: Sequence[str], company: str = "") -> int:
        """How many there are of those."""
        return int(self._store.found(_NUMBER.where(*_which(games, company)), whose=person)[0][0])

    def counted(self, person: str) -> list[PlayerResult]:
        """Those that count in statistics."""
        return [
            PlayerResult(*values)
            for values in self._store.found(_COUNTED, whose=person, limit=PERSON_RESULTS_COUNTED)
        ]

    def wins(self, person: str) -> dict[str, dict[str, int]]:
        """The victories that count for the ladder, by game and by the weakest bot's level."""
        found: dict[str, dict[str, int]] = {}
        for game, level, n in self._store.found(_WINS, whose=person):
            found.setdefault(game, {})[level] = n
        return found

    def delete(self, person: str, table: str | None = None) -> int:
        """Takes one result out of a person's list, or all, for good; says how many. The match stays at its
        table.
        """
        if table is not None and not is_id(table):
            return 0
        one = () if table is None else (results.c.table_id == table,)
        delete = _DELETE.where(*one)
        return self._store.carry_out(
            lambda connection: connection.execute(delete, {"whose": person}).rowcount
        )


def _which(games: Sequence[str], company: str) -> list[sa.ColumnElement[bool]]:
    chosen: list[sa.ColumnElement[bool]] = [results.c.game.in_(games)]
    return [*chosen, results.c.company == company] if company else chosen
