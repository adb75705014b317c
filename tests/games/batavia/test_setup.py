"""Setup: B1 to B9."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import comptoir
from comptoir.engine.dice import dice_for
from comptoir.engine.interface import RuleSet
from comptoir.engine.mask import new_mask
from comptoir.errors import DataError, OptionError
from comptoir.games.batavia import rules
from comptoir.testing.fixtures import ruleset_of
from tests.games.batavia.positions import BATAVIA, BOX, PositionBuilder

ANY_NUMBER = pytest.mark.parametrize("players", [3, 4, 5])


def all_shops(t: PositionBuilder) -> dict[int, tuple[str, str]]:
    """Sends seat 0 from block to block, so that all shops come to be turned up: the shop of each space."""
    shops = {space: t.shop_on(space) for space in range(1, 11)}
    for first in range(6, 31, 5):
        t.land(0, first)
        shops |= {space: t.shop_on(space) for space in range(first + 5, first + 10)}
        t.p.held[...] = 0
    return shops


def with_order(order: list[str]) -> dict[str, Any]:
    """The components that come with the game, but for the printed order."""
    tables = copy.deepcopy(BATAVIA.components.tables)
    tables["printed"]["order"] = order
    return tables


@pytest.mark.parametrize("players", [3, 4, 5, "3"])
def test_three_to_five_may_play(players: int | str) -> None:
    """B1: 3, 4 or 5 players."""
    assert comptoir.new("batavia", players=players).players == int(players)


@pytest.mark.parametrize("players", [0, 1, 2, 6, 7, -3, 3.5, "many", ""])
def test_any_other_number_is_refused(players: Any) -> None:
    """B1: any other number is refused, and the error says what would do."""
    with pytest.raises(OptionError, match="batavia is for 3 to 5 players, not"):
        comptoir.new("batavia", players=players)


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_each_block_of_five_has_a_shop_of_every_company(ruleset: RuleSet, seed: str) -> None:
    """B2: each block of five spaces holds one tile of every company."""
    shops = all_shops(PositionBuilder(ruleset, seed))
    for first in range(1, 36, 5):
        assert sorted(shops[space][0] for space in range(first, first + 5)) == sorted(rules.COMPANIES)


def test_each_tile_is_laid_once(ruleset: RuleSet) -> None:
    """B2: the 35 spaces hold the 35 tiles, every company with every good."""
    assert len(set(all_shops(PositionBuilder(ruleset)).values())) == 35


@pytest.mark.slow
@pytest.mark.parametrize("space", [1, 5, 6, 10])
def test_any_tile_may_lie_on_any_space(ruleset: RuleSet, space: int) -> None:
    """B2: both the order in a block and the good of a company's tile are shuffled."""
    assert len({PositionBuilder(ruleset, f"{space}/{n}").shop_on(space) for n in range(400)}) == 35


def test_any_tile_may_lie_on_a_space_turned_up_later(ruleset: RuleSet) -> None:
    """B2: the last of the shops are as random as the first."""
    last = [all_shops(PositionBuilder(ruleset, str(n)))[35] for n in range(60)]
    assert {company for company, _ in last} == set(rules.COMPANIES)
    assert {good for _, good in last} == set(rules.GOODS)


@ANY_NUMBER
def test_ten_tiles_are_face_up(ruleset: RuleSet, players: int) -> None:
    """B3: the first 10 tiles are face up, the other 25 face down."""
    p = PositionBuilder(ruleset, players=players).p
    assert sorted(p.tiles.flat) == [rules.FACE_DOWN] * 25 + list(range(1, 11))
    assert p.face_up == 10


@ANY_NUMBER
def test_open_setup_has_all_tiles_in_the_printed_order(ruleset: RuleSet, players: int) -> None:
    """B4: all 35 tiles face up in the printed order."""
    t = PositionBuilder(ruleset, players=players, setup="open")
    assert [" ".join(t.shop_on(space)) for space in range(1, 36)] == BATAVIA.components.tables["printed"][
        "order"
    ]
    assert t.p.face_up == 35


@pytest.mark.parametrize("space", [6, 10, 35])
def test_open_setup_reveals_nothing_during_play(ruleset: RuleSet, space: int) -> None:
    """B4: landing on a shop changes nothing but that shop."""
    t = PositionBuilder(ruleset, setup="open")
    before = t.p.tiles.copy()
    t.land(0, space)
    assert t.p.face_up == 35
    assert (t.p.tiles != before).sum() == 1


def test_open_setup_leaves_all_else_unchanged(ruleset: RuleSet) -> None:
    """B4: the open setup has its hands, bills, crates and lot like the other."""
    p = PositionBuilder(ruleset, setup="open").p
    assert (list(p.hand_size[:4]), list(p.bills[:4]), list(p.crates[:4])) == ([10] * 4, [15] * 4, [12] * 4)
    assert 1 <= p.lot.sum() <= 6


def test_setup_is_shuffled_unless_asked_for_open() -> None:
    """B4: the open setup is a variant, by an option; an unknown one is refused."""
    assert comptoir.new("batavia").position()["setup"] == "shuffled"
    with pytest.raises(OptionError, match="setup: expected shuffled or open"):
        comptoir.new("batavia", setup="opne")


def test_the_printed_order_can_be_replaced() -> None:
    """B4: the order is a placeholder, and another one may be given."""
    assert "printed" in BATAVIA.components.placeholders
    order = BATAVIA.components.tables["printed"]["order"][::-1]
    tiles = comptoir.new("batavia", setup="open", components=with_order(order)).position()["tiles"]
    company, good = order[0].split()
    assert tiles[company][good] == "space 1"


def test_a_printed_order_with_a_tile_twice_is_refused() -> None:
    """B4: each tile comes once in a printed order."""
    order = BATAVIA.components.tables["printed"]["order"]
    with pytest.raises(DataError, match=f"{order[0]} is there more than once"):
        comptoir.new("batavia", components=with_order([*order[:34], order[0]]))


@ANY_NUMBER
def test_ten_cards_each_and_the_rest_is_the_pile(ruleset: RuleSet, players: int) -> None:
    """B5: 10 ship cards each; the rest, less the lot turned up from it, is the draw pile."""
    p = PositionBuilder(ruleset, players=players).p
    assert [int(hand.sum()) for hand in p.hand[:players]] == list(p.hand_size[:players]) == [10] * players
    assert p.pile.sum() == p.pile_size == 110 - 10 * players - p.lot.sum()
    assert not p.discards.any()


def test_any_card_may_be_dealt(ruleset: RuleSet) -> None:
    """B5: hands are dealt at random, about as many cards of each company."""
    dealt = sum(PositionBuilder(ruleset, str(n)).p.hand.sum(axis=0, dtype=int) for n in range(100))
    assert ((700 < dealt) & (dealt < 900)).all(), dealt  # of 4000 cards


@ANY_NUMBER
def test_what_each_player_starts_with(ruleset: RuleSet, players: int) -> None:
    """B6: 15 bills, 12 crates, no gold, no tiles, and the merchant before space 1."""
    p = PositionBuilder(ruleset, players=players).p
    assert list(p.bills[:players]) == [15] * players
    assert list(p.crates[:players]) == [12] * players
    assert not p.gold.any()
    assert not p.held.any()
    assert not p.merchants.any()


@ANY_NUMBER
def test_the_board_starts_empty(ruleset: RuleSet, players: int) -> None:
    """B7: seals on the board, cannon and markers at 0, the arrival tile beyond the last space, with
    nobody.
    """
    p = PositionBuilder(ruleset, players=players).p
    assert list(p.seals) == [-1] * 5
    assert not p.markers.any()
    assert not p.laid.any()
    assert p.arrival == -1
    assert rules.ARRIVAL_SPACE == 36


@ANY_NUMBER
def test_the_boat_starts_on_the_board(ruleset: RuleSet, players: int) -> None:
    """B7, B16: nobody has the boat yet, so the one who auctions first also moves first if all pass."""
    t = PositionBuilder(ruleset, players=players, first=1).play(*["pass"] * players)
    assert (t.p.first, t.p.turn) == (1, 1)


@pytest.mark.parametrize(("players", "first"), [(3, 0), (3, 2), (4, 1), (4, 3), (5, 4)])
def test_an_option_names_the_first_auctioneer(ruleset: RuleSet, players: int, first: int) -> None:
    """B8: the seat named auctions first."""
    p = PositionBuilder(ruleset, players=players, first=first).p
    assert p.first == first
    assert p.turn == (first + 1) % players


@ANY_NUMBER
def test_the_first_auctioneer_may_be_drawn(ruleset: RuleSet, players: int) -> None:
    """B8: without a name, each seat may be drawn, about as often as another."""
    drawn = [int(PositionBuilder(ruleset, str(n), players=players, first="draw").p.first) for n in range(200)]
    assert set(drawn) == set(range(players))
    assert min(drawn.count(seat) for seat in range(players)) > 100 / players


@pytest.mark.parametrize("first", [4, -1, "oldest"])
def test_only_a_seat_at_the_table_can_be_named(first: Any) -> None:
    """B8: a seat that is not at the table is refused."""
    with pytest.raises(OptionError, match="first: expected a seat from 0 to 3, or draw"):
        comptoir.new("batavia", players=4, first=first)


@ANY_NUMBER
def test_all_cards_tiles_and_seals_are_used(ruleset: RuleSet, players: int) -> None:
    """B9: 22 cards of each company, 35 tiles and 5 seals with every number of players."""
    t = PositionBuilder(ruleset, players=players)
    p = t.p
    assert list(p.hand.sum(axis=0) + p.pile + p.lot) == [22] * 5
    assert sum(BOX.ship_cards) == 110
    assert len(all_shops(t)) == 35
    assert len(p.seals) == 5


@ANY_NUMBER
def test_missing_players_have_no_pieces(ruleset: RuleSet, players: int) -> None:
    """B9: only the missing players' own pieces are left out."""
    p = PositionBuilder(ruleset, players=players).p
    for field in (p.hand, p.hand_size, p.bills, p.crates, p.bidding):
        assert not np.any(field[players:])
        assert np.all(field[:players].reshape(players, -1).any(axis=1))


def with_cards(each: int, hand: int = 10, pirates: int = 25) -> dict[str, Any]:
    """The components that come with the game, but for the number of cards."""
    tables = copy.deepcopy(BATAVIA.components.tables)
    tables["ship_cards"] |= dict.fromkeys(rules.COMPANIES, each)
    tables["start"]["hand"] = hand
    tables["pirates"]["at"] = [0, 0, 0, pirates, pirates, pirates]
    return tables


@pytest.mark.parametrize(
    ("each", "hand", "told"),
    [
        (5, 10, "ship_cards: 25 are not enough for 5 hands of 10: at least 50, or a smaller start.hand"),
        (52, 10, "ship_cards: expected at most 255 in all, found 260"),
        (256, 10, "expected a whole number from 4 to 255"),
        (51, 52, "expected a whole number from 0 to 51"),
    ],
)
def test_boxes_that_cannot_be_dealt_are_refused(each: int, hand: int, told: str) -> None:
    """B5: ten cards each, for as many as can play."""
    with pytest.raises(DataError, match=told):
        comptoir.new("batavia", components=with_cards(each, hand))


@pytest.mark.parametrize(("each", "hand"), [(51, 10), (10, 10)])
def test_boxes_may_be_as_full_or_as_empty_as_that(each: int, hand: int) -> None:
    """B5: 255 cards are not too many, and five hands may take them all."""
    assert sum(BATAVIA.read_components(with_cards(each, hand)).box["ship_cards"]) == 5 * each


@pytest.mark.slow
@pytest.mark.parametrize(("each", "hand", "pirates"), [(10, 10, 25), (51, 51, 255), (51, 10, 200)])
def test_boxes_may_hold_more_than_the_printed_one(each: int, hand: int, pirates: int, mode: str) -> None:
    """B5, B18: as many cards as a position has room for; matches end, and every invariant holds on the way."""
    components = BATAVIA.read_components(with_cards(each, hand, pirates))
    ruleset, box = ruleset_of(BATAVIA, mode), components.box
    p, mask, dice = BATAVIA.blank(BATAVIA.read_options(5)), new_mask(len(BATAVIA.actions)), dice_for("1", 0)
    ruleset.setup(p, box, dice)
    assert p["hand_size"].tolist() == [hand] * 5
    for _ in range(400):
        if p.turn < 0:
            break
        ruleset.play(p, box, ruleset.random_action(p, box, mask, dice), dice)
        assert BATAVIA.rules.check_position(p, box) == []
