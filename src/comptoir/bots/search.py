"""Information-set tree search, one source for all games.

Every iteration samples a determinization, that is, a world that the searching seat cannot tell from the true
one, descends the tree in it, and ends with a short rollout and an evaluation. A node is an information set:
the searching seat's own view, or, where another seat decides, what is public (the searching seat cannot see
that hand, so neither does its tree: actions that are illegal in this world are passed over). Transpositions
share a node. An edge sums the win shares of the seat that decides there, so every seat plays for itself.

Edges are selected by PUCT, as in AlphaZero, with priors from the evaluation or from a policy network: of
fifty bids, the ten that nobody would make are visited once, if at all.

Cycles within a turn are pruned: a seat does not return to a position it has already had in its turn. Nor, at
the root, does it leave a position that one of its earlier turns left. A win is worth slightly more the sooner
it comes, and of two paths to the same result the shorter one is preferred.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.bots.network import (
    NetworkBuffers,
    add_other_seat,
    embed_row,
    has_policy_head,
    softmax_policy,
    value_logits,
    win_shares_from_network,
)
from comptoir.engine.dice import WORD, roll
from comptoir.engine.evaluation import SEARCH
from comptoir.engine.interface import (
    cycle_key,
    evaluate,
    hide,
    imagine,
    legal,
    observe,
    play,
    prune_redundant,
    prune_uncommon,
    rollout_action,
    stall_progress,
)
from comptoir.engine.mask import allow_if, allows, clear, count, forbid, pick, popcount
from comptoir.engine.observation import absolute_seat
from comptoir.engine.rule import (
    Box,
    Dice,
    EvalWeights,
    Mask,
    Points,
    Position,
    Record,
    Records,
    Scores,
    rule,
    signed,
)
from comptoir.engine.scoring import scores, share_win

MAX_DEPTH = 512
SPECTATOR = -1
# indices of `positions`: the view, the world imagined from it, a view of that world, and a child of it
ROOT_VIEW, WORLD, DECIDER_VIEW, CHILD = range(4)
NODES, EDGES, DEPTH, ROOT_NODE = range(4)  # indices of `used`: counts, and the root's place
# turns that have passed; where the trail begins and ends, and the bits of its keys
TURNS, EARLIER, SINCE, TRAIL, MARKS = range(4, 9)
OPEN = 9  # 1: the root is the true position with all cards open, and nothing is imagined
LEFT = 10  # how many positions are known that the seat has left at the end of earlier turns
PLANNED = 11  # how many actions of `plan` are played before the tree decides
SAME_WORLDS = 12  # 1: every world begins with dice from `world_dice`, so that plans meet the same worlds
SAMPLED = 13  # turns that are played by sampling the policy before the tree decides
MAX_LEFT = 32  # of them, the latest ones

HALF_BITS = 1 << 31  # sides of the dice whose rolls make dice

TURN_DISCOUNT = 0.0002  # per turn: how far a later win moves towards an even share
ASSUMED_TURNS_LEFT = 50  # in a game that is evaluated and not played out
DECISION_COST = 0.00003  # of the win, per decision of a turn: only breaks ties
# the part of the win shared out by a wider spread, so that a seat that is sure to win or to lose still
# prefers the better action
WIDE_BLEND = 0.02
WIDE_SPREAD_FACTOR = 8.0  # how many times wider that spread is than the evaluation's
FARTHEST = -8.0  # the largest gap, in spreads, in a network's input
MARGIN = 0.5  # for seats that have lost: the spread's width as a part of the winner's points

NODE = np.dtype([("key", np.int64), ("visits", np.int32), ("edge", np.int32)])  # edge: the first, 0: none
EDGE = np.dtype(
    [
        ("value_sum", np.float64),  # of the deciding seat's win shares
        ("prior_value", np.float64),  # its win share by evaluation, when the action was first expanded
        ("prior", np.float64),  # not normalised: those of the legal actions are, when an edge is selected
        ("visits", np.int32),
        ("next", np.int32),  # the node's next edge, 0 for none
        ("action", np.int64),
        ("cycle_key", np.int64),  # of the position it leads to in the same turn; 0 if chance decides that
    ]
)
SETTINGS = np.dtype([(name, setting.dtype) for name, setting in SEARCH.items()])

if TYPE_CHECKING:

    class SearchSettings(Record):
        """A record of SETTINGS."""

        rollout_depth: int
        c_puct: float
        prior_visits: float
        prior_temperature: float

else:
    SearchSettings = np.record


class SearchWorkspace(NamedTuple):
    """The memory of a search, allocated before it starts: an iteration allocates nothing."""

    positions: Records
    words: NDArray[np.uint64]  # the positions' memory, as words
    nodes: Records  # a hash table with linear probing
    edges: Records
    used: NDArray[np.int64]
    path: NDArray[np.int32]  # the edges of this iteration's path
    deciders: NDArray[np.int32]  # the seat that chose each of them
    visited_keys: NDArray[np.int64]  # cycle keys that the seat to act has had in its turn
    left: NDArray[np.uint64]  # positions in which its earlier turns ended, as it saw them, without counters
    repetition_mask: NDArray[np.uint64]  # all bits of a position but those of counters
    mask: Mask
    untried: Mask
    pruned: Mask  # at the root: actions that close a cycle, or that are not considered
    plan: NDArray[np.int64]
    dice: Dice
    world_dice: Dice
    points: Points
    shares: Points
    share_sums: Points  # over all iterations
    results: Scores
    net: NetworkBuffers  # empty where the evaluation is used alone


@rule
def search(
    workspace: SearchWorkspace,
    box: Box,
    weights: EvalWeights,
    settings: SearchSettings,
    viewer: int,
    iterations: int,
) -> None:
    """Run more iterations for the seat whose view is the root."""
    for _ in range(iterations):
        if workspace.used[SAME_WORLDS]:
            roll_dice_of_world(workspace)
        descend(workspace, box, weights, settings, viewer)
        evaluate_leaf(workspace, box, weights, workspace.positions[WORLD], viewer)
        backpropagate(workspace)
        for seat in range(len(workspace.shares)):
            workspace.share_sums[seat] += workspace.shares[seat]


@rule
def roll_dice_of_world(workspace: SearchWorkspace) -> None:
    """Dice for the next world that do not depend on how much the world before it has rolled."""
    high = roll(workspace.world_dice, HALF_BITS)
    workspace.dice[0] = (high << 31) | roll(workspace.world_dice, HALF_BITS)


@rule
def descend(
    workspace: SearchWorkspace, box: Box, weights: EvalWeights, settings: SearchSettings, viewer: int
) -> None:
    """Imagine a world, descend the tree in it, then play on by the rollout policy.

    The position reached is left in WORLD, to be evaluated and backpropagated.
    """
    p = workspace.positions[WORLD]
    workspace.positions[WORLD] = workspace.positions[ROOT_VIEW]
    if workspace.used[OPEN] == 0:
        imagine(p, box, viewer, workspace.dice)
    workspace.used[DEPTH] = 0
    workspace.used[TURNS] = 0
    start_trail(workspace)
    follow_plan(workspace, box)
    left = settings.rollout_depth
    in_tree = True
    while p.turn >= 0 and (in_tree or left > 0):
        candidate_actions(p, box, workspace.mask)
        # a forced action needs no node, except at the root
        if workspace.used[DEPTH] > 0 and count(workspace.mask) == 1:
            action = pick(workspace.mask, 0)
        elif workspace.used[TURNS] < workspace.used[SAMPLED]:
            action = sampled_action(workspace, box, weights)
        elif in_tree:
            edge = choose_edge(workspace, box, weights, settings, viewer)
            in_tree = edge > 0
            if not in_tree:
                continue
            go_down(workspace, edge, p.turn)
            action = workspace.edges[edge].action
        else:
            action = rollout_action(p, box, weights, workspace.mask, workspace.dice)
            left -= 1
        decider = p.turn
        play(p, box, action, workspace.dice)
        if p.turn != decider:
            workspace.used[TURNS] += 1
            leave_trail(workspace)


@rule
def follow_plan(workspace: SearchWorkspace, box: Box) -> None:
    """Play the plan in this world, up to an action that is not legal in it."""
    p = workspace.positions[WORLD]
    for nth in range(workspace.used[PLANNED]):
        clear(workspace.mask)
        if p.turn >= 0:
            legal(p, box, workspace.mask)
        action = workspace.plan[nth]
        if not allows(workspace.mask, action):
            return
        add_to_trail(workspace, cycle_key(p, box))
        decider = p.turn
        play(p, box, action, workspace.dice)
        if p.turn != decider:
            workspace.used[TURNS] += 1
            leave_trail(workspace)


@rule
def sampled_action(workspace: SearchWorkspace, box: Box, weights: EvalWeights) -> int:
    """An action of the seat to act in this world, drawn by the network's policy or the rollout policy."""
    p, net = workspace.positions[WORLD], workspace.net
    if not has_policy_head(net):
        return rollout_action(p, box, weights, workspace.mask, workspace.dice)
    observe(p, box, signed(p.turn), net.row)
    embed_row(net)
    softmax_policy(net, workspace.mask)
    left = roll(workspace.dice, HALF_BITS) / HALF_BITS
    many = count(workspace.mask)
    for nth in range(many - 1):
        left -= net.policy_probs[pick(workspace.mask, nth)]
        if left < 0.0:
            return pick(workspace.mask, nth)
    return pick(workspace.mask, many - 1)


@rule
def candidate_actions(p: Position, box: Box, mask: Mask) -> None:
    """Set the bits of the legal actions, without the redundant ones."""
    clear(mask)
    legal(p, box, mask)
    prune_redundant(p, box, mask)


@rule
def go_down(workspace: SearchWorkspace, edge: int, decider: int) -> None:
    workspace.path[workspace.used[DEPTH]] = edge
    workspace.deciders[workspace.used[DEPTH]] = decider
    workspace.used[DEPTH] += 1


@rule
def backpropagate(workspace: SearchWorkspace) -> None:
    """Add to every edge of the path the win share of the seat that chose it, less the cost of its decisions
    from there to the end of its turn.
    """
    decider = -1
    cost = 0.0
    for above in range(workspace.used[DEPTH]):
        step = workspace.used[DEPTH] - 1 - above
        if workspace.deciders[step] != decider:
            decider = workspace.deciders[step]
            cost = 0.0
        cost += DECISION_COST
        edge = workspace.edges[workspace.path[step]]
        edge.visits += 1
        edge.value_sum += workspace.shares[decider] - cost


# The trail: the cycle keys that a seat has had in its turn


@rule
def start_trail(workspace: SearchWorkspace) -> None:
    """Start with the keys of this turn as it was played: the first EARLIER ones."""
    workspace.used[SINCE] = 0
    workspace.used[TRAIL] = workspace.used[EARLIER]
    workspace.used[MARKS] = 0
    for nth in range(workspace.used[EARLIER]):
        workspace.used[MARKS] |= mark(workspace.visited_keys[nth])


@rule
def leave_trail(workspace: SearchWorkspace) -> None:
    """Another seat's turn has begun."""
    workspace.used[SINCE] = workspace.used[EARLIER]
    workspace.used[TRAIL] = workspace.used[EARLIER]
    workspace.used[MARKS] = 0


@rule
def mark(key: int) -> int:
    """One bit of 32: a key whose bit is not set is not on the trail."""
    return 1 << int(key & 31)


@rule
def add_to_trail(workspace: SearchWorkspace, key: int) -> None:
    if key != 0 and workspace.used[TRAIL] < len(workspace.visited_keys):
        workspace.visited_keys[workspace.used[TRAIL]] = key
        workspace.used[TRAIL] += 1
        workspace.used[MARKS] |= mark(key)


@rule
def is_on_trail(workspace: SearchWorkspace, key: int) -> bool:
    if key == 0 or workspace.used[MARKS] & mark(key) == 0:
        return False
    for nth in range(workspace.used[SINCE], workspace.used[TRAIL]):
        if workspace.visited_keys[nth] == key:
            return True
    return False


@rule
def prune_cycles(workspace: SearchWorkspace, box: Box, viewer: int) -> None:
    """Prune, at the root, the actions that close a cycle, or after which every action does; unless all do."""
    clear(workspace.pruned)
    start_trail(workspace)
    add_to_trail(workspace, cycle_key(workspace.positions[ROOT_VIEW], box))
    if workspace.used[TRAIL] == 0 and workspace.used[LEFT] == 0:
        return
    hide_left(workspace, box, viewer)
    world = workspace.positions[WORLD]
    workspace.positions[WORLD] = workspace.positions[ROOT_VIEW]
    imagine(world, box, viewer, workspace.dice)
    candidate_actions(world, box, workspace.mask)
    for nth in range(count(workspace.mask)):
        action = pick(workspace.mask, nth)
        workspace.positions[CHILD] = workspace.positions[WORLD]
        dice = workspace.dice[0]
        play(workspace.positions[CHILD], box, action, workspace.dice)
        allow_if(workspace.pruned, action, closes_cycle(workspace, box, viewer, dice))
    if count(workspace.pruned) == count(workspace.mask):
        clear(workspace.pruned)


@rule
def closes_cycle(workspace: SearchWorkspace, box: Box, viewer: int, dice: int) -> bool:
    """Whether CHILD is a position that the seat has had before, or one from which only such follow."""
    child = workspace.positions[CHILD]
    then = workspace.positions[DECIDER_VIEW]
    if workspace.dice[0] != dice:
        return False
    workspace.positions[DECIDER_VIEW] = workspace.positions[CHILD]
    if is_repetition(workspace, box, viewer):
        return True
    if child.turn != viewer:
        return False
    candidate_actions(child, box, workspace.untried)
    for nth in range(count(workspace.untried)):
        workspace.positions[DECIDER_VIEW] = workspace.positions[CHILD]
        play(then, box, pick(workspace.untried, nth), workspace.dice)
        if workspace.dice[0] != dice or not is_repetition(workspace, box, viewer):
            return False
    return True


@rule
def is_repetition(workspace: SearchWorkspace, box: Box, viewer: int) -> bool:
    """Whether DECIDER_VIEW is a position that the seat has had in this turn, or left at the end of another.

    To be compared with those, it becomes the seat's view.
    """
    p = workspace.positions[DECIDER_VIEW]
    if p.turn == viewer:
        return is_on_trail(workspace, cycle_key(p, box))
    if p.turn < 0 or workspace.used[LEFT] == 0:
        return False
    hide(p, box, viewer)
    for nth in range(workspace.used[LEFT]):
        if is_left(workspace, nth):
            return True
    return False


@rule
def is_left(workspace: SearchWorkspace, nth: int) -> bool:
    """Whether DECIDER_VIEW is one of the positions left, but for counters."""
    for word in range(workspace.words.shape[1]):
        known = workspace.words[DECIDER_VIEW, word] & workspace.repetition_mask[word]
        if known != workspace.left[nth, word]:
            return False
    return True


@rule
def hide_left(workspace: SearchWorkspace, box: Box, viewer: int) -> None:
    """Blank what the seat may not know of the positions left, whatever they were given with, and counters."""
    for nth in range(workspace.used[LEFT]):
        for word in range(workspace.words.shape[1]):
            workspace.words[DECIDER_VIEW, word] = workspace.left[nth, word]
        hide(workspace.positions[DECIDER_VIEW], box, viewer)
        for word in range(workspace.words.shape[1]):
            workspace.left[nth, word] = workspace.words[DECIDER_VIEW, word] & workspace.repetition_mask[word]


@rule
def prune_uncommon_actions(workspace: SearchWorkspace, box: Box) -> None:
    """Prune, at the root, what few people would consider too; unless nothing else is left."""
    p = workspace.positions[ROOT_VIEW]
    candidate_actions(p, box, workspace.mask)
    for word in range(len(workspace.mask)):
        workspace.untried[word] = workspace.mask[word]
    prune_uncommon(p, box, workspace.untried)
    left = 0
    for word in range(len(workspace.mask)):
        left += popcount(workspace.untried[word] & ~workspace.pruned[word])
    if left > 0:
        for word in range(len(workspace.mask)):
            workspace.pruned[word] |= workspace.mask[word] & ~workspace.untried[word]


@rule
def cycle_key_after(workspace: SearchWorkspace, box: Box, decider: int, dice: int) -> int:
    """The cycle key of CHILD; 0 if the turn is over, or if dice were rolled."""
    child = workspace.positions[CHILD]
    return cycle_key(child, box) if child.turn == decider and workspace.dice[0] == dice else 0


# The tree


@rule
def choose_edge(
    workspace: SearchWorkspace, box: Box, weights: EvalWeights, settings: SearchSettings, viewer: int
) -> int:
    """The edge to descend in this world; 0 to leave the tree, at a new node or where memory is used up."""
    depth = workspace.used[DEPTH]
    if depth == MAX_DEPTH:
        return 0
    if depth == 0:
        for word in range(len(workspace.mask)):
            workspace.mask[word] &= ~workspace.pruned[word]
    node = find_node(workspace, infoset_key(workspace, box, viewer))
    if node < 0:
        return 0
    workspace.nodes[node].visits += 1
    if workspace.nodes[node].visits == 1 and depth > 0:
        return 0
    if mark_untried(workspace, node):
        expand(workspace, box, weights, settings, node, viewer)
    add_to_trail(workspace, cycle_key(workspace.positions[WORLD], box))
    return select_edge(workspace, settings, node)


@rule
def infoset_key(workspace: SearchWorkspace, box: Box, viewer: int) -> int:
    """A hash of the deciding seat's information set, never 0: FNV-like, one word at a time."""
    workspace.positions[DECIDER_VIEW] = workspace.positions[WORLD]
    seen = workspace.positions[DECIDER_VIEW]
    hide(seen, box, viewer if seen.turn == viewer else SPECTATOR)
    key = 0xCBF2_9CE4_8422_2325
    for word in range(workspace.words.shape[1]):
        key = ((key ^ int(workspace.words[DECIDER_VIEW, word])) * 0x9E37_79B9_7F4A_7C15) & WORD
        key = key ^ (key >> 29)
    return int(np.int64(key >> 1)) | 1


@rule
def find_node(workspace: SearchWorkspace, key: int) -> int:
    """The node with this key, added if there is none; -1 if the table is full."""
    last = len(workspace.nodes) - 1
    place = (key >> 1) & last
    while workspace.nodes[place].key != 0:
        if workspace.nodes[place].key == key:
            return place
        place = (place + 1) & last
    if 2 * workspace.used[NODES] > last:  # half full: probing stays short
        return -1
    if workspace.used[NODES] == 0:
        workspace.used[ROOT_NODE] = place
    workspace.used[NODES] += 1
    workspace.nodes[place].key = key
    return place


@rule
def mark_untried(workspace: SearchWorkspace, node: int) -> bool:
    """Whether this world has legal actions without an edge here; leaves them in `untried`."""
    for word in range(len(workspace.mask)):
        workspace.untried[word] = workspace.mask[word]
    edge = workspace.nodes[node].edge
    while edge:
        action = workspace.edges[edge].action
        forbid(workspace.untried, action)
        edge = workspace.edges[edge].next
    return count(workspace.untried) > 0


@rule
def expand(
    workspace: SearchWorkspace,
    box: Box,
    weights: EvalWeights,
    settings: SearchSettings,
    node: int,
    viewer: int,
) -> None:
    """Adds an edge for each untried action. Its prior and prior value come from the network's policy and the
    value of this node, or else from the evaluation of the position that the action leads to.
    """
    decider = workspace.positions[WORLD].turn
    child = workspace.positions[CHILD]
    has_policy = has_policy_head(workspace.net)
    if has_policy:
        evaluate_leaf(workspace, box, weights, workspace.positions[WORLD], viewer)
        softmax_policy(workspace.net, workspace.mask)
    value = workspace.shares[decider]
    for nth in range(count(workspace.untried)):
        action = pick(workspace.untried, nth)
        workspace.positions[CHILD] = workspace.positions[WORLD]
        dice = workspace.dice[0]
        play(child, box, action, workspace.dice)
        key = cycle_key_after(workspace, box, decider, dice)
        if has_policy:
            add_edge(workspace, node, action, value, workspace.net.policy_probs[action], key)
        else:
            evaluate_leaf(workspace, box, weights, child, viewer)
            prior_value = workspace.shares[decider]
            add_edge(
                workspace, node, action, prior_value, math.exp(prior_value / settings.prior_temperature), key
            )


@rule
def add_edge(
    workspace: SearchWorkspace, node: int, action: int, prior_value: float, prior: float, key: int
) -> None:
    """Add an edge as the node's first, while there is room."""
    edge = workspace.used[EDGES]
    if edge < len(workspace.edges):
        workspace.used[EDGES] += 1
        candidate = workspace.edges[edge]
        candidate.action = action
        candidate.prior_value = prior_value
        candidate.prior = prior
        candidate.visits = 0
        candidate.value_sum = 0.0
        candidate.cycle_key = key
        candidate.next = workspace.nodes[node].edge
        workspace.nodes[node].edge = edge


@rule
def select_edge(workspace: SearchWorkspace, settings: SearchSettings, node: int) -> int:
    """The edge with the highest PUCT score among the actions legal in this world, except those that close a
    cycle, unless all do; 0 if none of them has an edge.
    """
    visits = 1
    priors = 0.0
    best = 0
    edge = workspace.nodes[node].edge
    while edge:
        candidate = workspace.edges[edge]
        if allows(workspace.mask, candidate.action):
            if is_on_trail(workspace, candidate.cycle_key):
                forbid(workspace.mask, candidate.action)
                best = edge
            else:
                visits += candidate.visits
                priors += candidate.prior
        edge = candidate.next
    best_score = -1.0
    edge = workspace.nodes[node].edge
    while edge:
        candidate = workspace.edges[edge]
        if allows(workspace.mask, candidate.action):
            score = (candidate.value_sum + settings.prior_visits * candidate.prior_value) / (
                candidate.visits + settings.prior_visits
            )
            score += settings.c_puct * candidate.prior / priors * math.sqrt(visits) / (1 + candidate.visits)
            if score > best_score:
                best_score = score
                best = edge
        edge = candidate.next
    return best


@rule
def evaluate_leaf(
    workspace: SearchWorkspace, box: Box, weights: EvalWeights, p: Position, viewer: int
) -> None:
    """Leave in `shares` every seat's share of the win: the result, or by the evaluation or the network."""
    if p.turn < 0:
        scores(p, box, workspace.results)
        share_win(workspace.results, signed(p.players), workspace.shares)
        reward_close_losses(workspace, p)
        discount_late_wins(workspace, p, workspace.used[TURNS])
        return
    evaluation_gaps(workspace, box, weights, p)
    if len(workspace.net.row) == 0:
        win_shares_from_gaps(workspace, p)
    else:
        observer = signed(p.turn) if has_policy_head(workspace.net) else viewer
        query_network(workspace, box, p, observer)
        win_shares_from_network(workspace.net, p, observer, workspace.shares)
    blend_wide_spread(workspace, p)
    discount_late_wins(workspace, p, workspace.used[TURNS] + ASSUMED_TURNS_LEFT)


@rule
def evaluation_gaps(workspace: SearchWorkspace, box: Box, weights: EvalWeights, p: Position) -> None:
    """Leave in `points` how far every seat is behind the best by the evaluation, in spreads."""
    spread = evaluate(p, box, weights, workspace.points)
    most = workspace.points[0]
    for seat in range(1, p.players):
        most = max(most, workspace.points[seat])
    for seat in range(p.players):
        workspace.points[seat] = (workspace.points[seat] - most) / spread


@rule
def win_shares_from_gaps(workspace: SearchWorkspace, p: Position) -> None:
    total = 0.0
    for seat in range(p.players):
        workspace.shares[seat] = math.exp(workspace.points[seat])
        total += workspace.shares[seat]
    for seat in range(p.players):
        workspace.shares[seat] /= total


@rule
def query_network(workspace: SearchWorkspace, box: Box, p: Position, viewer: int) -> None:
    """Run the network's value head on a position, which an imagined world leaves open: on what a seat would
    see of it, and on the gaps, or on the private features of the other seats.
    """
    net = workspace.net
    observe(p, box, viewer, net.row)
    embed_row(net)
    players = signed(p.players)
    if has_policy_head(net):
        if len(net.private):
            for place in range(1, players):
                observe(p, box, absolute_seat(place, viewer, players), net.other_row)
                add_other_seat(net, place)
    else:
        write_gaps(workspace, p, viewer, net.gaps)
    value_logits(net, p)


@rule
def write_gaps(workspace: SearchWorkspace, p: Position, viewer: int, gaps: NDArray[np.float32]) -> None:
    """Write the evaluation's gaps in the viewer's order."""
    players = signed(p.players)
    for place in range(players):
        gaps[place] = max(workspace.points[absolute_seat(place, viewer, players)], FARTHEST)


@rule
def blend_wide_spread(workspace: SearchWorkspace, p: Position) -> None:
    """Share out a part of the win by a wider spread."""
    total = 0.0
    for seat in range(p.players):
        workspace.points[seat] = math.exp(workspace.points[seat] / WIDE_SPREAD_FACTOR)
        total += workspace.points[seat]
    for seat in range(p.players):
        workspace.shares[seat] = (1.0 - WIDE_BLEND) * workspace.shares[
            seat
        ] + WIDE_BLEND / total * workspace.points[seat]


@rule
def reward_close_losses(workspace: SearchWorkspace, p: Position) -> None:
    """Make losing by less slightly better than losing by more; a win stays a win."""
    most = workspace.results[0, 0]
    for seat in range(p.players):
        most = max(most, workspace.results[seat, 0])
    for seat in range(p.players):
        if workspace.shares[seat] == 0.0:
            workspace.shares[seat] = (
                WIDE_BLEND
                / p.players
                * math.exp((workspace.results[seat, 0] - most) / (1.0 + MARGIN * max(most, 0)))
            )


@rule
def discount_late_wins(workspace: SearchWorkspace, p: Position, turns: int) -> None:
    """Move wins towards an even share, the later they come. A seat that is behind gains nothing by delay."""
    part = TURN_DISCOUNT * turns / (1.0 + TURN_DISCOUNT * turns)
    even = 1.0 / p.players
    for seat in range(p.players):
        workspace.shares[seat] -= part * max(workspace.shares[seat] - even, 0.0)
    stall = stall_progress(p)
    if stall > 0.0:
        for seat in range(p.players):
            # for every seat, or the leader would wait for the stall rule
            workspace.shares[seat] *= 1.0 - stall


@rule
def look_ahead(
    workspace: SearchWorkspace, box: Box, weights: EvalWeights, viewer: int, worlds: int, out: Points
) -> None:
    """One-ply search: sum, over imagined worlds, the viewer's win share by evaluation after each action.

    An action after which the turn goes on costs DECISION_COST.
    """
    world = workspace.positions[WORLD]
    child = workspace.positions[CHILD]
    workspace.used[TURNS] = 0
    for _ in range(worlds):
        workspace.positions[WORLD] = workspace.positions[ROOT_VIEW]
        imagine(world, box, viewer, workspace.dice)
        candidate_actions(world, box, workspace.mask)
        for nth in range(count(workspace.mask)):
            action = pick(workspace.mask, nth)
            workspace.positions[CHILD] = workspace.positions[WORLD]
            play(child, box, action, workspace.dice)
            evaluate_leaf(workspace, box, weights, child, viewer)
            out[action] += workspace.shares[viewer] - DECISION_COST * (child.turn == viewer)
