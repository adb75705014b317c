"""One game, for interfaces that step one game at a time: as quick as a batch, with all that a match can
show.
"""

from __future__ import annotations

import io
from operator import index
from typing import Any, NamedTuple, SupportsIndex, TypedDict, cast

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, RenderableType

from comptoir.art.board import board_svg
from comptoir.engine.components import Components, Tables
from comptoir.engine.dice import first_word
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import observe
from comptoir.engine.mask import members
from comptoir.engine.match import Match, replay
from comptoir.engine.names import default_names
from comptoir.engine.observation import MAX_VALUE
from comptoir.engine.plain import ComponentsGiven, OptionValue
from comptoir.engine.rule import Position
from comptoir.engine.scene import Scene
from comptoir.engine.view import View, make_view
from comptoir.engine.words import words_of
from comptoir.errors import MatchOver, OptionError, UnknownAction
from comptoir.extras import needs
from comptoir.research import loops
from comptoir.research.batch import check_playable, check_seed, kind_of
from comptoir.research.cpu import new_rows

FIRST = 0  # its row
RENDER_MODES = ("human", "ansi", "svg", "rgb_array")
COLUMNS = 100  # of the table as text
ILLEGAL_ACTION_REWARD = -1.0  # the reward for an action that is not legal, where that ends a game


class GameSnapshot(NamedTuple):
    """A game as it stood: what `snapshot` gives and `restore` takes."""

    game: str
    players: int
    seed: str
    began: bytes | None  # the position that it began from, if one was given
    actions: tuple[int, ...]
    position: bytes
    rewards: tuple[float, ...]
    given_up: bool


class GameResult(TypedDict):
    """How a game has come out."""

    ending: str
    scores: list[int]
    score_sheet: dict[str, list[int | None]]
    winners: list[int]


class SingleGame:
    """A game that is played to its end; the next one begins with `reset`.

    It rolls the dice of a match with the same seed: the same actions make the same game, and `match` is it.
    """

    def __init__(
        self,
        name: str,
        *,
        seed: int = 0,
        reward: str = "win",
        components: ComponentsGiven | None = None,
        **options: OptionValue,
    ) -> None:
        self.game: Game = get_game(name)
        self.options = self.game.read_options(**options)
        self.players = int(self.options["players"])
        self.components: Components = self.game.read_components(components)
        self._kind, self._reward = kind_of(reward), reward
        self._start = self.game.position.array(1)
        self._start[FIRST] = self.game.blank(self.options)
        self.rows = new_rows(self.game, 1)
        self._position: Position = self.rows.positions[FIRST]
        compiled = self.game.compiled
        self._reset, self._move, self._look, self._observe = (
            compiled.bind(loops.reset_some),
            compiled.bind(loops.apply_and_refresh),
            compiled.bind(loops.refresh_some),
            compiled.bind(observe),
        )
        # what the seat that decides may do; 1: legal
        self.mask: NDArray[np.int8] = self.rows.bytes.view(np.int8)[FIRST, : len(self.game.actions)]
        self.rewards = self.rows.rewards[FIRST, : self.players]
        self.reset(seed)

    def __reduce__(self) -> tuple[object, ...]:
        """A copy, in this process or in another, is a game of the same kind at the same moment."""
        given = self.options | {"reward": self._reward, "components": self._own_tables}
        return _rebuild, (self.game.name, given, self.snapshot())

    @property
    def _own_tables(self) -> Tables | None:
        own = self.components.digest != self.game.components.digest
        return self.components.tables if own else None

    def reset(self, seed: int = 0, position: object = None) -> None:
        """A new game, dealt as a match with this seed is; or one that goes on from a position, which is given
        as plain data.
        """
        began = None if position is None else self._playable(position)
        self.seed, self.began = str(check_seed(seed)), began
        self.actions: list[int] = []
        self.given_up = False  # after an action that was not legal, where that ends a game
        word = first_word(self.seed, 0)
        signed = word - (word >> 63 << 64)  # loops are compiled for signed numbers
        self._reset(self.rows, FIRST, 1, self._start, self.components.box, signed)
        if began is not None:
            self._lay(began.tobytes())

    def _playable(self, position: object) -> Position:
        p = self.game.position_from_dict(position, self.components.box)
        check_playable("position", p, self.players)
        return p

    def _lay(self, position: bytes) -> None:
        """Puts a position in place of what is there."""
        own = self.rows.positions.view(np.ndarray).view(np.uint8).reshape(-1)
        own[:] = np.frombuffer(position, np.uint8)
        self.rows.terminations[FIRST] = self._position.turn < 0
        if self.over:
            self.mask[:] = 0
        else:
            self._look(self.rows, FIRST, 1, self.components.box)

    # Going back

    def snapshot(self) -> GameSnapshot:
        """The game as it stands, to go back to with `restore`."""
        return GameSnapshot(
            game=self.game.name,
            players=self.players,
            seed=self.seed,
            began=None if self.began is None else self.began.tobytes(),
            actions=tuple(self.actions),
            position=self._position.tobytes(),
            rewards=tuple(self.rewards.tolist()),
            given_up=self.given_up,
        )

    def restore(self, snapshot: GameSnapshot) -> None:
        """The game as it stood."""
        if (snapshot.game, snapshot.players) != (self.game.name, self.players):
            raise OptionError(
                f"snapshot: it is of {snapshot.game} with {snapshot.players} players,"
                f" and this is {self.game.name} with {self.players}"
            )
        began = snapshot.began
        self.seed, self.actions, self.given_up = snapshot.seed, list(snapshot.actions), snapshot.given_up
        self.began = None if began is None else self.game.position.of_bytes(began)
        self._lay(snapshot.position)
        self.rewards[:] = snapshot.rewards

    def match(self) -> Match:
        """The game so far as a match: to be narrated, replayed, continued, or saved to a file."""
        began = None if self.began is None else self.game.to_dict(self.began)
        options = self.options if began is None else {}
        match = Match(
            self.game.name,
            seed=self.seed,
            names=None,
            position=began,
            components=self._own_tables,
            **options,
        )
        return replay(match, [self.game.actions[action] for action in self.actions])

    # Where it stands

    @property
    def ply(self) -> int:
        """How many actions have been played."""
        return len(self.actions)

    @property
    def turn(self) -> int:
        """The seat that decides; -1 when the game is over."""
        return -1 if self.rows.terminations[FIRST] else int(self.rows.current_seats[FIRST])

    @property
    def over(self) -> bool:
        return bool(self.rows.terminations[FIRST])

    @property
    def record(self) -> Position:
        """The position. Whoever is not the rules should ask for `seen_by`."""
        return self._position

    def step(self, action: SupportsIndex | None) -> None:
        """Plays an action. Raises IllegalAction, UnknownAction or MatchOver, and then nothing has changed."""
        rows = self.rows
        if self.given_up or rows.terminations[FIRST]:
            raise MatchOver(f"{self.game.name}: the game is over; reset it to begin another")
        number = self._number(action)
        rows.dice[FIRST, 0] = first_word(self.seed, len(self.actions) + 1)
        if not self._move(rows, FIRST, self.components.box, number, self._kind):
            raise self.game.refusal(self._position, self.components.box, number)
        self.actions.append(number)
        if rows.terminations[FIRST]:
            self.mask[:] = 0

    def result(self) -> GameResult:
        """How a game that is over has come out."""
        sheet = self.game.score_sheet(self._position, self.components.box, everything=True)
        return {
            "ending": str(self.game.rules.ENDINGS[self._position.ending]),
            "scores": [row[0] for row in self.game.scores(self._position, self.components.box)],
            "score_sheet": sheet.points,
            "winners": sheet.winners,
        }

    def _number(self, action: SupportsIndex | None) -> int:
        """A plain int: loops would be compiled again for each of NumPy's integer types."""
        try:
            number = index(cast(SupportsIndex, action))
        except TypeError:
            number = -1
        if not 0 <= number < len(self.mask):
            raise UnknownAction(f"actions of {self.game.name} are 0 to {len(self.mask) - 1}, not {action!r}")
        return number

    def observation(self, seat: int | None) -> NDArray[np.uint8]:
        """What a seat (None: a spectator) may know, in a new array."""
        if seat is None:
            return self.game.observe(self._position, self.components.box, None)
        if not 0 <= seat < self.players:
            raise OptionError(
                f"there is no seat {seat}: seats are 0 to {self.players - 1}, or None for a spectator"
            )
        if seat == self.turn:
            known: NDArray[np.uint8] = self.rows.observations[FIRST].copy()
            return known
        out = np.zeros(self.game.observation.size, np.uint8)
        self._observe(self._position, self.components.box, seat, out)
        return out

    def seen_by(self, seat: int | None) -> Position:
        """The position as a seat (None: a spectator) may know it, for built-in bots."""
        return self.game.seen_by(self._position, self.components.box, seat)

    def view(self, seat: int | None = None) -> View:
        """All that a seat may know, as a match tells it: plain data, in words."""
        mine = seat is not None and seat == self.turn
        names, position = default_names(self.players), self.game.to_dict(self.seen_by(seat))
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
        return self.game.terminal.draw(self.scene(seat))

    def scene(self, seat: int | None) -> Scene:
        """What a seat (None: a spectator) may know, to be drawn."""
        words = words_of(self.game.name, "en")
        return Scene(self.seen_by(seat), self.view(seat), words, self.components, self.game.action_table)

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


def _rebuild(name: str, given: dict[str, Any], snapshot: GameSnapshot) -> SingleGame:
    """What `__reduce__` has taken apart."""
    one = SingleGame(name, **given)
    one.restore(snapshot)
    return one


def observation_high(game: Game, components: Components) -> NDArray[np.uint8]:
    """The highest that each entry of an observation can be: a custom box may hold more than the printed
    one.
    """
    high = game.observation.high
    return high if components.digest == game.components.digest else np.full_like(high, MAX_VALUE)


def check_render_mode(mode: str | None) -> None:
    if mode is not None and mode not in RENDER_MODES:
        raise OptionError(f"render_mode: expected {', '.join(RENDER_MODES)} or None, found {mode!r}")


def check_illegal(illegal: str) -> None:
    if illegal not in ("lose", "raise"):
        raise OptionError(f"illegal: expected lose or raise, found {illegal!r}")
