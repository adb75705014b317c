"""Setup: C1 to C7, C9."""

from __future__ import annotations

from typing import Any

import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.errors import OptionError
from comptoir.games.century import rules
from tests.games.century.positions import BOX, PositionBuilder, counts, letters, sails

ANY_NUMBER = pytest.mark.parametrize("players", [2, 3, 4])
LOTS = ["lot one", "lot two", "lot three", "lot four"]


@pytest.mark.parametrize("players", [2, 3, 4, "2"])
def test_two_to_four_may_play(players: int | str) -> None:
    """C1: 2, 3 or 4 players."""
    assert comptoir.new("century", players=players).players == int(players)


@pytest.mark.parametrize("players", [0, 1, 5, -2, 2.5, "all", ""])
def test_any_other_number_is_refused(players: Any) -> None:
    """C1: any other number is refused, and the error says what would do."""
    with pytest.raises(OptionError, match="century is for 2 to 4 players, not"):
        comptoir.new("century", players=players)


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_five_of_each_icon_are_on_the_map(ruleset: RuleSet, seed: str) -> None:
    """C2: one of each icon is left out, and each tile lies on one space."""
    markets = [int(tile) for tile in PositionBuilder(ruleset, seed).p.markets]
    assert len(set(markets)) == 20
    assert [sum(tile // 6 == icon for tile in markets) for icon in range(4)] == [5] * 4


def test_any_tile_may_be_left_out_and_lie_anywhere(ruleset: RuleSet) -> None:
    """C2: both are random."""
    maps = [[int(tile) for tile in PositionBuilder(ruleset, str(n)).p.markets] for n in range(300)]
    assert {tile for tiles in maps for tile in set(range(24)) - set(tiles)} == set(range(24))
    for space in (0, 7, 19):
        assert {tiles[space] for tiles in maps} == set(range(24))


def test_the_first_map() -> None:
    """C3: columns of 4, 5, 6, 5 and 4, and the ports at the corners."""
    at = [(int(x), int(y)) for x, y in [*BOX.map_markets, *BOX.map_ports]]
    columns = [sorted(y for x, y in at if x == column) for column in range(-2, 3)]
    assert columns == [
        [-3, -1, 1, 3],
        [-4, -2, 0, 2, 4],
        [-5, -3, -1, 1, 3, 5],
        [-4, -2, 0, 2, 4],
        [-3, -1, 1, 3],
    ]
    assert sorted((int(x), int(y)) for x, y in BOX.map_ports) == [(-2, -3), (-2, 3), (2, -3), (2, 3)]


def test_each_port_has_a_tile(ruleset: RuleSet) -> None:
    """C4: one face up on each port, all different, never the closed-port tile; the other 22 are in the
    pile.
    """
    for n in range(60):
        p = PositionBuilder(ruleset, str(n)).p
        assert len(set(p.ports)) == 4
        assert rules.CLOSED not in p.ports
        assert (p.tiles == rules.PILE).sum() == 22
        assert sorted(p.ports) == [tile for tile in range(26) if p.tiles[tile] == rules.ON_PORT]


def test_any_tile_may_lie_on_a_port(ruleset: RuleSet) -> None:
    """C4: the tiles are shuffled."""
    assert {int(PositionBuilder(ruleset, str(n)).p.ports[2]) for n in range(400)} == set(range(26))


@pytest.mark.slow
def test_the_closed_port_tile_is_equally_often_each_of_the_first_six(ruleset: RuleSet) -> None:
    """C4: it is shuffled among the next five, and these six are on top of the pile."""
    times = dict.fromkeys(range(1, 7), 0)
    for n in range(600):
        t = PositionBuilder(ruleset, str(n), players=2)
        draws = 0
        while rules.CLOSED not in t.p.ports:
            draws += 1
            t.begin("wx").hold(0, letters(BOX.vp_cost[t.p.ports[0]])).play("claim")
        times[draws] += 1
    assert min(times.values()) > 70, times
    assert max(times.values()) < 130, times


def test_bonus_tiles(ruleset: RuleSet) -> None:
    """C5: four of each kind; the points are a pile of 6, 5, 4 and 3."""
    p = PositionBuilder(ruleset).p
    assert list(p.bonus_left) == [4, 4, 4, 4, 4]
    assert list(BOX.bonus_pile) == [6, 5, 4, 3]
    assert not p.bonus.any()


@ANY_NUMBER
def test_what_each_player_starts_with(ruleset: RuleSet, players: int) -> None:
    """C6: no outpost built, an empty hold with room for 10, no tiles; the boat is not on the map yet."""
    p = PositionBuilder(ruleset, players=players).p
    assert not p.built.any()
    assert not p.outposts.any()
    assert not p.hold.any()
    assert [rules.room(p, BOX, seat) for seat in range(players)] == [10] * players
    assert list(p.boats[:players]) == [-1] * players


@pytest.mark.parametrize(
    ("players", "first", "order"),
    [(2, 0, [1, 0]), (3, 1, [0, 2, 1]), (4, 0, [3, 2, 1, 0]), (4, 2, [1, 0, 3, 2])],
)
def test_starting_from_the_right_of_the_first_player_anticlockwise(
    ruleset: RuleSet, players: int, first: int, order: list[int]
) -> None:
    """C7: each takes a lot and puts a boat on the map; then the first player's turn begins."""
    t = PositionBuilder(ruleset, players=players, first=first)
    for n, seat in enumerate(order):
        assert t.p.turn == seat
        assert t.legal() == LOTS[n:]
        t.play(LOTS[n])
        assert t.p.turn == seat
        t.play("sail k")
    assert (t.p.turn, t.p.phase, t.p.round_number) == (first, rules.MOVE, 1)
    assert t.sound()


@pytest.mark.parametrize(("lot", "cubes"), [("one", "YYYY"), ("two", "YYR"), ("three", "RR"), ("four", "YG")])
def test_starting_lots(ruleset: RuleSet, lot: str, cubes: str) -> None:
    """C7: what is in each lot."""
    t = PositionBuilder(ruleset, players=2, first=0).play(f"lot {lot}")
    assert t.cubes(1) == cubes
    assert t.p.hold_size[1] == len(cubes)


@ANY_NUMBER
def test_all_four_lots_are_offered(ruleset: RuleSet, players: int) -> None:
    """C7: whatever the number of players; a lot that was taken is gone."""
    t = PositionBuilder(ruleset, players=players)
    assert t.legal() == LOTS
    assert t.play("lot three", "sail a").legal() == ["lot one", "lot two", "lot four"]


def test_unpicked_lots_go_back(ruleset: RuleSet) -> None:
    """C7: none is offered once the game has begun."""
    t = PositionBuilder(ruleset, players=2, first=0).play("lot one", "sail a", "lot four", "sail b")
    assert not t.p.lots.any()
    assert t.legal("lot") == []


def test_a_boat_starts_on_any_market(ruleset: RuleSet) -> None:
    """C7: any of the 20, not a port; boats may share it, for nothing."""
    t = PositionBuilder(ruleset, players=2, first=0).play("lot one")
    assert t.legal() == sails("abcdefghijklmnopqrst")
    t.play("sail k", "lot four")
    assert "sail k" in t.legal()
    t.play("sail k")
    assert list(t.p.boats[:2]) == [10, 10]
    assert (t.cubes(0), t.cubes(1)) == ("YG", "YYYY")


@pytest.mark.parametrize(("players", "first"), [(2, 1), (3, 2), (4, 3), (4, 0)])
def test_an_option_names_the_first_player(ruleset: RuleSet, players: int, first: int) -> None:
    """C9: the seat named plays first."""
    t = PositionBuilder(ruleset, players=players, first=first)
    assert t.p.first == first
    for lot in LOTS[:players]:
        t.play(lot, "sail c")
    assert t.p.turn == first


@ANY_NUMBER
def test_the_first_player_may_be_drawn(ruleset: RuleSet, players: int) -> None:
    """C9: without a name, each seat may be drawn, about as often as another."""
    drawn = [int(PositionBuilder(ruleset, str(n), players=players, first="draw").p.first) for n in range(200)]
    assert set(drawn) == set(range(players))
    assert min(drawn.count(seat) for seat in range(players)) > 100 / players


@pytest.mark.parametrize("first", [4, -1, "oldest"])
def test_only_a_seat_at_the_table_can_be_named(first: Any) -> None:
    """C9: a seat that is not at the table is refused."""
    with pytest.raises(OptionError, match="first: expected a seat from 0 to 3, or draw"):
        comptoir.new("century", players=4, first=first)


def test_letters_count_cubes() -> None:
    assert letters(counts("YYGB")) == "YYGB"
