"""Turns that end by themselves wait for whose turn it was; what everyone knows to be the only choice is played
by itself.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comptoir.engine.forced import forced_action
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.web.domain import decide, queries
from comptoir.web.domain.clock import SeatClock
from comptoir.web.domain.evolve import evolve
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, Table
from comptoir.web.live.bot_pool import LEVEL_SECONDS
from comptoir.web.live.bot_speed import DEFAULT_SPEED, SPEEDS
from comptoir.web.live.open_table import UNDO_WINDOW, OpenTable
from comptoir.web.view.log import LogTurn
from comptoir.web.view.page_parts import item_html
from comptoir.web.view.presenter import TablePresenter
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import NOW, AppHarness, Client, Socket, in_app, table_of

ANNE, BRUNO = ("anne-id", "Anne"), ("bruno-id", "Bruno")
PACE = 0.7


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def later(event: Event, at: float) -> Event:
    return dataclasses.replace(event, at=at)


def act(table: Table, action: str, at: float = AT) -> Table:
    """The table after an action of the seat that decides."""
    seat = table.turn
    assert seat is not None
    return evolve(table, later(decide.play(table, NOW, table.seats[seat].person, seat, action), at))


def find(table: Table, wanted: Callable[[Table], bool], seed: int = 1, most: int = 600) -> Table:
    """The table after random decisions, as soon as it is as wanted."""
    chance = random.Random(seed)
    for _ in range(most):
        if wanted(table):
            return table
        assert table.match is not None
        if table.match.over:
            break
        table = act(table, chance.choice(table.match.actions()))
    raise AssertionError("it never comes to this")


def ended(name: str, *seating: Any, seed: int = 1, **settings: Any) -> Table:
    """A table at which Anne's turn has just ended by itself."""
    made = table_of(name, [ANNE, *seating], seed="endings", **settings)
    return find(made, lambda table: table.ending == 0, seed)


def first_is_anne(name: str, players: int) -> dict[str, str]:
    return get_game(name).read_options(players, first=0)


def last_played(table: Table) -> str:
    assert table.match is not None
    return table.match.played[-1]


# A turn that has ended by itself


@pytest.mark.parametrize(("name", "bots"), [("century", 1), ("batavia", 2), ("marco_polo", 4)])
def test_a_turn_that_ended_by_itself_is_known_and_can_be_undone(name: str, bots: int) -> None:
    table = ended(name, *["clerk"] * bots)
    assert table.bot
    undone = evolve(table, decide.undo(table, NOW, ANNE[0]))
    assert (undone.turn, undone.ending) == (0, None)
    assert undone.match is not None
    assert last_played(table) in undone.match.actions()


@pytest.mark.parametrize("name", ["century", "sail_to_india"])
def test_a_choice_that_is_there_to_end_a_turn_is_not_waited_for(name: str) -> None:
    table = table_of(name, [ANNE, "clerk", "clerk"], seed="endings")
    ends = ("end", "end turn")
    table = find(table, lambda one: one.turn == 0 and any(e in one.match.actions() for e in ends))  # type: ignore[union-attr]
    assert table.match is not None
    table = act(table, next(action for action in ends if action in table.match.actions()))
    assert table.bot
    assert table.may_undo(ANNE[0]) == 0
    assert table.ending is None


def test_a_bid_does_not_end_a_turn() -> None:
    made = table_of("batavia", [ANNE, "clerk", "clerk"], seed="endings", options=first_is_anne("batavia", 3))
    table = act(made, "bid 1")
    assert table.bot
    assert table.ending is None


def test_nobody_waits_for_what_turned_something_up() -> None:
    table = table_of("marco_polo", [ANNE, "clerk"], seed="endings", options=first_is_anne("marco_polo", 2))
    assert act(table, "draw").ending is None


def test_a_person_who_is_next_need_not_wait() -> None:
    table = table_of("century", [ANNE, BRUNO], seed="endings")

    def over(one: Table) -> bool:
        return len(one.decisions) > 1 and one.decisions[-1].seat == 0 and one.turn == 1 and one.forced is None

    table = find(table, over)
    assert table.ending is None
    assert table.match is not None
    assert act(table, table.match.actions()[0]).may_undo(ANNE[0]) is None


def test_the_wait_takes_nobodys_time() -> None:
    """Who takes back gets no more time than there was, so it is offered no longer than that."""
    table = ended("century", "clerk", clock=30)
    assert queries.ending_until(table, UNDO_WINDOW) == AT + UNDO_WINDOW
    back, now = table.clock_history[queries.ply_before_undo(table)], table.clock_history[-1]
    table = dataclasses.replace(
        table,
        clocks=dataclasses.replace(now, seat_clocks=(SeatClock(30, 60, 87), *now.seat_clocks[1:])),
        decisions=(*table.decisions[:-1], later(table.decisions[-1], AT + 87)),
    )
    assert back.due == AT + 90
    assert queries.ending_until(table, UNDO_WINDOW) == AT + 90
    assert evolve(table, later(decide.undo(table, NOW, ANNE[0]), AT + 87)).due == AT + 90


def test_a_table_that_is_read_again_waits_as_before() -> None:
    table = table_of("century", [ANNE, "clerk"], seed="endings", id="table")
    chance, events = random.Random(1), []
    while table.ending is None:
        assert table.match is not None
        assert table.turn is not None
        event = decide.play(
            table, NOW, table.seats[table.turn].person, table.turn, chance.choice(table.match.actions())
        )
        events.append(event)
        table = evolve(table, event)
    again = table_of("century", [ANNE, "clerk"], seed="endings", id="table")
    for event in events:
        again = evolve(again, event)
    assert (again.ending, again.due) == (0, table.due)


# Waiting


def seconds(live: OpenTable, made: AppHarness) -> float:
    """How long the server is to wait from now on."""
    _, acts = made.server.tables.scheduler.pause_times(live)
    return acts - made.server.time_source.time()


async def at_the_end(made: AppHarness, **more: Any) -> tuple[Client, OpenTable, Socket]:
    """Anne, whose last action in Century has ended her turn by itself, at her page."""
    anne = made.person("Anne")
    table = find(
        table_of("century", [anne.sits, "passer-by"], seed="endings", **more),
        lambda one: one.ending == 0,
    )
    back = evolve(table, decide.undo(table, NOW, anne.id))
    events = _events(back)
    back = dataclasses.replace(back, version=len(events))
    await made.tables.add(back, events)
    live = await made.tables.find(back.id)
    socket = await anne.socket(live.table.id)
    if live.table.forced is None:
        await socket.ask("play", action=table.decisions[-1].text)
    return anne, live, socket


def _events(table: Table) -> list[Event]:
    """What makes this table, as if nothing had been taken back."""
    made = Event(1, "made", None, "maker", table.settings.text(), AT)
    sat = [
        Event(n + 2, "sit", n, held.person, held.name, AT)
        if held.person
        else Event(n + 2, "bot", n, "maker", held.level or "", AT)
        for n, held in enumerate(table.seats)
    ]
    done = [made, *sat, *table.decisions]
    return [dataclasses.replace(event, version=n) for n, event in enumerate(done, 1)]


def test_bots_wait_for_the_end_of_a_turn(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        anne, live, socket = await at_the_end(made)
        assert live.table.ending == 0
        assert seconds(live, made) == UNDO_WINDOW
        assert socket.last_view["ends_at"] == AT + UNDO_WINDOW
        assert "Your turn is ending…" in socket.parts["sentence"]
        assert 'data-ending="end"' in socket.parts["choices"]
        version = live.table.version
        await time.advance(UNDO_WINDOW - 0.01)
        assert live.table.version == version
        await time.advance(0.02)
        assert live.table.version == version + 1
        await time.advance(PACE * SPEEDS[DEFAULT_SPEED])
        await socket.until(version + 1)
        assert live.table.decisions[-1].seat == 1
        assert socket.last_view["ends_at"] is None
        assert anne.id not in live.at_once

    in_app(lite, work, bot_delay=PACE, time_source=time)


def test_end_turn_goes_on_at_once(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        _, live, socket = await at_the_end(made)
        socket.send(type="end_turn")
        view = await socket.view()
        assert view["ends_at"] is None
        assert "Your turn is ending…" not in socket.parts["sentence"]
        assert seconds(live, made) == pytest.approx(PACE * SPEEDS[DEFAULT_SPEED])

    in_app(lite, work, bot_delay=PACE, time_source=time)


def test_only_whose_turn_it_was_ends_it(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        _, live, socket = await at_the_end(made)
        with pytest.raises(Refused):
            made.tables.scheduler.end_turn(live, "somebody else")
        other = await made.person("Bruno").socket(live.table.id)
        assert other.last_view["ends_at"] is None
        assert "Your turn is ending…" not in other.parts["sentence"]
        assert (await other.ask("auto_end_turn", at_once="yes"))["type"] == "refused"
        assert (await socket.ask("undo"))["ends_at"] is None
        assert (await socket.ask("end_turn"))["type"] == "refused"
        assert live.table.turn == 0

    in_app(lite, work, bot_delay=PACE, time_source=time)


def test_who_wants_no_wait_has_none(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        anne, live, socket = await at_the_end(made)
        socket.send(type="auto_end_turn", at_once=True)
        view = await socket.view()
        assert (view["at_once"], view["ends_at"]) == (True, None)
        assert seconds(live, made) == pytest.approx(PACE * SPEEDS[DEFAULT_SPEED])
        socket.send(type="auto_end_turn", at_once=False)
        assert (await socket.view())["ends_at"] == AT + UNDO_WINDOW
        made.tables.scheduler.skip(live, anne.id)
        assert live.ends_at is None
        assert seconds(live, made) <= LEVEL_SECONDS["passer-by"]

    in_app(lite, work, bot_delay=PACE, time_source=time)


def test_where_nothing_pauses_no_turn_waits(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        _, live, socket = await at_the_end(made)
        assert socket.last_view["linger"] == 0
        assert live.ends_at is None

    in_app(lite, work, bot_delay=0.0, time_source=time)


# The only choice


def forced_table(name: str, verb: str) -> Table:
    """A table at which Anne has one thing to do, after something that she has decided herself."""
    made = table_of(name, [ANNE, "clerk", "clerk"], seed="forced")
    return find(made, lambda one: one.turn == 0 and (one.forced or "").startswith(verb), most=3_000)


@pytest.mark.parametrize(
    ("name", "verb"), [("sail_to_india", "close sale"), ("sail_to_india", "anchor"), ("century", "pay")]
)
def test_the_only_choice_is_the_servers_to_play_and_goes_with_what_is_undone(name: str, verb: str) -> None:
    table = forced_table(name, verb)
    assert table.due == table.updated
    action = table.forced
    assert action is not None
    played = evolve(table, decide.play(table, NOW, None, 0, action))
    assert played.decisions[-1].kind == "forced"
    undone = evolve(played, decide.undo(played, NOW, ANNE[0]))
    assert undone.turn == 0
    assert undone.forced is None
    assert undone.decisions[-1] is table.decisions[-2] or undone.decisions[-1].kind != "forced"


def test_the_end_of_a_turn_is_left_to_whoever_has_decided_something() -> None:
    made = table_of("sail_to_india", [ANNE, "clerk", "clerk"], seed="forced")
    table = find(made, lambda one: one.turn == 0 and one.match.actions() == ["end turn"], most=3_000)  # type: ignore[union-attr]
    assert table.forced is None


def test_what_hidden_cards_leave_is_not_played_by_itself() -> None:
    """Marco Polo: one card of the hand fits, and nobody else knows that."""
    made = table_of("marco_polo", [ANNE, "clerk", "clerk"], seed="forced")

    def only_card(one: Table) -> bool:
        match = one.match
        assert match is not None
        hidden = one.turn == 0 and match.seen_by(0).tobytes() != match.seen_by(None).tobytes()
        return hidden and len(match.actions()) == 1

    assert find(made, only_card, most=3_000).forced is None


def test_bids_that_nobody_is_shown_are_not_told_by_the_pace() -> None:
    """Batavia: who has too few bills must pass; how many bills a seat has is not shown, even if counted."""

    def passes(match: Match) -> bool:
        return (
            match.actions() == ["pass"] and match.seen_by(match.turn).tobytes() == match.seen_by().tobytes()
        )

    for seed in range(40):
        match, chance = Match("batavia", seed=f"x{seed}", players=5), random.Random(seed)
        while not match.over and not passes(match):
            match.play(chance.choice(match.actions()))
        if not match.over:
            assert forced_action(match) is None
            return
    raise AssertionError("nobody ever has to pass with an open hand")


def test_the_server_plays_it_at_the_pace_of_bots(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        table = find(
            table_of(
                "sail_to_india",
                [anne.sits, "passer-by", "passer-by"],
                seed="forced",
            ),
            lambda one: one.forced == "close sale",
            most=3_000,
        )
        await made.tables.add(table, _events(table))
        live = await made.tables.find(table.id)
        socket = await anne.socket(live.table.id)
        assert "Your only choice: Close the sale" in socket.parts["sentence"]
        assert not socket.last_view["yours"]
        assert seconds(live, made) == pytest.approx(PACE * SPEEDS[DEFAULT_SPEED])
        version = live.table.version
        await time.advance(PACE * SPEEDS[DEFAULT_SPEED] - 0.01)
        assert live.table.version == version
        await time.advance(0.02)
        await socket.until(version + 1)
        event = live.table.decisions[-1]
        assert (event.kind, event.seat, event.person, event.text) == (
            "forced",
            table.turn,
            None,
            "close sale",
        )

    in_app(lite, work, bot_delay=PACE, time_source=time)


def test_of_a_whole_turn_without_a_choice_everyone_is_told_why() -> None:
    """Batavia: with an open hand of which nothing can be laid there is only the pile. The strip says so, for
    nothing was asked.
    """
    for seed in range(40):
        table = table_of("batavia", [ANNE, "clerk", "clerk", "clerk", "clerk"], seed=f"whole{seed}")
        try:
            table = find(table, lambda one: one.turn == 0 and one.forced == "draw", seed)
            break
        except AssertionError:
            continue
    after = evolve(table, decide.play(table, NOW, None, 0, "draw"))
    assert [note.kind for note in after.notes] == ["forced"]
    (turn,) = TablePresenter(after).log(0, "fr")[-1].items
    assert isinstance(turn, LogTurn)
    assert (turn.lines[-1].note, turn.lines[-1].text) == ("forced", "Anne n’avait pas d’autre choix.")
    assert "Anne n’avait pas d’autre choix.</p>" in item_html(turn, "batavia")
    assert after.ending is None
