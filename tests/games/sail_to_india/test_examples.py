"""The rulebook's own examples: SX1 to SX6."""

from __future__ import annotations

from comptoir.engine.interface import RuleSet
from tests.games.sail_to_india.positions import PositionBuilder


def test_six_wealth_has_two_bankers_and_more_than_ten_a_third(ruleset: RuleSet) -> None:
    """SX1: bankers on 5 and 1; a third above 10."""
    t = PositionBuilder(ruleset).towns()
    assert t.has(0, wealth=6).markers(0)["bankers"] == 2
    assert t.has(0, wealth=10).markers(0)["bankers"] == 2
    t.has(0, wealth=10, land="1a").play("sell 1a", "close sale")
    assert (t.p.wealth[0], t.p.wealth_due) == (10, 1)
    assert t.play("appoint").markers(0)["bankers"] == 3


def test_six_wealth_two_paid(ruleset: RuleSet) -> None:
    """SX2: one banker goes back to Lisbon, the other stands on 4."""
    t = PositionBuilder(ruleset).has(0, wealth=6).play("speed up")
    assert (t.p.wealth[0], t.markers(0)["bankers"], t.p.lisbon[0]) == (4, 1, 1)


def test_eight_vp_have_two_historians(ruleset: RuleSet) -> None:
    """SX3: historians on 5 and 3; the one on 3 would return."""
    t = PositionBuilder(ruleset).has(0, vp=8)
    assert t.markers(0)["historians"] == 2
    assert t.returns("historian").p.vp[0] == 5


def test_from_speed_1_to_3_takes_two_actions_and_six_wealth(ruleset: RuleSet) -> None:
    """SX4: never in one action."""
    t = PositionBuilder(ruleset).has(0, wealth=6).play("speed up")
    assert (t.p.speed[0], t.p.points) == (2, 1)
    t.play("speed up")
    assert (t.p.speed[0], t.p.points, t.p.wealth[0]) == (3, 0, 0)


def test_a_market_alone_sells_nothing(ruleset: RuleSet) -> None:
    """SX5: without returning a goods marker there is no sale."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, land="2c 3d")
    assert not t.may("sell")
    assert "close sale" not in t.legal()


def test_speed_3_takes_a_marker_to_the_third_town(ruleset: RuleSet) -> None:
    """SX6: from Lisbon."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1).speed(0, 3).play("sail 0-3")
    assert t.ships(0) == {3: 1}
