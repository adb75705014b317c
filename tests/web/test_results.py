"""One's own games: results, statistics and the ladder are what the tables say; and all of it can be deleted.

What is counted here is counted again, from the events of the tables.
"""

from __future__ import annotations

import asyncio
import dataclasses
import io
import json
import random
import re
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from comptoir.bots.levels import LEVELS
from comptoir.engine import matchfile, registry
from comptoir.engine.game import get_game
from comptoir.engine.words import LANGUAGES
from comptoir.web.domain import decide
from comptoir.web.domain.archive import ArchivedMatch, archive_match, read_header, without_names
from comptoir.web.domain.chat import ChatMessage
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.match_files import archived_match_text, import_match, match_text
from comptoir.web.domain.people import COOKIE, nameless
from comptoir.web.domain.player_results import (
    STEPS,
    WINS,
    PlayerResult,
    WinRecord,
    ladder,
    next_step,
    results_of,
    statistics,
)
from comptoir.web.domain.state import Event, Table
from comptoir.web.live.account_deletion import delete_person, finish_deleting
from comptoir.web.storage.result_store import ResultStore
from comptoir.web.storage.session_store import ALL_SESSIONS
from comptoir.web.storage.store import Store
from comptoir.web.view.pictures import small_board
from comptoir.web.view.presenter import TablePresenter
from tests.manual_time import AT
from tests.web.app_harness import NOW, PATIENCE, AppHarness, Client, in_app, play_on, running_app, table_of
from tests.web.stored import restore
from tests.web.test_hidden import SECRETIVE, is_other, redealt
from tests.web.test_rules_change import as_anne, other_rules  # noqa: F401

ANNE, BRUNO = ("anne", "Anne"), ("bruno", "Bruno")


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def finished(name: str, seating: list[Any], seed: int = 1, **settings: Any) -> Table:
    """A table whose match was played by chance to its end."""
    return play_on(table_of(name, seating, seed=f"{seed:032x}", **settings), 100_000, random.Random(seed))


async def played(
    made: AppHarness, name: str, *seating: str | tuple[str, str], seed: int = 1, **settings: Any
) -> str:
    """A table that is stored with all its events, as if it had been played here; its last action is played
    now.
    """
    return await end(made, await began(made, name, *seating, seed=seed, **settings), seed)


async def began(
    made: AppHarness, name: str, *seating: str | tuple[str, str], seed: int = 1, **settings: Any
) -> Table:
    live = await made.make(name, *seating, seed=f"{seed:032x}", **settings)
    return live.table


async def end(made: AppHarness, table: Table, seed: int = 1, *, most: int = 100_000) -> str:
    """Plays by chance for everyone, bots too, before they come to it."""
    chance, live = random.Random(seed), await made.tables.find(table.id)
    async with live.lock:
        events: list[Event] = []
        after = live.table
        while after.turn is not None and len(events) < most:
            assert after.match is not None
            person = after.seats[after.turn].person
            action = chance.choice(after.match.actions())
            events.append(Event(after.version + 1, "play", after.turn, person, action, time.time()))
            after = evolve(after, events[-1])
        await made.tables.write(after, events)
        live.replace_table(after)
    return table.id


def found(store: Store, person: str) -> list[PlayerResult]:
    return [one.result for one in ResultStore(store.database).listed(person, registry.names(), "", 1_000)]


# Results


@pytest.mark.parametrize("name", ["batavia", "century", "marco_polo", "sail_to_india"])
def test_a_result_says_what_the_score_sheet_says(name: str) -> None:
    for seed in range(3):
        table = finished(name, [ANNE, BRUNO, "merchant"], seed)
        assert table.match is not None
        sheet, scores = table.match.score_sheet(), table.match.scores()
        rows = table.game.scores(table.match.records[-1], table.match.box)
        for result, seat in zip(results_of(table), (0, 1), strict=True):
            assert (result.person, result.seat) == (("anne", "bruno")[seat], seat)
            assert result.won == (seat in table.match.winners())
            assert (
                result.points == scores[seat] == sum(row[seat] or 0 for row in result.scores.points.values())
            )
            assert result.scores == sheet
            assert result.place == 1 + sum(other > rows[seat] for other in rows)
            assert (result.opponents, result.level, result.excluded) == ("people", "merchant", "")
            assert not result.counts_for_ladder


def test_what_does_not_count_is_said() -> None:
    """A lesson, a shared device, a match begun from a replay, a bot in one's place at the end."""
    alone: list[str | tuple[str, str]] = [ANNE, "clerk", "captain"]
    plain = results_of(finished("batavia", alone))
    assert [(one.excluded, one.counts_for_ladder, one.opponents, one.level) for one in plain] == [
        ("", True, "bots", "clerk")
    ]
    shared = results_of(finished("batavia", [ANNE, ("anne", "Bea"), "clerk"]))
    assert [(one.excluded, one.counts_for_ladder) for one in shared] == [("shared", False)]
    assert shared[0].place == min(shared[0].place, 2)
    assert results_of(finished("batavia", alone, lesson=True))[0].excluded == "lesson"
    table = table_of("batavia", alone)
    table = evolve(table, decide.leave(table, NOW, "anne", 0))
    assert results_of(play_on(table, 10_000, random.Random(1)))[0].excluded == "stand_in"
    assert table.match is not None
    start = table_of("batavia", alone).match
    assert start is not None
    assert results_of(finished("batavia", alone, position=start.position()))[0].excluded == "moment"
    own = get_game("batavia").components.tables
    assert not results_of(finished("batavia", alone, components=own))[0].counts_for_ladder


def test_a_hint_is_no_climb_but_counts() -> None:
    table = table_of("batavia", [ANNE, "clerk", "clerk"])
    while table.turn != 0:
        table = play_on(table, 1, random.Random(1))
    table = evolve(table, decide.hint(table, NOW, "anne"))
    (result,) = results_of(play_on(table, 10_000, random.Random(1)))
    assert (result.excluded, result.counts_for_ladder) == ("", False)


def test_what_is_brought_or_on_has_no_result() -> None:
    table = finished("batavia", [ANNE, BRUNO, "clerk"])
    assert table.match is not None
    brought, _ = import_match(table.match, "anne", AT)
    assert results_of(brought) == []
    assert results_of(table_of("batavia", [ANNE, BRUNO, "clerk"])) == []


def test_results_are_written_with_the_end_and_once(database: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        id = await played(made, "marco_polo", anne.sits, bruno.sits, "clerk")
        table = (await made.tables.find(id)).table
        assert found(made.server.store, anne.id) + found(made.server.store, bruno.id) == results_of(table)
        assert made.server.store.results.missing() == []
        await asyncio.to_thread(made.server.results.delete, anne.id, id)
        made.server.store.results.add(results_of(table))
        assert found(made.server.store, anne.id) == [], "what is deleted does not come back"
        await bruno.post(f"/tables/{id}/rematch")
        assert len(found(made.server.store, bruno.id)) == 1

    in_app(database, work)


@pytest.mark.parametrize("name", ["schema-1", "schema-2"])
def test_matches_that_were_stored_before_count(name: str, tmp_path: Path) -> None:
    async def work(made: AppHarness) -> None:
        async with asyncio.timeout(PATIENCE):
            while made.server.store.results.missing():
                await asyncio.sleep(0.02)
        anne = as_anne(made)
        ids = {one.table_id for one in found(made.server.store, "anne")}
        assert ids == {f"{game}-finished" for game in registry.names()}
        shown = (await anne.get("/me/games")).text
        assert all(f"/replay/{id}" in shown for id in ids)
        for id in ids:
            assert results_of((await made.tables.find(id)).table)[0] in found(made.server.store, "anne")

    in_app(restore(name, tmp_path / "comptoir.sqlite"), work)


def test_results_outlive_a_change_of_rules(lite: str, other_rules: Callable[[], None]) -> None:  # noqa: F811
    ids: list[str] = []
    shown: list[str] = []
    who: list[Client] = []

    async def play(made: AppHarness) -> None:
        anne = made.person("Anne")
        who.append(anne)
        ids.append(await played(made, "marco_polo", anne.sits, "clerk", "clerk"))
        await made.tables.archiver.archive((await made.tables.find(ids[0])).table)
        shown.append((await anne.get("/me/games")).text)
        shown.append((await anne.get("/me/statistics")).text)

    async def look(made: AppHarness) -> None:
        anne = as_before(made, who[0])
        assert plain(await anne.get("/me/games")) == plain(shown[0])
        assert plain(await anne.get("/me/statistics")) == plain(shown[1])

    in_app(lite, play)
    other_rules()
    in_app(lite, look)


def as_before(made: AppHarness, before: Client) -> Client:
    """The same person, in another process."""
    caller = made.person(before.name)
    caller.id, caller.token, caller.cookies = before.id, before.token, before.cookies
    return caller


def plain(answer: httpx.Response | str) -> str:
    """The words of a page; times aside."""
    text = answer if isinstance(answer, str) else answer.text
    text = re.sub(r"(?s)<(script|head|svg).*?</\1>|<[^>]+>", " ", text)
    return re.sub(r"just now|\d+ min ago|\s+", " ", text)


# Lists


def test_a_list_is_filtered_paged_and_mine(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        ids = [await played(made, "marco_polo", anne.sits, "clerk", seed=seed) for seed in range(21)]
        both = await played(made, "marco_polo", anne.sits, bruno.sits)
        other = await played(made, "batavia", anne.sits, "clerk", "captain")
        first, second = (await anne.get("/me/games")).text, (await anne.get("/me/games?page=2")).text
        listed = [re.findall(r'href="/replay/([^"]+)"', text) for text in (first, second)]
        assert listed[0] + listed[1] == [other, both, *reversed(ids)]
        assert len(listed[0]) == 20
        alone = (await anne.get("/me/games?game=marco_polo&opponents=bots")).text
        assert both not in alone
        assert other not in alone
        assert "21 games" in alone
        assert (
            '<a class="button" rel="next" href="/me/games?game=marco_polo&amp;opponents=bots&amp;page=2">'
            in alone
        )
        assert both in (await anne.get("/me/games?opponents=people")).text
        assert (await anne.get("/me/games?game=marco_polo&company=alone")).text == alone, "an old link"
        assert both in (await anne.get("/me/games?company=people")).text
        theirs = (await bruno.get("/me/games")).text
        assert re.findall(r'href="/replay/([^"]+)"', theirs) == [both]
        assert (await made.person().get("/me/games")).status_code == 200

    in_app(lite, work)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_bad_input_is_answered_in_a_sentence(lite: str, lang: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        anne.cookies["lang"] = bruno.cookies["lang"] = lang
        id = await played(made, "marco_polo", bruno.sits, "clerk")
        for path, status in {
            "/me/games?game=chess": 422,
            "/me/games?opponents=cats": 422,
            "/me/games?company=cats": 422,
            "/me/games?page=2": 404,
            "/me/games?page=0": 404,
            "/me/games?page=-1": 404,
            "/me/games?page=٣": 404,
            "/me/games?page=9999999999": 404,
            "/me/games.zip": 404,
            "/me/games.zip?game=%00": 422,
            "/api/me/results?game=chess": 422,
            "/api/me/results?page=2": 404,
            "/api/me/results?page=x": 422,
            f"/tables/{id}/board.svg": 404,
            "/tables/nosuch/board.svg": 404,
        }.items():
            answer = await anne.get(path)
            assert answer.status_code == status, path
            assert "Traceback" not in answer.text
        answers = {
            plain(await anne.post(f"/me/games/{one}/delete")) for one in (id, "nosuch", "%00", "a" * 200)
        }
        assert len(answers) == 1, "nothing is said of what is another's"
        boards = {plain(await anne.get(f"/tables/{one}/board.svg")) for one in (id, "nosuch")}
        assert len(boards) == 1
        assert len(found(made.server.store, bruno.id)) == 1
        assert (await anne.ask("POST", "/me/games/delete", data={"token": "forged"})).status_code == 403
        assert (await anne.ask("POST", "/me/delete", data={"token": bruno.token})).status_code == 403

    in_app(lite, work)


def test_the_interface_gives_the_same_list(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        id = await played(made, "century", anne.sits, "clerk")
        answer = (await anne.get("/api/me/results?opponents=bots")).json()
        assert (answer["page"], answer["pages"], answer["total"]) == (1, 1, 1)
        replay = (await anne.get(f"/api/replays/{id}")).json()
        (one,) = answer["results"]
        assert one["score_sheet"] == replay["score_sheet"]
        assert (one["names"], one["points"]) == (replay["names"], replay["scores"][0])
        assert one["counts"]
        assert one["counts_for_ladder"]
        assert (await anne.get("/api/me/results?opponents=people")).json()["results"] == []
        assert not {"person", anne.id} & set(json.dumps(answer).split('"'))

    in_app(lite, work)


# Files


@pytest.mark.slow
def test_an_export_can_be_brought_back(lite: str) -> None:
    """Each match in it is the match, whether it was kept already or has just ended."""

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        ids = [
            await played(made, name, anne.sits, "clerk", bruno.sits, seed=seed)
            for seed, name in enumerate(registry.names())
        ]
        await made.tables.archiver.archive((await made.tables.find(ids[0])).table)
        answer = await anne.get("/me/games.zip")
        assert answer.headers["content-type"] == "application/zip"
        assert "attachment" in answer.headers["content-disposition"]
        with zipfile.ZipFile(io.BytesIO(answer.content)) as file:
            assert file.testzip() is None
            texts = {name: file.read(name) for name in file.namelist()}
        assert len(texts) == len(ids)
        for id in ids:
            (text,) = (text for name, text in texts.items() if id in name)
            table = (await made.tables.find(id)).table
            assert text.decode() == match_text(table)
            match = matchfile.parse(text.decode())
            assert table.match is not None
            assert (match.played, match.scores()) == (table.match.played, table.match.scores())
            form = {"data": {"token": bruno.token}, "files": {"match": ("one.match", text)}}
            brought = await bruno.ask("POST", "/replay", **form)
            assert brought.status_code == 303
            assert (await bruno.get(brought.headers["location"])).status_code == 200
        some = await anne.get(f"/me/games.zip?game={registry.names()[0]}")
        with zipfile.ZipFile(io.BytesIO(some.content)) as file:
            assert len(file.namelist()) == 1

    in_app(lite, work)


def test_exports_are_counted(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        await played(made, "marco_polo", anne.sits, "clerk")
        answers = [(await anne.get("/me/games.zip")).status_code for _ in range(7)]
        assert answers == [200] * 5 + [429] * 2

    in_app(lite, work, limits=True)


# Statistics


@pytest.mark.slow
def test_statistics_are_what_the_tables_say(lite: str) -> None:
    """Counted here from the events of all tables, without the results that are stored."""

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        chance, ids = random.Random(5), []
        for seed in range(24):
            name = chance.choice(registry.names())
            others: list[Any] = [
                chance.choice([bruno.sits, "clerk", "merchant"]),
                chance.choice(["clerk", "captain"]),
            ]
            least = get_game(name).rules.PLAYERS[0]
            seating = [anne.sits, *others][: chance.randint(least, 3)]
            ids.append(await played(made, name, *seating, seed=seed))
        await asyncio.to_thread(made.server.results.delete, anne.id, ids.pop())
        counted = statistics(made.server.results.counted(anne.id))
        mine: Counter[Any] = Counter()
        for id in ids:
            table = from_events(id, made.server.store.events.read(id))
            match, bots = table.match, [held.level for held in table.seats if held.level]
            assert match is not None
            against = min(bots, key=list(LEVELS).index) if len(bots) == table.players - 1 else "people"
            name = table.settings.game
            for key in ((name,), (name, table.players), (name, against)):
                mine[(*key, "played")] += 1
                mine[(*key, "won")] += 0 in match.winners()
                mine[(*key, "shared")] += 0 in match.winners() and len(match.winners()) > 1
                mine[(*key, "points")] += match.scores()[0]
            for source, row in match.score_sheet().points.items():
                mine[name, "source", source] += row[0] or 0
        assert set(counted) == {key[0] for key in mine}
        for name, one in counted.items():
            tallies: dict[Any, WinRecord] = {(): one.whole} | {
                (n,): tally for n, tally in one.players.items()
            }
            tallies |= {(who,): tally for who, tally in one.against.items()}
            for which, tally in tallies.items():
                assert {what: mine[(name, *which, what)] for what in vars(tally)} == vars(tally)
            assert {source: mine[name, "source", source] for source in one.sources} == one.sources
            assert sum(one.sources.values()) == one.whole.points
        shown = (await anne.get("/me/statistics")).text
        for one in counted.values():
            assert f"<dd>{one.whole.played}</dd>" in shown

    in_app(lite, work)


# The ladder


def test_a_step_takes_wins_against_that_level_or_higher() -> None:
    assert [step.level for step in ladder({})] == list(LEVELS)
    assert next_step(ladder({})) == ladder({})[0]
    steps = ladder({"clerk": WINS, "captain": 1})
    assert [step.wins for step in steps] == [WINS + 1, WINS + 1, 1, 1, 0]
    assert [step.climbed for step in steps] == [True, True, False, False, False]
    assert next_step(steps) == steps[2]
    assert next_step(ladder({STEPS[-1]: WINS})) is None


def test_the_ladder_is_climbed(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        names = registry.names()
        assert (await anne.get("/me")).text.count('class="next"') == len(names)
        seed, won = 0, 0
        while won < WINS:  # by chance
            id = await played(made, "marco_polo", anne.sits, "merchant", "captain", seed=seed)
            match = (await made.tables.find(id)).table.match
            assert match is not None
            won, seed = won + (0 in match.winners()), seed + 1
            assert made.server.results.wins(anne.id).get("marco_polo", {}).get("merchant", 0) == won
        page = (await anne.get("/me")).text
        climb = page[page.index('name="game" value="marco_polo"') :].partition("</form>")[0]
        assert climb.count('class="climbed"') == 3
        assert '<button class="main" name="level" value="captain"' in climb
        made_now = await anne.post("/play", game="marco_polo", level="captain")
        table = (await made.tables.find(made_now.headers["location"].rpartition("/")[2])).table
        assert {held.level for held in table.seats} == {None, "captain"}
        await anne.post("/me/games/delete")
        assert (await anne.get("/me")).text.count('class="next"') == len(names)

    in_app(lite, work)


def test_a_hint_taken_alone_is_kept(lite: str) -> None:
    """Once a match; the page that asked goes on."""

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = await made.make("marco_polo", anne.sits, "passer-by")
        async with asyncio.timeout(PATIENCE):
            while live.table.turn != 0 or live.table.bot:
                await asyncio.sleep(0.01)
        socket = await anne.socket(live.table.id)
        for _ in range(2):
            assert (await socket.ask("hint"))["type"] == "hint"
        assert live.table.hint_takers == {anne.id}
        kinds = [event.kind for event in made.server.store.events.read(live.table.id)]
        assert kinds.count("hint") == 1

    in_app(lite, work)


# The home page


@pytest.mark.parametrize("lang", LANGUAGES)
def test_running_games_come_first_at_home(lite: str, lang: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno, stranger = made.person("Anne"), made.person("Bruno"), made.person()
        for one in (anne, bruno, stranger):
            one.cookies["lang"] = lang
        table = await began(made, "marco_polo", anne.sits, bruno.sits)
        over = await played(made, "marco_polo", anne.sits, bruno.sits)
        turn = [anne, bruno][table.turn or 0]
        for one in (anne, bruno):
            page = (await one.get("/")).text
            assert page.index('id="mine"') < page.index('class="hero"')
            assert f'href="/tables/{table.id}"' in page
            assert f'href="/tables/{over}"' not in page
            assert ('class="yours"' in page) == (one is turn)
            source = re.search(r'src="(/tables/[^"]+/board.svg[^"]*)"', page)
            assert source is not None
            picture = await one.get(source[1])
            assert picture.headers["content-type"] == "image/svg+xml"
            assert "immutable" in picture.headers["cache-control"]
            assert "<text" not in picture.text
            assert "no-store" in (await one.get(source[1] + "x")).headers["cache-control"]
        page = (await stranger.get("/")).text
        assert 'id="mine"' not in page
        assert "/me/games" not in page

    in_app(lite, work)


@pytest.mark.parametrize("name", SECRETIVE[::2])
def test_a_small_board_tells_nothing_hidden(name: str) -> None:
    others = 0
    for seed in range(6):
        chance = random.Random(seed)
        table = play_on(table_of(name, [ANNE, BRUNO, "clerk"], seed=f"{seed:032x}"), 4 + 9 * seed, chance)
        if table.turn is None:
            continue
        for viewer in (0, 1, None):
            other = redealt(table, viewer, seed)
            others += is_other(table, other)
            for lang in LANGUAGES:
                assert small_board(TablePresenter(table), lang) == small_board(TablePresenter(other), lang)
    assert others > 3


# Deleting


def test_one_game_or_all_are_deleted_from_my_list_alone(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        one, two = [await played(made, "marco_polo", anne.sits, bruno.sits, seed=seed) for seed in (1, 2)]
        assert (await anne.post(f"/me/games/{one}/delete")).status_code == 303
        assert [result.table_id for result in found(made.server.store, anne.id)] == [two]
        assert (await anne.post("/me/games/delete")).status_code == 303
        assert found(made.server.store, anne.id) == []
        assert len(found(made.server.store, bruno.id)) == 2
        assert (await bruno.get(f"/replay/{one}")).status_code == 200

    in_app(lite, work)


NAME = "Anne-Zéphyrine"


async def everything(made: AppHarness, caller: Client, ids: list[str]) -> dict[str, str]:
    """All that anybody can read about some tables."""
    pages = ["/", "/me", "/me/games", "/me/statistics", "/api/me/results"]
    for id in ids:
        pages += [f"/tables/{id}", f"/replay/{id}", f"/replay/{id}?at=3", f"/replay/{id}?seat=1"]
        pages += [f"/replay/{id}/match.txt", f"/api/tables/{id}", f"/api/replays/{id}"]
    got = {path: (await caller.get(path)).text for path in pages}
    zipped = await caller.get("/me/games.zip")
    if zipped.status_code == 200:
        with zipfile.ZipFile(io.BytesIO(zipped.content)) as file:
            got["zip"] = "".join(file.read(name).decode() for name in file.namelist())
    for id in ids:
        socket = await caller.socket(id)
        got[f"socket {id}"] = "".join(socket.got)
        await socket.close()
    return got


def test_nothing_names_who_has_deleted_themselves(database: str) -> None:
    """Not at the table that is open, nor after a restart, nor under other rules, nor in another's files."""
    ids: list[str] = []
    who: list[Client] = []

    async def delete(made: AppHarness) -> None:
        anne, bruno = made.person(NAME), made.person("Bruno")
        await anne.post("/me", name=NAME)
        await anne.post("/me/hours", start="08:00", end="20:00", zone="Europe/Paris")
        over = await played(made, "batavia", anne.sits, bruno.sits, "clerk")
        kept = await played(made, "marco_polo", anne.sits, (bruno.id, f"{NAME} 2"), "clerk")
        for id in (over, kept):
            await made.tables.archiver.archive((await made.tables.find(id)).table)
        on = (await began(made, "marco_polo", anne.sits, bruno.sits, open=True)).id
        await end(made, (await made.tables.find(on)).table, most=6)
        waiting = (await began(made, "batavia", anne.sits, "", bruno.sits, open=True)).id
        ids.extend((over, kept, on, waiting))
        who.append(bruno)
        await made.tables.chat.post(
            await made.tables.find(on), ChatMessage(0, 0, anne.id, NAME, "hello", "", 0.0)
        )
        before = await everything(made, bruno, ids)
        assert all(NAME in before[f"/tables/{id}"] for id in ids)
        watching = await bruno.socket(on)
        own = await anne.socket(on)
        answer = await anne.post("/me/delete")
        assert answer.status_code == 303
        assert f'{COOKIE}=""' in answer.headers["set-cookie"]
        await watching.until(made.tables.in_use[on].table.version)
        assert NAME not in json.dumps(watching.last_view)
        async with asyncio.timeout(PATIENCE):
            await own.task
        held = made.tables.in_use[on].table.seats[0]
        assert (held.name, held.person, held.level) == (nameless(0), None, "merchant")
        assert made.tables.in_use[waiting].table.seats[0].free
        await nobody(made, anne)
        await unnamed(made, bruno)

    async def nobody(made: AppHarness, anne: Client) -> None:
        """The cookie is dead, on every device; and nothing of its person is stored."""
        other = Client(made, NAME)
        other.id, other.cookies = anne.id, {COOKIE: made.server.tokens.sign(anne.id), "lang": "en"}
        for caller in (anne, other):
            assert NAME not in (await caller.get("/me")).text
            assert (await caller.post("/me", name="Back")).status_code == 403
        store = made.server.store
        assert store.people.find(anne.id) is None
        assert store.people.hours(anne.id) is None
        assert store.tables.ids_of(anne.id) == []
        assert found(store, anne.id) == []
        assert store.sessions.sessions_of(anne.id, 0) == []
        with store.database.engine.connect() as connection:
            for table in (
                *("people", "hours", "sitters", "results", "subscriptions", "addresses"),
                *("sayings", "mutes"),
            ):
                rows = connection.execute(sa.text(f"SELECT * FROM {table}")).all()
                assert anne.id not in repr(rows), table
            assert NAME not in repr(connection.execute(sa.text("SELECT name FROM sayings")).all())
            assert NAME not in repr(connection.execute(sa.text("SELECT names FROM tables")).all()).replace(
                f"{NAME} 2", ""
            )
            sits = connection.execute(sa.text("SELECT text FROM events WHERE kind = 'sit'")).all()
            assert (NAME,) not in [tuple(one) for one in sits]
            sessions = connection.execute(
                sa.text("SELECT id FROM sessions WHERE person = :p"), {"p": anne.id}
            ).all()
            assert [tuple(one) for one in sessions] == [(ALL_SESSIONS,)]

    async def unnamed(made: AppHarness, bruno: Client) -> None:
        got = await everything(made, as_before(made, bruno), ids)
        for path, text in got.items():
            assert NAME not in text.replace(f"{NAME} 2", ""), path
        assert nameless(0) in got[f"/replay/{ids[0]}"]
        assert f"{NAME} 2" in got[f"/replay/{ids[1]}"], "another's name stays"

    async def look(made: AppHarness) -> None:
        await unnamed(made, who[0])

    in_app(database, delete)
    in_app(database, look)


def test_a_kept_match_names_nobody_who_is_deleted(other_rules: Callable[[], None], lite: str) -> None:  # noqa: F811
    ids: list[str] = []
    people: list[Client] = []

    async def play(made: AppHarness) -> None:
        anne, bruno = made.person(NAME), made.person("Bruno")
        people.extend((anne, bruno))
        for seed in (1, 2):
            ids.append(await played(made, "batavia", anne.sits, bruno.sits, "clerk", seed=seed))
            await made.tables.archiver.archive((await made.tables.find(ids[-1])).table)

    async def delete(made: AppHarness) -> None:
        bruno = as_before(made, people[1])
        live = await made.tables.find(ids[0])  # one is open, the other is not
        assert isinstance(live.table.match, ArchivedMatch)
        assert NAME in (await bruno.get(f"/replay/{ids[0]}")).text
        await delete_person(made.server, people[0].id)
        await made.settle()
        for _ in range(2):
            for id in ids:
                for path in (
                    f"/replay/{id}",
                    f"/api/replays/{id}",
                    f"/replay/{id}/match.txt",
                    f"/tables/{id}",
                ):
                    answer = await bruno.get(path)
                    assert answer.status_code == 200
                    assert NAME not in answer.text
                    assert nameless(0) in answer.text
            made.tables.in_use.clear()

    in_app(lite, play)
    other_rules()
    in_app(lite, delete)


def test_another_process_shows_the_name_no_more(database: str) -> None:
    if not database.startswith("postgresql"):
        pytest.skip("SQLite serves one process")

    async def run() -> None:
        async with asyncio.timeout(60), running_app(database) as one, running_app(database) as two:
            anne, bruno = one.person(NAME), one.person("Bruno")
            over = await played(one, "marco_polo", anne.sits, bruno.sits)
            on = (await began(one, "marco_polo", anne.sits, bruno.sits)).id
            there = as_before(two, bruno)
            for id in (over, on):
                assert NAME in (await there.get(f"/tables/{id}")).text
            socket = await as_before(two, anne).socket(on)
            await anne.post("/me/delete")
            await socket.task
            for id in (over, on):
                while NAME in (await there.get(f"/tables/{id}")).text:
                    await asyncio.sleep(0.02)
            assert (await as_before(two, anne).post("/me", name="Back")).status_code == 403

    asyncio.run(run())


def test_what_a_stopped_server_has_left_is_deleted_at_the_next_start(lite: str) -> None:
    ids: list[str] = []

    async def half(made: AppHarness) -> None:
        anne = made.person(NAME)
        ids.append((await began(made, "marco_polo", anne.sits, ("bruno", "Bruno"))).id)
        await made.server.sessions.delete(anne.id)
        assert made.server.store.people.half_deleted() == [anne.id]

    async def rest(made: AppHarness) -> None:
        assert made.server.store.people.half_deleted() == []
        assert NAME not in (await made.person().get(f"/tables/{ids[0]}")).text
        await finish_deleting(made.server)

    in_app(lite, half)
    in_app(lite, rest)


def test_a_name_is_taken_out_of_a_kept_match_and_no_other() -> None:
    table = finished("batavia", [("anne", "Ann"), ("bruno", "Ann 2"), ("chloe", "Anna")])
    assert table.match is not None
    archive = archive_match(table.match)
    without = ArchivedMatch(without_names(archive, [0]))
    assert without.names == [nameless(0), "Ann 2", "Anna"]
    told = json.dumps([without.told, without.retold], ensure_ascii=False)
    assert not re.search(r"\bAnn\b(?! 2)", told)
    assert "Ann 2" in told
    assert "Anna" in told
    assert f"seat 0     {nameless(0)}\n" in archived_match_text(without_names(archive, [0]))
    assert archived_match_text(archive) == match_text(table)
    assert ArchivedMatch(without_names(archive, [])).names == table.match.names


def test_the_file_of_a_kept_match_is_made_without_its_positions() -> None:
    """They are nearly all of it, and reading them stops everyone; unless something else has their name."""
    table = play_on(table_of("century", [("a", "Anne"), ("b", "Bruno")], seed="1"), 10_000, random.Random(1))
    assert table.match is not None
    archive = archive_match(table.match)
    whole = zlib.decompress(archive.content)
    assert whole.decode() == json.dumps(json.loads(whole), ensure_ascii=False, separators=(",", ":"))
    head, mark, _ = whole.partition(b',"positions":[')
    cut = dataclasses.replace(archive, content=zlib.compress(head + mark + b"not JSON"))
    assert archived_match_text(cut) == archived_match_text(archive) == match_text(table)
    odd = whole.replace(b'"options":{', b'"options":{"x":1,"positions":[1],', 1)
    found = json.loads(odd)["options"]
    assert found["positions"] == [1]
    named = whole.replace(b'"names":[', b'"names":["x",', 1).replace(b'"x",', b'"},\\"positions\\":[",', 1)
    assert (
        b"positions"
        in archived_match_text(dataclasses.replace(archive, content=zlib.compress(named))).encode()
    )
    assert read_header(dataclasses.replace(archive, content=zlib.compress(odd)))["options"] == found
