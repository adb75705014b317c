"""Who is at a table, as the others there are told: whose page is open, who has seen the last turn, how many
look on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.presence import BROADCAST_INTERVAL, HERE, RECONNECT_GRACE, SEEN
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import AppHarness, Client, Socket, in_app, running_app
from tests.web.conftest import Postgres
from tests.web.test_hidden import redealt

HURRIED = 0.02  # seconds, in place of one, where processes tell each other in real time


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def timed(database: str, work: Callable[[AppHarness], Coroutine[Any, Any, None]]) -> None:
    """Runs a test's work where time passes while a page waits to be told something."""
    in_app(database, work, time_source=ManualTime())


def time_of(made: AppHarness) -> ManualTime:
    assert isinstance(made.server.time_source, ManualTime)
    return made.server.time_source


async def told(socket: Socket, *here: int | None, watching: int = 0) -> None:
    """Until a page is told that it is so."""
    wanted, time = {"here": list(here), "watching": watching}, socket.app.state.server.time_source
    while True:
        heard = await socket.receive_all() if isinstance(time, ManualTime) else [await socket.receive()]
        for message in heard:
            assert "here" not in message or len(message) == 2
            if message == wanted:
                return
        if isinstance(time, ManualTime):
            assert time.time() < AT + 60, "it is never told"
            await time.advance(BROADCAST_INTERVAL)


def of_company(socket: Socket) -> list[dict[str, Any]]:
    """All that a page was told of whoever is here."""
    return [message for text in socket.got if "here" in (message := json.loads(text))]


async def two(made: AppHarness, **settings: Any) -> tuple[OpenTable, Client, Client]:
    anne, bruno = made.person("Anne"), made.person("Bruno")
    return await made.make("century", anne.sits, bruno.sits, **settings), anne, bruno


def test_who_comes_and_goes_is_told(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, bruno = await two(made)
        before = live.table.version
        mine = await anne.socket(live.table.id)
        await told(mine, None, 0)
        theirs = await bruno.socket(live.table.id)
        await told(mine, None, HERE + SEEN)
        await told(theirs, HERE + SEEN, None)
        await theirs.close()
        await told(mine, None, SEEN)
        assert live.table.version == before  # none of it has happened at the table

    timed(lite, work)


def test_who_looks_on_is_counted_and_not_named(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, _ = await two(made)
        mine = await anne.socket(live.table.id)
        stranger, unknown = made.person("Secret"), made.person()
        unknown.cookies = {}
        sockets = [await who.socket(live.table.id) for who in (stranger, stranger, unknown)]
        await told(mine, None, 0, watching=2)  # two pages of one person are one person
        for socket in sockets:
            await socket.close()
        await told(mine, None, 0)
        assert stranger.id not in "".join(mine.got)

    timed(lite, work)


def test_a_hidden_page_has_not_seen_the_last_turn(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, bruno = await two(made)
        pages = [await who.socket(live.table.id) for who in (anne, bruno)]
        turn = live.table.turn or 0
        actor, other = pages[turn], pages[1 - turn]
        other.send(type="ping", hidden=True)
        expected = [None if seat == turn else HERE + SEEN for seat in range(2)]
        await told(actor, *expected)
        assert live.table.match is not None
        await actor.ask("play", action=live.table.match.actions()[0])
        await told(actor, *(None if one is None else HERE for one in expected))
        other.send(type="ping", hidden=False)
        await told(actor, *expected)

    timed(lite, work)


def test_a_page_that_opens_hidden_has_seen_nothing(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, bruno = await two(made)
        mine = await anne.socket(live.table.id)
        theirs = await bruno.socket(live.table.id, hidden=True)
        await told(mine, None, HERE)
        theirs.send(type="ping", hidden=False)
        await told(mine, None, HERE + SEEN)

    timed(lite, work)


def test_actions_that_all_see_tell_nothing_of_presence(lite: str) -> None:
    """Nothing is sent for what has not changed, however much happens."""

    async def work(made: AppHarness) -> None:
        live, anne, bruno = await two(made)
        pages = [await who.socket(live.table.id) for who in (anne, bruno)]
        await told(pages[0], None, HERE + SEEN)
        await told(pages[1], HERE + SEEN, None)
        before = [len(of_company(page)) for page in pages]
        for _ in range(20):
            assert live.table.match is not None
            assert live.table.turn is not None
            version = live.table.version
            for page in pages:
                page.send(type="ping", hidden=False)  # as pages do, so that they are taken to be looked at
            pages[live.table.turn].send(
                type="play", version=version, action=live.table.match.actions()[0], id=version
            )
            for page in pages:
                await page.until(version + 1)
            await time_of(made).advance(2 * BROADCAST_INTERVAL)
            for page in pages:
                await page.receive_all()
        assert [len(of_company(page)) for page in pages] == before

    timed(lite, work)


def test_who_loads_the_page_anew_has_not_gone(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, bruno = await two(made)
        mine, theirs = await anne.socket(live.table.id), await bruno.socket(live.table.id)
        await told(mine, None, HERE + SEEN)
        await theirs.close()
        await time_of(made).advance(RECONNECT_GRACE - 2 * BROADCAST_INTERVAL)
        await bruno.socket(live.table.id)
        await time_of(made).advance(2 * RECONNECT_GRACE)
        await mine.receive_all()
        assert of_company(mine)[-1] == {"here": [None, HERE + SEEN], "watching": 0}
        assert {"here": [None, SEEN], "watching": 0} not in of_company(mine)

    timed(lite, work)


def test_flapping_connections_are_told_together(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, _ = await two(made)
        mine = await anne.socket(live.table.id)
        stranger = made.person()
        for _ in range(40):
            await (await stranger.socket(live.table.id)).close()
        await time_of(made).advance(2 * RECONNECT_GRACE)
        await mine.receive_all()
        assert len(of_company(mine)) <= 3

    timed(lite, work)


@pytest.mark.parametrize("seat", [0, 1, None])
def test_it_depends_on_nothing_that_is_hidden(lite: str, seat: int | None) -> None:
    async def work(made: AppHarness) -> None:
        people = [made.person(name) for name in ("Anne", "Bruno", "Chloé")]
        live = await made.make("batavia", *(one.sits for one in people))
        table = live.table
        for world in (table, redealt(table, seat, 5)):
            made.put(world)
            pages = [await one.socket(table.id) for one in (*people[:2], made.person())]
            expected = [None if one == seat else HERE + SEEN for one in range(2)]
            await told(pages[2 if seat is None else seat], *expected, 0, watching=1)
            for page in pages:
                await page.close()

    timed(lite, work)


# Several processes


@asynccontextmanager
async def two_apps(postgres: Postgres) -> AsyncIterator[tuple[AppHarness, AppHarness]]:
    database = postgres.new()
    async with asyncio.timeout(60), running_app(database) as first, running_app(database) as second:
        for made in (first, second):
            presence = made.tables.presence
            presence.broadcast_interval, presence.reconnect_grace = HURRIED, 0.0
        yield first, second


def elsewhere(made: AppHarness, caller: Client) -> Client:
    """The same person with a page of another process."""
    twin = made.person(caller.name)
    twin.id, twin.cookies = caller.id, caller.cookies
    return twin


def test_processes_tell_each_other_who_is_here(postgres: Postgres) -> None:
    async def work() -> None:
        async with two_apps(postgres) as (first, second):
            live, anne, bruno = await two(first)
            theirs = await elsewhere(second, bruno).socket(live.table.id)
            mine = await anne.socket(live.table.id)  # who comes later is told of whoever is there
            await told(mine, None, HERE + SEEN)
            await told(theirs, HERE + SEEN, None)
            watching = await second.person().socket(live.table.id)
            await told(mine, None, HERE + SEEN, watching=1)
            await watching.close()
            await theirs.close()
            await told(mine, None, SEEN)

    asyncio.run(work())


def test_a_process_that_dies_takes_its_people_with_it(postgres: Postgres) -> None:
    async def work() -> None:
        async with two_apps(postgres) as (first, second):
            live, anne, bruno = await two(first)
            await elsewhere(second, bruno).socket(live.table.id)
            mine = await anne.socket(live.table.id)
            await told(mine, None, HERE + SEEN)
            presence = first.tables.presence
            presence.heartbeat_interval, presence.process_timeout = HURRIED, 0.0
            second.tables.presence.shared = False  # it says nothing more
            first.tables.spawn(presence.send_heartbeats())
            await told(mine, None, 0)

    asyncio.run(work())
