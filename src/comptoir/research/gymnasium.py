"""The games for Gymnasium: one seat learns, bots have the others.

    import gymnasium

    env = gymnasium.make("comptoir.research.gymnasium:comptoir/Batavia-v1", players=4, bots="clerk")
    observation, info = env.reset(seed=7)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

Importing this module registers `comptoir/Batavia-v1`, `comptoir/Century-v1`, `comptoir/MarcoPolo-v2` and
`comptoir/SailToIndia-v2`; Gymnasium imports it automatically where its name stands before a colon. `make_vec`
makes many at once (vector.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from comptoir.bots import Bot, DecisionContext
from comptoir.bots.levels import make, split_specs
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.plain import ComponentsGiven, OptionValue
from comptoir.engine.rule import Position
from comptoir.errors import IllegalAction, OptionError
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
    import gymnasium
    from gymnasium.spaces import Box, Discrete

Known = NDArray[np.uint8]
Info = dict[str, Any]
Policy = Callable[[Known, NDArray[np.bool_]], SupportsIndex]  # an action for what a seat knows and may do


class SeatEnv(gymnasium.Env[Known, np.int64]):
    """One seat of a game. After its action the bots play until it decides again or the game is over.

    seat      its number, or "random": another one each game
    bots      who has the other seats, in turn: "clerk", "captain,clerk" or a list. If there are fewer bots
              than seats, it starts again from the first. A list may also hold classes of custom bots, and
              functions that return an action for an observation and a mask
    illegal   what happens after an illegal action. "lose": the game ends at a reward of -1, and
              `info["illegal"]` says why; "raise": IllegalAction, and nothing has changed
    reward    as in `Batch`, of this seat

    A bot sees its own seat's view and nothing else. The same seed gives the same game and the same decisions
    of the bots. `info["action_mask"]` and `action_masks()` tell what is legal. A game ends by its rules, so
    `truncated` is never true.
    """

    metadata: dict[str, object] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 Gymnasium's own type

    def __init__(
        self,
        name: str,
        players: int | None = None,
        *,
        seat: int | str = 0,
        bots: str | Sequence[str | type[Bot] | Policy] = "clerk",
        illegal: str = "lose",
        reward: str = "win",
        render_mode: str | None = None,
        components: ComponentsGiven | None = None,
        **options: OptionValue,
    ) -> None:
        check_render_mode(render_mode)
        check_illegal(illegal)
        self.render_mode, self.illegal = render_mode, illegal
        self.one = SingleGame(name, seed=0, players=players, reward=reward, components=components, **options)
        self.layout = self.one.game.observation
        self.observation_space = Box(
            np.zeros_like(self.layout.high),
            observation_high(self.one.game, self.one.components),
            dtype=np.uint8,
        )
        self.action_space: Discrete[np.int64] = Discrete(len(self.one.game.actions))
        self._asked = self._checked(seat)
        self.seat = 0 if seat == "random" else int(seat)
        specs = split_specs(bots) if isinstance(bots, str) else list(bots)
        if not 1 <= len(specs) < self.one.players:
            raise OptionError(
                f"bots: expected 1 to {self.one.players - 1}, one for each other seat, found {len(specs)}"
            )
        self._specs = [specs[nth % len(specs)] for nth in range(self.one.players - 1)]
        self.bots = [self._make(spec) for spec in self._specs]
        self.opponents: dict[int, Bot | Policy] = {}

    def __getstate__(self) -> dict[str, object]:
        """Without the bots, which are created again in the copy: they keep nothing from turn to turn."""
        return {name: part for name, part in vars(self).items() if name not in ("bots", "opponents")}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__ |= state
        self.bots = [self._make(spec) for spec in self._specs]
        self._seat_bots()

    def _make(self, wanted: object) -> Bot | Policy:
        """A bot, which gets its seed with each game, or a function as it is."""
        if isinstance(wanted, str):
            return make(wanted, self.one.game, self.one.components, seed="")
        if isinstance(wanted, type) and issubclass(wanted, Bot):
            return wanted(self.one.game, self.one.components, "")
        if isinstance(wanted, type) or not callable(wanted):
            raise OptionError(
                "bots: expected levels, classes of bots, or functions of an observation and a mask,"
                f" found {wanted!r}"
            )
        return cast(Policy, wanted)

    def _checked(self, seat: int | str) -> int | str:
        if seat != "random" and (not isinstance(seat, int) or not 0 <= seat < self.one.players):
            raise OptionError(
                f'seat: expected a number from 0 to {self.one.players - 1} or "random", found {seat!r}'
            )
        return seat

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Known, Info]:
        """A new game, up to the seat's first decision.

        A match with the same seed has the same deal. `options={"position": …}` begins from a position, given
        as plain data.
        """
        unknown = [name for name in options or {} if name != "position"]
        if unknown:
            raise OptionError(f"options: a reset takes position, not {unknown[0]!r}")
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(SEED_LIMIT))
        if self._asked == "random":
            self.seat = int(self.np_random.integers(self.one.players))
        self.one.reset(seed, (options or {}).get("position"))
        self._seat_bots()
        self.play_bots()
        return self.one.observation(self.seat), self.info()

    def _seat_bots(self) -> None:
        others = (seat for seat in range(self.one.players) if seat != self.seat)
        self.opponents = dict(zip(others, self.bots, strict=True))
        for seat, bot in self.opponents.items():
            if isinstance(bot, Bot):
                bot.seed = f"{self.one.seed} {seat}"

    def step(self, action: SupportsIndex) -> tuple[Known, float, bool, bool, Info]:
        """Plays the seat's action, and the bots' after it."""
        try:
            self.one.step(action)
        except IllegalAction as refusal:
            if self.illegal == "raise":
                raise
            self.one.given_up = True
            return (
                self.one.observation(self.seat),
                ILLEGAL_ACTION_REWARD,
                True,
                False,
                self.info() | {"illegal": str(refusal)},
            )
        self.play_bots()
        return (
            self.one.observation(self.seat),
            float(self.one.rewards[self.seat]),
            self.one.over,
            False,
            self.info(),
        )

    def play_bots(self) -> None:
        one, earlier = self.one, list[Position]()
        while not one.over and one.turn != self.seat:
            self._show()
            seat = one.turn
            one.step(self._decided(seat, earlier))
            if one.turn != seat:
                earlier.clear()
        self._show()

    def _decided(self, seat: int, earlier: list[Position]) -> SupportsIndex:
        """What a bot or function does in a seat, from what that seat may know; a bot is also given what it
        saw earlier in its turn.
        """
        who, one = self.opponents[seat], self.one
        if not isinstance(who, Bot):
            return who(one.observation(seat), self.action_masks())
        view = one.seen_by(seat)
        chosen = who.decide_from(DecisionContext(view, one.ply, tuple(earlier), lambda: one.view(seat)))
        earlier.append(view)
        return chosen

    def info(self) -> Info:
        """At the end of a game also how it has come out."""
        result: Info = {**self.one.result()} if self.one.over else {}
        return {"action_mask": self.one.mask.copy(), "seat": self.seat} | result

    def observation(self, seat: int | None) -> Known:
        """What any seat (None: a spectator) may know now. Your agent may know that of its own seat."""
        return self.one.observation(seat)

    def match(self) -> Match:
        """The game so far as a match: to be narrated, replayed, continued, or saved to a file."""
        return self.one.match()

    def snapshot(self) -> tuple[GameSnapshot, int]:
        """The game as it stands, to go back to with `restore`."""
        return self.one.snapshot(), self.seat

    def restore(self, snapshot: tuple[GameSnapshot, int]) -> tuple[Known, Info]:
        """The game as it stood; what `reset` would return."""
        game, seat = snapshot
        self.one.restore(game)
        self.seat = seat
        self._seat_bots()
        return self.one.observation(self.seat), self.info()

    def action_masks(self) -> NDArray[np.bool_]:
        """What is legal, as sb3-contrib's MaskablePPO asks for it."""
        return self.one.mask.astype(np.bool_)

    def render(self) -> Any:
        """What the seat sees: the table as text ("ansi"), the board as "svg" or pixels ("rgb_array"); "human"
        prints the table.
        """
        return None if self.render_mode is None else self.one.render(self.render_mode, self.seat)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


for _name in registry.names():
    _title = "".join(word.capitalize() for word in _name.split("_"))
    gymnasium.register(
        f"comptoir/{_title}-v{get_game(_name).version}",
        entry_point="comptoir.research.gymnasium:SeatEnv",
        vector_entry_point="comptoir.research.vector:SeatVectorEnv",
        kwargs={"name": _name},
    )
