"""Plans for the rest of a turn, compared in the same imagined worlds.

One search says little about small differences: with another seed, or looking further, it prefers another
action. Here every plan is evaluated at several horizons: the policy plays the next turns, from none to two
rounds, and then a search evaluates what they have led to. All plans meet the same worlds and the same chance,
so that what they have in common cancels out. How much the difference between two plans varies with the
horizon gives its interval: where it is wide, the evaluations do not agree. Two plans that end in the same
position differ by nothing at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comptoir.bots import DecisionContext
from comptoir.bots.search import search
from comptoir.bots.searcher import MIN_VISITS, Searcher
from comptoir.bots.workspace import (
    clear_tree,
    new_workspace,
    principal_variation,
    set_plan,
    set_root,
    turn_goes_on,
)
from comptoir.engine.dice import dice_for
from comptoir.engine.intervals import student_t_975

HORIZONS = 5  # how many: turns that are sampled before the search, from none to two rounds
TREE_PART, MIN_TREE = 16, 8  # a tree after a plan has one in 16 of the level's iterations, and at least 8
FIRST_TREES, MOST_TREES = 1, 4  # at each horizon
MATTERS = 0.02  # of the win: a smaller difference is none
SEARCHES = 2  # for plans: one alone overlooks some
OWN_PLANS = 3  # of each search: its choice, and what it has tried most besides
MAX_PLANS = 4  # that are reported, and what was asked about

Plan = tuple[int, ...]  # the actions of one seat, until its turn is over or chance decides


@dataclass(frozen=True)
class ShareDifference:
    """Between the win shares of two plans, with half the width of its 95% interval."""

    mean: float
    margin: float

    @property
    def low(self) -> float:
        return self.mean - self.margin

    @property
    def high(self) -> float:
        return self.mean + self.margin

    def is_unclear(self, threshold: float) -> bool:
        """Whether the interval leaves open on which side of a threshold the difference lies."""
        return self.low < threshold < self.high


@dataclass(frozen=True)
class PlanEstimate:
    """A plan, the share of the win that it promises, and by how much it is behind the first one."""

    actions: Plan
    share: float
    behind: ShareDifference

    @property
    def is_as_good(self) -> bool:
        """Whether it cannot be said that the first one is better by anything that matters."""
        return self.behind.low < MATTERS


class PlanComparison:
    """Plans, and the share of the win after each of them in each tree."""

    def __init__(self, plans: Iterable[Plan]) -> None:
        self.plans = list(dict.fromkeys(plans))
        # a row for each tree: the plans' shares at each horizon
        self.trees: list[NDArray[np.float64]] = []

    @property
    def estimates(self) -> NDArray[np.float64]:
        """The share of each plan at each horizon, one row per plan."""
        found: NDArray[np.float64] = np.mean(self.trees, axis=0)
        return found

    def share(self, nth: int) -> float:
        return float(self.estimates[nth].mean())

    def difference(self, one: int, other: int) -> ShareDifference:
        """By how much one plan is better than another."""
        gaps = self.estimates[one] - self.estimates[other]
        error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps))
        return ShareDifference(float(gaps.mean()), student_t_975(len(gaps) - 1) * error)

    def leads_to_the_same(self, one: int, other: int) -> bool:
        return bool((self.estimates[one] == self.estimates[other]).all())

    def best(self) -> int:
        """The first plan, unless another is better with the whole interval."""
        found = 0
        for nth in range(1, len(self.plans)):
            if self.difference(nth, found).low > 0:
                found = nth
        return found

    def is_settled(self, thresholds: Sequence[float]) -> bool:
        """Whether it is clear, for all plans, on which side of the thresholds their loss lies."""
        best = self.best()
        gaps = [self.difference(best, nth) for nth in range(len(self.plans))]
        return not any(gap.is_unclear(threshold) for gap in gaps for threshold in thresholds)

    def ranking(self, keep: Iterable[Plan]) -> list[PlanEstimate]:
        """The best plans first; of those that lead to the same, only the first; and what to keep."""
        best, kept = self.best(), set(keep)
        order = [best, *sorted(set(range(len(self.plans))) - {best}, key=lambda nth: -self.share(nth))]
        different = [
            nth
            for place, nth in enumerate(order)
            if self.plans[nth] in kept
            or not any(self.leads_to_the_same(nth, before) for before in order[:place])
        ]
        return [
            PlanEstimate(self.plans[nth], self.share(nth), self.difference(best, nth))
            for place, nth in enumerate(different)
            if place < MAX_PLANS or self.plans[nth] in kept
        ]


class PlanSearch:
    """What a level would do in the rest of a turn, from what the seat may know."""

    def __init__(self, searcher: Searcher, question: DecisionContext) -> None:
        self.searcher, self.question = searcher, question
        self.viewer = int(question.record["turn"])
        self.iterations = max(MIN_TREE, searcher.iterations // TREE_PART)  # of a tree
        self.workspace = new_workspace(searcher.game, self.iterations, searcher.network)
        self._set_root()

    def plans(
        self, also: Sequence[Plan] = (), thresholds: Sequence[float] = (MATTERS,)
    ) -> list[PlanEstimate]:
        """The searcher's own plans and others, compared; the best first."""
        comparison = PlanComparison([*map(self.complete, self._begun()), *also])
        self.grow(comparison, FIRST_TREES)
        if not comparison.is_settled(thresholds):
            self.grow(comparison, MOST_TREES)
        return comparison.ranking(also)

    def _begun(self) -> list[Plan]:
        """The searcher's lines of play, as far as its trees go."""
        asked, lines = self.question, []
        for again in range(SEARCHES):
            found = self.searcher.analyse(asked.record, asked.ply, asked.earlier, OWN_PLANS, again)
            lines += [one.line for one in found[:OWN_PLANS] if one is found[0] or one.visits >= MIN_VISITS]
        return lines

    def complete(self, begun: Plan) -> Plan:
        """A plan that begins like this, continued by searches until the turn is over or chance decides."""
        game, box = self.searcher.game, self.searcher.components.box
        plan: Plan = begun
        while turn_goes_on(self.workspace, game, box, self.viewer, plan):
            self.grow_tree(plan, f"plan {len(plan)}")
            longer = principal_variation(self.workspace, game, box, self.viewer, plan, MIN_VISITS)
            if len(longer) == len(plan):
                break
            plan = tuple(longer)
        return plan

    def grow(self, comparison: PlanComparison, trees: int) -> None:
        """Search on until there are so many trees for each plan at each horizon."""
        for tree in range(len(comparison.trees), trees):
            shares = [[self._share(plan, tree, nth) for nth in range(HORIZONS)] for plan in comparison.plans]
            comparison.trees.append(np.array(shares))

    def _share(self, plan: Plan, tree: int, horizon: int) -> float:
        turns = horizon * int(self.question.record["players"]) // 2
        self.grow_tree(plan, f"plans {tree} {horizon}", turns)
        return float(self.workspace.share_sums[self.viewer]) / self.iterations

    def grow_tree(
        self, plan: Plan, worlds: str, sampled_turns: int = 0, iterations: int | None = None
    ) -> None:
        """Grow a tree where a plan has led, after some turns by the policy. The same `worlds`: the same
        imagined worlds and dice.
        """
        searcher, workspace, asked = self.searcher, self.workspace, self.question
        dice = dice_for(f"bot {searcher.seed} {worlds}", asked.ply)
        clear_tree(workspace)
        workspace.dice[:] = dice
        self._set_root()
        set_plan(workspace, plan, dice, sampled_turns)
        run, box, weights = (
            searcher.game.compiled.bind(search),
            searcher.components.box,
            searcher.evaluation.weights,
        )
        run(workspace, box, weights, searcher.settings, self.viewer, iterations or self.iterations)

    def _set_root(self) -> None:
        game, box, asked = self.searcher.game, self.searcher.components.box, self.question
        set_root(self.workspace, game, box, asked.record, asked.earlier)
