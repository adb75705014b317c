"""Sessions: each device has one; what is ended, expired or forged opens nothing, and its sockets are closed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from comptoir.time_source import SYSTEM_TIME
from comptoir.web.domain.people import COOKIE, COOKIE_RENEWAL_AGE, LIFETIME, YEAR, Session
from comptoir.web.live.sessions import device_of
from comptoir.web.storage.people_store import Person
from comptoir.web.storage.session_store import SessionInfo
from comptoir.web.storage.store import Store
from tests.manual_time import ManualTime
from tests.web.app_harness import AppHarness, Client, Socket, SocketClosed, in_app, running_app
from tests.web.conftest import Postgres
from tests.web.test_people import first_cookie

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1"


def device(made: AppHarness, person: Client, session: str) -> Client:
    """The same person on a device of its own."""
    other = made.person(person.name)
    other.id, other.token = person.id, person.token
    other.cookies = {COOKIE: made.server.tokens.sign(person.id, session), "lang": "en"}
    return other


async def anne_on_two(made: AppHarness) -> tuple[Client, Client]:
    anne = made.person("Anne")
    made.server.store.people.save(Person(anne.id, "Anne", "en", 1.0))
    desk, phone = device(made, anne, "desk"), device(made, anne, "phone")
    assert (await desk.get("/me", headers={"User-Agent": FIREFOX})).status_code == 200
    assert (await phone.get("/me", headers={"User-Agent": PHONE})).status_code == 200
    return desk, phone


def given(answer: Any) -> str:
    """The cookie that an answer gives; empty if it gives none."""
    found = re.search(rf"{COOKIE}=([^;]+)", answer.headers.get("set-cookie", ""))
    return found[1] if found else ""


async def closed(socket: Socket) -> int:
    """The code with which the server closes it, after what was on its way."""
    try:
        while True:
            await socket.receive()
    except SocketClosed as hung:
        return hung.code


def test_they_are_listed_and_ended_on_the_page_of_oneself(database: str) -> None:
    async def work(made: AppHarness) -> None:
        desk, phone = await anne_on_two(made)
        shown = (await desk.get("/me")).text
        assert "Firefox, Linux</span> <small>this device" in shown
        assert "Safari, iOS</span> <small>last used: just now" in shown
        desk.cookies["lang"] = "fr"
        assert "Mes appareils" in (await desk.get("/me")).text
        answer = await desk.post("/me/sessions", session="phone")
        assert (answer.status_code, answer.headers["location"]) == (303, "/me")
        assert "Safari" not in (await desk.get("/me")).text
        lost = await phone.get("/me")
        assert "Anne" not in lost.text, "the cookie is nobody's any more"
        new = made.server.tokens.read(given(lost))
        assert new is not None
        assert new.person != desk.id

    in_app(database, work)


def test_what_is_ended_can_do_nothing(database: str) -> None:
    """No form, no action by /api, no seat's view; nor does a link help that it made before."""

    async def work(made: AppHarness) -> None:
        desk, phone = await anne_on_two(made)
        live = await made.make("batavia", (desk.id, "Anne"), ("bruno", "Bruno"), ("carla", "Carla"))
        link = re.search(r'value="[^"]*(/me/move/[^"]+)"', (await phone.get("/me")).text)
        assert link is not None
        assert (await phone.get(f"/api/tables/{live.table.id}")).json()["seat"] == 0
        other = made.person()
        assert (await other.get(link[1])).status_code == 200
        await desk.post("/me/sessions", session="phone")
        assert (await phone.get(f"/api/tables/{live.table.id}")).json()["seat"] is None
        assert (await phone.post("/me", name="Mallory")).status_code == 403
        assert (await phone.post(f"/tables/{live.table.id}/leave", seat="0")).status_code == 403
        assert (await other.get(link[1])).status_code == 404
        assert (await other.post(link[1])).status_code == 404
        assert made.server.store.people.find(desk.id) == Person(desk.id, "Anne", "en", 1.0)
        assert (await desk.get(f"/api/tables/{live.table.id}")).json()["seat"] == 0

    in_app(database, work)


def test_its_sockets_are_closed_and_others_stay(database: str) -> None:
    async def work(made: AppHarness) -> None:
        desk, phone = await anne_on_two(made)
        live = await made.make("batavia", (desk.id, "Anne"), ("bruno", "Bruno"), ("carla", "Carla"))
        mine, lost, watching = [await caller.socket(live.table.id) for caller in (desk, phone, made.person())]
        assert lost.parts["hand"] != watching.parts["hand"]
        await desk.post("/me/sessions", others="1")
        assert await closed(lost) == 4401
        await made.settle()
        assert len(live.watchers) == 2
        again = await phone.connect(live.table.id)
        await again.view()
        assert again.last_view["yours"] is False, "by that cookie one only looks on"
        assert again.parts == watching.parts
        assert not mine.task.done()
        assert not watching.task.done()

    in_app(database, work)


def test_other_processes_close_its_sockets_too(postgres: Postgres) -> None:
    url = postgres.new()

    async def work(here: AppHarness) -> None:
        async with running_app(url) as there:
            desk, phone = await anne_on_two(here)
            live = await here.make("batavia", (desk.id, "Anne"), ("bruno", "Bruno"), ("carla", "Carla"))
            lost = await device(there, phone, "phone").socket(live.table.id)
            await desk.post("/me/sessions", session="phone")
            assert await closed(lost) == 4401

    in_app(url, work)


def test_after_a_dead_line_sessions_are_looked_at_again(database: str) -> None:
    async def work(made: AppHarness) -> None:
        desk, phone = await anne_on_two(made)
        live = await made.make("batavia", (desk.id, "Anne"), ("bruno", "Bruno"), ("carla", "Carla"))
        mine, lost = await desk.socket(live.table.id), await phone.socket(live.table.id)
        made.server.store.sessions.end(desk.id, ["phone"], made.server.time_source.time())
        made.server.sessions.on_ended(("", ""))
        assert await closed(lost) == 4401
        assert not mine.task.done()

    in_app(database, work)


def test_one_that_is_ended_while_a_socket_opens_gets_none(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(made: AppHarness) -> None:
        desk, phone = await anne_on_two(made)
        live = await made.make("batavia", (desk.id, "Anne"), ("bruno", "Bruno"), ("carla", "Carla"))
        sessions, usual = made.server.sessions, made.server.sessions.of

        async def of(connection: Any) -> Session | None:
            found = await usual(connection)
            await sessions.end(desk.id, ["phone"])
            return found

        monkeypatch.setattr(sessions, "of", of)
        socket = await phone.connect(live.table.id)
        with pytest.raises(SocketClosed) as hung:
            await socket.receive()
        assert hung.value.code == 4401
        assert socket.got == []

    in_app(database, work)


def test_nobody_ends_what_is_anothers_or_their_own_last(database: str) -> None:
    async def work(made: AppHarness) -> None:
        desk, phone = await anne_on_two(made)
        bruno = made.person("Bruno")
        made.server.store.people.save(Person(bruno.id, "Bruno", "en", 1.0))
        await bruno.get("/me")
        await bruno.post("/me/sessions", session="phone")
        [only] = made.server.store.sessions.sessions_of(bruno.id, 0)
        await bruno.post("/me/sessions", session=only.id)
        await bruno.post("/me/sessions", others="1")
        assert (await desk.ask("POST", "/me/sessions", data={"session": "phone"})).status_code == 403
        assert {one.id for one in made.server.store.sessions.sessions_of(desk.id, 0)} == {"desk", "phone"}
        assert made.server.store.sessions.sessions_of(bruno.id, 0) == [only]
        await phone.post("/me/sessions", session="phone")  # signing out oneself, where there is another
        assert [one.id for one in made.server.store.sessions.sessions_of(desk.id, 0)] == ["desk"]

    in_app(database, work)


def test_a_used_session_is_renewed_and_an_unused_one_is_over(database: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        desk, _ = await anne_on_two(made)
        assert not given(await desk.get("/me")), "a cookie of today stays"
        time.pass_by(COOKIE_RENEWAL_AGE + 60)
        renewed = made.server.tokens.read(given(await desk.get("/me")))
        assert renewed is not None
        assert (renewed.person, renewed.id) == (desk.id, "desk")
        time.pass_by(LIFETIME - COOKIE_RENEWAL_AGE)
        stranger = await desk.get("/me")
        assert "Anne" not in stranger.text

    in_app(database, work, time_source=time)


@pytest.mark.parametrize("back", [5, 3_600, 400 * 86_400])
def test_a_clock_that_is_set_back_replaces_nobody(lite: str, back: int) -> None:
    """A page that took its visitor for a new one would set a new cookie over theirs, and the seat is gone."""
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        desk, _ = await anne_on_two(made)
        time.set_clock(-back)
        shown = await desk.get("/me")
        assert "Anne" in shown.text
        assert not given(shown)
        time.set_clock(back)
        assert "Anne" in (await desk.get("/me")).text

    in_app(lite, work, time_source=time)


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def test_cookies_from_before_sessions_are_good_for_a_year_and_replaced(database: str) -> None:
    time = ManualTime(at=SYSTEM_TIME.time())  # a migration has noted on the machine's clock since when

    async def work(made: AppHarness) -> None:
        desk, _ = await anne_on_two(made)
        old = device(made, desk, "")
        old.cookies[COOKIE] = first_cookie(desk.id, made.server.store.values.secret())
        shown = await old.get("/me")
        assert "Anne" in shown.text
        new = made.server.tokens.read(given(shown))
        assert new is not None
        assert new.person == desk.id
        assert new.id not in ("", "desk", "phone")
        assert "before the last update" in (await desk.get("/me")).text
        time.set_clock(YEAR + 60)
        assert "Anne" not in (await old.get("/about")).text
        time.set_clock(-YEAR - 60)
        assert "Anne" in (await old.get("/about")).text
        await desk.post("/me/sessions", session="")
        assert "Anne" not in (await old.get("/about")).text

    in_app(database, work, time_source=time)


def test_who_holds_nothing_leaves_no_trace(store: Store) -> None:
    """Every passing program would fill the table: only people with a name or a seat are noted."""
    store.sessions.note(SessionInfo("anne", "desk", "", 5.0, 5.0), 0)
    assert store.sessions.find("anne", "desk") is None
    store.people.save(Person("anne", "Anne", "fr", 1.0))
    store.sessions.note(SessionInfo("anne", "desk", "", 5.0, 5.0), 0)
    store.sessions.note(SessionInfo("anne", "desk", "Firefox, Linux", 7.0, 7.0), 0)
    assert store.sessions.find("anne", "desk") == SessionInfo("anne", "desk", "Firefox, Linux", 5.0, 7.0)
    assert (store.people.count(), store.people.count_since(7.0), store.people.count_since(8.0)) == (1, 1, 0)


def test_an_ended_session_stays_ended_until_it_is_forgotten(store: Store) -> None:
    store.people.save(Person("anne", "Anne", "fr", 1.0))
    store.sessions.note(SessionInfo("anne", "desk", "", 5.0, 5.0), 0)
    store.sessions.end("anne", ["desk"], 6.0)
    store.sessions.note(SessionInfo("anne", "desk", "", 9.0, 9.0), 0)
    found = store.sessions.find("anne", "desk")
    assert found is not None
    assert found.ended == 6.0
    assert store.sessions.sessions_of("anne", 0) == []
    store.sessions.note(SessionInfo("anne", "phone", "", 99.0, 99.0), forget=10.0)
    assert store.sessions.find("anne", "desk") is None
    assert [one.id for one in store.sessions.sessions_of("anne", 0)] == ["phone"]
    assert store.sessions.sessions_of("anne", 100.0) == []


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        (PHONE, "Safari, iOS"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/140 Safari/537.36 Edg/140.0",
            "Edge, Windows",
        ),
        (
            "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140 Mobile Safari/537.36",
            "Chrome, Android",
        ),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/18 Safari/605", "Safari, macOS"),
        ("python-httpx/0.28", ""),
        ("<script>", ""),
    ],
)
def test_a_device_is_named_by_its_browser(agent: str, name: str) -> None:
    assert device_of(agent) == name


def test_a_session_in_use_is_noted_once_an_hour(database: str) -> None:

    async def work(made: AppHarness) -> None:
        desk, _ = await anne_on_two(made)
        noted: list[object] = []
        made.server.store.sessions.note = lambda *given: noted.append(given)  # type: ignore[method-assign]
        for _ in range(3):
            await desk.get("/about")
        assert noted == []

    in_app(database, work)
