"""A new match from a position of one that is over."""

from __future__ import annotations

import secrets

from comptoir.engine.match import Match
from comptoir.engine.view import Plain
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Table, TableSettings


def continue_from(table: Table, at: int, person: str) -> TableSettings:
    """The settings of a table that starts where a match stood after `at` actions."""
    if table.outdated:
        raise Refused("replay.other_rules")
    if table.match is None or table.state != "over":
        raise Refused("replay.not_over")
    then = table.match.at(at)
    if then.over:
        raise Refused("replay.nothing_left")
    return TableSettings(
        game=table.settings.game,
        options=then.options,
        seed=secrets.token_hex(16),
        creator=person,
        components=table.settings.components,
        position=then.position(),
        prior_match=_past(then),
    )


def _past(match: Match) -> Plain:
    """The decisions so far, which the new table's log and replay begin with."""
    start = {"position": match.start_position} if match.start_position else match.options
    return {"seed": match.seed, "start": start, "actions": match.played}
