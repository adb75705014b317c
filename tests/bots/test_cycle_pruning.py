"""Nobody goes in circles, and nobody dawdles."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from comptoir.bots import TURNS_REMEMBERED, Bot, earlier_views
from comptoir.bots.hints import advise
from comptoir.bots.levels import make
from comptoir.bots.search import (
    CHILD,
    DECISION_COST,
    DEPTH,
    EDGES,
    TURNS,
    WORLD,
    SearchWorkspace,
    backpropagate,
    evaluate_leaf,
    search,
)
from comptoir.bots.searcher import Searcher
from comptoir.bots.seated import SeatedBot
from comptoir.bots.workspace import clear_tree, new_workspace, root_edges, set_root
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import cycle_key
from comptoir.engine.mask import members
from comptoir.engine.match import Match
from comptoir.engine.rule import Position
from comptoir.engine.scoring import share_win
from comptoir.testing.fixtures import ruleset_of
from tests.bots.test_search import settings
from tests.games.century.positions import BOX, CENTURY, PositionBuilder
from tests.test_contract import random_match

BATAVIA = get_game("batavia")
EVERY_TABLE = [
    (name, players) for name in ("batavia", "century", "marco_polo", "sail_to_india") for players in (3, 4)
]


def walk(*actions: str, cubes: str = "", lying: str = "", moves: int = 3) -> tuple[Position, list[Position]]:
    """Seat 0 of Century, on A with that many steps more than one, has done this: what it sees, and what it saw
    before.
    """
    t = (
        PositionBuilder(CENTURY.compiled, players=2)
        .begin("ah")
        .bonus(0, move=moves)
        .hold(0, cubes)
        .lay("a", lying)
        .turn(0)
    )
    seen: list[Position] = [CENTURY.copy(t.p)]
    for action in actions:
        seen.append(CENTURY.copy(t.play(action).p))
    return seen[-1], seen[:-1]


def barred(view: Position, earlier: Sequence[Position]) -> set[str]:
    desk = new_workspace(CENTURY, 0)
    set_root(desk, CENTURY, BOX, view, earlier)
    return {CENTURY.actions[action] for action in members(desk.pruned)}


def next_to(space: str) -> str:
    """A space next to another."""
    return next(
        action
        for action in PositionBuilder(CENTURY.compiled, players=2).begin("ah").at(0, space).legal("sail")
    )[-1]


STEP = next_to("a")


def test_where_a_boat_has_been_in_its_turn_it_does_not_go_again() -> None:
    view, earlier = walk(f"sail {STEP}")
    assert barred(view, earlier) == {"sail a"}
    assert barred(view, ()) == set()  # for all that it knows, it has come from elsewhere


def test_a_way_back_to_cubes_that_only_a_boat_that_has_moved_may_take_is_none() -> None:
    """C12."""
    assert barred(*walk(f"sail {STEP}", lying="B")) == set()


def everywhere(p: Position) -> list[Position]:
    """As if the boat had been on every space."""
    views = [CENTURY.copy(p) for _ in range(24)]
    for space, view in enumerate(views):
        view["boats"][0] = space
    return views


def test_a_cube_is_not_dropped_where_every_way_on_leads_back() -> None:
    """C10: who drops one must sail on."""
    view, earlier = walk(f"sail {STEP}", cubes="YR", moves=0)
    assert barred(view, earlier) == set()
    assert barred(view, everywhere(view)) == {"drop yellow", "drop red"}


def test_what_leads_back_is_done_if_nothing_else_is_left() -> None:
    view, earlier = walk(f"sail {STEP}", "drop yellow", cubes="Y", moves=0)
    been = everywhere(earlier[-1])
    assert barred(view, been) == set()
    for spec in ("clerk", "merchant:32"):
        assert CENTURY.actions[
            make(spec, CENTURY, CENTURY.components, "1").choose_index(view, 3, been)
        ].startswith("sail ")


@pytest.mark.parametrize("spec", ["clerk", "merchant:64", "search:128", "search:160x8"])
def test_no_level_goes_back(spec: str) -> None:
    """Not even where all else is worse: the port with the tile that it can pay for is where it has come
    from.
    """
    t = (
        PositionBuilder(CENTURY.compiled, players=2)
        .begin("wh")
        .tile("w", "RRGGBB", 19)
        .hold(0, "RRGGBB")
        .bonus(0, move=1)
        .turn(0)
    )
    seen = CENTURY.copy(t.p)
    t.play(t.legal("sail")[0])
    bot = make(spec, CENTURY, CENTURY.components, "1")
    assert CENTURY.actions[bot.choose_index(t.p, 2)] == "sail w"
    assert CENTURY.actions[bot.choose_index(t.p, 2, [seen])] != "sail w"


def test_nor_does_the_tree(mode: str) -> None:
    """Deeper down too: two steps from where the turn began, and back, is never tried."""
    ruleset = ruleset_of(CENTURY, mode)
    view, _ = walk()
    desk = new_workspace(CENTURY, 200)
    clear_tree(desk)
    set_root(desk, CENTURY, BOX, view, ())
    ruleset.bind(search)(
        desk, BOX, CENTURY.evaluation.weights, settings(CENTURY), 0, 100 if mode == "compiled" else 30
    )
    for edge in range(1, int(desk.used[1])):
        if desk.edges[edge].cycle_key == 1:  # on A
            assert desk.edges[edge].visits == 0
    assert sum(visits for _, visits, _ in root_edges(desk)) == (100 if mode == "compiled" else 30)


def test_chance_is_no_way_back(mode: str) -> None:
    """What an edge leads to is known only if no dice are rolled on the way, and the turn goes on."""
    ruleset, match = ruleset_of(BATAVIA, mode), Match("batavia", players=3, seed=1)
    assert ruleset.bind(cycle_key)(match.records[-1], match.box) == 0


@pytest.mark.parametrize(("name", "players"), EVERY_TABLE)
@pytest.mark.parametrize("spec", ["clerk", "merchant:24"])
def test_no_turn_comes_back_to_where_it_was(name: str, players: int, spec: str) -> None:
    match = Match(name, players=players, seed="circles")
    match.game.compiled  # noqa: B018  asked for, so that the match uses it
    where, been, seat = match.game.compiled.bind(cycle_key), set[Any](), -1
    chairs = [SeatedBot(spec, match, place, f"bot {place}", threads=1) for place in range(players)]
    while match.turn is not None and match.ply < 250:
        if match.turn != seat:
            seat, been = match.turn, set()
        view = match.seen_by(seat)
        now = {view.tobytes(), where(view, match.box)} - {0}
        assert not now & been
        been |= now
        match.play(chairs[seat].choose())


# What a bot is told of its turn


def test_the_views_of_a_turn(any_game: Game) -> None:
    """Since it was last another's to decide; each as the seat saw it."""
    match = random_match(any_game.name, {"players": any_game.rules.PLAYERS[0]}, 5)
    longest = 0
    for number in range(0, match.ply, 3):
        then = match.at(number)
        seat = then.turn or 0
        views = [view for view in earlier_views(then, seat) if view.turn == seat]
        longest = max(longest, len(views))
        assert [view.tobytes() for view in views] == [
            any_game.seen_by(p, match.box, seat).tobytes() for p in then.records[number - len(views) : number]
        ]
        assert all(p.turn == seat for p in then.records[number - len(views) : number])
        assert number == len(views) or then.records[number - len(views) - 1].turn != seat
    assert longest


def test_the_views_that_turns_left(any_game: Game) -> None:
    """Before those of this turn, the last ones of many; each as the seat saw it."""
    match = random_match(any_game.name, {"players": any_game.rules.PLAYERS[0]}, 5)
    most = 0
    for number in range(0, match.ply, 7):
        then = match.at(number)
        seat = then.turn or 0
        views = earlier_views(then, seat)
        left = [view for view in views if view.turn != seat]
        most = max(most, len(left))
        ends = [
            after
            for before, after in itertools.pairwise(then.records)
            if before.turn == seat and after.turn != seat
        ]
        assert [view.tobytes() for view in left] == [
            any_game.seen_by(p, match.box, seat).tobytes() for p in ends[-TURNS_REMEMBERED:]
        ]
        assert all(view.turn != seat for view in views[: len(left)])
    assert most > 3


def ends_of_turns(game: Game, seed: int) -> Iterator[tuple[Position, int, Position]]:
    """Views of seats with a choice that end their turns without dice, what they do, and what they see then, some
    rounds later.
    """
    match = random_match(game.name, {"players": game.rules.PLAYERS[0]}, seed)
    for ply in range(match.ply - 1):
        before, after = match.records[ply : ply + 2]
        seat = int(before.turn)
        if after.turn != seat and not match.rolled[ply] and len(match.at(ply).actions()) > 1:
            later = game.seen_by(after, match.box, seat)
            for name, field in game.position.fields.items():
                later[name] += field.counter
            yield game.seen_by(before, match.box, seat), game.action_index(match.played[ply]), later


# In Marco Polo a turn ends with a card by chance, as long as there are cards: `test_stalling` tests what follows.
@pytest.mark.parametrize("name", ["batavia", "century", "sail_to_india"])
@pytest.mark.parametrize("spec", ["passer-by", "clerk", "merchant:16"])
def test_no_level_brings_a_position_back(name: str, spec: str) -> None:
    """Unless all that it may do leads there."""
    game = get_game(name)
    game.compiled  # noqa: B018  asked for, so that the match uses it
    bot, desk, avoided = make(spec, game, game.components, "1"), new_workspace(game, 0), 0
    for view, action, left in itertools.islice(ends_of_turns(game, 6), 40):
        set_root(desk, game, game.components.box, view, [left])
        if action in members(desk.pruned):
            avoided += 1
            assert bot.choose_index(view, 3, [left]) != action
        set_root(desk, game, game.components.box, view, ())
        assert action not in members(desk.pruned)
    assert avoided > 3


def test_whatever_hidden_places_hold_a_position_left_is_known() -> None:
    """What was left is blanked again, so nothing in a hidden place can decide."""
    game, cases = get_game("batavia"), 0
    desk = new_workspace(game, 0)
    for view, _, left in itertools.islice(ends_of_turns(game, 6), 40):
        set_root(desk, game, game.components.box, view, [left])
        pruned = members(desk.pruned)
        poisoned = game.position.copy(left)
        poisoned["hand"][(int(view.turn) + 1) % int(view.players)] += 1
        assert game.position.repetition_key(poisoned) != game.position.repetition_key(left)
        set_root(desk, game, game.components.box, view, [poisoned])
        assert members(desk.pruned) == pruned
        cases += len(pruned) > 0
    assert cases > 3


def test_a_clerk_is_the_same_interpreted(any_game: Game) -> None:
    """What an earlier turn left is pruned in both modes."""
    desks = [new_workspace(any_game, 0) for _ in range(2)]
    for view, _, left in itertools.islice(ends_of_turns(any_game, 6), 5):
        for desk, ruleset in zip(desks, (any_game.interpreted, any_game.compiled), strict=True):
            set_root(desk, any_game, any_game.components.box, view, [left], ruleset, common_only=True)
        assert (desks[0].pruned == desks[1].pruned).all()


class Told(Bot):
    """Keeps what it is told."""

    earlier: Sequence[Position] = ()

    def choose_index(self, view: Position, number: int, earlier: Sequence[Position] = ()) -> int:
        self.earlier = earlier
        return self.game.legal(view, self.components.box)[-1]


def test_a_chair_tells_its_bot() -> None:
    match = Match("century", players=2, seed=4)
    chair = SeatedBot("passer-by", match, match.turn or 0, "seed")
    chair.bot = bot = Told(match.game, match.components, "seed")
    first = match.seen_by(match.turn).tobytes()
    match.play(chair.choose())
    assert len(bot.earlier) == 0
    chair.choose()
    assert [view.tobytes() for view in bot.earlier] == [first]


def test_a_person_is_not_advised_to_go_back() -> None:
    """The hints know the turn as well."""
    t = PositionBuilder(CENTURY.compiled, players=2).begin("wh").tile("w", "RRGGBB", 19).hold(0, "RRGGBB")
    t.built(0, ginger=1, chili=1, tea=1, cloves=1).bonus(0, move=1).turn(0)
    match = Match("century", position=CENTURY.to_dict(t.p), seed=1)
    match.play(next(action for action in match.actions() if action.startswith("sail")))
    assert "sail w" not in {match.game.actions[plan.actions[0]] for plan in advise(match, 0, "seed").plans}


# Sooner and shorter


def won(desk: SearchWorkspace, turns: int) -> float:
    """What it is worth to win a game of Batavia after that many turns."""
    p = desk.positions[WORLD]
    p.players, p.turn = 3, -1
    p.seals[:], p.arrival = -1, -1
    p.gold[:3] = 7, 9, 5
    desk.used[TURNS] = turns
    BATAVIA.interpreted.bind(evaluate_leaf)(desk, BATAVIA.components.box, BATAVIA.evaluation.weights, p, 0)
    assert 0.02 > desk.shares[0] > desk.shares[2] > 0  # to lose by less is a little better
    return float(desk.shares[1])


def test_a_win_is_worth_more_the_sooner_it_comes() -> None:
    desk = new_workspace(BATAVIA, 1)
    assert won(desk, 0) == pytest.approx(1)
    assert 1 > won(desk, 5) > won(desk, 10) > 0.99


def test_a_win_in_hand_is_worth_more_than_any_that_is_judged() -> None:
    """And who is far ahead still sees a difference between far and further."""
    ruleset, desk = BATAVIA.interpreted, new_workspace(BATAVIA, 1)
    match = Match("batavia", players=3, seed=2)
    shares = []
    for gold in (100, 120):
        desk.positions[CHILD] = match.records[-1]
        desk.positions[CHILD].gold[0] = gold
        ruleset.bind(evaluate_leaf)(desk, match.box, BATAVIA.evaluation.weights, desk.positions[CHILD], 0)
        shares.append(float(desk.shares[0]))
    assert won(desk, 5) > shares[1] > shares[0] + 1e-6


def test_each_decision_of_a_turn_costs_a_little() -> None:
    """From an edge on, to the end of the turn of the seat that chose it."""
    desk = new_workspace(BATAVIA, 8)
    clear_tree(desk)
    desk.shares[:2] = 0.75, 0.25
    desk.used[DEPTH] = 4
    desk.path[:4], desk.deciders[:4] = [1, 2, 3, 4], [0, 0, 1, 0]
    BATAVIA.interpreted.bind(backpropagate)(desk)
    expected = [0.75 - 2 * DECISION_COST, 0.75 - DECISION_COST, 0.25 - DECISION_COST, 0.75 - DECISION_COST]
    assert [float(desk.edges[edge].value_sum) for edge in range(1, 5)] == pytest.approx(expected, abs=1e-12)


def test_shared_wins_are_shared_before_time_takes_its_part() -> None:
    desk = new_workspace(BATAVIA, 1)
    won(desk, 0)
    ruleset = BATAVIA.interpreted
    ruleset.scores(desk.positions[WORLD], BATAVIA.components.box, desk.results)
    ruleset.bind(share_win)(desk.results, 3, desk.shares)
    assert list(desk.shares[:3]) == [0, 1, 0]


def test_in_a_game_as_good_as_decided_the_first_look_chooses() -> None:
    """Among ways that promise the same; not one that would throw the game away, and not before it is
    decided.
    """
    bot = Searcher(BATAVIA, BATAVIA.components, "1", 8)
    desk = bot.workspaces[0]

    def chosen(*edges: tuple[int, float, float]) -> int:
        """Of edges with these visits, shares and first looks."""
        clear_tree(desk)
        desk.nodes[0].edge, desk.used[EDGES] = 1, 1 + len(edges)
        for edge, (visits, share, judged) in enumerate(edges, 1):
            here = desk.edges[edge]
            here.action, here.visits, here.value_sum, here.prior_value, here.next = (
                edge,
                visits,
                visits * share,
                judged,
                (edge + 1) % (1 + len(edges)),
            )
        return bot.estimates()[0].action

    assert chosen((60, 0.98, 0.9), (40, 0.975, 0.91), (30, 0.9, 0.99)) == 2
    assert chosen((60, 0.01, 0.02), (40, 0.008, 0.03)) == 2
    assert chosen((60, 0.6, 0.5), (40, 0.595, 0.7)) == 1
