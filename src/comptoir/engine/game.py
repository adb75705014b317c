"""A game as the rest of Comptoir sees it: found by its folder's name, used through the verb set.

A game's folder holds `rules.py` (the fields, the actions and the verbs), `components.toml`, `why.py` (which rule forbids
an action), `observation.py` (what a seat knows, for programs that learn), `story.py` (what happened, what is awaited and what a
choice would do, in words), `terminal.py` (the table as text), `board.py` and `cover.py` (the pictures), `words.toml` and the
rules' texts.
"""

from __future__ import annotations

import importlib
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from comptoir import games
from comptoir.engine import modes
from comptoir.engine.components import Components, components_of, read_components
from comptoir.engine.dice import dice_for
from comptoir.engine.judgement import Judgement, read_judgement
from comptoir.engine.mask import members, new_mask
from comptoir.engine.observation import Layout
from comptoir.engine.option import Option, is_number
from comptoir.engine.schema import Schema, did_you_mean
from comptoir.engine.sheet import ScoreSheet, deciding
from comptoir.engine.words import words_of
from comptoir.errors import DataError, IllegalAction, OptionError, UnknownAction, UnknownGame


@cache
def game(name: str) -> Game:
    """The game of that name."""
    if name not in games.names():
        raise UnknownGame(f"there is no game {name!r}{did_you_mean(name, games.names())} Games: {', '.join(games.names())}.")
    return Game(name)


class Game:
    """One game. Its position and box are records; all else about it is asked for here."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = games.folder(name)
        self.rules = self._module("rules")
        self.version: int = self.rules.VERSION
        self.position: Schema = self.rules.POSITION
        self.actions: tuple[str, ...] = self.rules.ACTIONS
        self.options: tuple[Option, ...] = self.rules.OPTIONS
        self._numbers = {text: action for action, text in enumerate(self.actions)}
        self._compiled: modes.Mode | None = None

    def __repr__(self) -> str:
        return f"<game {self.name}>"

    def _module(self, part: str) -> ModuleType:
        return importlib.import_module(f"comptoir.games.{self.name}.{part}")

    @cached_property
    def story(self) -> ModuleType:
        return self._module("story")

    @cached_property
    def terminal(self) -> ModuleType:
        return self._module("terminal")

    @cached_property
    def board(self) -> ModuleType:
        return self._module("board")

    @cached_property
    def cover(self) -> ModuleType:
        return self._module("cover")

    @cached_property
    def _why(self) -> ModuleType:
        return self._module("why")

    # Components

    @cached_property
    def components(self) -> Components:
        """The components that come with Comptoir."""
        return self.read_components(self.folder / "components.toml")

    def read_components(self, given: Path | dict[str, Any]) -> Components:
        """Own components, from a file or from the tables of one, checked."""
        if isinstance(given, dict):
            what, components = "the components", components_of(given, self.rules.BOX, "the components")
        else:
            what, components = str(given), read_components(given, self.rules.BOX)
        if hasattr(self.rules, "complete_box"):
            self.rules.complete_box(components.box)
        errors = self.rules.check_box(components.box)
        if errors:
            raise DataError(what, errors)
        return components

    @cached_property
    def judgement(self) -> Judgement:
        """The figures that the game's bots go by."""
        return read_judgement(self.folder / "judgement.toml")

    def read_judgement(self, path: Path) -> Judgement:
        """Own figures from a file, with the same names as ours."""
        return read_judgement(path, like=self.judgement)

    @cached_property
    def observation(self) -> Layout:
        """What a seat may know, as a row of numbers: its pieces."""
        return Layout(self._module("observation").PIECES)

    # The two modes

    @cached_property
    def interpreted(self) -> modes.Mode:
        """The verbs, run by the plain interpreter: at hand at once."""
        return modes.interpreted(self._module)

    @property
    def compiled(self) -> modes.Mode:
        """The verbs, compiled: a thousand times faster, after some seconds the first time on a machine."""
        if self._compiled is None:
            self._compiled = modes.compiled(self._module)
        return self._compiled

    @property
    def verbs(self) -> modes.Mode:
        """The compiled verbs if this process has asked for them, else the interpreted ones: they do the same."""
        return self._compiled or self.interpreted

    # Options and positions

    def read_options(self, /, players: Any = None, **given: Any) -> dict[str, str]:
        """All options of a match, in the words of a match file. Raises an OptionError for what does not exist or fit."""
        least, most = self.rules.PLAYERS
        if players is None:
            players = self.rules.USUAL_PLAYERS
        if not is_number(players) or not least <= int(players) <= most:
            raise OptionError(f"players: {self.name} is for {least} to {most} players, not {players!r}")
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise OptionError(f"{self.name} has no option {name!r}{did_you_mean(name, known)} Options: players, {', '.join(known)}.")
        chosen = {name: option.read(given.get(name, option.default), int(players))[1] for name, option in known.items()}
        return {"players": str(int(players))} | chosen

    def blank(self, options: dict[str, str]) -> np.record:
        """A position that holds the options and zeros: what `setup` starts from."""
        p = self.position.new()
        p.players = int(options["players"])
        for option in self.options:
            setattr(p, option.name, option.read(options[option.name], int(options["players"]))[0])
        return p

    def start(self, options: dict[str, str], seed: str, box: np.record) -> np.record:
        p = self.blank(options)
        self.verbs.setup(p, box, dice_for(seed, 0))
        return p

    def copy(self, p: np.record) -> np.record:
        return self.position.copy(p)

    def plain(self, p: np.record) -> dict[str, Any]:
        return self.position.plain(p)

    def read_position(self, data: Any, box: np.record) -> np.record:
        """A position from plain data, checked. Raises a DataError that lists what is wrong."""
        p = self.position.read(data, "the position")
        errors = self.rules.check_position(p, box)
        if errors:
            raise DataError("the position", errors)
        return p

    def read_view(self, view: dict[str, Any], box: np.record) -> np.record:
        """The position in a view. What its seat may not know is blank, whatever the data hold there."""
        p = self.position.read(view["position"], "the view")
        return self.hidden(p, box, view["seat"])

    # Actions

    def number(self, text: str) -> int:
        """The action with this text."""
        try:
            return self._numbers[text]
        except KeyError:
            raise UnknownAction(f"{text!r} is no action of {self.name}{did_you_mean(text, self.actions)}") from None

    def legal(self, p: np.record, box: np.record) -> list[int]:
        """The legal actions, in order; none when the game is over."""
        mask = new_mask(len(self.actions))
        if p["turn"] >= 0:  # asked for often: by its name as an attribute NumPy takes ten times as long
            self.verbs.legal(p, box, mask)
        return members(mask)

    def hidden(self, p: np.record, box: np.record, viewer: int | None) -> np.record:
        """A copy that holds only what the viewer may know. Once the game is over, nothing is hidden any more."""
        p = self.copy(p)
        if p["turn"] >= 0:
            self.verbs.hide(p, box, -1 if viewer is None else viewer)
        return p

    def why_not(self, p: np.record, box: np.record, action: int) -> tuple[str, str, dict[str, Any]] | None:
        """The rule that forbids an action to the seat that decides, with the key and values of the reason; None if legal.

        It is answered from what that seat knows, like everything a seat is told.
        """
        if action in self.legal(p, box):
            return None
        answer: tuple[str, str, dict[str, Any]] = self._why.why_not(self.hidden(p, box, int(p.turn)), box, action)
        return answer

    def refusal(self, p: np.record, box: np.record, action: int, where: str = "") -> IllegalAction | UnknownAction:
        """The error to raise for an action that is not legal, or none at all; `where` says in which game."""
        if not 0 <= action < len(self.actions):
            return UnknownAction(f"{where}actions of {self.name} are 0 to {len(self.actions) - 1}, not {action}")
        reason = self.why_not(p, box, action)
        assert reason is not None
        rule, key, values = reason
        return IllegalAction(self.actions[action], rule, where + words_of(self.name, "en").say(key, **values))

    # Scores

    def scores(self, p: np.record, box: np.record) -> list[list[int]]:
        """A row a seat: the points, then what breaks ties."""
        out = self.new_scores(1)[0]
        self.verbs.scores(p, box, out)
        return [[int(x) for x in row] for row in out[: p.players]]

    def winners(self, rows: list[list[int]]) -> list[int]:
        """The seats with the best row of points and tie-breaks."""
        return [seat for seat, row in enumerate(rows) if row == max(rows)]

    def score_sheet(self, p: np.record, box: np.record, viewer: int | None = None, everything: bool = False) -> ScoreSheet:
        """Points by source: what a viewer is told of them, or everything."""
        out, players = self.new_sheets(1)[0], int(p.players)
        self.verbs.score_sheet(p, box, out)
        sources, tie_breaks = self.rules.SOURCES, self.rules.TIE_BREAKS
        shows = getattr(self.rules, "shows", lambda *_: True)
        over, rows = p["turn"] < 0, self.scores(p, box)
        return ScoreSheet(
            points={
                name: [int(out[seat, n]) if everything or shows(p, viewer, seat, n) else None for seat in range(players)]
                for n, name in enumerate(sources)
            },
            tie_breaks={name: [int(x) for x in out[:players, len(sources) + n]] for n, name in enumerate(tie_breaks)},
            winners=self.winners(rows) if over else [],
            decided=deciding(rows, tie_breaks) if over else None,
        )

    def new_scores(self, games: int) -> Any:
        """Room for the points and tie-breaks of every seat."""
        return np.zeros((games, self.position.seats, 1 + len(self.rules.TIE_BREAKS)), np.int64)

    def new_sheets(self, games: int) -> Any:
        """Room for every seat's points by source, and tie-breaks."""
        return np.zeros((games, self.position.seats, len(self.rules.SOURCES) + len(self.rules.TIE_BREAKS)), np.int64)

    # Turns

    def ends_turn(self, before: np.record, after: np.record) -> bool:
        """Whether what led from one position to the next has ended a turn, as it is retold: by the game's rule, or if another decides."""
        own = getattr(self.rules, "ends_turn", None)
        return bool(own(before, after)) if own else bool(before["turn"] != after["turn"])
