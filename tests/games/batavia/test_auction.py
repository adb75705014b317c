"""The auction: B10 to B19."""

from __future__ import annotations

import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.games.batavia import rules
from tests.games.batavia.positions import BATAVIA, PositionBuilder, counts, random_match


def bids(t: PositionBuilder) -> list[int]:
    """The bids that are legal now."""
    return [int(action.removeprefix("bid ")) for action in t.legal() if action.startswith("bid ")]


def sell(t: PositionBuilder, winner: int, bid: int) -> PositionBuilder:
    """The winner opens, and all others pass."""
    return t.auction((winner - 1) % t.players).play(f"bid {bid}", *["pass"] * (t.players - 1))


def turns(t: PositionBuilder, *actions: str) -> list[int]:
    """Who is asked for each of the actions, and who after the last."""
    asked = [int(t.p.turn)]
    for action in actions:
        asked.append(int(t.play(action).p.turn))
    return asked


@pytest.mark.parametrize("pips", [1, 2, 3, 4, 5, 6])
def test_as_many_cards_are_turned_up_as_the_die_shows(ruleset: RuleSet, pips: int) -> None:
    """B10: the die says how many cards make the lot, and they come from the pile."""
    t = PositionBuilder(ruleset).clear_cards().next_auction(auctioneer=0, pips=pips)
    assert t.p.lot.sum() == pips
    assert t.p.pile_size == t.p.pile.sum() == 110 - pips
    assert t.sound()


def test_the_die_is_an_ordinary_one(ruleset: RuleSet) -> None:
    """B10: the first lot has 1 to 6 cards, each number about as often as another."""
    sizes = [int(PositionBuilder(ruleset, str(n)).p.lot.sum()) for n in range(300)]
    assert set(sizes) == set(range(1, 7))
    assert min(map(sizes.count, range(1, 7))) > 25


def test_cards_left_over_join_the_new_ones_in_one_lot(ruleset: RuleSet) -> None:
    """B10: the lot is what was left over and what is turned up."""
    t = PositionBuilder(ruleset).clear_cards().lot(england=2, sweden=1).pile(rest_to=0, france=22)
    t.next_auction(auctioneer=0, pips=4)
    assert (t.p.lot == counts(england=2, sweden=1, france=4)).all()


def test_every_round_has_an_auction(ruleset: RuleSet) -> None:
    """B10, B32: when all have moved, the die is rolled and bidding starts again."""
    t = (
        PositionBuilder(ruleset, first=0)
        .clear_cards()
        .auction(0)
        .play("bid 1", "pass", "pass", "pass", "draw", "draw", "draw", "draw")
    )
    assert t.p.phase == rules.AUCTION
    assert 1 <= t.p.lot.sum() <= 6
    assert (t.p.bid, t.p.bidder) == (0, -1)


@pytest.mark.parametrize(("players", "auctioneer", "opener"), [(4, 0, 1), (4, 3, 0), (3, 2, 0), (5, 3, 4)])
def test_the_auctioneers_left_neighbour_opens(
    ruleset: RuleSet, players: int, auctioneer: int, opener: int
) -> None:
    """B11: the player at the auctioneer's left opens, in the first auction and in later ones."""
    assert PositionBuilder(ruleset, players=players, first=auctioneer).p.turn == opener
    assert PositionBuilder(ruleset, players=players).next_auction(auctioneer, pips=2).p.turn == opener


def test_bidding_goes_clockwise_and_the_auctioneer_comes_last(ruleset: RuleSet) -> None:
    """B11: the auctioneer bids last in the first lap, like everyone in the next."""
    t = PositionBuilder(ruleset, first=2)
    assert turns(t, "bid 1", "bid 2", "bid 3", "bid 4", "bid 5") == [3, 0, 1, 2, 3, 0]


def test_bidding_skips_who_is_out(ruleset: RuleSet) -> None:
    """B11, B13: whoever has passed is not asked again in this auction."""
    t = PositionBuilder(ruleset, first=0, players=5)
    assert turns(t, "bid 1", "pass", "bid 2", "pass", "bid 3", "bid 4", "bid 5", "bid 6") == [
        1,
        2,
        3,
        4,
        0,
        1,
        3,
        0,
        1,
    ]


def test_the_lowest_opening_bid_is_1_and_the_highest_all_ones_bills(ruleset: RuleSet) -> None:
    """B12: from 1 to the bidder's own bills."""
    assert bids(PositionBuilder(ruleset)) == list(range(1, 16))


def test_a_bid_is_higher_than_the_last_one(ruleset: RuleSet) -> None:
    """B12: the same again is not enough."""
    assert bids(PositionBuilder(ruleset).play("bid 5")) == list(range(6, 16))


def test_a_bid_is_limited_by_the_bidders_bills_not_by_others(ruleset: RuleSet) -> None:
    """B12: at most the bidder's own bills."""
    t = PositionBuilder(ruleset, first=0)
    t.p.bills[:4] = [15, 7, 23, 15]
    assert bids(t) == list(range(1, 8))
    assert bids(t.play("bid 7")) == list(range(8, 24))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_one_player_may_bid_all_bills_there_are(ruleset: RuleSet, players: int) -> None:
    """B12: no other limit: who holds all 15 × players bills may bid them."""
    t = PositionBuilder(ruleset, players=players)
    t.p.bills[:players] = 0
    t.p.bills[0] = 15 * players
    t.auction(players - 1)
    assert bids(t) == list(range(1, 15 * players + 1))
    t.play(f"bid {15 * players}", *["pass"] * (players - 1))
    assert t.p.bills[0] == 0
    assert t.sound()


def test_who_passes_is_out_of_this_auction_only(ruleset: RuleSet) -> None:
    """B13: in the next auction all bid again."""
    t = PositionBuilder(ruleset, first=0).play("pass", "pass", "bid 1", "pass")
    assert t.p.phase == rules.MOVE
    assert turns(t.next_auction(auctioneer=0, pips=1), "bid 1", "bid 2", "bid 3", "bid 4") == [1, 2, 3, 0, 1]


def test_the_auction_goes_on_while_two_are_left(ruleset: RuleSet) -> None:
    """B13: it ends when one player is left, not before."""
    t = PositionBuilder(ruleset, first=0).play("bid 1", "pass", "bid 2", "pass", "bid 3")
    assert t.p.phase == rules.AUCTION
    assert t.p.turn == 3
    t.play("pass")
    assert t.p.phase == rules.MOVE
    assert t.p.first == 1


def test_the_first_bidder_may_pass_and_others_go_on(ruleset: RuleSet) -> None:
    """B13: the first bidder may pass too; the auction goes on without him."""
    t = PositionBuilder(ruleset, first=0)
    assert "pass" in t.legal()
    t.play("pass", "bid 1", "pass", "pass")
    assert t.p.first == 2


def test_the_last_player_left_may_still_bid(ruleset: RuleSet) -> None:
    """B13: a last player who has not bid yet is asked; one bid is enough to win, at once."""
    t = PositionBuilder(ruleset, first=0).play("pass", "pass", "pass")
    assert (t.p.phase, t.p.turn) == (rules.AUCTION, 0)
    assert bids(t) == list(range(1, 16))
    t.play("bid 4")
    assert (t.p.phase, t.p.first, t.p.bills[0]) == (rules.MOVE, 0, 11)


def test_the_last_player_left_may_pass(ruleset: RuleSet) -> None:
    """B13, B16: a last player who has not bid yet may pass too: then all have."""
    t = PositionBuilder(ruleset, first=0)
    lot = t.p.lot.copy()
    t.play("pass", "pass", "pass")
    assert "pass" in t.legal()
    t.play("pass")
    assert t.p.phase == rules.MOVE
    assert (t.p.lot == lot).all()


def test_who_has_bid_is_not_asked_again_when_all_others_pass(ruleset: RuleSet) -> None:
    """B13: the last player left has won with the bid he made."""
    t = PositionBuilder(ruleset, first=0).play("bid 3", "pass", "pass", "pass")
    assert (t.p.phase, t.p.first, t.p.bills[1]) == (rules.MOVE, 1, 12)


@pytest.mark.parametrize(
    ("players", "winner", "bid", "bills"),
    [
        (4, 0, 1, [14, 16, 15, 15]),
        (4, 2, 5, [17, 16, 10, 17]),
        (4, 3, 3, [16, 16, 16, 12]),
        (4, 1, 4, [16, 11, 17, 16]),
        (3, 1, 7, [18, 8, 19]),
        (3, 2, 2, [16, 16, 13]),
        (5, 4, 15, [19, 19, 19, 18, 0]),
    ],
)
def test_the_bid_is_dealt_round_the_opponents(
    ruleset: RuleSet, players: int, winner: int, bid: int, bills: list[int]
) -> None:
    """B14: one by one, clockwise from the winner's left neighbour, never to himself."""
    t = sell(PositionBuilder(ruleset, players=players), winner, bid)
    assert list(t.p.bills[:players]) == bills


def test_only_the_winner_pays_and_only_the_last_bid(ruleset: RuleSet) -> None:
    """B14: bids that were outbid cost nothing."""
    t = PositionBuilder(ruleset, players=3, first=0).play("bid 9", "bid 10", "pass", "pass")
    assert list(t.p.bills[:3]) == [20, 20, 5]


def test_the_winner_takes_the_lot_into_his_hand(ruleset: RuleSet) -> None:
    """B15: the winner's hand grows by the lot, and no lot is left."""
    t = sell(
        PositionBuilder(ruleset).clear_cards().lot(england=2, sweden=1).give(2, sweden=1), winner=2, bid=3
    )
    assert (t.p.hand[2] == counts(england=2, sweden=2)).all()
    assert t.p.hand_size[2] == 4
    assert not t.p.lot.any()
    assert t.p.hand_size.sum() == 4
    assert t.sound()


@pytest.mark.parametrize("winner", [0, 1, 2, 3])
def test_the_winner_is_first_player(ruleset: RuleSet, winner: int) -> None:
    """B15: the winner takes the boat: he moves first, whoever auctioned."""
    t = PositionBuilder(ruleset, first=0).play(
        *["bid 1" if seat == winner else "pass" for seat in (1, 2, 3, 0)]
    )
    assert (t.p.first, t.p.turn, t.p.phase) == (winner, winner, rules.MOVE)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_if_all_pass_in_the_first_auction_the_auctioneer_is_first_player(
    ruleset: RuleSet, players: int
) -> None:
    """B16: in the game's first auction the auctioneer becomes first player."""
    t = PositionBuilder(ruleset, players=players, first=2).play(*["pass"] * players)
    assert (t.p.first, t.p.turn, t.p.phase) == (2, 2, rules.MOVE)


def test_if_all_pass_the_first_player_does_not_change(ruleset: RuleSet) -> None:
    """B16: in a later auction the first player stays the same, and auctions again."""
    t = sell(PositionBuilder(ruleset, first=0), winner=2, bid=1).play("draw", "draw", "draw", "draw")
    assert t.p.round_number == 2
    t.play("pass", "pass", "pass", "pass")
    assert (t.p.first, t.p.turn) == (2, 2)
    t.play("draw", "draw", "draw", "draw")
    assert (t.p.first, t.p.turn) == (2, 3)


def test_if_all_pass_the_lot_stays_and_nobody_pays(ruleset: RuleSet) -> None:
    """B16: the lot waits for the next auction, where new cards join it."""
    t = PositionBuilder(ruleset).clear_cards().lot(england=2).auction(0).play("pass", "pass", "pass", "pass")
    assert (t.p.lot == counts(england=2)).all()
    assert list(t.p.bills[:4]) == [15] * 4
    t.next_auction(auctioneer=0, pips=3)
    assert t.p.lot.sum() == 5


def test_who_cannot_raise_is_still_asked(ruleset: RuleSet) -> None:
    """B17: a player with too few bills is asked, and can only pass."""
    t = PositionBuilder(ruleset, first=0)
    t.p.bills[:4] = [15, 15, 3, 27]
    t.play("bid 3")
    assert t.p.turn == 2
    assert t.legal() == ["pass"]


def test_who_has_no_bills_is_still_asked(ruleset: RuleSet) -> None:
    """B17: with no bills at all too, even to open."""
    t = PositionBuilder(ruleset, first=0)
    t.p.bills[:4] = [15, 0, 15, 30]
    assert (t.p.turn, t.legal()) == (1, ["pass"])


def test_the_discards_are_shuffled_in_the_middle_of_a_draw_of_two(ruleset: RuleSet) -> None:
    """B18: the pile's last card, then one of the discards; the rest of them is the new pile."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .discard(denmark=3)
        .pile(rest_to=3, england=1)
        .moves(0)
        .play("draw")
    )
    assert (t.p.hand[0] == counts(england=1, denmark=1)).all()
    assert (t.p.pile == counts(denmark=2)).all()
    assert t.p.pile_size == 2
    assert not t.p.discards.any()
    assert t.sound()


def test_the_discards_are_shuffled_in_the_middle_of_a_lot(ruleset: RuleSet) -> None:
    """B18: the lot is filled up from the discards."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .discard(denmark=5)
        .pile(rest_to=0, england=1)
        .next_auction(auctioneer=0, pips=4)
    )
    assert (t.p.lot == counts(england=1, denmark=3)).all()
    assert (t.p.pile == counts(denmark=2)).all()
    assert not t.p.discards.any()


def test_the_discards_are_not_shuffled_before_a_card_is_needed(ruleset: RuleSet) -> None:
    """B18: the last card of the pile may be drawn, and the discards still lie."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .discard(denmark=5)
        .pile(rest_to=3, england=2)
        .moves(0)
        .play("draw")
    )
    assert t.p.pile_size == 0
    assert (t.p.discards == counts(denmark=5)).all()


def test_a_lot_that_empties_the_pile_leaves_the_discards(ruleset: RuleSet) -> None:
    """B18: the same for the last card of a lot."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .discard(denmark=5)
        .pile(rest_to=0, england=3)
        .next_auction(auctioneer=0, pips=3)
    )
    assert t.p.pile_size == 0
    assert (t.p.discards == counts(denmark=5)).all()


@pytest.mark.parametrize("left", [0, 1])
def test_with_pile_and_discards_empty_fewer_cards_are_drawn(ruleset: RuleSet, left: int) -> None:
    """B18: one card or none instead of two, and the move is over all the same."""
    t = PositionBuilder(ruleset).clear_cards().pile(rest_to=3, england=left).moves(0).play("draw")
    assert (t.p.hand[0] == counts(england=left)).all()
    assert t.p.hand_size[0] == left
    assert t.p.turn == 1


def test_a_draw_takes_the_last_discard_and_no_more(ruleset: RuleSet) -> None:
    """B18: with one discard and no pile, one card is drawn."""
    t = PositionBuilder(ruleset).clear_cards().discard(denmark=1).pile(rest_to=3).moves(0).play("draw")
    assert (t.p.hand[0] == counts(denmark=1)).all()
    assert t.p.pile_size == t.p.discards.sum() == 0


def test_with_pile_and_discards_empty_the_lot_is_smaller(ruleset: RuleSet) -> None:
    """B18: a roll of 6 with three cards to be had turns up three."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .discard(denmark=1)
        .pile(rest_to=0, england=2)
        .next_auction(auctioneer=0, pips=6)
    )
    assert (t.p.lot == counts(england=2, denmark=1)).all()


def test_cards_sunk_after_a_draw_are_not_shuffled_for_it(ruleset: RuleSet) -> None:
    """B18, B30: only the discards of that moment: pirates come after the draw."""
    t = (
        PositionBuilder(ruleset, players=3)
        .clear_cards()
        .laid(1, denmark=11, france=10)
        .discard(sweden=3)
        .pile(rest_to=2, england=1)
    )
    t.moves(0).play("draw")
    assert (t.p.hand[0] == counts(england=1, sweden=1)).all()
    assert (t.p.pile == counts(sweden=2)).all()
    assert (t.p.discards == counts(denmark=11)).all()


def test_cards_sunk_in_the_last_move_may_be_turned_up_for_the_next_lot(ruleset: RuleSet) -> None:
    """B18, B30: pirates strike before the next auction."""
    t = (
        PositionBuilder(ruleset, players=3)
        .clear_cards()
        .laid(1, denmark=11, france=10)
        .pile(rest_to=2)
        .next_auction(auctioneer=0, pips=4)
    )
    assert (t.p.lot == counts(denmark=4)).all()
    assert (t.p.pile == counts(denmark=7)).all()


def test_new_discards_wait_until_the_new_pile_is_empty(ruleset: RuleSet) -> None:
    """B18: no card comes out of the discards while there is a pile."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .discard(denmark=20)
        .pile(rest_to=3, england=4)
        .moves(0)
        .play("draw", "draw")
    )
    assert (t.p.hand[:2].sum(axis=0) == counts(england=4)).all()


@pytest.mark.parametrize("discards", [3, 1])
def test_the_log_tells_of_a_shuffle(discards: int) -> None:
    """B18: however many cards of the new pile are left after the draw."""
    t = (
        PositionBuilder(BATAVIA.interpreted)
        .clear_cards()
        .discard(denmark=discards)
        .pile(rest_to=3, england=1)
        .moves(0)
    )
    match = comptoir.new("batavia", position=BATAVIA.to_dict(t.p), seed=1)
    match.play("draw")
    assert match.story.log()[1:] == ["The discards are shuffled into a new pile. [B18]"]


def boat_only(ruleset: RuleSet) -> PositionBuilder:
    """An auction for which no card could be turned up: all of them are in the hand of seat 0."""
    return PositionBuilder(ruleset).clear_cards().pile(rest_to=0).next_auction(auctioneer=1, pips=6)


def test_without_cards_the_auction_is_for_the_boat_alone(ruleset: RuleSet) -> None:
    """B19: bidding takes place, the winner pays, and is first player."""
    t = boat_only(ruleset)
    assert (t.p.phase, t.p.turn, t.p.lot.sum()) == (rules.AUCTION, 2, 0)
    t.play("bid 2", "pass", "pass", "pass")
    assert (t.p.first, t.p.turn) == (2, 2)
    assert list(t.p.bills[:4]) == [16, 15, 13, 16]
    assert list(t.p.hand_size[:4]) == [110, 0, 0, 0]


def test_nobody_need_bid_for_the_boat_alone(ruleset: RuleSet) -> None:
    """B19, B16: if all pass, the first player stays the same."""
    t = boat_only(ruleset).play("pass", "pass", "pass", "pass")
    assert (t.p.first, t.p.turn, t.p.phase) == (1, 1, rules.MOVE)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_bills_stay_in_play(ruleset: RuleSet, players: int) -> None:
    """B12, B14: over a whole match there are always 15 × players bills, and nobody owes any."""
    for t in random_match(ruleset, "bills", players=players):
        assert sum(map(int, t.p.bills)) == 15 * players


def test_actions_cover_the_highest_bid() -> None:
    """B12: with five players one may come to hold 75 bills."""
    assert BATAVIA.action_index("bid 75") == len(BATAVIA.actions) - 1
