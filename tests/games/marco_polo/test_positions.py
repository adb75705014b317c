"""What holds in every position, and which invariant is violated where it does not; how near a match is to stillness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from comptoir.engine.counts import add
from comptoir.engine.interface import RuleSet
from comptoir.games.marco_polo import rules
from tests.games.invariants import Violation, assert_all_shown, assert_valid, assert_violates, ids
from tests.games.marco_polo.positions import DADU, FIRST_SCORED, GANZHOU, MARCO_POLO, PositionBuilder

MIXED = (
    "blue oil",
    "yellow silk",
    "red fruit",
    "green driver",
    "violet driver",
)  # one of each good and colour
ROW = ("violet oil", "violet spice", "violet silk", "violet fruit", "violet driver")


def table(players: int = 3) -> PositionBuilder:
    """The first camels have left Ormuz; each seat has two cards; all else lies in the pile."""
    t = PositionBuilder(MARCO_POLO.interpreted, players=players, first=0).clear_cards().row(*ROW)
    for seat, colour in zip(range(players), ("red", "blue", "green"), strict=False):
        t.give(seat, f"{colour} oil", f"{colour} driver")
    return t.line_up(6, 3, 4)


def pair() -> PositionBuilder:
    """Two players with two camels each."""
    t = PositionBuilder(MARCO_POLO.interpreted, players=2, first=0).clear_cards().row(*ROW)
    return t.at(seat0=(4, 6), seat1=(5, 3)).turn(0)


def change(
    name: str, place: Any = ..., by: int = 1, of: Callable[[], PositionBuilder] = table
) -> Callable[[], PositionBuilder]:
    """A position with one number changed."""

    def changed() -> PositionBuilder:
        t = of()
        if place is ...:
            setattr(t.p, name, int(getattr(t.p, name)) + by)
        else:
            numbers = getattr(t.p, name)
            numbers[place] = int(numbers[place]) + by
        return t

    return changed


def values(of: Callable[[], PositionBuilder] = table, **fields: int) -> Callable[[], PositionBuilder]:
    """A position with fields set."""

    def changed() -> PositionBuilder:
        t = of()
        for name, value in fields.items():
            setattr(t.p, name, value)
        return t

    return changed


def one_more(kind: int) -> Callable[[], PositionBuilder]:
    def changed() -> PositionBuilder:
        t = table()
        t.p.discards = add(t.p.discards, 1 << kind)
        return t

    return changed


def at(
    scored: int = 0, of: Callable[[], PositionBuilder] = table, **camels: Any
) -> Callable[[], PositionBuilder]:
    """Camels elsewhere, which have come through every space before."""

    def changed() -> PositionBuilder:
        t = of().at(**camels)
        t.p.scored = scored
        return t

    return changed


def came_to_ganzhou(
    seat: int, moving: int = 0, stopped: tuple[int, int] = (1, 1)
) -> Callable[[], PositionBuilder]:
    """Seat 0 decides, and a camel is on Ganzhou."""

    def changed() -> PositionBuilder:
        t = (pair() if moving else table()).at(**{f"seat{seat}": (2, GANZHOU) if moving else GANZHOU})
        t.p.moving = moving
        t.p.stopped[...] = stopped
        return t

    return changed


def got_at_ganzhou(scored: int) -> Callable[[], PositionBuilder]:
    def changed() -> PositionBuilder:
        t = table()
        t.p.ganzhou[2], t.p.gold[2], t.p.scored = 4, int(t.p.gold[2]) + 4, scored
        return t

    return changed


def short_row(*pile: str) -> Callable[[], PositionBuilder]:
    """The row has four cards, and seat 0 has all that is not in the pile."""

    def changed() -> PositionBuilder:
        t = (
            PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
            .clear_cards()
            .row(*ROW[:4])
            .line_up(6, 3, 4)
        )
        return t.pile(*pile, rest_to=0)

    return changed


def step(
    demand: str, hand: tuple[str, ...], paid: tuple[str, ...], **fields: int
) -> Callable[[], PositionBuilder]:
    """Seat 0 stands on space 6, and is in the middle of a step."""

    def changed() -> PositionBuilder:
        t = (
            PositionBuilder(MARCO_POLO.interpreted, players=3, first=0)
            .clear_cards()
            .space(7, demand)
            .line_up(6, 3, 4)
        )
        t.row(*ROW).give(0, *hand).paid(*paid)
        t.p.phase = rules.STEP
        for name, value in fields.items():
            setattr(t.p, name, value)
        return t

    return changed


def stopped_step() -> PositionBuilder:
    t = step("2 drivers", ("red driver",), ("blue driver",))()
    t.p.stopped[0] = 1
    return t


def paid_between() -> PositionBuilder:
    t = table().paid("yellow oil")
    t.p.phase = rules.TURN
    return t


VIOLATIONS: list[Violation] = [
    (rules.WRONG_PLAYERS, 0, values(players=1)),
    (rules.WRONG_PLAYERS, 0, values(players=6)),
    (rules.WRONG_CARDS, 0, one_more(0)),
    (rules.WRONG_CARDS, 24, one_more(24)),
    (rules.WRONG_HAND, 2, change("hand_size", 2)),
    (rules.WRONG_DRAWN, 2, change("drawn_size", 2)),
    (rules.WRONG_SEEN, 0, change("seen", 0)),
    (rules.WRONG_SEEN, 2, change("seen", 2)),
    (rules.WRONG_CAMELS, 2, change("camels", (2, 1), by=2)),
    (rules.WRONG_CAMELS, 0, at(seat0=3)),
    (rules.WRONG_CAMELS, 2, at(scored=1, seat2=DADU)),
    (rules.WRONG_CAMELS, 1, change("camels", (1, 1), by=-4, of=pair)),
    (rules.WRONG_CAMELS, 0, at(of=pair, seat1=(5, 6))),
    (rules.WRONG_REACHED, 2, change("reached", 2, by=-16)),
    (rules.WRONG_REACHED, 1, change("reached", 1, by=1 << 7)),
    (rules.WRONG_GOLD, 0, change("gold", 0)),
    (rules.WRONG_GOLD, 2, change("spent", 2)),
    (rules.WRONG_GOLD, 2, change("chests", 2)),
    (rules.WRONG_GANZHOU, 2, got_at_ganzhou(0)),
    (rules.WRONG_SCORED, 2, at(seat2=GANZHOU + 1)),
    (rules.WRONG_SCORED, 2, came_to_ganzhou(2)),
    (rules.WRONG_SCORED, 0, came_to_ganzhou(0, stopped=(0, 0))),
    (rules.WRONG_SCORED, 0, at(of=came_to_ganzhou(0, moving=1), seat0=(GANZHOU, 2))),
    (rules.WRONG_SCORED, 2, at(scored=1, seat2=FIRST_SCORED)),
    (rules.WRONG_SCORED, 2, at(scored=1, seat2=GANZHOU - 1)),
    (rules.WRONG_SIZES, 0, change("pile_size")),
    (rules.WRONG_SIZES, 0, change("row_size")),
    (rules.WRONG_SIZES, 0, short_row("violet driver")),
    (rules.WRONG_TURN, 0, values(turn=-1)),
    (rules.WRONG_TURN, 0, values(phase=rules.OVER)),
    (rules.WRONG_TURN, 0, values(ending=rules.DADU)),
    (rules.WRONG_TURN, 0, values(turn=-1, phase=rules.OVER)),
    (rules.WRONG_STEP, 0, values(moving=-1)),
    (rules.WRONG_STEP, 0, values(moving=1)),
    (rules.WRONG_STEP, 0, values(of=pair, phase=rules.STEP)),
    (rules.WRONG_STEP, 0, paid_between),
    (rules.WRONG_STEP, 0, stopped_step),
    (rules.WRONG_STEP, 0, step("2 drivers", ("red driver",), ("blue driver", "green driver"))),
    (rules.WRONG_STEP, 0, step("one of each good", ("red spice", "red silk"), ("red oil", "blue oil"))),
    (rules.WRONG_STEP, 0, step("one of each colour", ("red oil", "blue oil"), ("green oil", "green silk"))),
    (rules.WRONG_STEP, 0, step("2 drivers", ("red oil",), ("blue driver",))),
    (rules.WRONG_STEP, 0, values(of=lambda: pair().space(7, "1 good").give(0, *MIXED), phase=rules.STEP)),
    *(
        (rules.WRONG_STEP, 0, step("one of each colour", MIXED, twice))
        for twice in (("green oil", "green oil"), ("green oil", "green silk"), ("violet oil", "violet silk"))
    ),
]


@pytest.mark.parametrize(("number", "where", "position"), VIOLATIONS, ids=ids(rules.INVARIANTS, VIOLATIONS))
def test_a_position_that_cannot_be_is_refused(
    number: int, where: int, position: Callable[[], PositionBuilder]
) -> None:
    """M1 to M4, M11, M13 to M15, M18 to M22: the first invariant that is violated is named, with card or seat."""
    assert_violates(position(), number, where)


@pytest.mark.parametrize(
    "position",
    [
        table,
        pair,
        change(
            "reached", 1, by=1 << 6
        ),  # as far as the foremost camel: it may have been sent back to Ganzhou
        got_at_ganzhou(1),
        at(seat2=FIRST_SCORED),
        at(scored=1, seat0=GANZHOU, seat2=GANZHOU),
        at(scored=1, seat2=DADU - 1),
        at(scored=1, seat2=FIRST_SCORED - 1),
        came_to_ganzhou(0),
        came_to_ganzhou(0, moving=1),
        short_row(),
        values(of=pair, moving=1),
        step("2 drivers", ("red driver",), ("blue driver",)),
        step("one of each colour", ("red oil", "blue oil", "yellow oil"), ("green oil", "violet oil")),
    ],
)
def test_a_position_that_can_be_is_valid(position: Callable[[], PositionBuilder]) -> None:
    """M1, M4, M11, M20: no invariant is violated."""
    assert_valid(position())


def test_every_invariant_is_shown_here() -> None:
    assert_all_shown(rules.INVARIANTS, VIOLATIONS)


@pytest.mark.parametrize(("still", "share"), [(-1, 0.0), (0, 0.0), (15, 0.5), (29, 29 / 30)])
def test_how_near_stillness_is(still: int, share: float) -> None:
    """M32: ten rounds are thirty turns of three players, whoever decides."""
    for seat in (0, 2):
        t = table().turn(seat)
        t.p.still = still
        assert rules.stall_progress(t.p) == pytest.approx(share)


def test_stillness_has_come_or_not_when_the_match_is_over() -> None:
    """M32: stillness and deadlock; not at Dadu, whatever the count is by then."""
    t = table()
    t.p.turn, t.p.phase, t.p.still = -1, rules.OVER, 9
    for ending, share in ((rules.DADU, 0.0), (rules.STILLNESS, 1.0), (rules.DEADLOCK, 1.0)):
        t.p.ending = ending
        assert rules.stall_progress(t.p) == share


def test_a_city_may_have_ten_scoring_spaces() -> None:
    """M21, M30: the tenth before it counts; the one beyond it, and the eleventh before it, do not."""
    value, gold = rules.value, np.arange(1, 11, dtype=np.int64)
    assert [value(gold, 20, space) for space in (10, 11, 20, 21)] == [0, 10, 1, 0]


@pytest.mark.parametrize(
    ("demand", "card"),
    [
        ("one of each good", "blue oil"),
        ("one of each colour", "blue oil"),
        ("one of each colour", "violet driver"),
    ],
)
def test_one_of_each_takes_no_second(ruleset: RuleSet, demand: str, card: str) -> None:
    """M13: of a good or a colour that is laid, whichever it is."""
    colours = ("blue", "yellow", "red", "green", "violet")
    hand = [f"{colour} {face}" for colour, face in zip(colours, (*rules.GOODS, "driver"), strict=True)]
    t = PositionBuilder(ruleset, players=3, first=0).clear_cards().space(7, demand).line_up(6, 3, 4)
    t.row("red oil", *ROW[:4]).give(0, *hand, card)
    assert card in t.lays()
    assert card not in t.lay(card).lays()
