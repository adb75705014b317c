"""The end and scoring: B40 to B47."""

from __future__ import annotations

import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.engine.match import Match
from comptoir.errors import DataError
from comptoir.games.batavia import rules
from tests.games.batavia.positions import BATAVIA, DENMARK, SWEDEN, PositionBuilder, counts

VALUES = {
    "tea": (10, 5),
    "cotton": (11, 5),
    "porcelain": (12, 6),
    "silk": (13, 6),
    "ginger": (14, 7),
    "nutmeg": (15, 7),
    "pepper": (16, 8),
}


def late(ruleset: RuleSet) -> PositionBuilder:
    """Seat 0, on space 10, has the Danish seal, a Danish card in hand, and a Danish shop behind it only."""
    t = PositionBuilder(ruleset).clear_cards().shops(denmark_silk=4).at(seat0=10, seat1=10)
    return t.laid(0, denmark=1).give(0, denmark=1).moves(0)


def after_arrival(ruleset: RuleSet, **shops: int) -> PositionBuilder:
    """Seat 0 has taken the arrival tile; seat 1, on space 10, is to move, and then seats 2 and 3."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .shops(**shops)
        .at(seat0=rules.ARRIVAL_SPACE, seat1=10)
        .moves(1, moved=1)
    )
    t.p.arrival = 0
    return t


def last_round(t: PositionBuilder) -> PositionBuilder:
    """Seat 3 has only to `keep` a tile, and the game is over; seat 0 has the arrival tile."""
    t.last_decision(3).p.arrival = 0
    return t


def gained(t: PositionBuilder, before: list[int]) -> list[int]:
    return [now - then for now, then in zip(t.gold(), before, strict=True)]


# The arrival tile


def test_with_no_shop_ahead_the_merchant_goes_to_the_arrival_tile(ruleset: RuleSet) -> None:
    """B40: who has played cards, and finds no shop ahead of a company whose seal he holds, takes it."""
    t = late(ruleset).play("lay denmark")
    assert t.legal() == ["arrive"]
    t.play("arrive")
    assert (t.p.merchants[0], t.p.arrival) == (rules.ARRIVAL_SPACE, 0)


def test_the_arrival_tile_is_for_who_has_played_cards(ruleset: RuleSet) -> None:
    """B40: not without laying one in this move."""
    assert late(ruleset).legal() == ["draw", "lay denmark"]


def test_a_shop_ahead_under_any_seal_must_be_gone_to(ruleset: RuleSet) -> None:
    """B40: with a shop for one of two seals, that shop it is."""
    t = late(ruleset).laid(0, sweden=1).shops(sweden_tea=35).play("lay denmark")
    assert t.legal() == ["advance sweden"]


def test_shops_under_seals_of_others_do_not_count(ruleset: RuleSet) -> None:
    """B40: nor those of companies whose seal lies on the board."""
    t = late(ruleset).laid(1, sweden=1).shops(sweden_tea=20, england_tea=21).play("lay denmark")
    assert t.legal() == ["arrive"]


def test_nobody_need_lay_more_to_avoid_the_arrival_tile(ruleset: RuleSet) -> None:
    """B40: cards in hand that would win the seal of a company with a shop ahead may be kept."""
    t = late(ruleset).give(0, sweden=1).shops(sweden_tea=20).play("lay denmark")
    assert t.legal() == ["lay sweden", "arrive"]


def test_the_seals_held_after_laying_count(ruleset: RuleSet) -> None:
    """B40: a seal won in this very move opens the way to its shop, and bars the arrival tile."""
    t = late(ruleset).give(0, sweden=1).shops(sweden_tea=20).play("lay denmark", "lay sweden")
    assert t.legal() == ["advance sweden"]


def test_without_a_seal_there_is_no_arriving(ruleset: RuleSet) -> None:
    """B40, B22: no shop ahead under one's seals, but no seal either: more cards must be laid."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .shops()
        .laid(1, denmark=1)
        .give(0, denmark=2)
        .moves(0)
        .play("lay denmark")
    )
    assert t.legal() == ["lay denmark"]
    assert t.play("lay denmark").legal() == ["arrive"]


def test_who_takes_the_arrival_tile_cannot_trade_in(ruleset: RuleSet) -> None:
    """B41: the next player is to move at once; tiles held stay where they are, for no gold."""
    t = late(ruleset).holds(0, england=1, france=1).play("lay denmark", "arrive")
    assert (t.p.turn, t.p.phase, t.p.gold[0]) == (1, rules.MOVE, 0)
    assert (t.p.held[0] == counts(england=1, france=1)).all()


def test_the_round_is_played_to_its_end(ruleset: RuleSet) -> None:
    """B42: all who have not moved yet do so, once, and then the game is over."""
    t = late(ruleset).play("lay denmark", "arrive")
    moved = []
    while t.p.turn >= 0:
        moved.append(int(t.p.turn))
        t.play("draw")
    assert moved == [1, 2, 3]
    assert (t.p.phase, rules.ENDINGS[t.p.ending], t.p.round_number) == (rules.OVER, "arrival", 1)


def test_an_arrival_in_the_last_move_of_a_round_ends_the_game(ruleset: RuleSet) -> None:
    """B42: those who have moved before do not move again."""
    t = late(ruleset).moves(0, moved=3).play("lay denmark", "arrive")
    assert (t.p.phase, t.p.turn, t.legal()) == (rules.OVER, -1, [])


def test_after_the_arrival_a_seal_with_a_shop_ahead_allows_playing(ruleset: RuleSet) -> None:
    """B42: any card may be laid by whoever holds such a seal already."""
    t = after_arrival(ruleset, denmark_silk=11).laid(1, denmark=1).laid(2, sweden=5).give(1, sweden=1)
    assert t.legal() == ["draw", "lay sweden"]
    assert t.play("lay sweden").legal() == ["advance denmark"]


def test_after_the_arrival_a_seal_within_reach_allows_playing(ruleset: RuleSet) -> None:
    """B42: by a seal they then hold: it may be won by laying."""
    t = after_arrival(ruleset, denmark_silk=35).laid(2, denmark=1).give(1, denmark=2)
    assert t.legal() == ["draw", "lay denmark"]
    assert t.play("lay denmark", "lay denmark", "advance denmark").p.merchants[1] == 35


def test_after_the_arrival_a_seal_without_a_shop_ahead_does_not(ruleset: RuleSet) -> None:
    """B42: who would have gone to the arrival tile must draw."""
    t = after_arrival(ruleset, denmark_silk=9, sweden_tea=20).laid(1, denmark=1).give(1, denmark=1)
    assert t.legal() == ["draw"]


def test_after_the_arrival_a_majority_without_a_shop_ahead_does_not(ruleset: RuleSet) -> None:
    """B42: nor a seal within reach, if it leads to no shop."""
    t = after_arrival(ruleset, denmark_silk=10, sweden_tea=20).give(1, denmark=1)
    assert t.legal() == ["draw"]


def test_after_the_arrival_a_shop_without_a_majority_does_not(ruleset: RuleSet) -> None:
    """B42: nor a shop ahead whose seal is out of reach, with another seal in hand."""
    t = (
        after_arrival(ruleset, sweden_tea=20)
        .laid(1, denmark=1)
        .laid(2, sweden=1)
        .give(1, sweden=1, denmark=1)
    )
    assert t.legal() == ["draw"]


def test_after_the_arrival_an_empty_hand_still_must_draw(ruleset: RuleSet) -> None:
    """B42, B21: a seal and a shop ahead, but no card."""
    assert after_arrival(ruleset, denmark_silk=11).laid(1, denmark=1).legal() == ["draw"]


def test_nobody_else_can_arrive(ruleset: RuleSet) -> None:
    """B42: who has begun to lay goes on until he has a seal that takes him to a shop."""
    t = (
        after_arrival(ruleset, sweden_tea=20)
        .laid(1, denmark=1)
        .give(1, denmark=1, sweden=1)
        .play("lay denmark")
    )
    assert t.legal() == ["lay sweden"]
    assert t.play("lay sweden").legal() == ["advance sweden"]


def test_after_the_arrival_a_draw_is_of_two_cards(ruleset: RuleSet) -> None:
    """B42: otherwise they must draw 2."""
    assert after_arrival(ruleset).play("draw").p.hand_size[1] == 2


# Scoring


def test_everyone_lays_all_hand_cards(ruleset: RuleSet) -> None:
    """B43: the cards in hand lie open with the others."""
    t = last_round(
        PositionBuilder(ruleset)
        .clear_cards()
        .laid(0, denmark=2)
        .give(0, denmark=1, sweden=3)
        .give(3, france=4)
    ).play("keep")
    assert not t.p.hand.any()
    assert not t.p.hand_size.any()
    assert (t.p.laid[0] == counts(denmark=3, sweden=3)).all()
    assert (t.p.laid[3] == counts(france=4)).all()
    assert (t.p.markers == counts(denmark=3, sweden=3, france=4)).all()
    assert t.sound()


@pytest.mark.parametrize(
    ("laid", "hands", "holder"),
    [
        ((2, 0, 0, 0), (0, 3, 0, 0), 1),
        ((2, 0, 0, 0), (0, 2, 0, 0), -1),
        ((2, 0, 0, 0), (1, 2, 0, 0), 0),
        ((0, 0, 0, 0), (0, 0, 0, 1), 3),
        ((0, 0, 0, 2), (3, 3, 0, 0), -1),
        ((0, 0, 0, 2), (3, 3, 0, 2), 3),
        ((2, 2, 0, 0), (0, 0, 0, 0), -1),
        ((0, 0, 0, 0), (0, 0, 0, 0), -1),
    ],
)
def test_seals_are_given_anew(
    ruleset: RuleSet, laid: tuple[int, ...], hands: tuple[int, ...], holder: int
) -> None:
    """B43, B23: to whoever has strictly most cards when all are laid; a tie leaves the seal on the board."""
    t = PositionBuilder(ruleset).clear_cards()
    for seat in range(4):
        t.laid(seat, denmark=laid[seat]).give(seat, denmark=hands[seat])
    assert last_round(t).play("keep").p.seals[DENMARK] == holder


def test_no_pirates_come_for_the_cards_laid_at_the_end(ruleset: RuleSet) -> None:
    """B43: however many they are."""
    t = last_round(
        PositionBuilder(ruleset).clear_cards().laid(0, denmark=12, france=12).give(1, denmark=5, sweden=8)
    ).play("keep")
    assert rules.cannon(t.p) == 37
    assert not t.p.discards.any()


@pytest.mark.parametrize("good", VALUES)
def test_the_player_with_most_crates_gets_the_full_value(ruleset: RuleSet, good: str) -> None:
    """B44: each trading post has its own value, paid to who alone has most."""
    t = PositionBuilder(ruleset).shops()
    before = t.gold()
    t.stock(good, 1, 2)
    assert gained(t, before) == [0, VALUES[good][0], 0, 0]


@pytest.mark.parametrize("good", VALUES)
def test_tied_players_each_get_the_shared_value(ruleset: RuleSet, good: str) -> None:
    """B44: all who tie for most; those with fewer get nothing."""
    t = PositionBuilder(ruleset).shops()
    before = t.gold()
    t.stock(good, 2, 0, 1, 2)
    assert gained(t, before) == [VALUES[good][1], 0, 0, VALUES[good][1]]


@pytest.mark.parametrize(
    ("crates", "silk"),
    [
        ((1, 0, 0, 0, 0), (13, 0, 0, 0, 0)),
        ((0, 0, 0, 0, 5), (0, 0, 0, 0, 13)),
        ((1, 1, 1, 1, 1), (6, 6, 6, 6, 6)),
        ((1, 1, 0, 1, 2), (0, 0, 0, 0, 13)),
        ((2, 1, 1, 1, 0), (13, 0, 0, 0, 0)),
        ((1, 2, 2, 0, 0), (0, 6, 6, 0, 0)),
        ((2, 1, 2, 0, 0), (6, 0, 6, 0, 0)),
        ((3, 2, 0, 0, 0), (13, 0, 0, 0, 0)),
    ],
)
def test_ties_at_a_trading_post(ruleset: RuleSet, crates: tuple[int, ...], silk: tuple[int, ...]) -> None:
    """B44: in whatever order the seats come."""
    t = PositionBuilder(ruleset, players=5).shops()
    before = t.gold()
    assert gained(t.stock("silk", *crates), before) == list(silk)


def test_a_post_without_crates_pays_nobody(ruleset: RuleSet) -> None:
    """B44: nobody has most of nothing; tiles taken without a crate do not count either."""
    t = PositionBuilder(ruleset).shops()
    t.p.bills[:4] = [0, 20, 20, 20]
    assert t.gold() == [0, 2, 2, 2]


def test_each_post_is_paid_for_itself(ruleset: RuleSet) -> None:
    """B44: one may be the first in several posts."""
    t = PositionBuilder(ruleset).shops()
    before = t.gold()
    t.stock("tea", 1).stock("pepper", 2, 1).stock("nutmeg", 1, 1)
    assert gained(t, before) == [10 + 16 + 7, 7, 0, 0]


@pytest.mark.parametrize(
    ("bills", "gold"),
    [
        ((16, 15, 15, 14), (5, 0, 0, 0)),
        ((14, 15, 15, 16), (0, 0, 0, 5)),
        ((0, 60, 0, 0), (0, 5, 0, 0)),
        ((16, 12, 16, 16), (2, 0, 2, 2)),
        ((14, 16, 14, 16), (0, 2, 0, 2)),
        ((16, 14, 14, 16), (2, 0, 0, 2)),
        ((15, 15, 15, 15), (2, 2, 2, 2)),
    ],
)
def test_gold_for_most_bills(ruleset: RuleSet, bills: tuple[int, ...], gold: tuple[int, ...]) -> None:
    """B45: most bills give 5 gold; tied, 2 each."""
    t = PositionBuilder(ruleset).shops()
    t.p.bills[:4] = bills
    assert t.gold() == list(gold)


@pytest.mark.parametrize("seat", [0, 2])
def test_gold_for_the_arrival_tile(ruleset: RuleSet, seat: int) -> None:
    """B45: 4 gold."""
    t = PositionBuilder(ruleset).shops()
    before = t.gold()
    t.p.arrival = seat
    assert gained(t, before)[seat] == 4
    assert sum(gained(t, before)) == 4


def test_gold_for_each_seal(ruleset: RuleSet) -> None:
    """B45: 2 gold each; a seal on the board pays nobody."""
    t = PositionBuilder(ruleset).shops().clear_cards()
    before = t.gold()
    t.laid(0, england=1, sweden=1, france=1).laid(2, denmark=1).laid(3, france=1)
    assert gained(t, before) == [4, 0, 2, 0]


def test_gold_from_tiles_counts(ruleset: RuleSet) -> None:
    """B46: gold gained during the game is added."""
    t = PositionBuilder(ruleset).shops()
    before = t.gold()
    t.p.gold[:4] = [3, 0, 16, 1]
    assert gained(t, before) == [3, 0, 16, 1]


def final(gold: list[int]) -> Match:
    """A match that is over, with this gold besides 2 for bills each."""
    t = PositionBuilder(BATAVIA.interpreted).clear_cards().shops().last_decision(3)
    t.p.arrival = 0
    t.p.gold[:4] = gold
    match = comptoir.new("batavia", position=BATAVIA.to_dict(t.p), seed=1)
    assert match.winners() == []
    match.play("keep")
    return match


@pytest.mark.parametrize(
    ("gold", "winners"),
    [
        ([0, 0, 0, 0], [0]),
        ([0, 5, 0, 0], [1]),
        ([0, 4, 3, 0], [0, 1]),
        ([1, 4, 5, 5], [0, 2, 3]),
        ([0, 4, 4, 4], [0, 1, 2, 3]),
    ],
)
def test_most_gold_wins_and_a_tie_shares_the_victory(gold: list[int], winners: list[int]) -> None:
    """B46: seat 0 has 4 more for the arrival tile; nothing breaks a tie."""
    match = final(gold)
    assert match.scores() == [gold[0] + 6, gold[1] + 2, gold[2] + 2, gold[3] + 2]
    assert match.winners() == winners


# The rest of the last round


def test_shops_crates_and_trading_in_work_as_usual_in_the_last_round(ruleset: RuleSet) -> None:
    """B47: after the arrival tile is taken, a shop still gives a tile, a crate and gold."""
    t = after_arrival(ruleset, denmark_silk=11).laid(1, denmark=1).give(1, denmark=1).holds(1, england=1)
    t.play("lay denmark", "advance denmark")
    assert (t.p.crates[1], t.p.held[1, DENMARK]) == (11, 1)
    assert t.play("trade in").p.gold[1] == 3
    assert t.p.turn == 2


def test_shops_are_turned_up_in_the_last_round(ruleset: RuleSet) -> None:
    """B47: landing on one of the last five face-up spaces does what it always does."""
    t = PositionBuilder(ruleset)
    t.p.arrival = 0
    assert t.land(1, 7).p.face_up == 15


def test_pirates_come_in_the_last_round(ruleset: RuleSet) -> None:
    """B47: after a draw there too."""
    t = after_arrival(ruleset).laid(0, denmark=13).laid(2, france=12).play("draw")
    assert (t.p.markers == counts(france=12)).all()


def test_pirates_come_after_the_very_last_move(ruleset: RuleSet) -> None:
    """B47, B43: for what is laid then; the hands are laid after that."""
    t = last_round(
        PositionBuilder(ruleset).clear_cards().laid(0, denmark=13).laid(2, france=12).give(1, denmark=1)
    ).play("keep")
    assert (t.p.laid.sum(axis=0) == counts(denmark=1, france=12)).all()
    assert t.p.seals[DENMARK] == 1
    assert t.p.phase == rules.OVER


def test_tiles_not_traded_in_are_worth_nothing(ruleset: RuleSet) -> None:
    """B47: however many."""
    t = PositionBuilder(ruleset).shops()
    before = t.gold()
    t.holds(0, england=2, denmark=1, france=1, netherlands=1, sweden=3)
    assert gained(t, before) == [0, 0, 0, 0]


def test_a_lot_left_unsold_is_worth_nothing(ruleset: RuleSet) -> None:
    """B47: nobody lays it, and it wins no seal."""
    t = last_round(PositionBuilder(ruleset).clear_cards().shops().lot(sweden=6).laid(1, sweden=1)).play(
        "keep"
    )
    assert (t.p.lot == counts(sweden=6)).all()
    assert (t.p.seals[SWEDEN], t.p.markers[SWEDEN]) == (1, 1)
    assert t.gold() == [6, 4, 2, 2]


def test_a_position_before_the_first_round_is_refused() -> None:
    """B9: rounds are counted from 1."""
    match = comptoir.new("batavia", seed=1)
    assert BATAVIA.position_from_dict(match.position(), match.box)["round_number"] == 1
    with pytest.raises(DataError, match="round_number"):
        BATAVIA.position_from_dict(match.position() | {"round_number": 0}, match.box)
