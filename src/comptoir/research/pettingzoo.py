"""The games for PettingZoo: all seats are agents, and one decides at a time.

from comptoir.research import pettingzoo

env = pettingzoo.env("batavia", players=4)
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    action = None if termination or truncation else env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.match import Match
from comptoir.engine.plain import ComponentsGiven, OptionValue
from comptoir.errors import IllegalAction
from comptoir.extras import needs
from comptoir.research.loops import SEED_LIMIT
from comptoir.research.single import (
    ILLEGAL_ACTION_REWARD,
    RENDER_MODES,
    GameSnapshot,
    SingleGame,
    check_illegal,
    check_render_mode,
    observation_high,
)

with needs("research"):
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv

OF_A_GAME = (
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "decides",
    "_cumulative_rewards",
)
KEPT = (*OF_A_GAME, "agents", "_skip_agent_selection")


def env(name: str, players: int | None = None, **given: Any) -> TableEnv:
    """A game for PettingZoo.

    As in its own games, an action that is not legal ends the game, and costs its agent 1.
    """
    return TableEnv(name, players, **{"illegal": "lose"} | given)


def raw_env(name: str, players: int | None = None, **given: Any) -> TableEnv:
    """A game in which an action that is not legal raises IllegalAction, and nothing has changed."""
    return TableEnv(name, players, **{"illegal": "raise"} | given)


class TableEnv(AECEnv):  # type: ignore[misc] # PettingZoo has no types
    """A game, its seats the agents.

    A `reset` with a seed deals as a match with that seed does; without one, the next random game.
    Rewards are those of `Batch`: 0 until the end. What is drawn is what a spectator sees.

    It does what PettingZoo's usual wrappers would do: they would take most of the time.
    """

    def __init__(
        self,
        name: str,
        players: int | None = None,
        *,
        render_mode: str | None = None,
        reward: str = "win",
        illegal: str = "lose",
        components: ComponentsGiven | None = None,
        **options: OptionValue,
    ) -> None:
        super().__init__()
        check_render_mode(render_mode)
        check_illegal(illegal)
        self.render_mode, self.illegal = render_mode, illegal
        self.one = SingleGame(name, seed=0, players=players, reward=reward, components=components, **options)
        self.layout = self.one.game.observation
        version = f"comptoir_{name}_v{self.one.game.version}"
        self.metadata = {
            "name": version,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(self.one.players)]
        self.agents: list[str] = []
        self.action_spaces = {agent: Discrete(len(self.one.game.actions)) for agent in self.possible_agents}
        high = np.tile(observation_high(self.one.game, self.one.components), (self.one.players, 1))
        self.state_space = Box(np.zeros_like(high), high, dtype=np.uint8)
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._no_mask = np.zeros_like(self.one.mask)
        self._chance = np.random.default_rng()
        self.decides: str | None

    def _observation_space(self) -> Dict:
        known = Box(
            np.zeros_like(self.layout.high),
            observation_high(self.one.game, self.one.components),
            dtype=np.uint8,
        )
        mask = Box(0, 1, self.one.mask.shape, np.int8)
        return Dict({"observation": known, "action_mask": mask})

    def __getattr__(self, name: str) -> Any:
        """Called for attributes that do not exist."""
        hint = "; reset the table before a game is played" if name in OF_A_GAME else ""
        raise AttributeError(f"a table has no {name!r}{hint}")

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete[np.int64]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, object] | None = None) -> None:
        """A new game; `options={"position": …}` begins from a position, given as plain data.

        Other options are passed over: PettingZoo's own tests give some.
        """
        position = (options or {}).get("position")
        self.one.reset(int(self._chance.integers(SEED_LIMIT)) if seed is None else seed, position)
        if seed is not None:
            self._chance = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.decides = self.agents[self.one.turn]
        self._show()

    def step(self, action: int | None) -> None:
        """Plays an action of the agent that decides.

        When the game is over, each agent steps off with None.
        """
        if self.decides is None:
            self._was_dead_step(action)
            return
        try:
            self.one.step(action)
        except IllegalAction as refusal:
            self._lose(refusal)
            return
        turn = self.one.turn
        if turn < 0:
            result = self.one.result()
            self.infos = {agent: dict(result) for agent in self.agents}
            self._end(self.one.rewards.tolist())
        else:
            self.agent_selection = self.decides = self.possible_agents[turn]
        self._show()

    def _lose(self, refusal: IllegalAction) -> None:
        if self.illegal == "raise":
            raise refusal
        self.one.given_up = True
        self.infos[self.agent_selection]["illegal"] = str(refusal)
        self._end([ILLEGAL_ACTION_REWARD if agent == self.agent_selection else 0.0 for agent in self.agents])

    def _end(self, rewards: list[float]) -> None:
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self.decides = None
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, NDArray[np.uint8] | NDArray[np.int8]]:
        """What an agent may know and, if it decides, what it may do: in new arrays."""
        mask = self.one.mask if agent == self.decides else self._no_mask
        return {"observation": self.one.observation(self._seats[agent]), "action_mask": mask.copy()}

    def state(self) -> NDArray[np.uint8]:
        """Everything: what each seat may know, one row per seat. For a critic, not for an agent."""
        return np.stack([self.one.observation(seat) for seat in range(self.one.players)])

    def spectator(self) -> NDArray[np.uint8]:
        """What somebody who has no seat may know."""
        return self.one.observation(None)

    def match(self) -> Match:
        """The game so far as a match: to be narrated, replayed, continued, or saved to a file."""
        return self.one.match()

    def snapshot(self) -> tuple[GameSnapshot, dict[str, object]]:
        """The game as it stands, to go back to with `restore`."""
        return self.one.snapshot(), copy.deepcopy(
            {name: vars(self)[name] for name in KEPT if name in vars(self)}
        )

    def restore(self, snapshot: tuple[GameSnapshot, dict[str, object]]) -> None:
        """The game as it stood."""
        game, kept = snapshot
        self.one.restore(game)
        for name in KEPT:
            self.__dict__.pop(name, None)
        self.__dict__ |= copy.deepcopy(kept)

    def render(self) -> Any:
        """What a spectator sees: the table as text ("ansi"), the board as "svg" or pixels ("rgb_array");
        "human" prints the table.
        """
        return None if self.render_mode is None else self.one.render(self.render_mode)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Nothing is open."""
