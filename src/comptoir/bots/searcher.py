"""The bots that search, by the number of iterations, and by a judgement alone or with a network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from comptoir.bots import Bot
from comptoir.bots.network import Network
from comptoir.bots.search import SETTINGS, SearchWorkspace, search
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
from comptoir.engine.game import Game
from comptoir.engine.judgement import Judgement
from comptoir.engine.mask import forbid
from comptoir.time_source import SYSTEM_TIME, TimeSource

TIME_CHECKS = 32  # how often a search stops to see whether it is time to end
LEAST = 64  # iterations of a part
WON, LOST = 0.95, 0.03  # shares of the win beyond which a game is as good as decided,
TIE_TOLERANCE = 0.01  # and shares that then are as good as equal
MIN_VISITS = 10  # what rests on fewer tries is no opinion


@dataclass(frozen=True)
class ActionEstimate:
    """What a search thinks of an action: the share of the win it is worth, how often it was tried, and, of
    the best, what it would do in this turn from there on, the action first.
    """

    action: int
    share: float
    visits: int
    line: tuple[int, ...] = ()


class Searcher(Bot):
    """Searches several trees of equal size and adds them up: the same choice on any number of cores.

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
        judgement: Judgement | None = None,
        network: Network | None = None,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        super().__init__(game, components, seed)
        self.iterations, self.each, self.seconds = iterations, -(-iterations // trees), seconds
        self.judgement, self.time_source = judgement or game.judgement, time_source
        self.settings = np.zeros(1, SETTINGS).view(np.recarray)[0]
        self.network = network if network is not None and network.trained_on(components) else None
        for name, figure in (self.network or self.judgement).search.items():
            self.settings[name] = figure
        self.desks = [new_workspace(game, self.each, self.network) for _ in range(trees)]
        self.threads = min(trees, threads or os.cpu_count() or 1)

    def decide(self, view: np.record, number: int, earlier: Sequence[np.record] = ()) -> int:
        actions = self.game.legal(view, self.components.box)
        self.thoughts = self._opinions(view, number, earlier, all_of_them=False) if len(actions) > 1 else ()
        return self.thoughts[0].action if self.thoughts else actions[0]

    def analyse(
        self, view: np.record, number: int, earlier: Sequence[np.record] = ()
    ) -> list[ActionEstimate]:
        """What the search thinks of each action it has tried, the best first: that is the one `decide`
        takes.
        """
        best, *others = self._opinions(view, number, earlier, all_of_them=True)
        desk = max(self.desks, key=lambda desk: _visits(desk, best.action))
        line = principal_variation(
            desk, self.game, self.components.box, int(view.turn), best.action, MIN_VISITS
        )
        return [replace(best, line=tuple(line)), *others]

    def estimate(self, viewer: int, action: int, tries: int) -> ActionEstimate | None:
        """What it thinks of one action, after `opinions`, once it has tried it so often; None of one that it
        sets aside, for others lead to the same.
        """
        tried = sum(_visits(desk, action) for desk in self.desks)
        if tried < tries:
            for desk in self.desks:
                desk.pruned[...] = ~desk.pruned.dtype.type(0)
                forbid(desk.pruned, action)
            self._search(viewer, True, -(-(tries - tried) // len(self.desks)))
        return next((one for one in self.summed_up() if one.action == action), None)

    def _opinions(
        self, view: np.record, number: int, earlier: Sequence[np.record], all_of_them: bool
    ) -> list[ActionEstimate]:
        for nth, desk in enumerate(self.desks):
            clear_tree(desk)
            set_root(desk, self.game, self.components.box, view, earlier)
            desk.dice[:] = dice_for(f"bot {self.seed} tree {nth}", number)
        self._search(int(view.turn), all_of_them)
        return self.summed_up()

    def _search(self, viewer: int, all_of_them: bool, iterations: int | None = None) -> None:
        """In parts, until all iterations are done or time is up; or else until no other action can catch
        up.
        """
        run = self._compiled()
        ends = None if self.seconds is None else self.time_source.monotonic() + self.seconds
        left = self.each if iterations is None else iterations
        part = max(LEAST, -(-left // TIME_CHECKS))

        def think(desk: SearchWorkspace) -> None:
            run(desk, self.components.box, self.judgement.values, self.settings, viewer, min(part, left))

        with ThreadPoolExecutor(self.threads) as pool:
            # a pool's threads start when they are first needed
            think_each = pool.map if self.threads > 1 else map
            while left > 0:
                list(think_each(think, self.desks))
                left -= part
                late = ends is not None and self.time_source.monotonic() >= ends
                if late or (not all_of_them and self._decided(left)):
                    break

    def _compiled(self) -> Any:
        return self.game.compiled.bind(search)

    def _decided(self, left: int) -> bool:
        """Whether no other action can catch up any more.

        In a game that is as good as decided, visits are not what counts.
        """
        best, *others = self.summed_up()
        return not is_decided(best.share) and best.visits - max(
            (other.visits for other in others), default=0
        ) > left * len(self.desks)

    def summed_up(self) -> list[ActionEstimate]:
        visits: dict[int, int] = {}
        totals: dict[int, float] = {}
        for desk in self.desks:
            for action, n, total in root_edges(desk):
                visits[action] = visits.get(action, 0) + n
                totals[action] = totals.get(action, 0.0) + total
        shares = {action: totals[action] / n for action, n in visits.items() if n}
        order = sorted(shares, key=lambda action: (-visits[action], -shares[action], action))
        if is_decided(shares[order[0]]):
            looks = self._first_looks()
            order.sort(
                key=lambda action: (
                    shares[action] < max(shares.values()) - TIE_TOLERANCE,
                    -round(looks[action] / len(self.desks), 7),
                    -shares[action],
                )
            )
        # The effort in a game that is lost would leave less than nothing.
        return [ActionEstimate(action, max(0.0, shares[action]), visits[action]) for action in order]

    def _first_looks(self) -> dict[int, float]:
        """What each action led to when first tried, as judged, added up over the trees."""
        looks: dict[int, float] = {}
        for desk in self.desks:
            for action, judged in root_prior_values(desk):
                looks[action] = looks.get(action, 0.0) + judged
        return looks


def _visits(desk: SearchWorkspace, wanted: int) -> int:
    """How often a tree has tried an action."""
    return max((visits for action, visits, _ in root_edges(desk) if action == wanted), default=0)


def is_decided(share: float) -> bool:
    """A game that is all but won or lost, however one goes on: a search cannot tell one way from another
    there, but the first look can.
    """
    return not LOST < share < WON
