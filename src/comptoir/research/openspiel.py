"""The games in OpenSpiel: importing this module registers them.

    import comptoir.research.openspiel
    game = pyspiel.load_game("python_comptoir_batavia(players=4)")

Every roll of the dice is a chance node, with the same outcomes and chances as at the table. A state refers to
one node of a game; nodes never change, so copying a state is cheap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import registry
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import observe
from comptoir.engine.mask import members, new_mask
from comptoir.engine.observation import relative_seat
from comptoir.engine.option import FirstSeatOption, FlagOption, Option
from comptoir.engine.rule import Mask, Position
from comptoir.engine.scoring import new_scores
from comptoir.engine.words import words_of
from comptoir.errors import MatchOver, OptionError, UnknownAction
from comptoir.extras import needs
from comptoir.research import loops
from comptoir.research.batch import kind_of
from comptoir.research.chance import SETUP, SIDES, scripted_dice, with_explicit_chance

with needs("research"):
    import pyspiel

SPECTATOR = -1
NOBODY = -2
CACHE_EVERY = 32  # nodes back
RECENT = 16  # actions that the tensor of an information state remembers

Steps = list[tuple[int, bytes | tuple[int, ...]]]


class Node:
    """A point in a game, and how it came about.

    Either a seat decides on the position `p`, or the game is over, or an action that was played on `p` waits
    for its next roll, of a die with `sides` sides.
    """

    __slots__ = (
        "_legal",
        "_lines",
        "_texts",
        "action",
        "before",
        "given",
        "mask",
        "p",
        "sides",
        "tree",
        "turn",
        "viewer",
    )

    def __init__(
        self,
        tree: GameTree,
        before: Node | None,
        action: int,
        given: tuple[int, ...],
        sides: int,
        p: Position,
        mask: Mask,
        viewer: int = NOBODY,
    ) -> None:
        self.tree, self.before, self.p = tree, before, p
        # what was played last, and what the dice showed
        self.action, self.given, self.sides = (action, given, sides)
        self.viewer = viewer  # whose imagined world begins here
        self.turn = int(p["turn"])
        self.mask = mask  # what may be done; as a list when it is asked for
        self._legal: list[int] | None = None
        self._lines: dict[int, str] = {}
        self._texts: dict[int, str] = {}

    def __deepcopy__(self, memo: object) -> Node:
        return self

    def __reduce__(self) -> tuple[Callable[..., Node], tuple[object, ...]]:
        """Pickled as the list of what was done: the chain of nodes is too long for pickle to follow."""
        steps: Steps = []
        node: Node | None = self
        while node is not None:
            imagined = node.viewer != NOBODY
            steps.append((node.viewer, node.p.tobytes()) if imagined else (node.action, node.given))
            node = node.before
        tree = self.tree
        return _node, (tree.game.name, tuple(tree.options.items()), tree.components, steps[::-1])

    # What comes next

    def next(self, number: int) -> Node:
        """After an action of the seat that decides, or after the dice have shown a number."""
        if self.sides:
            if not 0 <= number < self.sides:
                raise UnknownAction(f"the dice show 0 to {self.sides - 1} here, not {number}")
            return self.tree.carry_out(self.before, self.action, (*self.given, number))
        if number not in self.legal():
            raise self._refusal(number)
        return self.tree.carry_out(self, number, ())

    def _refusal(self, action: int) -> Exception:
        if self.turn < 0:
            return MatchOver(f"{self.tree.game.name}: the game is over")
        return self.tree.game.refusal(self.p, self.tree.box, action)

    def legal(self) -> list[int]:
        if self._legal is None:
            self._legal = members(self.mask)
        return self._legal

    def imagined(self, viewer: int, seed: int) -> Node:
        """One world among those that the viewer cannot tell apart from this one."""
        if self.sides:
            raise OptionError(
                "a world is imagined where a seat decides, not at a chance node: let the dice be rolled first"
            )
        if self.tree.open or self.turn < 0:
            return self
        p = self.tree.game.seen_by(self.p, self.tree.box, viewer)
        self.tree.game.compiled.imagine(p, self.tree.box, viewer, np.array([seed], np.uint64))
        return self.tree.imagined(self, p, viewer)

    # What seats know

    @property
    def begun(self) -> bool:
        return self.before is not None or self.sides == 0

    def view(self, seat: int) -> Position:
        return self.p if self.tree.open else self.tree.game.seen_by(self.p, self.tree.box, seat)

    def observation(self, seat: int) -> str:
        """What a seat may know now, a line a field."""
        return self._all(seat, self.view(seat))

    def private(self, seat: int) -> str:
        """What a seat knows now that a spectator does not, a line a change."""
        found = [] if self.tree.open else self._changes(self.view(SPECTATOR), self.view(seat))
        return "\n".join([f"seat {seat}", *found])

    def everything(self) -> str:
        return self._all(SPECTATOR, self.p)

    def _all(self, seat: int, p: Position) -> str:
        lines = self.tree.fields(p) if self.begun else ["not begun"]
        who = [f"seat {seat}"] if seat >= 0 else []
        return "\n".join([*who, *lines, *self._pending()])

    def _pending(self) -> list[str]:
        return [f"rolling {self.sides} sides after: {self._deed()}"] if self.sides else []

    def information(self, seat: int) -> str:
        """All that a seat has seen, in order, a line for each action.

        In an imagined world the other seats cannot have seen what they saw: each has seen what all have, and
        knows what it knows there.
        """
        so_far = self._so_far(SPECTATOR if self.tree.open else seat)
        return so_far if seat == SPECTATOR else f"seat {seat}\n{so_far}"

    def _so_far(self, eyes: int) -> str:
        """The lines up to here. Where that is far to go, the text is kept: later nodes go on from it."""
        lines, node, looking = [], self, eyes
        while looking not in node._texts:
            lines.append(node._line(looking))
            if node.viewer not in (NOBODY, looking):
                looking = SPECTATOR
            if node.before is None:
                break
            node = node.before
        else:
            lines.append(node._texts[looking])
        text = "\n".join(line for line in reversed(lines) if line)
        if len(lines) > CACHE_EVERY:
            self._texts[eyes] = text
        return text

    def _line(self, eyes: int) -> str:
        if eyes not in self._lines:
            self._lines[eyes] = self._log_text(eyes)
        return self._lines[eyes]

    def _log_text(self, eyes: int) -> str:
        """The action, and what it has changed for a viewer; nothing for the one that imagined this
        world.
        """
        if self.sides:
            return self._deed()
        if self.viewer == NOBODY:
            before = self.tree.blank if self.before is None else self.before.view(eyes)
            return "; ".join([self._deed(), *self._changes(before, self.view(eyes))])
        if eyes in (self.viewer, SPECTATOR):
            return ""
        return "; ".join(["knows", *self._changes(self.view(SPECTATOR), self.view(eyes))])

    def _deed(self) -> str:
        if self.before is None:
            return "setup"
        return f"{self.before.turn} {self.tree.game.actions[self.action]}"

    def _changes(self, old: Position, new: Position) -> Iterator[str]:
        for name, (before, after) in self.tree.game.position.changed(old, new).items():
            yield from _differences(name, before, after)

    def action_history(self) -> Iterator[tuple[int, int]]:
        """The actions so far, the last first, each with the seat that took it."""
        node: Node | None = self
        while node is not None and node.before is not None:
            if node.viewer == NOBODY:
                yield node.before.turn, node.action
            node = node.before


def _differences(where: str, old: object, new: object) -> Iterator[str]:
    """Where two values of a field differ, down to single cells, and what the new one says there."""
    if old == new:
        return
    if isinstance(new, dict) and isinstance(old, dict):
        for key in old | new:
            yield from _differences(f"{where}.{key}", old.get(key, 0), new.get(key, 0))
    elif isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        for n, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(f"{where}.{n}", one, other)
    else:
        yield f"{where} {_words(new)}"


def _words(value: object) -> str:
    """Plain data in short: zeros and empty entries of tables are left out."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} {_words(part)}" for key, part in value.items() if part) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_words, value)) + "]"
    return "none" if value is None else str(value)


class GameTree:
    """A game with its options and components (a file's name, or nothing), and its rules at hand."""

    def __init__(self, name: str, options: dict[str, str], components: str) -> None:
        self.game: Game = get_game(name)
        self.options, self.players, self.components = options, int(options["players"]), components
        self.open = self.game.all_open
        self.box = self.game.read_components(components or None).box
        self.blank = self.game.blank(options)
        compiled = self.game.compiled
        self._carry_out, self._legal = with_explicit_chance(self.game), compiled.legal
        self._observe, self._reward = compiled.bind(observe), compiled.bind(loops.reward)
        self._latest: tuple[bytes, list[str]] = b"", []
        self.start = self.carry_out(None, SETUP, ())

    def carry_out(self, before: Node | None, action: int, given: tuple[int, ...]) -> Node:
        """The setup or an action, with what the dice have shown so far: up to its end or to the next roll."""
        first = self.blank if before is None else before.p
        p, dice, mask = self.game.copy(first), scripted_dice(given), new_mask(len(self.game.actions))
        self._carry_out(p, self.box, action, dice, mask)
        sides = int(dice[SIDES])
        return Node(self, before, action, given, sides, first if sides else p, mask)

    def imagined(self, before: Node, p: Position, viewer: int) -> Node:
        """The same node in another world."""
        mask = new_mask(len(self.game.actions))
        self._legal(p, self.box, mask)
        return Node(self, before, before.action, (), 0, p, mask, viewer)

    def fields(self, p: Position) -> list[str]:
        """A position, a line a field. The latest is kept: where nothing is hidden, every seat asks for it."""
        if self._latest[0] != (now := p.tobytes()):
            fields = self.game.to_dict(p).items()
            self._latest = now, [f"{name}: {_words(value)}" for name, value in fields]
        return self._latest[1]

    def say(self, player: int, action: int) -> str:
        """An action in the game's words, or what the dice show."""
        if player == pyspiel.PlayerId.CHANCE:
            return f"roll {action}"
        if not 0 <= action < len(self.game.actions):
            raise UnknownAction(
                f"actions of {self.game.name} are 0 to {len(self.game.actions) - 1}, not {action}"
            )
        return self.game.actions[action]

    def observe(self, p: Position, seat: int, out: NDArray[np.uint8]) -> None:
        """What a seat knows; a spectator sees the seats from the first on."""
        seen = p if seat != SPECTATOR else self.game.seen_by(p, self.box, None)
        self._observe(seen, self.box, max(seat, 0), out)

    def returns(self, p: Position, kind: int) -> list[float]:
        out = np.zeros(self.game.position.seats)
        self._reward(p, self.box, kind, new_scores(self.game, 1)[0], out)
        found: list[float] = out[: self.players].tolist()
        return found


@cache
def _tree(name: str, options: tuple[tuple[str, str], ...], components: str = "") -> GameTree:
    return GameTree(name, dict(options), components)


def _node(name: str, options: tuple[tuple[str, str], ...], components: str, steps: Steps) -> Node:
    """What `__reduce__` has written down."""
    tree = _tree(name, options, components)
    node = None
    for number, what in steps:
        if isinstance(what, bytes):
            p = tree.game.position.copy(np.frombuffer(what, tree.game.position.dtype)[0])
            assert node is not None
            node = tree.imagined(node, p, number)
        else:
            node = tree.carry_out(node, number, tuple(what))
    assert node is not None
    return node


# What OpenSpiel asks for


class State(pyspiel.State):  # type: ignore[misc]
    """A node of a game, as OpenSpiel asks about it."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.node = game.tree.start

    def current_player(self) -> int:
        if self.node.sides:
            return int(pyspiel.PlayerId.CHANCE)
        return self.node.turn if self.node.turn >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        return self.node.turn < 0

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What the next roll may show, all equally likely."""
        return [(outcome, 1 / self.node.sides) for outcome in range(self.node.sides)]

    def _apply_action(self, action: int) -> None:
        self.node = self.node.next(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.node.tree.say(player, action)

    def returns(self) -> list[float]:
        """0 for all until the game is over."""
        if self.node.turn >= 0:
            return [0.0] * self.node.tree.players
        return self.node.tree.returns(self.node.p, self.get_game().kind)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> State:
        """The game as it may be for all that the player knows.

        Its history is that of this state, although its dice may have fallen differently.
        """
        twin: State = self.clone()
        twin.node = self.node.imagined(player, int(sampler() * 2**53))
        return twin

    def __str__(self) -> str:
        return self.node.everything()


class Observer:
    """What a player may know, as a tensor, as its named pieces, and in words.

    With perfect recall, also the latest actions.
    """

    def __init__(self, tree: GameTree, perfect_recall: bool) -> None:
        self._tree, self._perfect_recall = tree, perfect_recall
        layout = tree.game.observation
        self._row, self._high = np.zeros(layout.size, np.uint8), layout.high.astype(np.float32)
        recent = RECENT if perfect_recall else 0
        shapes = [(recent, tree.game.position.seats), (recent, len(tree.game.actions))]
        ends = np.cumsum([layout.size, *map(math.prod, shapes)]).tolist()
        self.tensor = np.zeros(ends[-1], np.float32)
        self._now, seats, actions, _ = np.split(self.tensor, ends)
        self._seats, self._actions = seats.reshape(shapes[0]), actions.reshape(shapes[1])
        self.dict = {name: np.atleast_1d(piece) for name, piece in layout.split(self._now).items()}
        if perfect_recall:
            self.dict |= {"recent_seats": self._seats, "recent_actions": self._actions}

    def set_from(self, state: State, player: int) -> None:
        self.tensor.fill(0)
        node = state.node
        if node.begun:
            self._tree.observe(node.p, player, self._row)
            np.divide(self._row, self._high, out=self._now)
        for seats, actions, (seat, action) in zip(
            self._seats, self._actions, node.action_history(), strict=False
        ):
            seats[relative_seat(seat, max(player, 0), self._tree.players)] = 1
            actions[action] = 1

    def string_from(self, state: State, player: int) -> str:
        return state.node.information(player) if self._perfect_recall else state.node.observation(player)


class PublicObserver(Observer):
    """What everybody may know, whichever player is asked about."""

    def set_from(self, state: State, player: int) -> None:
        super().set_from(state, SPECTATOR)

    def string_from(self, state: State, player: int) -> str:
        return super().string_from(state, SPECTATOR)


class PrivateObserver:
    """What one player knows that others do not, in words. It has no tensor: the observation's pieces mix
    both.
    """

    def __init__(self) -> None:
        self.tensor: None = None
        self.dict: dict[str, NDArray[np.float32]] = {}

    def set_from(self, state: State, player: int) -> None:
        """There is no tensor."""

    def string_from(self, state: State, player: int) -> str:
        return state.node.private(player)


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """One of our games, as OpenSpiel loads it."""

    name: str

    def __init__(self, given: dict[str, Any]) -> None:
        name, reward, players = self.name, given.pop("reward"), given.pop("players")
        components = given.pop("components")
        kind = kind_of(reward)
        asked = {key: "draw" if value == -1 else value for key, value in given.items()}
        options = get_game(name).read_options(players=players, **asked)
        self.tree, self.kind = _tree(name, tuple(options.items()), components), kind
        named = {"reward": reward, "players": players, "components": components}
        super().__init__(_type(name, reward), self._info(reward), named | given)

    def _info(self, reward: str) -> pyspiel.GameInfo:
        tree, points = self.tree, reward == "points"
        return pyspiel.GameInfo(
            num_distinct_actions=len(tree.game.actions),
            max_chance_outcomes=_most_sides(tree.game.name, tree.components),
            num_players=tree.players,
            min_utility=0.0 if points else -1 / (tree.players - 1),
            max_utility=float(tree.game.rules.MAX_POINTS) if points else 1.0,
            utility_sum=None if points else 0.0,
            max_game_length=tree.game.rules.MAX_DECISIONS,
        )

    def new_initial_state(self) -> State:
        return State(self)

    def action_to_string(self, player: int, action: int) -> str:
        return self.tree.say(player, action)

    def max_chance_nodes_in_history(self) -> int:
        """No action rolls the dice more often than there are cards or tiles in a pile."""
        return int((self.max_game_length() + 1) * self.max_chance_outcomes())

    def make_py_observer(
        self, kind: pyspiel.IIGObservationType | None = None, params: Mapping[str, object] | None = None
    ) -> Observer | PrivateObserver:
        if params:
            raise OptionError(f"observers have no parameters; leave out {', '.join(params)}")
        one, nobody = pyspiel.PrivateInfoType.SINGLE_PLAYER, pyspiel.PrivateInfoType.NONE
        recall = kind is not None and bool(kind) and kind.perfect_recall
        asked = (kind.public_info, kind.private_info) if kind else (True, one)
        if asked == (True, one):
            return Observer(self.tree, recall)
        if asked == (True, nobody):
            return PublicObserver(self.tree, recall)
        if asked == (False, one) and not recall:
            return PrivateObserver()
        raise OptionError(
            "observers show what one player knows, what is public, or, without perfect recall, what one"
            " player knows besides: ask with private_info=SINGLE_PLAYER or NONE"
        )


@cache
def _most_sides(name: str, components: str) -> int:
    """The sides of the largest roll.

    Piles are never fuller than at the start, so it is one of the setup's.
    """
    node = _tree(name, tuple(get_game(name).read_options().items()), components).start
    most = 0
    while node.sides:
        most = max(most, node.sides)
        node = node.next(0)
    return most


def _type(name: str, reward: str = "win") -> pyspiel.GameType:
    kind = pyspiel.GameType
    least, most = get_game(name).rules.PLAYERS
    return kind(
        short_name=f"python_comptoir_{name}",
        long_name=words_of(name, "en").say("game.title"),
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.PERFECT_INFORMATION
        if get_game(name).all_open
        else kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if reward == "win" else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=least,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "players": get_game(name).rules.DEFAULT_PLAYERS,
            "reward": reward,
            "components": "",
            **{option.name: _default(option) for option in get_game(name).options},
        },
    )


def _default(option: Option) -> str | bool | int:
    """OpenSpiel's parameters have types: a switch is true or false, a seat is a number, and -1 draws it by
    lot.
    """
    if isinstance(option, FlagOption):
        return option.default == "yes"
    return -1 if isinstance(option, FirstSeatOption) else option.default


def _register(called: str) -> None:
    """Makes a class for each game: OpenSpiel keeps what makes a game until after the interpreter's end, when
    only a class is safe to keep.
    """

    class Named(SpielGame):
        name = called

    pyspiel.register_game(_type(called), Named)


for _name in registry.names():
    _register(_name)
