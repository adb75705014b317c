"""The moves of a round: B20 to B28."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.errors import DataError
from comptoir.games.batavia import rules
from tests.games.batavia.positions import (
    BATAVIA,
    BOX,
    DENMARK,
    ENGLAND,
    FRANCE,
    SILK,
    SWEDEN,
    PositionBuilder,
    counts,
    random_match,
)


def bare(ruleset: RuleSet, players: int = 4) -> PositionBuilder:
    """Seat 0 is to move; all ship cards are in the pile."""
    return PositionBuilder(ruleset, players=players).clear_cards().moves(0)


def danish(ruleset: RuleSet) -> PositionBuilder:
    """Seat 0 is to move; it has the Danish seal, and one Danish card in hand."""
    return bare(ruleset).laid(0, denmark=1).give(0, denmark=1)


def take_danish_tile(ruleset: RuleSet, **held: int) -> PositionBuilder:
    """Seat 0, with these tiles from earlier moves, takes a Danish one."""
    return (
        danish(ruleset)
        .shops(denmark_silk=4, denmark_tea=9)
        .holds(0, **held)
        .play("lay denmark", "advance denmark")
    )


# Draw


def test_drawing_takes_two_cards_from_the_pile(ruleset: RuleSet) -> None:
    """B20: the top 2 ship cards go into the hand."""
    t = bare(ruleset).give(0, sweden=3).play("draw")
    assert t.p.hand_size[0] == t.p.hand[0].sum() == 5
    assert t.p.pile_size == t.p.pile.sum() == 105
    assert t.p.hand_size[1:].sum() == 0
    assert t.sound()


def test_drawing_ends_the_move(ruleset: RuleSet) -> None:
    """B20: the next player is to move."""
    t = bare(ruleset).give(0, sweden=3).play("draw")
    assert (t.p.turn, t.p.phase) == (1, rules.MOVE)


def test_everyone_may_draw_instead_of_playing(ruleset: RuleSet) -> None:
    """B20: drawing is allowed even to who could play."""
    assert "draw" in danish(ruleset).legal()


@pytest.mark.parametrize(
    ("players", "first", "order"), [(3, 1, [1, 2, 0]), (4, 2, [2, 3, 0, 1]), (5, 4, [4, 0, 1, 2, 3])]
)
def test_each_moves_once_clockwise_from_the_first_player(
    ruleset: RuleSet, players: int, first: int, order: list[int]
) -> None:
    """B20: one action each, clockwise from the first player, who has won the auction; then comes the next."""
    t = bare(ruleset, players).auction((first - 1) % players).play("bid 1", *["pass"] * (players - 1))
    moved = []
    while t.p.phase == rules.MOVE:
        moved.append(int(t.p.turn))
        t.play("draw")
    assert moved == order
    assert t.p.phase == rules.AUCTION


def test_a_play_is_one_action_too(ruleset: RuleSet) -> None:
    """B20: who has played does not draw as well."""
    t = take_danish_tile(ruleset).play("keep")
    assert (t.p.turn, t.p.phase, t.p.hand_size[0]) == (1, rules.MOVE, 0)


# Play


def test_several_cards_of_any_companies_may_be_laid(ruleset: RuleSet) -> None:
    """B21: 1 or more ship cards from hand, of any companies, open in front of the player."""
    t = (
        danish(ruleset)
        .give(0, england=2, sweden=1)
        .play("lay england", "lay denmark", "lay sweden", "lay england")
    )
    assert (t.p.laid[0] == counts(england=2, denmark=2, sweden=1)).all()
    assert t.p.hand_size[0] == t.p.hand[0].sum() == 0
    assert t.sound()


def test_one_card_is_enough(ruleset: RuleSet) -> None:
    """B21: after one card the merchant may go on, or more cards may be laid."""
    t = danish(ruleset).shops(denmark_silk=4).give(0, england=1).play("lay denmark")
    assert t.legal() == ["lay england", "advance denmark"]


def test_only_cards_in_hand_can_be_laid(ruleset: RuleSet) -> None:
    """B21: not those of others, nor any already laid."""
    t = danish(ruleset).give(1, france=3).give(0, sweden=1)
    assert t.legal() == ["draw", "lay denmark", "lay sweden"]
    assert t.play("lay denmark").legal()[0] == "lay sweden"


def test_laid_cards_stay(ruleset: RuleSet) -> None:
    """B21: they lie there in the next rounds too."""
    t = take_danish_tile(ruleset).play("keep", "draw", "draw", "draw", "pass", "pass", "pass", "pass", "draw")
    assert (t.p.laid[0] == counts(denmark=2)).all()


def test_who_has_laid_a_card_cannot_draw_or_stop(ruleset: RuleSet) -> None:
    """B21, B25: the play goes on to a shop."""
    t = danish(ruleset).shops(denmark_silk=4).play("lay denmark")
    assert t.legal() == ["advance denmark"]


def test_with_an_empty_hand_one_cannot_play_even_with_a_seal(ruleset: RuleSet) -> None:
    """B21: who has a seal and no card must draw."""
    t = bare(ruleset).laid(0, denmark=3)
    assert t.p.seals[DENMARK] == 0
    assert t.legal() == ["draw"]


@pytest.mark.parametrize(
    ("mine", "others", "hand", "may"),
    [
        (0, (0, 0, 0), 1, True),
        (0, (1, 0, 0), 1, False),
        (0, (1, 0, 0), 2, True),
        (1, (2, 0, 0), 1, False),
        (1, (0, 0, 2), 2, True),
        (2, (2, 0, 0), 1, True),
        (0, (1, 3, 0), 2, False),
        (0, (1, 0, 3), 3, False),
        (0, (1, 3, 0), 4, True),
        (0, (2, 2, 2), 3, True),
    ],
)
def test_playing_needs_strictly_more_than_every_other_player(
    ruleset: RuleSet, mine: int, others: tuple[int, ...], hand: int, may: bool
) -> None:
    """B22: with the cards in hand one must come to have more than each of the others; who cannot must
    draw.
    """
    t = bare(ruleset).laid(0, denmark=mine).give(0, denmark=hand)
    for seat, cards in enumerate(others, 1):
        t.laid(seat, denmark=cards)
    assert t.legal() == (["draw", "lay denmark"] if may else ["draw"])


@pytest.mark.parametrize("company", rules.COMPANIES)
def test_a_majority_in_any_company_will_do(ruleset: RuleSet, company: str) -> None:
    """B22: in at least one company."""
    t = bare(ruleset).give(0, **{company: 2})
    for name in rules.COMPANIES:
        t.laid(2, **{name: 1 if name == company else 3})
    assert t.legal() == ["draw", f"lay {company}"]


def test_cards_of_different_companies_do_not_add_up(ruleset: RuleSet) -> None:
    """B22: one of each is no majority against two of each."""
    t = bare(ruleset).laid(1, england=1, denmark=1, france=1).give(0, england=1, denmark=1, france=1)
    assert t.legal() == ["draw"]


def test_who_has_a_majority_may_lay_any_card(ruleset: RuleSet) -> None:
    """B22: a majority before laying is enough; the card laid need not make one."""
    t = (
        bare(ruleset)
        .laid(0, denmark=2)
        .laid(1, denmark=1, england=5)
        .give(0, england=1)
        .shops(denmark_silk=3)
    )
    assert t.legal() == ["draw", "lay england"]
    assert t.play("lay england").legal() == ["advance denmark"]


def test_the_majority_is_needed_at_the_latest_after_laying(ruleset: RuleSet) -> None:
    """B22: cards may be laid in any order, but the merchant goes on only with a majority."""
    t = bare(ruleset).laid(1, denmark=1, england=5).give(0, denmark=2, england=1).shops(denmark_silk=3)
    assert t.play("lay england").legal() == ["lay denmark"]
    assert t.play("lay denmark").legal() == ["lay denmark"]
    assert t.play("lay denmark").legal() == ["advance denmark"]


@pytest.mark.parametrize(
    ("before", "holders"),
    [
        ((0, 0, 0, 0), [0, 0, 0]),
        ((0, 2, 0, 0), [1, None, 0]),
        ((0, 2, 2, 0), [None, None, 0]),
        ((0, 0, 1, 3), [3, 3, None]),
        ((2, 2, 1, 0), [0, 0, 0]),
        ((1, 0, 0, 3), [3, None, 0]),
        ((3, 1, 0, 0), [0, 0, 0]),
    ],
)
def test_the_seal_lies_with_who_has_strictly_most(
    ruleset: RuleSet, before: tuple[int, ...], holders: list[int | None]
) -> None:
    """B23: it is taken from the board or the holder; a tie with the holder sends it back; other ties change
    nothing.
    """
    t = bare(ruleset).laid(0, england=1)
    for seat, cards in enumerate(before):
        t.laid(seat, denmark=cards)
    t.give(0, denmark=3)
    seals = [int(t.play("lay denmark").p.seals[DENMARK]) for _ in range(3)]
    assert seals == [-1 if holder is None else holder for holder in holders]
    assert t.p.seals[ENGLAND] == 0
    assert t.sound()


def test_a_seat_may_hold_several_seals(ruleset: RuleSet) -> None:
    """B23: one for each company it leads."""
    t = bare(ruleset).laid(1, france=2).give(0, denmark=1, sweden=1).play("lay denmark", "lay sweden")
    assert list(t.p.seals) == [-1, 0, 1, -1, 0]


def test_markers_and_cannon_count_the_laid_cards_of_all(ruleset: RuleSet) -> None:
    """B24: each marker its company's cards, the cannon all of them."""
    t = (
        bare(ruleset)
        .laid(1, denmark=2, sweden=1)
        .give(0, england=1, denmark=1)
        .play("lay england", "lay denmark")
    )
    assert (t.p.markers == counts(england=1, denmark=3, sweden=1)).all()
    assert rules.cannon(t.p) == 5


def test_cards_in_hand_or_lot_do_not_count(ruleset: RuleSet) -> None:
    """B24: drawing and buying move no marker."""
    t = PositionBuilder(ruleset, first=0).play("bid 1", "pass", "pass", "pass", "draw")
    assert not t.p.markers.any()


def test_a_position_whose_marker_disagrees_with_the_cards_is_refused(ruleset: RuleSet) -> None:
    """B24: the cards count, so such a position is not read."""
    t = danish(ruleset)
    t.p.markers[DENMARK] = 5
    with pytest.raises(DataError, match=r"markers.*denmark"):
        BATAVIA.position_from_dict(BATAVIA.to_dict(t.p), BOX)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_markers_and_seals_never_disagree_with_the_cards(ruleset: RuleSet, players: int) -> None:
    """B23, B24: over a whole match, whatever is laid and sunk."""
    for t in random_match(ruleset, "markers", players=players):
        assert (t.p.markers == t.p.laid.sum(axis=0)).all()
        assert t.sound()


# Advance


def test_the_merchant_moves_to_the_next_shop_of_the_company(ruleset: RuleSet) -> None:
    """B25: the nearest ahead; empty spaces, other companies' shops and other merchants are jumped."""
    t = danish(ruleset).shops(denmark_pepper=20, denmark_silk=12, sweden_tea=9, england_tea=11)
    t.at(seat0=7, seat1=10, seat2=30).play("lay denmark", "advance denmark")
    assert list(t.p.merchants[:4]) == [12, 10, 30, 0]


def test_the_merchant_never_moves_backward(ruleset: RuleSet) -> None:
    """B25: a nearer shop behind does not count, were it just one space back."""
    t = danish(ruleset).shops(denmark_pepper=30, denmark_silk=9, denmark_tea=4).at(seat0=10)
    assert t.play("lay denmark", "advance denmark").p.merchants[0] == 30


@pytest.mark.parametrize("space", [1, 35])
def test_the_first_and_the_last_space_can_be_reached(ruleset: RuleSet, space: int) -> None:
    """B25: from the start space to space 1, and from anywhere to space 35."""
    t = danish(ruleset).shops(denmark_silk=space).at(seat0=space - 1)
    assert t.play("lay denmark", "advance denmark").p.merchants[0] == space


def test_with_several_seals_the_player_chooses_one_company(ruleset: RuleSet) -> None:
    """B25: any company whose seal he holds and that has a shop ahead; no other."""
    t = danish(ruleset).laid(0, england=1, sweden=1).laid(1, france=1)
    t.shops(england_tea=9, denmark_silk=4, sweden_tea=2, france_tea=3, netherlands_tea=5).at(seat0=3).play(
        "lay denmark"
    )
    assert t.legal() == ["advance england", "advance denmark"]
    assert t.play("advance england").p.merchants[0] == 9


def test_any_seal_held_will_do_not_only_that_of_a_card_laid(ruleset: RuleSet) -> None:
    """B25: he may lay a Danish card and go on under the Swedish seal."""
    t = (
        danish(ruleset)
        .laid(0, sweden=1)
        .shops(denmark_silk=4, sweden_tea=2)
        .play("lay denmark", "advance sweden")
    )
    assert t.p.merchants[0] == 2


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_next_shop_is_always_face_up(ruleset: RuleSet, players: int) -> None:
    """B25, B27: while tiles are face down, a shop of every company lies face up ahead of every merchant."""
    for t in random_match(ruleset, "face up", players=players):
        if t.p.face_up < 35 and t.p.arrival < 0:
            assert all(
                rules.next_shop(t.p, seat, company) > 0 for seat in range(players) for company in range(5)
            )


# The tile


def test_the_tile_is_taken_and_its_good_crated(ruleset: RuleSet) -> None:
    """B26: tile taken, merchant on its space, one crate less, and that on the company's square of the good's
    post.
    """
    t = take_danish_tile(ruleset)
    assert t.p.merchants[0] == 4
    assert (t.p.held[0] == counts(denmark=1)).all()
    assert t.p.tiles[DENMARK, SILK] == rules.FIRST_CRATE
    assert list(t.p.crates[:4]) == [11, 12, 12, 12]
    assert 4 not in t.p.tiles
    assert t.sound()


@pytest.mark.parametrize("seat", [1, 3])
def test_the_crate_is_the_players_own(ruleset: RuleSet, seat: int) -> None:
    """B26: whoever takes the tile places a crate of his own."""
    t = PositionBuilder(ruleset).land(seat, 3)
    assert [rules.PLACES[place] for place in t.p.tiles.flat if place >= rules.FIRST_CRATE] == [
        f"crate of seat {seat}"
    ]
    assert t.p.crates[seat] == 11


def test_a_tile_taken_is_there_for_nobody_else(ruleset: RuleSet) -> None:
    """B26: the next merchant jumps the freed space."""
    t = (
        take_danish_tile(ruleset)
        .laid(1, denmark=3)
        .give(1, denmark=1)
        .play("keep", "lay denmark", "advance denmark")
    )
    assert list(t.p.merchants[:2]) == [4, 9]


def test_the_last_crate_is_placed(ruleset: RuleSet) -> None:
    """B26: with one crate left it goes on the post."""
    t = danish(ruleset).shops(denmark_silk=4)
    t.p.crates[0] = 1
    t.play("lay denmark", "advance denmark")
    assert (t.p.crates[0], t.p.tiles[DENMARK, SILK]) == (0, rules.FIRST_CRATE)


def test_without_crates_the_tile_is_taken_all_the_same(ruleset: RuleSet) -> None:
    """B26: no crate is placed, and the tile may still be traded in."""
    t = danish(ruleset).shops(denmark_silk=4)
    t.p.crates[0] = 0
    t.play("lay denmark", "advance denmark")
    assert (t.p.crates[0], t.p.tiles[DENMARK, SILK], t.p.held[0, DENMARK]) == (0, rules.NO_CRATE, 1)
    assert t.play("trade in").p.gold[0] == 1


def test_tiles_that_all_have_passed_stay_and_do_nothing(ruleset: RuleSet) -> None:
    """B26: nobody can take them any more."""
    t = danish(ruleset).shops(denmark_silk=4, denmark_tea=20).at(seat0=10, seat1=5, seat2=30, seat3=7)
    t.play("lay denmark", "advance denmark", "keep")
    assert t.p.tiles[DENMARK, SILK] == 4
    assert t.laid(1, denmark=9).give(1, denmark=1).play("lay denmark").legal() == ["arrive"]


# Turning up shops


@pytest.mark.parametrize(
    ("face_up", "space", "then"),
    [
        (10, 1, 10),
        (10, 5, 10),
        (10, 6, 15),
        (10, 10, 15),
        (15, 10, 15),
        (15, 11, 20),
        (30, 25, 30),
        (30, 26, 35),
        (30, 30, 35),
    ],
)
def test_landing_on_the_last_five_face_up_spaces_turns_up_five_more(
    ruleset: RuleSet, face_up: int, space: int, then: int
) -> None:
    """B27: on the last five only, and five at a time."""
    t = PositionBuilder(ruleset)
    for landing in range(6, face_up - 4, 5):
        t.land(0, landing)
    assert t.p.face_up == face_up
    t.land(1, space)
    assert t.p.face_up == then
    shown = [int(place) for place in t.p.tiles.flat if face_up < place <= rules.SPACES]
    assert sorted(shown) == list(range(face_up + 1, then + 1))


@pytest.mark.parametrize("space", [31, 35])
def test_once_all_are_face_up_nothing_more_is_turned_up(ruleset: RuleSet, space: int) -> None:
    """B27: the next five tiles, if any."""
    t = PositionBuilder(ruleset)
    for landing in (6, 11, 16, 21, 26):
        t.land(0, landing)
    assert t.land(1, space).p.face_up == 35
    assert rules.FACE_DOWN not in t.p.tiles


def test_shops_are_turned_up_before_the_decision_to_trade_in(ruleset: RuleSet) -> None:
    """B27: the player knows the new shops when he decides."""
    t = PositionBuilder(ruleset).land(0, 7)
    assert (t.p.phase, t.p.face_up) == (rules.TRADING, 15)


def test_shops_are_turned_up_too_where_nothing_can_be_traded_in(ruleset: RuleSet) -> None:
    """B27: also if the tile is not new."""
    t = PositionBuilder(ruleset)
    t.p.held[0] = 1
    t.land(0, 7)
    assert (t.p.phase, t.p.turn, t.p.face_up) == (rules.MOVE, 1, 15)


# Trade in


@pytest.mark.parametrize(("tiles", "gold"), [(1, 1), (2, 3), (3, 6), (4, 10), (5, 15)])
def test_gold_for_each_size_of_set(ruleset: RuleSet, tiles: int, gold: int) -> None:
    """B28: 1/2/3/4/5 tiles give 1/3/6/10/15 gold, and leave the game."""
    others = ["england", "france", "netherlands", "sweden"][: tiles - 1]
    t = take_danish_tile(ruleset, **dict.fromkeys(others, 1)).play("trade in")
    assert list(t.p.gold[:4]) == [gold, 0, 0, 0]
    assert not t.p.held.any()


def test_exactly_one_tile_of_every_company_held_is_handed_in(ruleset: RuleSet) -> None:
    """B28: one of each, and the rest is kept for later."""
    t = take_danish_tile(ruleset, england=3, sweden=2).play("trade in")
    assert t.p.gold[0] == 6
    assert (t.p.held[0] == counts(england=2, sweden=1)).all()


def test_there_is_no_smaller_set(ruleset: RuleSet) -> None:
    """B28: the choice is to hand in the whole set, or nothing."""
    assert take_danish_tile(ruleset, england=1, france=1).legal() == ["trade in", "keep"]


@pytest.mark.parametrize("decision", ["trade in", "keep"])
def test_the_new_tile_is_known_until_the_decision(ruleset: RuleSet, decision: str) -> None:
    """B28: its company is told to the player who decides, and to nobody after that."""
    t = take_danish_tile(ruleset)
    assert (t.p.turn, t.p.fresh) == (0, DENMARK)
    assert t.play(decision).p.fresh == -1


def test_trading_in_is_optional(ruleset: RuleSet) -> None:
    """B28: who keeps the tile gets no gold, and the next player moves."""
    t = take_danish_tile(ruleset, england=1).play("keep")
    assert (t.p.gold[0], t.p.turn, t.p.phase) == (0, 1, rules.MOVE)
    assert (t.p.held[0] == counts(england=1, denmark=1)).all()


def test_trading_in_ends_the_move(ruleset: RuleSet) -> None:
    """B28: it comes right after taking the tile, at the end of the move."""
    t = take_danish_tile(ruleset).play("trade in")
    assert (t.p.turn, t.p.phase) == (1, rules.MOVE)


@pytest.mark.parametrize("held", [1, 2])
def test_a_tile_of_a_company_already_held_allows_no_trading_in(ruleset: RuleSet, held: int) -> None:
    """B28, B26: only if the player held no other tile of the company; it is kept, and the move is over at
    once.
    """
    t = take_danish_tile(ruleset, denmark=held, england=1)
    assert (t.p.turn, t.p.phase) == (1, rules.MOVE)
    assert t.p.held[0, DENMARK] == held + 1


def test_trading_in_is_for_right_after_taking_a_tile_only(ruleset: RuleSet) -> None:
    """B28: not at the start of a later move, whatever one holds."""
    t = danish(ruleset).holds(0, england=1, france=1).shops(denmark_silk=4)
    assert t.legal() == ["draw", "lay denmark"]
    assert t.play("lay denmark").legal() == ["advance denmark"]


def test_a_company_traded_in_is_new_again(ruleset: RuleSet) -> None:
    """B28: what counts is what one holds, not what one once held."""
    t = (
        take_danish_tile(ruleset)
        .play("trade in")
        .give(0, denmark=1)
        .moves(0)
        .play("lay denmark", "advance denmark")
    )
    assert t.play("trade in").p.gold[0] == 2


def test_what_others_hold_does_not_matter(ruleset: RuleSet) -> None:
    """B28: neither for being allowed to trade in, nor for the set, nor do they lose tiles."""
    t = (
        danish(ruleset)
        .shops(denmark_silk=4)
        .holds(1, denmark=2, england=1)
        .play("lay denmark", "advance denmark", "trade in")
    )
    assert list(t.p.gold[:2]) == [1, 0]
    assert (t.p.held[1] == counts(denmark=2, england=1)).all()


def test_goods_on_tiles_do_not_matter_for_the_set(ruleset: RuleSet) -> None:
    """B28: three tiles of the same good are a set of three."""
    t = bare(ruleset).shops(england_silk=1, france_silk=2, sweden_silk=3)
    for company in (ENGLAND, FRANCE, SWEDEN):
        name = rules.COMPANIES[company]
        t.laid(0, **{name: 1}).give(0, **{name: 1}).moves(0).play(f"lay {name}", f"advance {name}")
        t.play("trade in" if company == SWEDEN else "keep")
    assert t.p.gold[0] == 6
