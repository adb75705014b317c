"""The passer-by: any legal action, at random."""

from __future__ import annotations

from collections.abc import Sequence

from comptoir.bots import Bot
from comptoir.engine.dice import roll
from comptoir.engine.rule import Position


class PasserBy(Bot):
    """Chooses at random among what is legal."""

    def choose_index(self, view: Position, ply: int, earlier: Sequence[Position] = ()) -> int:
        actions = self.game.legal(view, self.components.box)
        return actions[roll(self.dice(ply), len(actions))]
