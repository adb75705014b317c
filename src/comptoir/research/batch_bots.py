"""Bots in the seats of a batch: they are compiled with it, and play on until a seat of yours decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.bots.clerk import WORLDS
from comptoir.bots.levels import split_specs
from comptoir.bots.search import EARLIER, MAX_DEPTH, ROOT_VIEW, SearchWorkspace, look_ahead, prune_cycles
from comptoir.bots.workspace import new_workspace
from comptoir.engine.dice import roll
from comptoir.engine.game import Game
from comptoir.engine.interface import cycle_key, hide, legal, observe, play, rollout_action
from comptoir.engine.mask import allows, clear, count, pick
from comptoir.engine.playout import begin_game, end_game
from comptoir.engine.rule import Box, EvalWeights, Points, Position, Scores, rule
from comptoir.errors import OptionError
from comptoir.research.loops import SEED_LIMIT, BatchState, refresh_outputs, reward

AGENT, PASSER_BY, GREEDY, CLERK = range(4)
KINDS = {"passer-by": PASSER_BY, "greedy": GREEDY, "clerk": CLERK}


class BatchBots(NamedTuple):
    """Who has the seats of a batch's games, and what is kept of a game that has ended."""

    kinds: NDArray[np.uint8]  # of each chair
    step: int  # how many seats the chairs move on from game to game
    shifts: NDArray[np.uint8]  # and how many they have
    bot_dice: NDArray[np.uint64]  # the bots' own chance
    seats: NDArray[np.int8]  # of the game that ended last in a row: the first seat of yours,
    finals: NDArray[np.uint8]  # what it knew at the end,
    endings: NDArray[np.uint8]
    sheets: Scores  # and everyone's points by source


class BotScratch(NamedTuple):
    """What bots think on, one for each thread."""

    values: EvalWeights
    desk: SearchWorkspace
    worth: Points


def read_bots(bots: str | Sequence[str | None], players: int) -> list[int]:
    """Who has each chair. A text, or fewer than there are seats, are the bots of all seats but the first, in
    turn.
    """
    named: list[str | None] = list(split_specs(bots)) if isinstance(bots, str) else list(bots)
    if named and None not in named and len(named) < players:
        named = [None, *(named[n % len(named)] for n in range(players - 1))]
    unknown = [bot for bot in named if bot is not None and bot not in KINDS]
    if unknown:
        raise OptionError(
            f"bots: a batch has {', '.join(KINDS)}, not {unknown[0]!r};"
            " others play in comptoir.research.gymnasium"
        )
    if len(named) != players or None not in named:
        raise OptionError(
            f"bots: expected one for each of {players} seats, None for yours, found {len(named)}:"
            f" {', '.join(map(str, named)) or 'none'}"
        )
    return [AGENT if bot is None else KINDS[bot] for bot in named]


def new_crew(game: Game, games: int, kinds: Sequence[int], rotate: bool) -> BatchBots:
    return BatchBots(
        kinds=np.array(kinds, np.uint8),
        step=int(rotate),
        shifts=np.zeros(games, np.uint8),
        bot_dice=np.zeros((games, 1), np.uint64),
        seats=np.zeros(games, np.int8),
        finals=np.zeros((games, game.observation.size), np.uint8),
        endings=np.zeros(games, np.uint8),
        sheets=game.new_sheets(games),
    )


def new_table(game: Game) -> BotScratch:
    desk = new_workspace(game, 0)
    return BotScratch(game.evaluation.weights, desk, np.zeros(64 * len(desk.mask)))


@rule
def bot_in_seat(crew: BatchBots, nth: int, seat: int) -> int:
    """Who has a seat."""
    return int(crew.kinds[(seat + int(crew.shifts[nth])) % len(crew.kinds)])


@rule
def clerk_action(p: Position, box: Box, table: BotScratch) -> int:
    """What the clerk does, from its seat's view and what it has seen earlier in this turn."""
    desk, worth, viewer = table.desk, table.worth, int(p.turn)
    desk.positions[ROOT_VIEW] = p
    hide(desk.positions[ROOT_VIEW], box, viewer)
    prune_cycles(desk, box, viewer)
    for action in range(len(worth)):
        worth[action] = 0.0
    look_ahead(desk, box, table.values, viewer, WORLDS, worth)
    best = -1
    for action in range(len(worth)):
        free = allows(desk.mask, action) and not allows(desk.pruned, action)
        if free and (best < 0 or worth[action] > worth[best]):
            best = action
    if desk.used[EARLIER] < MAX_DEPTH:
        desk.visited_keys[desk.used[EARLIER]] = cycle_key(desk.positions[ROOT_VIEW], box)
        desk.used[EARLIER] += 1
    return best


@rule
def bot_action(p: Position, box: Box, kind: int, table: BotScratch) -> int:
    """What a bot does; its chance is that of the desk."""
    desk = table.desk
    if kind == CLERK:
        return clerk_action(p, box, table)
    clear(desk.mask)
    legal(p, box, desk.mask)
    if kind == GREEDY:
        return int(rollout_action(p, box, table.values, desk.mask, desk.dice))
    return pick(desk.mask, roll(desk.dice, count(desk.mask)))


@rule
def note_end(rows: BatchState, nth: int, box: Box, crew: BatchBots) -> None:
    """What is kept of a game that is over."""
    p = rows.positions[nth]
    seat = 0
    while bot_in_seat(crew, nth, seat) != AGENT:
        seat += 1
    crew.seats[nth] = seat
    observe(p, box, seat, crew.finals[nth])
    end_game(p, box, nth, crew.endings, crew.sheets, 1)


@rule
def next_game(rows: BatchState, nth: int, start: Any, box: Box, crew: BatchBots) -> None:
    """A game that has ended begins anew, and the chairs move on."""
    note_end(rows, nth, box, crew)
    crew.shifts[nth] = (int(crew.shifts[nth]) + crew.step) % len(crew.kinds)
    begin_game(rows.positions, nth, start, box, rows.dice[nth])


@rule
def play_bots(
    rows: BatchState, nth: int, start: Any, box: Box, kind: int, crew: BatchBots, table: BotScratch
) -> None:
    """Bots play until a seat of yours decides: in this game, or in the next one."""
    p = rows.positions[nth]
    desk = table.desk
    decider = -1
    desk.dice[0] = crew.bot_dice[nth, 0]
    who = bot_in_seat(crew, nth, int(p.turn))
    while who != AGENT:
        if p.turn != decider:
            decider = p.turn
            desk.used[EARLIER] = 0
        play(p, box, bot_action(p, box, who, table), rows.dice[nth])
        if p.turn < 0:
            rows.ends[nth] = 1
            reward(p, box, kind, rows.results[nth], rows.rewards[nth])
            next_game(rows, nth, start, box, crew)
            decider = -1
        who = bot_in_seat(crew, nth, int(p.turn))
    crew.bot_dice[nth, 0] = desk.dice[0]


def seat_bots(crew: BatchBots, seed: int) -> None:
    """As they sit in new games with this seed."""
    games = np.arange(len(crew.shifts))
    crew.shifts[:] = crew.step * games % len(crew.kinds)
    crew.bot_dice[:, 0] = games.astype(np.uint64) + np.uint64(seed + 2 * SEED_LIMIT)


@rule
def look_with_bots(
    rows: BatchState,
    first: int,
    last: int,
    start: Any,
    box: Box,
    kind: int,
    crew: BatchBots,
    table: BotScratch,
) -> None:
    """What came of an action of yours: a game that has ended begins anew, and bots play up to the next
    decision of a seat of yours.
    """
    for nth in range(first, last):
        if rows.positions[nth].turn < 0:
            next_game(rows, nth, start, box, crew)
        play_bots(rows, nth, start, box, kind, crew, table)
        refresh_outputs(rows, nth, box)
