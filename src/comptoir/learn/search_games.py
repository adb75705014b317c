"""Training games played by searches alone, compiled from the first decision to the last.

A row of a decision holds the network's input, the search's value of every seat and the outcome of the game.
With a policy head there is one row per decision, the seat to act's, and it holds the visits of every action.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.bots.network import Floats, has_policy_head
from comptoir.bots.search import (
    EARLIER,
    EDGES,
    NODES,
    ROOT_NODE,
    ROOT_VIEW,
    TURNS,
    SearchSettings,
    SearchWorkspace,
    backpropagate,
    candidate_actions,
    descend,
    evaluate_leaf,
    evaluation_gaps,
    prune_cycles,
    write_gaps,
)
from comptoir.engine.dice import roll
from comptoir.engine.game import Game
from comptoir.engine.interface import cycle_key, hide, observe, play, setup
from comptoir.engine.mask import allows, count, pick
from comptoir.engine.observation import absolute_seat
from comptoir.engine.rule import Box, Dice, EvalWeights, Records, rule, signed
from comptoir.engine.scoring import scores, share_win

MAX_DECISIONS = 3000  # of a game; longer ones are discarded
OURS, THEIRS = 0, 1
EXPLORATION_SCALE = 1024  # exploration is given in 1,024ths of the decisions
NOT_CONSIDERED = -1  # instead of visits: the search could not choose this action
MAX_VISITS = 32_767  # in 16 bits


class GameTrace(NamedTuple):
    """A game in play and the rows recorded of it, one per seat that learns from a decision.

    `others` and `visits` are empty for a network without a policy head.
    """

    positions: Records  # of the game: now, then before its setup
    dice: Dice  # of the game
    policy_dice: Dice  # of the searches and of exploration
    rows: NDArray[np.uint8]  # observations
    gaps: Floats  # by the evaluation; relative to the observer, as the next two
    search_values: Floats  # win shares by the search
    outcome: Floats  # win shares at the end
    players: NDArray[np.uint8]
    others: NDArray[np.uint8]  # private features of the other seats, in the observer's order
    visits: NDArray[np.int16]  # of each action at the root
    value_sums: NDArray[np.float64]  # of one search, by seat
    seats: NDArray[np.int8]  # the observer of each row


def new_trace(game: Game, policy: bool = False) -> GameTrace:
    """Memory for a game; with room for what a network with a policy head learns from."""
    capacity, seats = 2 * MAX_DECISIONS, game.position.seats
    private = len(game.observation.private_entries) * (seats - 1)
    return GameTrace(
        positions=game.position.array(2),
        dice=np.zeros(1, np.uint64),
        policy_dice=np.zeros(1, np.uint64),
        rows=np.zeros((capacity, game.observation.size), np.uint8),
        gaps=np.zeros((capacity, seats), np.float32),
        search_values=np.zeros((capacity, seats), np.float32),
        outcome=np.zeros((capacity, seats), np.float32),
        players=np.zeros(capacity, np.uint8),
        others=np.zeros((capacity, private if policy else 0), np.uint8),
        visits=np.zeros((capacity, len(game.actions) if policy else 0), np.int16),
        value_sums=np.zeros(seats),
        seats=np.zeros(capacity, np.int8),
    )


@rule
def play_training_game(
    trace: GameTrace,
    own_workspace: SearchWorkspace,
    opponent_workspace: SearchWorkspace,
    box: Box,
    weights: EvalWeights,
    settings: Records,
    opponent_seats: int,
    iterations: int,
    opponent_iterations: int,
    exploration: int,
) -> int:
    """Play a game and return how many rows were recorded; -1 for a game that is too long.

    Seats in the bit set `opponent_seats` are played in the opponent's workspace. The final win shares, by
    seat, are left in our `shares`. `exploration` of 1,024 decisions are sampled by visits.
    """
    p = trace.positions[0]
    trace.positions[0] = trace.positions[1]
    setup(p, box, trace.dice)
    recorded = 0
    decisions = 0
    own_workspace.used[EARLIER] = 0
    opponent_workspace.used[EARLIER] = 0
    while p.turn >= 0:
        if decisions == MAX_DECISIONS:
            return -1
        decisions += 1
        seat = signed(p.turn)
        opponent_acts = opponent_seats >> seat & 1
        if opponent_acts:
            action = search_action(
                trace, opponent_workspace, box, weights, settings[THEIRS], opponent_iterations, 0
            )
        else:
            action = search_action(
                trace, own_workspace, box, weights, settings[OURS], iterations, exploration
            )
        if opponent_seats == 0 and action < 0:
            if has_policy_head(own_workspace.net):
                record_policy(trace, own_workspace, box, seat, recorded)
                recorded = record_row(trace, own_workspace, box, weights, seat, recorded)
            else:
                other = absolute_seat(
                    1 + roll(trace.policy_dice, signed(p.players) - 1), seat, signed(p.players)
                )
                recorded = record_row(trace, own_workspace, box, weights, seat, recorded)
                recorded = record_row(trace, own_workspace, box, weights, other, recorded)
        play(p, box, action if action >= 0 else -1 - action, trace.dice)
        if p.turn != seat:
            own_workspace.used[EARLIER] = 0
            opponent_workspace.used[EARLIER] = 0
    scores(p, box, own_workspace.results)
    share_win(own_workspace.results, signed(p.players), own_workspace.shares)
    for row in range(recorded):
        for place in range(p.players):
            winner = absolute_seat(place, signed(trace.seats[row]), signed(p.players))
            trace.outcome[row, place] = own_workspace.shares[winner]
    return recorded


@rule
def search_action(
    trace: GameTrace,
    workspace: SearchWorkspace,
    box: Box,
    weights: EvalWeights,
    settings: SearchSettings,
    iterations: int,
    exploration: int,
) -> int:
    """The action of the seat to act; as -1 - action where it was not forced."""
    p = trace.positions[0]
    candidate_actions(p, box, workspace.mask)
    if count(workspace.mask) == 1:
        return pick(workspace.mask, 0)
    seat = signed(p.turn)
    workspace.positions[ROOT_VIEW] = trace.positions[0]
    hide(workspace.positions[ROOT_VIEW], box, seat)
    for node in range(len(workspace.nodes)):
        workspace.nodes[node].key = 0
        workspace.nodes[node].visits = 0
        workspace.nodes[node].edge = 0
    workspace.used[NODES] = 0
    workspace.used[EDGES] = 1
    workspace.dice[0] = trace.policy_dice[0]
    roll(trace.policy_dice, 2)
    prune_cycles(workspace, box, seat)
    for other in range(p.players):
        trace.value_sums[other] = 0.0
    for _ in range(iterations):
        descend(workspace, box, weights, settings, seat)
        evaluate_leaf(workspace, box, weights, workspace.positions[1], seat)
        backpropagate(workspace)
        for other in range(p.players):
            trace.value_sums[other] += workspace.shares[other] / iterations
    key = cycle_key(workspace.positions[ROOT_VIEW], box)
    if key != 0 and workspace.used[EARLIER] < len(workspace.visited_keys) // 2:
        workspace.visited_keys[workspace.used[EARLIER]] = key
        workspace.used[EARLIER] += 1
    return -1 - most_visited(
        workspace,
        roll(trace.policy_dice, iterations)
        if roll(trace.policy_dice, EXPLORATION_SCALE) < exploration
        else -1,
    )


@rule
def most_visited(workspace: SearchWorkspace, nth: int) -> int:
    """The most visited action; or, if `nth` is not -1, a sample by visits: the nth visit's action."""
    most = -1
    best = 0
    edge = workspace.nodes[workspace.used[ROOT_NODE]].edge
    while edge:
        edge_record = workspace.edges[edge]
        if edge_record.visits > most:
            most = edge_record.visits
            best = edge_record.action
        if nth >= 0:
            nth -= edge_record.visits
            if nth < 0:
                return signed(edge_record.action)
        edge = edge_record.next
    return signed(best)


@rule
def record_row(
    trace: GameTrace, workspace: SearchWorkspace, box: Box, weights: EvalWeights, viewer: int, recorded: int
) -> int:
    """Record a row: the network's input for a viewer, and the search's values."""
    p = trace.positions[0]
    players = signed(p.players)
    workspace.used[TURNS] = 0
    evaluation_gaps(workspace, box, weights, p)
    observe(p, box, viewer, trace.rows[recorded])
    write_gaps(workspace, p, viewer, trace.gaps[recorded])
    trace.players[recorded] = players
    trace.seats[recorded] = viewer
    for place in range(players, trace.gaps.shape[1]):  # an earlier game may have had more players
        trace.gaps[recorded, place] = 0.0
        trace.search_values[recorded, place] = 0.0
        trace.outcome[recorded, place] = 0.0
    total = 0.0
    for seat in range(players):
        total += trace.value_sums[seat]
    for place in range(players):
        # just before the stall rule ends the game, all values are 0
        share = (
            trace.value_sums[absolute_seat(place, viewer, players)] / total if total > 0.0 else 1.0 / players
        )
        trace.search_values[recorded, place] = share
    return recorded + 1


@rule
def record_policy(trace: GameTrace, workspace: SearchWorkspace, box: Box, viewer: int, row: int) -> None:
    """Record the visits of the actions that the search could choose, and what the open value head sees of the
    other seats.
    """
    p = trace.positions[0]
    net = workspace.net
    players = signed(p.players)
    many = len(net.private)
    for entry in range(trace.others.shape[1]):
        trace.others[row, entry] = 0
    for place in range(1, players if many else 1):
        observe(p, box, absolute_seat(place, viewer, players), net.other_row)
        for nth in range(many):
            trace.others[row, (place - 1) * many + nth] = net.other_row[net.private[nth]]
    candidate_actions(p, box, workspace.mask)
    for action in range(trace.visits.shape[1]):
        considered = allows(workspace.mask, action) and not allows(workspace.pruned, action)
        trace.visits[row, action] = 0 if considered else NOT_CONSIDERED
    edge = workspace.nodes[workspace.used[ROOT_NODE]].edge
    while edge:
        edge_record = workspace.edges[edge]
        trace.visits[row, edge_record.action] = min(edge_record.visits, MAX_VISITS)
        edge = edge_record.next
