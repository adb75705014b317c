"""One game, for interfaces that step one game at a time: as quick as a batch, with all that a match can
show.
"""

from __future__ import annotations

import io
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, RenderableType

from comptoir.art.scene import board_svg
from comptoir.engine.components import Components
from comptoir.engine.game import Game, get_game
from comptoir.engine.mask import members
from comptoir.engine.match import usual_names
from comptoir.engine.scene import Scene
from comptoir.engine.verbs import observe
from comptoir.engine.view import View, make_view
from comptoir.engine.words import words_of
from comptoir.errors import MatchOver, OptionError, UnknownAction
from comptoir.extras import needs
from comptoir.research import loops
from comptoir.research.batch import check_seed, kind_of
from comptoir.research.cpu import new_rows

FIRST = 0  # its row
RENDER_MODES = ("human", "ansi", "svg", "rgb_array")
COLUMNS = 100  # of the table as text
ILLEGAL = -1.0  # the reward for an action that is not legal, where that ends a game


class SingleGame:
    """A game that is played to its end; the next one begins with `reset`."""

    def __init__(
        self,
        name: str,
        *,
        seed: int = 0,
        reward: str = "win",
        components: str | Path | dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.game: Game = get_game(name)
        self.options = self.game.read_options(**options)
        self.players = int(self.options["players"])
        self.components: Components = self.game.read_components(components)
        self._kind = kind_of(reward)
        self._start = self.game.position.array(1)
        self._start[FIRST] = self.game.blank(self.options)
        self.rows = new_rows(self.game, 1)
        self._position: np.record = self.rows.positions[FIRST]
        compiled = self.game.compiled
        self._reset, self._move, self._observe = (
            compiled.bind(loops.reset_some),
            compiled.bind(loops.move),
            compiled.bind(observe),
        )
        # what the seat that decides may do; 1: legal
        self.mask: NDArray[np.int8] = self.rows.bytes.view(np.int8)[FIRST, : len(self.game.actions)]
        self.rewards = self.rows.rewards[FIRST, : self.players]
        self.ply = 0
        self.reset(seed)

    def reset(self, seed: int = 0) -> None:
        """A new game: the first one of a batch with this seed."""
        self.ply = 0
        self._reset(self.rows, FIRST, 1, self._start, self.components.box, check_seed(seed))

    @property
    def turn(self) -> int:
        """The seat that decides; -1 when the game is over."""
        return -1 if self.rows.ends[FIRST] else int(self.rows.turns[FIRST])

    @property
    def over(self) -> bool:
        return bool(self.rows.ends[FIRST])

    @property
    def record(self) -> np.record:
        """The position. Whoever is not the rules should ask for `seen_by`."""
        return self._position

    def step(self, action: Any) -> None:
        """Plays an action. Raises IllegalAction, UnknownAction or MatchOver, and then nothing has changed."""
        if self.over:
            raise MatchOver(f"{self.game.name}: the game is over; reset it to begin another")
        if not self._move(self.rows, FIRST, self.components.box, self._number(action), self._kind):
            raise self.game.refusal(self._position, self.components.box, int(action))
        self.ply += 1
        if self.over:
            self.mask[:] = 0

    def _number(self, action: Any) -> int:
        """A plain int: loops would be compiled again for each of NumPy's integer types."""
        try:
            number = index(action)
        except TypeError:
            number = -1
        if not 0 <= number < len(self.mask):
            raise UnknownAction(f"actions of {self.game.name} are 0 to {len(self.mask) - 1}, not {action!r}")
        return number

    def observation(self, seat: int) -> NDArray[np.uint8]:
        """What a seat may know, in a new array."""
        if seat == self.turn:
            known: NDArray[np.uint8] = self.rows.observations[FIRST].copy()
            return known
        out = np.zeros(self.game.observation.size, np.uint8)
        self._observe(self._position, self.components.box, seat, out)
        return out

    def seen_by(self, seat: int | None) -> np.record:
        """The position as a seat (None: a spectator) may know it, for built-in bots."""
        return self.game.seen_by(self._position, self.components.box, seat)

    def view(self, seat: int | None = None) -> View:
        """All that a seat may know, as a match tells it: plain data, in words."""
        mine = seat is not None and seat == self.turn
        names, position = usual_names(self.players), self.game.plain(self.seen_by(seat))
        legal = members(self.rows.bits[FIRST]) if mine else []
        return make_view(self.game, self.ply, seat, names, position, legal)

    def render(self, mode: str, seat: int | None = None) -> str | NDArray[np.uint8] | None:
        """What a seat (None: a spectator) sees, in one of the RENDER_MODES."""
        if mode == "human":
            Console(highlight=False).print(self._table(seat))
            return None
        return self.text(seat) if mode == "ansi" else self.svg(seat) if mode == "svg" else self.pixels(seat)

    def text(self, seat: int | None = None) -> str:
        """The table as the terminal shows it, in plain text."""
        console = Console(file=io.StringIO(), width=COLUMNS, color_system=None, highlight=False)
        with console.capture() as shown:
            console.print(self._table(seat))
        return shown.get()

    def _table(self, seat: int | None) -> RenderableType:
        table: RenderableType = self.game.terminal.draw(self.scene(seat))
        return table

    def scene(self, seat: int | None) -> Scene:
        """What a seat (None: a spectator) may know, to be drawn."""
        return Scene(self.seen_by(seat), self.view(seat), words_of(self.game.name, "en"), self.components)

    def pixels(self, seat: int | None = None) -> NDArray[np.uint8]:
        """The board as a seat sees it: height, width, and red, green and blue."""
        with needs("research", otherwise='or ask for "svg"'):
            import resvg_py
            from PIL import Image
        picture = Image.open(io.BytesIO(resvg_py.svg_to_bytes(svg_string=self.svg(seat))))
        return np.array(picture.convert("RGB"))

    def svg(self, seat: int | None = None) -> str:
        """The board as a seat sees it."""
        return board_svg(self.game, self.scene(seat))


def check_render_mode(mode: str | None) -> None:
    if mode is not None and mode not in RENDER_MODES:
        raise OptionError(f"render_mode: expected {', '.join(RENDER_MODES)} or None, found {mode!r}")


def check_illegal(illegal: str) -> None:
    if illegal not in ("lose", "raise"):
        raise OptionError(f"illegal: expected lose or raise, found {illegal!r}")
