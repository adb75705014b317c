"""What is hidden, and worlds imagined from what is not: M17, M18."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.positions import MARCO_POLO, PositionBuilder, cards_of, random_match

SPECTATOR = -1
HIDDEN = {"hand", "pile", "drawn"}
ROW = ("green oil", "green spice", "green silk", "green fruit", "green driver")


def open_row(ruleset: RuleSet) -> PositionBuilder:
    """Three players; seat 1 has two cards that nobody has seen."""
    return (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .row(*ROW)
        .give(1, "red oil", "green oil")
        .line_up(5, 3, 4)
    )


def taken(ruleset: RuleSet) -> PositionBuilder:
    """Seat 1 has taken an open green oil card, to a green oil and a red oil card in hand that nobody has
    seen.
    """
    return open_row(ruleset).turn(1).play("take green oil")


# What each seat sees


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2, 3])
def test_a_seat_sees_its_own_hand_and_no_other(ruleset: RuleSet, viewer: int) -> None:
    """M18: hands are hidden; a spectator sees none."""
    t = PositionBuilder(ruleset)
    view = t.seen_by(viewer)
    for seat in range(4):
        assert view.hand[seat] == (t.p.hand[seat] if seat == viewer else 0)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_all_else_is_open(ruleset: RuleSet, players: int) -> None:
    """M18: gold, hand sizes, the row, the discards, cards laid and where camels have been are the same in
    every view.
    """
    for n, (t, _) in enumerate(random_match(ruleset, "open", players=players)):
        if n % 5 == 0 and t.p.turn >= 0:
            for viewer in range(-1, players):
                view = t.seen_by(viewer)
                for name in set(rules.POSITION.fields) - HIDDEN:
                    assert np.array_equal(getattr(view, name), getattr(t.p, name)), name


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 2])
def test_open_cards_taken_are_seen(ruleset: RuleSet, viewer: int) -> None:
    """M18: all know that the seat has them, and no more of its hand than that."""
    assert cards_of(taken(ruleset).seen_by(viewer).hand[1]) == ["green oil"]


def test_who_took_an_open_card_sees_the_whole_hand(ruleset: RuleSet) -> None:
    """M18: with the card just taken."""
    assert cards_of(taken(ruleset).seen_by(1).hand[1]) == ["red oil", "green oil", "green oil"]


def test_open_cards_taken_are_remembered(ruleset: RuleSet) -> None:
    """M18: until they are laid; whichever of two alike it was, one fewer is known."""
    t = taken(ruleset).play("draw", "draw").space(6, "1 good")
    assert cards_of(t.seen_by(0).hand[1]) == ["green oil"]
    t.lay("red oil").play("draw")
    assert cards_of(t.seen_by(0).hand[1]) == ["green oil"]
    t.turn(1).space(7, "1 good").lay("green oil")
    assert cards_of(t.seen_by(0).hand[1]) == []
    assert "green oil" in t.hand(1)


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 2])
def test_a_view_is_the_same_whatever_was_drawn_unseen(ruleset: RuleSet, viewer: int) -> None:
    """M18: an oil card in another's hand and a silk one in the pile, or the other way round."""
    one, other = (
        PositionBuilder(ruleset, players=3, first=0).clear_cards().row(*ROW).give(1, card)
        for card in ("red oil", "blue silk")
    )
    assert one.seen_by(viewer).tobytes() == other.seen_by(viewer).tobytes()
    assert one.seen_by(1).tobytes() != other.seen_by(1).tobytes()


@pytest.mark.parametrize("viewer", [None, 0, 3])
def test_a_match_shows_each_seat_its_own_view(viewer: int | None) -> None:
    """M18: as plain data, with the actions of the seat that decides for that seat alone."""
    match = comptoir.new("marco_polo", seed=5, first=3)
    view, truth = match.view(viewer), match.position()
    assert view["position"]["hand"] == [truth["hand"][seat] if seat == viewer else {} for seat in range(4)]
    assert view["position"]["hand_size"] == [5, 5, 5, 5]
    assert bool(view["actions"]) == (viewer == 3)


# Imagined worlds


def moments(ruleset: RuleSet, mode: str) -> list[tuple[PositionBuilder, int]]:
    """Many positions of random matches, each with every viewer it may be imagined by; fewer where that is
    slow.
    """
    matches, every = (24, 9) if mode == "compiled" else (4, 40)
    found = []
    for n in range(matches):
        for number, (t, _) in enumerate(random_match(ruleset, f"moments {n}", players=2 + n % 4)):
            if number % every == n % every and t.p.turn >= 0:
                twin = object.__new__(PositionBuilder)
                twin.__dict__ = t.__dict__ | {"p": MARCO_POLO.copy(t.p)}
                found += [(twin, viewer) for viewer in range(-1, t.players)]
    return found


@pytest.mark.slow
def test_imagined_worlds_of_random_matches(ruleset: RuleSet, mode: str) -> None:
    """M17, M18: each is a sound position and gives the very view it was imagined from, byte by byte."""
    for t, viewer in moments(ruleset, mode):
        view, world = t.seen_by(viewer), t.imagined_by(viewer)
        assert MARCO_POLO.rules.check_position(world, t.box) == []
        assert Counter(cards_of(world.pile)) <= Counter(cards_of(view.pile))
        ruleset.hide(world, t.box, viewer)
        assert world.tobytes() == view.tobytes()


def test_open_cards_taken_are_in_every_imagined_hand(ruleset: RuleSet) -> None:
    """M18: and the viewer's own hand is what it knows it to be."""
    t = taken(ruleset)
    for _ in range(20):
        assert "green oil" in cards_of(t.imagined_by(0).hand[1])
        assert t.imagined_by(1).hand[1] == t.p.hand[1]


def test_cards_laid_are_in_no_imagined_hand(ruleset: RuleSet) -> None:
    """M18: they lie in the discards."""
    t = (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .row(*ROW)
        .give(1, "red oil", "red oil", "blue oil")
        .line_up(5, 3, 4)
    )
    t.turn(1).space(6, "2 identical goods").lay("red oil", "red oil")
    for _ in range(20):
        world = t.imagined_by(0)
        assert "red oil" not in cards_of(world.hand[1]) + cards_of(world.pile)
        assert len(cards_of(world.hand[1])) == 1


def test_every_world_that_fits_is_imagined_about_as_often(ruleset: RuleSet) -> None:
    """M18: three cards are in three unknown places: six worlds."""
    t = (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .row(*ROW)
        .give(1, "red oil")
        .give(2, "blue oil")
        .pile("red silk", rest_to=0)
    )
    worlds = [t.imagined_by(0) for _ in range(300)]
    places = [tuple(cards_of(x)[0] for x in (world.hand[1], world.hand[2], world.pile)) for world in worlds]
    assert len(set(places)) == 6
    assert min(map(places.count, places)) > 25


def reshuffled(ruleset: RuleSet) -> PositionBuilder:
    """The pile was empty: seat 0 has laid three red goods and drawn one of them again; seat 1 is next."""
    t = (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .row(*ROW)
        .give(0, "red oil", "red silk", "red fruit")
        .give(2, "blue oil")
    )
    for space in (6, 7, 8):
        t.space(space, "1 good")
    return t.pile(rest_to=1).line_up(5, 3, 4).lay("red oil", "red silk", "red fruit").play("draw")


@pytest.mark.parametrize("viewer", [SPECTATOR, 1, 2])
def test_after_a_shuffle_the_imagined_pile_holds_only_what_was_discarded(
    ruleset: RuleSet, viewer: int
) -> None:
    """M17, M18: all but one of those cards; the one missing is in the hand that drew it."""
    t = reshuffled(ruleset)
    drawn = set()
    for _ in range(40):
        world = t.imagined_by(viewer)
        cards = sorted([*cards_of(world.pile), *cards_of(world.hand[0])])
        assert cards == ["red fruit", "red oil", "red silk"]
        drawn |= set(cards_of(world.hand[0]))
    assert drawn == {"red oil", "red silk", "red fruit"}


def test_who_drew_since_the_shuffle_knows_the_whole_pile(ruleset: RuleSet) -> None:
    """M17, M18: all else that was shuffled is still there."""
    t = reshuffled(ruleset)
    for _ in range(20):
        assert t.imagined_by(0).pile == t.p.pile


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2])
def test_a_card_turned_up_is_not_in_the_imagined_pile(ruleset: RuleSet, viewer: int) -> None:
    """M17: it lies in the row, for all to see."""
    t = reshuffled(ruleset).play("take green oil")
    assert t.p.pile_size == 1
    for _ in range(20):
        world = t.imagined_by(viewer)
        assert world.row == t.p.row
        assert not set(cards_of(world.pile)) & (set(cards_of(t.p.row)) - {"green oil"})


@pytest.mark.slow
@pytest.mark.parametrize("viewer", [SPECTATOR, 1, 2])
@pytest.mark.parametrize(
    ("demand", "laid", "hand"),
    [
        ("3 identical goods", "red oil", ("blue oil", "violet oil")),
        ("one of each good", "red oil", ("blue silk", "violet spice", "blue fruit")),
        ("2 drivers", "red driver", ("blue driver",)),
        ("3 of one colour", "red driver", ("red oil", "red oil")),
        ("one of each colour", "red driver", ("blue oil", "violet oil", "yellow oil", "green spice")),
    ],
)
def test_who_has_begun_a_step_can_complete_it_in_every_imagined_world(
    ruleset: RuleSet, demand: str, laid: str, hand: tuple[str, ...], viewer: int
) -> None:
    """M11, M18: a card laid shows that its owner has the rest; no rule lets him stop there."""
    t = (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .row(*ROW)
        .give(0, laid, *hand, "blue spice")
        .space(6, demand)
        .line_up(5, 3, 4)
    )
    t.lay(laid)
    for _ in range(20):
        world = t.imagined_by(viewer)
        assert MARCO_POLO.rules.check_position(world, t.box) == []
        assert rules.cards_for(world, t.box, 6)


@pytest.mark.parametrize("viewer", [SPECTATOR, 1])
def test_what_completes_a_step_is_not_taken_from_a_pile_that_is_known(ruleset: RuleSet, viewer: int) -> None:
    """M11, M17, M18: the pile was just shuffled and is known; the cards that complete the step are older
    ones.
    """
    t = (
        PositionBuilder(ruleset, players=2, first=0)
        .clear_cards()
        .row(*ROW)
        .give(0, "red oil", "blue oil", "yellow driver", "blue driver")
    )
    t.discard("violet oil", "red driver", "violet driver").pile(rest_to=1).at(
        seat0=(5, 6), seat1=(3, 4)
    ).turn(1)
    t.play("take green oil").space(7, "2 identical goods").play("first camel", "lay red oil")
    for _ in range(20):
        world = t.imagined_by(viewer)
        assert MARCO_POLO.rules.check_position(world, t.box) == []
        assert world.pile == t.p.pile


@pytest.mark.parametrize("viewer", [SPECTATOR, 1])
def test_who_has_chosen_a_camel_can_move_it_in_every_imagined_world(ruleset: RuleSet, viewer: int) -> None:
    """M40, M18: choosing shows that the hand can pay for the step."""
    t = (
        PositionBuilder(ruleset, players=2, first=0)
        .clear_cards()
        .row(*ROW)
        .give(0, "red oil", "blue oil", "violet oil", "red driver", "violet silk")
    )
    t.at(seat0=(5, 6), seat1=(3, 4)).turn(0).space(7, "3 identical goods").play("first camel")
    goods = set()
    for _ in range(60):
        world = t.imagined_by(viewer)
        assert MARCO_POLO.rules.check_position(world, t.box) == []
        goods |= {
            rules.CARDS[kind].split()[1]
            for kind in range(25)
            if int(rules.cards_for(world, t.box, 7)) >> kind & 1
        }
    assert goods == set(rules.GOODS)


@pytest.mark.parametrize("viewer", [-1, 1])
def test_who_has_laid_a_driver_has_another_in_every_imagined_world(ruleset: RuleSet, viewer: int) -> None:
    """M11: for two drivers; most of the drivers are known to lie elsewhere."""
    t = PositionBuilder(ruleset, players=3, first=0).clear_cards().space(4, "2 drivers").line_up(3, 1, 2)
    t.give(0, "red driver", "red oil", "blue oil").row(
        "red silk", "blue silk", "green silk", "red fruit", "red spice"
    )
    t.discard(*["yellow driver"] * 3, *["violet driver"] * 3, *["green driver"] * 3).paid("blue driver")
    t.p.phase = rules.STEP
    assert t.sound()
    for _ in range(5):
        world = t.imagined_by(viewer)
        assert any("driver" in card for card in cards_of(world.hand[0]))
        assert MARCO_POLO.rules.check_position(world, t.box) == []


def older_hands(
    ruleset: RuleSet, demand: str, hands: tuple[tuple[str, ...], ...], paid: tuple[str, ...]
) -> PositionBuilder:
    """Seat 0 is in the middle of a step. No hand holds a card of the present pile, which is known: all of it."""
    t = PositionBuilder(ruleset, players=len(hands), first=0).clear_cards()
    t.at(**{f"seat{seat}": (3 + seat, 0) if len(hands) == 2 else 3 + seat for seat in range(len(hands))})
    t.turn(0).space(3 + len(hands), demand).row(*ROW).paid(*paid)
    for seat, hand in enumerate(hands):
        t.give(seat, *hand)
    t.p.drawn[...], t.p.drawn_size[...] = 0, 0
    t.p.phase, t.p.moving = rules.STEP, 0
    return t


@pytest.mark.parametrize(
    ("demand", "hands", "paid"),
    [
        ("2 drivers", (("red driver", "red oil"), (), ("blue silk",)), ("blue driver",)),
        ("3 identical goods", (("blue oil", "red spice"), (), ("blue silk",)), ("red oil", "red oil")),
        (
            "3 of one colour",
            (("red oil", "red oil", "red silk"), (), ("blue oil", "yellow silk", "violet driver")),
            (),
        ),
        (
            "4 identical goods",
            (("red oil", "red oil", "blue oil"), (), ("blue silk", "red silk")),
            ("blue oil",),
        ),
    ],
)
def test_a_step_is_completed_with_the_only_cards_that_can_do_it(
    ruleset: RuleSet, demand: str, hands: tuple[tuple[str, ...], ...], paid: tuple[str, ...]
) -> None:
    """M11, M13, M17: seat 0 has them in every world; the pile stays as it is known."""
    t = older_hands(ruleset, demand, hands, paid)
    needed = set(hands[0][: rules.size_of(rules.DEMANDS.index(demand)) - len(paid)])
    for viewer in (SPECTATOR, 1):
        for _ in range(5):
            world = t.imagined_by(viewer)
            assert needed <= set(cards_of(world.hand[0]))
            assert world.pile == t.p.pile


@pytest.mark.parametrize("viewer", [SPECTATOR, 1])
def test_a_camel_that_gold_can_move_needs_no_cards(ruleset: RuleSet, viewer: int) -> None:
    """M15, M40: with an empty hand too."""
    t = older_hands(ruleset, "2 drivers", ((), ("red oil",)), ())
    t.p.reached[1] = (1 << 7) - 1
    t.at(seat1=(6, 2)).space(4, "2 drivers")
    assert "lighten" in t.legal()
    world = t.imagined_by(viewer)
    assert MARCO_POLO.rules.check_position(world, t.box) == []
    assert not world.hand[0]
