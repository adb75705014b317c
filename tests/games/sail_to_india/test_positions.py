"""What holds in every position, and what is said of one in which it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from comptoir.engine.mask import members, new_mask
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india.table import BOX, SAIL, Table


def table() -> Table:
    return Table(SAIL.interpreted).towns().has(0, lisbon=2, wealth=3, vp=2, land="1a 2c", at3=1)


def recalling_nothing() -> Table:
    t = Table(SAIL.interpreted).has(0, lisbon=2)
    t.p.recalling = 1
    return t


def change(**values: Any) -> Callable[[], Table]:
    """The position of `table` with fields set: `change(lisbon=[3, 1, 1, 1])`."""

    def changed() -> Table:
        t = table()
        for name, value in values.items():
            if isinstance(value, list):
                getattr(t.p, name)[...] = value
            else:
                setattr(t.p, name, value)
        return t

    return changed


FAULTS: list[tuple[str, Callable[[], Table]]] = [
    ("players", change(players=5)),
    ("row", change(face_up=2)),
    ("row", change(face_up=7)),
    ("row", change(row=[0, 1, 2, 3, 4, 4, -1, -1, -1, -1, -1, -1])),
    ("row", change(boxed=[9, -1, -1])),
    ("markers", change(lisbon=[3, 1, 1, 1])),
    ("land", lambda: table().has(1, land="1a")),
    ("land", lambda: table().has(1, land="7a")),
    ("ships", lambda: table().has(1, at7=1)),
    ("technologies", change(scientists=[2, 3, 3, 3])),
    ("speed", change(speed=[0, 1, 1, 1])),
    ("sailed", change(home=1)),
    ("sailed", change(phase=rules.SAILING)),
    ("sailed", change(phase=rules.SAILING, home=1, departed=2)),
    ("sailed", change(phase=rules.SAILING, chronicler=1, vp=[0, 0, 0, 0], lisbon=[3, 1, 1, 1])),
    ("recalling", lambda: recalling_nothing()),
    ("sailed", change(phase=rules.SAILING, home=3)),
    ("sailed", change(phase=rules.SAILING, sailed=[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    ("vp_due", change(vp_due=1)),
    ("vp_due", change(wealth_due=1)),
    ("sold", change(sold=1)),
    ("sold", change(phase=rules.SELLING)),
    ("phase", change(phase=rules.LANDFALL)),
    ("phase", change(phase=rules.CHARTING)),
    ("india", change(india=0)),
    ("india", change(closing=rules.EMPTY_RESERVES, closer=1)),
    ("india", lambda: table().has(1, lisbon=9).has(2, lisbon=9)),
    ("turn", change(turn=-1)),
    ("turn", change(ending=rules.INDIA)),
    ("round_number", change(round_number=0)),
    ("round_number", change(round_number=201)),
    ("round_number", lambda: table().towns(12).round(201).turn(2)),
]


@pytest.mark.parametrize(
    ("law", "position"), FAULTS, ids=[f"{n} {fault[0]}" for n, fault in enumerate(FAULTS)]
)
def test_a_position_that_cannot_be_is_refused(law: str, position: Callable[[], Table]) -> None:
    """S4, S15, S24, S29, S30, S33, S34, S70: the first law that is broken is named."""
    p = position().p
    assert rules.check_position(p, BOX)[0].startswith(law)
    number, which = rules.fault(p, BOX)
    assert which == 0 or "{seat}" in rules.LAWS[number]


@pytest.mark.parametrize(
    ("law", "position"),
    [
        (rules.MARKERS_LAW, change(lisbon=[2, 1, 1, 2])),
        (rules.LAND_LAW, lambda: table().has(3, land="7d")),
        (rules.LAND_LAW, lambda: table().has(3, land="2c")),
        (rules.SHIPS_LAW, lambda: table().has(3, at12=1)),
        (rules.SCIENTISTS_LAW, change(scientists=[3, 3, 3, 2])),
        (rules.SPEED_LAW, change(speed=[1, 1, 1, 0])),
        (rules.SPEED_LAW, change(speed=[1, 1, 1, 4])),
    ],
)
def test_the_seat_is_named_too(law: int, position: Callable[[], Table]) -> None:
    """S4, S24, S29, S30: the last one as well as the first."""
    p = position().p
    assert rules.fault(p, BOX) == (law, 3)
    assert rules.check_position(p, BOX)[0].endswith(": seat 3")


def test_every_law_is_shown_here() -> None:
    assert {law for law, _ in FAULTS} == {law.split(":")[0].split(",")[0] for law in rules.LAWS[1:]}
    assert not rules.check_position(table().p, BOX)


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
def test_livelier_matches_stay_sound(options: dict[str, Any]) -> None:
    """S15, S20, S33, S34, S70: at every decision of matches that use everything."""
    used: set[str] = set()
    weights = np.array([weigh(action) for action in rules.ACTIONS])
    fault = SAIL.compiled.bind(rules.fault)
    for seed in range(20):
        chance = np.random.default_rng(seed)
        t = Table(SAIL.compiled, str(seed), **options)
        mask = new_mask(len(rules.ACTIONS))
        while t.p.turn >= 0:
            mask[...] = 0
            t.verbs.legal(t.p, BOX, mask)
            legal = members(mask)
            action = legal[
                int(np.searchsorted(np.cumsum(weights[legal]), chance.random() * weights[legal].sum()))
            ]
            used.add(rules.ACTIONS[action].split()[0])
            t.verbs.play(t.p, BOX, action, t.dice)
            assert fault(t.p, BOX) == (rules.SOUND, 0)
        assert rules.ENDINGS[t.p.ending] in ("india", "empty reserves")
    assert used >= {action.split()[0] for action in rules.ACTIONS} - {"chart", "no"}  # these are rare


@pytest.mark.parametrize(("number", "share"), [(1, 0.0), (50, 0.0), (51, 1 / 150), (125, 0.5), (201, 1.0)])
def test_how_near_the_guard_is(number: int, share: float) -> None:
    """S74: from round 50 to 200, whoever decides."""
    for seat in (0, 3):
        assert rules.stalled(table().turn(seat).round(number).p) == pytest.approx(share)


def test_the_guard_has_ended_a_match_or_not() -> None:
    """S74: whatever round it was."""
    t = table().turn(-1).round(100)
    for ending, share in ((rules.INDIA, 0.0), (rules.EMPTY_RESERVES, 0.0), (rules.ROUND_200, 1.0)):
        t.p.ending = ending
        assert rules.stalled(t.p) == share
