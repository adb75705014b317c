"""Many seats at once, as Gymnasium's vector environments have them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import comptoir.research.gymnasium  # noqa: F401  registers them
from comptoir.errors import OptionError
from comptoir.research.vector import SeatVectorEnv
from tests import example_game


@pytest.fixture
def envs() -> Iterator[SeatVectorEnv]:
    with example_game.known():
        yield SeatVectorEnv("lots", 10, 3, bots="clerk", seat="random")


def test_gymnasium_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}
    monkeypatch.setattr(SeatVectorEnv, "__init__", lambda self, **given: made.update(given))
    monkeypatch.setattr(SeatVectorEnv, "metadata", {"autoreset_mode": AutoresetMode.SAME_STEP})
    envs = gymnasium.make_vec("comptoir/Batavia-v1", num_envs=5, bots="clerk")
    assert isinstance(envs, SeatVectorEnv)
    assert made == {"name": "batavia", "num_envs": 5, "bots": "clerk"}


def test_episodes(envs: SeatVectorEnv) -> None:
    chance = np.random.default_rng(1)
    known, infos = envs.reset(seed=3)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seats, ended = infos["seat"], 0
    for _ in range(60):
        assert envs.observation_space.contains(known)
        assert (infos["action_mask"] == envs.action_masks()).all()
        actions = [int(chance.choice(np.flatnonzero(mask))) for mask in infos["action_mask"]]
        assert envs.action_space.contains(np.array(actions))
        known, rewards, terminations, truncations, infos = envs.step(np.array(actions))
        assert not truncations.any()
        assert (rewards[~terminations] == 0).all()
        assert (infos["seat"][~terminations] == seats[~terminations]).all()
        for n in np.flatnonzero(terminations):
            ended += 1
            final = infos["final_info"]
            scores = final["scores"][n]
            assert (rewards[n] > 0) == (scores[seats[n]] == max(scores) and scores.count(max(scores)) < 3)
            assert final["ending"][n] == "sold out"
            assert envs.single_observation_space.contains(infos["final_obs"][n])
            assert infos["final_obs"][n].tolist() != known[n].tolist()
        assert ("final_info" in infos) == terminations.any()
        seats = infos["seat"]
    assert ended > 10


def test_seeds_copies_and_snapshots(envs: SeatVectorEnv) -> None:
    first, _ = envs.reset(seed=3)
    kept, twin = envs.snapshot(), copy.deepcopy(envs)
    actions = envs.batch.sample_actions()
    told = [one.step(actions)[0].tolist() for one in (envs, twin)]
    assert told[0] == told[1] != first.tolist()
    known, infos = envs.restore(kept)
    assert known.tolist() == first.tolist()
    assert infos["action_mask"].any()
    assert envs.reset(seed=3)[0].tolist() == first.tolist()
    assert envs.reset()[0].tolist() != envs.reset()[0].tolist()


def test_a_seat_is_where_it_was_asked_for() -> None:
    with example_game.known():
        envs = SeatVectorEnv("lots", 4, 3, bots="heuristic,passer-by", seat=2)
        _, infos = envs.reset(seed=1)
        assert infos["seat"].tolist() == [2] * 4
        with pytest.raises(OptionError, match='a number from 0 to 2 or "random"'):
            SeatVectorEnv("lots", 4, 3, seat=3)
        with pytest.raises(OptionError, match="a reset takes none, not 'position'"):
            envs.reset(options={"position": {}})
