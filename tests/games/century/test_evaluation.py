"""The evaluation says the obvious, in every phase, and habit plays games to their end."""

from __future__ import annotations

import numpy as np
import pytest

from comptoir.engine.interface import RuleSet, cycle_key, evaluate, prune_redundant, rollout_action
from comptoir.engine.mask import allows, new_mask
from comptoir.games.century import rules
from tests.games.century.positions import BOX, CENTURY, PositionBuilder

WEIGHTS = CENTURY.evaluation.weights


def judged(t: PositionBuilder) -> list[float]:
    """The points that each seat may expect."""
    points = np.zeros(rules.SEATS.most)
    spread = t.ruleset.bind(evaluate)(t.p, BOX, WEIGHTS, points)
    assert spread > 0
    return [float(x) for x in points[: t.players]]


def table(ruleset: RuleSet) -> PositionBuilder:
    """Seat 0 begins its turn on H; the tiles on the ports are dear."""
    t = PositionBuilder(ruleset, players=3).begin("hkm")
    return t.tile("w", "RRGGBB", 19).tile("x", "BBBBB", 20).tile("y", "GGBBB", 18).close("z")


@pytest.mark.parametrize(("less", "more"), [("", "Y"), ("Y", "R"), ("R", "G"), ("G", "B"), ("YY", "YYYY")])
def test_more_and_higher_cubes_are_worth_more(ruleset: RuleSet, less: str, more: str) -> None:
    poor, rich = judged(table(ruleset).hold(1, less)), judged(table(ruleset).hold(1, more))
    assert rich[1] > poor[1]
    assert (rich[0], rich[2]) == (poor[0], poor[2])


def test_cubes_that_will_not_fit_are_worth_nothing(ruleset: RuleSet) -> None:
    assert judged(table(ruleset).hold(1, "B" * 10 + "YY"))[1] == pytest.approx(
        judged(table(ruleset).hold(1, "B" * 10))[1]
    )


def test_outposts_tiles_and_bonus_tiles_are_worth_something(ruleset: RuleSet) -> None:
    none = judged(table(ruleset))[2]
    assert judged(table(ruleset).built(2, ginger=1))[2] > none
    assert judged(table(ruleset).owns(2, 15))[2] > none + 15
    assert judged(table(ruleset).bonus(2, move=1))[2] > none


def test_a_tile_is_worth_more_the_nearer_the_boat(ruleset: RuleSet) -> None:
    far, near = (judged(table(ruleset).hold(1, "RRGGBB").at(1, space))[1] for space in "la")
    assert near > far


def test_claiming_is_better_than_ending_the_turn(ruleset: RuleSet) -> None:
    ready = table(ruleset).hold(0, "RRGGBB").at(0, "w").hold(1, "BB")
    claimed, ended = (
        judged(ready.play("claim")),
        judged(table(ruleset).hold(0, "RRGGBB").at(0, "w").hold(1, "BB").play("end")),
    )
    assert claimed[0] > ended[0]


def test_trading_up_is_better_than_ending_the_turn(ruleset: RuleSet) -> None:
    traded, ended = (
        table(ruleset).market("h", "ginger 3").outpost("h", 0).hold(0, "YYY").play(action)
        for action in ("trade", "end")
    )
    assert judged(traded)[0] > judged(ended)[0]


def test_building_is_better_than_ending_the_turn(ruleset: RuleSet) -> None:
    """While its cubes are still being paid, too."""
    built, ended = (table(ruleset).outpost("h", 1).hold(0, "YY").play(action) for action in ("build", "end"))
    assert built.p.phase == rules.BUILDING
    assert judged(built)[0] > judged(ended)[0]


def test_in_the_last_round_only_points_count_for_who_is_done(ruleset: RuleSet) -> None:
    """C30, C31: seat 2 is the last to act; what the others will score is known."""
    t = table(ruleset).owns(0, 12, 12, 13, 14).hold(0, "YYRB").hold(1, "YYYYGG").built(1, ginger=2).turn(2)
    assert judged(t)[:2] == pytest.approx([float(x) for x in t.points()[:2]], abs=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_habit_is_legal_and_the_judgement_works_in_every_phase(ruleset: RuleSet, players: int) -> None:
    """Interpreted, the first decisions only."""
    t, compiled, seen = PositionBuilder(ruleset, "habit", players=players), ruleset is CENTURY.compiled, set()
    choose, mask = ruleset.bind(rollout_action), new_mask(len(rules.ACTIONS))
    for _ in range(rules.MAX_DECISIONS if compiled else 100):
        if t.p.turn < 0:
            break
        seen.add(int(t.p.phase))
        assert np.isfinite(judged(t)).all()
        mask[...] = 0
        ruleset.legal(t.p, BOX, mask)
        action = choose(t.p, BOX, WEIGHTS, mask, t.dice)
        assert allows(mask, action)
        ruleset.play(t.p, BOX, action, t.dice)
    assert seen >= {rules.LOT_PHASE, rules.PLACING, rules.MOVE, rules.MARKET}
    assert not compiled or rules.ENDINGS[t.p.ending] == "fourth tile"


def test_who_is_adrift_cannot_stay(ruleset: RuleSet) -> None:
    """C10: the tile on the port that it is about to leave is a turn away."""
    here, adrift = (table(ruleset).hold(0, "YRRGGBB").at(0, "w") for _ in range(2))
    adrift.p.free = 0
    adrift.p.moved = 1
    assert judged(adrift.play("drop yellow"))[0] < judged(here)[0] - 2


def test_cubes_that_will_have_to_go_buy_nothing(ruleset: RuleSet) -> None:
    """C20: with ten reds in a hold for ten, a harvest's yellow cubes go back, and no trade for them is in
    sight.
    """
    t = table(ruleset).market("h", "ginger 3").outpost("h", 0).hold(0, "R" * 10)
    full = judged(t.play("end"))[0]
    t = table(ruleset).market("h", "ginger 3").outpost("h", 0).hold(0, "Y" + "R" * 9).play("harvest")
    assert t.p.phase == rules.STOWING
    assert judged(t)[0] == pytest.approx(judged(t.play("discard yellow", "discard yellow"))[0], abs=1e-6)
    assert judged(t)[0] < full


# Circles


def where(t: PositionBuilder) -> int:
    return int(t.ruleset.bind(cycle_key)(t.p, BOX))


def test_a_boat_that_comes_back_is_where_it_was_whatever_that_cost(ruleset: RuleSet) -> None:
    """C10."""
    t = table(ruleset).hold(0, "YY").bonus(0, move=1).at(0, "a").turn(0)
    step = t.legal("sail")[0]
    start, away = where(t), where(t.play(step))
    assert 0 != start != away != 0
    assert where(t.play("sail a")) == start
    assert where(t.play("drop yellow")) == 0
    assert where(t.play(step)) == away


def test_it_is_elsewhere_if_cubes_lie_there_that_it_could_not_take_before(ruleset: RuleSet) -> None:
    """C12."""
    t = table(ruleset).lay("a", "B").bonus(0, move=1).at(0, "a").turn(0)
    start = where(t)
    assert where(t.play(t.legal("sail")[0], "sail a")) != start


def test_every_action_is_sensible(ruleset: RuleSet) -> None:
    t, mask = table(ruleset), new_mask(len(rules.ACTIONS))
    ruleset.legal(t.p, BOX, mask)
    before = mask.copy()
    ruleset.bind(prune_redundant)(t.p, BOX, mask)
    assert (mask == before).all()
