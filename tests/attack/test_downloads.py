"""All of one's matches as a file, each of them very long: another visitor plays on in the meantime."""

from __future__ import annotations

import asyncio
import io
import random
import zipfile
from collections import Counter
from dataclasses import replace

import pytest

from comptoir.engine.game import get_game
from comptoir.web.domain.archive import Archive, archive_match, pack, unpack
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.people import COOKIE, IdentityTokens
from comptoir.web.domain.player_results import results_of
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.storage.event_store import PendingWrite
from comptoir.web.storage.store import Store
from tests.attack.target import Target, attacker
from tests.attack.test_floods import run, strength
from tests.manual_time import AT
from tests.web.app_harness import random_action

pytestmark = pytest.mark.slow

PERSON = "eve-who-plays-much"
LONG = 4_000  # actions


def _finished() -> tuple[Table, list[Event]]:
    """A match of two people on one device, by chance."""
    chance, options = random.Random(1), get_game("century").read_options(2)
    events = [Event(1, "made", None, PERSON, TableSettings("century", options, "1", PERSON).text(), AT)]
    events += [Event(2 + seat, "sit", seat, PERSON, f"Eve {seat}", AT) for seat in range(2)]
    events.append(Event(4, "begin", None, PERSON, "", AT))
    table = from_events("t", events)
    while table.turn is not None and table.match is not None:
        action = random_action(table.match, chance)
        events.append(Event(len(events) + 1, "play", table.turn, PERSON, action, AT))
        table = evolve(table, events[-1])
    return table, events


def _prolonged(archive: Archive) -> Archive:
    """The same match played again and again, as it would be kept: to play one so long takes minutes."""
    content = unpack(archive)
    times = LONG // len(content["played"]) + 1
    for name in ("played", "turns", "positions"):
        content[name] = content[name] * times
    return replace(archive, content=pack(content))


def _fill(database: str, matches: int) -> str:
    """Somebody with many long matches; the cookie of theirs."""
    table, events = _finished()
    assert table.match is not None
    archive, store = _prolonged(archive_match(table.match)), Store(database)
    store.migrate()
    for n in range(matches):
        id = f"download{n:08}"
        results = [replace(one, table_id=id) for one in results_of(table)]
        (wrong,) = store.events.append_all([PendingWrite(id, events, replace(table.row(), id=id), results)])
        assert wrong is None
        store.archives.add(id, archive)
    cookie = IdentityTokens(store.values.secret()).sign(PERSON)
    store.close()
    return cookie


@strength
def test_files_of_long_matches_stop_nobody(own_target: Target, strong: bool) -> None:
    """Four downloads at once of one address. Reading such a match held everyone up for half a second."""
    own_target.stop()
    matches = 60 if strong else 3
    cookie = _fill(own_target.database, matches)
    own_target.start()

    async def attack() -> None:
        async with own_target.client(attacker(50), timeout=500.0, cookies={COOKIE: cookie}) as client:
            answers = await asyncio.gather(*(client.get("/me/games.zip") for _ in range(7)))
        statuses = Counter(answer.status_code for answer in answers)
        assert statuses == {200: 5, 429: 2}
        whole = next(answer for answer in answers if answer.status_code == 200)
        with zipfile.ZipFile(io.BytesIO(whole.content)) as file:
            assert file.testzip() is None
            texts = [file.read(name) for name in file.namelist()]
        assert len(texts) == matches
        assert all(text.count(b"\n") > LONG for text in texts)

    with own_target.visited() as visit:
        run(attack())
    visit.bearable(quick=strong)
