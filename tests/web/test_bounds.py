"""What people could add to a table forever is bounded, and none of the bounds stops a match."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

import comptoir
from comptoir.web.domain import decide, proposals, queries, state
from comptoir.web.domain.chat import ChatMessage
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.lesson import LEARNER
from comptoir.web.domain.match_files import import_match
from comptoir.web.domain.people import COOKIE
from comptoir.web.domain.player_results import results_of
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, Note, Table
from comptoir.web.limits import (
    ADDRESS_STORED_BYTE_RATE,
    PERSON_ASKS,
    PERSON_BROUGHT_BYTES,
    PERSON_LEAVES,
    PERSON_SESSIONS,
    PERSON_SITTINGS,
    PERSON_UNDOS,
    TABLE_ARRIVALS,
    TABLE_CREATOR_ARRIVALS,
    TABLE_NOTES,
    TABLE_REPORTS,
    TABLE_RETRACES,
)
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.upload_parser import ImportedMatch
from comptoir.web.storage import database_schema, result_store
from comptoir.web.storage.chat_store import ChatStore
from comptoir.web.storage.event_store import PendingWrite
from comptoir.web.storage.result_store import ResultStore
from comptoir.web.storage.session_store import SessionInfo
from comptoir.web.storage.store import Store
from comptoir.web.view.log import LogLine, LogTurn
from tests.manual_time import AT
from tests.web.app_harness import NOW, AppHarness, Client, in_app, play_on, table_of

ANNE, BRUNO = ("anne", "Anne"), ("bruno", "Bruno")
GOLDEN = Path(__file__).parents[1] / "golden" / "batavia" / "all-pass.match"  # of 191 actions


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def refused(key: str, ask: Callable[[], Event]) -> None:
    with pytest.raises(Refused) as caught:
        ask()
    assert caught.value.key == key


def add(table: Table, kind: str, **given: Any) -> Table:
    """After an event as an older server has stored it, whether today's would allow it or not."""
    return evolve(table, Event(table.version + 1, kind, **{"at": AT} | given))


def pause(table: Table, times: int) -> Table:
    for _ in range(times):
        table = add(table, "ask", seat=0, person="anne", text="pause")
        table = add(table, "agree", person="bruno")
        table = add(table, "resume", seat=1, person="bruno")
    return table


def lines(live: OpenTable, seat: int | None = None) -> list[LogLine]:
    found: list[LogLine] = []
    for entry in live.presenter.log(seat, "en"):
        for item in entry.items:
            found += [line for line in (item.lines if isinstance(item, LogTurn) else [item]) if line.note]
    return found


# Notes


def test_of_many_pauses_in_one_position_the_last_is_told() -> None:
    """Also where an older server has stored hundreds of them."""
    table = table_of("century", [ANNE, BRUNO], seed="1")
    table = pause(table, 600)
    assert [note.kind for note in table.notes] == ["pause", "resume"]
    assert [note.version for note in table.notes] == [table.version - 1, table.version]
    assert [line.note for line in lines(OpenTable(table))] == ["pause", "resume"]


@pytest.mark.slow
def test_a_log_that_grows_tells_what_a_new_one_tells() -> None:
    """Whoever has looked on all the time reads the same notes as somebody who comes late."""
    chance = random.Random(3)
    live = OpenTable(table_of("batavia", [ANNE, BRUNO, ("chloe", "Chloé")], seed="1"))
    for _ in range(150):
        table = live.table
        asked = [what for person in table.people for what in queries.may_propose(table, live.now(), person)]
        doing = chance.choice(["play", "play", "pause", "hint", "undo"])
        person = table.seats[table.turn or 0].person or ""
        events: list[Event] = []
        if doing == "pause" and "pause" in asked:
            events = [Event(0, "ask", 0, "anne", "pause"), Event(0, "agree", None, "bruno")]
            events += [Event(0, "agree", None, "chloe"), Event(0, "resume", 1, "bruno")]
        elif doing == "hint" and not queries.hint_noted(table):
            events = [decide.hint(table, NOW, person)]
        elif doing == "undo" and (mine := [one for one in table.people if table.may_undo(one) is not None]):
            events = [decide.undo(table, NOW, mine[0])]
        elif table.match and table.turn is not None:
            events = [decide.play(table, NOW, person, table.turn, chance.choice(table.match.actions()))]
        for event in events:
            after = evolve(live.table, dataclasses.replace(event, version=live.table.version + 1))
            live.replace_table(after)
            for seat in (None, 0):
                old, new = live.presenter.log(seat, "en"), OpenTable(after).presenter.log(seat, "en")
                assert [entry.items for entry in old[len(old) - len(new) + 1 :]] == [
                    entry.items for entry in new[1:]
                ]
                assert old[-1].total == sum(len(entry.items) for entry in old)


def test_a_table_has_so_many_notes_and_no_more() -> None:
    table = table_of("century", [ANNE, BRUNO], seed="1")
    for _ in range(TABLE_NOTES):
        table = play_on(table, 1, random.Random(table.version))
        table = pause(table, 1)
    assert table.state == "on"
    assert len(table.notes) == TABLE_NOTES
    assert table.notes[-1].ply == len(table.decisions) - 1


def test_the_log_compares_no_note_with_every_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """It grows with their number, not with its square: this is done in the event loop, after every action."""
    table = play_on(table_of("century", [ANNE, BRUNO], seed="1"), 70, random.Random(1))
    last = len(table.decisions) - 1
    notes = tuple(Note("hint", last, n % 2, 1_000 + n) for n in range(100))
    table = dataclasses.replace(table, notes=notes)
    compared = 0
    equal = Note.__eq__

    def counted(self: Note, other: object) -> bool:
        nonlocal compared
        compared += 1
        return equal(self, other)

    monkeypatch.setattr(Note, "__eq__", counted)
    live = OpenTable(table)
    for _ in range(10):
        live.replace_table(live.table)
        assert len(lines(live)) == 100
    assert compared < 20 * 100


# What is done again and again


def test_nobody_sits_down_without_end() -> None:
    table = table_of("batavia", [ANNE, BRUNO, ("chloe", "Chloé")])
    table = from_events("t", [Event(1, "made", None, "maker", table.settings.text(), AT)])
    for _ in range(PERSON_SITTINGS):
        table = evolve(table, decide.sit(table, NOW, "anne", 0, "Anne"))
        table = evolve(table, decide.stand_up(table, NOW, "anne", 0))
    refused("refuse.many_times", lambda: decide.sit(table, NOW, "anne", 0, "Anne"))
    table = evolve(table, decide.sit(table, NOW, "bruno", 0, "Bruno"))
    table = evolve(table, decide.stand_up(table, NOW, "bruno", 0))
    for n in range(TABLE_ARRIVALS - PERSON_SITTINGS - 1):
        table = evolve(table, decide.sit(table, NOW, f"stranger {n}", 0, "Stranger"))
        table = evolve(table, decide.stand_up(table, NOW, f"stranger {n}", 0))
    refused("refuse.lobby", lambda: decide.sit(table, NOW, "chloe", 0, "Chloé"))
    for seat in range(3):  # whoever made it can fill it all the same, and the match begins
        table = evolve(table, decide.seat_bot(table, NOW, "maker", seat, "clerk"))
    for _ in range(TABLE_CREATOR_ARRIVALS - TABLE_ARRIVALS - 3):
        table = evolve(table, decide.stand_up(table, NOW, "maker", 0))
        table = evolve(table, decide.seat_bot(table, NOW, "maker", 0, "clerk"))
    assert evolve(table, decide.begin(table, NOW, "maker")).state == "on"
    table = evolve(table, decide.stand_up(table, NOW, "maker", 0))
    refused("refuse.lobby", lambda: decide.seat_bot(table, NOW, "maker", 0, "clerk"))


@pytest.mark.parametrize("alone", [True, False])
def test_nobody_pauses_without_end(alone: bool) -> None:
    table = table_of("century", [ANNE, "clerk"] if alone else [ANNE, BRUNO], seed="1")
    for _ in range(PERSON_ASKS):
        table = evolve(table, decide.propose(table, NOW, "anne", "pause"))
        if not alone:
            table = evolve(table, decide.answer_proposal(table, NOW, "bruno", True))
        assert table.paused
        table = evolve(table, decide.resume(table, NOW, "anne"))
    refused("refuse.many_times", lambda: decide.propose(table, NOW, "anne", "pause"))
    assert "pause" not in queries.may_propose(table, NOW, "anne")
    if not alone:
        table = evolve(table, decide.propose(table, NOW, "bruno", "pause"))  # everyone has their own number
        table = evolve(table, decide.answer_proposal(table, NOW, "bruno", False))
    assert play_on(table, 20, random.Random(1)).version > 20


def test_what_was_asked_for_and_withdrawn_is_not_asked_for_again_here() -> None:
    """A loop of asking and withdrawing ends at once; with every action it may begin again, up to the limit."""
    table, asked, chance = table_of("century", [ANNE, BRUNO], seed="1"), 0, random.Random(2)
    while asked < PERSON_ASKS:
        table = evolve(table, decide.propose(table, NOW, "anne", "pause"))
        table = evolve(table, decide.answer_proposal(table, NOW, "anne", False))
        refused("refuse.declined", partial(decide.propose, table, NOW, "anne", "pause"))
        asked += 1
        table = play_on(table, 1, chance)
        assert table.state == "on"
    refused("refuse.many_times", lambda: decide.propose(table, NOW, "anne", "pause"))


def test_nobody_leaves_without_end_and_everyone_comes_back() -> None:
    table = table_of("century", [ANNE, BRUNO], seed="1")
    for _ in range(PERSON_LEAVES):
        table = evolve(table, decide.leave(table, NOW, "anne", 0))
        table = evolve(table, decide.return_to_seat(table, NOW, "anne", 0))
    refused("refuse.many_times", lambda: decide.leave(table, NOW, "anne", 0))
    table = evolve(table, decide.leave(table, NOW, "bruno", 1))
    table = evolve(table, decide.return_to_seat(table, NOW, "bruno", 1))


def test_nobody_undoes_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """But whatever has been undone, the match goes on."""
    for module in (state, decide):
        monkeypatch.setattr(module, "PERSON_UNDOS", few := 20)
    assert few < PERSON_UNDOS
    table = table_of("century", [ANNE, BRUNO], seed="1")
    chance, undone = random.Random(4), dict.fromkeys(table.people, 0)
    for _ in range(2_000):
        person = table.decisions[-1].person or ""
        if table.may_undo(person) is not None and undone.get(person, few) < few:
            table = evolve(table, decide.undo(table, NOW, person))
            undone[person] += 1
        if table.state != "on":
            break
        table = play_on(table, 1, chance)
        if undone["anne"] == few and table.state == "on":
            refused("refuse.many_times", partial(decide.undo, table, NOW, "anne"))
            assert table.may_undo("anne") is None
    assert table.state == "over"
    assert set(undone.values()) == {few}


def test_a_lesson_that_was_restarted_without_end_is_left_for_a_new_one(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (queries, decide):
        monkeypatch.setattr(module, "TABLE_RETRACES", 3)
    assert TABLE_RETRACES > 3

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        where = (await anne.post("/learn", game="century")).headers["location"]
        assert (await anne.post("/learn", game="century")).headers["location"] == where
        live = await made.tables.find(where.rpartition("/")[2])
        for _ in range(3):
            await made.tables.act(
                live.table.id, lambda table, now: decide.return_to_lesson(table, now, anne.id, start=True)
            )
        refused(
            "refuse.many_times", lambda: decide.return_to_lesson(live.table, live.now(), anne.id, start=True)
        )
        assert (await anne.post("/learn", game="century")).headers["location"] == where, "it can be finished"
        while live.table.turn != LEARNER:
            await made.settle()
        match = live.table.match
        assert match is not None
        astray = next(action for action in match.actions() if action != live.table.scripted_action)
        live.replace_table(
            evolve(live.table, decide.play(live.table, live.now(), anne.id, live.table.turn, astray))
        )
        assert live.table.off_script
        assert (await anne.post("/learn", game="century")).headers["location"] != where

    in_app(lite, work)


def test_whether_somebody_has_learnt_something_is_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worlds are imagined for it in the event loop: asking again and again costs nothing."""
    thought = 0

    def counted(*arguments: Any) -> bool:
        nonlocal thought
        thought += 1
        return True

    monkeypatch.setattr(decide, "learns_anything", counted)
    assert proposals.learns_anything is not counted
    table, chance = table_of("century", [ANNE, BRUNO], seed="1"), random.Random(1)
    while not (who := [one for one in table.people if "undo" in queries.may_propose(table, NOW, one)]):
        table = play_on(table, 1, chance)
    for _ in range(20):
        refused("refuse.learnt", lambda: decide.propose(table, NOW, who[0], "undo"))
    assert thought == 1


def test_only_who_sits_there_says_how_turns_end(lite: str) -> None:
    """It is kept in memory for every person who has said so."""

    async def work(made: AppHarness) -> None:
        anne, stranger = made.person("Anne"), made.person("Eve")
        live = await made.make("century", anne.sits, "clerk")
        socket = await stranger.socket(live.table.id)
        assert (await socket.ask("auto_end_turn", at_once=True))["type"] == "refused"
        assert live.at_once == set()
        made.tables.scheduler.end_turns_at_once(live, anne.id, True)
        assert live.at_once == {anne.id}

    in_app(lite, work)


# What is stored for people


def brought(made: AppHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file that is brought is the same short match: the process that reads files is not asked."""
    match = comptoir.load(GOLDEN)

    async def read(content: bytes, person: str) -> ImportedMatch:
        table, events = import_match(match, person, AT)
        return ImportedMatch(table.row(), events)

    monkeypatch.setattr(made.server.upload_parser, "match", read)


async def bring_file(person: Client) -> httpx.Response:
    return await person.ask(
        "POST", "/replay", data={"token": person.token}, files={"match": ("a.match", b"a match")}
    )


def test_one_person_has_room_for_so_many_brought_matches(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In all, and whatever the process: the database counts."""
    monkeypatch.setattr("comptoir.web.http.replay_pages.PERSON_BROUGHT_BYTES", 2 * 191 * 100)
    assert PERSON_BROUGHT_BYTES > 2 * 191 * 100

    async def work(made: AppHarness) -> None:
        brought(made, monkeypatch)
        anne = made.person("Anne")
        assert [(await bring_file(anne)).status_code for _ in range(4)] == [303, 303, 422, 422]
        assert (await bring_file(made.person("Bruno"))).status_code == 303

    in_app(database, work)

    async def again(made: AppHarness) -> None:
        brought(made, monkeypatch)
        assert not made.server.store.archives.count_imported("anne", 100, 50)
        assert made.server.store.archives.count_imported("anne", 50, 50)
        assert not made.server.store.archives.count_imported("anne", 1, 50)
        made.server.store.people.delete("anne", AT)
        assert made.server.store.archives.count_imported("anne", 50, 50), "who is deleted leaves no number"

    in_app(database, again)


def test_one_address_has_room_for_so_much_a_day(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever makes themselves new people is still at the same address; small tables do not count."""
    monkeypatch.setattr("comptoir.web.ops.request_guard.ADDRESS_STORED_BYTE_RATE", (1e-9, 2 * 191 * 80))
    assert ADDRESS_STORED_BYTE_RATE.burst > 2 * 191 * 80

    async def work(made: AppHarness) -> None:
        brought(made, monkeypatch)
        answers = [await bring_file(made.person(f"Person {n}")) for n in range(4)]
        assert [answer.status_code for answer in answers] == [303, 303, 422, 422]
        assert "stored for your network" in answers[-1].text
        eve = made.person("Eve")
        assert (await eve.post("/play", game="century")).status_code == 303
        over = answers[0].headers["location"].partition("?")[0]
        assert (await eve.post(f"{over}/continue", at="190", seat="0", level="clerk")).status_code == 409

    in_app(lite, work, limits=True)


def test_nobody_has_devices_without_end(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comptoir.web.http.pages.PERSON_SESSIONS", 3)
    assert PERSON_SESSIONS > 3

    async def work(made: AppHarness) -> None:
        anne, store = made.person("Anne"), made.server.store
        await anne.post("/me", name="Anne")
        await anne.get("/me")  # so that this device is noted
        session = made.server.tokens.read(anne.cookies[COOKIE])
        assert session is not None
        link = f"/me/move/{made.server.tokens.move_token(session)}"
        for n in range(3):
            found = await made.person(f"Device {n}").post(link)
            assert found.status_code == (303 if n < 2 else 409)
            store.sessions.note(SessionInfo(anne.id, f"device {n}", "", time.time(), time.time()), 0.0)
        await anne.post("/me/sessions", others="yes")
        assert (await made.person("Device").post(link)).status_code == 303
        monkeypatch.setattr("comptoir.web.http.pages.PERSON_SESSIONS_KNOWN", 4)
        assert (await made.person("Device").post(link)).status_code == 409, "those that were ended count too"

    in_app(lite, work)


def test_new_names_of_an_address_are_so_many(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has one can change it; and whoever sits down does so, remembered or not."""
    monkeypatch.setattr("comptoir.web.ops.request_guard.ADDRESS_NAMING_RATE", (1e-9, 2))

    async def work(made: AppHarness) -> None:
        people = [made.person(f"Person {n}") for n in range(4)]
        answers = [(await one.post("/me", name=one.name)).status_code for one in people]
        assert answers == [303, 303, 429, 429]
        assert (await people[0].post("/me", name="Another")).status_code == 303
        live = await made.make("century", people[0].sits, "")
        assert (await people[3].post(f"/tables/{live.table.id}/sit", seat="1", name="Dan")).status_code == 303
        assert live.table.seats[1].name == "Dan"

    in_app(lite, work, limits=True)


def test_a_list_of_results_has_an_end(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest are dropped from it; they stay at their tables, and are not made again at the next start."""
    few = result_store.OLD_RESULTS.offset(2)
    monkeypatch.setattr(
        result_store,
        "DISOWN_OLD",
        result_store.DISOWN.where(database_schema.results.c.table_id.in_(few)),
    )
    for n in range(4):
        over = play_on(table_of("century", [ANNE, BRUNO], seed=str(n), id=f"t{n}"), 10_000, random.Random(n))
        ended = [dataclasses.replace(one, ended=AT + n) for one in results_of(over)]
        made = Event(1, "made", None, "anne", over.settings.text(), AT)
        row = dataclasses.replace(over.row(), version=1)
        assert store.events.append_all([PendingWrite(f"t{n}", [made], row, ended)]) == [None]
    listed = ResultStore(store.database).listed("anne", ["century"], "", 10)
    assert [one.result.table_id for one in listed] == ["t3", "t2"]
    assert store.results.missing() == []


def test_reports_of_one_table_leave_room_for_others(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comptoir.web.storage.chat_store.TABLE_REPORTS", 3)
    assert TABLE_REPORTS > 3
    for id in ("a", "b"):
        table = table_of("century", [ANNE, BRUNO], id=id, chat=True)
        events = [Event(1, "made", None, "anne", table.settings.text(), AT)]
        store.events.append(id, events, dataclasses.replace(table.row(), version=1))
    sayings = ChatStore(store.database)
    for id, times in (("a", 1), ("b", 6)):
        for n in range(times):
            said = sayings.add(id, ChatMessage(0, 0, "anne", "Anne", "", f"text {n}", AT))
            assert sayings.report(id, said.n, AT + n)
    assert [(one.table, one.text) for one in sayings.reports()] == [
        ("b", "text 5"),
        ("b", "text 4"),
        ("b", "text 3"),
        ("a", "text 0"),
    ]


def test_who_mutes_too_many_is_told_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comptoir.web.storage.chat_store.PERSON_MUTES", 2)
    sayings = ChatStore(store.database)
    for other in ("b", "c"):
        sayings.mute("a", other, True)
    with pytest.raises(Refused):
        sayings.mute("a", "d", True)
    assert sayings.mute("a", "c", True) == {"b", "c"}, "whom they have muted already counts once"
    assert sayings.mute("a", "b", False) == {"c"}
    assert sayings.mute("a", "d", True) == {"c", "d"}
