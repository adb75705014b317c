"""Loops over many games, written once for all games, for the CPU and for kernels on a GPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.dice import roll
from comptoir.engine.interface import hide, legal, observe, play, rollout_action
from comptoir.engine.mask import allows, clear, count, pick
from comptoir.engine.playout import begin_game, end_game
from comptoir.engine.rule import Box, Dice, EvalWeights, Mask, Position, Records, Scores, rule
from comptoir.engine.scoring import scores, share_win

WIN, POINTS = 0, 1  # kinds of reward
BYTE = np.uint64(0xFF)
SPECTATOR = -1
SEED_LIMIT = 1 << 62  # between the seeds of games and of choices; seeds are below it


class BatchState(NamedTuple):
    """Many games, one row per game."""

    positions: Records
    dice: NDArray[np.uint64]  # of each game
    sampling_dice: NDArray[np.uint64]  # for random choices; separate, so that choosing leaves the game alone
    bits: NDArray[np.uint64]  # the legal actions, one bit each
    bytes: NDArray[np.uint64]  # the same, one byte each, eight to a word
    observations: NDArray[np.uint8]  # of the seat to act
    current_seats: NDArray[np.int8]  # the seat to act
    rewards: NDArray[np.float32]  # of the last action, one per seat
    terminations: NDArray[np.uint8]  # whether that action ended a game, and this is the next one
    results: Scores  # scratch memory for scores


@rule
def bits_to_bytes(bits: Mask, out: NDArray[np.uint64]) -> None:
    """Write a set of actions as one byte each.

    Eight bits are spread in three steps: into fours, into pairs, into single bytes.

    Nothing is written if `out` is empty: on a GPU the threads of a block write the bytes together.
    """
    for word in range(len(out) >> 3):
        for byte in range(8):
            eight = np.int64((bits[word] >> np.uint64(8 * byte)) & BYTE)
            fours = (eight | eight << 28) & 0x0000_000F_0000_000F
            pairs = (fours | fours << 14) & 0x0003_0003_0003_0003
            out[8 * word + byte] = (pairs | pairs << 7) & 0x0101_0101_0101_0101


@rule
def refresh_outputs(rows: BatchState, nth: int, box: Box) -> None:
    """Write the legal actions and the observation of the seat to act."""
    p = rows.positions[nth]
    clear(rows.bits[nth])
    legal(p, box, rows.bits[nth])
    bits_to_bytes(rows.bits[nth], rows.bytes[nth])
    observe(p, box, int(p.turn), rows.observations[nth])
    rows.current_seats[nth] = p.turn


@rule
def refresh_some(rows: BatchState, first: int, last: int, box: Box) -> None:
    for nth in range(first, last):
        refresh_outputs(rows, nth, box)


@rule
def observe_one(p: Position, box: Box, seat: int, buffer: Records, out: NDArray[np.uint8]) -> None:
    """Write what a seat may know (-1: a spectator, who sees seat 0 first); `buffer` holds the spectator's
    view.
    """
    if seat >= 0:
        observe(p, box, seat, out)
    else:
        buffer[0] = p
        hide(buffer[0], box, SPECTATOR)
        observe(buffer[0], box, 0, out)


@rule
def observe_some(
    rows: BatchState,
    first: int,
    last: int,
    box: Box,
    seats: NDArray[np.int8],
    out: NDArray[np.uint8],
    buffer: Records,
) -> None:
    """Write what one seat of each game may know."""
    for nth in range(first, last):
        observe_one(rows.positions[nth], box, int(seats[nth]), buffer, out[nth])


@rule
def reset_one(rows: BatchState, nth: int, start: Records, box: Box, seed: int) -> None:
    """Start a game with dice seeded with seed + nth."""
    rows.dice[nth, 0] = seed + nth
    rows.sampling_dice[nth, 0] = seed + nth + SEED_LIMIT
    begin_game(rows.positions, nth, start, box, rows.dice[nth])
    refresh_outputs(rows, nth, box)
    rows.terminations[nth] = 0
    for seat in range(rows.rewards.shape[1]):
        rows.rewards[nth, seat] = 0


@rule
def reset_some(rows: BatchState, first: int, last: int, start: Records, box: Box, seed: int) -> None:
    for nth in range(first, last):
        reset_one(rows, nth, start, box, seed)


@rule
def reward(p: Position, box: Box, reward_kind: int, results: Scores, out: NDArray[np.floating]) -> None:
    """Write the reward of each seat in a finished game: its points; or 1 for winning alone, which the
    others lose between them.
    """
    scores(p, box, results)
    players = int(p.players)
    winners = share_win(results, players, out)
    for seat in range(players):
        if reward_kind == POINTS:
            out[seat] = results[seat, 0]
        elif out[seat] > 0:
            out[seat] = (players - winners) / (winners * (players - 1))
        else:
            out[seat] = -1 / (players - 1)


@rule
def finish_if_over(rows: BatchState, nth: int, box: Box, reward_kind: int) -> None:
    """Write whether the action just played ended the game, and the rewards."""
    p = rows.positions[nth]
    over = p.turn < 0
    if over or rows.terminations[nth]:
        for seat in range(rows.rewards.shape[1]):
            rows.rewards[nth, seat] = 0
    rows.terminations[nth] = over
    if over:
        reward(p, box, reward_kind, rows.results[nth], rows.rewards[nth])


@rule
def apply_action(rows: BatchState, nth: int, box: Box, action: int, reward_kind: int) -> bool:
    """Play an action, without refreshing the outputs. False, with nothing changed, if it is illegal."""
    if action < 0 or action >= 64 * rows.bits.shape[1] or not allows(rows.bits[nth], action):
        return False
    play(rows.positions[nth], box, action, rows.dice[nth])
    finish_if_over(rows, nth, box, reward_kind)
    return True


@rule
def apply_and_refresh(rows: BatchState, nth: int, box: Box, action: int, reward_kind: int) -> bool:
    """Play an action and, unless the game is over, refresh the outputs; False if it is illegal."""
    if not apply_action(rows, nth, box, action, reward_kind):
        return False
    if not rows.terminations[nth]:
        refresh_outputs(rows, nth, box)
    return True


@rule
def apply_and_autoreset(
    rows: BatchState, nth: int, start: Records, box: Box, action: int, reward_kind: int
) -> bool:
    """Play an action and, if it ends the game, start the next one; False if it is illegal."""
    if not apply_action(rows, nth, box, action, reward_kind):
        return False
    if rows.terminations[nth]:
        begin_game(rows.positions, nth, start, box, rows.dice[nth])
    return True


@rule
def step_some(
    rows: BatchState,
    first: int,
    last: int,
    start: Records,
    box: Box,
    actions: NDArray[np.integer],
    reward_kind: int,
) -> int:
    """Play one action in each game and return the first game in which it was illegal, or -1."""
    illegal = -1
    for nth in range(first, last):
        if apply_and_autoreset(rows, nth, start, box, int(actions[nth]), reward_kind):
            refresh_outputs(rows, nth, box)
        elif illegal < 0:
            illegal = nth
    return illegal


@rule
def apply_some(
    rows: BatchState, first: int, last: int, box: Box, actions: NDArray[np.integer], reward_kind: int
) -> int:
    """The same without starting new games or refreshing the outputs."""
    illegal = -1
    for nth in range(first, last):
        if not apply_action(rows, nth, box, int(actions[nth]), reward_kind) and illegal < 0:
            illegal = nth
    return illegal


@rule
def sample_action(bits: Mask, dice: Dice) -> int:
    """One of a game's legal actions, all equally likely."""
    return pick(bits, roll(dice, count(bits)))


@rule
def sample_some(rows: BatchState, first: int, last: int, actions: NDArray[np.integer]) -> None:
    for nth in range(first, last):
        actions[nth] = sample_action(rows.bits[nth], rows.sampling_dice[nth])


@rule
def heuristic_playout(p: Position, box: Box, values: EvalWeights, mask: Mask, dice: Dice) -> int:
    """Play to the end by the rollout policy and return the number of decisions."""
    decisions = 0
    while p.turn >= 0:
        clear(mask)
        legal(p, box, mask)
        play(p, box, rollout_action(p, box, values, mask, dice), dice)
        decisions += 1
    return decisions


@rule
def heuristic_playouts(
    positions: Records,
    box: Box,
    values: EvalWeights,
    seed: int,
    mask: Mask,
    dice: Dice,
    lengths: NDArray[np.int32],
    endings: NDArray[np.uint8],
    results: Scores,
    stride: int,
) -> None:
    """The engine's `playouts`, by the rollout policy."""
    for game in range(len(lengths)):
        dice[0] = seed + game
        begin_game(positions, 1, positions, box, dice)
        lengths[game] = heuristic_playout(positions[1], box, values, mask, dice)
        end_game(positions[1], box, game, endings, results, stride)
