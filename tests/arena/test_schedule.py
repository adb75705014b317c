"""Every bot sits in every seat of every deal equally often."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comptoir.arena.schedule import GameSpec, seatings, units

BOTS, PLAYERS, DEALS = st.integers(2, 8), st.integers(2, 5), st.integers(0, 200)


@given(BOTS, PLAYERS, DEALS)
def test_in_every_deal_all_bots_sit_in_every_seat_equally_often(bots: int, players: int, deal: int) -> None:
    found = seatings(bots, players, deal)
    assert len(set(found)) == len(found)
    for seat in range(players):
        sat = Counter(seating[seat] for seating in found)
        assert len(sat) == bots
        assert len(set(sat.values())) == 1


@given(BOTS, PLAYERS, DEALS)
def test_a_deal_is_played_in_whole_rotations_by_as_equal_lineups_as_can_be(
    bots: int, players: int, deal: int
) -> None:
    found = set(seatings(bots, players, deal))
    for seating in found:
        assert seating[1:] + seating[:1] in found
        sat = [seating.count(bot) for bot in range(bots)]
        assert max(sat) - min(sat) <= 1


@given(BOTS, PLAYERS, DEALS)
def test_two_bots_meet_at_equal_seats(bots: int, players: int, deal: int) -> None:
    """Of the games in which both sit, each has as many seats as the other: pairs can be compared as they
    are.
    """
    found = seatings(bots, players, deal)
    for one, other in permutations(range(bots), 2):
        both = [seating for seating in found if one in seating and other in seating]
        assert sum(seating.count(one) for seating in both) == sum(seating.count(other) for seating in both)


@pytest.mark.parametrize(
    ("bots", "players"), [(2, 3), (2, 4), (2, 5), (3, 2), (3, 4), (3, 5), (4, 2), (4, 4), (5, 3), (6, 4)]
)
def test_a_run_comes_round_to_every_seating_equally_often(bots: int, players: int) -> None:
    first = seatings(bots, players, 0)
    period = next(deal for deal in range(1, 1000) if seatings(bots, players, deal) == first)
    counted = Counter(seating for deal in range(period) for seating in seatings(bots, players, deal))
    every = {seating for seating in _all_seatings(bots, players) if _as_equal_as_can_be(seating, bots)}
    assert set(counted) == every
    assert set(counted.values()) == {1}


def _all_seatings(bots: int, players: int) -> set[tuple[int, ...]]:
    pool = [bot for bot in range(bots) for _ in range(-(-players // bots))]
    return set(permutations(pool, players))


def _as_equal_as_can_be(seating: tuple[int, ...], bots: int) -> bool:
    sat = [seating.count(bot) for bot in range(bots)]
    return max(sat) - min(sat) <= 1


def test_two_bots_at_the_usual_tables() -> None:
    assert {"".join("AB"[bot] for bot in seating) for seating in seatings(2, 4, 0)} == {
        "AABB",
        "ABBA",
        "BBAA",
        "BAAB",
    }
    assert {"".join("AB"[bot] for bot in seating) for seating in seatings(2, 4, 1)} == {"ABAB", "BABA"}
    assert {"".join("AB"[bot] for bot in sorted(seating)) for seating in seatings(2, 3, 0)} == {"AAB", "ABB"}
    assert {"".join("AB"[bot] for bot in sorted(seating)) for seating in seatings(2, 5, 0)} == {
        "AAABB",
        "AABBB",
    }


@given(BOTS, PLAYERS, st.integers(1, 300), st.integers(1, 300))
def test_games_are_rounded_up_to_whole_deals_and_more_games_go_on_from_fewer(
    bots: int, players: int, few: int, more: int
) -> None:
    short, long = units(bots, players, min(few, few + more)), units(bots, players, few + more)
    assert len(short) >= few
    assert long[: len(short)] == short
    assert short[-1].deal == 0 or len([unit for unit in short if unit.deal < short[-1].deal]) < few
    assert len({unit.key for unit in long}) == len(long)


def test_all_chance_comes_from_the_seed_the_deal_and_the_seating() -> None:
    unit = GameSpec(3, (0, 0, 1, 1))
    assert unit.match_seed("1") == GameSpec(3, (1, 0, 0, 1)).match_seed("1")  # the same deal for all
    others = [
        unit.match_seed("2"),
        GameSpec(4, unit.seating).match_seed("1"),
        *(unit.bot_seed("1", seat) for seat in range(4)),
    ]
    others += [
        GameSpec(3, (1, 0, 0, 1)).bot_seed("1", 0),
        GameSpec(4, unit.seating).bot_seed("1", 0),
        unit.bot_seed("2", 0),
    ]
    assert len({unit.match_seed("1"), *others}) == len(others) + 1
