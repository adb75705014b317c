"""Bots: each chooses an action from a view, and from nothing else.

An own bot is a class with one method:

    from comptoir.bots import Bot

    class Eager(Bot):
        def choose(self, view):
            return view["actions"][-1]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from comptoir.engine.components import Components
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.rule import Dice


class Bot:
    """A seat's decisions. The same seed and the same views of a turn give the same choice, whatever went before."""

    def __init__(self, game: Game, components: Components, seed: str) -> None:
        self.game, self.components, self.seed = game, components, seed

    def choose(self, view: dict[str, Any]) -> str:
        """One of `view["actions"]`."""
        return self.game.actions[self.decide(self.game.read_view(view, self.components.box), view["number"])]

    def decide(self, view: np.record, number: int, earlier: Sequence[np.record] = ()) -> int:
        """The same, for a view that is still a record: an action's number. Comptoir's own bots are asked this way.

        They are also given the views that the seat had `earlier` in this turn, so as not to go in circles.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method choose(view)")

    def dice(self, number: int) -> Dice:
        """Dice for the decision at position `number`. A match's seed has no space, so these are never a match's own dice."""
        return dice_for(f"bot {self.seed}", number)


def views_of_turn(match: Match, seat: int) -> list[np.record]:
    """What a seat saw at each of its decisions since it was last another's to decide, before the one that is due: `earlier` for a bot."""
    records = match.records
    first = len(records) - 1
    while first > 0 and records[first - 1]["turn"] == seat:
        first -= 1
    return [match.game.hidden(p, match.box, seat) for p in records[first:-1]]
