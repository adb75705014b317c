"""A game as the rest of Comptoir sees it: found by its folder's name, used through its interface.

A game's folder holds `rules.py` (the fields, the actions and the rules), `components.toml` and `words.toml`;
and, where the defaults of `comptoir.defaults` do not do, `why.py` (which rule forbids an action),
`observation.py` (what a seat knows, for programs that learn), `evaluation.py` (what a position is worth),
`lab.py` (what a match uses, for designers), `story.py` (what happened, what to decide and what a choice
would do, in words), `terminal.py` (the table as text), `board.py` and `cover.py` (the pictures); and the
rules' texts, with pictures.
"""

from __future__ import annotations

import importlib
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import modes, registry
from comptoir.engine.actions import Action
from comptoir.engine.components import Components, components_of, read_components
from comptoir.engine.dice import dice_for
from comptoir.engine.evaluation import Evaluation, evaluation_of, load_evaluation, missing_weights
from comptoir.engine.interface import (
    BoardModule,
    CoverModule,
    EvaluationModule,
    LabModule,
    ObservationModule,
    RuleSet,
    RulesModule,
    StoryModule,
    TerminalModule,
    WhyModule,
    observe,
)
from comptoir.engine.mask import members, new_mask
from comptoir.engine.observation import ObservationLayout
from comptoir.engine.option import is_number
from comptoir.engine.plain import ComponentsGiven, OptionValue
from comptoir.engine.rule import Box, Dice, Position
from comptoir.engine.scene import Scene, quick
from comptoir.engine.schema import did_you_mean, field_of
from comptoir.engine.score_sheet import ScoreSheet, deciding
from comptoir.engine.scoring import best_seats, new_score_sheets, new_scores
from comptoir.engine.view import Plain, View
from comptoir.engine.why import Why
from comptoir.engine.words import words_of
from comptoir.errors import DataError, IllegalAction, OptionError, UnknownAction, UnknownGame

P = TypeVar("P", bound=Position)


@cache
def get_game(name: str) -> Game:
    """The game of that name."""
    if name not in registry.names():
        known = registry.names()
        raise UnknownGame(name, known, registry.why_left_out(name), did_you_mean(name, known))
    return Game(name)


class GameModule:
    """A module of a game's folder; the default module of the same name fills in what it lacks."""

    def __init__(self, game: Game, name: str) -> None:
        self._game, self._name = game, name
        self._own = game.own_module(name)
        self._default = registry.default_module(name)
        self._missing: set[str] = set()

    @cached_property
    def _built(self) -> dict[str, object]:
        """What the default module builds for this game."""
        return self._default.build(self._game) if hasattr(self._default, "build") else {}

    def __getattr__(self, name: str) -> Any:
        """Looked up once: from then on it is an ordinary attribute, or known to be missing."""
        if name in self._missing:
            raise AttributeError(name)
        own = hasattr(self._own, name) and not self._is_ignored(name)
        value = vars(self)[name] = getattr(self._own, name) if own else self._default_of(name)
        return value

    def _is_ignored(self, name: str) -> bool:
        """Without weights, the game's own `evaluate` and `rollout_action` are not used."""
        needs_weights = self._name == "evaluation" and name in ("evaluate", "rollout_action")
        return needs_weights and not (self._game.folder / "evaluation.toml").exists()

    def _default_of(self, name: str) -> object:
        if hasattr(self._default, name):
            return getattr(self._default, name)
        if name in self._built:
            return self._built[name]
        self._missing.add(name)
        raise AttributeError(f"{self._game.name}: {self._name}.py has no {name}")


class Game:
    """One game. Its position and box are records; all else about it is asked for here."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.location = registry.locations()[name]
        self.folder = self.location.folder
        self.parts: dict[str, GameModule] = {}
        self.rules = cast("RulesModule[Position, Box]", self.part("rules"))
        self.version = self.rules.VERSION
        self.position = self.rules.POSITION
        self.action_table = self.rules.ACTIONS
        self.options = self.rules.OPTIONS
        self.all_open = self.rules.PERFECT_INFORMATION  # whether every seat may know everything
        self.compiled_mode: modes.Mode | None = None

    def __repr__(self) -> str:
        return f"<game {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        """A copy, in this process or in another, is the game of that name: there is one of each."""
        return get_game, (self.name,)

    def part(self, name: str) -> GameModule:
        """A module of the game's folder, with what it lacks filled in by default."""
        if name not in self.parts:
            self.parts[name] = GameModule(self, name)
        return self.parts[name]

    def own_module(self, name: str) -> ModuleType | None:
        """The module as the game has it, if it does."""
        if not (self.folder / f"{name}.py").exists():
            return None
        return importlib.import_module(f"{self.location.package}.{name}")

    @cached_property
    def story(self) -> StoryModule[Scene]:
        return cast("StoryModule[Scene]", self.part("story"))

    @cached_property
    def terminal(self) -> TerminalModule[Scene]:
        return cast("TerminalModule[Scene]", self.part("terminal"))

    @cached_property
    def board(self) -> BoardModule[Scene]:
        return cast("BoardModule[Scene]", self.part("board"))

    @cached_property
    def cover(self) -> CoverModule:
        return cast(CoverModule, self.part("cover"))

    @cached_property
    def lab(self) -> LabModule:
        return cast(LabModule, self.part("lab"))

    # Components

    @cached_property
    def components(self) -> Components:
        """The components that come with Comptoir."""
        return self.read_components(self.folder / "components.toml")

    def read_components(self, given: ComponentsGiven | None) -> Components:
        """Components from a file or from the tables of one, checked; for None, those that come with
        Comptoir.
        """
        if given is None:
            return self.components
        if not isinstance(given, str | Path):
            what, components = "the components", components_of(given, self.rules.BOX, "the components")
        else:
            what, components = str(given), read_components(Path(given), self.rules.BOX)
        if hasattr(self.rules, "complete_box"):
            self.rules.complete_box(components.box)
        errors = self.rules.check_box(components.box)
        if errors:
            raise DataError(what, errors)
        return components

    @cached_property
    def evaluation(self) -> Evaluation:
        """The weights of the game's evaluation function, and its search settings."""
        path = self.folder / "evaluation.toml"
        if not path.exists():
            return evaluation_of(cast(EvaluationModule, self.part("evaluation")).DEFAULT_EVALUATION)
        found, source = load_evaluation(path), self.folder / "evaluation.py"
        missing = missing_weights(source, found.weights.dtype.names or ()) if source.exists() else []
        if missing:
            raise DataError(str(path), missing)
        return found

    def load_evaluation(self, path: Path) -> Evaluation:
        """Load another evaluation, from a file with the same names as the game's."""
        return load_evaluation(path, like=self.evaluation)

    @cached_property
    def observation(self) -> ObservationLayout:
        """What a seat may know, as a row of numbers: its pieces."""
        return ObservationLayout(cast(ObservationModule, self.part("observation")).FEATURES)

    def observe(self, p: Position, box: Box, viewer: int | None) -> NDArray[np.uint8]:
        """What a viewer may know of a position, as a row of numbers.

        A spectator has no chair: it sees the seats from the first on, and of hands what lies open.
        """
        out = np.zeros(self.observation.size, np.uint8)
        seen = p if viewer is not None else self.seen_by(p, box, None)
        self.ruleset.bind(observe)(seen, box, viewer or 0, out)
        return out

    # The two modes

    @cached_property
    def interpreted(self) -> RuleSet:
        """The rules, run by the plain interpreter: at hand at once."""
        return cast(RuleSet, modes.Mode(self.name, self.part))

    @property
    def compiled(self) -> RuleSet:
        """The rules, compiled: a thousand times faster, after some seconds the first time on a machine."""
        with modes.MAKING:
            if self.compiled_mode is None:
                self.compiled_mode = modes.Compiled(self.name, self.part)
        return cast(RuleSet, self.compiled_mode)

    def stay_interpreted(self) -> None:
        """From now on the interpreted rules stand for the compiled ones too: nothing of it is compiled."""
        self.compiled_mode = cast(modes.Mode, self.interpreted)

    @property
    def ruleset(self) -> RuleSet:
        """The compiled rules if this process has asked for them, else the interpreted ones: they do the
        same.
        """
        mode = self.compiled_mode
        return self.interpreted if mode is None else cast(RuleSet, mode)

    # Options and positions

    def read_options(self, /, players: OptionValue = None, **given: OptionValue) -> dict[str, str]:
        """All options of a match, in the words of a match file.

        Raises an OptionError for what does not exist or fit.
        """
        least, most = self.rules.PLAYERS
        if players is None:
            players = self.rules.DEFAULT_PLAYERS
        if not is_number(players) or not least <= int(players) <= most:
            raise OptionError(f"players: {self.name} is for {least} to {most} players, not {players!r}")
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise OptionError(
                    f"{self.name} has no option {name!r}{did_you_mean(name, known)}"
                    f" Options: players, {', '.join(known)}."
                )
        chosen = {
            name: option.read(given.get(name, option.default), int(players))[1]
            for name, option in known.items()
        }
        return {"players": str(int(players))} | chosen

    def blank(self, options: dict[str, str]) -> Position:
        """A position that holds the options and zeros: what `setup` starts from."""
        p = self.position.new()
        p.players = int(options["players"])
        for option in self.options:
            setattr(p, option.name, option.read(options[option.name], int(options["players"]))[0])
        return p

    def initial_position(self, options: dict[str, str], seed: str, box: Box) -> Position:
        p = self.blank(options)
        self.ruleset.setup(p, box, dice_for(seed, 0))
        return p

    def next_position(self, p: Position, box: Box, action: int, dice: Dice) -> tuple[Position, bool]:
        """The position after a legal action, and whether dice were used for it."""
        after, before = self.copy(p), dice[0]
        self.ruleset.play(after, box, action, dice)
        return after, bool(dice[0] != before)

    def copy(self, p: P) -> P:
        return cast(P, self.position.copy(p))

    def to_dict(self, p: Position) -> Plain:
        return self.position.to_dict(p)

    def position_from_dict(self, data: object, box: Box) -> Position:
        """A position from plain data, checked. Raises a DataError that lists what is wrong."""
        p = self.position.read(data, "the position")
        errors = self.rules.check_position(p, box)
        if errors:
            raise DataError("the position", errors)
        return p

    def position_from_view(self, view: View, box: Box) -> Position:
        """The position in a view. What its seat may not know is blank, whatever the data hold there."""
        p = self.position.read(view["position"], "the view")
        return self.seen_by(p, box, view["seat"])

    # Actions

    @property
    def actions(self) -> tuple[str, ...]:
        """The texts of all actions, in the order of their numbers."""
        return self.action_table.texts

    def decode(self, action: int | str) -> Action:
        """An action by its number or its text."""
        if isinstance(action, str) and action not in self.action_table:
            raise UnknownAction(f"{action!r} is no action of {self.name}{did_you_mean(action, self.actions)}")
        return self.action_table.decode(action)

    def action_index(self, text: str) -> int:
        """The number of the action with this text."""
        return self.decode(text).index

    def legal(self, p: Position, box: Box) -> list[int]:
        """The legal actions, in order; none when the game is over."""
        mask = new_mask(len(self.actions))
        if field_of(p, "turn") >= 0:
            self.ruleset.legal(p, box, mask)
        return members(mask)

    def seen_by(self, p: Position, box: Box, viewer: int | None) -> Position:
        """A copy that holds only what the viewer may know.

        Once the game is over, nothing is hidden any more.
        """
        p = self.copy(p)
        if not self.all_open and field_of(p, "turn") >= 0:
            self.ruleset.hide(p, box, -1 if viewer is None else viewer)
        return p

    def why_not(self, p: Position, box: Box, action: int) -> Why | None:
        """The rule that forbids an action to the seat that decides, with the key and values of the reason;
        None if legal.

        It is answered from what that seat knows, like everything a seat receives.
        """
        if action in self.legal(p, box):
            return None
        answer: Why = cast(WhyModule, self.part("why")).why_not(
            self.seen_by(p, box, int(p.turn)), box, action
        )
        return answer

    def refusal(self, p: Position, box: Box, action: int, where: str = "") -> IllegalAction | UnknownAction:
        """The error to raise for an action that is not legal, or none at all; `where` says in which game."""
        if not 0 <= action < len(self.actions):
            return UnknownAction(
                f"{where}actions of {self.name} are 0 to {len(self.actions) - 1}, not {action}"
            )
        reason = self.why_not(p, box, action)
        assert reason is not None
        rule, key, values = reason
        return IllegalAction(self.actions[action], rule, where + words_of(self.name, "en").say(key, **values))

    # Scores

    def scores(self, p: Position, box: Box) -> list[list[int]]:
        """One row per seat: the points, then what breaks ties."""
        out = new_scores(self, 1)[0]
        self.ruleset.scores(p, box, out)
        rows: list[list[int]] = out[: int(p["players"])].tolist()
        return rows

    def score_sheet(
        self, p: Position, box: Box, viewer: int | None = None, everything: bool = False
    ) -> ScoreSheet:
        """Points by source: what a viewer may see of them, or everything."""
        out = new_score_sheets(self, 1)[0]
        self.ruleset.score_sheet(p, box, out)
        sources, tie_breaks = self.rules.SOURCES, self.rules.TIE_BREAKS
        score_visible = getattr(self.rules, "score_visible", None) if not everything else None
        columns, known = out[: int(p["players"])].T.tolist(), quick(p)
        rows = self.scores(p, box) if p["turn"] < 0 else []
        return ScoreSheet(
            points={
                name: [
                    points if score_visible is None or score_visible(known, viewer, seat, n) else None
                    for seat, points in enumerate(columns[n])
                ]
                for n, name in enumerate(sources)
            },
            tie_breaks=dict(zip(tie_breaks, columns[len(sources) :], strict=True)),
            winners=best_seats(rows) if rows else [],
            decided=deciding(rows, tie_breaks) if rows else None,
        )

    # Turns

    def ends_turn(self, before: Position, after: Position) -> bool:
        """Whether what led from one position to the next has ended a turn, as it is retold: by the game's
        rule, or if another decides.
        """
        own = getattr(self.rules, "ends_turn", None)
        return bool(own(before, after)) if own else bool(field_of(before, "turn") != field_of(after, "turn"))
