"""From where somebody may look at a match, by who they are and how far it is."""

from __future__ import annotations

import dataclasses
import random

import pytest

from comptoir.web.domain.perspective import (
    EVERYTHING,
    SPECTATOR,
    Perspective,
    perspectives,
    read_perspective,
    viewing_seat,
)
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.state import Table
from tests.web.app_harness import play_on, table_of

ANNE, BRUNO, STRANGER = "anne", "bruno", "stranger"


def running(*people: str, opened: bool = False) -> Table:
    """A match of these people, each of whom may have several seats, that has just begun."""
    return table_of("marco_polo", [(person, f"at {seat}") for seat, person in enumerate(people)], open=opened)


@pytest.mark.parametrize("opened", [False, True])
def test_who_has_one_seat_looks_from_there(opened: bool) -> None:
    table = running(ANNE, BRUNO, opened=opened)
    assert perspectives(table, ANNE) == [0]
    assert perspectives(table, BRUNO) == [1]


@pytest.mark.parametrize("opened", [False, True])
def test_people_who_share_a_device_look_on(opened: bool) -> None:
    """Neither hand is shown on it: the other one could be looking."""
    table = running(ANNE, BRUNO, ANNE, opened=opened)
    assert perspectives(table, ANNE) == [SPECTATOR]
    assert perspectives(table, BRUNO) == [1]


def test_others_look_on_where_the_table_is_open() -> None:
    assert perspectives(running(ANNE, BRUNO, opened=True), STRANGER) == [SPECTATOR]
    with pytest.raises(Forbidden) as refused:
        perspectives(running(ANNE, BRUNO), STRANGER)
    assert refused.value.key == "replay.not_open"


@pytest.mark.parametrize("person", [ANNE, BRUNO, STRANGER])
def test_everyone_sees_everything_once_the_match_is_over(person: str) -> None:
    over = play_on(running(ANNE, BRUNO), 100_000, random.Random(1))
    assert over.state == "over"
    assert perspectives(over, person) == [EVERYTHING, 0, 1, SPECTATOR]


def test_there_is_nothing_to_look_at_before_the_match_or_at_a_closed_table() -> None:
    table = running(ANNE, BRUNO)
    with pytest.raises(Refused) as refused:
        perspectives(dataclasses.replace(table, match=None), ANNE)
    assert refused.value.key == "refuse.not_begun"
    with pytest.raises(Refused) as refused:
        perspectives(dataclasses.replace(table, closed="maker"), ANNE)
    assert refused.value.key == "replay.closed"


def test_a_link_names_one_of_those_that_are_allowed() -> None:
    allowed: list[Perspective] = [1, SPECTATOR]
    assert read_perspective(None, allowed) == 1
    assert read_perspective("1", allowed) == 1
    assert read_perspective(SPECTATOR, allowed) == SPECTATOR
    for other in ("0", EVERYTHING, "01", "x"):
        with pytest.raises(Forbidden) as refused:
            read_perspective(other, allowed)
        assert refused.value.key == "replay.not_that_side"


def test_only_a_seat_has_a_hand_to_look_into() -> None:
    assert [viewing_seat(one) for one in (0, 1, SPECTATOR, EVERYTHING)] == [0, 1, None, None]
