"""The games in OpenSpiel: importing this module registers them.

    import comptoir.research.openspiel
    game = pyspiel.load_game("python_comptoir_batavia(players=4)")

Every roll of the dice is a chance node, with the outcomes that it has at the table, each as likely as there. A state's own part is
one moment of a game; moments never change, so that copying a state copies nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir import games
from comptoir.engine.game import Game, game
from comptoir.engine.mask import members, new_mask
from comptoir.engine.observation import place_of
from comptoir.engine.option import FirstSeat, Option, Switch
from comptoir.engine.rule import Mask
from comptoir.engine.verbs import observe
from comptoir.engine.words import words_of
from comptoir.errors import MatchOver, OptionError, UnknownAction
from comptoir.research import loops
from comptoir.research.batch import kind_of
from comptoir.research.chance import SETUP, SIDES, answers, open_chance

try:
    import pyspiel
except ImportError:
    raise ImportError("OpenSpiel is not installed: pip install 'comptoir[research]'") from None

OPEN = ("century", "sail_to_india")  # C33, S73: nothing is known to some seats only
SPECTATOR = -1
NOBODY = -2
RECENT = 16  # actions that the tensor of an information state remembers

Steps = list[tuple[int, Any]]


class Moment:
    """A point in a game, and how it came about.

    Either a seat decides on the position `p`, or the game is over, or an action that led away from `p` waits for the next of its rolls,
    which has so many `sides`.
    """

    __slots__ = ("_legal", "_lines", "_mask", "action", "before", "given", "p", "sides", "table", "turn", "viewer")

    def __init__(
        self,
        table: Table,
        before: Moment | None,
        action: int,
        given: tuple[int, ...],
        sides: int,
        p: np.record,
        mask: Mask,
        viewer: int = NOBODY,
    ) -> None:
        self.table, self.before, self.p = table, before, p
        self.action, self.given, self.sides = action, given, sides  # what was played last, and what the dice showed
        self.viewer = viewer  # whose imagined world begins here
        self.turn = int(p["turn"])
        self._mask = mask  # what may be done; as a list when it is asked for
        self._legal: list[int] | None = None
        self._lines: dict[int, str] = {}

    def __deepcopy__(self, memo: Any) -> Moment:
        return self

    def __reduce__(self) -> tuple[Callable[..., Moment], tuple[Any, ...]]:
        """As what was done: the moments of a game hang together in a chain too long to be followed by pickle."""
        steps: Steps = []
        moment: Moment | None = self
        while moment is not None:
            imagined = moment.viewer != NOBODY
            steps.append((moment.viewer, moment.p.tobytes()) if imagined else (moment.action, moment.given))
            moment = moment.before
        return _moment, (self.table.game.name, tuple(self.table.options.items()), steps[::-1])

    # What comes next

    def next(self, number: int) -> Moment:
        """After an action of the seat that decides, or after the dice have shown a number."""
        if self.sides:
            if not 0 <= number < self.sides:
                raise UnknownAction(f"the dice show 0 to {self.sides - 1} here, not {number}")
            return self.table.carry_out(self.before, self.action, (*self.given, number))
        if number not in self.legal():
            raise self._refusal(number)
        return self.table.carry_out(self, number, ())

    def _refusal(self, action: int) -> Exception:
        if self.turn < 0:
            return MatchOver(f"{self.table.game.name}: the game is over")
        return self.table.game.refusal(self.p, self.table.box, action)

    def legal(self) -> list[int]:
        if self._legal is None:
            self._legal = members(self._mask)
        return self._legal

    def imagined(self, viewer: int, seed: int) -> Moment:
        """One world among those that the viewer cannot tell apart from this one."""
        if self.sides:
            raise OptionError("a world is imagined where a seat decides, not at a chance node: let the dice be rolled first")
        if self.table.open or self.turn < 0:
            return self
        p = self.table.game.hidden(self.p, self.table.box, viewer)
        self.table.game.compiled.imagine(p, self.table.box, viewer, np.array([seed], np.uint64))
        return self.table.imagined(self, p, viewer)

    # What seats know

    @property
    def begun(self) -> bool:
        return self.before is not None or self.sides == 0

    def view(self, seat: int) -> np.record:
        return self.p if self.table.open else self.table.game.hidden(self.p, self.table.box, seat)

    def observation(self, seat: int) -> str:
        """What a seat may know now, a line a field."""
        return self._all(seat, self.view(seat))

    def everything(self) -> str:
        return self._all(SPECTATOR, self.p)

    def _all(self, seat: int, p: np.record) -> str:
        lines = [f"{name}: {_words(value)}" for name, value in self.table.game.plain(p).items()] if self.begun else ["not begun"]
        who = [f"seat {seat}"] if seat >= 0 else []
        return "\n".join([*who, *lines, *self._pending()])

    def _pending(self) -> list[str]:
        return [f"rolling {self.sides} sides after: {self._deed()}"] if self.sides else []

    def information(self, seat: int) -> str:
        """All that a seat has seen, in order, a line for each action.

        In an imagined world the other seats cannot have seen what they saw: each has seen what all have, and knows what it knows there.
        """
        lines = []
        moment: Moment | None = self
        eyes = SPECTATOR if self.table.open else seat
        while moment is not None:
            lines.append(moment._line(eyes))
            if moment.viewer not in (NOBODY, seat):
                eyes = SPECTATOR
            moment = moment.before
        return "\n".join([f"seat {seat}", *(line for line in reversed(lines) if line)])

    def _line(self, eyes: int) -> str:
        if eyes not in self._lines:
            self._lines[eyes] = self._told(eyes)
        return self._lines[eyes]

    def _told(self, eyes: int) -> str:
        """What was done, and what that has changed for somebody who looks on; nothing for whom this world was imagined."""
        if self.sides:
            return self._deed()
        if self.viewer == NOBODY:
            before = self.table.blank if self.before is None else self.before.view(eyes)
            return "; ".join([self._deed(), *self._changes(before, self.view(eyes))])
        if eyes in (self.viewer, SPECTATOR):
            return ""
        return "; ".join(["knows", *self._changes(self.view(SPECTATOR), self.view(eyes))])

    def _deed(self) -> str:
        if self.before is None:
            return "setup"
        return f"{self.before.turn} {self.table.game.actions[self.action]}"

    def _changes(self, old: np.record, new: np.record) -> Iterator[str]:
        since = self.table.game.position.plain_since
        after, before = since(new, (old.tobytes(), {}))[1], since(old, (new.tobytes(), {}))[1]
        for name in after:
            yield from _differences(name, before[name], after[name])

    def deeds(self) -> Iterator[tuple[int, int]]:
        """The actions so far, the last first, each with the seat that took it."""
        moment: Moment | None = self
        while moment is not None and moment.before is not None:
            if moment.viewer == NOBODY:
                yield moment.before.turn, moment.action
            moment = moment.before


def _differences(where: str, old: Any, new: Any) -> Iterator[str]:
    """Where two values of a field differ, down to single cells, and what the new one says there."""
    if old == new:
        return
    if isinstance(new, dict):
        for key in old | new:
            yield from _differences(f"{where}.{key}", old.get(key, 0), new.get(key, 0))
    elif isinstance(new, list) and len(new) == len(old):
        for n, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(f"{where}.{n}", one, other)
    else:
        yield f"{where} {_words(new)}"


def _words(value: Any) -> str:
    """Plain data, short: of tables only what is not nothing."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} {_words(part)}" for key, part in value.items() if part) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_words, value)) + "]"
    return "none" if value is None else str(value)


class Table:
    """A game with its options, and its verbs at hand."""

    def __init__(self, name: str, options: dict[str, str]) -> None:
        self.game: Game = game(name)
        self.options, self.players = options, int(options["players"])
        self.open = name in OPEN
        self.box = self.game.components.box
        self.blank = self.game.blank(options)
        compiled = self.game.compiled
        self._carry_out, self._legal = open_chance(self.game), compiled.legal
        self._observe, self._reward = compiled.bind(observe), compiled.bind(loops.reward)
        self.start = self.carry_out(None, SETUP, ())

    def carry_out(self, before: Moment | None, action: int, given: tuple[int, ...]) -> Moment:
        """The setup or an action, with what the dice have shown so far: all of it, or as far as to the next roll."""
        first = self.blank if before is None else before.p
        p, dice, mask = self.game.copy(first), answers(given), new_mask(len(self.game.actions))
        self._carry_out(p, self.box, action, dice, mask)
        sides = int(dice[SIDES])
        return Moment(self, before, action, given, sides, first if sides else p, mask)

    def imagined(self, before: Moment, p: np.record, viewer: int) -> Moment:
        """The same moment in another world."""
        mask = new_mask(len(self.game.actions))
        self._legal(p, self.box, mask)
        return Moment(self, before, before.action, (), 0, p, mask, viewer)

    def say(self, player: int, action: int) -> str:
        """An action in the game's words, or what the dice show."""
        if player == pyspiel.PlayerId.CHANCE:
            return f"roll {action}"
        if not 0 <= action < len(self.game.actions):
            raise UnknownAction(f"actions of {self.game.name} are 0 to {len(self.game.actions) - 1}, not {action}")
        return self.game.actions[action]

    def observe(self, p: np.record, seat: int, out: NDArray[np.uint8]) -> None:
        self._observe(p, self.box, seat, out)

    def returns(self, p: np.record, kind: int) -> list[float]:
        out = np.zeros(self.game.position.seats)
        self._reward(p, self.box, kind, self.game.new_scores(1)[0], out)
        found: list[float] = out[: self.players].tolist()
        return found


@cache
def _table(name: str, options: tuple[tuple[str, str], ...]) -> Table:
    return Table(name, dict(options))


def _moment(name: str, options: tuple[tuple[str, str], ...], steps: Steps) -> Moment:
    """What `__reduce__` has written down."""
    table = _table(name, options)
    moment = None
    for number, what in steps:
        if isinstance(what, bytes):
            p = table.game.position.copy(np.frombuffer(what, table.game.position.dtype)[0])
            assert moment is not None
            moment = table.imagined(moment, p, number)
        else:
            moment = table.carry_out(moment, number, tuple(what))
    assert moment is not None
    return moment


# What OpenSpiel asks for


class State(pyspiel.State):  # type: ignore[misc]
    """A moment of a game, as OpenSpiel asks about it."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.moment = game.table.start

    def current_player(self) -> int:
        if self.moment.sides:
            return int(pyspiel.PlayerId.CHANCE)
        return self.moment.turn if self.moment.turn >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        return self.moment.turn < 0

    def _legal_actions(self, player: int) -> list[int]:
        return self.moment.legal()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What the next roll may show, all equally likely."""
        return [(outcome, 1 / self.moment.sides) for outcome in range(self.moment.sides)]

    def _apply_action(self, action: int) -> None:
        self.moment = self.moment.next(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.moment.table.say(player, action)

    def returns(self) -> list[float]:
        """0 for all until the game is over."""
        if self.moment.turn >= 0:
            return [0.0] * self.moment.table.players
        return self.moment.table.returns(self.moment.p, self.get_game().kind)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> State:
        """The game as it may be for all that the player knows. Its history is that of this state, though the dice fell otherwise."""
        twin: State = self.clone()
        twin.moment = self.moment.imagined(player, int(sampler() * 2**53))
        return twin

    def __str__(self) -> str:
        return self.moment.everything()


class Observer:
    """What a player may know, as a tensor, as its named pieces, and in words. With perfect recall, also what has been done of late."""

    def __init__(self, table: Table, perfect_recall: bool) -> None:
        self._table, self._perfect_recall = table, perfect_recall
        layout = table.game.observation
        self._row, self._high = np.zeros(layout.size, np.uint8), layout.high.astype(np.float32)
        recent = RECENT if perfect_recall else 0
        shapes = [(recent, table.game.position.seats), (recent, len(table.game.actions))]
        ends = np.cumsum([layout.size, *map(math.prod, shapes)]).tolist()
        self.tensor = np.zeros(ends[-1], np.float32)
        self._now, seats, actions, _ = np.split(self.tensor, ends)
        self._seats, self._actions = seats.reshape(shapes[0]), actions.reshape(shapes[1])
        self.dict = {name: np.atleast_1d(piece) for name, piece in layout.split(self._now).items()}
        if perfect_recall:
            self.dict |= {"recent_seats": self._seats, "recent_actions": self._actions}

    def set_from(self, state: State, player: int) -> None:
        self.tensor.fill(0)
        moment = state.moment
        if moment.begun:
            self._table.observe(moment.p, player, self._row)
            np.divide(self._row, self._high, out=self._now)
        for seats, actions, (seat, action) in zip(self._seats, self._actions, moment.deeds(), strict=False):
            seats[place_of(seat, player, self._table.players)] = 1
            actions[action] = 1

    def string_from(self, state: State, player: int) -> str:
        return state.moment.information(player) if self._perfect_recall else state.moment.observation(player)


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """One of our games, as OpenSpiel loads it."""

    name: str

    def __init__(self, given: dict[str, Any]) -> None:
        name, reward, players = self.name, given.pop("reward"), given.pop("players")
        kind = kind_of(reward)
        asked = {key: "draw" if value == -1 else value for key, value in given.items()}
        options = game(name).read_options(players=players, **asked)
        self.table, self.kind = _table(name, tuple(options.items())), kind
        super().__init__(_type(name, reward), self._info(reward), {"reward": reward, "players": players} | given)

    def _info(self, reward: str) -> Any:
        table, points = self.table, reward == "points"
        return pyspiel.GameInfo(
            num_distinct_actions=len(table.game.actions),
            max_chance_outcomes=_most_sides(table.game.name),
            num_players=table.players,
            min_utility=0.0 if points else -1 / (table.players - 1),
            max_utility=float(table.game.rules.MOST_POINTS) if points else 1.0,
            utility_sum=None if points else 0.0,
            max_game_length=table.game.rules.MOST_DECISIONS,
        )

    def new_initial_state(self) -> State:
        return State(self)

    def action_to_string(self, player: int, action: int) -> str:
        return self.table.say(player, action)

    def max_chance_nodes_in_history(self) -> int:
        """No action rolls the dice more often than there are cards or tiles in a pile."""
        return int((self.max_game_length() + 1) * self.max_chance_outcomes())

    def make_py_observer(self, kind: Any = None, params: Any = None) -> Observer:
        if params:
            raise OptionError(f"observers have no parameters; leave out {', '.join(params)}")
        if kind and not (kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER):
            raise OptionError("observers show what one player knows: ask with public_info and private_info=SINGLE_PLAYER")
        return Observer(self.table, bool(kind) and kind.perfect_recall)


@cache
def _most_sides(name: str) -> int:
    """The sides of the largest roll. Piles are never fuller than at the start, so it is one of the setup's."""
    moment = _table(name, tuple(game(name).read_options().items())).start
    most = 0
    while moment.sides:
        most = max(most, moment.sides)
        moment = moment.next(0)
    return most


def _type(name: str, reward: str = "win") -> Any:
    kind = pyspiel.GameType
    least, most = game(name).rules.PLAYERS
    return kind(
        short_name=f"python_comptoir_{name}",
        long_name=words_of(name, "en").say("game.title"),
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.PERFECT_INFORMATION if name in OPEN else kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if reward == "win" else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=least,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "players": game(name).rules.USUAL_PLAYERS,
            "reward": reward,
            **{option.name: _default(option) for option in game(name).options},
        },
    )


def _default(option: Option) -> str | bool | int:
    """OpenSpiel tells parameters apart by their kind: a switch is true or false, a seat a number, and -1 draws it."""
    if isinstance(option, Switch):
        return option.default == "yes"
    return -1 if isinstance(option, FirstSeat) else option.default


def _register(called: str) -> None:
    """A class for each game: OpenSpiel holds on to what makes one until after Python's end, when only a class may still be there."""

    class Named(SpielGame):
        name = called

    pyspiel.register_game(_type(called), Named)


for _name in games.names():
    _register(_name)
