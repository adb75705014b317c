"""What holds in every position, and which invariant is violated where it does not; what is told of where things lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.batavia import rules
from tests.games.batavia.positions import BATAVIA, BOX, DENMARK, ENGLAND, SILK, SWEDEN, PositionBuilder
from tests.games.invariants import Violation, assert_all_shown, assert_valid, assert_violates, ids

PEPPER = rules.GOODS.index("pepper")


def table() -> PositionBuilder:
    """Cards are laid, in hand, in the lot and discarded; tiles are on the route and crates in the posts."""
    t = (
        PositionBuilder(BATAVIA.interpreted, first=0)
        .clear_cards()
        .laid(1, england=2, sweden=1)
        .laid(2, england=1)
    )
    t.give(0, england=3, denmark=1).give(3, sweden=2).lot(france=1).discard(netherlands=2, sweden=1)
    return t.stock("silk", 2, 1)


def change(name: str, place: Any = ..., by: int = 1) -> Callable[[], PositionBuilder]:
    """The position of `table` with one number changed: `change("laid", (1, ENGLAND))`."""

    def changed() -> PositionBuilder:
        t = table()
        if place is ...:
            setattr(t.p, name, int(getattr(t.p, name)) + by)
        else:
            numbers = getattr(t.p, name)
            numbers[place] = int(numbers[place]) + by
        return t

    return changed


def put(company: int, good: int, space: int, face_up: int = 10) -> Callable[[], PositionBuilder]:
    """All face-up shops taken but one on space 5, a French one with silk, and this one."""

    def arranged() -> PositionBuilder:
        t = PositionBuilder(BATAVIA.interpreted, first=0)
        t.p.tiles[...] = rules.NO_CRATE
        t.p.tiles[rules.COMPANIES.index("france"), SILK] = 5
        t.p.tiles[company, good] = space
        t.p.face_up = face_up
        return t

    return arranged


VIOLATIONS: list[Violation] = [
    (rules.WRONG_PLAYERS, 0, change("players", by=-2)),
    (rules.WRONG_CARDS, ENGLAND, change("pile", ENGLAND)),
    (rules.WRONG_CARDS, SWEDEN, change("discards", SWEDEN)),
    (rules.WRONG_CARDS, DENMARK, change("lot", DENMARK)),
    (rules.WRONG_CARDS, SWEDEN, change("hand", (3, SWEDEN), -1)),
    (rules.WRONG_MARKERS, ENGLAND, change("markers", ENGLAND)),
    (rules.WRONG_MARKERS, SWEDEN, change("markers", SWEDEN)),
    (rules.WRONG_SEALS, ENGLAND, change("seals", ENGLAND)),
    (rules.WRONG_SEALS, SWEDEN, change("seals", SWEDEN, -2)),
    (rules.WRONG_SEALS, DENMARK, change("seals", DENMARK)),
    (rules.WRONG_HAND, 3, change("hand_size", 3)),
    (rules.WRONG_DRAWN, 0, change("drawn_size", 0)),
    (rules.WRONG_DRAWN, 3, change("drawn", (3, SWEDEN))),
    (rules.WRONG_SEEN, 0, change("seen", (0, SWEDEN))),
    (rules.WRONG_SEEN, 3, change("seen", (3, SWEDEN), 3)),
    (rules.WRONG_CRATES, 0, change("crates", 0)),
    (rules.WRONG_CRATES, 3, change("crates", 3, -1)),
    (rules.WRONG_PILE, 0, change("pile_size")),
    (rules.WRONG_BILLS, 0, change("bills", 3)),
    (rules.WRONG_TILES, 0, put(ENGLAND, SILK, 5)),
    (rules.WRONG_TILES, 0, put(SWEDEN, PEPPER, 5)),
    (rules.WRONG_TILES, 0, put(ENGLAND, SILK, 11)),
    (rules.WRONG_TILES, 0, put(ENGLAND, SILK, rules.SPACES, rules.SPACES - 1)),
    (rules.WRONG_TURN, 0, change("turn", by=-2)),
    (rules.WRONG_TURN, 0, change("phase", by=rules.OVER - rules.AUCTION)),
    (rules.WRONG_ROUND, 0, change("round_number", by=-1)),
]


@pytest.mark.parametrize(("number", "where", "position"), VIOLATIONS, ids=ids(rules.INVARIANTS, VIOLATIONS))
def test_a_position_that_cannot_be_is_refused(
    number: int, where: int, position: Callable[[], PositionBuilder]
) -> None:
    """B1 to B9, B17, B23, B24, B26, B27: the first invariant that is violated is named, with company or seat."""
    assert_violates(position(), number, where)


@pytest.mark.parametrize(
    "position",
    [
        table,
        put(ENGLAND, SILK, 10),
        put(SWEDEN, PEPPER, 1),
        put(ENGLAND, SILK, 35, 35),
        change("round_number"),
    ],
)
def test_a_position_that_can_be_is_valid(position: Callable[[], PositionBuilder]) -> None:
    """B1, B9: no invariant is violated."""
    assert_valid(position())


def test_every_invariant_is_shown_here() -> None:
    assert_all_shown(rules.INVARIANTS, VIOLATIONS)


def test_where_shops_lie(ruleset: RuleSet) -> None:
    """B3, B4: the first ten spaces, in the open setup all of them; what lies face down is on none."""
    for setup, spaces in (("shuffled", 10), ("open", 35)):
        t = PositionBuilder(ruleset, setup=setup)
        shops = rules.shops_on_route(t.p)
        assert sorted(shops) == list(range(1, spaces + 1))
        assert all(int(t.p.tiles[place]) == space for space, place in shops.items())


def test_whose_crates_stand_in_the_posts(ruleset: RuleSet) -> None:
    """B26: the first and the last seat's too; a tile taken without a crate leaves its square empty."""
    t = PositionBuilder(ruleset, players=5).shops(england_tea=1).stock("silk", 2, 0, 0, 0, 1)
    assert rules.crates_in_posts(t.p) == {(0, SILK): 0, (1, SILK): 0, (2, SILK): 4}


def test_the_rearmost_merchant(ruleset: RuleSet) -> None:
    """B26: a missing seat's merchant does not count."""
    assert rules.rearmost(PositionBuilder(ruleset, players=3).at(seat0=7, seat1=4, seat2=9).p) == 4


def test_who_has_moved_in_this_round(ruleset: RuleSet) -> None:
    """B20: from the first player on; in the next auction nobody has."""
    t = PositionBuilder(ruleset, first=2).play(*["pass"] * 4, "draw", "draw")
    assert [rules.has_moved(t.p, seat) for seat in range(4)] == [False, False, True, True]
    t.play("draw", "draw")
    assert t.p.phase == rules.AUCTION
    assert [rules.has_moved(t.p, seat) for seat in range(4)] == [False] * 4


def test_no_pirates_come_at_the_end_of_an_auction(ruleset: RuleSet) -> None:
    """B30: where they have left enough cards lying to come again, that is at the end of the next move."""
    t = (
        PositionBuilder(ruleset, first=0)
        .clear_cards()
        .laid(0, england=7, denmark=6, france=6, sweden=6)
        .auction(0)
    )
    assert rules.pirates_come(t.p, BOX)
    before = BATAVIA.copy(t.play("pass", "pass", "pass").p)
    after = t.play("pass").p
    assert after.phase == rules.MOVE
    assert rules.sunk_between(before, BOX, after) == []
    before = BATAVIA.copy(after)
    assert rules.sunk_between(before, BOX, t.play("draw").p) == [ENGLAND]


def test_pirates_aim_at_a_single_card() -> None:
    """B30: most laid cards, however few; at none where none are laid."""
    assert (
        rules.aimed_at(PositionBuilder(BATAVIA.interpreted).clear_cards().laid(0, sweden=1, france=1).p)
        == 0b10100
    )
    assert rules.aimed_at(PositionBuilder(BATAVIA.interpreted).clear_cards().p) == 0


@pytest.mark.parametrize(("still", "share"), [(-1, 0.0), (0, 0.0), (3, 0.3), (9, 0.9)])
def test_how_near_stillness_is(still: int, share: float) -> None:
    """B35: the rounds in which nothing stirred, out of ten, whoever is to decide."""
    for seat in (0, 3):
        t = PositionBuilder(BATAVIA.interpreted).moves(seat)
        t.p.still = still
        assert rules.stall_progress(t.p) == pytest.approx(share)


def test_stillness_has_come_or_not_when_the_match_is_over() -> None:
    """B35: whatever the count is by then."""
    t = PositionBuilder(BATAVIA.interpreted)
    t.p.turn, t.p.phase, t.p.still = -1, rules.OVER, 4
    for ending, share in ((rules.ARRIVAL, 0.0), (rules.STILLNESS, 1.0)):
        t.p.ending = ending
        assert rules.stall_progress(t.p) == share


def test_who_is_told_of_bills() -> None:
    """B17: each seat of its own; everybody of all of them when they lie open, or the match is over."""
    t = PositionBuilder(BATAVIA.interpreted)
    told = [[rules.shows_bills(t.p, viewer, seat) for seat in range(4)] for viewer in (None, 2)]
    assert told == [[False] * 4, [False, False, True, False]]
    assert not any(
        rules.score_visible(t.p, viewer, seat, rules.BILLS) for viewer in (None, 0, 3) for seat in range(4)
    )
    assert all(
        rules.score_visible(t.p, None, 0, source)
        for source in range(len(rules.SOURCES))
        if source != rules.BILLS
    )
    t.p.open_bills = 1
    assert rules.shows_bills(t.p, None, 0)
    assert rules.score_visible(t.p, None, 0, rules.BILLS)
    t.p.open_bills, t.p.phase = 0, rules.OVER
    assert rules.shows_bills(t.p, 1, 0)
    assert rules.score_visible(t.p, 1, 0, rules.BILLS)


def test_a_tile_nobody_took_pays_nobody(ruleset: RuleSet) -> None:
    """B45: with five players too; all have as many bills."""
    assert PositionBuilder(ruleset, players=5).gold() == [int(BOX.gold_bills_shared)] * 5


def test_all_tie_where_there_are_no_bills(ruleset: RuleSet) -> None:
    """B45: a box may hold none."""
    t = PositionBuilder(ruleset)
    t.p.bills[...] = 0
    assert t.gold() == [int(BOX.gold_bills_shared)] * 4


def test_after_the_arrival_a_shop_on_the_first_space_will_do(ruleset: RuleSet) -> None:
    """B42: for a merchant that has not left yet."""
    t = (
        PositionBuilder(ruleset)
        .clear_cards()
        .laid(2, england=1)
        .give(2, england=1)
        .shops(england_tea=1)
        .moves(2)
    )
    t.p.arrival = 0
    assert t.legal() == ["draw", "lay england"]


@pytest.mark.parametrize("viewer", [-1, 0, 2])
def test_a_view_says_nothing_of_what_others_drew(ruleset: RuleSet, viewer: int) -> None:
    """B17: and of its own draws all."""
    t = PositionBuilder(ruleset)
    drawn = t.seen_by(viewer).drawn
    for seat in range(4):
        assert np.array_equal(drawn[seat], t.p.drawn[seat] if seat == viewer else np.zeros(5))


@pytest.mark.parametrize("drawer", [1, 2])
def test_what_was_drawn_since_a_shuffle_is_from_that_pile(ruleset: RuleSet, drawer: int) -> None:
    """B18: two Danish cards left the pile of a dozen, and whoever drew them holds both; the other hand is older."""
    t = (
        PositionBuilder(ruleset, players=3)
        .clear_cards()
        .discard(denmark=12)
        .give(3 - drawer, england=2)
        .pile(rest_to=0)
    )
    t.p.drawn[...], t.p.drawn_size[...] = 0, 0
    t.moves(drawer).play("draw")
    for _ in range(5):
        world = t.imagined_by(0)
        assert world.pile[DENMARK] == 10
        assert world.drawn[drawer, DENMARK] == world.hand[drawer, DENMARK] == 2
        assert world.hand[3 - drawer, ENGLAND] == 2


@pytest.mark.parametrize("viewer", [-1, 0, 1, 2])
def test_worlds_leave_lot_discards_and_markers_where_they_are(ruleset: RuleSet, viewer: int) -> None:
    """B17, B18: after a shuffle, with hands older than the pile; every card is somewhere, once."""
    t = (
        PositionBuilder(ruleset, players=3)
        .clear_cards()
        .discard(denmark=9)
        .give(1, england=5, france=3, sweden=2)
    )
    t.give(2, netherlands=9, france=4).pile(rest_to=0).moves(1).play("draw")
    for company in (ENGLAND, SWEDEN):  # old cards of seat 0 leave its hand for the lot and the discards
        for place in (t.p.lot, t.p.discards):
            place[company] += 4
            t.p.hand[0, company] -= 4
            t.p.hand_size[0] -= 4
    assert t.sound()
    for _ in range(5):
        assert BATAVIA.rules.check_position(t.imagined_by(viewer), BOX) == []


def test_cards_are_dealt_evenly() -> None:
    """B17: two of five different cards: each company is among them in two of five worlds."""
    times = [0] * 5
    t = PositionBuilder(BATAVIA.interpreted)
    for _ in range(400):
        dealt = rules.some_cards(sum(1 << 8 * company for company in range(5)), 2, t.dice)
        for company in range(5):
            times[company] += dealt >> 8 * company & 255
    assert sum(times) == 800
    assert 120 < min(times) <= max(times) < 200, times
