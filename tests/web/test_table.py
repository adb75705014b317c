"""A table without a server: what may happen there, what is refused and why, and that its events make it,
always.
"""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import comptoir.web
from comptoir.engine.game import get_game
from comptoir.engine.match import seed_hash
from comptoir.engine.registry import names
from comptoir.engine.words import LANGUAGES
from comptoir.errors import IllegalAction, OptionError, UnknownAction
from comptoir.web.domain import decide
from comptoir.web.domain.continuation import continue_from
from comptoir.web.domain.evolve import BOT_NAMES, evolve, from_events
from comptoir.web.domain.match_files import import_match
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.state import SUBSTITUTE_LEVEL, Event, Table, TableSettings
from comptoir.web.page_words import page_words
from tests.manual_time import AT
from tests.web.app_harness import NOW, play_on, random_action, table_of

ANNE, BRUNO, CHLOE = "anne-id", "bruno-id", "chloe-id"


def empty(name: str = "batavia", players: int = 3, **more: Any) -> Table:
    """A table of Anne's at which nobody sits yet."""
    made = TableSettings(name, get_game(name).read_options(players), "secret-seed", creator=ANNE, **more)
    return from_events("table", [Event(1, "made", None, ANNE, made.text(), AT)])


def begun(*who: str | tuple[str, str], **more: Any) -> Table:
    """A table at which the match is on: Anne, Bruno and Chloé, if nobody else is named."""
    return table_of(
        "batavia", list(who) or [(ANNE, "Anne"), (BRUNO, "Bruno"), (CHLOE, "Chloé")], creator=ANNE, **more
    )


def do(table: Table, event: Event) -> Table:
    return evolve(table, event)


def person_to_decide(table: Table) -> str:
    person = table.seats[table.turn or 0].person
    assert person is not None
    return person


def play(table: Table, at: float = AT) -> Table:
    """After the seat that decides has done the first thing it may."""
    assert table.match is not None
    seat = table.turn
    assert seat is not None
    person, action = table.seats[seat].person, table.match.actions()[0]
    made = decide.play(table, NOW, person, seat, action)
    return do(table, Event(made.version, made.kind, made.seat, made.person, made.text, at))


def undoable(table: Table) -> Table:
    """The table after a decision of a person that can be taken back."""
    for _ in range(200):
        table = play(table)
        if table.may_undo(table.decisions[-1].person) is not None:
            return table
    raise AssertionError("nothing can be taken back here")


def refused(key: str, ask: Callable[[], Event], kind: type[Refused] = Refused) -> Refused:
    with pytest.raises(kind) as caught:
        ask()
    assert caught.value.key == key
    return caught.value


def finished() -> Table:
    return play_on(begun(), 10_000, random.Random(3))


# Before the match


def test_a_new_table_waits() -> None:
    table = empty()
    assert (table.state, table.turn, table.due, table.bot, table.people, table.version) == (
        "waiting",
        None,
        None,
        None,
        (),
        1,
    )
    assert all(held.free for held in table.seats)
    assert table.seed_hash == seed_hash("secret-seed")


def test_people_sit_down_and_rise() -> None:
    table = empty()
    event = decide.sit(table, NOW, BRUNO, 1, "Bruno")
    table = do(table, event)
    assert (event.version, event.kind, event.seat, event.person, event.text) == (2, "sit", 1, BRUNO, "Bruno")
    assert (table.seats[1].name, table.people, table.seats_of(BRUNO)) == ("Bruno", (BRUNO,), [1])
    table = do(table, decide.stand_up(table, NOW, BRUNO, 1))
    assert table.seats[1].free
    assert table.people == ()


def test_one_person_may_have_several_seats_but_no_two_names_are_the_same() -> None:
    table = empty(players=5)
    for seat in range(5):
        table = do(table, decide.sit(table, NOW, ANNE, seat, "Anne"))
    assert [held.name for held in table.seats] == ["Anne", "Anne 2", "Anne 3", "Anne 4", "Anne 5"]
    assert table.seats_of(ANNE) == [0, 1, 2, 3, 4]
    assert table.people == (ANNE,)


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_there_is_no_such_seat(seat: int) -> None:
    table = empty()
    assert refused("refuse.no_seat", lambda: decide.sit(table, NOW, ANNE, seat, "Anne")).values == {"n": seat}
    refused("refuse.no_seat", lambda: decide.stand_up(table, NOW, ANNE, seat))
    refused("refuse.no_seat", lambda: decide.seat_bot(table, NOW, ANNE, seat, "clerk"))


def test_a_seat_is_taken_once() -> None:
    table = empty()
    table = do(table, decide.sit(table, NOW, ANNE, 0, "Anne"))
    table = do(table, decide.seat_bot(table, NOW, ANNE, 1, "clerk"))
    for seat in (0, 1):
        refused("refuse.taken", partial(decide.sit, table, NOW, BRUNO, seat, "Bruno"))
        refused("refuse.taken", partial(decide.seat_bot, table, NOW, ANNE, seat, "clerk"))


def test_only_its_owner_gives_up_a_seat_and_only_the_maker_sends_bots() -> None:
    table = empty()
    table = do(table, decide.sit(table, NOW, BRUNO, 0, "Bruno"))
    table = do(table, decide.seat_bot(table, NOW, ANNE, 1, "captain"))
    refused("refuse.not_yours", lambda: decide.stand_up(table, NOW, ANNE, 0), Forbidden)
    refused("refuse.not_yours", lambda: decide.stand_up(table, NOW, BRUNO, 1), Forbidden)
    refused("refuse.not_yours", lambda: decide.stand_up(table, NOW, ANNE, 2), Forbidden)
    refused("refuse.maker", lambda: decide.seat_bot(table, NOW, BRUNO, 2, "clerk"), Forbidden)
    table = do(table, decide.stand_up(table, NOW, ANNE, 1))
    assert table.seats[1].free
    with pytest.raises(OptionError, match="level: expected one of"):
        decide.seat_bot(table, NOW, ANNE, 1, "wizard")


def test_bots_have_names_that_nobody_has() -> None:
    table = empty(players=5)
    table = do(table, decide.sit(table, NOW, ANNE, 0, BOT_NAMES[0]))
    table = do(table, decide.sit(table, NOW, BRUNO, 1, BOT_NAMES[2]))
    for seat in (2, 3, 4):
        table = do(table, decide.seat_bot(table, NOW, ANNE, seat, "clerk"))
    assert [held.name for held in table.seats] == [BOT_NAMES[n] for n in (0, 2, 1, 3, 4)]
    table = do(table, decide.stand_up(table, NOW, ANNE, 3))
    table = do(table, decide.sit(table, NOW, CHLOE, 3, BOT_NAMES[1]))
    assert table.seats[3].name == f"{BOT_NAMES[1]} 2"


def test_a_match_begins_when_all_sit_and_somebody_there_says_so() -> None:
    table = empty()
    table = do(table, decide.sit(table, NOW, BRUNO, 0, "Bruno"))
    refused("refuse.free_seats", lambda: decide.begin(table, NOW, BRUNO))
    for seat in (1, 2):
        table = do(table, decide.seat_bot(table, NOW, ANNE, seat, "passer-by"))
    refused("refuse.not_yours", lambda: decide.begin(table, NOW, CHLOE), Forbidden)
    assert decide.begin(table, NOW, BRUNO).kind == "begin"
    table = do(table, decide.begin(table, NOW, ANNE))
    assert table.match is not None
    assert (table.state, table.match.seed, table.match.names) == (
        "on",
        "secret-seed",
        ["Bruno", *BOT_NAMES[:2]],
    )


def test_nothing_is_played_before_the_match_and_nobody_sits_down_after() -> None:
    table = empty()
    refused("refuse.not_begun", lambda: decide.play(table, NOW, ANNE, 0, "pass"))
    refused("refuse.not_begun", lambda: decide.undo(table, NOW, ANNE))
    refused("refuse.not_begun", lambda: decide.leave(table, NOW, ANNE, 0))
    refused("refuse.not_begun", lambda: decide.return_to_seat(table, NOW, ANNE, 0))
    refused("refuse.again", lambda: decide.play_again(table, NOW, ANNE, "next"))
    assert table.may_undo(ANNE) is None
    table = begun()
    for ask in (
        lambda: decide.sit(table, NOW, ANNE, 0, "Anne"),
        lambda: decide.stand_up(table, NOW, ANNE, 0),
        lambda: decide.seat_bot(table, NOW, ANNE, 0, "clerk"),
        lambda: decide.begin(table, NOW, ANNE),
    ):
        refused("refuse.begun", ask)


# Playing


def test_the_seat_that_decides_acts_for_itself_alone() -> None:
    table = begun()
    assert table.match is not None
    turn, person, action = table.turn or 0, person_to_decide(table), table.match.actions()[0]
    other = next(who for who in (ANNE, BRUNO, CHLOE) if who != person)
    assert refused(
        "refuse.not_your_turn", lambda: decide.play(table, NOW, other, (turn + 1) % 3, action)
    ).values == {"name": table.seats[turn].name}
    refused("refuse.not_your_turn", lambda: decide.play(table, NOW, person, None, action))
    refused("refuse.not_yours", lambda: decide.play(table, NOW, other, turn, action), Forbidden)
    with pytest.raises(IllegalAction) as caught:
        decide.play(
            table,
            NOW,
            person,
            turn,
            next(action for action in table.game.actions if action not in table.match.actions()),
        )
    assert caught.value.rule.startswith("B")
    with pytest.raises(UnknownAction):
        decide.play(table, NOW, person, turn, "bid a lot")
    event = decide.play(table, NOW, person, turn, action)
    table = do(table, event)
    assert (event.kind, event.seat, event.person, event.text) == ("play", turn, person, action)
    assert table.match is not None
    assert table.match.played == [action]


def test_a_bot_is_due_at_once_and_acts_without_a_person() -> None:
    table = begun("clerk", "passer-by", "captain")
    turn = table.turn or 0
    assert table.bot == table.seats[turn].level
    assert table.due == table.updated
    assert table.row().turn_person is None
    refused("refuse.not_yours", lambda: decide.play(table, NOW, ANNE, turn, "pass"), Forbidden)
    table = play(table)
    assert table.decisions[-1].person is None


def test_a_match_that_is_over_is_over() -> None:
    table = finished()
    assert (table.state, table.turn, table.due, table.bot) == ("over", None, None, None)
    for ask in (
        lambda: decide.play(table, NOW, ANNE, 0, "pass"),
        lambda: decide.undo(table, NOW, ANNE),
        lambda: decide.leave(table, NOW, ANNE, 0),
        lambda: decide.return_to_seat(table, NOW, ANNE, 0),
    ):
        refused("refuse.over", ask)
    refused("refuse.begun", lambda: decide.sit(table, NOW, ANNE, 0, "Anne"))


def test_who_sat_there_plays_again_once() -> None:
    table = finished()
    refused("refuse.not_yours", lambda: decide.play_again(table, NOW, "stranger", "next"), Forbidden)
    table = do(table, decide.play_again(table, NOW, BRUNO, "next"))
    assert table.next_table == "next"
    refused("refuse.again", lambda: decide.play_again(table, NOW, ANNE, "another"))


# Taking back


def test_the_doer_takes_back_until_something_else_happens() -> None:
    table = undoable(begun())
    assert table.match is not None
    doer, ply = table.decisions[-1].person, table.match.ply
    assert doer is not None
    seat = table.may_undo(doer)
    for other in (ANNE, BRUNO, CHLOE, "stranger"):
        if other != doer:
            refused("refuse.undo", partial(decide.undo, table, NOW, other))
    event = decide.undo(table, NOW, doer)
    table = do(table, event)
    assert (event.kind, event.seat, event.person) == ("undo", seat, doer)
    assert table.turn == seat
    assert table.match is not None
    assert table.match.ply == ply - 1


def test_what_turned_something_up_stays() -> None:
    table = begun()
    for _ in range(300):
        table = play(table)
        assert table.match is not None
        if table.match.undoable_by() is None:
            break
    assert table.state == "on"
    refused("refuse.undo", lambda: decide.undo(table, NOW, table.decisions[-1].person or ""))


def test_what_a_bot_did_for_somebody_is_not_taken_back() -> None:
    """Else a clock that had run out could be made to run again, and again."""
    table = undoable(begun())
    assert table.match is not None
    doer, seat, action = table.decisions[-1].person, table.decisions[-1].seat, table.match.played[-1]
    assert doer is not None
    table = do(table, decide.undo(table, NOW, doer))
    table = do(table, decide.play(table, NOW, None, seat, action))
    assert table.may_undo(doer) is None
    refused("refuse.undo", lambda: decide.undo(table, NOW, doer))


def test_who_is_away_takes_nothing_back() -> None:
    table = undoable(begun())
    doer = table.decisions[-1].person or ""
    table = do(table, decide.leave(table, NOW, doer, table.seats_of(doer)[0]))
    assert table.may_undo(doer) is None
    assert table.may_undo(None) is None


# Leaving


def test_a_bot_stands_in_for_who_leaves_and_hands_back() -> None:
    table = begun()
    seat = table.turn or 0
    person = person_to_decide(table)
    refused("refuse.not_away", lambda: decide.return_to_seat(table, NOW, person, seat))
    table = do(table, decide.leave(table, NOW, person, seat))
    assert (table.seats[seat].away, table.bot, table.row().turn_person) == (True, SUBSTITUTE_LEVEL, None)
    refused("refuse.no_person", lambda: decide.leave(table, NOW, person, seat))
    refused("refuse.not_yours", lambda: decide.return_to_seat(table, NOW, "stranger", seat), Forbidden)
    table = do(table, decide.return_to_seat(table, NOW, person, seat))
    assert table.bot is None
    assert table.row().turn_person == person


def test_nobody_else_sends_a_person_away() -> None:
    table = begun()
    seat = table.turn or 0
    for who in (ANNE, BRUNO, CHLOE, "stranger"):
        if who != person_to_decide(table):
            refused("refuse.not_yours", partial(decide.leave, table, NOW, who, seat), Forbidden)


def test_a_bot_does_not_leave() -> None:
    table = begun((ANNE, "Anne"), "clerk", "clerk")
    refused("refuse.no_person", lambda: decide.leave(table, NOW, ANNE, 1))


# Clocks


def test_a_clock_runs_from_when_a_seat_was_first_awaited() -> None:
    """Neither taking back nor leaving and coming back gives any time back."""
    table = begun(clock=30)
    assert table.due == AT + 90
    seat, person = table.turn or 0, person_to_decide(table)
    for event in (
        Event(table.version + 1, "away", seat, person, "", AT + 20),
        Event(table.version + 2, "back", seat, person, "", AT + 21),
    ):
        table = do(table, event)
    assert table.due == AT + 91  # for a second, a bot was to decide
    assert table.updated == AT + 21


def test_taking_back_gives_no_more_time() -> None:
    table = undoable(begun(clock=30))
    doer, since = table.decisions[-1].person or "", table.decisions[-2].at
    again = table.seat_to_act == table.decisions[-1].seat
    made = decide.undo(table, NOW, doer)
    table = do(table, Event(made.version, made.kind, made.seat, made.person, "", AT + 25))
    assert table.due == since + 90 + (0 if again else 25)


def test_a_calm_table_is_never_due_for_a_person() -> None:
    assert begun().due is None


# Matches from elsewhere


def test_a_match_that_was_brought_is_only_looked_at() -> None:
    match = play_on(begun(), 25, random.Random(1)).match
    assert match is not None
    table, events = import_match(match, ANNE, AT)
    assert from_events(table.id, events).row() == table.row()
    assert (table.state, table.turn, table.due, table.people) == ("over", None, None, ())
    assert table.match is not None
    assert table.match.played == match.played
    refused("refuse.over", lambda: decide.play(table, NOW, ANNE, 0, "pass"))
    refused("refuse.begun", lambda: decide.sit(table, NOW, ANNE, 0, "Anne"))
    refused("refuse.not_yours", lambda: decide.play_again(table, NOW, ANNE, "next"), Forbidden)
    assert table.may_undo(ANNE) is None


@pytest.mark.parametrize("name", names())
def test_a_match_goes_on_from_any_position(name: str) -> None:
    players = get_game(name).rules.PLAYERS[0]
    table = play_on(table_of(name, [(f"p{n}", f"P{n}") for n in range(players)]), 10_000, random.Random(2))
    assert table.match is not None
    at = table.match.ply // 2
    made = continue_from(table, at, ANNE)
    assert TableSettings.read(made.text()) == made
    assert made.seed != table.settings.seed
    going = table_of(
        name, ["clerk"] * players, **{k: v for k, v in vars(made).items() if k not in ("game", "creator")}
    )
    assert going.match is not None
    assert going.match.position() == table.match.at(at).position()


# What is kept


def test_settings_are_read_as_they_were_written() -> None:
    plain = TableSettings("century", get_game("century").read_options(3), "0")
    full = TableSettings(
        "batavia",
        {"players": "3"},
        "é#",
        ANNE,
        True,
        60,
        {"a": {"b": [1]}},
        {"turn": None},
        ("Ann \u2028", "B"),
        "other",
    )
    for one in (plain, full):
        assert TableSettings.read(one.text()) == one
        assert one.text().isascii()
    assert plain.imported is False
    assert full.imported is True


def test_events_come_in_order() -> None:
    table = empty()
    for version in (0, 1, 3):
        with pytest.raises(ValueError, match="cannot follow 1"):
            table = evolve(table, Event(version, "rise", 0, ANNE))


def snapshot(table: Table) -> tuple[Any, ...]:
    """All that a table is."""
    match = table.match
    told = (
        (match.played, [p.tobytes() for p in match.records], list(match.rolled), match.names)
        if match is not None
        else None
    )
    return (
        table.row(),
        [vars(held).copy() for held in table.seats],
        list(table.decisions),
        table.next_table,
        (table.clocks, list(table.clock_history), dict(table.hours)),
        (table.paused, table.proposal, table.declined, table.notes),
        told,
    )


def test_after_leaves_the_table_as_it_was() -> None:
    table = undoable(begun())
    doer, seat = table.decisions[-1].person or "", table.decisions[-1].seat or 0
    before = snapshot(table)
    assert table.match is not None
    for event in (
        decide.undo(table, NOW, doer),
        decide.leave(table, NOW, doer, seat),
        decide.play(table, NOW, None, table.turn, table.match.actions()[0]),
    ):
        after = evolve(table, event)
        assert after.version == table.version + 1
        assert snapshot(table) == before
        assert snapshot(after) != before


def refusals() -> set[str]:
    """Every key with which something is refused, wherever in the app."""
    found = set()
    for file in Path(comptoir.web.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("Refused", "Forbidden")
                and node.args
            ):
                assert isinstance(node.args[0], ast.Constant)
                found.add(str(node.args[0].value))
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_refusal_has_its_sentence(lang: str) -> None:
    words = page_words(None, lang)
    assert len(refusals()) > 15
    for key in refusals():
        assert words.say(key, n=3, name="Anne", reason="line 1")


class Sitting(RuleBasedStateMachine):
    """People and bots do anything at a table, allowed or not.

    What is refused changes nothing; what is done can be told again.
    """

    people = st.sampled_from([ANNE, BRUNO, CHLOE])
    seats = st.integers(-1, 4)

    @initialize(
        name=st.sampled_from(names()),
        clock=st.sampled_from([0, 30]),
        chance=st.randoms(use_true_random=False),
    )
    def make(self, name: str, clock: int, chance: random.Random) -> None:
        players = chance.randint(*get_game(name).rules.PLAYERS)
        made = TableSettings(name, get_game(name).read_options(players), "seed", creator=ANNE, clock=clock)
        self.events = [Event(1, "made", None, ANNE, made.text(), AT)]
        self.table, self.chance = from_events("table", self.events), chance

    def ask(self, ask: Callable[[], Event]) -> None:
        before = snapshot(self.table)
        try:
            event = ask()
        except (Refused, IllegalAction, UnknownAction):
            assert snapshot(self.table) == before
            return
        after = evolve(self.table, event)
        assert snapshot(self.table) == before
        self.table = evolve(self.table, event)
        assert snapshot(self.table) == snapshot(after)
        self.events.append(event)

    @rule(person=people, seat=seats, name=st.sampled_from(["Anne", "Bruno", *BOT_NAMES]))
    def sit(self, person: str, seat: int, name: str) -> None:
        self.ask(lambda: decide.sit(self.table, NOW, person, seat, name))

    @rule(person=people, seat=seats)
    def rise(self, person: str, seat: int) -> None:
        self.ask(lambda: decide.stand_up(self.table, NOW, person, seat))

    @rule(person=people, seat=seats)
    def seat_bot(self, person: str, seat: int) -> None:
        self.ask(lambda: decide.seat_bot(self.table, NOW, person, seat, "clerk"))

    @precondition(lambda self: self.table.match is None)
    @rule()
    def fill_and_begin(self) -> None:
        for seat in range(self.table.players):
            self.ask(partial(decide.sit, self.table, NOW, self.chance.choice([ANNE, BRUNO]), seat, "Anne"))
        self.ask(lambda: decide.begin(self.table, NOW, ANNE))

    @rule(person=people)
    def begin(self, person: str) -> None:
        self.ask(lambda: decide.begin(self.table, NOW, person))

    @rule(person=st.none() | people, seat=st.none() | seats, any_action=st.booleans())
    def play(self, person: str | None, seat: int | None, any_action: bool) -> None:
        actions = self.table.game.actions
        self.ask(
            lambda: decide.play(
                self.table, NOW, person, seat, self.chance.choice(actions if any_action else actions[:5])
            )
        )

    @precondition(lambda self: self.table.turn is not None)
    @rule(times=st.integers(1, 12))
    def play_on(self, times: int) -> None:
        for _ in range(times):
            match, turn = self.table.match, self.table.turn
            if match is not None and turn is not None:
                action = random_action(match, self.chance)
                self.ask(partial(decide.play, self.table, NOW, self.table.seats[turn].person, turn, action))

    @rule(person=people)
    def undo(self, person: str) -> None:
        self.ask(lambda: decide.undo(self.table, NOW, person))

    @rule(person=people, seat=seats)
    def leave(self, person: str, seat: int) -> None:
        self.ask(lambda: decide.leave(self.table, NOW, person, seat))

    @rule()
    def run_out(self) -> None:
        self.ask(lambda: decide.time_out(self.table, NOW))

    @rule(person=people, what=st.sampled_from(["pause", "stand-in", "undo", "all the money"]))
    def ask_for(self, person: str, what: str) -> None:
        self.ask(lambda: decide.propose(self.table, NOW, person, what))

    @rule(person=people, agrees=st.booleans())
    def answer(self, person: str, agrees: bool) -> None:
        self.ask(lambda: decide.answer_proposal(self.table, NOW, person, agrees))

    @rule(person=people)
    def resume(self, person: str) -> None:
        self.ask(lambda: decide.resume(self.table, NOW, person))

    @rule(person=people, seat=seats)
    def come_back(self, person: str, seat: int) -> None:
        self.ask(lambda: decide.return_to_seat(self.table, NOW, person, seat))

    @rule(person=people)
    def play_again(self, person: str) -> None:
        self.ask(lambda: decide.play_again(self.table, NOW, person, "next"))

    @invariant()
    def is_sound(self) -> None:
        if not hasattr(self, "table"):
            return
        table = self.table
        assert table.version == len(self.events)
        named = [held.name for held in table.seats if not held.free]
        assert len(set(named)) == len(named)
        assert (table.match is None) == (table.state == "waiting")
        assert len(table.decisions) == (0 if table.match is None else table.match.ply + 1)

    def teardown(self) -> None:
        if hasattr(self, "table"):
            assert snapshot(from_events("table", self.events)) == snapshot(self.table)


Sitting.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestSitting = Sitting.TestCase


def test_settings_are_stored_under_the_keys_that_every_version_reads() -> None:
    given = TableSettings(
        "century",
        {"players": "2"},
        "1",
        creator=ANNE,
        rematch_of="t",
        multiple_seats=True,
        prior_match={"seed": "1", "start": {}, "actions": []},
    )
    stored = json.loads(given.text())
    assert set(stored) == {"game", "options", "seed", "maker", "again", "several", "past"}
    assert TableSettings.read(given.text()) == given
