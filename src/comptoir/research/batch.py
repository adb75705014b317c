"""Thousands of games of one kind, stepped in one call on a CPU or a GPU.

    batch = Batch("century", games=4096, players=3, seed=7)
    while learning:
        actions = policy(batch.observations, batch.masks)      # one for each game
        batch.step(actions)                                    # arrays now show what came of them

When a game ends, the next one begins at once. `ends` says so, `rewards` are those of the game that ended, and
all else is of the new one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from comptoir.engine.game import Game, get_game
from comptoir.errors import OptionError
from comptoir.research.cpu import Cpu, Playouts
from comptoir.research.loops import SEED_LIMIT

REWARDS = ("win", "points")
DEVICES = ("cpu", "cuda")
POLICIES = ("random", "greedy")


class Batch:
    """Many games at once. The same seed gives the same games, however they are run.

    observations   (games, size) uint8: what the seat that decides may know; `layout` names its pieces
    masks          (games, actions) bool: what it may do
    turns          (games,) int8: which seat that is
    rewards        (games, players) float32: of the last action. "win": 1 for winning alone, which the others
                   lose between them, and ties share; "points": the points. 0 until a game ends
    ends           (games,) bool: whether the last action ended a game

    On the CPU these are NumPy arrays. On a GPU they stay there: `torch.from_dlpack(batch.observations)`.
    """

    def __init__(
        self,
        name: str,
        games: int = 1024,
        players: int | None = None,
        *,
        device: str = "cpu",
        seed: int = 0,
        reward: str = "win",
        threads: int = 1,
        components: str | Path | dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.game: Game = get_game(name)
        self.options = self.game.read_options(**({} if players is None else {"players": players}), **options)
        self.players = int(self.options["players"])
        _check_number("games", games)
        _check_number("threads", threads)
        if device not in DEVICES:
            raise OptionError(f"device: expected {' or '.join(DEVICES)}, found {device!r}")
        self.games, self.device, self._kind = games, device, kind_of(reward)
        self.components = self.game.read_components(components)
        self.layout = self.game.observation
        start = self.game.position.array(1)
        start[0] = self.game.blank(self.options)
        self._run: Any = self._on_gpu(start) if device == "cuda" else self._on_cpu(start, threads)
        self.reset(seed)

    def _on_cpu(self, start: Any, threads: int) -> Cpu:
        run = Cpu(self.game, self.games, start, self.components, threads)
        self.observations: Any = run.rows.observations
        self.masks: Any = run.rows.bytes.view(np.bool_)[:, : len(self.game.actions)]
        self.turns: Any = run.rows.turns
        self.rewards: Any = run.rows.rewards[:, : self.players]
        self.ends: Any = run.rows.ends.view(np.bool_)
        return run

    def _on_gpu(self, start: Any) -> Any:
        from comptoir.research.cuda import Gpu

        run = Gpu(self.game, self.games, start, self.components)
        self.observations = run.part("observations", np.uint8, self.layout.size)
        self.masks = run.part("masks", np.bool_, len(self.game.actions))
        self.turns, self.ends = run.part("turns", np.int8), run.part("ends", np.bool_)
        self.rewards = run.part("rewards", np.float32, self.players)
        return run

    def __repr__(self) -> str:
        return (
            f"<batch of {self.games:,} games of {self.game.name}, {self.players} players, on {self.device}>"
        )

    def reset(self, seed: int = 0) -> None:
        """Starts all games again, the nth on dice seeded with seed + n."""
        self._run.reset(check_seed(seed))

    def step(self, actions: Any) -> None:
        """One action in each game.

        IllegalAction names the first that is not legal: that game has not moved, the others have.

        On a GPU this does not wait to find out whether all were legal: `check` does.
        """
        self._run.step(actions, self._kind)

    def check(self) -> None:
        """Raises OptionError if, since the last check, an action was not legal. Only needed on a GPU."""
        refused = self._run.refused()
        if refused is not None:
            raise OptionError(f"actions: that of game {refused} was not legal, so that game has not gone on")

    def choose(self, out: Any = None) -> Any:
        """A legal action for each game, all equally likely; written into `out`, if it is given.

        The array that is returned is on the batch's device.
        """
        return self._run.choose(out)

    def playouts(self, policy: str = "random", games: int | None = None, seed: int = 0) -> Playouts:
        """Whole games from the start, at random or by the clerk's habits; the games of this batch are left
        alone.
        """
        if policy not in POLICIES:
            raise OptionError(f"policy: expected {' or '.join(POLICIES)}, found {policy!r}")
        many = self.games if games is None else games
        _check_number("games", many)
        found: Playouts = self._run.playouts(policy == "greedy", check_seed(seed), many)
        return found


def _check_number(what: str, number: Any) -> None:
    if type(number) is not int or number < 1:
        raise OptionError(f"{what}: expected a number from 1, found {number!r}")


def kind_of(reward: Any) -> int:
    """The number that the loops use for a kind of reward."""
    if reward not in REWARDS:
        raise OptionError(f"reward: expected {' or '.join(REWARDS)}, found {reward!r}")
    return REWARDS.index(reward)


def check_seed(seed: Any) -> int:
    """A seed as a plain int: loops would be compiled again for each of NumPy's integer types."""
    if not isinstance(seed, int | np.integer) or not 0 <= seed < SEED_LIMIT:
        raise OptionError(f"seed: expected a number from 0 to 2**62 - 1, found {seed!r}")
    return int(seed)
