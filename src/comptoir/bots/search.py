"""Information-set tree search, one source for all games.

Every iteration imagines a world that the searching seat cannot tell from the true one, goes down the tree in
it, and ends with a short playout and a judgement. Nodes are told apart by what the deciding seat can tell
apart: the searching seat by its own view, any other by what lies open (the searching seat cannot see that
one's hand, so neither does its tree: what may not be played in this world is passed over). Two ways to the
same view meet in one node. An edge keeps the wins of the seat that decides there, so every seat plays for
itself.

Choices are tried in the order of the judgement's opinion of them, as in AlphaZero's PUCT: of fifty bids, the
ten that nobody would make get no more than the one look that showed it.

Nobody goes in circles: where a seat has already been in its turn, it does not go again. And nobody dawdles: a
win is worth a little more the sooner it comes, and of two ways to the same the shorter one.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.bots.network import (
    NetworkBuffers,
    forward,
    has_policy_head,
    softmax_policy,
    win_shares_from_network,
)
from comptoir.engine.dice import WORD
from comptoir.engine.judgement import SEARCH
from comptoir.engine.mask import allow_if, allows, clear, count, forbid, pick
from comptoir.engine.observation import seat_at
from comptoir.engine.rule import Box, Dice, Mask, Points, Position, Scores, Values, rule, signed
from comptoir.engine.scoring import scores, share_win
from comptoir.engine.verbs import (
    habit,
    hide,
    imagine,
    judge,
    legal,
    observe,
    play,
    sensible,
    stalled,
    whereabouts,
)

MOST_DEPTH = 512
SPECTATOR = -1
# the desk's positions: the view, the world imagined from it, a view of that world, an action tried
ROOT_VIEW, WORLD, DECIDER_VIEW, CHILD = range(4)
NODES, EDGES, DEPTH, ROOT_NODE = range(4)  # what `used` counts, and the place of the top node
# turns that have passed; where the trail begins and ends, and the marks of what is on it
TURNS, EARLIER, SINCE, TRAIL, MARKS = range(4, 9)
OPEN = 9  # 1: the first position is the world itself, with all cards open, and nothing is imagined

TURN_DISCOUNT = 0.0002  # how much nearer to an even share a win is for each turn that it comes later
ASSUMED_TURNS_LEFT = 50  # turns until the end of a game that is judged, not played out
DECISION_COST = 0.00003  # of the win, for each decision of a turn: breaks ties, and no more
# the part of the win that is shared out by a wider spread, so that a seat that is sure to win or to lose
# still sees which way is better
WIDE_BLEND = 0.02
WIDE_SPREAD_FACTOR = 8.0  # how many times wider that spread is than the judgement's
FARTHEST = -8.0  # behind, by the spread, as a network is told it
MARGIN = 0.5  # and for those who have lost, its width as a part of the winner's points

NODE = np.dtype([("key", np.int64), ("visits", np.int32), ("edge", np.int32)])  # edge: the first, 0: none
EDGE = np.dtype(
    [
        ("total", np.float64),  # the sum of the deciding seat's win shares
        ("judged", np.float64),  # its win share by the judgement of what the action led to when first seen
        ("weight", np.float64),  # how promising that made it
        ("visits", np.int32),
        ("next", np.int32),  # the node's next edge, 0 for none
        ("action", np.int64),
        ("where", np.int64),  # the whereabouts it leads to in the same turn; 0 if chance has a part in that
    ]
)
SETTINGS = np.dtype([(name, setting.dtype) for name, setting in SEARCH.items()])


class SearchWorkspace(NamedTuple):
    """All that a search works on, laid out before it starts: an iteration allocates nothing."""

    positions: Any
    words: NDArray[np.uint64]  # the positions' memory, as words
    nodes: Any  # a hash table: a node is in the first free place from its key on
    edges: Any
    used: NDArray[np.int64]
    path: NDArray[np.int32]  # the edges gone down
    deciders: NDArray[np.int32]  # and who chose them
    visited_keys: NDArray[np.int64]  # the whereabouts that the seat that decides has had in its turn
    mask: Mask
    untried: Mask
    pruned: Mask  # at the top of the tree: what leads back to where the seat has been in its turn
    dice: Dice
    points: Points
    shares: Points
    results: Scores
    net: NetworkBuffers  # empty where the judgement alone is asked


@rule
def search(
    desk: SearchWorkspace, box: Box, values: Values, settings: Any, viewer: int, iterations: int
) -> None:
    """Runs more iterations for the seat whose view is the desk's first position."""
    for _ in range(iterations):
        descend(desk, box, values, settings, viewer)
        evaluate_leaf(desk, box, values, desk.positions[WORLD], viewer)
        backpropagate(desk)


@rule
def descend(desk: SearchWorkspace, box: Box, values: Values, settings: Any, viewer: int) -> None:
    """The first part of an iteration: imagines a world and goes down the tree in it, then plays on by habit.
    Where that led, in the world on the desk, is to be valued and credited.
    """
    p = desk.positions[WORLD]
    desk.positions[WORLD] = desk.positions[ROOT_VIEW]
    if desk.used[OPEN] == 0:
        imagine(p, box, viewer, desk.dice)
    desk.used[DEPTH] = 0
    desk.used[TURNS] = 0
    start_trail(desk)
    left = settings.patience
    in_tree = True
    while p.turn >= 0 and (in_tree or left > 0):
        candidate_actions(p, box, desk.mask)
        # one choice is nothing to decide; but the top of the tree is the view's own decision
        if desk.used[DEPTH] > 0 and count(desk.mask) == 1:
            action = pick(desk.mask, 0)
        elif in_tree:
            edge = choose_edge(desk, box, values, settings, viewer)
            in_tree = edge > 0
            if not in_tree:
                continue
            go_down(desk, edge, p.turn)
            action = desk.edges[edge].action
        else:
            action = habit(p, box, values, desk.mask, desk.dice)
            left -= 1
        decider = p.turn
        play(p, box, action, desk.dice)
        if p.turn != decider:
            desk.used[TURNS] += 1
            leave_trail(desk)


@rule
def candidate_actions(p: Position, box: Box, mask: Mask) -> None:
    """What is legal, and of that what is sensible."""
    clear(mask)
    legal(p, box, mask)
    sensible(p, box, mask)


@rule
def go_down(desk: SearchWorkspace, edge: int, decider: int) -> None:
    desk.path[desk.used[DEPTH]] = edge
    desk.deciders[desk.used[DEPTH]] = decider
    desk.used[DEPTH] += 1


@rule
def backpropagate(desk: SearchWorkspace) -> None:
    """To every edge gone down, the win share of the seat that chose it, less its effort from there to the end
    of its turn.
    """
    decider = -1
    effort = 0.0
    for above in range(desk.used[DEPTH]):
        step = desk.used[DEPTH] - 1 - above
        if desk.deciders[step] != decider:
            decider = desk.deciders[step]
            effort = 0.0
        effort += DECISION_COST
        edge = desk.edges[desk.path[step]]
        edge.visits += 1
        edge.total += desk.shares[decider] - effort


# The trail: where a seat has been in its turn


@rule
def start_trail(desk: SearchWorkspace) -> None:
    """At the top of the tree, the first `EARLIER` of the trail are from the turn as it was played."""
    desk.used[SINCE] = 0
    desk.used[TRAIL] = desk.used[EARLIER]
    desk.used[MARKS] = 0
    for nth in range(desk.used[EARLIER]):
        desk.used[MARKS] |= mark(desk.visited_keys[nth])


@rule
def leave_trail(desk: SearchWorkspace) -> None:
    """Another seat's turn has begun."""
    desk.used[SINCE] = desk.used[EARLIER]
    desk.used[TRAIL] = desk.used[EARLIER]
    desk.used[MARKS] = 0


@rule
def mark(where: int) -> int:
    """One bit of 32: what bears a mark that is not on the trail need not be looked for there."""
    return 1 << int(where & 31)


@rule
def add_to_trail(desk: SearchWorkspace, where: int) -> None:
    if where != 0 and desk.used[TRAIL] < len(desk.visited_keys):
        desk.visited_keys[desk.used[TRAIL]] = where
        desk.used[TRAIL] += 1
        desk.used[MARKS] |= mark(where)


@rule
def is_on_trail(desk: SearchWorkspace, where: int) -> bool:
    if where == 0 or desk.used[MARKS] & mark(where) == 0:
        return False
    for nth in range(desk.used[SINCE], desk.used[TRAIL]):
        if desk.visited_keys[nth] == where:
            return True
    return False


@rule
def prune_cycles(desk: SearchWorkspace, box: Box, viewer: int) -> None:
    """Bars, at the top of the tree, what leads to where the seat has already been in this turn, or to nowhere
    else; unless all does.
    """
    clear(desk.pruned)
    start_trail(desk)
    add_to_trail(desk, whereabouts(desk.positions[ROOT_VIEW], box))
    if desk.used[TRAIL] == 0:
        return
    world = desk.positions[WORLD]
    desk.positions[WORLD] = desk.positions[ROOT_VIEW]
    imagine(world, box, viewer, desk.dice)
    candidate_actions(world, box, desk.mask)
    for nth in range(count(desk.mask)):
        action = pick(desk.mask, nth)
        desk.positions[CHILD] = desk.positions[WORLD]
        dice = desk.dice[0]
        play(desk.positions[CHILD], box, action, desk.dice)
        allow_if(desk.pruned, action, closes_cycle(desk, box, viewer, dice))
    if count(desk.pruned) == count(desk.mask):
        clear(desk.pruned)


@rule
def closes_cycle(desk: SearchWorkspace, box: Box, viewer: int, dice: int) -> bool:
    """Whether an action that was tried led to where the seat has been, or to where all that can follow
    does.
    """
    trial = desk.positions[CHILD]
    if trial.turn != viewer or desk.dice[0] != dice:
        return False
    if is_on_trail(desk, whereabouts(trial, box)):
        return True
    candidate_actions(trial, box, desk.untried)
    then = desk.positions[DECIDER_VIEW]
    for nth in range(count(desk.untried)):
        desk.positions[DECIDER_VIEW] = desk.positions[CHILD]
        play(then, box, pick(desk.untried, nth), desk.dice)
        if then.turn != viewer or desk.dice[0] != dice or not is_on_trail(desk, whereabouts(then, box)):
            return False
    return True


@rule
def cycle_key_after(desk: SearchWorkspace, box: Box, decider: int, dice: int) -> int:
    """The whereabouts of an action that was tried, when the dice still are what they were before it; else,
    and after a turn, 0.
    """
    trial = desk.positions[CHILD]
    return whereabouts(trial, box) if trial.turn == decider and desk.dice[0] == dice else 0


# The tree


@rule
def choose_edge(desk: SearchWorkspace, box: Box, values: Values, settings: Any, viewer: int) -> int:
    """The edge to go down in this world. 0 to leave the tree: the node is new, or there is no room."""
    depth = desk.used[DEPTH]
    if depth == MOST_DEPTH:
        return 0
    if depth == 0:
        for word in range(len(desk.mask)):
            desk.mask[word] &= ~desk.pruned[word]
    node = find_node(desk, infoset_key(desk, box, viewer))
    if node < 0:
        return 0
    desk.nodes[node].visits += 1
    if desk.nodes[node].visits == 1 and depth > 0:
        return 0
    if mark_untried(desk, node):
        expand(desk, box, values, settings, node, viewer)
    add_to_trail(desk, whereabouts(desk.positions[WORLD], box))
    return select_edge(desk, settings, node)


@rule
def infoset_key(desk: SearchWorkspace, box: Box, viewer: int) -> int:
    """A number for what is told apart at this decision: FNV-like, a word at a time. Never 0."""
    desk.positions[DECIDER_VIEW] = desk.positions[WORLD]
    seen = desk.positions[DECIDER_VIEW]
    hide(seen, box, viewer if seen.turn == viewer else SPECTATOR)
    key = 0xCBF2_9CE4_8422_2325
    for word in range(desk.words.shape[1]):
        key = ((key ^ int(desk.words[DECIDER_VIEW, word])) * 0x9E37_79B9_7F4A_7C15) & WORD
        key = key ^ (key >> 29)
    return int(np.int64(key >> 1)) | 1


@rule
def find_node(desk: SearchWorkspace, key: int) -> int:
    """The node with this key, made if there is none; -1 if the desk is full."""
    last = len(desk.nodes) - 1
    place = (key >> 1) & last
    while desk.nodes[place].key != 0:
        if desk.nodes[place].key == key:
            return place
        place = (place + 1) & last
    if 2 * desk.used[NODES] > last:  # half full: still quick to search
        return -1
    if desk.used[NODES] == 0:
        desk.used[ROOT_NODE] = place
    desk.used[NODES] += 1
    desk.nodes[place].key = key
    return place


@rule
def mark_untried(desk: SearchWorkspace, node: int) -> bool:
    """Whether this world allows actions that have no edge here yet: `untried` is left holding them."""
    for word in range(len(desk.mask)):
        desk.untried[word] = desk.mask[word]
    edge = desk.nodes[node].edge
    while edge:
        action = desk.edges[edge].action
        forbid(desk.untried, action)
        edge = desk.edges[edge].next
    return count(desk.untried) > 0


@rule
def expand(desk: SearchWorkspace, box: Box, values: Values, settings: Any, node: int, viewer: int) -> None:
    """An edge for each untried action, with the judgement of what it leads to in this world; or, by a network
    that knows actions, with its promise, and what is hoped for here.
    """
    decider = desk.positions[WORLD].turn
    trial = desk.positions[CHILD]
    foreseen = has_policy_head(desk.net)
    if foreseen:
        evaluate_leaf(desk, box, values, desk.positions[WORLD], viewer)
        softmax_policy(desk.net, desk.mask)
    hope = desk.shares[decider]
    for nth in range(count(desk.untried)):
        action = pick(desk.untried, nth)
        desk.positions[CHILD] = desk.positions[WORLD]
        dice = desk.dice[0]
        play(trial, box, action, desk.dice)
        where = cycle_key_after(desk, box, decider, dice)
        if foreseen:
            add_edge(desk, node, action, hope, desk.net.policy_probs[action], where)
        else:
            evaluate_leaf(desk, box, values, trial, viewer)
            judged = desk.shares[decider]
            add_edge(desk, node, action, judged, math.exp(judged / settings.sharpness), where)


@rule
def add_edge(desk: SearchWorkspace, node: int, action: int, judged: float, weight: float, where: int) -> None:
    """As the node's first, while there is room."""
    edge = desk.used[EDGES]
    if edge < len(desk.edges):
        desk.used[EDGES] += 1
        here = desk.edges[edge]
        here.action = action
        here.judged = judged
        here.weight = weight
        here.visits = 0
        here.total = 0.0
        here.where = where
        here.next = desk.nodes[node].edge
        desk.nodes[node].edge = edge


@rule
def select_edge(desk: SearchWorkspace, settings: Any, node: int) -> int:
    """The most promising of the actions that this world allows, but for those that lead back, unless all do;
    0 if none of them had room.
    """
    visits = 1
    weights = 0.0
    best = 0
    edge = desk.nodes[node].edge
    while edge:
        here = desk.edges[edge]
        if allows(desk.mask, here.action):
            if is_on_trail(desk, here.where):
                forbid(desk.mask, here.action)
                best = edge
            else:
                visits += here.visits
                weights += here.weight
        edge = here.next
    most = -1.0
    edge = desk.nodes[node].edge
    while edge:
        here = desk.edges[edge]
        if allows(desk.mask, here.action):
            worth = (here.total + settings.trust * here.judged) / (here.visits + settings.trust)
            worth += settings.explore * here.weight / weights * math.sqrt(visits) / (1 + here.visits)
            if worth > most:
                most = worth
                best = edge
        edge = here.next
    return best


@rule
def evaluate_leaf(desk: SearchWorkspace, box: Box, values: Values, p: Position, viewer: int) -> None:
    """Every seat's share of the win: as it came out, or by the judgement, or by the network."""
    if p.turn < 0:
        scores(p, box, desk.results)
        share_win(desk.results, signed(p.players), desk.shares)
        reward_close_losses(desk, p)
        discount_late_wins(desk, p, desk.used[TURNS])
        return
    evaluation_gaps(desk, box, values, p)
    if len(desk.net.row) == 0:
        win_shares_from_gaps(desk, p)
    else:
        seer = signed(p.turn) if has_policy_head(desk.net) else viewer
        query_network(desk, box, p, seer)
        win_shares_from_network(desk.net, p, seer, desk.shares)
    blend_wide_spread(desk, p)
    discount_late_wins(desk, p, desk.used[TURNS] + ASSUMED_TURNS_LEFT)


@rule
def evaluation_gaps(desk: SearchWorkspace, box: Box, values: Values, p: Position) -> None:
    """By the judgement: how far every seat is behind the best, by the spread."""
    spread = judge(p, box, values, desk.points)
    most = desk.points[0]
    for seat in range(1, p.players):
        most = max(most, desk.points[seat])
    for seat in range(p.players):
        desk.points[seat] = (desk.points[seat] - most) / spread


@rule
def win_shares_from_gaps(desk: SearchWorkspace, p: Position) -> None:
    total = 0.0
    for seat in range(p.players):
        desk.shares[seat] = math.exp(desk.points[seat])
        total += desk.shares[seat]
    for seat in range(p.players):
        desk.shares[seat] /= total


@rule
def query_network(desk: SearchWorkspace, box: Box, p: Position, viewer: int) -> None:
    """Shows the network the position as a seat would see it, and what the judgement says."""
    write_network_input(desk, box, p, viewer, desk.net.row, desk.net.gaps)
    forward(desk.net, p, viewer)


@rule
def write_network_input(
    desk: SearchWorkspace, box: Box, p: Position, viewer: int, row: Any, behind: Any
) -> None:
    """What a network goes by, in the viewer's order."""
    observe(p, box, viewer, row)
    players = signed(p.players)
    for place in range(players):
        behind[place] = max(desk.points[seat_at(place, viewer, players)], FARTHEST)


@rule
def blend_wide_spread(desk: SearchWorkspace, p: Position) -> None:
    """A part of the win is shared out by a wider spread."""
    total = 0.0
    for seat in range(p.players):
        desk.points[seat] = math.exp(desk.points[seat] / WIDE_SPREAD_FACTOR)
        total += desk.points[seat]
    for seat in range(p.players):
        desk.shares[seat] = (1.0 - WIDE_BLEND) * desk.shares[seat] + WIDE_BLEND / total * desk.points[seat]


@rule
def reward_close_losses(desk: SearchWorkspace, p: Position) -> None:
    """To lose by less is a little better than by more; a win is a win."""
    most = desk.results[0, 0]
    for seat in range(p.players):
        most = max(most, desk.results[seat, 0])
    for seat in range(p.players):
        if desk.shares[seat] == 0.0:
            desk.shares[seat] = (
                WIDE_BLEND
                / p.players
                * math.exp((desk.results[seat, 0] - most) / (1.0 + MARGIN * max(most, 0)))
            )


@rule
def discount_late_wins(desk: SearchWorkspace, p: Position, turns: int) -> None:
    """The later a win comes, the less it is worth: the nearer to an even share.

    A seat that is behind gains nothing by delay.
    """
    part = TURN_DISCOUNT * turns / (1.0 + TURN_DISCOUNT * turns)
    even = 1.0 / p.players
    for seat in range(p.players):
        desk.shares[seat] -= part * max(desk.shares[seat] - even, 0.0)
    stall = stalled(p)
    if stall > 0.0:
        for seat in range(p.players):
            # for everyone, or the seat that is ahead would wait for the guard rule
            desk.shares[seat] *= 1.0 - stall


@rule
def look_ahead(
    desk: SearchWorkspace, box: Box, values: Values, viewer: int, worlds: int, out: Points
) -> None:
    """One action ahead: adds up, over imagined worlds, the viewer's win share by the judgement after each
    legal action.

    One after which there is more to decide in this turn is worth a little less.
    """
    world = desk.positions[WORLD]
    trial = desk.positions[CHILD]
    desk.used[TURNS] = 0
    for _ in range(worlds):
        desk.positions[WORLD] = desk.positions[ROOT_VIEW]
        imagine(world, box, viewer, desk.dice)
        candidate_actions(world, box, desk.mask)
        for nth in range(count(desk.mask)):
            action = pick(desk.mask, nth)
            desk.positions[CHILD] = desk.positions[WORLD]
            play(trial, box, action, desk.dice)
            evaluate_leaf(desk, box, values, trial, viewer)
            out[action] += desk.shares[viewer] - DECISION_COST * (trial.turn == viewer)
