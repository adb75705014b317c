"""What is hidden, and worlds imagined from what is not: B17, B18."""

from __future__ import annotations

import numpy as np
import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.games.batavia import rules
from tests.games.batavia.positions import (
    BATAVIA,
    BOX,
    DENMARK,
    ENGLAND,
    PositionBuilder,
    counts,
    random_match,
)

SPECTATOR = -1
HIDDEN = {"hand", "pile", "drawn"}


def bought(ruleset: RuleSet) -> PositionBuilder:
    """Seat 2 has bought 2 English and 1 Swedish card, to 3 English and 1 French in hand that nobody has seen;
    it is to move.
    """
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .lot(england=2, sweden=1)
        .give(2, england=3, france=1)
        .laid(2, denmark=1)
    )
    return t.auction(1).play("bid 1", "pass", "pass", "pass")


# What each seat sees


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2, 3])
def test_a_seat_sees_its_own_hand_and_no_other(ruleset: RuleSet, viewer: int) -> None:
    """B17: hands are hidden; a spectator sees none."""
    t = PositionBuilder(ruleset)
    view = t.seen_by(viewer)
    for seat in range(4):
        assert (view.hand[seat] == (t.p.hand[seat] if seat == viewer else 0)).all()


@pytest.mark.parametrize("players", [3, 4, 5])
def test_all_else_is_open(ruleset: RuleSet, players: int) -> None:
    """B17: hand sizes, laid cards, seals, tiles, gold, crates, discards, lot and bids are the same in every
    view.
    """
    for n, t in enumerate(random_match(ruleset, "open", players=players)):
        if n % 5 == 0 and t.p.turn >= 0:
            for viewer in range(-1, players):
                view = t.seen_by(viewer)
                for name in set(rules.POSITION.fields) - HIDDEN:
                    assert np.array_equal(getattr(view, name), getattr(t.p, name)), name


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 3])
def test_cards_bought_in_an_auction_are_seen(ruleset: RuleSet, viewer: int) -> None:
    """B17: all know that the winner has them, and no more of his hand than that."""
    assert (bought(ruleset).seen_by(viewer).hand[2] == counts(england=2, sweden=1)).all()


def test_the_winner_sees_his_whole_hand(ruleset: RuleSet) -> None:
    """B17: with the cards he bought."""
    assert (bought(ruleset).seen_by(2).hand[2] == counts(england=5, france=1, sweden=1)).all()


def test_cards_bought_are_remembered(ruleset: RuleSet) -> None:
    """B17: later draws and auctions change nothing about them."""
    t = bought(ruleset).play("draw", "draw", "draw", "draw", "bid 1", "pass", "pass", "pass", "draw", "draw")
    assert (t.seen_by(0).hand[2] == counts(england=2, sweden=1)).all()


def test_cards_bought_twice_add_up(ruleset: RuleSet) -> None:
    """B17: what is bought joins what was bought before."""
    t = bought(ruleset).lot(sweden=2, denmark=1).auction(1).play("bid 1", "pass", "pass", "pass")
    assert (t.seen_by(0).hand[2] == counts(england=2, sweden=3, denmark=1)).all()


@pytest.mark.parametrize(("laid", "left"), [(1, 1), (2, 0), (3, 0), (5, 0)])
def test_cards_laid_are_taken_off_what_was_seen(ruleset: RuleSet, laid: int, left: int) -> None:
    """B17: who bought two and lays one still has one for sure, whichever of his cards it was."""
    t = bought(ruleset).play(*["lay england"] * laid)
    assert (t.seen_by(0).hand[2] == counts(england=left, sweden=1)).all()
    assert (t.seen_by(2).hand[2] == counts(england=5 - laid, sweden=1, france=1)).all()


def test_laying_other_cards_leaves_what_was_seen(ruleset: RuleSet) -> None:
    """B17: a French card that nobody had seen changes nothing about the English ones."""
    assert (bought(ruleset).play("lay france").seen_by(0).hand[2] == counts(england=2, sweden=1)).all()


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 2, 3])
def test_a_view_is_the_same_whatever_was_drawn_unseen(ruleset: RuleSet, viewer: int) -> None:
    """B17: an English card in another's hand and a Danish one in the pile, or the other way round."""
    one, other = (
        PositionBuilder(ruleset).clear_cards().give(1, **{company: 1}).moves(0)
        for company in ("england", "denmark")
    )
    assert one.seen_by(viewer).tobytes() == other.seen_by(viewer).tobytes()
    assert one.seen_by(1).tobytes() != other.seen_by(1).tobytes()


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2])
def test_the_bill_counts_are_common_knowledge(ruleset: RuleSet, viewer: int) -> None:
    """B17: they are the same in every view, and no imagined world changes them."""
    t = PositionBuilder(ruleset, players=3, first=0).play("bid 4", "bid 9", "pass", "pass")
    assert list(t.seen_by(viewer).bills) == list(t.imagined_by(viewer).bills) == [20, 19, 6, 0, 0]


def test_open_bills_is_an_option_that_changes_nothing_else() -> None:
    """B17: it is told to the pages; views, scores and play are the same."""
    plain, told = (comptoir.new("batavia", seed=5, open_bills=value) for value in (False, True))
    assert (plain.position()["open_bills"], told.position()["open_bills"]) == (False, True)
    assert plain.position() == told.position() | {"open_bills": False}


@pytest.mark.parametrize("viewer", [None, 0, 3])
def test_a_match_shows_each_seat_its_own_view(viewer: int | None) -> None:
    """B17: as plain data, with the actions of the seat that decides for that seat alone."""
    match = comptoir.new("batavia", seed=5, first=2)
    view, truth = match.view(viewer), match.position()
    hidden = dict.fromkeys(rules.COMPANIES, 0)
    assert view["position"]["hand"] == [
        truth["hand"][seat] if seat == viewer else hidden for seat in range(4)
    ]
    assert view["position"]["hand_size"] == [10, 10, 10, 10]
    assert bool(view["actions"]) == (viewer == 3)


def test_when_the_match_is_over_nothing_is_hidden() -> None:
    """B17, B43: all hands have been laid, and the pile may be looked through."""
    t = PositionBuilder(BATAVIA.interpreted)
    t.last_decision(3).p.arrival = 0
    t.play("keep")
    assert BATAVIA.seen_by(t.p, BOX, None).tobytes() == t.p.tobytes()


@pytest.mark.parametrize("players", [3, 4, 5])
def test_no_view_tells_what_is_still_face_down(ruleset: RuleSet, players: int) -> None:
    """B17, B3: not even the position knows; the tile is drawn when it is turned up."""
    t = PositionBuilder(ruleset, players=players)
    assert [(t.seen_by(viewer).tiles == rules.FACE_DOWN).sum() for viewer in range(-1, players)] == [25] * (
        players + 1
    )


# Imagined worlds


def moments(ruleset: RuleSet, mode: str) -> list[tuple[PositionBuilder, int]]:
    """Many positions of random matches, each with every viewer it may be imagined by; fewer where that is
    slow.
    """
    matches, every = (24, 9) if mode == "compiled" else (3, 40)
    found = []
    for n in range(matches):
        for number, t in enumerate(random_match(ruleset, f"moments {n}", players=3 + n % 3)):
            if number % every == n % every and t.p.turn >= 0:
                twin = object.__new__(PositionBuilder)
                twin.__dict__ = t.__dict__ | {"p": BATAVIA.copy(t.p)}
                found += [(twin, viewer) for viewer in range(-1, t.players)]
    return found


@pytest.mark.slow
def test_imagined_worlds_of_random_matches(ruleset: RuleSet, mode: str) -> None:
    """B17, B18: each is a sound position and gives the very view it was imagined from, byte by byte."""
    for t, viewer in moments(ruleset, mode):
        view, world = t.seen_by(viewer), t.imagined_by(viewer)
        assert BATAVIA.rules.check_position(world, BOX) == []
        assert (world.pile <= view.pile).all()
        ruleset.hide(world, BOX, viewer)
        assert world.tobytes() == view.tobytes()


def test_what_a_seat_has_bought_it_has_in_every_imagined_world(ruleset: RuleSet) -> None:
    """B17: and its own hand is what the viewer knows it to be."""
    t = bought(ruleset)
    for _ in range(10):
        assert (t.imagined_by(0).hand[2] >= counts(england=2, sweden=1)).all()
        assert (t.imagined_by(2).hand[2] == t.p.hand[2]).all()


def test_every_world_that_fits_is_imagined_about_as_often(ruleset: RuleSet) -> None:
    """B17: three cards are in three unknown places: six worlds."""
    t = (
        PositionBuilder(ruleset, players=3)
        .clear_cards()
        .give(1, england=1)
        .give(2, denmark=1)
        .pile(rest_to=0, france=1)
    )
    worlds = [t.imagined_by(0) for _ in range(300)]
    places = [
        (int(world.hand[1].argmax()), int(world.hand[2].argmax()), int(world.pile.argmax()))
        for world in worlds
    ]
    assert len(set(places)) == 6
    assert min(map(places.count, places)) > 25


def reshuffled(ruleset: RuleSet) -> PositionBuilder:
    """Seat 1 has drawn the pile's last card and one of 12 Danish and 6 French ones shuffled then; seat 2 is
    to move.
    """
    t = PositionBuilder(ruleset).clear_cards().discard(denmark=12, france=6)
    t.give(0, england=4, france=3).give(1, england=5, sweden=2).give(2, netherlands=6, denmark=2)
    return t.pile(rest_to=3, netherlands=1).moves(1, moved=1).play("draw")


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 2, 3])
def test_after_a_shuffle_the_imagined_pile_holds_only_what_was_discarded(
    ruleset: RuleSet, viewer: int
) -> None:
    """B18: all but one of those cards; the one missing is in the hand that drew it."""
    t = reshuffled(ruleset)
    for _ in range(10):
        world = t.imagined_by(viewer)
        missing = counts(denmark=12, france=6) - world.pile
        assert missing.sum() == 1
        assert (world.hand[1] >= missing).all()


def test_who_drew_since_the_shuffle_knows_the_whole_pile(ruleset: RuleSet) -> None:
    """B18: all else that was shuffled is still there."""
    t = reshuffled(ruleset)
    for _ in range(10):
        assert (t.imagined_by(1).pile == t.p.pile).all()


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2, 3])
def test_what_was_turned_up_or_drawn_by_the_viewer_is_not_in_the_imagined_pile(
    ruleset: RuleSet, viewer: int
) -> None:
    """B18: nobody looks there for what he has seen since."""
    t = reshuffled(ruleset)
    before = t.p.hand.copy()
    before[1] = counts(england=5, sweden=2, netherlands=1)  # what seat 1 had before the shuffle
    t.play("draw", "draw")
    assert t.p.lot.any()
    own = t.p.hand[viewer] - before[viewer] if viewer >= 0 else counts()
    left = counts(denmark=12, france=6) - t.p.lot - own
    for _ in range(10):
        assert (t.imagined_by(viewer).pile <= left).all()
    assert (t.seen_by(viewer).pile == left).all()


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2])
def test_a_hand_older_than_the_pile_can_be_imagined(ruleset: RuleSet, viewer: int) -> None:
    """B18: seat 1 holds cards that were never in this pile; seat 2 has drawn two from it, and laid them."""
    t = (
        PositionBuilder(ruleset, players=3)
        .clear_cards()
        .discard(denmark=6)
        .give(1, england=5)
        .pile(rest_to=0)
    )
    t.moves(2, moved=1).play("draw").moves(2, moved=1).play("lay denmark", "lay denmark")
    for _ in range(10):
        world = t.imagined_by(viewer)
        assert BATAVIA.rules.check_position(world, BOX) == []
        assert (world.pile == counts(denmark=4)).all()
        assert (world.drawn[2] == counts(denmark=2)).all()


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2])
def test_after_a_second_shuffle_only_the_second_counts(ruleset: RuleSet, viewer: int) -> None:
    """B18: what was drawn from the pile before is forgotten as such."""
    t = (
        PositionBuilder(ruleset, players=3)
        .clear_cards()
        .discard(denmark=2)
        .pile(rest_to=0)
        .moves(1)
        .play("draw")
    )
    t.p.hand[0] -= counts(sweden=9)
    t.p.hand_size[0] -= 9
    t.p.discards[...] = counts(sweden=9)
    t.play("draw")
    assert t.sound()
    for _ in range(10):
        world = t.imagined_by(viewer)
        assert (world.pile == counts(sweden=7)).all()
        assert BATAVIA.rules.check_position(world, BOX) == []


def test_what_a_seat_laid_is_not_in_its_imagined_hand(ruleset: RuleSet) -> None:
    """B17: cards on the table are nowhere else."""
    t = bought(ruleset).play("lay england", "lay england", "lay england")
    for _ in range(10):
        world = t.imagined_by(0)
        assert int(world.hand_size[2]) == int(world.hand[2].sum()) == 4
        assert int(world.hand[:, ENGLAND].sum() + world.pile[ENGLAND]) == 22 - 3
        assert world.laid[2, DENMARK] == 1


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 2, 3])
def test_who_is_laying_has_a_majority_in_reach_in_every_imagined_world(ruleset: RuleSet, viewer: int) -> None:
    """B22: seat 1 has begun to lay, so it can take a seal; many a deal of its hand would leave it without."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .laid(0, england=2, denmark=2, france=2, netherlands=2, sweden=2)
    )
    t.give(1, england=3, denmark=1).moves(1).play("lay denmark")
    for _ in range(40):
        world = PositionBuilder(ruleset)
        world.p = t.imagined_by(viewer)
        assert BATAVIA.rules.check_position(world.p, BOX) == []
        assert rules.can_finish_laying(world.p, 1)
        while world.p.phase == rules.LAYING:
            world.play(world.legal()[0])


def test_a_hand_that_is_hard_to_deal_is_imagined_too(ruleset: RuleSet) -> None:
    """B22: one in some thousand deals gives seat 1 all four French cards of the pile."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .laid(0, england=6, denmark=6, france=4, netherlands=6, sweden=6)
    )
    t.give(1, france=5, sweden=1).discard(france=9).moves(1).play("lay sweden")
    for _ in range(5):
        world = t.imagined_by(0)
        assert BATAVIA.rules.check_position(world, BOX) == []
        assert world.hand[1, rules.COMPANIES.index("france")] == 5


def test_after_the_arrival_tile_is_gone_the_majority_leads_to_a_shop(ruleset: RuleSet) -> None:
    """B22, B42: a French majority, whose shop lies ahead; the others' do not."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .shops(england_tea=2, france_tea=9)
        .at(seat1=4)
        .laid(0, france=1, england=1)
    )
    t.give(1, france=2, denmark=1).moves(1, moved=1)
    t.p.arrival, t.p.merchants[0] = 0, rules.ARRIVAL_SPACE
    t.play("lay denmark")
    for _ in range(20):
        assert t.imagined_by(2).hand[1, rules.COMPANIES.index("france")] == 2
