"""How a review judges: a turn by what its seat knew then, a position with all cards open.

A turn is judged as a plan, up to where chance intervenes: the plan that was played is compared with those
that the judge would have chosen, in the same imagined worlds that fit the seat's view (`bots/plans.py`). In
which order it was played does not matter if it leads to the same position. A position as it was is itself the
world that is searched: everyone sees everything, and only chance is still to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.bots import earlier_views, question_for
from comptoir.bots.background_compiler import SEARCH
from comptoir.bots.hints import ADVISERS
from comptoir.bots.levels import make
from comptoir.bots.plans import PlanEstimate, PlanSearch
from comptoir.bots.reasons import Gain, gains
from comptoir.bots.search import DEPTH, OPEN, ROOT_VIEW, search
from comptoir.bots.searcher import Searcher
from comptoir.bots.workspace import clear_tree, new_workspace, set_root
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.precompile import CompileTarget
from comptoir.engine.rule import Position
from comptoir.engine.scoring import share_win
from comptoir.errors import OptionError
from comptoir.review.mistake_kinds import MISTAKE_THRESHOLDS, mistake_kind

LEVEL = ADVISERS[0]  # whose search judges, unless another is named
JUDGES = {False: LEVEL, True: ADVISERS[1]}  # of a review as usual, and of one that goes deep
SEED = "review 3"  # another for each way to judge: what was begun in an earlier one is not continued
OPEN_ITERATION_SHARE = 0.3  # of the iterations of a decision are for a position with all cards open
ALTERNATIVE_ROLLS = 6  # other dice that are tried where something was rolled
DIGITS = 4  # of a share

Shares = tuple[float, ...]  # a share of the win for each seat


class JudgedPlan(NamedTuple):
    """What a seat did or could have done until its turn ended or chance intervened: the share of the win that
    it promised, and how much less than the best plan, with half the width of the 95% interval of that.
    """

    actions: tuple[str, ...]
    share: float
    loss: float
    margin: float


class TurnAnalysis(NamedTuple):
    """The plans of a turn from what its seat could know, the best first; among them what was played, in
    `length` actions. Nothing where there was no choice.

    `gains`: what the best plan brings that was not played; where the loss has a name.
    """

    plans: tuple[JudgedPlan, ...] = ()
    length: int = 0
    gains: tuple[Gain, ...] = ()


class Analyser:
    """Judges the decisions and positions of one match. The same match, level and seed: the same review."""

    def __init__(self, match: Match, level: str = LEVEL, seed: str = SEED) -> None:
        self.match, self.game, self.box, self.seed = match, match.game, match.box, seed
        bot = make(level, match.game, match.components, f"{seed} known", threads=1, analyses=True)
        if not isinstance(bot, Searcher):
            raise OptionError(f"level: {level!r} does not search; name one that does, such as {LEVEL!r}")
        self._bot = bot
        self._tries = max(1, round(OPEN_ITERATION_SHARE * bot.iterations))
        self._workspace = new_workspace(match.game, self._tries, bot.network)

    def analyse_turn(self, ply: int) -> TurnAnalysis:
        """What the seat that decided after `ply` actions could have done in the rest of its turn; nothing if
        it had no choice.
        """
        then = self.match.at(ply)
        if len(then.actions()) == 1:
            return TurnAnalysis()
        end = self._end_of_plan(ply)
        played = tuple(map(self.game.action_index, self.match.played[ply:end]))
        assert then.turn is not None
        planner = PlanSearch(self._bot, question_for(then, then.turn))
        found = planner.plans(also=(played,), thresholds=tuple(MISTAKE_THRESHOLDS.values()))
        loss = next(plan.behind for plan in found if plan.actions == played)
        why = gains(planner, found[0].actions, played) if mistake_kind(loss.low) else ()
        return TurnAnalysis(tuple(map(self._judged, found)), end - ply, why)

    def _end_of_plan(self, ply: int) -> int:
        """After how many actions the seat that decides after `ply` was not in control any more."""
        seat, end = self.match.actions_by_seat[ply][0], ply + 1
        while (
            end < self.match.ply
            and self.match.actions_by_seat[end][0] == seat
            and not self.match.rolled[end - 1]
            and not self.match.ended_turn(end)
        ):
            end += 1
        return end

    def _judged(self, plan: PlanEstimate) -> JudgedPlan:
        return JudgedPlan(
            tuple(self.game.actions[action] for action in plan.actions),
            round(min(1.0, max(0.0, plan.share)), DIGITS),
            round(plan.behind.mean, DIGITS),
            round(plan.behind.margin, DIGITS),
        )

    def chances(self, ply: int) -> Shares:
        """Every seat's chances after `ply` actions, with all cards open; at the end, how it came out."""
        then = self.match.at(ply)
        return self._chances(then.records[-1], f"{ply}", self._turn_so_far(then))

    def expected(self, ply: int) -> Shares:
        """The chances after the next action as they were to be expected before its dice fell: the mean of
        what other dice would have led to.
        """
        before, action = self.match.records[ply], self.game.action_index(self.match.played[ply])
        total = np.zeros(self.match.players)
        for nth in range(ALTERNATIVE_ROLLS):
            after, dice = self.game.copy(before), dice_for(f"{self.seed} other {nth}", ply + 1)
            self.game.ruleset.play(after, self.box, action, dice)
            total += self._chances(after, f"{ply} other {nth}", ())
        return _rounded(total / ALTERNATIVE_ROLLS)

    def _turn_so_far(self, match: Match) -> Sequence[Position]:
        return [] if match.turn is None else earlier_views(match, match.turn)

    def _chances(self, p: Position, name: str, earlier: Sequence[Position]) -> Shares:
        """If the seat that decides does what the search has tried most, and everyone goes on like that."""
        if p["turn"] < 0:
            return self._result(p)
        desk, run, viewer = self._workspace, self.game.compiled.bind(search), int(p["turn"])
        clear_tree(desk)
        set_root(desk, self.game, self.box, p, earlier)
        desk.positions[ROOT_VIEW] = p
        desk.used[OPEN] = 1
        desk.dice[:] = dice_for(f"{self.seed} open {name}", 0)
        totals: dict[int, NDArray[np.float64]] = {}
        tries: dict[int, int] = {}
        for _ in range(self._tries):
            run(desk, self.box, self._bot.evaluation.weights, self._bot.settings, viewer, 1)
            edge = int(desk.path[0]) if desk.used[DEPTH] else 0
            totals[edge] = totals.get(edge, np.zeros(self.match.players)) + desk.shares[: self.match.players]
            tries[edge] = tries.get(edge, 0) + 1
        return _rounded(totals[max(tries, key=lambda edge: tries[edge])])

    def _result(self, p: Position) -> Shares:
        shares = np.zeros(self.match.players)
        share_win(np.array(self.game.scores(p, self.box)), self.match.players, shares)
        return _rounded(shares)


def _rounded(shares: NDArray[np.float64]) -> Shares:
    """As parts of one. To the search, a game that a stall rule ends is worth nothing to anyone: even then."""
    total = float(shares.sum())
    return tuple(round(float(share) / total if total else 1 / len(shares), DIGITS) for share in shares)


def _analyse_once(game: Game) -> None:
    """One decision and one position of a match of no consequence."""
    match = Match(game.name, seed="compiling")
    match.play(match.actions()[0])
    judge = Analyser(match, "merchant:1")
    judge.analyse_turn(0)
    judge.chances(0)


REVIEW = CompileTarget("review", SEARCH.functions, _analyse_once)
