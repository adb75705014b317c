"""One game, for interfaces that step one game at a time: as quick as a batch, with all that a match can show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.art.scene import Scene, board_svg
from comptoir.engine.components import Components
from comptoir.engine.game import Game, game
from comptoir.engine.mask import members
from comptoir.engine.match import NAMES
from comptoir.engine.verbs import observe
from comptoir.engine.words import words_of
from comptoir.errors import IllegalAction, MatchOver, UnknownAction
from comptoir.research import loops
from comptoir.research.batch import REWARDS
from comptoir.research.cpu import new_rows

FIRST = 0  # its row


class One:
    """A game that is played to its end and not begun anew until it is asked for."""

    def __init__(
        self,
        name: str,
        *,
        seed: int = 0,
        reward: str = "win",
        components: str | Path | dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.game: Game = game(name)
        self.options = self.game.read_options(**options)
        self.players = int(self.options["players"])
        self.components: Components = self.game.components
        if components is not None:
            self.components = self.game.read_components(components if isinstance(components, dict) else Path(components))
        self._kind = REWARDS.index(reward)
        self._start = self.game.position.array(1)
        self._start[FIRST] = self.game.blank(self.options)
        self.rows = new_rows(self.game, 1)
        self._position: np.record = self.rows.positions[FIRST]
        compiled = self.game.compiled
        self._reset, self._move, self._observe = compiled.bind(loops.reset_some), compiled.bind(loops.move), compiled.bind(observe)
        self.mask: NDArray[np.int8] = self.rows.bytes.view(np.int8)[FIRST, : len(self.game.actions)]  # of who decides; 1: legal
        self.rewards = self.rows.rewards[FIRST, : self.players]
        self.number = 0
        self.reset(seed)

    def reset(self, seed: int = 0) -> None:
        self.number = 0
        self._reset(self.rows, FIRST, 1, self._start, self.components.box, seed)

    @property
    def turn(self) -> int:
        """The seat that decides; -1 when the game is over."""
        return -1 if self.rows.ends[FIRST] else int(self.rows.turns[FIRST])

    @property
    def over(self) -> bool:
        return bool(self.rows.ends[FIRST])

    @property
    def record(self) -> np.record:
        """The position. Others than the rules should ask for `hidden`."""
        return self._position

    def step(self, action: int) -> None:
        """Plays an action. Raises IllegalAction, UnknownAction or MatchOver, and then nothing has changed."""
        if self.over:
            raise MatchOver(f"{self.game.name}: the game is over; reset it to begin another")
        if not self._move(self.rows, FIRST, self.components.box, action, self._kind):
            raise self._refusal(action)
        self.number += 1
        if self.over:
            self.mask[:] = 0

    def _refusal(self, action: int) -> IllegalAction | UnknownAction:
        if not 0 <= action < len(self.game.actions):
            return UnknownAction(f"actions of {self.game.name} are 0 to {len(self.game.actions) - 1}, not {action}")
        refusal = self.game.why_not(self._position, self.components.box, action)
        assert refusal is not None
        rule, key, values = refusal
        return IllegalAction(self.game.actions[action], rule, words_of(self.game.name, "en").say(key, **values))

    def observation(self, seat: int) -> NDArray[np.uint8]:
        """What a seat may know, in an array of its own."""
        if seat == self.turn:
            known: NDArray[np.uint8] = self.rows.observations[FIRST].copy()
            return known
        out = np.zeros(self.game.observation.size, np.uint8)
        self._observe(self._position, self.components.box, seat, out)
        return out

    def hidden(self, seat: int | None) -> np.record:
        """The position as a seat (None: a spectator) may know it, for Comptoir's own bots."""
        return self.game.hidden(self._position, self.components.box, seat)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """All that a seat may know, as a match tells it: plain data, in words."""
        mine = seat is not None and seat == self.turn
        return {
            "game": self.game.name,
            "rules": self.game.version,
            "number": self.number,
            "seat": seat,
            "names": list(NAMES[: self.players]),
            "position": self.game.plain(self.hidden(seat)),
            "actions": [self.game.actions[action] for action in members(self.rows.bits[FIRST])] if mine else [],
        }

    def svg(self, seat: int | None = None) -> str:
        """The board as a seat sees it."""
        return board_svg(self.game, Scene(self.view(seat), words_of(self.game.name, "en"), self.components))
