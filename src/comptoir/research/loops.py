"""Loops over many games, written once for all games, for the CPU and for kernels on a GPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.dice import roll
from comptoir.engine.interface import hide, legal, observe, play, rollout_action
from comptoir.engine.mask import allows, clear, count, pick
from comptoir.engine.playout import begin_game, end_game
from comptoir.engine.rule import Box, Dice, EvalWeights, Mask, Position, Scores, rule
from comptoir.engine.scoring import scores, share_win

WIN, POINTS = 0, 1  # kinds of reward
BYTE = np.uint64(0xFF)
SPECTATOR = -1
SEED_LIMIT = 1 << 62  # between the seeds of games and of choices; seeds are below it


class BatchState(NamedTuple):
    """Many games, a row each."""

    positions: Any
    dice: NDArray[np.uint64]  # each game's own chance
    sampling_dice: NDArray[
        np.uint64
    ]  # for random choices in it, kept apart so that choosing leaves the game alone
    bits: NDArray[np.uint64]  # the legal actions, a bit each
    bytes: NDArray[np.uint64]  # and once more, a byte each, eight to a word
    observations: NDArray[np.uint8]  # of the seat that decides
    turns: NDArray[np.int8]  # that seat
    rewards: NDArray[np.float32]  # of the last action, a number a seat
    ends: NDArray[np.uint8]  # whether that action ended a game, and this is the next one
    results: Scores  # room to work out scores in


@rule
def bits_to_bytes(bits: Mask, out: NDArray[np.uint64]) -> None:
    """A set of actions as a byte each.

    Eight bits are spread in three steps: into fours, into pairs, into a byte each.

    Where there is no room, nothing is written: on a GPU the threads of a block write the bytes together.
    """
    for word in range(len(out) >> 3):
        for byte in range(8):
            eight = np.int64((bits[word] >> np.uint64(8 * byte)) & BYTE)
            fours = (eight | eight << 28) & 0x0000_000F_0000_000F
            pairs = (fours | fours << 14) & 0x0003_0003_0003_0003
            out[8 * word + byte] = (pairs | pairs << 7) & 0x0101_0101_0101_0101


@rule
def refresh_outputs(rows: BatchState, nth: int, box: Box) -> None:
    """What the seat that decides may do, and what it knows."""
    p = rows.positions[nth]
    clear(rows.bits[nth])
    legal(p, box, rows.bits[nth])
    bits_to_bytes(rows.bits[nth], rows.bytes[nth])
    observe(p, box, int(p.turn), rows.observations[nth])
    rows.turns[nth] = p.turn


@rule
def look_some(rows: BatchState, first: int, last: int, box: Box) -> None:
    for nth in range(first, last):
        refresh_outputs(rows, nth, box)


@rule
def observe_one(p: Position, box: Box, seat: int, room: Any, out: NDArray[np.uint8]) -> None:
    """What a seat may know (-1: a spectator, who sees the seats from the first on); `room` is for its
    view.
    """
    if seat >= 0:
        observe(p, box, seat, out)
    else:
        room[0] = p
        hide(room[0], box, SPECTATOR)
        observe(room[0], box, 0, out)


@rule
def observe_some(rows: BatchState, first: int, last: int, box: Box, seats: Any, out: Any, room: Any) -> None:
    """What one seat of each game may know."""
    for nth in range(first, last):
        observe_one(rows.positions[nth], box, int(seats[nth]), room, out[nth])


@rule
def reset_one(rows: BatchState, nth: int, start: Any, box: Box, seed: int) -> None:
    """A new game on dice seeded with seed + nth."""
    rows.dice[nth, 0] = seed + nth
    rows.sampling_dice[nth, 0] = seed + nth + SEED_LIMIT
    begin_game(rows.positions, nth, start, box, rows.dice[nth])
    refresh_outputs(rows, nth, box)
    rows.ends[nth] = 0
    for seat in range(rows.rewards.shape[1]):
        rows.rewards[nth, seat] = 0


@rule
def reset_some(rows: BatchState, first: int, last: int, start: Any, box: Box, seed: int) -> None:
    for nth in range(first, last):
        reset_one(rows, nth, start, box, seed)


@rule
def reward(p: Position, box: Box, kind: int, results: Scores, out: NDArray[np.float32]) -> None:
    """The reward of each seat in a game that is over: its points; or 1 for winning alone, which the others
    lose between them.
    """
    scores(p, box, results)
    players = int(p.players)
    winners = share_win(results, players, out)
    for seat in range(players):
        if kind == POINTS:
            out[seat] = results[seat, 0]
        elif out[seat] > 0:
            out[seat] = (players - winners) / (winners * (players - 1))
        else:
            out[seat] = -1 / (players - 1)


@rule
def finish_if_over(rows: BatchState, nth: int, box: Box, kind: int) -> None:
    """Whether the action just played has ended the game, and what it has brought."""
    p = rows.positions[nth]
    over = p.turn < 0
    if over or rows.ends[nth]:
        for seat in range(rows.rewards.shape[1]):
            rows.rewards[nth, seat] = 0
    rows.ends[nth] = over
    if over:
        reward(p, box, kind, rows.results[nth], rows.rewards[nth])


@rule
def apply_action(rows: BatchState, nth: int, box: Box, action: int, kind: int) -> bool:
    """Plays an action; what came of it is still to be looked at.

    False, and nothing has changed, if it is not legal.
    """
    if action < 0 or action >= 64 * rows.bits.shape[1] or not allows(rows.bits[nth], action):
        return False
    play(rows.positions[nth], box, action, rows.dice[nth])
    finish_if_over(rows, nth, box, kind)
    return True


@rule
def apply_and_refresh(rows: BatchState, nth: int, box: Box, action: int, kind: int) -> bool:
    """As `act`, and looks."""
    if not apply_action(rows, nth, box, action, kind):
        return False
    if not rows.ends[nth]:
        refresh_outputs(rows, nth, box)
    return True


@rule
def apply_and_autoreset(rows: BatchState, nth: int, start: Any, box: Box, action: int, kind: int) -> bool:
    """As `act`, and a game that has ended begins anew."""
    if not apply_action(rows, nth, box, action, kind):
        return False
    if rows.ends[nth]:
        begin_game(rows.positions, nth, start, box, rows.dice[nth])
    return True


@rule
def step_some(rows: BatchState, first: int, last: int, start: Any, box: Box, actions: Any, kind: int) -> int:
    """One action in each game; the first game in which it was not legal, or -1."""
    refused = -1
    for nth in range(first, last):
        if apply_and_autoreset(rows, nth, start, box, int(actions[nth]), kind):
            refresh_outputs(rows, nth, box)
        elif refused < 0:
            refused = nth
    return refused


@rule
def act_some(rows: BatchState, first: int, last: int, box: Box, actions: Any, kind: int) -> int:
    """As `step_some`, but nothing is looked at yet, and no game begins anew."""
    refused = -1
    for nth in range(first, last):
        if not apply_action(rows, nth, box, int(actions[nth]), kind) and refused < 0:
            refused = nth
    return refused


@rule
def choose_one(bits: Mask, chance: Dice) -> int:
    """One of a game's legal actions, all equally likely."""
    return pick(bits, roll(chance, count(bits)))


@rule
def choose_some(rows: BatchState, first: int, last: int, actions: Any) -> None:
    for nth in range(first, last):
        actions[nth] = choose_one(rows.bits[nth], rows.sampling_dice[nth])


@rule
def greedy_playout(p: Position, box: Box, values: EvalWeights, mask: Mask, dice: Dice) -> int:
    """Plays by habit to the end; returns how many decisions that took."""
    decisions = 0
    while p.turn >= 0:
        clear(mask)
        legal(p, box, mask)
        play(p, box, rollout_action(p, box, values, mask, dice), dice)
        decisions += 1
    return decisions


@rule
def greedy_playouts(
    positions: Any,
    box: Box,
    values: EvalWeights,
    seed: int,
    mask: Mask,
    dice: Dice,
    lengths: NDArray[np.int32],
    endings: NDArray[np.uint8],
    results: Scores,
    apart: int,
) -> None:
    """As the engine's `playouts`, by habit."""
    for game in range(len(lengths)):
        dice[0] = seed + game
        begin_game(positions, 1, positions, box, dice)
        lengths[game] = greedy_playout(positions[1], box, values, mask, dice)
        end_game(positions[1], box, game, endings, results, apart)
