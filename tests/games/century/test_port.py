"""Ports and the closed-port tile: C17, C18, C26."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.century import rules
from tests.games.century.positions import BOX, PositionBuilder, letters


def in_port(ruleset: RuleSet, cubes: str = "YYGGG", port: str = "w") -> PositionBuilder:
    """Seat 0 is in a port whose tile costs YYGGG; all other tiles that come up may be the closed-port
    tile.
    """
    return PositionBuilder(ruleset).begin(f"{port}aaa").tile(port, "YYGGG", 11).hold(0, cubes)


def test_a_tile_is_claimed_for_the_cubes_it_shows(ruleset: RuleSet) -> None:
    """C17: they go back, the tile is taken, and the turn is over."""
    t = in_port(ruleset, "YYYRGGGB").play("claim")
    assert (t.cubes(0), t.p.claimed[0], t.points()[0]) == ("YRB", 1, 11 + 2)
    assert t.p.turn == 1
    assert t.sound()


@pytest.mark.parametrize("cubes", ["", "YGGG", "YYGG", "YRGGG", "RRRRBBBB"])
def test_all_its_cubes_are_needed(ruleset: RuleSet, cubes: str) -> None:
    """C17: exactly those shown; better ones do not stand in."""
    assert in_port(ruleset, cubes).legal("claim") == []


@pytest.mark.parametrize("tile", range(26))
def test_every_tile(ruleset: RuleSet, tile: int) -> None:
    """C17, C31: costs what it shows and is worth what it shows."""
    cubes = letters(BOX.vp_cost[tile])
    t = (
        PositionBuilder(ruleset)
        .begin("waaa")
        .tile("w", cubes, int(BOX.vp_points[tile]))
        .hold(0, cubes)
        .play("claim")
    )
    assert (t.cubes(0), t.points()[0]) == ("", BOX.vp_points[tile])
    assert t.p.tiles[tile] == rules.FIRST_OWNER


def test_not_on_a_market(ruleset: RuleSet) -> None:
    """C17: the boat must be in the port."""
    assert PositionBuilder(ruleset).begin("aaaa").hold(0, "YYYYRRRRGGGGGBBBBB").legal("claim") == []


def test_the_tile_of_this_port(ruleset: RuleSet) -> None:
    """C17: not of another."""
    t = PositionBuilder(ruleset).begin("xaaa").tile("w", "YYGGG", 11).tile("x", "BBBBB", 20).hold(0, "YYGGG")
    assert t.legal("claim") == []


def test_the_next_tile_is_drawn(ruleset: RuleSet) -> None:
    """C17: for that port; the other ports keep theirs."""
    t = in_port(ruleset).draws(2).next_roll(4, 1)
    before = [t.port(port) for port in "xyz"]
    t.play("claim")
    assert t.port("w") not in (None, "closed")
    assert t.p.tiles[t.p.ports[0]] == rules.ON_PORT
    assert [t.port(port) for port in "xyz"] == before
    assert (t.p.tiles == rules.PILE).sum() == 22 - 3


def test_one_tile_in_a_turn(ruleset: RuleSet) -> None:
    """C17: the turn ends with it, however many cubes are left."""
    t = in_port(ruleset, "YYYRRRGGGBBB").play("claim")
    assert t.p.turn == 1


@pytest.mark.parametrize("drawn", range(6))
def test_the_closed_port_tile_comes_up_among_the_first_six(ruleset: RuleSet, drawn: int) -> None:
    """C18, C4: with one chance in as many as are left of the six; at the sixth draw it is certain."""
    t = in_port(ruleset).draws(drawn).next_roll(6 - drawn, 0).play("claim")
    assert t.port("w") == "closed"
    assert (t.p.tiles == rules.PILE).sum() == 22 - drawn
    assert t.sound()


@pytest.mark.parametrize("drawn", range(5))
def test_or_another_tile_comes_up(ruleset: RuleSet, drawn: int) -> None:
    """C18, C4: until the sixth draw it may be any other."""
    t = in_port(ruleset).draws(drawn).next_roll(6 - drawn, 1).play("claim")
    assert "closed" not in [t.port(port) for port in "wxyz"]
    assert t.sound()


def test_nothing_can_be_claimed_in_a_closed_port(ruleset: RuleSet) -> None:
    """C18: with all the cubes there are."""
    t = in_port(ruleset, "YYYYRRRRGGGGGBBBBB").close("w")
    assert t.legal("claim") == []
    assert t.legal("harvest") == ["harvest"]


@pytest.mark.parametrize("closed", ["x", "y", "z"])
def test_the_closed_port_tile_moves(ruleset: RuleSet, closed: str) -> None:
    """C18: to the port where a tile was claimed; the new tile goes to the port that it leaves."""
    t = in_port(ruleset).close(closed)
    others = {port: t.port(port) for port in "xyz" if port != closed}
    t.play("claim")
    assert t.port("w") == "closed"
    assert t.port(closed) not in ("closed", None)
    assert {port: t.port(port) for port in others} == others
    assert t.sound()


def test_it_moves_every_time(ruleset: RuleSet) -> None:
    """C18: and comes up only once."""
    t = in_port(ruleset).close("x").play("claim")
    for port in ("x", "y", "z", "x"):
        t.begin(f"{port}aaa").hold(0, letters(BOX.vp_cost[t.p.ports[rules.PORTS.index(port)]])).play("claim")
        assert [p for p in "wxyz" if t.port(p) == "closed"] == [port]


def test_with_an_empty_pile_the_port_stays_empty(ruleset: RuleSet) -> None:
    """C17: nothing can be claimed there any more.

    (The closed-port tile is long out by then, on another port.)
    """
    t = in_port(ruleset).close("x").empty_pile().play("claim")
    assert (t.port("w"), t.port("x")) == ("closed", None)
    t.begin("xaaa").hold(0, "YYYYRRRRGGGGGBBBBB")
    assert t.legal("claim") == []


def test_an_empty_pile_without_a_closed_port(ruleset: RuleSet) -> None:
    """C17: the port where the tile was claimed stays empty."""
    t = in_port(ruleset)
    t.empty_pile()
    rules.turn_up_tile(t.p, 0, False, t.dice)
    assert t.port("w") is None


@pytest.mark.parametrize("closed", ["x", "z"])
def test_with_an_empty_pile_the_closed_port_tile_still_moves(ruleset: RuleSet, closed: str) -> None:
    """C26: to the port just emptied; the port it leaves stays empty."""
    t = in_port(ruleset).close(closed).empty_pile().play("claim")
    assert (t.port("w"), t.port(closed)) == ("closed", None)
    assert [port for port in "xyz" if t.port(port) is None] == [closed]
