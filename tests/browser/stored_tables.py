"""Tables that somebody has played at, written outside the server process that is running: quicker than playing them."""

from __future__ import annotations

import random
import secrets
import time

from playwright.sync_api import Page

from comptoir.engine.game import get_game
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.people import COOKIE, IdentityTokens
from comptoir.web.domain.player_results import ended_by
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.storage.event_store import PendingWrite
from comptoir.web.storage.store import Store
from tests.browser.app import App


def person_of(app: App, page: Page) -> str:
    """Whom the server takes this browser for."""
    cookie = next(one["value"] for one in page.context.cookies() if one["name"] == COOKIE)
    store = Store(app.database)
    session = IdentityTokens(store.values.secret()).read(cookie)
    store.close()
    assert session is not None
    return session.person


def write(
    app: App,
    game: str,
    *seating: str | tuple[str, str],
    seed: int = 1,
    actions: int = 100_000,
    at: float | None = None,
) -> Table:
    """A table with some actions played by chance, or all; seats are people with names, or bots' levels."""
    now = time.time() if at is None else at
    people = [who[0] for who in seating if isinstance(who, tuple)]
    options = get_game(game).read_options(len(seating))
    settings = TableSettings(game, options, f"{seed:032x}", creator=people[0])
    events = [Event(1, "made", None, people[0], settings.text(), now)]
    for seat, who in enumerate(seating):
        person, kind, text = (who[0], "sit", who[1]) if isinstance(who, tuple) else (people[0], "bot", who)
        events.append(Event(len(events) + 1, kind, seat, person, text, now))
    events.append(Event(len(events) + 1, "begin", None, people[0], "", now))
    table, chance = from_events(secrets.token_urlsafe(12), events), random.Random(seed)
    while table.turn is not None and actions:
        assert table.match is not None
        seat, action = table.turn, chance.choice(table.match.actions())
        events.append(Event(len(events) + 1, "play", seat, table.seats[seat].person, action, now))
        table = evolve(table, events[-1])
        actions -= 1
    store = Store(app.database)
    (outcome,) = store.events.append_all(
        [PendingWrite(table.id, events, table.row(), ended_by(table, events))]
    )
    store.close()
    assert outcome is None
    return table
