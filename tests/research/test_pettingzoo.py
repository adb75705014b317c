"""The games pass PettingZoo's own tests, and tell each agent what its seat may know."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.test.state_test import test_state as check_states
from pettingzoo.test.state_test import test_state_space as check_state_space

import comptoir
from comptoir.errors import IllegalAction, MatchOver, OptionError, UnknownAction
from comptoir.research import Batch, pettingzoo
from comptoir.research.pettingzoo import TableEnv
from tests.research.playing import DRAWN, dealt_anew, every_table, play_at_random, with_hands

# Said of every game with masks but for a list of PettingZoo's own: that observations are not bare arrays, and
# that an agent whose game is over may do nothing.
OF_MASKS = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)


def of_masks(test: Callable[..., None]) -> Callable[..., None]:
    for warning in OF_MASKS:
        test = pytest.mark.filterwarnings(warning)(test)
    return test


@of_masks
@every_table
def test_api(name: str, players: int) -> None:
    api_test(pettingzoo.env(name, players), num_cycles=200)
    api_test(pettingzoo.raw_env(name, players), num_cycles=50)


@every_table
def test_state(name: str, players: int) -> None:
    """PettingZoo's own test of `state`, and that it is what all seats know together."""
    env = pettingzoo.env(name, players)
    check_state_space(env)
    check_states(env, 30)
    env.reset(seed=3)
    assert env.state().tolist() == [env.observe(agent)["observation"].tolist() for agent in env.agents]


@every_table
def test_seeds(name: str, players: int) -> None:
    seed_test(lambda: pettingzoo.env(name, players), num_cycles=200)


@pytest.mark.slow
@every_table
def test_rendering(name: str, players: int, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(
        lambda render_mode: pettingzoo.env(name, players, render_mode=render_mode),
        {"svg": lambda svg: svg.startswith("<svg")},
    )
    assert "Anne" in capsys.readouterr().out  # "human" prints the table


@every_table
def test_the_benchmark_runs(
    name: str, players: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = count()  # a second passes whenever it is looked at
    benchmark = importlib.import_module("pettingzoo.test.performance_benchmark")
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(time=lambda: next(clock)))
    performance_benchmark(pettingzoo.env(name, players))
    assert "turns per second" in capsys.readouterr().out


def play(env: TableEnv, seed: int | None) -> list[Any]:
    """A random game: all that is told on the way."""
    chance = np.random.default_rng(1)
    told: list[Any] = []
    env.reset(seed=seed)
    for agent in env.agent_iter():
        known, reward, termination, _, _ = env.last()
        told += [agent, known["observation"].tobytes(), known["action_mask"].tobytes(), reward]
        env.step(None if termination else chance.choice(np.flatnonzero(known["action_mask"])))
    return told


def test_a_game_is_repeated_by_its_seed_and_the_one_after_it_too() -> None:
    one, other = pettingzoo.env("batavia"), pettingzoo.env("batavia")
    first, second = play(one, 7), play(one, None)
    assert first != second
    assert [play(other, 7), play(other, None)] == [first, second]
    assert play(other, None) not in (first, second)


def test_without_a_seed_games_differ() -> None:
    assert play(pettingzoo.env("marco_polo"), None) != play(pettingzoo.env("marco_polo"), None)


@pytest.mark.slow
@every_table
def test_a_game_goes_on_as_a_batch_does_and_as_a_match_with_its_seed(name: str, players: int) -> None:
    """The same deal, draws and end as the match, which is played next to it; the same arrays as a batch that
    is put there.
    """
    reward = "points" if players % 2 else "win"
    env, batch = pettingzoo.env(name, players, reward=reward), Batch(name, games=1, players=players)
    match, chance = comptoir.new(name, players=players, seed=5), np.random.default_rng(1)
    env.reset(seed=5)
    while not match.over:
        known, *_ = env.last()
        assert env.agent_selection == f"seat_{match.turn}"
        if match.ply % 10 == 0:
            batch.set_positions([match.position()])
            assert (known["observation"] == batch.observations[0]).all()
            assert (known["action_mask"] == batch.action_masks[0]).all()
        action = int(chance.choice(np.flatnonzero(known["action_mask"])))
        env.step(action)
        match.play(action)
        assert env.one.record.tobytes() == match.records[-1].tobytes()
    assert all(env.terminations.values())
    rewards = list(env.rewards.values())
    if reward == "points":
        assert rewards == match.scores()
    else:
        assert [seat for seat in range(players) if rewards[seat] == max(rewards)] == match.winners()
    assert env.match().text() == match.text()
    told: dict[str, Any] = {"ending": match.ending, "scores": match.scores(), "winners": match.winners()}
    told["score_sheet"] = match.score_sheet().points
    assert env.infos == dict.fromkeys(env.agents, told)


def test_only_who_decides_has_a_mask() -> None:
    env = pettingzoo.env("century", 3)
    env.reset(seed=1)
    assert [env.observe(agent)["action_mask"].any() for agent in env.agents] == [
        agent == env.agent_selection for agent in env.agents
    ]


def test_what_an_agent_was_told_stays_as_it_was() -> None:
    env = pettingzoo.env("sail_to_india")
    env.reset(seed=1)
    known, *_ = env.last()
    kept = {part: row.copy() for part, row in known.items()}
    env.step(int(np.flatnonzero(known["action_mask"])[0]))
    assert all((known[part] == kept[part]).all() for part in known)


# Hidden information


@every_table
def test_an_agent_is_told_the_same_whatever_it_cannot_know(name: str, players: int) -> None:
    env, dealt = pettingzoo.env(name, players), False
    env.reset(seed=3)
    for moment in range(12):
        play_at_random(env.one, moment, 9)
        env.agent_selection = env.decides = env.possible_agents[env.one.turn]
        for seat, agent in enumerate(env.possible_agents):
            told = env.observe(agent)
            with dealt_anew(env.one, seat, moment) as changed:
                again, dealt = env.observe(agent), dealt or changed
            assert {part: row.tobytes() for part, row in told.items()} == {
                part: row.tobytes() for part, row in again.items()
            }
    assert dealt == (name in with_hands)


@pytest.mark.slow
@pytest.mark.parametrize("mode", DRAWN)
@every_table
def test_what_is_drawn_shows_nothing_hidden(name: str, players: int, mode: str) -> None:
    env = pettingzoo.env(name, players, render_mode=mode)
    env.reset(seed=3)
    play_at_random(env.one, 1, 40)
    seen = env.render()
    with dealt_anew(env.one, None, 5) as changed:
        assert changed == (name in with_hands)
        assert np.array_equal(env.render(), seen)
    play_at_random(env.one, 2, 40)
    assert not np.array_equal(env.render(), seen)


# What is refused


def an_illegal_action(env: TableEnv) -> int:
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0])


def test_an_illegal_action_ends_the_game_and_costs_1() -> None:
    env = pettingzoo.env("batavia", 3)
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(an_illegal_action(env))
    assert env.rewards == {other: -1.0 if other == agent else 0.0 for other in env.agents}
    assert all(env.terminations.values())
    assert "is not allowed: the auction comes first" in env.infos[agent]["illegal"]
    assert not env.observe(agent)["action_mask"].any()
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)
    with pytest.raises(MatchOver):
        env.one.step(0)
    for _ in range(3):
        env.step(None)
    assert env.agents == []
    env.reset(seed=1)
    assert env.infos[agent] == {}


def test_a_raw_table_refuses_an_illegal_action() -> None:
    env = pettingzoo.raw_env("batavia", 3)
    env.reset(seed=1)
    before = env.one.record.tobytes()
    with pytest.raises(IllegalAction):
        env.step(an_illegal_action(env))
    assert env.one.record.tobytes() == before
    assert not any(env.terminations.values())


@pytest.mark.parametrize("action", [-1, 90, 2**70, 1.5, None, "bid 3"])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = pettingzoo.env("batavia", 3)
    env.reset(seed=1)
    with pytest.raises(UnknownAction, match="actions of batavia are 0 to 89"):
        env.step(action)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"reward": "gold"}, "win or points"),
        ({"render_mode": "gif"}, "human, ansi, svg, rgb_array or None"),
        ({"illegal": "pass"}, "lose or raise"),
        ({"players": 9}, "3 to 5 players"),
        ({"colour": 1}, "no option 'colour'"),
    ],
)
def test_options_that_do_not_fit_are_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        pettingzoo.env("batavia", **given)


@pytest.mark.parametrize("seed", [-1, 2**62])
def test_seeds_that_do_not_fit_are_refused(seed: int) -> None:
    with pytest.raises(OptionError, match="seed: expected a number from 0 to"):
        pettingzoo.env("batavia").reset(seed=seed)


def test_a_table_must_be_reset() -> None:
    env = pettingzoo.env("batavia")
    with pytest.raises(AttributeError, match="reset the table"):
        env.last()
    with pytest.raises(AttributeError, match="reset the table"):
        env.step(0)
    with pytest.raises(AttributeError, match=r"no 'colour'$"):
        _ = env.colour


def test_a_table_can_be_sent_to_another_process() -> None:
    env = pickle.loads(pickle.dumps(pettingzoo.env("batavia", 5, render_mode="ansi", setup="open")))
    env.reset(seed=1)
    assert env.render_mode == "ansi"
    assert env.num_agents == 5
    assert env.one.options["setup"] == "open"


def test_without_pettingzoo_we_say_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "comptoir.research.pettingzoo")
    with pytest.raises(ImportError, match=r"pip install .*\[research\]"):
        importlib.import_module("comptoir.research.pettingzoo")
