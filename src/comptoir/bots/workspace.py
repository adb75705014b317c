"""The desk that a search works on, laid out for a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from comptoir.bots.network import Network, new_network_buffers
from comptoir.bots.search import (
    EARLIER,
    EDGE,
    EDGES,
    MOST_DEPTH,
    NODE,
    OPEN,
    ROOT_NODE,
    ROOT_VIEW,
    WORLD,
    SearchWorkspace,
    candidate_actions,
    find_node,
    infoset_key,
    prune_cycles,
)
from comptoir.engine.game import Game
from comptoir.engine.mask import members, new_mask
from comptoir.engine.verbs import Verbs, imagine, play, whereabouts

EDGES_EACH = 16  # room for each iteration; a search whose desk is full goes on with the tree it has


def new_workspace(game: Game, iterations: int, network: Network | None = None) -> SearchWorkspace:
    """A desk with room for the tree of a number of iterations, and the network to be asked, if any."""
    positions = game.position.array(4)
    seats = game.position.seats
    return SearchWorkspace(
        positions=positions,
        words=positions.view(np.uint64).reshape(4, -1),
        nodes=np.zeros(1 << (2 * iterations + 2).bit_length(), NODE).view(np.recarray),
        edges=np.zeros(EDGES_EACH * iterations + 1, EDGE).view(np.recarray),
        used=np.zeros(OPEN + 1, np.int64),
        path=np.zeros(MOST_DEPTH, np.int32),
        deciders=np.zeros(MOST_DEPTH, np.int32),
        visited_keys=np.zeros(2 * MOST_DEPTH, np.int64),
        mask=new_mask(len(game.actions)),
        untried=new_mask(len(game.actions)),
        pruned=new_mask(len(game.actions)),
        dice=np.zeros(1, np.uint64),
        points=game.new_points(),
        shares=np.zeros(seats),
        results=game.new_scores(1)[0],
        net=new_network_buffers(game, network),
    )


def clear_tree(desk: SearchWorkspace) -> None:
    """No tree. Edge 0 stands for none."""
    desk.nodes.view(np.uint8)[...] = 0
    desk.used[...] = 0
    desk.used[EDGES] = 1


def set_root(
    desk: SearchWorkspace,
    game: Game,
    box: np.record,
    view: np.record,
    earlier: Sequence[np.record],
    verbs: Verbs | None = None,
) -> None:
    """Puts on the desk what the seat that decides sees, and where it has been earlier in this turn.

    What it may not know is blank, whatever the view holds.
    """
    verbs = verbs or game.compiled
    viewer, where = int(view["turn"]), verbs.bind(whereabouts)
    desk.positions[ROOT_VIEW] = game.seen_by(view, box, viewer)
    been = [where(p, box) for p in earlier[-MOST_DEPTH:]]
    desk.used[EARLIER] = len(been)
    desk.visited_keys[: len(been)] = been
    verbs.bind(prune_cycles)(desk, box, viewer)


def root_edges(desk: SearchWorkspace) -> Iterator[tuple[int, int, float]]:
    """Each action at the top of the tree: its number, how often it was tried, the sum of its win shares."""
    return edges_of(desk, int(desk.used[ROOT_NODE]))


def edges_of(desk: SearchWorkspace, node: int) -> Iterator[tuple[int, int, float]]:
    """The same for any node. Asked for many times in a search: columns are read quicker than records."""
    edges = desk.edges
    action, visits, total, after = (edges[name] for name in ("action", "visits", "total", "next"))
    edge = int(desk.nodes[node].edge)
    while edge:
        yield int(action[edge]), int(visits[edge]), float(total[edge])
        edge = int(after[edge])


def principal_variation(
    desk: SearchWorkspace, game: Game, box: np.record, viewer: int, first: int, enough: int
) -> list[int]:
    """What the seat that has searched would do in this turn, from its first action on: each time what it has
    tried most, as long as it has tried it `enough`, and until chance or another seat decides.

    Interpreted: it is a few steps, and nobody waits for a compiler.
    """
    verbs = game.interpreted
    list_here, look_here, find = verbs.bind(candidate_actions), verbs.bind(infoset_key), verbs.bind(find_node)
    world, line = desk.positions[WORLD], [first]
    desk.positions[WORLD] = desk.positions[ROOT_VIEW]
    verbs.bind(imagine)(world, box, viewer, desk.dice)
    while len(line) < MOST_DEPTH:
        dice = int(desk.dice[0])
        verbs.bind(play)(world, box, line[-1], desk.dice)
        if world.turn != viewer or int(desk.dice[0]) != dice:
            break
        list_here(world, box, desk.mask)
        allowed = members(desk.mask)
        if len(allowed) > 1:
            node = find(desk, look_here(desk, box, viewer))
            tried = [(n, action) for action, n, _ in edges_of(desk, node) if action in allowed]
            most, action = max(tried, default=(0, -1))
            if most < enough:
                break
            allowed = [action]
        line.append(allowed[0])
    return line


def root_prior_values(desk: SearchWorkspace) -> Iterator[tuple[int, float]]:
    """Each action at the top of the tree: its number, and its win share by the judgement of what it led to
    when first tried.
    """
    edge = int(desk.nodes[desk.used[ROOT_NODE]].edge)
    while edge:
        here = desk.edges[edge]
        yield int(here.action), float(here.judged)
        edge = int(here.next)
