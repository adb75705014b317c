"""The clerk: looks one action ahead, and takes the one that leads to what it judges best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from comptoir.bots import Bot
from comptoir.bots.desk import lay_out, put_before
from comptoir.bots.search import look_ahead
from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.engine.judgement import Judgement
from comptoir.engine.mask import members

WORLDS = 8


class Clerk(Bot):
    """Judges what each action leads to, in a few imagined worlds."""

    def __init__(self, game: Game, components: Components, seed: str, judgement: Judgement | None = None) -> None:
        super().__init__(game, components, seed)
        self.judgement = judgement or game.judgement
        self.desk = lay_out(game, 0)

    def decide(self, view: np.record, number: int, earlier: Sequence[np.record] = ()) -> int:
        self.desk.dice[:] = self.dice(number)
        put_before(self.desk, self.game, self.components.box, view, earlier)
        worth = np.zeros(64 * len(self.desk.mask))
        look = self.game.compiled.bind(look_ahead)
        look(self.desk, self.components.box, self.judgement.values, int(view.turn), WORLDS, worth)
        return max(members(self.desk.mask & ~self.desk.barred), key=lambda action: worth[action])
