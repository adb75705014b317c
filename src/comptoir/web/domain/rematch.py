"""Another match of the same company: the same people, levels and settings, and the next seat begins."""

from __future__ import annotations

import dataclasses

from comptoir.engine.match import Match
from comptoir.engine.option import FirstSeatOption
from comptoir.web.domain.state import Table, TableSettings


def rematch(table: Table, creator: str, seed: str) -> TableSettings:
    """What a table is made with that follows another one."""
    again = dataclasses.replace(table.settings, seed=seed, creator=creator, rematch_of=table.id, lesson=False)
    return dataclasses.replace(again, options=_options(table, again))


def _options(table: Table, again: TableSettings) -> dict[str, str]:
    """The same, but that the seat after the one that was first to decide is so now, where that can be
    chosen.
    """
    options = again.options
    first = next((one.name for one in table.game.options if isinstance(one, FirstSeatOption)), None)
    if first is None or table.match is None or table.outdated or again.position:
        return options
    next_one = (int(table.match.records[0].turn) + 1) % table.players
    tried = ({**options, first: str(seat)} for seat in range(table.players))
    return next((one for one in tried if _first_to_decide(again, one) == next_one), options)


def _first_to_decide(again: TableSettings, options: dict[str, str]) -> int | None:
    """It need not be the first player: who that is may have another seat begin."""
    return Match(
        again.game, seed=again.seed, names=None, position=None, components=again.components, **options
    ).turn
