"""Manners before the start: who is sent away, a table that is closed, one seat each, what a list shows, and a
rematch in which another begins.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.web.domain import decide, queries
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.rematch import rematch
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.http.pages import ABSENT_CREATOR_SECONDS
from comptoir.web.limits import PERSON_OPEN_TABLES
from comptoir.web.live import sockets
from comptoir.web.page_words import page_words
from comptoir.web.storage.session_store import SessionInfo
from comptoir.web.storage.store import Store
from comptoir.web.storage.table_index import FIRST_LISTED
from comptoir.web.view.settings_summary import settings_summary
from tests.web.app_harness import NOW, AppHarness, in_app, table_of


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def waiting(players: int = 3, **settings: Any) -> Table:
    """Anne's table, with nobody at it."""
    options = get_game("century").read_options(players)
    made = TableSettings("century", options, "seed", creator="anne", **settings)
    return from_events("table", [Event(1, "made", None, "anne", made.text(), 1.0)])


def done(table: Table, event: Event) -> Table:
    return evolve(table, event)


# Sending somebody away


def test_who_is_removed_does_not_sit_down_again() -> None:
    table = waiting(open=False)
    for seat, person in enumerate(("anne", "bruno", "bruno")):
        table = done(table, decide.sit(table, NOW, person, seat, person))
    with pytest.raises(Forbidden):
        decide.remove(table, NOW, "bruno", 0)
    with pytest.raises(Refused):
        decide.remove(table, NOW, "anne", 0)  # oneself
    table = done(table, decide.remove(table, NOW, "anne", 2))
    assert [held.person for held in table.seats] == ["anne", None, None]  # from all their seats
    with pytest.raises(Forbidden):
        decide.sit(table, NOW, "bruno", 1, "Bruno")
    table = done(table, decide.sit(table, NOW, "chloé", 1, "Chloé"))
    again = from_events("table", [Event(1, "made", None, "anne", table.settings.text(), 1.0)])
    assert again.removed == frozenset()


def test_a_bot_is_sent_away_by_the_maker() -> None:
    table = waiting()
    table = done(table, decide.seat_bot(table, NOW, "anne", 1, "clerk"))
    with pytest.raises(Refused):
        decide.remove(table, NOW, "anne", 1)
    table = done(table, decide.stand_up(table, NOW, "anne", 1))
    assert table.seats[1].free


def test_after_the_start_nobody_is_sent_away() -> None:
    table = waiting()
    for seat, person in enumerate(("anne", "bruno", "chloé")):
        table = done(table, decide.sit(table, NOW, person, seat, person))
    table = done(table, decide.begin(table, NOW, "anne"))
    with pytest.raises(Refused):
        decide.remove(table, NOW, "anne", 1)
    with pytest.raises(Refused):
        decide.cancel(table, NOW, "anne")


def test_who_is_removed_is_told_so(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits, "", open=True)
        socket = await bruno.socket(live.table.id)
        refused = await bruno.post(f"/tables/{live.table.id}/remove", seat="0")
        assert refused.status_code == 403
        answer = await anne.post(f"/tables/{live.table.id}/remove", seat="1")
        assert answer.status_code == 303
        view = await socket.until(live.table.version)
        sentence = page_words(None, "en").say("lobby.removed")
        assert sentence in html.unescape(view["parts"]["notice"])
        assert "/sit" not in view["parts"]["notice"]
        again = await bruno.post(f"/tables/{live.table.id}/sit", seat="1", name="Bruno")
        assert again.status_code == 403
        assert page_words(None, "en").say("refuse.removed") in again.text
        assert live.table.id not in (await bruno.get("/me")).text  # it is none of theirs any more

    in_app(lite, work)


# Closing


def test_the_maker_closes_a_table_and_all_are_told(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno, stranger = (made.person(name) for name in ("Anne", "Bruno", "Stranger"))
        live = await made.make("century", anne.sits, bruno.sits, "", open=True)
        assert live.table.id in (await stranger.get("/")).text
        socket = await bruno.socket(live.table.id)
        assert (await bruno.post(f"/tables/{live.table.id}/close")).status_code == 403
        assert (await anne.post(f"/tables/{live.table.id}/close")).status_code == 303
        view = await socket.until(live.table.version)
        assert page_words(None, "en").say("closed.maker") in html.unescape(view["parts"]["notice"])
        assert "/rematch" not in view["parts"]["notice"]
        assert live.table.id not in (await stranger.get("/")).text
        for what in ("sit", "begin", "rematch", "close"):
            answer = await anne.post(f"/tables/{live.table.id}/{what}", seat="2", name="Anne")
            assert answer.status_code in (403, 409)
        events = await made.tables.in_store(made.tables.store.events.read, live.table.id)
        assert from_events(live.table.id, events).closed == "maker"  # after a restart, too

    in_app(lite, work)


# One seat each


@pytest.mark.parametrize(
    ("settings", "person", "allowed"),
    [
        ({"open": True}, "bruno", False),
        ({"open": True, "multiple_seats": True}, "bruno", True),
        ({"open": True}, "anne", True),
        ({"open": False}, "bruno", True),
    ],
)
def test_of_an_open_table_everyone_takes_one_seat(
    settings: dict[str, bool], person: str, allowed: bool
) -> None:
    table = waiting(**settings)
    table = done(table, decide.sit(table, NOW, person, 0, person))
    assert queries.may_sit(table, person) is allowed
    if allowed:
        decide.sit(table, NOW, person, 1, "another")
    else:
        with pytest.raises(Refused, match="one_seat"):
            decide.sit(table, NOW, person, 1, "another")
        table = done(table, decide.stand_up(table, NOW, person, 0))
        decide.sit(table, NOW, person, 1, person)  # elsewhere instead


def test_the_form_and_the_interface_set_it(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        fields = {"game": "century", "players": "2", "seat0": "me", "seat1": "link", "clock": "0"}
        answer = await anne.post("/tables", **fields, open="yes", multiple_seats="yes", chat="yes")
        table = (await made.tables.find(answer.headers["location"].split("/")[2])).table
        assert (table.settings.multiple_seats, table.settings.chat) == (True, True)
        wish = {"game": "century", "seats": ["me", "free"], "open": True, "chat": True}
        made_by = (await anne.ask("POST", "/api/tables", json=wish)).json()["id"]
        table = (await made.tables.find(made_by)).table
        assert (table.settings.multiple_seats, table.settings.chat) == (False, True)

    in_app(lite, work)


# What is known before sitting down


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_terms_of_every_game_can_be_told(name: str, lang: str) -> None:
    for players in range(get_game(name).rules.PLAYERS[0], get_game(name).rules.PLAYERS[1] + 1):
        settings = TableSettings(
            name, get_game(name).read_options(players), "seed", creator="anne", open=True
        )
        table = from_events("table", [Event(1, "made", None, "anne", settings.text(), 1.0)])
        told = settings_summary(table, page_words(name, lang))
        assert all(label and value for label, value in told)
        assert len({label for label, _ in told}) == len(told)


def test_a_level_whose_network_does_not_know_the_components_says_so(lite: str) -> None:
    """In the lobby and at the table; with the usual components it is itself."""
    own = json.loads(json.dumps(get_game("century").components.tables))
    own["vp"]["points"][0] += 1

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        for lang, said in (
            ("en", "captain (not trained on these components)"),
            ("fr", "capitaine (n’a pas appris avec ce matériel)"),
        ):
            anne.cookies["lang"] = lang
            for seating in ((anne.sits, "captain", ""), (anne.sits, "captain", "clerk")):
                usual = await made.make("century", *seating)
                changed = await made.make("century", *seating, components=own)
                pages = [(await anne.get(f"/tables/{live.table.id}")).text for live in (usual, changed)]
                assert [said in page for page in pages] == [False, True]
        assert ("Bots", "captains and admirals were not trained on these components") in [
            (label, value.split(";")[0])
            for label, value in settings_summary(changed.table, page_words("century", "en"))
        ]

    in_app(lite, work)


def test_who_comes_sees_how_it_is_played_and_who_sits_there(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = await made.make(
            "century", anne.sits, "captain", "", open=True, clock=180, no_hints=True, chat=True
        )
        page = re.sub(r"<[^>]+>", " ", (await made.person().get(f"/tables/{live.table.id}")).text)
        page = " ".join(page.split())
        for said in (
            "Time 3 minutes per turn, 6 minutes in reserve",
            "Hints no",
            "Table talk phrases and free chat",
            "Seats one per person",
            "First player random",
            "Anne",
            "captain",
        ):
            assert said in page

    in_app(lite, work)


# The list


def test_one_click_makes_a_table_for_friends(lite: str) -> None:
    """The other seats are free, whoever has the link may sit and write, and nobody else finds the table."""

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        answer = await anne.post("/invite", game="century")
        path = answer.headers["location"]
        page = (await anne.get(path)).text
        assert f'data-copy="{path}"' in page
        assert f'src="{path}/qr.svg"' in page
        table = (await made.tables.find(path.split("/")[-1])).table
        assert table.seats_of(anne.id) == [0]
        assert [held.free for held in table.seats] == [False, True, True, True]
        assert table.settings.chat
        assert not table.settings.open
        assert (await bruno.post(f"{path}/sit", seat="1")).status_code == 303
        assert path not in (await made.person("Eve").get("/")).text

    in_app(lite, work)


def listed(page: str) -> list[str]:
    return re.findall(r'href="/tables/([^"]+)"', page)


def test_nobody_fills_the_list_alone(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        chloé, stranger = made.person("Chloé"), made.person()
        first = await made.make("century", chloé.sits, "", open=True)
        anne = made.person("Anne")
        many = [await made.make("century", anne.sits, "", open=True) for _ in range(9)]
        found = listed((await stranger.get("/")).text)
        newest = [live.table.id for live in reversed(many)]
        assert found[: FIRST_LISTED + 1] == [*newest[:FIRST_LISTED], first.table.id]
        assert found[FIRST_LISTED + 1 :] == newest[FIRST_LISTED:7]

    in_app(lite, work)


def test_one_person_has_only_so_many_open_tables(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        wish = {"game": "century", "seats": ["me", "free"], "open": True}
        ids = []
        for _ in range(PERSON_OPEN_TABLES):
            answer = await anne.ask("POST", "/api/tables", json=wish)
            ids.append(answer.json()["id"])
        for refused in (
            await anne.ask("POST", "/api/tables", json=wish),
            await anne.post(
                "/tables", game="century", players="2", seat0="me", seat1="link", clock="0", open="yes"
            ),
        ):
            assert refused.status_code == 409
            assert f"You already have {PERSON_OPEN_TABLES} open tables" in refused.text
        closed = wish | {"open": False}
        full = wish | {"seats": ["me", "passer-by"]}
        for allowed in (closed, full):
            assert (await anne.ask("POST", "/api/tables", json=allowed)).status_code == 201
        await anne.post(f"/tables/{ids[0]}/close")
        assert (await anne.ask("POST", "/api/tables", json=wish)).status_code == 201

    in_app(lite, work)


def test_a_table_whose_maker_is_gone_is_not_listed(store: Store) -> None:
    now = time.time()
    for person, at in (
        ("anne", now - 2 * ABSENT_CREATOR_SECONDS),
        ("bruno", now - 2 * ABSENT_CREATOR_SECONDS),
        ("chloé", now - ABSENT_CREATOR_SECONDS / 2),
    ):
        options = waiting(open=True).settings.options
        settings = TableSettings("century", options, "seed", creator=person, open=True)
        event = Event(1, "made", None, person, settings.text(), at)
        table = from_events(person, [event])
        store.events.append(person, [event], table.row())
    assert [row.id for row in store.tables.open(now - ABSENT_CREATOR_SECONDS)] == ["chloé"]
    for person in ("anne", "bruno"):
        sits = done(
            from_events(person, store.events.read(person)),
            Event(2, "sit", 0, person, person, now - 2 * ABSENT_CREATOR_SECONDS),
        )
        store.events.append(
            person, [Event(2, "sit", 0, person, person, now - 2 * ABSENT_CREATOR_SECONDS)], sits.row()
        )
        store.sessions.note(
            SessionInfo(person, "s", "", now - ABSENT_CREATOR_SECONDS / 3, now - ABSENT_CREATOR_SECONDS / 3),
            0.0,
        )
    assert {row.id for row in store.tables.open(now - ABSENT_CREATOR_SECONDS)} == {
        "anne",
        "bruno",
        "chloé",
    }  # they are back
    store.sessions.end("bruno", ["s"], now)
    assert {row.id for row in store.tables.open(now - ABSENT_CREATOR_SECONDS)} == {"anne", "chloé"}


def test_a_maker_who_waits_at_the_table_is_here(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An open page shows now and then that it is there, though it asks for nothing."""

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = await made.make("century", anne.sits, "", open=True)
        socket = await anne.socket(live.table.id)
        session = made.server.tokens.read(anne.cookies["comptoir"])
        assert session is not None
        store, long_ago = made.server.store, time.time() - 2 * ABSENT_CREATOR_SECONDS
        store.sessions.note(SessionInfo(anne.id, session.id, "", long_ago, long_ago), 0.0)
        monkeypatch.setattr(sockets, "LAST_USED_RESOLUTION", -1.0)
        socket.send(type="ping")
        while (seen := store.sessions.find(anne.id, session.id)) is None or seen.seen < time.time() - 60:
            await asyncio.sleep(0.01)

    in_app(lite, work)


# Rematch


def first_of(table: Table) -> int:
    """The seat that was first to decide."""
    assert table.match is not None
    return int(table.match.records[0].turn)


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("first", ["draw", "1"])
def test_in_a_rematch_the_next_seat_begins(name: str, first: str) -> None:
    seating: list[str | tuple[str, str]] = [("a", "Anne"), ("b", "Bruno"), "clerk"]
    options = get_game(name).read_options(3, first=first)
    table = table_of(name, seating, options=options, no_hints=True, chat=True, clock=60)
    begins = [first_of(table)]
    for n in range(3):
        again = rematch(table, "b", f"seed{n}")
        others = {key: value for key, value in again.options.items() if key != "first"}
        assert others == {key: value for key, value in options.items() if key != "first"}
        assert (again.no_hints, again.chat, again.clock, again.creator) == (True, True, 60, "b")
        table = table_of(
            name, seating, options=again.options, seed=again.seed, no_hints=True, chat=True, clock=60
        )
        begins.append(first_of(table))
    assert begins == [(begins[0] + n) % 3 for n in range(4)]


def test_a_rematch_keeps_the_company(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("marco_polo", anne.sits, bruno.sits, chat=True)
        first = first_of(live.table)
        while live.table.turn is not None:
            assert live.table.match is not None
            turn, action = live.table.turn, live.table.match.actions()[0]
            person = live.table.people[turn]
            await made.tables.act(
                live.table.id, partial(decide.play, person=person, seat=turn, action=action)
            )
        refused = await made.person().post(f"/tables/{live.table.id}/rematch")
        assert refused.status_code == 403
        answer = await bruno.post(f"/tables/{live.table.id}/rematch")
        new = (await made.tables.find(answer.headers["location"].split("/")[2])).table
        assert (new.state, new.settings.chat) == ("on", True)
        assert [(held.person, held.name) for held in new.seats] == [anne.sits, bruno.sits]
        assert first_of(new) == 1 - first
        second = await anne.post(f"/tables/{live.table.id}/rematch")
        assert second.headers["location"] == f"/tables/{new.id}"

    in_app(lite, work)
