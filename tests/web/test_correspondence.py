"""Games that go on for days, on a clock that the test sets: nobody sleeps, and the server acts when it is to."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from comptoir.web.domain.clock import DAY, HOUR, PlayingHours, SeatClock
from comptoir.web.domain.evolve import from_events
from comptoir.web.domain.state import Table
from comptoir.web.live import housekeeping
from comptoir.web.view.clock_text import time_left
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import AppHarness, Client, in_app, random_action

CHANCE = random.Random(5)


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/harness.sqlite"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualTime:
    monkeypatch.setattr("comptoir.web.domain.state.SUBSTITUTE_LEVEL", "passer-by")
    monkeypatch.setattr(housekeeping, "SWEEP_INTERVAL", HOUR)  # every two seconds, for weeks, would take long
    return ManualTime()


class Company:
    """People around one table, who speak to it as programs do."""

    def __init__(self, harness: AppHarness, clock: ManualTime, people: list[Client]) -> None:
        self.harness, self.clock, self.people = harness, clock, people

    async def sit(self, **settings: Any) -> None:
        self.live = await self.harness.make("century", *(one.sits for one in self.people), **settings)
        await self.clock.settle()

    async def sit_again(self, id: str) -> None:
        """After a restart."""
        self.live = await self.harness.tables.find(id)
        await self.clock.settle()

    @property
    def table(self) -> Table:
        return self.live.table

    def awaited(self) -> Client:
        assert self.table.seat_to_act is not None
        return self.people[self.table.seat_to_act]

    def seat_clock(self, who: Client) -> SeatClock:
        assert self.table.clocks is not None
        return self.table.clocks.until(self.clock.time()).seat_clocks[self.people.index(who)]

    async def wait(self, seconds: float) -> None:
        await self.clock.advance(seconds)
        self.live = await self.harness.tables.find(
            self.table.id
        )  # it may have been forgotten in the meantime

    async def act(self) -> None:
        who, match = self.awaited(), self.table.match
        assert match is not None
        sent = {"version": self.table.version, "action": random_action(match, CHANCE)}
        answer = await who.ask("POST", f"/api/tables/{self.table.id}/actions", json=sent)
        assert answer.status_code == 200, answer.text
        await self.clock.settle()

    async def turn(self, seconds: float = 0.0) -> Client:
        """Whoever is awaited thinks for a while, and plays to the end of their turn."""
        who, match = self.awaited(), self.table.match
        await self.wait(seconds)
        while True:
            await self.act()
            match = self.table.match
            assert match is not None
            if (
                self.table.seat_to_act is None
                or self.awaited() is not who
                or self.seat_clock(who).turn > 0.999 * (self.table.settings.clock)
            ):
                return who

    async def until_awaited(self, who: Client, seconds: float = 0.0) -> None:
        while self.awaited() is not who:
            await self.turn(seconds)

    async def agree(self, who: Client, what: str) -> int:
        sent = {"version": self.table.version, "what": what}
        answer = await who.ask("POST", f"/api/tables/{self.table.id}/agreements", json=sent)
        await self.clock.settle()
        return answer.status_code

    async def seen(self, who: Client) -> dict[str, Any]:
        seen: dict[str, Any] = (await who.get(f"/api/tables/{self.table.id}")).json()
        return seen


def test_a_game_of_days(lite: str, clock: ManualTime) -> None:
    people: list[Client] = []
    ids: list[str] = []

    async def first_days(harness: AppHarness) -> None:
        people[:] = [harness.person(name) for name in ("Anne", "Bruno", "Chloé")]
        anne, bruno, chloe = people
        company = Company(harness, clock, people)
        await company.sit(clock=DAY)
        ids.append(company.table.id)
        for _ in range(6):  # everyone in time: nothing is used up
            await company.turn(5 * HOUR)
        assert all(company.seat_clock(who).reserve == 7 * DAY for who in people)

        await company.until_awaited(bruno)
        await company.wait(1.5 * DAY)
        assert (company.seat_clock(bruno).turn, company.seat_clock(bruno).reserve) == (0, 6.5 * DAY)
        seen = await company.seen(anne)
        assert (seen["running"], seen["times"][1]) == (1, {"turn": 0, "reserve": 6.5 * DAY})
        assert seen["due"] == clock.time() + 6.5 * DAY
        await company.turn()
        await company.until_awaited(bruno)
        assert (company.seat_clock(bruno).turn, company.seat_clock(bruno).reserve) == (DAY, 6.5 * DAY)

        # Chloé does not come, and the others agree that a bot plays for her
        await company.until_awaited(chloe)
        await company.wait(12 * HOUR)
        assert await company.agree(anne, "stand-in") == 200
        assert company.table.seats[2].away is False
        assert await company.agree(bruno, "agree") == 200
        assert company.table.seats[2].away
        await company.until_awaited(anne)
        await company.until_awaited(bruno)
        used = company.seat_clock(chloe).used
        await company.wait(HOUR)
        await company.turn()
        assert company.seat_clock(chloe).used == used
        assert company.awaited() is not chloe

    async def later(harness: AppHarness) -> None:
        """On another server, a day after the first has stopped."""
        anne, _, chloe = people
        for who in people:
            who.harness = harness
        company = Company(harness, clock, people)
        await company.sit_again(ids[0])
        assert company.seat_clock(people[1]).reserve >= 6 * DAY
        awaited = company.awaited()
        assert company.seat_clock(awaited).used > DAY  # it has run while nobody served

        # Chloé comes back, and plays her next turn herself
        assert (await chloe.post(f"/tables/{ids[0]}/back", seat="2")).status_code == 303
        await company.until_awaited(chloe)
        assert company.seat_clock(chloe).turn == DAY
        await company.turn(HOUR)

        # all agree on a pause of a week, which takes nobody's time
        await company.until_awaited(anne)
        left = company.seat_clock(anne).left
        assert await company.agree(anne, "pause") == 200
        assert [await company.agree(who, "agree") for who in people[1:]] == [200, 200]
        assert (await company.seen(anne))["paused"]
        await company.wait(7 * DAY)
        assert company.seat_clock(anne).left == left
        assert await company.agree(chloe, "resume") == 200

        # Anne is gone permanently: her turn and her holidays, and then a bot
        assert company.awaited() is anne
        version = company.table.version
        await company.wait(left - HOUR)
        assert company.table.version == version
        await company.wait(2 * HOUR)
        assert company.table.seats[0].away
        events = await asyncio.to_thread(harness.server.store.events.read, ids[0], version)
        assert (events[0].kind, events[0].seat, events[0].person) == ("late", 0, None)
        assert events[0].at == pytest.approx(clock.time() - HOUR)
        assert company.awaited() is not anne
        log = (await anne.get(f"/tables/{ids[0]}")).text
        assert "Anne ran out of time. A bot takes over." in log
        await anne.post(f"/tables/{ids[0]}/back", seat="0")
        await company.until_awaited(anne)
        assert (company.seat_clock(anne).turn, company.seat_clock(anne).reserve) == (DAY, 0)
        again = from_events(ids[0], await asyncio.to_thread(harness.server.store.events.read, ids[0]))
        assert (again.clocks, again.due) == (company.table.clocks, company.table.due)

    in_app(lite, first_days, time_source=clock)
    clock.pass_by(DAY)
    in_app(lite, later, time_source=clock)
    assert clock.time() - AT > 7 * DAY


def test_a_live_game_saves_what_a_turn_leaves(lite: str, clock: ManualTime) -> None:
    async def work(harness: AppHarness) -> None:
        people = [harness.person(name) for name in ("Anne", "Bruno")]
        company = Company(harness, clock, people)
        await company.sit(clock=60)
        who = await company.turn(100)
        assert (company.seat_clock(who).turn, company.seat_clock(who).reserve) == (60, 80)
        await company.until_awaited(who)
        await company.turn(35)
        assert company.seat_clock(who).reserve == 105
        await company.until_awaited(who)
        await company.turn(1)
        assert company.seat_clock(who).reserve == 120

    in_app(lite, work, time_source=clock)


def test_hours_go_from_ones_own_page_to_the_tables(lite: str, clock: ManualTime) -> None:
    hours = PlayingHours.made("08:00", "22:00", "Europe/Paris")

    async def work(harness: AppHarness) -> None:
        people = [harness.person(name) for name in ("Anne", "Bruno")]
        company = Company(harness, clock, people)
        await company.sit(clock=DAY)
        anne, table = people[0], company.table.id
        fields = {"start": "08:00", "end": "22:00", "zone": "Europe/Paris"}
        for wrong in (
            {"start": "8"},
            {"end": "12:00"},
            {"zone": "Nowhere"},
            {"zone": "../etc"},
            {"start": ""},
        ):
            answer = await anne.post("/me/hours", **fields | wrong)
            assert (answer.status_code, "at least 8 hours apart" in answer.text) == (422, True)
        assert (await anne.post("/me/hours", **fields)).status_code == 303
        assert 'value="08:00"' in (await anne.get("/me")).text
        assert company.table.clocks is not None
        assert company.table.clocks.hours == (hours, None)
        # at the same table no sooner than in a day
        assert (await anne.post("/me/hours", **fields | {"end": "20:00"})).status_code == 303
        assert company.table.clocks.hours == (hours, None)
        await company.wait(DAY + 1)
        assert (await anne.post("/me/hours", **fields | {"end": "21:00"})).status_code == 303
        assert company.table.clocks.hours[0] == PlayingHours.made("08:00", "21:00", "Europe/Paris")
        # a table that is made, or sat down at, has them from the start
        made = await anne.post(
            "/tables", game="century", players="2", seat0="me", seat1="link", open="no", clock=str(2 * DAY)
        )
        bruno, new = people[1], made.headers["location"].split("/")[-1]
        assert (await bruno.post("/me/hours", **fields)).status_code == 303
        assert (await bruno.post(f"/tables/{new}/sit", seat="1", name="Bruno")).status_code == 303
        assert (await bruno.post(f"/tables/{new}/begin")).status_code == 303
        clocks = (await harness.tables.find(new)).table.clocks
        assert clocks is not None
        assert [one and one.end for one in clocks.hours] == [21 * 60, 22 * 60]
        # and none at all, a day later
        await company.wait(DAY + 1)
        assert (await anne.post("/me/hours", start="", end="", zone="Europe/Paris")).status_code == 303
        assert [one is None for one in company.table.clocks.hours] == [True, False]
        assert table in await asyncio.to_thread(harness.server.store.tables.correspondence_of, anne.id)

    in_app(lite, work, time_source=clock)


def test_lists_and_pages_say_what_is_left(lite: str, clock: ManualTime) -> None:
    async def work(harness: AppHarness) -> None:
        people = [harness.person(name) for name in ("Anne", "Bruno")]
        company = Company(harness, clock, people)
        await company.sit(clock=2 * DAY)
        await company.wait(12 * HOUR)
        who = company.awaited()
        other = next(one for one in people if one is not who)
        page = (await who.get("/")).text
        assert "Your turn · 8 d 12 h left" in page
        assert f"{who.name}&#39;s turn · 8 d 12 h left" in (await other.get("/")).text
        who.cookies["lang"] = "fr"
        assert "À vous de jouer · reste 8 j 12 h" in (await who.get("/")).text
        assert "2 jours par tour, 7 jours de congé" in (await who.get(f"/tables/{company.table.id}")).text
        form = (await who.get("/new/century")).text
        for line in ("30 secondes par tour, 1 minute de réserve", "1 minute par tour, 2 minutes de réserve"):
            assert line in form
        assert "1 jour par tour, 7 jours de congé" in form
        table = company.harness.tables.in_use[company.table.id].table
        assert time_left(table, people.index(who)) is not None
        await company.agree(who, "pause")
        await company.agree(other, "agree")
        assert "En pause" in (await who.get("/")).text

    in_app(lite, work, time_source=clock)


def test_what_a_program_asks_for_in_vain(lite: str, clock: ManualTime) -> None:
    async def work(harness: AppHarness) -> None:
        people = [harness.person(name) for name in ("Anne", "Bruno")]
        company = Company(harness, clock, people)
        await company.sit(clock=60)
        anne, bruno = people
        assert await company.agree(harness.person("Eve"), "pause") == 403
        assert await company.agree(anne, "the bank") == 400
        assert await company.agree(anne, "x" * 50) == 422
        assert await company.agree(anne, "resume") == 409
        assert await company.agree(anne, "agree") == 409
        assert await company.agree(anne, "undo") == 409
        assert await company.agree(anne, "pause") == 200
        proposal = (await company.seen(bruno))["proposal"]
        assert proposal == {"what": "pause", "seat": 0, "waiting_for": ["Bruno"], "yours": True}
        assert (await company.seen(anne))["proposal"]["yours"] is False
        assert await company.agree(bruno, "decline") == 200
        assert (await company.seen(bruno))["proposal"] is None
        assert await company.agree(anne, "pause") == 409

    in_app(lite, work, time_source=clock)


def test_people_ask_each_other_over_the_socket(lite: str, clock: ManualTime) -> None:
    async def work(harness: AppHarness) -> None:
        people = [harness.person(name) for name in ("Anne", "Bruno")]
        company = Company(harness, clock, people)
        await company.sit(clock=60)
        anne, bruno = [await one.socket(company.table.id) for one in people]
        assert 'data-ask="pause"' in anne.parts["asks"]
        assert "data-since" in anne.parts[f"seat-{company.table.seat_to_act}"]
        anne.send(type="ask", action="pause", version=company.table.version)
        await bruno.until(company.table.version + 1)
        await anne.until(company.table.version)
        assert "Anne asks for a pause." in bruno.parts["asked"]
        assert 'data-do="agree"' in bruno.parts["asked"]
        assert "You have asked for a pause. Waiting for Bruno." in anne.parts["asked"]
        watching = await harness.person("Eve").socket(company.table.id)
        assert "<button" not in watching.parts["asked"]
        answer = await watching.ask("agree", version=company.table.version)
        assert answer["type"] == "refused"
        bruno.send(type="agree", version=company.table.version)
        await anne.until(company.table.version + 1)
        assert company.table.paused
        assert 'data-do="resume"' in anne.parts["asked"]
        assert "data-since" not in "".join(anne.parts[f"seat-{seat}"] for seat in range(2))
        anne.send(type="resume", version=company.table.version)
        await bruno.until(company.table.version + 1)
        assert not company.table.paused
        assert "hidden" in bruno.parts["asked"]

    in_app(lite, work, time_source=clock)


def test_a_table_of_days_is_not_kept_in_memory(
    lite: str, clock: ManualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody has days to decide, and nobody looks: the table is read again when their time is spent."""

    async def work(harness: AppHarness) -> None:
        people = [harness.person(name) for name in ("Anne", "Bruno")]
        company = Company(harness, clock, people)
        await company.sit(clock=DAY)
        live, id = company.live, company.table.id
        await clock.advance(2 * HOUR)
        assert id not in harness.tables.in_use
        assert live.turn is not None
        assert live.turn.cancelled()
        await clock.advance(9 * DAY)
        await company.sit_again(id)
        assert [event.kind for event in await asyncio.to_thread(harness.server.store.events.read, id)][
            4
        ] == "late"

        live_game = Company(harness, clock, people)
        await live_game.sit(clock=60)
        monkeypatch.setattr(housekeeping, "IDLE", 100.0)
        await clock.advance(150)  # of 180 that whoever is awaited has
        harness.tables.housekeeping.forget_unused()
        assert live_game.table.id in harness.tables.in_use

    in_app(lite, work, time_source=clock)
