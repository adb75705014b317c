"""The passer-by: any legal action, at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from comptoir.bots import Bot
from comptoir.engine.dice import roll


class PasserBy(Bot):
    """Chooses at random among what is legal."""

    def choose_index(self, view: np.record, ply: int, earlier: Sequence[np.record] = ()) -> int:
        actions = self.game.legal(view, self.components.box)
        return actions[roll(self.dice(ply), len(actions))]
