"""Everything that leaves the server for somebody is the same bytes whatever they may not know.

All that a viewer cannot know is dealt again, in every position since the start; then every way out of the
server is tried.
"""

from __future__ import annotations

import asyncio
import dataclasses
import io
import json
import logging
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from comptoir.art.board import LAYOUTS
from comptoir.bots.hints import advice_text, advise
from comptoir.engine.forced import forced_action
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES
from comptoir.web.domain import decide
from comptoir.web.domain.clock import MACHINE
from comptoir.web.domain.evolve import evolve
from comptoir.web.domain.state import Table
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.sockets import Connection
from comptoir.web.ops import monitoring
from comptoir.web.ops.request_guard import TokenBucket
from comptoir.web.page_words import page_words
from comptoir.web.view.patches import apply
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.table_view import Viewer
from tests import contract, example_game
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import AppHarness, Client, Socket, in_app, play_on, running_app, table_of

# All lines that are told here have tests of their own: traced by coverage, this takes twice as long.
pytestmark = pytest.mark.no_cover

SECRETIVE = ("batavia", "lots", "marco_polo")  # the games with hands that others do not see
with example_game.known():
    EVERY = [
        (name, players)
        for name in contract.EVERY_GAME
        for players in range(get_game(name).rules.PLAYERS[0], get_game(name).rules.PLAYERS[1] + 1)
    ]
every_table = pytest.mark.parametrize(("name", "players"), EVERY)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time stands still: two messages differ only in what they tell."""
    monkeypatch.setattr(MACHINE, "time_source", ManualTime(AT + 5))


@pytest.fixture(autouse=True, scope="module")
def compiled() -> Iterator[None]:
    """Whole matches are played here; compiled, that takes no time."""
    with example_game.known():
        for name in contract.EVERY_GAME:
            _ = get_game(name).compiled
        yield


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def redealt(table: Table, viewer: int | None, seed: int) -> Table:
    """The same table to a viewer (None: a spectator), with all that it cannot know dealt again, now and at
    every time before.
    """
    assert table.match is not None
    other = dataclasses.replace(table, match=table.match.at(table.match.ply))
    assert other.match is not None
    records = other.match.records
    assert isinstance(records, list)  # the match's own, of this copy alone
    for ply, p in enumerate(records):
        if p.turn >= 0:
            world = table.game.seen_by(p, table.match.box, viewer)
            dice = np.array([seed * 1_000 + ply], np.uint64)
            table.game.ruleset.imagine(world, table.match.box, -1 if viewer is None else viewer, dice)
            records[ply] = world
    return other


def is_other(table: Table, other: Table) -> bool:
    """Whether the two worlds differ, now or at any time before."""
    assert table.match is not None
    assert other.match is not None
    return any(
        one.tobytes() != two.tobytes()
        for one, two in zip(table.match.records, other.match.records, strict=True)
    )


class Deaf:
    """A socket at which nobody is."""


def first_message(table: Table, viewer: Viewer, tables: Any = None) -> str:
    return Connection(Deaf(), tables, OpenTable(table), viewer).message()  # type: ignore[arg-type]


def random_table(name: str, seating: list[Any], chance: random.Random, **more: Any) -> Table:
    """A table somewhere in a random match; now and then at its start."""
    seed = f"{chance.getrandbits(128):032x}"
    whole = play_on(table_of(name, list(seating), seed=seed, **more), 10_000, random.Random(seed))
    assert whole.match is not None
    moment = chance.choice([0, chance.randrange(whole.match.ply), chance.randrange(whole.match.ply)])
    return dataclasses.replace(whole, match=whole.match.at(moment), decisions=whole.decisions[: moment + 1])


def unlike(table: Table, wanted: int) -> list[str]:
    """Some actions that are not allowed now."""
    assert table.match is not None
    legal = set(table.match.actions())
    others = [action for action in table.game.actions if action not in legal]
    return others[:: max(1, len(others) // wanted)]


def spots_of(table: Table, seat: int) -> set[str]:
    """Some places of the board that a seat can ask about."""
    assert table.match is not None
    scene = table.match.scene(seat, page_words(table.game.name, "en"))
    return {
        spot
        for action in unlike(table, 6)
        for spot in table.game.board.spots(scene, table.game.decode(action))[:1]
    }


async def outgoing(
    made: AppHarness, table: Table, who: Client, seat: int | None, layout: str = "wide"
) -> dict[str, str]:
    """Everything that somebody can get out of the server about a table, by where it came from."""
    live = made.put(table)
    got: dict[str, str] = {}
    socket = await who.socket(table.id, layout)
    if seat is not None and table.turn == seat:
        for action in unlike(table, 6):
            await socket.ask("why", action=action)
        for spot in spots_of(table, seat):
            await socket.ask("why", spot=spot)
    await socket.ask("play", action="no such action")
    await socket.ask("undo", version=0)
    got["socket"] = "\n".join(socket.got)
    await socket.close()
    assert table.match is not None
    pages = [
        f"/tables/{table.id}",
        f"/api/tables/{table.id}",
        f"/replay/{table.id}",
        f"/replay/{table.id}/match.txt",
        f"/tables/{table.id}/board.svg",
    ]
    pages += [
        f"/replay/{table.id}?at={table.match.ply // 2}&seat={side}"
        for side in ("", "all", *range(table.players))
    ]
    pages += [f"/api/replays/{table.id}", "/"]
    for page in pages:
        answer = await who.get(page)
        got[page] = f"{answer.status_code} {answer.text}"
    assert made.tables.in_use[table.id] is live
    return got


async def forged(made: AppHarness, table: Table, who: Client) -> str:
    """What comes back to somebody who acts out of turn, by form and by interface."""
    made.put(table)
    answers = [
        await who.post(f"/tables/{table.id}/{what}", seat="0", level="clerk")
        for what in ("sit", "stand-up", "bot", "begin", "back", "remove", "close")
    ]
    wish = {"version": 0, "action": "pass"}
    answers.append(await who.ask("POST", f"/api/tables/{table.id}/actions", json=wish))
    answers.append(await who.post(f"/replay/{table.id}/continue", at="0", seat="0", level="clerk"))
    return "\n".join(f"{answer.status_code} {answer.text}" for answer in answers)


@every_table
def test_the_bytes_are_the_same_whatever_cannot_be_known(name: str, players: int, database: str) -> None:
    try_moments(name, players, database, 1)


@pytest.mark.long
@every_table
def test_the_bytes_are_the_same_at_many_moments(name: str, players: int, database: str) -> None:
    try_moments(name, players, database, 40)


def try_moments(name: str, players: int, database: str, moments: int) -> None:
    @settings(
        max_examples=moments,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**32))
    def holds(seed: int) -> None:
        """At a random moment of a random match."""
        in_app(database, lambda made: same_bytes(made, name, players, seed), time_source=ManualTime(AT + 5))

    holds()


async def same_bytes(made: AppHarness, name: str, players: int, seed: int) -> None:
    chance = random.Random(seed)
    people = [made.person(f"P{n}") for n in range(players)]
    table = random_table(
        name, [one.sits for one in people], chance, open=chance.random() < 0.7, creator=people[0].id
    )
    layout = chance.choice(LAYOUTS)
    secrets = [table.settings.seed, *(table.settings.seed[n : n + 8] for n in range(25))]
    differed = False
    for viewer, who in [*enumerate(people), (None, made.person("S"))]:
        other = redealt(table, viewer, seed)
        differed |= is_other(table, other)
        one, two = [await outgoing(made, world, who, viewer, layout) for world in (table, other)]
        assert one == two
        assert await forged(made, table, who) == await forged(made, other, who)
        everything = "".join(one.values())
        hidden = [*secrets, *(person.id for person in people if person is not who)]
        assert not [text for text in hidden if text in everything]
        asked = table.turn == viewer and viewer is not None and table.forced is None
        assert ("data-action=" in one["socket"]) == asked
    assert differed or name not in SECRETIVE


def hand(table: Table, seat: int) -> bytes:
    """All that a seat knows."""
    assert table.match is not None
    return table.match.seen_by(seat).tobytes()


@pytest.mark.parametrize("name", SECRETIVE)
def test_the_check_can_fail(name: str, database: str) -> None:
    """Looked at from another seat, the same worlds differ: a leak would be seen."""

    async def work(made: AppHarness) -> None:
        people = [made.person(f"P{n}") for n in range(3)]
        table = play_on(table_of(name, [one.sits for one in people]), 12, random.Random(4))
        worlds = (redealt(table, 0, seed) for seed in range(1, 40))  # some deal the same hand again
        other = next(world for world in worlds if hand(world, 1) != hand(table, 1))
        one, two = [await outgoing(made, world, people[1], 1) for world in (table, other)]
        assert one["socket"] != two["socket"]
        assert one[f"/tables/{table.id}"] != two[f"/tables/{table.id}"]
        assert one[f"/api/tables/{table.id}"] != two[f"/api/tables/{table.id}"]

    in_app(database, work, time_source=ManualTime(AT + 5))


@pytest.mark.parametrize("name", contract.EVERY_GAME)
def test_a_hint_is_the_same_whatever_cannot_be_known(name: str) -> None:
    chance = random.Random(8)
    seating = [(f"p{n}", f"P{n}") for n in range(3)]
    for _ in range(3):
        table = random_table(name, seating, chance)
        assert table.match is not None
        assert table.turn is not None
        other = redealt(table, table.turn, 3).match
        assert other is not None
        one, two = (advise(match, table.turn, table.id) for match in (table.match, other))
        assert one.plans == two.plans
        assert one.gains == two.gains
        for lang in LANGUAGES:
            words = page_words(name, lang)
            assert advice_text(table.match, table.turn, one, words) == advice_text(
                other, table.turn, two, words
            )


@pytest.mark.parametrize("name", contract.EVERY_GAME)
def test_what_is_played_by_itself_is_the_same_whatever_cannot_be_known(name: str) -> None:
    """Nor is anybody waited for longer: by the pace of a table nobody learns what they may not know."""
    chance = random.Random(5)
    seating = [("p0", "P0"), *["clerk"] * 2]
    played = 0
    for _ in range(12):
        table = random_table(name, seating, chance)
        assert table.match is not None
        for viewer in (None, *range(table.players)):
            other = redealt(table, viewer, 3)
            assert (other.forced, other.ending) == (table.forced, table.ending)
        for ply in range(table.match.ply):
            past = table.match.at(ply)
            if forced_action(past) is None:
                continue
            played += 1
            world = redealt(dataclasses.replace(table, match=past), None, 7).match
            assert world is not None
            assert forced_action(world) == forced_action(past)
    assert played or name in SECRETIVE


@pytest.mark.parametrize("name", contract.EVERY_GAME)
def test_a_message_tells_the_same_by_changes_as_at_once(name: str) -> None:
    """Through a match with taking back: who was there all the time has the same before them as who just came;
    boards stay right.
    """
    chance = random.Random(6)
    table = table_of(name, [(f"p{n}", f"P{n}") for n in range(3)])
    live = OpenTable(table)
    eyes = [Viewer("p0", None, "fr"), Viewer("p2", None, "en", "tall"), Viewer(None, None, "fr")]
    lasting = [Connection(Deaf(), None, live, viewer, patches=True) for viewer in eyes]  # type: ignore[arg-type]
    parts: list[dict[str, str]] = [{} for _ in eyes]
    lines: list[list[str]] = [[] for _ in eyes]
    for step in range(40):
        assert live.table.match is not None
        if live.table.turn is None:
            break
        doer = live.table.decisions[-1].person
        undo = doer is not None and live.table.may_undo(doer) is not None and chance.random() < 0.3
        event = (
            decide.undo(live.table, live.now(), doer)
            if undo and doer is not None
            else decide.play(
                live.table,
                live.now(),
                live.table.seats[live.table.turn].person,
                live.table.turn,
                chance.choice(live.table.match.actions()),
            )
        )
        live.replace_table(evolve(live.table, event))
        if step % 4 and step < 39:
            continue
        for n, connection in enumerate(lasting):
            told = json.loads(connection.message())
            parts[n] |= told["parts"] | {
                part: apply(parts[n][part], cuts) for part, cuts in told.get("patches", {}).items()
            }
            lines[n][told["log"]["from"] :] = told["log"]["lines"]
            fresh = json.loads(first_message(live.table, eyes[n]))
            assert parts[n] == fresh["parts"]
            assert lines[n][-len(fresh["log"]["lines"]) :] == fresh["log"]["lines"] or not lines[n]


# A device that several people share


@pytest.mark.slow
@pytest.mark.parametrize("name", SECRETIVE)
def test_a_shared_device_shows_no_hand_before_it_is_taken(name: str, database: str) -> None:
    async def work(made: AppHarness) -> None:
        chance = random.Random(5)
        for _ in range(3):
            pair = made.person("A")
            seating = [(pair.id, "Anne"), (pair.id, "Bruno"), made.person("C").sits]
            table = random_table(name, seating, chance)
            for world in (redealt(table, None, 1), redealt(table, None, 2)):
                one, two = [await outgoing(made, each, pair, None) for each in (table, world)]
                assert one == two
                assert "data-action=" not in one["socket"]

    in_app(database, work, time_source=ManualTime(AT + 5))


@pytest.mark.parametrize("name", SECRETIVE)
def test_when_it_is_passed_on_it_forgets_the_hand(name: str, database: str) -> None:
    """One takes the device and plays; when the other is to decide, all that is shown is what a spectator may
    know.
    """

    async def work(made: AppHarness) -> None:
        pair, chance = made.person("A"), random.Random(9)
        live = await made.make(name, (pair.id, "Anne"), (pair.id, "Bruno"), (pair.id, "Chloé"))
        socket = await pair.socket(live.table.id)
        passed = 0
        while passed < 6:
            seat = live.table.turn
            assert seat is not None
            assert live.table.match is not None
            assert socket.last_view["yours"]
            assert "data-take" in socket.parts["notice"]
            assert (await socket.ask("take_device", seat=(seat + 1) % 3))["type"] == "refused"
            await take(socket, seat)
            assert other_hands_are_hidden(live, socket, seat)
            while live.table.turn == seat:
                await socket.ask("play", action=chance.choice(live.table.match.actions()))
            if live.table.turn is None:
                return
            await socket.receive_all()
            spectator = json.loads(first_message(live.table, Viewer(None, None, "en")))
            for part in ("hand", "chart", "pieces", *(f"seat-{n}" for n in range(3))):
                assert socket.parts[part] == spectator["parts"][part]
            assert socket.lines == spectator["log"]["lines"]
            assert 'data-take="' in socket.parts["notice"]
            passed += 1

    in_app(database, work, time_source=ManualTime(AT + 5))


async def take(socket: Socket, seat: int) -> None:
    socket.send(type="take_device", seat=seat)
    while f'data-seat="{seat}"' not in socket.parts["notice"]:
        await socket.receive()
    assert "data-action=" in socket.parts["choices"]


def other_hands_are_hidden(live: OpenTable, socket: Socket, seat: int) -> bool:
    """What the device shows now is the same in a world in which the others there have other hands."""
    person = live.table.seats[seat].person
    shown: list[dict[str, Any]] = []
    for world in (live.table, redealt(live.table, seat, 3)):
        connection = Connection(Deaf(), None, OpenTable(world), Viewer(person, None, "en"))  # type: ignore[arg-type]
        connection.viewer = Viewer(person, seat, "en")
        shown.append(json.loads(connection.message()))
    return bool(shown[0] == shown[1] and shown[0]["parts"] == socket.parts)


# What whoever runs the server can see


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """All that is logged, from the lowest level on, as a server writes it."""
    root, ours = logging.getLogger(), logging.getLogger("comptoir")
    before = root.handlers[:], root.level, ours.level
    for handler in before[0]:
        root.removeHandler(handler)
    stream = io.StringIO()
    monitoring.start_log("debug", stream)
    root.setLevel(logging.DEBUG)
    yield stream
    root.handlers[:], root.level = before[0], before[1]
    ours.setLevel(before[2])


def test_logs_and_metrics_hold_nothing_hidden(
    database: str, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole match with people and bots, bad requests and a failure: no seed, person, token, action or
    table's link is written.
    """
    monkeypatch.setattr(TokenBucket, "take", lambda bucket: True)  # she is quicker than people are
    told: list[str] = []

    async def work(made: AppHarness) -> tuple[list[str], list[str]]:
        anne, chance = made.person("Anneliese"), random.Random(1)
        live = await made.make("marco_polo", anne.sits, "passer-by", seed="cafe0123456789abcdef0123456789ab")
        table, socket = live.table, await anne.socket(live.table.id)
        while live.table.turn is not None:
            if live.table.turn == 0 and live.table.match is not None:
                action = chance.choice(live.table.match.actions())
                told.append(action)
                await socket.ask("play", action=action)
            else:
                await socket.until(live.table.version + 1)
        socket.send_raw(f'{{"type": "{anne.token}')
        await anne.get(f"/tables/{table.id}?{anne.token}")
        await anne.post(f"/tables/{table.id}/sit", seat="0", name=table.settings.seed)
        metrics = (await anne.get("/metrics")).text
        assert "comptoir_events_total" in metrics
        secrets = [
            table.settings.seed,
            table.settings.seed[:8],
            table.id,
            anne.id,
            anne.token,
            anne.cookies["comptoir"],
            "Anneliese",
        ]
        return secrets, [metrics, log.getvalue()]

    hidden, written = in_app(database, work, time_source=ManualTime(AT + 5))
    ours = "\n".join(
        line for line in "\n".join(written).splitlines() if '"httpx: ' not in line and '"httpcore' not in line
    )
    assert not [text for text in hidden if text in ours]
    assert told
    assert not [action for action in told if f'"{action}"' in ours]


# The end


@pytest.mark.slow
@pytest.mark.parametrize("name", contract.EVERY_GAME)
def test_when_the_match_is_over_everything_is_told(name: str, database: str) -> None:
    async def work(made: AppHarness) -> None:
        people = [made.person(f"P{n}") for n in range(3)]
        table = play_on(table_of(name, [one.sits for one in people]), 10_000, random.Random(1))
        got = await outgoing(made, table, made.person("S"), None)
        for page in (f"/replay/{table.id}/match.txt", f"/api/replays/{table.id}", "socket"):
            assert table.settings.seed in got[page]
            assert table.seed_hash in got[page]

    in_app(database, work, time_source=ManualTime(AT + 5))


def test_a_chart_stays_the_same_through_a_match() -> None:
    """The board below the pieces is drawn once for a table; that is right only if it never changes."""
    for name in contract.EVERY_GAME:
        table = table_of(name, [(f"p{n}", f"P{n}") for n in range(3)])
        first = TablePresenter(table).now.chart("en", "wide")
        table = play_on(table, 10_000, random.Random(3))
        assert isinstance(table.match, Match)
        for ply in range(0, table.match.ply, 1 + table.match.ply // 8):
            then = dataclasses.replace(table, match=table.match.at(ply))
            assert TablePresenter(then).now.chart("en", "wide") == first


def test_nothing_runs_on_after_the_app_is_closed(database: str) -> None:
    """What these tests stand on: an app that ends leaves no task behind."""

    async def run() -> int:
        async with running_app(database, time_source=ManualTime(AT + 5)) as made:
            await made.make("batavia", "passer-by", "passer-by", "passer-by")
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(run()) == 0
