"""Markets, bonus tiles, harvest and the hold: C14 to C16, C19 to C22, C24."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.century import rules
from tests.games.century.positions import BOX, PositionBuilder, box_of

ANY_NUMBER = pytest.mark.parametrize("players", [2, 3, 4])


def at_market(ruleset: RuleSet, tile: str = "ginger 1", cubes: str = "", players: int = 4) -> PositionBuilder:
    """Seat 0 is on K, on a market tile, with these cubes; the others are in port Z."""
    return PositionBuilder(ruleset, players=players).begin("kzzz").market("k", tile).hold(0, cubes)


# Outposts


@pytest.mark.parametrize(
    ("players", "others", "cost"),
    [
        (2, (), 0),
        (2, (1,), 2),
        (3, (), 0),
        (3, (2,), 1),
        (3, (1, 2), 2),
        (4, (3,), 1),
        (4, (1, 3), 2),
        (4, (1, 2, 3), 3),
    ],
)
def test_what_an_outpost_costs(ruleset: RuleSet, players: int, others: tuple[int, ...], cost: int) -> None:
    """C14: 1 cube for each outpost on the tile, 2 with 2 players; who has fewer cannot build."""
    t = at_market(ruleset, players=players).outpost("k", *others)
    t.hold(0, "B" * cost)
    t.play("build", *["pay brown"] * cost)
    assert rules.has_outpost(t.p, rules.SPACES.index("k"), 0)
    assert t.p.hold[0].sum() == 0
    assert t.sound()
    if cost:
        t = at_market(ruleset, players=players).outpost("k", *others).hold(0, "B" * (cost - 1))
        assert t.legal("build") == []


def test_the_cubes_are_of_ones_choice_and_go_to_the_supply(ruleset: RuleSet) -> None:
    """C14: nobody gets them, and they do not lie on the tile."""
    t = at_market(ruleset, cubes="YRB").outpost("k", 1, 2).play("build")
    assert t.legal() == ["pay yellow", "pay red", "pay brown"]
    t.play("pay brown")
    assert t.legal() == ["pay yellow", "pay red"]
    t.play("pay yellow")
    assert (t.cubes(0), t.cubes(1), t.cubes(2), t.lying("k")) == ("R", "", "", "")


def test_one_outpost_of_a_player_on_a_tile(ruleset: RuleSet) -> None:
    """C14: who has one there cannot build another."""
    assert at_market(ruleset, cubes="RRR").outpost("k", 0).legal("build") == []


def test_building_is_optional(ruleset: RuleSet) -> None:
    """C14: one may leave it."""
    assert {"build", "end"} <= set(at_market(ruleset).legal())


@pytest.mark.parametrize(("tile", "row"), [("ginger 2", 0), ("chili 4", 1), ("tea 6", 2), ("cloves 1", 3)])
def test_the_outpost_comes_from_the_row_of_the_icon(ruleset: RuleSet, tile: str, row: int) -> None:
    """C14: the leftmost one left."""
    t = at_market(ruleset, tile).play("build")
    assert list(t.p.built[0]) == [int(n == row) for n in range(4)]
    assert t.points()[0] == 0  # the leftmost cell is worth nothing


def test_cells_are_uncovered_from_the_left(ruleset: RuleSet) -> None:
    """C14, C31: the values of a row, one after the other: 0, 1, 2, 2 and 3."""
    points = []
    for outposts in range(6):
        points.append(at_market(ruleset).built(0, tea=outposts).points()[0])
    assert points == [0, 0, 1, 3, 5, 8]


def test_no_outpost_in_a_port(ruleset: RuleSet) -> None:
    """C14: only on markets."""
    assert at_market(ruleset, cubes="YYY").at(0, "w").legal("build", "trade") == []


# Bonus tiles


def almost(ruleset: RuleSet, columns: int = 0, cubes: str = "") -> PositionBuilder:
    """Seat 0, on K with a ginger market, has emptied some columns, and of the next one all but the ginger
    outpost.
    """
    t = at_market(ruleset, "ginger 1", cubes)
    t.built(0, columns, columns + 1, columns + 1, columns + 1, but="k")
    return t.bonus(0, **({"harvest": columns} if columns else {})).turn(0)


@pytest.mark.parametrize("columns", [0, 1, 2, 3, 4])
def test_an_empty_column_brings_a_bonus_tile(ruleset: RuleSet, columns: int) -> None:
    """C15: at once, one of those left; it has to be taken."""
    t = almost(ruleset, columns).play("build")
    kinds = (
        ["points", "move", "upgrade", "harvest", "hold"]
        if columns < 4
        else ["points", "move", "upgrade", "hold"]
    )
    assert t.legal() == [f"bonus {kind}" for kind in kinds]
    assert t.sound()
    t.play("bonus hold")
    assert (t.p.bonus[0, rules.HOLD], t.p.bonus_left[rules.HOLD]) == (1, 3)
    assert t.sound()


@pytest.mark.parametrize("rows", [(4, 0, 3, 3), (0, 0, 1, 1), (0, 1, 0, 1), (0, 5, 5, 0), (2, 3, 3, 2)])
def test_a_column_is_empty_when_all_rows_are(ruleset: RuleSet, rows: tuple[int, int, int, int]) -> None:
    """C15: with an outpost left in it, in whichever row, it brings nothing.

    (The outpost built is a ginger one.)
    """
    t = at_market(ruleset, "ginger 1").built(0, *rows, but="k").bonus(0, move=min(rows)).play("build")
    assert (t.p.phase, t.p.turn) == (rules.MOVE, 1)


def test_an_outpost_of_another_column_brings_nothing(ruleset: RuleSet) -> None:
    """C15: the first column was empty before."""
    t = at_market(ruleset, "ginger 1").built(0, 1, 1, 1, 1, but="k").bonus(0, hold=1).play("build")
    assert t.p.turn == 1


def test_the_same_kind_may_be_taken_again(ruleset: RuleSet) -> None:
    """C15: while there are any."""
    t = almost(ruleset, 2).play("build", "bonus harvest")
    assert t.p.bonus[0, rules.RED_HARVEST] == 3


def test_of_the_points_only_the_top(ruleset: RuleSet) -> None:
    """C15, C5: 6, then 5, 4 and 3; then no more."""
    points = []
    for taken in range(4):
        t = almost(ruleset).bonus(1, points=taken).play("build", "bonus points")
        points.append(int(t.p.bonus_points[0]))
    assert points == [6, 5, 4, 3]
    assert "bonus points" not in almost(ruleset).bonus(1, points=4).play("build").legal()


def test_none_left_none_taken(ruleset: RuleSet) -> None:
    """C15: with other components the bonus tiles may run out."""
    box = box_of(bonus={"tiles": dict.fromkeys(rules.KINDS[1:], 0)})
    t = (
        PositionBuilder(ruleset, box=box)
        .begin("kzzz")
        .market("k", "ginger 1")
        .built(0, 0, 1, 1, 1, but="k")
        .bonus(1, points=4)
        .play("build")
    )
    assert (t.p.turn, t.p.bonus[0].sum()) == (1, 0)


def test_all_bonus_tiles_can_be_taken_but_no_more(ruleset: RuleSet) -> None:
    """C15: 20 tiles, for 4 players with 5 columns each."""
    assert PositionBuilder(ruleset).p.bonus_left.sum() == 4 * rules.IN_PLAY


# Trades


def test_a_trade_needs_an_outpost(ruleset: RuleSet) -> None:
    """C16: cubes alone are not enough."""
    assert at_market(ruleset, "ginger 1", "YYYY").legal("trade") == []
    assert at_market(ruleset, "ginger 1", "YYYY").outpost("k", 1).legal("trade") == []
    assert at_market(ruleset, "ginger 1", "YYYY").outpost("k", 0).legal("trade") == ["trade"]


@pytest.mark.parametrize(("cubes", "left"), [("YY", "G"), ("YYYYR", "RGG"), ("YYYYY", "YGG")])
def test_a_trade_may_be_made_as_often_as_the_cubes_last(ruleset: RuleSet, cubes: str, left: str) -> None:
    """C16: then the turn is over."""
    t = at_market(ruleset, "ginger 1", cubes).outpost("k", 0)
    while t.p.turn == 0:
        t.play("trade")
    assert t.cubes(0) == left


def test_a_trade_may_be_made_less_often(ruleset: RuleSet) -> None:
    """C16: once is enough."""
    t = at_market(ruleset, "ginger 1", "YYYY").outpost("k", 0).play("trade")
    assert t.legal() == ["trade", "end"]
    assert t.play("end").cubes(0) == "YYG"


def test_building_without_trading(ruleset: RuleSet) -> None:
    """C16: a full market action."""
    t = at_market(ruleset, "ginger 1", "YYYY").play("build")
    assert t.legal() == ["trade", "end"]
    t.play("end")
    assert (t.p.turn, t.cubes(0)) == (1, "YYYY")


def test_building_and_trading(ruleset: RuleSet) -> None:
    """C16, C14: in one action."""
    t = at_market(ruleset, "cloves 1", "BB").play("build", "trade", "trade")
    assert (t.p.turn, t.cubes(0)) == (1, "YYRRGG")


def test_trading_at_an_earlier_outpost_only(ruleset: RuleSet) -> None:
    """C16: the tile where the boat is."""
    t = at_market(ruleset, "ginger 1", "YY").outpost("j", 0)
    assert t.legal("trade") == []


@pytest.mark.parametrize("tile", range(24))
def test_every_trade(ruleset: RuleSet, tile: int) -> None:
    """C16: gives what the tile shows for what it shows."""
    t = at_market(ruleset, rules.MARKETS[tile]).outpost("k", 0)
    t.p.hold[0], t.p.hold_size[0] = BOX.trades[tile, rules.PAYS], BOX.trades[tile, rules.PAYS].sum()
    t.play("trade")
    assert list(t.p.hold[0]) == list(BOX.trades[tile, rules.GETS])
    assert t.p.hold_size[0] == t.p.hold[0].sum()


@pytest.mark.parametrize("tile", range(24))
def test_a_trade_needs_all_its_cubes(ruleset: RuleSet, tile: int) -> None:
    """C16: one fewer will not do."""
    t = at_market(ruleset, rules.MARKETS[tile]).outpost("k", 0)
    for cube in range(4):
        if BOX.trades[tile, rules.PAYS, cube]:
            t.p.hold[0] = 5
            t.p.hold[0, cube] = BOX.trades[tile, rules.PAYS, cube] - 1
            assert t.legal("trade") == []


# Harvest


@pytest.mark.parametrize("space", ["k", "w"])
def test_a_harvest_gives_two_yellow_cubes(ruleset: RuleSet, space: str) -> None:
    """C19: on any tile."""
    t = at_market(ruleset, cubes="R").at(0, space).play("harvest")
    assert (t.cubes(0), t.p.turn) == ("YYR", 1)


def test_a_harvest_in_a_closed_port(ruleset: RuleSet) -> None:
    """C19: there too."""
    assert at_market(ruleset).at(0, "w").close("w").play("harvest").cubes(0) == "YY"


@pytest.mark.parametrize(("tiles", "cubes"), [(1, "YYR"), (2, "YYRR"), (4, "YYRRRR")])
def test_red_harvest(ruleset: RuleSet, tiles: int, cubes: str) -> None:
    """C21: 1 red cube more for each tile."""
    assert at_market(ruleset).bonus(0, harvest=tiles).play("harvest").cubes(0) == cubes


# The hold


def test_a_hold_too_full_is_reduced_at_the_end_of_the_turn(ruleset: RuleSet) -> None:
    """C20: to 10, its owner choosing what goes back."""
    t = at_market(ruleset, cubes="YYYYYYYYRG").play("harvest")
    assert (t.p.turn, t.p.phase) == (0, rules.STOWING)
    assert t.legal() == ["discard yellow", "discard red", "discard green"]
    t.play("discard red", "discard yellow")
    assert (t.p.turn, t.p.phase, t.cubes(0)) == (1, rules.MOVE, "YYYYYYYYYG")
    assert t.lying("k") == ""


def test_a_full_hold_is_not_too_full(ruleset: RuleSet) -> None:
    """C20: exactly 10 may stay."""
    t = at_market(ruleset, cubes="RRRRRRRR").play("harvest")
    assert (t.p.turn, t.p.hold_size[0]) == (1, 10)


@pytest.mark.parametrize(("tiles", "room"), [(0, 10), (1, 13), (2, 16), (4, 22)])
def test_room_in_a_hold(ruleset: RuleSet, tiles: int, room: int) -> None:
    """C20, C21: 10, and 3 more for each hold tile."""
    t = at_market(ruleset, cubes="R" * (room - 2)).bonus(0, hold=tiles).play("harvest")
    assert t.p.turn == 1
    t = at_market(ruleset, cubes="R" * (room - 1)).bonus(0, hold=tiles).play("harvest")
    assert (t.p.turn, t.p.phase) == (0, rules.STOWING)


def test_within_a_turn_a_hold_may_overflow(ruleset: RuleSet) -> None:
    """C20: trades may go beyond it and come back."""
    t = at_market(ruleset, "tea 3", "GGGGGGGGGG").outpost("k", 0).play("trade", "trade", "trade")
    assert t.p.hold_size[0] == 22
    t.play("end")
    assert t.p.phase == rules.STOWING
    t.play(*["discard yellow"] * 12)
    assert (t.p.turn, t.p.hold_size[0]) == (1, 10)


def test_who_was_paid_puts_back_too_after_the_mover(ruleset: RuleSet) -> None:
    """C20: the mover first, then clockwise; then the next turn is the one after the mover's."""
    t = (
        PositionBuilder(ruleset)
        .begin("kfkk", seat=1)
        .hold(0, "G" * 10)
        .hold(1, "Y" * 10)
        .hold(2, "B" * 9)
        .hold(3, "G" * 10)
    )
    t.play("sail k", "pay yellow", "pay yellow", "pay yellow", "harvest")
    assert (t.p.turn, t.p.mover, t.p.phase) == (3, 1, rules.STOWING)
    t.play("discard green")
    assert (t.p.turn, t.p.mover) == (0, 1)
    t.play("discard yellow")
    assert (t.p.turn, t.p.mover, t.p.phase) == (2, 2, rules.MOVE)
    assert [t.cubes(seat) for seat in range(4)] == ["G" * 10, "Y" * 9, "Y" + "B" * 9, "Y" + "G" * 9]


def test_the_mover_puts_back_first(ruleset: RuleSet) -> None:
    """C20: before who was paid."""
    t = (
        PositionBuilder(ruleset)
        .begin("kfzz", seat=1)
        .hold(0, "G" * 10)
        .hold(1, "Y" * 10)
        .play("sail k", "pay yellow", "harvest")
    )
    assert t.legal() == ["discard yellow"]
    assert t.p.turn == 1
    assert t.play("discard yellow").p.turn == 0


# Upgrades, and the order of things


def upgrading(ruleset: RuleSet, tiles: int, cubes: str, tile: str = "cloves 1") -> PositionBuilder:
    """Seat 0 has upgrade tiles and builds on K."""
    return at_market(ruleset, tile, cubes).bonus(0, upgrade=tiles).play("build")


@pytest.mark.parametrize(("cube", "after"), [("yellow", "RRGB"), ("red", "YGGB"), ("green", "YRBB")])
def test_an_upgrade_raises_a_cube_by_one_level(ruleset: RuleSet, cube: str, after: str) -> None:
    """C22, C21: yellow to red, red to green, green to brown; not brown."""
    t = upgrading(ruleset, 1, "YRGB", "chili 6")
    assert t.legal() == ["upgrade yellow", "upgrade red", "upgrade green", "end"]
    t.play(f"upgrade {cube}")
    assert t.cubes(0) == after
    assert t.p.hold_size[0] == 4
    assert t.p.turn == 1


def test_brown_cannot_be_upgraded(ruleset: RuleSet) -> None:
    """C22: with brown cubes alone there is nothing to upgrade."""
    t = upgrading(ruleset, 2, "BB", "ginger 1")
    assert t.p.turn == 1


def test_upgrading_is_optional(ruleset: RuleSet) -> None:
    """C21: one may end the turn, or trade at once."""
    t = upgrading(ruleset, 1, "YYYY", "ginger 1")
    assert t.legal() == ["upgrade yellow", "trade", "end"]
    assert t.play("trade").legal() == ["trade", "end"]


def test_upgrades_come_before_trades(ruleset: RuleSet) -> None:
    """C24: what is upgraded may be traded."""
    t = upgrading(ruleset, 1, "YRR", "chili 6").play("upgrade yellow", "trade")
    assert t.cubes(0) == "BB"


def test_two_tiles_may_raise_the_same_cube_twice(ruleset: RuleSet) -> None:
    """C24, C21: each gives one upgrade for the outpost."""
    t = upgrading(ruleset, 2, "Y", "ginger 1").play("upgrade yellow")
    assert t.legal() == ["upgrade red", "end"]
    assert t.play("upgrade red").cubes(0) == "G"
    assert t.p.turn == 1


def test_upgrades_need_an_outpost_built_now(ruleset: RuleSet) -> None:
    """C21: not with an earlier one, nor on a harvest."""
    t = at_market(ruleset, "ginger 1", "YYYY").outpost("k", 0).bonus(0, upgrade=2)
    assert t.legal("upgrade") == []
    assert t.play("trade").legal() == ["trade", "end"]


def test_the_outpost_is_paid_before_the_upgrade(ruleset: RuleSet) -> None:
    """C24: the cube that pays cannot be upgraded."""
    t = at_market(ruleset, "ginger 1", "Y").outpost("k", 1).bonus(0, upgrade=1).play("build")
    assert t.legal() == ["pay yellow"]
    assert t.play("pay yellow").p.turn == 1


def test_the_bonus_tile_comes_before_upgrades_and_trades(ruleset: RuleSet) -> None:
    """C24: in this order."""
    t = almost(ruleset, 0, "YYYY")
    t.outpost("k", 1).play("build")
    assert t.legal() == ["pay yellow"]
    t.play("pay yellow")
    assert t.p.phase == rules.BONUS_PHASE
    assert t.play("bonus move").legal() == ["trade", "end"]


def test_an_upgrade_tile_does_not_work_for_the_outpost_that_earned_it(ruleset: RuleSet) -> None:
    """C24: only for later ones; those held before do work."""
    t = almost(ruleset, 0, "YYY").play("build", "bonus upgrade")
    assert t.legal() == ["trade", "end"]
    t = almost(ruleset, 0, "YYY")
    t.bonus(0, upgrade=1).play("build", "bonus upgrade")
    assert t.p.upgrades == 1


def test_a_hold_tile_counts_at_the_end_of_the_same_turn(ruleset: RuleSet) -> None:
    """C24, C20: with room for 13, nothing goes back."""
    t = almost(ruleset, 0, "R" * 7)
    t.lay("f", "RRRRRR").at(0, "e").lay("k", "RRRRRR").turn(0)
    t.play("sail k", *["take red"] * 6, "build", "bonus hold")
    assert (t.p.turn, t.p.hold_size[0]) == (1, 13)


def test_an_extra_move_works_from_the_next_turn(ruleset: RuleSet) -> None:
    """C24, C21: the move of this turn is over."""
    t = almost(ruleset).play("build", "bonus move")
    assert t.p.turn == 1
    assert t.turn(0).p.free == 2
