"""Bots in the seats of a batch: compiled with it, they play until one of your seats is to act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.bots.clerk import WORLDS
from comptoir.bots.levels import split_specs
from comptoir.bots.search import (
    EARLIER,
    MAX_DEPTH,
    ROOT_VIEW,
    SearchWorkspace,
    look_ahead,
    prune_cycles,
    prune_uncommon_actions,
)
from comptoir.bots.workspace import new_workspace
from comptoir.engine.dice import roll
from comptoir.engine.game import Game
from comptoir.engine.interface import cycle_key, hide, legal, observe, play, rollout_action
from comptoir.engine.mask import allows, clear, count, pick
from comptoir.engine.playout import begin_game, end_game
from comptoir.engine.rule import Box, EvalWeights, Points, Position, Records, Scores, rule
from comptoir.engine.scoring import new_score_sheets
from comptoir.errors import OptionError
from comptoir.research.loops import SEED_LIMIT, BatchState, refresh_outputs, reward

AGENT, PASSER_BY, HEURISTIC, CLERK = range(4)
KINDS = {"passer-by": PASSER_BY, "heuristic": HEURISTIC, "clerk": CLERK}


class BatchBots(NamedTuple):
    """The players in the seats of a batch's games, and the results of the last finished game of each row."""

    kinds: NDArray[np.uint8]  # of players, in the order of the seats before any shift
    step: int  # by how many seats the players move on from game to game
    seat_shifts: NDArray[np.uint8]  # by how many they have moved on
    bot_dice: NDArray[np.uint64]
    seats: NDArray[np.int8]  # of the last finished game: your first seat,
    finals: NDArray[np.uint8]  # its observation at the end,
    endings: NDArray[np.uint8]
    sheets: Scores  # and everyone's points by source


class BotScratch(NamedTuple):
    """Scratch memory for bots, one per thread."""

    values: EvalWeights
    workspace: SearchWorkspace
    win_shares: Points


def read_bots(bots: str | Sequence[str | None], players: int) -> list[int]:
    """The kind of player in each seat. A string, or a list shorter than the table, names the bots of all
    seats but the first, in turn.
    """
    named: list[str | None] = list(split_specs(bots)) if isinstance(bots, str) else list(bots)
    if named and None not in named and len(named) < players:
        named = [None, *(named[n % len(named)] for n in range(players - 1))]
    unknown = [bot for bot in named if bot is not None and bot not in KINDS]
    if unknown:
        raise OptionError(
            f"bots: a batch has {', '.join(KINDS)}, not {unknown[0]!r};"
            " for other bots use comptoir.research.gymnasium"
        )
    if len(named) != players or None not in named:
        raise OptionError(
            f"bots: expected one for each of {players} seats, None for yours, found {len(named)}:"
            f" {', '.join(map(str, named)) or 'none'}"
        )
    return [AGENT if bot is None else KINDS[bot] for bot in named]


def new_batch_bots(game: Game, games: int, kinds: Sequence[int], rotate: bool) -> BatchBots:
    return BatchBots(
        kinds=np.array(kinds, np.uint8),
        step=int(rotate),
        seat_shifts=np.zeros(games, np.uint8),
        bot_dice=np.zeros((games, 1), np.uint64),
        seats=np.zeros(games, np.int8),
        finals=np.zeros((games, game.observation.size), np.uint8),
        endings=np.zeros(games, np.uint8),
        sheets=new_score_sheets(game, games),
    )


def new_scratch(game: Game) -> BotScratch:
    workspace = new_workspace(game, 0)
    return BotScratch(game.evaluation.weights, workspace, np.zeros(64 * len(workspace.mask)))


@rule
def bot_in_seat(bots: BatchBots, nth: int, seat: int) -> int:
    """The kind of player in a seat."""
    return int(bots.kinds[(seat + int(bots.seat_shifts[nth])) % len(bots.kinds)])


@rule
def clerk_action(p: Position, box: Box, scratch: BotScratch) -> int:
    """The clerk's action, from its seat's view and the views it had earlier in this turn.

    What it left at the end of earlier turns is not stored for each game of a batch: in a game that stands
    still, a clerk at a table moves on sooner.
    """
    workspace, win_shares, viewer = scratch.workspace, scratch.win_shares, int(p.turn)
    workspace.positions[ROOT_VIEW] = p
    hide(workspace.positions[ROOT_VIEW], box, viewer)
    prune_cycles(workspace, box, viewer)
    prune_uncommon_actions(workspace, box)
    for action in range(len(win_shares)):
        win_shares[action] = 0.0
    look_ahead(workspace, box, scratch.values, viewer, WORLDS, win_shares)
    best = -1
    for action in range(len(win_shares)):
        free = allows(workspace.mask, action) and not allows(workspace.pruned, action)
        if free and (best < 0 or win_shares[action] > win_shares[best]):
            best = action
    if workspace.used[EARLIER] < MAX_DEPTH:
        workspace.visited_keys[workspace.used[EARLIER]] = cycle_key(workspace.positions[ROOT_VIEW], box)
        workspace.used[EARLIER] += 1
    return best


@rule
def bot_action(p: Position, box: Box, kind: int, scratch: BotScratch) -> int:
    """A bot's action; it rolls the workspace's dice."""
    workspace = scratch.workspace
    if kind == CLERK:
        return clerk_action(p, box, scratch)
    clear(workspace.mask)
    legal(p, box, workspace.mask)
    if kind == HEURISTIC:
        return int(rollout_action(p, box, scratch.values, workspace.mask, workspace.dice))
    return pick(workspace.mask, roll(workspace.dice, count(workspace.mask)))


@rule
def store_result(rows: BatchState, nth: int, box: Box, bots: BatchBots) -> None:
    """Store the results of a finished game."""
    p = rows.positions[nth]
    seat = 0
    while bot_in_seat(bots, nth, seat) != AGENT:
        seat += 1
    bots.seats[nth] = seat
    observe(p, box, seat, bots.finals[nth])
    end_game(p, box, nth, bots.endings, bots.sheets, 1)


@rule
def next_game(rows: BatchState, nth: int, start: Records, box: Box, bots: BatchBots) -> None:
    """Start the next game of a row, with the players moved on."""
    store_result(rows, nth, box, bots)
    bots.seat_shifts[nth] = (int(bots.seat_shifts[nth]) + bots.step) % len(bots.kinds)
    begin_game(rows.positions, nth, start, box, rows.dice[nth])


@rule
def play_bots(
    rows: BatchState,
    nth: int,
    start: Records,
    box: Box,
    reward_kind: int,
    bots: BatchBots,
    scratch: BotScratch,
) -> None:
    """Bots play until one of your seats is to act, in this game or in the next one."""
    p = rows.positions[nth]
    workspace = scratch.workspace
    decider = -1
    workspace.dice[0] = bots.bot_dice[nth, 0]
    player = bot_in_seat(bots, nth, int(p.turn))
    while player != AGENT:
        if p.turn != decider:
            decider = p.turn
            workspace.used[EARLIER] = 0
        play(p, box, bot_action(p, box, player, scratch), rows.dice[nth])
        if p.turn < 0:
            rows.terminations[nth] = 1
            reward(p, box, reward_kind, rows.results[nth], rows.rewards[nth])
            next_game(rows, nth, start, box, bots)
            decider = -1
        player = bot_in_seat(bots, nth, int(p.turn))
    bots.bot_dice[nth, 0] = workspace.dice[0]


def seat_bots(bots: BatchBots, seed: int) -> None:
    """Seat the players, and seed the bots, for new games with this seed."""
    games = np.arange(len(bots.seat_shifts))
    bots.seat_shifts[:] = bots.step * games % len(bots.kinds)
    bots.bot_dice[:, 0] = games.astype(np.uint64) + np.uint64(seed + 2 * SEED_LIMIT)


@rule
def refresh_with_bots(
    rows: BatchState,
    first: int,
    last: int,
    start: Records,
    box: Box,
    reward_kind: int,
    bots: BatchBots,
    scratch: BotScratch,
) -> None:
    """After an action of yours: start the next game where one has ended, let bots play up to your next
    decision, and refresh the outputs.
    """
    for nth in range(first, last):
        if rows.positions[nth].turn < 0:
            next_game(rows, nth, start, box, bots)
        play_bots(rows, nth, start, box, reward_kind, bots, scratch)
        refresh_outputs(rows, nth, box)
