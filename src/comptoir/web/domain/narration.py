"""A match in the words of its game: how it began, what each action did, and each turn in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from comptoir.engine.match import Match
from comptoir.engine.recap import ActionStep, Recap
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.web.domain.perspective import EVERYTHING, Perspective, viewing_seat


@dataclass(frozen=True)
class NarratedTurn:
    """A finished turn: its recap, and what the game calls its round where a new one begins."""

    recap: Recap
    round: str


@dataclass(frozen=True)
class Narration:
    """`lines`: those of the start, then of each action. `dice`: the faces that were rolled, by ply."""

    lines: list[list[str]]
    turns: list[NarratedTurn]
    dice: dict[int, int]


def narrate(match: Match, perspective: Perspective, words: Words) -> Narration:
    """The whole match from one perspective; with everything open, each action as its own seat saw it."""
    seat = viewing_seat(perspective)
    opening = match.scene_at(0, seat, words)
    lines, turns = [match.story.opening_lines(opening)], list[NarratedTurn]()
    dice, last_round = {0: face_rolled(match, None, opening)}, None
    steps: list[ActionStep[Scene]] = []  # of the current turn
    for ply in range(1, match.ply + 1):
        if perspective == EVERYTHING:
            seat = int(match.records[ply - 1].turn)
        last = steps[-1].after if steps else None
        before = last if last and last.seat == seat else match.scene_at(ply - 1, seat, words)
        step = ActionStep(before, match.action_at(ply), match.scene_at(ply, seat, words))
        steps.append(step)
        lines.append(match.story.log_lines(step))
        dice[ply] = face_rolled(match, step.before, step.after)
        if match.ended_turn(ply):
            number, name = round_of(steps[0].before)
            begins = number is not None and number != last_round
            turns.append(NarratedTurn(match.story.recap(ply - len(steps), steps), name if begins else ""))
            steps, last_round = [], number
    return Narration(lines, turns, {ply: face for ply, face in dice.items() if face})


def face_rolled(match: Match, before: Scene | None, after: Scene) -> int:
    """The face of the die that everyone saw rolled by an action, or at the start; 0 for none."""
    started_elsewhere = before is None and match.start_position is not None
    if started_elsewhere or not hasattr(match.game.story, "die_shown"):
        return 0
    face: int = match.game.story.die_shown(before, after)
    return face


def round_of(scene: Scene) -> tuple[int | None, str]:
    """The number of a position's round and what the game calls it; None and "" without rounds."""
    if not hasattr(scene.record, "round_number"):
        return None, ""
    number, words = int(scene.record.round_number), scene.words
    name = words.say("table.round" if "table.round" in words.texts else "told.round", n=number)
    return number, name[:1].upper() + name[1:]
