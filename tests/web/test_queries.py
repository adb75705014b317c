"""Who may do what at a table, asked of its state alone."""

from __future__ import annotations

import dataclasses
import random

import pytest

from comptoir.engine.match import Match
from comptoir.web.domain import queries
from comptoir.web.domain.clock import Instant
from comptoir.web.domain.evolve import evolve
from comptoir.web.domain.proposals import learns_anything
from comptoir.web.domain.state import Event, Note, RulesStamp, Table
from comptoir.web.limits import PERSON_ASKS, TABLE_RETRACES
from tests.manual_time import AT
from tests.web.app_harness import play_on, table_of

ANNE, BRUNO, CHLOE = "anne", "bruno", "chloe"
NOW = Instant.of(AT)


def running(*seating: str, game: str = "batavia") -> Table:
    """A match that has begun; who is no level of bots is a person."""
    return table_of(game, [(one, one.title()) for one in seating], seed="1")


def played(table: Table, *actions: str) -> Table:
    for action in actions:
        assert table.turn is not None
        person = table.seats[table.turn].person
        table = evolve(table, Event(table.version + 1, "play", table.turn, person, action, AT))
    return table


def with_last(table: Table, **changes: object) -> Table:
    """The same, but for the event of its last decision."""
    *before, last = table.decisions
    return dataclasses.replace(table, decisions=(*before, dataclasses.replace(last, **changes)))  # type: ignore[arg-type]


# The match


def test_a_match_began_under_todays_rules_only_if_both_are_the_same() -> None:
    table = running(ANNE, BRUNO, CHLOE)
    today = RulesStamp.today(table.game, None)
    assert queries.began_today(dataclasses.replace(table, begun=today))
    for begun in (None, RulesStamp(today.rules + 1, today.box), RulesStamp(today.rules, "another box")):
        assert not queries.began_today(dataclasses.replace(table, begun=begun))
    unreadable = dataclasses.replace(table.settings, components={"nonsense": {"x": 1}})
    assert not queries.began_today(dataclasses.replace(table, begun=today, settings=unreadable))


def test_before_a_match_there_is_none_that_it_goes_on_from() -> None:
    table = running(ANNE, BRUNO, CHLOE)
    assert queries.prior_match(table) is None
    waiting = dataclasses.replace(
        table,
        match=None,
        settings=dataclasses.replace(table.settings, prior_match={"start": {}, "seed": "1"}),
    )
    assert queries.prior_match(waiting) is None


# What can be taken back


def test_what_followed_automatically_is_taken_back_with_what_it_followed() -> None:
    table = played(running(ANNE, BRUNO, CHLOE), "pass", "pass", "pass")
    assert queries.ply_before_undo(table) == 2
    assert queries.ply_before_undo(with_last(table, kind="forced")) == 1


def test_how_far_back_the_last_action_of_a_person_is() -> None:
    table = played(running(ANNE, BRUNO, CHLOE), "pass", "pass")
    assert queries.far_back(table, ANNE) == (0, 2)
    assert queries.far_back(table, BRUNO) == (1, 1)
    assert queries.far_back(table, CHLOE) == (0, 0), "has not acted"


def test_nothing_is_taken_back_that_turned_something_up() -> None:
    table = played(running(ANNE, BRUNO, CHLOE), "pass", "pass", "pass", "draw")
    assert queries.far_back(table, CHLOE) == (2, 0)
    assert queries.far_back(table, ANNE) == (0, 0)


def test_nor_what_somebody_else_or_nobody_did_in_that_seat() -> None:
    table = played(running(ANNE, BRUNO, CHLOE), "pass", "pass")
    assert queries.far_back(with_last(table, person=None), BRUNO) == (1, 0), "a bot has"
    assert queries.far_back(with_last(table, kind="forced"), BRUNO) == (0, 0), "there was no choice"
    assert queries.far_back(with_last(table, seat=2, person=CHLOE), CHLOE) == (2, 0), "it was not its turn"


@pytest.mark.parametrize(("times", "may"), [(0, True), (TABLE_RETRACES - 1, True), (TABLE_RETRACES, False)])
def test_a_learner_goes_back_so_many_times(times: int, may: bool) -> None:
    table = dataclasses.replace(running(ANNE, BRUNO, CHLOE), tally={("retrace", ANNE): times})
    assert queries.may_return_to_lesson(table, ANNE) == may
    assert queries.may_return_to_lesson(table, BRUNO)


# Hints, and bots


def test_two_people_are_told_of_each_hint_and_one_alone_of_the_first() -> None:
    table = played(running(ANNE, BRUNO, CHLOE), "pass")
    two = dataclasses.replace(running(ANNE, BRUNO, game="century"), hint_takers=frozenset((ANNE, BRUNO)))
    alone = running(ANNE, ANNE, game="century")
    assert not queries.hint_noted(two)
    assert queries.hint_noted(dataclasses.replace(two, notes=(Note("hint", 0, 0, 5),)))
    for other in (Note("hint", 1, 0, 5), Note("undo", 0, 0, 5)):
        assert not queries.hint_noted(dataclasses.replace(two, notes=(other,)))
    assert queries.hint_noted(dataclasses.replace(table, notes=(Note("hint", 1, 0, 5),)))
    assert not queries.hint_noted(alone)
    assert queries.hint_noted(dataclasses.replace(alone, hint_takers=frozenset((ANNE,))))


def test_nobody_sets_the_speed_of_bots_where_there_are_none() -> None:
    assert not queries.may_set_bot_speed(running(ANNE, ANNE, game="century"), ANNE)
    with_bot = table_of("century", [(ANNE, "Anne"), "clerk"], creator=ANNE)
    assert [queries.may_set_bot_speed(with_bot, one) for one in (ANNE, BRUNO, None)] == [True, False, False]


# Proposals


def test_nobody_in_particular_can_ask_for_nothing() -> None:
    assert queries.may_propose(running(ANNE, BRUNO, CHLOE), NOW, None) == []
    assert "pause" in queries.may_propose(running(ANNE, BRUNO, CHLOE), NOW, ANNE)


def test_only_who_plays_in_a_match_that_is_on_asks_for_a_pause() -> None:
    table = running(ANNE, BRUNO, game="marco_polo")
    assert queries.why_not_propose(table, NOW, ANNE, "pause") is None
    lesson = dataclasses.replace(table, settings=dataclasses.replace(table.settings, lesson=True))
    over = play_on(table, 100_000, random.Random(1))
    assert over.state == "over"
    for where, who in ((table, CHLOE), (lesson, ANNE), (over, ANNE)):
        refused = queries.why_not_propose(where, NOW, who, "pause")
        assert refused is not None
        assert refused.key == "refuse.not_yours"


def test_a_person_asks_for_something_only_so_often() -> None:
    table = running(ANNE, BRUNO, CHLOE)
    often = dataclasses.replace(table, tally={("ask pause", ANNE): PERSON_ASKS - 1})
    assert queries.why_not_propose(often, NOW, ANNE, "pause") is None
    refused = queries.why_not_propose(
        dataclasses.replace(table, tally={("ask pause", ANNE): PERSON_ASKS}), NOW, ANNE, "pause"
    )
    assert refused is not None
    assert (refused.key, refused.values) == ("refuse.many_times", {"n": PERSON_ASKS})


def test_of_two_people_one_waits_ten_minutes_before_a_bot_stands_in() -> None:
    table = running(ANNE, BRUNO, game="marco_polo")
    assert table.turn is not None
    awaited, other = table.people[table.turn], table.people[1 - table.turn]
    refused = queries.why_not_propose(table, Instant.of(AT + 599), other, "stand-in")
    assert refused is not None
    assert (refused.key, refused.values) == ("refuse.alone", {"n": 10})
    assert queries.why_not_propose(table, Instant.of(AT + 600), other, "stand-in") is None
    refused = queries.why_not_propose(table, Instant.of(AT + 600), awaited, "stand-in")
    assert refused is not None
    assert refused.key == "refuse.not_awaited"


def test_who_has_seen_a_card_of_anothers_hand_has_learnt_something() -> None:
    """Bids tell nothing of the hands. A card that is laid does, except to whoever had it."""
    match = Match("batavia", seed="1", players="3")
    for action in ("pass", "pass", "pass"):
        match.play(action)
    assert [learns_anything(match, seat, 3 - seat) for seat in range(3)] == [False] * 3
    learnt: set[int] = set()
    for laid in match.actions():
        after = match.at(match.ply)
        after.play(laid)
        if laid.startswith("lay") and after.undoable_by() == 2:
            learnt.update(
                seat for seat in range(3) if learns_anything(after, seat, 4 - seat if seat < 2 else 1)
            )
    assert learnt == {0, 1}
