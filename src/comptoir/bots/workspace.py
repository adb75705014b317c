"""The memory that a search works in, allocated for a game; the root it starts from, and its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from comptoir.bots.network import Network, new_network_buffers
from comptoir.bots.search import (
    EARLIER,
    EDGE,
    EDGES,
    LEFT,
    MAX_DEPTH,
    MAX_LEFT,
    NODE,
    PLANNED,
    ROOT_NODE,
    ROOT_VIEW,
    SAME_WORLDS,
    SAMPLED,
    WORLD,
    SearchWorkspace,
    candidate_actions,
    find_node,
    infoset_key,
    prune_cycles,
    prune_uncommon_actions,
)
from comptoir.engine.game import Game
from comptoir.engine.interface import RuleSet, cycle_key, imagine, play
from comptoir.engine.mask import clear, members, new_mask
from comptoir.engine.rule import Box, Dice, Position
from comptoir.engine.schema import bytes_of, field_of
from comptoir.engine.scoring import new_points, new_scores

EDGES_EACH = 16  # per iteration; a search whose memory is used up continues in the tree it has


def new_workspace(game: Game, iterations: int, network: Network | None = None) -> SearchWorkspace:
    """Memory for the tree of a number of iterations, and for the network, if any."""
    positions = game.position.array(4)
    seats = game.position.seats
    return SearchWorkspace(
        positions=positions,
        words=positions.view(np.uint64).reshape(4, -1),
        nodes=np.zeros(1 << (2 * iterations + 2).bit_length(), NODE).view(np.recarray),
        edges=np.zeros(EDGES_EACH * iterations + 1, EDGE).view(np.recarray),
        used=np.zeros(SAMPLED + 1, np.int64),
        path=np.zeros(MAX_DEPTH, np.int32),
        deciders=np.zeros(MAX_DEPTH, np.int32),
        visited_keys=np.zeros(2 * MAX_DEPTH, np.int64),
        left=np.zeros((MAX_LEFT, len(game.position.repetition_mask)), np.uint64),
        repetition_mask=game.position.repetition_mask,
        mask=new_mask(len(game.actions)),
        untried=new_mask(len(game.actions)),
        pruned=new_mask(len(game.actions)),
        plan=np.zeros(MAX_DEPTH, np.int64),
        dice=np.zeros(1, np.uint64),
        world_dice=np.zeros(1, np.uint64),
        points=new_points(game),
        shares=np.zeros(seats),
        share_sums=np.zeros(seats),
        results=new_scores(game, 1)[0],
        net=new_network_buffers(game, network),
    )


def clear_tree(workspace: SearchWorkspace) -> None:
    """Remove all nodes and edges. Edge 0 stands for none."""
    workspace.nodes.view(np.uint8)[...] = 0
    workspace.used[...] = 0
    workspace.used[EDGES] = 1
    workspace.share_sums[...] = 0


def set_root(
    workspace: SearchWorkspace,
    game: Game,
    box: Box,
    view: Position,
    earlier: Sequence[Position],
    ruleset: RuleSet | None = None,
    common_only: bool = False,
) -> None:
    """Set the root to the view of the seat to act, with what it saw earlier (`earlier_views`).

    `common_only`: it considers only what most people would.

    What that seat may not know is hidden, whatever `view` holds.
    """
    ruleset = ruleset or game.compiled
    viewer, key_of = int(view["turn"]), ruleset.bind(cycle_key)
    workspace.positions[ROOT_VIEW] = game.seen_by(view, box, viewer)
    been = [key_of(p, box) for p in earlier if field_of(p, "turn") == viewer][-MAX_DEPTH:]
    workspace.used[EARLIER] = len(been)
    workspace.visited_keys[: len(been)] = been
    left = [bytes_of(p) for p in earlier if field_of(p, "turn") != viewer][-MAX_LEFT:]
    workspace.used[LEFT] = len(left)
    workspace.left[: len(left)] = np.frombuffer(b"".join(left), np.uint64).reshape(
        len(left), workspace.left.shape[1]
    )
    ruleset.bind(prune_cycles)(workspace, box, viewer)
    if common_only:
        ruleset.bind(prune_uncommon_actions)(workspace, box)


def root_edges(workspace: SearchWorkspace) -> Iterator[tuple[int, int, float]]:
    """Each action at the root: its index, its visits, and the sum of its win shares."""
    return edges_of(workspace, int(workspace.used[ROOT_NODE]))


def edges_of(workspace: SearchWorkspace, node: int) -> Iterator[tuple[int, int, float]]:
    """The same for any node. Called often: reading columns is faster than reading records."""
    edges = workspace.edges
    action, visits, total, after = (edges[name] for name in ("action", "visits", "value_sum", "next"))
    edge = int(workspace.nodes[node].edge)
    while edge:
        yield int(action[edge]), int(visits[edge]), float(total[edge])
        edge = int(after[edge])


def set_plan(
    workspace: SearchWorkspace, plan: Sequence[int], world_dice: Dice, sampled_turns: int = 0
) -> None:
    """After `set_root`: play these actions before the tree decides, in worlds that depend on these dice; and
    then what the policy samples, until so many turns are over.
    """
    workspace.plan[: len(plan)] = plan
    workspace.used[PLANNED] = len(plan)
    if plan:
        clear(workspace.pruned)
    workspace.used[SAME_WORLDS] = 1
    workspace.used[SAMPLED] = sampled_turns
    workspace.world_dice[:] = world_dice


def principal_variation(
    workspace: SearchWorkspace, game: Game, box: Box, viewer: int, first: Sequence[int], enough: int
) -> list[int]:
    """`first`, and then the most visited actions of this turn, until chance or another seat decides.

    It ends before an action with fewer than `enough` visits. Interpreted, so that nothing is compiled for a
    few steps.
    """
    ruleset = game.interpreted
    list_here, look_here, find = (
        ruleset.bind(candidate_actions),
        ruleset.bind(infoset_key),
        ruleset.bind(find_node),
    )
    line = list(first)
    world = _world_after(workspace, game, box, viewer, line)
    while world is not None and len(line) < MAX_DEPTH:
        list_here(world, box, workspace.mask)
        allowed = members(workspace.mask)
        if len(allowed) > 1:
            node = find(workspace, look_here(workspace, box, viewer))
            tried = [(n, action) for action, n, _ in edges_of(workspace, node) if action in allowed]
            most, action = max(tried, default=(0, -1))
            if most < enough:
                break
            allowed = [action]
        line.append(allowed[0])
        world = _played(workspace, game, box, viewer, allowed)
    return line


def turn_goes_on(workspace: SearchWorkspace, game: Game, box: Box, viewer: int, line: Sequence[int]) -> bool:
    """Whether the seat decides again after these actions, before chance or another seat does."""
    return _world_after(workspace, game, box, viewer, line) is not None


def _world_after(
    workspace: SearchWorkspace, game: Game, box: Box, viewer: int, line: Sequence[int]
) -> Position | None:
    """An imagined world after these actions; None where they end in chance or in another seat's decision."""
    world = workspace.positions[WORLD]
    workspace.positions[WORLD] = workspace.positions[ROOT_VIEW]
    game.interpreted.bind(imagine)(world, box, viewer, workspace.dice)
    return _played(workspace, game, box, viewer, line)


def _played(
    workspace: SearchWorkspace, game: Game, box: Box, viewer: int, actions: Sequence[int]
) -> Position | None:
    world, dice = workspace.positions[WORLD], int(workspace.dice[0])
    for action in actions:
        game.interpreted.bind(play)(world, box, action, workspace.dice)
        if world.turn != viewer or int(workspace.dice[0]) != dice:
            return None
    found: Position = world
    return found


def root_prior_values(workspace: SearchWorkspace) -> Iterator[tuple[int, float]]:
    """Each action at the root: its index, and its win share by evaluation when it was expanded."""
    edge = int(workspace.nodes[workspace.used[ROOT_NODE]].edge)
    while edge:
        here = workspace.edges[edge]
        yield int(here.action), float(here.prior_value)
        edge = int(here.next)
