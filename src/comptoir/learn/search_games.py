"""Games to learn from: played by searches alone, compiled from the first decision to the last.

What is kept of a decision is what a network goes by, what the search thought every seat's share of the win to
be, and who won in the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.bots.network import Floats
from comptoir.bots.search import (
    EARLIER,
    EDGES,
    NODES,
    ROOT_NODE,
    ROOT_VIEW,
    TURNS,
    SearchWorkspace,
    backpropagate,
    candidate_actions,
    descend,
    evaluate_leaf,
    evaluation_gaps,
    prune_cycles,
    write_network_input,
)
from comptoir.engine.dice import roll
from comptoir.engine.game import Game
from comptoir.engine.mask import count, pick
from comptoir.engine.observation import seat_at
from comptoir.engine.rule import Box, Dice, Values, rule, signed
from comptoir.engine.scoring import scores, share_win
from comptoir.engine.verbs import hide, play, setup, whereabouts

LONGEST = 3000  # decisions of a game; what lasts longer teaches nothing
OURS, THEIRS = 0, 1
EXPLORATION_SCALE = 1024  # sides of the dice that say whether a search's second thoughts are tried


class GameTrace(NamedTuple):
    """A game that is played, and what is kept of it: a row for each seat that learns from a decision."""

    table: Any  # the game's position, then the one it starts from
    dice: Dice  # the game's chance
    policy_dice: Dice  # and that of whoever chooses
    rows: NDArray[np.uint8]  # what the seat saw
    behind: Floats  # what the judgement said, in its order, as are the next two
    search_values: Floats  # each seat's share of the win by the search
    outcome: Floats  # and in the end
    players: NDArray[np.uint8]
    value_sums: NDArray[np.float64]  # what a search has added up
    seats: NDArray[np.int8]  # who has seen each row


def new_lesson(game: Game) -> GameTrace:
    room, seats = 2 * LONGEST, game.position.seats
    return GameTrace(
        table=game.position.array(2),
        dice=np.zeros(1, np.uint64),
        policy_dice=np.zeros(1, np.uint64),
        rows=np.zeros((room, game.observation.size), np.uint8),
        behind=np.zeros((room, seats), np.float32),
        search_values=np.zeros((room, seats), np.float32),
        outcome=np.zeros((room, seats), np.float32),
        players=np.zeros(room, np.uint8),
        value_sums=np.zeros(seats),
        seats=np.zeros(room, np.int8),
    )


@rule
def play_training_game(
    lesson: GameTrace,
    ours: SearchWorkspace,
    theirs: SearchWorkspace,
    box: Box,
    values: Values,
    settings: Any,
    opponent_seats: int,
    iterations: int,
    guest_iterations: int,
    exploration: int,
) -> int:
    """Plays a game and returns how many rows are kept of it; -1 for a game that is too long.

    Seats whose bit is set in `guests` are played at the other desk. The shares of the win, by seat, are left
    in our desk's `shares`. `curious` of 1,024 decisions are taken by lot, as often as the search tried each.
    """
    p = lesson.table[0]
    lesson.table[0] = lesson.table[1]
    setup(p, box, lesson.dice)
    kept = 0
    decisions = 0
    ours.used[EARLIER] = 0
    theirs.used[EARLIER] = 0
    while p.turn >= 0:
        if decisions == LONGEST:
            return -1
        decisions += 1
        seat = signed(p.turn)
        guest = opponent_seats >> seat & 1
        if guest:
            action = search_action(lesson, theirs, box, values, settings[THEIRS], guest_iterations, 0)
        else:
            action = search_action(lesson, ours, box, values, settings[OURS], iterations, exploration)
        if opponent_seats == 0 and action < 0:
            other = seat_at(1 + roll(lesson.policy_dice, signed(p.players) - 1), seat, signed(p.players))
            kept = record_row(lesson, ours, box, values, seat, kept)
            kept = record_row(lesson, ours, box, values, other, kept)
        play(p, box, action if action >= 0 else -1 - action, lesson.dice)
        if p.turn != seat:
            ours.used[EARLIER] = 0
            theirs.used[EARLIER] = 0
    scores(p, box, ours.results)
    share_win(ours.results, signed(p.players), ours.shares)
    for row in range(kept):
        for place in range(p.players):
            who = seat_at(place, signed(lesson.seats[row]), signed(p.players))
            lesson.outcome[row, place] = ours.shares[who]
    return kept


@rule
def search_action(
    lesson: GameTrace,
    desk: SearchWorkspace,
    box: Box,
    values: Values,
    settings: Any,
    iterations: int,
    exploration: int,
) -> int:
    """The action of the seat that decides; as -1 - action where there was something to think about."""
    p = lesson.table[0]
    candidate_actions(p, box, desk.mask)
    if count(desk.mask) == 1:
        return pick(desk.mask, 0)
    seat = signed(p.turn)
    desk.positions[ROOT_VIEW] = lesson.table[0]
    hide(desk.positions[ROOT_VIEW], box, seat)
    for node in range(len(desk.nodes)):
        desk.nodes[node].key = 0
        desk.nodes[node].visits = 0
        desk.nodes[node].edge = 0
    desk.used[NODES] = 0
    desk.used[EDGES] = 1
    desk.dice[0] = lesson.policy_dice[0]
    roll(lesson.policy_dice, 2)
    prune_cycles(desk, box, seat)
    for other in range(p.players):
        lesson.value_sums[other] = 0.0
    for _ in range(iterations):
        descend(desk, box, values, settings, seat)
        evaluate_leaf(desk, box, values, desk.positions[1], seat)
        backpropagate(desk)
        for other in range(p.players):
            lesson.value_sums[other] += desk.shares[other] / iterations
    where = whereabouts(desk.positions[ROOT_VIEW], box)
    if where != 0 and desk.used[EARLIER] < len(desk.visited_keys) // 2:
        desk.visited_keys[desk.used[EARLIER]] = where
        desk.used[EARLIER] += 1
    return -1 - most_visited(
        desk,
        roll(lesson.policy_dice, iterations)
        if roll(lesson.policy_dice, EXPLORATION_SCALE) < exploration
        else -1,
    )


@rule
def most_visited(desk: SearchWorkspace, nth: int) -> int:
    """What was tried most; or, if `nth` is not -1, what was tried at that iteration, all put in order."""
    most = -1
    best = 0
    edge = desk.nodes[desk.used[ROOT_NODE]].edge
    while edge:
        here = desk.edges[edge]
        if here.visits > most:
            most = here.visits
            best = here.action
        if nth >= 0:
            nth -= here.visits
            if nth < 0:
                return signed(here.action)
        edge = here.next
    return signed(best)


@rule
def record_row(
    lesson: GameTrace, desk: SearchWorkspace, box: Box, values: Values, viewer: int, kept: int
) -> int:
    """Another row: what the network would go by now, and what the search has thought."""
    p = lesson.table[0]
    players = signed(p.players)
    desk.used[TURNS] = 0
    evaluation_gaps(desk, box, values, p)
    write_network_input(desk, box, p, viewer, lesson.rows[kept], lesson.behind[kept])
    lesson.players[kept] = players
    lesson.seats[kept] = viewer
    for place in range(players, lesson.behind.shape[1]):  # an earlier game may have had more players
        lesson.behind[kept, place] = 0.0
        lesson.search_values[kept, place] = 0.0
        lesson.outcome[kept, place] = 0.0
    total = 0.0
    for seat in range(players):
        total += lesson.value_sums[seat]
    for place in range(players):
        # where a guard rule is about to end the game, nothing is worth anything to anyone
        part = lesson.value_sums[seat_at(place, viewer, players)] / total if total > 0.0 else 1.0 / players
        lesson.search_values[kept, place] = part
    return kept + 1
