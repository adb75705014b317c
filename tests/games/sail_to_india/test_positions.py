"""What holds in every position, and what is said of one in which it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from comptoir.engine.invariants import VALID
from comptoir.engine.mask import members, new_mask
from comptoir.games.sail_to_india import rules
from tests.games.invariants import assert_valid, assert_violates
from tests.games.sail_to_india.positions import BOX, SAIL, PositionBuilder


def table() -> PositionBuilder:
    return PositionBuilder(SAIL.interpreted).towns().has(0, lisbon=2, wealth=3, vp=2, land="1a 2c", at3=1)


def recalling_nothing() -> PositionBuilder:
    t = PositionBuilder(SAIL.interpreted).has(0, lisbon=2)
    t.p.recalling = 1
    return t


def change(of: Callable[[], PositionBuilder] = table, **values: Any) -> Callable[[], PositionBuilder]:
    """The position of `table`, or another, with fields set: `change(lisbon=[3, 1, 1, 1])`."""

    def changed() -> PositionBuilder:
        t = of()
        for name, value in values.items():
            if isinstance(value, list):
                getattr(t.p, name)[...] = value
            else:
                setattr(t.p, name, value)
        return t

    return changed


def three() -> PositionBuilder:
    """Three players, and three cards boxed."""
    return PositionBuilder(SAIL.interpreted, players=3).towns()


def landing(seat: int = 0) -> PositionBuilder:
    """Seat 0 sails, and a seat has a ship off the first town that is face down."""
    t = table().has(seat, lisbon=1, at7=1).has(1 - seat, lisbon=1, at2=1)
    t.p.phase = rules.SAILING
    t.p.sailed[6 if seat == 0 else 1] = 1
    return t


def two_empty() -> PositionBuilder:
    """Seats 1 and 2 have no markers in reserve; seat 1 was the second."""
    t = table().has(1, lisbon=9).has(2, lisbon=9)
    t.p.closing, t.p.closer = rules.EMPTY_RESERVES, 1
    return t


def last_turns(
    turn: int, number: int = 201, first: int = 1, closer: int = 3
) -> Callable[[], PositionBuilder]:
    """Round 201, in which those who sit before the closer have their last turns."""

    def arranged() -> PositionBuilder:
        t = PositionBuilder(SAIL.interpreted).towns(12).round(number).turn(turn)
        t.p.first, t.p.closer, t.p.india = first, closer, closer
        return t

    return arranged


def one_sailed() -> PositionBuilder:
    """All towns are face up, and seat 1 has a ship in the first, which has sailed."""
    t = last_turns(1, number=9)().has(1, lisbon=1, at1=1)
    t.p.phase = rules.SAILING
    t.p.sailed[0] = 1
    return t


def over() -> PositionBuilder:
    t = last_turns(-1)()
    t.p.phase, t.p.ending = rules.OVER, rules.INDIA
    return t


def due(vp: int, wealth: int, **dues: int) -> Callable[[], PositionBuilder]:
    """What seat 0 has and what is still due."""
    return change(of=lambda: table().has(0, lisbon=1, vp=vp, wealth=wealth), **dues)


VALID_POSITIONS = [
    table,
    three,
    landing,
    two_empty,
    change(of=landing, phase=rules.LANDFALL, sailed=[0] * 12, vp_due=1),
    change(round_number=200),
    last_turns(1),
    last_turns(2),
    last_turns(0, first=2, closer=1),
    over,
    due(5, 3, vp_due=1, wealth_due=1),
    due(5, 5, wealth_due=1),
    lambda: table().has(1, lisbon=9),
    change(of=lambda: two_empty().has(2, lisbon=1).has(3, lisbon=9), closer=3),
    last_turns(1, closer=0),
    lambda: last_turns(1, number=9)().has(3, lisbon=1, land="12d"),
    lambda: table().owns(3, "metallurgy", "east india company").speed(3, rules.FASTEST),
    change(of=landing, home=1),
    one_sailed,
    change(recalling=1),
    change(of=recalling_nothing, recalling=0),
    change(of=lambda: table().owns(0, "cartography"), phase=rules.CHARTING),
]


@pytest.mark.parametrize("position", VALID_POSITIONS)
def test_a_position_that_can_be_is_valid(position: Callable[[], PositionBuilder]) -> None:
    """S1, S2, S23, S70, S74: no invariant is violated."""
    assert_valid(position())


VIOLATIONS: list[tuple[str, Callable[[], PositionBuilder]]] = [
    ("players", change(players=5)),
    ("row", change(face_up=2)),
    ("row", change(face_up=7)),
    ("row", change(row=[0, 1, 2, 3, 4, 4, -1, -1, -1, -1, -1, -1])),
    ("row", change(boxed=[9, -1, -1])),
    ("row", change(row=[0, 1, 2, 3, 4, 0, -1, -1, -1, -1, -1, -1])),
    ("row", change(of=three, boxed=[9, 10, -1])),
    ("row", change(of=three, boxed=[9, 10, 0])),
    ("markers", change(lisbon=[3, 1, 1, 1])),
    ("land", lambda: table().has(1, land="1a")),
    ("land", lambda: table().has(1, land="7a")),
    ("ships", lambda: table().has(1, at7=1)),
    ("ships", lambda: table().has(0, lisbon=1, at7=1)),
    ("ships", lambda: landing(1)),
    ("ships", change(of=landing, discovered=1)),
    ("technologies", change(scientists=[2, 3, 3, 3])),
    ("speed", change(speed=[0, 1, 1, 1])),
    ("sailed", change(home=1)),
    ("sailed", change(phase=rules.SAILING)),
    ("sailed", change(phase=rules.SAILING, home=1, departed=2)),
    ("sailed", change(phase=rules.SAILING, chronicler=1, vp=[0, 0, 0, 0], lisbon=[3, 1, 1, 1])),
    ("recalling", lambda: recalling_nothing()),
    ("sailed", change(phase=rules.SAILING, home=3)),
    ("sailed", change(phase=rules.SAILING, sailed=[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    ("sailed", change(of=one_sailed, sailed=[1] + [0] * 10 + [1])),
    ("vp_due", change(vp_due=1)),
    ("vp_due", due(4, 0, vp_due=1)),
    ("vp_due", due(0, 4, wealth_due=1)),
    ("vp_due", change(wealth_due=1)),
    ("sold", change(sold=1)),
    ("sold", change(phase=rules.SELLING)),
    ("phase", change(phase=rules.LANDFALL)),
    ("phase", change(phase=rules.CHARTING)),
    ("india", change(india=0)),
    ("india", change(closing=rules.EMPTY_RESERVES, closer=1)),
    ("india", lambda: table().has(1, lisbon=9).has(2, lisbon=9)),
    ("india", change(india=0, closing=rules.INDIA, closer=0)),
    ("india", change(of=two_empty, closing=0)),
    ("india", change(of=two_empty, closer=-1)),
    ("india", change(of=two_empty, closing=rules.ROUND_200)),
    ("india", change(of=last_turns(1, number=9), closing=rules.EMPTY_RESERVES)),
    ("india", change(of=lambda: last_turns(1, number=9)().has(2, lisbon=9), closing=rules.EMPTY_RESERVES)),
    ("turn", change(turn=-1)),
    ("turn", change(phase=rules.OVER)),
    ("turn", change(ending=rules.INDIA)),
    ("round_number", change(round_number=0)),
    ("round_number", change(round_number=201)),
    ("round_number", lambda: table().towns(12).round(201).turn(2)),
    ("round_number", last_turns(3)),
    ("round_number", last_turns(0)),
    ("round_number", last_turns(1, first=2, closer=1)),
]


@pytest.mark.parametrize(
    ("begins", "position"), VIOLATIONS, ids=[f"{n} {begins}" for n, (begins, _) in enumerate(VIOLATIONS)]
)
def test_a_position_that_cannot_be_is_refused(begins: str, position: Callable[[], PositionBuilder]) -> None:
    """S4, S15, S24, S29, S30, S33, S34, S70: the first invariant that is violated is named."""
    p = position().p
    assert SAIL.rules.check_position(p, BOX)[0].startswith(begins)
    number, where = rules.violated_invariant(p, BOX)
    assert where == 0 or "{seat}" in rules.INVARIANTS.sentences[number - 1]


@pytest.mark.parametrize(
    ("number", "position"),
    [
        (rules.WRONG_MARKERS, change(lisbon=[2, 1, 1, 2])),
        (rules.WRONG_LAND, lambda: table().has(3, land="7d")),
        (rules.WRONG_LAND, lambda: table().has(3, land="2c")),
        (rules.WRONG_SHIPS, lambda: table().has(3, at12=1)),
        (rules.WRONG_SCIENTISTS, change(scientists=[3, 3, 3, 2])),
        (rules.WRONG_SPEED, change(speed=[1, 1, 1, 0])),
        (rules.WRONG_SPEED, change(speed=[1, 1, 1, 4])),
    ],
)
def test_the_seat_is_named_too(number: int, position: Callable[[], PositionBuilder]) -> None:
    """S4, S24, S29, S30: the last one as well as the first."""
    assert_violates(position(), number, 3)
    assert SAIL.rules.check_position(position().p, BOX)[0].endswith(": seat 3")


def test_every_invariant_is_shown_here() -> None:
    sentences = rules.INVARIANTS.sentences
    assert {begins for begins, _ in VIOLATIONS} == {said.split(":")[0].split(",")[0] for said in sentences}
    assert not SAIL.rules.check_position(table().p, BOX)


def weigh(action: str) -> float:
    """A player who seldom gives anything up, and likes to discover: his games see all of the rules."""
    if action.startswith("return") or action in ("decline", "recall", "end turn"):
        return 0.05
    return (
        0.3
        if action.startswith("refloat")
        else 8.0
        if action in ("activate", "speed up", "appoint", "acquire cartography")
        else 1.0
    )


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"players": 3}, {"players": 4}, {"players": 4, "setup": "first game"}])
def test_livelier_matches_stay_valid(options: dict[str, Any]) -> None:
    """S15, S20, S33, S34, S70: at every decision of matches that use everything."""
    used: set[str] = set()
    weights = np.array([weigh(action) for action in rules.ACTIONS.texts])
    violated = SAIL.compiled.bind(rules.violated_invariant)
    for seed in range(20):
        chance = np.random.default_rng(seed)
        t = PositionBuilder(SAIL.compiled, str(seed), **options)
        mask = new_mask(len(rules.ACTIONS))
        while t.p.turn >= 0:
            mask[...] = 0
            t.ruleset.legal(t.p, BOX, mask)
            legal = members(mask)
            action = legal[
                int(np.searchsorted(np.cumsum(weights[legal]), chance.random() * weights[legal].sum()))
            ]
            used.add(rules.ACTIONS.decode(action).kind)
            t.ruleset.play(t.p, BOX, action, t.dice)
            assert violated(t.p, BOX) == (VALID, 0)
        assert rules.ENDINGS[t.p.ending] in ("india", "empty reserves")
    assert used >= {*rules.ACTIONS.kinds} - {"chart", "no chart"}  # these are rare


@pytest.mark.parametrize(("number", "share"), [(1, 0.0), (50, 0.0), (51, 1 / 150), (125, 0.5), (201, 1.0)])
def test_how_near_the_guard_is(number: int, share: float) -> None:
    """S74: from round 50 to 200, whoever decides."""
    for seat in (0, 3):
        assert rules.stall_progress(table().turn(seat).round(number).p) == pytest.approx(share)


def test_the_guard_has_ended_a_match_or_not() -> None:
    """S74: whatever round it was."""
    t = table().turn(-1).round(100)
    for ending, share in ((rules.INDIA, 0.0), (rules.EMPTY_RESERVES, 0.0), (rules.ROUND_200, 1.0)):
        t.p.ending = ending
        assert rules.stall_progress(t.p) == share


def test_a_town_is_turned_up_once_and_never_one_that_is_boxed() -> None:
    """S2: with three players; the first card and the last one too."""
    t = PositionBuilder(SAIL.interpreted, players=3)
    t.p.row[:3], t.p.boxed[...] = [1, 10, 5], [3, 0, 11]
    assert {rules.unseen_card(t.p, t.dice) for _ in range(200)} == {2, 4, 6, 7, 8, 9}


def test_nobody_has_brought_on_the_end_at_the_start() -> None:
    """S70: nobody is nobody, in every position that is written down."""
    p = PositionBuilder(SAIL.interpreted).p
    assert (p.closer, p.india, p.closing) == (-1, -1, 0)
