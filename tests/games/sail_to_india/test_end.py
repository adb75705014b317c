"""The end and scoring: S70 to S74."""

from __future__ import annotations

import numpy as np
import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india.positions import BOX, SAIL, PositionBuilder, random_match


def near_india(ruleset: RuleSet, players: int = 4, seat: int = 0) -> PositionBuilder:
    """A seat has a ship in the last town but one."""
    last = 9 if players == 3 else 12
    return (
        PositionBuilder(ruleset, players=players)
        .towns(last - 1)
        .has(seat, vp=1, **{f"at{last - 1}": 1})
        .turn(seat)
    )


def reach_india(t: PositionBuilder) -> PositionBuilder:
    last = rules.last_town(t.p)
    return t.play(f"sail {last - 1}-{last}", "anchor")


def turns_to_the_end(t: PositionBuilder) -> list[int]:
    """Who has a turn, until the game is over."""
    seats = []
    while t.p.turn >= 0:
        seats.append(int(t.p.turn))
        t.play("end turn")
    return seats


@pytest.mark.parametrize(
    ("players", "seat", "order"), [(4, 0, [0, 1, 2, 3]), (4, 2, [2, 3, 0, 1]), (3, 1, [1, 2, 0])]
)
def test_india_brings_on_the_end(ruleset: RuleSet, players: int, seat: int, order: list[int]) -> None:
    """S70: who discovered it finishes the turn, and every other player has one last turn."""
    t = reach_india(near_india(ruleset, players, seat))
    assert (t.p.closing, t.p.closer, t.p.points) == (rules.INDIA, seat, 1)
    assert turns_to_the_end(t) == order
    assert (rules.ENDINGS[t.p.ending], t.p.phase, t.legal()) == ("india", rules.OVER, [])


def test_the_second_empty_reserve_brings_on_the_end(ruleset: RuleSet) -> None:
    """S70: not the first; the one who emptied the second finishes the turn, and all others have one more."""
    t = PositionBuilder(ruleset).has(0, wealth=2, lisbon=7).has(2, wealth=3, lisbon=7).play("activate")
    assert t.p.closing == 0
    t.play("end turn", "end turn", "activate")
    assert (t.p.closing, t.p.closer) == (rules.EMPTY_RESERVES, 2)
    assert turns_to_the_end(t) == [2, 3, 0, 1]
    assert rules.ENDINGS[t.p.ending] == "empty reserves"


def test_one_empty_reserve_does_not(ruleset: RuleSet) -> None:
    """S70: at least two players."""
    t = PositionBuilder(ruleset).has(0, wealth=2, lisbon=7).play("activate", *["end turn"] * 8)
    assert (t.p.closing, t.p.turn) == (0, 0)


def test_only_the_first_trigger_counts(ruleset: RuleSet) -> None:
    """S70: India in the last turns brings no further turns, but its VP and the tie-break."""
    t = near_india(ruleset, seat=2).has(0, wealth=2, lisbon=7).has(1, lisbon=9).turn(0).play("activate")
    assert t.p.closing == rules.EMPTY_RESERVES
    t.play("end turn", "end turn")
    reach_india(t)
    assert (t.p.closing, t.p.closer, t.p.india, t.p.vp[2]) == (rules.EMPTY_RESERVES, 0, 2, 3)
    assert turns_to_the_end(t) == [2, 3]
    assert (rules.ENDINGS[t.p.ending], t.scores()[2][1]) == ("empty reserves", 1)


def test_empty_reserves_after_india_change_nothing(ruleset: RuleSet) -> None:
    """S70: the other way round."""
    t = near_india(ruleset).has(1, wealth=1, lisbon=7).has(2, lisbon=9)
    reach_india(t).play("end turn", "activate")
    assert (t.p.closing, t.p.closer) == (rules.INDIA, 0)
    assert turns_to_the_end(t) == [1, 2, 3]


def test_the_score(ruleset: RuleSet) -> None:
    """S71: History card, markets and strongholds 1, churches 2, technologies."""
    t = (
        PositionBuilder(ruleset)
        .towns()
        .has(0, vp=7, land="1c 2c 1d")
        .owns(0, "renaissance", "guild")
        .has(1, vp=3, wealth=9)
        .has(2, land="3c")
    )
    assert t.points() == [7 + 1 + 1 + 2 + 3 + 2, 3, 2, 0]


def test_the_score_by_its_sources(ruleset: RuleSet) -> None:
    """S13, S58, S59, S60, S61, S71, S72: each way to VP has a column of its own, then come the tie-breaks;
    together they are the score.
    """
    t = (
        PositionBuilder(ruleset)
        .towns(12)
        .has(0, vp=7, wealth=3, land="1c 2c 1d")
        .owns(0, "renaissance", "guild")
        .has(1, vp=3, land="3c 4c 5c 5d")
    )
    t.owns(1, "evangelisation", "east india company")
    tally, columns = ruleset.bind(rules.tally), len(rules.SOURCES)
    apart = np.zeros((4, columns + len(rules.TIE_BREAKS)), np.int64)
    tally(t.p, BOX, apart, 1)
    sheet = [dict(zip(rules.SOURCES, map(int, row[:columns]), strict=True)) for row in apart]
    assert {source: n for source, n in sheet[0].items() if n} == {
        **{"history": 7, "strongholds": 1, "churches": 2, "markets": 1},
        **{"renaissance": 3, "guild": 2},
    }
    assert {source: n for source, n in sheet[1].items() if n} == {
        **{"history": 3, "strongholds": 1, "churches": 2, "markets": 2},
        **{"evangelisation": 2, "east india company": 2},
    }
    assert [list(map(int, row[columns:])) for row in apart[:2]] == [[0, 3, 7], [1, 0, 3]]
    assert t.scores() == [[int(row[:columns].sum()), *map(int, row[columns:])] for row in apart]


@pytest.mark.parametrize(
    ("rows", "india", "winners"),
    [
        ([(5, 0), (4, 9)], 1, [0]),  # (VP, wealth): no tie
        ([(5, 0), (5, 9)], 0, [0]),  # India
        ([(5, 0), (5, 9)], 2, [1]),  # India by one who is not among the tied: most wealth
        ([(5, 9), (5, 9), (4, 10)], 2, [0, 1]),  # shared
    ],
)
def test_ties(ruleset: RuleSet, rows: list[tuple[int, int]], india: int, winners: list[int]) -> None:
    """S72: India, if among the tied; then wealth; else shared."""
    t = PositionBuilder(ruleset).towns(12)
    for seat, (vp, wealth) in enumerate(rows):
        t.has(seat, vp=vp, wealth=wealth)
    t.p.india = t.p.closer = india
    assert t.sound()
    scores = t.scores()
    assert [seat for seat, row in enumerate(scores) if row == max(scores)] == winners


def test_vp_on_the_history_card_break_the_last_tie(ruleset: RuleSet) -> None:
    """S72: the same points and wealth, but fewer of the points from buildings."""
    t = PositionBuilder(ruleset).towns().has(0, vp=3, wealth=2, land="1d").has(1, vp=5, wealth=2)
    scores = t.scores()
    assert scores[0][0] == scores[1][0] == 5
    assert scores[1] > scores[0]


@pytest.mark.slow
def test_everything_is_open(ruleset: RuleSet) -> None:
    """S73: no seat's view differs from the position, which holds no face-down town."""
    for t in random_match(ruleset, "open", players=3):
        assert (t.p.row[t.p.face_up :] == -1).all()
        for viewer in (-1, 0, 2):
            view = SAIL.copy(t.p)
            ruleset.hide(view, BOX, viewer)
            assert view.tobytes() == t.p.tobytes()
            ruleset.imagine(view, BOX, viewer, np.array([1], np.uint64))
            assert view.tobytes() == t.p.tobytes()
        if t.p.round_number > 5:
            break


def test_what_turns_up_is_decided_when_it_turns_up(ruleset: RuleSet) -> None:
    """S73: the same position with other dice shows another town."""
    cards = set()
    for seed in range(40):
        t = PositionBuilder(ruleset).towns(3).has(0, vp=1, at3=1).play("sail 3-4")
        t.dice[0] = seed
        cards.add(int(t.play("anchor").p.row[3]))
    assert cards == set(range(3, 12))


def test_the_game_ends_after_round_200(ruleset: RuleSet) -> None:
    """S74: after the last turn of that round, and the result names it."""
    t = PositionBuilder(ruleset, first=1).round(200).turn(1)
    assert turns_to_the_end(t) == [1, 2, 3, 0]
    assert (t.p.ending, t.p.round_number) == (rules.ROUND_200, 200)
    data = SAIL.to_dict(PositionBuilder(ruleset, first=1).round(200).turn(0).p)
    match = comptoir.new("sail_to_india", position=data)
    match.play("end turn")
    assert (match.ending, match.winners()) == ("round 200", [0])


def test_an_ordinary_end_in_round_200_is_an_ordinary_end(ruleset: RuleSet) -> None:
    """S74: the first player reaches India in round 200, and the others have their last turns in it."""
    t = reach_india(near_india(ruleset).round(200))
    assert turns_to_the_end(t) == [0, 1, 2, 3]
    assert rules.ENDINGS[t.p.ending] == "india"


@pytest.mark.parametrize(("players", "seat", "order"), [(4, 2, [2, 3, 0, 1]), (3, 2, [2, 0, 1])])
def test_last_turns_that_are_due_are_played_after_round_200(
    ruleset: RuleSet, players: int, seat: int, order: list[int]
) -> None:
    """S70, S74: the end had come near in time, and all others have their last turn."""
    t = reach_india(near_india(ruleset, players, seat).round(200))
    assert turns_to_the_end(t) == order
    assert (rules.ENDINGS[t.p.ending], t.p.round_number) == ("india", 201)


def test_round_199_is_not_the_last(ruleset: RuleSet) -> None:
    """S74: only the 200th."""
    t = PositionBuilder(ruleset).round(199).turn(3).play("end turn")
    assert (t.p.turn, t.p.round_number) == (0, 200)
