"""The desk that a search works on, laid out for a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from comptoir.bots.search import EARLIER, EDGE, EDGES, MARKS, MOST_DEPTH, NODE, ROOT, TOP, Desk, bar_ways_back
from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.engine.verbs import whereabouts

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
        used=np.zeros(MARKS + 1, np.int64),
        path=np.zeros(MOST_DEPTH, np.int32),
        deciders=np.zeros(MOST_DEPTH, np.int32),
        trail=np.zeros(2 * MOST_DEPTH, np.int64),
        mask=new_mask(len(game.actions)),
        untried=new_mask(len(game.actions)),
        barred=new_mask(len(game.actions)),
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


def put_before(desk: Desk, game: Game, box: np.record, view: np.record, earlier: Sequence[np.record]) -> None:
    """What the seat to decide sees, and where it has already been in this turn; what it may not know is blank, whatever the view holds."""
    viewer, where = int(view["turn"]), game.compiled.bind(whereabouts)
    desk.positions[ROOT] = game.hidden(view, box, viewer)
    been = [where(p, box) for p in earlier[-MOST_DEPTH:]]
    desk.used[EARLIER] = len(been)
    desk.trail[: len(been)] = been
    game.compiled.bind(bar_ways_back)(desk, box, viewer)


def top_edges(desk: Desk) -> Iterator[tuple[int, int, float]]:
    """Of each action at the top of the tree: its number, how often it was tried, and the sum of its win shares."""
    edge = int(desk.nodes[desk.used[TOP]].edge)
    while edge:
        here = desk.edges[edge]
        yield int(here.action), int(here.visits), float(here.total)
        edge = int(here.next)


def first_look(desk: Desk) -> Iterator[tuple[int, float]]:
    """Of each action at the top of the tree: its number, and the win share by the judgement of what it led to when first seen."""
    edge = int(desk.nodes[desk.used[TOP]].edge)
    while edge:
        here = desk.edges[edge]
        yield int(here.action), float(here.judged)
        edge = int(here.next)
