"""Who has won: by points, then by what breaks ties."""

from __future__ import annotations

import numpy as np
import pytest

from comptoir.engine.game import Game
from comptoir.engine.scoring import (
    best_seats,
    compare,
    new_points,
    new_score_sheets,
    new_scores,
    share_win,
    share_wins,
)

# Rows of points and a tie-break, and who has won.
RESULTS = [
    ([[5, 0], [4, 9]], [0]),
    ([[4, 9], [5, 0]], [1]),
    ([[5, 1], [5, 2]], [1]),
    ([[5, 2], [5, 1]], [0]),
    ([[5, 1], [5, 1]], [0, 1]),
    ([[-3, 0], [-2, 0], [-4, 0]], [1]),
    ([[3, 0], [3, 0], [4, 0]], [2]),
    ([[4, 0], [3, 0], [4, 0]], [0, 2]),
    ([[3, 0], [4, 0], [4, 0]], [1, 2]),
    ([[2, 1], [2, 1], [2, 1]], [0, 1, 2]),
    ([[2, 1], [2, 1], [1, 1], [2, 1], [2, 2]], [4]),
]


@pytest.mark.parametrize(("rows", "winners"), RESULTS)
def test_a_tie_that_nothing_breaks_shares_the_win(rows: list[list[int]], winners: list[int]) -> None:
    shares = np.full(len(rows) + 1, 9.0)  # one more than play: it is left alone
    assert share_win(np.array(rows), len(rows), shares) == len(winners)
    expected = [1 / len(winners) if seat in winners else 0.0 for seat in range(len(rows))]
    assert shares.tolist() == [*expected, 9.0]
    assert best_seats(rows) == winners


def test_many_games_at_once() -> None:
    games = [[[1, 0], [2, 0], [3, 0]], [[2, 1], [2, 1], [2, 0]]]
    shares = np.zeros((2, 3))
    share_wins(np.array(games), shares)
    assert shares.tolist() == [[0, 0, 1], [0.5, 0.5, 0]]


def test_there_is_room_for_every_seat_source_and_tie_break(any_game: Game) -> None:
    seats = any_game.position.seats
    sources, ties = len(any_game.rules.SOURCES), len(any_game.rules.TIE_BREAKS)
    assert new_scores(any_game, 3).shape == (3, seats, 1 + ties)
    assert new_score_sheets(any_game, 3).shape == (3, seats, sources + ties)
    assert new_points(any_game).shape == (seats * (1 + ties),)


def test_points_come_before_what_breaks_ties() -> None:
    results = np.array([[5, 0, 9], [5, 1, 0], [6, 0, 0], [5, 0, 9]])
    signs = [[np.sign(compare(results, one, other)) for other in range(4)] for one in range(4)]
    assert signs == [[0, -1, -1, 0], [1, 0, -1, 1], [1, 1, 0, 1], [0, -1, -1, 0]]
