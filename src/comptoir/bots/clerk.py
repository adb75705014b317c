"""The clerk: looks one action ahead, and takes the one that leads to what it judges best."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from comptoir.bots import Bot
from comptoir.bots.desk import lay_out, put_before
from comptoir.bots.search import look_ahead
from comptoir.bots.searcher import Opinion
from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.engine.judgement import Judgement
from comptoir.engine.mask import members

WORLDS = 8
SECONDS = 0.5  # after which an interpreted clerk imagines no other world


class Clerk(Bot):
    """Judges what each action leads to, in a few imagined worlds.

    Interpreted, it is at hand at once and plays as well, but is a thousand times slower: it may imagine fewer
    worlds, one at least.
    """

    def __init__(
        self,
        game: Game,
        components: Components,
        seed: str,
        judgement: Judgement | None = None,
        *,
        interpreted: bool = False,
    ) -> None:
        super().__init__(game, components, seed)
        self.judgement, self.interpreted = judgement or game.judgement, interpreted
        self.desk = lay_out(game, 0)

    def decide(self, view: np.record, number: int, earlier: Sequence[np.record] = ()) -> int:
        self.thoughts = self.opinions(view, number, earlier)
        return self.thoughts[0].action

    def opinions(self, view: np.record, number: int, earlier: Sequence[np.record] = ()) -> list[Opinion]:
        """What it thinks of each action, the best first: that is the one `decide` takes."""
        desk, box = self.desk, self.components.box
        verbs = self.game.interpreted if self.interpreted else self.game.compiled
        desk.dice[:] = self.dice(number)
        put_before(desk, self.game, box, view, earlier, verbs)
        worth, seen = np.zeros(64 * len(desk.mask)), 0
        ends, step = time.monotonic() + SECONDS, 1 if self.interpreted else WORLDS
        while seen < WORLDS and (seen == 0 or time.monotonic() < ends):
            verbs.bind(look_ahead)(desk, box, self.judgement.values, int(view.turn), step, worth)
            seen += step
        actions = members(desk.mask & ~desk.barred)
        opinions = [Opinion(action, max(0.0, float(worth[action]) / seen), seen) for action in actions]
        return sorted(opinions, key=lambda opinion: -float(worth[opinion.action]))
