"""The passer-by: any legal action, at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from comptoir.bots import Bot
from comptoir.engine.dice import roll


class PasserBy(Bot):
    """Chooses at random among what is legal."""

    def choose(self, view: dict[str, Any]) -> str:
        actions: list[str] = view["actions"]
        return actions[roll(self.dice(view["number"]), len(actions))]

    def decide(self, view: np.record, number: int) -> int:
        actions = self.game.legal(view, self.components.box)
        return actions[roll(self.dice(number), len(actions))]
