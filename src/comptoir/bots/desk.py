"""The desk that a search works on, laid out for a game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comptoir.bots.search import EDGE, EDGES, MOST_DEPTH, NODE, TOP, Desk
from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask

EDGES_EACH = 16  # room for so many an iteration; a search whose desk is full goes on with the tree it has


def lay_out(game: Game, iterations: int) -> Desk:
    """A desk with room for a tree of so many iterations."""
    positions = game.position.array(4)
    seats = game.position.seats
    return Desk(
        positions=positions,
        words=positions.view(np.uint64).reshape(4, -1),
        nodes=np.zeros(1 << (2 * iterations + 2).bit_length(), NODE).view(np.recarray),
        edges=np.zeros(EDGES_EACH * iterations + 1, EDGE).view(np.recarray),
        used=np.zeros(4, np.int64),
        path=np.zeros(MOST_DEPTH, np.int32),
        deciders=np.zeros(MOST_DEPTH, np.int32),
        mask=new_mask(len(game.actions)),
        untried=new_mask(len(game.actions)),
        dice=np.zeros(1, np.uint64),
        points=np.zeros(seats),
        shares=np.zeros(seats),
        results=game.new_scores(1)[0],
    )


def clear_desk(desk: Desk) -> None:
    """No tree. Edge 0 stands for none."""
    desk.nodes.view(np.uint8)[...] = 0
    desk.used[...] = 0
    desk.used[EDGES] = 1


def top_edges(desk: Desk) -> Iterator[tuple[int, int, float]]:
    """Of each action at the top of the tree: its number, how often it was tried, and the sum of its win shares."""
    edge = int(desk.nodes[desk.used[TOP]].edge)
    while edge:
        here = desk.edges[edge]
        yield int(here.action), int(here.visits), float(here.total)
        edge = int(here.next)
