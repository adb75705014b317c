"""Pirates, and how rounds follow each other: B30 to B35."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.batavia import rules
from tests.games.batavia.positions import DENMARK, ENGLAND, FRANCE, SWEDEN, PositionBuilder, counts


def sea(ruleset: RuleSet, players: int = 4) -> PositionBuilder:
    """Seat 0 is to move; all ship cards are in the pile."""
    return PositionBuilder(ruleset, players=players).clear_cards().moves(0)


# Attacks


@pytest.mark.parametrize(
    ("players", "laid", "attack"),
    [
        (3, 20, False),
        (3, 21, True),
        (3, 22, True),
        (4, 21, False),
        (4, 24, False),
        (4, 25, True),
        (5, 24, False),
        (5, 25, True),
    ],
)
def test_pirates_come_at_21_cards_with_three_players_and_at_25_with_more(
    ruleset: RuleSet, players: int, laid: int, attack: bool
) -> None:
    """B30: the number of all laid cards calls them, right after a move, a draw included."""
    t = sea(ruleset, players).laid(1, denmark=9).laid(2, france=8, sweden=laid - 17).play("draw")
    assert (t.p.markers[DENMARK] == 0) == attack
    assert rules.cannon(t.p) == (laid - 9 if attack else laid)


def test_pirates_sink_the_company_with_most_laid_cards_of_all_players(ruleset: RuleSet) -> None:
    """B30: the company's total counts, not the most of one player; all its cards, of all players, become
    discards.
    """
    t = (
        sea(ruleset)
        .laid(0, england=8)
        .laid(1, denmark=4, sweden=4)
        .laid(2, denmark=4, france=3)
        .laid(3, denmark=2)
        .play("draw")
    )
    assert not t.p.laid[:, DENMARK].any()
    assert (t.p.discards == counts(denmark=10)).all()
    assert (t.p.laid.sum(axis=0) == counts(england=8, sweden=4, france=3)).all()
    assert t.sound()


def test_sunk_cards_join_the_discards_already_there(ruleset: RuleSet) -> None:
    """B30: earlier discards stay."""
    t = sea(ruleset).discard(denmark=2, sweden=1).laid(1, denmark=13).laid(2, france=12).play("draw")
    assert (t.p.discards == counts(denmark=15, sweden=1)).all()


def test_tied_companies_are_all_sunk(ruleset: RuleSet) -> None:
    """B30: all those with most laid cards, and no other."""
    t = sea(ruleset).laid(0, england=3, sweden=8).laid(1, denmark=8).laid(2, france=8).play("draw")
    assert (t.p.markers == counts(england=3)).all()
    assert (t.p.discards == counts(denmark=8, france=8, sweden=8)).all()


def test_all_five_companies_may_be_sunk(ruleset: RuleSet) -> None:
    """B30: five cards of each: all are tied."""
    t = sea(ruleset).laid(0, england=5, denmark=5, france=5).laid(1, netherlands=5, sweden=5).play("draw")
    assert not t.p.laid.any()
    assert t.p.discards.sum() == 25


def test_pirates_wait_until_the_move_is_over(ruleset: RuleSet) -> None:
    """B30: not while cards are laid, so the merchant still sails; not before the tile is traded in or
    kept.
    """
    t = sea(ruleset).shops(denmark_silk=4).laid(0, denmark=13).laid(1, france=11).give(0, denmark=1)
    t.play("lay denmark")
    assert (rules.cannon(t.p), t.p.seals[DENMARK]) == (25, 0)
    t.play("advance denmark")
    assert (t.p.merchants[0], rules.cannon(t.p), t.p.seals[DENMARK]) == (4, 25, 0)
    t.play("trade in")
    assert (t.p.gold[0], rules.cannon(t.p), t.p.seals[DENMARK]) == (1, 11, -1)


def test_pirates_come_where_nothing_could_be_traded_in(ruleset: RuleSet) -> None:
    """B30: right after the move, in whatever way it ended."""
    t = (
        sea(ruleset)
        .shops(denmark_silk=4)
        .holds(0, denmark=1)
        .laid(0, denmark=13)
        .laid(1, france=11)
        .give(0, denmark=1)
    )
    t.play("lay denmark", "advance denmark")
    assert rules.cannon(t.p) == 11


def test_pirates_come_after_an_arrival(ruleset: RuleSet) -> None:
    """B30, B40: going to the arrival tile is a move too."""
    t = (
        sea(ruleset)
        .shops()
        .laid(0, denmark=13)
        .laid(1, france=11)
        .give(0, denmark=1)
        .play("lay denmark", "arrive")
    )
    assert rules.cannon(t.p) == 11


def test_pirates_come_after_the_last_move_of_a_round(ruleset: RuleSet) -> None:
    """B30: before the next auction."""
    t = sea(ruleset).moves(3, moved=3).laid(1, denmark=13).laid(2, france=12).play("draw")
    assert t.p.phase == rules.AUCTION
    assert rules.cannon(t.p) == 12


def test_pirates_do_not_come_after_an_auction(ruleset: RuleSet) -> None:
    """B30, B33: only after a move."""
    t = sea(ruleset).laid(1, denmark=13).laid(2, france=12).auction(0).play("bid 1", "pass", "pass", "pass")
    assert rules.cannon(t.p) == 25


def test_cannon_and_markers_follow_the_cards_that_remain(ruleset: RuleSet) -> None:
    """B31: sunk companies' markers at 0, the others as they were, the cannon at their sum."""
    t = sea(ruleset).laid(0, england=6).laid(1, denmark=10, england=1).laid(3, sweden=8).play("draw")
    assert (t.p.markers == counts(england=7, sweden=8)).all()
    assert rules.cannon(t.p) == 15
    assert t.sound()


def test_seals_of_sunk_companies_go_back_to_the_board(ruleset: RuleSet) -> None:
    """B31: nobody has a majority of no cards; other seals stay."""
    t = sea(ruleset).laid(0, england=7).laid(1, denmark=10).laid(3, sweden=8).play("draw")
    assert list(t.p.seals) == [0, -1, -1, -1, 3]


def test_a_sunk_company_can_be_won_anew_with_one_card(ruleset: RuleSet) -> None:
    """B31: after the attack all start from nothing there."""
    t = (
        sea(ruleset)
        .laid(0, england=7)
        .laid(3, denmark=10, sweden=8)
        .give(1, denmark=1)
        .play("draw", "lay denmark")
    )
    assert t.p.seals[DENMARK] == 1
    assert t.sound()


# Rounds


def test_the_next_round_starts_when_all_have_moved(ruleset: RuleSet) -> None:
    """B32: with an auction, and not before the last has moved."""
    t = sea(ruleset).moves(2).play("draw", "draw", "draw")
    assert (t.p.phase, t.p.round_number) == (rules.MOVE, 1)
    t.play("draw")
    assert (t.p.phase, t.p.round_number) == (rules.AUCTION, 2)


def test_the_first_player_is_the_next_auctioneer(ruleset: RuleSet) -> None:
    """B32: the winner of the auction moves first in this round, and auctions in the next."""
    t = (
        PositionBuilder(ruleset, first=0)
        .clear_cards()
        .auction(0)
        .play("pass", "bid 1", "pass", "pass", "draw", "draw", "draw", "draw")
    )
    assert (t.p.phase, t.p.first, t.p.turn) == (rules.AUCTION, 2, 3)


def test_there_is_at_most_one_attack_in_a_move(ruleset: RuleSet) -> None:
    """B33: cards that still reach the threshold are attacked after the next player's move."""
    t = sea(ruleset).laid(0, england=10, sweden=4).laid(1, denmark=12).laid(2, france=11).play("draw")
    assert (t.p.markers == counts(england=10, sweden=4, france=11)).all()
    t.play("draw")
    assert (t.p.markers == counts(england=10, sweden=4)).all()
    t.play("draw")
    assert (t.p.markers == counts(england=10, sweden=4)).all()


# The guard against a game without end


def still(ruleset: RuleSet) -> PositionBuilder:
    """Round after round nothing can be turned up or drawn: all cards are in the hand of seat 0.

    A round begins.
    """
    t = PositionBuilder(ruleset).clear_cards().pile(rest_to=0).auction(0)
    t.p.still = 0
    return t


IDLE = ("pass", "pass", "pass", "pass", "draw", "draw", "draw", "draw")


def test_after_ten_still_rounds_the_game_is_over(ruleset: RuleSet) -> None:
    """B35: ten whole rounds running, not nine; it is scored, and nobody has the arrival tile."""
    t = still(ruleset).play(*IDLE * 9)
    assert t.p.phase == rules.AUCTION
    t.play(*IDLE)
    assert (t.p.phase, t.p.turn, t.p.arrival) == (rules.OVER, -1, -1)
    assert rules.ENDINGS[t.p.ending] == "stillness"
    assert t.legal() == []
    assert t.gold() == [2 + 5 * 2, 2, 2, 2]  # bills tied; seat 0 laid all cards and has every seal


def test_the_round_in_which_a_card_moved_is_not_a_still_one(ruleset: RuleSet) -> None:
    """B35: the ten rounds are counted from the next one."""
    t = still(ruleset)
    t.p.still = -1
    t.play(*IDLE * 10)
    assert t.p.phase == rules.AUCTION
    assert t.play(*IDLE).p.phase == rules.OVER


def test_bids_for_the_boat_alone_do_not_stir_a_card(ruleset: RuleSet) -> None:
    """B35: only ship cards count."""
    t = still(ruleset)
    t.p.still = 9
    t.play("bid 1", "pass", "pass", "pass", "draw", "draw", "draw", "draw")
    assert t.p.phase == rules.OVER


def test_a_lot_nobody_buys_does_not_stir(ruleset: RuleSet) -> None:
    """B35: cards left over that stay so are not turned up again."""
    t = PositionBuilder(ruleset).clear_cards().lot(sweden=2).pile(rest_to=0).auction(0)
    t.p.still = 9
    t.play(*IDLE)
    assert t.p.phase == rules.OVER


def nearly_over(t: PositionBuilder) -> PositionBuilder:
    t.p.still = 9
    return t


def test_a_card_bought_resets_the_guard(ruleset: RuleSet) -> None:
    """B35: buying a lot left over counts, though nothing is turned up."""
    t = nearly_over(PositionBuilder(ruleset).clear_cards().lot(sweden=2).pile(rest_to=0).auction(0))
    t.play("bid 1", "pass", "pass", "pass", "draw", "draw", "draw", "draw")
    assert (t.p.phase, t.p.still) == (rules.AUCTION, 0)


def test_a_card_drawn_resets_the_guard(ruleset: RuleSet) -> None:
    """B35: one card is enough."""
    t = nearly_over(PositionBuilder(ruleset).clear_cards().pile(rest_to=0, england=1).moves(0)).play(
        "draw", "draw", "draw", "draw"
    )
    assert (t.p.phase, t.p.still) == (rules.AUCTION, 0)


def test_a_card_laid_resets_the_guard(ruleset: RuleSet) -> None:
    """B35: whoever lays it, and at whatever place in the round."""
    t = nearly_over(still(ruleset).moves(3, moved=1)).shops(england_tea=3)
    t.play("draw", "lay england", "advance england", "keep", "draw")
    assert (t.p.phase, t.p.still) == (rules.AUCTION, 0)


def test_a_card_turned_up_resets_the_guard(ruleset: RuleSet) -> None:
    """B35: the one card left to turn up, which nobody buys."""
    t = PositionBuilder(ruleset).clear_cards().pile(rest_to=0, england=1).last_decision(3)
    t.p.still = 8
    t.play("keep")
    assert t.p.lot.sum() == 1
    t.play(*IDLE)
    assert (t.p.phase, t.p.still) == (rules.AUCTION, 0)


def test_an_ordinary_round_is_never_counted(ruleset: RuleSet) -> None:
    """B35: while cards are turned up the count stays below one."""
    t = PositionBuilder(ruleset, first=0)
    for _ in range(3):
        t.play(*IDLE)
    assert t.p.still == -1  # the fourth lot has been turned up


def test_after_the_guard_everyone_lays_the_cards_in_hand(ruleset: RuleSet) -> None:
    """B35, B43: it is scored like any end."""
    t = still(ruleset)
    t.p.still = 9
    t.play(*IDLE)
    assert not t.p.hand.any()
    assert [int(t.p.seals[company]) for company in (ENGLAND, DENMARK, FRANCE, SWEDEN)] == [0, 0, 0, 0]
    assert t.sound()
