"""The bots that search, with an evaluation alone or with a network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comptoir.bots import Bot
from comptoir.bots.network import Network
from comptoir.bots.search import SETTINGS, SearchSettings, SearchWorkspace, search
from comptoir.bots.workspace import (
    clear_tree,
    new_workspace,
    principal_variation,
    root_edges,
    root_prior_values,
    set_root,
)
from comptoir.engine.components import Components
from comptoir.engine.dice import dice_for
from comptoir.engine.evaluation import Evaluation
from comptoir.engine.game import Game
from comptoir.engine.mask import forbid
from comptoir.engine.rule import Box, EvalWeights, Position
from comptoir.time_source import SYSTEM_TIME, TimeSource

if TYPE_CHECKING:
    from collections.abc import Callable

TIME_CHECKS = 32  # chunks of a search; after each it checks whether to stop
MIN_CHUNK = 64  # iterations between two checks
WON, LOST = 0.95, 0.03  # win shares beyond which a game counts as decided
TIE_TOLERANCE = 0.01  # win shares that count as equal in a decided game
MIN_VISITS = 10  # of an action of the principal variation


@dataclass(frozen=True)
class ActionEstimate:
    """A search's estimate of an action: its win share and visits; for the best action, the principal
    variation of this turn as well, which starts with it.
    """

    action: int
    share: float
    visits: int
    line: tuple[int, ...] = ()


class Searcher(Bot):
    """Searches several trees of equal size and adds up their visits: the same choice on any number of cores.

    With `seconds`, a cap on the time of a decision, the choice depends on how fast and busy the machine is.
    """

    def __init__(
        self,
        game: Game,
        components: Components,
        seed: str,
        iterations: int,
        trees: int = 1,
        seconds: float | None = None,
        threads: int | None = None,
        evaluation: Evaluation | None = None,
        network: Network | None = None,
        *,
        common_only: bool = False,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        super().__init__(game, components, seed)
        self.common_only = common_only
        self.iterations, self.each, self.seconds = iterations, -(-iterations // trees), seconds
        self.evaluation, self.time_source = evaluation or game.evaluation, time_source
        self.settings: SearchSettings = np.zeros(1, SETTINGS).view(np.recarray)[0]
        self.network = network if network is not None and network.trained_on(components) else None
        for name, figure in (self.network or self.evaluation).search.items():
            self.settings[name] = figure
        self.workspaces = [new_workspace(game, self.each, self.network) for _ in range(trees)]
        self.threads = min(trees, threads or os.cpu_count() or 1)

    def choose_index(self, view: Position, number: int, earlier: Sequence[Position] = ()) -> int:
        actions = self.game.legal(view, self.components.box)
        self.last_estimates = self._analyse(view, number, earlier, complete=False) if len(actions) > 1 else ()
        return self.last_estimates[0].action if self.last_estimates else actions[0]

    def analyse(
        self, view: Position, number: int, earlier: Sequence[Position] = (), lines: int = 1, again: int = 0
    ) -> list[ActionEstimate]:
        """The estimates of all visited actions, the best first: the one that `decide` takes.

        So many of them get a line. `again`: with other dice than the times before.
        """
        found = self._analyse(view, number, earlier, complete=True, again=again)
        lined = [replace(one, line=self._line(int(view.turn), one.action)) for one in found[:lines]]
        return [*lined, *found[lines:]]

    def _line(self, viewer: int, action: int) -> tuple[int, ...]:
        """The principal variation of an action, in the tree that has tried it most."""
        workspace = max(self.workspaces, key=lambda workspace: _visits(workspace, action))
        box = self.components.box
        return tuple(principal_variation(workspace, self.game, box, viewer, (action,), MIN_VISITS))

    def estimate(self, viewer: int, action: int, tries: int) -> ActionEstimate | None:
        """The estimate of one action with at least `tries` visits, after `analyse`.

        None for an action that was pruned because others lead to the same.
        """
        tried = sum(_visits(workspace, action) for workspace in self.workspaces)
        if tried < tries:
            for workspace in self.workspaces:
                workspace.pruned[...] = ~workspace.pruned.dtype.type(0)
                forbid(workspace.pruned, action)
            self._search(viewer, True, -(-(tries - tried) // len(self.workspaces)))
        return next((one for one in self.estimates() if one.action == action), None)

    def _analyse(
        self, view: Position, number: int, earlier: Sequence[Position], complete: bool, again: int = 0
    ) -> list[ActionEstimate]:
        name = f"bot {self.seed} again {again}" if again else f"bot {self.seed}"
        for nth, workspace in enumerate(self.workspaces):
            clear_tree(workspace)
            set_root(workspace, self.game, self.components.box, view, earlier, common_only=self.common_only)
            workspace.dice[:] = dice_for(f"{name} tree {nth}", number)
        self._search(int(view.turn), complete)
        return self.estimates()

    def _search(self, viewer: int, complete: bool, iterations: int | None = None) -> None:
        """Search in chunks until all iterations are done, time is up or no other action can catch up."""
        run = self._compiled()
        ends = None if self.seconds is None else self.time_source.monotonic() + self.seconds
        left = self.each if iterations is None else iterations
        chunk = max(MIN_CHUNK, -(-left // TIME_CHECKS))

        def run_chunk(workspace: SearchWorkspace) -> None:
            run(
                workspace,
                self.components.box,
                self.evaluation.weights,
                self.settings,
                viewer,
                min(chunk, left),
            )

        with ThreadPoolExecutor(self.threads) as pool:
            # a pool's threads start when they are first needed
            run_each = pool.map if self.threads > 1 else map
            while left > 0:
                list(run_each(run_chunk, self.workspaces))
                left -= chunk
                late = ends is not None and self.time_source.monotonic() >= ends
                if late or (not complete and self._decided(left)):
                    break

    def _compiled(self) -> Callable[[SearchWorkspace, Box, EvalWeights, SearchSettings, int, int], None]:
        return self.game.compiled.bind(search)

    def _decided(self, left: int) -> bool:
        """Whether no other action can still catch up in visits. In a decided game visits do not count."""
        best, *others = self.estimates()
        return not is_decided(best.share) and best.visits - max(
            (other.visits for other in others), default=0
        ) > left * len(self.workspaces)

    def estimates(self) -> list[ActionEstimate]:
        visits: dict[int, int] = {}
        totals: dict[int, float] = {}
        for workspace in self.workspaces:
            for action, n, total in root_edges(workspace):
                visits[action] = visits.get(action, 0) + n
                totals[action] = totals.get(action, 0.0) + total
        shares = {action: totals[action] / n for action, n in visits.items() if n}
        order = sorted(shares, key=lambda action: (-visits[action], -shares[action], action))
        if is_decided(shares[order[0]]):
            prior_values = self._prior_values()
            order.sort(
                key=lambda action: (
                    shares[action] < max(shares.values()) - TIE_TOLERANCE,
                    -round(prior_values[action] / len(self.workspaces), 7),
                    -shares[action],
                )
            )
        # In a lost game, the cost of decisions would make shares negative.
        return [ActionEstimate(action, max(0.0, shares[action]), visits[action]) for action in order]

    def _prior_values(self) -> dict[int, float]:
        """The prior value of each action, added up over the trees."""
        prior_values: dict[int, float] = {}
        for workspace in self.workspaces:
            for action, prior_value in root_prior_values(workspace):
                prior_values[action] = prior_values.get(action, 0.0) + prior_value
        return prior_values


def _visits(workspace: SearchWorkspace, wanted: int) -> int:
    """The visits of an action in one tree."""
    return max((visits for action, visits, _ in root_edges(workspace) if action == wanted), default=0)


def is_decided(share: float) -> bool:
    """Whether a game is all but won or lost: there prior values tell actions apart, and the search cannot."""
    return not LOST < share < WON
