"""Points, from a game's `tally`: all together, or source by source. Written once for all games."""

from __future__ import annotations

from comptoir.engine.rule import Box, Position, Scores, rule
from comptoir.engine.verbs import tally


@rule
def scores(p: Position, box: Box, out: Scores) -> None:
    """A row a seat: the points, then what breaks ties, in order. Final when the game is over."""
    clear_rows(p, out)
    tally(p, box, out, 0)


@rule
def score_sheet(p: Position, box: Box, out: Scores) -> None:
    """A row a seat: the points of each source, then what breaks ties, in order. Final when the game is over."""
    clear_rows(p, out)
    tally(p, box, out, 1)


@rule
def clear_rows(p: Position, out: Scores) -> None:
    for place in range(p.players):
        for column in range(out.shape[1]):
            out[place, column] = 0
