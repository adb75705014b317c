"""Points, from a game's `tally`: all together, or source by source; and who has won. Written once for all
games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.interface import tally
from comptoir.engine.rule import Box, Points, Position, Scores, rule

if TYPE_CHECKING:
    from comptoir.engine.game import Game  # which scores by these


@rule
def scores(p: Position, box: Box, out: Scores) -> None:
    """One row per seat: the points, then what breaks ties, in order. Final when the game is over."""
    clear_rows(p, out)
    tally(p, box, out, 0)


@rule
def score_sheet(p: Position, box: Box, out: Scores) -> None:
    """One row per seat: the points of each source, then what breaks ties, in order.

    Final when the game is over.
    """
    clear_rows(p, out)
    tally(p, box, out, 1)


@rule
def clear_rows(p: Position, out: Scores) -> None:
    for seat in range(p.players):
        for column in range(out.shape[1]):
            out[seat, column] = 0


@rule
def compare(results: Scores, one: int, other: int) -> int:
    """Above 0 if a seat's points, then what breaks ties, are ahead of another's; 0 if they tie."""
    for column in range(results.shape[1]):
        if results[one, column] != results[other, column]:
            return 1 if results[one, column] > results[other, column] else -1
    return 0


@rule
def share_win(results: Scores, players: int, shares: NDArray[np.floating]) -> int:
    """Writes every seat's share of the win, from the scores of a game that is over; returns how many seats
    have won. A tie that nothing breaks shares the win.
    """
    best = 0
    winners = 1
    for seat in range(1, players):
        order = compare(results, seat, best)
        if order > 0:
            best = seat
            winners = 1
        elif order == 0:
            winners += 1
    for seat in range(players):
        shares[seat] = 1.0 / winners if compare(results, seat, best) == 0 else 0.0
    return winners


@rule
def share_wins(results: Scores, shares: NDArray[np.floating]) -> None:
    """The same for many games, a row each."""
    for game in range(len(results)):
        share_win(results[game], results.shape[1], shares[game])


def best_seats(rows: list[list[int]]) -> list[int]:
    """The seats with the best row of points and tie-breaks: the winners, when the game is over."""
    shares = np.zeros(len(rows))
    share_win(np.array(rows), len(rows), shares)
    return [int(seat) for seat in np.flatnonzero(shares)]


def new_scores(game: Game, games: int) -> Scores:
    """An array for the points and tie-breaks of every seat in some games."""
    return np.zeros((games, game.position.seats, 1 + len(game.rules.TIE_BREAKS)), np.int64)


def new_score_sheets(game: Game, games: int) -> Scores:
    """An array for every seat's points by source, and tie-breaks."""
    columns = len(game.rules.SOURCES) + len(game.rules.TIE_BREAKS)
    return np.zeros((games, game.position.seats, columns), np.int64)


def new_points(game: Game) -> Points:
    """An array for what `evaluate` writes, one number per seat, and to add up scores in."""
    return np.zeros(new_scores(game, 1).size)
