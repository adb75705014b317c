"""Own maps and other components: C8, C27."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.errors import DataError
from comptoir.games.century import rules
from tests.games.century.positions import CENTURY, PositionBuilder, box_of, tables
from tests.games.century.test_move import RING

MARKETS = CENTURY.components.tables["map"]["markets"]
PORTS = CENTURY.components.tables["map"]["ports"]


def refused(**entries: Any) -> str:
    with pytest.raises(DataError) as error:
        comptoir.new("century", components=tables(map=entries))
    return str(error.value)


def moved(space: int, x: int, y: int) -> list[list[int]]:
    """The first map's markets, but for one."""
    markets: list[list[int]] = copy.deepcopy(MARKETS)
    markets[space] = [x, y]
    return markets


def test_an_own_map_is_played_on(ruleset: RuleSet) -> None:
    """C8: a ring: every space has two next to it, and the markets are shuffled onto it."""
    t = PositionBuilder(ruleset, box=box_of(map=RING), players=2, first=0).play(
        "lot one", "sail b", "lot two", "sail a"
    )
    assert t.legal("sail") == ["sail b", "sail z"]
    assert rules.five_of_each_icon(t.p)


def test_an_own_map_by_value_or_file(tmp_path: Any) -> None:
    """C8: a match keeps its map, and a saved match comes back with it."""
    match = comptoir.new("century", components=tables(map=RING), seed=3, players=2)
    match.save(tmp_path / "ring.match")
    assert comptoir.load(tmp_path / "ring.match").box.tobytes() == match.box.tobytes()


def test_the_file_may_fix_the_markets(ruleset: RuleSet) -> None:
    """C8: all 20, or some; the others are shuffled, and five of each icon are used."""
    fixed = [f"{icon} {n}" for icon in rules.ICONS for n in range(2, 7)]
    box = box_of(map={"tiles": fixed})
    assert {
        tuple(rules.MARKETS[tile] for tile in PositionBuilder(ruleset, seed, box=box).p.markets)
        for seed in "abc"
    } == {tuple(fixed)}
    box = box_of(map={"tiles": ["tea 4", *["any"] * 18, "tea 1"]})
    for n in range(30):
        t = PositionBuilder(ruleset, str(n), box=box)
        assert (rules.MARKETS[t.p.markets[0]], rules.MARKETS[t.p.markets[19]]) == ("tea 4", "tea 1")
        assert rules.five_of_each_icon(t.p)


def test_a_tile_fixed_twice_is_refused() -> None:
    """C8: each tile comes once."""
    assert "tea 4 is there more than once" in refused(tiles=["tea 4", *["any"] * 18, "tea 4"])


def test_six_of_an_icon_are_refused() -> None:
    """C8, C2: five of each icon are used."""
    assert "all 6 tiles of chili are there" in refused(
        tiles=[f"chili {n}" for n in range(1, 7)] + ["any"] * 14
    )


def test_a_tile_that_does_not_exist_is_refused() -> None:
    """C8: with a hint."""
    assert "did you mean 'ginger 1'?" in refused(tiles=["gingr 1", *["any"] * 19])


@pytest.mark.parametrize("count", [19, 21])
def test_another_number_of_markets_is_refused(count: int) -> None:
    """C8: 20 markets and 4 ports."""
    assert f"map_markets: expected a list of 20 entries, found {count} entries" in refused(
        markets=[*MARKETS, [3, 0]][:count]
    )


def test_another_number_of_ports_is_refused() -> None:
    """C8: 20 markets and 4 ports."""
    assert "map_ports: expected a list of 4 entries, found 3 entries" in refused(ports=PORTS[:3])


def test_two_spaces_in_one_place_are_refused() -> None:
    """C8: also a market under a port."""
    assert "map.markets.3: [-2, -1] is already map.markets.0" in refused(markets=moved(3, -2, -1))
    assert "map.ports.0: [-2, -3] is already map.markets.3" in refused(markets=moved(3, -2, -3))


def test_a_space_between_two_others_is_refused() -> None:
    """C8: the spaces of neighbouring columns lie half a tile apart."""
    assert "map.markets.3: [-1, -1] lies half over another column's tiles" in refused(
        markets=moved(3, -1, -1)
    )


@pytest.mark.parametrize(
    ("at", "beside"), [((10, -5), "0 other spaces"), ((3, 4), "1 other space;"), ((0, 7), "1 other space;")]
)
def test_a_space_beside_fewer_than_two_is_refused(at: tuple[int, int], beside: str) -> None:
    """C8: every space lies next to at least two others. H, at the top of the first map, is put elsewhere."""
    assert f"map.markets.7: {list(at)} lies beside {beside}" in refused(markets=moved(7, *at))


def test_a_space_beside_two_is_enough() -> None:
    """C8: H next to T and port Z."""
    comptoir.new("century", components=tables(map={"markets": moved(7, 3, 2)}))


def test_a_map_in_two_parts_is_refused() -> None:
    """C8: connected."""
    far = [[x + 20, y] if x > 0 else [x, y] for x, y in MARKETS]
    ports = [[x + 20, y] if x > 0 else [x, y] for x, y in PORTS]
    assert "these cannot be reached from A: N, O, P, Q, R, S, T, Y, Z" in refused(markets=far, ports=ports)


def test_a_trade_that_gives_back_all_it_costs_is_refused() -> None:
    """C27: it could be made without end; one that gives back only a part could not."""
    for pays, gets in (
        ([1, 0, 0, 0], [1, 1, 0, 0]),
        ([1, 1, 0, 0], [1, 1, 0, 0]),
        ([0, 0, 0, 0], [1, 0, 0, 0]),
    ):
        with pytest.raises(DataError, match=r"trades\.tea 2: gets all that it pays"):
            comptoir.new("century", components=tables(trades={"tea 2": {"pays": pays, "gets": gets}}))
    comptoir.new("century", components=tables(trades={"tea 2": {"pays": [1, 1, 0, 0], "gets": [1, 0, 3, 0]}}))


def test_a_tile_for_nothing_is_refused() -> None:
    """C17: it would be claimed in every turn."""
    cost = copy.deepcopy(CENTURY.components.tables["vp"]["cost"])
    cost[5] = [0, 0, 0, 0]
    with pytest.raises(DataError, match=r"vp\.cost\.5: a tile must cost something"):
        comptoir.new("century", components=tables(vp={"cost": cost}))


def test_the_neighbours_are_not_read_from_a_file() -> None:
    """C8: they follow from the map."""
    with pytest.raises(DataError, match="neighbours: no such field"):
        comptoir.new(
            "century", components=tables() | {"neighbours": {"certainty": "rulebook", "note": "", "a": 1}}
        )
