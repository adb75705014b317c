"""Plans in words: what is done, and what one plan brings that another does not.

What it brings is forecast: both plans are played in the same imagined worlds, and every match goes on to its
end by the policy. The score sheets at the end are compared source by source. A source is named only if the
difference is clear of chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from comptoir.bots.plans import Plan, PlanSearch
from comptoir.bots.search import WORLD
from comptoir.engine.intervals import student_t_975
from comptoir.engine.match import Match
from comptoir.engine.words import Words
from comptoir.engine.worlds import imagined_match

WORLDS = 48  # in which a forecast plays two plans
TO_THE_END = 100_000  # turns that are sampled: more than a match has
CLEAR = 1.5  # times the margin, since the largest of several differences is looked for
MIN_POINTS = 0.5  # rounds to a point
MAX_GAINS = 2
OTHER = "seat "  # begins the name of the total of another seat


class Gain(NamedTuple):
    """What a plan brings by the end that another does not: a source of points of the score sheet, or the
    total of another seat (`seat 2`), and how many points more, with half the 95% interval.
    """

    source: str
    points: float
    margin: float


def gains(planner: PlanSearch, plan: Plan, other: Plan, worlds: int = WORLDS) -> tuple[Gain, ...]:
    """What a plan brings that another does not, the largest first; nothing where that is not clear."""
    pairs = [(_sheet(planner, plan, nth), _sheet(planner, other, nth)) for nth in range(worlds)]
    found = []
    for source in pairs[0][0]:
        differences = np.array([one[source] - two[source] for one, two in pairs], float)
        margin = student_t_975(worlds - 1) * float(differences.std(ddof=1)) / math.sqrt(worlds)
        gain = Gain(source, round(float(differences.mean()), 2), round(margin, 2))
        if _speaks_for_it(gain):
            found.append(gain)
    return tuple(sorted(found, key=lambda gain: -abs(gain.points))[:MAX_GAINS])


def _speaks_for_it(gain: Gain) -> bool:
    """More points for oneself, or fewer for another, and clear of chance."""
    points = -gain.points if gain.source.startswith(OTHER) else gain.points
    return points >= MIN_POINTS and points > CLEAR * gain.margin


def _sheet(planner: PlanSearch, plan: Plan, world: int) -> dict[str, int]:
    """How a match ends that goes on from a plan: the seat's points by source, and the others' totals."""
    game, box, viewer = planner.searcher.game, planner.searcher.components.box, planner.viewer
    planner.grow_tree(plan, f"forecast {world}", TO_THE_END, iterations=1)
    sheet = game.score_sheet(planner.workspace.positions[WORLD], box, everything=True)
    totals = {f"{OTHER}{seat}": total for seat, total in enumerate(sheet.totals) if seat != viewer}
    return {source: row[viewer] or 0 for source, row in sheet.points.items()} | totals


def gains_text(found: Sequence[Gain], names: Sequence[str], words: Words) -> str:
    """A sentence for each gain; nothing for none."""
    return " ".join(_gain_text(gain, names, words) for gain in found)


def _gain_text(gain: Gain, names: Sequence[str], words: Words) -> str:
    points = words.say("score.points", n=round(abs(gain.points)))
    if gain.source.startswith(OTHER):
        return words.say("hint.holds_back", name=names[int(gain.source[len(OTHER) :])], points=points)
    return words.say("hint.brings", points=points, source=words.say(f"sources.{gain.source}"))


def plan_text(match: Match, seat: int, plan: Sequence[str], words: Words) -> str:
    """The choices of a plan, one after the other; what has no alternative goes without saying."""
    imagined = imagined_match(match, seat, "plan")
    labels: list[str] = []
    for action in plan:
        legal = imagined.actions()
        if imagined.turn != seat or action not in legal:
            break
        if len(legal) > 1 or not labels:
            label = match.game.story.choice(imagined.scene(seat, words), match.game.decode(action)).label
            labels.append(label if not labels else label[:1].lower() + label[1:])
        imagined.play(action)
    return words.say("hint.then").join(labels)
