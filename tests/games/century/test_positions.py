"""What holds in every position, and which invariant is violated where it does not; boxes unlike the printed one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.errors import DataError
from comptoir.games.century import rules
from tests.games.century.positions import BOX, CENTURY, RED, PositionBuilder, box_of, sails, tables
from tests.games.century.test_map import moved, refused
from tests.games.century.test_move import RING
from tests.games.invariants import Violation, assert_all_shown, assert_valid, assert_violates, ids

# Different numbers of bonus tiles of each kind.
BONUS = {"tiles": {"move": 3, "upgrade": 2, "harvest": 1, "hold": 4}}


def table(players: int = 4) -> PositionBuilder:
    """A game under way: boats, cubes, outposts, a tile claimed."""
    t = (
        PositionBuilder(CENTURY.interpreted, players=players)
        .begin("kabc"[:players])
        .hold(0, "YR")
        .hold(2, "G")
    )
    return t.outpost("a", 1, 2).outpost("t", 2).owns(1, 12)


def change(name: str, place: Any = ..., by: int = 1) -> Callable[[], PositionBuilder]:
    """The position of `table` with one number changed."""

    def changed() -> PositionBuilder:
        t = table()
        if place is ...:
            setattr(t.p, name, int(getattr(t.p, name)) + by)
        else:
            numbers = getattr(t.p, name)
            numbers[place] = int(numbers[place]) + by
        return t

    return changed


def values(of: Callable[[], PositionBuilder] | None = None, **fields: int) -> Callable[[], PositionBuilder]:
    """The position of `table`, or another, with fields set."""

    def changed() -> PositionBuilder:
        t = of() if of else table()
        for name, value in fields.items():
            setattr(t.p, name, value)
        return t

    return changed


def has_four(seat: int, mover: int, first: int = 0, **fields: int) -> Callable[[], PositionBuilder]:
    """A seat has four tiles, and it is the mover's turn."""

    def arranged() -> PositionBuilder:
        t = PositionBuilder(CENTURY.interpreted).begin().close("z").owns(seat, 12, 12, 13, 13).turn(mover)
        t.p.first = first
        for name, value in fields.items():
            setattr(t.p, name, value)
        return t.hold(mover, "Y" * 11) if fields else t

    return arranged


def two_closed() -> PositionBuilder:
    return table().close("y").close("z")


def one_tile_twice() -> PositionBuilder:
    t = table()
    t.p.tiles[t.p.ports[2]] = rules.FIRST_OWNER + 1
    t.p.claimed[1] += 1
    t.p.ports[2] = t.p.ports[3]
    return t


def an_empty_port(tile_in_pile: bool = False) -> Callable[[], PositionBuilder]:
    def arranged() -> PositionBuilder:
        t = PositionBuilder(CENTURY.interpreted).begin()
        t.p.tiles[t.p.ports[3]] = rules.PILE if tile_in_pile else rules.FIRST_OWNER
        t.p.claimed[0] = not tile_in_pile
        t.p.ports[3] = rules.NO_TILE
        return t

    return arranged


def column(tiles: int) -> Callable[[], PositionBuilder]:
    """Of four bonus tiles, all of points, seat 1 has so many, as it should; seat 0 lacks one."""

    def arranged() -> PositionBuilder:
        box = box_of(bonus={"tiles": dict.fromkeys(rules.KINDS[1:], 0)})
        t = PositionBuilder(CENTURY.interpreted, box=box).begin().built(0, 1, 1, 1, 1)
        return t.built(1, tiles, tiles, tiles, tiles).bonus(1, points=tiles)

    return arranged


VIOLATIONS: list[Violation] = [
    (rules.WRONG_PLAYERS, 0, values(players=1)),
    (rules.WRONG_PLAYERS, 0, values(players=5)),
    (rules.WRONG_SIZE, 0, change("hold_size", 0)),
    (rules.WRONG_SIZE, 3, change("hold", (3, RED))),
    (rules.WRONG_ROOM, 3, lambda: table().hold(3, "Y" * 11)),
    (rules.WRONG_BUILT, 2, change("built", (2, 0), by=2)),
    (rules.WRONG_BONUS, 3, lambda: table().built(3, 1, 1, 1, 1)),
    (rules.WRONG_BONUS, 0, lambda: table().bonus(0, hold=1)),
    (rules.WRONG_BONUS, 0, column(3)),
    (rules.WRONG_CLAIMED, 3, change("claimed", 3)),
    (rules.WRONG_BOATS, 3, change("boats", 3, by=-3)),
    (rules.WRONG_MARKETS, 0, lambda: with_a_sixth()),
    (rules.WRONG_OUTPOSTS, 0, lambda: missing_seat("a")),
    (rules.WRONG_OUTPOSTS, 0, lambda: missing_seat("t")),
    *((rules.WRONG_LEFT, 0, change("bonus_left", kind, by=-1)) for kind in range(5)),
    (rules.WRONG_PORTS, 0, change("ports", 0)),
    (rules.WRONG_PORTS, 0, one_tile_twice),
    (rules.WRONG_CLOSED, 0, two_closed),
    (rules.WRONG_CLOSED, 0, an_empty_port(tile_in_pile=True)),
    (rules.WRONG_CLOSED, 0, lambda: PositionBuilder(CENTURY.interpreted).begin().close("w")),
    (rules.WRONG_TURN, 0, values(turn=-1)),
    (rules.WRONG_TURN, 0, values(turn=1)),
    (rules.WRONG_OWED, 0, values(owed=1)),
    (rules.WRONG_OWED, 0, values(phase=rules.PAYING, owed=3)),
    (rules.WRONG_ROUND, 0, values(round_number=0)),
    (rules.WRONG_FOURTH, 2, has_four(2, mover=2)),
    (rules.WRONG_FOURTH, 3, has_four(3, mover=2)),
    (rules.WRONG_FOURTH, 0, has_four(0, mover=1, first=1)),  # seat 0 is the last of this round
    (rules.WRONG_FOURTH, 0, has_four(0, mover=3, first=2)),
]


def with_a_sixth() -> PositionBuilder:
    """A market twice."""
    t = table()
    t.p.markets[10] = t.p.markets[3]
    return t


def missing_seat(space: str) -> PositionBuilder:
    t = table(players=3)
    t.p.outposts[rules.MARKET_SPACES.index(space)] |= 1 << 3
    return t


@pytest.mark.parametrize(("number", "where", "position"), VIOLATIONS, ids=ids(rules.INVARIANTS, VIOLATIONS))
def test_a_position_that_cannot_be_is_refused(
    number: int, where: int, position: Callable[[], PositionBuilder]
) -> None:
    """C1, C2, C4, C6, C14, C15, C17, C20, C30: the first invariant that is violated is named, with the seat."""
    assert_violates(position(), number, where)


@pytest.mark.parametrize(
    "position",
    [
        table,
        values(round_number=200),
        values(phase=rules.PAYING, owed=2),
        lambda: has_moved_with(11),
        an_empty_port(),
        column(4),  # none is left to be taken
        has_four(2, mover=3),
        has_four(1, mover=0, first=1),  # seat 0 is the last of this round
        has_four(2, mover=2, phase=rules.STOWING),
        values(of=lambda: table().hold(1, "Y" * 11), phase=rules.STOWING, turn=1),  # paid, and has too many
    ],
)
def test_a_position_that_can_be_is_valid(position: Callable[[], PositionBuilder]) -> None:
    """C1, C6: no invariant is violated."""
    assert_valid(position())


def has_moved_with(cubes: int) -> PositionBuilder:
    """C20: what a hold can keep counts when a turn starts, and at its end."""
    t = table().hold(0, "Y" * cubes)
    t.p.moved = 1
    return t


def test_every_invariant_is_shown_here() -> None:
    assert_all_shown(rules.INVARIANTS, VIOLATIONS)


@pytest.mark.parametrize("first", [0, 1, 3])
def test_the_setup_is_sound_whoever_plays_first(ruleset: RuleSet, first: int) -> None:
    """C3, C7: whoever sits before the first player chooses a lot first."""
    t = PositionBuilder(ruleset, first=first)
    assert t.p.turn == t.p.mover == (first - 1) % 4
    assert t.sound()


@pytest.mark.parametrize(("number", "share"), [(1, 0.0), (50, 0.0), (51, 1 / 150), (125, 0.5), (200, 1.0)])
def test_how_near_the_guard_is(number: int, share: float) -> None:
    """C34: from round 50 to 200, whoever decides."""
    for seat in (0, 3):
        t = PositionBuilder(CENTURY.interpreted).begin(seat=seat)
        t.p.round_number = number
        assert rules.stall_progress(t.p) == pytest.approx(share)


def test_the_guard_has_ended_a_match_or_not() -> None:
    """C34: whatever round it was."""
    t = PositionBuilder(CENTURY.interpreted).begin()
    t.p.turn, t.p.phase, t.p.round_number = -1, rules.OVER, 100
    for ending, share in ((rules.FOURTH_TILE, 0.0), (rules.ROUND_200, 1.0)):
        t.p.ending = ending
        assert rules.stall_progress(t.p) == share


# Boxes unlike the printed one


def test_another_box_may_have_other_numbers_of_bonus_tiles() -> None:
    """C5: of each kind as many as the box says, and four with points."""
    t = PositionBuilder(CENTURY.interpreted, box=box_of(bonus=BONUS))
    assert list(t.p.bonus_left) == [4, 3, 2, 1, 4]
    assert t.sound()
    t.p.bonus_left[1] -= 1
    assert rules.violated_invariant(t.p, t.box) == (rules.WRONG_LEFT, 0)


def test_brown_cubes_may_be_in_a_lot_and_in_a_harvest(ruleset: RuleSet) -> None:
    """C7, C19: whatever the box says."""
    box = box_of(lots={"one": [0, 0, 1, 2]}, harvest={"cubes": [1, 0, 0, 1]})
    t = PositionBuilder(ruleset, box=box, first=0).play("lot one")
    assert t.cubes(3) == "GBB"
    t = PositionBuilder(ruleset, box=box).begin().play("harvest")
    assert t.cubes(0) == "YB"


def test_the_file_may_fix_the_very_first_market(ruleset: RuleSet) -> None:
    """C8: ginger 1 is a tile like any other; on two spaces it is refused."""
    box = box_of(map={"tiles": ["any", "ginger 1", *["any"] * 18]})
    for n in range(20):
        t = PositionBuilder(ruleset, str(n), box=box)
        assert rules.MARKETS[t.p.markets[1]] == "ginger 1"
        assert t.sound()
    assert "ginger 1 is there more than once" in refused(tiles=["ginger 1", "ginger 1", *["any"] * 18])


@pytest.mark.parametrize("space", [1, 19])
def test_only_the_space_that_lies_askew_is_named(space: int) -> None:
    """C8: the others agree with the first."""
    x, y = CENTURY.components.tables["map"]["markets"][space]
    told = refused(markets=moved(space, x, y + 9))
    assert f"map.markets.{space}: [{x}, {y + 9}] lies half over" in told
    assert told.count("lies half over") == 1


def test_the_last_port_is_named_if_it_lies_askew() -> None:
    """C8: and nothing else."""
    *ports, (x, y) = CENTURY.components.tables["map"]["ports"]
    told = refused(ports=[*ports, [x, y + 9]])
    assert f"map.ports.3: [{x}, {y + 9}] lies half over" in told
    assert told.count("lies half over") == 1


def test_a_corner_of_its_own_is_apart_from_the_rest() -> None:
    """C8: what cannot be reached from A is named, however little can be."""
    markets = moved(0, 41, 0)
    markets[2], markets[3] = [41, 2], [42, 1]
    assert "these cannot be reached from A: B, E, F, " in refused(markets=markets)


def test_every_tile_costs_something() -> None:
    """C17: the last one too."""
    cost = [*CENTURY.components.tables["vp"]["cost"][:25], [0, 0, 0, 0]]
    with pytest.raises(DataError, match=r"vp\.cost\.25: a tile must cost something"):
        CENTURY.read_components(tables(vp={"cost": cost}))


def test_distances_are_the_same_there_and_back() -> None:
    """C10: between any two spaces, ports too."""
    distance = box_of().distance
    assert (distance == distance.T).all()
    assert distance.max() < rules.FAR


# Where a move may lead: C25


def test_two_players_block_each_other_too(ruleset: RuleSet) -> None:
    """C25: without a cube, B is out of reach: its boat could not be paid."""
    assert PositionBuilder(ruleset, players=2).begin("ab").legal("sail") == sails("dew")
    assert "sail b" in PositionBuilder(ruleset, players=2).begin("ab").hold(0, "Y").legal()


def test_a_free_step_that_leads_to_other_boats_is_no_way_out(ruleset: RuleSet) -> None:
    """C25: on a ring, D holds a boat, and so do the spaces on both sides of it."""
    t = PositionBuilder(ruleset, box=box_of(map=RING)).begin("edce").bonus(0, move=1).turn(0)
    assert t.legal("sail") == sails("f")


def test_a_port_may_be_the_only_way_out(ruleset: RuleSet) -> None:
    """C25, C11: Z, beyond A, costs nothing; B, on the other side, holds a boat."""
    t = PositionBuilder(ruleset, box=box_of(map=RING)).begin("babt").bonus(0, move=1).turn(0)
    assert t.legal("sail") == sails("ac")


def adrift(ruleset: RuleSet, boats: str, cubes: str, box: Any = BOX) -> list[str]:
    """Where a cube that was just dropped may lead, with those that are left."""
    t = PositionBuilder(ruleset, box=box).begin(boats).hold(0, cubes)
    t.p.phase, t.p.moved, t.p.free = rules.ADRIFT, 1, 0
    return t.legal("sail")


def test_a_dropped_cube_leads_where_the_rest_can_pay_or_lead_on(ruleset: RuleSet) -> None:
    """C25: two boats on K and one cube: on to a space beyond; no cube, and one boat there: not to K."""
    assert "sail k" in adrift(ruleset, "jkka", "Y")
    assert "sail k" not in adrift(ruleset, "jkaa", "")
    assert adrift(ruleset, "edce", "Y", box_of(map=RING)) == sails("df")  # the boat on D can be paid


def test_without_cubes_there_is_none_to_drop() -> None:
    """C10: nor if there is only one, and then no way on."""
    assert not rules.can_sail_on(PositionBuilder(CENTURY.interpreted).begin().p, BOX)
    assert rules.can_sail_on(PositionBuilder(CENTURY.interpreted).begin().hold(0, "Y").p, BOX)
