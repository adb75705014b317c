"""Measures the engines that Comptoir is compared with.

`speed.py`, `search.py` and `research.py` run it in .bench-venv.

    .bench-venv/bin/python bench/peers.py catanatron 1 0      one peer, seconds a row, seed

It prints a line of JSON for each row: the engine, what was played, by how many, and decisions, games and
seconds; for a search, simulations and seconds.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

SPIEL_GAMES = ("leduc_poker", "backgammon", "gin_rummy", "oh_hell", "hearts", "crazy_eights")
ZOO_GAMES = ("tictactoe_v3", "connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4", "go_v5", "chess_v6")
RLCARD_GAMES = ("leduc-holdem", "uno", "limit-holdem", "gin-rummy", "doudizhu")
DEALS, ROLLOUTS = 16, 25  # deals, and how often each is played on, before the clock is read
SIMULATIONS = 500  # of a search

Row = dict[str, Any]


def catanatron(seconds: float, seed: int) -> Iterator[Row]:
    """Catan, by random players, in pure Python.

    Each tick asks one player's `decide` for one of the legal actions and is kept in `state.actions`: that is
    what is counted.
    """
    from catanatron import Game
    from catanatron.models.player import Color, RandomPlayer

    for players in (2, 3, 4):
        decisions = games = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            # 0 would mean: no seed
            match = Game([RandomPlayer(colour) for colour in list(Color)[:players]], seed=seed + games + 1)
            match.play()
            decisions += len(match.state.actions)
            games += 1
        yield row("Catanatron", "Catan", players, decisions, games, time.perf_counter() - start)


def open_spiel(seconds: float, seed: int) -> Iterator[Row]:
    """Games of OpenSpiel, whole playouts in C++.

    Python can't call its random rollouts separately; but a tree search of a single simulation does nothing
    else. It must start at a decision, so the deal is outside the time: which favours OpenSpiel.
    """
    import pyspiel

    for name in SPIEL_GAMES:
        game = pyspiel.load_game(name)
        deals = [dealt(game, random.Random(number)) for number in range(DEALS)]
        length = mean_length(game, deals)
        search = pyspiel.MCTSBot(
            game, pyspiel.RandomRolloutEvaluator(ROLLOUTS, seed), 1.0, 1, 10, False, seed, False
        )
        games = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            for state in deals:
                search.mcts_search(state)
            games += DEALS * ROLLOUTS
        yield row("OpenSpiel", name, game.num_players(), games * length, games, time.perf_counter() - start)


def open_spiel_search(seconds: float, seed: int) -> Iterator[Row]:
    """OpenSpiel's own searches in C++, with one random rollout a simulation, from the first decision of gin
    rummy.
    """
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    deals = [dealt(game, random.Random(number)) for number in range(DEALS)]
    rollout = pyspiel.RandomRolloutEvaluator(1, seed)
    final = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    searches = {
        "MCTSBot": pyspiel.MCTSBot(game, rollout, 1.4, SIMULATIONS, 1000, False, seed, False).mcts_search,
        "ISMCTSBot": pyspiel.ISMCTSBot(seed, rollout, 1.4, SIMULATIONS, -1, final, False, False).step,
    }
    for name, search in searches.items():
        simulations = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            search(deals[simulations // SIMULATIONS % DEALS])
            simulations += SIMULATIONS
        taken = time.perf_counter() - start
        yield {
            "engine": "OpenSpiel",
            "what": f"OpenSpiel {name}, gin_rummy",
            "simulations": simulations,
            "seconds": taken,
        }


def pettingzoo(seconds: float, seed: int) -> Iterator[Row]:
    """PettingZoo's own classic games, wrapped as they come."""
    for name in ZOO_GAMES:
        env = importlib.import_module(f"pettingzoo.classic.{name}").env()
        yield row("PettingZoo", name, len(env.possible_agents), *agents_at_random(env, seconds, seed))


def agents_at_random(env: Any, seconds: float, seed: int) -> tuple[int, int, float]:
    """Plays any PettingZoo environment with masks; how many decisions and games in how many seconds."""
    import numpy as np

    chance = random.Random(seed)
    decisions = games = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        env.reset(seed=seed + games)
        for _ in env.agent_iter():
            known, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(chance.choice(np.flatnonzero(known["action_mask"]).tolist()))
                decisions += 1
        games += 1
    return decisions, games, time.perf_counter() - start


def rlcard(seconds: float, seed: int) -> Iterator[Row]:
    """RLCard's games: each step gives an observation and the legal actions."""
    import rlcard

    for name in RLCARD_GAMES:
        env, chance = rlcard.make(name, config={"seed": seed}), random.Random(seed)
        decisions = games = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(chance.choice(list(state["legal_actions"])))
                decisions += 1
            env.get_payoffs()
            games += 1
        yield row("RLCard", name, env.num_players, decisions, games, time.perf_counter() - start)


def dealt(game: Any, chance: random.Random) -> Any:
    """A game's first decision, after a random deal."""
    state = game.new_initial_state()
    while state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(chance.choices(outcomes, weights)[0])
    return state


def mean_length(game: Any, deals: list[Any]) -> float:
    """Decisions in a random game from these deals.

    The rollouts don't tell theirs, so as many other games are counted.

    Always the same ones: a row's rounds should differ by speed alone.
    """
    import pyspiel

    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(game.num_players())]
    decisions = 0
    for number in range(DEALS * ROLLOUTS):
        state = deals[number % DEALS].clone()
        pyspiel.evaluate_bots(state, bots, number)
        decisions += sum(step.player >= 0 for step in state.full_history())  # below 0: chance
    return decisions / (DEALS * ROLLOUTS)


def row(engine: str, what: str, players: int, decisions: float, games: int, seconds: float) -> Row:
    return {
        "engine": engine,
        "what": what,
        "players": players,
        "decisions": decisions,
        "games": games,
        "seconds": seconds,
    }


PEERS = {
    "catanatron": catanatron,
    "open_spiel": open_spiel,
    "open_spiel_search": open_spiel_search,
    "pettingzoo": pettingzoo,
    "rlcard": rlcard,
}


def main() -> None:
    peer, seconds, seed = sys.argv[1:]
    for measured in PEERS[peer](float(seconds), int(seed)):
        print(json.dumps(measured), flush=True)


if __name__ == "__main__":
    main()
