"""Information-set tree search, one source for all games.

Every iteration imagines a world that the searching seat cannot tell from the true one, goes down the tree in it, and
ends with a short playout and a judgement. Nodes are told apart by what the deciding seat can tell apart: the searching
seat by its own view, any other by what lies open (the searching seat cannot see that one's hand, so neither does its
tree: what may not be played in this world is passed over). Two ways to the same view meet in one node. An edge keeps
the wins of the seat that decides there, so every seat plays for itself.

Choices are tried in the order of the judgement's opinion of them, as in AlphaZero's PUCT: of fifty bids, the ten that
nobody would make get no more than the one look that showed it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.dice import WORD
from comptoir.engine.mask import ONE, allows, clear, count, nth_one, pick
from comptoir.engine.rule import Box, Dice, Mask, Points, Scores, Values, rule
from comptoir.engine.verbs import habit, hide, imagine, judge, legal, play, scores

MOST_DEPTH = 512
SPECTATOR = -1
ROOT, WORLD, SIGHT, TRIAL = range(4)  # the desk's positions: the view, the world imagined from it, a view of that, an action tried
NODES, EDGES, TOP = range(3)  # what `used` counts, and the place of the top node

NODE = np.dtype([("key", np.int64), ("visits", np.int32), ("edge", np.int32)])  # edge: the first one, 0 for none
EDGE = np.dtype(
    [
        ("total", np.float64),  # the sum of the deciding seat's win shares
        ("judged", np.float64),  # its win share by the judgement of what the action led to when first seen
        ("weight", np.float64),  # how promising that made it
        ("visits", np.int32),
        ("next", np.int32),  # the node's next edge, 0 for none
        ("action", np.int32),
    ]
)
SETTINGS = np.dtype(
    [
        ("patience", np.int32),  # decisions by habit before the judgement
        ("explore", np.float64),  # how much to look at what was looked at little
        ("trust", np.float64),  # how many iterations the first judgement of an action is worth
        ("sharpness", np.float64),  # a win share higher by this makes an action e times as promising
    ]
)


class Desk(NamedTuple):
    """All that a search works on, laid out before it starts: an iteration allocates nothing."""

    positions: Any
    words: NDArray[np.uint64]  # the positions' memory, as words
    nodes: Any  # a hash table: a node is in the first free place from its key on
    edges: Any
    used: NDArray[np.int64]
    path: NDArray[np.int32]  # the edges gone down
    deciders: NDArray[np.int32]  # and who chose them
    mask: Mask
    untried: Mask
    dice: Dice
    points: Points
    shares: Points
    results: Scores


@rule
def search(desk: Desk, box: Box, values: Values, settings: Any, viewer: int, iterations: int) -> None:
    """So many iterations more, for the seat whose view is the desk's first position."""
    for _ in range(iterations):
        desk.positions[WORLD] = desk.positions[ROOT]
        imagine(desk.positions[WORLD], box, viewer, desk.dice)
        depth = descend(desk, box, values, settings, viewer)
        play_out(desk, box, values, settings.patience)
        value(desk, box, values, WORLD)
        for step in range(depth):
            edge = desk.edges[desk.path[step]]
            edge.visits += 1
            edge.total += desk.shares[desk.deciders[step]]


@rule
def descend(desk: Desk, box: Box, values: Values, settings: Any, viewer: int) -> int:
    """Plays the world on to a node that is new, or to the end; returns how many edges were gone down."""
    p = desk.positions[WORLD]
    depth = 0
    while p.turn >= 0 and depth < MOST_DEPTH:
        clear(desk.mask)
        legal(p, box, desk.mask)
        if count(desk.mask) == 1:  # nothing to decide
            play(p, box, pick(desk.mask, 0), desk.dice)
            continue
        node = find_node(desk, sight(desk, box, viewer))
        if node < 0:
            break
        desk.nodes[node].visits += 1
        if desk.nodes[node].visits == 1 and depth > 0:
            break
        edge = choose_edge(desk, box, values, settings, node)
        if edge == 0:
            break
        desk.path[depth] = edge
        desk.deciders[depth] = p.turn
        depth += 1
        play(p, box, desk.edges[edge].action, desk.dice)
    return depth


@rule
def sight(desk: Desk, box: Box, viewer: int) -> int:
    """A number for what is told apart at this decision: FNV-like, a word at a time. Never 0."""
    desk.positions[SIGHT] = desk.positions[WORLD]
    seen = desk.positions[SIGHT]
    hide(seen, box, viewer if seen.turn == viewer else SPECTATOR)
    key = 0xCBF2_9CE4_8422_2325
    for word in range(desk.words.shape[1]):
        key = ((key ^ int(desk.words[SIGHT, word])) * 0x9E37_79B9_7F4A_7C15) & WORD
        key = key ^ (key >> 29)
    return int(np.int64(key >> 1)) | 1


@rule
def find_node(desk: Desk, key: int) -> int:
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
        desk.used[TOP] = place
    desk.used[NODES] += 1
    desk.nodes[place].key = key
    return place


@rule
def choose_edge(desk: Desk, box: Box, values: Values, settings: Any, node: int) -> int:
    """The most promising of the actions that this world allows; 0 if there is no room for them."""
    for word in range(len(desk.mask)):
        desk.untried[word] = desk.mask[word]
    visits = 0
    weights = 0.0
    edge = desk.nodes[node].edge
    while edge:
        here = desk.edges[edge]
        if allows(desk.mask, here.action):
            desk.untried[here.action >> 6] ^= ONE << np.uint64(here.action & 63)
            visits += here.visits
            weights += here.weight
        edge = here.next
    weights += open_edges(desk, box, values, settings, node)
    best = 0
    most = -1.0
    looks = settings.explore * math.sqrt(visits + 1.0) / weights
    edge = desk.nodes[node].edge
    while edge:
        here = desk.edges[edge]
        if allows(desk.mask, here.action):
            worth = (here.total + settings.trust * here.judged) / (here.visits + settings.trust)
            worth += looks * here.weight / (1 + here.visits)
            if worth > most:
                most = worth
                best = edge
        edge = here.next
    return best


@rule
def open_edges(desk: Desk, box: Box, values: Values, settings: Any, node: int) -> float:
    """An edge for each action that is new here, with the judgement of what it leads to; returns the sum of their weights."""
    decider = desk.positions[WORLD].turn
    weights = 0.0
    for word in range(len(desk.untried)):
        while desk.untried[word] and desk.used[EDGES] < len(desk.edges):
            action = 64 * word + nth_one(desk.untried[word], 0)
            desk.untried[word] &= desk.untried[word] - ONE
            try_action(desk, box, values, action)
            edge = desk.used[EDGES]
            desk.used[EDGES] += 1
            here = desk.edges[edge]
            here.action = action
            here.judged = desk.shares[decider]
            here.weight = math.exp(desk.shares[decider] / settings.sharpness)
            here.visits = 0
            here.total = 0.0
            here.next = desk.nodes[node].edge
            desk.nodes[node].edge = edge
            weights += here.weight
    return weights


@rule
def try_action(desk: Desk, box: Box, values: Values, action: int) -> None:
    """The win shares that the judgement sees after an action in this world."""
    desk.positions[TRIAL] = desk.positions[WORLD]
    play(desk.positions[TRIAL], box, action, desk.dice)
    value(desk, box, values, TRIAL)


@rule
def play_out(desk: Desk, box: Box, values: Values, patience: int) -> None:
    """Plays on by habit, for some decisions or to the end."""
    p = desk.positions[WORLD]
    left = patience
    while p.turn >= 0 and left > 0:
        clear(desk.mask)
        legal(p, box, desk.mask)
        play(p, box, habit(p, box, values, desk.mask, desk.dice), desk.dice)
        left -= 1


@rule
def value(desk: Desk, box: Box, values: Values, row: int) -> None:
    """Every seat's share of the win: as it came out, or by the judgement."""
    p = desk.positions[row]
    if p.turn < 0:
        share_win(desk, box, row)
        return
    spread = judge(p, box, values, desk.points)
    most = desk.points[0]
    for seat in range(1, p.players):
        most = max(most, desk.points[seat])
    total = 0.0
    for seat in range(p.players):
        desk.shares[seat] = math.exp((desk.points[seat] - most) / spread)
        total += desk.shares[seat]
    for seat in range(p.players):
        desk.shares[seat] /= total


@rule
def share_win(desk: Desk, box: Box, row: int) -> None:
    """The game is over: who has most wins, and a tie that nothing breaks shares the win."""
    p = desk.positions[row]
    players = np.int64(p.players)  # signed: where signed and unsigned numbers meet, Numba makes floats
    scores(p, box, desk.results)
    best = 0
    winners = 1
    for seat in range(1, players):
        order = compare(desk.results, seat, best)
        if order > 0:
            best = seat
            winners = 1
        elif order == 0:
            winners += 1
    for seat in range(players):
        desk.shares[seat] = 1.0 / winners if compare(desk.results, seat, best) == 0 else 0.0


@rule
def compare(results: Scores, one: int, other: int) -> int:
    """Above 0 if one seat's row is better than another's, 0 if they tie."""
    for column in range(results.shape[1]):
        if results[one, column] != results[other, column]:
            return 1 if results[one, column] > results[other, column] else -1
    return 0


@rule
def look_ahead(desk: Desk, box: Box, values: Values, viewer: int, worlds: int, out: Points) -> None:
    """One action ahead: adds up, over imagined worlds, the viewer's win share by the judgement after each legal action."""
    for _ in range(worlds):
        desk.positions[WORLD] = desk.positions[ROOT]
        imagine(desk.positions[WORLD], box, viewer, desk.dice)
        clear(desk.mask)
        legal(desk.positions[WORLD], box, desk.mask)
        for nth in range(count(desk.mask)):
            action = pick(desk.mask, nth)
            try_action(desk, box, values, action)
            out[action] += desk.shares[viewer]
