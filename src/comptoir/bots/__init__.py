"""Bots: each chooses an action from a view, and from nothing else.

A custom bot is a class with one method:

    from comptoir.bots import Bot

    class Eager(Bot):
        def choose(self, view):
            return view["actions"][-1]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.components import Components
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.rule import Dice, Position
from comptoir.engine.schema import field_of
from comptoir.engine.view import View

if TYPE_CHECKING:
    from comptoir.bots.searcher import ActionEstimate


@dataclass(frozen=True)
class DecisionContext:
    """What a bot is asked: all that its seat may know when it decides, and nothing else."""

    record: Position  # the position as the seat may know it
    ply: int
    earlier: Sequence[Position]  # what the seat saw before: see `earlier_views`
    view: Callable[[], View]  # the same as plain data, made for those who ask


TURNS_REMEMBERED = 32  # turns whose ends a bot knows; a game that stands still comes back much sooner


class Bot:
    """A seat's decisions. The same seed and the same views, now and earlier, give the same choice."""

    # what it thought of the actions when it last decided, the best first; nothing where it did not judge
    last_estimates: Sequence[ActionEstimate] = ()

    def __init__(self, game: Game, components: Components, seed: str) -> None:
        self.game, self.components, self.seed = game, components, seed

    def decide_from(self, question: DecisionContext) -> int:
        """An action's number: by `choose` where a class has its own, else by `decide`."""
        if type(self).choose is not Bot.choose:
            return self.game.action_index(self.choose(question.view()))
        return self.choose_index(question.record, question.ply, question.earlier)

    def choose(self, view: View) -> str:
        """One of `view["actions"]`."""
        return self.game.actions[
            self.choose_index(self.game.position_from_view(view, self.components.box), view["ply"])
        ]

    def choose_index(self, view: Position, ply: int, earlier: Sequence[Position] = ()) -> int:
        """The same, for a view that is still a record: an action's number. Built-in bots do this.

        They are also given what the seat saw `earlier`, so as not to go in circles.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method choose(view)")

    def observation(self, view: View) -> NDArray[np.uint8]:
        """A view as the row of numbers that networks learn from, as in a batch and in environments."""
        p = self.game.position_from_view(view, self.components.box)
        return self.game.observe(p, self.components.box, view["seat"])

    def action_mask(self, view: View) -> NDArray[np.bool_]:
        """What may be done, true by the number of the action."""
        mask = np.zeros(len(self.game.actions), np.bool_)
        mask[[self.game.action_index(action) for action in view["actions"]]] = True
        return mask

    def dice(self, ply: int) -> Dice:
        """Dice for the decision after `ply` actions.

        A match's seed has no space, so these are never a match's own dice.
        """
        return dice_for(f"bot {self.seed}", ply)


def question_for(match: Match, seat: int) -> DecisionContext:
    """What the bot in a seat is asked now."""
    return DecisionContext(
        match.seen_by(seat), match.ply, earlier_views(match, seat), lambda: match.view(seat)
    )


def earlier_views(match: Match, seat: int) -> list[Position]:
    """What a seat saw when its last turns were over, and others were to act; then at each of its decisions in
    this turn before this one.
    """
    records, place = match.records, len(match.records) - 2
    seen: list[Position] = []
    ends = 0
    while place >= 0 and ends < TURNS_REMEMBERED:
        if field_of(records[place], "turn") == seat:
            if field_of(records[place + 1], "turn") != seat:
                seen.append(records[place + 1])
                ends += 1
            elif ends == 0:
                seen.append(records[place])
        place -= 1
    return [match.game.seen_by(p, match.box, seat) for p in reversed(seen)]
