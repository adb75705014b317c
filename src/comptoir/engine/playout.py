"""Loops over the rules of `engine.interface`, written once for all games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.dice import roll
from comptoir.engine.interface import legal, play, setup, tally
from comptoir.engine.mask import allows, clear, count, pick
from comptoir.engine.rule import Box, Dice, Mask, Position, Records, Scores, rule
from comptoir.engine.scoring import clear_rows


@rule
def random_action(p: Position, box: Box, mask: Mask, dice: Dice) -> int:
    """One of the legal actions, all equally likely; `mask` is left holding them."""
    clear(mask)
    legal(p, box, mask)
    return pick(mask, roll(dice, count(mask)))


@rule
def playout(p: Position, box: Box, mask: Mask, dice: Dice) -> int:
    """Plays at random to the end; returns how many decisions that took."""
    decisions = 0
    while p.turn >= 0:
        play(p, box, random_action(p, box, mask, dice), dice)
        decisions += 1
    return decisions


@rule
def begin_game(positions: Records, nth: int, start: Records, box: Box, dice: Dice) -> None:
    """Lays out the nth game; start[0] holds its options and zeros."""
    positions[nth] = start[0]
    setup(positions[nth], box, dice)


@rule
def end_game(
    p: Position, box: Box, game: int, endings: NDArray[np.uint8], results: Scores, stride: int
) -> None:
    """Notes how a game has ended, as the one of that number; its points all together or, apart, by source."""
    endings[game] = p.ending
    clear_rows(p, results[game])
    tally(p, box, results[game], stride)


@rule
def playouts(
    positions: Records,
    box: Box,
    seed: int,
    mask: Mask,
    dice: Dice,
    lengths: NDArray[np.int32],
    endings: NDArray[np.uint8],
    results: Scores,
    stride: int,
) -> None:
    """Plays one random game for each row of `results`, the k-th on dice seeded with seed + k.

    positions[0] holds the options and zeros; positions[1] is where the games are played.
    """
    for game in range(len(lengths)):
        dice[0] = seed + game
        begin_game(positions, 1, positions, box, dice)
        lengths[game] = playout(positions[1], box, mask, dice)
        end_game(positions[1], box, game, endings, results, stride)


@rule
def perft(positions: Records, box: Box, masks: NDArray[np.uint64], dice: Dice, depth: int) -> int:
    """How many ways there are to play `depth` actions on from positions[depth], all chance rolled with the
    same dice.

    A count that changes shows that a rule has changed. `positions` and `masks` have depth + 1 rows.
    """
    if depth == 0 or positions[depth].turn < 0:
        return 1
    mask = masks[depth]
    clear(mask)
    legal(positions[depth], box, mask)
    total = 0
    start = dice[0]
    for action in range(64 * len(mask)):
        if allows(mask, action):
            positions[depth - 1] = positions[depth]
            play(positions[depth - 1], box, action, dice)
            total += perft(positions, box, masks, dice, depth - 1)
            dice[0] = start
    return total
