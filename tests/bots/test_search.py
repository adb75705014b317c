"""The search: what it adds up, what it tells apart, and that it is the same every time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from comptoir.bots.search import (
    DECISION_COST,
    DEPTH,
    EDGES,
    MAX_DEPTH,
    NODES,
    ROOT_VIEW,
    SETTINGS,
    WORLD,
    SearchWorkspace,
    backpropagate,
    evaluate_leaf,
    find_node,
    infoset_key,
    search,
)
from comptoir.bots.searcher import Searcher
from comptoir.bots.workspace import clear_tree, new_workspace, root_edges
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import RuleSet
from comptoir.engine.match import Match
from comptoir.engine.scoring import compare, share_win
from comptoir.testing.fixtures import ruleset_of
from comptoir.time_source import SystemTime
from tests.test_contract import random_match

BATAVIA = get_game("batavia")


def settings(g: Game, **changes: float) -> Any:
    row = np.zeros(1, SETTINGS).view(np.recarray)[0]
    for name, figure in (g.evaluation.search | changes).items():
        row[name] = figure
    return row


def searched(
    match: Match, ruleset: RuleSet, iterations: int, room: int = 0, **changes: float
) -> SearchWorkspace:
    """A desk after that many iterations from the first decision."""
    g, desk = match.game, new_workspace(match.game, room or iterations)
    clear_tree(desk)
    desk.positions[ROOT_VIEW] = match.seen_by(match.turn)
    desk.dice[0] = 5
    ruleset.bind(search)(
        desk, match.box, g.evaluation.weights, settings(g, **changes), match.turn or 0, iterations
    )
    return desk


def decision(g: Game, seed: int = 3) -> Match:
    """The first moment of a match at which there is something to choose."""
    match = Match(g.name, seed=seed)
    while len(match.actions()) == 1:
        match.play(match.actions()[0])
    return match


@pytest.mark.slow
def test_interpreted_and_compiled_searches_are_the_same(any_game: Game) -> None:
    match = decision(any_game)
    one, other = (
        searched(match, ruleset_of(any_game, mode), 24, rollout_depth=6)
        for mode in ("interpreted", "compiled")
    )
    np.testing.assert_allclose(list(root_edges(one)), list(root_edges(other)), rtol=1e-12)
    assert one.nodes.tobytes() == other.nodes.tobytes()


def test_every_iteration_is_counted_once_at_the_top(any_game: Game) -> None:
    match = decision(any_game)
    edges = list(root_edges(searched(match, any_game.compiled, 300)))
    # which is not sensible
    assert {any_game.actions[action] for action, _, _ in edges} == set(match.actions()) - {"recall"}
    assert sum(visits for _, visits, _ in edges) == 300
    assert all(-DECISION_COST * visits * MAX_DEPTH <= total <= visits for _, visits, total in edges)


def test_each_seat_counts_what_it_wins_itself() -> None:
    """A path of two decisions of seat 0, one of seat 2 and one more of seat 0: each edge counts the share of the seat
    that chose it, less the cost of that seat's decisions from there to the end of its turn.
    """
    desk = new_workspace(BATAVIA, 1)
    clear_tree(desk)
    desk.shares[:3] = 0.5, 0.3, 0.2
    desk.path[:4], desk.deciders[:4], desk.used[DEPTH] = (3, 1, 4, 2), (0, 0, 2, 0), 4
    for _ in range(2):
        BATAVIA.interpreted.bind(backpropagate)(desk)
    assert desk.edges["visits"][:6].tolist() == [0, 2, 2, 2, 2, 0]
    worth = [share - cost * DECISION_COST for share, cost in ((0.5, 1), (0.5, 1), (0.5, 2), (0.2, 1))]
    assert desk.edges["value_sum"][1:5].tolist() == pytest.approx([2 * one for one in worth], abs=1e-9)


def test_a_lone_action_is_the_opinion() -> None:
    """Where there is nothing to choose, the tree still starts at the view's own decision, not at the next
    one.
    """
    match = random_match("batavia", {"players": 3}, 3)
    match = next(then for then in map(match.at, range(match.ply)) if len(then.actions()) == 1)
    estimates = Searcher(BATAVIA, match.components, "1", 64).analyse(match.seen_by(match.turn), match.ply)
    assert [BATAVIA.actions[estimate.action] for estimate in estimates] == match.actions()
    assert estimates[0].visits == 64


def test_a_full_desk_stops_growing_and_the_search_goes_on(any_game: Game) -> None:
    desk = searched(decision(any_game), any_game.compiled, 500, room=8)
    assert desk.used[EDGES] <= len(desk.edges)
    assert 2 * desk.used[NODES] <= len(desk.nodes) + 1
    assert sum(visits for _, visits, _ in root_edges(desk)) >= 1


def test_the_same_seed_gives_the_same_choice_on_any_number_of_threads(any_game: Game) -> None:
    match = decision(any_game)
    view = match.seen_by(match.turn)
    one, two = (
        Searcher(any_game, match.components, "7", 400, trees=4, threads=threads).analyse(view, 3)
        for threads in (1, 4)
    )
    assert one == two


def test_a_search_that_stops_early_chooses_what_a_whole_one_does(any_game: Game) -> None:
    match = decision(any_game)
    for seed in range(4):
        bot = Searcher(any_game, match.components, str(seed), 200)
        view = match.seen_by(match.turn)
        assert bot.choose_index(view, 0) == bot.analyse(view, 0)[0].action


class OneSecondALook(SystemTime):
    """A second later each time that somebody looks."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        self.seconds += 1
        return self.seconds


def test_time_can_be_capped() -> None:
    """It is looked at after each part of the search, which goes on as long as there is time."""
    match = decision(BATAVIA)
    for seconds in (1, 3):
        bot = Searcher(BATAVIA, match.components, "1", 32_000, seconds=seconds, time_source=OneSecondALook())
        estimates = bot.analyse(match.seen_by(match.turn), 0)
        assert sum(estimate.visits for estimate in estimates) == 1_000 * seconds


def test_another_seed_or_position_number_gives_other_dice() -> None:
    match = decision(BATAVIA)
    view = match.seen_by(match.turn)
    bots = [Searcher(BATAVIA, match.components, seed, 100) for seed in ("1", "2")]
    assert len({tuple(bot.analyse(view, number)) for bot in bots for number in (0, 1)}) == 4


def test_no_allocation_while_searching() -> None:
    """Numba's memory manager hands out as much for a thousand iterations as for one: what the arguments
    need.
    """
    from numba import njit
    from numba.core import runtime

    memory: Any = runtime
    match, desk = decision(BATAVIA), new_workspace(BATAVIA, 2000)
    clear_tree(desk)
    desk.positions[ROOT_VIEW] = match.seen_by(match.turn)
    run, given = (
        BATAVIA.compiled.bind(search),
        (match.box, BATAVIA.evaluation.weights, settings(BATAVIA), match.turn or 0),
    )
    filled = njit(lambda n: [np.zeros(n)[0] for _ in range(n)])

    def handed_out(call: Any) -> int:
        call()
        before = memory.rtsys.get_allocation_stats().alloc
        call()
        return int(memory.rtsys.get_allocation_stats().alloc - before)

    memory._nrt_python.memsys_enable_stats()
    assert handed_out(lambda: run(desk, *given, 1000)) == handed_out(lambda: run(desk, *given, 1))
    # so the count can be trusted
    assert handed_out(lambda: filled(1000)) > handed_out(lambda: filled(1)) + 900


# What is told apart


def test_a_seat_tells_its_own_cards_apart_and_not_those_of_others(mode: str) -> None:
    """At the searching seat's decision its hand makes a difference; at another's decision nobody's hand
    does.
    """
    ruleset, match = ruleset_of(BATAVIA, mode), Match("batavia", players=3, first=0, seed=1)
    desk = new_workspace(BATAVIA, 1)

    def key(viewer: int, swap: int | None) -> int:
        desk.positions[WORLD] = match.records[-1]
        if swap is not None:  # a card of one company becomes one of another, as if it had been dealt so
            hand, drawn = desk.positions[WORLD].hand[swap], desk.positions[WORLD].drawn[swap]
            give, take = int(hand.argmax()), int(hand.argmin())
            for cards in (hand, drawn):
                cards[give] -= 1
                cards[take] += 1
            desk.positions[WORLD].pile[give] += 1
            desk.positions[WORLD].pile[take] -= 1
        return int(ruleset.bind(infoset_key)(desk, match.box, viewer))

    assert match.turn == 1
    assert key(1, swap=None) != key(1, swap=1)
    assert key(1, swap=None) == key(1, swap=2)
    assert key(0, swap=None) == key(0, swap=1) == key(0, swap=2)


def test_a_node_is_found_again_and_the_table_never_fills(mode: str) -> None:
    find, desk = ruleset_of(BATAVIA, mode).bind(find_node), new_workspace(BATAVIA, 4)
    clear_tree(desk)
    places = {key: find(desk, key) for key in (1, 17, 33, 2**62 + 1)}  # three that start at the same place
    assert len(set(places.values())) == 4
    assert all(find(desk, key) == place for key, place in places.items())
    assert find(desk, 3) >= 0 or 2 * desk.used[NODES] > len(desk.nodes) - 1
    for key in range(1001, 1101, 2):
        find(desk, key)
    assert find(desk, 999) == -1
    assert find(desk, 33) == places[33]


# Win shares


def test_ties_share_the_win_and_tie_breaks_break_them(mode: str) -> None:
    order = ruleset_of(BATAVIA, mode).bind(compare)
    rows = np.array([[10, 2], [12, 1], [12, 3], [12, 3]], np.int64)
    assert [order(rows, 2, other) for other in range(4)] == [1, 1, 0, 0]
    assert order(rows, 1, 2) == -1


def test_a_shared_victory_counts_in_parts(mode: str) -> None:
    """B46: nothing breaks a tie in Batavia."""
    ruleset, desk = ruleset_of(BATAVIA, mode), new_workspace(BATAVIA, 1)
    p = desk.positions[WORLD]
    p.players, p.turn = 3, -1
    p.seals[:], p.arrival = -1, -1
    p.gold[:3] = 7, 9, 9
    ruleset.scores(p, BATAVIA.components.box, desk.results)
    assert ruleset.bind(share_win)(desk.results, 3, desk.shares) == 2
    assert list(desk.shares[:3]) == [0, 0.5, 0.5]


def test_judged_shares_add_up_to_one_win(any_game: Game) -> None:
    match, desk = decision(any_game), new_workspace(any_game, 1)
    any_game.interpreted.bind(evaluate_leaf)(
        desk, match.box, any_game.evaluation.weights, match.records[-1], match.turn or 0
    )
    # a win that is not yet there is worth a little less
    assert desk.shares[: match.players].sum() == pytest.approx(1, abs=0.01)
    assert desk.shares[match.players :].sum() == 0
