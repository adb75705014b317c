"""Somebody deletes themselves: nothing is left of them but their seats, under a number.

Their cookie is invalidated first, so that they can do nothing more in the meantime; what a stopped server
left undone is done when it starts again.
"""

from __future__ import annotations

import dataclasses
import logging
from contextlib import suppress
from functools import partial

from comptoir.web.domain import decide
from comptoir.web.domain.people import nameless
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, TableSummary
from comptoir.web.live.app_services import AppServices
from comptoir.web.live.not_found import NotFound
from comptoir.web.ops.fair_queue import OWN, asking
from comptoir.web.storage.database import NotStored
from comptoir.web.storage.event_store import VersionConflict

RETRY_INTERVAL = 2.0  # seconds between two steps of cleaning files

logger = logging.getLogger(__name__)


async def delete_person(server: AppServices, person: str) -> None:
    """Carried through even if they close the page."""
    await server.tables.shielded(_delete(server, person))


async def finish_deleting(server: AppServices) -> None:
    """For those whose tables were not all come to before the server was stopped."""
    for person in await server.in_store(server.store.people.half_deleted):
        await _delete(server, person)
    erase_soon(server)


async def _delete(server: AppServices, person: str) -> None:
    asking.set(OWN)
    await server.sessions.delete(person)
    await server.in_store(server.notifier.recipients.forget, person)
    for table in await server.in_store(server.store.tables.ids_of, person):
        try:
            await _leave(server, table, person)
        except Exception:
            logger.exception(
                "a deleted name could not be taken off a table; it is tried again at the next start"
            )
    # only now: nobody who has left every table can still say something
    await server.tables.chat.forget(person)
    await server.in_store(server.store.people.anonymise, person)
    erase_soon(server)


def erase_soon(server: AppServices) -> None:
    """Has the database's files cleaned of what was deleted, in the background."""
    if not server.erasing:
        server.erasing = True
        server.tables.spawn(_erase(server))


async def _erase(server: AppServices) -> None:
    try:
        while server.store.erasure.due:
            with suppress(NotStored):
                await server.in_store(server.store.erasure.erase)
            await server.time_source.sleep(RETRY_INTERVAL)
    except Exception:
        logger.exception("what was deleted may still be in the database's files; the next start tries again")
    finally:
        server.erasing = False


async def _leave(server: AppServices, id: str, person: str) -> None:
    """Where a match is on or about to begin, everyone is notified; what is over needs not be read for it."""
    row = await server.in_store(server.store.tables.find, id)
    if row is not None and row.state in ("waiting", "on"):
        with suppress(NotFound, Refused):
            await server.tables.act(id, partial(decide.forget, person=person))
            return
    while row is not None and person in row.people:
        with suppress(VersionConflict):
            await _write(server, row, person)
        row = await server.in_store(server.store.tables.find, id)


async def _write(server: AppServices, row: TableSummary, person: str) -> None:
    seats = await server.in_store(server.store.events.seats_of, row.id, person)
    names = tuple(nameless(seat) if seat in seats else name for seat, name in enumerate(row.names))
    people = tuple(one for one in row.people if one != person)
    after = dataclasses.replace(row, version=row.version + 1, names=names, people=people)
    gone = Event(after.version, "gone", None, person, "", server.time_source.time())
    await server.in_store(server.store.events.append, row.id, [gone], after)
    server.tables.remote.on_remote_event(row.id, after.version)
