"""The end and scoring, and what is hidden: C30 to C34."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.engine.match import Match
from comptoir.engine.matchfile import parse
from comptoir.engine.scoring import new_score_sheets
from comptoir.engine.words import words_of
from comptoir.errors import DataError
from comptoir.games.century import rules
from tests.games.century.positions import BOX, CENTURY, PositionBuilder, random_match
from tests.golden import FOLDER


def fourth(ruleset: RuleSet, seat: int, players: int = 4) -> PositionBuilder:
    """A seat is in port W and can claim its fourth tile."""
    t = (
        PositionBuilder(ruleset, players=players)
        .begin("aaaa", seat=seat)
        .close("x")
        .at(seat, "w")
        .tile("w", "YYGGG", 11)
    )
    return t.owns(seat, 12, 13, 14).hold(seat, "YYGGG")


@pytest.mark.parametrize(("seat", "rest"), [(0, [1, 2, 3]), (1, [2, 3]), (3, [])])
def test_the_round_is_played_to_its_end(ruleset: RuleSet, seat: int, rest: list[int]) -> None:
    """C30: all have had the same number of turns; then the game is over."""
    t = fourth(ruleset, seat).play("claim")
    turns = []
    while t.p.turn >= 0:
        turns.append(int(t.p.turn))
        t.play("end")
    assert turns == rest
    assert (rules.ENDINGS[t.p.ending], t.p.phase, t.legal()) == ("fourth tile", rules.OVER, [])


def test_the_round_ends_before_the_first_player(ruleset: RuleSet) -> None:
    """C30: whoever that is."""
    t = fourth(ruleset, 1)
    t.p.first = 3
    t.play("claim", "end")
    assert t.p.phase == rules.OVER


def test_three_tiles_are_not_enough(ruleset: RuleSet) -> None:
    """C30: the next round begins."""
    t = PositionBuilder(ruleset).begin("aaaa", seat=3).owns(0, 11, 12, 13).owns(3, 14, 15, 16).play("end")
    assert (t.p.turn, t.p.round_number, t.p.ending) == (0, 2, 0)


def test_others_may_claim_in_the_last_round(ruleset: RuleSet) -> None:
    """C30: as usual, and all is scored."""
    t = (
        fourth(ruleset, 0, players=2)
        .at(1, "y")
        .tile("y", "BBBBB", 20)
        .hold(1, "BBBBB")
        .play("claim", "claim")
    )
    assert t.p.phase == rules.OVER
    assert t.points() == [11 + 12 + 13 + 14, 20]


def test_what_is_put_back_is_put_back_before_the_end(ruleset: RuleSet) -> None:
    """C30, C20: in the very last turn too."""
    t = fourth(ruleset, 0, players=2).hold(1, "R" * 9).play("claim", "harvest")
    assert (t.p.turn, t.p.phase) == (1, rules.STOWING)
    t.play("discard yellow")
    assert t.p.phase == rules.OVER


# Scoring


def test_points_for_tiles(ruleset: RuleSet) -> None:
    """C31: what they show."""
    assert PositionBuilder(ruleset).begin().owns(0, 11, 20, 17).owns(2, 12).points() == [48, 0, 12, 0]


@pytest.mark.parametrize(
    ("tiles", "points"),
    [
        ({"points": 1}, 6),
        ({"points": 3}, 15),
        ({"upgrade": 2}, 4),
        ({"harvest": 3}, 3),
        ({"hold": 4}, 0),
        ({"move": 4}, 0),
    ],
)
def test_points_for_bonus_tiles(ruleset: RuleSet, tiles: dict[str, int], points: int) -> None:
    """C31, C21: 6, 5, 4 and 3; an upgrade tile 2, a red harvest tile 1, the others none."""
    assert PositionBuilder(ruleset).begin().bonus(1, **tiles).points() == [0, points, 0, 0]


def test_points_for_what_is_uncovered(ruleset: RuleSet) -> None:
    """C31: the values of all rows add up."""
    assert PositionBuilder(ruleset).begin().built(2, ginger=5, chili=2, tea=3).points() == [
        0,
        0,
        8 + 1 + 3,
        0,
    ]


@pytest.mark.parametrize(
    ("cubes", "points"), [("", 0), ("YYYY", 0), ("R", 1), ("YRGB", 3), ("BBBBBBBBBB", 10)]
)
def test_points_for_cubes(ruleset: RuleSet, cubes: str, points: int) -> None:
    """C31: 1 for each that is not yellow."""
    assert PositionBuilder(ruleset).begin().hold(3, cubes).points() == [0, 0, 0, points]


def test_cubes_on_the_map_are_worth_nothing(ruleset: RuleSet) -> None:
    """C31: only those in holds count."""
    assert PositionBuilder(ruleset).begin().lay("k", "BBBB").points() == [0, 0, 0, 0]


def over(first: int, points: list[int]) -> Match:
    """A match of 4 that is over, with these points, from cubes; the seat before the first player has ended
    the last turn.
    """
    t = PositionBuilder(CENTURY.interpreted).begin()
    t.p.first = first
    for seat, n in enumerate(points):
        t.hold(seat, "R" * n)
    t.owns((first + 2) % 4, 12, 12, 13, 14).close("x").turn((first + 3) % 4)
    match = comptoir.new("century", position=CENTURY.to_dict(t.p), seed=1)
    assert match.winners() == []
    match.play("end")
    return match


@pytest.mark.parametrize(("first", "points", "winner"), [(0, [2, 1, 0, 3], 2), (1, [9, 1, 2, 4], 3)])
def test_most_points_win(first: int, points: list[int], winner: int) -> None:
    """C32: tiles and all."""
    match = over(first, points)
    assert match.ending == "fourth tile"
    assert match.winners() == [winner]


@pytest.mark.parametrize(
    ("first", "tied", "winner"),
    [(0, [0, 1], 1), (0, [0, 3], 3), (1, [0, 3], 0), (2, [1, 2], 1), (3, [2, 3], 2), (0, [0, 1, 2, 3], 3)],
)
def test_a_tie_goes_to_who_played_last(ruleset: RuleSet, first: int, tied: list[int], winner: int) -> None:
    """C32: of the tied players, in the order of the round; the victory is not shared."""
    t = PositionBuilder(ruleset).begin()
    t.p.first = first
    for seat in tied:
        t.hold(seat, "RR")
    rows = t.scores()
    assert [seat for seat, row in enumerate(rows) if row == max(rows)] == [winner]


# The score sheet


def test_a_score_sheet_goes_by_tiles_rows_bonus_tiles_and_cubes(ruleset: RuleSet) -> None:
    """C31: each row of the board for itself, so that it can be checked by eye."""
    t = (
        PositionBuilder(ruleset, first=0)
        .begin()
        .owns(1, 20, 11)
        .built(1, 5, 3, 2, 1)
        .bonus(1, upgrade=1)
        .bonus(2, points=1, harvest=2, hold=1)
    )
    t.hold(1, "YYRGB").hold(3, "YYYY")
    out = new_score_sheets(CENTURY, 1)[0]
    ruleset.score_sheet(t.p, BOX, out)
    rows = dict(zip(rules.SOURCES, out[: t.players, : len(rules.SOURCES)].T.tolist(), strict=True))
    assert rows == {
        "tiles": [0, 31, 0, 0],
        "ginger outposts": [0, 0 + 1 + 2 + 2 + 3, 0, 0],
        "chili outposts": [0, 0 + 1 + 2, 0, 0],
        "tea outposts": [0, 0 + 1, 0, 0],
        "cloves outposts": [0, 0, 0, 0],
        "bonus": [0, 2, 6 + 1 + 1, 0],
        "cubes": [0, 3, 0, 0],
    }
    assert [sum(row) for row in zip(*rows.values(), strict=True)] == t.points()
    assert out[: t.players, len(rules.SOURCES) :].tolist() == [[0], [1], [2], [3]]


def test_the_sheet_of_a_tie_says_what_decided() -> None:
    """C32: two seats have the most points, and one of them played later."""
    match = parse((FOLDER / "century" / "tie-3.match").read_text(encoding="utf-8"))
    sheet = match.score_sheet()
    assert (sheet.totals, sheet.decided, len(sheet.winners)) == (match.scores(), "last", 1)
    assert sheet.totals.count(max(sheet.totals)) == 2
    assert (
        words_of("century", "en").say("decided.last", name="Chloé", n=1) == "Chloé played later in the round."
    )


# What is hidden


@pytest.mark.parametrize("players", [2, 4])
def test_nothing_is_known_to_some_only(ruleset: RuleSet, players: int) -> None:
    """C33: every view is the position itself, and so is every imagined world: claimed tiles are never dealt
    again.
    """
    for n, t in enumerate(random_match(ruleset, "open", players=players)):
        if n > 200:
            break
        for viewer in range(-1, players):
            world = CENTURY.copy(t.p)
            ruleset.hide(world, BOX, viewer)
            ruleset.imagine(world, BOX, viewer, np.array([n], np.uint64))
            assert world.tobytes() == t.p.tobytes()


def test_a_position_knows_no_order_of_the_pile(ruleset: RuleSet) -> None:
    """C33, C4: which tile comes next, and where the closed-port tile lies, is decided when it is drawn."""
    drawn = set()
    for n in range(200):
        t = PositionBuilder(ruleset).begin("waaa").tile("w", "YYGGG", 11).hold(0, "YYGGG")
        t.dice = np.array([n], np.uint64)
        drawn.add(t.play("claim").port("w"))
    assert "closed" in drawn
    assert len(drawn) > 15


@pytest.mark.parametrize(
    ("open_tiles", "viewer", "told"),
    [(False, 1, False), (False, None, False), (False, 0, True), (True, 1, True)],
)
def test_claimed_tiles_are_told_to_their_owner_or_if_an_option_asks(
    open_tiles: bool, viewer: int | None, told: bool
) -> None:
    """C17, C33: table, log, turn retold and score sheet tell their worth during the game only then."""
    t = (
        PositionBuilder(CENTURY.interpreted, open_tiles=open_tiles)
        .begin("waaa")
        .close("x")
        .owns(0, 18, 19)
        .tile("w", "YYGGG", 11)
        .hold(0, "YYGGG")
    )
    match = comptoir.new("century", position=CENTURY.to_dict(t.p), seed=1)
    match.play("claim")
    console = Console(width=100, file=io.StringIO())
    console.print(CENTURY.terminal.draw(match.scene(viewer, words_of("century", "en"))))
    assert ("11+18+19" in console.file.getvalue()) == told  # type: ignore[attr-defined]
    assert ("11 points" in match.story.log(viewer)[0]) == told
    assert ("11 points" in match.story.recaps(viewer)[0].sentence) == told
    assert match.score_sheet_for(viewer).points["tiles"] == [48 if told else None, 0, 0, 0]


def test_open_tiles_changes_nothing_else() -> None:
    """C33: it is told to the pages only."""
    plain, told = (comptoir.new("century", seed=5, open_tiles=value) for value in (False, True))
    assert plain.position() == told.position() | {"open_tiles": False}


# The guard


def test_round_200_is_the_last(ruleset: RuleSet) -> None:
    """C34: the game ends with it, is scored, and the result names it."""
    t = PositionBuilder(ruleset).begin("aaaa", seat=3).hold(1, "BB")
    t.p.round_number = 200
    t.play("end")
    assert (rules.ENDINGS[t.p.ending], t.p.turn, t.points()) == ("round 200", -1, [0, 2, 0, 0])


def test_round_199_is_not(ruleset: RuleSet) -> None:
    """C34: nor is any turn of round 200 but its last."""
    t = PositionBuilder(ruleset).begin("aaaa", seat=3)
    t.p.round_number = 199
    t.play("end")
    assert (t.p.round_number, t.p.turn) == (200, 0)
    t.play("end", "end", "end")
    assert (t.p.turn, t.p.ending) == (3, 0)


def test_a_fourth_tile_in_round_200_is_a_fourth_tile(ruleset: RuleSet) -> None:
    """C34, C30: the guard is for games in which nobody has one."""
    t = fourth(ruleset, 3)
    t.p.round_number = 200
    t.play("claim")
    assert rules.ENDINGS[t.p.ending] == "fourth tile"


def refused(change: dict[str, Any]) -> str:
    """Why a match at its start, with this changed, is not read; nothing if it is."""
    match = comptoir.new("century", seed=1, players=3, first=0)
    for lot, space in ((0, 1), (0, 2), (0, 3)):
        match.play(match.actions()[lot])
        match.play(match.actions()[space])
    data = match.position()
    try:
        CENTURY.position_from_dict(data | {key: value(data) for key, value in change.items()}, match.box)
    except DataError as error:
        return str(error)
    return ""


def claimed_by(seat: int, count: int) -> dict[str, Any]:
    """So many tiles of a seat's, with as many drawn."""

    def tiles(data: dict[str, Any]) -> Any:
        pile = [tile for tile, where in data["tiles"].items() if where == "pile"][:count]
        return data["tiles"] | dict.fromkeys(pile, rules.PLACES[rules.FIRST_OWNER + seat])

    return {
        "claimed": lambda data: [count if one == seat else 0 for one in range(3)],
        "tiles": tiles,
        "mover": lambda data: 1,
        "turn": lambda data: 1,
    }


def test_positions_that_no_match_comes_to_are_refused() -> None:
    """C4, C30, C34: a round before the first, a closed port with nothing claimed, a turn after one's fourth
    tile.
    """
    assert not refused({})
    assert "round_number" in refused({"round_number": lambda data: 0})
    closed = {"ports": lambda data: {**data["ports"], next(iter(data["ports"])): "closed"}}
    first = {"tiles": lambda data: data["tiles"] | {next(iter(data["ports"].values())): "pile"}}
    assert "closed-port tile" in refused(closed | first)
    assert not refused(claimed_by(0, 3))
    assert not refused(claimed_by(0, 4))  # the others have their last turns
    assert "fourth tile" in refused(claimed_by(0, 5))
    assert "fourth tile" in refused(claimed_by(1, 4))  # it is their turn again
    assert "fourth tile" in refused(claimed_by(2, 4))  # their turn is still to come
