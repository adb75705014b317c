"""The rulebook's own examples: BX1 to BX9."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.batavia import rules
from tests.games.batavia.positions import DENMARK, NETHERLANDS, SILK, PositionBuilder, counts


def test_a_roll_of_3_makes_a_lot_of_three_plus_the_boat(ruleset: RuleSet) -> None:
    """BX1: 2 English and 1 Swedish card are turned up, and sold together with the boat."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .pile(rest_to=0, england=2, sweden=1)
        .next_auction(auctioneer=0, pips=3)
    )
    assert (t.p.lot == counts(england=2, sweden=1)).all()
    t.play("pass", "bid 1", "pass", "pass")
    assert (t.p.hand[2] == counts(england=2, sweden=1)).all()
    assert t.p.first == 2


def test_who_has_the_danish_majority_may_lay_any_card(ruleset: RuleSet) -> None:
    """BX2: the first player has the Danish majority already."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .laid(0, denmark=2)
        .laid(1, denmark=1, france=4)
        .give(0, france=1)
        .moves(0)
    )
    assert t.legal() == ["draw", "lay france"]


def test_a_majority_may_be_made_by_laying_a_danish_card(ruleset: RuleSet) -> None:
    """BX2: the second player has none, and makes one."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .laid(0, denmark=1)
        .laid(1, denmark=1)
        .give(0, denmark=1)
        .moves(0)
    )
    assert t.p.seals[DENMARK] == -1
    assert t.play("lay denmark").p.seals[DENMARK] == 0


def test_markers_and_cannon_go_up_with_the_cards_laid(ruleset: RuleSet) -> None:
    """BX3: 4 Dutch and 2 French cards: Dutch marker +4, French +2, cannon +6."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .laid(1, netherlands=2, france=1, england=3)
        .give(0, netherlands=4, france=2)
        .moves(0)
    )
    t.play("lay netherlands", "lay france", *["lay netherlands"] * 3, "lay france")
    assert (t.p.markers == counts(netherlands=2 + 4, france=1 + 2, england=3)).all()
    assert rules.cannon(t.p) == 6 + 6
    assert t.p.seals[NETHERLANDS] == 0


def test_with_the_danish_seal_alone_the_next_danish_shop_it_is(ruleset: RuleSet) -> None:
    """BX4: the tile shows silk, so a crate goes on silk."""
    t = PositionBuilder(ruleset).clear_cards().shops(england_tea=3, denmark_silk=5, denmark_tea=8).at(seat0=2)
    t.laid(0, denmark=1).give(0, denmark=1).moves(0).play("lay denmark")
    assert t.legal() == ["advance denmark"]
    t.play("advance denmark")
    assert (t.p.merchants[0], t.p.tiles[DENMARK, SILK]) == (5, rules.FIRST_CRATE)
    assert rules.crates_at(t.p, 0, SILK) == 1


@pytest.mark.parametrize("company", rules.COMPANIES)
def test_only_the_missing_company_allows_trading_in(ruleset: RuleSet, company: str) -> None:
    """BX5: four companies' tiles held, England missing: only an English tile will do."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .shops(**{f"{company}_tea": 3})
        .holds(0, denmark=1, france=1, netherlands=1, sweden=1)
    )
    t.laid(0, **{company: 1}).give(0, **{company: 1}).moves(0).play(f"lay {company}", f"advance {company}")
    assert ("trade in" in t.legal()) == (company == "england")


def test_three_companies_one_of_them_twice(ruleset: RuleSet) -> None:
    """BX6: a new Danish tile: trading in gives 6 gold and leaves one Swedish tile."""
    t = PositionBuilder(ruleset).clear_cards().shops(denmark_tea=3).holds(0, france=1, sweden=2)
    t.laid(0, denmark=1).give(0, denmark=1).moves(0).play("lay denmark", "advance denmark", "trade in")
    assert t.p.gold[0] == 6
    assert (t.p.held[0] == counts(sweden=1)).all()


def test_pirates_collect_the_largest_company(ruleset: RuleSet) -> None:
    """BX7: cannon at 25, Denmark largest with 11 cards: they are collected, cannon 14, Danish marker 0."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .laid(0, denmark=6, france=6)
        .laid(1, denmark=5, england=8)
        .moves(2)
    )
    assert rules.cannon(t.p) == 25
    t.play("draw")
    assert (t.p.discards == counts(denmark=11)).all()
    assert (rules.cannon(t.p), t.p.markers[DENMARK]) == (14, 0)


def test_with_the_danish_seal_alone_and_no_danish_shop_on_to_the_arrival_tile(ruleset: RuleSet) -> None:
    """BX8: a Swedish shop ahead is of no use to her."""
    t = PositionBuilder(ruleset).clear_cards().shops(denmark_silk=9, sweden_tea=33).at(seat0=30)
    t.laid(0, denmark=1).give(0, denmark=1).moves(0).play("lay denmark")
    assert t.legal() == ["arrive"]
    assert t.play("arrive").p.arrival == 0


def test_with_the_swedish_seal_too_and_a_swedish_shop_ahead_she_must_go_there(ruleset: RuleSet) -> None:
    """BX8: the same, but for the Swedish seal."""
    t = PositionBuilder(ruleset).clear_cards().shops(denmark_silk=9, sweden_tea=33).at(seat0=30)
    t.laid(0, denmark=1, sweden=1).give(0, denmark=1).moves(0).play("lay denmark")
    assert t.legal() == ["advance sweden"]


@pytest.mark.parametrize(
    ("crates", "gold"), [((2, 1, 1), [13, 0, 0]), ((1, 1, 1), [6, 6, 6]), ((2, 2, 1), [6, 6, 0])]
)
def test_gold_for_silk(ruleset: RuleSet, crates: tuple[int, ...], gold: list[int]) -> None:
    """BX9: one alone with most: 13; three tied: 6 each; two tied: 6 each, the third nothing."""
    t = PositionBuilder(ruleset, players=3).shops()
    bills = t.gold()
    t.stock("silk", *crates)
    assert [now - before for now, before in zip(t.gold(), bills, strict=True)] == gold
