"""Buildings: S40 to S43."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from comptoir.engine.interface import RuleSet
from tests.games.sail_to_india.positions import COMPONENTS, SAIL, PositionBuilder

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box


@pytest.mark.parametrize(
    ("land", "points"), [("1c", 1), ("2c", 1), ("1d", 2), ("1c 1d 2c 2d 3c", 1 + 2 + 1 + 1 + 2)]
)
def test_points_at_the_end(ruleset: RuleSet, land: str, points: int) -> None:
    """S40, S41, S42: 1 VP for a stronghold or a market, 2 for a church."""
    assert PositionBuilder(ruleset).towns().has(0, lisbon=1, land=land).points()[0] == points


@pytest.mark.parametrize(
    ("speed", "towns"), [(1, [1, 3, 4, 5]), (2, [1, 2, 3, 4, 5, 6]), (3, [1, 2, 3, 4, 5, 6, 7])]
)
def test_markers_go_straight_to_a_stronghold_and_sail_on(
    ruleset: RuleSet, speed: int, towns: list[int]
) -> None:
    """S40: from Lisbon to the sea of town 4, and from there at normal speed."""
    t = PositionBuilder(ruleset).towns(8).has(0, lisbon=2, land="4c").speed(0, speed)
    assert [int(way[2:]) for way in t.may("sail") if way.startswith("0-")] == towns
    t.play("sail 0-4", f"sail 0-{towns[-1]}")
    assert sum(t.ships(0).values()) == 2


def test_several_strongholds(ruleset: RuleSet) -> None:
    """S40: any number of markers, to any of them."""
    t = (
        PositionBuilder(ruleset)
        .towns(9)
        .has(0, lisbon=4, land="4c 7d")
        .play("sail 0-4", "sail 0-7", "sail 0-8", "sail 0-1")
    )
    assert t.ships(0) == {1: 1, 4: 1, 7: 1, 8: 1}


def test_from_a_stronghold_to_a_discovery(ruleset: RuleSet) -> None:
    """S40, S23: the first face-down town, no further, and only once a turn."""
    t = PositionBuilder(ruleset).towns(6).has(0, lisbon=3, vp=1, land="6c").speed(0, 3)
    assert [way for way in t.may("sail") if way.startswith("0-")] == [f"0-{town}" for town in range(1, 8)]
    t.play("sail 0-7", "anchor")
    assert (t.p.face_up, t.p.vp[0]) == (7, 2)
    assert "0-8" not in t.may("sail")


@pytest.mark.parametrize("building", ["4d", "2c", "4a"])
def test_only_strongholds_are_harbours(ruleset: RuleSet, building: str) -> None:
    """S40: no church, market or goods; nor another player's stronghold."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, land=building).has(1, land="4c")
    assert [way for way in t.may("sail") if way.startswith("0-")] == ["0-1"]


@pytest.mark.parametrize(
    ("land", "sold", "wealth", "vp"),
    [("2c 1a", "1a", 2, 0), ("2c 3d 1b", "1b", 3, 1), ("3d 1a", "1a", 1, 0), ("5c 3d 1b", "1b", 2, 0)],
)
def test_markets_add_their_kind_to_a_sale(
    ruleset: RuleSet, land: str, sold: str, wealth: int, vp: int
) -> None:
    """S41, S27: one more kind each, unless that kind is sold or counted already; the marker stays."""
    t = PositionBuilder(ruleset).towns().has(0, land=land).play(f"sell {sold}", "close sale")
    assert (t.p.wealth_due, t.p.vp_due) == (wealth, vp)
    assert sorted(t.land(0)) == sorted(set(land.split()) - {sold})


def test_markets_of_others_add_nothing(ruleset: RuleSet) -> None:
    """S41: own markets only."""
    t = PositionBuilder(ruleset).towns().has(0, land="1a").has(1, land="2c").play("sell 1a", "close sale")
    assert t.p.wealth_due == 1


def test_a_church_gives_nothing_else(ruleset: RuleSet) -> None:
    """S42: neither a harbour nor a good."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, land="4d 1a").play("sell 1a", "close sale")
    assert t.p.wealth_due == 1


@pytest.mark.parametrize("how", ["recall, return 1c", "refloat 1c", "build 1c-d"])
def test_a_building_is_owned_only_while_the_marker_lies_on_it(ruleset: RuleSet, how: str) -> None:
    """S43: without it the stronghold's effect and VP are gone, and the space is free for anyone."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, lisbon=1, wealth=2, land="1c")
        .has(1, wealth=2, at1=1)
        .owns(0, "geography")
    )
    t.play(*how.split(", "))
    assert "1c" not in t.land(0)
    assert t.points()[0] == (2 if how.startswith("build") else 0)
    t.play("end turn")
    assert "1sea-c" in t.may("build")


def test_a_market_that_was_left_sells_no_more(ruleset: RuleSet) -> None:
    """S43: after Geography it adds nothing."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, land="2c 1a")
        .owns(0, "geography")
        .play("refloat 2c", "sell 1a", "close sale")
    )
    assert t.p.wealth_due == 1


def test_a_stronghold_that_was_left_is_no_harbour(ruleset: RuleSet) -> None:
    """S43: not even in the same action."""
    t = PositionBuilder(ruleset).towns().has(0, lisbon=2, land="4c").play("sail 0-4")
    assert "0-4" in t.may("sail")
    assert "0-4" not in t.returns("4c").may("sail")


def test_the_last_building_space_of_the_row_counts(ruleset: RuleSet) -> None:
    """S40, S41: a harbour or a market there is one, and is worth its VP."""
    t = PositionBuilder(ruleset).towns(12).has(0, lisbon=1, land="12d")
    assert "0-12" in t.may("sail")
    assert t.points()[0] == 1
    t = PositionBuilder(ruleset).towns(12).has(0, land="12d 1a")
    t.p.row[4], t.p.row[11] = 11, 4  # the last town has two markets
    assert t.play("sell 1a", "close sale").p.wealth_due == 2


@pytest.mark.parametrize(("land", "points"), [("1c 2d", 2 * 3), ("2c 3d 5c", 3 * 5)])
def test_points_of_buildings_are_the_components(ruleset: RuleSet, land: str, points: int) -> None:
    """S40, S41: as many VP per building as the components say."""
    dearer = COMPONENTS["points"] | {"stronghold": 3, "market": 5}
    t = PositionBuilder(ruleset).towns().has(0, lisbon=1, land=land)
    t.box = cast("Box", SAIL.read_components(COMPONENTS | {"points": dearer}).box)
    assert t.points()[0] == points
