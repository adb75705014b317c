"""The hours that people keep, brought to the tables where a turn has days."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from comptoir.web.domain import decide
from comptoir.web.domain.clock import DAY, PlayingHours
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Table
from comptoir.web.live.app_services import AppServices
from comptoir.web.live.not_found import NotFound


async def take_hours(server: AppServices, table: Table) -> None:
    """Those of everyone who has just sat down at a table."""
    if table.settings.clock < DAY:
        return
    for person in table.people:
        hours = await server.in_store(server.store.people.hours, person)
        if hours is not None and person not in table.hours:
            await _bring(server, table.id, person, hours)


async def change_hours(server: AppServices, person: str, hours: PlayingHours | None) -> None:
    """Keeps somebody's hours, from now on at all their tables too, where that is not too soon after the last
    change.
    """
    await server.in_store(server.store.people.save_hours, person, hours)
    for table in await server.in_store(server.store.tables.correspondence_of, person):
        await _bring(server, table, person, hours)


async def _bring(server: AppServices, table: str, person: str, hours: PlayingHours | None) -> None:
    with suppress(Refused, NotFound):
        await server.tables.act(table, partial(decide.set_hours, person=person, hours=hours))
