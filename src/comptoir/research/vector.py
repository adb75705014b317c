"""Many seats at once for Gymnasium: a batch with bots, as a vector environment.

envs = gymnasium.make_vec("comptoir.research.gymnasium:comptoir/Batavia-v1", num_envs=64, bots="clerk")
observations, infos = envs.reset(seed=7)
observations, rewards, terminations, truncations, infos = envs.step(actions)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from comptoir.bots.levels import split_specs
from comptoir.engine.game import get_game
from comptoir.engine.plain import ComponentsGiven, OptionValue
from comptoir.errors import OptionError
from comptoir.extras import needs
from comptoir.research.batch import Batch
from comptoir.research.loops import SEED_LIMIT
from comptoir.research.single import observation_high
from comptoir.research.snapshot import Snapshot

with needs("research"):
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

Known = NDArray[np.uint8]
Infos = dict[str, Any]


class SeatVectorEnv(VectorEnv):
    """One seat in each of many games, compiled with the bots in the others.

    seat       its number in all games, or "random": another one each game, in turn
    bots       who has the other seats, in turn: "clerk", "heuristic" (the rollout policy, much faster),
               "passer-by", or a list of them
    threads    over how many threads the games are split
    reward     as in `Batch`, of this seat

    A game that has ended begins again in the same step (Gymnasium's SAME_STEP): `infos["final_obs"]` and
    `infos["final_info"]` are of the one that ended. An illegal action raises IllegalAction: that game waits,
    the others have gone on.
    """

    def __init__(
        self,
        name: str,
        num_envs: int = 1,
        players: int | None = None,
        *,
        seat: int | str = 0,
        bots: str | Sequence[str] = "clerk",
        reward: str = "win",
        threads: int = 1,
        components: ComponentsGiven | None = None,
        **options: OptionValue,
    ) -> None:
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.num_envs = num_envs
        seated: str | Sequence[str | None] = bots
        if seat not in (0, "random"):
            many = int(get_game(name).read_options(players, **options)["players"])
            seated = _seated(seat, bots, many)
        self.batch = Batch(
            name,
            num_envs,
            players,
            device="cpu",
            seed=0,
            reward=reward,
            threads=threads,
            bots=seated,
            rotate_seats=seat == "random",
            components=components,
            **options,
        )
        self.layout = self.batch.layout
        high = observation_high(self.batch.game, self.batch.components)
        self.single_observation_space = Box(np.zeros_like(high), high, dtype=np.uint8)
        self.single_action_space: Discrete[np.int64] = Discrete(len(self.batch.game.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Known, Infos]:
        """New games; game n is that of a batch with this seed. There are no options."""
        if options:
            raise OptionError(f"options: a reset takes none, not {next(iter(options))!r}")
        super().reset(seed=seed)
        self.batch.reset(int(self.np_random.integers(SEED_LIMIT)) if seed is None else seed)
        return self.batch.observations.copy(), self._infos()

    def step(
        self, actions: NDArray[np.integer]
    ) -> tuple[Known, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]:
        """One action in each game, and the bots' after it."""
        self.batch.step(actions)
        ends = self.batch.terminations.copy()
        seats = self.batch.last_seats
        rewards = self.batch.rewards[np.arange(self.num_envs), seats].astype(np.float64)
        infos = self._infos()
        if ends.any():
            infos |= self._finals(ends)
        return self.batch.observations.copy(), rewards, ends, np.zeros(self.num_envs, np.bool_), infos

    def _infos(self) -> Infos:
        everywhere = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self.batch.action_masks.astype(np.int8),
            "_action_mask": everywhere,
            "seat": self.batch.current_seats.astype(np.int64),
            "_seat": everywhere.copy(),
        }

    def _finals(self, ends: NDArray[np.bool_]) -> Infos:
        """How the games that have just ended have come out."""
        last = np.full(self.num_envs, None, object)
        results = self.batch.results(np.flatnonzero(ends))
        for n, known in zip(np.flatnonzero(ends), results["final_obs"], strict=True):
            last[n] = known
        told: Infos = {}
        for key, values in results.items():
            if key == "final_obs":
                continue
            told[key] = np.full(self.num_envs, None, object)
            for n, value in zip(np.flatnonzero(ends), cast(list[object], values), strict=True):
                told[key][n] = value
            told[f"_{key}"] = ends.copy()
        return {"final_obs": last, "_final_obs": ends.copy(), "final_info": told, "_final_info": ends.copy()}

    def action_masks(self) -> NDArray[np.bool_]:
        """What is legal in each game."""
        masks: NDArray[np.bool_] = self.batch.action_masks.copy()
        return masks

    def snapshot(self) -> Snapshot:
        """All games as they stand, to go back to with `restore`."""
        return self.batch.snapshot()

    def restore(self, snapshot: Snapshot) -> tuple[Known, Infos]:
        """All games as they stood; what `reset` would return."""
        self.batch.restore(snapshot)
        return self.batch.observations.copy(), self._infos()


def _seated(seat: object, bots: str | Sequence[str], players: int) -> list[str | None]:
    """Who has each seat, where yours is not the first."""
    if type(seat) is not int or not 0 <= seat < players:
        raise OptionError(f'seat: expected a number from 0 to {players - 1} or "random", found {seat!r}')
    named = split_specs(bots) if isinstance(bots, str) else list(bots)
    others: list[str | None] = [named[n % len(named)] for n in range(players - 1)]
    return [*others[:seat], None, *others[seat:]]
