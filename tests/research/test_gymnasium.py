"""A seat against bots passes Gymnasium's own tests, and bots know no more than at any table."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import comptoir
from comptoir.bots import Bot
from comptoir.bots.passer_by import PasserBy
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.rule import Position
from comptoir.engine.view import View
from comptoir.errors import IllegalAction, MatchOver, OptionError, UnknownAction
from comptoir.research.gymnasium import SeatEnv
from tests.research.playing import DRAWN, dealt_anew, every_table, with_hands

IDS = {"batavia": "Batavia", "century": "Century", "marco_polo": "MarcoPolo", "sail_to_india": "SailToIndia"}


def made(name: str, **given: Any) -> SeatEnv:
    env = gymnasium.make(f"comptoir/{IDS[name]}-v{get_game(name).rules.VERSION}", **given).unwrapped
    assert isinstance(env, SeatEnv)
    return env


def test_gymnasium_finds_us_by_the_name_of_a_module() -> None:
    """In a process that has not imported us: Gymnasium has no plugins any more, but imports what it is told."""
    code = (
        "import gymnasium; print(gymnasium.make('comptoir.research.gymnasium:comptoir/Batavia-v1',"
        " bots='passer-by').unwrapped.one.game.name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "batavia\n"


def test_every_game_is_registered() -> None:
    assert set(IDS) == set(registry.names())
    assert made("batavia").one.game is get_game("batavia")


@every_table
def test_the_environment_checks_out(name: str, players: int) -> None:
    check_env(made(name, players=players, bots="passer-by"))


def play(env: SeatEnv, seed: int | None) -> list[Any]:
    """A random game: all that is told on the way."""
    chance = np.random.default_rng(1)
    observation, info = env.reset(seed=seed)
    told: list[Any] = [env.seat, observation.tobytes()]
    terminated = False
    while not terminated:
        assert env.one.turn == env.seat
        assert (env.action_masks() == info["action_mask"]).all()
        observation, reward, terminated, truncated, info = env.step(
            int(chance.choice(np.flatnonzero(info["action_mask"])))
        )
        assert not truncated
        told += [observation.tobytes(), info["action_mask"].tobytes(), reward]
    return told


@every_table
def test_a_game_is_repeated_by_its_seed_and_the_one_after_it_too(name: str, players: int) -> None:
    one, other = (made(name, players=players, seat="random", bots="passer-by") for _ in range(2))
    first, second = play(one, 7), play(one, None)
    assert first != second
    assert [play(other, 7), play(other, None)] == [first, second]


def test_bots_decide_otherwise_in_other_games() -> None:
    """Their chance comes from the seed too: the same deal with the bots' seeds changed is another game."""
    env = made("batavia", players=5, bots="passer-by", seat=4, first=0)
    first, _ = env.reset(seed=1)
    env.one.reset(1)
    for bot in env.opponents.values():
        assert isinstance(bot, Bot)
        bot.seed = "another"
    env.play_bots()
    assert (env.one.observation(4) != first).any()


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_seat_is_where_it_was_asked_for(seat: int) -> None:
    env = made("batavia", players=3, seat=seat, bots="passer-by")
    for seed in range(3):
        _, info = env.reset(seed=seed)
        assert info["seat"] == env.one.turn == seat


def test_a_random_seat_is_any() -> None:
    env = made("century", players=3, seat="random", bots="passer-by")
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(20)} == {0, 1, 2}


@pytest.mark.parametrize(("reward", "total"), [("win", 0.0), ("points", None)])
def test_the_reward_is_the_seats(reward: str, total: float | None) -> None:
    env = made("marco_polo", players=4, seat=2, bots="clerk", reward=reward)
    *_, last = play(env, 3)
    assert last == env.one.rewards[2]
    scores = [row[0] for row in env.one.game.scores(env.one.record, env.one.components.box)]
    assert env.one.rewards.sum() == pytest.approx(sum(scores) if total is None else total, abs=1e-6)


def test_at_the_end_it_is_told_how_the_game_has_come_out() -> None:
    env = made("marco_polo", players=3, seat="random", bots="passer-by")
    play(env, 3)
    info, match = env.info(), env.match()
    assert match.over
    assert {key: info[key] for key in ("ending", "scores", "winners")} == {
        "ending": match.ending,
        "scores": match.scores(),
        "winners": match.winners(),
    }
    assert info["score_sheet"] == match.score_sheet().points


def test_a_seed_deals_as_in_a_match() -> None:
    env = made("batavia", players=4, seat=2, bots="passer-by", first=2)
    env.reset(seed=12)
    twin = comptoir.new("batavia", players=4, seed=12, first=2)
    for action in env.match().played:
        twin.play(action)
    assert env.one.record.tobytes() == twin.records[-1].tobytes()
    assert (env.observation(2) == env.one.game.observe(twin.records[-1], twin.box, 2)).all()


# Bots and hidden information


class Witness(PasserBy):
    """Looks whether what it is given is its seat's view."""

    def __init__(self, env: SeatEnv) -> None:
        super().__init__(env.one.game, env.one.components, "")
        self.one, self.blinded, self.asked, self.turns = env.one, 0, 0, 0

    def choose_index(self, view: Position, number: int, earlier: Sequence[Position] = ()) -> int:
        seat = self.one.turn
        assert all(known.turn == seat for known in earlier)
        self.turns += len(earlier) > 0
        with dealt_anew(self.one, seat, number):  # the same view, whatever the seat cannot know
            assert view.tobytes() == self.one.seen_by(seat).tobytes()
        self.blinded += view.tobytes() != self.one.record.tobytes()
        self.asked += 1
        assert number == self.one.ply
        return super().choose_index(view, number)


@every_table
def test_bots_are_given_their_views_and_nothing_else(name: str, players: int) -> None:
    env = made(name, players=players, bots="passer-by")
    env.bots = [Witness(env) for _ in env.bots]
    play(env, 4)
    assert all(
        isinstance(bot, Witness) and bot.asked and bot.turns and bool(bot.blinded) == (name in with_hands)
        for bot in env.bots
    )


def test_bots_sit_in_the_order_they_are_named_in() -> None:
    env = made("batavia", players=5, seat=1, bots="clerk,passer-by")
    env.reset(seed=1)
    assert {seat: type(bot).__name__ for seat, bot in env.opponents.items()} == {
        0: "Clerk",
        2: "PasserBy",
        3: "Clerk",
        4: "PasserBy",
    }
    assert [
        type(bot).__name__ for bot in made("batavia", players=3, bots=["passer-by", "merchant:32"]).bots
    ] == ["PasserBy", "Searcher"]


class Eager(Bot):
    def choose(self, view: View) -> str:
        assert view["seat"] == view["position"]["turn"]
        return view["actions"][-1]


class Reformed(PasserBy):
    choose = Eager.choose


def test_custom_bots_and_functions_have_seats_too() -> None:
    """Classes that are told in words, though one's forebear decides by itself, and a function that is told in
    numbers: all do the same.
    """

    def eager(observation: Any, mask: Any) -> Any:
        assert env.layout.split(observation)["decides"].tolist() == [1, 0, 0, 0, 0]
        return np.flatnonzero(mask)[-1]

    told = []
    for bots in ([Eager], [eager], [eager, Reformed]):
        env = made("batavia", players=5, seat=3, bots=bots)
        told.append(play(env, 11))
    assert told[0] == told[1] == told[2]


def test_what_a_function_may_not_do_is_refused() -> None:
    env = made("batavia", players=3, seat=2, bots=[lambda _, mask: np.flatnonzero(~mask)[0]], first=0)
    with pytest.raises(IllegalAction):
        env.reset(seed=1)


def test_a_better_bot_wins_more() -> None:
    """A seat that plays at random loses more to clerks than to others that play at random."""
    wins = {
        bots: sum(play(made("marco_polo", players=2, bots=bots), seed)[-1] > 0 for seed in range(30))
        for bots in ("passer-by", "clerk")
    }
    assert wins["clerk"] < 5 < wins["passer-by"]


@every_table
def test_the_seat_is_told_the_same_whatever_it_cannot_know(name: str, players: int) -> None:
    env, dealt = made(name, players=players, bots="passer-by", seat=1), False
    _, info = env.reset(seed=3)
    chance = np.random.default_rng(1)
    for moment in range(20):
        seen = env.one.observation(1), env.action_masks()
        with dealt_anew(env.one, 1, moment) as changed:
            assert [row.tobytes() for row in seen] == [
                env.one.observation(1).tobytes(),
                env.action_masks().tobytes(),
            ]
            dealt |= changed
        _, _, terminated, _, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
        if terminated:
            _, info = env.reset()
    assert dealt == (name in with_hands)


@pytest.mark.parametrize("mode", DRAWN)
@pytest.mark.parametrize("name", registry.names())
def test_what_is_drawn_is_what_the_seat_sees(name: str, mode: str) -> None:
    env = made(name, bots="passer-by", seat=1, render_mode=mode)
    env.reset(seed=3)
    seen = env.render()
    with dealt_anew(env.one, 1, 5) as changed:
        assert changed == (name in with_hands)
        assert np.array_equal(env.render(), seen)


def test_people_can_watch(capsys: pytest.CaptureFixture[str]) -> None:
    env = made("batavia", players=3, bots="passer-by", seat=2, render_mode="human")
    env.reset(seed=1)
    assert capsys.readouterr().out.count("Batavia") == env.one.ply + 1


# What is refused


def test_an_illegal_action_ends_the_game_and_costs_1() -> None:
    env = made("batavia", bots="passer-by")
    _, info = env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert "is not allowed: the auction comes first" in info["illegal"]
    with pytest.raises(MatchOver, match="reset"):
        env.step(0)
    _, info = env.reset(seed=1)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))


def test_or_it_is_refused() -> None:
    env = made("batavia", bots="passer-by", illegal="raise")
    _, info = env.reset(seed=1)
    before = env.one.record.tobytes()
    with pytest.raises(IllegalAction):
        env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert env.one.record.tobytes() == before


def test_what_is_no_action_or_too_late_is_refused() -> None:
    env = made("marco_polo", players=2, bots="passer-by")
    env.reset(seed=1)
    with pytest.raises(UnknownAction):
        env.step(-1)
    play(env, 1)
    with pytest.raises(MatchOver, match="reset"):
        env.step(0)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"seat": 3}, 'a number from 0 to 2 or "random"'),
        ({"seat": "first"}, 'a number from 0 to 2 or "random"'),
        ({"bots": "baker"}, "there is no bot 'baker'"),
        ({"bots": []}, "expected 1 to 2"),
        ({"bots": [3]}, "expected levels, classes of bots, or functions"),
        ({"bots": [int]}, "expected levels, classes of bots, or functions"),
        ({"bots": "clerk,clerk,clerk"}, "expected 1 to 2"),
        ({"illegal": "pass"}, "lose or raise"),
        ({"reward": "gold"}, "win or points"),
        ({"render_mode": "gif"}, "human, ansi, svg"),
    ],
)
def test_options_that_do_not_fit_are_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        SeatEnv("batavia", players=3, **given)


def test_without_gymnasium_we_say_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "comptoir.research.gymnasium")
    with pytest.raises(ImportError, match=r"pip install .*\[research\]"):
        importlib.import_module("comptoir.research.gymnasium")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # those of other people's libraries
def test_maskable_ppo_trains() -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    env: Any = gymnasium.make("comptoir/MarcoPolo-v2", players=2, bots="passer-by")
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=512, batch_size=128, seed=1)
    before = [weights.clone() for weights in model.policy.parameters()]
    model.learn(4_000)
    assert model.num_timesteps >= 4_000
    assert any((old != new).any() for old, new in zip(before, model.policy.parameters(), strict=True))
    observation, info = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=env.unwrapped.action_masks())
    assert info["action_mask"][action]
