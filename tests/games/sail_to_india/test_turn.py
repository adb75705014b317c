"""The turn and its actions, but for moving ships: S20, S21, S27 to S32."""

from __future__ import annotations

from typing import Any

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india.positions import BOX, SAIL, PositionBuilder, random_match

PAID = ("activate", "convert", "speed up", "acquire", "sail", "sell", "build")


def test_two_actions_a_turn(ruleset: RuleSet) -> None:
    """S20: after two, only free actions and the end of the turn are left."""
    t = PositionBuilder(ruleset).has(0, wealth=10, lisbon=1).play("activate", "activate")
    assert t.p.points == 0
    assert t.legal() == ["end turn", "recall"]
    assert not [action for action in t.legal() if action.startswith(PAID)]


def test_the_same_action_may_be_taken_twice(ruleset: RuleSet) -> None:
    """S20: or two different ones."""
    assert PositionBuilder(ruleset).has(0, wealth=3).play("activate", "activate").p.reserve[0] == 6
    assert PositionBuilder(ruleset).has(0, wealth=3).play("activate", "speed up").p.speed[0] == 2


@pytest.mark.parametrize(("players", "order"), [(3, [1, 2, 0, 1]), (4, [1, 2, 3, 0])])
def test_turns_go_clockwise(ruleset: RuleSet, players: int, order: list[int]) -> None:
    """S20: and a round is over when all have had a turn."""
    t = PositionBuilder(ruleset, players=players, first=1)
    seen = []
    for _ in range(4):
        seen.append(int(t.p.turn))
        t.play("end turn")
    assert seen == order
    assert t.p.round_number == 2


def test_a_turn_may_end_with_points_unspent(ruleset: RuleSet) -> None:
    """S20: and the next player has two again."""
    t = PositionBuilder(ruleset).play("activate", "end turn")
    assert (t.p.turn, t.p.points) == (1, 2)


def test_free_actions_may_follow_the_second_action(ruleset: RuleSet) -> None:
    """S20, S31, S32: effects of technologies and returns."""
    t = PositionBuilder(ruleset).towns().has(0, wealth=10, land="1a").owns(0, "banking", "geography")
    t.play("activate", "activate")
    assert t.legal() == ["end turn", "bank", "recall", "refloat 1a"]
    assert t.may_return() == ["1a", "banker"]
    assert t.play("bank", "appoint", "refloat 1a").returns("banker").play("end turn").p.turn == 1


def test_activating(ruleset: RuleSet) -> None:
    """S21: 1 wealth, one marker from reserve to Lisbon."""
    t = PositionBuilder(ruleset).play("activate")
    assert (t.p.wealth[0], t.p.lisbon[0], t.p.reserve[0]) == (1, 2, 6)


def test_activating_takes_wealth_and_a_reserve(ruleset: RuleSet) -> None:
    """S21: not without either."""
    assert PositionBuilder(ruleset).has(0, lisbon=1).why_not("activate") == "S21"
    assert PositionBuilder(ruleset).has(0, lisbon=8, wealth=1).why_not("activate") == "S21"


@pytest.mark.slow
def test_only_activating_takes_markers_out_of_the_reserve(ruleset: RuleSet) -> None:
    """S21: all through a random match, and nothing puts any back."""
    reserve = [7] * 4
    activated = 0
    for t in random_match(ruleset, "reserve", players=4):
        now = [int(n) for n in t.p.reserve]
        assert sum(reserve) - sum(now) in (0, 1)
        activated += sum(reserve) - sum(now)
        assert all(new <= old for new, old in zip(now, reserve, strict=True))
        reserve = now
    assert activated


@pytest.mark.parametrize(
    ("goods", "wealth", "vp"),
    [
        ("1a", 1, 0),
        ("1a 1b", 2, 0),
        ("1a 1b 2a", 3, 1),
        ("1a 1b 2a 2b", 4, 1),
        ("1a 1b 2a 2b 3a", 5, 2),
        ("1a 1b 2a 2b 3a 3b", 6, 4),
        ("1a 4a", 1, 0),
        ("1a 4a 6b 2a", 2, 0),
    ],
)
def test_the_more_kinds_the_better_the_sale(ruleset: RuleSet, goods: str, wealth: int, vp: int) -> None:
    """S27: by the number of different kinds; the same kind again adds nothing."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, land=goods)
        .play(*(f"sell {space}" for space in goods.split()), "close sale")
    )
    assert (t.p.wealth_due, t.p.vp_due) == (wealth, vp)
    assert (t.p.points, t.land(0), t.p.lisbon[0]) == (1, [], len(goods.split()))


def test_a_sale_needs_a_goods_marker(ruleset: RuleSet) -> None:
    """S27: there is nothing to close before one is sold."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, land="2c 1d", at1=1)
    assert not t.may("sell")
    assert t.why_not("close sale") == "S27"


def test_goods_of_others_cannot_be_sold(ruleset: RuleSet) -> None:
    """S27: own goods only, and any of them may stay."""
    t = PositionBuilder(ruleset).towns().has(0, land="1a 2a").has(1, land="1b")
    assert t.may("sell") == ["1a", "2a"]
    assert t.play("sell 2a", "close sale").land(0) == ["1a"]


def test_one_sale_is_one_action(ruleset: RuleSet) -> None:
    """S27: the second sale costs another point, and counts its kinds again."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, wealth=1, land="1a 1b 4a")
        .play("sell 1a", "sell 1b", "close sale")
    )
    assert (t.p.wealth[0], t.p.points) == (3, 1)
    t.play("sell 4a", "close sale")
    assert (t.p.wealth[0], t.p.points) == (4, 0)


def test_building_with_a_ship(ruleset: RuleSet) -> None:
    """S28: 2 wealth, and the ship is a building."""
    t = PositionBuilder(ruleset).towns().has(0, wealth=3, at1=2).play("build 1sea-d")
    assert (t.p.wealth[0], t.land(0), t.ships(0), t.p.points) == (1, ["1d"], {1: 1}, 1)


@pytest.mark.parametrize(
    ("source", "target"), [("1a", "c"), ("1b", "d"), ("1c", "d"), ("1d", "c"), ("12a", "d"), ("12d", "c")]
)
def test_building_with_a_marker_on_the_card(ruleset: RuleSet, source: str, target: str) -> None:
    """S28: goods or the other building; the space it leaves is free."""
    t = (
        PositionBuilder(ruleset)
        .towns(11)
        .has(0, wealth=2, land=source.replace("12", "11"))
        .play(f"build {source.replace('12', '11')}-{target}")
    )
    assert t.land(0) == [f"{source[:-1].replace('12', '11')}{target}"]


def test_building_needs_a_marker_in_that_town(ruleset: RuleSet) -> None:
    """S28: not one of another town, or on Lisbon, or another player's."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, wealth=5, at2=1, land="3a").has(1, at1=1, land="4a")
    assert t.may("build") == ["2sea-c", "2sea-d", "3a-c", "3a-d"]


def test_building_needs_a_free_space_and_two_wealth(ruleset: RuleSet) -> None:
    """S28: neither one's own marker nor another's may lie there."""
    t = PositionBuilder(ruleset).towns().has(0, wealth=2, at1=1, land="1c").has(1, land="1d")
    assert not t.may("build")
    assert t.why_not("build 1sea-c") == t.why_not("build 1sea-d") == "S28"
    assert PositionBuilder(ruleset).towns().has(0, wealth=1, at1=1).why_not("build 1sea-c") == "S28"


@pytest.mark.parametrize("technology", rules.TECHNOLOGIES)
def test_a_technology_costs_what_it_says(ruleset: RuleSet, technology: str) -> None:
    """S29: exactly its cost is paid, a scientist moves, and with less it cannot be had."""
    cost = int(BOX.technologies_cost[rules.TECHNOLOGIES.index(technology)])
    t = PositionBuilder(ruleset).has(0, wealth=cost, lisbon=1).play(f"acquire {technology}")
    assert (t.p.wealth[0], t.p.scientists[0], t.p.points) == (0, 2, 1)
    assert t.p.technologies[rules.TECHNOLOGIES.index(technology)] == 0
    if cost:
        assert (
            PositionBuilder(ruleset).has(0, wealth=cost - 1, lisbon=1).why_not(f"acquire {technology}")
            == "S29"
        )


def test_costs_are_those_of_the_rulebook() -> None:
    """S29, S50, S51, S52, S53, S54, S55, S56, S57, S58, S59, S60, S61: 0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 4."""
    assert list(SAIL.components.box["technologies_cost"]) == [0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 4]


def test_a_technology_belongs_to_one_player(ruleset: RuleSet) -> None:
    """S29: not to be had again, by oneself or by another."""
    t = PositionBuilder(ruleset).has(0, wealth=10).owns(1, "guild").owns(0, "banking")
    assert t.why_not("acquire guild") == t.why_not("acquire banking") == "S29"


def test_three_technologies_at_most(ruleset: RuleSet) -> None:
    """S29: scientists never come back."""
    t = PositionBuilder(ruleset).has(0, wealth=10).owns(0, "geography", "banking", "guild")
    assert not t.may("acquire")
    assert t.why_not("acquire metallurgy") == "S29"
    assert t.may_return() == ["banker"]


@pytest.mark.parametrize(("speed", "cost"), [(1, 2), (2, 4)])
def test_speeding_up(ruleset: RuleSet, speed: int, cost: int) -> None:
    """S30: 2 wealth for speed 2, 4 for speed 3, one step an action."""
    t = PositionBuilder(ruleset).has(0, wealth=cost, lisbon=1).speed(0, speed).play("speed up")
    assert (t.p.speed[0], t.p.wealth[0], t.p.points) == (speed + 1, 0, 1)
    assert (
        PositionBuilder(ruleset).has(0, wealth=cost - 1, lisbon=1).speed(0, speed).why_not("speed up")
        == "S30"
    )


def test_three_is_the_highest_speed(ruleset: RuleSet) -> None:
    """S30: not beyond."""
    assert PositionBuilder(ruleset).has(0, wealth=10).speed(0, 3).why_not("speed up") == "S30"


# Returning


def everything(ruleset: RuleSet, **markers: Any) -> PositionBuilder:
    """Seat 0 has a marker of every kind."""
    return (
        PositionBuilder(ruleset)
        .towns()
        .has(0, **({"lisbon": 1, "wealth": 3, "vp": 2, "land": "1a 2c", "at3": 1} | markers))
    )


EVERYTHING = ["1a", "2c", "3sea", "banker", "historian"]


def test_all_but_discs_may_return(ruleset: RuleSet) -> None:
    """S31: ships, goods, buildings, bankers, historians, as many as one likes, for nothing; they can then
    sail.
    """
    t = everything(ruleset)
    assert t.may_return() == EVERYTHING
    t.returns(*EVERYTHING)
    assert {where: n for where, n in t.markers(0).items() if n} == {"reserve": 3, "lisbon": 6}
    assert t.p.points == 2
    assert t.play(*["sail 0-1"] * 6).ships(0) == {1: 6}


def test_markers_return_at_any_moment_of_the_turn(ruleset: RuleSet) -> None:
    """S31: before an action, while ships sail, before converting, in a sale, while a gain or a chart is
    decided on, at the end.
    """
    t = everything(ruleset)
    assert t.play("sail 0-1").may_return() == ["1a", "2c", "1sea", "3sea", "banker", "historian"]
    assert t.play("anchor").may_return() == ["1a", "2c", "1sea", "3sea", "banker", "historian"]
    t = everything(ruleset).play("sell 1a")
    assert t.may_return() == EVERYTHING[1:]
    t = everything(ruleset, wealth=5).play("sell 1a", "close sale")
    assert t.p.wealth_due
    assert t.may_return() == EVERYTHING[1:]
    t = everything(ruleset).towns(3).owns(0, "cartography").play("sail 3-4", "anchor")
    assert (t.p.phase, t.may_return()) == (rules.CHARTING, ["1a", "2c", "4sea", "banker", "historian"])
    assert t.returns("banker").p.phase == rules.CONVERTING  # no wealth is left for a chart
    t = everything(ruleset).turn(0, 0)
    assert t.returns("3sea").play("end turn").p.turn == 1


def test_recalling_binds_nobody(ruleset: RuleSet) -> None:
    """S31: it adds the returns to what else may be done, until one thing is done; one marker returns at a
    time.
    """
    t = everything(ruleset)
    before = set(t.legal())
    t.play("recall")
    assert set(t.legal()) == before - {"recall"} | {f"return {marker}" for marker in EVERYTHING}
    assert t.why_not("recall") == "S31"
    assert set(t.play("activate").legal()) >= {"recall"}
    assert not t.may("return")
    assert t.why_not("return 1a") == "S31"


def test_with_nothing_to_return_there_is_no_recall(ruleset: RuleSet) -> None:
    """S31: all markers are on Lisbon or in reserve."""
    t = PositionBuilder(ruleset).has(0, lisbon=2)
    assert "recall" not in t.legal()
    assert t.why_not("recall") == "S31"


def test_an_own_building_space_is_freed_before_building(ruleset: RuleSet) -> None:
    """S31, S28: the marker on it goes home, and the ship builds there."""
    t = PositionBuilder(ruleset).towns().has(0, wealth=2, at1=1, land="1c").has(1, land="1d")
    assert not t.may("build")
    t.returns("1c").play("build 1sea-c")
    assert (t.land(0), t.ships(0), t.p.lisbon[0]) == (["1c"], {}, 2)  # the banker is idle, too


@pytest.mark.parametrize(("wealth", "left"), [(1, 0), (5, 0), (6, 5), (10, 5), (12, 10)])
def test_what_a_returned_banker_kept_is_lost(ruleset: RuleSet, wealth: int, left: int) -> None:
    """S31: the one with the rest returns; if there is none, one with 5."""
    t = PositionBuilder(ruleset).has(0, wealth=wealth, lisbon=1).returns("banker")
    assert (t.p.wealth[0], t.p.lisbon[0]) == (left, 2)


@pytest.mark.parametrize(("vp", "left"), [(3, 0), (8, 5), (10, 5)])
def test_what_a_returned_historian_kept_is_lost(ruleset: RuleSet, vp: int, left: int) -> None:
    """S31: likewise."""
    t = PositionBuilder(ruleset).has(0, vp=vp, lisbon=1).returns("historian")
    assert (t.p.vp[0], t.p.lisbon[0]) == (left, 2)


def test_only_own_markers_may_return(ruleset: RuleSet) -> None:
    """S31: another player's stay."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, at2=1).has(1, wealth=3, vp=1, land="1a", at1=1)
    assert t.may_return() == ["2sea"]


def test_effects_may_be_used_in_the_middle_of_an_action(ruleset: RuleSet) -> None:
    """S32: Banking and Geography while ships sail, while goods are sold, and before converting."""
    for start in (["sail 0-1"], ["sell 1a"], ["sail 0-1", "anchor"]):
        t = (
            PositionBuilder(ruleset)
            .towns()
            .has(0, lisbon=1, wealth=5, vp=1, land="1a 1c")
            .owns(0, "banking", "geography")
            .play(*start)
        )
        assert {"bank", "refloat 1c"} <= set(t.legal())


def test_effects_may_be_used_while_a_gain_is_due(ruleset: RuleSet) -> None:
    """S15, S32: Banking frees a banker, who keeps what is due; Geography brings a marker to sea, from where
    it may return.
    """
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, wealth=2, vp=5, land="1a 1b 2a 3a")
        .owns(0, "banking", "geography")
    )
    t.play("sell 1a", "sell 1b", "sell 2a", "close sale")
    assert (t.p.vp_due, t.p.wealth_due) == (1, 3)
    t.play("bank")
    assert (t.p.vp_due, t.p.wealth[0], t.p.lisbon[0]) == (2, 0, 4)
    t.play("appoint", "refloat 3a")
    assert (t.p.vp[0], t.p.wealth_due, t.ships(0)) == (7, 3, {3: 1})
    assert t.play("appoint").p.wealth[0] == 3


def test_architecture_builds_while_wealth_is_due(ruleset: RuleSet) -> None:
    """S15, S32, S54: so that what does not fit fits after all; not before the move action is over."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, wealth=3, lisbon=1, land="1a 1b 2a 2b", at4=1)
        .owns(0, "architecture")
        .play("sail 0-1", "anchor")
    )
    t.play("sell 1a", "sell 1b", "sell 2a", "sell 2b")
    assert "4sea-c" in t.may("build")  # in the sale, too
    t.play("close sale", "appoint")
    assert (t.p.wealth[0], t.p.wealth_due) == (5, 2)
    t.play("build 4sea-c")
    assert (t.p.wealth[0], t.p.wealth_due, t.p.phase) == (5, 0, rules.TURN)
