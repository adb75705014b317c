"""Points, from a game's `tally`: all together, or source by source; and who has won. Written once for all
games.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.interface import tally
from comptoir.engine.rule import Box, Position, Scores, rule


@rule
def scores(p: Position, box: Box, out: Scores) -> None:
    """A row a seat: the points, then what breaks ties, in order. Final when the game is over."""
    clear_rows(p, out)
    tally(p, box, out, 0)


@rule
def score_sheet(p: Position, box: Box, out: Scores) -> None:
    """A row a seat: the points of each source, then what breaks ties, in order.

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
