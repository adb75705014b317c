"""Wealth and victory points, and who keeps them: S10 to S16."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from tests.games.sail_to_india.positions import PositionBuilder

SIX_KINDS = "1a 1b 2a 2b 3a 3b"


def sale(ruleset: RuleSet, **markers: int) -> PositionBuilder:
    """Seat 0 has all six goods, and sells them for 6 wealth and 4 VP."""
    t = PositionBuilder(ruleset).towns().has(0, land=SIX_KINDS, **markers)
    return t.play(*(f"sell {space}" for space in SIX_KINDS.split()), "close sale")


@pytest.mark.parametrize(("appointed", "kept"), [(0, 5), (1, 10), (2, 11)])
def test_new_bankers_keep_five_each(ruleset: RuleSet, appointed: int, kept: int) -> None:
    """S10: with 5 wealth and 6 gained, 0, 1 or 2 new bankers keep 5, 10 or 11."""
    t = sale(ruleset, wealth=5)
    t.play("decline", *["appoint"] * appointed, *(["decline"] if appointed < 2 else []))
    assert t.p.wealth[0] == kept
    assert t.markers(0)["bankers"] == 1 + appointed
    assert t.p.wealth_due == 0


def test_wealth_that_fits_needs_no_new_banker(ruleset: RuleSet) -> None:
    """S10: 3 wealth on one banker, and 2 gained: nobody is asked."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, wealth=3, land="1a 1b")
        .play("sell 1a", "sell 1b", "close sale")
    )
    assert (t.p.wealth[0], t.p.wealth_due, t.markers(0)["lisbon"]) == (5, 0, 2)
    assert "end turn" in t.legal()


def test_the_part_that_fits_is_kept_whatever_is_decided(ruleset: RuleSet) -> None:
    """S10: 3 wealth, 6 gained, none appointed: 5 are kept."""
    assert sale(ruleset, wealth=3).play("decline", "decline").p.wealth[0] == 5


@pytest.mark.parametrize(("wealth", "bankers", "left", "home"), [(6, 2, 5, 1), (5, 1, 4, 0), (1, 1, 0, 1)])
def test_idle_bankers_return_at_once(
    ruleset: RuleSet, wealth: int, bankers: int, left: int, home: int
) -> None:
    """S11: paying 1 to activate; the marker activated comes to Lisbon too."""
    t = PositionBuilder(ruleset).has(0, wealth=wealth)
    assert t.markers(0)["bankers"] == bankers
    t.play("activate")
    assert (t.p.wealth[0], t.markers(0)["bankers"], t.p.lisbon[0]) == (left, bankers - home, 1 + home)


@pytest.mark.parametrize(("vp", "appointed", "kept"), [(0, 0, 0), (0, 1, 4), (3, 0, 5), (3, 1, 7), (5, 1, 9)])
def test_historians_keep_five_vp_each(ruleset: RuleSet, vp: int, appointed: int, kept: int) -> None:
    """S12: 4 VP gained; what no historian can or may keep is lost."""
    t = sale(ruleset, vp=vp).play(*["appoint"] * appointed, *["decline"] * (1 - appointed))
    assert t.p.vp[0] == kept
    assert t.p.vp_due == 0


def test_building_and_technology_vp_need_no_historian(ruleset: RuleSet) -> None:
    """S13: they count at the end, on top of the History card."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, land="1d 2a", vp=2).owns(0, "renaissance")
    before = t.markers(0)["historians"]
    assert t.points()[0] == 2 + 2 + 3
    assert before == 1
    assert t.p.vp[0] == 2


def test_in_a_sale_goods_reach_lisbon_first_then_vp_then_wealth(ruleset: RuleSet) -> None:
    """S14: the very markers sold can be appointed, first as historians, then as bankers."""
    t = sale(ruleset)
    assert (t.p.lisbon[0], t.p.vp_due, t.p.wealth_due) == (6, 4, 6)
    t.play("appoint")
    assert (t.p.lisbon[0], t.p.vp[0], t.p.wealth[0], t.p.vp_due, t.p.wealth_due) == (5, 4, 0, 0, 6)
    t.play("appoint", "appoint")
    assert (t.p.lisbon[0], t.p.wealth[0]) == (3, 6)


def test_wealth_is_gained_only_when_vp_are_decided(ruleset: RuleSet) -> None:
    """S14: a banker returned before that takes along what he had, and nothing of the sale."""
    t = sale(ruleset, wealth=3)
    assert (t.p.wealth[0], t.p.wealth_due) == (3, 6)
    t.returns("banker").play("appoint")
    assert (t.p.wealth[0], t.p.wealth_due) == (0, 6)


def test_declining_vp_does_not_decline_wealth(ruleset: RuleSet) -> None:
    """S14: they are two gains."""
    t = sale(ruleset).play("decline")
    assert (t.p.vp_due, t.p.wealth_due) == (0, 6)
    assert "appoint" in t.legal()


def test_a_cost_is_paid_before_what_it_buys_is_gained(ruleset: RuleSet) -> None:
    """S14: Banking takes the last 2 wealth, and the banker left idle can be the historian."""
    t = PositionBuilder(ruleset).has(0, wealth=2).owns(0, "banking").play("bank")
    assert (t.p.lisbon[0], t.p.vp_due) == (1, 1)
    t.play("appoint")
    assert (t.p.lisbon[0], t.p.vp[0], t.p.wealth[0]) == (0, 1, 0)


def test_markers_are_appointed_one_by_one_or_the_rest_is_given_up(ruleset: RuleSet) -> None:
    """S15: after each the rest may still be declined."""
    t = sale(ruleset, wealth=5).play("appoint")
    assert t.p.wealth_due == 6
    assert {"appoint", "decline"} <= set(t.legal())
    t.play("appoint")
    assert t.p.wealth_due == 1
    t.play("decline")
    assert t.p.wealth[0] == 10


def test_nothing_else_may_be_done_before(ruleset: RuleSet) -> None:
    """S15: while a gain is due, one appoints, declines, returns markers or uses technologies."""
    t = sale(ruleset, lisbon=1)
    assert t.legal() == ["appoint", "decline"]
    t = sale(ruleset, lisbon=1, wealth=2).owns(0, "banking", "geography")
    assert t.legal() == ["bank", "appoint", "decline", "recall"]


def test_a_ship_that_has_just_discovered_may_return_and_keep_the_vp(ruleset: RuleSet) -> None:
    """S15, S16: no marker on Lisbon, no historian: the ship comes home and becomes one."""
    t = PositionBuilder(ruleset).towns(3).has(0, at3=1).play("sail 3-4", "anchor")
    assert t.p.vp_due == 1
    assert t.legal() == ["decline", "recall"]
    t.returns("4sea").play("appoint")
    assert (t.p.vp[0], t.ships(0), t.p.lisbon[0]) == (1, {}, 0)


def test_any_marker_may_return_while_deciding(ruleset: RuleSet) -> None:
    """S15: goods, buildings, bankers and full historians too, even with a marker on Lisbon."""
    t = (
        PositionBuilder(ruleset)
        .towns(3)
        .has(0, lisbon=1, wealth=2, vp=5, land="1a 2c", at3=1)
        .play("sail 3-4", "anchor")
    )
    assert t.may_return() == ["1a", "2c", "4sea", "banker", "historian"]
    t.returns("historian")
    assert (t.p.vp[0], t.p.vp_due, t.p.lisbon[0]) == (0, 1, 2)
    assert t.play("appoint").p.vp[0] == 1


def test_with_nothing_to_appoint_the_surplus_is_lost_only_when_declined(ruleset: RuleSet) -> None:
    """S15: it stays due until then."""
    t = PositionBuilder(ruleset).towns(3).has(0, at3=1, land="1a").play("sail 3-4", "anchor").returns("1a")
    assert t.p.vp_due == 1
    t.play("decline")
    assert (t.p.vp_due, t.p.vp[0]) == (0, 0)


def test_nobody_has_a_historian_at_the_start(ruleset: RuleSet) -> None:
    """S16: the first VP needs a marker on Lisbon."""
    t = PositionBuilder(ruleset).towns(3)
    assert all(t.markers(seat)["historians"] == 0 for seat in range(4))
    t.has(0, lisbon=1, at3=1).play("sail 3-4", "anchor", "appoint")
    assert t.markers(0) == {
        "reserve": 7,
        "lisbon": 0,
        "ships": 1,
        "goods": 0,
        "buildings": 0,
        "bankers": 0,
        "historians": 1,
    }


def test_others_gain_and_lose_nothing_in_ones_turn(ruleset: RuleSet) -> None:
    """S16: only the wealth and VP of the seat that decides change."""
    t = PositionBuilder(ruleset).towns().has(0, land=SIX_KINDS).has(1, wealth=3, vp=2)
    before = [int(x) for x in (*t.p.wealth[1:], *t.p.vp[1:])]
    t.play(
        *(f"sell {space}" for space in SIX_KINDS.split()),
        "close sale",
        "appoint",
        "appoint",
        "appoint",
        "end turn",
    )
    assert [int(x) for x in (*t.p.wealth[1:], *t.p.vp[1:])] == before
