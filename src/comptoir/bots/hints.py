"""Advice for a person: what a captain, or an admiral, in the same seat would do in the rest of the turn, from
the same view. A plan holds for the turn: as long as the person follows it, nothing is thought over again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from comptoir.bots import earlier_views, question_for
from comptoir.bots.clerk import INTERPRETED_LOOK_AHEADS, Clerk
from comptoir.bots.levels import make
from comptoir.bots.plans import PlanEstimate, PlanSearch, ShareDifference
from comptoir.bots.reasons import Gain, gains, gains_text, plan_text
from comptoir.bots.searcher import Searcher
from comptoir.engine.match import Match
from comptoir.engine.words import Words

ADVISERS = ("captain", "admiral")  # the one whose advice is quick, and the one whose advice goes deep
QUICK_ADVISER = "clerk"
MAX_AS_GOOD = 2  # more would be no advice


@dataclass(frozen=True)
class Advice:
    """A level's plans for the rest of a turn, the best first, and what that brings that the next does not.

    `played`: the actions before it. `follows`: whether it continues a plan that was advised before.
    """

    level: str
    played: tuple[str, ...]
    plans: tuple[PlanEstimate, ...]
    gains: tuple[Gain, ...] = ()
    follows: bool = False

    @property
    def best(self) -> PlanEstimate:
        return self.plans[0]

    @property
    def as_good(self) -> tuple[PlanEstimate, ...]:
        """Other plans that begin differently and of which it cannot be said that they are any worse."""
        found = {plan.actions[0]: plan for plan in reversed(self.plans[1:]) if plan.is_as_good}
        found.pop(self.best.actions[0], None)
        return tuple(sorted(found.values(), key=self.plans.index))[:MAX_AS_GOOD]

    @property
    def first_actions(self) -> list[int]:
        """What to do now: the best, and what is as good."""
        return [plan.actions[0] for plan in (self.best, *self.as_good)]


def advise(
    match: Match, seat: int, seed: str, level: str = ADVISERS[0], seconds: float | None = None
) -> Advice:
    """What a level would do in this seat until its turn is over or chance decides."""
    adviser = make(level, match.game, match.components, seed, seconds=seconds, analyses=True)
    assert isinstance(adviser, Searcher)
    planner = PlanSearch(adviser, question_for(match, seat))
    best, *others = plans = planner.plans()
    why = gains(planner, best.actions, others[0].actions) if others and not others[0].is_as_good else ()
    return Advice(level, tuple(match.played), tuple(plans), why)


def quick_advice(match: Match, seat: int, seed: str) -> Advice:
    """A clerk's choice, interpreted: for as long as the captain is not compiled."""
    clerk = Clerk(match.game, match.components, seed, interpreted=True, look_aheads=INTERPRETED_LOOK_AHEADS)
    best = clerk.analyse(match.seen_by(seat), match.ply, earlier_views(match, seat))[0]
    plan = PlanEstimate((best.action,), best.share, ShareDifference(0.0, 0.0))
    return Advice(QUICK_ADVISER, tuple(match.played), (plan,))


def continued(advice: Advice, match: Match, seat: int) -> Advice | None:
    """The rest of advice that the seat has followed so far, if it can still be carried out; else nothing."""
    done = match.played[len(advice.played) :]
    plan = [match.game.actions[action] for action in advice.best.actions]
    rest = plan[len(done) :]
    if (
        match.turn != seat
        or match.played[: len(advice.played)] != [*advice.played]
        or plan[: len(done)] != done
        or not rest
        or any(match.rolled[len(advice.played) :])
        or rest[0] not in match.actions()
    ):
        return None
    if not done:
        return advice
    best = replace(advice.best, actions=advice.best.actions[len(done) :])
    return Advice(advice.level, tuple(match.played), (best,), follows=True)


def advice_text(match: Match, seat: int, advice: Advice, words: Words) -> str:
    """A plan in sentences: what to do, what else is as good, and why it is better than the next best."""

    def label(plan: PlanEstimate) -> str:
        return plan_text(match, seat, [match.game.actions[action] for action in plan.actions], words)

    share = words.percent(advice.best.share, 0)
    key = "hint.goes_on" if advice.follows else f"hint.{advice.level}"
    said = [words.say(key, plan=label(advice.best), share=share)]
    why = gains_text(advice.gains, match.names, words)
    if not why:
        said.append(_effect(match, seat, advice.best, words))
    if advice.as_good:
        others = "; ".join(label(plan)[:1].lower() + label(plan)[1:] for plan in advice.as_good)
        said.append(words.say("hint.as_good", plans=others))
    elif len(advice.plans) > 1 and not advice.plans[1].is_as_good:
        behind = advice.plans[1].behind
        low, high = (words.number(100 * end) for end in (behind.low, behind.high))
        said.append(words.say("hint.better_than", plan=label(advice.plans[1]), low=low, high=high))
    return " ".join(filter(None, [*said, why]))


def _effect(match: Match, seat: int, plan: PlanEstimate, words: Words) -> str:
    """What the plan's first action does, where nothing more can be said for it."""
    offer = match.game.story.choice(match.scene(seat, words), match.game.decode(plan.actions[0]))
    return (
        words.say("hint.effect", effect=offer.effect[:1].upper() + offer.effect[1:]) if offer.effect else ""
    )
