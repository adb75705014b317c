"""How a review judges: a decision by what its seat knew then, a position with all cards open.

Both ask the search that bots have. For a decision it imagines worlds that fit the seat's view, as a bot in
that seat would. A position as it was is itself the world that is searched: everyone sees everything, and only
chance is still to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comptoir.bots import earlier_views
from comptoir.bots.background_compiler import SEARCH
from comptoir.bots.hints import ADVISERS
from comptoir.bots.levels import make
from comptoir.bots.search import DEPTH, OPEN, ROOT_VIEW, search
from comptoir.bots.searcher import MIN_VISITS, ActionEstimate, Searcher
from comptoir.bots.workspace import clear_tree, new_workspace, set_root
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.precompile import CompileTarget
from comptoir.engine.rule import Position
from comptoir.engine.scoring import share_win
from comptoir.errors import OptionError

LEVEL = ADVISERS[0]  # whose search judges, unless another is named
JUDGES = {False: LEVEL, True: ADVISERS[1]}  # of a review as usual, and of one that goes deep
SEED = "review 2"  # another for each way to judge: what was begun in an earlier one is not continued
OPEN_ITERATION_SHARE = 0.3  # of the iterations of a decision are for a position with all cards open
ALTERNATIVE_ROLLS = 6  # other dice that are tried where something was rolled
TAKEN_ACTION_DIVISOR = 5  # what was done has at least one in that many of the tries
MAX_CANDIDATES = 5  # choices kept per decision, in addition to the one taken
DIGITS = 4  # of a share

Shares = tuple[float, ...]  # a share of the win for each seat


class CandidateAction(NamedTuple):
    """An action that the search looked at: the share of the win that it promised, and how often it was
    tried.
    """

    action: str
    share: float
    visits: int


class DecisionAnalysis(NamedTuple):
    """What a seat could know of its decision: its choices, the search's own first, and how the search would
    have gone on in this turn.
    """

    choices: tuple[CandidateAction, ...] = ()
    line: tuple[str, ...] = ()


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

    def analyse_decision(self, ply: int) -> DecisionAnalysis:
        """What the seat that decided after `ply` actions could know of its choices; nothing if it had
        none.
        """
        then = self.match.at(ply)
        seat, taken = int(then.records[-1]["turn"]), self.game.action_index(self.match.played[ply])
        if len(then.actions()) == 1:
            return DecisionAnalysis()
        best, *others = self._bot.analyse(then.seen_by(seat), ply, earlier_views(then, seat))
        own = self._bot.estimate(seat, taken, self._bot.iterations // TAKEN_ACTION_DIVISOR)
        if own is None:  # one that only leads where others lead too
            return DecisionAnalysis()
        chosen = [own if one.action == taken else one for one in (best, *others)]
        if own.action not in (one.action for one in chosen):
            chosen.append(own)
        return DecisionAnalysis(
            self._candidates(chosen, taken), tuple(self.game.actions[one] for one in best.line)
        )

    def _candidates(self, opinions: Sequence[ActionEstimate], taken: int) -> tuple[CandidateAction, ...]:
        """The search's own choice, the next best that it has looked at enough, and what was done."""
        best, *others = opinions
        looked_at = [one for one in others if one.visits >= MIN_VISITS and one.share <= best.share]
        looked_at.sort(key=lambda one: -one.share)
        shown = [best, *looked_at[: MAX_CANDIDATES - 1]]
        shown += [one for one in others if one.action == taken and one not in shown]
        return tuple(
            CandidateAction(self.game.actions[one.action], round(min(1.0, one.share), DIGITS), one.visits)
            for one in shown
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
    judge.analyse_decision(0)
    judge.chances(0)


REVIEW = CompileTarget("review", SEARCH.functions, _analyse_once)
