"""S15, S31, S32, S33: whole turns, enumerated from many positions by our rules and by the rulebook's own
words: they end alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from comptoir.engine.dice import dice_for
from comptoir.engine.interface import legal, play, rollout_action
from comptoir.engine.mask import allows, clear, members, new_mask
from comptoir.engine.rule import Dice, Mask, rule
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india import full_text
from tests.games.sail_to_india.full_text import End, Turn
from tests.games.sail_to_india.positions import BOX, SAIL, PositionBuilder

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, Position

SIZE = rules.POSITION.dtype.itemsize
TOO_MANY = 100_000  # moments in a turn by our rules: a turn with more would take too long


@rule
def branch(positions: Any, actions: Any, box: Box, mask: Mask, dice: Dice) -> int:
    """Plays every legal action of positions[0], each on a copy of its own in the rows after it, all with the
    same dice; how many.
    """
    clear(mask)
    legal(positions[0], box, mask)
    start = dice[0]
    n = 0
    for action in range(64 * len(mask)):
        if allows(mask, action):
            n += 1
            positions[n] = positions[0]
            actions[n] = action
            play(positions[n], box, action, dice)
            dice[0] = start
    return n


class TooMany(Exception):
    """A turn has more moments than there is time for."""


def ends_by_our_rules(p: Position, dice: Dice, most: int = TOO_MANY) -> set[End]:
    """Every way in which the turn can end, as our rules have it."""
    bound = SAIL.compiled.bind(branch)
    positions, actions, mask = (
        rules.POSITION.array(len(rules.ACTIONS) + 1),
        np.zeros(len(rules.ACTIONS) + 1, np.int64),
        new_mask(len(rules.ACTIONS)),
    )
    bytes_of = positions.view(np.uint8).reshape(-1, SIZE)
    positions[0] = p
    first = bytes_of[0].tobytes()
    seen, waiting, over = {first}, [first], set()
    while waiting:
        bytes_of[0] = np.frombuffer(waiting.pop(), np.uint8)
        n = bound(positions, actions, BOX, mask, dice)
        after = [row.tobytes() for row in bytes_of[1 : n + 1]]
        if actions[1] == rules.END_TURN:
            # the next turn begins: nothing of this one is left but where the pieces are
            over.add(after.pop(0))
        waiting += set(after) - seen
        seen.update(after)
        if len(seen) > most:
            raise TooMany
    ends = np.frombuffer(b"".join(over), rules.POSITION.dtype).view(np.recarray)
    return set(full_text.ends_of(ends, int(p.turn)))


def ends_by_the_text(p: Position, dice: Dice) -> set[End]:
    """Every way in which the turn can end, as the rulebook has it."""
    card = rules.unseen_card(p, dice.copy()) if p.face_up < rules.last_town(p) else 0
    start, coast = full_text.read(p, BOX, card)
    seen: set[Turn] = {start}
    waiting, ends = [start], set()
    while waiting:
        t = waiting.pop()
        if full_text.may_end(t):
            ends.add(full_text.end_of(t))
        for after in full_text.steps(t, coast):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return ends


def differences(p: Position, most: int = TOO_MANY) -> tuple[set[End], set[End]]:
    """How the turn can end by the text and not by our rules, and by our rules and not by the text."""
    dice = dice_for("whole turns", 0)
    ours = ends_by_our_rules(p, dice, most)
    text = ends_by_the_text(p, dice)
    return text - ours, ours - text


def table(face_up: int = 4, points: int = 1, **markers: Any) -> PositionBuilder:
    """Seat 0 has one action left, if not said otherwise."""
    return PositionBuilder(SAIL.interpreted).towns(face_up).has(0, **markers).turn(0, points)


ARRANGED = {
    "a stronghold's marker sails after serving as a port": lambda: table(6, lisbon=2, vp=1, land="4c").owns(
        0, "port maintenance"
    ),
    "one that has sailed keeps the VP of Banking, and a banker sails": lambda: table(
        lisbon=2, wealth=2, land="4c"
    ).owns(0, "banking", "port maintenance"),
    "a mixed sea": lambda: table(3, lisbon=2, wealth=2, at1=1).owns(0, "banking").play("sail 0-1"),
    "a historian who has sailed returns": lambda: (
        table(lisbon=1, wealth=2).owns(0, "banking", "port maintenance").play("sail 0-1", "bank")
    ),
    "an own building space is freed": lambda: table(lisbon=1, wealth=3, vp=4, land="1c", at1=1).owns(
        0, "architecture", "banking"
    ),
    "Architecture builds while wealth is due": lambda: (
        table(wealth=4, land="1b 2c 3d", at4=1, points=2).owns(0, "architecture").play("sail 4-3", "anchor")
    ),
    "Geography in the middle of things": lambda: table(lisbon=1, wealth=2, land="1a 4c").owns(0, "geography"),
    "Geography while a gain is due": lambda: table(lisbon=0, vp=5, land="1a 1b 2a").owns(0, "geography"),
    "Banking in a sale": lambda: table(wealth=4, vp=5, land="1a 1b 2a").owns(0, "banking", "manufacture"),
    "a chart while the discovery's VP is due": lambda: table(3, wealth=1, at3=1).owns(0, "cartography"),
    "India": lambda: table(11, wealth=1, vp=4, at11=2).owns(0, "cartography"),
    "the press": lambda: table(wealth=3, vp=5, at1=1).owns(0, "printing press", "metallurgy"),
    "two actions": lambda: table(3, lisbon=1, points=2, at3=1),
    "two moves with a stronghold": lambda: table(4, points=2, land="4c").owns(
        0, "metallurgy", "geography", "banking"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ARRANGED)
def test_turns_that_use_what_may_be_done_at_any_moment(name: str) -> None:
    """S15, S31, S32, S33, S34, S40, S43, S51, S53, S54, S55, S56: every way in which they can end by the
    text, and no other.
    """
    assert differences(ARRANGED[name]().p) == (set(), set())


# Positions from play


def weigh(action: str) -> float:
    """A player who seldom gives anything up, so that all there is comes about."""
    if action.startswith("return") or action in ("decline", "recall", "end turn"):
        return 0.05
    return 8.0 if action in ("activate", "appoint") or action.startswith("build") else 1.0


def positions(seed: int, matches: int) -> Iterator[Position]:
    """Moments of matches that use everything, of three and of four players in turns: half by lively chance,
    half by the bots' habit.
    """
    weights = np.array([weigh(action) for action in rules.ACTIONS.texts])
    choose, values, mask = (
        SAIL.compiled.bind(rollout_action),
        SAIL.evaluation.weights,
        new_mask(len(rules.ACTIONS)),
    )
    for nth in range(matches):
        chance = np.random.default_rng([seed, nth])
        t = PositionBuilder(SAIL.compiled, f"{seed} {nth}", players=3 + nth % 2)
        while t.p.turn >= 0:
            clear(mask)
            t.ruleset.legal(t.p, BOX, mask)
            if chance.random() < 0.05:
                yield SAIL.copy(t.p)
            actions = members(mask)
            action = int(chance.choice(actions, p=weights[actions] / weights[actions].sum()))
            if nth % 4 >= 2 and chance.random() < 0.8:
                action = choose(t.p, BOX, values, mask, t.dice)
            t.ruleset.play(t.p, BOX, action, t.dice)


def features(p: Position) -> set[str]:
    """What a position has to show, for the sample to hold some of each."""
    who = int(p.turn)
    shown = {rules.PHASES[p.phase], f"{p.players} players", f"{p.points} points", f"speed {p.speed[who]}"}
    shown |= {name for name, owner in zip(rules.TECHNOLOGIES, p.technologies, strict=True) if owner == who}
    shown |= {"due"} if rules.is_due(p) else set()
    return shown | ({"stronghold"} if rules.strongholds_of(p, BOX, who) else set())


def sample(seed: int, matches: int, wanted: int, most: int) -> dict[str, int]:
    """Compares so many turns that are small enough, those first that show what few before have shown; how
    often each thing was.
    """
    shown: dict[str, int] = {}
    compared = 0
    for p in positions(seed, matches):
        new = features(p)
        if min(shown.get(name, 0) for name in new) > compared // 12:
            continue
        try:
            assert differences(p, most) == (set(), set()), SAIL.to_dict(p)
        except TooMany:
            continue
        compared += 1
        shown |= {name: shown.get(name, 0) + 1 for name in new}
        if compared == wanted:
            return shown
    raise AssertionError(f"only {compared} turns were small enough")


SHOWN = {
    "3 players",
    "4 players",
    "stronghold",
    "due",
    "sailing",
    "selling",
    "turn",
    "converting",
    "2 points",
}
SHOWN |= {"banking", "geography", "architecture", "cartography", "port maintenance"}


@pytest.mark.slow
def test_turns_from_play_end_as_the_text_has_it() -> None:
    """S15, S31, S32, S33: from sampled positions, by both ways of counting."""
    assert set(sample(seed=1, matches=40, wanted=32, most=5000)) >= SHOWN


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 18))
def test_many_more_turns_from_play_end_as_the_text_has_it(seed: int) -> None:
    """S15, S31, S32, S33: longer turns too."""
    assert set(sample(seed, matches=800, wanted=40, most=100_000)) >= SHOWN
