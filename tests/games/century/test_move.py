"""The move: C10 to C13, C23, C25."""

from __future__ import annotations

import random

import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.games.century import rules
from tests.games.century.positions import BOX, PositionBuilder, box_of, random_match, sails

# A corner of the map: port W lies next to A, C and D. K, in the middle, next to E, F, J, L, P and Q.
AROUND_K = "efjlpq"
ACTS = ["build", "harvest", "end"]


def alone(ruleset: RuleSet, space: str = "k", cubes: str = "", players: int = 2) -> PositionBuilder:
    """Seat 0 is to move from a space, with some cubes; the others are far away, in port Z."""
    return PositionBuilder(ruleset, players=players).begin(space + "zzz").hold(0, cubes)


# Steps


def test_the_first_step_goes_to_any_space_beside(ruleset: RuleSet) -> None:
    """C10: for nothing, also without cubes."""
    t = alone(ruleset)
    assert t.legal("sail") == sails(AROUND_K)
    t.play("sail f")
    assert t.p.boats[0] == rules.SPACES.index("f")


@pytest.mark.parametrize(
    ("space", "beside"),
    [("a", "bdew"), ("h", "cin"), ("w", "acd"), ("z", "rtq"), ("m", "glr"), ("s", "opty")],
)
def test_spaces_that_lie_side_by_side(ruleset: RuleSet, space: str, beside: str) -> None:
    """C10: on the first map."""
    assert alone(ruleset, space).at(1, "k").legal("sail") == sails(
        "".join(s for s in "abcdefghijklmnopqrstwxyz" if s in beside)
    )


def test_a_further_step_costs_a_cube(ruleset: RuleSet) -> None:
    """C10: of one's choice, left on the tile that the boat leaves."""
    t = alone(ruleset, cubes="YGG").play("sail f")
    assert t.legal("sail", "drop") == ["drop yellow", "drop green"]
    t.play("drop green")
    assert (t.cubes(0), t.lying("f"), t.lying("k")) == ("YG", "G", "")
    assert t.legal() == sails("begklx")
    assert t.play("sail x").legal("drop") == ["drop yellow", "drop green"]


def test_each_further_step_costs_one(ruleset: RuleSet) -> None:
    """C10: as long as cubes last."""
    t = alone(ruleset, cubes="YG").play("sail f", "drop green", "sail e", "drop yellow", "sail d")
    assert (t.cubes(0), t.lying("f"), t.lying("e"), t.lying("d")) == ("", "G", "Y", "")
    assert t.legal("sail", "drop") == []


def test_no_cubes_no_further_steps(ruleset: RuleSet) -> None:
    """C10: the one free step is all there is."""
    assert alone(ruleset).play("sail f").legal() == ACTS


@pytest.mark.parametrize("tiles", [1, 2, 4])
def test_extra_moves_are_free_steps(ruleset: RuleSet, tiles: int) -> None:
    """C10, C21: one more for each tile; nothing is dropped on them, and they come first."""
    t = alone(ruleset, cubes="Y").bonus(0, move=tiles).turn(0)
    for _ in range(tiles):
        t.play("sail f" if t.p.boats[0] == rules.SPACES.index("k") else "sail k")
        assert t.legal("drop") == []
        assert t.legal("sail")
    t.play("sail f" if t.p.boats[0] == rules.SPACES.index("k") else "sail k")
    assert t.legal("sail", "drop") == ["drop yellow"]


def test_extra_moves_are_there_in_every_turn(ruleset: RuleSet) -> None:
    """C10: the next turn has as many again, and other seats have their own."""
    t = alone(ruleset).bonus(0, move=1).turn(0).play("sail f", "sail k", "end")
    assert (t.p.turn, t.p.free) == (1, 1)
    t.play("end")
    assert (t.p.turn, t.p.free, t.p.moved) == (0, 2, 0)


def test_moving_is_optional(ruleset: RuleSet) -> None:
    """C13: an action where one is, or nothing at all."""
    assert alone(ruleset).legal() == [*sails(AROUND_K), *ACTS]
    assert alone(ruleset).play("end").p.turn == 1


@pytest.mark.parametrize("action", ["harvest", "build", "end"])
def test_one_action_ends_the_turn(ruleset: RuleSet, action: str) -> None:
    """C13: then the next player's turn begins. (With no cubes, an outpost gives nothing to trade.)"""
    t = alone(ruleset).market("k", "cloves 1").play(action)
    assert (t.p.turn, t.p.phase, t.p.moved) == (1, rules.MOVE, 0)


def test_no_move_after_the_action(ruleset: RuleSet) -> None:
    """C13: first the move, then the action."""
    t = alone(ruleset, cubes="YYYYYY").market("k", "ginger 1").play("build")
    assert t.legal() == ["trade", "end"]


# Paying


def crowded(ruleset: RuleSet, cubes: str) -> PositionBuilder:
    """Seat 0, next to K with these cubes; seats 1 and 3 have boats on K, seat 2 is far away."""
    return PositionBuilder(ruleset).begin("fkzk").hold(0, cubes)


def test_ending_on_a_market_with_boats_costs_a_cube_each(ruleset: RuleSet) -> None:
    """C11: of one's choice, to each owner, clockwise."""
    t = crowded(ruleset, "YRG").play("sail k")
    assert t.legal() == ["drop yellow", "drop red", "drop green", "pay yellow", "pay red", "pay green"]
    t.play("pay red")
    assert t.legal() == ["pay yellow", "pay green"]
    t.play("pay green")
    assert [t.cubes(seat) for seat in range(4)] == ["Y", "R", "", "G"]
    assert t.legal() == ACTS
    assert t.sound()


@pytest.mark.parametrize(
    ("mover", "boats", "order"),
    [(0, "fkkk", [1, 2, 3]), (1, "kfkk", [2, 3, 0]), (2, "kzfk", [3, 0]), (3, "kkzf", [0, 1])],
)
def test_owners_are_paid_clockwise(ruleset: RuleSet, mover: int, boats: str, order: list[int]) -> None:
    """C11: from the mover's left."""
    t = (
        PositionBuilder(ruleset)
        .begin(boats, seat=mover)
        .hold(mover, "YRG")
        .play("sail k", *["pay yellow", "pay red", "pay green"][: len(order)])
    )
    assert [t.cubes(seat) for seat in order] == ["Y", "R", "G"][: len(order)]


def test_nothing_but_paying_or_going_on(ruleset: RuleSet) -> None:
    """C11, C12: no cubes are taken, and no action begins, before all are paid."""
    t = crowded(ruleset, "YRG").lay("k", "B").play("sail k")
    assert t.legal("take", "build", "harvest", "end") == []
    t.play("pay red")
    assert t.legal("take", "build", "harvest", "end", "drop") == []
    t.play("pay green")
    assert t.legal() == ["take brown", *ACTS]


def test_who_cannot_pay_all_may_not_end_there(ruleset: RuleSet) -> None:
    """C11, C25: with one cube for two boats one has to go on, and can: the cube pays for the step."""
    t = crowded(ruleset, "Y").play("sail k")
    assert t.legal() == ["drop yellow"]
    assert t.play("drop yellow").legal() == sails(AROUND_K)


def test_cubes_on_the_tile_do_not_pay(ruleset: RuleSet) -> None:
    """C25, C12: they are taken after paying."""
    t = crowded(ruleset, "Y").lay("k", "YYYY").play("sail k")
    assert t.legal() == ["drop yellow"]


def test_ports_cost_nothing(ruleset: RuleSet) -> None:
    """C11: however many boats are there."""
    t = PositionBuilder(ruleset).begin("awww").play("sail w")
    assert t.legal() == ["harvest", "end"]


def test_boats_passed_cost_nothing(ruleset: RuleSet) -> None:
    """C23: only where the move ends."""
    t = crowded(ruleset, "YY").play("sail k", "drop yellow", "sail l")
    assert t.legal() == ["drop yellow", *ACTS]
    assert [t.cubes(seat) for seat in (1, 3)] == ["", ""]


@pytest.mark.parametrize("boats", ["kkzz", "kkkk"])
def test_a_boat_that_stays_pays_nobody(ruleset: RuleSet, boats: str) -> None:
    """C23: whoever has joined it."""
    t = PositionBuilder(ruleset).begin(boats).hold(0, "YRG")
    assert t.legal("pay") == []
    assert t.legal("build", "harvest", "end") == ACTS


def test_coming_back_to_the_start_ends_there_like_any_move(ruleset: RuleSet) -> None:
    """C23: those who share the tile are paid, and cubes lying there may be taken."""
    t = (
        PositionBuilder(ruleset, players=2)
        .begin("kk")
        .hold(0, "YG")
        .lay("k", "B")
        .play("sail f", "drop yellow", "sail k")
    )
    assert t.legal() == ["drop green", "pay green"]
    t.play("pay green", "take brown")
    assert (t.cubes(0), t.cubes(1)) == ("B", "G")


# Taking cubes


def test_cubes_where_the_move_ends_may_be_taken(ruleset: RuleSet) -> None:
    """C12: any number of them, one by one."""
    t = alone(ruleset).lay("f", "YYB").play("sail f")
    assert t.legal() == ["take yellow", "take brown", *ACTS]
    t.play("take yellow")
    assert t.legal() == ["take yellow", "take brown", *ACTS]
    t.play("take brown")
    assert (t.cubes(0), t.lying("f")) == ("YB", "Y")
    t.play("end")
    assert t.lying("f") == "Y"


def test_taking_ends_the_move(ruleset: RuleSet) -> None:
    """C12: cubes taken cannot be dropped to sail on, nor are free steps left."""
    t = alone(ruleset, cubes="R").bonus(0, move=1).turn(0).lay("f", "YY").play("sail f")
    assert t.legal("sail")
    assert t.play("take yellow").legal("sail", "drop") == []


def test_cubes_on_tiles_passed_stay(ruleset: RuleSet) -> None:
    """C12: only where the move has ended."""
    t = alone(ruleset, cubes="R").lay("f", "BB").play("sail f", "drop red", "sail e")
    assert t.legal("take") == []
    assert t.lying("f") == "RBB"


def test_ports_too(ruleset: RuleSet) -> None:
    """C12: cubes lying in a port may be taken."""
    assert alone(ruleset, "a").lay("w", "G").play("sail w").legal("take") == ["take green"]


def test_own_cubes_too(ruleset: RuleSet) -> None:
    """C12: what was dropped in this very move, by whoever comes back to it."""
    t = alone(ruleset, cubes="RG").play("sail f", "drop red", "sail e", "drop green", "sail f")
    assert t.legal("take") == ["take red"]


def test_staying_takes_nothing(ruleset: RuleSet) -> None:
    """C12: cubes under a boat that does not move stay there."""
    assert alone(ruleset).lay("k", "GG").legal("take") == []


def test_more_than_fit_may_be_taken_until_the_end_of_the_turn(ruleset: RuleSet) -> None:
    """C12, C20: then the rest goes back."""
    t = alone(ruleset, cubes="Y" * 9).lay("f", "BBB").play("sail f", "take brown", "take brown", "take brown")
    assert t.p.hold_size[0] == 12
    t.play("end")
    assert (t.p.turn, t.legal()) == (0, ["discard yellow", "discard brown"])


# No step into a trap


def test_a_step_into_a_trap_is_not_allowed(ruleset: RuleSet) -> None:
    """C25: without cubes one could neither pay on K nor go on."""
    t = crowded(ruleset, "")
    assert t.legal("sail") == sails("beglx")


@pytest.mark.parametrize(("cubes", "may"), [("", False), ("Y", True), ("YY", True)])
def test_a_cube_that_buys_a_way_out_is_enough(ruleset: RuleSet, cubes: str, may: bool) -> None:
    """C25: with one cube for two boats one may go to K, and on from there."""
    assert ("sail k" in crowded(ruleset, cubes).legal()) == may


def test_a_free_step_is_a_way_out(ruleset: RuleSet) -> None:
    """C25, C10: with an extra move one may pass K without any cube; on the last free step it would be a
    trap.
    """
    t = crowded(ruleset, "").bonus(0, move=1).turn(0)
    assert "sail k" in t.legal()
    assert t.play("sail k").legal() == sails(AROUND_K)
    assert "sail k" not in crowded(ruleset, "").bonus(0, move=1).turn(0).play("sail e").legal()


def test_no_way_out_of_a_way_out(ruleset: RuleSet) -> None:
    """C25: beyond A, with no cubes and one free step left, all other spaces hold boats, so A is a trap too;
    the port is not.
    """
    t = PositionBuilder(ruleset).begin("wacd").bonus(0, move=1).turn(0)
    assert t.legal("sail") == sails("acd")  # back to the port, or on from A to B
    t = PositionBuilder(ruleset).begin("wacd")
    assert t.legal("sail") == []
    assert t.legal() == ["harvest", "end"]


# A ring of 24 spaces, each next to two others: the way out of a crowd is long.
_RING = [(0, y) for y in range(0, 22, 2)] + [(1, 21)] + [(2, y) for y in range(20, -2, -2)] + [(1, -1)]
RING = {"markets": [list(at) for at in _RING[:20]], "ports": [list(at) for at in _RING[20:]]}


def test_the_way_out_may_be_long(ruleset: RuleSet) -> None:
    """C25: on a ring, boats on two spaces running: without cubes both are out of reach; each further boat
    needs a cube more.
    """
    box = box_of(map=RING)
    order = "abcdefghijklmnopqrstwxyz"
    t = PositionBuilder(ruleset, box=box, players=4).begin("edcb")
    assert t.legal("sail") == sails("f")  # D holds a boat, and beyond it C and B do
    t.hold(0, "Y")
    assert t.legal("sail") == sails("df")  # one cube pays on D
    t.play("sail d")
    assert t.legal() == ["drop yellow", "pay yellow"]  # dropped, it leads back to E
    assert t.play("drop yellow").legal() == sails("e")
    assert [order[n] for n in range(24) if box.distance[0, n] == 1] == ["b", "z"]


def test_a_drop_needs_a_space_where_the_rest_can_pay(ruleset: RuleSet) -> None:
    """C25: between two occupied spaces, on a space that can be paid for, the last cube may not be dropped."""
    box = box_of(map=RING)
    t = PositionBuilder(ruleset, box=box).begin("edcf").hold(0, "Y")
    # back on E, free steps gone; D and F hold a boat each
    t.bonus(0, move=1).turn(0).play("sail d", "sail e")
    assert t.legal("drop") == []
    assert t.why_not("drop yellow") == "C25"
    t.hold(0, "YY")
    assert t.legal("drop") == ["drop yellow"]
    assert t.play("drop yellow").legal() == sails("df")


def can_finish(t: PositionBuilder, space: int, free: int, cubes: int) -> bool:
    """C25, tried out: end here, or take any step on."""
    others = (
        sum(1 for seat in range(1, t.players) if t.p.boats[seat] == space) if space < rules.FIRST_PORT else 0
    )
    if others <= cubes:
        return True
    beside = [n for n in range(24) if t.box.neighbours[space] >> n & 1]
    if free > 0:
        return any(can_finish(t, n, free - 1, cubes) for n in beside)
    return cubes > 0 and any(can_finish(t, n, 0, cubes - 1) for n in beside)


@pytest.mark.parametrize("own_map", [False, True])
def test_steps_and_drops_against_trying_out(ruleset: RuleSet, own_map: bool) -> None:
    """C25: in crowded corners, with few cubes and some free steps, the same as by trying all ways to go
    on.
    """
    box, chance, traps = box_of(map=RING) if own_map else BOX, random.Random(4), 0
    for _ in range(400):
        t = PositionBuilder(ruleset, box=box).begin(
            "".join(chance.choice("abdew" if not own_map else "abcde") for _ in range(4))
        )
        cubes, extra = chance.randrange(4), chance.randrange(2)
        t.hold(0, "Y" * cubes).bonus(0, move=extra).turn(0)
        if chance.random() < 0.5 and t.legal("sail"):
            t.play(chance.choice(t.legal("sail")))
        here, free = int(t.p.boats[0]), int(t.p.free)
        beside = [n for n in range(24) if box.neighbours[here] >> n & 1]
        steps = [f"sail {rules.SPACES[n]}" for n in beside if free > 0 and can_finish(t, n, free - 1, cubes)]
        drops = (
            ["drop yellow"]
            if free == 0 and cubes and any(can_finish(t, n, 0, cubes - 1) for n in beside)
            else []
        )
        assert t.legal("sail", "drop") == steps + drops
        traps += len(steps) < len(beside)
    assert traps > 20


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_move_can_end(ruleset: RuleSet, players: int) -> None:
    """C25: all through a random match, no one is left without a choice; holds are never in debt."""
    for n, t in enumerate(random_match(ruleset, "moves", players=players)):
        if t.p.turn < 0 or n > 600:
            break
        assert t.legal()
        if t.p.phase == rules.ADRIFT:
            assert set(t.legal()) <= set(sails("abcdefghijklmnopqrstwxyz"))


def test_steps_and_drops_can_be_taken_back() -> None:
    """C10: nothing is turned up by them."""
    match = comptoir.new("century", seed=1, players=2, first=0)
    for action in ("lot one", "sail k", "lot two", "sail a", "sail e", "drop yellow", "sail d"):
        match.play(action)
    for _ in range(7):
        match.undo()
    assert match.ply == 0


def test_distances_are_steps() -> None:
    """C25: from one end of the first map to the other."""
    at = rules.SPACES.index
    assert BOX.distance[at("w"), at("z")] == 5
    assert BOX.distance[at("h"), at("m")] == 5
    assert (BOX.distance == BOX.distance.T).all()
