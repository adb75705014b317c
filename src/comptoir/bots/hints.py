"""Advice for a person: what a captain, or an admiral, in the same seat thinks, from the same view."""

from __future__ import annotations

from collections.abc import Sequence

from comptoir.bots import earlier_views
from comptoir.bots.clerk import INTERPRETED_LOOK_AHEADS, Clerk
from comptoir.bots.levels import make
from comptoir.bots.searcher import MIN_VISITS, ActionEstimate, Searcher
from comptoir.engine.match import Match
from comptoir.engine.recap import ActionStep
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.engine.worlds import imagined_match

ADVISERS = ("captain", "admiral")  # the one whose advice is quick, and the one whose advice goes deep
HINTS = 3
WORLDS = 3  # that are imagined: what is said of a line of play must hold in all of them


def hints(
    match: Match, seat: int, seed: str, level: str = ADVISERS[0], seconds: float | None = None
) -> list[ActionEstimate]:
    """The level's choice, and the next best that it has looked at enough to say what they are worth.

    What was tried less may look better than what it has chosen; that is no advice either.
    """
    adviser = make(level, match.game, match.components, seed, seconds=seconds, analyses=True)
    assert isinstance(adviser, Searcher)
    best, *others = adviser.analyse(match.seen_by(seat), match.ply, earlier_views(match, seat))
    known = [opinion for opinion in others if opinion.visits >= MIN_VISITS and opinion.share <= best.share]
    return [best, *sorted(known, key=lambda opinion: -opinion.share)][:HINTS]


def quick_hints(match: Match, seat: int, seed: str) -> list[ActionEstimate]:
    """A clerk's opinion, interpreted: for as long as the captain is not compiled."""
    clerk = Clerk(match.game, match.components, seed, interpreted=True, look_aheads=INTERPRETED_LOOK_AHEADS)
    return clerk.analyse(match.seen_by(seat), match.ply, earlier_views(match, seat))[:HINTS]


def reason(match: Match, seat: int, best: ActionEstimate, words: Words) -> str:
    """Why: what the line of play comes to and the points that it gains, or else what the action itself
    does.
    """
    line = expected_line(match, seat, [match.game.actions[action] for action in best.line], words)
    if line:
        return line
    offer = match.game.story.choice(match.scene(seat, words), match.game.decode(best.action))
    return (
        words.say("hint.effect", effect=offer.effect[:1].upper() + offer.effect[1:]) if offer.effect else ""
    )


def expected_line(
    match: Match, seat: int, line: Sequence[str], words: Words, told_as: str = "hint.line"
) -> str:
    """What a line of play comes to, as the seat would see it happen, and the points that it gains; nothing
    if that is not known.
    """
    told = _common(match, seat, line, words)
    if not told:
        return ""
    said = words.say(told_as, line=match.game.story.recap(told[0])[0])
    gains = {_points(match, steps[-1].after) - _points(match, steps[0].before) for steps in told}
    gain = gains.pop()
    if gains or gain <= 0:
        return said
    return f"{said} {words.say('hint.gain', points=words.say('score.points', n=gain))}"


def _points(match: Match, scene: Scene) -> int:
    """What a seat knows of its own points."""
    assert scene.seat is not None
    return match.game.score_sheet(scene.raw_record, match.box, scene.seat).totals[scene.seat]


def _common(match: Match, seat: int, line: Sequence[str], words: Words) -> list[list[ActionStep[Scene]]]:
    """A line of play in several imagined worlds, up to where chance decides: only what is the same in all
    of them. Nothing, if that is no more than one of its ends does alone.
    """
    if len(line) < 2:
        return []
    recap = match.game.story.recap
    told = [_recap_text(match, seat, line, words, world) for world in range(WORLDS)]
    for steps in range(min(map(len, told)), 1, -1):
        sentences = {recap(one[:steps])[0] for one in told}
        if len(sentences) == 1:
            ends = (told[0][:1], told[0][steps - 1 : steps])
            alone = sentences.pop() in (recap(end)[0] for end in ends)
            return [] if alone else [one[:steps] for one in told]
    return []


def _recap_text(
    match: Match, seat: int, line: Sequence[str], words: Words, world: int
) -> list[ActionStep[Scene]]:
    """The steps of a line in one imagined world, without those in which something is turned up."""
    imagined = imagined_match(match, seat, f"world {world}")
    steps: list[ActionStep[Scene]] = []
    for action in line:
        if imagined.turn != seat or action not in imagined.actions():
            break
        before = imagined.scene(seat, words)
        imagined.play(action)
        if imagined.undoable_by() is None:
            break
        steps.append(ActionStep(before, match.game.decode(action), imagined.scene(seat, words)))
    return steps
