"""The clerk: looks one action ahead, and takes the one that leads to what it judges best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from comptoir.bots import Bot
from comptoir.bots.search import look_ahead
from comptoir.bots.searcher import ActionEstimate
from comptoir.bots.workspace import new_workspace, set_root
from comptoir.engine.components import Components
from comptoir.engine.evaluation import Evaluation
from comptoir.engine.game import Game
from comptoir.engine.mask import members
from comptoir.engine.rule import Position

WORLDS = 8
# Actions tried, over all imagined worlds, by a clerk that must do without the compiler: eight worlds up to
# five legal actions, one from 21 on. Interpreted, that takes half a second in Century, the slowest game.
INTERPRETED_LOOK_AHEADS = 40


class Clerk(Bot):
    """Judges what each action leads to, in a few imagined worlds.

    `look_aheads` limits how many actions it tries, over all worlds: with more legal actions it imagines fewer
    worlds, at least one. The limit and the view decide how many, never the time: the choice is the same on a
    busy machine, and the same interpreted (available at once, but a thousand times slower) as compiled.
    """

    def __init__(
        self,
        game: Game,
        components: Components,
        seed: str,
        evaluation: Evaluation | None = None,
        *,
        interpreted: bool = False,
        look_aheads: int | None = None,
    ) -> None:
        super().__init__(game, components, seed)
        self.evaluation, self.interpreted = evaluation or game.evaluation, interpreted
        self.look_aheads = look_aheads
        self.workspace = new_workspace(game, 0)

    def choose_index(self, view: Position, number: int, earlier: Sequence[Position] = ()) -> int:
        self.last_estimates = self.analyse(view, number, earlier)
        return self.last_estimates[0].action

    def analyse(self, view: Position, number: int, earlier: Sequence[Position] = ()) -> list[ActionEstimate]:
        """The estimates of all legal actions, the best first: that is the one `choose_index` takes."""
        workspace, box = self.workspace, self.components.box
        ruleset = self.game.interpreted if self.interpreted else self.game.compiled
        workspace.dice[:] = self.dice(number)
        set_root(workspace, self.game, box, view, earlier, ruleset, common_only=True)
        win_shares, worlds = np.zeros(64 * len(workspace.mask)), self._worlds(view)
        ruleset.bind(look_ahead)(workspace, box, self.evaluation.weights, int(view.turn), worlds, win_shares)
        actions = members(workspace.mask & ~workspace.pruned)
        estimates = [
            ActionEstimate(action, max(0.0, float(win_shares[action]) / worlds), worlds) for action in actions
        ]
        return sorted(estimates, key=lambda estimate: -float(win_shares[estimate.action]))

    def _worlds(self, view: Position) -> int:
        """How many worlds it imagines: fewer with many legal actions, where look-aheads are limited."""
        if self.look_aheads is None:
            return WORLDS
        return min(WORLDS, max(1, self.look_aheads // len(self.game.legal(view, self.components.box))))
